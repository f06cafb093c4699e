// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk conversions between storage formats and double. They are written apart
// from the bundle library's element functions, and the tests hold the two
// against each other bit for bit.

#ifndef HELIOS_BENCH_NUMBERS_H
#define HELIOS_BENCH_NUMBERS_H

#include "helios/Bundle/ElementType.h"
#include <cstddef>
#include <cstdint>

namespace helios::bench {

using bundle::ElementType;

/// Rounds `value` to the nearest number of the float type `type` (F16, BF16,
/// F32, F64), ties to even, in one step from double. Overflow gives an infinity
/// of the same sign; infinities and NaN pass through.
double roundFloat(ElementType type, double value);

/// Rounds each of `count` values in place; `type` is a float type.
void roundFloats(ElementType type, double *values, size_t count);

/// Exact values of `count` elements that lie one after the other at `from`.
void decodeElements(ElementType type, const uint8_t *from, size_t count,
                    double *to);

/// Stores `count` values, rounded as roundFloat says for floats; integers are
/// truncated and wrap. NaN becomes the quiet NaN of its sign without payload.
void encodeElements(ElementType type, const double *from, size_t count,
                    uint8_t *to);

/// 2^-p, half a unit in the last place relative to a number of p significant
/// bits: 2^-11 for F16, 2^-8 for BF16, 2^-24 for F32, 2^-53 for F64; 0 for
/// integers.
double unitRoundoff(ElementType type);

} // namespace helios::bench

#endif // HELIOS_BENCH_NUMBERS_H
