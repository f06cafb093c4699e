//===- FakeCuda.cpp - A CUDA driver without a GPU, for tests -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "cuda/Driver.h"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

using namespace helios::rt::cuda;
using helios::cts::FakeCuda;

namespace {

FakeCuda state;
thread_local std::vector<void *> contexts;

void note(const std::string &call) {
  std::lock_guard<std::mutex> lock(state.mutex);
  state.calls.push_back(call);
}

/// The code that the next call of this name is to fail with; 0: none.
Code planned(const char *name) {
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.failCall != name)
    return Success;
  state.failCall.clear();
  return state.failCode;
}

struct FakeFunction {
  std::string name;
  std::vector<size_t> parameterBytes;
  int dynamicShared = 0;
};
struct FakeModule {
  std::map<std::string, FakeFunction> functions;
};
using Work = std::function<void()>;
struct FakeGraph {
  std::vector<Work> work;
  std::vector<FakeFunction *> kernels;
};
struct FakeStream {
  FakeGraph *recording = nullptr;
  bool foreign = false;
};
struct FakeEvent {
  std::chrono::steady_clock::time_point at;
  bool recorded = false;
};
/// What a tensor map holds here.
struct Recipe {
  uint64_t base;
  uint64_t extents[5];
  uint64_t strides[5]; ///< bytes, from dimension 0 on
  uint32_t box[5];
  uint8_t rank, type, swizzle;
};
static_assert(sizeof(Recipe) <= sizeof(EncodedTensorMap));

FakeStream nullStream;
FakeStream &of(StreamHandle s) {
  return s ? *reinterpret_cast<FakeStream *>(s) : nullStream;
}

/// Needs a current context, as most calls do.
bool hasContext() { return !contexts.empty() && contexts.back(); }
constexpr Code noContext = 201;

Code run(StreamHandle stream, Work work, FakeFunction *kernel = nullptr) {
  if (!hasContext())
    return noContext;
  FakeStream &s = of(stream);
  if (s.recording) {
    s.recording->work.push_back(std::move(work));
    if (kernel)
      s.recording->kernels.push_back(kernel);
  } else {
    work();
  }
  return Success;
}

template <typename T>
T parameter(void **parameters, int i) {
  T v;
  std::memcpy(&v, parameters[i], sizeof(T));
  return v;
}

/// One block of "axpy".
void axpy(void **p, uint64_t blocks) {
  auto x = parameter<const float *>(p, 0), y = parameter<const float *>(p, 1);
  auto out = parameter<float *>(p, 2);
  auto count = parameter<uint32_t>(p, 3);
  auto alpha = parameter<float>(p, 4);
  for (uint64_t i = 0; i < blocks * 64 && i < count; ++i)
    out[i] = alpha * x[i] + y[i];
}

/// All blocks of "tiles".
void tiles(void **p, uint64_t blocks, uint32_t cluster) {
  auto out = parameter<float *>(p, 0);
  auto columns = parameter<uint64_t>(p, 1);
  auto boxesInRow = parameter<uint32_t>(p, 2);
  auto map = parameter<Recipe>(p, 3);
  for (uint64_t block = 0; block < blocks; ++block) {
    uint64_t rank = block % cluster, pair = block / cluster;
    uint64_t row = pair / boxesInRow * 16 + rank * 8,
             column = pair % boxesInRow * 32;
    for (uint64_t r = row; r < row + map.box[1]; ++r)
      for (uint64_t c = column; c < column + map.box[0]; ++c) {
        float v = 0;
        if (r < map.extents[1] && c < map.extents[0])
          std::memcpy(&v,
                      reinterpret_cast<const char *>(map.base) +
                          r * map.strides[1] + c * 4,
                      4);
        out[r * columns + c] = v + static_cast<float>(rank);
      }
  }
}

