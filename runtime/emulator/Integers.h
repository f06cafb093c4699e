//===- Integers.h - Functions of integers of any width -----------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_INTEGERS_H
#define HELIOS_RUNTIME_EMULATOR_INTEGERS_H

#include "emulator/Lanes.h"
#include <string>
#include <type_traits>

namespace helios::emu {

/// make(T()) for the C++ type T of an integer type.
template <typename F>
Handler forInteger(Decoder &d, Type t, F make) {
  bool s = t.kind == Type::Signed;
  switch (t.bits) {
  case 16:
    return s ? make(int16_t()) : make(uint16_t());
  case 32:
    return s ? make(int32_t()) : make(uint32_t());
  case 64:
    return s ? make(int64_t()) : make(uint64_t());
  }
  d.unsupported("integers of " + std::to_string(t.bits) + " bits");
  return nullptr;
}

// How many operands of one type an operation takes.
template <typename Op, typename T>
struct Unary {
  static constexpr Handler run = unary<Op, T, T>;
};
template <typename Op, typename T>
struct Binary {
  static constexpr Handler run = binary<Op, T, T>;
};
template <typename Op, typename T>
struct Ternary {
  static constexpr Handler run = ternary<Op, T, T>;
};
/// A count: 32 bits of any type.
template <typename Op, typename T>
struct Count {
  static constexpr Handler run = unary<Op, uint32_t, T>;
};
/// Bits from a place, so many: both in 32 bits.
template <typename Op, typename T>
struct Shift {
  static constexpr Handler run = binary<Op, T, T, uint32_t>;
};
template <typename Op, typename T>
struct Field {
  static constexpr Handler run = ternary<Op, T, T, uint32_t, uint32_t>;
};

template <template <typename, typename> class Form, typename Op>
Handler integers(Decoder &d, Type t) {
  return forInteger(
      d, t, [](auto v) -> Handler { return Form<Op, decltype(v)>::run; });
}

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_INTEGERS_H
