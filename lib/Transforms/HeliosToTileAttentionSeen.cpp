// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeliosToTileAttentionSeen.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Steps of queries whose elements are on their way together when runs are
/// looked for.
static constexpr int64_t kStepsLookedAt = 4;

LogicalResult SeenEmitter::enterQueries() {
  // What is left of the item, up to the last query.
  Value count = arith::MinSIOp::create(
      builder, loc, constant(queries),
      arith::SubIOp::create(builder, loc, extents[product.m()], firstQuery));
  steps = arith::CeilDivUIOp::create(builder, loc, count, constant(m));
  lastQuery = arith::SubIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, firstQuery, count),
      constant(1));
  return success(!takesRuns() || runs.getTerms().empty() ||
                 succeeded(emitMixed()));
}

Value SeenEmitter::reduce(tile::ReduceKind kind, Value tile, int64_t dim,
                          int64_t extent) {
  auto type =
      RankedTensorType::get(extent, getElementTypeOrSelf(tile.getType()));
  return tile::ReduceOp::create(
      builder, loc, type, tile::ReduceKindAttr::get(builder.getContext(), kind),
      tile, builder.getI64IntegerAttr(dim));
}

bool SeenEmitter::takesRuns() {
  auto arguments = op.getMask().front().getArguments();
  return runs.areKnown() &&
         llvm::all_of(llvm::seq<unsigned>(op.getFused().size()), [&](auto i) {
           auto type = dyn_cast<IntegerType>(arguments[i].getType());
           return arguments[i].use_empty() || alongFn(product.n())(i) ||
                  (type && type.getWidth() > 1);
         });
}

Value SeenEmitter::fusedAt(unsigned number, Value query) {
  unsigned access = product.firstFused() + number;
  Value place = std::exchange(offsets[product.m()], query);
  SmallVector<Value> at = offsetsOf(product.accesses[access]);
  if (isRepeated(product.accesses[access]))
    at.push_back(constant(0));
  offsets[product.m()] = place;
  return element(access, at);
}

FailureOr<Value> SeenEmitter::termAt(Value value, Value at) {
  if (value.getParentRegion() != &op.getMask())
    return outer(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber(), count = op.getFused().size();
    if (number < count)
      return fusedAt(number, at);
    return number == count ? offsets[0] : number == count + 1 ? head.value : at;
  }
  IRMapping mapping;
  for (Value operand : value.getDefiningOp()->getOperands()) {
    FailureOr<Value> mapped = termAt(operand, at);
    if (failed(mapped))
      return failure();
    mapping.map(operand, *mapped);
  }
  Operation *clone = builder.clone(*value.getDefiningOp(), mapping);
  return clone->getResult(cast<OpResult>(value).getResultNumber());
}

LogicalResult SeenEmitter::emitMaskAt(RegionEmitter &region, Value at) {
  auto loaded = fused;
  auto arguments = op.getMask().front().getArguments();
  for (unsigned i = 0; i < op.getFused().size(); ++i)
    if (!arguments[i].use_empty() && !alongFn(product.n())(i))
      fused[i] = {fusedAt(i, at)};
  query = {at};
  FailureOr<Varying> keep = emitRegion(region, op.getMask(), {});
  query = {};
  fused = std::move(loaded);
  return keep;
}

void SeenEmitter::enterKeys(Value step) {
  Value first =
      arith::MulIOp::create(builder, loc, step, constant(n * kTilesOfStep));
  tiles.clear();
  auto before = fused;
  for (int64_t number = 0; number < kTilesOfStep; ++number) {
    offsets[product.n()] =
        arith::AddIOp::create(builder, loc, first, constant(number * n));
    loadOnce([&](ArrayRef<int64_t> axes) {
      return llvm::is_contained(axes, product.n()) &&
             !llvm::is_contained(axes, product.m());
    });
    tiles.push_back({offsets[product.n()], std::exchange(fused, before)});
  }
}

void SeenEmitter::enterTile(int64_t number) {
  offsets[product.n()] = tiles[number].offset;
  fused = tiles[number].fused;
}

