// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuDNN's attention as a peer. The library is given the operations one by one
// (product, scale, mask, maximum, difference, exponential, sum, quotient,
// product) and knows the whole as one of its fused kernels.

#include "CudnnApi.h"
#include "Symbols.h"
#include "helios/Bench/Peer.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>

namespace helios::bench {

using namespace cudnn;

namespace cudnn {

Result<Api> loadApi(void *library) {
  Api api;
  Symbols symbols(library);
  symbols.get(api.version, "cudnnGetVersion");
  symbols.get(api.create, "cudnnCreate");
  symbols.get(api.destroy, "cudnnDestroy");
  symbols.get(api.setStream, "cudnnSetStream");
  symbols.get(api.lastError, "cudnnGetLastErrorString");
  symbols.get(api.createDescriptor, "cudnnBackendCreateDescriptor");
  symbols.get(api.destroyDescriptor, "cudnnBackendDestroyDescriptor");
  symbols.get(api.finalize, "cudnnBackendFinalize");
  symbols.get(api.set, "cudnnBackendSetAttribute");
  symbols.get(api.get, "cudnnBackendGetAttribute");
  symbols.get(api.execute, "cudnnBackendExecute");
  if (!symbols.missing.empty())
    return Status::unsupported("cuDNN: the library has no function " +
                               symbols.missing +
                               "; version 9 or later is expected");
  return api;
}

} // namespace cudnn

namespace {

using Extents = std::vector<int64_t>;

Extents denseStrides(const Extents &extents) {
  Extents strides(extents.size(), 1);
  for (size_t d = extents.size(); d-- > 1;)
    strides[d - 1] = strides[d] * extents[d];
  return strides;
}

class Cudnn final : public Peer {
public:
  ~Cudnn() override {
    for (Descriptor d : descriptors)
      api.destroyDescriptor(d);
    if (handle)
      api.destroy(handle);
    // The library stays open: what it registered with the driver must outlive
    // the context.
  }

  Status open(const AttentionProblem &problem, const std::string &path,
              uint64_t workspaceAddress) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return Status::unsupported("cuDNN: " + std::string(dlerror()));
    auto loaded = loadApi(library);
    if (!loaded.ok())
      return loaded.status();
    api = *loaded;
    workspace = workspaceAddress;
    const size_t v = api.version();
    title = "cuDNN " + std::to_string(v / 10000) + "." +
            std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
    if (Status s = check(api.create(&handle), "cudnnCreate"); !s.ok())
      return s;
    scale = float(problem.scale);
    shift = int32_t(problem.shape.keys - problem.shape.queries);
    describe(problem);
    if (error.ok())
      makePlans();
    return error;
  }

  const std::string &name() const override { return title; }
  size_t candidates() const override { return plans.size(); }
  void addConfigurations() override {}

  Status enqueue(size_t candidate, const PeerArguments &arguments,
                 void *stream) override {
    if (Status s = check(api.setStream(handle, stream), "cudnnSetStream");
        !s.ok())
      return s;
    auto at = [](uint64_t address) {
      return reinterpret_cast<void *>(address);
    };
    const int64_t ids[] = {kQuery, kKey,      kValue, kResult,
                           kScale, kInfinity, kShift, kLse};
    void *pointers[] = {at(arguments.a), at(arguments.b),  at(arguments.value),
                        at(arguments.d), &scale,           &minusInfinity,
                        &shift,          at(arguments.lse)};
    // The shift and the rows' logarithms only where the graph has them.
    std::vector<int64_t> usedIds;
    std::vector<void *> usedPointers;
    for (size_t n = 0; n < std::size(ids); ++n)
      if (used & (1u << ids[n])) {
        usedIds.push_back(ids[n]);
        usedPointers.push_back(pointers[n]);
      }
    Descriptor pack = nullptr;
    if (Status s =
            check(api.createDescriptor(kVariantPack, &pack), "a variant pack");
        !s.ok())
      return s;
    void *const space = at(workspace);
    int status = api.set(pack, kPackIds, kTypeInt64, int64_t(usedIds.size()),
                         usedIds.data());
    if (status == kSuccess)
      status = api.set(pack, kPackPointers, kTypePointer,
                       int64_t(usedPointers.size()), usedPointers.data());
    if (status == kSuccess)
      status = api.set(pack, kPackWorkspace, kTypePointer, 1, &space);
    if (status == kSuccess)
      status = api.finalize(pack);
    if (status == kSuccess)
      status = api.execute(handle, plans[candidate], pack);
    Status result = check(status, "cudnnBackendExecute");
    api.destroyDescriptor(pack);
    return result;
  }

private:
  /// Numbers of the tensors that are handed over; those between follow.
  enum Id : int64_t {
    kQuery = 1,
    kKey,
    kValue,
    kResult,
    kScale,
    kInfinity,
    kShift,
    kLse,
    kFirstInner
  };

