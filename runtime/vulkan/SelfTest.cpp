//===- SelfTest.cpp - Listed matrix shapes verified on the device -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vulkan/SelfTest.h"
#include "helios/Bundle/Serialize.h"
#include "vulkan/Device.h"
#include "vulkan/SpirvWriter.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace helios::rt {

using namespace bundle;

namespace {

/// Declares the scalar type of `type` with the capabilities it needs.
uint32_t declareElement(SpirvWriter &w, ElementType type,
                        std::vector<uint32_t> &capabilities) {
  auto need = [&](std::initializer_list<uint32_t> list) {
    capabilities.insert(capabilities.end(), list.begin(), list.end());
  };
  uint32_t bits = elementBits(type);
  if (bits == 16)
    need({spv::CapabilityStorageBuffer16BitAccess});
  if (bits == 8)
    need({spv::CapabilityInt8, spv::CapabilityStorageBuffer8BitAccess});
  switch (type) {
  case ElementType::BF16:
    need({spv::CapabilityBFloat16TypeKHR,
          spv::CapabilityBFloat16CooperativeMatrixKHR});
    return w.type(spv::OpTypeFloat, {16, 0 /* BFloat16KHR */});
  case ElementType::F16:
    need({spv::CapabilityFloat16});
    return w.type(spv::OpTypeFloat, {16});
  case ElementType::F64:
    need({spv::CapabilityFloat64});
    return w.type(spv::OpTypeFloat, {64});
  case ElementType::F32:
    return w.type(spv::OpTypeFloat, {32});
  case ElementType::I16:
    need({spv::CapabilityInt16});
    break;
  case ElementType::I64:
    need({spv::CapabilityInt64});
    break;
  default:
    break;
  }
  return w.type(spv::OpTypeInt, {bits, type == ElementType::U8 ? 0u : 1u});
}

std::vector<uint8_t> productModule(const MatrixShape &shape,
                                   uint32_t workgroup) {
  SpirvWriter w;
  std::vector<uint32_t> capabilities{spv::CapabilityShader,
                                     spv::CapabilityVulkanMemoryModel,
                                     spv::CapabilityCooperativeMatrixKHR};
  uint32_t voidType = w.type(spv::OpTypeVoid, {});
  uint32_t functionType = w.type(spv::OpTypeFunction, {voidType});
  uint32_t u32 = w.type(spv::OpTypeInt, {32, 0});
  // Element types must be declared once each.
  std::vector<std::pair<ElementType, uint32_t>> elements;
  auto element = [&](ElementType t) {
    for (auto [known, id] : elements)
      if (known == t)
        return id;
    uint32_t id = declareElement(w, t, capabilities);
    elements.push_back({t, id});
    return id;
  };
  std::vector<std::pair<uint32_t, uint32_t>> constants;
  auto constant = [&](uint32_t v) {
    for (auto [known, id] : constants)
      if (known == v)
        return id;
    uint32_t id = w.constant(u32, v);
    constants.push_back({v, id});
    return id;
  };

  struct Operand {
    ElementType type;
    uint32_t rows, columns, use;
    uint32_t scalar = 0, pointer = 0, variable = 0, matrix = 0;
  };
  Operand operands[4] = {{shape.a, shape.m, shape.k, 0},
                         {shape.b, shape.k, shape.n, 1},
                         {shape.c, shape.m, shape.n, 2},
                         {shape.result, shape.m, shape.n, 2}};
  uint32_t scope = constant(spv::ScopeSubgroup);
  std::vector<uint32_t> interface;
  for (uint32_t i = 0; i < 4; ++i) {
    Operand &o = operands[i];
    o.scalar = element(o.type);
    // Distinct structs, so that one type per binding carries its own
    // decoration.
    uint32_t array = w.type(spv::OpTypeRuntimeArray, {o.scalar});
    w.op(SpirvWriter::Annotations, spv::OpDecorate,
         {array, spv::DecorationArrayStride, elementBytes(o.type)});
    uint32_t block = w.type(spv::OpTypeStruct, {array});
    w.op(SpirvWriter::Annotations, spv::OpDecorate,
         {block, spv::DecorationBlock});
    w.op(SpirvWriter::Annotations, spv::OpMemberDecorate,
         {block, 0, spv::DecorationOffset, 0});
    uint32_t blockPointer =
        w.type(spv::OpTypePointer, {spv::StorageClassStorageBuffer, block});
    o.variable = w.value(SpirvWriter::Globals, spv::OpVariable, blockPointer,
                         {spv::StorageClassStorageBuffer});
    w.op(SpirvWriter::Annotations, spv::OpDecorate,
         {o.variable, spv::DecorationDescriptorSet, 0});
    w.op(SpirvWriter::Annotations, spv::OpDecorate,
         {o.variable, spv::DecorationBinding, i});
    interface.push_back(o.variable);
    for (uint32_t j = 0; j < i; ++j)
      if (operands[j].scalar == o.scalar)
        o.pointer = operands[j].pointer;
    if (!o.pointer)
      o.pointer = w.type(spv::OpTypePointer,
                         {spv::StorageClassStorageBuffer, o.scalar});
    bool sameAsC = i == 3 && shape.c == shape.result;
    o.matrix = sameAsC ? operands[2].matrix
                       : w.type(spv::OpTypeCooperativeMatrixKHR,
                                {o.scalar, scope, constant(o.rows),
                                 constant(o.columns), constant(o.use)});
  }

  uint32_t main = w.id();
  w.op(SpirvWriter::Functions, spv::OpFunction,
       {voidType, main, 0, functionType});
  w.op(SpirvWriter::Functions, spv::OpLabel, {w.id()});
  uint32_t loaded[3] = {};
  uint32_t zero = constant(0); // also RowMajorKHR
  for (uint32_t i = 0; i < 4; ++i) {
    Operand &o = operands[i];
    uint32_t p = w.value(SpirvWriter::Functions, spv::OpAccessChain, o.pointer,
                         {o.variable, zero, zero});
    uint32_t stride = constant(o.columns);
    if (i < 3) {
      loaded[i] =
          w.value(SpirvWriter::Functions, spv::OpCooperativeMatrixLoadKHR,
                  o.matrix, {p, zero, stride});
      continue;
    }
    uint32_t signs = 0;
    auto isSigned = [](ElementType t) {
      return !isFloat(t) && t != ElementType::U8;
    };
    signs |= isSigned(shape.a) ? 1 : 0;
    signs |= isSigned(shape.b) ? 2 : 0;
    signs |= isSigned(shape.c) ? 4 : 0;
    signs |= isSigned(shape.result) ? 8 : 0;
    signs |= shape.saturating ? 16 : 0;
    SpirvWriter::Words args{loaded[0], loaded[1], loaded[2]};
    if (signs)
      args.push_back(signs);
    uint32_t product =
        w.value(SpirvWriter::Functions, spv::OpCooperativeMatrixMulAddKHR,
                o.matrix, args);
    w.op(SpirvWriter::Functions, spv::OpCooperativeMatrixStoreKHR,
         {p, product, zero, stride});
  }
  w.op(SpirvWriter::Functions, spv::OpReturn, {});
  w.op(SpirvWriter::Functions, spv::OpFunctionEnd, {});

  std::sort(capabilities.begin(), capabilities.end());
  capabilities.erase(std::unique(capabilities.begin(), capabilities.end()),
                     capabilities.end());
  for (uint32_t c : capabilities)
    w.op(SpirvWriter::Capabilities, spv::OpCapability, {c});
  w.op(SpirvWriter::Extensions, spv::OpExtension,
       SpirvWriter::text("SPV_KHR_cooperative_matrix"));
  if (std::count(capabilities.begin(), capabilities.end(),
                 uint32_t(spv::CapabilityBFloat16TypeKHR)))
    w.op(SpirvWriter::Extensions, spv::OpExtension,
         SpirvWriter::text("SPV_KHR_bfloat16"));
  w.op(SpirvWriter::Head, spv::OpMemoryModel,
       {0 /* Logical */, 3 /* Vulkan */});
  SpirvWriter::Words entry{5 /* GLCompute */, main};
  for (uint32_t word : SpirvWriter::text("product"))
    entry.push_back(word);
  entry.insert(entry.end(), interface.begin(), interface.end());
  w.op(SpirvWriter::EntryPoints, spv::OpEntryPoint, entry);
  w.op(SpirvWriter::Modes, spv::OpExecutionMode,
       {main, 17 /* LocalSize */, workgroup, 1, 1});
  return w.finish(6);
}

/// Features that the types of a shape need.
void requireTypes(const MatrixShape &shape, Requirements &r) {
  for (ElementType t : {shape.a, shape.b, shape.c, shape.result}) {
    switch (t) {
    case ElementType::F16:
      r.require(Feature::ShaderFloat16);
      r.require(Feature::StorageBuffer16);
      break;
    case ElementType::BF16:
      r.require(Feature::BFloat16);
      r.require(Feature::BFloat16CooperativeMatrix);
      r.require(Feature::StorageBuffer16);
      break;
    case ElementType::I8:
    case ElementType::U8:
      r.require(Feature::ShaderInt8);
      r.require(Feature::StorageBuffer8);
      break;
    case ElementType::I16:
      r.require(Feature::ShaderInt16);
      r.require(Feature::StorageBuffer16);
      break;
    case ElementType::I64:
      r.require(Feature::ShaderInt64);
      break;
    case ElementType::F64:
      r.require(Feature::ShaderFloat64);
      break;
    default:
      break;
    }
  }
}

/// A hash that spreads small coordinates.
uint32_t mix(uint32_t a, uint32_t b, uint32_t seed) {
  uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ seed * 0xc2b2ae3du;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h *= 0x297a2d39u;
  return h ^ h >> 15;
}

} // namespace

