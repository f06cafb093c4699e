// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic of a launch plan as formulas of the bundle.

#include "Formulas.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helios;
using namespace helios::exporting;
using bundle::ExprId;
using bundle::ExprOp;

bool Formulas::isConstant(ExprId id, int64_t value) const {
  return plan.exprs[id].op == ExprOp::Const && plan.exprs[id].imm == value;
}

ExprId Formulas::conjunction(ExprId a, ExprId b) {
  if (isConstant(a, 1))
    return b;
  if (isConstant(b, 1) || a == b)
    return a;
  return build.logicalAnd(a, b);
}

ExprId Formulas::negation(ExprId a) {
  if (isConstant(a, 0) || isConstant(a, 1))
    return build.constant(isConstant(a, 0));
  if (plan.exprs[a].op == ExprOp::Not)
    return plan.exprs[a].operands[0]; // conditions are 0 or 1
  return build.logicalNot(a);
}

bool Formulas::isNonNegative(ExprId id) {
  if (auto it = nonNegative.find(id); it != nonNegative.end())
    return it->second;
  bundle::Expr e = plan.exprs[id];
  auto all = [&](unsigned first, unsigned last) {
    for (unsigned i = first; i <= last; ++i)
      if (!isNonNegative(e.operands[i]))
        return false;
    return true;
  };
  bool result = false;
  switch (e.op) {
  case ExprOp::Const:
    result = e.imm >= 0;
    break;
  case ExprOp::Extent:
  case ExprOp::Alignment:
  case ExprOp::Device:
  case ExprOp::Eq:
  case ExprOp::Ne:
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::And:
  case ExprOp::Or:
  case ExprOp::Not:
    result = true;
    break;
  case ExprOp::Add:
  case ExprOp::Mul:
  case ExprOp::FloorDiv:
  case ExprOp::CeilDiv:
  case ExprOp::Min:
    result = all(0, 1);
    break;
  case ExprOp::Rem:
    result = isNonNegative(
        e.operands[1]); // the sign of a floored remainder is the divisor's
    break;
  case ExprOp::Max:
    result = isNonNegative(e.operands[0]) || isNonNegative(e.operands[1]);
    break;
  case ExprOp::Select:
    result = all(1, 2);
    break;
  case ExprOp::Stride:
  case ExprOp::Scalar:
  case ExprOp::Offset:
  case ExprOp::Sub:
    break;
  }
  return nonNegative[id] = result;
}

ExprId Formulas::asUnsigned(ExprId id) {
  if (isNonNegative(id))
    return id;
  ExprId overflow = build.mul(build.constant(INT64_MAX), build.constant(2));
  return build.select(build.lt(id, build.constant(0)), overflow, id);
}

ExprId Formulas::truncatingDiv(ExprId a, ExprId b) {
  ExprId floored = build.floorDiv(a, b);
  if (isNonNegative(a) && isNonNegative(b))
    return floored;
  ExprId zero = build.constant(0);
  ExprId otherSign = build.sub(zero, build.floorDiv(build.sub(zero, a), b));
  return build.select(build.eq(build.lt(a, zero), build.lt(b, zero)), floored,
                      otherSign);
}

FailureOr<ExprId> Formulas::compare(arith::CmpIOp op,
                                    const PathValues &values) {
  ExprId a = values.lookup(op.getLhs()), b = values.lookup(op.getRhs());
  using P = arith::CmpIPredicate;
  P predicate = op.getPredicate();
  if (predicate >= P::ult) {
    a = asUnsigned(a);
    b = asUnsigned(b);
  } else if (op.getLhs().getType().isInteger(1) && predicate != P::eq &&
             predicate != P::ne) {
    return op.emitOpError(
        "orders values of one bit, for which a launch plan has no formula");
  }
  switch (predicate) {
  case P::eq:
    return build.eq(a, b);
  case P::ne:
    return build.ne(a, b);
  case P::slt:
  case P::ult:
    return build.lt(a, b);
  case P::sle:
  case P::ule:
    return build.le(a, b);
  case P::sgt:
  case P::ugt:
    return build.lt(b, a);
  case P::sge:
  case P::uge:
    return build.le(b, a);
  }
  llvm_unreachable("unknown predicate");
}

