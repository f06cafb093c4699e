// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared memory: one array of 16-byte words; packets whole, 32-bit words as
// components, narrower reads by shifts.

#include "KernelLowering.h"

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

Value KernelLowering::sharedPacket(Value index) {
  return spirv::AccessChainOp::create(b, sharedMemory(), ValueRange{index});
}

Value KernelLowering::sharedWord(Value index) {
  Value packet = arith::ShRUIOp::create(b, index, constant(2)),
        component = arith::AndIOp::create(b, index, constant(3));
  return spirv::AccessChainOp::create(b, sharedMemory(),
                                      ValueRange{packet, component});
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

static LogicalResult checkElement(Operation *op, Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() || type.isInteger(32))
    return success();
  return op->emitOpError("of ")
         << type << " is not lowered to SPIR-V yet; f16, bf16, f32 and i32 are";
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
      parts.push_back(loadShared(sharedPacket(addConstant(
          linearIndex(*place, place->registers[i], perPacket), *offset / 16))));
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
    // One of two halves of a word.
    index = addConstant(index, *offset / bytes);
    Value word =
        loadShared(sharedWord(arith::ShRUIOp::create(b, index, constant(1))));
    Value shift = arith::ShLIOp::create(
        b, arith::AndIOp::create(b, index, constant(1)), constant(4));
    SmallVector<Value> halves;
    unpackWord(arith::ShRUIOp::create(b, word, shift), type, halves);
    parts.push_back(halves[0]);
  }
  set(op.getResult(), Form::Elements, parts);
  return success();
}

LogicalResult KernelLowering::writeShared(frag::WriteOp op) {
  frag::FragmentType fragment = op.getFragment().getType();
  Type type = fragment.getElementType();
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
      storeShared(sharedPacket(addConstant(index, *offset / 16)), packet);
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
