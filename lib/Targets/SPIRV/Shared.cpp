// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared memory: one array of units of 16 bytes, or of 8 where rows of matrices
// start there; packets whole, 32-bit words as components, narrower reads by
// shifts.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/IR/Partials.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using Form = LaneValue::Form;

FailureOr<int64_t> KernelLowering::sharedOffset(Operation *op, Value memory) {
  auto shared = memory.getDefiningOp<frag::SharedOp>();
  if (!shared)
    return op->emitOpError("expected memory of a frag.shared, got ") << memory;
  return int64_t(shared.getOffset());
}

Value KernelLowering::sharedUnit(Value index) {
  return spirv::AccessChainOp::create(b, sharedMemory(), ValueRange{index});
}

Value KernelLowering::sharedWord(Value index) {
  int64_t words = sharedUnitBytes / 4;
  Value unit = shiftRight(index, words, /*isSigned=*/false),
        component = arith::AndIOp::create(b, index, constant(words - 1));
  return spirv::AccessChainOp::create(b, sharedMemory(),
                                      ValueRange{unit, component});
}

/// Under the Vulkan memory model accesses that others may see are not private.
static spirv::MemoryAccessAttr shareable(ImplicitLocOpBuilder &b,
                                         bool vulkanModel) {
  return vulkanModel
             ? spirv::MemoryAccessAttr::get(
                   b.getContext(), spirv::MemoryAccess::NonPrivatePointer)
             : spirv::MemoryAccessAttr();
}

Value KernelLowering::loadShared(Value pointer) {
  return spirv::LoadOp::create(b, pointer, shareable(b, usesMatrices()),
                               IntegerAttr());
}

void KernelLowering::storeShared(Value pointer, Value value) {
  SmallVector<NamedAttribute> attrs;
  if (spirv::MemoryAccessAttr access = shareable(b, usesMatrices()))
    attrs.push_back(b.getNamedAttr("memory_access", access));
  spirv::StoreOp::create(b, pointer, value, attrs);
}

/// The packet number `index`, which may be two units.
Value KernelLowering::loadSharedPacket(Value index) {
  if (sharedUnitBytes == 16)
    return loadShared(sharedUnit(index));
  Value first = multiply(index, b.getIndexAttr(2));
  return spirv::CompositeConstructOp::create(
      b, VectorType::get(4, b.getI32Type()),
      ValueRange{loadShared(sharedUnit(first)),
                 loadShared(sharedUnit(addConstant(first, 1)))});
}

void KernelLowering::storeSharedPacket(Value index, Value packet) {
  if (sharedUnitBytes == 16)
    return storeShared(sharedUnit(index), packet);
  Value first = multiply(index, b.getIndexAttr(2));
  for (int32_t i = 0; i < 2; ++i)
    storeShared(sharedUnit(addConstant(first, i)),
                spirv::VectorShuffleOp::create(
                    b, VectorType::get(2, b.getI32Type()), packet, packet,
                    b.getI32ArrayAttr({2 * i, 2 * i + 1})));
}

static LogicalResult checkElement(Operation *op, Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() || type.isInteger(8) ||
      type.isInteger(32))
    return success();
  return op->emitOpError("of ") << type
                                << " is not lowered to SPIR-V yet; f16, bf16, "
                                   "f32, i8 and i32 are";
}

LogicalResult KernelLowering::readShared(frag::ReadOp op) {
  Type type = op.getType().getElementType();
  FailureOr<int64_t> offset = sharedOffset(op, op.getSource());
  if (failed(offset) || failed(checkElement(op, type)))
    return failure();
  FailureOr<Place> place =
      placeOf(op, op.getType(), op.getSource(), op.getOffsets(), op.getTrans());
  if (failed(place))
    return failure();
  int64_t bytes = type.getIntOrFloatBitWidth() / 8, perPacket = 16 / bytes,
          perWord = 4 / bytes;
  SmallVector<Value> parts;
  if (hasRuns(*place, perPacket)) {
    for (size_t i = 0; i < place->registers.size(); i += perPacket)
      parts.push_back(loadSharedPacket(addConstant(
          linearIndex(*place, place->registers[i], perPacket), *offset / 16)));
    set(op.getResult(), Form::Packets, parts);
    return success();
  }
  bool words = hasRuns(*place, perWord);
  for (size_t i = 0; i < place->registers.size(); i += words ? perWord : 1) {
    Value index = linearIndex(*place, place->registers[i], words ? perWord : 1);
    if (words) {
      unpackWord(loadShared(sharedWord(addConstant(index, *offset / 4))), type,
                 parts);
      continue;
    }
    // One part of a word.
    index = addConstant(index, *offset / bytes);
    Value word =
        loadShared(sharedWord(shiftRight(index, perWord, /*isSigned=*/false)));
    Value shift = arith::ShLIOp::create(
        b, arith::AndIOp::create(b, index, constant(perWord - 1)),
        constant(llvm::Log2_64(8 * bytes)));
    SmallVector<Value> shifted;
    unpackWord(arith::ShRUIOp::create(b, word, shift), type, shifted);
    parts.push_back(shifted[0]);
  }
  set(op.getResult(), Form::Elements, parts);
  return success();
}

LogicalResult KernelLowering::writeShared(frag::WriteOp op) {
  frag::FragmentType fragment = op.getFragment().getType();
  Type type = fragment.getElementType();
  tile::StoredTile stored =
      tile::getStored(fragment.getLayout(), fragment.getShape());
  fragment = frag::FragmentType::get(b.getContext(), stored.shape, type,
                                     stored.layout);
  FailureOr<int64_t> offset = sharedOffset(op, op.getDest());
  if (failed(offset) || failed(checkElement(op, type)))
    return failure();
  FailureOr<Place> place =
      placeOf(op, fragment, op.getDest(), op.getOffsets(), /*trans=*/false);
  if (failed(place))
    return failure();
  int64_t bytes = type.getIntOrFloatBitWidth() / 8, perPacket = 16 / bytes,
          perWord = 4 / bytes;
  if (hasRuns(*place, perPacket)) {
    for (auto [i, packet] : llvm::enumerate(packets(op.getFragment()))) {
      Value index =
          linearIndex(*place, place->registers[i * perPacket], perPacket);
      storeSharedPacket(addConstant(index, *offset / 16), packet);
    }
    return success();
  }
  if (!hasRuns(*place, perWord))
    return op.emitOpError("expected lanes to hold at least 4 neighbouring "
                          "bytes along the fastest dimension of ")
           << op.getDest().getType() << ", got " << fragment
           << "; narrower stores would race within a word";
  SmallVector<Value> parts = elements(op.getFragment());
  for (size_t i = 0; i < parts.size(); i += perWord) {
    Value index = linearIndex(*place, place->registers[i], perWord);
    storeShared(sharedWord(addConstant(index, *offset / 4)),
                packWord(ArrayRef(parts).slice(i, perWord), type));
  }
  return success();
}
