// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: a product whose contracted extent is split becomes two parts.
// There is no promise of progress between workgroups, so sums go through the
// workspace to a second dispatch, which adds them in a fixed order: the result
// is the same bit by bit in every run.

#include "HeliosToTile.h"
#include "helios/Dialect/Tile/Utils/Select.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Elements of a tile for each lane that adds up slices: what it loads at once.
static constexpr int64_t kSumElements = 8;
/// Groups that add up slices together.
static constexpr int64_t kSumGroups = 4;
/// Lanes of a group where the target has no subgroups to rely on.
static constexpr int64_t kSumLanes = 64;

SmallVector<int64_t> Product::itemAxes() const {
  if (isAttention())
    return {0, heads(), m()};
  SmallVector<int64_t> axes;
  // Items of one slice are neighbours: they read the same part of K.
  if (part == Part::Slices)
    axes.push_back(slices());
  llvm::append_range(axes, llvm::seq<int64_t>(0, k()));
  return axes;
}

/// The sums of the slices: one after another, each like the result.
static Access sumsOf(const Product &product) {
  auto op = cast<MatmulOp>(product.op);
  Access access{op.getEpilogue().getArgument(0), op.getAccType(), {}};
  access.axes.push_back(product.slices());
  llvm::append_range(access.axes, llvm::seq<int64_t>(0, product.k()));
  return access;
}

Product Product::getSlices() const {
  Product result = *this;
  result.part = Part::Slices;
  result.extents.push_back(ShapedType::kDynamic);
  result.tile.push_back(1);
  result.accesses.truncate(firstFused());
  result.accesses.push_back(sumsOf(result));
  return result;
}

Product Product::getSum(ArrayRef<int64_t> tile) const {
  Product result = *this;
  result.part = Part::Sum;
  result.cluster = {1, 1};
  result.extents[k()] = ShapedType::kDynamic;
  result.tile.truncate(numBatch);
  result.tile.append({tile[0], tile[1], 1});
  result.accesses.assign(1, sumsOf(result));
  llvm::append_range(result.accesses,
                     ArrayRef(accesses).drop_front(firstFused()));
  return result;
}

SumTile SumTile::get(tile::TargetAttrInterface target) {
  int64_t lanes = kSumLanes, groups = kSumGroups;
  if (target) {
    if (int64_t subgroup = target.getSubgroupSize())
      lanes = subgroup;
    groups = std::min(groups, target.getMaxInvocations() / lanes);
  }
  // Half of a lane's elements lie side by side, so a group spans a row.
  return {{2 * groups, kSumElements / 2 * lanes}, {groups, 1}};
}
