// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The walk over a kernel: dispatch, loops, branches, barriers.

#include "InlinePtx.h"
#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

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

LogicalResult KernelLowering::notLowered(Operation *op) {
  return op->emitOpError("is not lowered to PTX yet; choose a schedule whose "
                         "kernels do without it");
}

LogicalResult KernelLowering::lowerOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::ViewOp, frag::SharedOp>(
          [](auto) { return success(); }) // Read where they are used.
      .Case([&](frag::IdOp id) -> LogicalResult {
        setScalar(id, workgroupId(id.getKind()));
        return success();
      })
      .Case([&](frag::BarrierOp barrier) { return lowerBarrier(barrier); })
      .Case([&](frag::AwaitDependenciesOp await) {
        awaitDependencies(await);
        return success();
      })
      .Case([&](frag::ReleaseDependentsOp) {
        NVVM::GriddepcontrolOp::create(
            b, NVVM::GridDepActionKind::launch_dependents);
        return success();
      })
      .Case([&](frag::TurnOp turn) {
        lowerTurn(turn.getTurn());
        return success();
      })
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
      .Case([&](frag::AcquireOp acquire) { return lowerAcquire(acquire); })
      .Case([&](frag::SlotMemOp mem) { return lowerSlotMem(mem); })
      .Case([&](frag::ReleaseOp release) { return lowerRelease(release); })
      .Case([&](frag::CopyInOp copy) { return lowerCopyIn(copy); })
      .Case([&](frag::CopyOutOp copy) { return lowerCopyOut(copy); })
      .Case([&](frag::SlotGetOp get) { return lowerSlotGet(get); })
      .Case([&](frag::SlotPutOp put) { return lowerSlotPut(put); })
      .Case([&](frag::MmaStartOp start) { return lowerMmaStart(start); })
      .Case([&](frag::AwaitOp await) { return lowerAwait(await); })
      .Case([&](frag::RoleOp role) { return lowerRoles(role); })
      .Case([&](scf::ForOp loop) { return lowerFor(loop); })
      .Case([&](scf::IfOp branch) { return lowerIf(branch); })
      .Default([&](Operation *other) -> LogicalResult {
        if (isa<arith::ArithDialect, math::MathDialect>(other->getDialect()))
          return lowerScalar(other);
        return notLowered(other);
      });
}

/// The assembler moves the wait to the front of its block, and all that it need
/// not precede then comes late. So it depends on coordinates, none of which has
/// bit 31, that are made before and used behind it.
void KernelLowering::awaitDependencies(frag::AwaitDependenciesOp op) {
  Value coordinates;
  for (Operation &other :
       llvm::make_range(op->getBlock()->begin(), Block::iterator(op)))
    for (Value result : other.getResults()) {
      if (!result.getType().isIndex() || getConstantIntValue(result))
        continue;
      tile::IndexRange range = tile::knownRange(result);
      bool isUsed = llvm::any_of(result.getUsers(), [&](Operation *user) {
        Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
        return here && op->isBeforeInBlock(here);
      });
      if (!isUsed || range.low < 0 || range.high > INT32_MAX)
        continue;
      Value low = toI32(scalar(result));
      coordinates =
          coordinates ? b.createOrFold<arith::OrIOp>(coordinates, low) : low;
    }
  if (!coordinates) {
    NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::wait);
    return;
  }
  inlinePtx(b,
            "{ .reg .pred p; setp.ne.b32 p, $0, -1; @p griddepcontrol.wait; }",
            {}, {}, {coordinates});
}

LogicalResult KernelLowering::lowerBarrier(frag::BarrierOp op) {
  switch (op.getScope()) {
  case frag::Scope::Subgroup:
    NVVM::SyncWarpOp::create(b, i32(-1));
    return success();
  case frag::Scope::Replica:
    if (op.getProxy())
      fenceForEngines();
    groupBarrier();
    return success();
  case frag::Scope::Workgroup:
    if (op.getProxy())
      fenceForEngines();
    NVVM::BarrierOp::create(b, TypeRange(), Value(), Value(),
                            NVVM::BarrierReductionAttr(), Value());
    return success();
  default:
    return notLowered(op);
  }
}