bundle::Bundle matrixProductBundle(const MatrixShape &shape, uint32_t workgroup,
                                   bool subgroupSizeControl,
                                   bool fullSubgroups) {
  bundle::Bundle b;
  b.producer = "helios self-test";
  Module m;
  m.name = "product";
  m.bytes = productModule(shape, workgroup);
  b.modules.push_back(std::move(m));
  bundle::Kernel k;
  k.name = "product";
  auto argument = [](const char *name, ElementType type, int64_t rows,
                     int64_t columns, bool result) {
    Argument a;
    a.name = name;
    a.type = type;
    a.isResult = result;
    a.extents = {rows, columns};
    return a;
  };
  k.arguments = {argument("a", shape.a, shape.m, shape.k, false),
                 argument("b", shape.b, shape.k, shape.n, false),
                 argument("c", shape.c, shape.m, shape.n, false),
                 argument("d", shape.result, shape.m, shape.n, true)};
  Implementation impl;
  impl.row = "self-test";
  Requirements &r = impl.requirements;
  r.require(Feature::CooperativeMatrix);
  r.require(Feature::VulkanMemoryModel);
  requireTypes(shape, r);
  if (subgroupSizeControl) {
    r.require(Feature::SubgroupSizeControl);
    r.subgroupSize = workgroup;
  }
  if (fullSubgroups)
    r.require(Feature::FullSubgroups);
  r.workgroupInvocations = workgroup;
  r.minApiVersion = VK_API_VERSION_1_3; // SPIR-V 1.6
  ExprBuilder e(impl.plan);
  ExprId one = e.constant(1), zero = e.constant(0);
  Variant v;
  v.name = "only";
  v.guard = one;
  v.workspaceBytes = zero;
  Dispatch d;
  d.entryPoint = "product";
  d.grid = one;
  d.workgroupSize[0] = workgroup;
  for (uint32_t i = 0; i < 4; ++i) {
    Binding binding;
    binding.binding = i;
    binding.argument = i;
    binding.access = i == 3 ? Access::Write : Access::Read;
    d.bindings.push_back(binding);
  }
  v.dispatches.push_back(std::move(d));
  impl.plan.variants.push_back(std::move(v));
  k.implementations.push_back(std::move(impl));
  b.kernels.push_back(std::move(k));
  return b;
}