Code launchKernel(FunctionHandle handle, unsigned grid, unsigned threads,
                  unsigned shared, uint32_t cluster, bool overlaps,
                  StreamHandle stream, void **parameters) {
  auto *f = reinterpret_cast<FakeFunction *>(handle);
  note("launch " + f->name + " grid " + std::to_string(grid) + " threads " +
       std::to_string(threads) + " shared " + std::to_string(shared) +
       " cluster " + std::to_string(cluster) +
       (overlaps ? " overlapping" : ""));
  if (Code c = planned("cuLaunchKernel"))
    return c;
  if (shared > 48 << 10 && static_cast<int>(shared) > f->dynamicShared)
    return ErrorInvalidValue;
  if (grid == 0 || grid % cluster != 0)
    return ErrorInvalidValue;
  // Parameters are copied when a kernel is launched.
  auto copies = std::make_shared<std::vector<std::vector<char>>>();
  for (size_t i = 0; i < f->parameterBytes.size(); ++i) {
    auto *from = static_cast<const char *>(parameters[i]);
    if (f->parameterBytes[i] == 128 &&
        reinterpret_cast<uintptr_t>(from) % 64 != 0)
      return 716;
    copies->emplace_back(from, from + f->parameterBytes[i]);
  }
  return run(
      stream,
      [f, copies, grid, cluster] {
        std::vector<void *> p;
        for (std::vector<char> &c : *copies)
          p.push_back(c.data());
        if (f->name == "axpy")
          axpy(p.data(), grid);
        else if (f->name == "tiles")
          tiles(p.data(), grid, cluster);
      },
      f);
}

/// Entry points and their parameters, as far as the test kernels write them.
void parse(const std::string &ptx, FakeModule &module) {
  for (size_t at = ptx.find(".entry "); at != std::string::npos;
       at = ptx.find(".entry ", at + 1)) {
    size_t name = at + 7, open = ptx.find('(', name), close = ptx.find(')', at);
    FakeFunction f;
    f.name = ptx.substr(name, open - name);
    for (size_t p = ptx.find(".param ", open); p < close;
         p = ptx.find(".param ", p + 1)) {
      std::string line = ptx.substr(p, ptx.find('\n', p) - p);
      size_t bits = line.find_first_of("uf", 7), array = line.find('[');
      f.parameterBytes.push_back(
          array != std::string::npos
              ? static_cast<size_t>(std::atoi(line.c_str() + array + 1))
              : static_cast<size_t>(std::atoi(line.c_str() + bits + 1)) / 8);
    }
    module.functions[f.name] = f;
  }
}

} // namespace

