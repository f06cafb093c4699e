//===- ElementType.h - Element types of tensors and scalars -----*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_BUNDLE_ELEMENTTYPE_H
#define HELIOS_BUNDLE_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string>

namespace helios::bundle {

/// Element types, with the numbers that stand in the file. I1 exists only
/// inside regions (results of comparisons), never in memory.
enum class ElementType : uint8_t {
  I1 = 0,
  I8 = 1,
  U8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  F16 = 6,
  BF16 = 7,
  F32 = 8,
  F64 = 9,
  /// An operand of products, stored as F32 is, of whose significand the low 13
  /// bits do not count.
  TF32 = 10,
  /// Operands of products of 8 bits: 4 of exponent and 3 of significand,
  /// without infinities and with one NaN of either sign; 5 and 2.
  E4M3 = 11,
  E5M2 = 12,
};
inline constexpr uint8_t kNumElementTypes = 13;

/// "f16", "bf16", "i8", "e4m3", ...
const char *elementTypeName(ElementType type);
/// As MLIR spells it: the same, but "f8E4M3FN" and "f8E5M2".
const char *mlirTypeName(ElementType type);
/// The inverse of elementTypeName; nullopt for any other text.
std::optional<ElementType> parseElementType(const std::string &name);
/// Bytes of one element in memory (I1: 1).
uint32_t elementBytes(ElementType type);
uint32_t elementBits(ElementType type);
bool isFloat(ElementType type);
/// Significand bits including the hidden one (f16 and tf32 11, bf16 8, f32 24,
/// f64 53, e4m3 4, e5m2 3); 0 for integers.
uint32_t significandBits(ElementType type);

/// `value` rounded to the nearest value of `type`, ties to even; overflow goes
/// to infinity for floats, to NaN for E4M3; integers wrap after truncation
/// towards zero, and a NaN or infinity becomes 0.
double roundTo(ElementType type, double value);
/// The bits of `value` in `type` (rounded first), in the low elementBits bits.
uint64_t encodeElement(ElementType type, double value);
/// The exact value of an element's bits (I64 beyond 2^53 rounds).
double decodeElement(ElementType type, uint64_t bits);

} // namespace helios::bundle

#endif // HELIOS_BUNDLE_ELEMENTTYPE_H
