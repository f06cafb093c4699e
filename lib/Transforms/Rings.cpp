// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-rings: copies into shared memory become rings.
//
// Loads that one product reads share a ring. The writing side stands where the
// last of them stood, the reading side in front of the first reader; how far
// apart they run is the matter of tile-schedule or tile-roles.

#include "Clusters.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace helios {
#define GEN_PASS_DEF_TILERINGS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// Bytes after which every swizzle repeats: eight rows of 128.
constexpr int64_t kSwizzlePeriod = 1024;

/// What reads a tile in shared memory: through parts and transposes, which cost
/// nothing.
void collectReaders(Value tile, SetVector<Operation *> &readers) {
  for (Operation *user : tile.getUsers()) {
    if (isa<SliceOp, TransposeOp>(user))
      collectReaders(user->getResult(0), readers);
    else
      readers.insert(user);
  }
}

/// The products that an op feeds, as operands in memory or in registers, as
/// they are or as element-wise ops make them of a tile.
void collectProducts(Operation *reader, SetVector<Operation *> &products) {
  if (isa<DotOp>(reader))
    products.insert(reader);
  else if (isa<ConvertLayoutOp>(reader))
    for (Operation *user : reader->getUsers()) {
      SetVector<Operation *> made;
      made.insert(user);
      for (size_t i = 0; i < made.size(); ++i)
        if (isa<DotOp>(made[i]))
          products.insert(made[i]);
        else if (isElementwise(made[i]) &&
                 made[i]->getBlock() == reader->getBlock())
          made.insert_range(made[i]->getUsers());
    }
}

/// The loads of one block that share a ring, in program order.
struct Group {
  SmallVector<LoadOp> loads;
  SetVector<Operation *> readers;
  SetVector<Operation *> products;
};

class RingBuilder {
public:
  RingBuilder(ProgramOp program, CopyAttrInterface copy)
      : program(program), copy(copy), cluster(clusterOf(program)),
        variance(cluster.size()), rewriter(program.getContext()) {}

  LogicalResult run() {
    llvm::MapVector<Block *, SmallVector<LoadOp>> blocks;
    program.walk([&](LoadOp load) {
      if (isInMemory(load.getType()))
        blocks[load->getBlock()].push_back(load);
    });
    for (auto &[block, loads] : blocks)
      for (Group &group : groupsOf(loads))
        if (failed(build(group)))
          return failure();
    return success();
  }

private:
  static SmallVector<Group> groupsOf(ArrayRef<LoadOp> loads) {
    llvm::EquivalenceClasses<Operation *> classes;
    DenseMap<Operation *, SetVector<Operation *>> readers;
    for (LoadOp load : loads) {
      classes.insert(load);
      collectReaders(load.getResult(), readers[load]);
      SetVector<Operation *> products;
      for (Operation *reader : readers[load])
        collectProducts(reader, products);
      for (Operation *product : products) {
        classes.unionSets(load, product);
        // The products of a step that add to the same sum.
        if (auto before = cast<DotOp>(product).getAcc().getDefiningOp<DotOp>();
            before && before->getBlock() == product->getBlock())
          classes.unionSets(product, before);
      }
    }
    llvm::MapVector<Operation *, Group> groups;
    for (LoadOp load : loads) {
      Group &group = groups[classes.getLeaderValue(load)];
      group.loads.push_back(load);
      for (Operation *reader : readers[load]) {
        group.readers.insert(reader);
        collectProducts(reader, group.products);
      }
    }
    return llvm::map_to_vector(
        groups, [](auto &entry) { return std::move(entry.second); });
  }

