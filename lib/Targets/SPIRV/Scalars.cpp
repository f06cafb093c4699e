// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalar work of a lane: arith and math ops on single values. index is 32 bits
// wide; bf16 is kept as bits and computed in f32.

#include "KernelLowering.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;

Type helios::spv::getLaneType(Type type) {
  if (type.isIndex() || type.isBF16())
    return IntegerType::get(type.getContext(), 32);
  return type;
}

//===----------------------------------------------------------------------===//
// Small arithmetic; a null value is zero
//===----------------------------------------------------------------------===//

Value KernelLowering::constant(int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

Value KernelLowering::constantOf(Type type, double value) {
  if (type.isBF16()) {
    APFloat bits(value);
    bool lost;
    bits.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &lost);
    return constant(bits.bitcastToAPInt().getZExtValue());
  }
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(getLaneType(type), int64_t(value)));
}

Value KernelLowering::constantPacket(Type type, double value) {
  unsigned width = type.getIntOrFloatBitWidth();
  APInt bits(width, uint64_t(int64_t(value)), /*isSigned=*/false,
             /*implicitTrunc=*/true);
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat rounded(value);
    bool lost;
    rounded.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &lost);
    bits = rounded.bitcastToAPInt();
  }
  auto packet = VectorType::get(4, b.getI32Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(packet, APInt::getSplat(32, bits)));
}

Value KernelLowering::add(Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return b.createOrFold<arith::AddIOp>(a, c);
}

Value KernelLowering::addConstant(Value a, int64_t c) {
  if (c == 0)
    return a ? a : constant(0);
  return a ? b.createOrFold<arith::AddIOp>(a, constant(c)) : constant(c);
}

Value KernelLowering::multiply(Value a, OpFoldResult factor) {
  if (!a)
    return {};
  if (std::optional<int64_t> c = getConstantIntValue(factor)) {
    if (*c == 0)
      return {};
    return *c == 1 ? a : b.createOrFold<arith::MulIOp>(a, constant(*c));
  }
  return b.createOrFold<arith::MulIOp>(a, cast<Value>(factor));
}

/// Division of a multiple of a power of two.
Value KernelLowering::shiftRight(Value a, int64_t divisor, bool isSigned) {
  if (!a || divisor == 1)
    return a;
  Value bits = constant(llvm::Log2_64(divisor));
  return isSigned ? b.createOrFold<arith::ShRSIOp>(a, bits)
                  : b.createOrFold<arith::ShRUIOp>(a, bits);
}

//===----------------------------------------------------------------------===//
// Narrow floats through f32
//===----------------------------------------------------------------------===//

Value KernelLowering::toF32(Value lane, Type type) {
  if (type.isF16())
    return arith::ExtFOp::create(b, b.getF32Type(), lane);
  if (!type.isBF16())
    return lane;
  Value bits = arith::ShLIOp::create(b, lane, constant(16));
  return arith::BitcastOp::create(b, b.getF32Type(), bits);
}

/// f32 to a narrow float, to nearest even. For bf16: adding 0x7fff and the
/// lowest kept bit carries exactly when rounding up must; a NaN keeps its upper
/// bits and is made quiet, as the carry could make it infinite.
Value KernelLowering::fromF32(Value value, Type type) {
  if (type.isF16())
    return arith::TruncFOp::create(b, type, value);
  if (!type.isBF16())
    return value;
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
  Value upper = arith::ShRUIOp::create(b, bits, constant(16));
  Value bias = arith::AddIOp::create(
      b, arith::AndIOp::create(b, upper, constant(1)), constant(0x7fff));
  Value rounded = arith::ShRUIOp::create(
      b, arith::AddIOp::create(b, bits, bias), constant(16));
  Value quiet = arith::OrIOp::create(b, upper, constant(0x40));
  // By bits, so that no driver reasons NaN away.
  Value magnitude = arith::AndIOp::create(b, bits, constant(0x7fffffff));
  Value isNan = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, magnitude,
                                      constant(0x7f800000));
  return arith::SelectOp::create(b, isNan, quiet, rounded);
}

/// f32 to the nearest number of bf16, as f32. As above, but that a NaN of
/// arithmetic, which is quiet, only loses the bits that would carry: fewer
/// operations, for all elements of a matrix. Numbers without a sign need two
/// less.
Value KernelLowering::roundToBF16(Value value, bool hasSign) {
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), value),
        magnitude = bits;
  if (hasSign)
    magnitude = arith::AndIOp::create(b, bits, constant(0x7fffffff));
  magnitude = arith::MinUIOp::create(b, magnitude, constant(0x7fff0000));
  Value odd = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, magnitude, constant(16)), constant(1));
  Value rounded = arith::AddIOp::create(
      b, arith::AddIOp::create(b, magnitude, constant(0x7fff)), odd);
  rounded = arith::AndIOp::create(b, rounded, constant(0x7fff0000));
  if (hasSign)
    rounded = arith::OrIOp::create(
        b, rounded, arith::AndIOp::create(b, bits, constant(0x80000000)));
  return arith::BitcastOp::create(b, b.getF32Type(), rounded);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// index to or from an integer, index being 32 bits wide.
