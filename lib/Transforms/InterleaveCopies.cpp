// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-interleave-copies: what a trip copies for a later one goes behind its
// first product.

#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_FRAGINTERLEAVECOPIES
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::frag;

namespace {

/// Whether two pieces of shared memory may have bytes in common.
bool mayOverlap(Value a, Value b) {
  auto first = a.getDefiningOp<SharedOp>(),
       second = b.getDefiningOp<SharedOp>();
  if (!first || !second || first.getReplicaStride() ||
      second.getReplicaStride() || !isa<MemType>(a.getType()) ||
      !isa<MemType>(b.getType()))
    return true;
  auto end = [](SharedOp op) {
    return int64_t(op.getOffset()) +
           cast<MemType>(op.getResult().getType()).getBytes();
  };
  return int64_t(first.getOffset()) < end(second) &&
         int64_t(second.getOffset()) < end(first);
}

/// A copy between global and shared memory by lanes: half of it.
bool isCopy(Operation *op) {
  if (auto write = dyn_cast<WriteOp>(op))
    return isa<MemType>(write.getDest().getType());
  auto read = dyn_cast<ReadOp>(op);
  return read && isa<tile::ViewType>(read.getSource().getType()) &&
         read.getType().getLayout().hasCoordinates();
}

/// Whether a copy may change places with an op behind it.
bool mayPass(Operation *copy, Operation *other) {
  if (llvm::is_contained(other->getOperands(), copy->getNumResults()
                                                   ? copy->getResult(0)
                                                   : Value()) ||
      other->getNumRegions() > 0)
    return false;
  if (isa<MmaOp>(other) || isMemoryEffectFree(other))
    return true;
  bool writes = isa<WriteOp>(copy);
  if (auto read = dyn_cast<ReadOp>(other))
    return !writes || isa<tile::ViewType>(read.getSource().getType()) ||
           !mayOverlap(cast<WriteOp>(copy).getDest(), read.getSource());
  if (auto write = dyn_cast<WriteOp>(other))
    return isa<MemType>(write.getDest().getType()) &&
           (!writes ||
            !mayOverlap(cast<WriteOp>(copy).getDest(), write.getDest()));
  return false;
}

/// The first product behind an op, if the op may go behind it.
Operation *productBehind(Operation *copy) {
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
    if (!mayPass(copy, op))
      return nullptr;
    if (isa<MmaOp>(op))
      return op;
  }
  return nullptr;
}

struct InterleaveCopies
    : helios::impl::FragInterleaveCopiesBase<InterleaveCopies> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      if (loop.getBody()->getOps<MmaOp>().empty())
        return;
      SmallVector<Operation *> copies;
      for (Operation &op : *loop.getBody())
        if (isCopy(&op))
          copies.push_back(&op);
      // The last first, so that they stay in order.
      for (Operation *copy : llvm::reverse(copies))
        if (Operation *product = productBehind(copy))
          copy->moveAfter(product);
    });
  }
};

} // namespace
