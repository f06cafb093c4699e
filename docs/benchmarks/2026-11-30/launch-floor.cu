// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What no kernel of two dispatches falls below: workgroups of a warp that read
// steps of 16 KB through a ring of copies and leave sums of 2 KB, and a second
// dispatch that adds 64 of these up; and what straight code takes that runs
// once. nvcc -O3 -std=c++17 -arch=sm_90a launch-floor.cu

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

static void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

/// Releases the next dispatch and waits for the one before.
__device__ void overlap(bool overlaps) {
  if (overlaps) {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
}

constexpr int kStepBytes = 16384, kSlots = 3;

__global__ void __launch_bounds__(32)
    slices(const char *from, size_t bytes, float *sums, int spin,
           bool overlaps) {
  extern __shared__ __align__(1024) char slots[];
  overlap(overlaps);
  const int steps = int(bytes / kStepBytes / gridDim.x);
  const unsigned shared = unsigned(__cvta_generic_to_shared(slots));
  float sum = 0;
  auto copy = [&](int step) {
    if (step < steps) {
      const char *p = from + (size_t(blockIdx.x) * steps + step) * kStepBytes;
      const unsigned slot = shared + (step % kSlots) * kStepBytes;
#pragma unroll
      for (int i = 0; i < kStepBytes / 512; ++i)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         slot + i * 512 + threadIdx.x * 16),
                     "l"(p + i * 512 + threadIdx.x * 16));
    }
    asm volatile("cp.async.commit_group;");
  };
  for (int step = 0; step < kSlots - 1; ++step)
    copy(step);
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kSlots - 2) : "memory");
    __syncwarp();
    copy(step + kSlots - 1);
#pragma unroll
    for (int i = 0; i < kStepBytes / 512; ++i) {
      const float4 v = *reinterpret_cast<const float4 *>(
          slots + (step % kSlots) * kStepBytes + i * 512 + threadIdx.x * 16);
      sum += v.x + v.y + v.z + v.w;
    }
    for (long long start = clock64(); spin && clock64() - start < spin;)
      ;
    __syncwarp();
  }
#pragma unroll
  for (int row = 0; row < 4; ++row)
    *reinterpret_cast<float4 *>(sums + (blockIdx.x * 4 + row) * 128 +
                                threadIdx.x * 4) =
        make_float4(sum, sum, sum, sum);
}

/// Adds up 64 rows, 32 columns a workgroup.
__global__ void __launch_bounds__(32)
    addUp(const float *sums, float *result, bool overlaps) {
  overlap(overlaps);
  const float *p = sums + (blockIdx.x / 4) * 64 * 128 + (blockIdx.x % 4) * 32 +
                   (threadIdx.x / 8) * 128 + (threadIdx.x % 8) * 4;
  float4 rows[16], sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int i = 0; i < 16; ++i)
    rows[i] = *reinterpret_cast<const float4 *>(p + i * 512);
#pragma unroll
  for (int i = 0; i < 16; ++i)
    sum = make_float4(sum.x + rows[i].x, sum.y + rows[i].y, sum.z + rows[i].z,
                      sum.w + rows[i].w);
  for (int lane = 8; lane < 32; lane *= 2)
    sum = make_float4(sum.x + __shfl_xor_sync(~0u, sum.x, lane),
                      sum.y + __shfl_xor_sync(~0u, sum.y, lane),
                      sum.z + __shfl_xor_sync(~0u, sum.z, lane),
                      sum.w + __shfl_xor_sync(~0u, sum.w, lane));
  if (threadIdx.x < 8)
    *reinterpret_cast<float4 *>(result + blockIdx.x * 32 + threadIdx.x * 4) =
        sum;
}

/// `count` instructions of four chains, without a branch.
template <int count>
__global__ void __launch_bounds__(32)
    straight(unsigned *result, unsigned a, unsigned b) {
  unsigned x = threadIdx.x, y = a, z = b, w = a ^ b;
#pragma unroll
  for (int i = 0; i < count / 4; ++i) {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    asm volatile("add.u32 %0, %0, %1;" : "+r"(y) : "r"(a));
    asm volatile("xor.b32 %0, %0, %1;" : "+r"(z) : "r"(b));
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(w) : "r"(b), "r"(a));
  }
  if ((x ^ y ^ z ^ w) == 12345)
    result[threadIdx.x] = x;
}

static cudaStream_t stream;

template <typename... Args>
static void launch(void (*kernel)(Args...), int grid, int shared, bool overlaps,
                   Args... args) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = 32;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = overlaps;
  check(cudaLaunchKernelEx(&config, kernel, args...));
}

/// Prints microseconds a round of a graph of them, the median of 40 replays.
static void time(const char *name, int rounds,
                 const std::function<void(int)> &round) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < rounds; ++i)
    round(i);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  cudaEvent_t start, end;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  std::vector<float> us;
  for (int i = 0; i < 100; ++i) {
    check(cudaEventRecord(start, stream));
    check(cudaGraphLaunch(exec, stream));
    check(cudaEventRecord(end, stream));
    check(cudaEventSynchronize(end));
    float ms;
    check(cudaEventElapsedTime(&ms, start, end));
    if (i >= 60)
      us.push_back(ms * 1000 / rounds);
  }
  std::sort(us.begin(), us.end());
  std::printf("%-60s %6.2f us\n", name, us[us.size() / 2]);
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
}

int main() {
  constexpr size_t all = 256 << 20;
  char *inputs, name[80];
  float *sums, *result;
  check(cudaStreamCreate(&stream));
  check(cudaMalloc(&inputs, all));
  check(cudaMemset(inputs, 0, all));
  check(cudaMalloc(&sums, 64 << 20));
  check(cudaMalloc(&result, 64 << 20));
  const int shared = kStepBytes * kSlots;
  check(cudaFuncSetAttribute(
      slices, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  for (bool overlaps : {false, true})
    for (int grid : {1, 32, 128, 512})
      for (int steps : {1, 4})
        for (int spin : {0, 1200, 2400}) {
          const size_t bytes = size_t(grid) * steps * kStepBytes;
          const int sets = int(std::min<size_t>(all / bytes, 2048));
          std::snprintf(name, sizeof name,
                        "%s, %d workgroups, %d steps of %d clocks more",
                        overlaps ? "overlapping" : "in order", grid, steps,
                        spin);
          time(name, std::max(sets, 32), [&](int i) {
            launch(slices, grid, shared, overlaps,
                   static_cast<const char *>(inputs + (i % sets) * bytes),
                   bytes, sums, spin, overlaps);
            launch(addUp, 128, 0, overlaps, static_cast<const float *>(sums),
                   result, overlaps);
          });
        }
  auto *words = reinterpret_cast<unsigned *>(result);
  auto run = [&](void (*kernel)(unsigned *, unsigned, unsigned)) {
    launch(kernel, 132, 0, false, words, 3u, 5u);
  };
  time("64 instructions", 32, [&](int) { run(straight<64>); });
  time("2048 instructions", 32, [&](int) { run(straight<2048>); });
  time("4096 instructions", 32, [&](int) { run(straight<4096>); });
  time("2048 and 2040 instructions", 32, [&](int) {
    run(straight<2048>);
    run(straight<2040>);
  });
}
