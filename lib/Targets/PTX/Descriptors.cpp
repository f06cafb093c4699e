// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Descriptors by which the asynchronous tensor core finds a matrix in shared
// memory (PTX ISA, "Asynchronous warpgroup-level matrix shared memory layout").
//
// A tile in shared memory is a row of panels, each one swizzle width wide; a
// panel's rows follow each other. The pattern repeats every eight rows, so a
// part of a tile starts at a multiple of eight rows and at a panel.
//
//   bits 0-13   address / 16, of which only these bits: in a cluster the
//               address has the workgroup's rank above them
//   bits 16-29  distance / 16 from panel to panel, where the contracted
//               dimension is not the contiguous one (1 otherwise: unused)
//   bits 32-45  distance / 16 of eight rows
//   bits 62-63  swizzle: 1, 2, 3 for 128, 64, 32 bytes

#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

FailureOr<int64_t> helios::ptx::panelBytes(Operation *op,
                                           const SharedTile &tile) {
  int64_t swizzle = tile.layout.getSwizzle();
  if (tile.layout.getPad() || !tile.layout.getKperm().empty())
    return op->emitOpError("expected shared memory without pad or kperm, as "
                           "copy engines and asynchronous products read it, "
                           "got ")
           << tile.layout;
  int64_t rows = 1, contiguous = tile.layout.getOrder().front();
  for (auto [d, extent] : llvm::enumerate(tile.shape))
    if (int64_t(d) != contiguous)
      rows *= extent;
  int64_t width =
      swizzle ? swizzle : tile.shape[contiguous] * bytesOf(tile.elementType);
  return rows * width;
}

Value KernelLowering::sharedAddress(Value bytes, int64_t offset) {
  return LLVM::PtrToIntOp::create(b, b.getI32Type(),
                                  sharedPointer(bytes, offset));
}

FailureOr<Value> KernelLowering::partStart(Operation *op,
                                           const SharedTile &tile) {
  FailureOr<int64_t> panel = panelBytes(op, tile);
  if (failed(panel))
    return failure();
  Value bytes;
  if (tile.part.empty())
    return bytes;
  int64_t contiguous = tile.layout.getOrder().front(),
          element = bytesOf(tile.elementType);
  int64_t width = tile.layout.getSwizzle() ? tile.layout.getSwizzle()
                                           : tile.shape[contiguous] * element;
  int64_t rowBytes = width;
  for (int64_t d : tile.layout.getOrder().drop_front()) {
    if (int64_t divisor = tile::knownDivisor(tile.part[d]);
        tile.layout.getSwizzle() && divisor * rowBytes % (8 * width))
      return op->emitOpError("expected a part of ")
             << tile.layout << " from a multiple of 8 rows on, where its "
             << "swizzle repeats, got a multiple of " << divisor;
    if (!matchPattern(tile.part[d], m_Zero()))
      bytes = add(bytes, multiply(toI32(scalar(tile.part[d])),
                                  b.getIndexAttr(rowBytes)));
    rowBytes *= tile.shape[d];
  }
  if (matchPattern(tile.part[contiguous], m_Zero()))
    return bytes;
  if (int64_t divisor = tile::knownDivisor(tile.part[contiguous]);
      divisor % (width / element))
    return op->emitOpError("expected a part of ")
           << tile.layout << " from a multiple of " << width / element
           << " columns on, got a multiple of " << divisor;
  Value inPanel = arith::DivUIOp::create(
      b, toI32(scalar(tile.part[contiguous])), i32(width / element));
  return add(bytes, multiply(inPanel, b.getIndexAttr(*panel)));
}

FailureOr<MatrixDescriptor> KernelLowering::descriptorOf(Operation *op,
                                                         Value memory,
                                                         tile::Side side,
                                                         bool transposed) {
  FailureOr<SharedTile> found = sharedTile(op, memory);
  if (failed(found))
    return failure();
  SharedTile &tile = *found;
  int64_t swizzle = tile.layout.getSwizzle();
  assert(swizzle && tile.shape.size() == 2 && "the op's verifier sees to it");
  if ((tile.align | tile.offset) % (8 * swizzle))
    return op->emitOpError("expected a tile at a multiple of ")
           << 8 * swizzle << " bytes, where its swizzle repeats, got offset "
           << tile.offset << " from a multiple of " << tile.align;
  FailureOr<int64_t> panel = panelBytes(op, tile);
  FailureOr<Value> part = partStart(op, tile);
  if (failed(panel) || failed(part))
    return failure();
  MatrixDescriptor descriptor;
  int64_t contracted = (side == tile::Side::A) != transposed ? 1 : 0;
  descriptor.contractedIsContiguous =
      tile.layout.getOrder().front() == contracted;
  descriptor.swizzle = swizzle;
  descriptor.panel = *panel;
  descriptor.elementBytes = bytesOf(tile.elementType);
  uint64_t code = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  uint64_t leading = descriptor.contractedIsContiguous ? 1 : *panel / 16;
  descriptor.high = code << 30 | uint64_t(8 * swizzle / 16);
  // The slot and the part are added apart, so that a loop over slots leaves
  // the rest outside. A sum stays within the 14 bits, as shared memory does.
  Value bits = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, sharedAddress({}, tile.offset), i32(4)),
      i32(0x3fff));
  descriptor.low = arith::OrIOp::create(b, bits, i32(leading << 16));
  for (Value bytes : {*part, tile.base})
    if (bytes)
      descriptor.low =
          add(descriptor.low, arith::ShRUIOp::create(b, bytes, i32(4)));
  return descriptor;
}

Value KernelLowering::wholeDescriptor(const MatrixDescriptor &descriptor) {
  // By the intrinsic, which LLVM does not look through: it would make of the
  // additions behind it disjunctions of halves, two instructions instead of
  // one.
  Value pair = LLVM::CallIntrinsicOp::create(
                   b, b.getF64Type(), b.getStringAttr("llvm.nvvm.lohi.i2d"),
                   ValueRange{descriptor.low, i32(descriptor.high)})
                   .getResult(0);
  return LLVM::BitcastOp::create(b, b.getI64Type(), pair);
}

int64_t MatrixDescriptor::at(int64_t other, int64_t contracted) const {
  int64_t bytes = (contractedIsContiguous ? contracted : other) * elementBytes;
  int64_t row = contractedIsContiguous ? other : contracted;
  return (bytes / swizzle * panel + bytes % swizzle + row * swizzle) / 16;
}