static Value castIndex(ImplicitLocOpBuilder &b, Value lane, Type to,
                       bool isSigned) {
  unsigned from = lane.getType().getIntOrFloatBitWidth(),
           width = to.getIntOrFloatBitWidth();
  if (from == width)
    return lane;
  if (from > width)
    return arith::TruncIOp::create(b, to, lane);
  return isSigned ? Value(arith::ExtSIOp::create(b, to, lane))
                  : Value(arith::ExtUIOp::create(b, to, lane));
}

/// Functions that GLSL.std.450 has or MathExpansions.cpp writes out.
static bool hasLowering(Operation *op) {
  bool wide = llvm::any_of(op->getOperandTypes(),
                           [](Type type) { return type.isF64(); });
  if (wide) // GLSL.std.450 has few functions of 64 bits.
    return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
               math::FmaOp, math::IsInfOp, math::IsNaNOp, math::RoundOp,
               math::RoundEvenOp, math::RsqrtOp, math::SqrtOp>(op);
  return !isa<math::IPowIOp, math::SincosOp, math::CtPopOp,
              math::CountTrailingZerosOp, math::ClampFOp, math::IsNormalOp>(op);
}

LogicalResult KernelLowering::lowerScalar(Operation *op) {
  if (op->getNumRegions())
    return op->emitOpError("with regions is not lowered to SPIR-V");
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    if (!type.isIntOrIndexOrFloat())
      return op->emitOpError("expected scalars, got ")
             << type
             << "; element-wise work on fragments belongs in a frag.map";
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    if (auto floating = dyn_cast<FloatAttr>(constantOp.getValue());
        floating && floating.getType().isBF16())
      setScalar(op->getResult(0),
                constant(floating.getValue().bitcastToAPInt().getZExtValue()));
    else if (auto integer = dyn_cast<IntegerAttr>(constantOp.getValue());
             integer && integer.getType().isIndex())
      setScalar(op->getResult(0), constant(integer.getInt()));
    else
      setScalar(op->getResult(0),
                arith::ConstantOp::create(b, constantOp.getValue()));
    return success();
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    Type to = getLaneType(op->getResult(0).getType());
    setScalar(op->getResult(0), castIndex(b, scalar(op->getOperand(0)), to,
                                          isa<arith::IndexCastOp>(op)));
    return success();
  }
  if (isa<arith::ExtFOp>(op) && op->getOperand(0).getType().isBF16() &&
      op->getResult(0).getType().isF32()) {
    setScalar(op->getResult(0),
              toF32(scalar(op->getOperand(0)), op->getOperand(0).getType()));
    return success();
  }
  if (isa<arith::TruncFOp>(op) && op->getResult(0).getType().isBF16() &&
      op->getOperand(0).getType().isF32()) {
    setScalar(op->getResult(0),
              fromF32(scalar(op->getOperand(0)), op->getResult(0).getType()));
    return success();
  }
  if (isa<math::MathDialect>(op->getDialect()) && !hasLowering(op))
    return op->emitOpError(
        "is not lowered to SPIR-V yet; write it with other functions of math");
  // bf16 has no arithmetic; functions of f16 are computed in f32.
  auto isBf16 = [](Type type) { return type.isBF16(); };
  bool bf16 = llvm::any_of(op->getOperandTypes(), isBf16) ||
              llvm::any_of(op->getResultTypes(), isBf16);
  if (bf16 && isa<arith::BitcastOp, arith::ExtFOp, arith::TruncFOp>(op))
    return op->emitOpError(
        "is lowered to SPIR-V for bf16 only from and to f32");
  bool wide = (bf16 && !isa<arith::SelectOp>(op)) ||
              isa<math::MathDialect>(op->getDialect());
  auto narrow = [](Type type) { return type.isBF16() || type.isF16(); };
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Value operand : op->getOperands())
    operands.push_back(wide && narrow(operand.getType())
                           ? toF32(scalar(operand), operand.getType())
                           : scalar(operand));
  for (Type type : op->getResultTypes())
    types.push_back(wide && narrow(type) ? b.getF32Type() : getLaneType(type));
  OperationState state(op->getLoc(), op->getName().getStringRef(), operands,
                       types, op->getAttrs());
  Operation *clone = b.create(state);
  for (auto [result, lane] : llvm::zip(op->getResults(), clone->getResults()))
    setScalar(result, wide && narrow(result.getType())
                          ? fromF32(lane, result.getType())
                          : lane);
  return success();
}
