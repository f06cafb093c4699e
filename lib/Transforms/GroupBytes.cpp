// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-insert-barriers: which shared memory each group of lanes touches.

#include "GroupBytes.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"

using namespace mlir;
using namespace helios;
using namespace helios::frag;

/// What is told apart: memory is accessed in words of this size at most.
static constexpr int64_t kUnitBytes = 16;

GroupBytes::GroupBytes(KernelOp kernel) {
  tile::TargetAttrInterface row = kernel.getTargetRow();
  if (!row || !row.getSubgroupSize() || !kernel.getOps<RoleOp>().empty())
    return;
  subgroup = row.getSubgroupSize();
  groups = kernel.getThreads() / subgroup;
}

bool GroupBytes::staysInGroup(Operation *a, Operation *b) {
  if (!subgroup)
    return false;
  // Not references: the second may move the first.
  Units first = unitsOf(a);
  const Units &second = unitsOf(b);
  if (first.empty() || second.empty())
    return false;
  for (auto [g, one] : llvm::enumerate(first))
    for (auto [h, other] : llvm::enumerate(second))
      if (g != h && one.anyCommon(other))
        return false;
  return true;
}

const GroupBytes::Units &GroupBytes::unitsOf(Operation *op) {
  auto [known, isNew] = units.try_emplace(op);
  if (isNew) {
    if (auto read = dyn_cast<ReadOp>(op))
      known->second = compute(read.getType(), read.getSource(),
                              read.getOffsets(), read.getTrans());
    else if (auto write = dyn_cast<WriteOp>(op))
      known->second = compute(write.getFragment().getType(), write.getDest(),
                              write.getOffsets(), /*transposed=*/false);
  }
  return known->second;
}

GroupBytes::Units GroupBytes::compute(FragmentType fragment, Value memory,
                                      ValueRange offsets, bool transposed) {
  tile::LayoutAttrInterface own = fragment.getLayout();
  // A whole vector of matrices may be written as these, too.
  if (auto slice = dyn_cast<tile::SliceAttr>(Attribute(own));
      slice && !own.hasCoordinates() && isa<MemType>(memory.getType()) &&
      cast<MemType>(memory.getType()).getShape().size() >
          fragment.getShape().size())
    own = tile::SliceAttr::get(own.getContext(), slice.getDim(),
                               slice.getParent(), tile::Partial::Max);
  tile::StoredTile stored = tile::getStored(own, fragment.getShape());
  tile::LayoutAttrInterface layout = stored.layout;
  ArrayRef<int64_t> shape = stored.shape;
  auto mem = dyn_cast<MemType>(memory.getType());
  auto place = memory.getDefiningOp<SharedOp>();
  auto shared = mem ? dyn_cast<tile::SharedAttr>(Attribute(mem.getLayout()))
                    : tile::SharedAttr();
  if (!place || !shared || shared.getSwizzle() || !shared.getKperm().empty() ||
      transposed || layout.getGroupCount() != groups ||
      layout.getLaneCount() != subgroup ||
      shape.size() != mem.getShape().size())
    return {};
  SmallVector<int64_t> strides = shared.getStrides(mem.getShape()), at;
  for (Value offset : offsets) {
    std::optional<int64_t> known = getConstantIntValue(offset);
    if (!known)
      return {};
    at.push_back(*known);
  }
  // How wide an index is the target says.
  if (!mem.getElementType().isIntOrFloat())
    return {};
  int64_t size = tile::getStoredBits(mem.getElementType()) / 8,
          base = place.getOffset();
  auto linear = [&](ArrayRef<int64_t> coordinates) {
    int64_t sum = 0;
    for (auto [c, stride] : llvm::zip(coordinates, strides))
      sum += c * stride;
    return sum;
  };
  SmallVector<int64_t> block = layout.getRegisterShape(shape.size());
  // Elements of one register beside its first.
  SmallVector<int64_t> inner{0};
  for (auto [extent, stride] : llvm::zip(block, strides)) {
    SmallVector<int64_t> next;
    for (int64_t i = 0; i < extent; ++i)
      for (int64_t at : inner)
        next.push_back(at + i * stride);
    inner = next;
  }
  SmallVector<int64_t> registers = llvm::map_to_vector(
      layout.getRegisterOffsets(shape),
      [&](const SmallVector<int64_t> &reg) { return linear(reg); });
  AffineMap map = layout.getBaseMap(shape);
  int64_t lanes = layout.hasCoordinates() ? subgroup : 1, first = linear(at),
          total = (base + mem.getBytes()) / kUnitBytes + 1;
  Units result(groups, llvm::BitVector(total));
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t l = 0; l < lanes; ++l) {
      int64_t lane = first + linear(map.compose(ArrayRef<int64_t>{g, l}));
      for (int64_t reg : registers)
        for (int64_t element : inner) {
          int64_t unit = (base + (lane + reg + element) * size) / kUnitBytes;
          if (unit >= total)
            return {};
          result[g].set(unit);
        }
    }
  return result;
}