ProductTestValues productTestValues(const MatrixShape &s) {
  // The largest sum, K * limit^2 + limit, must be exact in C and in the result.
  auto exactUpTo = [](ElementType t) {
    return isFloat(t)
               ? std::ldexp(1.0, static_cast<int>(significandBits(t)))
               : std::ldexp(1.0, static_cast<int>(elementBits(t)) - 1) - 1;
  };
  double bound = std::min(exactUpTo(s.c), exactUpTo(s.result));
  int limit = 1;
  while (limit < 5 && s.k * (limit + 1.0) * (limit + 1.0) + limit + 1 <= bound)
    ++limit;
  auto pick = [&](ElementType t, uint32_t i, uint32_t j, uint32_t seed) {
    uint32_t h = mix(i, j, seed);
    return t == ElementType::U8 ? double(h % (limit + 1))
                                : double(h % (2 * limit + 1)) - limit;
  };
  ProductTestValues v;
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t k = 0; k < s.k; ++k)
      v.a.push_back(pick(s.a, i, k, 1));
  for (uint32_t k = 0; k < s.k; ++k)
    for (uint32_t j = 0; j < s.n; ++j)
      v.b.push_back(pick(s.b, k, j, 2));
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t j = 0; j < s.n; ++j)
      v.c.push_back(pick(s.c, i, j, 3));
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t j = 0; j < s.n; ++j) {
      double sum = v.c[i * s.n + j];
      for (uint32_t k = 0; k < s.k; ++k)
        sum += v.a[i * s.k + k] * v.b[k * s.n + j];
      v.expected.push_back(sum);
    }
  return v;
}

