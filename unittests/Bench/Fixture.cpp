// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HeliosBenchFixture KIND FILE: writes the bundle of a plain f32 GEMM (one
// thread for each element), right or wrong in a given way, to test what
// helios-bench says of it without a compiler.

#include "Build.h"
#include "helios/Bundle/Serialize.h"
#include "vulkan/SpirvWriter.h"
#include <cstdio>
#include <cstring>

using namespace helios;
using namespace helios::bench::test;
using rt::SpirvWriter;
namespace spv = rt::spv;

namespace {

enum class Kind { Right, Wrong, Overrun, Unwritten, Meaningless, Transposed };

/// D[i, j] = sum over k of A[i, k] B[k, j], push constants M, N, K, A's strides
/// along i and k, B's along k and j, D's row stride.
std::vector<uint8_t> gemmModule(Kind kind) {
  enum : uint32_t {
    OpIEqual = 170,
    OpUDiv = 134,
    OpUMod = 137,
    OpLoopMerge = 246,
    OpLogicalAnd = 167,
    OpSelect = 169,
    StorageFunction = 7,
    OpExecutionModeLocalSize = 17
  };
  SpirvWriter w;
  using S = SpirvWriter;
  w.op(S::Capabilities, spv::OpCapability, {spv::CapabilityShader});
  w.op(S::Head, spv::OpMemoryModel, {0, 1});
  const uint32_t main = w.id();
  const uint32_t voidType = w.type(spv::OpTypeVoid, {}),
                 boolType = w.type(spv::OpTypeBool, {});
  const uint32_t u32 = w.type(spv::OpTypeInt, {32, 0}),
                 f32 = w.type(spv::OpTypeFloat, {32});
  const uint32_t u32x3 = w.type(spv::OpTypeVector, {u32, 3}),
                 function = w.type(spv::OpTypeFunction, {voidType});
  auto constant = [&](uint32_t v) { return w.constant(u32, v); };
  const uint32_t c0 = constant(0), c1 = constant(1), c5 = constant(5),
                 c7 = constant(7), c64 = constant(64);
  uint32_t quarterBits, zeroBits = 0;
  const float quarter = 0.25f;
  std::memcpy(&quarterBits, &quarter, 4);
  const uint32_t f0 = w.constant(f32, zeroBits),
                 fq = w.constant(f32, quarterBits);

  const uint32_t array = w.type(spv::OpTypeRuntimeArray, {f32});
  w.op(S::Annotations, spv::OpDecorate, {array, spv::DecorationArrayStride, 4});
  const uint32_t block = w.type(spv::OpTypeStruct, {array});
  w.op(S::Annotations, spv::OpDecorate, {block, spv::DecorationBlock});
  w.op(S::Annotations, spv::OpMemberDecorate,
       {block, 0, spv::DecorationOffset, 0});
  const uint32_t blockPointer =
      w.type(spv::OpTypePointer, {spv::StorageClassStorageBuffer, block});
  const uint32_t floatPointer =
      w.type(spv::OpTypePointer, {spv::StorageClassStorageBuffer, f32});
  uint32_t buffers[3];
  for (uint32_t b = 0; b < 3; ++b) {
    buffers[b] = w.value(S::Globals, spv::OpVariable, blockPointer,
                         {spv::StorageClassStorageBuffer});
    w.op(S::Annotations, spv::OpDecorate,
         {buffers[b], spv::DecorationDescriptorSet, 0});
    w.op(S::Annotations, spv::OpDecorate,
         {buffers[b], spv::DecorationBinding, b});
  }
  const uint32_t pushType =
      w.type(spv::OpTypeStruct, {u32, u32, u32, u32, u32, u32, u32, u32});
  w.op(S::Annotations, spv::OpDecorate, {pushType, spv::DecorationBlock});
  for (uint32_t m = 0; m < 8; ++m)
    w.op(S::Annotations, spv::OpMemberDecorate,
         {pushType, m, spv::DecorationOffset, 4 * m});
  const uint32_t pushPointer =
      w.type(spv::OpTypePointer, {spv::StorageClassPushConstant, pushType});
  const uint32_t pushWord =
      w.type(spv::OpTypePointer, {spv::StorageClassPushConstant, u32});
  const uint32_t push = w.value(S::Globals, spv::OpVariable, pushPointer,
                                {spv::StorageClassPushConstant});
  const uint32_t inputPointer =
      w.type(spv::OpTypePointer, {spv::StorageClassInput, u32x3});
  uint32_t builtins[3];
  const uint32_t builtinNumbers[3] = {spv::BuiltInWorkgroupId,
                                      spv::BuiltInNumWorkgroups,
                                      spv::BuiltInLocalInvocationId};
  for (int i = 0; i < 3; ++i) {
    builtins[i] = w.value(S::Globals, spv::OpVariable, inputPointer,
                          {spv::StorageClassInput});
    w.op(S::Annotations, spv::OpDecorate,
         {builtins[i], spv::DecorationBuiltIn, builtinNumbers[i]});
  }
  const uint32_t localU32 = w.type(spv::OpTypePointer, {StorageFunction, u32});
  const uint32_t localF32 = w.type(spv::OpTypePointer, {StorageFunction, f32});

  SpirvWriter::Words entry{5, main};
  for (uint32_t word : S::text("main"))
    entry.push_back(word);
  entry.insert(entry.end(), {buffers[0], buffers[1], buffers[2], push,
                             builtins[0], builtins[1], builtins[2]});
  w.op(S::EntryPoints, spv::OpEntryPoint, entry);
  w.op(S::Modes, spv::OpExecutionMode,
       {main, OpExecutionModeLocalSize, 64, 1, 1});

  auto f = [&](uint32_t opcode, uint32_t type, SpirvWriter::Words operands) {
    return w.value(S::Functions, opcode, type, operands);
  };
  auto label = [&](uint32_t l) { w.op(S::Functions, spv::OpLabel, {l}); };
  w.op(S::Functions, spv::OpFunction, {voidType, main, 0, function});
  label(w.id());
  const uint32_t kVariable = f(spv::OpVariable, localU32, {StorageFunction});
  const uint32_t sumVariable = f(spv::OpVariable, localF32, {StorageFunction});
  const uint32_t group = f(spv::OpLoad, u32x3, {builtins[0]}),
                 groups = f(spv::OpLoad, u32x3, {builtins[1]});
  const uint32_t local = f(spv::OpLoad, u32x3, {builtins[2]});
  auto part = [&](uint32_t vector, uint32_t i) {
    return f(spv::OpCompositeExtract, u32, {vector, i});
  };
  const uint32_t y = f(spv::OpIMul, u32, {part(group, 1), part(groups, 0)});
  const uint32_t linearGroup = f(spv::OpIAdd, u32, {part(group, 0), y});
  const uint32_t firstThread = f(spv::OpIMul, u32, {linearGroup, c64});
  const uint32_t thread = f(spv::OpIAdd, u32, {firstThread, part(local, 0)});
  uint32_t words[8];
  const uint32_t members[8] = {c0,          c1, constant(2), constant(3),
                               constant(4), c5, constant(6), c7};
  for (int m = 0; m < 8; ++m)
    words[m] = f(spv::OpLoad, u32,
                 {f(spv::OpAccessChain, pushWord, {push, members[m]})});
  const uint32_t M = words[0], N = words[1], K = words[2], ldd = words[7];
  const uint32_t inside =
      f(spv::OpULessThan, boolType, {thread, f(spv::OpIMul, u32, {M, N})});
  const uint32_t work = w.id(), done = w.id(), header = w.id(), test = w.id(),
                 body = w.id(), next = w.id(), after = w.id();
  w.op(S::Functions, spv::OpSelectionMerge, {done, 0});
  w.op(S::Functions, spv::OpBranchConditional, {inside, work, done});
  label(work);
  const uint32_t row = f(OpUDiv, u32, {thread, N}),
                 column = f(OpUMod, u32, {thread, N});
  w.op(S::Functions, spv::OpStore, {kVariable, c0});
  w.op(S::Functions, spv::OpStore, {sumVariable, f0});
  w.op(S::Functions, spv::OpBranch, {header});
  label(header);
  w.op(S::Functions, OpLoopMerge, {after, next, 0});
  w.op(S::Functions, spv::OpBranch, {test});
  label(test);
  const uint32_t k = f(spv::OpLoad, u32, {kVariable});
  w.op(S::Functions, spv::OpBranchConditional,
       {f(spv::OpULessThan, boolType, {k, K}), body, after});
  label(body);
  auto element = [&](uint32_t buffer, uint32_t at) {
    return f(spv::OpAccessChain, floatPointer, {buffer, c0, at});
  };
  const uint32_t atA = f(spv::OpIAdd, u32,
                         {f(spv::OpIMul, u32, {row, words[3]}),
                          f(spv::OpIMul, u32, {k, words[4]})});
  const uint32_t atB = f(spv::OpIAdd, u32,
                         {f(spv::OpIMul, u32, {k, words[5]}),
                          f(spv::OpIMul, u32, {column, words[6]})});
  const uint32_t a = f(spv::OpLoad, f32, {element(buffers[0], atA)}),
                 b = f(spv::OpLoad, f32, {element(buffers[1], atB)});
  const uint32_t sum = f(spv::OpLoad, f32, {sumVariable});
  w.op(S::Functions, spv::OpStore,
       {sumVariable, f(spv::OpFAdd, f32, {sum, f(spv::OpFMul, f32, {a, b})})});
  w.op(S::Functions, spv::OpBranch, {next});
  label(next);
  w.op(S::Functions, spv::OpStore, {kVariable, f(spv::OpIAdd, u32, {k, c1})});
  w.op(S::Functions, spv::OpBranch, {header});
  label(after);
  uint32_t value = f(spv::OpLoad, f32, {sumVariable});
  uint32_t target =
      f(spv::OpIAdd, u32, {f(spv::OpIMul, u32, {row, ldd}), column});
  const uint32_t rowIs7 = f(OpIEqual, boolType, {row, c7}),
                 columnIs5 = f(OpIEqual, boolType, {column, c5});
  const uint32_t chosen = f(OpLogicalAnd, boolType, {rowIs7, columnIs5});
  if (kind == Kind::Wrong)
    value = f(OpSelect, f32, {chosen, f(spv::OpFAdd, f32, {value, fq}), value});
  if (kind == Kind::Overrun) // the place after the row's last element
    target =
        f(OpSelect, u32,
          {chosen, f(spv::OpIAdd, u32, {f(spv::OpIMul, u32, {row, ldd}), N}),
           target});
  const uint32_t store = w.id(), stored = w.id();
  if (kind == Kind::Unwritten) {
    w.op(S::Functions, spv::OpSelectionMerge, {stored, 0});
    w.op(S::Functions, spv::OpBranchConditional, {chosen, stored, store});
    label(store);
  }
  w.op(S::Functions, spv::OpStore, {element(buffers[2], target), value});
  if (kind == Kind::Unwritten) {
    w.op(S::Functions, spv::OpBranch, {stored});
    label(stored);
  }
  w.op(S::Functions, spv::OpBranch, {done});
  label(done);
  w.op(S::Functions, spv::OpReturn, {});
  w.op(S::Functions, spv::OpFunctionEnd, {});
  return w.finish(5);
}

bundle::Bundle makeBundle(Kind kind) {
  using bundle::ExprBuilder;
  bundle::Bundle result;
  result.producer = "HeliosBenchFixture";
  result.modules.push_back(
      {bundle::ModuleKind::Spirv, "gemm", gemmModule(kind)});
  GemmSpec spec;
  spec.a = spec.b = spec.d = ElementType::F32;
  const uint32_t t =
      kind == Kind::Transposed; // the dimension of A and of B that is M and K
  spec.transposeA = spec.transposeB = t;
  bundle::Kernel kernel = makeGemm(spec);
  if (kind == Kind::Meaningless) {
    kernel.semantics.reset();
    kernel.source = "// helios-bench: shapes = 32x48,48x16\n// helios-bench: "
                    "flops = 2*a.0*a.1*b.1\n";
  }
  bundle::Implementation implementation;
  implementation.row = "fixture";
  implementation.schedule = "plain";
  implementation.requirements.workgroupInvocations = 64;
  implementation.requirements.pushConstantBytes = 32;
  bundle::Plan &plan = implementation.plan;
  ExprBuilder e(plan);
  const auto m = e.extent(0, t), k = e.extent(0, 1 - t), n = e.extent(1, 1 - t);
  plan.checks.push_back({e.eq(k, e.extent(1, t)), "A and B disagree on K"});
  plan.resultExtents = {{m, n}};
  bundle::Variant variant;
  variant.name = "plain";
  variant.guard = e.constant(1);
  variant.workspaceBytes = e.constant(0);
  bundle::Dispatch dispatch;
  dispatch.entryPoint = "main";
  dispatch.grid = e.ceilDiv(e.mul(m, n), e.constant(64));
  dispatch.workgroupSize[0] = 64;
  for (uint32_t b = 0; b < 3; ++b) {
    bundle::Binding binding;
    binding.binding = binding.argument = b;
    binding.access = b == 2 ? bundle::Access::Write : bundle::Access::Read;
    dispatch.bindings.push_back(binding);
  }
  for (bundle::ExprId word :
       {m, n, k, e.stride(0, t), e.stride(0, 1 - t), e.stride(1, t),
        e.stride(1, 1 - t), e.stride(2, 0)})
    dispatch.pushConstants.push_back({word, bundle::PushKind::I32});
  variant.dispatches.push_back(dispatch);
  plan.variants.push_back(variant);
  kernel.implementations.push_back(implementation);
  result.kernels.push_back(kernel);
  return result;
}

} // namespace

int main(int argc, char **argv) {
  const std::pair<const char *, Kind> kinds[] = {
      {"right", Kind::Right},
      {"wrong", Kind::Wrong},
      {"overrun", Kind::Overrun},
      {"unwritten", Kind::Unwritten},
      {"meaningless", Kind::Meaningless},
      {"transposed", Kind::Transposed}};
  for (const auto &[name, kind] : kinds) {
    if (argc != 3 || std::strcmp(argv[1], name) != 0)
      continue;
    auto bytes = bundle::write(makeBundle(kind));
    const Status s =
        bytes.ok() ? bundle::writeFile(argv[2], *bytes) : bytes.status();
    if (!s.ok())
      std::fprintf(stderr, "HeliosBenchFixture: %s\n", s.message().c_str());
    return s.exitCode();
  }
  std::fprintf(stderr,
               "usage: HeliosBenchFixture "
               "right|wrong|overrun|unwritten|meaningless|transposed FILE\n");
  return 2;
}
