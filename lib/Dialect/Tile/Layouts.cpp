// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layouts: where the elements of a tile live.

#include "helios/Dialect/Tile/IR/Assembly.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

#define GET_ATTRDEF_CLASSES
#include "helios/Dialect/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "helios/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

using Shape = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Common arithmetic
//===----------------------------------------------------------------------===//

/// The index along every dimension of a row-major grid (last dimension fastest)
/// of a linear number.
static SmallVector<AffineExpr> delinearize(AffineExpr linear,
                                           ArrayRef<int64_t> grid) {
  SmallVector<AffineExpr> index(grid.size());
  int64_t stride = 1;
  for (int64_t d = grid.size() - 1; d >= 0; --d) {
    AffineExpr e = linear.floorDiv(stride);
    index[d] = grid[d] == 1 ? getAffineConstantExpr(0, linear.getContext())
                            : (d == 0 ? e : e % grid[d]);
    stride *= grid[d];
  }
  return index;
}

/// Reduces a coordinate modulo the extent where the layout covers more than the
/// tile.
static AffineExpr wrap(AffineExpr e, int64_t block, int64_t extent) {
  return block > extent ? e % extent : e;
}

/// Offsets of all repetitions of a block over a tile, last dimension fastest,
/// each with the offsets inside the block.
static SmallVector<Shape> repeat(ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> block,
                                 ArrayRef<Shape> inner) {
  SmallVector<Shape> result;
  Shape origin(shape.size(), 0);
  while (true) {
    for (const Shape &in : inner) {
      Shape at(origin);
      for (size_t d = 0; d < at.size(); ++d)
        at[d] += in[d];
      result.push_back(at);
    }
    int64_t d = shape.size() - 1;
    for (; d >= 0; --d) {
      origin[d] += block[d];
      if (origin[d] < shape[d])
        break;
      origin[d] = 0;
    }
    if (d < 0)
      return result;
  }
}

static LogicalResult checkCover(function_ref<InFlightDiagnostic()> emitError,
                                Attribute layout, ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> block,
                                ArrayRef<int64_t> unit) {
  if (shape.size() != block.size())
    return emitError() << "layout " << layout << " expected a tile of rank "
                       << block.size() << ", got rank " << shape.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    bool fits = shape[d] > 0 && shape[d] % unit[d] == 0 &&
                (shape[d] % block[d] == 0 || block[d] % shape[d] == 0);
    if (!fits)
      return emitError() << "layout " << layout << " expected dimension " << d
                         << " to be a multiple of " << block[d]
                         << " (or a divisor of it that " << unit[d]
                         << " divides), got " << shape[d];
  }
  return success();
}

static LogicalResult checkPositive(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, ArrayRef<int64_t> values,
                                   size_t rank) {
  if (values.size() != rank)
    return emitError() << "expected " << rank << " values in '" << name
                       << "', got " << values.size();
  for (int64_t v : values)
    if (v < 1)
      return emitError() << "expected positive values in '" << name << "', got "
                         << v;
  return success();
}

/// Coordinates of the first element of a lane.
static Shape evaluate(AffineMap base, int64_t group, int64_t lane) {
  Builder b(base.getContext());
  SmallVector<Attribute> out;
  if (failed(base.constantFold({b.getIndexAttr(group), b.getIndexAttr(lane)},
                               out)))
    llvm::report_fatal_error("a layout's base divides by zero");
  return llvm::map_to_vector(
      out, [](Attribute value) { return cast<IntegerAttr>(value).getInt(); });
}

Shape LayoutAttrInterface::getCoordinates(ArrayRef<int64_t> shape,
                                          int64_t group, int64_t lane,
                                          int64_t reg) {
  Shape at = evaluate(getBaseMap(shape), group, lane);
  Shape offsets = getRegisterOffsets(shape)[reg];
  for (auto [coordinate, offset] : llvm::zip(at, offsets))
    coordinate += offset;
  return at;
}

