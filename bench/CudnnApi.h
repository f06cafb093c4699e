// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's backend interface, opened at run time. The declarations are those of
// its ABI that are needed here (cuDNN documentation, "Backend API").

#ifndef HELIOS_BENCH_CUDNNAPI_H
#define HELIOS_BENCH_CUDNNAPI_H

#include "helios/Bundle/Status.h"
#include <cstdint>
#include <string>

namespace helios::bench::cudnn {

using Handle = void *;
using Descriptor = void *;
inline constexpr int kSuccess = 0;

enum DataType { kF32 = 0, kF16 = 2, kI32 = 4, kBF16 = 9, kBoolean = 11 };
enum AttributeType {
  kTypeHandle = 0,
  kTypeDataType = 1,
  kTypeBoolean = 2,
  kTypeInt64 = 3,
  kTypePointer = 6,
  kTypeHeuristic = 8,
  kTypePointwise = 14,
  kTypeDescriptor = 15,
  kTypeReduction = 18
};
enum DescriptorType {
  kPointwise = 0,
  kEngineConfig = 3,
  kHeuristic = 4,
  kPlan = 5,
  kPointwiseOperation = 13,
  kGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
  kMatmul = 18,
  kMatmulOperation = 19,
  kReduction = 21,
  kReductionOperation = 22
};
enum Attribute {
  kPointwiseMode = 0,
  kPointwisePrecision = 1,
  kPointwiseAxis = 9,
  kHeuristicMode = 200,
  kHeuristicGraph = 201,
  kHeuristicResults = 202,
  kPlanHandle = 400,
  kPlanConfig = 401,
  kPlanWorkspace = 402,
  kPointwiseDescriptor = 750,
  kPointwiseX = 751,
  kPointwiseB = 752,
  kPointwiseY = 753,
  kPointwiseT = 758,
  kGraphHandle = 800,
  kGraphOperations = 801,
  kTensorAlignment = 900,
  kTensorType = 901,
  kTensorExtents = 902,
  kTensorStrides = 903,
  kTensorId = 906,
  kTensorIsVirtual = 907,
  kTensorIsByValue = 908,
  kPackIds = 1000,
  kPackPointers = 1001,
  kPackWorkspace = 1003,
  kMatmulPrecision = 1500,
  kMatmulA = 1520,
  kMatmulB = 1521,
  kMatmulC = 1522,
  kMatmulDescriptor = 1523,
  kReductionOperator = 1600,
  kReductionPrecision = 1601,
  kReductionX = 1610,
  kReductionY = 1611,
  kReductionDescriptor = 1612
};
enum PointwiseKind {
  kAdd = 0,
  kMul = 1,
  kDiv = 6,
  kSub = 9,
  kExp = 13,
  kLog = 15,
  kCompareGreaterEqual = 303,
  kIndex = 501,
  kSelect = 601
};
enum ReductionKind { kSum = 0, kMax = 3 };
enum HeuristicKind { kModeFallback = 2, kModeA = 3 };

/// The functions of the library.
struct Api {
  size_t (*version)();
  int (*create)(Handle *);
  int (*destroy)(Handle);
  int (*setStream)(Handle, void *);
  void (*lastError)(char *, size_t);
  int (*createDescriptor)(int, Descriptor *);
  int (*destroyDescriptor)(Descriptor);
  int (*finalize)(Descriptor);
  int (*set)(Descriptor, int attribute, int type, int64_t count, const void *);
  int (*get)(Descriptor, int attribute, int type, int64_t wanted, int64_t *got,
             void *);
  int (*execute)(Handle, Descriptor plan, Descriptor pack);
};

/// Unsupported names a function that the library lacks.
Result<Api> loadApi(void *library);

} // namespace helios::bench::cudnn

#endif // HELIOS_BENCH_CUDNNAPI_H
