//===- CApiTests.cpp - The C interface -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include "helios/Bundle/Serialize.h"
#include "helios/helios.h"
#include <cstring>

using namespace helios;
using namespace helios::cts;

namespace {

/// Code as expected, and a message that contains `part`.
void expectFailure(int line, hl_status got, hl_status expected,
                   const char *part) {
  if (got != expected ||
      std::string(hl_last_error()).find(part) == std::string::npos)
    reportFailure(__FILE__, line,
                  std::string("got ") + hl_status_name(got) + " '" +
                      hl_last_error() + "', expected " +
                      hl_status_name(expected) + " with '" + part + "'");
}
#define C_FAILS(call, expected, part)                                          \
  expectFailure(__LINE__, call, expected, part)
#define C_OK(call) REQUIRE((call) == HL_OK)

} // namespace

CTS_TEST(c_versions_and_names) {
  CHECK(hl_api_version() == HL_API_VERSION);
  CHECK(std::strcmp(hl_version_string(), rt::runtimeVersion()) == 0);
  CHECK(std::strcmp(hl_status_name(HL_UNSUPPORTED), "unsupported") == 0);
  CHECK(std::strcmp(hl_status_name(static_cast<hl_status>(99)),
                    "unknown status") == 0);
}

CTS_TEST(c_launch) {
  hl_open_options options{};
  options.struct_size = sizeof(options);
  std::string cache = context.options.cacheDir;
  options.cache_dir = cache.c_str();
  if (!context.options.vulkanLoader.empty())
    options.vulkan_loader = context.options.vulkanLoader.c_str();
  if (!context.options.cudaLibrary.empty())
    options.cuda_library = context.options.cudaLibrary.c_str();
  hl_device device = nullptr;
  C_OK(hl_device_open(context.device->info().id.c_str(), &options, &device));
  hl_device_info info{};
  info.struct_size = sizeof(info);
  C_OK(hl_device_get_info(device, &info));
  CHECK(context.device->info().id == info.id);
  CHECK(info.matrix_shapes_listed ==
        context.device->info().matrixShapes.size());

  Result<std::vector<uint8_t>> bytes = bundle::write(*context.bundle);
  REQUIRE_OK(bytes);
  hl_bundle loaded = nullptr;
  C_OK(hl_bundle_load_memory(bytes->data(), bytes->size(), &loaded));
  CHECK(hl_bundle_kernel_count(loaded) == context.bundle->kernels.size());
  CHECK(std::strcmp(hl_bundle_kernel_name(loaded, 0), "axpy") == 0);
  CHECK(hl_bundle_kernel_name(loaded, 1000) == nullptr);
  hl_kernel kernel = nullptr;
  C_OK(hl_kernel_load(device, loaded, "axpy", nullptr, &kernel));
  C_FAILS(hl_kernel_load(device, loaded, "nothing", nullptr, &kernel),
          HL_INVALID_INPUT, "no kernel 'nothing'");
  hl_bundle_destroy(loaded);
  REQUIRE(hl_kernel_argument_count(kernel) == 4);
  hl_argument_info argument{};
  argument.struct_size = sizeof(argument);
  C_OK(hl_kernel_get_argument(kernel, 3, &argument));
  CHECK(std::strcmp(argument.name, "out") == 0 && argument.is_result &&
        argument.rank == 1);
  CHECK(argument.extents[0] == -1 && argument.element_bytes == 4);
  C_FAILS(hl_kernel_get_argument(kernel, 4, &argument), HL_INVALID_INPUT,
          "argument 4 of 4");

  hl_argument arguments[4] = {};
  int64_t extent = 100;
  Floats host = pattern(100, 4);
  for (int i = 0; i < 4; ++i) {
    arguments[i].struct_size = sizeof(hl_argument);
    arguments[i].kind = i ? HL_ARGUMENT_TENSOR : HL_ARGUMENT_SCALAR;
    if (i == 0) {
      arguments[i].scalar_bits = 0x40400000; // 3.0f
      continue;
    }
    arguments[i].rank = 1;
    arguments[i].extents = &extent;
    C_OK(hl_buffer_create(device, 400, HL_MEMORY_DEVICE, &arguments[i].buffer));
    C_OK(hl_buffer_write(arguments[i].buffer, 0, host.data(), 400));
  }
  hl_launch launch = nullptr;
  C_OK(hl_launch_prepare(kernel, arguments, 4, &launch));
  CHECK(std::strcmp(hl_launch_variant(launch), "flat") == 0);
  C_FAILS(hl_launch_prepare(kernel, arguments, 3, &launch), HL_INVALID_INPUT,
          "3 arguments given, expected 4");
  int64_t extents[HL_MAX_RANK] = {};
  C_OK(hl_kernel_result_extents(kernel, arguments, 3, 0, extents));
  CHECK(extents[0] == 100);
  C_FAILS(hl_kernel_result_extents(kernel, arguments, 3, 1, extents),
          HL_INVALID_INPUT, "result 1 of 1");
  C_FAILS(hl_kernel_result_extents(kernel, arguments, 0, 0, extents),
          HL_INVALID_INPUT, "missing");
  hl_stream stream = nullptr;
  C_OK(hl_stream_create(device, &stream));
  uint64_t event = 0;
  C_OK(hl_stream_enqueue(stream, launch, &event));
  C_OK(hl_stream_enqueue(stream, launch, nullptr));
  C_OK(hl_stream_synchronize(stream));
  CHECK(event == 1);
  double ns = 0;
  hl_status timed = hl_stream_elapsed_ns(stream, event, &ns);
  CHECK(context.device->info().timestampPeriodNs > 0 ? timed == HL_OK && ns > 0
                                                     : timed == HL_UNSUPPORTED);
  Floats got(100);
  C_OK(hl_buffer_read(arguments[3].buffer, 0, got.data(), 400));
  for (int i = 0; i < 100; ++i)
    REQUIRE(got[i] == (context.executes() ? 4 * host[i] : host[i]));
  C_OK(hl_stream_fill(stream, arguments[3].buffer, 0, 400, 0, nullptr));
  C_OK(hl_stream_copy(stream, arguments[1].buffer, 0, arguments[3].buffer, 200,
                      200, &event));
  C_OK(hl_stream_wait(stream, stream, event));
  C_OK(hl_stream_synchronize(stream));
  C_OK(hl_buffer_read(arguments[3].buffer, 0, got.data(), 400));
  CHECK(got[49] == 0 && got[50] == host[0]);
  // A graph, and memory and streams that are wrapped where there are such.
  CHECK(info.compute_capability == context.device->info().computeCapability);
  hl_buffer wrapped = nullptr;
  hl_stream again = nullptr;
  hl_graph graph = nullptr;
  struct Recorded {
    hl_stream stream;
    hl_buffer buffer;
    hl_status end;
  } recorded{stream, arguments[3].buffer, HL_OK};
  auto body = [](void *data) {
    auto *r = static_cast<Recorded *>(data);
    hl_status s = hl_stream_fill(r->stream, r->buffer, 0, 400, 7, nullptr);
    return s == HL_OK ? r->end : s;
  };
  if (context.device->info().driver == "cuda") {
    CHECK(hl_stream_native_handle(stream) != nullptr);
    C_OK(hl_buffer_wrap(device, hl_buffer_device_address(arguments[3].buffer),
                        400, &wrapped));
    C_OK(hl_stream_wrap(device, hl_stream_native_handle(stream), &again));
  } else {
    CHECK(hl_stream_native_handle(stream) == nullptr);
    CHECK(hl_buffer_device_address(arguments[3].buffer) == 0);
    C_FAILS(hl_buffer_wrap(device, 4096, 4, &wrapped), HL_UNSUPPORTED,
            "wraps no memory");
    C_FAILS(hl_stream_wrap(device, nullptr, &again), HL_UNSUPPORTED,
            "wraps no streams");
  }
  C_OK(hl_stream_record(stream, body, &recorded, &graph));
  if (again)
    C_OK(hl_stream_replay(again, graph, nullptr));
  C_OK(hl_stream_replay(stream, graph, &event));
  C_OK(hl_stream_synchronize(stream));
  CHECK(hl_graph_kernels(graph) == 0 && hl_graph_barriers(graph) == 0);
  uint32_t word = 0;
  C_OK(hl_buffer_read(wrapped ? wrapped : arguments[3].buffer, 396, &word, 4));
  CHECK(word == 7);
  hl_graph_destroy(graph);
  recorded.end = HL_INVALID_INPUT;
  C_FAILS(hl_stream_record(stream, body, &recorded, &graph), HL_INVALID_INPUT,
          "the body failed");
  hl_buffer_destroy(wrapped);
  hl_stream_destroy(again);
  // Any order of destruction.
  hl_device_destroy(device);
  hl_kernel_destroy(kernel);
  for (int i = 1; i < 4; ++i)
    hl_buffer_destroy(arguments[i].buffer);
  hl_launch_destroy(launch);
  hl_stream_destroy(stream);
}

