// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic under RegionEval: integers that wrap, float operations with
// bounds.

#ifndef HELIOS_BENCH_REGIONMATH_H
#define HELIOS_BENCH_REGIONMATH_H

#include "helios/Bench/RegionEval.h"

namespace helios::bench {

/// `value` reduced to the width of `type` and sign-extended (U8 and I1
/// zero-extended).
int64_t wrapInteger(bundle::ElementType type, int64_t value);
/// The low bits of `value` in `type`, zero-extended.
uint64_t zeroExtend(bundle::ElementType type, int64_t value);
/// Smallest and largest number of an integer type.
void integerRange(bundle::ElementType type, bool isUnsigned, double &low,
                  double &high);
/// The integer nearest to zero of a double within 64 bits (signed or unsigned);
/// 0 for others.
int64_t floatToInteger(double value);
/// One integer operation; division by zero gives 0, shifts beyond the width 0
/// or the sign.
int64_t integerOp(bundle::ScalarOpKind kind, bundle::ElementType type,
                  int64_t x, int64_t y);

/// One float operation on `count` elements, with bounds.
void evaluateFloat(const bundle::ScalarOp &op, const Lanes &x, const Lanes *y,
                   const Lanes *z, int count, Lanes &r);

} // namespace helios::bench

#endif // HELIOS_BENCH_REGIONMATH_H
