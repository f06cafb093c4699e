//===- Evaluate.cpp - Launch plans evaluated for real arguments -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Evaluate.h"
#include "helios/Bundle/Serialize.h"

namespace helios::bundle {

namespace {

using Error = ExprValue::Error;

ExprValue failed(Error error, ExprId origin) {
  ExprValue v;
  v.error = error;
  v.origin = origin;
  return v;
}

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}

ExprValue leaf(const Expr &e, ExprId id, const PlanInput &input) {
  ExprValue v;
  if (e.op == ExprOp::Const) {
    v.value = e.imm;
    return v;
  }
  if (e.op == ExprOp::Device) {
    v.value = input.device[e.operands[0]];
    return v;
  }
  if (e.operands[0] >= input.arguments.size())
    return failed(Error::Unknown, id);
  const ArgumentValue &a = input.arguments[e.operands[0]];
  switch (e.op) {
  case ExprOp::Extent:
    if (e.operands[1] >= a.extents.size())
      return failed(Error::Unknown, id);
    v.value = a.extents[e.operands[1]];
    return v;
  case ExprOp::Stride:
    if (e.operands[1] >= a.strides.size())
      return failed(Error::Unknown, id);
    v.value = a.strides[e.operands[1]];
    return v;
  case ExprOp::Alignment:
    v.value = a.alignment;
    return v;
  case ExprOp::Offset:
    v.value = a.offset;
    return v;
  default:
    v.value = a.scalar;
    return v;
  }
}

/// An arithmetic or comparing operation on two good values.
ExprValue binary(ExprOp op, int64_t a, int64_t b, ExprId id) {
  ExprValue v;
  bool overflow = false;
  switch (op) {
  case ExprOp::Add:
    overflow = __builtin_add_overflow(a, b, &v.value);
    break;
  case ExprOp::Sub:
    overflow = __builtin_sub_overflow(a, b, &v.value);
    break;
  case ExprOp::Mul:
    overflow = __builtin_mul_overflow(a, b, &v.value);
    break;
  case ExprOp::FloorDiv:
  case ExprOp::CeilDiv:
  case ExprOp::Rem: {
    if (b == 0)
      return failed(Error::DivisionByZero, id);
    if (b == -1) { // INT64_MIN / -1 overflows
      if (op == ExprOp::Rem)
        v.value = 0;
      else
        overflow = __builtin_sub_overflow(int64_t(0), a, &v.value);
      break;
    }
    int64_t q = floorDivide(a, b);
    if (op == ExprOp::FloorDiv)
      v.value = q;
    else if (op == ExprOp::CeilDiv)
      v.value = a % b != 0 ? q + 1 : q;
    else
      v.value = a % b == 0 ? 0 : ((a < 0) != (b < 0) ? a % b + b : a % b);
    break;
  }
  case ExprOp::Min:
    v.value = a < b ? a : b;
    break;
  case ExprOp::Max:
    v.value = a > b ? a : b;
    break;
  case ExprOp::Eq:
    v.value = a == b;
    break;
  case ExprOp::Ne:
    v.value = a != b;
    break;
  case ExprOp::Lt:
    v.value = a < b;
    break;
  default:
    v.value = a <= b;
    break;
  }
  return overflow ? failed(Error::Overflow, id) : v;
}

std::string shapeText(const Kernel &kernel, const PlanInput &input) {
  std::string text;
  for (size_t i = 0; i < kernel.arguments.size() && i < input.arguments.size();
       ++i) {
    const Argument &a = kernel.arguments[i];
    text += (i ? ", " : "") + a.name + ": ";
    if (a.kind == ArgumentKind::Scalar) {
      text += std::to_string(input.arguments[i].scalar);
      continue;
    }
    const ArgumentValue &v = input.arguments[i];
    for (int64_t e : v.extents)
      text += std::to_string(e) + "x";
    text += elementTypeName(a.type);
    if (!v.strides.empty()) {
      text += " strides [";
      for (size_t d = 0; d < v.strides.size(); ++d)
        text += (d ? "," : "") + std::to_string(v.strides[d]);
      text += "]";
    }
    text += " aligned " + std::to_string(v.alignment);
  }
  return text;
}

/// The values of a plan's formulas, with messages for those that have none.
class Values {
public:
  Values(const Kernel &kernel, const Plan &plan, const PlanInput &input)
      : kernel(kernel), plan(plan), input(input),
        values(evaluateAll(plan, input)) {}

