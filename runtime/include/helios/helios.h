/*===- helios.h - The stable C interface of the runtime -----------*- C -*-===*\
|*
|* Part of the Helios project, under the Apache License v2.0 with LLVM
Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Load a bundle made by helios-compile, launch its kernels on tensors.
|*
|* - Every function that can fail returns an hl_status; hl_last_error() then
|*   gives the message of the calling thread's last failure.
|* - Handles are opaque and counted inside: a handle may be destroyed as soon as
|*   it is not needed, whatever was made from it stays valid. Destroying NULL
|*   does nothing.
|* - A device, bundle or kernel may be used from several threads at once; a
|*   stream or launch from one thread at a time.
|* - Structs begin with struct_size, which the caller sets to sizeof(the
struct):
|*   later versions add fields at the end and stay binary compatible.
|* - Text is UTF-8. Strings that are returned belong to the handle they were
|*   asked of and live as long as it.
|*
\*===----------------------------------------------------------------------===*/

#ifndef HELIOS_HELIOS_H
#define HELIOS_HELIOS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HL_API_VERSION 1

/* The numbers 0 to 4 are the exit codes of the tools. */
typedef enum hl_status {
  HL_OK = 0,
  HL_WRONG_RESULT = 1,
  HL_INVALID_INPUT = 2, /* bad file, shape, stride, argument */
  HL_UNSUPPORTED = 3,   /* not possible on this device, driver or build */
  HL_DEVICE_ERROR = 4,
  HL_OUT_OF_MEMORY = 5,
  HL_DEVICE_LOST = 6 /* the device and all made from it are dead */
} hl_status;

typedef struct hl_device_t *hl_device;
typedef struct hl_buffer_t *hl_buffer;
typedef struct hl_stream_t *hl_stream;
typedef struct hl_bundle_t *hl_bundle;
typedef struct hl_kernel_t *hl_kernel;
typedef struct hl_launch_t *hl_launch;
typedef struct hl_graph_t *hl_graph;

/* HL_API_VERSION of the library that is loaded. */
uint32_t hl_api_version(void);
/* "0.1.0". */
const char *hl_version_string(void);
/* "invalid input". */
const char *hl_status_name(hl_status status);
/* Message of this thread's last failure; "" if none. Valid until the thread's
 * next call. */
const char *hl_last_error(void);

/*---- devices ----*/

typedef enum hl_device_class {
  HL_DEVICE_GPU = 0,
  HL_DEVICE_CPU = 1,
  HL_DEVICE_NULL = 2
} hl_device_class;

typedef struct hl_open_options {
  size_t struct_size;
  /* Path or name of the Vulkan loader; NULL: libvulkan.so.1 (macOS:
   * libvulkan.1.dylib). */
  const char *vulkan_loader;
  /* Folder for pipeline caches and self-test verdicts; NULL: keep nothing. */
  const char *cache_dir;
  /* Nonzero: do not verify cooperative matrix shapes (kernels that need one are
   * then refused). */
  int32_t skip_self_test;
  /* Path or name of the CUDA driver's library; NULL: libcuda.so.1. */
  const char *cuda_library;
} hl_open_options;

typedef struct hl_device_info {
  size_t struct_size;
  char id[32]; /* "vulkan:0": opens the same device again */
  char name[256];
  char driver[256];     /* name and version */
  int32_t device_class; /* hl_device_class */
  uint8_t device_uuid[16];
  uint8_t driver_uuid[16];
  uint32_t subgroup_size;
  uint32_t shared_memory_bytes;
  uint32_t max_workgroup_invocations;
  uint32_t compute_units; /* 0: unknown, which plans take for 16 */
  uint64_t memory_bytes;
  uint64_t max_tensor_bytes; /* bound at once */
  uint32_t matrix_shapes_listed;
  uint32_t matrix_shapes_verified;
  uint32_t compute_capability; /* CUDA: 10 * major + minor; else 0 */
} hl_device_info;

/* Lists devices. On entry *count is the room in `infos` (each with struct_size
 * set); on return the number there are. `infos` may be NULL if *count is 0.
 * Verified shapes are not counted: nothing is run. */
hl_status hl_device_list(const hl_open_options *options, hl_device_info *infos,
                         size_t *count);
/* selector: auto | vulkan[:n] | cuda[:n] | emulator[:row,seed=n,...] |
 * null[:processors]. options may be NULL. */
hl_status hl_device_open(const char *selector, const hl_open_options *options,
                         hl_device *device);
void hl_device_destroy(hl_device device);
hl_status hl_device_get_info(hl_device device, hl_device_info *info);
/* Why hl_device_open took this device. */
const char *hl_device_why(hl_device device);

/*---- memory ----*/

typedef enum hl_memory_kind {
  HL_MEMORY_DEVICE = 0,
  HL_MEMORY_HOST = 1
} hl_memory_kind;

hl_status hl_buffer_create(hl_device device, uint64_t bytes,
                           hl_memory_kind kind, hl_buffer *buffer);
/* Memory that somebody else allocated on the device and keeps as long as the
 * buffer and all launches with it live (CUDA: address is a CUdeviceptr). */
hl_status hl_buffer_wrap(hl_device device, uint64_t address, uint64_t bytes,
                         hl_buffer *buffer);
void hl_buffer_destroy(hl_buffer buffer);
uint64_t hl_buffer_size(hl_buffer buffer);
/* Host address, or NULL if the host cannot see the memory. */
void *hl_buffer_host_pointer(hl_buffer buffer);
/* Address on the device (CUDA: a CUdeviceptr), or 0 where there is none. */
uint64_t hl_buffer_device_address(hl_buffer buffer);
/* Copy and wait. Not ordered with streams: synchronise those first. */
hl_status hl_buffer_write(hl_buffer buffer, uint64_t offset, const void *data,
                          uint64_t bytes);
