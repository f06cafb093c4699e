// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-distribute: layout changes, parts of tiles, synchronous products.

#include "Distribute.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/Select.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

static bool isOperandLayout(Attribute layout) {
  if (auto opaque = dyn_cast<OpaqueMatrixAttr>(layout))
    return opaque.getSide() != Side::Acc;
  return isa<OperandAttr>(layout);
}

bool helios::tile::isReadWithProducts(Operation *op) {
  if (!isOperandLayout(
          getLayout(cast<RankedTensorType>(op->getResult(0).getType()))))
    return false;
  Operation *last = nullptr;
  for (Operation *user : op->getUsers()) {
    if (isa<ExitOp>(user))
      continue;
    auto dot = dyn_cast<DotOp>(user);
    if (!dot || dot->getBlock() != op->getBlock() ||
        !dot.getMmaAttr().getEngine().empty())
      return false;
    if (!last || last->isBeforeInBlock(dot))
      last = dot;
  }
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return !isa<ExitOp>(user) || !last ||
           (user->getBlock() == last->getBlock() &&
            last->isBeforeInBlock(user));
  });
}

/// The scratch memory of a layout change.
FailureOr<Value> Distributor::scratchOf(ConvertLayoutOp convert) {
  auto offset = convert->getAttrOfType<IntegerAttr>("tile.offset");
  if (!offset)
    return convert.emitOpError("expected a place in shared memory; run "
                               "tile-allocate-shared first");
  auto mem = frag::SharedOp::create(b, convert.getLoc(),
                                    lowerType(getScratch(convert)), offset);
  if (auto stride = convert->getAttrOfType<IntegerAttr>("tile.replica_stride"))
    mem.setReplicaStrideAttr(stride);
  return Value(mem);
}

/// Sums of slices of K are written below each other; whoever wants an element
/// reads what every slice has of it and adds that up in the slices' order.
LogicalResult Distributor::combineSlices(ConvertLayoutOp convert) {
  Location loc = convert.getLoc();
  RankedTensorType type = convert.getType();
  int64_t slices = getSliceCount(getLayout(convert.getTile().getType()));
  SmallVector<Value> at(2, index(0, loc));
  FailureOr<Value> mem = scratchOf(convert);
  if (failed(mem))
    return failure();
  frag::WriteOp::create(b, loc, get(convert.getTile()), *mem, at, false,
                        ReduceKindAttr());
  auto full = cast<frag::FragmentType>(lowerType(type));
  Value sum;
  for (int64_t slice = 0; slice < slices; ++slice) {
    at[0] = index(slice * type.getDimSize(0), loc);
    Value read = frag::ReadOp::create(
        b, loc, full, *mem, at, b.getF64FloatAttr(0), UnitAttr(), UnitAttr());
    if (!sum) {
      sum = read;
      continue;
    }
    sum =
        buildMap(loc, {sum, read}, {full}, [&](OpBuilder &bb, ValueRange args) {
          if (isa<FloatType>(type.getElementType()))
            return SmallVector<Value>{
                arith::AddFOp::create(bb, loc, args[0], args[1])};
          return SmallVector<Value>{
              arith::AddIOp::create(bb, loc, args[0], args[1])};
        })[0];
  }
  return map(convert, sum);
}

