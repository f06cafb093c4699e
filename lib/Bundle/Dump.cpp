//===- Dump.cpp - Bundles as text -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Serialize.h"
#include <cstdio>

namespace helios::bundle {

namespace {

constexpr size_t maxExprText = 600;

/// Appends formula `id`; beyond a depth or length its parts stay as "%id", so
/// that shared sub-formulas cannot make the text explode.
void appendExpr(const Kernel &kernel, const Plan &plan, ExprId id, int depth,
                std::string &out) {
  if (id >= plan.exprs.size()) {
    out += "%?" + std::to_string(id);
    return;
  }
  const Expr &e = plan.exprs[id];
  auto argument = [&] {
    return e.operands[0] < kernel.arguments.size()
               ? kernel.arguments[e.operands[0]].name
               : "#" + std::to_string(e.operands[0]);
  };
  switch (e.op) {
  case ExprOp::Const:
    out += std::to_string(e.imm);
    return;
  case ExprOp::Extent:
  case ExprOp::Stride:
    out += std::string(exprOpName(e.op)) + "(" + argument() + ", " +
           std::to_string(e.operands[1]) + ")";
    return;
  case ExprOp::Alignment:
  case ExprOp::Scalar:
  case ExprOp::Offset:
    out += std::string(exprOpName(e.op)) + "(" + argument() + ")";
    return;
  case ExprOp::Device:
    out += std::string("device(") +
           (e.operands[0] < kNumDeviceProperties
                ? devicePropertyName(static_cast<DeviceProperty>(e.operands[0]))
                : "?") +
           ")";
    return;
  default:
    break;
  }
  if (depth == 0 || out.size() > maxExprText) {
    out += "%" + std::to_string(id);
    return;
  }
  const char *infix = nullptr;
  switch (e.op) {
  case ExprOp::Add:
    infix = " + ";
    break;
  case ExprOp::Sub:
    infix = " - ";
    break;
  case ExprOp::Mul:
    infix = " * ";
    break;
  case ExprOp::Rem:
    infix = " % ";
    break;
  case ExprOp::Eq:
    infix = " == ";
    break;
  case ExprOp::Ne:
    infix = " != ";
    break;
  case ExprOp::Lt:
    infix = " < ";
    break;
  case ExprOp::Le:
    infix = " <= ";
    break;
  case ExprOp::And:
    infix = " and ";
    break;
  case ExprOp::Or:
    infix = " or ";
    break;
  default:
    break;
  }
  if (!infix)
    out += exprOpName(e.op);
  out += "(";
  for (unsigned i = 0; i < exprOperandCount(e.op); ++i) {
    if (i)
      out += infix ? infix : ", ";
    appendExpr(kernel, plan, e.operands[i], depth - 1, out);
  }
  out += ")";
}

std::string expr(const Kernel &k, const Plan &p, ExprId id) {
  return formatExpr(k, p, id);
}

std::string argumentType(const Argument &a) {
  if (a.kind == ArgumentKind::Scalar)
    return elementTypeName(a.type);
  std::string s = "tensor<";
  for (int64_t e : a.extents)
    s += (e < 0 ? "?" : std::to_string(e)) + "x";
  return s + elementTypeName(a.type) + ">";
}

std::string version(uint32_t v) {
  return std::to_string(v >> 22 & 0x7f) + "." + std::to_string(v >> 12 & 0x3ff);
}

void dumpRequirements(const Implementation &impl, std::string &out) {
  const Requirements &r = impl.requirements;
  out += "    requires";
  if (r.minApiVersion)
    out += impl.target == TargetKind::Vulkan
               ? " Vulkan " + version(r.minApiVersion)
               : " driver API " + std::to_string(r.minApiVersion);
  if (r.computeCapability)
    out += " compute capability " + std::to_string(r.computeCapability) +
           (r.exactComputeCapability ? " exactly" : "");
  if (r.subgroupSize)
    out += " subgroup " + std::to_string(r.subgroupSize);
  out += " workgroup " + std::to_string(r.workgroupInvocations) + " shared " +
         std::to_string(r.sharedMemoryBytes) + " B push " +
         std::to_string(r.pushConstantBytes) + " B\n";
  for (uint32_t f = 0; f < kNumFeatures; ++f)
    if (r.features >> f & 1)
      out += std::string("      feature ") +
             featureName(static_cast<Feature>(f)) + "\n";
  for (const MatrixShape &s : r.matrixShapes)
    out += "      matrix " + toString(s) + "\n";
}

void dumpCuda(const Kernel &k, const Plan &p, const Dispatch &d,
              std::string &out) {
  if (d.clusterSize != 1)
    out += "        cluster " + std::to_string(d.clusterSize) + "\n";
  if (d.dependent)
    out += "        begins while the one before it ends\n";
  if (d.sharedBytes)
    out += "        dynamic shared " + std::to_string(d.sharedBytes) + " B\n";
  for (size_t i = 0; i < d.parameters.size(); ++i) {
    const Parameter &parameter = d.parameters[i];
    out += "        parameter[" + std::to_string(i) +
           "] = " + parameterKindName(parameter.kind) + " ";
    if (parameter.kind == ParameterKind::Pointer)
      out += "binding " + std::to_string(parameter.index);
    else if (parameter.kind == ParameterKind::TensorMap)
      out += std::to_string(parameter.index);
    else
      out += expr(k, p, parameter.expr);
    out += "\n";
  }
  auto formulas = [&](const std::vector<ExprId> &ids) {
    std::string text = "[";
    for (size_t i = 0; i < ids.size(); ++i)
      text += (i ? ", " : "") + expr(k, p, ids[i]);
    return text + "]";
  };
  for (size_t i = 0; i < d.tensorMaps.size(); ++i) {
    const TensorMap &m = d.tensorMaps[i];
    out += "        tensor map " + std::to_string(i) + " = binding " +
           std::to_string(m.binding) + " " + elementTypeName(m.type) +
           " extents " + formulas(m.extents) + " strides " +
           formulas(m.strides) + " box [";
    for (size_t b = 0; b < m.box.size(); ++b)
      out += (b ? ", " : "") + std::to_string(m.box[b]);
    out += "] swizzle " + std::to_string(m.swizzle) + "\n";
  }
}

void dumpPlan(const Bundle &bundle, const Kernel &k, const Plan &p,
              std::string &out) {
  static const char *const accesses[] = {"read", "write", "read-write"};
  for (const Check &c : p.checks)
    out += "    check " + expr(k, p, c.expr) + "  // " + c.message + "\n";
  for (size_t r = 0; r < p.resultExtents.size(); ++r) {
    out += "    result " + std::to_string(r) + " extents [";
    for (size_t d = 0; d < p.resultExtents[r].size(); ++d)
      out += (d ? ", " : "") + expr(k, p, p.resultExtents[r][d]);
    out += "]\n";
  }
  for (const Variant &v : p.variants) {
    out += "    variant '" + v.name + "' if " + expr(k, p, v.guard) + "\n";
    if (!v.facts.empty())
      out += "      facts: " + v.facts + "\n";
    out += "      workspace " + expr(k, p, v.workspaceBytes) + " B\n";
    for (const Dispatch &d : v.dispatches) {
      out += "      dispatch " +
             (d.module < bundle.modules.size() ? bundle.modules[d.module].name
                                               : std::string("?")) +
             ":" + d.entryPoint + " grid " + expr(k, p, d.grid) +
             " workgroup " + std::to_string(d.workgroupSize[0]) + "x" +
             std::to_string(d.workgroupSize[1]) + "x" +
             std::to_string(d.workgroupSize[2]) + "\n";
      for (const Binding &b : d.bindings) {
        out += "        binding " + std::to_string(b.binding) + " = ";
        if (b.source == BindingSource::Argument)
          out += b.argument < k.arguments.size() ? k.arguments[b.argument].name
                                                 : "?";
        else
          out += "workspace[" + expr(k, p, b.workspaceOffset) + ", +" +
                 expr(k, p, b.workspaceBytes) + "]";
        out += std::string(" ") + accesses[static_cast<uint8_t>(b.access) % 3] +
               (b.early ? " early\n" : "\n");
      }
      for (size_t w = 0; w < d.pushConstants.size(); ++w) {
        static const char *const kinds[] = {"i32", "low32", "high32"};
        out += "        push[" + std::to_string(w) +
               "] = " + expr(k, p, d.pushConstants[w].expr) + " " +
               kinds[static_cast<uint8_t>(d.pushConstants[w].kind) % 3] + "\n";
      }
      dumpCuda(k, p, d, out);
    }
  }
}

void dumpChoices(const Kernel &k, const Plan &p, std::string &out) {
  for (const Choice &c : p.choices)
    out += std::string("    choice of ") + originName(c.origin) + " '" +
           c.schedule + "' costs " + expr(k, p, c.price) + " if " +
           expr(k, p, c.taken) + " tuned " + expr(k, p, c.tuned) + "\n";
}

void dumpRegion(const Region &r, std::string &out) {
  for (size_t i = 0; i < r.ops.size(); ++i) {
    const ScalarOp &o = r.ops[i];
    out += "      %" + std::to_string(i) + " = " + scalarOpName(o.kind);
    if (o.kind == ScalarOpKind::Cmp)
      out += std::string(" ") +
             cmpPredicateName(static_cast<CmpPredicate>(o.index));
    else if (o.kind == ScalarOpKind::Tanh && o.index)
      out += " approximate";
    for (unsigned j = 0; j < scalarOpArity(o.kind); ++j)
      out += (j ? ", %" : " %") + std::to_string(o.operands[j]);
    char number[40];
    if (o.kind == ScalarOpKind::Const) {
      if (isFloat(o.type))
        std::snprintf(number, sizeof(number), " %.17g", o.imm);
      else
        std::snprintf(number, sizeof(number), " %lld",
                      static_cast<long long>(o.intImm));
      out += number;
    } else if (o.kind == ScalarOpKind::Fused || o.kind == ScalarOpKind::Index ||
               o.kind == ScalarOpKind::ScalarArg) {
      out += " " + std::to_string(o.index);
    } else if (o.kind == ScalarOpKind::Extent) {
      out += " " + std::to_string(o.index) + ", " + std::to_string(o.intImm);
    }
    out += std::string(" : ") + elementTypeName(o.type) + "\n";
  }
  out += "      yield %" + std::to_string(r.result) + "\n";
}

void dumpAttention(const Step &step, std::string &out) {
  const AttentionPart &a = step.attention;
  out += "attention s" + std::to_string(step.a) + ", s" +
         std::to_string(step.b) + ", s" + std::to_string(a.value);
  if (a.scale) {
    char number[40];
    std::snprintf(number, sizeof(number), " scale %.17g", *a.scale);
    out += number;
  }
  if (a.lse)
    out += " lse s" + std::to_string(*a.lse);
  out += std::string(" acc ") + elementTypeName(step.accumulator);
}

/// " [0, 1, 1]": the dimensions, new ones as *.
std::string viewDims(const Step &step) {
  std::string out = " [";
  for (size_t i = 0; i < step.dims.size(); ++i)
    out += (i ? ", " : "") + (step.dims[i] == Step::kUnit
                                  ? std::string("*")
                                  : std::to_string(step.dims[i]));
  return out + "]";
}

void dumpSemantics(const Semantics &s, std::string &out) {
  out += "  semantics\n";
  for (const Step &step : s.steps) {
    out += "    s" + std::to_string(step.dest) + " = ";
    if (step.kind == StepKind::Matmul)
      out +=
          "matmul s" + std::to_string(step.a) + (step.transposeA ? "^T" : "") +
          ", s" + std::to_string(step.b) + (step.transposeB ? "^T" : "") +
          " acc " + elementTypeName(step.accumulator) +
          (step.fastSums ? " fast" : "") + (step.hasScales ? " scales" : "") +
          (step.ends ? " grouped by s" + std::to_string(*step.ends) : "");
    else if (step.kind == StepKind::Attention)
      dumpAttention(step, out);
    else if (step.kind == StepKind::View)
      out += "view s" + std::to_string(step.a) + viewDims(step);
    else if (step.kind == StepKind::Reduce)
      out += std::string(step.reduction.largest ? "max" : "sum") + " s" +
             std::to_string(step.a) + " along " +
             std::to_string(step.reduction.dim);
    else
      out += "elementwise";
    if (step.kind == StepKind::View || step.kind == StepKind::Reduce) {
      out += "\n";
      continue;
    }
    out += " fused(";
    for (size_t i = 0; i < step.fused.size(); ++i)
      out += (i ? ", s" : "s") + std::to_string(step.fused[i]);
    out += ")";
    for (const Step::Groups &groups : step.groups)
      out += " groups of " + std::to_string(groups.size) + " along " +
             std::to_string(groups.dim) +
             (groups.parts > 1
                  ? ", " + std::to_string(groups.parts) + " elements in one"
                  : "");
    out += "\n";
    if (step.kind == StepKind::Attention && !step.region.ops.empty())
      out += "      score\n";
    if (!step.region.ops.empty())
      dumpRegion(step.region, out);
    if (!step.attention.mask.ops.empty()) {
      out += "      mask\n";
      dumpRegion(step.attention.mask, out);
    }
  }
}

} // namespace

std::string formatExpr(const Kernel &kernel, const Plan &plan, ExprId id) {
  std::string out;
  appendExpr(kernel, plan, id, 8, out);
  return out;
}

std::string dump(const Bundle &bundle) {
  std::string out = "bundle format " + std::to_string(kFormatVersion) +
                    " by '" + bundle.producer + "'\n";
  for (size_t i = 0; i < bundle.modules.size(); ++i) {
    const Module &m = bundle.modules[i];
    out += "module " + std::to_string(i) + " '" + m.name + "' " +
           (m.kind == ModuleKind::Spirv ? "spirv " : "ptx ") +
           std::to_string(m.bytes.size()) + " bytes sha256 " +
           toHex(sha256(m.bytes.data(), m.bytes.size())) + "\n";
  }
  for (const Kernel &k : bundle.kernels) {
    out += "kernel '" + k.name + "'\n";
    for (const Argument &a : k.arguments)
      out += std::string(a.isResult ? "  result " : "  input ") + a.name +
             ": " + argumentType(a) +
             (a.packedBy.empty() ? "" : " packed by '" + a.packedBy + "'") +
             "\n";
    for (const Implementation &impl : k.implementations) {
      out += std::string("  implementation ") + targetKindName(impl.target) +
             ":" + impl.row + " schedule '" + impl.schedule + "'\n";
      dumpRequirements(impl, out);
      dumpPlan(bundle, k, impl.plan, out);
      dumpChoices(k, impl.plan, out);
    }
    if (k.semantics)
      dumpSemantics(*k.semantics, out);
  }
  return out;
}

} // namespace helios::bundle
