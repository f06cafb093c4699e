// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Views of packed operands: each matrix is one piece of memory, in the order of
// the lanes that hold it.

#include "KernelLowering.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using Form = LaneValue::Form;

FailureOr<KernelLowering::PackedPlace>
KernelLowering::packedPlace(Operation *op, frag::FragmentType fragment,
                            Value memory, ValueRange offsets, bool inBounds) {
  auto viewType = cast<tile::ViewType>(memory.getType());
  auto layout = dyn_cast<tile::OpaqueMatrixAttr>(fragment.getLayout());
  auto packed = cast<tile::OpaqueMatrixAttr>(viewType.getPacked());
  if (!layout || layout.getSide() != packed.getSide() ||
      layout.getMma() != packed.getMma() || !inBounds)
    return op->emitOpError("expected matrices of the packed view ")
           << viewType << ", in_bounds, got " << fragment;
  Type type = fragment.getElementType();
  SmallVector<int64_t> matrix = layout.getRegisterShape(2);
  int64_t lanes = layout.getLaneCount(),
          perPacket = 128 / type.getIntOrFloatBitWidth(),
          elements = matrix[0] * matrix[1] / lanes;
  if (!type.isF16() || elements % perPacket)
    return op->emitOpError("of packed matrices of ")
           << type
           << " is not lowered to SPIR-V yet; f16 is, where each lane holds a "
              "multiple of "
           << perPacket << " elements, got " << elements;
  FailureOr<Place> place =
      placeOf(op, fragment, memory, offsets, /*trans=*/false);
  if (failed(place))
    return failure();
  for (int64_t divisor : place->strideDivisors)
    if (divisor % perPacket)
      return op->emitOpError("expected strides of a packed view to be "
                             "multiples of 16 bytes (")
             << perPacket << " elements), got " << viewType;
  PackedPlace result;
  result.elements = elements;
  result.packets = elements / perPacket;
  Value lane = builtin(spirv::BuiltIn::SubgroupLocalInvocationId);
  lane = multiply(lane, b.getIndexAttr(result.packets));
  for (const auto &reg : place->registers)
    result.matrices.push_back(add(linearIndex(*place, reg, perPacket), lane));
  return result;
}

LogicalResult KernelLowering::readPacked(frag::ReadOp op) {
  FailureOr<spirv::CooperativeMatrixType> type = matrixType(op, op.getType());
  FailureOr<PackedPlace> place =
      failed(type) ? FailureOr<PackedPlace>()
                   : packedPlace(op, op.getType(), op.getSource(),
                                 op.getOffsets(), op.getInBounds());
  if (failed(place))
    return failure();
  auto view = op.getSource().getDefiningOp<tile::ViewOp>();
  Type element = op.getType().getElementType();
  SmallVector<Value> parts;
  for (Value index : place->matrices) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < place->packets; ++i) {
      FailureOr<Value> pointer =
          bufferElement(op, view.getPtr(), VectorType::get(4, b.getI32Type()),
                        addConstant(index, i), /*write=*/false);
      if (failed(pointer))
        return failure();
      Value packet = spirv::LoadOp::create(b, *pointer);
      for (int32_t word = 0; word < 4; ++word)
        unpackWord(spirv::CompositeExtractOp::create(b, packet,
                                                     ArrayRef<int32_t>{word}),
                   element, elements);
    }
    Value matrix = spirv::UndefOp::create(b, *type);
    for (auto [i, value] : llvm::enumerate(elements))
      matrix = spirv::CompositeInsertOp::create(b, value, matrix,
                                                ArrayRef<int32_t>{int32_t(i)});
    parts.push_back(matrix);
  }
  set(op.getResult(), Form::Matrices, parts);
  return success();
}

LogicalResult KernelLowering::writePacked(frag::WriteOp op) {
  FailureOr<PackedPlace> place =
      packedPlace(op, op.getFragment().getType(), op.getDest(), op.getOffsets(),
                  op.getInBounds());
  if (failed(place))
    return failure();
  auto view = op.getDest().getDefiningOp<tile::ViewOp>();
  Type element = op.getFragment().getType().getElementType();
  int64_t perPacket = place->elements / place->packets;
  LaneValue value = values.find(op.getFragment())->second;
  for (auto [matrix, index] : llvm::zip(value.parts, place->matrices)) {
    SmallVector<Value> elements;
    for (int32_t i = 0; i < place->elements; ++i)
      elements.push_back(
          spirv::CompositeExtractOp::create(b, matrix, ArrayRef<int32_t>{i}));
    for (int64_t i = 0; i < place->packets; ++i) {
      FailureOr<Value> pointer =
          bufferElement(op, view.getPtr(), VectorType::get(4, b.getI32Type()),
                        addConstant(index, i), /*write=*/true);
      if (failed(pointer))
        return failure();
      spirv::StoreOp::create(
          b, *pointer,
          pack(ArrayRef(elements).slice(i * perPacket, perPacket), element));
    }
  }
  return success();
}
