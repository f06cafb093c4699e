// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-split-masked-ranges: trips in which a comparison of coordinates holds
// for a whole tile get a loop of their own.

#include "ConstantTiles.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"

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

class Split {
public:
  explicit Split(scf::ForOp loop) : loop(loop), b(loop) {}

  void run() {
    APInt step;
    if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne())
      return;
    SmallVector<unsigned> places;
    Value from, to; // where all comparisons hold
    for (auto [i, op] : llvm::enumerate(loop.getBody()->without_terminator())) {
      auto compare = dyn_cast<arith::CmpIOp>(op);
      if (!compare || !isa<RankedTensorType>(compare.getType()))
        continue;
      std::optional<Linear> margin = marginOf(compare, loop);
      if (!margin || margin->counter == 0)
        continue;
      places.push_back(i);
      Value bound = boundOf(*margin);
      Value &side = margin->counter < 0 ? to : from;
      if (!side)
        side = bound;
      else if (margin->counter < 0)
        side = arith::MinSIOp::create(b, loop.getLoc(), side, bound);
      else
        side = arith::MaxSIOp::create(b, loop.getLoc(), side, bound);
    }
    if (!places.empty())
      split(from, to, places);
  }

private:
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

  void split(Value from, Value to, ArrayRef<unsigned> places) {
    Location loc = loop.getLoc();
    Value low = loop.getLowerBound(), high = loop.getUpperBound();
    auto clamp = [&](Value v) -> Value {
      return arith::MinSIOp::create(b, loc, high,
                                    arith::MaxSIOp::create(b, loc, v, low));
    };
    Value begin = from ? clamp(from) : low, end = high;
    if (to)
      end = arith::MinSIOp::create(b, loc, high,
                                   arith::MaxSIOp::create(b, loc, to, begin));
    SmallVector<Value> carried(loop.getInitArgs());
    SmallVector<scf::ForOp> parts;
    auto part = [&](Value lower, Value upper) {
      IRMapping map;
      auto copy = cast<scf::ForOp>(b.clone(*loop, map));
      copy.setLowerBound(lower);
      copy.setUpperBound(upper);
      copy.getInitArgsMutable().assign(carried);
      carried.assign(copy.result_begin(), copy.result_end());
      parts.push_back(copy);
      return copy;
    };
    if (from)
      part(low, begin);
    scf::ForOp plain = part(begin, end);
    SmallVector<Operation *> compares;
    for (unsigned i : places)
      compares.push_back(
          &*std::next(plain.getBody()->begin(), static_cast<int64_t>(i)));
    for (Operation *compare : compares) {
      OpBuilder inner(compare);
      auto type = cast<RankedTensorType>(compare->getResult(0).getType());
      Value holds = arith::ConstantOp::create(
          inner, loc, type, DenseElementsAttr::get(type, true));
      compare->getResult(0).replaceAllUsesWith(holds);
      compare->erase();
    }
    if (to)
      part(end, high);
    // What masks went through on the way to a choice elsewhere goes too.
    if (!plain.getBody()->getOps<MapOp>().empty()) {
      RewritePatternSet patterns(loop.getContext());
      populateConstantTiles(patterns);
      (void)applyPatternsGreedily(plain.getRegion(), std::move(patterns));
    }
    // A slot that the loop read is handed back behind all of them.
    for (OpResult result : loop.getResults())
      for (Operation *user : result.getUsers())
        if (auto exit = dyn_cast<ExitOp>(user))
          for (scf::ForOp earlier : ArrayRef(parts).drop_back())
            exit.getAfterMutable().append(
                earlier.getResult(result.getResultNumber()));
    loop->replaceAllUsesWith(carried);
    loop.erase();
  }

  scf::ForOp loop;
  OpBuilder b;
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
  }
};

} // namespace
