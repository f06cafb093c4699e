//===- Archive.h - Reading and writing of fields, with limits -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writer and Reader offer the same members, so that one list of fields (in
// Serialize.cpp) serves both directions. The reader never believes a count: it
// is compared with the format's limit and with the bytes that are left.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_LIB_BUNDLE_ARCHIVE_H
#define HELIOS_LIB_BUNDLE_ARCHIVE_H

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace helios::bundle {

class Writer {
public:
  static constexpr bool reading = false;

  explicit Writer(std::vector<uint8_t> &out) : out(out) {}

  template <typename T>
  void number(T &value, const char *) {
    static_assert(std::is_integral_v<T>);
    auto v = static_cast<std::make_unsigned_t<T>>(value);
    for (size_t i = 0; i < sizeof(T); ++i)
      out.push_back(static_cast<uint8_t>(uint64_t(v) >> (8 * i)));
  }
  void boolean(bool &value, const char *what) {
    uint8_t b = value;
    number(b, what);
  }
  void real(double &value, const char *what) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    number(bits, what);
  }
  template <typename E>
  void enumerator(E &value, uint32_t, const char *what) {
    auto v = static_cast<std::underlying_type_t<E>>(value);
    number(v, what);
  }
  void text(std::string &value, uint32_t, const char *what) {
    uint32_t n = static_cast<uint32_t>(value.size());
    number(n, what);
    out.insert(out.end(), value.begin(), value.end());
  }
  void blob(std::vector<uint8_t> &value, const char *what) {
    uint64_t n = value.size();
    number(n, what);
    out.insert(out.end(), value.begin(), value.end());
  }
  template <typename T, typename Fn>
  void list(std::vector<T> &values, uint32_t, const char *what, Fn fn) {
    uint32_t n = static_cast<uint32_t>(values.size());
    number(n, what);
    for (T &v : values)
      fn(v);
  }

private:
  std::vector<uint8_t> &out;
};

class Reader {
public:
  static constexpr bool reading = true;

  Reader(const uint8_t *data, uint64_t size) : data(data), size(size) {}

  bool failed() const { return !error.empty(); }
  const std::string &message() const { return error; }
  uint64_t remaining() const { return size - at; }

  void fail(const std::string &what) {
    if (!error.empty())
      return;
    for (const std::string &p : path)
      error += p + ": ";
    error += what;
  }

  template <typename T>
  void number(T &value, const char *what) {
    static_assert(std::is_integral_v<T>);
    value = 0;
    if (failed())
      return;
    if (remaining() < sizeof(T))
      return fail(std::string("truncated in ") + what);
    std::make_unsigned_t<T> v = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      v = static_cast<std::make_unsigned_t<T>>(
          v | (uint64_t(data[at + i]) << (8 * i)));
    at += sizeof(T);
    value = static_cast<T>(v);
  }
  void boolean(bool &value, const char *what) {
    uint8_t b = 0;
    number(b, what);
    if (b > 1)
      fail(std::string(what) + " is " + std::to_string(b) +
           ", expected 0 or 1");
    value = b == 1;
  }
  void real(double &value, const char *what) {
    uint64_t bits = 0;
    number(bits, what);
    std::memcpy(&value, &bits, 8);
  }
  template <typename E>
  void enumerator(E &value, uint32_t count, const char *what) {
    std::underlying_type_t<E> v = 0;
    number(v, what);
    if (!failed() && v >= count)
      fail(std::string(what) + " is " + std::to_string(v) +
           ", expected less than " + std::to_string(count));
    value = static_cast<E>(failed() ? 0 : v);
  }
  void text(std::string &value, uint32_t limit, const char *what) {
    uint32_t n = 0;
    number(n, what);
    if (failed())
      return;
    if (n > limit)
      return fail(std::string(what) + " has " + std::to_string(n) +
                  " bytes, at most " + std::to_string(limit) + " allowed");
    if (n > remaining())
      return fail(std::string(what) + " has " + std::to_string(n) +
                  " bytes, but only " + std::to_string(remaining()) +
                  " are left");
    value.assign(reinterpret_cast<const char *>(data + at), n);
    at += n;
    if (value.find('\0') != std::string::npos)
      fail(std::string(what) + " contains a zero byte");
  }
  void blob(std::vector<uint8_t> &value, const char *what) {
    uint64_t n = 0;
    number(n, what);
    if (failed())
      return;
    if (n > remaining())
      return fail(std::string(what) + " has " + std::to_string(n) +
                  " bytes, but only " + std::to_string(remaining()) +
                  " are left");
    value.assign(data + at, data + at + n);
    at += n;
  }
  template <typename T, typename Fn>
  void list(std::vector<T> &values, uint32_t limit, const char *what, Fn fn) {
    uint32_t n = 0;
    number(n, what);
    if (failed())
      return;
    if (n > limit)
      return fail("the number of " + std::string(what) + " is " +
                  std::to_string(n) + ", at most " + std::to_string(limit) +
                  " allowed");
    // Every element takes at least one byte.
    if (n > remaining())
      return fail(std::to_string(n) + " " + what + " cannot be in the " +
                  std::to_string(remaining()) + " bytes that are left");
    values.clear();
    for (uint32_t i = 0; i < n && !failed(); ++i) {
      path.push_back(std::string(what) + "[" + std::to_string(i) + "]");
      values.emplace_back();
      fn(values.back());
      path.pop_back();
    }
  }

private:
  const uint8_t *data;
  uint64_t size;
  uint64_t at = 0;
  std::vector<std::string> path;
  std::string error;
};

} // namespace helios::bundle

#endif // HELIOS_LIB_BUNDLE_ARCHIVE_H