CTS_TEST(c_bad_calls) {
  hl_device device = nullptr;
  C_FAILS(hl_device_open(nullptr, nullptr, &device), HL_INVALID_INPUT,
          "selector is NULL");
  C_FAILS(hl_device_open("null", nullptr, nullptr), HL_INVALID_INPUT,
          "device is NULL");
  C_FAILS(hl_device_open("nonsense", nullptr, &device), HL_INVALID_INPUT,
          "expected auto");
  C_FAILS(hl_device_open("emulator:sm_1", nullptr, &device), HL_INVALID_INPUT,
          "got 'sm_1'");
  hl_open_options options{};
  C_FAILS(hl_device_open("null", &options, &device), HL_INVALID_INPUT,
          "hl_open_options.struct_size is 0");
  options.struct_size = sizeof(options);
  options.vulkan_loader = "/nonexistent/loader";
  C_FAILS(hl_device_open("vulkan", &options, &device), HL_UNSUPPORTED,
          "/nonexistent/loader");
  options.cuda_library = "/nonexistent/cuda";
  C_FAILS(hl_device_open("cuda", &options, &device), HL_UNSUPPORTED,
          "/nonexistent/cuda");
  hl_bundle bundle = nullptr;
  C_FAILS(hl_bundle_load_file("/nonexistent.hlx", &bundle), HL_INVALID_INPUT,
          "/nonexistent.hlx");
  C_FAILS(hl_bundle_load_memory("HELIOSHX", 8, &bundle), HL_INVALID_INPUT,
          "truncated");
  hl_buffer buffer = nullptr;
  C_FAILS(hl_buffer_create(nullptr, 4, HL_MEMORY_DEVICE, &buffer),
          HL_INVALID_INPUT, "device is NULL");
  C_FAILS(hl_buffer_read(nullptr, 0, nullptr, 4), HL_INVALID_INPUT,
          "buffer is NULL");
  C_OK(hl_device_open("null", nullptr, &device));
  C_FAILS(hl_buffer_create(device, 4, static_cast<hl_memory_kind>(7), &buffer),
          HL_INVALID_INPUT, "memory kind 7");
  C_FAILS(hl_buffer_create(device, UINT64_MAX, HL_MEMORY_DEVICE, &buffer),
          HL_OUT_OF_MEMORY, "buffer of");
  hl_device_info info{};
  C_FAILS(hl_device_get_info(device, &info), HL_INVALID_INPUT, "struct_size");
  C_OK(hl_buffer_create(device, 4, HL_MEMORY_DEVICE, &buffer));
  CHECK(hl_buffer_size(buffer) == 4);
  CHECK(std::strcmp(hl_last_error(), "") == 0);
  hl_buffer_destroy(buffer);
  hl_device_destroy(device);
  hl_device_destroy(nullptr);
  hl_buffer_destroy(nullptr);
  hl_stream_destroy(nullptr);
  hl_bundle_destroy(nullptr);
  hl_kernel_destroy(nullptr);
  hl_launch_destroy(nullptr);
  hl_graph_destroy(nullptr);
}

CTS_TEST(c_device_list) {
  size_t count = 0;
  C_OK(hl_device_list(nullptr, nullptr, &count));
  REQUIRE(count >= 1);
  std::vector<hl_device_info> infos(count + 2);
  for (hl_device_info &i : infos)
    i.struct_size = sizeof(hl_device_info);
  size_t room = infos.size();
  C_OK(hl_device_list(nullptr, infos.data(), &room));
  CHECK(room == count);
  CHECK(std::strcmp(infos[count - 1].id, "null") == 0);
}
