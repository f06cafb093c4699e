//===- CudaTests.cpp - Tensor maps, clusters, wrapped handles -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"

using namespace helios;
using namespace helios::cts;
using rt::LaunchArgument;

namespace {

bool isCuda(Context &context) {
  return context.device->info().driver == "cuda";
}

/// Runs "tiles" on a matrix of rows x columns, whose rows are `stride` apart
/// and whose first element is number `first`, and compares all of the result.
void runTiles(Context &context, int64_t rows, int64_t columns, int64_t stride,
              int64_t first) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "tiles");
  int64_t outRows = (rows + 15) / 16 * 16 + 16,
          outColumns = (columns + 31) / 32 * 32 + 32;
  Floats in = pattern(static_cast<size_t>(first + rows * stride + 4), 3);
  size_t count = static_cast<size_t>(outRows * outColumns);
  std::shared_ptr<rt::Buffer> a = floats(context, in),
                              d = floats(context, Floats(count, -1));
  REQUIRE(k && a && d);
  Result<std::shared_ptr<rt::Launch>> launch =
      k->prepare({LaunchArgument::tensor(a, {rows, columns}, {stride, 1},
                                         static_cast<uint64_t>(first) * 4),
                  LaunchArgument::tensor(d, {outRows, outColumns})});
  REQUIRE_OK(launch);
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE_OK((*stream)->enqueue(*launch));
  REQUIRE_OK((*stream)->synchronize());
  Floats got = download(*d, count);
  for (int64_t r = 0; r < outRows; ++r)
    for (int64_t c = 0; c < outColumns; ++c) {
      float want = r < rows && c < columns
                       ? in[static_cast<size_t>(first + r * stride + c)]
                       : 0;
      want += static_cast<float>(r / 8 % 2);
      float value = got[static_cast<size_t>(r * outColumns + c)];
      if (value != (context.executes() ? want : -1.0f))
        return reportFailure(__FILE__, __LINE__,
                             "tiles of " + std::to_string(rows) + " x " +
                                 std::to_string(columns) + ": element " +
                                 std::to_string(r) + ", " + std::to_string(c) +
                                 " is " + std::to_string(value) +
                                 ", expected " + std::to_string(want));
    }
}

} // namespace

CTS_TEST(tensor_maps_and_clusters) {
  if (isCuda(context) && context.device->info().computeCapability < 90) {
    CHECK_FAILS(context.device->loadKernel(context.bundle, "tiles"),
                Unsupported, "compute capability 9.0");
    return;
  }
  if (context.device->info().driver == "vulkan") {
    CHECK_FAILS(context.device->loadKernel(context.bundle, "tiles"),
                Unsupported, "a cuda device (--device cuda)");
    return;
  }
  runTiles(context, 64, 128, 128, 0);
  runTiles(context, 17, 33, 36, 0);  // ragged, continued with zeros
  runTiles(context, 20, 40, 100, 4); // strided, from the second 16 bytes on
  runTiles(context, 1, 5, 8, 0);
  runTiles(context, 0, 64, 64, 0); // no element at all
  if (!isCuda(context))
    return;
  std::shared_ptr<rt::Kernel> k = kernel(context, "tiles");
  std::shared_ptr<rt::Buffer> b = floats(context, Floats(8192, 0));
  REQUIRE(k && b);
  LaunchArgument out = LaunchArgument::tensor(b, {32, 64});
  CHECK_FAILS(k->prepare({LaunchArgument::tensor(b, {8, 8}, {10, 1}), out}),
              Unsupported,
              "stride of 40 bytes of dimension 1 is no multiple of 16");
  CHECK_FAILS(k->prepare({LaunchArgument::tensor(b, {8, 8}, {12, 1}, 4), out}),
              Unsupported, "is no multiple of 16, which bulk copies need");
}

CTS_TEST(handles_of_other_libraries) {
  Result<std::shared_ptr<rt::Buffer>> wrapped =
      context.device->wrapMemory(4096, 16);
  if (!isCuda(context)) {
    CHECK_FAILS(wrapped, Unsupported, "wraps no memory");
    CHECK_FAILS(context.device->wrapStream(nullptr), Unsupported,
                "wraps no streams");
    return;
  }
  CHECK_FAILS(context.device->wrapMemory(0, 16), InvalidInput, "address 0");
  CHECK_FAILS(context.device->wrapMemory(UINT64_MAX, 16), InvalidInput,
              "cannot be wrapped");
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  Floats x = pattern(1000, 4);
  std::shared_ptr<rt::Buffer> memory = floats(context, x),
                              out = floats(context, Floats(900, 0));
  REQUIRE(k && memory && out);
  CHECK(memory->deviceAddress() % 256 == 0);
  wrapped =
      context.device->wrapMemory(memory->deviceAddress() + 28, 900 * 4, memory);
  REQUIRE_OK(wrapped);
  std::weak_ptr<rt::Buffer> watch = memory;
  memory.reset();
  CHECK(!watch.expired());
  // A stream by its handle, in turn with the stream itself.
  Result<std::shared_ptr<rt::Stream>> own = context.device->createStream();
  REQUIRE_OK(own);
  Result<std::shared_ptr<rt::Stream>> other =
      context.device->wrapStream((*own)->nativeHandle());
  REQUIRE_OK(other);
  CHECK((*other)->nativeHandle() == (*own)->nativeHandle());
  Result<std::shared_ptr<rt::Launch>> launch =
      k->prepare(vectorArguments(2, *wrapped, *wrapped, out, 900));
  REQUIRE_OK(launch);
  Result<rt::Event> e = (*other)->enqueue(*launch);
  REQUIRE_OK(e);
  CHECK_FAILS((*other)->elapsedNs(*e), Unsupported, "another library's stream");
  for (int i = 0; i < 100; ++i)
    REQUIRE_OK((*other)->enqueue(*launch));
  REQUIRE_OK((*own)->synchronize());
  REQUIRE_OK((*other)->synchronize());
  Floats got = download(*out, 900);
  for (size_t i = 0; i < 900; ++i)
    REQUIRE(got[i] == 3 * x[i + 7]);
  Result<std::shared_ptr<rt::Stream>> null =
      context.device->wrapStream(nullptr);
  REQUIRE_OK(null);
  REQUIRE_OK((*null)->fill(out, 0, 4, 0));
  CHECK((*null)->synchronize().ok());
  // Wrapped memory may begin anywhere but within an element.
  Result<std::shared_ptr<rt::Buffer>> odd =
      context.device->wrapMemory(out->deviceAddress() + 2, 400);
  REQUIRE_OK(odd);
  CHECK_FAILS(k->prepare(vectorArguments(2, *odd, out, out, 100)), InvalidInput,
              "is not a multiple of the element size 4");
}
