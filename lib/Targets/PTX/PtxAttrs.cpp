// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrix instructions and copy engines of PTX, as generic passes see them.
// Fragment layouts are those of the PTX ISA's chapters on mma.m16n8k* and
// wgmma.

#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "helios/Targets/PTX/Ptx.h"
#include "helios/Targets/PTX/Rows.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using tile::Place;
using tile::Side;

#include "helios/Targets/PTX/PtxDialect.cpp.inc"

static ParseResult parseExchanged(AsmParser &parser, bool &exchanged) {
  exchanged = succeeded(parser.parseOptionalKeyword("exchanged"));
  return success();
}
static void printExchanged(AsmPrinter &p, bool exchanged) {
  if (exchanged)
    p << " exchanged";
}

#define GET_ATTRDEF_CLASSES
#include "helios/Targets/PTX/PtxAttrs.cpp.inc"

void PtxDialect::initialize() { registerAttributes(); }

void PtxDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "helios/Targets/PTX/PtxAttrs.cpp.inc"
      >();
}

using Shape = SmallVector<int64_t>;

static int64_t bytesOf(Type type) {
  return llvm::divideCeil(tile::getStoredBits(type), 8);
}

/// Elements of k whose sum may stay in an engine. Of floats of 8 bits it cuts
/// sums off 13 bits behind the point of the largest term, as results show (PTX
/// leaves it open), which costs little over 128 elements.
static int64_t sumDepthOf(Type a) {
  return isa<FloatType>(a) && bytesOf(a) == 1 ? 128 : 0;
}

/// A fragment layout or shared memory, as the instruction can read it.
static LogicalResult checkFragment(function_ref<InFlightDiagnostic()> emitError,
                                   tile::MmaAttrInterface mma, Side side,
                                   Attribute layout) {
  Attribute got;
  if (auto acc = dyn_cast_or_null<tile::AccAttr>(layout);
      acc && side == Side::Acc)
    got = acc.getMma();
  if (auto operand = dyn_cast_or_null<tile::OperandAttr>(layout);
      operand && operand.getSide() == side)
    got = operand.getMma();
  bool shared = isa_and_nonnull<tile::SharedAttr>(layout) &&
                bitEnumContainsAny(mma.getPlaces(side), Place::Shared);
  if (got == Attribute(mma) || shared)
    return success();
  return emitError() << "expected side " << tile::stringifySide(side) << " of "
                     << mma << " in "
                     << tile::stringifyPlace(mma.getPlaces(side)) << ", got "
                     << layout << "; insert a tile.convert_layout";
}

//===----------------------------------------------------------------------===//
// #ptx.wgmma
//===----------------------------------------------------------------------===//

/// The side of an instruction with exchanged operands that a side of the
/// product is.
static Side exchangedSide(Side side) {
  return side == Side::A ? Side::B : side == Side::B ? Side::A : side;
}

/// Coordinates of each the other way round.
static SmallVector<Shape> transposed(SmallVector<Shape> offsets) {
  for (Shape &at : offsets)
    std::swap(at[0], at[1]);
  return offsets;
}

