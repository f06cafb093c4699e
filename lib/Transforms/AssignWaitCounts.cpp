// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-assign-wait-counts: how many younger entries of a FIFO may stay pending
// at a wait.
//
// A forward walk, through loops until nothing changes, keeps what may be
// pending. Where paths meet, the smaller count holds: waiting for too much is
// slow, for too little wrong.

#include "helios/Dialect/Tile/IR/Linear.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_FRAGASSIGNWAITCOUNTS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::frag;

namespace {

/// What may be pending at a point of the kernel.
struct State {
  /// Tokens of products, and how many younger ones their engine has at least.
  DenseMap<Value, int64_t> younger;
  /// The rings of copies that complete in groups, the oldest group first. Older
  /// ones that only some paths have are not here.
  SmallVector<Value> groups;
  /// Slots of a store ring that were acquired to write and whose copy has not
  /// been issued, at most.
  DenseMap<Value, int64_t> uncopied;

  bool operator==(const State &o) const {
    return younger == o.younger && groups == o.groups && uncopied == o.uncopied;
  }

  void join(const State &o) {
    for (auto [token, n] : o.younger) {
      auto [it, inserted] = younger.try_emplace(token, n);
      it->second = std::min(it->second, n);
    }
    for (auto [ring, n] : o.uncopied) {
      int64_t &mine = uncopied[ring];
      mine = std::max(mine, n);
    }
    size_t same = 0, most = std::min(groups.size(), o.groups.size());
    while (same < most && groups[groups.size() - 1 - same] ==
                              o.groups[o.groups.size() - 1 - same])
      ++same;
    groups.erase(groups.begin(), groups.end() - same);
  }

  /// Control moves on: tokens have further names.
  void pass(ValueRange from, ValueRange to) {
    SmallVector<std::pair<Value, int64_t>> named;
    for (auto [f, t] : llvm::zip(from, to))
      if (auto it = younger.find(f); it != younger.end())
        named.push_back({t, it->second});
    for (Value t : to)
      younger.erase(t);
    for (auto [token, n] : named)
      younger[token] = n;
  }

  /// Tokens that a region defines mean others when it runs again.
  void leave(Region &region) {
    SmallVector<Value> gone;
    for (auto [token, n] : younger)
      if (region.isAncestor(token.getParentRegion()))
        gone.push_back(token);
    for (Value token : gone)
      younger.erase(token);
  }

  /// Everything of the engine with at least so many younger entries is done.
  void retire(Type engine, int64_t count) {
    SmallVector<Value> gone;
    for (auto [token, n] : younger)
      if (token.getType() == engine && n >= count)
        gone.push_back(token);
    for (Value token : gone)
      younger.erase(token);
  }
};

/// A ring whose sides meet without barriers, whose copies complete in order.
bool isOrdered(Value ring) {
  auto shared = ring.getDefiningOp<SharedOp>();
  return shared && !shared.getBarriers();
}

bool isLoadedInGroups(Value ring) {
  tile::RingType type = cast<RingType>(ring.getType()).getRing();
  auto copy = dyn_cast_or_null<tile::CopyAttrInterface>(type.getCopy());
  return isOrdered(ring) && type.getKind() == tile::RingKind::Load && copy &&
         copy.getCompletion() == tile::Completion::Group;
}

bool isStored(Value ring) {
  tile::RingType type = cast<RingType>(ring.getType()).getRing();
  return isOrdered(ring) && type.getKind() == tile::RingKind::Store &&
         type.getCopy();
}

class Counter {
public:
  void block(Block &block, State &state) {
    for (Operation &op : block)
      visit(&op, state);
  }

private:
  void visit(Operation *op, State &state) {
    if (auto start = dyn_cast<MmaStartOp>(op)) {
      for (auto &[token, n] : state.younger)
        n += token.getType() == start.getToken().getType();
      state.younger[start.getToken()] = 0;
    } else if (auto await = dyn_cast<AwaitOp>(op)) {
      await.setCountAttr(wait(await.getToken(), state));
    } else if (auto release = dyn_cast<ReleaseOp>(op)) {
      visitRelease(release, state);
    } else if (auto acquire = dyn_cast<AcquireOp>(op)) {
      visitAcquire(acquire, state);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitFor(loop, state);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      visitWhile(loop, state);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      State other = state;
      block(*branch.thenBlock(), state);
      state.pass(branch.thenYield().getOperands(), branch.getResults());
      if (branch.elseBlock()) {
        block(*branch.elseBlock(), other);
        other.pass(branch.elseYield().getOperands(), branch.getResults());
      }
      state.join(other);
    } else if (auto role = dyn_cast<RoleOp>(op)) {
      // Roles run beside each other; what one starts, only it waits for.
      State inner = state;
      block(role.getBody().front(), inner);
    }
  }

