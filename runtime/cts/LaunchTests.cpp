//===- LaunchTests.cpp - Kernels, arguments, plans -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include "helios/Bundle/Serialize.h"

using namespace helios;
using namespace helios::cts;
using rt::LaunchArgument;

namespace {

/// Launches `name` over n elements and compares with `expected(alpha, x, y)`.
template <typename Fn>
void runVector(Context &context, const std::string &name, size_t n, Fn expected,
               const char *variant = nullptr) {
  std::shared_ptr<rt::Kernel> k = kernel(context, name);
  Floats x = pattern(n, 1), y = pattern(n, 2);
  std::shared_ptr<rt::Buffer> bx = floats(context, x), by = floats(context, y);
  // The result sits between bands that nobody may touch.
  constexpr size_t band = 64;
  std::shared_ptr<rt::Buffer> out =
      floats(context, Floats(n + 2 * band, -12345));
  REQUIRE(k && bx && by && out);
  std::vector<LaunchArgument> arguments =
      vectorArguments(3, bx, by, out, static_cast<int64_t>(n));
  arguments[3].byteOffset = band * 4;
  Result<std::shared_ptr<rt::Launch>> launch = k->prepare(arguments);
  REQUIRE_OK(launch);
  if (variant)
    CHECK((*launch)->variantName() == variant);
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE_OK((*stream)->enqueue(*launch));
  REQUIRE_OK((*stream)->synchronize());
  Floats got = download(*out, n + 2 * band);
  size_t wrong = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    bool inside = i >= band && i < n + band && context.executes();
    float want = inside ? expected(3.0f, x[i - band], y[i - band]) : -12345.0f;
    if (got[i] != want && wrong++ == 0)
      reportFailure(__FILE__, __LINE__,
                    name + " of " + std::to_string(n) + ": element " +
                        std::to_string(i) + " is " + std::to_string(got[i]) +
                        ", expected " + std::to_string(want));
  }
  CHECK(wrong == 0);
}

float axpy(float a, float x, float y) { return a * x + y; }

} // namespace

CTS_TEST(launch_of_many_sizes) {
  for (size_t n : {1, 63, 64, 65, 1000, 4096})
    runVector(context, "axpy", n, axpy);
}

CTS_TEST(launch_of_more_groups_than_one_row) {
  // 65536 workgroups do not fit one grid row.
  runVector(context, "axpy", 64 * 65535 + 5, axpy);
}

CTS_TEST(launch_chooses_the_variant) {
  runVector(context, "guards", 640, axpy, "whole");
  runVector(context, "guards", 641, axpy, "ragged");
}

CTS_TEST(launch_through_workspace) {
  for (size_t n : {1, 100, 5000})
    runVector(context, "twostep", n,
              [](float a, float x, float y) { return a * (a * x + x) + y; });
}

CTS_TEST(launch_of_nothing) {
  for (const char *name : {"axpy", "twostep"})
    runVector(context, name, 0, axpy);
}

CTS_TEST(launch_of_an_empty_buffer) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  std::shared_ptr<rt::Buffer> empty = floats(context, {});
  REQUIRE(k && empty);
  Result<std::shared_ptr<rt::Launch>> launch =
      k->prepare(vectorArguments(1, empty, empty, empty, 0));
  REQUIRE_OK(launch);
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE_OK((*stream)->enqueue(*launch));
  CHECK((*stream)->synchronize().ok());
}

CTS_TEST(launch_forced_variant) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "guards");
  std::shared_ptr<rt::Buffer> b = floats(context, Floats(128, 1)),
                              out = floats(context, Floats(128, 0));
  REQUIRE(k && b && out);
  Result<std::shared_ptr<rt::Launch>> launch =
      k->prepareVariant(vectorArguments(2, b, b, out, 128), 1);
  REQUIRE_OK(launch);
  CHECK((*launch)->variantName() == "ragged");
  CHECK_FAILS(k->prepareVariant(vectorArguments(2, b, b, out, 100), 0),
              Unsupported, "variant 'whole' wants");
  CHECK_FAILS(k->prepareVariant(vectorArguments(2, b, b, out, 100), 9),
              InvalidInput, "2 variants");
}

CTS_TEST(result_extents) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  REQUIRE(k);
  Result<std::vector<std::vector<int64_t>>> shapes =
      k->resultExtents({{}, {42}, {42}});
  REQUIRE_OK(shapes);
  CHECK(*shapes == (std::vector<std::vector<int64_t>>{{42}}));
  CHECK_FAILS(k->resultExtents({{}, {42, 1}, {42}}), InvalidInput,
              "another rank");
  CHECK_FAILS(k->resultExtents({}), InvalidInput, "missing");
}

