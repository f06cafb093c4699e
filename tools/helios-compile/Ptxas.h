// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What NVIDIA's assembler makes of PTX, where it is installed. Nothing needs
// it: the driver assembles PTX when a bundle is loaded.

#ifndef HELIOS_TOOLS_COMPILE_PTXAS_H
#define HELIOS_TOOLS_COMPILE_PTXAS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace helios::compile {

/// Resources of one kernel's machine code.
struct MachineFacts {
  int64_t registers = 0;  ///< Of one thread.
  int64_t spillBytes = 0; ///< Stored and loaded again, of one thread.
};

/// The assembler: on PATH, or where CUDA is installed; empty if there is none.
std::string findPtxas();

/// The facts of every entry of `ptx` by its name. Without an assembler, or if
/// it refuses the code, empty; then `problem` says why.
llvm::StringMap<MachineFacts> assemble(llvm::StringRef ptx,
                                       llvm::StringRef architecture,
                                       std::string &problem);

} // namespace helios::compile

#endif // HELIOS_TOOLS_COMPILE_PTXAS_H
