// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// convert-frag-to-spirv: every frag.kernel to a spirv.module.

#include "KernelLowering.h"
#include "helios/Targets/SPIRV/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace helios::spv {
#define GEN_PASS_DEF_CONVERTFRAGTOSPIRV
#include "helios/Targets/SPIRV/Passes.h.inc"
} // namespace helios::spv

using namespace mlir;
using namespace helios;

namespace {
struct ConvertFragToSPIRV
    : spv::impl::ConvertFragToSPIRVBase<ConvertFragToSPIRV> {
  void runOnOperation() override {
    for (frag::KernelOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<frag::KernelOp>()))
      if (failed(convert(kernel)))
        return signalPassFailure();
  }

  LogicalResult convert(frag::KernelOp kernel) {
    spv::KernelLowering lowering(kernel);
    LogicalResult result = lowering.run();
    if (succeeded(result))
      result = spv::optimizeLaneProgram(lowering.getFunction());
    if (succeeded(result))
      result = spv::convertScalarOps(lowering.getFunction());
    if (succeeded(result))
      result = spv::convertControlFlow(lowering.getFunction());
    if (succeeded(result))
      result = lowering.finish();
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