CTS_TEST(bad_arguments) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  std::shared_ptr<rt::Buffer> b = floats(context, Floats(100, 1)),
                              out = floats(context, Floats(100, 0));
  REQUIRE(k && b && out);
  auto with = [&](size_t which, auto change) {
    std::vector<LaunchArgument> a = vectorArguments(2, b, b, out, 100);
    change(a[which]);
    return k->prepare(a);
  };
  CHECK_FAILS(k->prepare({}), InvalidInput, "0 arguments given, expected 4");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.buffer = nullptr; }),
              InvalidInput, "argument 1 'x': no buffer");
  CHECK_FAILS(with(0, [&](LaunchArgument &a) { a.buffer = b; }), InvalidInput,
              "expected a scalar of type f32");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.extents = {10, 10}; }),
              InvalidInput, "rank 2, expected 1");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.extents = {-1}; }),
              InvalidInput, "negative");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.extents = {101}; }),
              InvalidInput, "need 404 bytes");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.extents = {INT64_MAX}; }),
              InvalidInput, "overflow");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.strides = {-1}; }),
              InvalidInput, "stride -1");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.strides = {1, 1}; }),
              InvalidInput, "2 strides for rank 1");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.strides = {2}; }), InvalidInput,
              "need 796 bytes");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.strides = {INT64_MAX}; }),
              InvalidInput, "overflow");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.strides = {0}; }), InvalidInput,
              "must be dense");
  CHECK_FAILS(with(3, [](LaunchArgument &a) { a.strides = {0}; }), InvalidInput,
              "share addresses");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.byteOffset = 2; }),
              InvalidInput, "not a multiple of the element size");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.byteOffset = 256; }),
              InvalidInput, "from 256, the buffer has 400");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.byteOffset = UINT64_MAX - 3; }),
              InvalidInput, "the buffer has 400");
  CHECK_FAILS(with(1, [](LaunchArgument &a) { a.extents = {99}; }),
              InvalidInput, "extents must agree");
}

CTS_TEST(buffer_of_another_device) {
  Result<std::shared_ptr<rt::Device>> other =
      rt::openDevice(context.device->info().id, context.options);
  REQUIRE_OK(other);
  Result<std::shared_ptr<rt::Buffer>> foreign = (*other)->createBuffer(400);
  REQUIRE_OK(foreign);
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  std::shared_ptr<rt::Buffer> b = floats(context, Floats(100, 1));
  REQUIRE(k && b);
  CHECK_FAILS(k->prepare(vectorArguments(1, b, *foreign, b, 100)), InvalidInput,
              "another device");
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream(),
                                      strange = (*other)->createStream();
  REQUIRE_OK(stream);
  REQUIRE_OK(strange);
  CHECK_FAILS((*stream)->fill(*foreign, 0, 4, 0), InvalidInput, "no buffer of");
  CHECK_FAILS((*stream)->wait(**strange, rt::Event{0}), InvalidInput,
              "another device");
  Result<std::shared_ptr<rt::Launch>> launch =
      k->prepare(vectorArguments(1, b, b, b, 100));
  REQUIRE_OK(launch);
  CHECK_FAILS((*strange)->enqueue(*launch), InvalidInput, "no launch of");
  CHECK_FAILS((*stream)->enqueue(nullptr), InvalidInput, "no launch of");
}

CTS_TEST(misaligned_tensor) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  std::shared_ptr<rt::Buffer> b = floats(context, pattern(1000, 3)),
                              out = floats(context, Floats(1000, 0));
  REQUIRE(k && b && out);
  uint32_t unit = context.device->info().storageBufferAlignment;
  std::vector<LaunchArgument> a = vectorArguments(2, b, b, out, 100);
  if (unit > 4) {
    a[1].byteOffset = 4;
    CHECK_FAILS(k->prepare(a), Unsupported, "minStorageBufferOffsetAlignment");
  }
  a[1].byteOffset = 256;
  CHECK(k->prepare(a).ok());
}

CTS_TEST(tensor_beyond_the_bindable_range) {
  const rt::DeviceInfo &info = context.device->info();
  uint64_t bytes = info.maxStorageBufferRange / 4 * 4 + 4;
  if (bytes > info.maxAllocationBytes || bytes > info.memoryBytes / 2)
    return;
  Result<std::shared_ptr<rt::Buffer>> big = context.device->createBuffer(bytes);
  REQUIRE_OK(big);
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  REQUIRE(k);
  CHECK_FAILS(k->prepare(vectorArguments(1, *big, *big, *big,
                                         static_cast<int64_t>(bytes / 4))),
              Unsupported, "maxStorageBufferRange");
}

