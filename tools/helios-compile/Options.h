// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The command line of helios-compile.

#ifndef HELIOS_TOOLS_COMPILE_OPTIONS_H
#define HELIOS_TOOLS_COMPILE_OPTIONS_H

#include "helios/Bundle/Launch.h"
#include <map>
#include <string>
#include <vector>

namespace helios::compile {

/// What is written.
enum class Emit {
  Tile,       ///< Level 2 as text.
  Frag,       ///< Level 3 as text.
  SpirvText,  ///< Level 4 as text.
  Spirv,      ///< SPIR-V binaries.
  Llvm,       ///< LLVM IR as text.
  Ptx,        ///< PTX as text.
  Bundle,     ///< Binaries, launch plans, requirements and meaning in one file.
  BundleText, ///< The same, printed.
  Schedules,  ///< The schedules of a product and their prices, as JSON.
};

struct Options {
  std::string input;
  std::string output;            ///< "-": standard output.
  std::vector<std::string> rows; ///< Target rows, in order of preference.
  /// Those that `vulkan` or `cuda` stood for: one that cannot do the kernels is
  /// left out if another of its API can.
  std::vector<std::string> optionalRows;
  Emit emit = Emit::Bundle;
  std::string schedule;
  std::string tuned; ///< A table of measured schedules; empty: none.
  /// Extents of a kernel's tensors, for what depends on them.
  std::vector<std::vector<int64_t>> shapes;
  /// Values of its scalars by name, 0 for others, with shapes.
  std::map<std::string, int64_t> scalars;
  /// Launches whose programs alone are compiled; empty: all.
  std::vector<bundle::Launch> launches;
  int64_t processors = 0; ///< Of their device; 0: as the row says.
  std::string meaning; ///< A description that says what programs of level 2 or
                       ///< 3 compute; empty: none.
  std::vector<std::string> without;
  bool canonicalizeBetween = false;
  bool roundTripBetween = false;
  bool debugInfo = false;
  bool report = false;
  unsigned threads = 0; ///< 0: as many as the machine has.

  enum class Action {
    Compile,
    Help,
    Version,
    ListTargets
  } action = Action::Compile;
};

extern const char *const kUsage;

/// Reads the command line. InvalidInput: what is wrong with it. Unsupported: a
/// target that this version does not build.
Result<Options> parseOptions(int argc, char **argv);

/// Whether a row is one of CUDA architectures.
bool isCuda(const std::string &row);
/// A row as --target names it.
std::string targetName(const std::string &row);

/// The table of target rows as text.
std::string listTargets();

} // namespace helios::compile

#endif // HELIOS_TOOLS_COMPILE_OPTIONS_H