LogicalResult WgmmaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t n, bool, Type a, Type b, Type acc) {
  if (n < 8 || n > 256 || n % 8)
    return emitError() << "expected n to be a multiple of 8 in [8, 256], got "
                       << n;
  if (bytesOf(a) != bytesOf(b) || bytesOf(a) > 4)
    return emitError() << "expected operands of one width up to 32 bits, got "
                       << a << " and " << b;
  if (!acc.isF32() && !acc.isF16() && !acc.isInteger(32))
    return emitError() << "expected an accumulator of f32, f16 or i32, got "
                       << acc;
  return success();
}
bool WgmmaAttr::isExchanged() const { return getExchanged(); }
Side WgmmaAttr::getSideOfInstruction(Side side) const {
  return getExchanged() ? exchangedSide(side) : side;
}
Shape WgmmaAttr::getMmaShape() const {
  int64_t k = 32 / bytesOf(getA());
  return getExchanged() ? Shape{getN(), 64, k} : Shape{64, getN(), k};
}
Type WgmmaAttr::getElementType(Side side) const {
  return side == Side::A ? getA() : side == Side::B ? getB() : getAcc();
}
Shape WgmmaAttr::getFragmentShape(Side side) const {
  Shape shape = getMmaShape();
  if (side == Side::Acc)
    return getExchanged() ? Shape{8, 64} : Shape{64, 8};
  return side == Side::A ? Shape{shape[0], shape[2]}
                         : Shape{shape[2], shape[1]};
}
int64_t WgmmaAttr::getLaneCount() const { return 128; }
Place WgmmaAttr::getPlaces(Side side) const {
  if (side == Side::Acc)
    return Place::Registers;
  return side == Side::A && !getExchanged() ? Place::Registers | Place::Shared
                                            : Place::Shared;
}
StringRef WgmmaAttr::getEngine() const { return "wgmma"; }
int64_t WgmmaAttr::getSumDepth() const { return sumDepthOf(getA()); }
AffineMap WgmmaAttr::getFragmentBase(Side side) const {
  if (!bitEnumContainsAny(getPlaces(side), Place::Registers))
    return {};
  // Each warp holds 16 rows of the instruction; a quad of lanes shares a row.
  AffineExpr lane = getAffineDimExpr(0, getContext());
  AffineExpr row = lane.floorDiv(32) * 16 + (lane % 32).floorDiv(4);
  int64_t pack = side == Side::A ? 4 / bytesOf(getA()) : 2;
  std::array<AffineExpr, 2> at{row, (lane % 4) * pack};
  if (getExchanged())
    std::swap(at[0], at[1]);
  return AffineMap::get(1, 0, at, getContext());
}
SmallVector<Shape> WgmmaAttr::getFragmentRegisters(Side side) const {
  SmallVector<Shape> regs;
  if (!bitEnumContainsAny(getPlaces(side), Place::Registers))
    return regs;
  int64_t pack = side == Side::A ? 4 / bytesOf(getA()) : 2;
  int64_t cols = side == Side::A ? getMmaShape()[2] : 8;
  for (int64_t c = 0; c < cols; c += 4 * pack)
    for (int64_t r : {0, 8})
      for (int64_t e = 0; e < pack; ++e)
        regs.push_back({r, c + e});
  return getExchanged() ? transposed(regs) : regs;
}
Attribute WgmmaAttr::getLayout(Side side, ArrayRef<int64_t> groups) const {
  if (side == Side::Acc)
    return tile::AccAttr::get(getContext(), *this, groups);
  if (side == Side::A && !getExchanged())
    return tile::OperandAttr::get(getContext(), side, *this, groups,
                                  ArrayRef<int64_t>());
  int64_t k = side == Side::A ? 1 : 0;
  return tile::SharedAttr::get(getContext(), {k, 1 - k}, 0, 128,
                               ArrayRef<int64_t>());
}
LogicalResult
WgmmaAttr::checkOperand(function_ref<InFlightDiagnostic()> emitError, Side side,
                        Attribute layout) const {
  if (failed(checkFragment(emitError, *this, side, layout)))
    return failure();
  // The accumulator of one warpgroup is contiguous along the instruction's n,
  // as its right operand in shared memory is.
  int64_t n = getExchanged() ? 0 : 1;
  if (auto acc = dyn_cast_or_null<tile::AccAttr>(layout);
      acc && acc.getGroups()[n] != 1)
    return emitError() << "expected groups along " << (n ? "m" : "n")
                       << " only, " << (n ? "[n, 1]" : "[1, n]") << ", for "
                       << *this << ", got " << layout;
  // Only 16-bit operands may be read against their k-contiguous order.
  auto shared = dyn_cast_or_null<tile::SharedAttr>(layout);
  int64_t k = side == Side::A ? 1 : 0;
  if (shared && bytesOf(getA()) != 2 && shared.getOrder()[0] != k)
    return emitError() << "expected k contiguous in shared memory for "
                       << getA() << " operands of wgmma, got " << layout;
  // Descriptors of this version know swizzled rows only.
  if (shared && !shared.getSwizzle())
    return emitError() << "expected rows of a multiple of 32 bytes in shared "
                          "memory, with a swizzle, for "
                       << *this << ", got " << layout;
  return success();
}