CTS_TEST(no_variant_applies) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  Result<std::shared_ptr<rt::Buffer>> b =
      context.device->createBuffer(6000000 * 4);
  REQUIRE_OK(b);
  REQUIRE(k);
  CHECK_FAILS(k->prepare(vectorArguments(1, *b, *b, *b, 6000000)), Unsupported,
              "variant 'flat' wants");
}

CTS_TEST(hostile_formulas) {
  Result<std::shared_ptr<rt::Buffer>> b =
      context.device->createBuffer(70000 * 4);
  REQUIRE_OK(b);
  std::shared_ptr<rt::Kernel> grid = kernel(context, "overflow"),
                              push = kernel(context, "narrow");
  REQUIRE(grid && push);
  CHECK_FAILS(grid->prepare(vectorArguments(1, *b, *b, *b, 66000)),
              InvalidInput, "overflows 64 bits");
  CHECK_FAILS(grid->prepare(vectorArguments(1, *b, *b, *b, 1000)), InvalidInput,
              "grid");
  CHECK_FAILS(push->prepare(vectorArguments(1, *b, *b, *b, 66000)),
              InvalidInput,
              context.device->info().computeCapability ? "parameter 3"
                                                       : "push constant");
}

CTS_TEST(truncated_and_altered_bundles) {
  Result<std::vector<uint8_t>> bytes = bundle::write(*context.bundle);
  REQUIRE_OK(bytes);
  std::string path = context.folder + "/bundle.hlx";
  REQUIRE_OK(bundle::writeFile(path, *bytes));
  REQUIRE_OK(bundle::readFile(path));
  for (size_t n : {size_t(0), size_t(7), size_t(60), bytes->size() / 2,
                   bytes->size() - 1}) {
    REQUIRE_OK(bundle::writeFile(
        path, std::vector<uint8_t>(bytes->begin(),
                                   bytes->begin() + static_cast<long>(n))));
    CHECK_FAILS(bundle::readFile(path), InvalidInput, "bundle '" + path + "'");
  }
  std::vector<uint8_t> altered = *bytes;
  altered[altered.size() / 2] ^= 4;
  REQUIRE_OK(bundle::writeFile(path, altered));
  CHECK_FAILS(bundle::readFile(path), InvalidInput, "SHA-256");
}

CTS_TEST(unknown_kernel) {
  CHECK_FAILS(context.device->loadKernel(context.bundle, "nothing"),
              InvalidInput, "no kernel 'nothing'");
  CHECK_FAILS(context.device->loadKernel(nullptr, "axpy"), InvalidInput,
              "no kernel");
}

CTS_TEST(implementation_choice) {
  if (context.executes()) {
    CHECK_FAILS(context.device->loadKernel(context.bundle, "matrix"),
                Unsupported, "17x3x5");
    std::shared_ptr<rt::Kernel> k = kernel(context, "twoways");
    REQUIRE(k);
    CHECK(k->implementation().row == "any");
    CHECK(k->whyChosen().find("not listed by the driver") != std::string::npos);
    runVector(context, "twoways", 100, axpy);
  }
  rt::KernelOptions options;
  options.row = "any";
  CHECK(context.device->loadKernel(context.bundle, "twoways", options).ok());
  options.row = "nowhere";
  CHECK_FAILS(context.device->loadKernel(context.bundle, "twoways", options),
              Unsupported, "row 'nowhere'");
}

CTS_TEST(aliased_input) {
  // out = alpha * x + out: the same buffer read and written by the same
  // element.
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  Floats x = pattern(1000, 5), y = pattern(1000, 6);
  std::shared_ptr<rt::Buffer> bx = floats(context, x), by = floats(context, y);
  REQUIRE(k && bx && by);
  Result<std::shared_ptr<rt::Launch>> launch =
      k->prepare(vectorArguments(2, bx, by, by, 1000));
  REQUIRE_OK(launch);
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE_OK((*stream)->enqueue(*launch));
  REQUIRE_OK((*stream)->synchronize());
  Floats got = download(*by, 1000);
  for (size_t i = 0; i < 1000; ++i)
    REQUIRE(got[i] == (context.executes() ? 2 * x[i] + y[i] : y[i]));
}