  Status check(int status, const std::string &what) const {
    if (status == kSuccess)
      return Status::success();
    char text[512] = "";
    api.lastError(text, sizeof(text));
    // 3000 and on: not supported.
    return Status(status >= 3000 && status < 4000 ? StatusCode::Unsupported
                                                  : StatusCode::Device,
                  "cuDNN: " + what + " failed with status " +
                      std::to_string(status) + (text[0] ? ": " : "") + text);
  }

  void keep(int status, const std::string &what) {
    if (error.ok())
      error = check(status, what);
  }

  Descriptor make(int type) {
    Descriptor d = nullptr;
    if (error.ok())
      keep(api.createDescriptor(type, &d), "a descriptor");
    if (d)
      descriptors.push_back(d);
    return d;
  }

  template <typename T>
  void set(Descriptor d, int attribute, int type, const T &value) {
    if (error.ok())
      keep(api.set(d, attribute, type, 1, &value),
           "attribute " + std::to_string(attribute));
  }

  void finish(Descriptor d, const std::string &what) {
    if (error.ok())
      keep(api.finalize(d), what);
  }

  Descriptor tensor(int64_t id, int type, const Extents &extents,
                    const Extents &strides, bool isByValue = false) {
    Descriptor d = make(kTensor);
    const bool isVirtual = id >= kFirstInner;
    if (!isVirtual)
      used |= 1u << id;
    set(d, kTensorType, kTypeDataType, type);
    if (error.ok())
      keep(api.set(d, kTensorExtents, kTypeInt64, int64_t(extents.size()),
                   extents.data()),
           "extents");
    if (error.ok())
      keep(api.set(d, kTensorStrides, kTypeInt64, int64_t(strides.size()),
                   strides.data()),
           "strides");
    set(d, kTensorId, kTypeInt64, id);
    set(d, kTensorAlignment, kTypeInt64, int64_t(16));
    set(d, kTensorIsVirtual, kTypeBoolean, isVirtual);
    set(d, kTensorIsByValue, kTypeBoolean, isByValue);
    finish(d, "tensor " + std::to_string(id));
    return d;
  }
  Descriptor inner(const Extents &extents, int type = kF32) {
    return tensor(nextId++, type, extents, denseStrides(extents));
  }
  Descriptor number(int64_t id, int type) {
    return tensor(id, type, {1, 1, 1, 1}, {1, 1, 1, 1}, true);
  }

  void pointwise(int kind, Descriptor x, Descriptor b, Descriptor y,
                 int precision = kF32, Descriptor t = nullptr,
                 int64_t axis = -1) {
    Descriptor d = make(kPointwise);
    set(d, kPointwiseMode, kTypePointwise, kind);
    set(d, kPointwisePrecision, kTypeDataType, precision);
    if (axis >= 0)
      set(d, kPointwiseAxis, kTypeInt64, axis);
    finish(d, "an element-wise operation");
    Descriptor o = make(kPointwiseOperation);
    set(o, kPointwiseDescriptor, kTypeDescriptor, d);
    set(o, kPointwiseX, kTypeDescriptor, x);
    if (b)
      set(o, kPointwiseB, kTypeDescriptor, b);
    if (t)
      set(o, kPointwiseT, kTypeDescriptor, t);
    set(o, kPointwiseY, kTypeDescriptor, y);
    finish(o, "element-wise operation " + std::to_string(kind));
    operations.push_back(o);
  }

