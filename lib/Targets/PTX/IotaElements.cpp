// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements of an iota, which differ from register to register of a lane by
// constants, and distances of two of them. What the registers share is
// computed once, and the constants are added last, where they are immediates.

#include "KernelLowering.h"
#include <limits>

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

/// What the registers of a lane add to the first one's coordinate at most,
/// where both are converted: checkers allow for it (bench/RegionEval.cpp).
static constexpr int64_t kMostConstant = int64_t(1) << 10;

Value KernelLowering::iotaElement(Value base, int64_t constant,
                                  bool isDistance) {
  Value sum = addConstant(base, constant);
  iotaElements[sum] = {base, constant, isDistance};
  return sum;
}

/// A value without the constant that was added to it, and the constant.
static std::pair<Value, int64_t> splitConstant(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> c =
      sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
  return c ? std::pair(sum.getLhs(), *c) : std::pair(value, int64_t(0));
}

/// Compares values that differ from register to register by constants: their
/// distance, of which there are few, with a constant of 32 bits each. Null
/// where that is no gain, or where a predicate looks at indices as unsigned,
/// which are distances no more.
Value KernelLowering::compareSums(arith::CmpIPredicate predicate, Value x,
                                  Value y) {
  using Predicate = arith::CmpIPredicate;
  if (predicate == Predicate::ult || predicate == Predicate::ule ||
      predicate == Predicate::ugt || predicate == Predicate::uge)
    return {};
  auto [left, a] = splitConstant(x);
  auto [right, c] = splitConstant(y);
  int64_t bound;
  if ((a == 0 && c == 0) || llvm::SubOverflow(c, a, bound) ||
      bound <= std::numeric_limits<int32_t>::min() ||
      bound >= std::numeric_limits<int32_t>::max())
    return {};
  Value distance = arith::SubIOp::create(b, left, right);
  // Further away is further away.
  distance = arith::MaxSIOp::create(b, distance,
                                    i64(std::numeric_limits<int32_t>::min()));
  distance = arith::MinSIOp::create(b, distance,
                                    i64(std::numeric_limits<int32_t>::max()));
  distance = arith::TruncIOp::create(b, b.getI32Type(), distance);
  return arith::CmpIOp::create(b, predicate, distance, i32(bound));
}

/// A coordinate or distance as an integer of 32 bits, which holds any:
/// coordinates count elements of tensors, of which a dimension has less than
/// 2^31. Null of other values.
Value KernelLowering::narrowIotaElement(Value value, Type type) {
  auto known = iotaElements.find(value);
  if (known == iotaElements.end() || !type.isInteger(32))
    return {};
  auto [base, constant, isDistance] = known->second;
  return iotaElement(toI32(base), constant, isDistance);
}

/// What an op on elements of iotas, or comparisons of sums with constants, are
/// made of instead of themselves. Null of other ops.
Value KernelLowering::lowerWithIotas(Operation *op, ValueRange operands) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && compare.getLhs().getType().isIndex())
    return compareSums(compare.getPredicate(), operands[0], operands[1]);
  auto known = [&](unsigned number) {
    auto found = iotaElements.find(operands[number]);
    return found == iotaElements.end() ? std::optional<IotaElement>()
                                       : found->second;
  };
  // A distance is none to subtract from: it may have any sign.
  if (auto difference = dyn_cast<arith::SubIOp>(op)) {
    std::optional<IotaElement> left = known(0), right = known(1);
    if (!left || !right || left->isDistance || right->isDistance)
      return {};
    Value base = b.createOrFold<arith::SubIOp>(left->base, right->base);
    return iotaElement(base, left->constant - right->constant,
                       /*isDistance=*/true);
  }
  // What the registers share is converted once. Exact up to 2^24, two roundings
  // beyond.
  if (auto conversion = dyn_cast<arith::SIToFPOp>(op)) {
    std::optional<IotaElement> from = known(0);
    if (!from || !conversion.getType().isF32() ||
        std::abs(from->constant) > kMostConstant)
      return {};
    Value base = arith::SIToFPOp::create(b, b.getF32Type(), toI32(from->base));
    return from->constant
               ? arith::AddFOp::create(
                     b, base, constantOf(b.getF32Type(), from->constant))
               : base;
  }
  return {};
}
