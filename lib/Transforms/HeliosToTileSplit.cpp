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
/// And of a step where it adds up a row, which only the lanes of a group do;
/// steps of half and twice as many took longer (docs/benchmarks).
static constexpr int64_t kRowElements = 16;
/// Groups that add up slices together.
static constexpr int64_t kSumGroups = 4;
/// Groups that find which keys are seen: a processor has about one such item.
static constexpr int64_t kRangeGroups = 8;
/// Lanes of a group where the target has no subgroups to rely on.
static constexpr int64_t kSumLanes = 64;

/// Slices of attention's keys that are loaded at once where they are added up,
/// and columns of an item: few, so that there are many items.
static constexpr int64_t kSlicesAtOnce = 64, kColumnsOfSum = 32;

std::optional<int64_t> Product::matrixSharers() const {
  if (!isAttention() || part != Part::Whole)
    return std::nullopt;
  std::optional<int64_t> sharers;
  for (const Access &access :
       ArrayRef(accesses).drop_front(firstFused()).drop_back(numResults)) {
    if (access.narrow)
      continue;
    for (int64_t axis : {int64_t(0), heads()})
      if (!llvm::is_contained(access.axes, axis))
        sharers = axis;
  }
  return sharers;
}

SmallVector<int64_t> Product::itemAxes() const {
  // Items that read the same keys are neighbours.
  if (isPacked())
    return {0, keyHeads(), slices(), heads(), m()};
  if (isAttention() && part == Part::Sum)
    return {0, 1, 2, values()};
  // Items are of what is stored.
  if (part == Part::Ranges)
    return accesses.back().axes;
  // Who shares a matrix lies beside the rows, as rasters want it.
  if (isAttention() && matrixSharers() == 0)
    return {heads(), 0, m()};
  if (isAttention())
    return {0, heads(), m()};
  if (isPack())
    return accesses.front().axes;
  if (part == Part::Left || part == Part::Turn)
    return accesses.back().axes;
  // Items are of what is stored.
  if (part == Part::Right)
    return llvm::filter_to_vector(accesses.front().axes,
                                  [](int64_t axis) { return axis >= 0; });
  // Rows decide which group an item is of.
  if (grouped)
    return {m(), n()};
  SmallVector<int64_t> axes;
  // Items of one slice are neighbours: they read the same part of K.
  if (part == Part::Slices)
    axes.push_back(slices());
  llvm::append_range(axes, llvm::seq<int64_t>(0, addsRows() ? n() : k()));
  if (clusterK > 1)
    axes.push_back(slices());
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

/// The access with heads that share one of keys, and queries, as rows.
static Access packed(const Product &whole, Access access) {
  int64_t heads = whole.heads(), m = whole.m();
  if (!llvm::is_contained(access.axes, heads) &&
      !llvm::is_contained(access.axes, m))
    return access;
  access.unpacked = std::move(access.axes);
  access.axes.clear();
  // Rows stand before the dimensions of a tile.
  auto isOfTile = [&](int64_t axis) {
    return axis > m && axis <= whole.values();
  };
  for (int64_t axis : access.unpacked)
    if (axis == heads)
      access.axes.push_back(whole.keyHeads());
    else if (axis == m)
      access.axes.push_back(heads);
    else if (axis >= 0 && !isOfTile(axis))
      access.axes.push_back(axis);
  access.axes.push_back(m);
  llvm::append_range(access.axes,
                     llvm::make_filter_range(access.unpacked, isOfTile));
  return access;
}

/// What slices of keys leave: their results, and the logarithms of the sums.
static SmallVector<Access, 2> partialsOf(const Product &product) {
  auto op = cast<AttentionOp>(product.op);
  bool sums = product.part == Part::Sum;
  int64_t queries = sums ? product.keyHeads() : product.m();
  SmallVector<int64_t> axes{0, product.heads(), queries, product.slices()};
  Access logarithms{op.getResult(), op.getAccType(), axes, /*narrow=*/true,
                    Kept::Sums};
  axes.push_back(product.values());
  return {{op.getResult(), op.getAccType(), axes, false, Kept::Partials},
          logarithms};
}

static Product getAttentionSlices(const Product &whole) {
  Product result = whole;
  result.part = Part::Slices;
  result.longestFirst = false;
  result.numResults = 2;
  result.accesses.truncate(whole.accesses.size() - whole.numResults);
  result.extents.push_back(ShapedType::kDynamic);
  result.tile.push_back(1);
  llvm::append_range(result.accesses, partialsOf(result));
  for (Access &access : result.accesses)
    access = packed(whole, access);
  for (int64_t axis : {whole.heads(), whole.m()})
    result.extents[axis] = ShapedType::kDynamic;
  return result;
}

static Product getAttentionSum(const Product &whole) {
  Product result = whole;
  result.part = Part::Sum;
  result.longestFirst = false;
  int64_t queries = whole.keyHeads();
  result.extents[queries] = whole.extents[whole.m()];
  result.extents[result.slices()] = ShapedType::kDynamic;
  result.tile.assign(result.extents.size(), 1);
  result.tile[result.slices()] = kSlicesAtOnce;
  result.tile[whole.values()] =
      std::min(kColumnsOfSum, whole.tile[whole.values()]);
  for (int64_t axis : {whole.n(), whole.k()})
    result.extents[axis] = 1;
  result.accesses.clear();
  llvm::append_range(result.accesses, partialsOf(result));
  for (Access access : whole.results()) {
    llvm::replace(access.axes, whole.m(), queries);
    result.accesses.push_back(std::move(access));
  }
  return result;
}

Product Product::getSlices() const {
  if (isAttention())
    return getAttentionSlices(*this);
  Product result = *this;
  result.part = Part::Slices;
  result.extents.push_back(ShapedType::kDynamic);
  result.tile.push_back(1);
  result.accesses.truncate(firstFused());
  result.numResults = 1;
  result.accesses.push_back(sumsOf(result));
  return result;
}

Product Product::sharingK(int64_t workgroups) const {
  Product result = *this;
  result.clusterK = workgroups;
  result.extents.push_back(workgroups);
  result.tile.push_back(1);
  return result;
}

Product Product::getSum(tile::TargetAttrInterface target) const {
  if (isAttention())
    return getAttentionSum(*this);
  Product result = *this;
  result.part = Part::Sum;
  result.cluster = {1, 1};
  result.extents.truncate(k() + 1);
  result.extents[k()] = ShapedType::kDynamic;
  result.groups.clear();
  SmallVector<int64_t> tile = SumTile::get(target, result.addsRows()).tile;
  result.tile.truncate(numBatch);
  result.tile.append({tile[0], tile[1], 1});
  result.accesses.assign(1, sumsOf(result));
  for (const Access &access : ArrayRef(accesses).drop_front(firstFused()))
    result.accesses.push_back(access.kept == Kept::Combined ? access.whole()
                                                            : access);
  return result;
}

/// The lanes of a group, and so many groups at most.
static std::pair<int64_t, int64_t>
lanesAndGroups(tile::TargetAttrInterface target, int64_t groups) {
  int64_t lanes = kSumLanes;
  if (target) {
    if (int64_t subgroup = target.getSubgroupSize())
      lanes = subgroup;
    groups = std::min(groups, target.getMaxInvocations() / lanes);
  }
  return {lanes, groups};
}

RangeTile RangeTile::get(tile::TargetAttrInterface target) {
  auto [lanes, groups] = lanesAndGroups(target, kRangeGroups);
  return {groups, lanes};
}

SumTile SumTile::get(tile::TargetAttrInterface target, bool wholeRows) {
  auto [lanes, groups] = lanesAndGroups(target, kSumGroups);
  // A row is a group's, whose lanes combine it.
  if (wholeRows)
    return {{groups, kRowElements * lanes}, {groups, 1}, lanes};
  // Half of a lane's elements lie side by side, so a group spans a row.
  return {{2 * groups, kSumElements / 2 * lanes}, {groups, 1}, lanes};
}
