// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared memory: where registers lie in a padded or swizzled tile, vector loads
// and stores.
//
// A swizzle exchanges the 16-byte units of a row: bits 4.. of a byte offset are
// combined by XOR with its bits 7... That is linear over XOR, so a lane needs
// its own swizzled offset once: a register's offset that has no bit in common
// with the lane's is a constant combined by XOR, and what is a multiple of the
// swizzle's period is a constant added.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

FailureOr<SharedTile> KernelLowering::sharedTile(Operation *op, Value memory) {
  auto known = tiles.find(memory);
  SharedTile tile;
  if (known != tiles.end()) {
    tile = known->second;
  } else {
    auto shared = memory.getDefiningOp<frag::SharedOp>();
    if (!shared)
      return op->emitOpError("expected memory of a frag.shared or of a slot, "
                             "got ")
             << memory;
    auto type = cast<frag::MemType>(memory.getType());
    tile.offset = shared.getOffset();
    if (std::optional<uint64_t> stride = shared.getReplicaStride()) {
      tile.base = multiply(lanes.back().replica, b.getIndexAttr(*stride));
      tile.align = *stride & -*stride;
    }
    tile.shape.assign(type.getShape().begin(), type.getShape().end());
  }
  auto type = cast<frag::MemType>(memory.getType());
  tile.elementType = type.getElementType();
  tile.layout = dyn_cast<tile::SharedAttr>(type.getLayout());
  if (!tile.layout || !tile.layout.getKperm().empty())
    return op->emitOpError("expected shared memory of a layout #tile.shared "
                           "without kperm, got ")
           << type.getLayout();
  int64_t period = std::max<int64_t>(16, tile.layout.getSwizzle() * 8);
  if (tile.offset % period || tile.align % period)
    return op->emitOpError("expected memory at a multiple of ")
           << period << " bytes for " << type.getLayout() << ", got "
           << tile.offset << " modulo " << tile.align;
  return tile;
}

