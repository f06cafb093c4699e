//===- Status.h - Errors as values ------------------------------*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of the bundle library and of the runtime are values: a code and a
// message that names the thing, what was expected, what was found and how to
// mend it. Nothing here throws.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_BUNDLE_STATUS_H
#define HELIOS_BUNDLE_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace helios {

/// What went wrong, in classes that a caller can act on.
enum class StatusCode : int {
  Ok = 0,
  /// A computed result differs from its reference.
  WrongResult = 1,
  /// The caller's input is wrong: bad file, shape, stride, argument, usage.
  InvalidInput = 2,
  /// The input is right, but this device, driver or build cannot do it.
  Unsupported = 3,
  /// The device or its driver failed.
  Device = 4,
  /// The device or the host has no memory left for the request.
  OutOfMemory = 5,
  /// The device is lost; every object made from it is dead.
  DeviceLost = 6,
};

/// Returns the code's name, e.g. "invalid input".
inline const char *statusCodeName(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "ok";
  case StatusCode::WrongResult:
    return "wrong result";
  case StatusCode::InvalidInput:
    return "invalid input";
  case StatusCode::Unsupported:
    return "unsupported";
  case StatusCode::Device:
    return "device error";
  case StatusCode::OutOfMemory:
    return "out of memory";
  case StatusCode::DeviceLost:
    return "device lost";
  }
  return "unknown status";
}

/// A code and, unless ok, a message.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : statusCode(code), text(std::move(message)) {}

  static Status success() { return Status(); }
  static Status invalidInput(std::string message) {
    return Status(StatusCode::InvalidInput, std::move(message));
  }
  static Status unsupported(std::string message) {
    return Status(StatusCode::Unsupported, std::move(message));
  }
  static Status device(std::string message) {
    return Status(StatusCode::Device, std::move(message));
  }

  bool ok() const { return statusCode == StatusCode::Ok; }
  StatusCode code() const { return statusCode; }
  const std::string &message() const { return text; }

  /// The same error with `prefix` ("file.hlx: ") before its message.
  Status withPrefix(const std::string &prefix) const {
    return ok() ? *this : Status(statusCode, prefix + text);
  }

  /// The exit code of a tool that ends with this status: 0 ok, 1 wrong result,
  /// 2 usage or bad input, 3 unsupported here, 4 device.
  int exitCode() const {
    switch (statusCode) {
    case StatusCode::OutOfMemory:
    case StatusCode::DeviceLost:
      return 4;
    default:
      return static_cast<int>(statusCode);
    }
  }

private:
  StatusCode statusCode = StatusCode::Ok;
  std::string text;
};

/// A value, or the status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T v) : held(std::move(v)) {}
  Result(Status status) : error(std::move(status)) {
    assert(!error.ok() && "a Result without value needs an error");
  }

  bool ok() const { return held.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return error; }

  T &value() {
    assert(ok());
    return *held;
  }
  const T &value() const {
    assert(ok());
    return *held;
  }
  T &operator*() { return value(); }
  const T &operator*() const { return value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

private:
  std::optional<T> held;
  Status error;
};

} // namespace helios

#endif // HELIOS_BUNDLE_STATUS_H
