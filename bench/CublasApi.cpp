// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CublasApi.h"
#include "Symbols.h"

#include <algorithm>
#include <dlfcn.h>
#include <string>

namespace helios::bench::cublas {

Result<Api> loadApi(void *library) {
  Api api;
  Symbols symbols(library);
  symbols.get(api.create, "cublasLtCreate");
  symbols.get(api.destroy, "cublasLtDestroy");
  symbols.get(api.version, "cublasLtGetVersion");
  symbols.get(api.matmulDescCreate, "cublasLtMatmulDescCreate");
  symbols.get(api.matmulDescDestroy, "cublasLtMatmulDescDestroy");
  symbols.get(api.matmulDescSet, "cublasLtMatmulDescSetAttribute");
  symbols.get(api.layoutCreate, "cublasLtMatrixLayoutCreate");
  symbols.get(api.layoutDestroy, "cublasLtMatrixLayoutDestroy");
  symbols.get(api.layoutSet, "cublasLtMatrixLayoutSetAttribute");
  symbols.get(api.preferenceCreate, "cublasLtMatmulPreferenceCreate");
  symbols.get(api.preferenceDestroy, "cublasLtMatmulPreferenceDestroy");
  symbols.get(api.preferenceSet, "cublasLtMatmulPreferenceSetAttribute");
  symbols.get(api.heuristics, "cublasLtMatmulAlgoGetHeuristic");
  symbols.get(api.matmul, "cublasLtMatmul");
  symbols.get(api.algorithmIds, "cublasLtMatmulAlgoGetIds");
  symbols.get(api.algorithmInit, "cublasLtMatmulAlgoInit");
  symbols.get(api.algorithmCapability, "cublasLtMatmulAlgoCapGetAttribute");
  symbols.get(api.algorithmConfigure, "cublasLtMatmulAlgoConfigSetAttribute");
  symbols.get(api.algorithmCheck, "cublasLtMatmulAlgoCheck");
  if (!symbols.missing.empty())
    return Status::unsupported("cuBLASLt: the library has no function " +
                               symbols.missing +
                               "; a version of CUDA 12 or later is "
                               "expected");
  return api;
}

namespace {

int32_t number(const Api &api, const Algorithm &algorithm, int capability) {
  int32_t value = 0;
  size_t written = 0;
  return api.algorithmCapability(&algorithm, capability, &value, sizeof(value),
                                 &written) == kSuccess
             ? value
             : 0;
}

/// A list of numbers; {0}, "undefined", where there is none.
std::vector<uint32_t> numbers(const Api &api, const Algorithm &algorithm,
                              int capability) {
  size_t bytes = 0;
  if (api.algorithmCapability(&algorithm, capability, nullptr, 0, &bytes) !=
          kSuccess ||
      bytes < sizeof(uint32_t))
    return {0};
  std::vector<uint32_t> values(bytes / sizeof(uint32_t));
  if (api.algorithmCapability(&algorithm, capability, values.data(),
                              values.size() * sizeof(uint32_t),
                              &bytes) != kSuccess)
    return {0};
  return values;
}

/// Those of one algorithm.
std::vector<Heuristic> configurationsOf(const Api &api, const Search &search,
                                        const Algorithm &plain) {
  std::vector<Heuristic> found;
  std::vector<uint32_t> parts{1};
  constexpr uint32_t kInFloats = 2; // partial sums in the compute type
  if (number(api, plain, kSplitKSupport) &&
      (number(api, plain, kReductionSchemes) & int32_t(kInFloats)))
    for (uint32_t n : {2, 4, 8})
      if (search.k / n >= 256)
        parts.push_back(n);
  const uint32_t options =
      uint32_t(std::clamp(number(api, plain, kCustomOptionMax), 0, 7));
  const uint32_t orders = number(api, plain, kSwizzlingSupport) ? 1 : 0;
  for (uint32_t tile : numbers(api, plain, kTileIds))
    for (uint32_t stages : numbers(api, plain, kStagesIds))
      for (uint32_t option = 0; option <= options; ++option)
        for (uint32_t order = 0; order <= orders; ++order)
          for (uint32_t part : parts) {
            Algorithm algorithm = plain;
            auto set = [&](int what, uint32_t value) {
              api.algorithmConfigure(&algorithm, what, &value, sizeof(value));
            };
            set(kTileId, tile);
            set(kStagesId, stages);
            set(kCustomOption, option);
            set(kSwizzling, order);
            set(kSplitK, part);
            set(kReductionScheme, part > 1 ? kInFloats : 0);
            Heuristic result{};
            if (api.algorithmCheck(search.handle, search.operation, search.a,
                                   search.b, search.d, search.d, &algorithm,
                                   &result) != kSuccess ||
                result.state != kSuccess || result.workspace > search.workspace)
              continue;
            result.algorithm = algorithm;
            found.push_back(result);
          }
  return found;
}

} // namespace

std::vector<Heuristic> configurations(const Api &api, const Search &search,
                                      size_t limit) {
  std::vector<int> ids(256);
  int count = 0;
  if (api.algorithmIds(search.handle, search.compute, search.scale,
                       search.typeA, search.typeB, search.typeD, search.typeD,
                       int(ids.size()), ids.data(), &count) != kSuccess)
    return {};
  std::vector<std::vector<Heuristic>> perAlgorithm;
  for (int n = 0; n < count; ++n) {
    Algorithm algorithm{};
    if (api.algorithmInit(search.handle, search.compute, search.scale,
                          search.typeA, search.typeB, search.typeD,
                          search.typeD, ids[size_t(n)], &algorithm) == kSuccess)
      perAlgorithm.push_back(configurationsOf(api, search, algorithm));
  }
  // One of each in turn, so that none with many starves the others.
  std::vector<Heuristic> all;
  for (size_t round = 0, more = 1; more && all.size() < limit; ++round) {
    more = 0;
    for (const std::vector<Heuristic> &own : perAlgorithm)
      if (round < own.size() && all.size() < limit) {
        all.push_back(own[round]);
        more = 1;
      }
  }
  return all;
}

} // namespace helios::bench::cublas
