// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_JSON_H
#define HELIOS_BENCH_JSON_H

#include "helios/Bundle/Status.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace helios::bench {

/// A JSON value; objects keep the order of their members.
class Json {
public:
  enum class Kind { Null, Bool, Number, String, Array, Object };

  Json() = default;
  Json(bool v) : valueKind(Kind::Bool), number(v) {}
  Json(double v) : valueKind(Kind::Number), number(v) {}
  Json(int v) : Json(double(v)) {}
  Json(int64_t v) : Json(double(v)) {}
  Json(uint64_t v) : Json(double(v)) {}
  Json(uint32_t v) : Json(double(v)) {}
  Json(const char *v) : valueKind(Kind::String), text(v) {}
  Json(std::string v) : valueKind(Kind::String), text(std::move(v)) {}
  static Json array() { return ofKind(Kind::Array); }
  static Json object() { return ofKind(Kind::Object); }

  Kind kind() const { return valueKind; }
  bool isNull() const { return valueKind == Kind::Null; }
  /// The value, or a neutral one of another kind's.
  double asNumber(double otherwise = 0) const {
    return valueKind == Kind::Number ? number : otherwise;
  }
  bool asBool() const { return valueKind == Kind::Bool && number != 0; }
  const std::string &asString() const { return text; }
  const std::vector<Json> &elements() const { return items; }
  const std::vector<std::pair<std::string, Json>> &members() const {
    return fields;
  }
  /// A member, or null where there is none.
  const Json &operator[](const std::string &name) const;

  Json &add(Json element) {
    items.push_back(std::move(element));
    return *this;
  }
  Json &set(std::string name, Json value) {
    fields.emplace_back(std::move(name), std::move(value));
    return *this;
  }

  /// Indented text; arrays of numbers stay on one line. Numbers that JSON
  /// cannot hold become null.
  std::string write() const;
  /// InvalidInput with line and column; at most 100 levels deep.
  static Result<Json> parse(const std::string &text);

private:
  static Json ofKind(Kind kind) {
    Json j;
    j.valueKind = kind;
    return j;
  }
  void write(std::string &to, int depth) const;

  Kind valueKind = Kind::Null;
  double number = 0;
  std::string text;
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> fields;
};

} // namespace helios::bench

#endif // HELIOS_BENCH_JSON_H
