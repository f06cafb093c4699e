// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-split-masked-ranges: trips in which a condition of coordinates holds for
// a whole tile get a loop of their own.

#include "ConstantTiles.h"
#include "Implied.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace helios {
#define GEN_PASS_DEF_TILESPLITMASKEDRANGES
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// A sum of multiples of values from outside of a loop, of the loop's counter
/// and of one.
struct Linear {
  llvm::MapVector<Value, int64_t> terms;
  int64_t counter = 0, constant = 0;

  void add(const Linear &other, int64_t factor) {
    for (auto [value, count] : other.terms)
      terms[value] += count * factor;
    counter += other.counter * factor;
    constant += other.constant * factor;
  }
};

std::optional<Linear> linearOf(Value value, scf::ForOp loop) {
  Linear result;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    result.constant = constant.getSExtValue();
    return result;
  }
  if (value == loop.getInductionVar()) {
    result.counter = 1;
    return result;
  }
  if (loop.isDefinedOutsideOfLoop(value)) {
    result.terms[value] = 1;
    return result;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Linear> a = linearOf(op->getOperand(0), loop),
                        b = linearOf(op->getOperand(1), loop);
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    auto isConstant = [](const Linear &x) {
      return x.terms.empty() && x.counter == 0;
    };
    if (!isConstant(*a))
      std::swap(a, b);
    if (!isConstant(*a))
      return std::nullopt;
    result.add(*b, a->constant);
    return result;
  }
  result.add(*a, 1);
  result.add(*b, isa<arith::SubIOp>(op) ? -1 : 1);
  return result;
}

/// Where all elements of a tile of coordinates lie.
struct Extent {
  Linear low, high;
  bool isNatural = true; ///< proved not to be below zero
};

std::optional<Extent> extentOf(Value tile, scf::ForOp loop) {
  auto scalar = [&](Value value) -> std::optional<Extent> {
    Extent result;
    if (!value)
      return result;
    std::optional<Linear> linear = linearOf(value, loop);
    if (!linear)
      return std::nullopt;
    result.low = result.high = *linear;
    result.isNatural = knownRange(value).low >= 0;
    return result;
  };
  Operation *op = tile.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op)) {
    std::optional<Extent> result = scalar(iota.getBase());
    if (result)
      result->high.constant +=
          cast<RankedTensorType>(tile.getType()).getDimSize(iota.getDim()) - 1;
    return result;
  }
  if (auto expand = dyn_cast_or_null<ExpandOp>(op)) {
    if (expand.getSource().getType().isIndex())
      return scalar(expand.getSource());
    return extentOf(expand.getSource(), loop);
  }
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    std::optional<Extent> a = extentOf(op->getOperand(0), loop),
                          b = extentOf(op->getOperand(1), loop);
    if (!a || !b)
      return std::nullopt;
    bool minus = isa<arith::SubIOp>(op);
    a->low.add(minus ? b->high : b->low, minus ? -1 : 1);
    a->high.add(minus ? b->low : b->high, minus ? -1 : 1);
    a->isNatural &= b->isNatural && !minus;
    return a;
  }
  SplatElementsAttr splat;
  if (op && matchPattern(tile, m_Constant(&splat)) && splat &&
      isa<IntegerAttr>(splat.getSplatValue<Attribute>())) {
    Extent result;
    result.low.constant = result.high.constant =
        splat.getSplatValue<APInt>().getSExtValue();
    result.isNatural = result.low.constant >= 0;
    return result;
  }
  return std::nullopt;
}

/// What is not negative if a comparison holds for all elements.
std::optional<Linear> marginOf(arith::CmpIOp compare, scf::ForOp loop) {
  using P = arith::CmpIPredicate;
  std::optional<Extent> a = extentOf(compare.getLhs(), loop),
                        b = extentOf(compare.getRhs(), loop);
  if (!a || !b)
    return std::nullopt;
  P predicate = compare.getPredicate();
  bool isUnsigned =
      llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate);
  if (isUnsigned && !(a->isNatural && b->isNatural))
    return std::nullopt;
  if (llvm::is_contained({P::ugt, P::uge, P::sgt, P::sge}, predicate))
    std::swap(a, b);
  else if (!llvm::is_contained({P::ult, P::ule, P::slt, P::sle}, predicate))
    return std::nullopt;
  Linear margin = b->low;
  margin.add(a->high, -1);
  if (llvm::is_contained({P::ult, P::slt, P::ugt, P::sgt}, predicate))
    margin.constant -= 1;
  return margin;
}

/// Trips in which a condition holds for all elements of a tile: those at least
/// `from` and below `to`. Null: no such end.
struct Stretch {
  Value from, to;
};