bool LayoutAttrInterface::isSamePlace(ArrayRef<int64_t> shape,
                                      Attribute otherAttr) {
  if (Attribute(*this) == otherAttr)
    return true;
  auto other = dyn_cast_or_null<LayoutAttrInterface>(otherAttr);
  if (!other || isMemory() || other.isMemory() || !hasCoordinates() ||
      !other.hasCoordinates() || getPartialKind() != other.getPartialKind() ||
      getGroupCount() != other.getGroupCount() ||
      getLaneCount() != other.getLaneCount() ||
      getRegisterOffsets(shape) != other.getRegisterOffsets(shape))
    return false;
  AffineMap base = getBaseMap(shape), otherBase = other.getBaseMap(shape);
  if (base == otherBase)
    return true;
  for (int64_t g = 0, ge = getGroupCount(); g < ge; ++g)
    for (int64_t l = 0, le = getLaneCount(); l < le; ++l)
      if (evaluate(base, g, l) != evaluate(otherBase, g, l))
        return false;
  return true;
}

bool LayoutAttrInterface::canBecome(ArrayRef<int64_t> shape,
                                    Attribute otherAttr) {
  if (isSamePlace(shape, otherAttr))
    return true;
  auto from = dyn_cast<OpaqueMatrixAttr>(Attribute(*this)),
       to = dyn_cast_or_null<OpaqueMatrixAttr>(otherAttr);
  // One group along n, so that it has the whole rows of either side.
  return from && to && Attribute(from.getMma()) == Attribute(to.getMma()) &&
         from.getGroups() == to.getGroups() && from.getGroups().size() == 2 &&
         from.getGroups()[1] == 1 &&
         from.getMma().canHandOn(from.getSide(), to.getSide()) &&
         from.getRegisterShape(2) == to.getRegisterShape(2);
}

bool LayoutAttrInterface::canReduceOpaque() {
  LayoutAttrInterface layout = *this;
  if (auto slice = dyn_cast<SliceAttr>(Attribute(layout)))
    layout = slice.getParent();
  auto opaque = dyn_cast<OpaqueMatrixAttr>(Attribute(layout));
  return opaque && opaque.getSide() == Side::Acc && opaque.getMma().canReduce();
}

//===----------------------------------------------------------------------===//
// #tile.regs
//===----------------------------------------------------------------------===//

LogicalResult RegsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> vec, ArrayRef<int64_t> lanes,
                               ArrayRef<int64_t> groups,
                               ArrayRef<int64_t> interleave) {
  if (failed(checkPositive(emitError, "vec", vec, vec.size())) ||
      failed(checkPositive(emitError, "lanes", lanes, vec.size())) ||
      failed(checkPositive(emitError, "groups", groups, vec.size())))
    return failure();
  if (interleave.empty())
    return success();
  if (failed(checkPositive(emitError, "interleave", interleave, vec.size())))
    return failure();
  for (auto [factor, count] : llvm::zip(interleave, lanes))
    if (count % factor)
      return emitError() << "expected factors in 'interleave' that divide the "
                            "lanes of their dimension, got "
                         << factor << " for " << count << " lanes";
  return success();
}

Shape RegsAttr::getGroupGrid() const { return Shape(getGroups()); }

int64_t RegsAttr::getLaneCount() const {
  int64_t n = 1;
  for (int64_t l : getLanes())
    n *= l;
  return n;
}

Shape RegsAttr::getBlockShape() const {
  Shape block;
  for (auto [v, l, g] : llvm::zip(getVec(), getLanes(), getGroups()))
    block.push_back(v * l * g);
  return block;
}

AffineMap RegsAttr::getBaseMap(ArrayRef<int64_t> shape) const {
  MLIRContext *ctx = getContext();
  auto groups = delinearize(getAffineDimExpr(0, ctx), getGroups());
  auto lanes = delinearize(getAffineDimExpr(1, ctx), getLanes());
  for (auto [d, factor] : llvm::enumerate(getInterleave()))
    if (factor > 1)
      lanes[d] = (lanes[d] % factor) * (getLanes()[d] / factor) +
                 lanes[d].floorDiv(factor);
  Shape block = getBlockShape();
  SmallVector<AffineExpr> base;
  for (size_t d = 0; d < shape.size(); ++d)
    base.push_back(
        wrap(groups[d] * (getVec()[d] * getLanes()[d]) + lanes[d] * getVec()[d],
             block[d], shape[d]));
  return AffineMap::get(2, 0, base, ctx);
}

SmallVector<Shape> RegsAttr::getRegisterOffsets(ArrayRef<int64_t> shape) const {
  Shape ones(getVec().size(), 1);
  SmallVector<Shape> inner =
      repeat(getVec(), ones, {Shape(getVec().size(), 0)});
  return repeat(shape, getBlockShape(), inner);
}

