// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-distribute: rings, slots and copies.

#include "Distribute.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "helios/Dialect/Tile/Utils/Select.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

LogicalResult Distributor::lowerRing(RingOp ring) {
  Location loc = ring.getLoc();
  auto offset = ring->getAttrOfType<IntegerAttr>("tile.offset");
  if (!offset)
    return ring.emitOpError("expected a place in shared memory; run "
                            "tile-allocate-shared first");
  auto shared = frag::SharedOp::create(
      b, loc, lowerType(ring.getRing().getType()), offset);
  if (auto barriers = ring->getAttrOfType<IntegerAttr>("tile.barriers"))
    shared.setBarriersAttr(barriers);
  values.map(ring.getRing(), shared.getResult());
  values.map(ring.getCursor(),
             arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0));
  return success();
}

Value Distributor::slotMem(Location loc, Value slot, int64_t index,
                           RankedTensorType type, ValueRange offsets,
                           std::optional<int64_t> workgroup) {
  return frag::SlotMemOp::create(
      b, loc, cast<frag::MemType>(lowerType(type)), slot, index,
      workgroup ? b.getI64IntegerAttr(*workgroup) : IntegerAttr(), offsets);
}

LogicalResult Distributor::lowerEnter(EnterOp enter) {
  Location loc = enter.getLoc();
  auto acquire = frag::AcquireOp::create(
      b, loc, enter.getAccess(), get(enter.getRing()), get(enter.getCursor()));
  values.map(enter.getSlot(), acquire.getSlot());
  values.map(enter.getNext(), acquire.getNext());
  RingType ring = enter.getRing().getType();
  int64_t ofOne = ring.getPayload().size();
  for (auto [number, payload] : llvm::enumerate(enter.getPayload())) {
    int64_t i = int64_t(number) % ofOne;
    auto type = dyn_cast<RankedTensorType>(payload.getType());
    if (!type) {
      values.map(payload, frag::SlotGetOp::create(b, loc, payload.getType(),
                                                  acquire.getSlot(), i));
      continue;
    }
    std::optional<int64_t> workgroup;
    if (ring.getTilesRead() > 1)
      workgroup = int64_t(number) / ofOne;
    Place place{slotMem(loc, acquire.getSlot(), i, type, {}, workgroup)};
    place.slot = acquire.getSlot();
    place.index = i;
    place.workgroup = workgroup;
    place.copy = ring.getCopy();
    places[payload] = place;
  }
  return success();
}

/// A cursor counts slots.
LogicalResult Distributor::lowerAdvance(AdvanceOp advance) {
  Location loc = advance.getLoc();
  Value slots = arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                           get(advance.getSlots()));
  return map(advance,
             arith::AddIOp::create(b, loc, get(advance.getCursor()), slots)
                 .getResult());
}

/// The ring behind a slot, through what loops carry.
static RingType ringOf(Value slot) {
  return originsOf(slot).front().getDefiningOp<EnterOp>().getRing().getType();
}

/// The part of a slot's tile that this workgroup copies for its cluster;
/// `offsets` into the view move to it.
FailureOr<Value> Distributor::sharedPart(CopyInOp copy, RankedTensorType tile,
                                         SmallVectorImpl<Value> &offsets) {
  Location loc = copy.getLoc();
  int64_t parts = *copy.getParts();
  std::optional<int64_t> dim = getDividedDim(tile, parts);
  if (!dim)
    return copy.emitOpError("expected a tile of ")
           << parts << " equal parts at repetitions of its layout, got "
           << tile;
  SmallVector<int64_t> shape(tile.getShape());
  shape[*dim] /= parts;
  Value begin = arith::MulIOp::create(b, loc, get(copy.getPart()),
                                      index(shape[*dim], loc));
  SmallVector<Value> at(tile.getRank(), index(0, loc));
  at[*dim] = begin;
  Value &offset = offsets[offsets.size() - tile.getRank() + *dim];
  offset = arith::AddIOp::create(b, loc, offset, begin);
  return slotMem(
      loc, get(copy.getSlot()), copy.getIndex(),
      RankedTensorType::get(shape, tile.getElementType(), tile.getEncoding()),
      at);
}

LogicalResult Distributor::lowerCopyIn(CopyInOp copy) {
  RingType ring = ringOf(copy.getSlot());
  auto engine = dyn_cast_or_null<CopyAttrInterface>(ring.getCopy());
  if (!engine)
    return copy.emitOpError("expected a ring with a copy engine, got ") << ring;
  Location loc = copy.getLoc();
  auto tile = cast<RankedTensorType>(ring.getPayload()[copy.getIndex()]);
  SmallVector<Value> offsets = get(copy.getOffsets());
  Value mask;
  FailureOr<Value> mem;
  if (copy.getParts()) {
    mask = get(copy.getMask());
    mem = sharedPart(copy, tile, offsets);
  } else {
    mem = slotMem(loc, get(copy.getSlot()), copy.getIndex(), tile, {});
  }
  if (failed(mem))
    return failure();
  return map(copy, frag::CopyInOp::create(
                       b, loc, TokenType::get(b.getContext()),
                       get(copy.getView()), offsets, *mem, engine,
                       copy.getPredicate() ? get(copy.getPredicate()) : Value(),
                       mask, copy.getInBounds(), copy.getInsideAttr())
                       .getToken());
}

LogicalResult Distributor::lowerCopyOut(CopyOutOp copy) {
  auto it = places.find(copy.getTile());
  auto engine = it == places.end()
                    ? CopyAttrInterface()
                    : dyn_cast_or_null<CopyAttrInterface>(it->second.copy);
  if (!engine || it->second.transposed)
    return copy.emitOpError("expected a tile of a ring with a copy engine, as "
                            "it lies in its slot");
  return map(copy, frag::CopyOutOp::create(
                       b, copy.getLoc(), TokenType::get(b.getContext()),
                       it->second.mem, get(copy.getView()),
                       get(copy.getOffsets()), engine, copy.getReduceAttr())
                       .getToken());
}

LogicalResult Distributor::lowerPut(PutOp put) {
  RingType ring = ringOf(put.getSlot());
  Location loc = put.getLoc();
  Value value = get(put.getValue()), slot = get(put.getSlot());
  auto type = dyn_cast<RankedTensorType>(ring.getPayload()[put.getIndex()]);
  if (!type) {
    frag::SlotPutOp::create(b, loc, value, slot, put.getIndex());
    return success();
  }
  Value mem = slotMem(loc, slot, put.getIndex(), type, {});
  SmallVector<Value> zeros(type.getRank(), index(0, loc));
  frag::WriteOp::create(b, loc, value, mem, zeros, false, ReduceKindAttr());
  return success();
}

/// What was read from the slot into registers is done by program order; tokens
/// of copies and of products in flight are named. A product whose value this
/// block needs is awaited here, so that one wait serves both.
LogicalResult Distributor::lowerExit(ExitOp exit) {
  for (Value after : exit.getAfter())
    if (flying.contains(after) && needsFragment(after))
      land(after, exit.getLoc());
  frag::ReleaseOp::create(b, exit.getLoc(), get(exit.getSlot()),
                          tokensOf(exit.getAfter()));
  return success();
}