//===----------------------------------------------------------------------===//
// #ptx.mma_sync
//===----------------------------------------------------------------------===//

LogicalResult MmaSyncAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type a, Type b,
                                  Type) {
  if (shape.size() != 3)
    return emitError() << "expected a shape of m, n and k, got " << shape.size()
                       << " values";
  if (shape.take_front(2) != ArrayRef<int64_t>({16, 8}) &&
      shape.take_front(2) != ArrayRef<int64_t>({8, 16}))
    return emitError() << "expected m x n to be 16x8, or 8x16 of exchanged "
                          "operands, got "
                       << shape[0] << "x" << shape[1];
  if (bytesOf(a) != bytesOf(b) ||
      (shape[2] * bytesOf(a) != 32 && shape[2] * bytesOf(a) != 16))
    return emitError() << "expected k to cover 16 or 32 bytes, got "
                       << shape[2] * bytesOf(a);
  return success();
}
Shape MmaSyncAttr::getMmaShape() const { return Shape(getShape()); }
Type MmaSyncAttr::getElementType(Side side) const {
  return side == Side::A ? getA() : side == Side::B ? getB() : getAcc();
}
int64_t MmaSyncAttr::getLaneCount() const { return 32; }
int64_t MmaSyncAttr::getSumDepth() const { return sumDepthOf(getA()); }
Place MmaSyncAttr::getPlaces(Side) const { return Place::Registers; }
bool MmaSyncAttr::isExchanged() const { return getShape()[0] == 8; }

/// The side of the instruction itself that this side is.
static Side sideOfInstruction(MmaSyncAttr mma, Side side) {
  return mma.isExchanged() ? exchangedSide(side) : side;
}

AffineMap MmaSyncAttr::getFragmentBase(Side side) const {
  AffineExpr lane = getAffineDimExpr(0, getContext());
  int64_t pack = 4 / bytesOf(getA());
  AffineExpr quad = lane.floorDiv(4), in = lane % 4;
  Side own = sideOfInstruction(*this, side);
  std::array<AffineExpr, 2> at{quad, in * (own == Side::Acc ? 2 : pack)};
  // Each operand is the other one's transpose.
  if ((own == Side::B) != isExchanged())
    std::swap(at[0], at[1]);
  return AffineMap::get(1, 0, at, getContext());
}
SmallVector<Shape> MmaSyncAttr::getFragmentRegisters(Side side) const {
  Side own = sideOfInstruction(*this, side);
  int64_t pack = own == Side::Acc ? 2 : 4 / bytesOf(getA()),
          columns = own == Side::Acc ? 8 : getShape()[2],
          rows = own == Side::B ? 8 : 16;
  SmallVector<Shape> regs;
  for (int64_t c = 0; c < columns; c += 4 * pack)
    for (int64_t r = 0; r < rows; r += 8)
      for (int64_t e = 0; e < pack; ++e) {
        regs.push_back({r, c + e});
        if ((own == Side::B) != isExchanged())
          std::swap(regs.back()[0], regs.back()[1]);
      }
  return regs;
}
Attribute MmaSyncAttr::getLayout(Side side, ArrayRef<int64_t> groups) const {
  if (side == Side::Acc)
    return tile::AccAttr::get(getContext(), *this, groups);
  return tile::OperandAttr::get(getContext(), side, *this, groups,
                                ArrayRef<int64_t>());
}
LogicalResult
MmaSyncAttr::checkOperand(function_ref<InFlightDiagnostic()> emitError,
                          Side side, Attribute layout) const {
  return checkFragment(emitError, *this, side, layout);
}