LogicalResult RegsAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape, Type) const {
  return checkCover(emitError, *this, shape, getBlockShape(), getVec());
}

Attribute RegsAttr::getTransposed() const {
  auto reversed = [](ArrayRef<int64_t> v) {
    return Shape(v.rbegin(), v.rend());
  };
  // Lanes and groups number the last dimension fastest, so only grids with one
  // non-trivial dimension can be exchanged.
  auto trivial = [](ArrayRef<int64_t> v) {
    return llvm::count_if(v, [](int64_t x) { return x != 1; }) <= 1;
  };
  if (getVec().size() != 2 || !trivial(getLanes()) || !trivial(getGroups()))
    return {};
  return RegsAttr::get(getContext(), reversed(getVec()), reversed(getLanes()),
                       reversed(getGroups()), reversed(getInterleave()));
}

//===----------------------------------------------------------------------===//
// Fragments of a matrix instruction
//===----------------------------------------------------------------------===//

/// Extents that all groups cover once.
static Shape fragmentBlock(MmaAttrInterface mma, Side side,
                           ArrayRef<int64_t> groups) {
  Shape block = mma.getFragmentShape(side);
  int64_t slices = getSliceCount(groups);
  block[0] *= side == Side::B ? slices : groups[0];
  block[1] *= side == Side::A ? slices : groups[1];
  return block;
}

static AffineMap fragmentBase(MmaAttrInterface mma, Side side,
                              ArrayRef<int64_t> groups,
                              ArrayRef<int64_t> shape) {
  MLIRContext *ctx = mma.getContext();
  Shape frag = mma.getFragmentShape(side),
        block = fragmentBlock(mma, side, groups);
  AffineExpr zero = getAffineConstantExpr(0, ctx), row = zero, col = zero;
  if (AffineMap lane = mma.getFragmentBase(side)) {
    row = lane.getResult(0).shiftDims(1, 1);
    col = lane.getResult(1).shiftDims(1, 1);
  }
  // Slices are numbered slowest.
  Shape grid(groups.take_front(2));
  bool sliced = getSliceCount(groups) > 1;
  if (sliced)
    grid.insert(grid.begin(), getSliceCount(groups));
  auto group = delinearize(getAffineDimExpr(0, ctx), grid);
  AffineExpr slice = sliced ? group.front() : zero;
  row = row + (side == Side::B ? slice : group[sliced]) * frag[0];
  col = col + (side == Side::A ? slice : group[sliced + 1]) * frag[1];
  return AffineMap::get(
      2, 0, {wrap(row, block[0], shape[0]), wrap(col, block[1], shape[1])},
      ctx);
}

static LogicalResult
verifyFragment(function_ref<InFlightDiagnostic()> emitError, Attribute layout,
               MmaAttrInterface mma, Side side, ArrayRef<int64_t> groups,
               ArrayRef<int64_t> shape) {
  return checkCover(emitError, layout, shape, fragmentBlock(mma, side, groups),
                    mma.getFragmentShape(side));
}

/// The grid of groups; with `sliced`, also over the contracted index.
static LogicalResult verifyGroups(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> groups,
                                  bool sliced = false) {
  return checkPositive(emitError, "groups", groups,
                       sliced && groups.size() == 3 ? 3 : 2);
}

LogicalResult AccAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              MmaAttrInterface mma, ArrayRef<int64_t> groups,
                              Partial partial) {
  if (!mma.getFragmentBase(Side::Acc))
    return emitError()
           << "expected an instruction whose accumulator has coordinates, got "
           << mma << "; use #tile.opaque";
  if (failed(verifyGroups(emitError, groups, /*sliced=*/true)))
    return failure();
  if (partial != Partial::None &&
      (partial != Partial::Add || getSliceCount(groups) == 1))
    return emitError() << "expected partial = add of several slices, or no "
                          "partial, got partial = "
                       << stringifyPartial(partial) << " of "
                       << getSliceCount(groups);
  return success();
}
Shape AccAttr::getGroupGrid() const { return Shape(getGroups()); }
Partial AccAttr::getPartialKind() const { return getPartial(); }
int64_t AccAttr::getLaneCount() const { return getMma().getLaneCount(); }
Shape AccAttr::getBlockShape() const {
  return fragmentBlock(getMma(), Side::Acc, getGroups());
}
AffineMap AccAttr::getBaseMap(ArrayRef<int64_t> shape) const {
  return fragmentBase(getMma(), Side::Acc, getGroups(), shape);
}
SmallVector<Shape> AccAttr::getRegisterOffsets(ArrayRef<int64_t> shape) const {
  return repeat(shape, getBlockShape(),
                getMma().getFragmentRegisters(Side::Acc));
}
LogicalResult AccAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type) const {
  // Sums of slices lie below each other where they are added up.
  if (int64_t rows = getBlockShape()[0];
      getPartial() != Partial::None && shape[0] != rows)
    return emitError() << "layout " << *this << " expected a tile of " << rows
                       << " rows, one fragment of every group, got "
                       << shape[0];
  return verifyFragment(emitError, *this, getMma(), Side::Acc, getGroups(),
                        shape);
}

