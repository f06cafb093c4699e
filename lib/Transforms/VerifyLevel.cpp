// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-verify-level: a module is wholly of one level, and its ops verify.

#include "helios/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSwitch.h"

namespace helios {
#define GEN_PASS_DEF_VERIFYLEVEL
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;

/// The level that a dialect belongs to; 0 for arithmetic, which stands at
/// several.
static unsigned levelOf(StringRef dialect) {
  return llvm::StringSwitch<unsigned>(dialect)
      .Cases({"helios", "tensor", "linalg"}, 1)
      .Case("tile", 2)
      .Case("frag", 3)
      .Cases({"spirv", "gpu", "llvm", "nvvm"}, 4)
      .Default(0);
}

static StringRef nameOf(unsigned level) {
  static const StringRef names[] = {"", "helios", "tile", "frag",
                                    "the target's dialect"};
  return names[level];
}

/// Whether an op that belongs to no level may stand at this one.
static bool isShared(StringRef dialect, unsigned level) {
  if (dialect == "builtin")
    return true;
  if (level == 4)
    return false;
  return llvm::is_contained({"arith", "math", "ub"}, dialect) ||
         (level > 1 && llvm::is_contained({"scf", "index"}, dialect));
}

namespace {

class VerifyLevel : public helios::impl::VerifyLevelBase<VerifyLevel> {
public:
  using VerifyLevelBase::VerifyLevelBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (level < 1 || level > 4) {
      module.emitError("expected a level from 1 to 4, got ")
          << level.getValue();
      return signalPassFailure();
    }
    WalkResult walk = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // The launch plan runs on the host and accompanies its programs down to
      // the last level.
      if (level > 1 && isa<tile::PlanOp>(op))
        return WalkResult::skip();
      return WalkResult(check(op));
    });
    // Whoever runs passes without verifying behind each of them relies on this.
    if (walk.wasInterrupted() || failed(verify(module)))
      signalPassFailure();
  }

private:
  LogicalResult check(Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    unsigned own = levelOf(dialect);
    // Fragments are read through the views of level 2.
    if (own == level || (own == 0 && isShared(dialect, level)) ||
        (level == 3 && isa<tile::ViewOp>(op)))
      return success();
    InFlightDiagnostic diag = op->emitOpError();
    if (own)
      diag << "belongs to level " << own << " (" << nameOf(own) << ")";
    else
      diag << "belongs to no level of the compiler that this one shares";
    diag << ", but the module should be wholly of level " << level.getValue()
         << " (" << nameOf(level) << ")";
    return diag;
  }
};

} // namespace