  bool good(ExprId id) const { return values[id].error == Error::None; }

  /// The value of `id` within [low, high]; `what` names it in messages.
  Status get(ExprId id, const std::string &what, int64_t low, int64_t high,
             int64_t &out) const {
    const ExprValue &v = values[id];
    if (v.error != Error::None) {
      const char *why = v.error == Error::Overflow ? "overflows 64 bits"
                        : v.error == Error::DivisionByZero
                            ? "divides by zero"
                            : "reads an extent that is not known";
      return Status::invalidInput(what + " = " + formatExpr(kernel, plan, id) +
                                  ": " + formatExpr(kernel, plan, v.origin) +
                                  " " + why + " for " +
                                  shapeText(kernel, input));
    }
    if (v.value < low || v.value > high)
      return Status::invalidInput(
          what + " = " + formatExpr(kernel, plan, id) + " is " +
          std::to_string(v.value) + ", expected " + std::to_string(low) +
          " to " + std::to_string(high) + ", for " + shapeText(kernel, input));
    out = v.value;
    return Status::success();
  }

  /// As much of a formula as a message can hold.
  static std::string beginOf(std::string text) {
    constexpr size_t most = 240;
    if (text.size() > most)
      text.replace(most, std::string::npos, "...");
    return text;
  }

  Status runChecks() const {
    for (const Check &c : plan.checks) {
      int64_t v = 0;
      if (Status s = get(c.expr, "check", INT64_MIN, INT64_MAX, v); !s.ok())
        return s;
      if (v == 0)
        return Status::invalidInput(
            "kernel '" + kernel.name + "': " + c.message + " (" +
            beginOf(formatExpr(kernel, plan, c.expr)) + " does not hold for " +
            shapeText(kernel, input) + ")");
    }
    return Status::success();
  }

  Result<ResolvedPlan> resolveVariant(uint32_t index) const;
  /// Parameters, tensor maps, clusters and shared memory of a CUDA dispatch;
  /// `out` has its bindings and its grid.
  Status resolveParameters(const Dispatch &d, ResolvedDispatch &out) const;

