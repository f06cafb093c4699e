//===- Driver.h - The CUDA driver, opened at run time -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few declarations of CUDA's driver interface that are used here, written
// for this project, so that no CUDA header is needed. The numbers and layouts
// are the driver's binary interface, which never changes for a given name.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_CUDA_DRIVER_H
#define HELIOS_RUNTIME_CUDA_DRIVER_H

#include "common/Common.h"
#include <cstddef>

namespace helios::rt::cuda {

using Code = int; ///< CUresult
using DeviceNumber = int;
using DevicePointer = unsigned long long;
using ContextHandle = struct OpaqueContext *;
using ModuleHandle = struct OpaqueModule *;
using FunctionHandle = struct OpaqueFunction *;
using StreamHandle = struct OpaqueStream *;
using EventHandle = struct OpaqueEvent *;
using GraphHandle = struct OpaqueGraph *;
using GraphExecHandle = struct OpaqueGraphExec *;
using GraphNodeHandle = struct OpaqueGraphNode *;

struct Uuid {
  uint8_t bytes[16];
};

/// A tensor map, which only the driver reads.
struct alignas(64) EncodedTensorMap {
  uint64_t words[16];
};

struct LaunchAttribute {
  int id;
  int padding;
  union {
    uint32_t cluster[3];
    int overlaps;
    char bytes[64];
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);
inline constexpr int attributeClusterDimension = 4,
                     attributeProgrammaticStreamSerialization = 6;

struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(offsetof(LaunchConfig, stream) == 32);

struct KernelNodeParams {
  FunctionHandle function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **parameters, **extra;
  void *kernel;
  ContextHandle context;
};

/// Results that are told apart.
enum : Code {
  Success = 0,
  ErrorInvalidValue = 1,
  ErrorOutOfMemory = 2,
  ErrorStubLibrary = 34,
  ErrorNoDevice = 100,
  ErrorNoBinaryForGpu = 209,
  ErrorInvalidPtx = 218,
  ErrorUnsupportedPtxVersion = 222,
  ErrorNotReady = 600,
};

enum DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxBlockX = 2,
  MaxBlockY = 3,
  MaxBlockZ = 4,
  MaxSharedPerBlock = 8,
  WarpSize = 10,
  ClockRateKHz = 13,
  MultiprocessorCount = 16,
  Integrated = 18,
  ComputeMode = 20,
  MemoryClockKHz = 36,
  MemoryBusBits = 37,
  L2CacheBytes = 38,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedPerBlockOptin = 97,
};
enum FunctionAttribute : int {
  FunctionMaxThreads = 0,
  FunctionSharedBytes = 1,
  FunctionLocalBytes = 3,
  FunctionRegisters = 4,
  FunctionBinaryVersion = 6,
  FunctionMaxDynamicShared = 8,
};
enum JitOption : int {
  JitWallTime = 2,
  JitInfoLog = 3,
  JitInfoLogBytes = 4,
  JitErrorLog = 5,
  JitErrorLogBytes = 6,
};
inline constexpr unsigned streamNonBlocking = 1, eventDefault = 0,
                          eventDisableTiming = 2, captureThreadLocal = 1;

/// X(member, symbol, parameters). Required: in every driver since CUDA 11.
#define HELIOS_CUDA_FUNCTIONS(X)                                               \
  X(init, cuInit, (unsigned))                                                  \
  X(driverGetVersion, cuDriverGetVersion, (int *))                             \
  X(getErrorName, cuGetErrorName, (Code, const char **))                       \
  X(getErrorString, cuGetErrorString, (Code, const char **))                   \
  X(deviceGetCount, cuDeviceGetCount, (int *))                                 \
  X(deviceGet, cuDeviceGet, (DeviceNumber *, int))                             \
  X(deviceGetName, cuDeviceGetName, (char *, int, DeviceNumber))               \
  X(deviceGetUuid, cuDeviceGetUuid, (Uuid *, DeviceNumber))                    \
  X(deviceTotalMem, cuDeviceTotalMem_v2, (size_t *, DeviceNumber))             \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int, DeviceNumber))      \
  X(primaryContextRetain, cuDevicePrimaryCtxRetain,                            \
    (ContextHandle *, DeviceNumber))                                           \
  X(primaryContextRelease, cuDevicePrimaryCtxRelease_v2, (DeviceNumber))       \
  X(contextGetCurrent, cuCtxGetCurrent, (ContextHandle *))                     \
  X(contextPush, cuCtxPushCurrent_v2, (ContextHandle))                         \
  X(contextPop, cuCtxPopCurrent_v2, (ContextHandle *))                         \
  X(contextSynchronize, cuCtxSynchronize, ())                                  \
  X(memGetInfo, cuMemGetInfo_v2, (size_t *, size_t *))                         \
  X(memAlloc, cuMemAlloc_v2, (DevicePointer *, size_t))                        \
  X(memFree, cuMemFree_v2, (DevicePointer))                                    \
  X(memAllocHost, cuMemAllocHost_v2, (void **, size_t))                        \
  X(memFreeHost, cuMemFreeHost, (void *))                                      \
  X(memHostGetDevicePointer, cuMemHostGetDevicePointer_v2,                     \
    (DevicePointer *, void *, unsigned))                                       \
  X(copyToDevice, cuMemcpyHtoDAsync_v2,                                        \
    (DevicePointer, const void *, size_t, StreamHandle))                       \
  X(copyToHost, cuMemcpyDtoHAsync_v2,                                          \
    (void *, DevicePointer, size_t, StreamHandle))                             \
  X(copyOnDevice, cuMemcpyDtoDAsync_v2,                                        \
    (DevicePointer, DevicePointer, size_t, StreamHandle))                      \
  X(fill32, cuMemsetD32Async, (DevicePointer, unsigned, size_t, StreamHandle)) \
  X(moduleLoad, cuModuleLoadDataEx,                                            \
    (ModuleHandle *, const void *, unsigned, int *, void **))                  \
  X(moduleUnload, cuModuleUnload, (ModuleHandle))                              \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (FunctionHandle *, ModuleHandle, const char *))                            \
  X(functionGetAttribute, cuFuncGetAttribute, (int *, int, FunctionHandle))    \
  X(functionSetAttribute, cuFuncSetAttribute, (FunctionHandle, int, int))      \
  X(launch, cuLaunchKernel,                                                    \
    (FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned,         \
     unsigned, unsigned, StreamHandle, void **, void **))                      \
  X(streamCreate, cuStreamCreate, (StreamHandle *, unsigned))                  \
  X(streamDestroy, cuStreamDestroy_v2, (StreamHandle))                         \
  X(streamSynchronize, cuStreamSynchronize, (StreamHandle))                    \
  X(streamWaitEvent, cuStreamWaitEvent, (StreamHandle, EventHandle, unsigned)) \
  X(streamIsCapturing, cuStreamIsCapturing, (StreamHandle, int *))             \
  X(beginCapture, cuStreamBeginCapture_v2, (StreamHandle, int))                \
  X(endCapture, cuStreamEndCapture, (StreamHandle, GraphHandle *))             \
  X(graphDestroy, cuGraphDestroy, (GraphHandle))                               \
  X(graphGetNodes, cuGraphGetNodes,                                            \
    (GraphHandle, GraphNodeHandle *, size_t *))                                \
  X(graphExecDestroy, cuGraphExecDestroy, (GraphExecHandle))                   \
  X(graphLaunch, cuGraphLaunch, (GraphExecHandle, StreamHandle))               \
  X(eventCreate, cuEventCreate, (EventHandle *, unsigned))                     \
  X(eventDestroy, cuEventDestroy_v2, (EventHandle))                            \
  X(eventRecord, cuEventRecord, (EventHandle, StreamHandle))                   \
  X(eventSynchronize, cuEventSynchronize, (EventHandle))                       \
  X(eventElapsedTime, cuEventElapsedTime, (float *, EventHandle, EventHandle))

