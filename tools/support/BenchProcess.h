//===- BenchProcess.h - The process around measuring tools ------*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What helios-bench and helios-tune have in common: signals, the executable's
// place, the environment.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_TOOLS_SUPPORT_BENCHPROCESS_H
#define HELIOS_TOOLS_SUPPORT_BENCHPROCESS_H

#include "CacheDir.h"
#include "helios/Bench/Main.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace helios::tools {

inline volatile std::sig_atomic_t interrupts = 0;
/// Written when the process ends at once.
inline const char *lastWords = "";

/// Seconds that a step may go on after an interrupt. A driver that compiles, or
/// a comparison with the reference, can take minutes and asks nobody.
inline constexpr unsigned kGrace = 2;

/// Async-signal-safe. Compilers that run are ended; files are only written
/// whole, by renaming.
inline void endAtOnce() {
  bench::abandonPrograms();
  const ssize_t written = write(2, lastWords, std::strlen(lastWords));
  static_cast<void>(written);
  _exit(130);
}

/// The first interrupt ends the run after the current step or the grace, the
/// second at once.
inline void onInterrupt(int) {
  if (interrupts++)
    endAtOnce();
  bench::requestStop();
  alarm(kGrace);
}

inline void onAlarm(int) { endAtOnce(); }

inline std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// The folder of this executable, `name`: as the kernel says, unless it was
/// started through a loader; else as it was called.
inline std::string ownFolder(const char *called, const std::string &name) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  const std::string self = length > 0 ? std::string(path, size_t(length)) : "";
  if (self.size() > name.size() &&
      self.compare(self.size() - name.size(), name.size(), name) == 0)
    return folderOf(self);
  if (char *real = realpath(called, nullptr)) {
    const std::string resolved = real;
    std::free(real);
    return folderOf(resolved);
  }
  return folderOf(called);
}

/// Catches signals and says where the tool stands.
inline bench::Surroundings surround(const char *called, const std::string &name,
                                    const char *words) {
  lastWords = words;
  struct sigaction action{};
  action.sa_handler = onInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGALRM, onAlarm);
  std::signal(SIGPIPE, SIG_IGN);
  bench::Surroundings surroundings;
  surroundings.compiler = ownFolder(called, name) + "/helios-compile";
  surroundings.cacheDir = defaultCacheDir();
  return surroundings;
}

} // namespace helios::tools

#endif // HELIOS_TOOLS_SUPPORT_BENCHPROCESS_H
