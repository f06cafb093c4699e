// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-roles, second step: groups become replicas.

#include "Roles.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// The layout of one group's part.
Attribute withoutGroups(Attribute layout) {
  MLIRContext *ctx = layout.getContext();
  auto ones = [](ArrayRef<int64_t> groups) {
    return SmallVector<int64_t>(groups.size(), 1);
  };
  return llvm::TypeSwitch<Attribute, Attribute>(layout)
      .Case([&](AccAttr a) {
        return AccAttr::get(ctx, a.getMma(), ones(a.getGroups()));
      })
      .Case([&](OperandAttr a) {
        return OperandAttr::get(ctx, a.getSide(), a.getMma(),
                                ones(a.getGroups()), a.getKperm());
      })
      .Case([&](OpaqueMatrixAttr a) {
        return OpaqueMatrixAttr::get(ctx, a.getSide(), a.getMma(),
                                     ones(a.getGroups()));
      })
      .Case([&](RegsAttr a) {
        return RegsAttr::get(ctx, a.getVec(), a.getLanes(), ones(a.getGroups()),
                             a.getInterleave());
      })
      .Case([&](SliceAttr a) {
        return SliceAttr::get(
            ctx, a.getDim(),
            cast<LayoutAttrInterface>(withoutGroups(a.getParent())),
            a.getPartial());
      })
      .Default([](Attribute a) { return a; });
}

/// How the groups divide a tile in registers.
struct Division {
  int64_t dim = -1;   ///< the dimension that they divide, or -1
  int64_t extent = 0; ///< one group's part of it
};

class ReplicaSplit {
public:
  ReplicaSplit(RoleOp role, Value replica, int64_t replicas)
      : role(role), replica(replica), replicas(replicas) {}

