// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-ring-sums: the workgroups of a cluster add up their tiles through a ring
// whose slots all of them read.

#include "RingCursors.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace helios {
#define GEN_PASS_DEF_TILERINGSUMS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// How a tile lies in a slot: as the engine would lay it, which spreads what
/// lanes write and read over the banks.
RankedTensorType slabOf(RankedTensorType type, CopyAttrInterface engine) {
  Attribute layout =
      engine ? engine.getSharedLayout(type.getShape(), type.getElementType(),
                                      type.getRank() - 1, /*mayFill=*/false)
             : Attribute();
  if (!layout)
    layout = SharedAttr::get(
        type.getContext(),
        llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(type.getRank()))), 0,
        0, ArrayRef<int64_t>());
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

/// A workgroup's tile into a slot, and its part of every one's out of it.
RingCursors::Pair replace(IRRewriter &b, ReduceScatterOp op, Value ring,
                          RankedTensorType slab, RingCursors::Pair cursors) {
  Location loc = op.getLoc();
  MLIRContext *context = b.getContext();
  Type cursor = cursors.write.getType();
  b.setInsertionPoint(op);
  auto enter = [&](Access access, Value at, ArrayRef<Type> payload) {
    return EnterOp::create(b, loc, SlotType::get(context, access), cursor,
                           payload, access, ring, at);
  };
  EnterOp own = enter(Access::Write, cursors.write, {});
  PutOp::create(b, loc, op.getTile(), own.getSlot(), 0);
  ExitOp::create(b, loc, own.getSlot(), ValueRange());
  EnterOp all =
      enter(Access::Read, cursors.read, SmallVector<Type>(op.getParts(), slab));
  RankedTensorType type = op.getType();
  auto part = RankedTensorType::get(type.getShape(), type.getElementType(),
                                    slab.getEncoding());
  SmallVector<int64_t> origin(type.getRank(), 0);
  origin[0] = ShapedType::kDynamic;
  Value at = arith::MulIOp::create(
      b, loc, op.getPart(),
      arith::ConstantIndexOp::create(b, loc, type.getDimSize(0)));
  SmallVector<Value> parts;
  for (Value tile : all.getPayload())
    parts.push_back(ConvertLayoutOp::create(
        b, loc, type, SliceOp::create(b, loc, part, tile, at, origin)));
  ExitOp::create(b, loc, all.getSlot(), parts);
  auto kind = isa<FloatType>(type.getElementType())
                  ? arith::AtomicRMWKind::addf
                  : arith::AtomicRMWKind::addi;
  Value sum = parts.front();
  for (Value more : llvm::drop_begin(parts))
    sum = arith::getReductionOp(kind, b, loc, sum, more);
  b.replaceOp(op, sum);
  return {own.getNext(), all.getNext()};
}

struct RingSums : helios::impl::TileRingSumsBase<RingSums> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    SmallVector<ReduceScatterOp> ops;
    program.walk([&](ReduceScatterOp op) { ops.push_back(op); });
    for (ReduceScatterOp op : ops)
      if (failed(check(program, op)))
        return signalPassFailure();
    SmallVector<RoleOp> roles;
    program.walk([&](RoleOp role) { roles.push_back(role); });
    for (RoleOp role : roles)
      addRings(program, role);
  }

private:
  static LogicalResult check(ProgramOp program, ReduceScatterOp op) {
    int64_t size =
        program.getTuning() ? program.getTuning().getClusterSize() : 1;
    if (op.getParts() != size)
      return op.emitOpError("expected as many parts as the program's cluster "
                            "has workgroups, ")
             << size << ", got " << op.getParts();
    auto role = op->getParentOfType<RoleOp>();
    if (!role || role.getReplicas().value_or(1) != 1)
      return op.emitOpError("is not lowered: expected a role with one replica "
                            "around it, got ")
             << (role ? "one with several" : "none");
    return success();
  }

  /// One ring for each type of tile.
  static void addRings(ProgramOp program, RoleOp role) {
    SmallVector<Type> types;
    role.walk([&](ReduceScatterOp op) {
      if (!llvm::is_contained(types, op.getTile().getType()))
        types.push_back(op.getTile().getType());
    });
    if (types.empty())
      return;
    TargetAttrInterface target = program.getTargetRow();
    CopyAttrInterface engine = target ? target.getCopy(stringifyStrategy(
                                            program.getTuning().getStrategy()))
                                      : CopyAttrInterface();
    for (Type type : types) {
      RankedTensorType slab = slabOf(cast<RankedTensorType>(type), engine);
      MLIRContext *context = role.getContext();
      IRRewriter rewriter(context);
      rewriter.setInsertionPointToStart(&role.getBody().front());
      auto ring = RingOp::create(
          rewriter, role.getLoc(),
          RingType::get(context, /*depth=*/1, {slab}, RingKind::Pass,
                        /*copy=*/Attribute(), /*readers=*/1, RingScope::Cluster,
                        program.getTuning().getClusterSize(),
                        /*multicast=*/false),
          CursorType::get(context));
      RingCursors(
          [&](Operation *op) {
            auto sum = dyn_cast<ReduceScatterOp>(op);
            return sum && sum.getTile().getType() == type;
          },
          [&](IRRewriter &b, Operation *op, RingCursors::Pair cursors) {
            return replace(b, cast<ReduceScatterOp>(op), ring.getRing(), slab,
                           cursors);
          })
          .thread(rewriter, role.getBody().front(),
                  {ring.getCursor(), ring.getCursor()});
    }
  }
};

} // namespace
