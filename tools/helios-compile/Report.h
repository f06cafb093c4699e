// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What --report says of a compiled kernel.

#ifndef HELIOS_TOOLS_COMPILE_REPORT_H
#define HELIOS_TOOLS_COMPILE_REPORT_H

#include "helios/Bundle/Bundle.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace helios::compile {

/// A program as level 3 shows it.
struct ProgramFacts {
  std::string name;
  int64_t threads = 0;
  int64_t sharedBytes = 0;
  int64_t declaredRegisters = 0; ///< Of one thread at launch; 0: not declared.
  int64_t registers = 0; ///< 32-bit registers of one lane for fragments, at the
                         ///< most crowded place.
  // One trip of the innermost loop with a product (all of them, where there are
  // several); zero without one.
  int64_t flops = 0;
  int64_t globalBytes = 0;
  int64_t sharedTraffic = 0; ///< Bytes read and written in shared memory.
};

/// The facts of every frag.kernel.
std::vector<ProgramFacts> collectFacts(mlir::ModuleOp module);

/// Time of one part of the compiler.
struct StageTime {
  std::string name;
  double milliseconds = 0;
};

/// Everything known of one target row's code.
struct RowReport {
  std::string row;
  std::string scheduleOrigin; ///< Who chose the schedule.
  int64_t processors = 1;     ///< Of a device that the row stands for.
  std::vector<ProgramFacts> programs;
  std::vector<StageTime> stages;
  std::vector<StageTime> passes;
};

/// The report as text; `bundle` holds the row's implementations, or nothing if
/// none was made.
std::string printReport(const RowReport &report, const bundle::Bundle &bundle);

} // namespace helios::compile

#endif // HELIOS_TOOLS_COMPILE_REPORT_H
