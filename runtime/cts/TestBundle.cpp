//===- TestBundle.cpp - A small bundle made by hand -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestBundle.h"
#include "vulkan/SpirvWriter.h"
#include <cstring>

namespace helios::cts {

using namespace bundle;
using rt::SpirvWriter;
namespace spv = rt::spv;

std::vector<uint8_t> axpyModule() {
  SpirvWriter w;
  auto G = SpirvWriter::Globals;
  auto A = SpirvWriter::Annotations;
  auto F = SpirvWriter::Functions;
  w.op(SpirvWriter::Capabilities, spv::OpCapability, {spv::CapabilityShader});
  w.op(SpirvWriter::Head, spv::OpMemoryModel,
       {0 /* Logical */, 1 /* GLSL450 */});

  uint32_t voidType = w.type(spv::OpTypeVoid, {});
  uint32_t functionType = w.type(spv::OpTypeFunction, {voidType});
  uint32_t boolType = w.type(spv::OpTypeBool, {});
  uint32_t u32 = w.type(spv::OpTypeInt, {32, 0});
  uint32_t f32 = w.type(spv::OpTypeFloat, {32});
  uint32_t u32x3 = w.type(spv::OpTypeVector, {u32, 3});
  uint32_t inputPointer =
      w.type(spv::OpTypePointer, {spv::StorageClassInput, u32x3});
  uint32_t zero = w.constant(u32, 0), one = w.constant(u32, 1),
           size = w.constant(u32, 64);

  uint32_t builtins[3] = {spv::BuiltInWorkgroupId, spv::BuiltInNumWorkgroups,
                          spv::BuiltInLocalInvocationId};
  uint32_t inputs[3];
  for (int i = 0; i < 3; ++i) {
    inputs[i] =
        w.value(G, spv::OpVariable, inputPointer, {spv::StorageClassInput});
    w.op(A, spv::OpDecorate, {inputs[i], spv::DecorationBuiltIn, builtins[i]});
  }
  uint32_t array = w.type(spv::OpTypeRuntimeArray, {f32});
  w.op(A, spv::OpDecorate, {array, spv::DecorationArrayStride, 4});
  uint32_t block = w.type(spv::OpTypeStruct, {array});
  w.op(A, spv::OpDecorate, {block, spv::DecorationBlock});
  w.op(A, spv::OpMemberDecorate, {block, 0, spv::DecorationOffset, 0});
  uint32_t blockPointer =
      w.type(spv::OpTypePointer, {spv::StorageClassStorageBuffer, block});
  uint32_t elementPointer =
      w.type(spv::OpTypePointer, {spv::StorageClassStorageBuffer, f32});
  uint32_t buffers[3];
  for (uint32_t i = 0; i < 3; ++i) {
    buffers[i] = w.value(G, spv::OpVariable, blockPointer,
                         {spv::StorageClassStorageBuffer});
    w.op(A, spv::OpDecorate, {buffers[i], spv::DecorationDescriptorSet, 0});
    w.op(A, spv::OpDecorate, {buffers[i], spv::DecorationBinding, i});
  }
  uint32_t pushBlock = w.type(spv::OpTypeStruct, {u32, f32});
  w.op(A, spv::OpDecorate, {pushBlock, spv::DecorationBlock});
  w.op(A, spv::OpMemberDecorate, {pushBlock, 0, spv::DecorationOffset, 0});
  w.op(A, spv::OpMemberDecorate, {pushBlock, 1, spv::DecorationOffset, 4});
  uint32_t pushPointer =
      w.type(spv::OpTypePointer, {spv::StorageClassPushConstant, pushBlock});
  uint32_t pushU32 =
      w.type(spv::OpTypePointer, {spv::StorageClassPushConstant, u32});
  uint32_t pushF32 =
      w.type(spv::OpTypePointer, {spv::StorageClassPushConstant, f32});
  uint32_t push =
      w.value(G, spv::OpVariable, pushPointer, {spv::StorageClassPushConstant});

  uint32_t main = w.id(), inside = w.id(), done = w.id();
  w.op(F, spv::OpFunction, {voidType, main, 0, functionType});
  w.op(F, spv::OpLabel, {w.id()});
  uint32_t vectors[3];
  for (int i = 0; i < 3; ++i)
    vectors[i] = w.value(F, spv::OpLoad, u32x3, {inputs[i]});
  uint32_t groupX = w.value(F, spv::OpCompositeExtract, u32, {vectors[0], 0});
  uint32_t groupY = w.value(F, spv::OpCompositeExtract, u32, {vectors[0], 1});
  uint32_t countX = w.value(F, spv::OpCompositeExtract, u32, {vectors[1], 0});
  uint32_t lane = w.value(F, spv::OpCompositeExtract, u32, {vectors[2], 0});
  uint32_t row = w.value(F, spv::OpIMul, u32, {groupY, countX});
  uint32_t group = w.value(F, spv::OpIAdd, u32, {groupX, row});
  uint32_t base = w.value(F, spv::OpIMul, u32, {group, size});
  uint32_t i = w.value(F, spv::OpIAdd, u32, {base, lane});
  uint32_t countPointer = w.value(F, spv::OpAccessChain, pushU32, {push, zero});
  uint32_t count = w.value(F, spv::OpLoad, u32, {countPointer});
  uint32_t within = w.value(F, spv::OpULessThan, boolType, {i, count});
  w.op(F, spv::OpSelectionMerge, {done, 0});
  w.op(F, spv::OpBranchConditional, {within, inside, done});
  w.op(F, spv::OpLabel, {inside});
  uint32_t alphaPointer = w.value(F, spv::OpAccessChain, pushF32, {push, one});
  uint32_t alpha = w.value(F, spv::OpLoad, f32, {alphaPointer});
  uint32_t pointers[3], loaded[2];
  for (int b = 0; b < 3; ++b) {
    pointers[b] =
        w.value(F, spv::OpAccessChain, elementPointer, {buffers[b], zero, i});
    if (b < 2)
      loaded[b] = w.value(F, spv::OpLoad, f32, {pointers[b]});
  }
  uint32_t product = w.value(F, spv::OpFMul, f32, {alpha, loaded[0]});
  uint32_t sum = w.value(F, spv::OpFAdd, f32, {product, loaded[1]});
  w.op(F, spv::OpStore, {pointers[2], sum});
  w.op(F, spv::OpBranch, {done});
  w.op(F, spv::OpLabel, {done});
  w.op(F, spv::OpReturn, {});
  w.op(F, spv::OpFunctionEnd, {});

  SpirvWriter::Words entry{5 /* GLCompute */, main};
  for (uint32_t word : SpirvWriter::text("axpy"))
    entry.push_back(word);
  entry.insert(entry.end(), {inputs[0], inputs[1], inputs[2]});
  w.op(SpirvWriter::EntryPoints, spv::OpEntryPoint, entry);
  w.op(SpirvWriter::Modes, spv::OpExecutionMode,
       {main, 17 /* LocalSize */, 64, 1, 1});
  return w.finish(3);
}

namespace {

Argument vectorArgument(const char *name, bool result) {
  Argument a;
  a.name = name;
  a.isResult = result;
  a.extents = {-1};
  return a;
}

/// Arguments 0 alpha, 1 x, 2 y, 3 out, and checks of their shapes.
Kernel vectorKernel(const char *name) {
  Kernel k;
  k.name = name;
  Argument alpha;
  alpha.name = "alpha";
  alpha.kind = ArgumentKind::Scalar;
  k.arguments = {alpha, vectorArgument("x", false), vectorArgument("y", false),
                 vectorArgument("out", true)};
  return k;
}

Implementation emptyImplementation(const char *row) {
  Implementation impl;
  impl.row = row;
  impl.schedule = "64 elements a workgroup";
  impl.requirements.workgroupInvocations = 64;
  impl.requirements.pushConstantBytes = 8;
  impl.requirements.minApiVersion = 1u << 22 | 1u << 12;
  ExprBuilder e(impl.plan);
  for (uint32_t arg : {2u, 3u})
    impl.plan.checks.push_back({e.eq(e.extent(1, 0), e.extent(arg, 0)),
                                "the vectors' extents must agree"});
  for (uint32_t arg : {1u, 2u, 3u})
    impl.plan.checks.push_back(
        {e.eq(e.stride(arg, 0), e.constant(1)), "the vectors must be dense"});
  impl.plan.resultExtents = {{e.extent(1, 0)}};
  return impl;
}

Binding argumentBinding(uint32_t number, uint32_t argument, Access access) {
  Binding b;
  b.binding = number;
  b.argument = argument;
  b.access = access;
  return b;
}

/// One dispatch over n elements with x, y, out from the arguments.
Dispatch axpyDispatch(ExprBuilder &e) {
  Dispatch d;
  d.entryPoint = "axpy";
  d.grid = e.ceilDiv(e.extent(1, 0), e.constant(64));
  d.workgroupSize[0] = 64;
  d.bindings = {argumentBinding(0, 1, Access::Read),
                argumentBinding(1, 2, Access::Read),
                argumentBinding(2, 3, Access::Write)};
  d.pushConstants = {{e.extent(1, 0), PushKind::I32},
                     {e.scalar(0), PushKind::I32}};
  return d;
}

void addVariant(Plan &plan, const char *name, ExprId guard, ExprId workspace,
                std::vector<Dispatch> dispatches) {
  Variant v;
  v.name = name;
  v.guard = guard;
  v.workspaceBytes = workspace;
  v.dispatches = std::move(dispatches);
  plan.variants.push_back(std::move(v));
}

Implementation axpyImplementation(const char *row) {
  Implementation impl = emptyImplementation(row);
  ExprBuilder e(impl.plan);
  addVariant(impl.plan, "flat", e.le(e.extent(1, 0), e.constant(5000000)),
             e.constant(0), {axpyDispatch(e)});
  return impl;
}

Kernel axpyKernel() {
  Kernel k = vectorKernel("axpy");
  k.implementations = {axpyImplementation("any")};
  Semantics s;
  s.slots = {{ElementType::F32, 0},
             {ElementType::F32, 1},
             {ElementType::F32, 1},
             {ElementType::F32, 1}};
  Step step;
  step.dest = 3;
  step.fused = {1, 2};
  ScalarOp alpha, x, y, product, sum;
  alpha.kind = ScalarOpKind::ScalarArg;
  x.kind = y.kind = ScalarOpKind::Fused;
  y.index = 1;
  product.kind = ScalarOpKind::Mul;
  sum.kind = ScalarOpKind::Add;
  product.operands[0] = step.region.append(alpha);
  product.operands[1] = step.region.append(x);
  sum.operands[1] = step.region.append(y);
  sum.operands[0] = step.region.append(product);
  step.region.result = step.region.append(sum);
  s.steps.push_back(std::move(step));
  k.semantics = std::move(s);
  return k;
}

Kernel guardsKernel() {
  Kernel k = vectorKernel("guards");
  Implementation impl = emptyImplementation("any");
  ExprBuilder e(impl.plan);
  ExprId whole = e.eq(e.rem(e.extent(1, 0), e.constant(64)), e.constant(0));
  addVariant(impl.plan, "whole", whole, e.constant(0), {axpyDispatch(e)});
  addVariant(impl.plan, "ragged", e.constant(1), e.constant(0),
             {axpyDispatch(e)});
  k.implementations = {std::move(impl)};
  return k;
}

Kernel twoStepKernel() {
  Kernel k = vectorKernel("twostep");
  Implementation impl = emptyImplementation("any");
  ExprBuilder e(impl.plan);
  ExprId bytes = e.mul(e.extent(1, 0), e.constant(4));
  Binding workspace;
  workspace.source = BindingSource::Workspace;
  workspace.workspaceOffset = e.constant(256);
  workspace.workspaceBytes = bytes;
  Dispatch first = axpyDispatch(e), second = first;
  first.bindings[1].argument = 1; // y is x
  first.bindings[2] = workspace;
  first.bindings[2].binding = 2;
  first.bindings[2].access = Access::Write;
  second.bindings[0] = workspace;
  second.bindings[0].binding = 0;
  addVariant(impl.plan, "two dispatches", e.constant(1),
             e.add(bytes, e.constant(256)), {first, second});
  k.implementations = {std::move(impl)};
  return k;
}

Kernel overflowKernel() {
  Kernel k = vectorKernel("overflow");
  Implementation impl = emptyImplementation("any");
  ExprBuilder e(impl.plan);
  ExprId n = e.extent(1, 0), n2 = e.mul(n, n);
  Dispatch d = axpyDispatch(e);
  d.grid = e.mul(n2, n2);
  addVariant(impl.plan, "hostile", e.constant(1), e.constant(0), {d});
  k.implementations = {std::move(impl)};
  return k;
}

Kernel narrowKernel() {
  Kernel k = vectorKernel("narrow");
  Implementation impl = emptyImplementation("any");
  ExprBuilder e(impl.plan);
  Dispatch d = axpyDispatch(e);
  d.pushConstants[0].expr = e.mul(e.extent(1, 0), e.constant(65536));
  addVariant(impl.plan, "narrow", e.constant(1), e.constant(0), {d});
  k.implementations = {std::move(impl)};
  return k;
}

Implementation matrixImplementation() {
  Implementation impl = axpyImplementation("odd-matrix");
  MatrixShape shape;
  shape.m = 17;
  shape.n = 3;
  shape.k = 5;
  impl.requirements.matrixShapes = {shape};
  return impl;
}

enum Modules : uint32_t { AxpySpirv, AxpyPtx, TilesPtx };

/// The same on CUDA: push constants become parameters behind the pointers.
Implementation onCuda(Implementation impl) {
  impl.target = TargetKind::Cuda;
  impl.requirements.pushConstantBytes = 0;
  impl.requirements.minApiVersion = 11000;
  impl.requirements.computeCapability = 80;
  for (Variant &v : impl.plan.variants)
    for (Dispatch &d : v.dispatches) {
      d.module = AxpyPtx;
      for (const Binding &b : d.bindings)
        d.parameters.push_back({ParameterKind::Pointer, b.binding, 0});
      for (const PushWord &w : d.pushConstants)
        d.parameters.push_back({ParameterKind::Scalar32, 0, w.expr});
      d.pushConstants.clear();
    }
  return impl;
}

Kernel tilesKernel() {
  Kernel k;
  k.name = "tiles";
  Argument in = vectorArgument("in", false), out = vectorArgument("out", true);
  in.extents = out.extents = {-1, -1};
  k.arguments = {in, out};
  Implementation impl;
  impl.target = TargetKind::Cuda;
  impl.row = "sm_90";
  impl.schedule = "boxes of 8 x 32 in clusters of two";
  impl.requirements.minApiVersion = 12000;
  impl.requirements.computeCapability = 90;
  impl.requirements.workgroupInvocations = 256;
  impl.requirements.sharedMemoryBytes = 1024 + 8;
  ExprBuilder e(impl.plan);
  ExprId rows = e.extent(1, 0), columns = e.extent(1, 1);
  impl.plan.checks = {
      {e.eq(e.rem(rows, e.constant(16)), e.constant(0)), "rows in 16s"},
      {e.eq(e.rem(columns, e.constant(32)), e.constant(0)), "columns in 32s"},
      {e.eq(e.stride(1, 1), e.constant(1)), "rows are contiguous"}};
  Dispatch d;
  d.module = TilesPtx;
  d.entryPoint = "tiles";
  ExprId inRow = e.floorDiv(columns, e.constant(32));
  d.grid = e.mul(e.floorDiv(rows, e.constant(8)), inRow);
  d.workgroupSize[0] = 256;
  d.bindings = {argumentBinding(0, 0, Access::Read),
                argumentBinding(1, 1, Access::Write)};
  d.clusterSize = 2;
  d.dependent = true;
  d.sharedBytes = 1024;
  d.parameters = {{ParameterKind::Pointer, 1, 0},
                  {ParameterKind::Scalar64, 0, e.stride(1, 0)},
                  {ParameterKind::Scalar32, 0, inRow},
                  {ParameterKind::TensorMap, 0, 0}};
  TensorMap map;
  map.binding = 0;
  map.type = ElementType::F32;
  map.extents = {e.extent(0, 1), e.extent(0, 0)};
  map.strides = {e.stride(0, 0)};
  map.box = {32, 8};
  d.tensorMaps = {map};
  addVariant(impl.plan, "boxes", e.constant(1), e.constant(0), {d});
  k.implementations = {std::move(impl)};
  return k;
}

} // namespace

Bundle makeTestBundle() {
  Bundle b;
  b.producer = "helios conformance suite";
  Module m;
  m.name = "axpy";
  m.bytes = axpyModule();
  b.modules.push_back(std::move(m));
  auto addPtx = [&](const char *name, const char *text) {
    Module ptx;
    ptx.kind = ModuleKind::Ptx;
    ptx.name = name;
    ptx.bytes.assign(text, text + std::strlen(text));
    b.modules.push_back(std::move(ptx));
  };
  addPtx("axpy", axpyPtx());
  addPtx("tiles", tilesPtx());
  Kernel matrix = vectorKernel("matrix"), two = vectorKernel("twoways");
  matrix.implementations = {matrixImplementation()};
  two.implementations = {matrixImplementation(), axpyImplementation("any")};
  b.kernels = {axpyKernel(),
               guardsKernel(),
               twoStepKernel(),
               overflowKernel(),
               narrowKernel(),
               matrix,
               two};
  for (Kernel &k : b.kernels)
    for (size_t i = 0, n = k.implementations.size(); i < n; ++i)
      k.implementations.push_back(onCuda(k.implementations[i]));
  b.kernels.push_back(tilesKernel());
  return b;
}

} // namespace helios::cts
