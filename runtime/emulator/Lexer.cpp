//===- Lexer.cpp - Words of PTX -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lexer.h"
#include <cstring>

namespace helios::emu::ptx {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isAlpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool startsWord(char c) {
  return isAlpha(c) || c == '$' || c == '%' || c == '.';
}

class Lexer {
public:
  explicit Lexer(const std::string &text) : text(text) {}

  std::vector<Token> run() {
    std::vector<Token> all;
    do
      all.push_back(next());
    while (all.back().kind != Token::Kind::End);
    return all;
  }

private:
  char at(size_t i) const { return i < text.size() ? text[i] : '\0'; }

  Token take(Token::Kind kind, size_t end) {
    Token t{kind, text.substr(pos, end - pos), line};
    pos = end;
    return t;
  }

  /// False at a comment that does not end.
  bool skip() {
    while (pos < text.size()) {
      char c = text[pos];
      if (c == '\n') {
        ++line;
        ++pos;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++pos;
      } else if (c == '/' && at(pos + 1) == '/') {
        while (pos < text.size() && text[pos] != '\n')
          ++pos;
      } else if (c == '/' && at(pos + 1) == '*') {
        size_t end = text.find("*/", pos + 2);
        if (end == std::string::npos)
          return false;
        for (; pos < end + 2; ++pos)
          line += text[pos] == '\n';
      } else {
        break;
      }
    }
    return true;
  }

  Token next() {
    if (!skip())
      return take(Token::Kind::Bad, text.size());
    if (pos >= text.size())
      return {Token::Kind::End, "end of file", line};
    char c = text[pos];
    size_t end = pos;
    if (isDigit(c)) {
      // A dot belongs to the number, a sign behind the e of a decimal too.
      bool decimal = !(c == '0' && std::strchr("xXbBfFdD", at(pos + 1)));
      while (isDigit(at(end)) || isAlpha(at(end)) || at(end) == '.' ||
             (decimal && (at(end) == '+' || at(end) == '-') &&
              (at(end - 1) == 'e' || at(end - 1) == 'E')))
        ++end;
      return take(Token::Kind::Number, end);
    }
    if (startsWord(c)) {
      while (startsWord(at(end)) || isDigit(at(end)) ||
             (at(end) == ':' && at(end + 1) == ':')) {
        end += at(end) == ':' ? 2 : 1;
      }
      return take(Token::Kind::Word, end);
    }
    if (c == '"') {
      end = text.find('"', pos + 1);
      if (end == std::string::npos)
        return take(Token::Kind::Bad, text.size());
      Token t = take(Token::Kind::String, end + 1);
      t.text = t.text.substr(1, t.text.size() - 2);
      return t;
    }
    bool known = std::strchr("{}[]()<>,;:+-!|@=&~*", c);
    return take(known ? Token::Kind::Mark : Token::Kind::Bad, pos + 1);
  }

  const std::string &text;
  size_t pos = 0;
  uint32_t line = 1;
};

} // namespace

std::vector<Token> tokenize(const std::string &text) {
  return Lexer(text).run();
}

} // namespace helios::emu::ptx