extern "C" {

FakeCuda *fakeCuda() { return &state; }

Code cuInit(unsigned) { return state.initResult; }
Code cuDriverGetVersion(int *v) {
  *v = state.version;
  return Success;
}
Code cuGetErrorName(Code code, const char **name) {
  static const std::map<Code, const char *> names = {
      {0, "CUDA_SUCCESS"},
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {34, "CUDA_ERROR_STUB_LIBRARY"},
      {100, "CUDA_ERROR_NO_DEVICE"},
      {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {218, "CUDA_ERROR_INVALID_PTX"},
      {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {500, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
      {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}};
  auto it = names.find(code);
  *name = it == names.end() ? nullptr : it->second;
  return it == names.end() ? ErrorInvalidValue : Success;
}
Code cuGetErrorString(Code code, const char **text) {
  *text = "as it was told to";
  return code == Success ? ErrorInvalidValue : Success;
}

Code cuDeviceGetCount(int *n) {
  *n = state.devices;
  return Success;
}
Code cuDeviceGet(DeviceNumber *d, int i) {
  if (i < 0 || i >= state.devices)
    return 101;
  *d = i;
  return Success;
}
Code cuDeviceGetName(char *name, int bytes, DeviceNumber) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(bytes));
  return Success;
}
Code cuDeviceGetUuid_v2(Uuid *uuid, DeviceNumber d) {
  std::memset(uuid->bytes, 0xfa + d, 16);
  return Success;
}
Code cuDeviceGetUuid(Uuid *uuid, DeviceNumber d) {
  return cuDeviceGetUuid_v2(uuid, d);
}
Code cuDeviceTotalMem_v2(size_t *bytes, DeviceNumber) {
  *bytes = state.memoryBytes;
  return Success;
}
Code cuDeviceGetAttribute(int *v, int attribute, DeviceNumber) {
  static const std::map<int, int> values = {{MaxThreadsPerBlock, 1024},
                                            {MaxBlockX, 1024},
                                            {MaxBlockY, 1024},
                                            {MaxBlockZ, 64},
                                            {MaxSharedPerBlock, 49152},
                                            {WarpSize, 32},
                                            {ClockRateKHz, 1980000},
                                            {MultiprocessorCount, 132},
                                            {Integrated, 0},
                                            {L2CacheBytes, 50 << 20},
                                            {MaxSharedPerBlockOptin, 232448}};
  auto it = values.find(attribute);
  if (attribute == CapabilityMajor)
    *v = state.major;
  else if (attribute == CapabilityMinor)
    *v = state.minor;
  else if (attribute == ComputeMode)
    *v = state.computeMode;
  else if (it != values.end())
    *v = it->second;
  else
    return ErrorInvalidValue;
  return Success;
}

Code cuDevicePrimaryCtxRetain(ContextHandle *c, DeviceNumber d) {
  if (Code code = planned("cuDevicePrimaryCtxRetain"))
    return code;
  ++state.retained;
  *c = reinterpret_cast<ContextHandle>(static_cast<intptr_t>(0x100 + d));
  return Success;
}
Code cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
  --state.retained;
  return Success;
}
Code cuCtxGetCurrent(ContextHandle *c) {
  *c = contexts.empty() ? nullptr : static_cast<ContextHandle>(contexts.back());
  return Success;
}
Code cuCtxPushCurrent_v2(ContextHandle c) {
  contexts.push_back(c);
  std::lock_guard<std::mutex> lock(state.mutex);
  ++state.pushed;
  return Success;
}
Code cuCtxPopCurrent_v2(ContextHandle *c) {
  if (contexts.empty())
    return noContext;
  *c = static_cast<ContextHandle>(contexts.back());
  contexts.pop_back();
  std::lock_guard<std::mutex> lock(state.mutex);
  --state.pushed;
  return Success;
}
Code cuCtxSynchronize() { return hasContext() ? Success : noContext; }

Code cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = state.memoryBytes - state.allocated;
  *total = state.memoryBytes;
  return Success;
}
Code cuMemAlloc_v2(DevicePointer *p, size_t bytes) {
  if (!hasContext())
    return noContext;
  if (Code code = planned("cuMemAlloc"))
    return code;
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.allocated + bytes > state.memoryBytes)
    return ErrorOutOfMemory;
  // The size lies in front.
  auto *memory = static_cast<char *>(std::aligned_alloc(256, bytes + 256));
  if (!memory)
    return ErrorOutOfMemory;
  std::memcpy(memory, &bytes, sizeof(bytes));
  state.allocated += bytes;
  *p = reinterpret_cast<DevicePointer>(memory + 256);
  return Success;
}
Code cuMemFree_v2(DevicePointer p) {
  if (!hasContext())
    return noContext;
  auto *memory = reinterpret_cast<char *>(p) - 256;
  size_t bytes = 0;
  std::memcpy(&bytes, memory, sizeof(bytes));
  std::free(memory);
  std::lock_guard<std::mutex> lock(state.mutex);
  state.allocated -= bytes;
  return Success;
}
Code cuMemAllocHost_v2(void **p, size_t bytes) {
  if (!hasContext())
    return noContext;
  *p = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return *p ? Success : ErrorOutOfMemory;
}
Code cuMemFreeHost(void *p) {
  std::free(p);
  return Success;
}
Code cuMemHostGetDevicePointer_v2(DevicePointer *d, void *p, unsigned) {
  *d = reinterpret_cast<DevicePointer>(p);
  return Success;
}
Code cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, size_t bytes,
                          StreamHandle s) {
  return run(s,
             [=] { std::memcpy(reinterpret_cast<void *>(to), from, bytes); });
}
Code cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes,
                          StreamHandle s) {
  return run(
      s, [=] { std::memcpy(to, reinterpret_cast<const void *>(from), bytes); });
}
Code cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes,
                          StreamHandle s) {
  return run(s, [=] {
    std::memcpy(reinterpret_cast<void *>(to),
                reinterpret_cast<const void *>(from), bytes);
  });
}
Code cuMemsetD32Async(DevicePointer to, unsigned v, size_t n, StreamHandle s) {
  return run(s, [=] {
    for (size_t i = 0; i < n; ++i)
      std::memcpy(reinterpret_cast<char *>(to) + 4 * i, &v, 4);
  });
}