class Split {
public:
  explicit Split(scf::ForOp loop) : loop(loop), b(loop) {}

  void run() {
    APInt step;
    if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne())
      return;
    for (auto [i, op] : llvm::enumerate(loop.getBody()->without_terminator())) {
      places[&op] = i;
      if (op.getNumResults() == 1 && isMask(op.getResult(0)))
        if (std::optional<Stretch> stretch = stretchOf(&op))
          known[&op] = *stretch;
    }
    SmallVector<Operation *> conditions;
    for (Operation &op : loop.getBody()->without_terminator())
      if (known.contains(&op) &&
          !llvm::all_of(op.getUsers(),
                        [&](Operation *user) { return known.contains(user); }))
        conditions.push_back(&op);
    if (!conditions.empty())
      split(conditions);
  }

private:
  static bool isMask(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getElementType().isInteger(1);
  }

  /// Of conditions of coordinates, joined by `and` and `or`.
  std::optional<Stretch> stretchOf(Operation *op) {
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      std::optional<Linear> margin = marginOf(compare, loop);
      if (!margin || margin->counter == 0)
        return std::nullopt;
      Value bound = boundOf(*margin);
      return margin->counter < 0 ? Stretch{Value(), bound}
                                 : Stretch{bound, Value()};
    }
    if (!isa<ExpandOp, ConvertLayoutOp, arith::AndIOp, arith::OrIOp>(op))
      return std::nullopt;
    SmallVector<Stretch> operands;
    for (Value operand : op->getOperands())
      if (auto it = known.find(operand.getDefiningOp()); it != known.end())
        operands.push_back(it->second);
    if (isa<arith::OrIOp>(op) && !operands.empty())
      return operands.size() == 1 ? operands[0]
                                  : united(operands[0], operands[1]);
    if (operands.size() < op->getNumOperands())
      return std::nullopt;
    return operands.size() == 1 ? operands[0]
                                : intersected(operands[0], operands[1]);
  }

  Stretch intersected(Stretch x, Stretch y) {
    return {joined<arith::MaxSIOp>(x.from, y.from),
            joined<arith::MinSIOp>(x.to, y.to)};
  }

  /// All trips of both where that is one stretch for sure, else the longer one.
  Stretch united(Stretch x, Stretch y) {
    Location loc = loop.getLoc();
    if (!x.to && !y.to)
      return {arith::MinSIOp::create(b, loc, x.from, y.from), Value()};
    if (!x.from && !y.from)
      return {Value(), arith::MaxSIOp::create(b, loc, x.to, y.to)};
    auto bounded = [&](Stretch s) -> Stretch {
      return {s.from ? clamped(s.from) : loop.getLowerBound(),
              s.to ? clamped(s.to) : loop.getUpperBound()};
    };
    x = bounded(x);
    y = bounded(y);
    Value trips = arith::SubIOp::create(b, loc, x.to, x.from),
          others = arith::SubIOp::create(b, loc, y.to, y.from);
    Value isLonger =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, trips, others);
    return {arith::SelectOp::create(b, loc, isLonger, x.from, y.from),
            arith::SelectOp::create(b, loc, isLonger, x.to, y.to)};
  }

  template <typename Op>
  Value joined(Value x, Value y) {
    if (!x || !y)
      return x ? x : y;
    return Op::create(b, loop.getLoc(), x, y);
  }

  Value clamped(Value trip) {
    Location loc = loop.getLoc();
    return arith::MinSIOp::create(
        b, loc, loop.getUpperBound(),
        arith::MaxSIOp::create(b, loc, trip, loop.getLowerBound()));
  }

  Value number(int64_t n) {
    return arith::ConstantIndexOp::create(b, loop.getLoc(), n);
  }

  /// The first trip of which a margin that grows with the counter is not
  /// negative, or the first of which one that shrinks is.
  Value boundOf(const Linear &margin) {
    Location loc = loop.getLoc();
    bool shrinks = margin.counter < 0;
    int64_t stride = std::abs(margin.counter);
    // shrinks: floor(m / stride) + 1; grows: ceil(-m / stride).
    int64_t sign = shrinks ? 1 : -1;
    Value sum = number(sign * margin.constant + stride - (shrinks ? 0 : 1));
    for (auto [value, count] : margin.terms) {
      if (!count)
        continue;
      Value term = value;
      if (std::abs(count) != 1)
        term = arith::MulIOp::create(b, loc, value, number(std::abs(count)));
      if ((count > 0) == (sign > 0))
        sum = arith::AddIOp::create(b, loc, sum, term);
      else
        sum = arith::SubIOp::create(b, loc, sum, term);
    }
    sum = arith::MaxSIOp::create(b, loc, sum, number(0));
    return arith::DivUIOp::create(b, loc, sum, number(stride));
  }

  /// What of a condition holds by the end that `accept` looks at alone.
  void parts(Operation *op, llvm::function_ref<bool(Stretch)> accept,
             SmallVectorImpl<unsigned> &found) {
    auto it = known.find(op);
    if (it == known.end())
      return;
    if (accept(it->second))
      found.push_back(places[op]);
    else if (isa<ExpandOp, ConvertLayoutOp, arith::AndIOp>(op))
      for (Value operand : op->getOperands())
        parts(operand.getDefiningOp(), accept, found);
  }

  /// A copy of the loop for some trips, in which some masks hold.
  void copy(Value lower, Value upper, ArrayRef<unsigned> holding) {
    IRMapping map;
    auto part = cast<scf::ForOp>(b.clone(*loop, map));
    part.setLowerBound(lower);
    part.setUpperBound(upper);
    part.getInitArgsMutable().assign(carried);
    carried.assign(part.result_begin(), part.result_end());
    copies.push_back(part);
    llvm::SmallSetVector<Operation *, 4> masks;
    for (unsigned i : holding)
      masks.insert(
          &*std::next(part.getBody()->begin(), static_cast<int64_t>(i)));
    for (Operation *mask : masks) {
      OpBuilder inner(mask);
      auto type = cast<RankedTensorType>(mask->getResult(0).getType());
      mask->getResult(0).replaceAllUsesWith(arith::ConstantOp::create(
          inner, loop.getLoc(), type, DenseElementsAttr::get(type, true)));
      mask->erase();
    }
    // What masks went through on the way to a choice elsewhere goes too.
    if (!masks.empty() && !part.getBody()->getOps<MapOp>().empty()) {
      RewritePatternSet patterns(loop.getContext());
      populateConstantTiles(patterns);
      (void)applyPatternsGreedily(part.getRegion(), std::move(patterns));
    }
  }

  void split(ArrayRef<Operation *> conditions) {
    Location loc = loop.getLoc();
    Stretch all;
    SmallVector<unsigned> every, early, late;
    for (Operation *op : conditions) {
      all = intersected(all, known[op]);
      parts(op, [](Stretch) { return true; }, every);
      parts(op, [](Stretch s) { return !s.from; }, early);
      parts(op, [](Stretch s) { return !s.to; }, late);
    }
    Value low = loop.getLowerBound(), high = loop.getUpperBound();
    Value begin = all.from ? clamped(all.from) : low, end = high;
    if (all.to)
      end = arith::MinSIOp::create(
          b, loc, high, arith::MaxSIOp::create(b, loc, all.to, begin));
    carried.assign(loop.getInitArgs().begin(), loop.getInitArgs().end());
    if (all.from) {
      // Most often what holds up to some trip does so beyond `begin`.
      Value cut = low;
      if (!early.empty()) {
        cut = arith::MinSIOp::create(b, loc, begin, clamped(all.to));
        copy(low, cut, early);
      }
      copy(cut, begin, {});
    }
    copy(begin, end, every);
    if (all.to)
      copy(end, high, late);
    // A slot that the loop read is handed back behind all of them.
    for (OpResult result : loop.getResults())
      for (Operation *user : result.getUsers())
        if (auto exit = dyn_cast<ExitOp>(user))
          for (scf::ForOp earlier : ArrayRef(copies).drop_back())
            exit.getAfterMutable().append(
                earlier.getResult(result.getResultNumber()));
    loop->replaceAllUsesWith(carried);
    loop.erase();
  }

  scf::ForOp loop;
  OpBuilder b;
  DenseMap<Operation *, unsigned> places; ///< in the loop's body
  DenseMap<Operation *, Stretch> known;
  SmallVector<Value> carried;
  SmallVector<scf::ForOp> copies;
};

struct SplitMaskedRanges
    : helios::impl::TileSplitMaskedRangesBase<SplitMaskedRanges> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      // Where lanes only move tiles, a comparison more costs nothing.
      if (!loop.getBody()->getOps<DotOp>().empty())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      Split(loop).run();
    // What it was good for is done.
    SmallVector<arith::OrIOp> implied;
    getOperation().walk([&](arith::OrIOp op) {
      if (op->hasAttr(kImpliedAttr))
        implied.push_back(op);
    });
    for (arith::OrIOp op : implied) {
      op.replaceAllUsesWith(op.getLhs());
      op.erase();
    }
  }
};

} // namespace
