// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-schedule: products of a loop that feed each other.
//
// Where one product needs what becomes of another one's result, the engine
// would stand still while lanes compute that. So the later product has a stage
// of its own: the first product of the next trip and the later product of this
// trip start back to back, and the lanes work on the one's result while the
// other one runs.

#include "ScheduleChain.h"
#include "helios/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

bool isAsynchronous(Operation *op) {
  auto dot = dyn_cast_or_null<DotOp>(op);
  return dot && dot.getMmaAttr() && !dot.getMmaAttr().getEngine().empty();
}

class Chain {
public:
  explicit Chain(scf::ForOp loop) : loop(loop) {
    for (Operation &op : loop.getBody()->without_terminator())
      ops.push_back(&op);
  }

  bool run() {
    findStages();
    // The first and last trips stand outside of the loop, so it has to make as
    // many as there are stages; one is what is known.
    if (last != 1)
      return false;
    findOrders();
    if (!isLegal())
      return false;
    for (Operation *op : ops)
      op->setAttr(TileDialect::kSchedAttr,
                  SchedAttr::get(op->getContext(), stages[op], orders[op]));
    takeTurns();
    return true;
  }

private:
  /// What an op uses of this trip, and of the trip before.
  struct Uses {
    SmallVector<Operation *> now, before;
  };
  Uses usesOf(Operation *op) {
    Uses uses;
    Block *body = loop.getBody();
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (Operation *def = operand.getDefiningOp()) {
          Operation *ancestor = body->findAncestorOpInBlock(*def);
          if (ancestor && ancestor != op)
            uses.now.push_back(ancestor);
          continue;
        }
        auto arg = cast<BlockArgument>(operand);
        if (arg.getOwner() != body || arg.getArgNumber() == 0)
          continue;
        Value next = loop.getYieldedValues()[arg.getArgNumber() - 1];
        if (Operation *def = next.getDefiningOp();
            def && def->getBlock() == body)
          uses.before.push_back(def);
      }
    });
    return uses;
  }

  /// Products that an op needs one after another, in one trip.
  int64_t productsBefore(Operation *op) {
    int64_t count = 0;
    for (Operation *def : usesOf(op).now)
      count = std::max(count, products.lookup(def) + isAsynchronous(def));
    return count;
  }

  void findStages() {
    for (Operation *op : ops) {
      products[op] = productsBefore(op);
      stages[op] = isAsynchronous(op) ? products[op]
                                      : std::max<int64_t>(0, products[op] - 1);
    }
    // What needs no product comes with the first op that needs it: slots are
    // entered where a product reads them.
    for (Operation *op : llvm::reverse(ops)) {
      if (products[op] || isAsynchronous(op) || isa<ExitOp>(op))
        continue;
      std::optional<int64_t> first;
      for (Operation *user : op->getUsers()) {
        Operation *ancestor = loop.getBody()->findAncestorOpInBlock(*user);
        if (!ancestor || isa<ExitOp, scf::YieldOp>(ancestor))
          continue;
        int64_t stage = stages.lookup(ancestor);
        first = first ? std::min(*first, stage) : stage;
      }
      stages[op] = first.value_or(0);
    }
    // Nothing comes before what it uses.
    for (bool changed = true; changed;) {
      changed = false;
      for (Operation *op : ops) {
        Uses uses = usesOf(op);
        int64_t stage = stages[op];
        for (Operation *def : uses.now)
          stage = std::max(stage, stages[def]);
        for (Operation *def : uses.before)
          stage = std::max(stage, stages[def] - 1);
        changed |= stage != stages[op];
        stages[op] = stage;
      }
    }
    for (Operation *op : ops)
      if (isAsynchronous(op))
        last = std::max(last, stages[op]);
  }

  /// A change of width or place between other arithmetic and a product that
  /// reads registers. It replaces what the product of the trip before may still
  /// be reading.
  static bool replacesOperand(Operation *op) {
    if (!isa<ConvertLayoutOp, arith::TruncFOp>(op))
      return false;
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return (isAsynchronous(user) &&
              cast<DotOp>(user).getAcc() != op->getResult(0)) ||
             (user->getBlock() == op->getBlock() && replacesOperand(user));
    });
  }

  /// Products first, each behind the slots that it enters, those of the first
  /// stage before the later ones. Then what the lanes do beside them: what
  /// needs the first products alone; exits of the slots of the others, what
  /// needs their results, and what replaces their operands in registers.
  void findOrders() {
    enum { kBeside, kExits, kResults, kOperands };
    for (Operation *op : ops) {
      if (isAsynchronous(op) || (!products[op] && !isa<ExitOp>(op))) {
        orders[op] = stages[op];
        continue;
      }
      Uses uses = usesOf(op);
      int64_t order = kBeside;
      if (isa<ExitOp>(op) && stages[op] == last)
        order = kExits;
      else if (!isa<ExitOp>(op) && replacesOperand(op))
        order = kOperands;
      else if (llvm::any_of(uses.before, [&](Operation *def) {
                 return isAsynchronous(def) && stages[def] > stages[op];
               }))
        order = kResults;
      order += last + 1;
      for (Operation *def : uses.now)
        if (stages[def] == stages[op] && products[def] && !isAsynchronous(def))
          order = std::max(order, orders[def]);
      orders[op] = order;
    }
  }

  /// Where the configuration says so, replicas that divide a tile start their
  /// products one after another: those of one then run while the lanes of the
  /// others compute.
  void takeTurns() {
    auto role = loop->getParentOfType<RoleOp>();
    ConfigAttr config = loop->getParentOfType<ProgramOp>().getTuning();
    if (!role || !config || config.getTurns() == 1 ||
        llvm::product_of(config.getGroups()) == 1)
      return;
    Operation *product = nullptr;
    for (Operation *op : ops)
      if (isAsynchronous(op) && stages[op] == last)
        product = op;
    OpBuilder b(loop.getContext());
    auto add = [&](Turn turn, int64_t order) {
      TurnOp::create(b, product->getLoc(), turn)
          ->setAttr(TileDialect::kSchedAttr,
                    SchedAttr::get(b.getContext(), 0, order));
    };
    b.setInsertionPointToStart(loop.getBody());
    add(Turn::Take, 0);
    b.setInsertionPointAfter(product);
    add(Turn::Pass, last);
  }

  /// Whether every op follows what it uses.
  bool isLegal() {
    DenseMap<Operation *, int64_t> place;
    SmallVector<Operation *> sorted(ops);
    llvm::stable_sort(sorted, [&](Operation *a, Operation *b) {
      return orders[a] < orders[b];
    });
    for (auto [i, op] : llvm::enumerate(sorted))
      place[op] = i;
    auto follows = [&](Operation *op, Operation *def, int64_t trips) {
      int64_t distance = stages[op] + trips - stages[def];
      return distance > 0 || (distance == 0 && place[op] > place[def]);
    };
    // A tile in a slot is not carried from trip to trip.
    auto crossesStages = [&](Value operand, Operation *op) {
      Operation *def = operand.getDefiningOp();
      LayoutAttrInterface layout = getLayout(operand.getType());
      return layout && layout.isMemory() && def &&
             def->getBlock() == loop.getBody() && stages[def] != stages[op];
    };
    return llvm::all_of(ops, [&](Operation *op) {
      if (llvm::any_of(op->getOperands(), [&](Value operand) {
            return crossesStages(operand, op);
          }))
        return false;
      Uses uses = usesOf(op);
      return llvm::all_of(
                 uses.now,
                 [&](Operation *def) { return follows(op, def, 0); }) &&
             llvm::all_of(uses.before,
                          [&](Operation *def) { return follows(op, def, 1); });
    });
  }

  scf::ForOp loop;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, int64_t> products, stages, orders;
  int64_t last = 0;
};

} // namespace

bool helios::tile::scheduleChain(scf::ForOp loop) { return Chain(loop).run(); }