FailureOr<SeenEmitter::Counts> SeenEmitter::countInRun(Value first, Value last,
                                                       Value all) {
  Counts counts;
  for (int64_t number = 0; number < kTilesOfStep; ++number) {
    enterTile(number);
    RegionEmitter region(builder, {m, n});
    if (failed(emitMaskAt(region, first)))
      return failure();
    MaskAnalysis::Item run = item();
    run.query = first;
    run.last = last;
    run.keys = 1;
    FailureOr<Seen> seen = runs.emit(region, run);
    if (failed(seen))
      return failure();
    Value some = arith::SelectOp::create(builder, loc, seen->some, splatOf(1),
                                         splatOf(0));
    counts.push_back(
        arith::SelectOp::create(builder, loc, seen->all, all, some));
  }
  return counts;
}

FailureOr<SeenEmitter::Counts> SeenEmitter::countInPairs() {
  Counts counts;
  auto ones = [&](int64_t value) {
    return splat({m, n}, builder.getI32IntegerAttr(value));
  };
  for (int64_t number = 0; number < kTilesOfStep; ++number) {
    enterTile(number);
    FailureOr<Value> keep = emitMaskRegion();
    if (failed(keep))
      return failure();
    Value isSeen =
        arith::SelectOp::create(builder, loc, *keep, ones(1), ones(0));
    counts.push_back(reduce(tile::ReduceKind::Add, isSeen, /*dim=*/0, n));
  }
  return counts;
}

FailureOr<SeenEmitter::Counts> SeenEmitter::either(Value condition, CountFn yes,
                                                   CountFn no) {
  SmallVector<Type> types(kTilesOfStep, splatOf(0).getType());
  auto branch = scf::IfOp::create(builder, loc, types, condition,
                                  /*withElseRegion=*/true);
  for (auto [block, count] : {std::pair(branch.thenBlock(), yes),
                              std::pair(branch.elseBlock(), no)}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    FailureOr<Counts> results = count();
    if (failed(results))
      return failure();
    scf::YieldOp::create(builder, loc, *results);
  }
  return Counts(branch.getResults());
}

FailureOr<SeenEmitter::Terms> SeenEmitter::termsAt(Value at) {
  Terms result;
  for (Value term : runs.getTerms()) {
    FailureOr<Value> value = termAt(term, at);
    if (failed(value))
      return failure();
    result.push_back(*value);
  }
  return result;
}

FailureOr<Value> SeenEmitter::differs(const Terms &terms, Value at) {
  FailureOr<Terms> others = termsAt(at);
  if (failed(others))
    return failure();
  Value result;
  for (auto [one, other] : llvm::zip_equal(terms, *others)) {
    Value unequal = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::ne, one, other);
    result = result ? builder.createOrFold<arith::OrIOp>(loc, result, unequal)
                    : unequal;
  }
  return result;
}

LogicalResult SeenEmitter::emitMixed() {
  FailureOr<Terms> ofItem = termsAt(firstQuery);
  if (failed(ofItem))
    return failure();
  Value none = number(0);
  Value trips =
      arith::CeilDivUIOp::create(builder, loc, steps, constant(kStepsLookedAt));
  auto loop = scf::ForOp::create(builder, loc, constant(0), trips, constant(1),
                                 ValueRange{none, none});
  mixedSteps = loop.getResult(0);
  mixedItem = loop.getResult(1);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value ofSteps = loop.getRegionIterArg(0), ofAll = loop.getRegionIterArg(1);
  auto add = [&](Value &bits, Value condition, Value bit) {
    bits = arith::OrIOp::create(
        builder, loc, bits,
        arith::SelectOp::create(builder, loc, condition, bit, none));
  };
  Value step = arith::MulIOp::create(builder, loc, loop.getInductionVar(),
                                     constant(kStepsLookedAt));
  Value bit = arith::ShLIOp::create(
      builder, loc, number(1),
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), step));
  Value from = queryOf(step);
  for (int64_t begin = 0; begin < kStepsLookedAt * m; begin += m) {
    Value first = inItem(from, begin);
    FailureOr<Terms> ofStep = termsAt(first);
    FailureOr<Value> apart = differs(*ofItem, first);
    if (failed(ofStep) || failed(apart))
      return failure();
    add(ofAll, *apart, number(1));
    Value mixed;
    for (int64_t row = 1; row < m; ++row) {
      FailureOr<Value> other = differs(*ofStep, inItem(from, begin + row));
      if (failed(other))
        return failure();
      mixed = mixed ? builder.createOrFold<arith::OrIOp>(loc, mixed, *other)
                    : *other;
    }
    if (mixed) {
      add(ofSteps, mixed, bit);
      add(ofAll, mixed, number(1));
    }
    bit = arith::AddIOp::create(builder, loc, bit, bit);
  }
  scf::YieldOp::create(builder, loc, ValueRange{ofSteps, ofAll});
  return success();
}

