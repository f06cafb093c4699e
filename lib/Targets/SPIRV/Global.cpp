// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Global memory: 16-byte packets where alignment is proved, single elements elsewhere; nothing outside a view is touched.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using Form = LaneValue::Form;

LogicalResult KernelLowering::lowerRead(frag::ReadOp op) {
  if (op.getBroadcast())
    return op.emitOpError("with 'broadcast' is not lowered to SPIR-V yet");
  if (isa<tile::OpaqueMatrixAttr>(op.getType().getLayout()))
    return readMatrices(op);
  if (!op.getType().getLayout().hasCoordinates())
    return op.emitOpError("into the layout ") << op.getType().getLayout() << " is not lowered to SPIR-V yet";
  return isa<frag::MemType>(op.getSource().getType()) ? readShared(op) : readGlobal(op);
}

LogicalResult KernelLowering::lowerWrite(frag::WriteOp op) {
  if (op.getReduce())
    return op.emitOpError("with 'reduce' is not lowered to SPIR-V yet");
  if (isa<tile::OpaqueMatrixAttr>(op.getFragment().getType().getLayout()))
    return writeMatrices(op);
  return isa<frag::MemType>(op.getDest().getType()) ? writeShared(op) : writeGlobal(op);
}

/// Element types that cross memory, and the word each is in a buffer of elements: bf16 as its bits.
static FailureOr<Type> bufferWord(Operation *op, Type type) {
  if (type.isBF16())
    return Type(IntegerType::get(type.getContext(), 16));
  if (type.isF16() || type.isF32() || type.isInteger(32))
    return type;
  return op->emitOpError("of ") << type << " is not lowered to SPIR-V yet; f16, bf16, f32 and i32 are";
}

/// True if whole packets of a view may be accessed: aligned, and wholly inside or outside.
static bool allowsPackets(tile::ViewOp view, int64_t perPacket, bool inBounds) {
  tile::ViewType type = view.getType();
  int64_t c = type.getContiguousDim();
  return c >= 0 && type.getAlign() >= 16 && type.getAlign() % 16 == 0 &&
         (inBounds || tile::knownDivisor(view.getMixedSize(c)) % perPacket == 0);
}

/// A select on a whole packet, by a condition a component as SPIR-V before 1.4 wants it.
static Value selectPacket(ImplicitLocOpBuilder &b, Value condition, Value yes, Value no) {
  Value conditions = spirv::CompositeConstructOp::create(b, VectorType::get(4, b.getI1Type()),
                                                         ValueRange{condition, condition, condition, condition});
  return spirv::SelectOp::create(b, conditions, yes, no);
}

LogicalResult KernelLowering::readGlobal(frag::ReadOp op) {
  Type type = op.getType().getElementType();
  FailureOr<Type> word = bufferWord(op, type);
  FailureOr<Place> place = failed(word) ? FailureOr<Place>() : placeOf(op, op.getType(), op.getSource(), op.getOffsets(), op.getTrans());
  if (failed(place))
    return failure();
  if (op.getInBounds())
    place->sizes.clear();
  auto view = op.getSource().getDefiningOp<tile::ViewOp>();
  int64_t perPacket = 128 / type.getIntOrFloatBitWidth();
  bool wide = allowsPackets(view, perPacket, op.getInBounds()) && hasRuns(*place, perPacket);
  double padValue = op.getPad().convertToDouble();
  Value pad = wide ? constantPacket(type, padValue) : constantOf(type, padValue);
  Type access = wide ? Type(VectorType::get(4, b.getI32Type())) : *word;
  SmallVector<Value> parts;
  for (size_t i = 0; i < place->registers.size(); i += wide ? perPacket : 1) {
    ArrayRef<int64_t> reg = place->registers[i];
    Value index = linearIndex(*place, reg, wide ? perPacket : 1);
    Value inside = inBounds(*place, reg);
    if (inside)
      index = arith::SelectOp::create(b, inside, index, constant(0));
    FailureOr<Value> pointer = bufferElement(op, view.getPtr(), access, index, /*write=*/false);
    if (failed(pointer))
      return failure();
    Value loaded = spirv::LoadOp::create(b, *pointer);
    if (!wide && type.isBF16())
      loaded = arith::ExtUIOp::create(b, b.getI32Type(), loaded);
    if (inside)
      loaded = wide ? selectPacket(b, inside, loaded, pad) : Value(arith::SelectOp::create(b, inside, loaded, pad));
    parts.push_back(loaded);
  }
  set(op.getResult(), wide ? Form::Packets : Form::Elements, parts);
  return success();
}

LogicalResult KernelLowering::writeGlobal(frag::WriteOp op) {
  frag::FragmentType fragment = op.getFragment().getType();
  Type type = fragment.getElementType();
  FailureOr<Type> word = bufferWord(op, type);
  FailureOr<Place> place = failed(word) ? FailureOr<Place>() : placeOf(op, fragment, op.getDest(), op.getOffsets(), /*trans=*/false);
  if (failed(place))
    return failure();
  if (op.getInBounds())
    place->sizes.clear();
  auto view = op.getDest().getDefiningOp<tile::ViewOp>();
  int64_t perPacket = 128 / type.getIntOrFloatBitWidth();
  bool wide = allowsPackets(view, perPacket, op.getInBounds()) && hasRuns(*place, perPacket);
  SmallVector<Value> parts = wide ? packets(op.getFragment()) : elements(op.getFragment());
  Type access = wide ? Type(VectorType::get(4, b.getI32Type())) : *word;
  for (auto [i, part] : llvm::enumerate(parts)) {
    ArrayRef<int64_t> reg = place->registers[wide ? i * perPacket : i];
    Value index = linearIndex(*place, reg, wide ? perPacket : 1);
    Value stored = !wide && type.isBF16() ? Value(arith::TruncIOp::create(b, *word, part)) : part;
    OpBuilder::InsertionGuard guard(b);
    if (Value inside = inBounds(*place, reg)) {
      auto branch = scf::IfOp::create(b, TypeRange(), inside, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    FailureOr<Value> pointer = bufferElement(op, view.getPtr(), access, index, /*write=*/true);
    if (failed(pointer))
      return failure();
    spirv::StoreOp::create(b, *pointer, stored);
  }
  return success();
}
