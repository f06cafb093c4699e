// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: attention whose keys are split. Each slice of the keys leaves
// the softmax over it and the logarithm of its sum of powers of two; the result
// is their mean with these sums as weights. An item has some columns of one
// query, whose slices are the rows of a tile, so that many are in flight at
// once.

#include "HeliosToTileProgram.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

namespace {

class AttentionSumEmitter : public ProgramEmitter {
public:
  AttentionSumEmitter(OpBuilder &builder, const Product &product,
                      Variant variant, int64_t vectorBytes)
      : ProgramEmitter(builder, product, variant, vectorBytes),
        slices(product.tile[product.slices()]),
        columns(product.tile[product.values()]),
        acc(product.accesses.front().elementType) {}

private:
  LogicalResult emitItem() override;
  SmallVector<Value> emitSlices(ValueRange state);
  void emitResults(ValueRange state);
  Value logarithms();

  Value splat(double value) {
    return ProgramEmitter::splat({columns}, builder.getFloatAttr(acc, value));
  }
  Value reduce(tile::ReduceKind kind, Value tile) {
    return tile::ReduceOp::create(
        builder, loc, RankedTensorType::get({columns}, acc),
        tile::ReduceKindAttr::get(builder.getContext(), kind), tile,
        builder.getI64IntegerAttr(0));
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
  }

  int64_t slices, columns; ///< of a tile
  Type acc;
};

/// The logarithms of some slices' sums, -inf beyond the last one.
Value AttentionSumEmitter::logarithms() {
  auto type = RankedTensorType::get({slices}, builder.getIndexType());
  Value number =
      tile::IotaOp::create(builder, loc, type, builder.getI64IntegerAttr(0),
                           offsets[product.slices()]);
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, number,
                            expand(extents[product.slices()], {slices}, 0));
  Value none =
      ProgramEmitter::splat({slices}, builder.getFloatAttr(acc, -INFINITY));
  return arith::SelectOp::create(builder, loc, inside, load(1), none);
}

/// Of the first slices, before there is a state, all columns have the same
/// weights, so that a lane makes them once.
SmallVector<Value> AttentionSumEmitter::emitSlices(ValueRange state) {
  Value parts = load(0);
  Value sums = expand(logarithms(), {slices, columns}, 1);
  Value newLargest = reduce(tile::ReduceKind::Max, sums);
  if (!state.empty())
    newLargest = arith::MaximumFOp::create(builder, loc, state[0], newLargest);
  Value base = arith::SelectOp::create(builder, loc,
                                       isEqual(newLargest, splat(-INFINITY)),
                                       splat(0), newLargest);
  auto below = [&](Value value, Value base) {
    Value exponent = arith::SubFOp::create(builder, loc, value, base);
    return math::Exp2Op::create(builder, loc, exponent).getResult();
  };
  Value factor = state.empty() ? Value() : below(state[0], base),
        weights = below(sums, expand(base, {slices, columns}, 0));
  auto add = [&](size_t old, Value tile) -> Value {
    Value sum = reduce(tile::ReduceKind::Add, tile);
    return state.empty()
               ? sum
               : math::FmaOp::create(builder, loc, state[old], factor, sum);
  };
  Value weighted = arith::MulFOp::create(builder, loc, weights, parts);
  return {newLargest, add(1, weights), add(2, weighted)};
}

void AttentionSumEmitter::emitResults(ValueRange state) {
  Value largest = state[0], sum = state[1], result = state[2];
  Value zero = splat(0), isEmpty = isEqual(sum, zero);
  Value reciprocal = arith::DivFOp::create(builder, loc, splat(1), sum);
  result = arith::MulFOp::create(builder, loc, result, reciprocal);
  result = arith::SelectOp::create(builder, loc, isEmpty, zero, result);
  int64_t number = product.accesses.size() - product.numResults;
  Type stored = product.accesses[number].elementType;
  if (stored != acc)
    result = arith::TruncFOp::create(
        builder, loc, RankedTensorType::get({columns}, stored), result);
  store(result, number);
  if (product.numResults == 1)
    return;
  // All columns hold the same, of which the first one has a place.
  Value logarithm = arith::AddFOp::create(
      builder, loc, largest, math::Log2Op::create(builder, loc, sum));
  logarithm =
      arith::MulFOp::create(builder, loc, logarithm, splat(llvm::numbers::ln2));
  logarithm = arith::SelectOp::create(builder, loc, isEmpty, splat(-INFINITY),
                                      logarithm);
  offsets[product.repeated(product.accesses[number + 1])] =
      offsets[product.values()];
  store(logarithm, number + 1);
}

LogicalResult AttentionSumEmitter::emitItem() {
  int64_t axis = product.slices();
  Value steps =
      arith::CeilDivUIOp::create(builder, loc, extents[axis], constant(slices));
  offsets[axis] = constant(0);
  auto loop = scf::ForOp::create(builder, loc, constant(1), steps, constant(1),
                                 emitSlices({}));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    offsets[axis] = arith::MulIOp::create(builder, loc, loop.getInductionVar(),
                                          constant(slices));
    scf::YieldOp::create(builder, loc, emitSlices(loop.getRegionIterArgs()));
  }
  emitResults(loop.getResults());
  return success();
}

} // namespace

FailureOr<Program>
totile::emitAttentionSum(OpBuilder &builder, const Product &product,
                         Variant variant, ScheduleAttr schedule,
                         Attribute target, int64_t vectorBytes,
                         StringRef name) {
  return AttentionSumEmitter(builder, product, variant, vectorBytes)
      .run(schedule, target, name);
}
