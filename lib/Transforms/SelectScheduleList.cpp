// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: all schedules of a product in the order of their
// prices, for tools that measure them.

#include "SelectSchedule.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "helios/Transforms/Schedules.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// The extents of an operand; empty, with a diagnostic, if it is no argument
/// with as many.
static ArrayRef<int64_t> extentsOf(MatmulOp op, Value operand,
                                   ArrayRef<SmallVector<int64_t>> inputs) {
  auto argument = dyn_cast<BlockArgument>(operand);
  int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
  if (!argument) {
    op.emitOpError("has an operand that is no argument of its kernel; expected "
                   "arguments alone where schedules are listed");
    return {};
  }
  unsigned number = 0;
  for (BlockArgument before : argument.getOwner()->getArguments()) {
    if (before == argument)
      break;
    number += isa<RankedTensorType>(before.getType());
  }
  if (number >= inputs.size() || int64_t(inputs[number].size()) != rank) {
    op.emitOpError("expected ")
        << rank << " extents of tensor " << number << ", got "
        << (number < inputs.size() ? inputs[number].size() : 0);
    return {};
  }
  return inputs[number];
}

FailureOr<ScheduleList>
helios::listSchedules(KernelOp kernel, ArrayRef<SmallVector<int64_t>> inputs) {
  auto products = kernel.getBody().getOps<MatmulOp>();
  auto target =
      dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
  if (!target || !llvm::hasSingleElement(products) ||
      !kernel.getBody().getOps<AttentionOp>().empty())
    return kernel.emitOpError("has no list of schedules; expected a target and "
                              "one product");
  // Layouts are attributes of level 2, which no pass has asked for here.
  kernel.getContext()->loadDialect<tile::TileDialect>();
  MatmulOp op = *products.begin();
  ArrayRef<int64_t> a = extentsOf(op, op.getLhs(), inputs),
                    b = extentsOf(op, op.getRhs(), inputs);
  if (a.empty() || b.empty())
    return failure();
  auto candidates = allThatFit(op, target);
  if (failed(candidates))
    return failure();
  int64_t rows = a[a.size() - 2], columns = b.back(), depth = a.back();
  if (op.getTransposeA())
    std::swap(rows, depth);
  if (op.getTransposeB())
    columns = b[b.size() - 2];
  const tile::TargetCosts &costs = target.getCosts();
  auto beginsAtLines = [&](ArrayRef<int64_t> extents, Value operand) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    return extents.back() * bytesOf(element) % costs.lineBytes == 0;
  };
  bool aligned = beginsAtLines(a, op.getLhs()) && beginsAtLines(b, op.getRhs());
  SmallVector<PricedSchedule> all;
  // What no launch of these extents takes has no price.
  SmallVector<Candidate> made = madeThatFit(op, target);
  llvm::append_range(*candidates, packedThatFit(op, target));
  llvm::append_range(*candidates, made);
  llvm::append_range(*candidates, turnedThatFit(op, target));
  bool turns = anyTurns(*candidates);
  auto add = [&](Candidate candidate) {
    if (!made.empty())
      priceBesideMade(candidate, costs);
    if (turns)
      priceBesideTurned(op, candidate, target);
    double price =
        LaunchPrice(op, candidate, costs)(rows, columns, depth, aligned);
    if (std::isfinite(price))
      all.push_back({candidate.schedule, price});
  };
  DenseSet<Attribute> listed;
  for (const Candidate &candidate : *candidates)
    listed.insert(candidate.schedule);
  llvm::copy_if(fewThatFit(op, target), std::back_inserter(*candidates),
                [&](const Candidate &candidate) {
                  return listed.insert(candidate.schedule).second;
                });
  for (const Candidate &candidate : *candidates) {
    add(candidate);
    if (std::optional<Candidate> split = splitOf(op, candidate, target))
      add(*split);
    if (std::optional<Candidate> stream = streamOf(op, candidate))
      add(*stream);
    for (int64_t shares = 2; shares <= target.getMaxCluster(); shares *= 2)
      if (std::optional<Candidate> shared =
              sharingKOf(op, candidate, shares, target))
        add(*shared);
  }
  if (hasThin(op, candidates->front().schedule))
    for (const Candidate &thin : thinOf(op, target))
      add(thin);
  if (hasRoles(candidates->front().schedule))
    if (std::optional<Candidate> brief = briefOf(op, target))
      add(*brief);
  llvm::stable_sort(all, [](const PricedSchedule &x, const PricedSchedule &y) {
    return x.price < y.price;
  });
  return ScheduleList{std::move(all), aligned};
}