LogicalResult Formulas::defineArith(Operation *op, PathValues &values) {
  if (op->getNumResults() != 1)
    return op->emitOpError("has no formula in a launch plan");
  bool oneBit = op->getResult(0).getType().isInteger(1);
  auto operand = [&](unsigned i) { return values.lookup(op->getOperand(i)); };
  auto natural = [&](unsigned i) { return asUnsigned(operand(i)); };
  auto give = [&](ExprId id) {
    values.set(op->getResult(0), id);
    return success();
  };
  auto refuse = [&]() -> LogicalResult {
    return op->emitOpError(
        "has no formula in a launch plan; expected +, -, *, divisions, "
        "remainders, minimum, maximum, "
        "comparisons and selections of index, and logic of i1");
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp c) -> LogicalResult {
        auto integer = dyn_cast<IntegerAttr>(c.getValue());
        if (!integer || integer.getValue().getSignificantBits() > 64)
          return refuse();
        return give(build.constant(oneBit ? !integer.getValue().isZero()
                                          : integer.getValue().getSExtValue()));
      })
      .Case([&](arith::CmpIOp cmp) -> LogicalResult {
        FailureOr<ExprId> id = compare(cmp, values);
        return failed(id) ? failure() : give(*id);
      })
      .Case([&](arith::SelectOp) {
        return give(build.select(operand(0), operand(1), operand(2)));
      })
      .Case([&](arith::AndIOp) {
        return oneBit ? give(conjunction(operand(0), operand(1))) : refuse();
      })
      .Case([&](arith::OrIOp) {
        return oneBit ? give(build.logicalOr(operand(0), operand(1)))
                      : refuse();
      })
      .Case([&](arith::XOrIOp) {
        if (!oneBit)
          return refuse();
        if (isConstant(operand(1), 1))
          return give(negation(operand(0)));
        return give(build.ne(operand(0), operand(1)));
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([&](Operation *) {
        // A bit that is set is -1 when it is signed.
        bool wasBit = op->getOperand(0).getType().isInteger(1);
        if (oneBit)
          return refuse();
        return give(wasBit ? build.sub(build.constant(0), operand(0))
                           : operand(0));
      })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
          [&](Operation *) { return oneBit ? refuse() : give(natural(0)); })
      .Default([&](Operation *) -> LogicalResult {
        if (oneBit)
          return refuse();
        return llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case([&](arith::AddIOp) {
              return give(build.add(operand(0), operand(1)));
            })
            .Case([&](arith::SubIOp) {
              return give(build.sub(operand(0), operand(1)));
            })
            .Case([&](arith::MulIOp) {
              return give(build.mul(operand(0), operand(1)));
            })
            .Case([&](arith::FloorDivSIOp) {
              return give(build.floorDiv(operand(0), operand(1)));
            })
            .Case([&](arith::CeilDivSIOp) {
              return give(build.ceilDiv(operand(0), operand(1)));
            })
            .Case([&](arith::DivSIOp) {
              return give(truncatingDiv(operand(0), operand(1)));
            })
            .Case([&](arith::RemSIOp) {
              ExprId a = operand(0), b = operand(1);
              if (isNonNegative(a) && isNonNegative(b))
                return give(build.rem(a, b));
              return give(build.sub(a, build.mul(b, truncatingDiv(a, b))));
            })
            .Case([&](arith::DivUIOp) {
              return give(build.floorDiv(natural(0), natural(1)));
            })
            .Case([&](arith::CeilDivUIOp) {
              return give(build.ceilDiv(natural(0), natural(1)));
            })
            .Case([&](arith::RemUIOp) {
              return give(build.rem(natural(0), natural(1)));
            })
            .Case([&](arith::MinSIOp) {
              return give(build.min(operand(0), operand(1)));
            })
            .Case([&](arith::MaxSIOp) {
              return give(build.max(operand(0), operand(1)));
            })
            .Case([&](arith::MinUIOp) {
              return give(build.min(natural(0), natural(1)));
            })
            .Case([&](arith::MaxUIOp) {
              return give(build.max(natural(0), natural(1)));
            })
            .Default([&](Operation *) { return refuse(); });
      });
}

/// The number of a plan's argument, or failure with a diagnostic.
static FailureOr<uint32_t> argumentNumber(Operation *op, Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || !isa<tile::PlanOp>(argument.getOwner()->getParentOp()))
    return op->emitOpError("expected an argument of the plan");
  return argument.getArgNumber();
}

/// What bundles call a property.
static bundle::DeviceProperty propertyOf(tile::DeviceProperty property) {
  switch (property) {
  case tile::DeviceProperty::ComputeUnits:
    return bundle::DeviceProperty::ComputeUnits;
  case tile::DeviceProperty::ClustersOf2:
    return bundle::DeviceProperty::ClustersOf2;
  case tile::DeviceProperty::ClustersOf4:
    return bundle::DeviceProperty::ClustersOf4;
  case tile::DeviceProperty::ClustersOf8:
    return bundle::DeviceProperty::ClustersOf8;
  }
  llvm_unreachable("a property of devices");
}

LogicalResult Formulas::define(Operation *op, PathValues &values) {
  if (isa<arith::ArithDialect>(op->getDialect()))
    return defineArith(op, values);
  if (auto device = dyn_cast<tile::DeviceOp>(op)) {
    values.set(device, build.device(propertyOf(device.getProperty())));
    return success();
  }
  if (!isa<tile::ExtentOp, tile::StrideOp, tile::AlignmentOp>(op))
    return op->emitOpError("has no formula in a launch plan");
  FailureOr<uint32_t> argument = argumentNumber(op, op->getOperand(0));
  if (failed(argument))
    return failure();
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  auto checkDim = [&](int64_t dim) -> LogicalResult {
    if (dim < 0 || dim >= rank)
      return op->emitOpError("expected a dimension below the rank ")
             << rank << ", got " << dim;
    return success();
  };
  if (auto extent = dyn_cast<tile::ExtentOp>(op)) {
    if (failed(checkDim(extent.getDim())))
      return failure();
    values.set(extent, build.extent(*argument, extent.getDim()));
  } else if (auto stride = dyn_cast<tile::StrideOp>(op)) {
    if (failed(checkDim(stride.getDim())))
      return failure();
    values.set(stride, build.stride(*argument, stride.getDim()));
  } else {
    values.set(op->getResult(0), build.alignment(*argument));
  }
  return success();
}