namespace vulkan {

namespace {

using Verdict = ListedShape::Verdict;

Result<std::shared_ptr<Buffer>> upload(VulkanDevice &device, ElementType type,
                                       const std::vector<double> &values) {
  uint32_t size = elementBytes(type);
  std::vector<uint8_t> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = encodeElement(type, values[i]);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  Result<std::shared_ptr<Buffer>> buffer =
      device.createBuffer(bytes.size(), MemoryKind::Device);
  if (buffer)
    if (Status s = (*buffer)->write(0, bytes.data(), bytes.size()); !s.ok())
      return s;
  return buffer;
}

/// Multiplies once with `shape` and compares. The status tells of failures of
/// the device; a wrong result is a verdict.
Status multiplyOnce(VulkanDevice &device, Stream &stream, ListedShape &listed) {
  const DeviceInfo &info = device.info();
  const MatrixShape &shape = listed.shape;
  auto made = std::make_shared<bundle::Bundle>(matrixProductBundle(
      shape, info.subgroupSize, info.has(Feature::SubgroupSizeControl),
      info.has(Feature::FullSubgroups)));
  if (Status s = validate(*made); !s.ok())
    return s;
  std::vector<std::string> missing = missingRequirements(
      made->kernels[0].implementations[0].requirements, info, true);
  if (!missing.empty()) {
    listed.verdict = Verdict::NotTested;
    listed.detail = "needs " + missing[0];
    return Status::success();
  }
  Result<std::shared_ptr<Kernel>> kernel =
      device.loadKernel(made, "product", {});
  if (!kernel)
    return kernel.status();
  ProductTestValues values = productTestValues(shape);
  Result<std::shared_ptr<Buffer>> a = upload(device, shape.a, values.a);
  Result<std::shared_ptr<Buffer>> b = upload(device, shape.b, values.b);
  Result<std::shared_ptr<Buffer>> c = upload(device, shape.c, values.c);
  // Poison: a shape that stores nothing must not pass.
  Result<std::shared_ptr<Buffer>> d = upload(
      device, shape.result, std::vector<double>(values.expected.size(), -77));
  for (auto *r : {&a, &b, &c, &d})
    if (!*r)
      return r->status();
  std::vector<LaunchArgument> arguments = {
      LaunchArgument::tensor(*a, {shape.m, shape.k}),
      LaunchArgument::tensor(*b, {shape.k, shape.n}),
      LaunchArgument::tensor(*c, {shape.m, shape.n}),
      LaunchArgument::tensor(*d, {shape.m, shape.n})};
  Result<std::shared_ptr<Launch>> launch = (*kernel)->prepare(arguments);
  if (!launch)
    return launch.status();
  Result<Event> event = stream.enqueue(*launch);
  if (!event)
    return event.status();
  if (Status s = stream.synchronize(); !s.ok())
    return s;
  uint32_t size = elementBytes(shape.result);
  std::vector<uint8_t> bytes(values.expected.size() * size);
  if (Status s = (*d)->read(0, bytes.data(), bytes.size()); !s.ok())
    return s;
  size_t wrong = 0;
  for (size_t i = 0; i < values.expected.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * size, size);
    double got = decodeElement(shape.result, bits);
    if (got == values.expected[i])
      continue;
    if (wrong++ == 0)
      listed.detail = "element (" + std::to_string(i / shape.n) + ", " +
                      std::to_string(i % shape.n) + ") is " +
                      std::to_string(got) + ", expected " +
                      std::to_string(values.expected[i]);
  }
  listed.verdict = wrong ? Verdict::Wrong : Verdict::Verified;
  if (wrong)
    listed.detail += "; " + std::to_string(wrong) + " of " +
                     std::to_string(values.expected.size()) + " wrong";
  return Status::success();
}

// Verdicts on disk: a header line, then "verdict|shape|detail" lines.
constexpr const char *verdictHeader = "helios self-test 2";

std::string verdictPath(const std::string &cacheDir, const Capabilities &caps) {
  std::string path = pipelineCachePath(cacheDir, caps);
  path.replace(path.rfind("pipelines-"), 10, "selftest-");
  return path.substr(0, path.size() - 4) + ".txt";
}

/// Fills what the file knows; true if it knew every shape.
bool loadVerdicts(const std::string &path, std::vector<ListedShape> &shapes) {
  FILE *f = std::fopen(path.c_str(), "r");
  if (!f)
    return false;
  std::vector<std::string> lines;
  char line[1024];
  while (lines.size() < 4096 && std::fgets(line, sizeof(line), f)) {
    lines.push_back(line);
    while (!lines.back().empty() &&
           (lines.back().back() == '\n' || lines.back().back() == '\r'))
      lines.back().pop_back();
  }
  std::fclose(f);
  // The last line closes the file, so that a shortened one is not believed.
  if (lines.size() < 2 || lines.front() != verdictHeader ||
      lines.back() != "end")
    return false;
  std::vector<ListedShape> filled = shapes;
  for (ListedShape &s : filled) {
    bool found = false;
    for (size_t i = 1; i + 1 < lines.size() && !found; ++i) {
      size_t bar = lines[i].find('|'), second = lines[i].find('|', bar + 1);
      if (bar == std::string::npos || second == std::string::npos ||
          lines[i].substr(bar + 1, second - bar - 1) != toString(s.shape))
        continue;
      for (Verdict v : {Verdict::NotTested, Verdict::Verified, Verdict::Wrong})
        if (lines[i].substr(0, bar) == verdictName(v)) {
          s.verdict = v;
          s.detail = lines[i].substr(second + 1);
          found = true;
        }
    }
    if (!found)
      return false;
  }
  shapes = std::move(filled);
  return true;
}

Status saveVerdicts(const std::string &cacheDir, const std::string &path,
                    const std::vector<ListedShape> &shapes) {
  std::string text = std::string(verdictHeader) + "\n";
  for (const ListedShape &s : shapes) {
    std::string detail = s.detail.substr(0, 800);
    std::replace(detail.begin(), detail.end(), '\n', ' ');
    text += std::string(verdictName(s.verdict)) + "|" + toString(s.shape) +
            "|" + detail + "\n";
  }
  text += "end\n";
  if (Status s = makeDirectories(cacheDir); !s.ok())
    return s;
  return writeAtomically(path, text.data(), text.size());
}

} // namespace

