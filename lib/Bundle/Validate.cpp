//===- Validate.cpp - Checks of a bundle's contents -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Spirv.h"
#include "ValidateImpl.h"
#include "helios/Bundle/Serialize.h"
#include <set>

namespace helios::bundle {

namespace {

Status bad(const std::string &message) { return Status::invalidInput(message); }
std::string num(uint64_t v) { return std::to_string(v); }

/// Entry points of every module, by module index.
struct EntryPoints {
  std::vector<std::vector<SpirvEntryPoint>> spirv;
  std::vector<std::vector<PtxEntryPoint>> ptx;
};

Status checkText(const std::string &text, uint32_t limit, const char *what) {
  if (text.size() > limit)
    return bad(std::string(what) + " has " + num(text.size()) +
               " bytes, at most " + num(limit) + " allowed");
  if (text.find('\0') != std::string::npos)
    return bad(std::string(what) + " contains a zero byte");
  return Status::success();
}

Status validateArguments(const Kernel &kernel) {
  if (kernel.arguments.empty() || kernel.arguments.size() > limits::arguments)
    return bad(num(kernel.arguments.size()) + " arguments, expected 1 to " +
               num(limits::arguments));
  std::set<std::string> names;
  bool results = false;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument &a = kernel.arguments[i];
    std::string where = "argument " + num(i) + " '" + a.name + "': ";
    if (Status s = checkText(a.name, limits::name, "name"); !s.ok())
      return s.withPrefix(where);
    if (a.name.empty() || !names.insert(a.name).second)
      return bad(where + "its name is empty or used before");
    if (static_cast<uint8_t>(a.type) >= kNumElementTypes ||
        a.type == ElementType::I1)
      return bad(where + "i1 or an unknown type does not exist in memory");
    if (a.rank() > limits::rank)
      return bad(where + "rank " + num(a.rank()) + ", at most " +
                 num(limits::rank));
    for (int64_t e : a.extents)
      if (e < -1)
        return bad(where + "extent " + std::to_string(e) +
                   ", expected -1 (dynamic), 0 or more");
    if (a.kind == ArgumentKind::Scalar && (a.rank() != 0 || a.isResult))
      return bad(where + "a scalar has no extents and is no result");
    if (Status s = checkText(a.packedBy, limits::name, "packing kernel");
        !s.ok())
      return s.withPrefix(where);
    if (!a.packedBy.empty() && (a.kind == ArgumentKind::Scalar || a.isResult))
      return bad(where + "a scalar or a result is not packed");
    if (results && !a.isResult)
      return bad(where + "an input after a result; inputs come first");
    results |= a.isResult;
  }
  if (!results)
    return bad("the kernel has no result");
  return Status::success();
}

Status validateExprs(const Kernel &kernel, const Plan &plan) {
  if (plan.exprs.size() > limits::exprs)
    return bad(num(plan.exprs.size()) + " formulas, at most " +
               num(limits::exprs));
  for (size_t i = 0; i < plan.exprs.size(); ++i) {
    const Expr &e = plan.exprs[i];
    if (static_cast<uint8_t>(e.op) >= kNumExprOps)
      return bad("formula " + num(i) + ": unknown operation " +
                 num(static_cast<uint8_t>(e.op)));
    std::string where = "formula " + num(i) + " (" + exprOpName(e.op) + "): ";
    switch (e.op) {
    case ExprOp::Const:
      break;
    case ExprOp::Extent:
    case ExprOp::Stride:
    case ExprOp::Alignment:
    case ExprOp::Offset: {
      if (e.operands[0] >= kernel.arguments.size() ||
          kernel.arguments[e.operands[0]].kind != ArgumentKind::Tensor)
        return bad(where + "argument " + num(e.operands[0]) +
                   " is no tensor of the kernel");
      bool hasDim = e.op == ExprOp::Extent || e.op == ExprOp::Stride;
      if (hasDim && e.operands[1] >= kernel.arguments[e.operands[0]].rank())
        return bad(where + "dimension " + num(e.operands[1]) +
                   " of argument '" + kernel.arguments[e.operands[0]].name +
                   "' of rank " + num(kernel.arguments[e.operands[0]].rank()));
      break;
    }
    case ExprOp::Scalar:
      if (e.operands[0] >= kernel.arguments.size() ||
          kernel.arguments[e.operands[0]].kind != ArgumentKind::Scalar)
        return bad(where + "argument " + num(e.operands[0]) +
                   " is no scalar of the kernel");
      break;
    case ExprOp::Device:
      if (e.operands[0] >= kNumDeviceProperties)
        return bad(where + "unknown device property " + num(e.operands[0]));
      break;
    default:
      for (unsigned o = 0; o < exprOperandCount(e.op); ++o)
        if (e.operands[o] >= i)
          return bad(where + "operand " + num(o) + " is formula " +
                     num(e.operands[o]) + ", expected an earlier one");
    }
  }
  return Status::success();
}

Status validateDispatch(const Bundle &bundle, const Kernel &kernel,
                        const Implementation &impl, const Dispatch &d,
                        const EntryPoints &entryPoints) {
  size_t numExprs = impl.plan.exprs.size();
  if (d.module >= bundle.modules.size())
    return bad("module " + num(d.module) + " of " + num(bundle.modules.size()));
  const Module &module = bundle.modules[d.module];
  ModuleKind wanted =
      impl.target == TargetKind::Vulkan ? ModuleKind::Spirv : ModuleKind::Ptx;
  if (module.kind != wanted)
    return bad("module '" + module.name + "' is not of the target's kind");
  if (Status s = checkText(d.entryPoint, limits::name, "entry point"); !s.ok())
    return s;
  if (d.entryPoint.empty())
    return bad("no entry point");
  if (d.grid >= numExprs)
    return bad("grid is formula " + num(d.grid) + " of " + num(numExprs));
  uint64_t invocations = 1;
  for (uint32_t s : d.workgroupSize) {
    if (s == 0 || s > limits::workgroupInvocations)
      return bad("workgroup extent " + num(s) + ", expected 1 to " +
                 num(limits::workgroupInvocations));
    invocations *= s;
  }
  if (invocations > limits::workgroupInvocations ||
      invocations > impl.requirements.workgroupInvocations)
    return bad("workgroup of " + num(invocations) +
               " invocations; the implementation requires only " +
               num(impl.requirements.workgroupInvocations) +
               " (format's limit " + num(limits::workgroupInvocations) + ")");
  if (d.bindings.size() > limits::bindings)
    return bad(num(d.bindings.size()) + " bindings, at most " +
               num(limits::bindings));
  std::set<uint32_t> numbers;
  for (const Binding &b : d.bindings) {
    std::string where = "binding " + num(b.binding) + ": ";
    if (b.binding > limits::bindingNumber || !numbers.insert(b.binding).second)
      return bad(where + "its number is used before or larger than " +
                 num(limits::bindingNumber));
    if (static_cast<uint8_t>(b.source) > 1 ||
        static_cast<uint8_t>(b.access) > 2)
      return bad(where + "unknown source or access");
    if (b.early && (!d.dependent || b.access != Access::Read ||
                    b.source != BindingSource::Argument ||
                    b.argument >= kernel.arguments.size() ||
                    kernel.arguments[b.argument].isResult))
      return bad(where + "it is read early, which a dependent dispatch may do "
                         "with inputs of the kernel that it only reads");
    if (b.source == BindingSource::Argument) {
      if (b.argument >= kernel.arguments.size() ||
          kernel.arguments[b.argument].kind != ArgumentKind::Tensor)
        return bad(where + "argument " + num(b.argument) +
                   " is no tensor of the kernel");
      if (b.access != Access::Read && !kernel.arguments[b.argument].isResult)
        return bad(where + "writes input '" +
                   kernel.arguments[b.argument].name + "'");
    } else if (b.workspaceOffset >= numExprs || b.workspaceBytes >= numExprs) {
      return bad(where + "workspace formulas " + num(b.workspaceOffset) + ", " +
                 num(b.workspaceBytes) + " of " + num(numExprs));
    }
  }
  if (d.pushConstants.size() > limits::pushWords ||
      d.pushConstants.size() * 4 > impl.requirements.pushConstantBytes)
    return bad(num(d.pushConstants.size() * 4) +
               " bytes of push constants; the implementation requires only " +
               num(impl.requirements.pushConstantBytes) + " (format's limit " +
               num(limits::pushWords * 4) + ")");
  for (const PushWord &w : d.pushConstants)
    if (w.expr >= numExprs || static_cast<uint8_t>(w.kind) > 2)
      return bad("push constant of formula " + num(w.expr) + " of " +
                 num(numExprs));

  if (Status s =
          validateCudaDispatch(impl, d, entryPoints.ptx[d.module], module.name);
      !s.ok() || module.kind != ModuleKind::Spirv)
    return s;
  const SpirvEntryPoint *entry = nullptr;
  for (const SpirvEntryPoint &e : entryPoints.spirv[d.module])
    if (e.name == d.entryPoint)
      entry = &e;
  if (!entry)
    return bad("module '" + module.name + "' has no entry point '" +
               d.entryPoint + "'");
  for (int i = 0; i < 3; ++i)
    if (entry->workgroupSize[i] != 0 &&
        entry->workgroupSize[i] != d.workgroupSize[i])
      return bad("workgroup extent " + num(i) + " is " +
                 num(d.workgroupSize[i]) + ", the module says " +
                 num(entry->workgroupSize[i]));
  for (uint32_t b : entry->bindings)
    if (!numbers.count(b))
      return bad("entry point '" + d.entryPoint + "' uses binding " + num(b) +
                 ", which the dispatch does not bind");
  return Status::success();
}

Status validateRequirements(const Requirements &r) {
  if (r.matrixShapes.size() > limits::matrixShapes)
    return bad(num(r.matrixShapes.size()) + " matrix shapes, at most " +
               num(limits::matrixShapes));
  for (const MatrixShape &s : r.matrixShapes)
    for (uint32_t extent : {s.m, s.n, s.k})
      if (extent == 0 || extent > 4096)
        return bad("matrix extent " + num(extent) + ", expected 1 to 4096");
  if (r.features >> kNumFeatures)
    return bad("unknown feature bits " +
               num(r.features >> kNumFeatures << kNumFeatures));
  if (r.subgroupSize & (r.subgroupSize - 1) || r.subgroupSize > 1024)
    return bad("subgroup size " + num(r.subgroupSize) +
               ", expected 0 or a power of two up to 1024");
  return Status::success();
}

Status validatePlan(const Bundle &bundle, const Kernel &kernel,
                    const Implementation &impl,
                    const EntryPoints &entryPoints) {
  const Plan &plan = impl.plan;
  if (Status s = validateExprs(kernel, plan); !s.ok())
    return s;
  size_t numExprs = plan.exprs.size();
  if (plan.checks.size() > limits::checks ||
      plan.variants.size() > limits::variants)
    return bad(num(plan.checks.size()) + " checks, " +
               num(plan.variants.size()) + " variants; at most " +
               num(limits::checks) + " and " + num(limits::variants));
  for (size_t i = 0; i < plan.checks.size(); ++i) {
    if (plan.checks[i].expr >= numExprs)
      return bad("check " + num(i) + " is formula " + num(plan.checks[i].expr) +
                 " of " + num(numExprs));
    if (Status s =
            checkText(plan.checks[i].message, limits::text, "check message");
        !s.ok())
      return s;
  }
  if (!plan.resultExtents.empty()) {
    size_t r = 0;
    for (const Argument &a : kernel.arguments) {
      if (!a.isResult)
        continue;
      if (r >= plan.resultExtents.size() ||
          plan.resultExtents[r].size() != a.rank())
        return bad("the shape of result '" + a.name +
                   "' is missing or has another rank");
      for (ExprId e : plan.resultExtents[r])
        if (e >= numExprs)
          return bad("an extent of result '" + a.name + "' is formula " +
                     num(e) + " of " + num(numExprs));
      ++r;
    }
    if (r != plan.resultExtents.size())
      return bad(num(plan.resultExtents.size()) + " result shapes for " +
                 num(r) + " results");
  }
  if (plan.variants.empty())
    return bad("no variants");
  for (size_t v = 0; v < plan.variants.size(); ++v) {
    const Variant &variant = plan.variants[v];
    std::string where = "variant " + num(v) + " '" + variant.name + "': ";
    if (Status s = checkText(variant.name, limits::name, "name"); !s.ok())
      return s.withPrefix(where);
    if (Status s = checkText(variant.facts, limits::text, "facts"); !s.ok())
      return s.withPrefix(where);
    if (variant.guard >= numExprs || variant.workspaceBytes >= numExprs)
      return bad(where + "guard or workspace is formula " + num(variant.guard) +
                 ", " + num(variant.workspaceBytes) + " of " + num(numExprs));
    if (variant.dispatches.size() > limits::dispatches)
      return bad(where + num(variant.dispatches.size()) +
                 " dispatches, at most " + num(limits::dispatches));
    for (size_t d = 0; d < variant.dispatches.size(); ++d)
      if (Status s = validateDispatch(bundle, kernel, impl,
                                      variant.dispatches[d], entryPoints);
          !s.ok())
        return s.withPrefix(where + "dispatch " + num(d) + ": ");
  }
  if (plan.choices.size() > limits::choices)
    return bad(num(plan.choices.size()) + " choices, at most " +
               num(limits::choices));
  for (size_t c = 0; c < plan.choices.size(); ++c) {
    const Choice &choice = plan.choices[c];
    if (Status s = checkText(choice.schedule, limits::text, "schedule");
        !s.ok())
      return s.withPrefix("choice " + num(c) + ": ");
    for (ExprId e : {choice.price, choice.taken, choice.tuned})
      if (e >= numExprs)
        return bad("choice " + num(c) + " has formula " + num(e) + " of " +
                   num(numExprs));
  }
  return Status::success();
}

Status validateKernel(const Bundle &bundle, const Kernel &kernel,
                      const EntryPoints &entryPoints) {
  if (kernel.name.empty())
    return bad("its name is empty");
  if (Status s = checkText(kernel.name, limits::name, "name"); !s.ok())
    return s;
  if (Status s = checkText(kernel.source, limits::source, "source"); !s.ok())
    return s;
  if (Status s = validateArguments(kernel); !s.ok())
    return s;
  if (kernel.implementations.empty() ||
      kernel.implementations.size() > limits::implementations)
    return bad(num(kernel.implementations.size()) +
               " implementations, expected 1 to " +
               num(limits::implementations));
  for (size_t i = 0; i < kernel.implementations.size(); ++i) {
    const Implementation &impl = kernel.implementations[i];
    std::string where = "implementation " + num(i) + " '" + impl.row + "': ";
    if (static_cast<uint8_t>(impl.target) > 1)
      return bad(where + "unknown target kind");
    if (Status s = checkText(impl.row, limits::name, "target row"); !s.ok())
      return s.withPrefix(where);
    if (Status s = checkText(impl.schedule, limits::text, "schedule"); !s.ok())
      return s.withPrefix(where);
    if (Status s = validateRequirements(impl.requirements); !s.ok())
      return s.withPrefix(where);
    if (Status s = validatePlan(bundle, kernel, impl, entryPoints); !s.ok())
      return s.withPrefix(where);
  }
  if (kernel.semantics)
    return validateSemantics(kernel, *kernel.semantics);
  return Status::success();
}

/// A packed argument names a kernel that makes one tensor of one tensor.
Status validatePacking(const Bundle &bundle, const Kernel &kernel) {
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument &a = kernel.arguments[i];
    if (a.packedBy.empty())
      continue;
    const std::string where = "argument '" + a.name + "': ";
    const Kernel *packer = bundle.findKernel(a.packedBy);
    if (!packer)
      return bad(where + "it is packed by a kernel '" + a.packedBy +
                 "', which the bundle lacks");
    const std::vector<Argument> &args = packer->arguments;
    if (args.size() != 2 || args[0].kind != ArgumentKind::Tensor ||
        !args[0].packedBy.empty() || !args[1].isResult ||
        args[1].type != a.type || args[1].extents != a.extents)
      return bad(where + "kernel '" + packer->name +
                 "' does not make such a tensor of one tensor");
    if (kernel.semantics && i < kernel.semantics->slots.size() &&
        (kernel.semantics->slots[i].type != args[0].type ||
         kernel.semantics->slots[i].rank != args[0].rank()))
      return bad(where +
                 "the semantics read another type or rank than kernel '" +
                 packer->name + "' packs");
  }
  return Status::success();
}

} // namespace