hl_status hl_buffer_read(hl_buffer buffer, uint64_t offset, void *data,
                         uint64_t bytes);

/*---- bundles and kernels ----*/

hl_status hl_bundle_load_file(const char *path, hl_bundle *bundle);
hl_status hl_bundle_load_memory(const void *data, size_t bytes,
                                hl_bundle *bundle);
void hl_bundle_destroy(hl_bundle bundle);
size_t hl_bundle_kernel_count(hl_bundle bundle);
/* NULL beyond the last. */
const char *hl_bundle_kernel_name(hl_bundle bundle, size_t index);

/* row: take only the implementation for this target row; NULL: the first that
 * the device can run. */
hl_status hl_kernel_load(hl_device device, hl_bundle bundle, const char *name,
                         const char *row, hl_kernel *kernel);
void hl_kernel_destroy(hl_kernel kernel);
/* Which implementation was taken, and what earlier ones lacked. */
const char *hl_kernel_why(hl_kernel kernel);

typedef enum hl_argument_kind {
  HL_ARGUMENT_TENSOR = 0,
  HL_ARGUMENT_SCALAR = 1
} hl_argument_kind;

#define HL_MAX_RANK 8

typedef struct hl_argument_info {
  size_t struct_size;
  const char *name;
  const char *element_type; /* "f16", "bf16", "f32", "i32", ... */
  uint32_t element_bytes;
  int32_t kind; /* hl_argument_kind */
  int32_t is_result;
  uint32_t rank;
  int64_t extents[HL_MAX_RANK]; /* -1: any */
} hl_argument_info;

/* Inputs first, then results. */
size_t hl_kernel_argument_count(hl_kernel kernel);
hl_status hl_kernel_get_argument(hl_kernel kernel, size_t index,
                                 hl_argument_info *info);

/*---- launches ----*/

typedef struct hl_argument {
  size_t struct_size;
  int32_t kind; /* hl_argument_kind */
  hl_buffer buffer;
  uint64_t byte_offset; /* of the first element */
  uint32_t rank;
  const int64_t *extents;
  const int64_t *strides; /* in elements; NULL: dense */
  int64_t scalar_bits;    /* integers: the value; floats: their bits */
} hl_argument;

/* Checks the arguments (all of one struct_size), chooses the variant, allocates
 * workspace. The launch may be enqueued any number of times. */
hl_status hl_launch_prepare(hl_kernel kernel, const hl_argument *arguments,
                            size_t count, hl_launch *launch);
/* Extents of result number `result`, counted from 0 among results, for `count`
 * inputs, of which kind, rank and extents alone are read. `extents` has room
 * for HL_MAX_RANK. So many has what a kernel that packs an operand writes. */
hl_status hl_kernel_result_extents(hl_kernel kernel, const hl_argument *inputs,
                                   size_t count, size_t result,
                                   int64_t *extents);
void hl_launch_destroy(hl_launch launch);
const char *hl_launch_variant(hl_launch launch);
uint64_t hl_launch_workspace_bytes(hl_launch launch);

/*---- streams ----*/

hl_status hl_stream_create(hl_device device, hl_stream *stream);
/* Somebody else's stream of the device, which must outlive this one (CUDA: a
 * CUstream, which may be NULL). No times are taken on it. */
hl_status hl_stream_wrap(hl_device device, void *handle, hl_stream *stream);
/* The driver's handle (CUDA: a CUstream), or NULL. */
void *hl_stream_native_handle(hl_stream stream);
/* Waits for the work that was enqueued. */
void hl_stream_destroy(hl_stream stream);
/* `event` may be NULL in these three. */
hl_status hl_stream_enqueue(hl_stream stream, hl_launch launch,
                            uint64_t *event);
hl_status hl_stream_fill(hl_stream stream, hl_buffer buffer, uint64_t offset,
                         uint64_t bytes, uint32_t pattern, uint64_t *event);
hl_status hl_stream_copy(hl_stream stream, hl_buffer from, uint64_t from_offset,
                         hl_buffer to, uint64_t to_offset, uint64_t bytes,
                         uint64_t *event);
/* Later work of `stream` starts after `event` of `other`. */
hl_status hl_stream_wait(hl_stream stream, hl_stream other, uint64_t event);
hl_status hl_stream_synchronize(hl_stream stream);
/* Nanoseconds on the device of one of the last 64 operations; waits for it. */
hl_status hl_stream_elapsed_ns(hl_stream stream, uint64_t event,
                               double *nanoseconds);

/*---- graphs ----*/

/* Records what `body` enqueues on the stream, here or through its native
 * handle, instead of running it. If `body` returns anything but HL_OK nothing
 * is kept and that is returned. HL_UNSUPPORTED: the driver is too old for
 * graphs. */
hl_status hl_stream_record(hl_stream stream, hl_status (*body)(void *data),
                           void *data, hl_graph *graph);
/* Runs all that was recorded, as one operation. `event` may be NULL. */
hl_status hl_stream_replay(hl_stream stream, hl_graph graph, uint64_t *event);
void hl_graph_destroy(hl_graph graph);
/* Kernels that it launches, where the driver tells; 0 of NULL. */
uint32_t hl_graph_kernels(hl_graph graph);
/* Barriers between its operations, where the runtime sets them (Vulkan), the
 * fewest with which each sees what it needs; else 0. */
uint32_t hl_graph_barriers(hl_graph graph);

#ifdef __cplusplus
}
#endif

#endif /* HELIOS_HELIOS_H */
