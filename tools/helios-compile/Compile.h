// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One source compiled for one target row.

#ifndef HELIOS_TOOLS_COMPILE_COMPILE_H
#define HELIOS_TOOLS_COMPILE_COMPILE_H

#include "Options.h"
#include "Report.h"
#include "helios/Bundle/Bundle.h"
#include "llvm/Support/MemoryBuffer.h"

namespace helios::compile {

/// What one row's compilation gave.
struct RowResult {
  enum class Verdict {
    Done,
    Superfluous, ///< Nobody named the row, and another gives the same code.
    Unsupported, ///< The row cannot do a kernel, or not with this schedule.
    BadInput,    ///< The input is wrong for every row.
    Internal,    ///< A pass failed that ought not to: a defect of the compiler.
  } verdict = Verdict::Done;
  std::string reason;      ///< The first error's message, where there is one.
  std::string diagnostics; ///< As MLIR prints them.
  std::string reproducerPath; ///< Of the reproducer that was written, if any.
  std::string text;           ///< For the kinds of output that are text.
  bundle::Bundle bundle;      ///< One implementation a kernel; modules without
                              ///< kernels where there is no plan.
  RowReport report;
};

/// Compiles `source` for one row as far as the options ask, its programs by so
/// many threads. Thread-safe: everything happens in a context of its own.
RowResult compileRow(llvm::MemoryBufferRef source, const Options &options,
                     const std::string &row, unsigned threads);

/// What every row shares: the kernels' meanings and texts, from a description
/// of level 1.
struct Description {
  bool ok = false;
  std::string diagnostics;
  struct Kernel {
    std::string name, source;
    std::optional<bundle::Semantics> semantics;
  };
  std::vector<Kernel> kernels;
};

/// Parses and verifies the source and exports what its kernels compute.
Description describe(llvm::MemoryBufferRef source);

} // namespace helios::compile

#endif // HELIOS_TOOLS_COMPILE_COMPILE_H