/// Null in older drivers; what needs them says so.
#define HELIOS_CUDA_OPTIONAL_FUNCTIONS(X)                                      \
  X(deviceGetUuidOfInstance, cuDeviceGetUuid_v2, (Uuid *, DeviceNumber))       \
  X(launchEx, cuLaunchKernelEx,                                                \
    (const LaunchConfig *, FunctionHandle, void **, void **))                  \
  X(maxActiveClusters, cuOccupancyMaxActiveClusters,                           \
    (int *, FunctionHandle, const LaunchConfig *))                             \
  X(encodeTiled, cuTensorMapEncodeTiled,                                       \
    (EncodedTensorMap *, int, uint32_t, void *, const uint64_t *,              \
     const uint64_t *, const uint32_t *, const uint32_t *, int, int, int,      \
     int))                                                                     \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (GraphExecHandle *, GraphHandle, unsigned long long))                      \
  X(functionGetParamInfo, cuFuncGetParamInfo,                                  \
    (FunctionHandle, size_t, size_t *, size_t *))                              \
  X(functionGetName, cuFuncGetName, (const char **, FunctionHandle))           \
  X(graphNodeGetType, cuGraphNodeGetType, (GraphNodeHandle, int *))            \
  X(graphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2,                   \
    (GraphNodeHandle, KernelNodeParams *))

/// The driver's library, initialised.
class Driver {
public:
  /// One a library name and process. Unsupported: no library, no device, or a
  /// driver that is too old; the message says what to install.
  static Result<std::shared_ptr<Driver>> get(const OpenOptions &options);

  /// Ok for Success; else a status that names the call and its result, with
  /// the code that fits (OutOfMemory, DeviceLost, Device).
  Status check(Code code, const std::string &call) const;
  /// "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)".
  std::string nameOf(Code code) const;

  /// 12080 for CUDA 12.8.
  uint32_t version() const { return versionNumber; }

#define X(member, symbol, parameters) Code(*member) parameters = nullptr;
  HELIOS_CUDA_FUNCTIONS(X)
  HELIOS_CUDA_OPTIONAL_FUNCTIONS(X)
#undef X

private:
  Driver() = default;
  Status open(const OpenOptions &options);
  uint32_t versionNumber = 0;
};

/// 12080 -> "12.8".
std::string versionText(uint32_t version);

/// The least driver version whose interface is used as a whole.
inline constexpr uint32_t leastDriverVersion = 11040;

} // namespace helios::rt::cuda

#endif // HELIOS_RUNTIME_CUDA_DRIVER_H