Status validate(const Bundle &bundle) {
  if (Status s = checkText(bundle.producer, limits::name, "producer"); !s.ok())
    return s;
  if (bundle.modules.size() > limits::modules ||
      bundle.kernels.size() > limits::kernels)
    return bad(num(bundle.modules.size()) + " modules, " +
               num(bundle.kernels.size()) + " kernels; at most " +
               num(limits::modules) + " and " + num(limits::kernels));
  if (bundle.kernels.empty())
    return bad("no kernels");
  EntryPoints entryPoints;
  entryPoints.spirv.resize(bundle.modules.size());
  entryPoints.ptx.resize(bundle.modules.size());
  for (size_t i = 0; i < bundle.modules.size(); ++i) {
    const Module &m = bundle.modules[i];
    std::string where = "module " + num(i) + " '" + m.name + "': ";
    if (Status s = checkText(m.name, limits::name, "name"); !s.ok())
      return s.withPrefix(where);
    if (static_cast<uint8_t>(m.kind) > 1 || m.bytes.empty())
      return bad(where + "unknown kind or no bytes");
    if (m.kind == ModuleKind::Ptx) {
      Result<std::vector<PtxEntryPoint>> entries = scanPtx(m.bytes);
      if (!entries)
        return entries.status().withPrefix(where);
      entryPoints.ptx[i] = std::move(*entries);
      continue;
    }
    Result<std::vector<SpirvEntryPoint>> entries = scanSpirv(m.bytes);
    if (!entries)
      return entries.status().withPrefix(where);
    entryPoints.spirv[i] = std::move(*entries);
  }
  std::set<std::string> names;
  for (const Kernel &k : bundle.kernels) {
    std::string where = "kernel '" + k.name + "': ";
    if (!names.insert(k.name).second)
      return bad(where + "its name is used before");
    if (Status s = validateKernel(bundle, k, entryPoints); !s.ok())
      return s.withPrefix(where);
    if (Status s = validatePacking(bundle, k); !s.ok())
      return s.withPrefix(where);
  }
  return Status::success();
}

} // namespace helios::bundle
