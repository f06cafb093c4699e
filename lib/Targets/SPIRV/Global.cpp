// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Global memory: 16-byte packets where alignment is proved, single elements
// elsewhere; nothing outside a view is touched.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using Form = LaneValue::Form;

LogicalResult KernelLowering::lowerRead(frag::ReadOp op) {
  if (op.getBroadcast())
    return readBroadcast(op);
  if (isa<tile::OpaqueMatrixAttr>(op.getType().getLayout()))
    return readMatrices(op);
  if (!op.getType().getLayout().hasCoordinates())
    return op.emitOpError("into the layout ")
           << op.getType().getLayout() << " is not lowered to SPIR-V yet";
  return isa<frag::MemType>(op.getSource().getType()) ? readShared(op)
                                                      : readGlobal(op);
}

LogicalResult KernelLowering::lowerWrite(frag::WriteOp op) {
  if (op.getReduce())
    return op.emitOpError("with 'reduce' is not lowered to SPIR-V yet");
  if (!op.getFragment().getType().getLayout().hasCoordinates())
    return writeMatrices(op);
  return isa<frag::MemType>(op.getDest().getType()) ? writeShared(op)
                                                    : writeGlobal(op);
}

/// Element types that cross memory, and the word each is in a buffer of
/// elements: bf16 as its bits.
static FailureOr<Type> bufferWord(Operation *op, Type type) {
  if (type.isBF16())
    return Type(IntegerType::get(type.getContext(), 16));
  if (type.isF16() || type.isF32() || type.isInteger(8) || type.isInteger(32))
    return type;
  return op->emitOpError("of ") << type
                                << " is not lowered to SPIR-V yet; f16, bf16, "
                                   "f32, i8 and i32 are";
}

/// Every lane reads it, from one place.
LogicalResult KernelLowering::lowerElement(frag::ElementOp op) {
  FailureOr<Type> word = bufferWord(op, op.getType());
  if (failed(word))
    return failure();
  auto view = op.getView().getDefiningOp<tile::ViewOp>();
  Value index;
  for (auto [d, offset] : llvm::enumerate(op.getOffsets())) {
    OpFoldResult stride = view.getMixedStride(d);
    if (auto value = dyn_cast<Value>(stride))
      stride = scalar(value);
    index = add(index, multiply(scalar(offset), stride));
  }
  FailureOr<Value> pointer =
      bufferElement(op, view.getPtr(), *word, addConstant(index, 0),
                    /*write=*/false);
  if (failed(pointer))
    return failure();
  setScalar(op, spirv::LoadOp::create(b, *pointer));
  return success();
}

/// Elements of one access: as many as make 16 or 4 bytes where they are
/// neighbours in a register set and in memory, aligned, and wholly inside or
/// outside the view; else one.
static int64_t elementsPerAccess(tile::ViewOp view, Type type, bool inBounds,
                                 llvm::function_ref<bool(int64_t)> hasRuns) {
  tile::ViewType viewType = view.getType();
  int64_t c = viewType.getContiguousDim();
  if (c < 0 || viewType.getAlign() == 0 || viewType.getAlign() % 16)
    return 1;
  int64_t extent = tile::knownDivisor(view.getMixedSize(c));
  for (int64_t bits : {128, 32})
    if (int64_t n = bits / type.getIntOrFloatBitWidth();
        (inBounds || extent % n == 0) && hasRuns(n))
      return n;
  return 1;
}

/// By a condition a component, as SPIR-V before 1.4 wants it.
Value helios::spv::selectPacket(ImplicitLocOpBuilder &b, Value condition,
                                Value yes, Value no) {
  Value conditions = spirv::CompositeConstructOp::create(
      b, VectorType::get(4, b.getI1Type()),
      ValueRange{condition, condition, condition, condition});
  return spirv::SelectOp::create(b, conditions, yes, no);
}

