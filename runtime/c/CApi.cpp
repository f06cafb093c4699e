//===- CApi.cpp - The C interface over the C++ one -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Serialize.h"
#include "helios/helios.h"
#include "helios/runtime/Runtime.h"
#include <algorithm>
#include <cstring>
#include <new>

using namespace helios;

// A handle is a heap cell with a shared pointer.
struct hl_device_t {
  std::shared_ptr<rt::Device> object;
};
struct hl_buffer_t {
  std::shared_ptr<rt::Buffer> object;
};
struct hl_stream_t {
  std::shared_ptr<rt::Stream> object;
};
struct hl_bundle_t {
  std::shared_ptr<const bundle::Bundle> object;
};
struct hl_kernel_t {
  std::shared_ptr<rt::Kernel> object;
};
struct hl_launch_t {
  std::shared_ptr<rt::Launch> object;
};
struct hl_graph_t {
  std::shared_ptr<rt::Graph> object;
};

namespace {

thread_local std::string lastError;

hl_status fail(const Status &status) {
  lastError = status.message();
  return static_cast<hl_status>(status.code());
}
hl_status invalid(const std::string &message) {
  return fail(Status::invalidInput(message));
}
hl_status ok() {
  lastError.clear();
  return HL_OK;
}

/// Runs `body`; no exception (memory) leaves the C interface.
template <typename Body>
hl_status guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(Status(StatusCode::OutOfMemory, "the host has no memory left"));
  } catch (const std::exception &e) {
    return fail(
        Status(StatusCode::Device, std::string("internal error: ") + e.what()));
  }
}

/// Hands out a new handle for a result.
template <typename Handle, typename T>
hl_status give(Result<std::shared_ptr<T>> result, Handle **out) {
  if (!result)
    return fail(result.status());
  *out = new Handle{std::move(*result)};
  return ok();
}

rt::OpenOptions convert(const hl_open_options *o) {
  rt::OpenOptions options;
  if (!o)
    return options;
  if (o->vulkan_loader)
    options.vulkanLoader = o->vulkan_loader;
  if (o->cache_dir)
    options.cacheDir = o->cache_dir;
  options.selfTest = !o->skip_self_test;
  if (o->cuda_library)
    options.cudaLibrary = o->cuda_library;
  return options;
}

bool sizeOk(size_t given, size_t known) { return given >= known; }

template <size_t N>
void copyText(char (&to)[N], const std::string &from) {
  size_t n = std::min(from.size(), N - 1);
  std::memcpy(to, from.data(), n);
  std::memset(to + n, 0, N - n);
}

void fillInfo(const rt::DeviceInfo &from, hl_device_info *to) {
  copyText(to->id, from.id);
  copyText(to->name, from.name);
  copyText(to->driver, from.driverDescription);
  to->device_class = static_cast<int32_t>(from.deviceClass);
  std::memcpy(to->device_uuid, from.deviceUuid.data(), 16);
  std::memcpy(to->driver_uuid, from.driverUuid.data(), 16);
  to->subgroup_size = from.subgroupSize;
  to->shared_memory_bytes = from.sharedMemoryBytes;
  to->max_workgroup_invocations = from.maxWorkgroupInvocations;
  to->compute_units = from.computeUnits;
  to->memory_bytes = from.memoryBytes;
  to->max_tensor_bytes = from.maxStorageBufferRange;
  to->matrix_shapes_listed = static_cast<uint32_t>(from.matrixShapes.size());
  to->matrix_shapes_verified = 0;
  for (const rt::ListedShape &s : from.matrixShapes)
    to->matrix_shapes_verified +=
        s.verdict == rt::ListedShape::Verdict::Verified;
  to->compute_capability = from.computeCapability;
}

std::string sizeMessage(const char *what, size_t given, size_t known) {
  return std::string(what) + ".struct_size is " + std::to_string(given) +
         ", expected at least " + std::to_string(known) +
         "; set it to sizeof(" + what + ")";
}

