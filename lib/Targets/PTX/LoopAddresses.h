// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_LIB_TARGETS_PTX_LOOPADDRESSES_H
#define HELIOS_LIB_TARGETS_PTX_LOOPADDRESSES_H

#include "llvm/IR/PassManager.h"

/// Addresses that an innermost loop computes from its counter and from the
/// cursors of rings become values that it carries.
struct LoopAddresses : llvm::PassInfoMixin<LoopAddresses> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

#endif // HELIOS_LIB_TARGETS_PTX_LOOPADDRESSES_H