Status runSelfTest(VulkanDevice &device, const OpenOptions &options) {
  std::vector<ListedShape> shapes = device.caps.info.matrixShapes;
  if (shapes.empty())
    return Status::success();
  std::string path = options.cacheDir.empty()
                         ? ""
                         : verdictPath(options.cacheDir, device.caps);
  if (!path.empty() && loadVerdicts(path, shapes)) {
    device.caps.info.matrixShapes = std::move(shapes);
    return Status::success();
  }
  if (options.log)
    options.log("verifying " + std::to_string(shapes.size()) +
                " cooperative matrix shapes on " + device.info().id + " (" +
                device.info().name + ")");
  Result<std::shared_ptr<Stream>> stream = device.createStream();
  if (!stream)
    return stream.status();
  bool failed = false;
  Status lost;
  for (ListedShape &s : shapes) {
    if (s.shape.scope != MatrixScope::Subgroup) {
      s.detail = "workgroup scope is not used";
      continue;
    }
    Status outcome = multiplyOnce(device, **stream, s);
    if (outcome.ok())
      continue;
    s.verdict = Verdict::Failed;
    s.detail = outcome.message();
    failed = true;
    if (outcome.code() == StatusCode::DeviceLost) {
      lost = outcome.withPrefix("self-test of " + toString(s.shape) + " on " +
                                device.info().id + ": ");
      break;
    }
  }
  device.caps.info.matrixShapes = shapes;
  // A failure may pass (no memory, say), so only complete runs are remembered.
  if (!path.empty() && !failed)
    if (Status s = saveVerdicts(options.cacheDir, path, shapes);
        !s.ok() && options.log)
      options.log("self-test verdicts were not kept: " + s.message());
  return lost;
}

} // namespace vulkan
} // namespace helios::rt
