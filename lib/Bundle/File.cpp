//===- File.cpp - Bundle files on disk -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Serialize.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace helios::bundle {

namespace {

/// Files beyond this are no bundles.
constexpr uint64_t maxFileBytes = uint64_t(1) << 30;

std::string withErrno(const std::string &what, int error) {
  return what + ": " + std::strerror(error);
}

} // namespace

Result<Bundle> readFile(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return Status::invalidInput(
        withErrno("cannot open bundle '" + path + "'", errno));
  struct stat info;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return Status::invalidInput("cannot read bundle '" + path +
                                "': not a regular file");
  }
  if (uint64_t(info.st_size) > maxFileBytes) {
    ::close(fd);
    return Status::invalidInput("bundle '" + path + "' has " +
                                std::to_string(info.st_size) +
                                " bytes; at most 1 GiB is read");
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(info.st_size));
  size_t got = 0;
  while (got < bytes.size()) {
    ssize_t n = ::read(fd, bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      int error = n < 0 ? errno : 0;
      ::close(fd);
      return Status::invalidInput(
          error ? withErrno("cannot read bundle '" + path + "'", error)
                : "bundle '" + path + "' shrank while it was read");
    }
    got += static_cast<size_t>(n);
  }
  ::close(fd);
  Result<Bundle> bundle = read(bytes.data(), bytes.size());
  if (!bundle)
    return bundle.status().withPrefix("bundle '" + path + "': ");
  return bundle;
}

Status writeFile(const std::string &path, const std::vector<uint8_t> &bytes) {
  // What is no regular file (/dev/stdout, a pipe) cannot be renamed over.
  struct stat info;
  bool direct = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  std::string target =
      direct ? path : path + ".tmp." + std::to_string(::getpid());
  int flags =
      direct ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int fd = ::open(target.c_str(), flags, 0666);
  if (fd < 0)
    return Status::invalidInput(
        withErrno("cannot write '" + path + "'", errno));
  auto fail = [&](const char *what) {
    int error = errno;
    if (fd >= 0)
      ::close(fd);
    if (!direct)
      ::unlink(target.c_str());
    return Status::invalidInput(
        withErrno("cannot " + std::string(what) + " '" + path + "'", error));
  };
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail("write");
    done += static_cast<size_t>(n);
  }
  if (!direct && ::fsync(fd) != 0)
    return fail("flush");
  int closing = fd;
  fd = -1;
  if (::close(closing) != 0)
    return fail("close");
  if (!direct && ::rename(target.c_str(), path.c_str()) != 0)
    return fail("rename the finished file to");
  return Status::success();
}

} // namespace helios::bundle