  void matmul(Descriptor a, Descriptor b, Descriptor c) {
    Descriptor d = make(kMatmul);
    set(d, kMatmulPrecision, kTypeDataType, int(kF32));
    finish(d, "a product");
    Descriptor o = make(kMatmulOperation);
    set(o, kMatmulDescriptor, kTypeDescriptor, d);
    set(o, kMatmulA, kTypeDescriptor, a);
    set(o, kMatmulB, kTypeDescriptor, b);
    set(o, kMatmulC, kTypeDescriptor, c);
    finish(o, "a product");
    operations.push_back(o);
  }

  void reduce(int kind, Descriptor x, Descriptor y) {
    Descriptor d = make(kReduction);
    set(d, kReductionOperator, kTypeReduction, kind);
    set(d, kReductionPrecision, kTypeDataType, int(kF32));
    finish(d, "a reduction");
    Descriptor o = make(kReductionOperation);
    set(o, kReductionDescriptor, kTypeDescriptor, d);
    set(o, kReductionX, kTypeDescriptor, x);
    set(o, kReductionY, kTypeDescriptor, y);
    finish(o, "a reduction");
    operations.push_back(o);
  }

  void describe(const AttentionProblem &p) {
    const AttentionShape &s = p.shape;
    const int type = p.element == bundle::ElementType::BF16 ? kBF16 : kF16;
    const Extents scores{s.batch, s.heads, s.queries, s.keys},
        rows{s.batch, s.heads, s.queries, 1};
    const Extents &k = p.keyStrides;
    Descriptor q = tensor(kQuery, type, {s.batch, s.heads, s.queries, s.depth},
                          p.queryStrides);
    Descriptor transposed =
        tensor(kKey, type, {s.batch, s.keyHeads, s.depth, s.keys},
               {k[0], k[1], k[3], k[2]});
    Descriptor v =
        tensor(kValue, type, {s.batch, s.keyHeads, s.keys, s.valueDepth},
               p.valueStrides);
    Descriptor o =
        tensor(kResult, type, {s.batch, s.heads, s.queries, s.valueDepth},
               p.resultStrides);
    Descriptor products = inner(scores), scaled = inner(scores);
    matmul(q, transposed, products);
    pointwise(kMul, products, number(kScale, kF32), scaled);
    if (p.causal) {
      Descriptor row = inner(scores, kI32), column = inner(scores, kI32);
      pointwise(kIndex, scaled, nullptr, row, kF32, nullptr, 2);
      pointwise(kIndex, scaled, nullptr, column, kF32, nullptr, 3);
      if (shift != 0) {
        Descriptor shifted = inner(scores, kI32);
        pointwise(kAdd, row, number(kShift, kI32), shifted, kI32);
        row = shifted;
      }
      Descriptor admitted = inner(scores, kBoolean), masked = inner(scores);
      pointwise(kCompareGreaterEqual, row, column, admitted, kBoolean);
      pointwise(kSelect, scaled, number(kInfinity, kF32), masked, kF32,
                admitted);
      scaled = masked;
    }
    Descriptor largest = inner(rows), differences = inner(scores),
               weights = inner(scores), sum = inner(rows),
               normal = inner(scores, type);
    reduce(kMax, scaled, largest);
    pointwise(kSub, scaled, largest, differences);
    pointwise(kExp, differences, nullptr, weights);
    reduce(kSum, weights, sum);
    // The library knows attention by these two as well, wanted or not.
    Descriptor logarithm = inner(rows);
    pointwise(kLog, sum, nullptr, logarithm);
    pointwise(kAdd, largest, logarithm,
              p.hasLse ? tensor(kLse, kF32, rows, denseStrides(rows))
                       : inner(rows));
    pointwise(kDiv, weights, sum, normal);
    matmul(normal, v, o);
  }