static LogicalResult verifyKPerm(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> kperm) {
  llvm::SmallSet<int64_t, 16> seen;
  for (int64_t k : kperm)
    if (k < 0 || k >= int64_t(kperm.size()) || !seen.insert(k).second)
      return emitError() << "expected 'kperm' to be a permutation of 0.."
                         << kperm.size() - 1 << ", got " << k << " in it";
  return success();
}

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Side side, MmaAttrInterface mma,
                                  ArrayRef<int64_t> groups,
                                  ArrayRef<int64_t> kperm) {
  if (side == Side::Acc)
    return emitError() << "expected side a or b, got acc; use #tile.acc";
  if (!mma.getFragmentBase(side))
    return emitError()
           << "expected an instruction whose operand has coordinates, got "
           << mma << "; use #tile.opaque";
  return success(succeeded(verifyGroups(emitError, groups, /*sliced=*/true)) &&
                 succeeded(verifyKPerm(emitError, kperm)));
}
Shape OperandAttr::getGroupGrid() const { return Shape(getGroups()); }
int64_t OperandAttr::getLaneCount() const { return getMma().getLaneCount(); }
Shape OperandAttr::getBlockShape() const {
  return fragmentBlock(getMma(), getSide(), getGroups());
}
AffineMap OperandAttr::getBaseMap(ArrayRef<int64_t> shape) const {
  return fragmentBase(getMma(), getSide(), getGroups(), shape);
}
SmallVector<Shape>
OperandAttr::getRegisterOffsets(ArrayRef<int64_t> shape) const {
  return repeat(shape, getBlockShape(),
                getMma().getFragmentRegisters(getSide()));
}
LogicalResult
OperandAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<int64_t> shape, Type) const {
  return verifyFragment(emitError, *this, getMma(), getSide(), getGroups(),
                        shape);
}

LogicalResult
OpaqueMatrixAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         Side side, MmaAttrInterface mma,
                         ArrayRef<int64_t> groups) {
  if (!bitEnumContainsAny(mma.getPlaces(side), Place::Opaque))
    return emitError() << "expected an instruction with opaque operands, got "
                       << mma;
  return verifyGroups(emitError, groups);
}
bool OpaqueMatrixAttr::hasCoordinates() const { return false; }
Shape OpaqueMatrixAttr::getGroupGrid() const { return Shape(getGroups()); }
int64_t OpaqueMatrixAttr::getLaneCount() const {
  return getMma().getLaneCount();
}
Shape OpaqueMatrixAttr::getRegisterShape(unsigned) const {
  return getMma().getFragmentShape(getSide());
}
Shape OpaqueMatrixAttr::getBlockShape() const {
  return fragmentBlock(getMma(), getSide(), getGroups());
}
AffineMap OpaqueMatrixAttr::getBaseMap(ArrayRef<int64_t> shape) const {
  return fragmentBase(getMma(), getSide(), getGroups(), shape);
}
SmallVector<Shape>
OpaqueMatrixAttr::getRegisterOffsets(ArrayRef<int64_t> shape) const {
  return repeat(shape, getBlockShape(), {Shape(2, 0)});
}
LogicalResult
OpaqueMatrixAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                             ArrayRef<int64_t> shape, Type) const {
  return verifyFragment(emitError, *this, getMma(), getSide(), getGroups(),
                        shape);
}

//===----------------------------------------------------------------------===//
// #tile.slice
//===----------------------------------------------------------------------===//