  LogicalResult run() {
    WalkResult walk = role.getBody().walk([&](Operation *op) -> WalkResult {
      for (Value result : op->getResults())
        if (failed(divide(op, result)))
          return WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (BlockArgument arg : region.getArguments())
          if (failed(divide(op, arg)))
            return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    SmallVector<Operation *> ops;
    role.getBody().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(rewrite(op)))
        return failure();
    for (Operation *op : unused)
      op->erase();
    for (auto [value, division] : divisions)
      value.setType(partType(value));
    return success();
  }

private:
  static bool isTileInRegisters(Value v) {
    LayoutAttrInterface layout = getLayout(v.getType());
    return layout && !layout.isMemory();
  }

  LogicalResult divide(Operation *op, Value v) {
    if (!isTileInRegisters(v))
      return success();
    auto type = cast<RankedTensorType>(v.getType());
    LayoutAttrInterface layout = getLayout(type);
    if (layout.getGroupCount() != replicas)
      return op->emitOpError("expected tiles over ")
             << replicas << " groups, one a replica, got " << layout;
    Division division;
    SmallVector<int64_t> first =
        layout.getCoordinates(type.getShape(), 0, 0, 0);
    for (int64_t g = 1; g < replicas; ++g)
      for (auto [d, at] :
           llvm::enumerate(layout.getCoordinates(type.getShape(), g, 0, 0)))
        if (at != first[d]) {
          if (division.dim >= 0 && division.dim != int64_t(d))
            return op->emitOpError("expected groups along one dimension for "
                                   "replicas, got ")
                   << layout;
          division.dim = d;
        }
    if (division.dim >= 0) {
      int64_t whole = type.getDimSize(division.dim);
      if (whole % layout.getBlockShape()[division.dim])
        return op->emitOpError("expected ")
               << replicas << " equal parts of dimension " << division.dim
               << ", got " << type;
      division.extent = whole / replicas;
    }
    divisions[v] = division;
    return success();
  }

  RankedTensorType partType(Value v) {
    auto type = cast<RankedTensorType>(v.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (Division division = divisions.lookup(v); division.dim >= 0)
      shape[division.dim] = division.extent;
    return RankedTensorType::get(shape, type.getElementType(),
                                 withoutGroups(type.getEncoding()));
  }

  /// Where this replica's part begins.
  Value begin(const Division &division) {
    Value &offset = offsets[division.extent];
    if (!offset) {
      OpBuilder b = OpBuilder::atBlockBegin(&role.getBody().front());
      Value extent =
          arith::ConstantIndexOp::create(b, role.getLoc(), division.extent);
      offset = arith::MulIOp::create(b, role.getLoc(), replica, extent);
    }
    return offset;
  }

  Value shifted(Operation *op, Value offset, const Division &division) {
    OpBuilder b(op);
    Value by = begin(division);
    return offset ? arith::AddIOp::create(b, op->getLoc(), offset, by) : by;
  }

  /// Offsets into a view move to this replica's part of the tile.
  void shiftAccess(Operation *op, Value tile, MutableOperandRange offsets) {
    Division division = divisions.lookup(tile);
    if (division.dim < 0)
      return;
    int64_t lead = int64_t(offsets.size()) -
                   cast<RankedTensorType>(tile.getType()).getRank();
    OpOperand &offset = offsets[lead + division.dim];
    offset.set(shifted(op, offset.get(), division));
  }

  /// This replica's part of a tile in shared memory. What is transposed is cut
  /// before, where its bytes lie.
  Value partOfMemory(OpBuilder &b, Value tile, int64_t dim,
                     const Division &division) {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape()), at(type.getRank(), 0);
    shape[dim] = division.extent;
    at[dim] = ShapedType::kDynamic;
    auto part =
        RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
    if (auto transpose = tile.getDefiningOp<TransposeOp>())
      return TransposeOp::create(
          b, tile.getLoc(), part,
          partOfMemory(b, transpose.getTile(), 1 - dim, division));
    return SliceOp::create(b, tile.getLoc(), part, tile, begin(division), at);
  }

  void sliceMemory(OpOperand &operand, int64_t dim, const Division &division) {
    OpBuilder b(operand.getOwner());
    Value whole = operand.get();
    operand.set(partOfMemory(b, whole, dim, division));
    if (Operation *op = whole.getDefiningOp(); op && isOpTriviallyDead(op))
      unused.push_back(op);
  }

  LogicalResult rewriteDot(DotOp dot) {
    Division acc = divisions.lookup(dot.getResult());
    if (acc.dim < 0)
      return success();
    // Rows of A give rows of the result, columns of B its columns.
    OpOperand &operand = acc.dim == 0 ? dot.getAMutable() : dot.getBMutable();
    if (!isTileInRegisters(operand.get()))
      sliceMemory(operand, acc.dim, acc);
    else if (divisions.lookup(operand.get()).dim != acc.dim)
      return dot.emitOpError("expected the operand to be divided over the "
                             "groups as its result is, got ")
             << operand.get().getType();
    return success();
  }

  LogicalResult rewriteConvert(ConvertLayoutOp convert) {
    bool from = isTileInRegisters(convert.getTile()),
         to = isTileInRegisters(convert.getResult());
    if (!to)
      return convert.emitOpError(
          "exchanges tiles of several groups through shared memory, which "
          "replicas do not share; choose a layout that needs no exchange");
    Division division = divisions.lookup(convert.getResult());
    if (!from && division.dim >= 0)
      sliceMemory(convert.getTileMutable(), division.dim, division);
    if (from && divisions.lookup(convert.getTile()).dim != division.dim)
      return convert.emitOpError("moves elements between groups, which "
                                 "replicas do not do; got ")
             << convert.getTile().getType() << " to " << convert.getType();
    return success();
  }

  LogicalResult rewrite(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      shiftAccess(op, load.getResult(), load.getOffsetsMutable());
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      shiftAccess(op, store.getTile(), store.getOffsetsMutable());
    } else if (auto reduce = dyn_cast<AtomicReduceOp>(op)) {
      shiftAccess(op, reduce.getTile(), reduce.getOffsetsMutable());
    } else if (auto iota = dyn_cast<IotaOp>(op)) {
      Division division = divisions.lookup(iota.getResult());
      if (division.dim >= 0 && division.dim == int64_t(iota.getDim()))
        iota.getBaseMutable().assign(shifted(op, iota.getBase(), division));
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (isTileInRegisters(constant)) {
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (!splat)
          return op->emitOpError("expected a splat in a role, got a constant "
                                 "with several values");
        constant.setValueAttr(splat.resizeSplat(partType(constant)));
      }
    } else if (auto slice = dyn_cast<SliceOp>(op)) {
      Division from = divisions.lookup(slice.getTile());
      if (isTileInRegisters(slice.getTile()) && from.dim >= 0 &&
          slice.getType().getDimSize(from.dim) !=
              slice.getTile().getType().getDimSize(from.dim))
        return op->emitOpError("cuts dimension ")
               << from.dim
               << ", which the replicas divide; cut it after the split";
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Division from = divisions.lookup(reduce.getTile());
      if (from.dim >= 0 && from.dim == int64_t(reduce.getDim()))
        return op->emitOpError("reduces over dimension ")
               << from.dim << ", which the replicas divide";
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      return rewriteDot(dot);
    } else if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
      return rewriteConvert(convert);
    } else if (isa<PutOp>(op) && isTileInRegisters(op->getOperand(0))) {
      return op->emitOpError("puts a tile of several groups into one slot; "
                             "make the ring after the split");
    }
    return success();
  }

  RoleOp role;
  Value replica;
  int64_t replicas;
  llvm::MapVector<Value, Division> divisions;
  DenseMap<int64_t, Value> offsets;
  SmallVector<Operation *> unused; ///< whole tiles that only parts replace
};

} // namespace

LogicalResult helios::splitReplicas(RoleOp role, Value replica,
                                    int64_t replicas) {
  return ReplicaSplit(role, replica, replicas).run();
}
