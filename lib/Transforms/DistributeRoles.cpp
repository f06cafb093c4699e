// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-distribute: roles become ranges of lanes.

#include "Distribute.h"
#include "helios/Dialect/Tile/Utils/Select.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

int64_t helios::tile::lanesOfTiles(Operation *root) {
  int64_t lanes = 0;
  root->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (LayoutAttrInterface layout = getLayout(type);
          layout && !layout.isMemory()) {
        lanes = layout.getGroupCount() * layout.getLaneCount();
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return lanes;
}

/// Lanes of one replica of a role: those of its tiles, and whole groups of the
/// program's products, in which registers are budgeted.
FailureOr<int64_t> Distributor::lanesPerReplica(RoleOp role) {
  FailureOr<int64_t> group = getLanesPerGroup(program);
  if (failed(group))
    return failure();
  int64_t lanes =
      std::max(lanesOfTiles(role), int64_t(role.getLanes().value_or(1)));
  return llvm::alignTo(lanes, *group);
}

LogicalResult Distributor::lowerRoles(RolesOp roles) {
  for (auto [capture, arg] :
       llvm::zip(roles.getCaptures(), roles.getBody().getArguments()))
    values.map(arg, get(capture));
  int64_t first = 0;
  for (RoleOp role : roles.getBody().front().getOps<RoleOp>()) {
    int64_t per = *lanesPerReplica(role);
    int64_t last = first + per * role.getReplicas().value_or(1);
    auto lowered = frag::RoleOp::create(
        b, role.getLoc(), b.getI64IntegerAttr(first), b.getI64IntegerAttr(last),
        role.getReplicas() ? b.getI64IntegerAttr(per) : IntegerAttr(),
        role.getRegsAttr());
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&lowered.getBody());
    for (BlockArgument arg : role.getBody().getArguments())
      values.map(arg, body->addArgument(arg.getType(), arg.getLoc()));
    pending.clear();
    Block &from = role.getBody().front();
    if (failed(lowerBlock(from)))
      return failure();
    landLeft(from, from.getTerminator());
    frag::YieldOp::create(b, role.getLoc());
    first = last;
  }
  return success();
}
