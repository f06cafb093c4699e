// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrix instructions and target rows of SPIR-V, as generic passes see them.

#include "helios/Targets/SPIRV/Rows.h"
#include "helios/Targets/SPIRV/Spv.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using tile::Place;
using tile::Side;

#include "helios/Targets/SPIRV/SpvDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "helios/Targets/SPIRV/SpvAttrs.cpp.inc"

void SpvDialect::initialize() { registerAttributes(); }

void SpvDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "helios/Targets/SPIRV/SpvAttrs.cpp.inc"
      >();
}

using Shape = SmallVector<int64_t>;

static LogicalResult checkCount(function_ref<InFlightDiagnostic()> emitError,
                                StringRef name, ArrayRef<int64_t> values,
                                size_t n) {
  if (values.size() != n)
    return emitError() << "expected " << n << " values in '" << name
                       << "', got " << values.size();
  for (int64_t v : values)
    if (v < 1)
      return emitError() << "expected positive values in '" << name << "', got "
                         << v;
  return success();
}

//===----------------------------------------------------------------------===//
// #spv.coop
//===----------------------------------------------------------------------===//

LogicalResult CoopAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type a, Type b,
                               Type acc, int64_t lanes, StringRef with) {
  if (failed(checkCount(emitError, "shape", shape, 3)))
    return failure();
  if (lanes < 1 || (lanes & (lanes - 1)))
    return emitError() << "expected a power of two of lanes, got " << lanes;
  for (Type type : {a, b, acc})
    if (!type.isIntOrFloat())
      return emitError() << "expected integer or float elements, got " << type;
  if (!with.empty() && with != StringRef(kMatrix2) &&
      with != StringRef(kMaintenance1))
    return emitError() << "expected the extension \"" << kMatrix2 << "\" or \""
                       << kMaintenance1 << "\", or none, got \"" << with
                       << "\"";
  return success();
}
bool CoopAttr::canHandOn(Side from, Side to) const {
  return !getWith().empty() && from == Side::Acc && to != Side::Acc;
}
bool CoopAttr::canReduce() const { return !getWith().empty(); }
Shape CoopAttr::getMmaShape() const { return Shape(getShape()); }
Type CoopAttr::getElementType(Side side) const {
  return side == Side::A ? getA() : side == Side::B ? getB() : getAcc();
}
int64_t CoopAttr::getLaneCount() const { return getLanes(); }
Place CoopAttr::getPlaces(Side) const { return Place::Opaque; }
Attribute CoopAttr::getLayout(Side side, ArrayRef<int64_t> groups) const {
  return tile::OpaqueMatrixAttr::get(getContext(), side, *this, groups);
}
LogicalResult
CoopAttr::checkOperand(function_ref<InFlightDiagnostic()> emitError, Side side,
                       Attribute layout) const {
  auto opaque = dyn_cast_or_null<tile::OpaqueMatrixAttr>(layout);
  if (!opaque || opaque.getSide() != side ||
      Attribute(opaque.getMma()) != *this)
    return emitError() << "expected side " << tile::stringifySide(side)
                       << " in the layout #tile.opaque<"
                       << tile::stringifySide(side) << ", " << *this
                       << ", groups = ...>, got " << layout
                       << "; insert a tile.convert_layout";
  return success();
}

//===----------------------------------------------------------------------===//
// #spv.simt
//===----------------------------------------------------------------------===//

LogicalResult SimtAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> block, ArrayRef<int64_t> lanes,
                               Type, Type, Type) {
  return success(succeeded(checkCount(emitError, "block", block, 3)) &&
                 succeeded(checkCount(emitError, "lanes", lanes, 2)));
}
Shape SimtAttr::getMmaShape() const {
  return {getBlock()[0] * getLanes()[0], getBlock()[1] * getLanes()[1],
          getBlock()[2]};
}
Type SimtAttr::getElementType(Side side) const {
  return side == Side::A ? getA() : side == Side::B ? getB() : getAcc();
}
int64_t SimtAttr::getLaneCount() const { return getLanes()[0] * getLanes()[1]; }
Place SimtAttr::getPlaces(Side) const { return Place::Registers; }
AffineMap SimtAttr::getFragmentBase(Side side) const {
  AffineExpr lane = getAffineDimExpr(0, getContext()),
             zero = getAffineConstantExpr(0, getContext());
  AffineExpr row = lane.floorDiv(getLanes()[1]) * getBlock()[0],
             col = (lane % getLanes()[1]) * getBlock()[1];
  return AffineMap::get(
      1, 0, {side == Side::B ? zero : row, side == Side::A ? zero : col},
      getContext());
}
SmallVector<Shape> SimtAttr::getFragmentRegisters(Side side) const {
  int64_t rows = side == Side::B ? getBlock()[2] : getBlock()[0],
          cols = side == Side::A ? getBlock()[2] : getBlock()[1];
  SmallVector<Shape> regs;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c)
      regs.push_back({r, c});
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
  Attribute mma;
  if (auto acc = dyn_cast_or_null<tile::AccAttr>(layout);
      acc && side == Side::Acc)
    mma = acc.getMma();
  if (auto operand = dyn_cast_or_null<tile::OperandAttr>(layout);
      operand && operand.getSide() == side)
    mma = operand.getMma();
  if (mma != *this)
    return emitError() << "expected side " << tile::stringifySide(side)
                       << " in the fragment layout of " << *this << ", got "
                       << layout << "; insert a tile.convert_layout";
  return success();
}

