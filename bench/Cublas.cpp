// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuBLASLt as a peer.

#include "CublasApi.h"
#include "helios/Bench/Peer.h"

#include <algorithm>
#include <dlfcn.h>

namespace helios::bench {

using namespace cublas;

namespace {

Result<int> dataType(bundle::ElementType type) {
  switch (type) {
  case bundle::ElementType::F32:
  case bundle::ElementType::TF32:
    return int(kF32);
  case bundle::ElementType::F16:
    return int(kF16);
  case bundle::ElementType::BF16:
    return int(kBF16);
  case bundle::ElementType::E4M3:
    return int(kE4M3);
  case bundle::ElementType::E5M2:
    return int(kE5M2);
  case bundle::ElementType::I8:
    return int(kS8);
  case bundle::ElementType::I32:
    return int(kS32);
  default:
    return Status::unsupported(
        std::string("cuBLASLt: no comparison for elements of type ") +
        bundle::elementTypeName(type));
  }
}

/// Number of the library's epilogue. Its GELU is the tanh form, also where ours
/// is the exact one.
Result<int> epilogueNumber(const std::string &name) {
  static const std::pair<const char *, int> known[] = {
      {"none", 1},      {"relu", 2},       {"bias", 4},
      {"bias+relu", 6}, {"gelu_tanh", 32}, {"bias+gelu_tanh", 36},
      {"gelu", 32},     {"bias+gelu", 36},
  };
  for (const auto &[text, number] : known)
    if (name == text)
      return number;
  return Status::unsupported("cuBLASLt has no epilogue '" + name +
                             "'; it has none, relu, gelu, gelu_tanh and "
                             "these after bias");
}

class Cublas final : public Peer {
public:
  ~Cublas() override {
    for (Handle layout : {a, b, d})
      if (layout)
        api.layoutDestroy(layout);
    if (operation)
      api.matmulDescDestroy(operation);
    if (handle)
      api.destroy(handle);
    // The library stays open: what it registered with the driver must outlive
    // the context.
  }

  Status open(const PeerProblem &problem, const std::string &path,
              uint64_t workspaceAddress) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return Status::unsupported("cuBLASLt: " + std::string(dlerror()));
    auto loaded = loadApi(library);
    if (!loaded.ok())
      return loaded.status();
    api = *loaded;
    workspace = workspaceAddress;
    if (Status s = check(api.create(&handle), "cublasLtCreate"); !s.ok())
      return s;
    const size_t v = api.version();
    title = "cuBLASLt " + std::to_string(v / 10000) + "." +
            std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
    if (Status s = describe(problem); !s.ok())
      return s;
    return askForCandidates();
  }

  const std::string &name() const override { return title; }
  size_t candidates() const override { return algorithms.size(); }

  void addConfigurations() override {
    for (const Heuristic &h :
         configurations(api, search, size_t(kPeerConfigurations)))
      algorithms.push_back(h);
  }

  Status enqueue(size_t candidate, const PeerArguments &arguments,
                 void *stream) override {
    if (hasBias)
      if (Status s =
              check(api.matmulDescSet(operation, kBiasPointer, &arguments.bias,
                                      sizeof(arguments.bias)),
                    "setting the bias");
          !s.ok())
        return s;
    // Row-major D = A B is column-major Dt = Bt At: the operands change places.
    auto at = [](uint64_t address) {
      return reinterpret_cast<void *>(address);
    };
    return check(api.matmul(handle, operation, alpha, at(arguments.b), b,
                            at(arguments.a), a, beta, at(arguments.d), d,
                            at(arguments.d), d,
                            &algorithms[candidate].algorithm, at(workspace),
                            kPeerWorkspaceBytes, stream),
                 "cublasLtMatmul");
  }

private:
  static Status check(int status, const char *what) {
    if (status == kSuccess)
      return Status::success();
    return Status(status == 15 || status == 7 ? StatusCode::Unsupported
                                              : StatusCode::Device,
                  std::string("cuBLASLt: ") + what + " failed with status " +
                      std::to_string(status));
  }

  Status makeLayout(Handle &layout, int type, int64_t rows, int64_t columns,
                    int64_t leading, int64_t batch, int64_t stride) {
    // Column-major: what is a row of ours is a column of the library's.
    if (Status s = check(api.layoutCreate(&layout, type, uint64_t(columns),
                                          uint64_t(rows), leading),
                         "cublasLtMatrixLayoutCreate");
        !s.ok() || batch == 0)
      return s;
    const int32_t count = int32_t(batch);
    if (Status s =
            check(api.layoutSet(layout, kBatchCount, &count, sizeof(count)),
                  "setting the batch count");
        !s.ok())
      return s;
    return check(api.layoutSet(layout, kBatchStride, &stride, sizeof(stride)),
                 "setting the batch stride");
  }

