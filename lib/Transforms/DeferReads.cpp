// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-defer-reads: a slot is waited for where what is in it is first used,
// behind the copies that are issued before that.

#include "helios/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace helios {
#define GEN_PASS_DEF_TILEDEFERREADS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;

namespace {

/// The reading side of one slot of a ring: enter, loads into registers, exit.
struct Reading {
  llvm::SetVector<Operation *> ops;

  /// The reading that an enter begins, if that is all that becomes of its slot.
  static std::optional<Reading> of(tile::EnterOp enter) {
    auto copy = dyn_cast_or_null<tile::CopyAttrInterface>(
        enter.getRing().getType().getCopy());
    // Other copies are waited for by their own barrier.
    if (enter.getAccess() != tile::Access::Read || !copy ||
        copy.getCompletion() != tile::Completion::Group ||
        !enter.getNext().use_empty())
      return std::nullopt;
    Reading reading;
    reading.ops.insert(enter);
    auto add = [&](Value value, auto accepts) {
      return llvm::all_of(value.getUsers(), [&](Operation *user) {
        reading.ops.insert(user);
        return user->getBlock() == enter->getBlock() && accepts(user);
      });
    };
    for (Value payload : enter.getPayload())
      if (!add(payload, [](Operation *user) {
            return isa<tile::ConvertLayoutOp>(user);
          }))
        return std::nullopt;
    // Slots that nobody reads hold no one up.
    if (reading.ops.size() == 1 || !add(enter.getSlot(), [](Operation *user) {
          return isa<tile::ExitOp>(user);
        }))
      return std::nullopt;
    return reading;
  }

  /// The first op of the block that uses what has been read, or the ring again.
  Operation *firstUser(tile::EnterOp enter) const {
    Block *block = enter->getBlock();
    Operation *first = block->getTerminator();
    auto look = [&](Value value) {
      for (Operation *user : value.getUsers()) {
        Operation *at = block->findAncestorOpInBlock(*user);
        if (at && !ops.contains(at) && enter->isBeforeInBlock(at) &&
            at->isBeforeInBlock(first))
          first = at;
      }
    };
    look(enter.getRing());
    for (Operation *op : ops)
      if (isa<tile::ConvertLayoutOp>(op))
        look(op->getResult(0));
    return first;
  }
};

struct DeferReads : helios::impl::TileDeferReadsBase<DeferReads> {
  void runOnOperation() override {
    SmallVector<tile::EnterOp> enters;
    getOperation().walk([&](tile::EnterOp enter) { enters.push_back(enter); });
    for (tile::EnterOp enter : enters) {
      std::optional<Reading> reading = Reading::of(enter);
      if (!reading)
        continue;
      Operation *before = reading->firstUser(enter);
      SmallVector<Operation *> inOrder(reading->ops.begin(),
                                       reading->ops.end());
      llvm::sort(inOrder, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      for (Operation *op : inOrder)
        op->moveBefore(before);
    }
  }
};

} // namespace
