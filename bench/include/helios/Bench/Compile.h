// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_COMPILE_H
#define HELIOS_BENCH_COMPILE_H

#include "helios/Bundle/Status.h"
#include <string>
#include <vector>

namespace helios::bench {

/// How a program ended: its exit code (128 + n for signal n) and what it wrote
/// to both outputs.
struct ProgramResult {
  int exitCode = 0;
  std::string output;
};
/// Runs `arguments` (the first is the program's path) and waits. Unsupported if
/// it cannot be started.
Result<ProgramResult> runProgram(const std::vector<std::string> &arguments);

/// For signal handlers; both may be called at any time. The first asks
/// programs that runProgram runs to end, and lets none start after it:
/// runProgram then returns a failure. The second ends them at once, and takes
/// away the files that bundleFor was making. Up to 32 threads may run programs.
void requestStop();
void abandonPrograms();

/// Where bundles come from: compiled by helios-compile, kept in a folder under
/// the hash of what they were made from.
struct BundleSource {
  std::string compiler; ///< path of helios-compile; may be missing if the
                        ///< folder has what is asked for
  std::string cacheDir; ///< folder of bundles
  std::string target = "vulkan";
  std::string
      schedule;      ///< passed on as --schedule; empty: the compiler chooses
  std::string tuned; ///< passed on as --tuned; empty: none
  /// Extents, for which not a bundle is made but the list of schedules, in a
  /// file of the same name.
  std::string shapes;
  /// Passed on as --only-launches, and as --processors with it; empty: none.
  std::string launches;
  int64_t processors = 0;
  std::string meaning; ///< a description passed on as --meaning; empty: none
  /// PTX says which op of the text each instruction comes from (--debug-info).
  /// The text is `textFile`, or where that is empty stays beside the bundle.
  bool debugInfo = false;
  std::string textFile;
  std::string
      keepDir; ///< copies of each level-1 text and bundle go here; empty: none
};

/// Path of the bundle for a level-1 text. `label` names it in messages and kept
/// files. InvalidInput carries the compiler's own message; Unsupported: the
/// compiler is missing and no bundle of this text is in the folder. `compiled`
/// tells whether the compiler ran.
Result<std::string> bundleFor(const BundleSource &source,
                              const std::string &text, const std::string &label,
                              bool &compiled);

/// Makes a folder and those above it.
Status makeFolders(const std::string &path);
/// A file's contents; InvalidInput names the path.
Result<std::string> readText(const std::string &path);
/// Writes atomically: a full disk or an interruption leaves no part of a file.
Status writeText(const std::string &path, const std::string &text);

} // namespace helios::bench

#endif // HELIOS_BENCH_COMPILE_H