Code cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned n,
                        int *options, void **values) {
  if (!hasContext())
    return noContext;
  std::string ptx = static_cast<const char *>(image);
  note("module of " + std::to_string(ptx.size()) + " bytes");
  if (Code code = planned("cuModuleLoadDataEx"))
    return code;
  auto tell = [&](int which, const char *text) {
    for (unsigned i = 0; i < n; ++i)
      if (options[i] == which)
        std::strcpy(static_cast<char *>(values[i]), text);
  };
  size_t target = ptx.find(".target sm_"), version = ptx.find(".version ");
  if (ptx.find("%nonsense") != std::string::npos) {
    tell(JitErrorLog, "ptxas application ptx input, line 7; error   : Unknown "
                      "symbol '%nonsense'\n");
    tell(JitInfoLog, "1 error\n");
    return ErrorInvalidPtx;
  }
  if (std::atof(ptx.c_str() + version + 9) > 8.7)
    return ErrorUnsupportedPtxVersion;
  const char *sm = ptx.c_str() + target + 11;
  int capability = std::atoi(sm), mine = 10 * state.major + state.minor;
  bool exact = sm[2] == 'a';
  if (exact ? capability != mine : capability > mine)
    return ErrorNoBinaryForGpu;
  auto *m = new FakeModule();
  parse(ptx, *m);
  *module = reinterpret_cast<ModuleHandle>(m);
  ++state.modules;
  return Success;
}
Code cuModuleUnload(ModuleHandle m) {
  delete reinterpret_cast<FakeModule *>(m);
  --state.modules;
  return Success;
}
Code cuModuleGetFunction(FunctionHandle *f, ModuleHandle m, const char *name) {
  auto &all = reinterpret_cast<FakeModule *>(m)->functions;
  auto it = all.find(name);
  if (it == all.end())
    return 500;
  *f = reinterpret_cast<FunctionHandle>(&it->second);
  return Success;
}
Code cuFuncGetAttribute(int *v, int attribute, FunctionHandle f) {
  switch (attribute) {
  case FunctionMaxThreads:
    *v = state.maxThreads;
    return Success;
  case FunctionSharedBytes:
    *v = reinterpret_cast<FakeFunction *>(f)->name == "tiles" ? 8 : 0;
    return Success;
  case FunctionRegisters:
    *v = 32;
    return Success;
  case FunctionMaxDynamicShared:
    *v = reinterpret_cast<FakeFunction *>(f)->dynamicShared;
    return Success;
  default:
    *v = 0;
    return Success;
  }
}
Code cuFuncSetAttribute(FunctionHandle f, int attribute, int v) {
  if (attribute != FunctionMaxDynamicShared || v > 232448)
    return ErrorInvalidValue;
  auto *function = reinterpret_cast<FakeFunction *>(f);
  note("dynamic shared of " + function->name + " " + std::to_string(v));
  function->dynamicShared = v;
  return Success;
}
Code cuFuncGetParamInfo(FunctionHandle f, size_t i, size_t *offset,
                        size_t *bytes) {
  auto &all = reinterpret_cast<FakeFunction *>(f)->parameterBytes;
  if (i >= all.size())
    return ErrorInvalidValue;
  *offset = 0;
  *bytes = all[i];
  return Success;
}
Code cuFuncGetName(const char **name, FunctionHandle f) {
  *name = reinterpret_cast<FakeFunction *>(f)->name.c_str();
  return Success;
}
Code cuLaunchKernel(FunctionHandle f, unsigned x, unsigned y, unsigned z,
                    unsigned bx, unsigned by, unsigned bz, unsigned shared,
                    StreamHandle s, void **parameters, void **) {
  if (y != 1 || z != 1)
    return ErrorInvalidValue;
  return launchKernel(f, x, bx * by * bz, shared, 1, false, s, parameters);
}
Code cuLaunchKernelEx(const LaunchConfig *c, FunctionHandle f,
                      void **parameters, void **) {
  uint32_t cluster = 1;
  bool overlaps = false;
  for (unsigned i = 0; i < c->attributeCount; ++i)
    if (c->attributes[i].id == attributeClusterDimension)
      cluster = c->attributes[i].value.cluster[0];
    else if (c->attributes[i].id == attributeProgrammaticStreamSerialization)
      overlaps = c->attributes[i].value.overlaps;
    else
      return ErrorInvalidValue;
  return launchKernel(f, c->gridX, c->blockX * c->blockY * c->blockZ,
                      c->sharedBytes, cluster, overlaps, c->stream, parameters);
}