/// Whether packets are asked where they are used if they were inside: where
/// lanes do more than multiply, they would wait for the next trip's loads
/// before this trip's work. What carrying the question costs a product alone
/// has not been measured.
static bool asksLate(frag::KernelOp kernel) {
  return kernel.walk([](frag::ReduceOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult KernelLowering::readGlobal(frag::ReadOp op) {
  Type type = op.getType().getElementType();
  FailureOr<Type> word = bufferWord(op, type);
  FailureOr<Place> place = failed(word)
                               ? FailureOr<Place>()
                               : placeOf(op, op.getType(), op.getSource(),
                                         op.getOffsets(), op.getTrans());
  if (failed(place))
    return failure();
  if (op.getInBounds())
    place->sizes.clear();
  auto view = op.getSource().getDefiningOp<tile::ViewOp>();
  int64_t bits = type.getIntOrFloatBitWidth();
  int64_t n =
      elementsPerAccess(view, type, op.getInBounds(), [&](int64_t length) {
        return hasRuns(*place, length);
      });
  bool wide = n * bits == 128, word32 = !wide && n > 1;
  double padValue = op.getPad().convertToDouble();
  bool late = wide && padValue == 0 && asksLate(kernel);
  Value pad =
      wide ? constantPacket(type, padValue)
      : word32
          ? packWord(SmallVector<Value>(n, constantOf(type, padValue)), type)
          : constantOf(type, padValue);
  SmallVector<Value> parts, guards;
  for (size_t i = 0; i < place->registers.size(); i += n) {
    ArrayRef<int64_t> reg = place->registers[i];
    Value index = linearIndex(*place, reg, n), inside = inBounds(*place, reg);
    if (inside)
      index = arith::SelectOp::create(b, inside, index, constant(0));
    FailureOr<Value> pointer = globalPointer(op, view.getPtr(), *word, index,
                                             n * bits, /*write=*/false);
    if (failed(pointer))
      return failure();
    Value loaded = spirv::LoadOp::create(b, *pointer);
    if (n == 1 && type.isBF16())
      loaded = arith::ExtUIOp::create(b, b.getI32Type(), loaded);
    if (inside && late)
      guards.push_back(inside);
    else if (inside)
      loaded = wide ? selectPacket(b, inside, loaded, pad)
                    : Value(arith::SelectOp::create(b, inside, loaded, pad));
    if (word32)
      unpackWord(loaded, type, parts);
    else
      parts.push_back(loaded);
  }
  set(op.getResult(), wide ? Form::Packets : Form::Elements, parts);
  values[op.getResult()].guards = std::move(guards);
  return success();
}

LogicalResult KernelLowering::writeGlobal(frag::WriteOp op) {
  frag::FragmentType fragment = op.getFragment().getType();
  Type type = fragment.getElementType();
  FailureOr<Type> word = bufferWord(op, type);
  FailureOr<Place> place = failed(word)
                               ? FailureOr<Place>()
                               : placeOf(op, fragment, op.getDest(),
                                         op.getOffsets(), /*trans=*/false);
  if (failed(place))
    return failure();
  if (op.getInBounds())
    place->sizes.clear();
  auto view = op.getDest().getDefiningOp<tile::ViewOp>();
  int64_t bits = type.getIntOrFloatBitWidth();
  int64_t n =
      elementsPerAccess(view, type, op.getInBounds(), [&](int64_t length) {
        return hasRuns(*place, length);
      });
  bool wide = n * bits == 128;
  SmallVector<Value> parts =
      wide ? packets(op.getFragment()) : elements(op.getFragment());
  for (size_t i = 0; i < place->registers.size(); i += n) {
    ArrayRef<int64_t> reg = place->registers[i];
    Value index = linearIndex(*place, reg, n);
    Value stored = wide    ? parts[i / n]
                   : n > 1 ? packWord(ArrayRef(parts).slice(i, n), type)
                           : parts[i];
    if (n == 1 && type.isBF16())
      stored = arith::TruncIOp::create(b, *word, stored);
    OpBuilder::InsertionGuard guard(b);
    if (Value inside = inBounds(*place, reg)) {
      auto branch =
          scf::IfOp::create(b, TypeRange(), inside, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    FailureOr<Value> pointer = globalPointer(op, view.getPtr(), *word, index,
                                             n * bits, /*write=*/true);
    if (failed(pointer))
      return failure();
    spirv::StoreOp::create(b, *pointer, stored);
  }
  return success();
}

/// A pointer to the access number `index`: a packet, a 32-bit component of one,
/// or a single element.
FailureOr<Value> KernelLowering::globalPointer(Operation *op, Value arg,
                                               Type word, Value index,
                                               int64_t bits, bool write) {
  Type packet = VectorType::get(4, b.getI32Type());
  if (bits == 128)
    return bufferElement(op, arg, packet, index, write);
  if (bits == word.getIntOrFloatBitWidth())
    return bufferElement(op, arg, word, index, write);
  Value component = arith::AndIOp::create(b, index, constant(3));
  return bufferElement(op, arg, packet,
                       arith::ShRUIOp::create(b, index, constant(2)), write,
                       component);
}
