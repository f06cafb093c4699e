// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalar work of a lane: arith and math ops on single values. An index is 64
// bits wide; functions of narrow floats are computed in f32.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

Type helios::ptx::getLaneType(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (isa<FloatTF32Type>(type))
    return Float32Type::get(type.getContext());
  // Bits.
  if (isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return IntegerType::get(type.getContext(), 8);
  return type;
}

int64_t helios::ptx::bytesOf(Type type) {
  return type.isIndex()
             ? 8
             : int64_t(llvm::divideCeil(tile::getStoredBits(type), 8));
}

//===----------------------------------------------------------------------===//
// Small arithmetic; a null value is zero
//===----------------------------------------------------------------------===//

Value KernelLowering::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    known = arith::ConstantOp::create(b, value);
  }
  return known;
}

Value KernelLowering::i32(int64_t value) {
  return constant(b.getI32IntegerAttr(value));
}

Value KernelLowering::i64(int64_t value) {
  return constant(b.getI64IntegerAttr(value));
}

Value KernelLowering::constantOf(Type type, double value) {
  Type lane = getLaneType(type);
  if (isa<FloatType>(type) && isa<IntegerType>(lane))
    return constant(b.getIntegerAttr(
        lane, b.getFloatAttr(type, value).getValue().bitcastToAPInt()));
  if (isa<FloatType>(type))
    return constant(b.getFloatAttr(lane, value));
  return constant(b.getIntegerAttr(lane, int64_t(value)));
}

Value KernelLowering::constantLike(Value value, int64_t c) {
  return value.getType().isInteger(64) ? i64(c) : i32(c);
}

Value KernelLowering::add(Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return b.createOrFold<arith::AddIOp>(a, c);
}

Value KernelLowering::addConstant(Value a, int64_t c) {
  return c == 0 ? a : b.createOrFold<arith::AddIOp>(a, constantLike(a, c));
}

Value KernelLowering::multiply(Value a, OpFoldResult factor) {
  if (!a)
    return {};
  if (std::optional<int64_t> c = getConstantIntValue(factor)) {
    if (*c == 0)
      return {};
    return *c == 1 ? a : b.createOrFold<arith::MulIOp>(a, constantLike(a, *c));
  }
  return b.createOrFold<arith::MulIOp>(a, cast<Value>(factor));
}

Value KernelLowering::toI32(Value a) {
  if (!a || a.getType().isInteger(32))
    return a;
  return b.createOrFold<arith::TruncIOp>(b.getI32Type(), a);
}

/// Of a value of lanes, which is never negative.
Value KernelLowering::toI64(Value a) {
  if (!a || a.getType().isInteger(64))
    return a;
  return b.createOrFold<arith::ExtUIOp>(b.getI64Type(), a);
}

Value KernelLowering::toF32(Value lane) {
  Type type = lane.getType();
  return type.isF16() || type.isBF16()
             ? Value(arith::ExtFOp::create(b, b.getF32Type(), lane))
             : lane;
}

Value KernelLowering::fromF32(Value value, Type type) {
  return type.isF16() || type.isBF16()
             ? Value(arith::TruncFOp::create(b, type, value))
             : value;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// index to or from an integer.
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

/// Functions that the back end has, or that MathFunctions.cpp and
/// MathExpansions.cpp write out.
static bool hasLowering(Operation *op) {
  return !isa<math::IPowIOp, math::SincosOp, math::ClampFOp, math::IsNormalOp>(
             op) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           return !isa<FloatType>(type) || !type.isF64();
         });
}

/// A product and a sum may become one instruction that rounds once.
static void allowContraction(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  if (flags && isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    op->setAttr(flags.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(
                    op->getContext(), flags.getFastMathFlagsAttr().getValue() |
                                          arith::FastMathFlags::contract));
}

/// Whether a division of indices has operands that 32 bits hold, of which it
/// takes a third of the instructions and no branch.
static bool isNarrowDivision(Operation *op) {
  return isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op) &&
         op->getResult(0).getType().isIndex() &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           tile::IndexRange range = tile::knownRange(operand);
           return range.low >= 0 && range.high <= UINT32_MAX;
         });
}

LogicalResult KernelLowering::lowerScalar(Operation *op) {
  if (op->getNumRegions())
    return op->emitOpError("with regions is not lowered to PTX");
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes()))) {
    if (!type.isIntOrIndexOrFloat())
      return op->emitOpError("expected scalars, got ")
             << type
             << "; element-wise work on fragments belongs in a frag.map";
    bool multiplied = tile::isOperandType(type);
    if (isa<FloatType>(type) && (bytesOf(type) < 2 || multiplied) &&
        !(multiplied && isa<arith::ConstantOp>(op)))
      return op->emitOpError("of ") << type << " is not lowered to PTX yet";
  }
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constantOp.getValue());
    if (tile::isOperandType(constantOp.getType())) {
      auto value = cast<FloatAttr>(constantOp.getValue());
      setScalar(op->getResult(0),
                constantOf(constantOp.getType(), value.getValueAsDouble()));
      return success();
    }
    setScalar(op->getResult(0), integer && integer.getType().isIndex()
                                    ? i64(integer.getInt())
                                    : constant(constantOp.getValue()));
    return success();
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    Type to = getLaneType(op->getResult(0).getType());
    Value from = scalar(op->getOperand(0));
    Value narrow = narrowIotaElement(from, to);
    setScalar(op->getResult(0),
              narrow ? narrow
                     : castIndex(b, from, to, isa<arith::IndexCastOp>(op)));
    return success();
  }
  bool wide = isa<math::MathDialect>(op->getDialect());
  if (wide && !hasLowering(op))
    return op->emitOpError(
        "is not lowered to PTX yet; write it with other functions of math");
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Value operand : op->getOperands())
    operands.push_back(wide ? toF32(scalar(operand)) : scalar(operand));
  for (Type type : op->getResultTypes())
    types.push_back(wide && (type.isF16() || type.isBF16())
                        ? b.getF32Type()
                        : getLaneType(type));
  if (Value result = lowerWithIotas(op, operands)) {
    setScalar(op->getResult(0), result);
    return success();
  }
  bool isNarrow = isNarrowDivision(op);
  if (isNarrow) {
    for (Value &operand : operands)
      operand = toI32(operand);
    types.front() = b.getI32Type();
  }
  OperationState state(op->getLoc(), op->getName().getStringRef(), operands,
                       types, op->getAttrs());
  Operation *clone = b.create(state);
  allowContraction(clone);
  for (auto [result, lane] : llvm::zip(op->getResults(), clone->getResults()))
    setScalar(result, wide       ? fromF32(lane, result.getType())
                      : isNarrow ? toI64(lane)
                                 : lane);
  return success();
}
