// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// convert-frag-to-ptx: every frag.kernel to a gpu.module.

#include "KernelLowering.h"
#include "helios/Targets/PTX/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Threading.h"

namespace helios::ptx {
#define GEN_PASS_DEF_CONVERTFRAGTOPTX
#include "helios/Targets/PTX/Passes.h.inc"
} // namespace helios::ptx

using namespace mlir;
using namespace helios;

/// Whether a kernel has products. One that only copies has branches for each
/// operand that are alike but for values, and are merged: LLVM does not, and
/// makes 1.7 times the code. Of kernels with products merging changes nothing,
/// and takes a fortieth of the compilation (docs/benchmarks/2026-11-30).
static bool multiplies(frag::KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<frag::MmaOp, frag::MmaStartOp>(op) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct ConvertFragToPTX : ptx::impl::ConvertFragToPTXBase<ConvertFragToPTX> {
  /// Kernels share nothing, so that they are converted at the same time, each
  /// to a module that stands nowhere yet.
  void runOnOperation() override {
    auto kernels = llvm::to_vector(getOperation().getOps<frag::KernelOp>());
    SmallVector<OwningOpRef<gpu::GPUModuleOp>> modules(kernels.size());
    ParallelDiagnosticHandler diagnostics(&getContext());
    auto convert = [&](size_t i) {
      diagnostics.setOrderIDForThread(i);
      ptx::KernelLowering lowering(kernels[i]);
      LogicalResult result = lowering.run();
      modules[i] = lowering.getModule();
      if (succeeded(result))
        result = ptx::finishLaneProgram(*modules[i], !multiplies(kernels[i]));
      diagnostics.eraseOrderIDForThread();
      return result;
    };
    if (failed(failableParallelForEachN(&getContext(), 0, kernels.size(),
                                        convert)))
      return signalPassFailure();
    for (auto [kernel, module] : llvm::zip_equal(kernels, modules)) {
      OpBuilder(kernel).insert(module.release());
      kernel.erase();
    }
  }
};
} // namespace