/// A partial vector of matrices is written as they are; lanes that own rows
/// read them, combine what they have, and then what they share. Of a full one
/// all columns (or rows) are equal, and so is their maximum.
LogicalResult Distributor::combineMatrices(ConvertLayoutOp convert) {
  Location loc = convert.getLoc();
  RankedTensorType type = convert.getType(), scratch = getScratch(convert);
  auto from = cast<SliceAttr>(getLayout(convert.getTile().getType()));
  auto to = dyn_cast<SliceAttr>(Attribute(getLayout(type)));
  if (!to || to.getDim() != from.getDim() || !to.hasCoordinates() ||
      to.getPartial() != Partial::None)
    return convert.emitOpError("expected a full slice of dimension ")
           << from.getDim() << " of a layout with coordinates, got "
           << getLayout(type);
  SmallVector<Value> zeros(2, index(0, loc));
  FailureOr<Value> mem = scratchOf(convert);
  if (failed(mem))
    return failure();
  frag::WriteOp::create(b, loc, get(convert.getTile()), *mem, zeros, false,
                        ReduceKindAttr());
  auto rows = RankedTensorType::get(scratch.getShape(), type.getElementType(),
                                    to.getParent());
  Value read = frag::ReadOp::create(
      b, loc, cast<frag::FragmentType>(lowerType(rows)), *mem, zeros,
      b.getF64FloatAttr(0), UnitAttr(), UnitAttr());
  FailureOr<Value> full =
      reduceRows(convert,
                 from.getPartial() == Partial::None ? ReduceKind::Max
                                                    : kindOf(from.getPartial()),
                 read, to);
  return failed(full) ? failure() : map(convert, *full);
}

LogicalResult Distributor::lowerConvert(ConvertLayoutOp convert) {
  if (getScratch(convert))
    return getSliceCount(getLayout(convert.getTile().getType())) > 1
               ? combineSlices(convert)
               : combineMatrices(convert);
  Location loc = convert.getLoc();
  RankedTensorType type = convert.getType();
  LayoutAttrInterface from = getLayout(convert.getTile().getType()),
                      to = getLayout(type);
  SmallVector<int64_t> origin(type.getRank(), 0);
  if (to.isMemory()) {
    auto offset = convert->getAttrOfType<IntegerAttr>("tile.offset");
    if (!offset)
      return convert.emitOpError("expected a place in shared memory; run "
                                 "tile-allocate-shared first");
    Value source = get(convert.getTile());
    SmallVector<Value> zeros(type.getRank(), index(0, loc));
    auto mem = frag::SharedOp::create(b, loc, lowerType(type), offset);
    if (auto stride =
            convert->getAttrOfType<IntegerAttr>("tile.replica_stride"))
      mem.setReplicaStrideAttr(stride);
    frag::WriteOp::create(b, loc, source, mem, zeros, false, ReduceKindAttr());
    places[convert.getResult()] = Place{mem};
    return success();
  }
  if (from.isMemory()) {
    const Place &place = places.at(convert.getTile());
    if (isReadWithProducts(convert)) {
      Place same = place;
      places[convert.getResult()] = same;
      return success();
    }
    return map(convert, readPlace(place, origin, type, loc));
  }
  if (from.getPartialKind() != Partial::None &&
      Attribute(to) == withoutPartial(from)) {
    FailureOr<Value> full = combine(convert, get(convert.getTile()));
    return failed(full) ? failure() : map(convert, *full);
  }
  if (from.canBecome(type.getShape(), to))
    return map(convert, frag::PermuteOp::create(b, loc, lowerType(type),
                                                get(convert.getTile()))
                            .getResult());
  return convert.emitOpError("expected a conversion through shared memory; "
                             "run tile-assign-layouts first");
}

LogicalResult Distributor::lowerTranspose(TransposeOp transpose) {
  auto it = places.find(transpose.getTile());
  if (it == places.end())
    return transpose.emitOpError("expected a tile in shared memory");
  Place place = it->second;
  place.transposed = !place.transposed;
  places[transpose.getResult()] = place;
  return success();
}

LogicalResult Distributor::lowerSlice(SliceOp slice) {
  Location loc = slice.getLoc();
  RankedTensorType type = cast<RankedTensorType>(slice.getType());
  auto it = places.find(slice.getTile());
  if (it == places.end())
    return map(slice, frag::SliceOp::create(
                          b, loc, cast<frag::FragmentType>(lowerType(type)),
                          get(slice.getTile()), slice.getStaticOffsetsAttr())
                          .getResult());
  Place place = it->second;
  if (!place.slot)
    return slice.emitOpError("of shared memory outside of a ring is not "
                             "lowered; slice before the layout change");
  if (place.transposed)
    return slice.emitOpError("of a transposed tile in a ring is not lowered; "
                             "slice before the transpose");
  SmallVector<Value> offsets;
  unsigned dynamic = 0;
  for (int64_t offset : slice.getStaticOffsets())
    offsets.push_back(ShapedType::isDynamic(offset)
                          ? get(slice.getOffsets()[dynamic++])
                          : index(offset, loc));
  for (auto [offset, base] : llvm::zip(offsets, place.offsets))
    offset = arith::AddIOp::create(b, loc, base, offset);
  place.offsets = offsets;
  place.mem =
      slotMem(loc, place.slot, place.index, type, offsets, place.workgroup);
  places[slice.getResult()] = place;
  return success();
}