  Status describe(const PeerProblem &p) {
    auto typeA = dataType(p.a), typeB = dataType(p.b),
         typeD = dataType(p.result), number = epilogueNumber(p.epilogue);
    for (const Result<int> *r : {&typeA, &typeB, &typeD, &number})
      if (!r->ok())
        return r->status();
    const bool half = p.accumulator == bundle::ElementType::F16,
               integer = p.accumulator == bundle::ElementType::I32;
    alpha = half      ? static_cast<const void *>(&kOneHalf)
            : integer ? static_cast<const void *>(&kOneInteger)
                      : static_cast<const void *>(&kOneFloat);
    beta = &kZero;
    const bool tf32 = p.a == bundle::ElementType::TF32;
    const int scale = half ? kF16 : integer ? kS32 : kF32;
    const int compute = half      ? kCompute16F
                        : integer ? kCompute32I
                        : tf32    ? kComputeTF32
                                  : kCompute32F;
    if (Status s = check(api.matmulDescCreate(&operation, compute, scale),
                         "cublasLtMatmulDescCreate");
        !s.ok())
      return s;
    auto set = [&](int attribute, const auto &value) {
      return check(
          api.matmulDescSet(operation, attribute, &value, sizeof(value)),
          "cublasLtMatmulDescSetAttribute");
    };
    const int32_t first = p.transposeB, second = p.transposeA;
    hasBias = p.epilogue.rfind("bias", 0) == 0;
    if (Status s = set(kTransA, first); !s.ok())
      return s;
    if (Status s = set(kTransB, second); !s.ok())
      return s;
    if (Status s = set(kEpilogue, uint32_t(*number)); !s.ok())
      return s;
    // Without pointers to scales these are one.
    const bool narrow = bundle::isFloat(p.a) && bundle::elementBits(p.a) == 8;
    if (narrow)
      if (Status s = set(kFastAccumulation, int8_t(p.fastSums)); !s.ok())
        return s;
    if (hasBias) {
      if (Status s = set(kBiasType, int32_t(*typeD)); !s.ok())
        return s;
      // Heuristics look at its alignment only; buffers begin at multiples of
      // 256 bytes.
      if (Status s = set(kBiasPointer, uint64_t(256)); !s.ok())
        return s;
    }
    if (Status s =
            makeLayout(a, *typeA, p.transposeA ? p.k : p.m,
                       p.transposeA ? p.m : p.k, p.lda, p.batch, p.strideA);
        !s.ok())
      return s;
    if (Status s =
            makeLayout(b, *typeB, p.transposeB ? p.n : p.k,
                       p.transposeB ? p.k : p.n, p.ldb, p.batch, p.strideB);
        !s.ok())
      return s;
    if (Status s = makeLayout(d, *typeD, p.m, p.n, p.ldd, p.batch, p.strideD);
        !s.ok())
      return s;
    search = {handle, operation, b,      a,      d,   compute,
              scale,  *typeB,    *typeA, *typeD, p.k, kPeerWorkspaceBytes};
    return Status::success();
  }

  Status askForCandidates() {
    Handle preference = nullptr;
    if (Status s = check(api.preferenceCreate(&preference),
                         "cublasLtMatmulPreferenceCreate");
        !s.ok())
      return s;
    const uint64_t bytes = kPeerWorkspaceBytes;
    Status s = check(
        api.preferenceSet(preference, kMaxWorkspace, &bytes, sizeof(bytes)),
        "setting the workspace");
    algorithms.resize(kPeerCandidates);
    int returned = 0;
    if (s.ok())
      s = check(api.heuristics(handle, operation, b, a, d, d, preference,
                               kPeerCandidates, algorithms.data(), &returned),
                "cublasLtMatmulAlgoGetHeuristic");
    api.preferenceDestroy(preference);
    if (!s.ok())
      return s;
    algorithms.resize(size_t(returned));
    algorithms.erase(
        std::remove_if(algorithms.begin(), algorithms.end(),
                       [](const Heuristic &h) { return h.state != kSuccess; }),
        algorithms.end());
    if (algorithms.empty())
      return Status::unsupported("cuBLASLt offers no algorithm for this "
                                 "product");
    return Status::success();
  }

  static constexpr uint16_t kOneHalf = 0x3c00;
  static constexpr int32_t kOneInteger = 1;
  static constexpr float kOneFloat = 1;
  static constexpr uint64_t kZero = 0;

  Api api{};
  std::string title;
  Handle handle = nullptr, operation = nullptr;
  Handle a = nullptr, b = nullptr, d = nullptr;
  Search search{};
  const void *alpha = nullptr, *beta = nullptr;
  uint64_t workspace = 0;
  bool hasBias = false;
  std::vector<Heuristic> algorithms;
};

} // namespace

Result<std::unique_ptr<Peer>> openCublas(const PeerProblem &problem,
                                         const std::string &library,
                                         uint64_t workspace) {
  const std::string path =
      library.empty() ? findLibrary({"libcublasLt.so.13", "libcublasLt.so.12",
                                     "libcublasLt.so"})
                      : library;
  if (path.empty())
    return Status::unsupported(
        "cuBLASLt is not installed: no libcublasLt.so in the system's search "
        "path, /usr/local/cuda or python3's nvidia packages; install CUDA's "
        "cuBLAS or name the library with --cublas");
  auto peer = std::make_unique<Cublas>();
  if (Status s = peer->open(problem, path, workspace); !s.ok())
    return s;
  return Result<std::unique_ptr<Peer>>(std::move(peer));
}

} // namespace helios::bench
