// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-set-target: the target row of what has none.

#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "helios/Pipelines.h"
#include "helios/Targets/PTX/Ptx.h"
#include "helios/Targets/PTX/Rows.h"
#include "helios/Targets/SPIRV/Rows.h"
#include "helios/Targets/SPIRV/Spv.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_HELIOSSETTARGET
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;

Attribute helios::findTarget(MLIRContext *context, StringRef row) {
  if (spv::findRow(row))
    return spv::TargetAttr::get(context, row);
  if (ptx::findRow(row))
    return ptx::TargetAttr::get(context, row);
  return {};
}

SmallVector<StringRef> helios::getTargetRows() {
  SmallVector<StringRef> names;
  for (const spv::Row &row : spv::getRows())
    names.push_back(row.name);
  for (const ptx::Row &row : ptx::getRows())
    names.push_back(row.name);
  return names;
}

namespace {

class HeliosSetTarget
    : public helios::impl::HeliosSetTargetBase<HeliosSetTarget> {
public:
  using HeliosSetTargetBase::HeliosSetTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Attribute target = findTarget(&getContext(), device);
    if (!target) {
      InFlightDiagnostic diag = module.emitError("unknown target row '")
                                << device << "'; expected one of";
      for (StringRef row : getTargetRows())
        diag << " '" << row << "'";
      return signalPassFailure();
    }
    for (Operation &op : module.getOps()) {
      if (!isa<KernelOp, tile::ProgramOp, frag::KernelOp>(op))
        continue;
      Attribute present = op.getAttr("target");
      if (present && present != target) {
        op.emitOpError("is written for ")
            << present << ", so it cannot be compiled for " << target
            << "; take its 'target' away or ask for its own row";
        return signalPassFailure();
      }
      op.setAttr("target", target);
    }
  }
};

} // namespace