Value Distributor::readPlace(const Place &place, ArrayRef<int64_t> offsets,
                             RankedTensorType type, Location loc) {
  SmallVector<Value> at;
  for (int64_t offset : offsets)
    at.push_back(index(offset, loc));
  Value mem = place.mem;
  bool trans = place.transposed;
  UnitAttr inBounds;
  if (isa<ViewType>(mem.getType())) {
    for (auto [offset, base] : llvm::zip(at, place.offsets))
      offset = b.createOrFold<arith::AddIOp>(loc, base, offset);
    inBounds = b.getUnitAttr();
  }
  if (trans && !place.slot) {
    // The same bytes, seen as the transposed tile.
    auto shared = mem.getDefiningOp<frag::SharedOp>();
    auto memType = cast<frag::MemType>(mem.getType());
    SmallVector<int64_t> shape(llvm::reverse(memType.getShape()));
    auto turned = frag::SharedOp::create(
        b, loc,
        frag::MemType::get(
            b.getContext(), shape, memType.getElementType(),
            cast<LayoutAttrInterface>(memType.getLayout().getTransposed())),
        shared.getOffsetAttr());
    turned.setReplicaStrideAttr(shared.getReplicaStrideAttr());
    mem = turned;
    trans = false;
  }
  if (trans)
    std::reverse(at.begin(), at.end());
  LayoutAttrInterface layout = getLayout(type);
  auto read = frag::ReadOp::create(
      b, loc, cast<frag::FragmentType>(lowerType(type)), mem, at,
      b.getF64FloatAttr(0), inBounds, trans ? b.getUnitAttr() : UnitAttr());
  // Matrices with equal rows or columns.
  read.setBroadcast(isa<SliceAttr>(Attribute(layout)) &&
                    !layout.hasCoordinates());
  return read;
}

/// Step `k` of a product's operand: read from shared memory, or cut from the
/// fragment.
Value Distributor::operandStep(Value original, Side side, int64_t k,
                               int64_t step, Location loc) {
  auto type = cast<RankedTensorType>(original.getType());
  SmallVector<int64_t> shape(type.getShape()), at(2, 0);
  int64_t dim = side == Side::A ? 1 : 0;
  shape[dim] = step;
  at[dim] = k;
  auto part =
      RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
  if (auto it = places.find(original); it != places.end())
    return readPlace(it->second, at, part, loc);
  return frag::SliceOp::create(b, loc,
                               cast<frag::FragmentType>(lowerType(part)),
                               get(original), b.getDenseI64ArrayAttr(at));
}

LogicalResult Distributor::lowerDot(DotOp dot) {
  MmaAttrInterface mma = dot.getMmaAttr();
  if (!mma.getEngine().empty())
    return startDot(dot);
  Location loc = dot.getLoc();
  // Slices of K go side by side.
  int64_t k = dot.getA().getType().getDimSize(1),
          step = mma.getMmaShape()[2] * getSliceCount(getLayout(dot.getType()));
  Value acc = get(dot.getAcc());
  for (int64_t at = 0; at < k; at += step) {
    Value a = operandStep(dot.getA(), Side::A, at, step, loc),
          bb = operandStep(dot.getB(), Side::B, at, step, loc);
    acc = frag::MmaOp::create(b, loc, acc.getType(), mma, a, bb, acc);
  }
  return map(dot, acc);
}
