// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: a matrix product under a schedule, as programs and plans see
// it: its axes, its tile, and which axes each tensor has.

#include "HeliosToTile.h"
#include "ScheduleNeeds.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

int64_t Product::addGroups(int64_t axis, int64_t size, bool isTiled) {
  if (size == 1)
    return axis;
  groups.push_back({axis, size, isTiled});
  extents.push_back(ShapedType::kDynamic);
  tile.push_back(isTiled ? tile[axis] / size : 1);
  return k() + int64_t(groups.size());
}

Product Product::get(MatmulOp op, ScheduleAttr schedule) {
  Product product;
  int64_t batch = op.getFusedShape().size() - 2;
  product.op = op;
  product.numBatch = batch;
  product.grouped = op.isGrouped();
  product.extents.assign(batch + 3, ShapedType::kDynamic);
  product.tile.assign(batch, 1);
  product.tile.append(schedule.getTile().begin(), schedule.getTile().end());
  llvm::copy(schedule.getCluster(), product.cluster.begin());
  int64_t rows = schedule.getMma().empty() ? 0 : schedule.getMma()[0];
  product.hasRowsOfOne = schedule.getTile()[0] == rows;
  product.anyRows = product.hasRowsOfOne ||
                    (schedule.getStrategyName() ==
                         tile::stringifyStrategy(tile::Strategy::Groups) &&
                     schedule.getGroups()[0] == 1 &&
                     schedule.getTile()[0] <= rows * kMostRows);

  // Batch dimensions are aligned at their end; a static one that is broadcast
  // has no axis.
  llvm::BitVector fromInputs(batch);
  auto addAccess = [&](Value tensor, ArrayRef<int64_t> spatial, bool fused) {
    auto type = cast<RankedTensorType>(tensor.getType());
    Access access{tensor, type.getElementType(), {}};
    bool isResult = tensor.getDefiningOp() == op.getOperation();
    int64_t leading = type.getRank() - int64_t(spatial.size());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      int64_t axis = d < leading ? d + batch - leading : spatial[d - leading];
      bool broadcast =
          type.getDimSize(d) == 1 && !isResult && (fused || d < leading);
      access.axes.push_back(broadcast ? -1 : axis);
      if (!broadcast && !type.isDynamicDim(d))
        product.extents[axis] = type.getDimSize(d);
      if (!broadcast && !fused && !isResult && axis < batch)
        fromInputs.set(axis);
    }
    if (auto unpack = tensor.getDefiningOp<UnpackOp>()) {
      access.tensor = unpack.getSource();
      access.packing = unpack.getPacking();
      access.packed = packedLayout(op, access.packing, access.elementType);
    }
    product.accesses.push_back(std::move(access));
  };
  int64_t m = product.m(), n = product.n(), k = product.k();
  auto pair = [](bool swap, int64_t a, int64_t b) {
    return swap ? SmallVector<int64_t>{b, a} : SmallVector<int64_t>{a, b};
  };
  addAccess(op.getLhs(), pair(op.getTransposeA(), m, k), false);
  int64_t kStored = product.addGroups(k, op.getParts(), /*isTiled=*/true);
  addAccess(op.getRhs(), pair(op.getTransposeB(), kStored, n), false);
  if (op.getPair())
    addAccess(op.getPair(), pair(op.getTransposeB(), kStored, n), false);
  // Groups side by side are read one at a time.
  auto addInGroups = [&](Value operand, ArrayRef<int64_t> spatial) -> Access & {
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    addAccess(operand, spatial.take_back(std::min<int64_t>(rank, 2)), true);
    Access &access = product.accesses.back();
    access.narrow =
        !access.axes.empty() && product.isOfGroups(access.axes.back());
    return access;
  };
  int64_t kOfPrologue = product.addGroups(k, op.getGroupSize());
  for (Value operand : op.getCaptured())
    addInGroups(operand, pair(op.getTransposeB(), kOfPrologue, n));
  for (Value operand : op.getCapturedA())
    addInGroups(operand, pair(op.getTransposeA(), m, k)).alongRows = true;
  if (op.hasScales()) {
    ArrayRef<int64_t> blocks = op.getBlockShape();
    int64_t ofK = product.addGroups(k, blocks[2]),
            ofM = product.addGroups(m, blocks[0]),
            ofN = product.addGroups(n, blocks[1]);
    // A single scale of a tile is added to the rows': lanes hold few of them.
    for (auto [number, scale] : llvm::enumerate(op.getScales()))
      addInGroups(scale, number == 0 ? pair(op.getTransposeA(), ofM, ofK)
                                     : pair(op.getTransposeB(), ofK, ofN))
          .alongRows = true;
  }
  SmallVector<int64_t> spatial{m, n};
  for (Value operand : op.getFused()) {
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    addAccess(operand, ArrayRef(spatial).take_back(std::min<int64_t>(rank, 2)),
              true);
  }
  // Ends are read one at a time, by whoever looks for a group.
  if (op.isGrouped()) {
    Access ends{op.getEnds(), op.getEnds().getType().getElementType(), {0}};
    ends.narrow = ends.single = true;
    product.accesses.push_back(ends);
  }
  // Of a reduction an item leaves a part, in a place of its own.
  int64_t parts[] = {-1, -1};
  for (OpResult stored : op->getResults()) {
    ReductionAttr reduction = op.getReduction(stored.getResultNumber());
    if (!reduction) {
      addAccess(stored, spatial, false);
      continue;
    }
    bool alongN = reduction.getAlong() == ReducedAxis::N;
    int64_t &items = parts[alongN];
    if (items < 0)
      items = product.addGroups(alongN ? n : m, product.tile[alongN ? n : m]);
    addAccess(stored, alongN ? m : n, false);
    Access &access = product.accesses.back();
    access.kept = Kept::Combined;
    access.narrow = true;
    access.axes.insert(access.axes.begin(), items);
  }
  product.numResults = op->getNumResults();
  for (auto [i, groups] : llvm::enumerate(product.groups))
    if (int64_t extent = product.extents[groups.axis];
        !ShapedType::isDynamic(extent))
      product.extents[k + 1 + i] = llvm::divideCeil(extent, groups.size);
  for (int64_t axis = 0; axis < batch; ++axis)
    if (!fromInputs.test(axis))
      product.extents[axis] = 1;
  if (auto target = dyn_cast_or_null<tile::TargetAttrInterface>(
          op->getParentOfType<KernelOp>().getTargetAttr()))
    product.addsParts =
        op.hasScales() ||
        llvm::any_of(target.getMmas(op.getLhsElement(), op.getRhsElement(),
                                    op.getAccType()),
                     [&](tile::MmaAttrInterface mma) {
                       return getPartDepth(op, mma) != 0;
                     });
  return product;
}
