// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLASLt, opened at run time. The declarations are those of its ABI that are
// needed here (cuBLAS documentation, "cublasLt" chapters).

#ifndef HELIOS_BENCH_CUBLASAPI_H
#define HELIOS_BENCH_CUBLASAPI_H

#include "helios/Bundle/Status.h"
#include <cstdint>
#include <vector>

namespace helios::bench::cublas {

using Handle = void *;
inline constexpr int kSuccess = 0;

enum DataType {
  kF32 = 0,
  kF16 = 2,
  kS8 = 3,
  kS32 = 10,
  kBF16 = 14,
  kE4M3 = 28,
  kE5M2 = 29
};
enum ComputeType {
  kCompute16F = 64,
  kCompute32F = 68,
  kCompute32I = 72,
  kComputeTF32 = 77
};
enum LayoutAttribute { kBatchCount = 5, kBatchStride = 6 };
enum MatmulAttribute {
  kTransA = 3,
  kTransB = 4,
  kEpilogue = 7,
  kBiasPointer = 8,
  kFastAccumulation = 25,
  kBiasType = 26
};
enum PreferenceAttribute { kMaxWorkspace = 1 };
enum Capability {
  kSplitKSupport = 0,
  kReductionSchemes = 1,
  kSwizzlingSupport = 2,
  kTileIds = 6,
  kCustomOptionMax = 7,
  kStagesIds = 13
};
enum Configuration {
  kTileId = 1,
  kSplitK = 2,
  kReductionScheme = 3,
  kSwizzling = 4,
  kCustomOption = 5,
  kStagesId = 6
};

struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

/// The functions of the library.
struct Api {
  int (*create)(Handle *);
  int (*destroy)(Handle);
  size_t (*version)();
  int (*matmulDescCreate)(Handle *, int compute, int scale);
  int (*matmulDescDestroy)(Handle);
  int (*matmulDescSet)(Handle, int, const void *, size_t);
  int (*layoutCreate)(Handle *, int type, uint64_t rows, uint64_t columns,
                      int64_t leading);
  int (*layoutDestroy)(Handle);
  int (*layoutSet)(Handle, int, const void *, size_t);
  int (*preferenceCreate)(Handle *);
  int (*preferenceDestroy)(Handle);
  int (*preferenceSet)(Handle, int, const void *, size_t);
  int (*heuristics)(Handle, Handle, Handle, Handle, Handle, Handle, Handle, int,
                    Heuristic *, int *);
  int (*matmul)(Handle, Handle, const void *, const void *, Handle,
                const void *, Handle, const void *, const void *, Handle,
                void *, Handle, const Algorithm *, void *, size_t, void *);
  int (*algorithmIds)(Handle, int compute, int scale, int a, int b, int c,
                      int d, int wanted, int *ids, int *count);
  int (*algorithmInit)(Handle, int compute, int scale, int a, int b, int c,
                       int d, int id, Algorithm *);
  int (*algorithmCapability)(const Algorithm *, int, void *, size_t, size_t *);
  int (*algorithmConfigure)(Algorithm *, int, const void *, size_t);
  int (*algorithmCheck)(Handle, Handle, Handle, Handle, Handle, Handle,
                        const Algorithm *, Heuristic *);
};

/// Unsupported names a function that the library lacks.
Result<Api> loadApi(void *library);

/// What all configurations of all algorithms are asked for.
struct Search {
  Handle handle, operation;
  /// Layouts in the library's order of operands.
  Handle a, b, d;
  int compute, scale, typeA, typeB, typeD;
  int64_t k;
  size_t workspace;
};

/// Every configuration (tile, stages, custom option, order of tiles, parts of
/// K) of every algorithm that the library says it can run, in its order; at
/// most `limit`, taken from all algorithms alike.
std::vector<Heuristic> configurations(const Api &api, const Search &search,
                                      size_t limit);

} // namespace helios::bench::cublas

#endif // HELIOS_BENCH_CUBLASAPI_H