/// The shape of a tile in the parent's layout whose slice has the given shape:
/// one repetition along the missing dimension.
static Shape parentShape(SliceAttr slice, ArrayRef<int64_t> shape) {
  Shape full(shape);
  full.insert(full.begin() + slice.getDim(),
              slice.getParent().getBlockShape()[slice.getDim()]);
  return full;
}

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t dim, LayoutAttrInterface parent,
                                Partial) {
  if (parent.isMemory())
    return emitError() << "expected a layout of registers to slice, got "
                       << parent;
  int64_t rank = parent.getBlockShape().size();
  if (dim < 0 || dim >= rank)
    return emitError() << "expected the sliced dimension to be in [0, " << rank
                       << "), got " << dim;
  return success();
}
bool SliceAttr::hasCoordinates() const { return getParent().hasCoordinates(); }
Shape SliceAttr::getGroupGrid() const { return getParent().getGroupGrid(); }
int64_t SliceAttr::getLaneCount() const { return getParent().getLaneCount(); }
Partial SliceAttr::getPartialKind() const { return getPartial(); }
Shape SliceAttr::getRegisterShape(unsigned rank) const {
  Shape s = getParent().getRegisterShape(rank + 1);
  s.erase(s.begin() + getDim());
  return s;
}
Shape SliceAttr::getBlockShape() const {
  Shape s = getParent().getBlockShape();
  s.erase(s.begin() + getDim());
  return s;
}
AffineMap SliceAttr::getBaseMap(ArrayRef<int64_t> shape) const {
  return getParent().getBaseMap(parentShape(*this, shape)).dropResult(getDim());
}
SmallVector<Shape>
SliceAttr::getRegisterOffsets(ArrayRef<int64_t> shape) const {
  SmallVector<Shape> result;
  for (Shape at : getParent().getRegisterOffsets(parentShape(*this, shape))) {
    at.erase(at.begin() + getDim());
    if (!llvm::is_contained(result, at))
      result.push_back(at);
  }
  return result;
}
LogicalResult
SliceAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> shape, Type type) const {
  if (shape.size() + 1 != getParent().getBlockShape().size())
    return emitError() << "layout " << *this << " expected a tile of rank "
                       << getParent().getBlockShape().size() - 1
                       << ", got rank " << shape.size();
  return getParent().verifyTile(emitError, parentShape(*this, shape), type);
}

//===----------------------------------------------------------------------===//
// #tile.shared
//===----------------------------------------------------------------------===//

LogicalResult SharedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> order, int64_t pad,
                                 int64_t swizzle, ArrayRef<int64_t> kperm) {
  llvm::SmallSet<int64_t, 4> seen;
  for (int64_t d : order)
    if (d < 0 || d >= int64_t(order.size()) || !seen.insert(d).second)
      return emitError() << "expected 'order' to be a permutation of 0.."
                         << order.size() - 1 << ", got " << d << " in it";
  if (pad < 0)
    return emitError() << "expected 'pad' to be at least 0 elements, got "
                       << pad;
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError()
           << "expected 'swizzle' to be 0, 32, 64 or 128 bytes, got "
           << swizzle;
  if (pad && swizzle)
    return emitError() << "expected either 'pad' or 'swizzle', got both ("
                       << pad << ", " << swizzle << ")";
  return verifyKPerm(emitError, kperm);
}
/// What a swizzle permutes.
static constexpr int64_t kSwizzledBytes = 16;