  const Kernel &kernel;
  const Plan &plan;
  const PlanInput &input;
  std::vector<ExprValue> values;
};

Status Values::resolveParameters(const Dispatch &d,
                                 ResolvedDispatch &out) const {
  auto position = [&](uint32_t number) {
    uint32_t at = 0;
    while (at < d.bindings.size() && d.bindings[at].binding != number)
      ++at;
    return at; // validate() has found it
  };
  int64_t v = 0;
  for (size_t i = 0; i < d.parameters.size(); ++i) {
    const Parameter &p = d.parameters[i];
    ResolvedParameter rp;
    rp.kind = p.kind;
    if (p.kind == ParameterKind::Pointer) {
      rp.index = position(p.index);
    } else if (p.kind == ParameterKind::TensorMap) {
      rp.index = p.index;
    } else {
      // Signed values, or the bits of a smaller float or unsigned integer.
      uint32_t bits = 8 * parameterBytes(p.kind);
      int64_t low = bits == 64 ? INT64_MIN : -(int64_t(1) << (bits - 1));
      int64_t high = bits == 64   ? INT64_MAX
                     : bits == 32 ? INT32_MAX
                                  : (int64_t(1) << bits) - 1;
      if (Status s =
              get(p.expr, "parameter " + std::to_string(i), low, high, v);
          !s.ok())
        return s;
      rp.value = static_cast<uint64_t>(v);
    }
    out.parameters.push_back(rp);
  }
  for (size_t i = 0; i < d.tensorMaps.size(); ++i) {
    const TensorMap &m = d.tensorMaps[i];
    std::string name = "tensor map " + std::to_string(i) + ": ";
    ResolvedTensorMap rm;
    rm.binding = position(m.binding);
    rm.type = m.type;
    rm.box = m.box;
    rm.swizzle = m.swizzle;
    for (size_t dim = 0; dim < m.extents.size(); ++dim) {
      if (Status s = get(m.extents[dim], name + "extent " + std::to_string(dim),
                         0, int64_t(1) << 32, v);
          !s.ok())
        return s;
      rm.extents.push_back(static_cast<uint64_t>(v));
    }
    int64_t bytes = elementBytes(m.type);
    for (size_t dim = 0; dim < m.strides.size(); ++dim) {
      if (Status s =
              get(m.strides[dim], name + "stride " + std::to_string(dim + 1), 0,
                  (int64_t(1) << 40) / bytes - 1, v);
          !s.ok())
        return s;
      rm.strides.push_back(static_cast<uint64_t>(v * bytes));
    }
    out.tensorMaps.push_back(std::move(rm));
  }
  out.clusterSize = d.clusterSize;
  out.sharedBytes = d.sharedBytes;
  out.dependent = d.dependent;
  if (out.groups % d.clusterSize != 0)
    return Status::invalidInput(
        "grid of " + std::to_string(out.groups) +
        " workgroups is no multiple of the cluster of " +
        std::to_string(d.clusterSize));
  return Status::success();
}

Result<ResolvedPlan> Values::resolveVariant(uint32_t index) const {
  const Variant &variant = plan.variants[index];
  std::string where =
      "kernel '" + kernel.name + "', variant '" + variant.name + "': ";
  ResolvedPlan r;
  r.variant = index;
  r.variantName = variant.name;
  int64_t v = 0;
  if (Status s = get(variant.workspaceBytes, "workspace bytes", 0,
                     int64_t(kMaxWorkspaceBytes), v);
      !s.ok())
    return s.withPrefix(where);
  r.workspaceBytes = static_cast<uint64_t>(v);
  for (size_t i = 0; i < variant.dispatches.size(); ++i) {
    const Dispatch &d = variant.dispatches[i];
    std::string at = where + "dispatch " + std::to_string(i) + ": ";
    ResolvedDispatch out;
    out.module = d.module;
    out.entryPoint = d.entryPoint;
    for (int k = 0; k < 3; ++k)
      out.workgroupSize[k] = d.workgroupSize[k];
    if (Status s = get(d.grid, "grid", 0, int64_t(kMaxGroups), v); !s.ok())
      return s.withPrefix(at);
    out.groups = static_cast<uint64_t>(v);
    for (const Binding &b : d.bindings) {
      ResolvedBinding rb;
      rb.binding = b.binding;
      rb.source = b.source;
      rb.argument = b.argument;
      rb.access = b.access;
      rb.early = b.early;
      if (b.source == BindingSource::Workspace) {
        int64_t offset = 0, bytes = 0;
        if (Status s = get(b.workspaceOffset, "workspace offset", 0,
                           int64_t(r.workspaceBytes), offset);
            !s.ok())
          return s.withPrefix(at);
        if (Status s = get(b.workspaceBytes, "bound workspace bytes", 0,
                           int64_t(r.workspaceBytes) - offset, bytes);
            !s.ok())
          return s.withPrefix(at);
        if (offset % 256 != 0)
          return Status::invalidInput(at + "workspace offset " +
                                      std::to_string(offset) +
                                      " is no multiple of 256");
        rb.workspaceOffset = static_cast<uint64_t>(offset);
        rb.workspaceBytes = static_cast<uint64_t>(bytes);
      }
      out.bindings.push_back(rb);
    }
    for (size_t w = 0; w < d.pushConstants.size(); ++w) {
      const PushWord &word = d.pushConstants[w];
      bool narrow = word.kind == PushKind::I32;
      if (Status s = get(word.expr, "push constant " + std::to_string(w),
                         narrow ? INT32_MIN : INT64_MIN,
                         narrow ? INT32_MAX : INT64_MAX, v);
          !s.ok())
        return s.withPrefix(at);
      uint64_t bits = static_cast<uint64_t>(v);
      out.pushConstants.push_back(static_cast<uint32_t>(
          word.kind == PushKind::High32 ? bits >> 32 : bits));
    }
    if (Status s = resolveParameters(d, out); !s.ok())
      return s.withPrefix(at);
    r.dispatches.push_back(std::move(out));
  }
  for (const Choice &c : plan.choices) {
    auto holds = [&](ExprId id) { return good(id) && values[id].value != 0; };
    r.choices.push_back({c.schedule, c.origin,
                         good(c.price) ? values[c.price].value : INT64_MAX,
                         holds(c.taken), holds(c.tuned)});
  }
  return r;
}

} // namespace

