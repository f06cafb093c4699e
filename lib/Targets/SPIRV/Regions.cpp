// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The walk over a kernel: dispatch, loops, branches, barriers.

#include "KernelLowering.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue; // The owner of the region deals with it.
    b.setLoc(op.getLoc());
    if (failed(lowerOp(&op)))
      return failure();
  }
  return success();
}

LogicalResult KernelLowering::lowerOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::ViewOp, frag::SharedOp>(
          [](auto) { return success(); }) // Read where they are used.
      .Case([&](frag::IdOp id) -> LogicalResult {
        if (id.getKind() == frag::IdKind::ClusterRank)
          setScalar(id, constant(0)); // A cluster of more is rejected.
        else
          setScalar(id, workgroupId(id.getKind()));
        return success();
      })
      .Case([&](frag::BarrierOp barrier) { return lowerBarrier(barrier); })
      .Case([&](frag::ReadOp read) { return lowerRead(read); })
      .Case([&](frag::ElementOp element) { return lowerElement(element); })
      .Case([&](frag::WriteOp write) { return lowerWrite(write); })
      .Case([&](frag::SplatOp splat) { return lowerSplat(splat); })
      .Case([&](frag::IotaOp iota) { return lowerIota(iota); })
      .Case([&](frag::SliceOp slice) { return lowerSlice(slice); })
      .Case([&](frag::MapOp map) { return lowerMap(map); })
      .Case([&](frag::ReduceOp reduce) { return lowerReduce(reduce); })
      .Case([&](frag::PermuteOp permute) { return lowerPermute(permute); })
      .Case([&](frag::MmaOp mma) { return lowerMma(mma); })
      .Case([&](scf::ForOp loop) { return lowerFor(loop); })
      .Case([&](scf::IfOp branch) { return lowerIf(branch); })
      .Default([&](Operation *other) -> LogicalResult {
        if (isa<arith::ArithDialect, math::MathDialect>(other->getDialect()))
          return lowerScalar(other);
        return other->emitOpError("is not lowered to SPIR-V yet; choose a "
                                  "schedule whose kernels do without it");
      });
}

/// A barrier orders accesses of shared memory. The Vulkan memory model asks to
/// say so for both directions.
spirv::MemorySemantics KernelLowering::barrierSemantics() {
  auto semantics = spirv::MemorySemantics::AcquireRelease |
                   spirv::MemorySemantics::WorkgroupMemory;
  return usesMatrices() ? semantics | spirv::MemorySemantics::MakeAvailable |
                              spirv::MemorySemantics::MakeVisible
                        : semantics;
}

LogicalResult KernelLowering::lowerBarrier(frag::BarrierOp op) {
  // Scope replica covers lanes of a role, which this target has none of.
  if (op.getScope() == frag::Scope::Replica)
    return op.emitOpError(
        "of scope replica is not lowered to SPIR-V yet; use workgroup");
  // Without matrices no subgroup operation is used, so a wider barrier stands
  // for a subgroup's.
  auto scope = op.getScope() == frag::Scope::Subgroup && usesMatrices()
                   ? spirv::Scope::Subgroup
                   : spirv::Scope::Workgroup;
  spirv::ControlBarrierOp::create(b, scope, scope, barrierSemantics());
  return success();
}

/// Appends all that a value consists of.
static void append(SmallVectorImpl<Value> &to, const LaneValue &value) {
  llvm::append_range(to, value.parts);
  llvm::append_range(to, value.guards);
}

