// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a vendor's shared library may lie.

#include "helios/Bench/Peer.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <glob.h>

namespace helios::bench {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> matches(const std::string &pattern) {
  std::vector<std::string> found;
  glob_t result;
  if (glob(pattern.c_str(), 0, nullptr, &result) == 0)
    for (size_t i = 0; i < result.gl_pathc; ++i)
      found.push_back(result.gl_pathv[i]);
  globfree(&result);
  return found;
}

/// Folders in which pip's nvidia packages put their libraries, for every
/// python3 on PATH: beside the interpreter's own prefix (a virtual environment
/// has its packages where the link lies, not where it leads).
std::vector<std::string> packageFolders() {
  std::vector<std::string> folders;
  const char *path = std::getenv("PATH");
  std::string rest = path ? path : "";
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    const std::string bin = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    std::error_code error;
    const fs::path python = fs::path(bin) / "python3";
    if (!fs::exists(python, error))
      continue;
    const fs::path real = fs::canonical(python, error);
    for (const fs::path &prefix :
         {fs::path(bin).parent_path(), real.parent_path().parent_path()})
      for (const char *packages : {"site-packages", "dist-packages"})
        for (std::string &folder :
             matches((prefix / "lib/python3*" / packages / "nvidia/*/lib")
                         .string()))
          folders.push_back(std::move(folder));
  }
  return folders;
}

bool opens(const std::string &name) {
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle)
    dlclose(handle);
  return handle != nullptr;
}

} // namespace

std::string findLibrary(const std::vector<std::string> &names) {
  for (const std::string &name : names)
    if (opens(name))
      return name;
  std::vector<std::string> folders = packageFolders();
  for (const char *pattern : {"/usr/local/cuda*/lib64", "/usr/local/cuda*/lib"})
    for (std::string &folder : matches(pattern))
      folders.push_back(std::move(folder));
  for (const std::string &name : names)
    for (const std::string &folder : folders)
      if (std::string file = folder + "/" + name; opens(file))
        return file;
  return "";
}

} // namespace helios::bench
