// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-assign-layouts: what stays in matrices without coordinates.

#include "MatrixWork.h"
#include "helios/Dialect/Tile/Utils/Select.h"

using namespace mlir;
using namespace helios::tile;

/// Types in which matrices are computed element by element.
static bool isComputedIn(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isF32();
}

/// Whether an op may be computed on matrices, by the types of what it takes and
/// gives. Not a cast to bf16: it stays there only on its way to a product that
/// takes it from there (LayoutAssignment::isHandedOn).
static bool isComputable(Operation *op) {
  if (!isElementwise(op) || !isComputedIn(op->getResult(0).getType()) ||
      cast<RankedTensorType>(op->getResult(0).getType()).getRank() != 2)
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    bool condition =
        isa<arith::SelectOp>(op) && operand.getOperandNumber() == 0;
    return condition || isComputedIn(operand.get().getType());
  });
}

bool MatrixWork::contains(Operation *op) {
  return isComputable(op) && reachesProduct(op->getResult(0));
}

bool MatrixWork::reachesProduct(Value value) {
  auto [known, isNew] = reaches.try_emplace(value, false);
  if (!isNew)
    return known->second;
  bool result = llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<DotOp>(user))
      return true;
    if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
        loop && isa<scf::YieldOp>(user))
      return reachesProduct(loop.getRegionIterArg(use.getOperandNumber()));
    if (auto where = dyn_cast<WhereOp>(user->getParentOp());
        where && isa<YieldOp>(user))
      return reachesProduct(where.getResult(use.getOperandNumber()));
    // To bf16 it leaves the matrices, but only there.
    return isElementwise(user) &&
           (isComputable(user) || isa<arith::TruncFOp>(user)) &&
           reachesProduct(user->getResult(0));
  });
  return reaches[value] = result;
}

void helios::tile::mergeChoices(ProgramOp program) {
  program.walk([](arith::SelectOp outer) {
    auto inner = outer.getTrueValue().getDefiningOp<arith::SelectOp>();
    Attribute a, b;
    if (!inner || !inner->hasOneUse() ||
        !isa<RankedTensorType>(outer.getType()) ||
        inner->getBlock() != outer->getBlock() ||
        inner.getCondition().getType() != outer.getCondition().getType() ||
        !matchPattern(inner.getFalseValue(), m_Constant(&a)) ||
        !matchPattern(outer.getFalseValue(), m_Constant(&b)) || a != b)
      return;
    OpBuilder builder(outer);
    Value both = arith::AndIOp::create(
        builder, outer.getLoc(), inner.getCondition(), outer.getCondition());
    outer.getConditionMutable().assign(both);
    outer.getTrueValueMutable().assign(inner.getTrueValue());
    inner.erase();
  });
}
