//===- Suite.h - The conformance suite's tests and assertions -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_CTS_SUITE_H
#define HELIOS_RUNTIME_CTS_SUITE_H

#include "helios/runtime/Runtime.h"
#include <string>
#include <vector>

namespace helios::cts {

/// What the tests run on.
struct Context {
  std::string selector;
  rt::OpenOptions options;
  /// Opened with `selector`.
  std::shared_ptr<rt::Device> device;
  /// A folder for files, empty at the start.
  std::string folder;
  /// The test bundle, read back from its bytes.
  std::shared_ptr<const bundle::Bundle> bundle;

  bool executes() const { return device->executes(); }
};

/// Registers itself with the suite.
struct Test {
  Test(const char *name, void (*body)(Context &));
  const char *name;
  void (*body)(Context &);
};
std::vector<Test *> &allTests();

/// Counts a failure of the running test and prints it.
void reportFailure(const char *file, int line, const std::string &message);
bool currentTestFailed();

/// A status's text for messages.
inline std::string text(const Status &s) {
  return s.ok() ? "ok"
                : std::string(statusCodeName(s.code())) + ": " + s.message();
}

} // namespace helios::cts

#define CTS_TEST(test)                                                         \
  static void test(::helios::cts::Context &context);                           \
  static ::helios::cts::Test registered_##test(#test, test);                   \
  static void test([[maybe_unused]] ::helios::cts::Context &context)

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ::helios::cts::reportFailure(__FILE__, __LINE__, #condition);            \
  } while (0)

/// Ends the test if the condition does not hold.
#define REQUIRE(condition)                                                     \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ::helios::cts::reportFailure(__FILE__, __LINE__, #condition);            \
      return;                                                                  \
    }                                                                          \
  } while (0)

#define REQUIRE_OK(statusOrResult)                                             \
  do {                                                                         \
    ::helios::Status requiredStatus = ::helios::cts::statusOf(statusOrResult); \
    if (!requiredStatus.ok()) {                                                \
      ::helios::cts::reportFailure(__FILE__, __LINE__,                         \
                                   std::string(#statusOrResult) + " is " +     \
                                       ::helios::cts::text(requiredStatus));   \
      return;                                                                  \
    }                                                                          \
  } while (0)

/// The code must be `expected` and the message contain `part`.
#define CHECK_FAILS(statusOrResult, expected, part)                            \
  do {                                                                         \
    ::helios::Status failedStatus = ::helios::cts::statusOf(statusOrResult);   \
    if (failedStatus.code() != ::helios::StatusCode::expected ||               \
        failedStatus.message().find(part) == std::string::npos)                \
      ::helios::cts::reportFailure(__FILE__, __LINE__,                         \
                                   std::string(#statusOrResult) + " is '" +    \
                                       ::helios::cts::text(failedStatus) +     \
                                       "', expected " #expected " with '" +    \
                                       (part) + "'");                          \
  } while (0)

namespace helios::cts {
inline Status statusOf(const Status &s) { return s; }
template <typename T>
Status statusOf(const Result<T> &r) {
  return r.ok() ? Status() : r.status();
}

using Floats = std::vector<float>;

/// A buffer with these numbers; null (and a reported failure) if it cannot be
/// made.
std::shared_ptr<rt::Buffer> floats(Context &context, const Floats &values);
Floats download(rt::Buffer &buffer, size_t count, uint64_t offset = 0);
std::shared_ptr<rt::Kernel> kernel(Context &context, const std::string &name);
/// alpha, x, y, out as launch arguments.
std::vector<rt::LaunchArgument> vectorArguments(float alpha,
                                                std::shared_ptr<rt::Buffer> x,
                                                std::shared_ptr<rt::Buffer> y,
                                                std::shared_ptr<rt::Buffer> out,
                                                int64_t n);
/// Small integers that differ from element to element.
Floats pattern(size_t count, int seed);
} // namespace helios::cts

#endif // HELIOS_RUNTIME_CTS_SUITE_H