std::vector<ExprValue> evaluateAll(const Plan &plan, const PlanInput &input) {
  std::vector<ExprValue> values(plan.exprs.size());
  for (size_t i = 0; i < plan.exprs.size(); ++i) {
    const Expr &e = plan.exprs[i];
    ExprId id = static_cast<ExprId>(i);
    unsigned operands = exprOperandCount(e.op);
    if (operands == 0) {
      values[i] = leaf(e, id, input);
      continue;
    }
    const ExprValue &a = values[e.operands[0]];
    if (a.error != Error::None) {
      values[i] = a;
      continue;
    }
    if (e.op == ExprOp::Not) {
      values[i].value = a.value == 0;
      continue;
    }
    if (e.op == ExprOp::Select) {
      values[i] = values[e.operands[a.value != 0 ? 1 : 2]];
      continue;
    }
    if (e.op == ExprOp::And && a.value == 0) {
      values[i].value = 0;
      continue;
    }
    if (e.op == ExprOp::Or && a.value != 0) {
      values[i].value = 1;
      continue;
    }
    const ExprValue &b = values[e.operands[1]];
    if (b.error != Error::None)
      values[i] = b;
    else if (e.op == ExprOp::And || e.op == ExprOp::Or)
      values[i].value = b.value != 0;
    else
      values[i] = binary(e.op, a.value, b.value, id);
  }
  return values;
}

Result<ResolvedPlan> resolve(const Kernel &kernel, const Plan &plan,
                             const PlanInput &input) {
  Values values(kernel, plan, input);
  if (Status s = values.runChecks(); !s.ok())
    return s;
  std::string wants;
  for (uint32_t i = 0; i < plan.variants.size(); ++i) {
    const Variant &v = plan.variants[i];
    int64_t guard = 0;
    if (Status s = values.get(v.guard, "guard of variant '" + v.name + "'",
                              INT64_MIN, INT64_MAX, guard);
        !s.ok())
      return s.withPrefix("kernel '" + kernel.name + "': ");
    if (guard != 0)
      return values.resolveVariant(i);
    wants += "\n  variant '" + v.name + "' wants " +
             formatExpr(kernel, plan, v.guard) +
             (v.facts.empty() ? "" : " (" + v.facts + ")");
  }
  return Status::unsupported("kernel '" + kernel.name +
                             "': no variant applies to " +
                             shapeText(kernel, input) + wants);
}

Result<ResolvedPlan> resolveVariant(const Kernel &kernel, const Plan &plan,
                                    const PlanInput &input, uint32_t variant) {
  if (variant >= plan.variants.size())
    return Status::invalidInput("kernel '" + kernel.name + "' has " +
                                std::to_string(plan.variants.size()) +
                                " variants, asked for number " +
                                std::to_string(variant));
  Values values(kernel, plan, input);
  if (Status s = values.runChecks(); !s.ok())
    return s;
  const Variant &v = plan.variants[variant];
  int64_t guard = 0;
  if (Status s = values.get(v.guard, "guard of variant '" + v.name + "'",
                            INT64_MIN, INT64_MAX, guard);
      !s.ok())
    return s.withPrefix("kernel '" + kernel.name + "': ");
  if (guard == 0)
    return Status::unsupported(
        "kernel '" + kernel.name + "': variant '" + v.name + "' wants " +
        formatExpr(kernel, plan, v.guard) + ", which does not hold for " +
        shapeText(kernel, input));
  return values.resolveVariant(variant);
}

Result<std::vector<std::vector<int64_t>>>
inferResultExtents(const Kernel &kernel, const Plan &plan,
                   const PlanInput &input) {
  if (plan.resultExtents.empty())
    return Status::unsupported("kernel '" + kernel.name +
                               "': the plan does not say its results' extents");
  PlanInput inputsOnly = input;
  inputsOnly.arguments.resize(kernel.arguments.size());
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].isResult) {
      inputsOnly.arguments[i].extents.clear();
      inputsOnly.arguments[i].strides.clear();
    }
  Values values(kernel, plan, inputsOnly);
  std::vector<std::vector<int64_t>> shapes;
  for (const std::vector<ExprId> &dims : plan.resultExtents) {
    shapes.emplace_back();
    for (ExprId e : dims) {
      int64_t v = 0;
      if (Status s = values.get(e, "result extent", 0, INT64_MAX, v); !s.ok())
        return s.withPrefix("kernel '" + kernel.name + "': ");
      shapes.back().push_back(v);
    }
  }
  return shapes;
}

} // namespace helios::bundle