bool SharedAttr::isMemory() const { return true; }
Shape SharedAttr::getGroupGrid() const { return {}; }
int64_t SharedAttr::getLaneCount() const { return 0; }
Shape SharedAttr::getBlockShape() const { return {}; }
AffineMap SharedAttr::getBaseMap(ArrayRef<int64_t> shape) const {
  return AffineMap::get(2, 0, getContext());
}
SmallVector<Shape> SharedAttr::getRegisterOffsets(ArrayRef<int64_t>) const {
  return {};
}
Shape SharedAttr::getStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (auto [i, d] : llvm::enumerate(getOrder())) {
    strides[d] = stride;
    stride *= shape[d];
    if (i == 0)
      stride += getPad();
  }
  return strides;
}
int64_t SharedAttr::getBytes(ArrayRef<int64_t> shape, Type elementType) const {
  int64_t bytes = llvm::divideCeil(
      elementType.isIndex() ? 32 : getStoredBits(elementType), 8);
  bytes *= shape[getOrder().front()] + getPad();
  if (getSwizzle())
    bytes = llvm::alignTo(bytes, getSwizzle());
  for (int64_t d : getOrder().drop_front())
    bytes *= shape[d];
  return llvm::alignTo(bytes, 16);
}
Attribute SharedAttr::getTransposed() const {
  int64_t rank = getOrder().size();
  if (rank != 2)
    return {};
  return SharedAttr::get(getContext(), {1 - getOrder()[0], 1 - getOrder()[1]},
                         getPad(), getSwizzle(), getKperm());
}
LogicalResult
SharedAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<int64_t> shape, Type type) const {
  if (shape.size() != getOrder().size())
    return emitError() << "layout " << *this << " expected a tile of rank "
                       << getOrder().size() << ", got rank " << shape.size();
  if (getSwizzle()) {
    int64_t rowBytes =
        shape[getOrder()[0]] * llvm::divideCeil(getStoredBits(type), 8);
    if (rowBytes < getSwizzle() || rowBytes % kSwizzledBytes)
      return emitError() << "layout " << *this << " expected rows of at least "
                         << getSwizzle() << " bytes, a multiple of "
                         << kSwizzledBytes << ", got " << rowBytes;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Textual syntax of attributes with optional parameters
//===----------------------------------------------------------------------===//

Attribute SharedAttr::parse(AsmParser &parser, Type) {
  Shape order, kperm;
  int64_t pad = 0, swizzle = 0;
  if (parser.parseLess() || parser.parseKeyword("order") ||
      parser.parseEqual() || parseList(parser, order) ||
      parseKeyedValues(parser,
                       [&](StringRef key) -> std::optional<ParseResult> {
                         if (key == "pad")
                           return parser.parseInteger(pad);
                         if (key == "swizzle")
                           return parser.parseInteger(swizzle);
                         if (key == "kperm")
                           return parseList(parser, kperm);
                         return std::nullopt;
                       }))
    return {};
  return parser.getChecked<SharedAttr>(parser.getContext(), order, pad, swizzle,
                                       kperm);
}

void SharedAttr::print(AsmPrinter &p) const {
  p << "<order = ";
  printList(p, getOrder());
  if (getPad())
    p << ", pad = " << getPad();
  if (getSwizzle())
    p << ", swizzle = " << getSwizzle();
  if (!getKperm().empty()) {
    p << ", kperm = ";
    printList(p, getKperm());
  }
  p << '>';
}

/// Parses the keyword of an enum.
template <typename EnumT>
static ParseResult parseEnum(AsmParser &parser, EnumT &value,
                             std::optional<EnumT> (*symbolize)(StringRef)) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<EnumT> parsed = symbolize(keyword);
  if (!parsed)
    return parser.emitError(loc, "unknown value '") << keyword << "'";
  value = *parsed;
  return success();
}

Attribute ItemsAttr::parse(AsmParser &parser, Type) {
  Distribution distribution = Distribution::Grid;
  Shape raster, cluster;
  int64_t longestFirst = -1;
  if (parser.parseLess() ||
      parseEnum(parser, distribution, symbolizeDistribution) ||
      parseKeyedValues(parser,
                       [&](StringRef key) -> std::optional<ParseResult> {
                         if (key == "raster")
                           return parseList(parser, raster);
                         if (key == "longest_first")
                           return parser.parseInteger(longestFirst);
                         if (key == "cluster")
                           return parseList(parser, cluster);
                         return std::nullopt;
                       }))
    return {};
  return parser.getChecked<ItemsAttr>(parser.getContext(), distribution, raster,
                                      longestFirst, cluster);
}

void ItemsAttr::print(AsmPrinter &p) const {
  p << '<' << stringifyDistribution(getDistribution());
  if (!getRaster().empty()) {
    p << ", raster = ";
    printList(p, getRaster());
  }
  if (getLongestFirst() >= 0)
    p << ", longest_first = " << getLongestFirst();
  if (!getCluster().empty()) {
    p << ", cluster = ";
    printList(p, getCluster());
  }
  p << '>';
}

Attribute ConfigAttr::parse(AsmParser &parser, Type) {
  Shape groups, mma, cluster;
  Strategy strategy = Strategy::Staged;
  int64_t depth = 1, pad = -1, epilogueRows = 0, unroll = 0, turns = 1,
          ahead = 0;
  if (parser.parseLess() || parser.parseKeyword("groups") ||
      parser.parseEqual() || parseList(parser, groups) ||
      parseKeyedValues(
          parser, [&](StringRef key) -> std::optional<ParseResult> {
            if (key == "mma")
              return parseList(parser, mma);
            if (key == "strategy")
              return parseEnum(parser, strategy, symbolizeStrategy);
            if (key == "depth")
              return parser.parseInteger(depth);
            if (key == "pad")
              return parser.parseInteger(pad);
            if (key == "epilogue_rows")
              return parser.parseInteger(epilogueRows);
            if (key == "unroll")
              return parser.parseInteger(unroll);
            if (key == "cluster")
              return parseList(parser, cluster);
            if (key == "turns")
              return parser.parseInteger(turns);
            if (key == "ahead")
              return parser.parseInteger(ahead);
            return std::nullopt;
          }))
    return {};
  return parser.getChecked<ConfigAttr>(parser.getContext(), groups, mma,
                                       strategy, depth, pad, epilogueRows,
                                       unroll, cluster, turns, ahead);
}

void ConfigAttr::print(AsmPrinter &p) const {
  p << "<groups = ";
  printList(p, getGroups());
  if (!getMma().empty()) {
    p << ", mma = ";
    printList(p, getMma());
  }
  if (getStrategy() != Strategy::Staged)
    p << ", strategy = " << stringifyStrategy(getStrategy());
  if (getDepth() != 1)
    p << ", depth = " << getDepth();
  if (getPad() >= 0)
    p << ", pad = " << getPad();
  if (getEpilogueRows())
    p << ", epilogue_rows = " << getEpilogueRows();
  if (getUnroll())
    p << ", unroll = " << getUnroll();
  if (!getCluster().empty()) {
    p << ", cluster = ";
    printList(p, getCluster());
  }
  if (getTurns() != 1)
    p << ", turns = " << getTurns();
  if (getAhead())
    p << ", ahead = " << getAhead();
  p << '>';
}

//===----------------------------------------------------------------------===//
// Scheduling attributes
//===----------------------------------------------------------------------===//

LogicalResult ItemsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                Distribution, ArrayRef<int64_t> raster,
                                int64_t longestFirst,
                                ArrayRef<int64_t> cluster) {
  if (!raster.empty() && (raster.size() != 2 || raster[0] < 0 || raster[1] < 1))
    return emitError()
           << "expected 'raster' to be [dimension, positive size], got "
           << raster.size() << " values";
  if (longestFirst < -1)
    return emitError() << "expected 'longest_first' to be a dimension, got "
                       << longestFirst;
  if (!cluster.empty())
    return checkPositive(emitError, "cluster", cluster, cluster.size());
  return success();
}

