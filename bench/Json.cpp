// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace helios::bench {

const Json &Json::operator[](const std::string &name) const {
  static const Json none;
  for (const auto &[key, value] : fields)
    if (key == name)
      return value;
  return none;
}

namespace {

void writeString(const std::string &text, std::string &to) {
  to += '"';
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      to += '\\';
      to += char(c);
    } else if (c == '\n') {
      to += "\\n";
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", c);
      to += escape;
    } else {
      to += char(c);
    }
  }
  to += '"';
}

void writeNumber(double v, std::string &to) {
  char text[40];
  if (!std::isfinite(v))
    to += "null";
  else if (v == std::trunc(v) && std::fabs(v) < 0x1p53)
    to += std::to_string(int64_t(v));
  else {
    std::snprintf(text, sizeof(text), "%.15g", v);
    if (std::strtod(text, nullptr) != v)
      std::snprintf(text, sizeof(text), "%.17g", v);
    to += text;
  }
}

} // namespace

std::string Json::write() const {
  std::string text;
  write(text, 0);
  return text + "\n";
}

void Json::write(std::string &to, int depth) const {
  const std::string indent(size_t(depth + 1) * 2, ' '),
      outer(size_t(depth) * 2, ' ');
  switch (valueKind) {
  case Kind::Null:
    to += "null";
    break;
  case Kind::Bool:
    to += number != 0 ? "true" : "false";
    break;
  case Kind::Number:
    writeNumber(number, to);
    break;
  case Kind::String:
    writeString(text, to);
    break;
  case Kind::Array: {
    const bool flat =
        std::all_of(items.begin(), items.end(), [](const Json &j) {
          return j.kind() != Kind::Array && j.kind() != Kind::Object;
        });
    to += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      to += i ? (flat ? ", " : ",") : "";
      to += flat ? "" : "\n" + indent;
      items[i].write(to, depth + 1);
    }
    to += flat || items.empty() ? "]" : "\n" + outer + "]";
    break;
  }
  case Kind::Object:
    to += '{';
    for (size_t i = 0; i < fields.size(); ++i) {
      to += (i ? ",\n" : "\n") + indent;
      writeString(fields[i].first, to);
      to += ": ";
      fields[i].second.write(to, depth + 1);
    }
    to += fields.empty() ? "}" : "\n" + outer + "}";
    break;
  }
}

namespace {

/// A recursive-descent parser; the first error is kept.
class Parser {
public:
  explicit Parser(const std::string &text) : text(text) {}

  Result<Json> run() {
    Json value = parseValue(0);
    skipSpace();
    if (error.empty() && at != text.size())
      fail("the end of the text");
    if (!error.empty())
      return Status::invalidInput(error);
    return value;
  }

private:
  void fail(const std::string &expected) {
    if (!error.empty())
      return;
    const size_t end = std::min(at, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + long(end), '\n');
    const size_t last = text.rfind('\n', end ? end - 1 : 0);
    const size_t column =
        end - (last == std::string::npos || end == 0 ? 0 : last + 1) + 1;
    error = "line " + std::to_string(line) + ", column " +
            std::to_string(column) + ": expected " + expected + ", got " +
            (at < text.size() ? "'" + text.substr(at, 1) + "'"
                              : std::string("the end of the text"));
    at = text.size();
  }
  void skipSpace() {
    while (at < text.size() && std::strchr(" \t\r\n", text[at]))
      ++at;
  }
  bool take(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool takeWord(const char *word) {
    if (text.compare(at, std::strlen(word), word) != 0)
      return false;
    at += std::strlen(word);
    return true;
  }

  Json parseValue(int depth) {
    skipSpace();
    if (depth > 100) {
      fail("no more than 100 levels");
      return Json();
    }
    if (take('{'))
      return parseObject(depth);
    if (take('['))
      return parseArray(depth);
    if (at < text.size() && text[at] == '"')
      return Json(parseString());
    if (takeWord("true"))
      return Json(true);
    if (takeWord("false"))
      return Json(false);
    if (takeWord("null"))
      return Json();
    return parseNumber();
  }
  Json parseNumber() {
    size_t end = at;
    while (end < text.size() && std::strchr("+-.0123456789eE", text[end]))
      ++end;
    const std::string digits = text.substr(at, end - at);
    char *stop = nullptr;
    const double v = std::strtod(digits.c_str(), &stop);
    if (digits.empty() || *stop) {
      fail("a value");
      return Json();
    }
    at = end;
    return Json(v);
  }
  Json parseObject(int depth) {
    Json object = Json::object();
    if (take('}'))
      return object;
    do {
      skipSpace();
      if (at >= text.size() || text[at] != '"') {
        fail("a member's name in quotes");
        return object;
      }
      std::string name = parseString();
      if (!take(':'))
        fail("':'");
      object.set(std::move(name), parseValue(depth + 1));
    } while (error.empty() && take(','));
    if (!take('}'))
      fail("',' or '}'");
    return object;
  }
  Json parseArray(int depth) {
    Json array = Json::array();
    if (take(']'))
      return array;
    do
      array.add(parseValue(depth + 1));
    while (error.empty() && take(','));
    if (!take(']'))
      fail("',' or ']'");
    return array;
  }
  std::string parseString() {
    std::string value;
    ++at;
    while (at < text.size() && text[at] != '"') {
      char c = text[at++];
      if (c != '\\') {
        value += c;
        continue;
      }
      c = at < text.size() ? text[at++] : 0;
      switch (c) {
      case 'n':
        value += '\n';
        break;
      case 't':
        value += '\t';
        break;
      case 'r':
        value += '\r';
        break;
      case 'b':
      case 'f':
        break;
      case 'u':
        appendCodePoint(value);
        break;
      case '"':
      case '\\':
      case '/':
        value += c;
        break;
      default:
        fail("an escape");
      }
    }
    if (at >= text.size())
      fail("'\"'");
    else
      ++at;
    return value;
  }
  void appendCodePoint(std::string &value) {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i) {
      const char *digits = "0123456789abcdef";
      const char c = at < text.size() ? char(text[at] | 0x20) : 0;
      const char *digit = c ? std::strchr(digits, c) : nullptr;
      if (!digit)
        return fail("four hexadecimal digits");
      code = code * 16 + unsigned(digit - digits);
      ++at;
    }
    if (code < 0x80) {
      value += char(code);
    } else if (code < 0x800) {
      value += char(0xc0 | (code >> 6));
      value += char(0x80 | (code & 0x3f));
    } else {
      value += char(0xe0 | (code >> 12));
      value += char(0x80 | ((code >> 6) & 0x3f));
      value += char(0x80 | (code & 0x3f));
    }
  }

  const std::string &text;
  size_t at = 0;
  std::string error;
};

} // namespace

Result<Json> Json::parse(const std::string &text) { return Parser(text).run(); }

} // namespace helios::bench