/// Appends the parts of a value in the wanted form.
static void append(SmallVectorImpl<Value> &to, const LaneValue &value) {
  llvm::append_range(to, value.parts);
}

namespace {
/// How a loop or branch carries its values: the form of each and the number of
/// its parts.
struct Carried {
  SmallVector<std::pair<Form, int64_t>> forms;
  SmallVector<size_t> counts;
};
} // namespace

/// Whether a loop of a role can count in a word: two instructions a trip less.
/// Roles give the copy engine coordinates; loops that compute addresses of
/// their own count in the addresses' width.
static bool countsInWord(scf::ForOp op) {
  if (!op->getParentOfType<frag::RoleOp>())
    return false;
  tile::IndexRange first = tile::knownRange(op.getLowerBound()),
                   end = tile::knownRange(op.getUpperBound()),
                   step = tile::knownRange(op.getStep());
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  return first.low >= 0 && first.high <= most && end.low >= 0 &&
         end.high <= most && step.high <= most - end.high;
}

LogicalResult KernelLowering::lowerFor(scf::ForOp op) {
  SmallVector<Value> inits;
  Carried carried;
  for (auto [init, arg] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs())) {
    carried.forms.push_back(carriedForm(init, arg));
    auto [form, depth] = carried.forms.back();
    LaneValue parts = as(init, form, depth);
    carried.counts.push_back(parts.parts.size());
    append(inits, parts);
  }
  SmallVector<Value> bounds;
  bool inWord = countsInWord(op);
  for (Value bound : op.getOperands().take_front(3))
    bounds.push_back(inWord ? toI32(scalar(bound)) : scalar(bound));
  auto loop = scf::ForOp::create(b, bounds[0], bounds[1], bounds[2], inits);
  if (loop.getNumRegionIterArgs() == 0)
    loop.getBody()->getTerminator()->erase();
  auto distribute = [&](ValueRange from, ValueRange parts) {
    size_t next = 0;
    for (auto [i, value] : llvm::enumerate(from)) {
      auto [form, depth] = carried.forms[i];
      set(value, form, SmallVector<Value>(parts.slice(next, carried.counts[i])),
          depth);
      next += carried.counts[i];
    }
  };
  distribute(op.getRegionIterArgs(), loop.getRegionIterArgs());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  setScalar(op.getInductionVar(),
            inWord ? toI64(loop.getInductionVar()) : loop.getInductionVar());
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  SmallVector<Value> yields;
  for (auto [i, value] : llvm::enumerate(op.getYieldedValues())) {
    auto [form, depth] = carried.forms[i];
    append(yields, as(value, form, depth));
  }
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
  // Only now is known in which form each side has its values.
  auto yielded = [&](Region &region) {
    return region.front().getTerminator()->getOperands();
  };
  Carried carried;
  for (auto [x, y] :
       llvm::zip(yielded(op.getThenRegion()), yielded(op.getElseRegion()))) {
    const LaneValue &first = values[x], &second = values[y];
    bool prefersSecond =
        second.form == Form::Words || second.form == Form::Cursor;
    carried.forms.push_back(prefersSecond ? std::pair(second.form, second.depth)
                                          : std::pair(first.form, first.depth));
  }
  SmallVector<Type> types;
  auto yieldAll = [&](Region &from, Block *to) {
    b.setInsertionPointToEnd(to);
    SmallVector<Value> parts;
    carried.counts.clear();
    for (auto [i, value] : llvm::enumerate(yielded(from))) {
      auto [form, depth] = carried.forms[i];
      LaneValue lane = as(value, form, depth);
      carried.counts.push_back(lane.parts.size());
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
    auto [form, depth] = carried.forms[i];
    set(result, form,
        SmallVector<Value>(typed.getResults().slice(next, carried.counts[i])),
        depth);
    next += carried.counts[i];
  }
  return success();
}
