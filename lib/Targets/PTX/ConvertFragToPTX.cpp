// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// convert-frag-to-ptx: every frag.kernel to a gpu.module.

#include "KernelLowering.h"
#include "helios/Targets/PTX/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"

namespace helios::ptx {
#define GEN_PASS_DEF_CONVERTFRAGTOPTX
#include "helios/Targets/PTX/Passes.h.inc"
} // namespace helios::ptx

using namespace mlir;
using namespace helios;

namespace {
struct ConvertFragToPTX : ptx::impl::ConvertFragToPTXBase<ConvertFragToPTX> {
  void runOnOperation() override {
    for (frag::KernelOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<frag::KernelOp>()))
      if (failed(convert(kernel)))
        return signalPassFailure();
  }

  LogicalResult convert(frag::KernelOp kernel) {
    ptx::KernelLowering lowering(kernel);
    LogicalResult result = lowering.run();
    if (succeeded(result))
      result = ptx::finishLaneProgram(lowering.getModule());
    // Half a module would fail the verifier and hide the error.
    if (failed(result)) {
      if (lowering.getModule())
        lowering.getModule().erase();
      return failure();
    }
    kernel.erase();
    return success();
  }
};
} // namespace
