// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-ring-stores: replicas store through rings that an engine empties.

#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "helios/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace helios {
#define GEN_PASS_DEF_TILERINGSTORES
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// Slots of a store ring: one is filled while another is copied out.
constexpr int64_t kDepth = 2;

/// The next slot of both sides of a ring.
struct Cursors {
  Value write, read;
};

int64_t bytesOf(RingType ring) {
  int64_t bytes = 0;
  for (Type type : ring.getPayload())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += getLayout(tensor).getBytes(tensor.getShape(),
                                          tensor.getElementType());
  return bytes * ring.getDepth();
}

class StoreRings {
public:
  StoreRings(RoleOp role, CopyAttrInterface engine, int64_t freeBytes)
      : role(role), engine(engine), freeBytes(freeBytes) {}

  void run() {
    // One ring for each type of slab; shared memory decides how many slots.
    SetVector<RankedTensorType> slabs;
    role.walk([&](StoreOp store) {
      if (RankedTensorType slab = slabOf(store))
        slabs.insert(slab);
    });
    for (size_t i = 0; i < slabs.size(); ++i) {
      int64_t others = 0;
      for (RankedTensorType slab : llvm::drop_begin(slabs, i + 1))
        others += bytesOf(ringOf(slab, 1)) * replicas();
      addRing(slabs[i], others);
    }
  }

private:
  /// The tile in shared memory through which a store can go, or null if the
  /// engine cannot write its view.
  RankedTensorType slabOf(StoreOp store) {
    RankedTensorType type = store.getTile().getType();
    ViewType view = store.getView().getType();
    LayoutAttrInterface layout = getLayout(type);
    int64_t lead = view.getRank() - type.getRank(),
            contiguous = view.getContiguousDim() - lead,
            bits = getStoredBits(view.getElementType()),
            granule = engine.getGranule() * 8;
    if (!layout || layout.isMemory() || !layout.hasCoordinates() ||
        contiguous < 0 || view.getGather() >= 0 ||
        (view.getAlign() * 8) % granule || view.getAlign() == 0)
      return {};
    // One that clips has been told of its views by the host, which does not
    // know what is made for an item.
    if (engine.getBoundsMode() == Bounds::Clip &&
        store.getView().getDefiningOp())
      return {};
    for (int64_t d = 0; d < view.getRank(); ++d)
      if (d - lead != contiguous &&
          view.getStrideDivisor(d) * bits % granule != 0)
        return {};
    Attribute shared = engine.getSharedLayout(
        type.getShape(), type.getElementType(), contiguous, /*mayFill=*/false);
    if (!shared)
      return {};
    return RankedTensorType::get(type.getShape(), type.getElementType(),
                                 shared);
  }

  int64_t replicas() { return role.getReplicas().value_or(1); }

  RingType ringOf(RankedTensorType slab, int64_t depth) {
    return RingType::get(role.getContext(), depth, {slab}, RingKind::Store,
                         engine, /*readers=*/1, RingScope::Replica,
                         /*cluster=*/1, /*multicast=*/false);
  }

  /// A second slot is taken where a slot of each other ring has room beside.
  void addRing(RankedTensorType slab, int64_t others) {
    MLIRContext *ctx = role.getContext();
    RingType type;
    for (int64_t depth = kDepth; depth >= 1; --depth) {
      type = ringOf(slab, depth);
      if (bytesOf(type) * replicas() + (depth > 1 ? others : 0) <= freeBytes)
        break;
      // Without room for a slot stores stay as they are.
      if (depth == 1)
        return;
    }
    freeBytes -= bytesOf(type) * replicas();
    IRRewriter rewriter(ctx);
    rewriter.setInsertionPointToStart(&role.getBody().front());
    auto op =
        RingOp::create(rewriter, role.getLoc(), type, CursorType::get(ctx));
    ring = op.getRing();
    current = slab;
    thread(rewriter, role.getBody().front(), {op.getCursor(), op.getCursor()});
  }

  bool storesThrough(Operation *op) {
    return op
        ->walk([&](StoreOp store) {
          return slabOf(store) == current ? WalkResult::interrupt()
                                          : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Moves the ring's cursors through a block; returns where they end.
  Cursors thread(IRRewriter &rewriter, Block &block, Cursors cursors) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!storesThrough(&op))
        continue;
      if (auto store = dyn_cast<StoreOp>(op))
        cursors = replace(rewriter, store, cursors);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        cursors = throughLoop(rewriter, loop, cursors);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        cursors = throughBranch(rewriter, branch, cursors);
    }
    return cursors;
  }

