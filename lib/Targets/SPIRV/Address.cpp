// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a lane's registers lie: coordinates of the lane, linear indices,
// bounds.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include <numeric>

using namespace mlir;
using namespace helios;
using namespace helios::spv;

/// An affine expression of (group, lane) in unsigned arithmetic, which all
/// bases of layouts fit; null for zero.
Value KernelLowering::expand(AffineExpr expr, Value group, Value lane) {
  if (auto c = dyn_cast<AffineConstantExpr>(expr))
    return c.getValue() ? constant(c.getValue()) : Value();
  if (auto d = dyn_cast<AffineDimExpr>(expr))
    return d.getPosition() == 0 ? group : lane;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = expand(binary.getLHS(), group, lane);
  if (binary.getKind() == AffineExprKind::Add)
    return add(lhs, expand(binary.getRHS(), group, lane));
  int64_t c = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (!lhs)
    return {};
  switch (binary.getKind()) {
  case AffineExprKind::Mul:
    return multiply(lhs, b.getIndexAttr(c));
  case AffineExprKind::FloorDiv:
    if (llvm::isPowerOf2_64(c))
      return shiftRight(lhs, c, /*isSigned=*/false);
    return arith::DivUIOp::create(b, lhs, constant(c));
  case AffineExprKind::Mod:
    if (llvm::isPowerOf2_64(c))
      return arith::AndIOp::create(b, lhs, constant(c - 1));
    return arith::RemUIOp::create(b, lhs, constant(c));
  default:
    llvm_unreachable(
        "bases of layouts are sums, products, quotients and remainders");
  }
}

ArrayRef<Coordinate> KernelLowering::laneBase(tile::LayoutAttrInterface layout,
                                              ArrayRef<int64_t> shape) {
  auto [it, isNew] = laneBases.try_emplace(
      {Attribute(layout).getAsOpaquePointer(), shape.vec()});
  if (!isNew)
    return it->second;
  int64_t lanes = layout.getLaneCount(), groups = layout.getGroupCount(),
          threads = kernel.getThreads();
  // Written once, at the head of the kernel.
  OpBuilder::InsertionGuard guard(b);
  bool isOpaque = !layout.hasCoordinates();
  Value group, lane;
  if (isOpaque) {
    group = groups > 1 ? subgroupId() : Value();
  } else {
    Value id = invocation();
    b.setInsertionPoint(prologue.getInsertionBlock(),
                        prologue.getInsertionPoint());
    AffineExpr number = b.getAffineDimExpr(1);
    lane = lanes == 1         ? Value()
           : lanes == threads ? id
                              : expand(number % lanes, {}, id);
    group = groups == 1  ? Value()
            : lanes == 1 ? id
                         : expand(number.floorDiv(lanes), {}, id);
  }
  b.setInsertionPoint(prologue.getInsertionBlock(),
                      prologue.getInsertionPoint());
  AffineMap map = layout.getBaseMap(shape);
  for (AffineExpr expr : map.getResults()) {
    Value value = expand(expr, group, lane);
    it->second.push_back(
        {value,
         value ? std::max<int64_t>(1, expr.getLargestKnownDivisor()) : 0});
  }
  return it->second;
}

