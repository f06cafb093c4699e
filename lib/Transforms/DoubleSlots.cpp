// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-double-slots: while lanes keep a tile in shared memory for all of a
// loop, the next item's comes into a second slot.

#include "helios/Dialect/Tile/Utils/RingBytes.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_TILEDOUBLESLOTS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// Whether a role's lanes read elements of memory that say what an item visits.
/// They hold these in registers, and have none left for which slot is theirs:
/// with a second one documents of 64 columns took 4 % longer (docs/benchmarks).
bool readsElements(EnterOp enter) {
  return enter->getParentOfType<RoleOp>()
      ->walk([](ElementOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether each of several items keeps a slot while a loop runs.
bool isKeptInLoop(EnterOp enter) {
  if (!enter->getParentOfType<scf::ForOp>())
    return false;
  for (Operation *user : enter.getSlot().getUsers())
    if (isa<ExitOp>(user) && user->getBlock() == enter->getBlock())
      for (Operation *op = enter; op != user; op = op->getNextNode())
        if (isa<scf::ForOp>(op))
          return true;
  return false;
}

struct DoubleSlots : helios::impl::TileDoubleSlotsBase<DoubleSlots> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    TargetAttrInterface target = program.getTargetRow();
    if (!target)
      return;
    int64_t room = bytesBesideRings(program, target);
    program.walk([&](RolesOp roles) {
      for (auto [argument, capture] :
           llvm::zip(roles.getBody().getArguments(), roles.getCaptures())) {
        auto ring = dyn_cast<RingType>(argument.getType());
        if (!ring || ring.getKind() != RingKind::Load || ring.getDepth() != 1)
          continue;
        int64_t bytes = bytesOfSlot(ring) + kBarrierBytes;
        bool gains = llvm::any_of(argument.getUsers(), [](Operation *user) {
          auto enter = dyn_cast<EnterOp>(user);
          return enter && enter.getAccess() == Access::Read &&
                 isKeptInLoop(enter) && !readsElements(enter);
        });
        if (!gains || bytes > room)
          continue;
        room -= bytes;
        auto doubled = RingType::get(ring.getContext(), 2, ring.getPayload(),
                                     ring.getKind(), ring.getCopy(),
                                     ring.getReaders(), ring.getScope(),
                                     ring.getCluster(), ring.getMulticast());
        argument.setType(doubled);
        capture.setType(doubled);
      }
    });
  }
};

} // namespace
