// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/RegionEval.h"
#include "RegionMath.h"
#include "helios/Bench/Numbers.h"

#include <algorithm>
#include <cmath>

namespace helios::bench {

using bundle::CmpPredicate;
using bundle::ElementType;
using bundle::Region;
using bundle::ScalarOp;
using bundle::ScalarOpKind;

namespace {

void setInteger(Lanes &r, int i, int64_t v) {
  r.integer[i] = v;
  r.value[i] = r.lo[i] = r.hi[i] = double(v);
}

void setUnbounded(Lanes &r, int i) {
  r.lo[i] = -INFINITY;
  r.hi[i] = INFINITY;
}

bool isExact(const Lanes &l, int i) {
  return l.lo[i] == l.hi[i] || std::isnan(l.value[i]);
}

/// Integer operations: exact on exact operands, else unbounded except where
/// sums and order keep bounds.
void evaluateInteger(const ScalarOp &op, const Lanes *x, const Lanes *y,
                     int count, Lanes &r) {
  for (int i = 0; i < count; ++i) {
    const bool exact = isExact(*x, i) && (!y || isExact(*y, i));
    const int64_t result =
        integerOp(op.kind, op.type, x->integer[i], y ? y->integer[i] : 0);
    setInteger(r, i, result);
    if (exact)
      continue;
    setUnbounded(r, i);
    if (op.kind == ScalarOpKind::Add)
      r.lo[i] = x->lo[i] + y->lo[i], r.hi[i] = x->hi[i] + y->hi[i];
    else if (op.kind == ScalarOpKind::MinS)
      r.lo[i] = std::min(x->lo[i], y->lo[i]),
      r.hi[i] = std::min(x->hi[i], y->hi[i]);
    else if (op.kind == ScalarOpKind::MaxS)
      r.lo[i] = std::max(x->lo[i], y->lo[i]),
      r.hi[i] = std::max(x->hi[i], y->hi[i]);
  }
}

/// Which of less, equal, greater and unordered can hold between two intervals.
struct Order {
  bool less, equal, greater, unordered;
};

bool holds(CmpPredicate p, const Order &o) {
  switch (p) {
  case CmpPredicate::Eq:
  case CmpPredicate::OEq:
    return o.equal;
  case CmpPredicate::Ne:
  case CmpPredicate::UNe:
    return o.less || o.greater || o.unordered;
  case CmpPredicate::ONe:
    return o.less || o.greater;
  case CmpPredicate::Slt:
  case CmpPredicate::OLt:
    return o.less;
  case CmpPredicate::Ult:
    return o.less || o.unordered;
  case CmpPredicate::Sle:
  case CmpPredicate::OLe:
    return o.less || o.equal;
  case CmpPredicate::Ule:
    return o.less || o.equal || o.unordered;
  case CmpPredicate::Sgt:
  case CmpPredicate::OGt:
    return o.greater;
  case CmpPredicate::Ugt:
    return o.greater || o.unordered;
  case CmpPredicate::Sge:
  case CmpPredicate::OGe:
    return o.greater || o.equal;
  case CmpPredicate::Uge:
    return o.greater || o.equal || o.unordered;
  case CmpPredicate::Ord:
    return !o.unordered;
  case CmpPredicate::Uno:
    return o.unordered;
  case CmpPredicate::UEq:
    return o.equal || o.unordered;
  case CmpPredicate::AlwaysFalse:
    return false;
  case CmpPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

Order orderOf(double a, double b) {
  return {a<b, a == b, a> b, std::isnan(a) || std::isnan(b)};
}

void evaluateCompare(const ScalarOp &op, ElementType operandType,
                     const Lanes &x, const Lanes &y, int count, Lanes &r) {
  const auto predicate = CmpPredicate(op.index);
  const bool integers = !bundle::isFloat(operandType);
  const bool isUnsigned =
      integers &&
      (predicate == CmpPredicate::Ult || predicate == CmpPredicate::Ule ||
       predicate == CmpPredicate::Ugt || predicate == CmpPredicate::Uge);
  for (int i = 0; i < count; ++i) {
    if (integers && isExact(x, i) && isExact(y, i)) {
      int64_t a = x.integer[i], b = y.integer[i];
      bool less = a < b;
      if (isUnsigned)
        less = zeroExtend(operandType, a) < zeroExtend(operandType, b);
      setInteger(r, i,
                 holds(predicate, {less, a == b, !less && a != b, false}));
      continue;
    }
    const bool result = holds(predicate, orderOf(x.value[i], y.value[i]));
    setInteger(r, i, result);
    // Another answer is possible where the intervals overlap.
    const Order possible{x.lo[i] < y.hi[i],
                         x.lo[i] <= y.hi[i] && y.lo[i] <= x.hi[i],
                         x.hi[i] > y.lo[i], false};
    const bool nan = std::isnan(x.value[i]) || std::isnan(y.value[i]);
    if (nan || (isExact(x, i) && isExact(y, i)))
      continue;
    const bool some[3] = {possible.less, possible.equal, possible.greater};
    for (int o = 0; o < 3; ++o)
      if (some[o] && (isUnsigned || holds(predicate, {o == 0, o == 1, o == 2,
                                                      false}) != result))
        r.lo[i] = 0, r.hi[i] = 1;
  }
}

void evaluateSelect(const Lanes &c, const Lanes &x, const Lanes &y, int count,
                    Lanes &r) {
  for (int i = 0; i < count; ++i) {
    const Lanes &taken = c.integer[i] ? x : y;
    r.value[i] = taken.value[i];
    r.integer[i] = taken.integer[i];
    r.lo[i] = taken.lo[i];
    r.hi[i] = taken.hi[i];
    if (isExact(c, i))
      continue;
    r.lo[i] = std::min(x.lo[i], y.lo[i]);
    r.hi[i] = std::max(x.hi[i], y.hi[i]);
    if (std::isnan(x.value[i]) || std::isnan(y.value[i]))
      setUnbounded(r, i);
  }
}

/// Coordinates up to this are exact in f32, and so are those of a tile that
/// holds them.
constexpr double kExactCoordinates = 0x1p24 - 0x1p10;

void evaluateCast(const ScalarOp &op, ElementType from, const Lanes &x,
                  int count, Lanes &r) {
  const bool isUnsigned = op.kind == ScalarOpKind::CastU;
  const bool fromFloat = bundle::isFloat(from),
             toFloat = bundle::isFloat(op.type);
  for (int i = 0; i < count; ++i) {
    if (fromFloat && toFloat) {
      r.value[i] = roundFloat(op.type, x.value[i]);
      r.lo[i] = roundFloat(op.type, x.lo[i]);
      r.hi[i] = roundFloat(op.type, x.hi[i]);
      r.integer[i] = 0;
    } else if (toFloat) {
      // An unsigned number beyond the signed range loses what a double cannot
      // hold; nothing smaller does.
      const double v = isUnsigned ? double(zeroExtend(from, x.integer[i]))
                                  : double(x.integer[i]);
      r.value[i] = roundFloat(op.type, v);
      r.lo[i] = isExact(x, i) ? r.value[i] : roundFloat(op.type, x.lo[i]);
      r.hi[i] = isExact(x, i) ? r.value[i] : roundFloat(op.type, x.hi[i]);
      if (isUnsigned && !isExact(x, i) && !(x.lo[i] >= 0))
        setUnbounded(r, i);
      // A kernel may convert what coordinates have in common, and then add what
      // they have not.
      if (op.type == ElementType::F32 && std::abs(v) > kExactCoordinates) {
        const double rounding = std::abs(v) * 0x1p-23;
        r.lo[i] -= rounding;
        r.hi[i] += rounding;
      }
      r.integer[i] = 0;
    } else if (fromFloat) {
      double low, high;
      integerRange(op.type, isUnsigned, low, high);
      const double v = std::trunc(x.value[i]);
      const bool inside =
          std::trunc(x.lo[i]) >= low && std::trunc(x.hi[i]) <= high;
      setInteger(r, i, inside ? wrapInteger(op.type, floatToInteger(v)) : 0);
      if (!inside) // what a kernel does with such a number is not defined
        setUnbounded(r, i);
      else if (!isExact(x, i))
        r.lo[i] = std::trunc(x.lo[i]), r.hi[i] = std::trunc(x.hi[i]);
    } else {
      const int64_t v =
          isUnsigned ? int64_t(zeroExtend(from, x.integer[i])) : x.integer[i];
      setInteger(r, i, wrapInteger(op.type, v));
      if (!isExact(x, i))
        setUnbounded(r, i);
    }
  }
}

void evaluateBitcast(const ScalarOp &op, ElementType from, const Lanes &x,
                     int count, Lanes &r) {
  for (int i = 0; i < count; ++i) {
    const uint64_t bits = bundle::isFloat(from)
                              ? bundle::encodeElement(from, x.value[i])
                              : zeroExtend(from, x.integer[i]);
    if (bundle::isFloat(op.type)) {
      r.value[i] = r.lo[i] = r.hi[i] = bundle::decodeElement(op.type, bits);
      r.integer[i] = 0;
    } else {
      setInteger(r, i, wrapInteger(op.type, int64_t(bits)));
    }
    if (!isExact(x, i))
      setUnbounded(r, i);
  }
}

void evaluateClassify(const ScalarOp &op, const Lanes &x, int count, Lanes &r) {
  for (int i = 0; i < count; ++i) {
    auto test = [&](double v) {
      if (op.kind == ScalarOpKind::IsNan)
        return std::isnan(v);
      return op.kind == ScalarOpKind::IsInf ? std::isinf(v) : std::isfinite(v);
    };
    setInteger(r, i, test(x.value[i]));
    if (!isExact(x, i) && (test(x.lo[i]) != test(x.value[i]) ||
                           test(x.hi[i]) != test(x.value[i])))
      r.lo[i] = 0, r.hi[i] = 1;
  }
}

void splat(const ScalarOp &op, double value, int64_t integer, int count,
           Lanes &r) {
  for (int i = 0; i < count; ++i)
    if (bundle::isFloat(op.type)) {
      r.value[i] = r.lo[i] = r.hi[i] = value;
      r.integer[i] = 0;
    } else {
      setInteger(r, i, integer);
    }
}

} // namespace

RegionEvaluator::RegionEvaluator(const Region &region)
    : region(region), values(region.ops.size()) {}

const Lanes &RegionEvaluator::evaluate(const RegionInputs &in) {
  const int count = in.count;
  for (size_t n = 0; n < region.ops.size(); ++n) {
    const ScalarOp &op = region.ops[n];
    Lanes &r = values[n];
    const Lanes *x =
        bundle::scalarOpArity(op.kind) > 0 ? &values[op.operands[0]] : nullptr;
    const Lanes *y =
        bundle::scalarOpArity(op.kind) > 1 ? &values[op.operands[1]] : nullptr;
    const Lanes *z =
        bundle::scalarOpArity(op.kind) > 2 ? &values[op.operands[2]] : nullptr;
    const ElementType from = x ? region.ops[op.operands[0]].type : op.type;
    auto copy = [&](const Lanes &l) {
      std::copy_n(l.value, count, r.value);
      std::copy_n(l.lo, count, r.lo);
      std::copy_n(l.hi, count, r.hi);
      std::copy_n(l.integer, count, r.integer);
    };
    switch (op.kind) {
    case ScalarOpKind::Accumulator:
      copy(*in.accumulator);
      break;
    case ScalarOpKind::Fused:
      copy(*in.fused[op.index]);
      break;
    case ScalarOpKind::Index:
      for (int i = 0; i < count; ++i)
        setInteger(r, i, in.indices[op.index][i]);
      break;
    case ScalarOpKind::Extent:
      splat(op, 0, (*in.extents)[op.index][size_t(op.intImm)], count, r);
      break;
    case ScalarOpKind::Const:
      splat(op, roundFloat(op.type, op.imm), op.intImm, count, r);
      break;
    case ScalarOpKind::ScalarArg: {
      const int64_t bits = in.scalars[op.index];
      splat(op, bundle::decodeElement(op.type, uint64_t(bits)), bits, count, r);
      break;
    }
    case ScalarOpKind::Cmp:
      evaluateCompare(op, from, *x, *y, count, r);
      break;
    case ScalarOpKind::Select:
      evaluateSelect(*x, *y, *z, count, r);
      break;
    case ScalarOpKind::Cast:
    case ScalarOpKind::CastU:
      evaluateCast(op, from, *x, count, r);
      break;
    case ScalarOpKind::Bitcast:
      evaluateBitcast(op, from, *x, count, r);
      break;
    case ScalarOpKind::IsNan:
    case ScalarOpKind::IsInf:
    case ScalarOpKind::IsFinite:
      evaluateClassify(op, *x, count, r);
      break;
    default:
      if (bundle::isFloat(op.type))
        evaluateFloat(op, *x, y, z, count, r);
      else
        evaluateInteger(op, x, y, count, r);
    }
  }
  return values[region.result];
}

Affinity accumulatorAffinity(const Region &region) {
  // Each value is constant in the accumulator, or alpha * accumulator + beta,
  // or neither.
  struct Form {
    int degree = 0; // 0, 1, or 2 for "something else"
    uint64_t alpha = 0, reads = 0;
    bool alphaIndexed = false, indexed = false;
  };
  std::vector<Form> forms(region.ops.size());
  for (size_t n = 0; n < region.ops.size(); ++n) {
    const ScalarOp &op = region.ops[n];
    Form &f = forms[n];
    const unsigned arity = bundle::scalarOpArity(op.kind);
    const Form x = arity > 0 ? forms[op.operands[0]] : Form();
    const Form y = arity > 1 ? forms[op.operands[1]] : Form();
    const Form z = arity > 2 ? forms[op.operands[2]] : Form();
    f.reads = x.reads | y.reads | z.reads;
    f.indexed = x.indexed || y.indexed || z.indexed;
    const bool usesAccumulator = x.degree || y.degree || z.degree;
    switch (op.kind) {
    case ScalarOpKind::Accumulator:
      f.degree = 1;
      break;
    case ScalarOpKind::Fused:
      f.reads = op.index < 64 ? uint64_t(1) << op.index : ~uint64_t(0);
      break;
    case ScalarOpKind::Index:
      f.indexed = true;
      break;
    case ScalarOpKind::Add:
    case ScalarOpKind::Sub:
    case ScalarOpKind::Neg:
      f.degree = std::max(x.degree, y.degree);
      f.alpha = x.alpha | y.alpha;
      f.alphaIndexed = x.alphaIndexed || y.alphaIndexed;
      break;
    case ScalarOpKind::Cast: // between floats; its rounding is in the bounds
      f.degree = bundle::isFloat(op.type) ? x.degree : (x.degree ? 2 : 0);
      f.alpha = x.alpha;
      f.alphaIndexed = x.alphaIndexed;
      break;
    case ScalarOpKind::Mul:
    case ScalarOpKind::Div: {
      f.degree =
          x.degree + (op.kind == ScalarOpKind::Mul ? y.degree : 2 * y.degree);
      const Form &factor = x.degree ? y : x;
      f.alpha = x.alpha | y.alpha | factor.reads;
      f.alphaIndexed = x.alphaIndexed || y.alphaIndexed || factor.indexed;
      break;
    }
    case ScalarOpKind::Fma: {
      f.degree = std::max(x.degree + y.degree, z.degree);
      const Form &factor = x.degree ? y : x;
      f.alpha = z.alpha | x.alpha | y.alpha |
                (x.degree || y.degree ? factor.reads : 0);
      f.alphaIndexed = z.alphaIndexed || x.alphaIndexed || y.alphaIndexed ||
                       ((x.degree || y.degree) && factor.indexed);
      break;
    }
    default:
      f.degree = usesAccumulator ? 2 : 0;
    }
    f.degree = std::min(f.degree, 2);
    if (f.degree == 0)
      f.alpha = 0, f.alphaIndexed = false;
  }
  const Form &result = forms[region.result];
  return {result.degree == 1 && !result.alphaIndexed, result.alpha};
}

} // namespace helios::bench