  /// Plans of all configurations that the library recommends and can make.
  void makePlans() {
    Descriptor graph = make(kGraph);
    set(graph, kGraphHandle, kTypeHandle, handle);
    if (error.ok())
      keep(api.set(graph, kGraphOperations, kTypeDescriptor,
                   int64_t(operations.size()), operations.data()),
           "the graph's operations");
    finish(graph, "the graph");
    if (!error.ok())
      return;
    std::string reason;
    for (int mode : {int(kModeA), int(kModeFallback)}) {
      Descriptor heuristic = make(kHeuristic);
      set(heuristic, kHeuristicGraph, kTypeDescriptor, graph);
      set(heuristic, kHeuristicMode, kTypeHeuristic, mode);
      if (!error.ok())
        return;
      if (int status = api.finalize(heuristic); status != kSuccess) {
        reason = check(status, "the choice of an engine").message();
        continue;
      }
      int64_t count = 0;
      keep(api.get(heuristic, kHeuristicResults, kTypeDescriptor, 0, &count,
                   nullptr),
           "the number of engines");
      std::vector<Descriptor> configurations;
      for (int64_t n = 0; n < std::min<int64_t>(count, kPeerCandidates); ++n)
        configurations.push_back(make(kEngineConfig));
      if (error.ok() && !configurations.empty())
        keep(api.get(heuristic, kHeuristicResults, kTypeDescriptor,
                     int64_t(configurations.size()), &count,
                     configurations.data()),
             "the engines");
      if (!error.ok())
        return;
      configurations.resize(
          std::min(configurations.size(), size_t(std::max<int64_t>(count, 0))));
      for (Descriptor configuration : configurations) {
        const std::string refusal = addPlan(configuration);
        if (!refusal.empty() && reason.empty())
          reason = refusal;
      }
      if (!plans.empty())
        return;
    }
    error = Status::unsupported(title + " has no kernel for this attention" +
                                (reason.empty() ? "" : "; " + reason));
  }

  /// Why not, if not.
  std::string addPlan(Descriptor configuration) {
    Descriptor plan = make(kPlan);
    if (!plan)
      return error.message();
    int status = api.set(plan, kPlanHandle, kTypeHandle, 1, &handle);
    if (status == kSuccess)
      status = api.set(plan, kPlanConfig, kTypeDescriptor, 1, &configuration);
    if (status == kSuccess)
      status = api.finalize(plan);
    if (status != kSuccess)
      return check(status, "an execution plan").message();
    int64_t bytes = 0, count = 0;
    if (api.get(plan, kPlanWorkspace, kTypeInt64, 1, &count, &bytes) !=
            kSuccess ||
        uint64_t(bytes) > kPeerWorkspaceBytes)
      return "a plan wants " + std::to_string(bytes) + " bytes of workspace";
    plans.push_back(plan);
    return "";
  }

  Api api{};
  std::string title;
  Status error;
  Handle handle = nullptr;
  uint64_t workspace = 0;
  uint32_t used = 0; ///< bit n: tensor n is in the graph
  int64_t nextId = kFirstInner;
  std::vector<Descriptor> descriptors, operations, plans;
  float scale = 1, minusInfinity = -INFINITY;
  int32_t shift = 0;
};

} // namespace

Result<std::unique_ptr<Peer>> openCudnn(const AttentionProblem &problem,
                                        const std::string &library,
                                        uint64_t workspace) {
  if (problem.element != bundle::ElementType::F16 &&
      problem.element != bundle::ElementType::BF16)
    return Status::unsupported(
        "cuDNN: no comparison for attention of " +
        std::string(bundle::elementTypeName(problem.element)));
  const std::string path =
      library.empty() ? findLibrary({"libcudnn.so.9", "libcudnn.so"}) : library;
  if (path.empty())
    return Status::unsupported(
        "cuDNN is not installed: no libcudnn.so in the system's search path, "
        "/usr/local/cuda or python3's nvidia packages; install CUDA's cuDNN or "
        "name the library with --cudnn");
  auto peer = std::make_unique<Cudnn>();
  if (Status s = peer->open(problem, path, workspace); !s.ok())
    return s;
  return Result<std::unique_ptr<Peer>>(std::move(peer));
}

} // namespace helios::bench
