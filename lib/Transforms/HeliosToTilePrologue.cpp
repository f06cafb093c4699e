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

/// What the prologue makes of an operand, by number, laid out as that one is.
/// Products may share an operand, so it does not go by that one's name: the
/// left one goes by that of the element that the prologue takes, a right one by
/// that of the sum of what it is multiplied by.
static Access madeOf(const Product &product, unsigned number) {
  auto op = cast<MatmulOp>(product.op);
  bool isLeft = number == 0;
  Access made{isLeft ? op.getPrologueA().getArgument(0)
                     : op.getEpilogue().getArgument(number - 1),
              isLeft ? op.getLhsElement() : op.getRhsElement(),
              {}};
  made.kept = Kept::Made;
  // Each element is one there, however many lie in one.
  for (int64_t axis : product.accesses[number].axes)
    if (axis >= 0)
      made.axes.push_back(product.isDivided(axis) ? product.k() : axis);
  return made;
}

/// Makes a product the part that makes an operand, with no more groups than so
/// many; tiles are still to be set.
static void makeOperand(Product &result, Part part, Access made,
                        unsigned numGroups) {
  result.part = part;
  result.cluster = {1, 1};
  result.groups.truncate(numGroups);
  result.grouped = result.anyRows = result.hasRowsOfOne = false;
  result.addsParts = false;
  result.numResults = 1;
  result.extents.truncate(result.k() + 1 + numGroups);
  for (int64_t axis = 0; axis < result.k(); ++axis)
    if (!llvm::is_contained(made.axes, axis))
      result.extents[axis] = 1;
  result.tile.assign(result.k() + 1 + numGroups, 1);
  result.accesses.push_back(std::move(made));
}

/// An operand and what the prologue reads beside it.
static SmallVector<Access> readFor(const Product &product, unsigned number,
                                   size_t captured) {
  SmallVector<Access> accesses{product.accesses[number]};
  llvm::append_range(accesses,
                     ArrayRef(product.accesses)
                         .slice(product.firstCapturedOf(number), captured));
  return accesses;
}

Product Product::getLeft(ArrayRef<int64_t> tileOfStored) const {
  Product result = *this;
  result.accesses = readFor(*this, 0, cast<MatmulOp>(op).getCapturedA().size());
  Access made = madeOf(*this, 0);
  SmallVector<int64_t> axes(ArrayRef(made.axes).take_back(2));
  makeOperand(result, Part::Left, std::move(made), /*numGroups=*/0);
  for (auto [axis, extent] : llvm::zip(axes, tileOfStored))
    result.tile[axis] = extent;
  return result;
}

/// Neighbouring elements of a row that lanes make together, at most.
static constexpr int64_t kMostColumnsOfRight = 128;

Product Product::getRight(unsigned number, int64_t lanes) const {
  auto product = cast<MatmulOp>(op);
  int64_t group = product.getGroupSize(), parts = product.getParts();
  Product result = *this;
  result.accesses =
      readFor(*this, number, product.getCapturedOf(number).size());
  makeOperand(result, Part::Right, madeOf(*this, number),
              (parts > 1) + (group > 1));
  // A tile lies within a group, of which elements that lie in one have equal
  // shares.
  const Access &stored = result.accesses.front();
  int64_t elements =
      kMadeUnitBytes * 8 / tile::getStoredBits(stored.elementType) * lanes;
  bool alongRow = isAlongK(stored.axes.back());
  auto within = [&](int64_t extent) {
    return group > 1 ? std::gcd(extent, group / parts) : extent;
  };
  int64_t columns =
              alongRow ? within(kMostColumnsOfRight) : kMostColumnsOfRight,
          rows = elements / columns;
  if (!alongRow)
    rows = within(rows);
  const int64_t extents[] = {rows, columns};
  for (auto [axis, extent] :
       llvm::zip(ArrayRef(stored.axes).take_back(2), extents)) {
    result.tile[axis] = extent;
    if (isAlongK(axis))
      result.tile[k()] = extent;
  }
  return result;
}

Product Product::takingMadeLeft() const {
  Product result = *this;
  result.accesses.front() = madeOf(*this, 0);
  auto *first = result.accesses.begin() + firstCapturedA();
  result.accesses.erase(first,
                        first + cast<MatmulOp>(op).getCapturedA().size());
  result.takesMadeLeft = true;
  return result;
}

Product Product::takingMadeRight() const {
  Product result = *this;
  for (unsigned number = 1; number < firstCaptured(); ++number)
    result.accesses[number] = madeOf(*this, number);
  auto *first = result.accesses.begin() + firstCaptured();
  result.accesses.erase(first, first + cast<MatmulOp>(op).getCaptured().size());
  result.takesMadeRight = true;
  return result;
}

namespace {

class MadeEmitter : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  LogicalResult emitItem() override {
    auto op = cast<MatmulOp>(product.op);
    bool isLeft = product.part == Part::Left;
    int64_t k = product.k();
    // Rows of the left one are filled up with zeros.
    Value end;
    if (isLeft && variant == Variant::Any &&
        product.accesses.back().axes.back() == k)
      end = arith::SubIOp::create(builder, loc, extents[k], offsets[k]);
    Value share = isLeft ? Value() : enterGroup();
    FailureOr<SmallVector<Value>> made = totile::emitPrologue(
        builder, product, load(0), /*number=*/!isLeft,
        /*kIsRows=*/isLeft ? op.getTransposeA() : !op.getTransposeB(),
        [&](unsigned number) { return load(number); },
        [&](Value value) { return scalar(value); }, end);
    if (failed(made))
      return failure();
    for (Value tile : *made) {
      store(tile, product.accesses.size() - 1);
      if (share)
        offsets[k] = arith::AddIOp::create(builder, loc, offsets[k], share);
    }
    return success();
  }

  /// Sets the offsets along K, of the first of the elements that lie in one,
  /// and along groups. Returns how far those elements lie apart.
  Value enterGroup() {
    auto op = cast<MatmulOp>(product.op);
    int64_t k = product.k(), group = op.getGroupSize(), parts = op.getParts(),
            share = group / parts;
    Value apart = constant(share);
    for (auto [i, groups] : llvm::enumerate(product.groups)) {
      int64_t axis = k + 1 + i;
      if (groups.isTiled) {
        Value inGroup =
            arith::RemUIOp::create(builder, loc, offsets[axis], apart);
        Value before =
            arith::DivUIOp::create(builder, loc, offsets[axis], apart);
        offsets[k] = arith::AddIOp::create(
            builder, loc,
            arith::MulIOp::create(builder, loc, before, constant(group)),
            inGroup);
      } else {
        offsets[axis] =
            arith::DivUIOp::create(builder, loc, offsets[k], constant(group));
      }
    }
    return parts > 1 ? apart : Value();
  }
};

} // namespace

FailureOr<Program> totile::emitMade(OpBuilder &builder, const Product &product,
                                    Variant variant, ScheduleAttr schedule,
                                    Attribute target, int64_t vectorBytes,
                                    StringRef name) {
  return MadeEmitter(builder, product, variant, vectorBytes)
      .run(schedule, target, name);
}