bool MmaSyncAttr::canLoad(Side side, Attribute layout) const {
  // ldmatrix transposes 16-bit elements only.
  auto shared = dyn_cast<tile::SharedAttr>(layout);
  int64_t k = side == Side::A ? 1 : 0;
  return shared && (bytesOf(getA()) == 2 || shared.getOrder()[0] == k);
}

//===----------------------------------------------------------------------===//
// #ptx.simt
//===----------------------------------------------------------------------===//

/// Whether lanes can multiply these by themselves: in the accumulator's type,
/// to which operands are extended exactly.
static bool canMultiplyElements(Type a, Type b, Type acc) {
  auto extends = [&](Type from) {
    if (isa<FloatType>(acc))
      return from == acc || ((from.isF16() || from.isBF16()) && acc.isF32());
    return from.isSignlessInteger(8) && acc.isSignlessInteger(32);
  };
  bool computes =
      acc.isF32() || acc.isF16() || acc.isBF16() || acc.isSignlessInteger(32);
  return computes && a == b && extends(a);
}

LogicalResult SimtAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> block, ArrayRef<int64_t> lanes,
                               Type a, Type b, Type acc) {
  auto positive = [](int64_t value) { return value > 0; };
  if (block.size() != 3 || !llvm::all_of(block, positive))
    return emitError() << "expected a block of three positive extents";
  if (lanes.size() != 2 || lanes[0] < 1 || lanes[1] < 1 ||
      lanes[0] * lanes[1] != 32)
    return emitError() << "expected lanes that make a warp of 32";
  if (!canMultiplyElements(a, b, acc))
    return emitError() << "expected operands of one type and an accumulator to "
                          "which they extend, got "
                       << a << ", " << b << " and " << acc;
  return success();
}
Shape SimtAttr::getMmaShape() const {
  return {getBlock()[0] * getLanes()[0], getBlock()[1] * getLanes()[1],
          getBlock()[2]};
}
Type SimtAttr::getElementType(Side side) const {
  return side == Side::A ? getA() : side == Side::B ? getB() : getAcc();
}
int64_t SimtAttr::getLaneCount() const { return 32; }
Place SimtAttr::getPlaces(Side) const { return Place::Registers; }
AffineMap SimtAttr::getFragmentBase(Side side) const {
  AffineExpr lane = getAffineDimExpr(0, getContext()),
             zero = getAffineConstantExpr(0, getContext());
  AffineExpr row = lane.floorDiv(getLanes()[1]),
             col = (lane % getLanes()[1]) * getBlock()[1];
  return AffineMap::get(
      1, 0, {side == Side::B ? zero : row, side == Side::A ? zero : col},
      getContext());
}
SmallVector<Shape> SimtAttr::getFragmentRegisters(Side side) const {
  int64_t rows = side == Side::B ? getBlock()[2] : getBlock()[0],
          cols = side == Side::A ? getBlock()[2] : getBlock()[1],
          step = side == Side::B ? 1 : getLanes()[0];
  SmallVector<Shape> regs;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c)
      regs.push_back({r * step, c});
  return regs;
}
Attribute SimtAttr::getLayout(Side side, ArrayRef<int64_t> groups) const {
  if (side == Side::Acc)
    return tile::AccAttr::get(getContext(), *this, groups);
  return tile::OperandAttr::get(getContext(), side, *this, groups,
                                ArrayRef<int64_t>());
}
LogicalResult
SimtAttr::checkOperand(function_ref<InFlightDiagnostic()> emitError, Side side,
                       Attribute layout) const {
  return checkFragment(emitError, *this, side, layout);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// A tile whose rows are swizzled as far as they reach, without padding. One
/// that is filled up takes fewer copies, each of a panel.
static Attribute getSwizzled(MLIRContext *context, ArrayRef<int64_t> shape,
                             Type type, int64_t contiguous, bool mayFill) {
  int64_t row = shape[contiguous] * bytesOf(type);
  if (row % 16)
    return {};
  int64_t swizzle = 0;
  for (int64_t bytes : {32, 64, 128})
    if (mayFill ? row >= bytes : row % bytes == 0)
      swizzle = bytes;
  Shape order{contiguous};
  for (int64_t d = shape.size() - 1; d >= 0; --d)
    if (d != contiguous)
      order.push_back(d);
  return tile::SharedAttr::get(context, order, 0, swizzle, ArrayRef<int64_t>());
}

int64_t BulkAttr::getGranule() const { return 16; }
tile::Completion BulkAttr::getCompletion() const {
  return tile::Completion::Barrier;
}
tile::Bounds BulkAttr::getBoundsMode() const { return tile::Bounds::Clip; }
int64_t BulkAttr::getIssueLanes() const { return 1; }
bool BulkAttr::canMulticast() const { return true; }
bool BulkAttr::canStore() const { return true; }
bool BulkAttr::canReduce() const { return true; }
// A box has at most 256 elements a dimension.
int64_t BulkAttr::getMaxRows() const { return 256; }
LogicalResult
BulkAttr::checkShared(function_ref<InFlightDiagnostic()> emitError,
                      Attribute layout, Type) const {
  auto shared = dyn_cast<tile::SharedAttr>(layout);
  if (!shared || shared.getPad())
    return emitError()
           << "expected a tile without padding for a bulk copy, got " << layout
           << "; use a swizzle";
  return success();
}

Attribute BulkAttr::getSharedLayout(ArrayRef<int64_t> shape, Type type,
                                    int64_t contiguous, bool mayFill) const {
  return getSwizzled(getContext(), shape, type, contiguous, mayFill);
}

/// Rows of units of 16 bytes, which is what swizzles move.
static LogicalResult
checkAsyncRows(function_ref<InFlightDiagnostic()> emitError, Attribute layout,
               Type type) {
  auto shared = dyn_cast<tile::SharedAttr>(layout);
  if (!shared || shared.getPad() * bytesOf(type) % 16)
    return emitError() << "expected rows that start at multiples of 16 bytes "
                          "for cp.async, got "
                       << layout;
  return success();
}

int64_t Async16Attr::getGranule() const { return 16; }
tile::CopyAttrInterface Async16Attr::getNarrower() const {
  return Async4Attr::get(getContext());
}
tile::Completion Async16Attr::getCompletion() const {
  return tile::Completion::Group;
}
tile::Bounds Async16Attr::getBoundsMode() const {
  return tile::Bounds::ZeroFill;
}
// Each lane copies a unit, so that filling up would take more of them.
Attribute Async16Attr::getSharedLayout(ArrayRef<int64_t> shape, Type type,
                                       int64_t contiguous, bool) const {
  return getSwizzled(getContext(), shape, type, contiguous, /*mayFill=*/false);
}
int64_t Async16Attr::getIssueLanes() const { return 0; }
LogicalResult
Async16Attr::checkShared(function_ref<InFlightDiagnostic()> emitError,
                         Attribute layout, Type type) const {
  return checkAsyncRows(emitError, layout, type);
}

int64_t Async4Attr::getGranule() const { return 4; }
tile::Completion Async4Attr::getCompletion() const {
  return tile::Completion::Group;
}
tile::Bounds Async4Attr::getBoundsMode() const {
  return tile::Bounds::ZeroFill;
}
Attribute Async4Attr::getSharedLayout(ArrayRef<int64_t> shape, Type type,
                                      int64_t contiguous, bool) const {
  return getSwizzled(getContext(), shape, type, contiguous, /*mayFill=*/false);
}
int64_t Async4Attr::getIssueLanes() const { return 0; }
LogicalResult
Async4Attr::checkShared(function_ref<InFlightDiagnostic()> emitError,
                        Attribute layout, Type type) const {
  return checkAsyncRows(emitError, layout, type);
}

//===----------------------------------------------------------------------===//
// #ptx.target
//===----------------------------------------------------------------------===//

static std::string spelled(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef row) {
  if (findRow(row))
    return success();
  InFlightDiagnostic diag = emitError() << "unknown target row '" << row
                                        << "'; expected one of";
  for (const Row &r : getRows())
    diag << " '" << r.name << "'";
  return diag;
}
StringRef TargetAttr::getRowName() const { return getRow(); }
int64_t TargetAttr::getSharedBytes() const {
  return findRow(getRow())->sharedBytes;
}
int64_t TargetAttr::getProcessorSharedBytes() const {
  return findRow(getRow())->processorSharedBytes;
}
int64_t TargetAttr::getSubgroupSize() const { return 32; }
int64_t TargetAttr::getMaxInvocations() const { return 1024; }
int64_t TargetAttr::getMaxCluster() const {
  return findRow(getRow())->maxCluster;
}
bool TargetAttr::canOverlapDispatches() const {
  return findRow(getRow())->dependentLaunch;
}
/// Copies bring operands into the order of swizzles as they lie.
bool TargetAttr::packsConstants() const { return false; }
const tile::TargetCosts &TargetAttr::getCosts() const {
  return findRow(getRow())->costs;
}
int64_t TargetAttr::getRegisterFile() const { return 65536; }
int64_t TargetAttr::getVectorBytes() const { return 16; }

int64_t TargetAttr::getOffsetBits() const { return 60; }
SmallVector<StringRef> TargetAttr::getStrategies() const {
  if (findRow(getRow())->wgmma)
    return {"staged", "groups", "roles"};
  return {"staged", "groups"};
}
tile::CopyAttrInterface TargetAttr::getCopy(StringRef strategy) const {
  if (strategy == "groups")
    return Async16Attr::get(getContext());
  if (strategy == "roles" && findRow(getRow())->wgmma)
    return BulkAttr::get(getContext());
  return {};
}
SmallVector<tile::MmaAttrInterface> TargetAttr::getMmas(Type a, Type b,
                                                        Type acc) const {
  SmallVector<tile::MmaAttrInterface> mmas;
  const Row &row = *findRow(getRow());
  for (const MmaShape &shape : row.shapes) {
    if (spelled(a) != shape.a || spelled(b) != shape.b ||
        spelled(acc) != shape.acc)
      continue;
    if (row.wgmma)
      for (int64_t n = 256; n >= 8; n -= 8)
        mmas.push_back(
            WgmmaAttr::get(getContext(), n, /*exchanged=*/false, a, b, acc));
    mmas.push_back(
        MmaSyncAttr::get(getContext(), {shape.m, shape.n, shape.k}, a, b, acc));
    // The same with its operands exchanged, for products of few rows.
    mmas.push_back(
        MmaSyncAttr::get(getContext(), {shape.n, shape.m, shape.k}, a, b, acc));
    // For tiles whose rows are no multiple of 64. The shape of n = 64 is the
    // same both ways.
    if (row.wgmma)
      for (int64_t n = 256; n >= 8; n -= 8)
        if (n != 64)
          mmas.push_back(
              WgmmaAttr::get(getContext(), n, /*exchanged=*/true, a, b, acc));
  }
  if (mmas.empty() && canMultiplyElements(a, b, acc))
    // The smaller ones are for tiles that must be small to fit.
    for (int64_t block : {4, 2, 1})
      mmas.push_back(
          SimtAttr::get(getContext(), {block, block, 4}, {8, 4}, a, b, acc));
  return mmas;
}
