//===- ValidateSemantics.cpp - Checks of a kernel's meaning -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "ValidateImpl.h"

#include <algorithm>
#include <cmath>

namespace helios::bundle {

namespace {

Status bad(const std::string &message) { return Status::invalidInput(message); }

/// What the leaves of a region may be.
struct RegionRules {
  bool hasAccumulator;
  uint32_t rank; ///< of the coordinates
};

Status validateRegion(const Kernel &kernel, const Step &step,
                      const Region &region, const RegionRules &rules) {
  if (region.ops.empty() || region.ops.size() > limits::regionOps)
    return bad("region has " + std::to_string(region.ops.size()) +
               " operations, expected 1 to " +
               std::to_string(limits::regionOps));
  for (size_t i = 0; i < region.ops.size(); ++i) {
    const ScalarOp &op = region.ops[i];
    std::string where = "region operation " + std::to_string(i) + " (";
    if (static_cast<uint8_t>(op.kind) >= kNumScalarOps ||
        static_cast<uint8_t>(op.type) >= kNumElementTypes)
      return bad("region operation " + std::to_string(i) +
                 " has an unknown kind or type");
    where += std::string(scalarOpName(op.kind)) + "): ";
    for (unsigned o = 0; o < scalarOpArity(op.kind); ++o)
      if (op.operands[o] >= i)
        return bad(where + "operand " + std::to_string(o) + " is operation " +
                   std::to_string(op.operands[o]) +
                   ", expected an earlier one");
    switch (op.kind) {
    case ScalarOpKind::Accumulator:
      if (!rules.hasAccumulator)
        return bad(where + "this region has no accumulator");
      if (op.type != step.accumulator)
        return bad(where + "type " + elementTypeName(op.type) +
                   ", but the accumulator is " +
                   elementTypeName(step.accumulator));
      break;
    case ScalarOpKind::Fused:
      if (op.index >= step.fused.size())
        return bad(where + "operand " + std::to_string(op.index) + " of " +
                   std::to_string(step.fused.size()));
      break;
    case ScalarOpKind::Index:
      if (op.index >= rules.rank)
        return bad(where + "dimension " + std::to_string(op.index) +
                   " of a result of rank " + std::to_string(rules.rank));
      break;
    case ScalarOpKind::ScalarArg:
      if (op.index >= kernel.arguments.size() ||
          kernel.arguments[op.index].kind != ArgumentKind::Scalar)
        return bad(where + "argument " + std::to_string(op.index) +
                   " is no scalar of the kernel");
      break;
    case ScalarOpKind::Extent:
      if (op.index >= kernel.arguments.size() ||
          kernel.arguments[op.index].kind != ArgumentKind::Tensor ||
          op.intImm < 0 ||
          op.intImm >= int64_t(kernel.arguments[op.index].rank()) ||
          op.type != ElementType::I64)
        return bad(where + "argument " + std::to_string(op.index) +
                   " has no dimension " + std::to_string(op.intImm) +
                   ", or the type is not i64");
      break;
    case ScalarOpKind::Cmp:
      if (op.index >= kNumCmpPredicates)
        return bad(where + "unknown predicate " + std::to_string(op.index));
      break;
    case ScalarOpKind::Tanh:
      if (op.index > 1)
        return bad(where + "precision " + std::to_string(op.index) +
                   " of a hyperbolic tangent, expected 0 (in full) or 1 "
                   "(a device's approximation)");
      break;
    default:
      break;
    }
  }
  if (region.result >= region.ops.size())
    return bad("region result " + std::to_string(region.result) + " of " +
               std::to_string(region.ops.size()) + " operations");
  return Status::success();
}

/// Ranks, types and regions of an attention.
Status validateAttention(const Kernel &kernel, const Semantics &s,
                         const Step &step, const std::vector<bool> &defined) {
  const AttentionPart &a = step.attention;
  for (uint32_t slot : {step.a, step.b, a.value})
    if (slot >= s.slots.size() || !defined[slot] || s.slots[slot].rank != 4)
      return bad("operand slot " + std::to_string(slot) +
                 " of an attention is not defined, or not of rank 4");
  for (uint32_t slot : {step.a, step.b, a.value, step.dest})
    if (!isFloat(s.slots[slot].type))
      return bad("slot " + std::to_string(slot) +
                 " of an attention holds no floats");
  if (s.slots[step.dest].rank != 4)
    return bad("the result of an attention has rank " +
               std::to_string(s.slots[step.dest].rank) + ", expected 4");
  if (!isFloat(step.accumulator))
    return bad("the accumulator of an attention must be a float");
  if (a.scale && !std::isfinite(*a.scale))
    return bad("the scale of an attention must be finite");
  if (a.lse) {
    const uint32_t slot = *a.lse;
    if (slot >= s.slots.size() || defined[slot] || slot == step.dest ||
        (slot < kernel.arguments.size() && !kernel.arguments[slot].isResult))
      return bad("lse slot " + std::to_string(slot) +
                 " does not exist, is an input or was written before");
    if (s.slots[slot].rank != 3 || s.slots[slot].type != ElementType::F32)
      return bad("lse slot " + std::to_string(slot) +
                 " must hold f32 of rank 3");
  }
  struct Part {
    const Region &region;
    bool isScore;
    ElementType yields;
  };
  for (const Part &part : {Part{step.region, true, step.accumulator},
                           Part{a.mask, false, ElementType::I1}}) {
    const char *name = part.isScore ? "score: " : "mask: ";
    if (part.region.ops.empty())
      continue;
    if (Status r = validateRegion(kernel, step, part.region, {part.isScore, 4});
        !r.ok())
      return r.withPrefix(name);
    if (part.region.ops[part.region.result].type != part.yields)
      return bad(std::string(name) + "the region yields " +
                 elementTypeName(part.region.ops[part.region.result].type) +
                 ", expected " + elementTypeName(part.yields));
  }
  return Status::success();
}

/// A reduction lacks a dimension of what it combines, floats of one type.
Status validateReduction(const Semantics &s, const Step &step,
                         const std::vector<bool> &defined) {
  if (step.a >= s.slots.size() || !defined[step.a])
    return bad("slot " + std::to_string(step.a) +
               " of a reduction is not defined");
  const Slot &from = s.slots[step.a], &to = s.slots[step.dest];
  if (step.reduction.dim >= from.rank || to.rank + 1 != from.rank)
    return bad("a reduction along dimension " +
               std::to_string(step.reduction.dim) + " of rank " +
               std::to_string(from.rank) + " gives no result of rank " +
               std::to_string(to.rank));
  if (!isFloat(from.type) || from.type != to.type)
    return bad("a reduction must combine floats and keep their type");
  return Status::success();
}

/// A view keeps the type and every dimension, in order.
Status validateView(const Semantics &s, const Step &step,
                    const std::vector<bool> &defined) {
  if (step.a >= s.slots.size() || !defined[step.a])
    return bad("slot " + std::to_string(step.a) + " of a view is not defined");
  const Slot &from = s.slots[step.a], &to = s.slots[step.dest];
  uint32_t next = 0;
  for (uint32_t d : step.dims)
    if (d != Step::kUnit && d != next++)
      return bad("a view must keep the order of dimensions");
  if (step.dims.size() != to.rank || next != from.rank || from.type != to.type)
    return bad("a view must keep the type and all dimensions");
  return Status::success();
}

} // namespace

Status validateSemantics(const Kernel &kernel, const Semantics &s) {
  if (s.slots.size() < kernel.arguments.size() ||
      s.slots.size() > limits::slots)
    return bad("semantics: " + std::to_string(s.slots.size()) + " slots for " +
               std::to_string(kernel.arguments.size()) +
               " arguments (at most " + std::to_string(limits::slots) + ")");
  if (s.steps.size() > limits::steps)
    return bad("semantics: " + std::to_string(s.steps.size()) +
               " steps, at most " + std::to_string(limits::steps));
  std::vector<bool> defined(s.slots.size(), false);
  for (size_t i = 0; i < s.slots.size(); ++i) {
    if (static_cast<uint8_t>(s.slots[i].type) >= kNumElementTypes ||
        s.slots[i].rank > limits::rank)
      return bad("semantics: slot " + std::to_string(i) +
                 " has an unknown type or too large a rank");
    if (i >= kernel.arguments.size())
      continue;
    const Argument &a = kernel.arguments[i];
    if (a.kind != ArgumentKind::Tensor)
      continue;
    // A packed argument's slot is what was packed; see validatePacking.
    if (a.packedBy.empty() &&
        (s.slots[i].type != a.type || s.slots[i].rank != a.rank()))
      return bad("semantics: slot " + std::to_string(i) +
                 " differs in type or rank from argument '" + a.name + "'");
    defined[i] = !a.isResult;
  }
  for (size_t i = 0; i < s.steps.size(); ++i) {
    const Step &step = s.steps[i];
    std::string where = "semantics: step " + std::to_string(i) + ": ";
    auto usable = [&](uint32_t slot) {
      return slot < s.slots.size() && defined[slot];
    };
    if (step.dest >= s.slots.size() || defined[step.dest] ||
        (step.dest < kernel.arguments.size() &&
         !kernel.arguments[step.dest].isResult))
      return bad(where + "result slot " + std::to_string(step.dest) +
                 " does not exist, is an input or was written before");
    if (static_cast<uint8_t>(step.accumulator) >= kNumElementTypes)
      return bad(where + "unknown accumulator type");
    if (step.fused.size() > limits::arguments)
      return bad(where + "too many fused operands");
    const bool isAttention = step.kind == StepKind::Attention;
    uint32_t destRank = s.slots[step.dest].rank;
    const bool isGrouped = step.kind == StepKind::Matmul && step.ends;
    for (uint32_t f : step.fused)
      if (!usable(f) || s.slots[f].rank > destRank + isGrouped)
        return bad(where + "fused slot " + std::to_string(f) +
                   " is not defined, or its rank is larger than the result's");
    if (step.kind == StepKind::Matmul) {
      if (!usable(step.a) || !usable(step.b))
        return bad(where + "operand slots " + std::to_string(step.a) + ", " +
                   std::to_string(step.b) + " are not both defined");
      uint32_t ra = s.slots[step.a].rank, rb = s.slots[step.b].rank;
      if (isGrouped && (!usable(*step.ends) || s.slots[*step.ends].rank != 1 ||
                        s.slots[*step.ends].type != ElementType::I32 ||
                        ra != 2 || rb != 3 || destRank != 2 || step.transposeA))
        return bad(where + "slot " + std::to_string(*step.ends) +
                   " with the ends of groups is not defined or no vector of "
                   "i32, or the operands have no rows in groups");
      if (!isGrouped && (ra < 2 || rb < 2 || destRank != (ra > rb ? ra : rb)))
        return bad(where + "ranks " + std::to_string(ra) + " and " +
                   std::to_string(rb) + " give no result of rank " +
                   std::to_string(destRank));
    }
    if (step.kind == StepKind::View) {
      if (Status r = validateView(s, step, defined); !r.ok())
        return r.withPrefix(where);
      defined[step.dest] = true;
      continue;
    }
    if (step.kind == StepKind::Reduce) {
      if (Status r = validateReduction(s, step, defined); !r.ok())
        return r.withPrefix(where);
      defined[step.dest] = true;
      continue;
    }
    if (isAttention) {
      if (Status r = validateAttention(kernel, s, step, defined); !r.ok())
        return r.withPrefix(where);
      defined[step.dest] = true;
      if (step.attention.lse)
        defined[*step.attention.lse] = true;
      continue;
    }
    for (const Step::Groups &groups : step.groups)
      if (groups.size < 2 || groups.dim >= destRank || groups.parts < 1 ||
          groups.size % groups.parts != 0 ||
          step.kind != StepKind::Elementwise || step.fused.empty() ||
          s.slots[step.fused[0]].rank != destRank)
        return bad(where + "groups of " + std::to_string(groups.size) + " in " +
                   std::to_string(groups.parts) + " parts along dimension " +
                   std::to_string(groups.dim) + " of a result of rank " +
                   std::to_string(destRank) +
                   " that its first operand does not have");
    auto isScaled = [&](uint32_t slot) {
      return std::any_of(s.steps.begin(), s.steps.begin() + i,
                         [&](const Step &other) {
                           return other.dest == slot && !other.fused.empty();
                         });
    };
    if (step.hasScales && (step.kind != StepKind::Matmul || !isScaled(step.a) ||
                           !isScaled(step.b)))
      return bad(where + "scales of a step that is no product of scaled "
                         "operands");
    if (Status r = validateRegion(kernel, step, step.region,
                                  {step.kind == StepKind::Matmul, destRank});
        !r.ok())
      return r.withPrefix(where);
    if (step.region.ops[step.region.result].type != s.slots[step.dest].type)
      return bad(where + "the region yields " +
                 elementTypeName(step.region.ops[step.region.result].type) +
                 ", the result holds " +
                 elementTypeName(s.slots[step.dest].type));
    defined[step.dest] = true;
  }
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].isResult && !defined[i])
      return bad("semantics: no step writes result '" +
                 kernel.arguments[i].name + "'");
  return Status::success();
}

} // namespace helios::bundle
