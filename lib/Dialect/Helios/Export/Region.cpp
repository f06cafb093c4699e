// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Region.h"
#include "helios/Dialect/Helios/Export/Semantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace helios;
using namespace helios::exporter;
using bundle::CmpPredicate;
using bundle::ScalarOp;
using Kind = bundle::ScalarOpKind;

/// The counterpart of an operation, by its name; each has the same operands and
/// one result.
static std::optional<Kind> kindOf(StringRef name) {
  return llvm::StringSwitch<std::optional<Kind>>(name)
      .Cases({"arith.addf", "arith.addi"}, Kind::Add)
      .Cases({"arith.subf", "arith.subi"}, Kind::Sub)
      .Cases({"arith.mulf", "arith.muli"}, Kind::Mul)
      .Cases({"arith.divf", "arith.divsi"}, Kind::Div)
      .Case("arith.divui", Kind::DivU)
      .Case("arith.floordivsi", Kind::FloorDiv)
      .Case("arith.ceildivsi", Kind::CeilDiv)
      .Cases({"arith.remf", "arith.remsi"}, Kind::Rem)
      .Case("arith.remui", Kind::RemU)
      .Case("arith.negf", Kind::Neg)
      .Cases({"math.absf", "math.absi"}, Kind::Abs)
      .Case("arith.minimumf", Kind::Minimum)
      .Case("arith.maximumf", Kind::Maximum)
      .Case("arith.minnumf", Kind::MinNum)
      .Case("arith.maxnumf", Kind::MaxNum)
      .Case("arith.minsi", Kind::MinS)
      .Case("arith.maxsi", Kind::MaxS)
      .Case("arith.minui", Kind::MinU)
      .Case("arith.maxui", Kind::MaxU)
      .Case("math.fma", Kind::Fma)
      .Case("math.exp", Kind::Exp)
      .Case("math.exp2", Kind::Exp2)
      .Case("math.expm1", Kind::Expm1)
      .Case("math.log", Kind::Log)
      .Case("math.log2", Kind::Log2)
      .Case("math.log10", Kind::Log10)
      .Case("math.log1p", Kind::Log1p)
      .Case("math.sin", Kind::Sin)
      .Case("math.cos", Kind::Cos)
      .Case("math.tan", Kind::Tan)
      .Case("math.asin", Kind::Asin)
      .Case("math.acos", Kind::Acos)
      .Case("math.atan", Kind::Atan)
      .Case("math.atan2", Kind::Atan2)
      .Case("math.sinh", Kind::Sinh)
      .Case("math.cosh", Kind::Cosh)
      .Case("math.tanh", Kind::Tanh)
      .Case("math.asinh", Kind::Asinh)
      .Case("math.acosh", Kind::Acosh)
      .Case("math.atanh", Kind::Atanh)
      .Case("math.erf", Kind::Erf)
      .Case("math.erfc", Kind::Erfc)
      .Case("math.sqrt", Kind::Sqrt)
      .Case("math.rsqrt", Kind::Rsqrt)
      .Case("math.cbrt", Kind::Cbrt)
      .Case("math.powf", Kind::Pow)
      .Cases({"math.ipowi", "math.fpowi"}, Kind::IPow)
      .Case("math.floor", Kind::Floor)
      .Case("math.ceil", Kind::Ceil)
      .Case("math.round", Kind::Round)
      .Case("math.trunc", Kind::Trunc)
      .Case("math.roundeven", Kind::RoundEven)
      .Case("math.copysign", Kind::CopySign)
      .Case("math.isnan", Kind::IsNan)
      .Case("math.isinf", Kind::IsInf)
      .Case("math.isfinite", Kind::IsFinite)
      .Cases({"arith.cmpf", "arith.cmpi"}, Kind::Cmp)
      .Case("arith.select", Kind::Select)
      .Case("arith.andi", Kind::And)
      .Case("arith.ori", Kind::Or)
      .Case("arith.xori", Kind::Xor)
      .Case("arith.shli", Kind::Shl)
      .Case("arith.shrsi", Kind::ShrS)
      .Case("arith.shrui", Kind::ShrU)
      .Cases({"arith.extf", "arith.truncf", "arith.sitofp", "arith.fptosi"},
             Kind::Cast)
      .Cases({"arith.extsi", "arith.trunci", "arith.index_cast"}, Kind::Cast)
      .Cases(
          {"arith.extui", "arith.uitofp", "arith.fptoui", "arith.index_castui"},
          Kind::CastU)
      .Case("arith.bitcast", Kind::Bitcast)
      .Default(std::nullopt);
}

static CmpPredicate predicateOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return CmpPredicate::Eq;
  case arith::CmpIPredicate::ne:
    return CmpPredicate::Ne;
  case arith::CmpIPredicate::slt:
    return CmpPredicate::Slt;
  case arith::CmpIPredicate::sle:
    return CmpPredicate::Sle;
  case arith::CmpIPredicate::sgt:
    return CmpPredicate::Sgt;
  case arith::CmpIPredicate::sge:
    return CmpPredicate::Sge;
  case arith::CmpIPredicate::ult:
    return CmpPredicate::Ult;
  case arith::CmpIPredicate::ule:
    return CmpPredicate::Ule;
  case arith::CmpIPredicate::ugt:
    return CmpPredicate::Ugt;
  case arith::CmpIPredicate::uge:
    return CmpPredicate::Uge;
  }
  llvm_unreachable("unknown predicate");
}

