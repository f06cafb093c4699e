//===- helios-bundle.cpp - Prints and unpacks bundles -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Serialize.h"
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

using namespace helios;

namespace {

const char *const usage =
    "usage: helios-bundle FILE [--extract DIR]\n"
    "\n"
    "Checks a bundle and prints its contents: modules, arguments, "
    "requirements, launch\n"
    "plans with their formulas, and what each kernel computes.\n"
    "\n"
    "  --extract DIR   also write every module to DIR, which is made "
    "(NAME.spv, NAME.ptx)\n"
    "  --version       print the version and the bundle format\n"
    "  -h, --help      print this\n"
    "\n"
    "Exit codes: 0 good, 2 usage, or not a good bundle.\n";

/// Module names come from the file; what could leave the folder is replaced.
std::string safeName(const std::string &name, size_t index) {
  std::string s;
  for (char c : name)
    s += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || c == '_' || c == '-'
             ? c
             : '_';
  return std::to_string(index) + "-" + s.substr(0, 100);
}

int bad(const std::string &message) {
  std::fprintf(stderr, "helios-bundle: %s\n", message.c_str());
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  std::string file, folder;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "-h" || a == "--help") {
      std::fputs(usage, stdout);
      return 0;
    }
    if (a == "--version") {
      std::printf("helios-bundle %s, bundle format %u\n", HELIOS_VERSION,
                  bundle::kFormatVersion);
      return 0;
    }
    if (a == "--extract" && i + 1 < argc)
      folder = argv[++i];
    else if (!a.empty() && a[0] != '-' && file.empty())
      file = a;
    else
      return bad("unexpected argument '" + a + "' (try --help)");
  }
  if (file.empty())
    return bad("no FILE given (try --help)");
  Result<bundle::Bundle> b = bundle::readFile(file);
  if (!b)
    return bad(b.status().message());
  std::fputs(bundle::dump(*b).c_str(), stdout);
  if (!folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      return bad("cannot make the folder '" + folder + "': " + error.message());
    for (size_t i = 0; i < b->modules.size(); ++i) {
      const bundle::Module &m = b->modules[i];
      std::string path =
          folder + "/" + safeName(m.name, i) +
          (m.kind == bundle::ModuleKind::Spirv ? ".spv" : ".ptx");
      if (Status s = bundle::writeFile(path, m.bytes); !s.ok())
        return bad(s.message());
    }
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return bad("cannot write to standard output");
  return 0;
}
