// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Combinations of registers within a lane, over the lanes that share an
// element, and votes; moves of registers between layouts.

#include "KernelLowering.h"
#include "helios/Targets/Registers.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

/// Combination of many elements. Of one chain every step would wait for the one
/// before: two, side by side, keep the arithmetic unit busy.
static Value combineAll(ImplicitLocOpBuilder &b, tile::ReduceKind kind,
                        ArrayRef<Value> values) {
  constexpr size_t chains = 2, worthwhile = 8;
  size_t count = values.size() < worthwhile ? 1 : chains;
  SmallVector<Value> sums(values.take_front(count));
  for (auto [i, value] : llvm::enumerate(values.drop_front(count)))
    sums[i % count] = combine(b, kind, sums[i % count], value);
  return count == 1 ? sums[0] : combine(b, kind, sums[0], sums[1]);
}

LogicalResult KernelLowering::lowerReduce(frag::ReduceOp op) {
  frag::FragmentType from = op.getFragment().getType();
  if (!from.getLayout().hasCoordinates())
    return op.emitOpError("of the layout ")
           << from.getLayout() << " is not lowered to PTX";
  switch (op.getScope()) {
  case frag::Scope::Lane:
    return reduceRegisters(op);
  case frag::Scope::Group:
    return reduceLanes(op);
  case frag::Scope::All:
    return vote(op);
  default:
    return notLowered(op);
  }
}

LogicalResult KernelLowering::reduceRegisters(frag::ReduceOp op) {
  frag::FragmentType from = op.getFragment().getType();
  FailureOr<SmallVector<size_t>> targets = targetsOf(op);
  if (failed(targets))
    return failure();
  SmallVector<SmallVector<Value>> shares(
      registersOf(cast<frag::FragmentType>(op.getType())).size());
  for (auto [value, target] : llvm::zip(elements(op.getFragment()), *targets))
    shares[target].push_back(toF32(value));
  SmallVector<Value> parts;
  DenseMap<ArrayRef<Value>, Value> made; // Equal shares are combined once.
  for (ArrayRef<Value> share : shares) {
    Value &whole = made[share];
    if (!whole)
      whole =
          fromF32(combineAll(b, op.getKind(), share), from.getElementType());
    parts.push_back(whole);
  }
  set(op.getResult(), Form::Elements, parts);
  return success();
}

LogicalResult KernelLowering::reduceLanes(frag::ReduceOp op) {
  frag::FragmentType type = op.getFragment().getType();
  FailureOr<SmallVector<int64_t>> bits = sharingBits(type);
  if (failed(bits) || llvm::any_of(*bits, [](int64_t m) { return m >= 32; }))
    return op.emitOpError("expected elements that only lanes of one subgroup "
                          "share, got ")
           << type;
  SmallVector<Value> parts = elements(op.getFragment());
  DenseMap<Value, Value> made; // Equal elements are exchanged once.
  for (Value &part : parts) {
    Value own = part;
    if (Value whole = made.lookup(own)) {
      part = whole;
      continue;
    }
    part = toF32(part);
    Type narrow = part.getType();
    if (narrow.isSignlessInteger() && narrow.getIntOrFloatBitWidth() < 32)
      part = arith::ExtSIOp::create(b, b.getI32Type(), part);
    Type laneType = part.getType();
    if (!laneType.isF32() && !laneType.isInteger(32))
      return op.emitOpError("of ") << type.getElementType()
                                   << " over lanes is not lowered to PTX yet";
    for (int64_t bit : *bits) {
      Value other =
          NVVM::ShflOp::create(b, laneType, i32(-1), part, i32(bit), i32(31),
                               NVVM::ShflKind::bfly, UnitAttr());
      part = combine(b, op.getKind(), part, other);
    }
    if (laneType != narrow && isa<IntegerType>(narrow))
      part = arith::TruncIOp::create(b, narrow, part);
    part = made[own] = fromF32(part, type.getElementType());
  }
  set(op.getResult(), Form::Elements, parts);
  return success();
}

/// Whether any element of any lane of the subgroup is true.
LogicalResult KernelLowering::vote(frag::ReduceOp op) {
  if (op.getKind() != tile::ReduceKind::Or ||
      !op.getFragment().getType().getElementType().isInteger(1) ||
      !op.getType().isInteger(1))
    return notLowered(op);
  Value any;
  for (Value part : elements(op.getFragment()))
    any = any ? combine(b, op.getKind(), any, part) : part;
  setScalar(op.getResult(),
            NVVM::VoteSyncOp::create(b, b.getI1Type(), i32(-1), any,
                                     NVVM::VoteSyncKind::any));
  return success();
}

/// Registers that hold the same elements for every lane are relabelled.
LogicalResult KernelLowering::lowerPermute(frag::PermuteOp op) {
  FailureOr<SmallVector<Value>> parts =
      permuted(op, elements(op.getFragment()));
  if (failed(parts))
    return failure();
  set(op.getResult(), Form::Elements, *parts);
  return success();
}