LogicalResult SchedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t stage, int64_t order) {
  if (stage < 0 || order < 0)
    return emitError() << "expected stage and order to be at least 0, got "
                       << stage << " and " << order;
  return success();
}

LogicalResult ConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> groups,
                                 ArrayRef<int64_t> mma, Strategy strategy,
                                 int64_t depth, int64_t pad,
                                 int64_t epilogueRows, int64_t unroll,
                                 ArrayRef<int64_t> cluster, int64_t turns,
                                 int64_t ahead) {
  if (failed(verifyGroups(emitError, groups, /*sliced=*/true)) ||
      (!mma.empty() && failed(checkPositive(emitError, "mma", mma, 3))) ||
      (!cluster.empty() && failed(checkPositive(emitError, "cluster", cluster,
                                                cluster.size() == 3 ? 3 : 2))))
    return failure();
  if (depth < 1 || pad < -1 || epilogueRows < 0 || unroll < 0 || ahead < 0)
    return emitError() << "expected depth >= 1, pad >= -1, epilogue_rows >= 0, "
                          "unroll >= 0 and ahead >= 0, got "
                       << depth << ", " << pad << ", " << epilogueRows << ", "
                       << unroll << " and " << ahead;
  if (getSliceCount(groups) > 1 && strategy != Strategy::Groups)
    return emitError() << "expected strategy = groups with slices of the "
                          "contracted index, got "
                       << stringifyStrategy(strategy) << " with "
                       << getSliceCount(groups);
  if (turns < 1 || (turns > 1 && (strategy != Strategy::Roles ||
                                  llvm::product_of(groups) != 1)))
    return emitError() << "expected turns >= 1, and more than one only with "
                          "strategy = roles and groups = [1, 1], got "
                       << turns
                       << " with strategy = " << stringifyStrategy(strategy)
                       << " and " << llvm::product_of(groups) << " groups";
  return success();
}

int64_t ConfigAttr::getClusterSize() const {
  return llvm::product_of(getCluster());
}