  /// What stands between the loads and uses one of them moves behind `last`.
  LogicalResult moveUsersBehind(Group &group, Operation *last) {
    DenseSet<Operation *> moved(group.loads.begin(), group.loads.end());
    SmallVector<Operation *> users;
    for (Operation *op = group.loads.front(); op != last;
         op = op->getNextNode()) {
      if (llvm::is_contained(group.loads, op))
        continue;
      bool uses = op->walk([&](Operation *inner) {
                      for (Value v : inner->getOperands())
                        if (moved.contains(v.getDefiningOp()))
                          return WalkResult::interrupt();
                      return WalkResult::advance();
                    }).wasInterrupted();
      if (!uses)
        continue;
      if (!isMemoryEffectFree(op))
        return op->emitOpError("stands between copies into shared memory that "
                               "one product reads and uses one of them; "
                               "expected it before or after them");
      moved.insert(op);
      users.push_back(op);
    }
    for (Operation *op : llvm::reverse(users))
      op->moveAfter(last);
    return success();
  }

  /// The loops around an op, the outermost first, through which the cursors
  /// go. `outermost` is what stands beside the ring: at the level of the
  /// program or of a condition around all loops.
  FailureOr<SmallVector<scf::ForOp>> loopsAround(Operation *op,
                                                 Operation *&outermost) {
    SmallVector<scf::ForOp> loops;
    outermost = op;
    Operation *branch = nullptr;
    for (Operation *parent = op->getParentOp(); parent != program;
         parent = parent->getParentOp()) {
      if (!branch && !isa<scf::IfOp>(parent))
        outermost = parent;
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        if (branch) {
          op->emitOpError("is copied under a condition inside of a loop; "
                          "expected copies into shared memory in loops only");
          return failure();
        }
        loops.push_back(loop);
      } else if (isa<scf::IfOp>(parent)) {
        branch = parent;
      } else {
        op->emitOpError("is copied into shared memory inside of '")
            << parent->getName() << "'; expected scf.for around it, or scf.if "
            << "around all loops; run tile-lower-items first";
        return failure();
      }
    }
    return SmallVector<scf::ForOp>(llvm::reverse(loops));
  }

  /// Both cursors where `at` stands, carried through all loops around it.
  /// `yield` sets what they are at the end of the innermost one.
  struct Cursors {
    Value write, read;
    scf::ForOp innermost;
  };
  Cursors carry(ArrayRef<scf::ForOp> loops, Value cursor) {
    Cursors cursors{cursor, cursor, {}};
    for (scf::ForOp loop : loops) {
      rewriter.setInsertionPoint(loop);
      auto replaced = cast<scf::ForOp>(
          *cast<LoopLikeOpInterface>(*loop).replaceWithAdditionalYields(
              rewriter, {cursors.write, cursors.read},
              /*replaceInitOperandUsesInLoop=*/false,
              [](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
                return SmallVector<Value>(added.begin(), added.end());
              }));
      if (cursors.innermost)
        yield(cursors.innermost, replaced.getResults().take_back(2));
      ArrayRef<BlockArgument> args = replaced.getRegionIterArgs();
      cursors = {args[args.size() - 2], args.back(), replaced};
    }
    return cursors;
  }
  static void yield(scf::ForOp loop, ValueRange cursors) {
    Operation *end = loop.getBody()->getTerminator();
    end->setOperands(end->getNumOperands() - 2, 2, cursors);
  }

  /// The cluster as the places in it name it: over the dimensions of the work
  /// items, of which there may be more than the two of the tuning parameter (a
  /// batch, slices of K).
  static ArrayRef<int64_t> clusterOf(ProgramOp program) {
    ArrayRef<int64_t> cluster = program.getTuning().getCluster();
    program.walk([&](RankOp rank) {
      cluster = rank.getCluster();
      return WalkResult::interrupt();
    });
    return cluster;
  }

  /// For each load the dimensions of the cluster along which workgroups load
  /// the same tile, where there are any; none at all if nothing is shared.
  FailureOr<SmallVector<llvm::BitVector>> sharedAlong(Group &group) {
    SmallVector<llvm::BitVector> along;
    bool any = false;
    for (LoadOp load : group.loads) {
      llvm::BitVector differs(cluster.size());
      for (Value offset : load.getOffsets())
        differs |= variance.of(offset);
      for (Value operand : load.getView().getDefiningOp()->getOperands())
        differs |= variance.of(operand);
      for (auto [dim, extent] : llvm::enumerate(cluster))
        if (extent == 1)
          differs.set(dim);
      any |= !differs.all();
      along.push_back(differs.flip());
    }
    if (!any)
      return SmallVector<llvm::BitVector>();
    for (LoadOp load : group.loads)
      if (variance.ofControl(load).any())
        return load.emitOpError(
            "is copied for a cluster under control that differs between its "
            "workgroups; expected loops and conditions that all of them walk "
            "alike, or a schedule without a cluster");
    if (!copy.canMulticast())
      return group.loads.front().emitOpError(
                 "expected a copy engine that writes the shared memory of "
                 "several workgroups, got ")
             << copy << "; choose a schedule without a cluster";
    return along;
  }

  /// The engine that copies all tiles of a group: a narrower one where rows of
  /// any need that.
  CopyAttrInterface engineOf(const Group &group) const {
    CopyAttrInterface engine = copy;
    for (LoadOp load : group.loads)
      if (CopyAttrInterface one =
              selectCopy(copy, load.getView(), load.getOffsets());
          one && one.getGranule() < engine.getGranule())
        engine = one;
    return engine;
  }

  LogicalResult build(Group &group) {
    Operation *last = group.loads.back(), *outermost;
    Location loc = last->getLoc();
    CopyAttrInterface engine = engineOf(group);
    for (LoadOp load : group.loads) {
      if (!load.getPad().isZero())
        return load.emitOpError("expected zero outside of the view, which is "
                                "what copies into shared memory fill in, got ")
               << load.getPadAttr();
      if (failed(engine.checkShared([&] { return load.emitOpError(); },
                                    getLayout(load.getType()),
                                    load.getType().getElementType())))
        return failure();
    }
    FailureOr<SmallVector<scf::ForOp>> loops = loopsAround(last, outermost);
    if (failed(loops) || failed(moveUsersBehind(group, last)))
      return failure();

    bool innermost =
        !loops->empty() && loops->back().getBody() == last->getBlock() &&
        !loops->back()
             .getBody()
             ->walk([](scf::ForOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
    // Tiles of a slot follow each other; one that ends between two repetitions
    // of the widest swizzle comes last, so that the others start at one.
    llvm::stable_sort(group.loads, [](LoadOp a, LoadOp b) {
      auto isOdd = [](LoadOp load) {
        RankedTensorType type = load.getType();
        return getLayout(type).getBytes(type.getShape(),
                                        type.getElementType()) %
                   kSwizzlePeriod !=
               0;
      };
      return isOdd(a) < isOdd(b);
    });
    FailureOr<SmallVector<llvm::BitVector>> along = sharedAlong(group);
    if (failed(along))
      return failure();
    bool shares = !along->empty();
    auto payload = llvm::map_to_vector(
        group.loads, [](LoadOp load) -> Type { return load.getType(); });
    auto type = RingType::get(
        program.getContext(),
        innermost ? program.getTuning().getDepth() : int64_t(1), payload,
        RingKind::Load, engine, /*readers=*/1,
        shares ? RingScope::Cluster : RingScope::Workgroup,
        shares ? program.getTuning().getClusterSize() : int64_t(1), shares);
    rewriter.setInsertionPoint(outermost);
    auto cursorType = CursorType::get(program.getContext());
    auto ring = RingOp::create(rewriter, loc, type, cursorType);
    Cursors cursors = carry(*loops, ring.getCursor());

    // The writing side.
    rewriter.setInsertionPointAfter(last);
    auto write = EnterOp::create(
        rewriter, loc, SlotType::get(program.getContext(), Access::Write),
        cursorType, TypeRange(), Access::Write, ring.getRing(), cursors.write);
    SmallVector<Value> tokens;
    for (auto [i, load] : llvm::enumerate(group.loads)) {
      ClusterShare share{};
      if (shares && (*along)[i].any())
        share = makeShare(rewriter, load.getLoc(), cluster, (*along)[i]);
      tokens.push_back(CopyInOp::create(
          rewriter, load.getLoc(), TokenType::get(program.getContext()),
          load.getView(), load.getOffsets(), write.getSlot(), i,
          /*predicate=*/Value(), share.part,
          share.part ? rewriter.getI64IntegerAttr(share.parts) : IntegerAttr(),
          share.mask, load.getInBounds(), load.getInsideAttr()));
    }
    ExitOp::create(rewriter, loc, write.getSlot(), tokens);

    // The reading side, up to the last reader.
    auto read = EnterOp::create(
        rewriter, loc, SlotType::get(program.getContext(), Access::Read),
        cursorType, payload, Access::Read, ring.getRing(), cursors.read);
    if (cursors.innermost)
      yield(cursors.innermost, {write.getNext(), read.getNext()});
    for (auto [load, tile] : llvm::zip(group.loads, read.getPayload()))
      rewriter.replaceOp(load, tile);
    moveToReaders(group, read);
    return exitAfterReaders(group, read);
  }

  /// Entering a slot waits for its copies, so it stands in front of the first
  /// reader, with the parts and transposes that lead there.
  static void moveToReaders(const Group &group, EnterOp read) {
    Block *block = read->getBlock();
    Operation *first = block->getTerminator();
    for (Operation *reader : group.readers)
      if (Operation *ancestor = block->findAncestorOpInBlock(*reader);
          ancestor && ancestor->isBeforeInBlock(first))
        first = ancestor;
    SetVector<Operation *> moved;
    moved.insert(read);
    for (Operation *op = read->getNextNode(); op != first;
         op = op->getNextNode())
      if (isa<SliceOp, TransposeOp>(op) &&
          llvm::any_of(op->getOperands(), [&](Value operand) {
            return moved.contains(operand.getDefiningOp());
          }))
        moved.insert(op);
    for (Operation *op : moved)
      op->moveBefore(first);
  }

  /// Exits the slot behind the last reader and, where operands are read beside
  /// the products that use them, behind those.
  LogicalResult exitAfterReaders(Group &group, EnterOp read) {
    Block *block = read->getBlock();
    Operation *last = read;
    SetVector<Value> after;
    auto include = [&](Operation *op) -> Operation * {
      Operation *ancestor = block->findAncestorOpInBlock(*op);
      if (ancestor && last->isBeforeInBlock(ancestor))
        last = ancestor;
      return ancestor;
    };
    // What loops use was taken into registers before them.
    for (Operation *product : group.products)
      if (product->getBlock() == block)
        include(product);
    for (Operation *reader : group.readers) {
      Operation *ancestor = include(reader);
      if (!ancestor || ancestor->getNumResults() == 0)
        return reader->emitOpError("reads a tile in shared memory where its "
                                   "end cannot be named; expected a value "
                                   "that it gives to depend on it");
      after.insert(ancestor->getResult(0));
    }
    rewriter.setInsertionPointAfter(last);
    ExitOp::create(rewriter, read.getLoc(), read.getSlot(),
                   after.getArrayRef());
    return success();
  }

  ProgramOp program;
  CopyAttrInterface copy;
  ArrayRef<int64_t> cluster; ///< Workgroups that may share, or empty.
  ClusterVariance variance;
  IRRewriter rewriter;
};

struct Rings : helios::impl::TileRingsBase<Rings> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    TargetAttrInterface row = program.getTargetRow();
    ConfigAttr config = program.getTuning();
    CopyAttrInterface copy;
    if (row && config)
      copy = row.getCopy(stringifyStrategy(config.getStrategy()));
    if (copy && failed(RingBuilder(program, copy).run()))
      signalPassFailure();
  }
};

} // namespace
