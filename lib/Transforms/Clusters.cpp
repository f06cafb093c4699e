// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-rings: what the workgroups of a cluster have in common.

#include "Clusters.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

void ClusterVariance::addOperands(Operation *op, llvm::BitVector &result) {
  for (Value operand : op->getOperands())
    result |= of(operand);
}

llvm::BitVector ClusterVariance::of(Value value) {
  auto [it, isNew] = known.try_emplace(value, dims);
  // What a loop carries is looked at again while its own value is being found:
  // then it adds nothing.
  if (!isNew)
    return it->second;
  llvm::BitVector result(dims);
  auto loopCarried = [&](scf::ForOp loop, unsigned i) {
    result |= of(loop.getInitArgs()[i]);
    result |= of(loop.getYieldedValues()[i]);
  };
  Operation *op = value.getDefiningOp();
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      result |= of(loop.getLowerBound());
      result |= of(loop.getStep());
      if (arg.getArgNumber() > 0)
        loopCarried(loop, arg.getArgNumber() - 1);
    } else if (!isa<ProgramOp>(parent)) {
      result.set();
    }
  } else if (auto rank = dyn_cast<RankOp>(op)) {
    result.set(rank.getDim());
  } else if (auto id = dyn_cast<IdOp>(op)) {
    if (id.getKind() == IdKind::Workgroup)
      result.set();
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    result |= of(loop.getLowerBound());
    result |= of(loop.getUpperBound());
    result |= of(loop.getStep());
    loopCarried(loop, cast<OpResult>(value).getResultNumber());
  } else if (op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
    addOperands(op, result);
  } else {
    result.set();
  }
  return known[value] = result;
}

llvm::BitVector ClusterVariance::ofControl(Operation *op) {
  llvm::BitVector result(dims);
  for (Operation *parent = op->getParentOp(); !isa<ProgramOp>(parent);
       parent = parent->getParentOp())
    addOperands(parent, result);
  return result;
}

ClusterShare helios::tile::makeShare(OpBuilder &b, Location loc,
                                     ArrayRef<int64_t> cluster,
                                     const llvm::BitVector &along) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  ClusterShare share{{}, 1, {}};
  // Ranks of the workgroups that share, in front of the place of this one along
  // the other dimensions.
  SmallVector<int64_t> ranks{0};
  Value first;
  for (auto [dim, extent] : llvm::enumerate(cluster)) {
    if (extent == 1)
      continue;
    int64_t stride = llvm::product_of(cluster.drop_front(dim + 1));
    Value rank = RankOp::create(b, loc, dim, cluster);
    auto append = [&](Value &sum, int64_t factor) {
      Value term =
          factor == 1
              ? rank
              : arith::MulIOp::create(b, loc, rank, index(factor)).getResult();
      sum = sum ? arith::AddIOp::create(b, loc, sum, term).getResult() : term;
    };
    if (!along.test(dim)) {
      append(first, stride);
      continue;
    }
    if (share.part)
      share.part = arith::MulIOp::create(b, loc, share.part, index(extent));
    append(share.part, 1);
    share.parts *= extent;
    SmallVector<int64_t> more;
    for (int64_t base : ranks)
      for (int64_t i = 0; i < extent; ++i)
        more.push_back(base + i * stride);
    ranks = std::move(more);
  }
  int64_t bits = 0;
  for (int64_t rank : ranks)
    bits |= int64_t(1) << rank;
  share.mask = arith::ConstantIntOp::create(b, loc, bits, 32);
  if (first)
    share.mask = arith::ShLIOp::create(
        b, loc, share.mask,
        arith::IndexCastUIOp::create(b, loc, b.getI32Type(), first));
  return share;
}