Value SeenEmitter::queryOf(Value step) {
  return arith::AddIOp::create(
      builder, loc, firstQuery,
      arith::MulIOp::create(builder, loc, step, constant(m)));
}

// Places fit in 32 bits, which cost less.
Value SeenEmitter::inItem(Value query, int64_t row) {
  auto narrow = [&](Value place) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getI32Type(),
                                        place);
  };
  Value place = arith::AddIOp::create(builder, loc, narrow(query), number(row));
  place = arith::MinUIOp::create(builder, loc, place, narrow(lastQuery));
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      place);
}

FailureOr<SeenEmitter::Counts> SeenEmitter::countInStep(Value step) {
  Value first = queryOf(step);
  offsets[product.m()] = first;
  if (!mixedSteps)
    return countInPairs();
  Value place =
      arith::IndexCastOp::create(builder, loc, mixedSteps.getType(), step);
  Value bit = arith::TruncIOp::create(
      builder, loc, builder.getI1Type(),
      arith::ShRUIOp::create(builder, loc, mixedSteps, place));
  return either(
      bit, [&] { return countInPairs(); },
      [&] { return countInRun(first, inItem(first, m - 1), splatOf(m)); });
}

FailureOr<SeenEmitter::Counts> SeenEmitter::countInSteps() {
  auto loop = scf::ForOp::create(builder, loc, constant(0), steps, constant(1),
                                 Counts(kTilesOfStep, splatOf(0)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  FailureOr<Counts> counts = countInStep(loop.getInductionVar());
  offsets[product.m()] = firstQuery;
  if (failed(counts))
    return failure();
  for (auto [count, known] : llvm::zip_equal(*counts, loop.getRegionIterArgs()))
    count = arith::AddIOp::create(builder, loc, known, count);
  scf::YieldOp::create(builder, loc, *counts);
  return Counts(loop.getResults());
}

FailureOr<SmallVector<SeenEmitter::Seen>> SeenEmitter::emitSeen() {
  // How many queries see a key says both. Rows behind the last query may hide
  // keys that all queries see: fewer blocks go without a mask then.
  Value walked = arith::IndexCastOp::create(
      builder, loc, builder.getI32Type(),
      arith::MulIOp::create(builder, loc, steps, constant(m)));
  Value all = expand(walked, {n}, 0);
  auto ofRun = [&] { return countInRun(firstQuery, lastQuery, all); };
  auto ofSteps = [&] { return countInSteps(); };
  FailureOr<Counts> counts;
  if (!takesRuns())
    counts = ofSteps();
  else if (!mixedItem)
    counts = ofRun();
  else
    counts =
        either(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                     mixedItem, number(0)),
               ofSteps, ofRun);
  if (failed(counts))
    return failure();
  return llvm::map_to_vector(*counts, [&](Value count) {
    auto is = [&](arith::CmpIPredicate predicate, Value other) -> Value {
      return arith::CmpIOp::create(builder, loc, predicate, count, other);
    };
    return Seen{is(arith::CmpIPredicate::ne, splatOf(0)),
                is(arith::CmpIPredicate::eq, all)};
  });
}
