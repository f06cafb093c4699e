// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-allocate-shared: tiles and rings in shared memory get byte offsets.

#include "helios/Dialect/Tile/IR/Linear.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/RingBytes.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_TILEALLOCATESHARED
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

int64_t bytesOf(RankedTensorType type) {
  return getLayout(type).getBytes(type.getShape(), type.getElementType());
}

/// Swizzled memory starts where the swizzle does: it repeats after eight rows.
int64_t alignmentOf(RankedTensorType type) {
  auto shared = dyn_cast<SharedAttr>(type.getEncoding());
  return shared && shared.getSwizzle() ? 8 * shared.getSwizzle() : 16;
}

/// Where what an engine copies has to begin, swizzled or not.
constexpr int64_t kEngineBytes = 128;

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

/// Bytes that are wanted from one position of the program to another.
struct Buffer {
  Operation *def;
  int64_t bytes, align, first, last, offset = 0;
};

/// First fit by decreasing size; among equals in the given order.
int64_t place(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> order, placed;
  for (Buffer &b : buffers)
    order.push_back(&b);
  llvm::stable_sort(order,
                    [](Buffer *a, Buffer *b) { return a->bytes > b->bytes; });
  int64_t total = 0;
  for (Buffer *b : order) {
    SmallVector<Buffer *> live;
    for (Buffer *other : placed)
      if (b->first <= other->last && other->first <= b->last)
        live.push_back(other);
    llvm::sort(live,
               [](Buffer *x, Buffer *y) { return x->offset < y->offset; });
    int64_t offset = 0;
    for (Buffer *other : live)
      if (offset + b->bytes > other->offset)
        offset = std::max(offset, int64_t(llvm::alignTo(
                                      other->offset + other->bytes, b->align)));
      else
        break;
    b->offset = offset;
    total = std::max(total, offset + b->bytes);
    placed.push_back(b);
  }
  return total;
}

class Allocation {
public:
  explicit Allocation(ProgramOp program)
      : program(program), builder(program.getContext()) {
    int64_t n = 0;
    program.walk<WalkOrder::PreOrder>([&](Operation *op) { begin[op] = n++; });
    // The end of an op with regions is after everything in it.
    program.walk([&](Operation *op) {
      int64_t last = begin[op];
      op->walk([&](Operation *inner) { last = std::max(last, begin[inner]); });
      end[op] = last;
    });
  }