LogicalResult KernelLowering::lowerFor(scf::ForOp op) {
  SmallVector<Value> inits;
  SmallVector<LaneValue::Form> forms;
  SmallVector<size_t> counts;
  SmallVector<bool> guarded;
  for (auto [init, arg] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs())) {
    forms.push_back(loopForm(init, arg));
    guarded.push_back(forms.back() == LaneValue::Form::Packets &&
                      !values[init].guards.empty());
    LaneValue parts = carried(init, forms.back(), guarded.back());
    counts.push_back(parts.parts.size());
    append(inits, parts);
  }
  auto loop = scf::ForOp::create(b, scalar(op.getLowerBound()),
                                 scalar(op.getUpperBound()),
                                 scalar(op.getStep()), inits);
  if (Attribute unroll = op->getAttr(helios::tile::TileDialect::kUnrollAttr))
    loop->setAttr(helios::tile::TileDialect::kUnrollAttr, unroll);
  if (loop.getNumRegionIterArgs() == 0)
    loop.getBody()->getTerminator()->erase();
  setScalar(op.getInductionVar(), loop.getInductionVar());
  auto distribute = [&](ValueRange from, ValueRange parts) {
    size_t next = 0;
    for (auto [i, value] : llvm::enumerate(from)) {
      set(value, forms[i], SmallVector<Value>(parts.slice(next, counts[i])));
      next += counts[i];
      if (!guarded[i])
        continue;
      values[value].guards = SmallVector<Value>(parts.slice(next, counts[i]));
      next += counts[i];
    }
  };
  distribute(op.getRegionIterArgs(), loop.getRegionIterArgs());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  SmallVector<Value> yields;
  for (auto [i, value] : llvm::enumerate(op.getYieldedValues()))
    append(yields, carried(value, forms[i], guarded[i]));
  scf::YieldOp::create(b, op.getLoc(), yields);
  distribute(op.getResults(), loop.getResults());
  return success();
}

LogicalResult KernelLowering::lowerIf(scf::IfOp op) {
  Value condition = scalar(op.getCondition());
  auto branch =
      scf::IfOp::create(b, TypeRange(), condition, /*addThenBlock=*/true,
                        /*addElseBlock=*/!op.getElseRegion().empty());
  OpBuilder::InsertionGuard guard(b);
  auto lowerRegion = [&](Region &from, Block *to) {
    if (!to->empty())
      to->back().erase();
    b.setInsertionPointToEnd(to);
    return lowerBlock(from.front());
  };
  if (failed(lowerRegion(op.getThenRegion(), branch.thenBlock())) ||
      (!op.getElseRegion().empty() &&
       failed(lowerRegion(op.getElseRegion(), branch.elseBlock()))))
    return failure();
  if (op.getNumResults() == 0) {
    b.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(b);
    if (branch.elseBlock()) {
      b.setInsertionPointToEnd(branch.elseBlock());
      scf::YieldOp::create(b);
    }
    return success();
  }
  // Only now is known in which form each side has its values: packets where
  // either has.
  auto yielded = [&](Block &block) {
    return block.getTerminator()->getOperands();
  };
  SmallVector<LaneValue::Form> forms;
  SmallVector<bool> guarded;
  for (auto [a, c] : llvm::zip(yielded(op.getThenRegion().front()),
                               yielded(op.getElseRegion().front()))) {
    LaneValue::Form form = values[a].form;
    forms.push_back(values[c].form == LaneValue::Form::Packets
                        ? LaneValue::Form::Packets
                        : form);
    guarded.push_back(!values[a].guards.empty() || !values[c].guards.empty());
  }
  SmallVector<Type> types;
  SmallVector<size_t> counts;
  auto yieldAll = [&](Region &from, Block *to) {
    b.setInsertionPointToEnd(to);
    SmallVector<Value> parts;
    counts.clear();
    for (auto [i, value] : llvm::enumerate(yielded(from.front()))) {
      LaneValue lane = carried(value, forms[i], guarded[i]);
      counts.push_back(lane.parts.size());
      append(parts, lane);
    }
    scf::YieldOp::create(b, op.getLoc(), parts);
    types.assign(TypeRange(parts).begin(), TypeRange(parts).end());
  };
  yieldAll(op.getThenRegion(), branch.thenBlock());
  yieldAll(op.getElseRegion(), branch.elseBlock());
  b.setInsertionPoint(branch);
  auto typed = scf::IfOp::create(b, types, condition, /*withElseRegion=*/true);
  typed.getThenRegion().takeBody(branch.getThenRegion());
  typed.getElseRegion().takeBody(branch.getElseRegion());
  branch.erase();
  size_t next = 0;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    set(result, forms[i],
        SmallVector<Value>(typed.getResults().slice(next, counts[i])));
    next += counts[i];
    if (!guarded[i])
      continue;
    values[result].guards =
        SmallVector<Value>(typed.getResults().slice(next, counts[i]));
    next += counts[i];
  }
  return success();
}