Value KernelLowering::sharedPointer(Value bytes, int64_t offset,
                                    std::optional<int64_t> workgroup) {
  Value pointer = workgroup ? sharedMemoryOf(*workgroup) : sharedMemory();
  Type type = pointer.getType();
  if (bytes)
    pointer = LLVM::GEPOp::create(b, type, b.getI8Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{bytes});
  if (offset)
    pointer = LLVM::GEPOp::create(b, type, b.getI8Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return pointer;
}

namespace {
/// Byte offsets in a tile as a linear function of coordinates. A swizzled tile
/// consists of panels as wide as the swizzle, one after the other.
struct Linear {
  SmallVector<int64_t> strides; ///< Bytes; of the row's dimension in a panel.
  int64_t fast, panelElements = 0, panelBytes = 0;

  Linear(const SharedTile &tile) : fast(tile.layout.getOrder()[0]) {
    int64_t bytes = bytesOf(tile.elementType);
    tile::SharedAttr layout = tile.layout;
    if (int64_t swizzle = tile.layout.getSwizzle()) {
      panelElements = swizzle / bytes;
      SmallVector<int64_t> shape = tile.shape;
      panelBytes =
          bytes * llvm::product_of(shape) / shape[fast] * panelElements;
      shape[fast] = panelElements;
      strides = layout.getStrides(shape);
    } else {
      strides = layout.getStrides(tile.shape);
    }
    for (int64_t &stride : strides)
      stride *= bytes;
  }
  /// Of constant coordinates.
  int64_t at(ArrayRef<int64_t> coordinates) const {
    int64_t sum = 0;
    for (auto [d, c] : llvm::enumerate(coordinates))
      sum +=
          int64_t(d) == fast && panelElements
              ? c / panelElements * panelBytes + c % panelElements * strides[d]
              : c * strides[d];
    return sum;
  }
};
} // namespace

/// Bits that the sum of a value within `a` and one within `c` may have.
static uint64_t bitsOfSum(uint64_t a, uint64_t c) {
  if ((a & c) == 0)
    return a | c;
  return ~(std::min(a & -a, c & -c) - 1);
}

FailureOr<SmallVector<Value>>
KernelLowering::sharedAddresses(Operation *op, const SharedTile &tile,
                                const Place &place,
                                ArrayRef<SmallVector<int64_t>> regs) {
  Linear linear(tile);
  int64_t swizzle = tile.layout.getSwizzle(), fast = linear.fast,
          panel = linear.panelElements;
  int64_t rank = linear.strides.size();
  const SmallVector<Coordinate> &uniform = place.uniform;
  tile::LayoutAttrInterface layout = place.layout;
  ArrayRef<AffineExpr> lane = place.lane;
  AffineExpr bytes = b.getAffineConstantExpr(0);
  int64_t laneRow = rangeOf(layout, lane[fast]).most;
  for (int64_t d = 0; d < rank; ++d)
    bytes = bytes + (d == fast && panel && laneRow >= panel
                         ? lane[d].floorDiv(panel) * linear.panelBytes +
                               lane[d] % panel * linear.strides[d]
                         : lane[d] * linear.strides[d]);
  bytes = simplifyAffineExpr(bytes, 2, 0);
  int64_t laneInPanel = panel ? rangeOf(layout, lane[fast] % panel).most : 0;
  uint64_t laneBits = rangeOf(layout, bytes).bits, uniformBits = 0;
  Value varying = tile.base, laneOffset = laneValue(place.layout, bytes);
  if (tile.base)
    uniformBits = ~uint64_t(tile.align - 1);
  for (int64_t d = 0; d < rank; ++d) {
    if (!uniform[d].value)
      continue;
    int64_t stride = linear.strides[d];
    Value at = toI32(uniform[d].value);
    if (d == fast && panel) {
      if (uniform[d].divisor % panel)
        return op->emitOpError("expected a varying offset along the rows of ")
               << tile.layout << " to be a multiple of " << panel
               << " elements, got a multiple of " << uniform[d].divisor;
      at = b.createOrFold<arith::DivUIOp>(at, i32(panel));
      stride = linear.panelBytes;
    }
    varying = add(varying, multiply(at, b.getIndexAttr(stride)));
    uint64_t step =
        (uniform[d].divisor / (d == fast && panel ? panel : 1)) * stride;
    uniformBits = bitsOfSum(uniformBits, ~((step & -step) - 1));
  }
  uint64_t valueBits = bitsOfSum(laneBits, uniformBits);
  // The varying part is added before the swizzle where it reaches into it.
  int64_t period = swizzle * 8;
  bool apart = !varying || (uniformBits & (period ? period - 1 : 0)) == 0;
  Value value = apart ? laneOffset : add(varying, laneOffset);
  auto swizzled = [&](Value offset) -> Value {
    if (!swizzle || !offset)
      return offset;
    Value rows = b.createOrFold<arith::AndIOp>(
        b.createOrFold<arith::ShRUIOp>(offset, i32(3)), i32(swizzle - 16));
    return b.createOrFold<arith::XOrIOp>(offset, rows);
  };
  auto swizzledConstant = [&](int64_t offset) {
    return swizzle ? offset ^ ((offset >> 3) & (swizzle - 16)) : offset;
  };
  uint64_t inner = apart ? laneBits : valueBits;
  Value own = swizzled(value);
  DenseMap<int64_t, Value> shared; // By what is combined by XOR.
  SmallVector<Value> pointers;
  for (const SmallVector<int64_t> &reg : regs) {
    SmallVector<int64_t> at(place.constant);
    for (int64_t d = 0; d < rank; ++d)
      at[d] += reg[d];
    // A lane's coordinate and a register's along the row must not carry into
    // the next panel between them.
    if (panel && at[fast] % panel + laneInPanel >= panel)
      return op->emitOpError("expected registers of a lane to stay in a panel "
                             "of ")
             << panel << " elements of " << tile.layout;
    int64_t c = linear.at(at);
    if (!swizzle) {
      auto [it, isNew] = shared.try_emplace(0);
      if (isNew)
        it->second = apart ? add(varying, own) : own;
      pointers.push_back(
          sharedPointer(it->second, tile.offset + c, tile.workgroup));
      continue;
    }
    int64_t outer = c & ~(period - 1), rest = c & (period - 1);
    bool disjoint = (uint64_t(rest) & inner) == 0;
    auto [it, isNew] = shared.try_emplace(rest);
    if (isNew) {
      Value offset;
      if (!own)
        offset = rest ? i32(swizzledConstant(rest)) : Value();
      else if (disjoint)
        offset = rest ? b.createOrFold<arith::XOrIOp>(
                            own, i32(swizzledConstant(rest)))
                      : own;
      else
        offset = swizzled(addConstant(value, rest));
      it->second = apart ? add(varying, offset) : offset;
    }
    pointers.push_back(
        sharedPointer(it->second, tile.offset + outer, tile.workgroup));
  }
  return pointers;
}

/// Elements that lie together in memory, 16, 8 or 4 bytes of them or one, each
/// row being a multiple of that.
static int64_t elementsTogether(const SharedTile &tile, Type type,
                                function_ref<bool(int64_t)> hasRuns) {
  int64_t row = tile.shape[tile.layout.getOrder()[0]] + tile.layout.getPad();
  for (int64_t bytes : {16, 8, 4}) {
    int64_t n = bytes / bytesOf(type);
    if (n > 1 && (row % n == 0 || tile.shape.size() == 1) && hasRuns(n))
      return n;
  }
  return 1;
}

LogicalResult KernelLowering::readShared(frag::ReadOp op) {
  Type type = op.getType().getElementType();
  FailureOr<SharedTile> tile = sharedTile(op, op.getSource());
  if (failed(tile))
    return failure();
  FailureOr<Place> place =
      placeOf(op, op.getType(), op.getSource(), op.getOffsets(), op.getTrans());
  if (failed(place))
    return failure();
  FailureOr<bool> done = readMatrices(op, *tile, *place);
  if (failed(done) || *done)
    return failed(done) ? failure() : success();
  int64_t fast = tile->layout.getOrder()[0];
  auto runs = [&](int64_t length) { return hasRuns(*place, fast, length); };
  int64_t n = elementsTogether(*tile, type, runs);
  // Two bytes are less than a word, but one access.
  bool halves = n == 1 && bytesOf(type) == 1 && runs(2);
  if (halves)
    n = 2;
  SmallVector<SmallVector<int64_t>> regs;
  for (size_t i = 0; i < place->registers.size(); i += n)
    regs.push_back(place->registers[i]);
  FailureOr<SmallVector<Value>> pointers =
      sharedAddresses(op, *tile, *place, regs);
  if (failed(pointers))
    return failure();
  int64_t bytes = n * bytesOf(type);
  Type access = n == 1       ? getLaneType(type)
                : halves     ? Type(b.getI16Type())
                : bytes == 4 ? Type(b.getI32Type())
                             : VectorType::get(bytes / 4, b.getI32Type());
  SmallVector<Value> parts;
  for (Value pointer : *pointers) {
    Value loaded = LLVM::LoadOp::create(b, access, pointer, bytes);
    if (auto vector = dyn_cast<VectorType>(access))
      for (int64_t w = 0; w < vector.getNumElements(); ++w)
        parts.push_back(LLVM::ExtractElementOp::create(b, loaded, i32(w)));
    else if (halves)
      for (int64_t shift : {0, 8})
        parts.push_back(LLVM::TruncOp::create(
            b, getLaneType(type),
            LLVM::LShrOp::create(b, loaded,
                                 LLVM::ConstantOp::create(
                                     b, access, b.getI16IntegerAttr(shift)))));
    else
      parts.push_back(loaded);
  }
  set(op.getResult(), n > 1 && !halves ? Form::Words : Form::Elements, parts);
  return success();
}

LogicalResult KernelLowering::writeShared(frag::WriteOp op) {
  frag::FragmentType fragment = op.getFragment().getType();
  Type type = fragment.getElementType();
  tile::StoredTile stored =
      tile::getStored(fragment.getLayout(), fragment.getShape());
  fragment = frag::FragmentType::get(b.getContext(), stored.shape, type,
                                     stored.layout);
  FailureOr<SharedTile> tile = sharedTile(op, op.getDest());
  if (failed(tile))
    return failure();
  FailureOr<Place> place =
      placeOf(op, fragment, op.getDest(), op.getOffsets(), /*trans=*/false);
  if (failed(place))
    return failure();
  FailureOr<bool> done = writeMatrices(op, *tile, *place);
  if (failed(done) || *done)
    return failed(done) ? failure() : success();
  int64_t fast = tile->layout.getOrder()[0];
  int64_t n = elementsTogether(*tile, type, [&](int64_t length) {
    return hasRuns(*place, fast, length);
  });
  SmallVector<SmallVector<int64_t>> regs;
  for (size_t i = 0; i < place->registers.size(); i += n)
    regs.push_back(place->registers[i]);
  FailureOr<SmallVector<Value>> pointers =
      sharedAddresses(op, *tile, *place, regs);
  if (failed(pointers))
    return failure();
  int64_t bytes = n * bytesOf(type), count = bytes / 4;
  SmallVector<Value> parts =
      n > 1 ? words(op.getFragment()) : elements(op.getFragment());
  for (auto [i, pointer] : llvm::enumerate(*pointers)) {
    Value stored = parts[n > 1 ? i * count : i];
    if (n > 1 && count > 1) {
      stored = LLVM::UndefOp::create(b, VectorType::get(count, b.getI32Type()));
      for (int64_t w = 0; w < count; ++w)
        stored = LLVM::InsertElementOp::create(b, stored, parts[i * count + w],
                                               i32(w));
    }
    LLVM::StoreOp::create(b, stored, pointer, bytes);
  }
  return success();
}