  LogicalResult collect() {
    WalkResult walk = program.walk([&](Operation *op) -> WalkResult {
      if (auto ring = dyn_cast<RingOp>(op))
        return WalkResult(collectRing(ring));
      if (auto convert = dyn_cast<ConvertLayoutOp>(op))
        if (RankedTensorType scratch = getScratch(convert)) {
          // Sums of slices meet from several groups.
          bool inGroup =
              getSliceCount(convert.getTile().getType().getEncoding()) == 1;
          add({op, bytesOf(scratch), alignmentOf(scratch), begin[op],
               begin[op]},
              inGroup ? rowBytesOf(scratch) : 0);
        }
      for (Value result : op->getResults()) {
        if (!isInMemory(result.getType()) ||
            isa<TransposeOp, SliceOp, EnterOp>(op))
          continue;
        // Loops are walked through from what they begin with.
        if (isa<scf::ForOp>(op))
          continue;
        if (!isa<ConvertLayoutOp>(op))
          return op->emitOpError("expected tiles in shared memory to come from "
                                 "tile.convert_layout or a ring");
        auto type = cast<RankedTensorType>(result.getType());
        if (Operation *first = firstOfLoop(result)) {
          replacements.emplace_back(op, first);
          continue;
        }
        Buffer buffer{op, bytesOf(type), alignmentOf(type), begin[op],
                      begin[op]};
        if (failed(extend(buffer, result)))
          return WalkResult::interrupt();
        add(buffer,
            staysInGroups(cast<ConvertLayoutOp>(op)) ? rowBytesOf(type) : 0);
      }
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  int64_t run() {
    // Replicas of a role run at their own pace, as roles do, so nothing of one
    // may lie where another has something else.
    for (auto &[role, list] : scratch) {
      int64_t align = 16;
      for (Buffer &b : list)
        align = std::max(align, b.align);
      stride[role] = llvm::alignTo(place(list), align);
      buffers.push_back(
          {role, stride[role] * replicasOf(role), align, 0, kForever});
    }
    int64_t total = placeExchanges();
    for (Buffer &b : buffers) {
      if (auto role = dyn_cast<RoleOp>(b.def)) {
        for (Buffer &inner : scratch[role])
          assign(inner.def, b.offset + inner.offset,
                 replicasOf(role) > 1 ? stride[role] : 0);
      } else {
        assign(b.def, b.offset, 0);
      }
    }
    for (auto [op, first] : replacements)
      op->setAttr("tile.offset", first->getAttr("tile.offset"));
    // Barriers last.
    for (Buffer &b : buffers)
      if (auto ring = dyn_cast<RingOp>(b.def); ring && meetsAtBarriers(ring)) {
        total = llvm::alignTo(total, kBarrierBytes);
        ring->setAttr("tile.barriers", builder.getI64IntegerAttr(total));
        total += kBarrierBytes * slotsOf(ring);
      }
    return total;
  }

  /// For how long what groups exchange within themselves has a place.
  enum class Kept {
    Loop,    ///< For the whole loop.
    Skipped, ///< So where some groups skip it, else
    Use,     ///< from its first use to its last.
  };

  /// What a loop exchanges in rows of so many bytes: part 0, or the parts
  /// before, in and behind what some groups skip.
  using Exchanges = llvm::MapVector<std::tuple<Operation *, int64_t, int64_t>,
                                    SmallVector<Buffer>>;

  Exchanges splitBySkipped() {
    SmallVector<WhereOp> wheres;
    program.walk([&](WhereOp where) { wheres.push_back(where); });
    Exchanges parts;
    for (auto &[key, list] : exchanges)
      for (const Buffer &b : list) {
        int64_t passed = llvm::count_if(
            wheres, [&](WhereOp where) { return end[where] < b.first; });
        parts[{std::get<0>(key), std::get<1>(key),
               2 * passed + (skippedAround(b.def) ? 1 : 0)}]
            .push_back(b);
      }
    return parts;
  }

  /// What groups exchange within themselves lies apart from what all share, so
  /// that nobody waits for other groups, for as long as there is room.
  int64_t placeExchanges() {
    TargetAttrInterface row = program.getTargetRow();
    for (Kept kept : {Kept::Loop, Kept::Skipped, Kept::Use}) {
      SmallVector<Buffer> all(buffers);
      auto apart = kept == Kept::Use ? splitBySkipped() : exchanges;
      for (auto &[key, list] : apart) {
        Operation *loop = std::get<0>(key);
        bool whole =
            kept == Kept::Loop ||
            (kept == Kept::Skipped && llvm::any_of(list, [](const Buffer &b) {
               return skippedAround(b.def);
             }));
        Buffer arena{loop, 0, 16, end[loop], begin[loop]};
        for (Buffer &b : list) {
          arena.align = std::max(arena.align, b.align);
          arena.first = whole ? begin[loop] : std::min(arena.first, b.first);
          arena.last = whole ? end[loop] : std::max(arena.last, b.last);
          // In what some groups skip nobody can wait for others.
          if (WhereOp where = skippedAround(b.def)) {
            arena.first = std::min(arena.first, begin[where]);
            arena.last = std::max(arena.last, end[where]);
          }
        }
        arena.bytes = place(list);
        all.push_back(arena);
      }
      int64_t total = place(all);
      if (kept != Kept::Use && row && total > row.getSharedBytes())
        continue;
      ArrayRef<Buffer> arenas = ArrayRef(all).drop_front(buffers.size());
      buffers.assign(all.begin(), all.begin() + buffers.size());
      for (auto [arena, exchange] : llvm::zip(arenas, apart))
        for (Buffer b : exchange.second) {
          b.offset += arena.offset;
          buffers.push_back(b);
        }
      return total;
    }
    llvm_unreachable("the last way is taken in any case");
  }

  /// Says what takes how much.
  void explain(InFlightDiagnostic &diag) {
    for (Buffer &b : buffers) {
      Diagnostic &note = diag.attachNote(b.def->getLoc());
      if (auto ring = dyn_cast<RingOp>(b.def))
        note << "this ring takes " << b.bytes << ", " << slotsOf(ring)
             << " slots of " << b.bytes / slotsOf(ring);
      else if (isa<RoleOp>(b.def))
        note << "layout changes of this role take " << b.bytes;
      else
        note << "this layout change takes " << b.bytes;
    }
  }

private:
  /// A buffer of the role that it is in, or of the program. What groups
  /// exchange within themselves, in rows of so many bytes, is kept by loops:
  /// equal rows of one group lie over each other.
  void add(const Buffer &buffer, int64_t rowBytes) {
    auto role = buffer.def->getParentOfType<RoleOp>();
    auto loop = buffer.def->getParentOfType<scf::ForOp>();
    if (role)
      scratch[role].push_back(buffer);
    else if (loop && rowBytes)
      exchanges[{loop, rowBytes, 0}].push_back(buffer);
    else
      buffers.push_back(buffer);
  }

  static WhereOp skippedAround(Operation *op) {
    return op->getParentOfType<WhereOp>();
  }

  static int64_t rowBytesOf(RankedTensorType type) {
    auto shared = cast<SharedAttr>(type.getEncoding());
    return shared.getStrides(type.getShape())[0] *
           getElementBytes(type.getElementType());
  }

  /// Rows of a repetition that each group holds; 0 if groups share rows.
  static int64_t rowsOfGroup(LayoutAttrInterface layout) {
    SmallVector<int64_t> grid = layout.getGroupGrid();
    auto slice = dyn_cast<SliceAttr>(Attribute(layout));
    if (grid.size() != 2 || grid[1] != 1 || (slice && slice.getDim() == 0))
      return 0;
    return layout.getBlockShape()[0] / grid[0];
  }

  /// Whether every group reads what it has written, to or from matrices without
  /// coordinates.
  static bool staysInGroups(ConvertLayoutOp write) {
    LayoutAttrInterface from = getLayout(write.getTile().getType());
    int64_t rows = rowsOfGroup(from);
    bool matrices = !from.hasCoordinates();
    return rows && llvm::all_of(write->getUsers(), [&](Operation *user) {
             LayoutAttrInterface to =
                 isa<ConvertLayoutOp>(user)
                     ? getLayout(user->getResult(0).getType())
                     : LayoutAttrInterface();
             return to && !to.isMemory() && rowsOfGroup(to) == rows &&
                    to.getGroupGrid() == from.getGroupGrid() &&
                    (matrices || !to.hasCoordinates());
           });
  }

  static int64_t replicasOf(RoleOp role) {
    return role ? role.getReplicas().value_or(1) : 1;
  }

  static int64_t slotsOf(RingOp ring) {
    return ring.getRing().getType().getDepth() * copiesOf(ring);
  }

  void assign(Operation *op, int64_t offset, int64_t replicaStride) {
    op->setAttr("tile.offset", builder.getI64IntegerAttr(offset));
    if (replicaStride)
      op->setAttr("tile.replica_stride",
                  builder.getI64IntegerAttr(replicaStride));
  }

  SmallVector<EnterOp> entersOf(RingOp ring) {
    SmallVector<EnterOp> enters;
    program.walk([&](EnterOp enter) {
      if (llvm::is_contained(originsOf(enter.getRing()), ring.getRing()))
        enters.push_back(enter);
    });
    return enters;
  }

  /// Whether an engine copies what is in a ring, and counts its bytes.
  static bool isOfEngine(RingType type) {
    auto copy = dyn_cast_or_null<CopyAttrInterface>(type.getCopy());
    return copy && copy.getCompletion() == Completion::Barrier;
  }

  /// True if the sides of a ring meet through barriers in memory: a copy counts
  /// its bytes there, or each side is in another role, or also in other
  /// workgroups.
  bool meetsAtBarriers(RingOp ring) {
    RingType type = ring.getRing().getType();
    if ((type.getKind() == RingKind::Load && isOfEngine(type)) ||
        type.getScope() == RingScope::Cluster)
      return true;
    SmallVector<EnterOp> enters = entersOf(ring);
    return llvm::any_of(enters, [&](EnterOp enter) {
      return enter->getParentOfType<RoleOp>() !=
             enters.front()->getParentOfType<RoleOp>();
    });
  }

  LogicalResult collectRing(RingOp ring) {
    int64_t bytes = 0,
            align = isOfEngine(ring.getRing().getType()) ? kEngineBytes : 16;
    for (Type payload : ring.getRing().getType().getPayload()) {
      auto type = dyn_cast<RankedTensorType>(payload);
      int64_t wanted = type ? alignmentOf(type) : 8;
      if (bytes % wanted)
        return ring.emitOpError("expected its slot's ")
               << payload << " at a multiple of " << wanted
               << " bytes, got it at " << bytes
               << "; put the wider tiles first";
      bytes += type ? bytesOf(type) : 8;
      align = std::max(align, wanted);
    }
    if (int64_t slots = slotsOf(ring); slots > 1 && bytes % align)
      return ring.emitOpError("expected slots of a multiple of ")
             << align << " bytes, got " << bytes;
    Buffer buffer{ring, bytes * slotsOf(ring), align, begin[ring], begin[ring]};
    // What roles share lives as long as they do, and so does what one has.
    if (ring->getParentOfType<RoleOp>()) {
      buffer.first = 0;
      buffer.last = kForever;
    }
    for (Operation *user : ring.getRing().getUsers()) {
      if (isa<RolesOp>(user))
        buffer.last = kForever;
      if (auto enter = dyn_cast<EnterOp>(user))
        extendToExits(buffer, enter.getSlot());
    }
    buffers.push_back(buffer);
    return success();
  }

  /// A ring lives until the last exit of its slots, through what loops carry.
  void extendToExits(Buffer &buffer, Value slot) {
    SmallVector<Value> work{slot};
    DenseSet<Value> seen;
    while (!work.empty()) {
      Value v = work.pop_back_val();
      if (!seen.insert(v).second)
        continue;
      for (OpOperand &use : v.getUses()) {
        buffer.last =
            std::max(buffer.last, position(use.getOwner(), buffer.def));
        llvm::append_range(work, carriedTo(use));
      }
    }
  }

  /// A use inside a loop that does not hold the definition lasts to the loop's
  /// end.
  int64_t position(Operation *use, Operation *def) {
    int64_t at = end[use];
    for (Operation *up = use->getParentOp();
         up && !up->isProperAncestor(def) && up != program;
         up = up->getParentOp())
      if (isa<LoopLikeOpInterface>(up))
        at = end[up];
    return at;
  }

  /// What a loop begins with in the place of a tile that is carried on.
  static Operation *firstOfLoop(Value tile) {
    for (OpOperand &use : tile.getUses())
      if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
          loop && isa<scf::YieldOp>(use.getOwner()))
        return loop.getInitArgs()[use.getOperandNumber()].getDefiningOp();
    return nullptr;
  }

  /// An op that reads a tile behind another of its block, if there is one.
  static Operation *readerBehind(Value tile, Operation *end) {
    for (Operation *user : tile.getUsers()) {
      // From registers, products alone may read later.
      if (!isInMemory(tile.getType()) && !isa<DotOp>(user))
        continue;
      Operation *reader = end->getBlock()->findAncestorOpInBlock(*user);
      if (!reader || reader == end || end->isBeforeInBlock(reader))
        return user;
      if (isa<TransposeOp, SliceOp, ConvertLayoutOp>(user))
        if (Operation *late = readerBehind(user->getResult(0), end))
          return late;
    }
    return nullptr;
  }

  /// A carried tile has its place for the whole loop; what is carried on is
  /// written there, behind the last that reads it.
  LogicalResult extendThrough(Buffer &buffer, scf::ForOp loop, unsigned i) {
    BlockArgument arg = loop.getRegionIterArg(i);
    auto next = loop.getYieldedValues()[i].getDefiningOp<ConvertLayoutOp>();
    if (!next || next->getBlock() != loop.getBody() ||
        !isa<ConvertLayoutOp>(buffer.def) || next.getType() != arg.getType())
      return loop.emitOpError("carries a tile in shared memory that is not "
                              "written in its body; use a ring");
    if (Operation *late = readerBehind(arg, next))
      return late->emitOpError(
          "reads a tile in shared memory that the loop carries, when the next "
          "one may be in its place; run tile-alternate-buffers first");
    if (failed(extend(buffer, arg)) ||
        failed(extend(buffer, loop.getResult(i))))
      return failure();
    buffer.last = std::max(buffer.last, end[loop]);
    return success();
  }

  LogicalResult extend(Buffer &buffer, Value v) {
    for (OpOperand &use : v.getUses()) {
      Operation *user = use.getOwner();
      if (auto loop = dyn_cast<scf::ForOp>(user)) {
        unsigned i = use.getOperandNumber() - loop.getNumControlOperands();
        if (failed(extendThrough(buffer, loop, i)))
          return failure();
        continue;
      }
      if (user->hasTrait<OpTrait::IsTerminator>() ||
          isa<LoopLikeOpInterface>(user))
        return user->emitOpError("carries a tile in shared memory; use a ring");
      buffer.last = std::max(buffer.last, position(user, buffer.def));
      // Views of the same bytes, and operands that a product reads step by
      // step.
      bool view = isa<TransposeOp, SliceOp>(user);
      bool operand = isa<ConvertLayoutOp>(user) &&
                     !isInMemory(user->getResult(0).getType());
      if (view && failed(extend(buffer, user->getResult(0))))
        return failure();
      if (operand)
        for (Operation *reader : user->getResult(0).getUsers())
          if (isa<DotOp>(reader) && reader->getBlock() == user->getBlock())
            buffer.last = std::max(buffer.last, position(reader, buffer.def));
    }
    return success();
  }

  ProgramOp program;
  Builder builder;
  DenseMap<Operation *, int64_t> begin, end;
  SmallVector<Buffer> buffers;
  llvm::MapVector<RoleOp, SmallVector<Buffer>> scratch;
  Exchanges exchanges;
  DenseMap<Operation *, int64_t> stride;
  /// Tiles that loops carry on, and whose place they take.
  SmallVector<std::pair<Operation *, Operation *>> replacements;
};

struct AllocateShared : helios::impl::TileAllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    Allocation allocation(program);
    if (failed(allocation.collect()))
      return signalPassFailure();
    int64_t bytes = allocation.run();
    if (TargetAttrInterface row = program.getTargetRow();
        row && bytes > row.getSharedBytes()) {
      InFlightDiagnostic diag = program.emitOpError("needs ");
      diag << bytes << " bytes of shared memory, but target '"
           << row.getRowName() << "' has " << row.getSharedBytes()
           << "; use a smaller tile, fewer slots or epilogue_rows";
      allocation.explain(diag);
      return signalPassFailure();
    }
    program.setSharedBytes(bytes);
  }
};

} // namespace