FailureOr<Place> KernelLowering::placeOf(Operation *op,
                                         frag::FragmentType fragment,
                                         Value memory, ValueRange offsets,
                                         bool trans) {
  Place place;
  SmallVector<int64_t> shape;
  if (auto mem = dyn_cast<frag::MemType>(memory.getType())) {
    auto layout = dyn_cast<tile::SharedAttr>(mem.getLayout());
    if (!layout || layout.getSwizzle() || !layout.getKperm().empty())
      return op->emitOpError("expected shared memory of a layout #tile.shared "
                             "without swizzle or kperm, got ")
             << mem.getLayout();
    for (int64_t stride : layout.getStrides(mem.getShape())) {
      place.strides.push_back(b.getIndexAttr(stride));
      place.strideDivisors.push_back(stride);
    }
    place.contiguous = layout.getOrder()[0];
    shape.assign(mem.getShape().begin(), mem.getShape().end());
  } else {
    auto viewType = cast<tile::ViewType>(memory.getType());
    auto view = memory.getDefiningOp<tile::ViewOp>();
    if (!view)
      return op->emitOpError(
                 "expected a view made by tile.view in the same kernel, got ")
             << memory;
    if (viewType.getGather() >= 0)
      return op->emitOpError("of a gathered view is not lowered to SPIR-V yet");
    auto lower = [&](OpFoldResult value) -> OpFoldResult {
      return isa<Attribute>(value) ? value
                                   : OpFoldResult(scalar(cast<Value>(value)));
    };
    for (int64_t d = 0; d < viewType.getRank(); ++d) {
      place.strides.push_back(lower(view.getMixedStride(d)));
      place.strideDivisors.push_back(
          std::max(viewType.getStrideDivisor(d),
                   tile::knownDivisor(view.getMixedStride(d))));
      place.sizes.push_back(lower(view.getMixedSize(d)));
    }
    place.contiguous = viewType.getContiguousDim();
    shape.assign(viewType.getShape().begin(), viewType.getShape().end());
  }
  int64_t rank = shape.size(), fragmentRank = fragment.getShape().size();
  if (fragmentRank > rank)
    return op->emitOpError(
        "that broadcasts a vector into a matrix is not lowered to SPIR-V yet");
  if (trans && rank != 2)
    return op->emitOpError(
               "expected a two-dimensional source to transpose, got rank ")
           << rank;
  // Dimension of the memory that a fragment's dimension runs along; leading
  // ones have extent one.
  auto memoryDim = [&](int64_t d) {
    return trans ? 1 - (d + rank - fragmentRank) : d + rank - fragmentRank;
  };
  for (Value offset : offsets) {
    bool isZero = matchPattern(offset, m_Zero());
    place.uniform.push_back(
        isZero ? Coordinate()
               : Coordinate{scalar(offset), tile::knownDivisor(offset)});
  }
  place.lane.resize(rank);
  tile::LayoutAttrInterface layout = fragment.getLayout();
  for (auto [d, base] : llvm::enumerate(laneBase(layout, fragment.getShape())))
    place.lane[memoryDim(d)] = base;
  for (const auto &reg : layout.getRegisterOffsets(fragment.getShape())) {
    SmallVector<int64_t> at(rank, 0);
    for (auto [d, offset] : llvm::enumerate(reg))
      at[memoryDim(d)] = offset;
    place.registers.push_back(at);
  }
  return place;
}

/// True if registers come in runs of `length` neighbours along the contiguous
/// dimension, each at a multiple of `length` elements of memory.
bool KernelLowering::hasRuns(const Place &place, int64_t length) {
  int64_t c = place.contiguous;
  if (c < 0 || place.registers.size() % length)
    return false;
  for (auto [d, divisor] : llvm::enumerate(place.strideDivisors))
    if (int64_t(d) != c && divisor % length)
      return false;
  if (place.uniform[c].divisor % length || place.lane[c].divisor % length)
    return false;
  for (size_t i = 0; i < place.registers.size(); ++i) {
    SmallVector<int64_t> expected = place.registers[i - i % length];
    if (expected[c] % length)
      return false;
    expected[c] += i % length;
    if (place.registers[i] != expected)
      return false;
  }
  return true;
}

/// Index of a register in units of `unit` elements. The register's own part is
/// last and uniform, so that a loop needs one address of the lane, not one a
/// register.
Value KernelLowering::linearIndex(const Place &place, ArrayRef<int64_t> reg,
                                  int64_t unit) {
  Value uniform, lane, own;
  int64_t constantPart = 0;
  for (auto [d, strideValue] : llvm::enumerate(place.strides)) {
    if (int64_t(d) == place.contiguous) {
      uniform = add(
          uniform, shiftRight(place.uniform[d].value, unit, /*isSigned=*/true));
      lane =
          add(lane, shiftRight(place.lane[d].value, unit, /*isSigned=*/false));
      constantPart += reg[d] / unit;
      continue;
    }
    OpFoldResult stride = strideValue;
    if (std::optional<int64_t> c = getConstantIntValue(stride)) {
      stride = b.getIndexAttr(*c / unit);
      constantPart += reg[d] * (*c / unit);
    } else {
      stride = shiftRight(cast<Value>(stride), unit, /*isSigned=*/false);
      if (reg[d])
        own = add(own, multiply(constant(reg[d]), stride));
    }
    uniform = add(uniform, multiply(place.uniform[d].value, stride));
    lane = add(lane, multiply(place.lane[d].value, stride));
  }
  return addConstant(add(add(uniform, lane), own), constantPart);
}

/// Whether a register lies within the sizes; null if nothing is to be checked.
/// A negative coordinate is a large unsigned one.
Value KernelLowering::inBounds(const Place &place, ArrayRef<int64_t> reg) {
  Value result;
  for (auto [d, size] : llvm::enumerate(place.sizes)) {
    Value at =
        addConstant(add(place.uniform[d].value, place.lane[d].value), reg[d]);
    Value extent = isa<Attribute>(size) ? constant(*getConstantIntValue(size))
                                        : cast<Value>(size);
    Value inside =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, at, extent);
    result = result ? b.createOrFold<arith::AndIOp>(result, inside) : inside;
  }
  return result;
}
