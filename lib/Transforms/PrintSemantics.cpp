// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-print-semantics: what each kernel computes, as a checker without LLVM
// sees it.

#include "helios/Bundle/Serialize.h"
#include "helios/Dialect/Helios/Export/Semantics.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_HELIOSPRINTSEMANTICS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;

namespace {

class HeliosPrintSemantics
    : public helios::impl::HeliosPrintSemanticsBase<HeliosPrintSemantics> {
public:
  using HeliosPrintSemanticsBase::HeliosPrintSemanticsBase;

  void runOnOperation() override {
    bundle::Bundle result;
    for (KernelOp op : getOperation().getOps<KernelOp>()) {
      FailureOr<bundle::Semantics> semantics = exportSemantics(op);
      if (failed(semantics))
        return signalPassFailure();
      bundle::Kernel kernel;
      kernel.name = op.getSymName().str();
      kernel.arguments = exportArguments(op);
      kernel.semantics = std::move(*semantics);
      result.kernels.push_back(std::move(kernel));
    }
    llvm::errs() << bundle::dump(result);
    markAllAnalysesPreserved();
  }
};

} // namespace
