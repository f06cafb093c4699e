// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: the prologue of a product, in its items or in a part of its
// own. Each tile of columns reads all of the left operand: where there are
// several, it is cheaper to make it once.

#include "HeliosToTileProgram.h"
#include "HeliosToTileRegion.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

FailureOr<SmallVector<Value>>
totile::emitPrologue(OpBuilder &builder, const Product &product, Value stored,
                     unsigned number, bool kIsRows,
                     function_ref<Value(unsigned)> load,
                     function_ref<FailureOr<Value>(Value)> scalar, Value end) {
  auto op = cast<MatmulOp>(product.op);
  Location loc = op.getLoc();
  bool isLhs = number == 0;
  RegionEmitter emitter(builder,
                        cast<RankedTensorType>(stored.getType()).getShape());
  Block &block = op.getPrologueOf(isLhs).front();
  int64_t other = isLhs ? product.m() : product.n();
  int64_t rowAxis = kIsRows ? product.k() : other,
          columnAxis = kIsRows ? other : product.k();
  unsigned first = product.firstCapturedOf(number);
  emitter.map(block.getArgument(0), {stored, true, true});
  for (auto [i, argument] :
       llvm::enumerate(block.getArguments().drop_front())) {
    if (argument.use_empty())
      continue;
    ArrayRef<int64_t> axes = product.accesses[first + i].axes;
    bool rows = llvm::is_contained(axes, rowAxis),
         columns = llvm::is_contained(axes, columnAxis);
    // What does not vary in a tile is read as equal elements along M or N.
    if (!rows && !columns)
      (kIsRows ? columns : rows) = true;
    emitter.map(argument, {load(first + i), rows, columns});
  }
  FailureOr<SmallVector<Varying>> made = emitter.emit(block, scalar);
  if (failed(made))
    return failure();
  SmallVector<Value> tiles;
  for (Varying part : *made)
    tiles.push_back(emitter.broadcast(loc, part, true, true));
  if (!end)
    return tiles;
  // What lies behind the end of K was loaded as zero, of which the region may
  // have made anything. Elements that lie in one fill whole groups, so that
  // their tiles end together.
  auto type = cast<RankedTensorType>(tiles.front().getType());
  Value zero =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  // Groups make up all of K: before or behind a tile of a whole one it ends.
  bool isWhole = !isLhs && op.getGroupSize() > 1 &&
                 product.tile[product.k()] % op.getGroupSize() == 0;
  Value places =
      isWhole ? arith::ConstantIndexOp::create(builder, loc, 0).getResult()
              : tile::IotaOp::create(
                    builder, loc,
                    RankedTensorType::get({type.getDimSize(kIsRows ? 0 : 1)},
                                          builder.getIndexType()),
                    builder.getI64IntegerAttr(0), Value());
  Varying ends = {end, false, false};
  if (!isWhole)
    ends = {emitter.broadcast(loc, ends, kIsRows, !kIsRows), kIsRows, !kIsRows};
  ends.value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     places, ends.value);
  Value isTaken = emitter.broadcast(loc, ends, true, true);
  for (Value &tile : tiles)
    tile = arith::SelectOp::create(builder, loc, isTaken, tile, zero);
  return tiles;
}

/// What the prologue makes of the left operand, laid out as that one is. It
/// goes by the name of the element that the prologue takes, since products may
/// share an operand.
static Access madeOf(const Product &product) {
  auto op = cast<MatmulOp>(product.op);
  Access made{op.getPrologueA().getArgument(0), op.getLhsElement(), {}};
  made.kept = Kept::Made;
  llvm::copy_if(product.accesses.front().axes, std::back_inserter(made.axes),
                [](int64_t axis) { return axis >= 0; });
  return made;
}

Product Product::getLeft(ArrayRef<int64_t> tileOfStored) const {
  Product result = *this;
  result.part = Part::Left;
  result.cluster = {1, 1};
  result.groups.clear();
  result.grouped = result.anyRows = result.hasRowsOfOne = false;
  result.addsParts = false;
  result.numResults = 1;
  Access made = madeOf(*this);
  result.extents.truncate(k() + 1);
  for (int64_t axis = 0; axis < k(); ++axis)
    if (!llvm::is_contained(made.axes, axis))
      result.extents[axis] = 1;
  result.tile.assign(k() + 1, 1);
  for (auto [axis, extent] :
       llvm::zip(ArrayRef(made.axes).take_back(2), tileOfStored))
    result.tile[axis] = extent;
  result.accesses.assign(1, accesses.front());
  llvm::append_range(
      result.accesses,
      ArrayRef(accesses).slice(firstCapturedA(),
                               cast<MatmulOp>(op).getCapturedA().size()));
  result.accesses.push_back(std::move(made));
  return result;
}

Product Product::takingMade() const {
  Product result = *this;
  result.accesses.front() = madeOf(*this);
  auto *first = result.accesses.begin() + firstCapturedA();
  result.accesses.erase(first,
                        first + cast<MatmulOp>(op).getCapturedA().size());
  result.takesMade = true;
  return result;
}

namespace {

class LeftEmitter : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  LogicalResult emitItem() override {
    // Rows are filled up with zeros.
    int64_t k = product.k();
    Value end;
    if (variant == Variant::Any && product.accesses.back().axes.back() == k)
      end = arith::SubIOp::create(builder, loc, extents[k], offsets[k]);
    FailureOr<SmallVector<Value>> made = totile::emitPrologue(
        builder, product, load(0), /*number=*/0,
        /*kIsRows=*/cast<MatmulOp>(product.op).getTransposeA(),
        [&](unsigned number) { return load(number); },
        [&](Value value) { return scalar(value); }, end);
    if (failed(made))
      return failure();
    store(made->front(), product.accesses.size() - 1);
    return success();
  }
};

} // namespace

FailureOr<Program> totile::emitLeft(OpBuilder &builder, const Product &product,
                                    Variant variant, ScheduleAttr schedule,
                                    Attribute target, int64_t vectorBytes,
                                    StringRef name) {
  return LeftEmitter(builder, product, variant, vectorBytes)
      .run(schedule, target, name);
}
