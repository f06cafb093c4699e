// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Output.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace helios;

/// Writes everything; returns 0 or the error's number.
static int writeAll(int fd, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno;
    bytes = bytes.drop_front(size_t(n));
  }
  return 0;
}

static Status failure(const std::string &path, int error) {
  return Status::invalidInput("cannot write '" + path +
                              "': " + std::strerror(error));
}

Status compile::writeOutput(const std::string &path, llvm::StringRef bytes) {
  if (path == "-") {
    int error = writeAll(STDOUT_FILENO, bytes);
    return error ? failure("standard output", error) : Status::success();
  }
  // What is no regular file (/dev/stdout, a pipe) cannot be renamed over.
  struct stat info;
  bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return failure(path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return failure(path, errno);
    int error = writeAll(fd, bytes);
    if (::close(fd) != 0 && !error)
      error = errno;
    return error ? failure(path, error) : Status::success();
  }

  std::string temporary = path + ".tmp." + std::to_string(::getpid());
  llvm::sys::RemoveFileOnSignal(temporary);
  int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  exists ? info.st_mode & 0777 : 0666);
  int error = fd < 0 ? errno : writeAll(fd, bytes);
  if (fd >= 0 && !error && ::fsync(fd) != 0 && errno != EINVAL)
    error = errno;
  if (fd >= 0 && ::close(fd) != 0 && !error)
    error = errno;
  if (!error && ::rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error && fd >= 0)
    ::unlink(temporary.c_str());
  llvm::sys::DontRemoveFileOnSignal(temporary);
  return error ? failure(path, error) : Status::success();
}