/// Of larger clusters fewer workgroups run at once, as on real devices.
Code cuOccupancyMaxActiveClusters(int *count, FunctionHandle,
                                  const LaunchConfig *c) {
  if (c->attributeCount != 1 ||
      c->attributes[0].id != attributeClusterDimension ||
      c->sharedBytes <= 232448 / 2)
    return ErrorInvalidValue;
  *count = 132 / static_cast<int>(c->attributes[0].value.cluster[0]) - 3;
  return Success;
}

Code cuTensorMapEncodeTiled(EncodedTensorMap *out, int type, uint32_t rank,
                            void *base, const uint64_t *extents,
                            const uint64_t *strides, const uint32_t *box,
                            const uint32_t *steps, int interleave, int swizzle,
                            int promotion, int fill) {
  static const int bytesOf[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  std::string text = "tensor map type " + std::to_string(type) + " extents";
  Recipe r{};
  bool good = rank >= 1 && rank <= 5 && type >= 0 && type < 10 &&
              interleave == 0 && promotion >= 0 && promotion < 4 && fill == 0 &&
              reinterpret_cast<uintptr_t>(base) % 16 == 0;
  r.base = reinterpret_cast<uint64_t>(base);
  r.rank = static_cast<uint8_t>(rank);
  r.swizzle = static_cast<uint8_t>(swizzle);
  for (uint32_t d = 0; good && d < rank; ++d) {
    r.extents[d] = extents[d];
    r.strides[d] = d ? strides[d - 1] : static_cast<uint64_t>(bytesOf[type]);
    r.box[d] = box[d];
    good &= extents[d] >= 1 && extents[d] <= uint64_t(1) << 32 && box[d] >= 1 &&
            box[d] <= 256 && steps[d] == 1 &&
            (d == 0 ||
             (r.strides[d] % 16 == 0 && r.strides[d] < uint64_t(1) << 40));
    text += " " + std::to_string(extents[d]);
  }
  text += " strides";
  for (uint32_t d = 1; good && d < rank; ++d)
    text += " " + std::to_string(r.strides[d]);
  text += " box";
  for (uint32_t d = 0; good && d < rank; ++d)
    text += " " + std::to_string(box[d]);
  note(text + " swizzle " + std::to_string(swizzle));
  if (!good || box[0] * static_cast<uint32_t>(bytesOf[type]) % 16 != 0)
    return ErrorInvalidValue;
  std::memcpy(out, &r, sizeof(r));
  return Success;
}

Code cuStreamCreate(StreamHandle *s, unsigned) {
  if (!hasContext())
    return noContext;
  ++state.streams;
  auto *fresh = new FakeStream();
  fresh->foreign = state.capturedByOthers;
  *s = reinterpret_cast<StreamHandle>(fresh);
  return Success;
}
Code cuStreamDestroy_v2(StreamHandle s) {
  delete &of(s);
  --state.streams;
  return Success;
}
Code cuStreamSynchronize(StreamHandle s) {
  if (Code code = planned("cuStreamSynchronize"))
    return code;
  return of(s).recording ? 900 : Success;
}
Code cuStreamWaitEvent(StreamHandle, EventHandle, unsigned) {
  note("wait");
  return Success;
}
Code cuStreamIsCapturing(StreamHandle s, int *status) {
  *status = of(s).recording || state.capturedByOthers;
  return Success;
}
Code cuStreamBeginCapture_v2(StreamHandle s, int) {
  if (!s || of(s).recording)
    return 900;
  of(s).recording = new FakeGraph();
  ++state.graphs;
  return Success;
}
Code cuStreamEndCapture(StreamHandle s, GraphHandle *g) {
  if (Code code = planned("cuStreamEndCapture")) {
    delete of(s).recording;
    of(s).recording = nullptr;
    --state.graphs;
    return code;
  }
  *g = reinterpret_cast<GraphHandle>(of(s).recording);
  of(s).recording = nullptr;
  return Success;
}
Code cuGraphDestroy(GraphHandle g) {
  delete reinterpret_cast<FakeGraph *>(g);
  --state.graphs;
  return Success;
}
Code cuGraphGetNodes(GraphHandle g, GraphNodeHandle *nodes, size_t *count) {
  auto &kernels = reinterpret_cast<FakeGraph *>(g)->kernels;
  if (nodes)
    for (size_t i = 0; i < kernels.size(); ++i)
      nodes[i] = reinterpret_cast<GraphNodeHandle>(kernels[i]);
  *count = kernels.size();
  return Success;
}
Code cuGraphNodeGetType(GraphNodeHandle, int *type) {
  *type = 0;
  return Success;
}
Code cuGraphKernelNodeGetParams_v2(GraphNodeHandle node, KernelNodeParams *p) {
  p->function = reinterpret_cast<FunctionHandle>(node);
  return Success;
}
Code cuGraphInstantiateWithFlags(GraphExecHandle *exec, GraphHandle g,
                                 unsigned long long) {
  *exec = reinterpret_cast<GraphExecHandle>(g);
  return Success;
}
Code cuGraphExecDestroy(GraphExecHandle) { return Success; }
Code cuGraphLaunch(GraphExecHandle exec, StreamHandle s) {
  auto *g = reinterpret_cast<FakeGraph *>(exec);
  note("graph of " + std::to_string(g->work.size()));
  return run(s, [g] {
    for (const Work &w : g->work)
      w();
  });
}

Code cuEventCreate(EventHandle *e, unsigned) {
  if (!hasContext())
    return noContext;
  ++state.events;
  *e = reinterpret_cast<EventHandle>(new FakeEvent());
  return Success;
}
Code cuEventDestroy_v2(EventHandle e) {
  delete reinterpret_cast<FakeEvent *>(e);
  --state.events;
  return Success;
}
Code cuEventRecord(EventHandle e, StreamHandle) {
  auto *event = reinterpret_cast<FakeEvent *>(e);
  event->at = std::chrono::steady_clock::now();
  event->recorded = true;
  return Success;
}
Code cuEventSynchronize(EventHandle) { return planned("cuEventSynchronize"); }
Code cuEventElapsedTime(float *ms, EventHandle a, EventHandle b) {
  auto *x = reinterpret_cast<FakeEvent *>(a),
       *y = reinterpret_cast<FakeEvent *>(b);
  if (!x->recorded || !y->recorded)
    return 400;
  *ms = std::chrono::duration<float, std::milli>(y->at - x->at).count();
  return Success;
}

} // extern "C"
