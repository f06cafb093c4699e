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
                                  IotaElement::Kind kind) {
  Value sum = addConstant(base, constant);
  iotaElements[sum] = {base, constant, kind};
  return sum;
}

/// A value as what the registers of a lane share, and the constant of one.
KernelLowering::IotaElement KernelLowering::splitElement(Value value) {
  if (auto known = iotaElements.find(value); known != iotaElements.end())
    return known->second;
  Operation *sum = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(sum))
    if (auto known = iotaElements.find(sum->getOperand(0));
        known != iotaElements.end() && known->second.constant) {
      Value base = known->second.base, other = sum->getOperand(1);
      return {isa<arith::AddIOp>(sum)
                  ? b.createOrFold<arith::AddIOp>(base, other)
                  : b.createOrFold<arith::SubIOp>(base, other),
              known->second.constant};
    }
  return {value, 0};
}

/// An integer of 64 bits as one of 32, the nearest there is.
Value KernelLowering::saturated(Value value) {
  value = arith::MaxSIOp::create(b, value,
                                 i64(std::numeric_limits<int32_t>::min()));
  value = arith::MinSIOp::create(b, value,
                                 i64(std::numeric_limits<int32_t>::max()));
  return toI32(value);
}

/// Compares a coordinate or distance with a value: what both are apart but for
/// the constants of registers, which is one integer of 32 bits for many of
/// them, with a constant each. Null of other values, and where a predicate
/// looks at indices as unsigned, which are distances no more.
Value KernelLowering::compareApart(arith::CmpIPredicate predicate, Value x,
                                   Value y) {
  using Predicate = arith::CmpIPredicate;
  if (llvm::is_contained(
          {Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge},
          predicate) ||
      (!iotaElements.contains(x) && !iotaElements.contains(y)))
    return {};
  IotaElement left = splitElement(x), right = splitElement(y);
  int64_t bound;
  if (llvm::SubOverflow(right.constant, left.constant, bound) ||
      bound <= std::numeric_limits<int32_t>::min() ||
      bound >= std::numeric_limits<int32_t>::max())
    return {};
  Value apart;
  if (left.kind == IotaElement::Coordinate &&
      right.kind == IotaElement::Coordinate) {
    apart = arith::SubIOp::create(b, toI32(left.base), toI32(right.base));
  } else {
    // Further away is further away. What a loop does not change is narrowed
    // before it, and 32 bits saturate in fewer instructions.
    auto narrow = [&](const IotaElement &side) {
      return side.kind == IotaElement::Other ? saturated(side.base)
                                             : toI32(side.base);
    };
    apart = LLVM::SSubSat::create(b, narrow(left), narrow(right));
  }
  return arith::CmpIOp::create(b, predicate, apart, i32(bound));
}

/// A coordinate or distance as an integer of 32 bits, which holds any:
/// coordinates count elements of tensors, of which a dimension has less than
/// 2^31. Null of other values.
Value KernelLowering::narrowIotaElement(Value value, Type type) {
  auto known = iotaElements.find(value);
  if (known == iotaElements.end() || !type.isInteger(32))
    return {};
  auto [base, constant, kind] = known->second;
  return iotaElement(toI32(base), constant, kind);
}

/// What ops on elements of iotas are made of instead of themselves. Null of
/// other ops.
Value KernelLowering::lowerWithIotas(Operation *op, ValueRange operands) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && compare.getLhs().getType().isIndex())
    return compareApart(compare.getPredicate(), operands[0], operands[1]);
  auto known = [&](unsigned number) {
    auto found = iotaElements.find(operands[number]);
    return found == iotaElements.end() ? std::optional<IotaElement>()
                                       : found->second;
  };
  // A distance is none to subtract from: it may have any sign.
  if (auto difference = dyn_cast<arith::SubIOp>(op)) {
    std::optional<IotaElement> left = known(0), right = known(1);
    if (!left || !right || left->kind != IotaElement::Coordinate ||
        right->kind != IotaElement::Coordinate)
      return {};
    Value base = b.createOrFold<arith::SubIOp>(left->base, right->base);
    return iotaElement(base, left->constant - right->constant,
                       IotaElement::Distance);
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
