// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process around helios::bench::benchMain: environment, signals, the
// executable's place.

#include "helios/Bench/Main.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

namespace {

volatile std::sig_atomic_t interrupts = 0;

/// Seconds that a step may go on after an interrupt. A driver that compiles, or
/// a comparison with the reference, can take minutes and asks nobody.
constexpr unsigned kGrace = 2;

/// Async-signal-safe. A compiler that runs is ended; result files are only
/// written at the end, by renaming.
void endAtOnce() {
  helios::bench::abandonPrograms();
  static const char text[] = "helios-bench: interrupted; no file was written\n";
  const ssize_t written = write(2, text, sizeof(text) - 1);
  static_cast<void>(written);
  _exit(130);
}

/// The first interrupt ends the run after the current step or the grace, the
/// second at once.
void onInterrupt(int) {
  if (interrupts++)
    endAtOnce();
  helios::bench::requestStop();
  alarm(kGrace);
}

void onAlarm(int) { endAtOnce(); }

std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// The folder of this executable: as the kernel says, unless it was started
/// through a loader; else as it was called.
std::string ownFolder(const char *called) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  const std::string self = length > 0 ? std::string(path, size_t(length)) : "";
  if (self.size() > 12 &&
      self.compare(self.size() - 12, 12, "helios-bench") == 0)
    return folderOf(self);
  if (char *real = realpath(called, nullptr)) {
    const std::string resolved = real;
    std::free(real);
    return folderOf(resolved);
  }
  return folderOf(called);
}

std::string cacheFolder() {
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return std::string(cache) + "/helios";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/helios";
  return "";
}

} // namespace

int main(int argc, char **argv) {
  struct sigaction action{};
  action.sa_handler = onInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGALRM, onAlarm);
  std::signal(SIGPIPE, SIG_IGN);
  helios::bench::Surroundings surroundings;
  surroundings.compiler = ownFolder(argv[0]) + "/helios-compile";
  surroundings.cacheDir = cacheFolder();
  surroundings.examplesDir = HELIOS_EXAMPLES_DIR;
  // Carried to another machine, the programs bring them along.
  if (access(HELIOS_EXAMPLES_DIR, R_OK) != 0)
    surroundings.examplesDir = ownFolder(argv[0]) + "/../examples";
  return helios::bench::benchMain({argv + 1, argv + argc}, surroundings,
                                  [] { return interrupts != 0; });
}
