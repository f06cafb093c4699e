// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: the epilogue of a product.

#include "HeliosToTileRegion.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

FailureOr<SmallVector<Value>>
totile::emitEpilogue(OpBuilder &builder, const Product &product,
                     ValueRange sums, function_ref<Value(unsigned)> load,
                     function_ref<FailureOr<Value>(Value)> scalar,
                     ArrayRef<Value> base) {
  auto op = cast<MatmulOp>(product.op);
  Location loc = op.getLoc();
  int64_t shape[] = {product.tile[product.m()], product.tile[product.n()]};
  RegionEmitter emitter(builder, shape);
  Block &block = op.getEpilogue().front();
  for (auto [argument, sum] : llvm::zip(op.getAccumulatorArguments(), sums))
    emitter.map(argument, {sum, true, true});
  unsigned first = product.firstFused();
  for (auto [i, argument, access] : llvm::enumerate(
           op.getFusedArguments(),
           ArrayRef(product.accesses).slice(first, op.getFused().size()))) {
    if (argument.use_empty())
      continue;
    bool rows = llvm::is_contained(access.axes, product.m()),
         columns = llvm::is_contained(access.axes, product.n());
    // An operand without a spatial dimension is read as a row of equal
    // elements.
    emitter.map(argument, {load(first + i), rows, columns || !rows});
  }
  // The groups of a grouped product are no dimension of its result.
  int64_t groups = product.grouped ? 1 : 0;
  for (auto [dim, argument] : llvm::enumerate(op.getIndexArguments())) {
    int64_t i = int64_t(dim) + groups;
    bool rows = i == product.m(), columns = i == product.n();
    if (rows || columns)
      emitter.mapIndex(argument, columns, base[i]);
    else
      emitter.map(argument, {base[i], false, false});
  }
  FailureOr<SmallVector<Varying>> yielded = emitter.emit(block, scalar);
  if (failed(yielded))
    return failure();
  SmallVector<Value> stored;
  for (Varying varying : *yielded)
    stored.push_back(emitter.broadcast(loc, varying, true, true));
  return stored;
}