//===----------------------------------------------------------------------===//
// #spv.target
//===----------------------------------------------------------------------===//

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

static const Row &rowOf(const TargetAttr &attr) {
  return *findRow(attr.getRow());
}

StringRef TargetAttr::getRowName() const { return getRow(); }
int64_t TargetAttr::getSharedBytes() const { return rowOf(*this).sharedBytes; }
int64_t TargetAttr::getProcessorSharedBytes() const {
  return rowOf(*this).processorSharedBytes;
}
bool TargetAttr::meetsInBranches() const {
  return rowOf(*this).meetsInBranches;
}
int64_t TargetAttr::getSubgroupSize() const {
  return rowOf(*this).subgroupSize;
}
int64_t TargetAttr::getMaxInvocations() const {
  return rowOf(*this).maxInvocations;
}
int64_t TargetAttr::getRegisterFile() const {
  return rowOf(*this).registerFile;
}
int64_t TargetAttr::getMaxAccumulators() const {
  return rowOf(*this).maxAccumulators;
}
int64_t TargetAttr::getPackedElements(tile::MmaAttrInterface mma,
                                      Side side) const {
  auto coop = dyn_cast<CoopAttr>(mma);
  if (!coop || !rowOf(*this).laneOrder || !coop.getElementType(side).isF16())
    return 0;
  int64_t elements =
      llvm::product_of(mma.getFragmentShape(side)) / coop.getLanes();
  return elements * 2 % getVectorBytes() == 0 ? elements : 0;
}
const tile::TargetCosts &TargetAttr::getCosts() const {
  return rowOf(*this).costs;
}
int64_t TargetAttr::getVectorBytes() const { return 16; }
// Shared memory is an array of words: 8- and 16-bit access is optional there.
int64_t TargetAttr::getSharedStoreBytes() const { return 4; }
SmallVector<StringRef> TargetAttr::getStrategies() const { return {"staged"}; }

static Type parseElement(StringRef name, MLIRContext *ctx) {
  return llvm::StringSwitch<Type>(name)
      .Case("f16", Float16Type::get(ctx))
      .Case("bf16", BFloat16Type::get(ctx))
      .Case("f32", Float32Type::get(ctx))
      .Case("i8", IntegerType::get(ctx, 8))
      .Case("i32", IntegerType::get(ctx, 32))
      .Default({});
}

/// Square products of single lanes; the smaller ones are for tiles that must be
/// small to fit. Lanes hold what is written to shared memory at once.
static SimtAttr getSquare(int64_t extent, Type a, Type b, Type acc) {
  int64_t lanes = std::min<int64_t>(8, extent), rows = extent / lanes,
          columns = std::max<int64_t>(rows, 32 / a.getIntOrFloatBitWidth());
  return SimtAttr::get(a.getContext(), {rows, columns, 4},
                       {lanes, extent / columns}, a, b, acc);
}

SmallVector<tile::MmaAttrInterface> TargetAttr::getMmas(Type a, Type b,
                                                        Type acc) const {
  const Row &row = rowOf(*this);
  MLIRContext *ctx = getContext();
  SmallVector<tile::MmaAttrInterface> mmas;
  for (const CoopShape &s : row.shapes)
    if (parseElement(s.a, ctx) == a && parseElement(s.b, ctx) == b &&
        parseElement(s.acc, ctx) == acc)
      mmas.push_back(CoopAttr::get(ctx, {s.m, s.n, s.k}, a, b, acc,
                                   row.subgroupSize, row.with));
  // Lanes multiply floats in f32 whatever is stored, and bytes in i32; the
  // group is the whole workgroup, so no subgroup is relied on.
  bool floats = (a.isF16() || a.isBF16() || a.isF32()) && acc.isF32();
  bool bytes = a.isSignlessInteger(8) && acc.isSignlessInteger(32);
  if (mmas.empty() && !row.matricesAlone && a == b && (floats || bytes))
    for (int64_t extent : {32, 16, 8, 4})
      mmas.push_back(getSquare(extent, a, b, acc));
  return mmas;
}
