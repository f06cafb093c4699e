// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-ring-stores: replicas store through rings that an engine empties, or
// their own lanes, along the rows.

#include "RingCursors.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "helios/Dialect/Tile/Utils/RingBytes.h"
#include "helios/Dialect/Tile/Utils/Select.h"
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

/// How a store goes through shared memory: the tile there, and what lanes read
/// of it where they write it to memory themselves, null where the engine does.
struct Way {
  RankedTensorType slab;
  RegsAttr lanes;

  explicit operator bool() const { return bool(slab); }
  bool operator==(const Way &other) const {
    return slab == other.slab && lanes == other.lanes;
  }
};

int64_t bytesOf(RingType ring) { return bytesOfSlot(ring) * ring.getDepth(); }

class StoreRings {
public:
  StoreRings(RoleOp role, CopyAttrInterface engine, int64_t vectorBytes,
             int64_t freeBytes)
      : role(role), engine(engine), vectorBytes(vectorBytes),
        freeBytes(freeBytes) {}

  void run() {
    // One ring for each type of slab; shared memory decides how many slots.
    SmallVector<Way> ways;
    role.walk([&](StoreOp store) {
      if (Way way = wayOf(store); way && !llvm::is_contained(ways, way))
        ways.push_back(way);
    });
    for (size_t i = 0; i < ways.size(); ++i) {
      int64_t others = 0;
      for (const Way &way : llvm::drop_begin(ways, i + 1))
        others += bytesOf(ringOf(way, 1)) * replicas();
      addRing(ways[i], others);
    }
  }

private:
  /// The way through shared memory of a store, null if there is none or none
  /// is wanted.
  Way wayOf(StoreOp store) {
    RankedTensorType type = store.getTile().getType();
    ViewType view = store.getView().getType();
    LayoutAttrInterface layout = getLayout(type);
    int64_t contiguous =
        view.getContiguousDim() - (view.getRank() - type.getRank());
    if (!layout || layout.isMemory() || !layout.hasCoordinates() ||
        contiguous < 0 || view.getGather() >= 0)
      return {};
    Attribute shared = engine.getSharedLayout(
        type.getShape(), type.getElementType(), contiguous, /*mayFill=*/false);
    if (!shared)
      return {};
    auto slabOf = [&](Attribute layout) {
      return RankedTensorType::get(type.getShape(), type.getElementType(),
                                   layout);
    };
    if (isWrittenByEngine(store)) {
      // One copy takes rows as they are, of which each panel of a sector would
      // take a part.
      auto panels = dyn_cast<SharedAttr>(shared);
      if (panels && panels.getSwizzle() == kSectorBytes &&
          type.getDimSize(contiguous) * getElementBytes(type.getElementType()) >
              kSectorBytes)
        shared = SharedAttr::get(type.getContext(), panels.getOrder(), 0, 0,
                                 ArrayRef<int64_t>());
      return {slabOf(shared), {}};
    }
    RankedTensorType slab = slabOf(shared);
    int64_t bytes = getElementBytes(type.getElementType());
    if (getRunOfLanes(layout, type.getShape(), contiguous) * bytes >=
        kSectorBytes)
      return {};
    RegsAttr rows = getWideLayout(
        role.getContext(), type.getShape(), bytes, contiguous,
        layout.getLaneCount(),
        /*groups=*/1,
        hasWholeUnits(store.getView(), store.getOffsets(), vectorBytes)
            ? vectorBytes
            : bytes);
    return rows ? Way{slab, rows} : Way();
  }

  /// Whether the engine can write a store's view.
  bool isWrittenByEngine(StoreOp store) {
    ViewType view = store.getView().getType();
    int64_t bits = getStoredBits(view.getElementType()),
            granule = engine.getGranule() * 8;
    // One that clips has been told of its views by the host, which does not
    // know what is made for an item.
    if ((view.getAlign() * 8) % granule || view.getAlign() == 0 ||
        (engine.getBoundsMode() == Bounds::Clip &&
         store.getView().getDefiningOp()))
      return false;
    for (int64_t d = 0; d < view.getRank(); ++d)
      if (d != view.getContiguousDim() &&
          view.getStrideDivisor(d) * bits % granule != 0)
        return false;
    return true;
  }

  int64_t replicas() { return role.getReplicas().value_or(1); }

  RingType ringOf(const Way &way, int64_t depth) {
    return RingType::get(role.getContext(), depth, {way.slab},
                         way.lanes ? RingKind::Pass : RingKind::Store,
                         way.lanes ? Attribute() : Attribute(engine),
                         /*readers=*/1, RingScope::Replica,
                         /*cluster=*/1, /*multicast=*/false);
  }

  /// A second slot is taken where a slot of each other ring has room beside,
  /// and an engine empties it: lanes are done with one when they fill the next.
  void addRing(const Way &way, int64_t others) {
    MLIRContext *ctx = role.getContext();
    RingType type;
    for (int64_t depth = way.lanes ? 1 : kDepth; depth >= 1; --depth) {
      type = ringOf(way, depth);
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
    current = way;
    RingCursors(
        [&](Operation *inner) {
          auto store = dyn_cast<StoreOp>(inner);
          return store && wayOf(store) == current;
        },
        [&](IRRewriter &at, Operation *store, RingCursors::Pair cursors) {
          return replace(at, cast<StoreOp>(store), cursors);
        })
        .thread(rewriter, role.getBody().front(),
                {op.getCursor(), op.getCursor()});
  }

  /// Registers into a slot, and the slot out to memory.
  RingCursors::Pair replace(IRRewriter &rewriter, StoreOp store,
                            RingCursors::Pair cursors) {
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
    EnterOp copied = slot(Access::Read, cursors.read, {current.slab});
    Value tile = copied.getPayload()[0];
    if (current.lanes) {
      auto rows =
          RankedTensorType::get(current.slab.getShape(),
                                current.slab.getElementType(), current.lanes);
      tile = ConvertLayoutOp::create(rewriter, loc, rows, tile);
      ExitOp::create(rewriter, loc, copied.getSlot(), tile);
      StoreOp::create(rewriter, loc, tile, store.getView(), store.getOffsets(),
                      store.getInBounds());
    } else {
      auto copy = CopyOutOp::create(rewriter, loc, TokenType::get(ctx), tile,
                                    store.getView(), store.getOffsets(),
                                    ReduceKindAttr());
      ExitOp::create(rewriter, loc, copied.getSlot(),
                     ValueRange{copy.getToken()});
    }
    rewriter.eraseOp(store);
    return {full.getNext(), copied.getNext()};
  }

  RoleOp role;
  CopyAttrInterface engine;
  int64_t vectorBytes, freeBytes;
  Value ring;
  Way current;
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
    int64_t freeBytes = bytesBesideRings(program, target);
    SmallVector<RoleOp> roles;
    program.walk([&](RoleOp role) {
      if (role.getReplicas())
        roles.push_back(role);
    });
    for (RoleOp role : roles)
      StoreRings(role, engine, target.getVectorBytes(), freeBytes).run();
  }
};

} // namespace
