// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeliosToTileGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

ValueRange GroupSearch::walk(
    ValueRange carried,
    function_ref<SmallVector<Value>(const Group &, ValueRange)> visit) {
  Value last = narrow(rows), zero = constant(0);
  Value less = constant(tile - 1), size = constant(tile);
  SmallVector<Value> inits{zero, zero};
  llvm::append_range(inits, carried);
  auto loop =
      scf::ForOp::create(builder, loc, make<arith::ConstantIndexOp>(0), groups,
                         make<arith::ConstantIndexOp>(1), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange arguments = loop.getRegionIterArgs();
  Group group{loop.getInductionVar(), arguments[0], {}, arguments[1], {}};
  // No group ends before the one before it or behind the last row.
  group.end = make<arith::MaxSIOp>(
      make<arith::MinSIOp>(endOf(group.number), last), group.begin);
  group.tiles = make<arith::DivUIOp>(
      make<arith::AddIOp>(make<arith::SubIOp>(group.end, group.begin), less),
      size);
  SmallVector<Value> next{group.end,
                          make<arith::AddIOp>(group.before, group.tiles)};
  llvm::append_range(next, visit(group, arguments.drop_front(2)));
  scf::YieldOp::create(builder, loc, next);
  return loop.getResults().drop_front();
}

Value GroupSearch::count() {
  ValueRange results =
      walk({}, [](const Group &, ValueRange) { return SmallVector<Value>(); });
  return wide(results.front());
}

RowsOfGroup GroupSearch::find(Value item) {
  Value number = narrow(item), size = constant(tile), zero = constant(0);
  SmallVector<Value> none{make<arith::ConstantIndexOp>(0), zero, zero};
  ValueRange found = walk(none, [&](const Group &group, ValueRange known) {
    Value place = make<arith::SubIOp>(number, group.before);
    // Items of groups before this one are far away.
    Value isIn =
        make<arith::CmpIOp>(arith::CmpIPredicate::ult, place, group.tiles);
    Value first =
        make<arith::AddIOp>(group.begin, make<arith::MulIOp>(place, size));
    SmallVector<Value> next{group.number, first, group.end};
    for (auto [here, before] : llvm::zip(next, known))
      here = make<arith::SelectOp>(isIn, here, before);
    return next;
  });
  return {found[1], wide(found[2]), wide(found[3])};
}
