// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Targets/Registers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <map>

using namespace mlir;
using namespace helios;
using Offsets = SmallVector<SmallVector<int64_t>>;

/// The number of the register at each offset; of equal ones the first.
static std::map<SmallVector<int64_t>, size_t> placesOf(const Offsets &offsets) {
  std::map<SmallVector<int64_t>, size_t> places;
  for (auto [i, offset] : llvm::enumerate(offsets))
    places.try_emplace(offset, i);
  return places;
}

Offsets helios::registersOf(frag::FragmentType type) {
  return type.getLayout().getRegisterOffsets(type.getShape());
}

FailureOr<SmallVector<size_t>> helios::sourcesOf(frag::SliceOp op) {
  frag::FragmentType from = op.getFragment().getType(), to = op.getType();
  SmallVector<int64_t> block = from.getLayout().getBlockShape();
  for (auto [d, extent] : llvm::enumerate(to.getShape()))
    if (extent != from.getShape()[d] && extent % block[d])
      return op.emitOpError("expected an extent of whole repetitions of ")
             << block[d] << " in dimension " << d << ", got " << extent;
  auto places = placesOf(registersOf(from));
  SmallVector<size_t> sources;
  for (SmallVector<int64_t> reg : registersOf(to)) {
    for (auto [d, offset] : llvm::enumerate(op.getOffsets()))
      reg[d] += offset;
    auto found = places.find(reg);
    assert(found != places.end() && "repetitions hold the same registers");
    sources.push_back(found->second);
  }
  return sources;
}

bool helios::areWholeParts(ArrayRef<size_t> registers, size_t count) {
  if (registers.size() % count)
    return false;
  for (auto [i, reg] : llvm::enumerate(registers)) {
    size_t first = registers[i - i % count];
    if (first % count || reg != first + i % count)
      return false;
  }
  return true;
}

FailureOr<SmallVector<SmallVector<size_t>>> helios::sourcesOf(frag::MapOp op) {
  auto result = cast<frag::FragmentType>(op.getResult(0).getType());
  Offsets registers = registersOf(result);
  for (Value other : op.getResults())
    if (registersOf(cast<frag::FragmentType>(other.getType())) != registers)
      return op.emitOpError("expected results of one layout, got ")
             << result << " and " << other.getType();
  SmallVector<SmallVector<size_t>> sources;
  for (Value input : op.getInputs()) {
    auto type = cast<frag::FragmentType>(input.getType());
    auto slice = dyn_cast<tile::SliceAttr>(type.getLayout());
    bool broadcast = type.getShape().size() < result.getShape().size();
    if (broadcast && (!slice || !result.getLayout().isSamePlace(
                                    result.getShape(), slice.getParent())))
      return op.emitOpError("expected an input of a slice of ")
             << result.getLayout() << ", got " << type;
    auto places = placesOf(registersOf(type));
    sources.emplace_back();
    for (SmallVector<int64_t> reg : registers) {
      if (broadcast)
        reg.erase(reg.begin() + slice.getDim());
      auto found = places.find(reg);
      if (found == places.end())
        return op.emitOpError(
                   "expected an input that covers the result's registers, got ")
               << type;
      sources.back().push_back(found->second);
    }
  }
  return sources;
}

FailureOr<SmallVector<Value>> helios::permuted(frag::PermuteOp op,
                                               ArrayRef<Value> registers) {
  frag::FragmentType from = op.getFragment().getType(), to = op.getType();
  tile::LayoutAttrInterface source = from.getLayout(), target = to.getLayout();
  auto moves = [&] {
    return op.emitOpError("expected elements that stay in their lanes, got ")
           << source << " to " << target
           << "; choose a schedule whose kernels exchange them through memory";
  };
  if (!source.hasCoordinates() || !target.hasCoordinates() ||
      source.getLaneCount() != target.getLaneCount() ||
      source.getGroupCount() != target.getGroupCount())
    return moves();
  AffineMap sourceBase = source.getBaseMap(from.getShape()),
            targetBase = target.getBaseMap(to.getShape());
  for (int64_t g = 0; g < source.getGroupCount(); ++g)
    for (int64_t l = 0; l < source.getLaneCount(); ++l)
      if (sourceBase.compose(ArrayRef<int64_t>{g, l}) !=
          targetBase.compose(ArrayRef<int64_t>{g, l}))
        return moves();
  auto places = placesOf(registersOf(from));
  SmallVector<Value> result;
  for (const SmallVector<int64_t> &at : registersOf(to)) {
    auto found = places.find(at);
    if (found == places.end())
      return moves();
    result.push_back(registers[found->second]);
  }
  return result;
}

FailureOr<SmallVector<size_t>> helios::targetsOf(frag::ReduceOp op) {
  frag::FragmentType from = op.getFragment().getType();
  auto to = cast<frag::FragmentType>(op.getType());
  auto places = placesOf(registersOf(to));
  SmallVector<size_t> targets;
  for (SmallVector<int64_t> at : registersOf(from)) {
    at.erase(at.begin() + *op.getDim());
    auto found = places.find(at);
    if (found == places.end())
      return op.emitOpError("expected a result that covers what is left of ")
             << from << ", got " << to;
    targets.push_back(found->second);
  }
  return targets;
}

FailureOr<SmallVector<int64_t>> helios::sharingBits(frag::FragmentType type) {
  tile::LayoutAttrInterface layout = type.getLayout();
  AffineMap map = layout.getBaseMap(type.getShape());
  int64_t lanes = layout.getLaneCount(), groups = layout.getGroupCount();
  auto at = [&](int64_t group, int64_t lane) {
    return map.compose(ArrayRef<int64_t>{group, lane});
  };
  SmallVector<int64_t> bits;
  for (int64_t bit = 1; bit < lanes; bit *= 2) {
    bool same = true;
    for (int64_t l = 0; same && l < lanes; ++l)
      same = (l ^ bit) < lanes && at(0, l) == at(0, l ^ bit);
    if (same)
      bits.push_back(bit);
  }
  // Other groups have a part where they lie along the dimension that a slice
  // lacks; else they have elements of their own, or all that this one has.
  auto slice = dyn_cast<tile::SliceAttr>(Attribute(layout));
  if (slice && slice.getParent().getGroupGrid()[slice.getDim()] == 1)
    groups = 1;
  int64_t sharing = 0;
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t l = 0; l < lanes; ++l)
      sharing += at(g, l) == at(0, 0);
  if (sharing != int64_t(1) << bits.size())
    return failure();
  return bits;
}

Value helios::combine(ImplicitLocOpBuilder &b, tile::ReduceKind kind, Value x,
                      Value y) {
  bool isFloat = isa<FloatType>(x.getType());
  switch (kind) {
  case tile::ReduceKind::Add:
    return isFloat ? Value(arith::AddFOp::create(b, x, y))
                   : Value(arith::AddIOp::create(b, x, y));
  case tile::ReduceKind::Max:
    return isFloat ? Value(arith::MaximumFOp::create(b, x, y))
                   : Value(arith::MaxSIOp::create(b, x, y));
  case tile::ReduceKind::Min:
    return isFloat ? Value(arith::MinimumFOp::create(b, x, y))
                   : Value(arith::MinSIOp::create(b, x, y));
  case tile::ReduceKind::Or:
    return arith::OrIOp::create(b, x, y);
  }
  llvm_unreachable("unknown combination");
}