  /// The count of a wait for a product, null if it has retired.
  IntegerAttr wait(Value token, State &state) {
    auto it = state.younger.find(token);
    if (it == state.younger.end())
      return {};
    int64_t count = it->second;
    state.retire(token.getType(), count);
    return Builder(token.getContext()).getI64IntegerAttr(count);
  }

  void visitRelease(ReleaseOp release, State &state) {
    // One engine per slot: the youngest of its products is waited for.
    Value youngest;
    for (Value token : release.getAfter()) {
      auto it = state.younger.find(token);
      if (it != state.younger.end() &&
          (!youngest || it->second < state.younger.lookup(youngest)))
        youngest = token;
    }
    release.setCountAttr(youngest ? wait(youngest, state) : IntegerAttr());
    for (AcquireOp acquire : acquiresOf(release.getSlot())) {
      Value ring = acquire.getRing();
      if (acquire.getAccess() == tile::Access::Write && isLoadedInGroups(ring))
        state.groups.push_back(ring);
      if (acquire.getAccess() == tile::Access::Read && isStored(ring))
        state.uncopied[ring] =
            std::max<int64_t>(0, state.uncopied.lookup(ring) - 1);
      break;
    }
  }

  void visitAcquire(AcquireOp acquire, State &state) {
    Value ring = acquire.getRing();
    bool reads = acquire.getAccess() == tile::Access::Read;
    std::optional<int64_t> count;
    if (reads && isLoadedInGroups(ring)) {
      // The oldest group of this ring, and with it all older ones.
      auto *at = llvm::find(state.groups, ring);
      count = at == state.groups.end() ? 0 : state.groups.end() - at - 1;
      state.groups.erase(state.groups.begin(),
                         at == state.groups.end() ? at : at + 1);
    } else if (!reads && isStored(ring)) {
      int64_t depth = acquire.getRing().getType().getRing().getDepth();
      int64_t &uncopied = state.uncopied[ring];
      count = std::max<int64_t>(0, depth - 1 - uncopied);
      uncopied = std::min(depth, uncopied + 1);
    }
    acquire.setCountAttr(count ? Builder(acquire).getI64IntegerAttr(*count)
                               : IntegerAttr());
  }

  void visitFor(scf::ForOp loop, State &state) {
    State entry = state;
    entry.pass(loop.getInitArgs(), loop.getRegionIterArgs());
    State end;
    while (true) {
      end = entry;
      block(*loop.getBody(), end);
      State next = end;
      next.pass(loop.getYieldedValues(), loop.getResults());
      next.pass(loop.getYieldedValues(), loop.getRegionIterArgs());
      State carried = next;
      // Names of the body that the next iteration does not know.
      carried.leave(loop.getRegion());
      for (auto [arg, result] :
           llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
        if (auto it = next.younger.find(arg); it != next.younger.end())
          carried.younger[arg] = it->second;
        carried.younger.erase(result);
      }
      State joined = entry;
      joined.join(carried);
      end = std::move(next);
      if (joined == entry)
        break;
      entry = std::move(joined);
    }
    end.leave(loop.getRegion());
    // A loop may also make no trip.
    state.pass(loop.getInitArgs(), loop.getResults());
    state.join(end);
  }

  void visitWhile(scf::WhileOp loop, State &state) {
    State entry = state;
    entry.pass(loop.getInits(), loop.getBeforeArguments());
    while (true) {
      State body = entry;
      block(*loop.getBeforeBody(), body);
      state = body;
      state.pass(loop.getConditionOp().getArgs(), loop.getResults());
      state.leave(loop.getBefore());
      body.pass(loop.getConditionOp().getArgs(), loop.getAfterArguments());
      block(*loop.getAfterBody(), body);
      State next = body;
      next.leave(loop.getBefore());
      next.leave(loop.getAfter());
      for (auto [arg, v] : llvm::zip(loop.getBeforeArguments(),
                                     loop.getYieldOp()->getOperands()))
        if (auto it = body.younger.find(v); it != body.younger.end())
          next.younger[arg] = it->second;
      State joined = entry;
      joined.join(next);
      if (joined == entry)
        return;
      entry = std::move(joined);
    }
  }

  static SmallVector<AcquireOp> acquiresOf(Value slot) {
    SmallVector<AcquireOp> acquires;
    for (Value v : tile::originsOf(slot))
      if (auto acquire = v.getDefiningOp<AcquireOp>())
        acquires.push_back(acquire);
    return acquires;
  }
};

struct AssignWaitCounts
    : helios::impl::FragAssignWaitCountsBase<AssignWaitCounts> {
  void runOnOperation() override {
    State state;
    Counter().block(getOperation().getBody().front(), state);
  }
};

} // namespace
