//===- Emulator.h - PTX on the host ------------------------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes kernels of PTX without a GPU. Global memory is the host's: an
// address of a kernel is one of the process, and what a kernel may touch is
// said by ranges. docs/emulator.md.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_EMULATOR_H
#define HELIOS_RUNTIME_EMULATOR_EMULATOR_H

#include "emulator/Code.h"
#include "emulator/TensorMap.h"
#include "helios/Bundle/Status.h"
#include <map>
#include <string>
#include <vector>

namespace helios::emu {

/// What is wrong with a kernel, where.
struct Finding {
  enum class Kind : uint8_t {
    OutOfBounds,
    Misaligned,
    Uninitialized,
    Race,
    InFlight,
    Proxy,
    Mbarrier,
    Barrier,
    Convergence,
    Deadlock,
    Endless,
    Registers,
    Wgmma,
    Copy,
    Trap,
    Descriptor,
    Dependency
  } kind = Kind::Trap;
  std::string message;
  std::string kernel;
  uint32_t line = 0;  ///< of the PTX; 0: none in particular
  std::string source; ///< the op it was compiled from, if the PTX says it
  std::string text;   ///< the instruction
  uint64_t block = 0;
  uint32_t warp = 0;
  int lane = -1; ///< -1: the whole warp
  uint64_t count = 1;
};
const char *findingName(Finding::Kind kind);
/// One finding in words, over several lines.
std::string describe(const Finding &finding);

struct Options {
  /// 0: everything asynchronous happens at once, warps in turn. Else the order
  /// and all times that the ISA leaves open are drawn by it.
  uint64_t seed = 0;
  /// Look for races, uninitialised reads and what else findings name; memory
  /// out of bounds and deadlocks are found always.
  bool sanitize = true;
  unsigned threads = 0; ///< of the host; 0: as many as it has processors
  /// Findings of different instructions after which the launch stops.
  size_t maxFindings = 16;
  /// Instructions of one cluster's warps after which a launch counts as one
  /// without end.
  uint64_t maxInstructions = uint64_t(1) << 31;
};

struct MemoryRange {
  uint64_t address = 0, bytes = 0;
  bool writable = true;
  bool early = false; ///< may be read before the grid in front has ended
  /// For each byte whether it was ever written; may be null: all were.
  uint8_t *initialized = nullptr;
  std::string name;
};

struct LaunchConfig {
  uint64_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t cluster = 1; ///< blocks along x
  uint32_t sharedBytes = 0;
  uint32_t computeUnits = 1;
  bool dependent = false; ///< the grid before may still run
  std::vector<uint8_t> parameters;
  std::vector<MemoryRange> memory;
};

/// Of lines that synchronise, whether they ever were of use.
struct Uses {
  using Lines = std::map<uint32_t, bool>;
  Lines copies; ///< waits for cp.async: a copy was pending
  // With the sanitiser:
  Lines
      phases; ///< waits for an mbarrier: they told what was not known of others
  Lines arrivals; ///< on an mbarrier: somebody waited for the phase

  void join(const Uses &o) {
    for (auto kind : {&Uses::copies, &Uses::phases, &Uses::arrivals})
      for (auto [line, used] : o.*kind)
        (this->*kind)[line] |= used;
  }
};

struct Report {
  std::vector<Finding> findings;
  uint64_t instructions = 0; ///< of warps
  /// How many clusters each thread of the host ran.
  std::vector<uint64_t> clustersOfThread;
  uint64_t bankConflicts = 0, sharedAccesses = 0;
  uint64_t globalSectors = 0, globalAccesses = 0, idealSectors = 0;
  Uses uses;
};

/// Runs a grid to its end. InvalidInput: the configuration does not fit the
/// kernel. Findings are no failure of this function.
Status launch(const std::shared_ptr<const Code> &code,
              const LaunchConfig &config, const Options &options,
              Report &report);

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_EMULATOR_H
