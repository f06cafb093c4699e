//===- Lexer.h - Words of PTX ------------------------------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_LEXER_H
#define HELIOS_RUNTIME_EMULATOR_LEXER_H

#include <cstdint>
#include <string>
#include <vector>

namespace helios::emu::ptx {

struct Token {
  enum class Kind : uint8_t {
    Word,   ///< names, directives, instructions with their dots: a.b::c.d
    Number, ///< 12, 0x1f, 0f3F800000, 1.5
    String,
    Mark, ///< one character
    Bad,  ///< a character that PTX does not have, or an open comment
    End
  } kind = Kind::End;
  std::string text;
  uint32_t line = 0;

  bool is(const char *s) const { return kind != Kind::String && text == s; }
};

/// Comments are left out; the last token is the End.
std::vector<Token> tokenize(const std::string &text);

} // namespace helios::emu::ptx

#endif // HELIOS_RUNTIME_EMULATOR_LEXER_H