  Cursors throughLoop(IRRewriter &rewriter, scf::ForOp loop, Cursors cursors) {
    unsigned first = loop.getNumResults();
    rewriter.setInsertionPoint(loop);
    FailureOr<LoopLikeOpInterface> longer = loop.replaceWithAdditionalYields(
        rewriter, {cursors.write, cursors.read},
        /*replaceInitOperandUsesInLoop=*/false,
        [](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
          return SmallVector<Value>(args);
        });
    loop = cast<scf::ForOp>(longer->getOperation());
    Cursors end = thread(
        rewriter, *loop.getBody(),
        {loop.getRegionIterArg(first), loop.getRegionIterArg(first + 1)});
    Operation *yield = loop.getBody()->getTerminator();
    yield->setOperand(first, end.write);
    yield->setOperand(first + 1, end.read);
    return {loop.getResult(first), loop.getResult(first + 1)};
  }

  Cursors throughBranch(IRRewriter &rewriter, scf::IfOp branch,
                        Cursors cursors) {
    unsigned first = branch.getNumResults();
    SmallVector<Type> types(branch.getResultTypes());
    types.append(2, cursors.write.getType());
    rewriter.setInsertionPoint(branch);
    auto wider = scf::IfOp::create(rewriter, branch.getLoc(), types,
                                   branch.getCondition(),
                                   /*addThenBlock=*/false,
                                   /*addElseBlock=*/false);
    wider.getThenRegion().takeBody(branch.getThenRegion());
    wider.getElseRegion().takeBody(branch.getElseRegion());
    if (wider.getElseRegion().empty()) {
      rewriter.createBlock(&wider.getElseRegion());
      scf::YieldOp::create(rewriter, branch.getLoc());
    }
    for (Region *region : {&wider.getThenRegion(), &wider.getElseRegion()}) {
      Cursors end = thread(rewriter, region->front(), cursors);
      region->front().getTerminator()->insertOperands(first,
                                                      {end.write, end.read});
    }
    rewriter.replaceOp(branch, wider.getResults().take_front(first));
    return {wider.getResult(first), wider.getResult(first + 1)};
  }

  /// Registers into a slot, and the slot out to memory.
  Cursors replace(IRRewriter &rewriter, StoreOp store, Cursors cursors) {
    Location loc = store.getLoc();
    MLIRContext *ctx = rewriter.getContext();
    Type cursor = cursors.write.getType();
    rewriter.setInsertionPoint(store);
    auto slot = [&](Access access, Value at, TypeRange payload) {
      return EnterOp::create(rewriter, loc, SlotType::get(ctx, access), cursor,
                             payload, access, ring, at);
    };
    EnterOp full = slot(Access::Write, cursors.write, {});
    PutOp::create(rewriter, loc, store.getTile(), full.getSlot(), 0);
    ExitOp::create(rewriter, loc, full.getSlot(), ValueRange());
    EnterOp copied = slot(Access::Read, cursors.read, {current});
    auto copy = CopyOutOp::create(rewriter, loc, TokenType::get(ctx),
                                  copied.getPayload()[0], store.getView(),
                                  store.getOffsets(), ReduceKindAttr());
    ExitOp::create(rewriter, loc, copied.getSlot(),
                   ValueRange{copy.getToken()});
    rewriter.eraseOp(store);
    return {full.getNext(), copied.getNext()};
  }

  RoleOp role;
  CopyAttrInterface engine;
  int64_t freeBytes;
  Value ring;
  RankedTensorType current;
};

struct RingStores : helios::impl::TileRingStoresBase<RingStores> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    ConfigAttr config = program.getTuning();
    TargetAttrInterface target = program.getTargetRow();
    if (!config || !target)
      return;
    CopyAttrInterface engine =
        target.getCopy(stringifyStrategy(config.getStrategy()));
    if (!engine || !engine.canStore())
      return;
    // Barriers of rings take 16 bytes a slot.
    int64_t freeBytes = target.getSharedBytes();
    program.walk([&](RingOp op) {
      RingType ring = op.getRing().getType();
      freeBytes -= bytesOf(ring) + 16 * ring.getDepth();
    });
    SmallVector<RoleOp> roles;
    program.walk([&](RoleOp role) {
      if (role.getReplicas())
        roles.push_back(role);
    });
    for (RoleOp role : roles)
      StoreRings(role, engine, freeBytes).run();
  }
};

} // namespace
