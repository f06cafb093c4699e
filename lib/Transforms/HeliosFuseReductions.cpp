// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-fuse: what tensor code combines of a product's results becomes results
// of the product.

#include "HeliosFuse.h"
#include "helios/Dialect/Helios/Utils/Reductions.h"

using namespace mlir;
using namespace helios;

/// What keeps a product from having reductions of its own; empty if nothing
/// does.
static StringRef whyNotCombined(MatmulOp op) {
  if (op.isGrouped())
    return "rows of the product belong to groups";
  if (op.getBatchInvariant())
    return "the product is 'batch_invariant'";
  return {};
}

void fuse::makeReductions(
    MatmulOp op,
    function_ref<void(Operation *reduce, StringRef reason)> refused) {
  SmallVector<std::pair<linalg::ReduceOp, unsigned>> found;
  SmallVector<Attribute> reductions;
  if (op.getReductions())
    llvm::append_range(reductions, *op.getReductions());
  for (OpResult result : op->getResults())
    for (Operation *user : result.getUsers()) {
      auto reduce = dyn_cast<linalg::ReduceOp>(user);
      if (!reduce || reduce->getBlock() != op->getBlock() ||
          op.getReduction(result.getResultNumber()))
        continue;
      std::string reason = whyNotCombined(op).str();
      ReductionAttr reduction =
          reason.empty() ? getReductionOf(reduce, reason) : ReductionAttr();
      if (!reduction) {
        refused(reduce, reason);
        continue;
      }
      found.push_back({reduce, result.getResultNumber()});
      reductions.push_back(reduction);
    }
  if (found.empty())
    return;
  OpBuilder builder(op);
  op.materializeEpilogue(builder);
  SmallVector<Type> types(op->getResultTypes());
  SmallVector<Value> yielded(op.getYielded());
  for (auto [reduce, number] : found) {
    types.push_back(reduce.getResult(0).getType());
    yielded.push_back(yielded[number]);
  }
  MatmulOp combined = op.withResults(builder, types, reductions);
  combined.getEpilogue().takeBody(op.getEpilogue());
  combined.getPrologue().takeBody(op.getPrologue());
  combined.getPrologueA().takeBody(op.getPrologueA());
  combined.getEpilogue().front().getTerminator()->setOperands(yielded);
  unsigned before = op->getNumResults();
  for (auto [i, entry] : llvm::enumerate(found)) {
    entry.first.getResult(0).replaceAllUsesWith(
        combined->getResult(before + i));
    entry.first->erase();
  }
  op->replaceAllUsesWith(combined->getResults().take_front(before));
  op->erase();
}