/// Result<Event> to an optional number.
hl_status event(Result<rt::Event> result, uint64_t *out) {
  if (!result)
    return fail(result.status());
  if (out)
    *out = result->serial;
  return ok();
}

} // namespace

#define REQUIRE(pointer)                                                       \
  if (!(pointer))                                                              \
    return invalid(#pointer " is NULL");
#define REQUIRE_SIZE(pointer, type)                                            \
  if (!sizeOk((pointer)->struct_size, sizeof(type)))                           \
    return invalid(sizeMessage(#type, (pointer)->struct_size, sizeof(type)));

namespace {

/// Hands each argument, whose kind and extents are checked, to `each`, up to
/// the first for which that fails.
template <typename Each>
hl_status forEach(const std::string &call, const hl_argument *arguments,
                  size_t count, Each each) {
  if (count)
    REQUIRE(arguments)
  if (count > 4096)
    return invalid(call + ": " + std::to_string(count) + " arguments");
  const char *at = reinterpret_cast<const char *>(arguments);
  for (size_t i = 0; i < count; ++i) {
    auto *a = reinterpret_cast<const hl_argument *>(at);
    REQUIRE_SIZE(a, hl_argument)
    at += a->struct_size;
    std::string name = call + ": argument " + std::to_string(i);
    if (a->kind != HL_ARGUMENT_SCALAR && a->kind != HL_ARGUMENT_TENSOR)
      return invalid(name + " has unknown kind " + std::to_string(a->kind));
    if (a->kind == HL_ARGUMENT_TENSOR &&
        (a->rank > HL_MAX_RANK || (a->rank && !a->extents)))
      return invalid(name + " has no extents or a rank above " +
                     std::to_string(HL_MAX_RANK));
    if (hl_status s = each(*a); s != HL_OK)
      return s;
  }
  return HL_OK;
}

} // namespace

extern "C" {

uint32_t hl_api_version(void) { return HL_API_VERSION; }
const char *hl_version_string(void) { return rt::runtimeVersion(); }
const char *hl_status_name(hl_status status) {
  return statusCodeName(static_cast<StatusCode>(status));
}
const char *hl_last_error(void) { return lastError.c_str(); }

hl_status hl_device_list(const hl_open_options *options, hl_device_info *infos,
                         size_t *count) {
  return guarded([&]() -> hl_status {
    REQUIRE(count)
    if (options)
      REQUIRE_SIZE(options, hl_open_options)
    if (*count)
      REQUIRE(infos)
    std::vector<rt::DeviceInfo> all = rt::listDevices(convert(options));
    char *at = reinterpret_cast<char *>(infos);
    for (size_t i = 0; i < *count && i < all.size(); ++i) {
      auto *info = reinterpret_cast<hl_device_info *>(at);
      REQUIRE_SIZE(info, hl_device_info)
      fillInfo(all[i], info);
      at += info->struct_size;
    }
    *count = all.size();
    return ok();
  });
}

hl_status hl_device_open(const char *selector, const hl_open_options *options,
                         hl_device *device) {
  return guarded([&]() -> hl_status {
    REQUIRE(selector)
    REQUIRE(device)
    if (options)
      REQUIRE_SIZE(options, hl_open_options)
    return give(rt::openDevice(selector, convert(options)), device);
  });
}
void hl_device_destroy(hl_device device) { delete device; }
hl_status hl_device_get_info(hl_device device, hl_device_info *info) {
  REQUIRE(device)
  REQUIRE(info)
  REQUIRE_SIZE(info, hl_device_info)
  fillInfo(device->object->info(), info);
  return ok();
}
const char *hl_device_why(hl_device device) {
  return device ? device->object->whyChosen().c_str() : "";
}

hl_status hl_buffer_create(hl_device device, uint64_t bytes,
                           hl_memory_kind kind, hl_buffer *buffer) {
  return guarded([&]() -> hl_status {
    REQUIRE(device)
    REQUIRE(buffer)
    if (kind != HL_MEMORY_DEVICE && kind != HL_MEMORY_HOST)
      return invalid("hl_buffer_create: unknown memory kind " +
                     std::to_string(kind));
    return give(device->object->createBuffer(
                    bytes, kind == HL_MEMORY_HOST ? rt::MemoryKind::Host
                                                  : rt::MemoryKind::Device),
                buffer);
  });
}
hl_status hl_buffer_wrap(hl_device device, uint64_t address, uint64_t bytes,
                         hl_buffer *buffer) {
  return guarded([&]() -> hl_status {
    REQUIRE(device)
    REQUIRE(buffer)
    return give(device->object->wrapMemory(address, bytes), buffer);
  });
}
uint64_t hl_buffer_device_address(hl_buffer buffer) {
  return buffer ? buffer->object->deviceAddress() : 0;
}
void hl_buffer_destroy(hl_buffer buffer) { delete buffer; }
uint64_t hl_buffer_size(hl_buffer buffer) {
  return buffer ? buffer->object->size() : 0;
}
void *hl_buffer_host_pointer(hl_buffer buffer) {
  return buffer ? buffer->object->hostPointer() : nullptr;
}
hl_status hl_buffer_write(hl_buffer buffer, uint64_t offset, const void *data,
                          uint64_t bytes) {
  return guarded([&]() -> hl_status {
    REQUIRE(buffer)
    if (bytes)
      REQUIRE(data)
    Status s = buffer->object->write(offset, data, bytes);
    return s.ok() ? ok() : fail(s);
  });
}
hl_status hl_buffer_read(hl_buffer buffer, uint64_t offset, void *data,
                         uint64_t bytes) {
  return guarded([&]() -> hl_status {
    REQUIRE(buffer)
    if (bytes)
      REQUIRE(data)
    Status s = buffer->object->read(offset, data, bytes);
    return s.ok() ? ok() : fail(s);
  });
}

hl_status hl_bundle_load_file(const char *path, hl_bundle *out) {
  return guarded([&]() -> hl_status {
    REQUIRE(path)
    REQUIRE(out)
    Result<bundle::Bundle> b = bundle::readFile(path);
    if (!b)
      return fail(b.status());
    *out =
        new hl_bundle_t{std::make_shared<const bundle::Bundle>(std::move(*b))};
    return ok();
  });
}
hl_status hl_bundle_load_memory(const void *data, size_t bytes,
                                hl_bundle *out) {
  return guarded([&]() -> hl_status {
    REQUIRE(data)
    REQUIRE(out)
    Result<bundle::Bundle> b =
        bundle::read(static_cast<const uint8_t *>(data), bytes);
    if (!b)
      return fail(b.status());
    *out =
        new hl_bundle_t{std::make_shared<const bundle::Bundle>(std::move(*b))};
    return ok();
  });
}
void hl_bundle_destroy(hl_bundle bundle) { delete bundle; }
size_t hl_bundle_kernel_count(hl_bundle bundle) {
  return bundle ? bundle->object->kernels.size() : 0;
}
const char *hl_bundle_kernel_name(hl_bundle bundle, size_t index) {
  return bundle && index < bundle->object->kernels.size()
             ? bundle->object->kernels[index].name.c_str()
             : nullptr;
}

hl_status hl_kernel_load(hl_device device, hl_bundle bundle, const char *name,
                         const char *row, hl_kernel *kernel) {
  return guarded([&]() -> hl_status {
    REQUIRE(device)
    REQUIRE(bundle)
    REQUIRE(name)
    REQUIRE(kernel)
    rt::KernelOptions options;
    if (row)
      options.row = row;
    return give(device->object->loadKernel(bundle->object, name, options),
                kernel);
  });
}
void hl_kernel_destroy(hl_kernel kernel) { delete kernel; }
const char *hl_kernel_why(hl_kernel kernel) {
  return kernel ? kernel->object->whyChosen().c_str() : "";
}
size_t hl_kernel_argument_count(hl_kernel kernel) {
  return kernel ? kernel->object->description().arguments.size() : 0;
}
hl_status hl_kernel_get_argument(hl_kernel kernel, size_t index,
                                 hl_argument_info *info) {
  return guarded([&]() -> hl_status {
    REQUIRE(kernel)
    REQUIRE(info)
    REQUIRE_SIZE(info, hl_argument_info)
    const std::vector<bundle::Argument> &all =
        kernel->object->description().arguments;
    if (index >= all.size())
      return invalid("hl_kernel_get_argument: argument " +
                     std::to_string(index) + " of " +
                     std::to_string(all.size()));
    const bundle::Argument &a = all[index];
    info->name = a.name.c_str();
    info->element_type = bundle::elementTypeName(a.type);
    info->element_bytes = bundle::elementBytes(a.type);
    info->kind = a.kind == bundle::ArgumentKind::Tensor ? HL_ARGUMENT_TENSOR
                                                        : HL_ARGUMENT_SCALAR;
    info->is_result = a.isResult;
    info->rank = a.rank();
    for (uint32_t d = 0; d < HL_MAX_RANK; ++d)
      info->extents[d] = d < a.rank() ? a.extents[d] : 0;
    return ok();
  });
}

hl_status hl_launch_prepare(hl_kernel kernel, const hl_argument *arguments,
                            size_t count, hl_launch *launch) {
  return guarded([&]() -> hl_status {
    REQUIRE(kernel)
    REQUIRE(launch)
    std::vector<rt::LaunchArgument> all;
    auto add = [&](const hl_argument &a) -> hl_status {
      rt::LaunchArgument converted;
      if (a.kind == HL_ARGUMENT_SCALAR) {
        converted.scalarBits = a.scalar_bits;
      } else {
        if (!a.buffer)
          return invalid("hl_launch_prepare: argument " +
                         std::to_string(all.size()) + " has no buffer");
        converted.buffer = a.buffer->object;
        converted.byteOffset = a.byte_offset;
        converted.extents.assign(a.extents, a.extents + a.rank);
        if (a.strides)
          converted.strides.assign(a.strides, a.strides + a.rank);
      }
      all.push_back(std::move(converted));
      return HL_OK;
    };
    if (hl_status s = forEach("hl_launch_prepare", arguments, count, add);
        s != HL_OK)
      return s;
    return give(kernel->object->prepare(all), launch);
  });
}
hl_status hl_kernel_result_extents(hl_kernel kernel, const hl_argument *inputs,
                                   size_t count, size_t result,
                                   int64_t *extents) {
  return guarded([&]() -> hl_status {
    REQUIRE(kernel)
    REQUIRE(extents)
    std::vector<std::vector<int64_t>> all;
    auto add = [&](const hl_argument &a) -> hl_status {
      all.emplace_back();
      if (a.kind == HL_ARGUMENT_TENSOR)
        all.back().assign(a.extents, a.extents + a.rank);
      return HL_OK;
    };
    if (hl_status s = forEach("hl_kernel_result_extents", inputs, count, add);
        s != HL_OK)
      return s;
    auto results = kernel->object->resultExtents(all);
    if (!results)
      return fail(results.status());
    if (result >= results->size())
      return invalid("hl_kernel_result_extents: result " +
                     std::to_string(result) + " of " +
                     std::to_string(results->size()));
    std::copy((*results)[result].begin(), (*results)[result].end(), extents);
    return ok();
  });
}
void hl_launch_destroy(hl_launch launch) { delete launch; }
const char *hl_launch_variant(hl_launch launch) {
  return launch ? launch->object->variantName().c_str() : "";
}
uint64_t hl_launch_workspace_bytes(hl_launch launch) {
  return launch ? launch->object->workspaceBytes() : 0;
}

hl_status hl_stream_create(hl_device device, hl_stream *stream) {
  return guarded([&]() -> hl_status {
    REQUIRE(device)
    REQUIRE(stream)
    return give(device->object->createStream(), stream);
  });
}
hl_status hl_stream_wrap(hl_device device, void *handle, hl_stream *stream) {
  return guarded([&]() -> hl_status {
    REQUIRE(device)
    REQUIRE(stream)
    return give(device->object->wrapStream(handle), stream);
  });
}
void *hl_stream_native_handle(hl_stream stream) {
  return stream ? stream->object->nativeHandle() : nullptr;
}
void hl_stream_destroy(hl_stream stream) { delete stream; }
hl_status hl_stream_enqueue(hl_stream stream, hl_launch launch, uint64_t *out) {
  return guarded([&]() -> hl_status {
    REQUIRE(stream)
    REQUIRE(launch)
    return event(stream->object->enqueue(launch->object), out);
  });
}
hl_status hl_stream_fill(hl_stream stream, hl_buffer buffer, uint64_t offset,
                         uint64_t bytes, uint32_t pattern, uint64_t *out) {
  return guarded([&]() -> hl_status {
    REQUIRE(stream)
    REQUIRE(buffer)
    return event(stream->object->fill(buffer->object, offset, bytes, pattern),
                 out);
  });
}
hl_status hl_stream_copy(hl_stream stream, hl_buffer from, uint64_t from_offset,
                         hl_buffer to, uint64_t to_offset, uint64_t bytes,
                         uint64_t *out) {
  return guarded([&]() -> hl_status {
    REQUIRE(stream)
    REQUIRE(from)
    REQUIRE(to)
    return event(stream->object->copy(from->object, from_offset, to->object,
                                      to_offset, bytes),
                 out);
  });
}
hl_status hl_stream_wait(hl_stream stream, hl_stream other, uint64_t serial) {
  return guarded([&]() -> hl_status {
    REQUIRE(stream)
    REQUIRE(other)
    Status s = stream->object->wait(*other->object, rt::Event{serial});
    return s.ok() ? ok() : fail(s);
  });
}
hl_status hl_stream_synchronize(hl_stream stream) {
  return guarded([&]() -> hl_status {
    REQUIRE(stream)
    Status s = stream->object->synchronize();
    return s.ok() ? ok() : fail(s);
  });
}
hl_status hl_stream_elapsed_ns(hl_stream stream, uint64_t serial,
                               double *nanoseconds) {
  return guarded([&]() -> hl_status {
    REQUIRE(stream)
    REQUIRE(nanoseconds)
    Result<double> ns = stream->object->elapsedNs(rt::Event{serial});
    if (!ns)
      return fail(ns.status());
    *nanoseconds = *ns;
    return ok();
  });
}

hl_status hl_stream_record(hl_stream stream, hl_status (*body)(void *data),
                           void *data, hl_graph *graph) {
  return guarded([&]() -> hl_status {
    REQUIRE(stream)
    REQUIRE(body)
    REQUIRE(graph)
    return give(stream->object->record([&]() -> Status {
      hl_status s = body(data);
      return s == HL_OK ? Status::success()
                        : Status(static_cast<StatusCode>(s),
                                 lastError.empty() ? "hl_stream_record: the "
                                                     "body failed"
                                                   : lastError);
    }),
                graph);
  });
}
hl_status hl_stream_replay(hl_stream stream, hl_graph graph, uint64_t *out) {
  return guarded([&]() -> hl_status {
    REQUIRE(stream)
    REQUIRE(graph)
    return event(stream->object->replay(graph->object), out);
  });
}
void hl_graph_destroy(hl_graph graph) { delete graph; }
uint32_t hl_graph_kernels(hl_graph graph) {
  return graph ? static_cast<uint32_t>(graph->object->kernelNames().size()) : 0;
}
uint32_t hl_graph_barriers(hl_graph graph) {
  return graph ? graph->object->barriers() : 0;
}

} // extern "C"