static CmpPredicate predicateOf(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return CmpPredicate::AlwaysFalse;
  case arith::CmpFPredicate::OEQ:
    return CmpPredicate::OEq;
  case arith::CmpFPredicate::OGT:
    return CmpPredicate::OGt;
  case arith::CmpFPredicate::OGE:
    return CmpPredicate::OGe;
  case arith::CmpFPredicate::OLT:
    return CmpPredicate::OLt;
  case arith::CmpFPredicate::OLE:
    return CmpPredicate::OLe;
  case arith::CmpFPredicate::ONE:
    return CmpPredicate::ONe;
  case arith::CmpFPredicate::ORD:
    return CmpPredicate::Ord;
  case arith::CmpFPredicate::UEQ:
    return CmpPredicate::UEq;
  case arith::CmpFPredicate::UGT:
    return CmpPredicate::Ugt;
  case arith::CmpFPredicate::UGE:
    return CmpPredicate::Uge;
  case arith::CmpFPredicate::ULT:
    return CmpPredicate::Ult;
  case arith::CmpFPredicate::ULE:
    return CmpPredicate::Ule;
  case arith::CmpFPredicate::UNE:
    return CmpPredicate::UNe;
  case arith::CmpFPredicate::UNO:
    return CmpPredicate::Uno;
  case arith::CmpFPredicate::AlwaysTrue:
    return CmpPredicate::AlwaysTrue;
  }
  llvm_unreachable("unknown predicate");
}

std::optional<bundle::ElementType> helios::toElementType(Type type) {
  if (type.isIndex())
    return bundle::ElementType::I64;
  std::string name;
  llvm::raw_string_ostream(name) << type;
  for (uint8_t i = 0; i < bundle::kNumElementTypes; ++i)
    if (auto element = static_cast<bundle::ElementType>(i);
        name == bundle::mlirTypeName(element))
      return element;
  return std::nullopt;
}

LogicalResult RegionExporter::addLeaf(Value value, Kind kind, uint32_t index) {
  std::optional<bundle::ElementType> type = toElementType(value.getType());
  if (!type)
    return emitError(value.getLoc())
           << "a checker has no elements of type " << value.getType();
  ScalarOp op;
  op.kind = kind;
  op.type = *type;
  op.index = index;
  numbers[value] = region.append(op);
  return success();
}

FailureOr<uint32_t> RegionExporter::translate(Value value) {
  if (auto known = numbers.find(value); known != numbers.end())
    return known->second;
  Operation *definition = value.getDefiningOp();
  std::optional<bundle::ElementType> type = toElementType(value.getType());
  if (!definition || !type)
    return emitError(value.getLoc())
           << "a checker cannot compute this value of type " << value.getType();
  ScalarOp op;
  op.type = *type;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    op.kind = Kind::Const;
    if (auto floating = dyn_cast<FloatAttr>(constant))
      op.imm = floating.getValueAsDouble();
    else if (auto integer = dyn_cast<IntegerAttr>(constant))
      op.intImm = integer.getType().isInteger(1)
                      ? integer.getValue().getZExtValue()
                      : integer.getValue().getSExtValue();
    else
      return definition->emitOpError("is no constant that a checker can hold");
    return numbers[value] = region.append(op);
  }
  if (auto dim = dyn_cast<tensor::DimOp>(definition)) {
    auto argument = llvm::find(arguments, dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (argument == arguments.end() || !index)
      return definition->emitOpError(
          "is no extent that a checker can read: it must be of an argument of "
          "the kernel, with a constant dimension");
    op.kind = Kind::Extent;
    op.index = uint32_t(std::distance(arguments.begin(), argument));
    op.intImm = *index;
    return numbers[value] = region.append(op);
  }
  std::optional<Kind> kind = kindOf(definition->getName().getStringRef());
  if (!kind || definition->getNumOperands() != bundle::scalarOpArity(*kind))
    return definition->emitOpError(
        "is no operation that a checker can evaluate; the list is in "
        "docs/bundle-format.md");
  op.kind = *kind;
  for (auto [i, operand] : llvm::enumerate(definition->getOperands())) {
    FailureOr<uint32_t> number = translate(operand);
    if (failed(number))
      return failure();
    op.operands[i] = *number;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(definition))
    op.index = static_cast<uint32_t>(predicateOf(compare.getPredicate()));
  if (auto compare = dyn_cast<arith::CmpFOp>(definition))
    op.index = static_cast<uint32_t>(predicateOf(compare.getPredicate()));
  if (auto tanh = dyn_cast<math::TanhOp>(definition))
    op.index =
        bitEnumContainsAll(tanh.getFastmath(), arith::FastMathFlags::afn);
  return numbers[value] = region.append(op);
}
