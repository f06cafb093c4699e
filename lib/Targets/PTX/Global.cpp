// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Global memory: accesses as wide as alignment and layout allow; nothing
// outside a view is touched. Addresses have 64 bits.

#include "InlinePtx.h"
#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

LogicalResult KernelLowering::lowerRead(frag::ReadOp op) {
  if (op.getBroadcast())
    return op.emitOpError("with 'broadcast' is not lowered to PTX yet");
  if (!op.getType().getLayout().hasCoordinates())
    return op.emitOpError("into the layout ")
           << op.getType().getLayout() << " is not lowered to PTX";
  return isa<frag::MemType>(op.getSource().getType()) ? readShared(op)
                                                      : readGlobal(op);
}

LogicalResult KernelLowering::lowerWrite(frag::WriteOp op) {
  if (op.getReduce())
    return op.emitOpError("with 'reduce' is not lowered to PTX yet");
  return isa<frag::MemType>(op.getDest().getType()) ? writeShared(op)
                                                    : writeGlobal(op);
}

/// Every lane reads it, from one place.
LogicalResult KernelLowering::lowerElement(frag::ElementOp op) {
  FailureOr<Global> global = globalOf(op, op.getView(), /*write=*/false);
  if (failed(global))
    return failure();
  Value place;
  for (auto [offset, stride] : llvm::zip(op.getOffsets(), global->strides))
    place = add(place, multiply(scalar(offset), stride));
  Value address = global->pointer;
  if (place)
    address = LLVM::GEPOp::create(b, address.getType(), op.getType(), address,
                                  ArrayRef<LLVM::GEPArg>{place});
  setScalar(op, LLVM::LoadOp::create(b, op.getType(), address,
                                     bytesOf(op.getType())));
  return success();
}

FailureOr<Global> KernelLowering::globalOf(Operation *op, Value memory,
                                           bool write) {
  Global global;
  auto type = cast<tile::ViewType>(memory.getType());
  global.view = memory.getDefiningOp<tile::ViewOp>();
  if (!global.view)
    return op->emitOpError(
               "expected a view made by tile.view in the same kernel, got ")
           << memory;
  if (type.getGather() >= 0)
    return op->emitOpError("of a gathered view is not lowered to PTX yet");
  FailureOr<Value> pointer = argumentPointer(op, global.view.getPtr(), write);
  if (failed(pointer))
    return failure();
  global.pointer = *pointer;
  auto lower = [&](OpFoldResult value) -> OpFoldResult {
    return isa<Attribute>(value) ? value
                                 : OpFoldResult(scalar(cast<Value>(value)));
  };
  for (int64_t d = 0; d < type.getRank(); ++d) {
    global.strides.push_back(lower(global.view.getMixedStride(d)));
    global.strideDivisors.push_back(
        std::max(type.getStrideDivisor(d),
                 tile::knownDivisor(global.view.getMixedStride(d))));
    global.sizes.push_back(lower(global.view.getMixedSize(d)));
  }
  global.contiguous = type.getContiguousDim();
  return global;
}

/// The address of a register's element. The register's own part comes last, so
/// that a loop needs one address of the lane and not one a register; it is
/// added to that of the register before, if there is one.
Value KernelLowering::globalAddress(const Global &global, const Place &place,
                                    ArrayRef<int64_t> reg,
                                    PreviousRegister *before) {
  tile::ViewOp view = global.view;
  Type type = getLaneType(view.getType().getElementType());
  Value address = global.pointer;
  auto step = [&](LLVM::GEPArg index) {
    address = LLVM::GEPOp::create(b, global.pointer.getType(), type, address,
                                  ArrayRef<LLVM::GEPArg>{index});
  };
  bool follows = before && before->address;
  if (follows)
    address = before->address;
  Value fixed, moving, own;
  int64_t constantPart = 0;
  for (auto [d, stride] : llvm::enumerate(global.strides)) {
    Value at = follows ? Value()
                       : add(place.uniform[d].value,
                             toI64(laneValue(place.layout, place.lane[d])));
    int64_t constant = place.constant[d] + reg[d];
    if (std::optional<int64_t> c = getConstantIntValue(stride)) {
      moving = add(moving, multiply(at, stride));
      constantPart += constant * *c;
    } else {
      fixed = add(fixed, multiply(at, stride));
      int64_t distance = follows ? reg[d] - before->reg[d] : constant;
      if (distance)
        own = add(own, multiply(i64(distance), stride));
    }
  }
  for (Value index : {fixed, moving, own})
    if (index)
      step(index);
  if (before)
    *before = {llvm::to_vector(reg), address};
  if (llvm::isInt<32>(constantPart) && constantPart)
    step(int32_t(constantPart));
  else if (constantPart)
    step(i64(constantPart));
  return address;
}

/// Elements of one access: as many as make 16, 8 or 4 bytes where they are
/// neighbours in a register set and in memory, aligned, and wholly inside or
/// outside the view; else one.
int64_t KernelLowering::elementsPerAccess(const Global &global,
                                          const Place &place, Type type,
                                          bool inBounds) {
  tile::ViewOp view = global.view;
  int64_t c = global.contiguous, align = view.getType().getAlign();
  if (c < 0)
    return 1;
  int64_t extent = tile::knownDivisor(view.getMixedSize(c));
  for (int64_t bytes : {16, 8, 4}) {
    int64_t n = bytes / bytesOf(type);
    bool aligned = n > 1 && align && align % bytes == 0;
    for (auto [d, divisor] : llvm::enumerate(global.strideDivisors))
      aligned &= int64_t(d) == c || divisor % n == 0;
    if (aligned && (inBounds || extent % n == 0) && hasRuns(place, c, n))
      return n;
  }
  return 1;
}

/// Bytes of which an element's address is known to be a multiple, up to what
/// the view's is: LLVM makes wide loads of neighbours whose addresses are known
/// well enough.
static int64_t knownAlignment(const Global &global, const Place &place,
                              ArrayRef<int64_t> reg, Type type) {
  tile::ViewOp view = global.view;
  int64_t elements = view.getType().getAlign() / bytesOf(type);
  for (int64_t d = 0; elements > 1 && d < int64_t(reg.size()); ++d) {
    if (d != global.contiguous) {
      elements = std::gcd(elements, global.strideDivisors[d]);
      continue;
    }
    auto lane = dyn_cast<AffineConstantExpr>(place.lane[d]);
    elements = std::gcd(
        elements, lane ? place.constant[d] + reg[d] + lane.getValue() : 1);
    if (place.uniform[d].value)
      elements = std::gcd(elements, place.uniform[d].divisor);
  }
  return std::max<int64_t>(1, elements) * bytesOf(type);
}

/// The type of an access of `n` elements: words of 32 bits, or one element.
static Type accessType(OpBuilder &b, Type type, int64_t n) {
  int64_t words = n * bytesOf(type) / 4;
  if (n == 1)
    return getLaneType(type);
  return words == 1 ? Type(b.getI32Type())
                    : VectorType::get(words, b.getI32Type());
}

/// The accesses of `n` registers, by number of their first ones: those that the
/// same comparisons decide together.
static SmallVector<SmallVector<size_t>>
decidedAlike(const Place &place, const Bounds &bounds, int64_t n) {
  SmallVector<SmallVector<size_t>> all;
  for (size_t i = 0; i < place.registers.size(); i += n) {
    auto isAlike = [&](ArrayRef<size_t> others) {
      for (auto [d, at] : llvm::enumerate(place.registers[i]))
        if ((bounds.left[d] || llvm::is_contained(bounds.wide, int64_t(d))) &&
            place.registers[others.front()][d] != at)
          return false;
      return true;
    };
    auto *found = llvm::find_if(all, isAlike);
    if (found == all.end())
      all.push_back({i});
    else
      found->push_back(i);
  }
  return all;
}

/// Whether an operation is a role's. Of programs without roles strength
/// reduction makes addresses of each other, whose order decides there what the
/// assembler spills.
static bool isOfRole(Operation *op) {
  return op->getParentOfType<frag::RoleOp>() != nullptr;
}

/// Whether an operation of a role with a budget of registers stands behind a
/// store of its block, like all slabs of an epilogue but the first.
static bool isBehindStore(Operation *op) {
  auto role = op->getParentOfType<frag::RoleOp>();
  if (!role || !role.getRegs())
    return false;
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode())
    if (isa<frag::WriteOp>(before))
      return true;
  return false;
}

LogicalResult KernelLowering::readGlobal(frag::ReadOp op) {
  Type type = op.getType().getElementType();
  FailureOr<Global> global = globalOf(op, op.getSource(), /*write=*/false);
  if (failed(global))
    return failure();
  FailureOr<Place> place =
      placeOf(op, op.getType(), op.getSource(), op.getOffsets(), op.getTrans());
  if (failed(place))
    return failure();
  // ptxas moves loads that need not be coherent over barriers, those of a whole
  // epilogue to its beginning, and spills. Through a pointer of which nothing
  // is known they stay where they are.
  if (isBehindStore(op))
    global->pointer = threadThrough(b, "", global->pointer).front();
  if (op.getInBounds())
    global->sizes.clear();
  int64_t n = elementsPerAccess(*global, *place, type, op.getInBounds());
  Type access = accessType(b, type, n);
  // What a lane gets for elements outside.
  Value pad;
  if (!global->sizes.empty()) {
    SmallVector<Value> filler(std::max<int64_t>(1, 4 / bytesOf(type)),
                              constantOf(type, op.getPad().convertToDouble()));
    pad = n == 1 ? filler.front() : packWord(filler, type);
    if (auto vector = dyn_cast<VectorType>(access)) {
      Value all = LLVM::UndefOp::create(b, vector);
      for (int64_t i = 0; i < vector.getNumElements(); ++i)
        all = LLVM::InsertElementOp::create(b, all, pad, i32(i));
      pad = all;
    }
  }
  SmallVector<Value> parts;
  PreviousRegister before, *previous = isOfRole(op) ? &before : nullptr;
  Bounds bounds = boundsOf(*global, *place);
  for (size_t i = 0; i < place->registers.size(); i += n) {
    ArrayRef<int64_t> reg = place->registers[i];
    Value inside = inBounds(*global, *place, bounds, reg);
    Value address = globalAddress(*global, *place, reg, previous);
    auto load = [&] {
      int64_t known = n == 1 ? knownAlignment(*global, *place, reg, type)
                             : n * bytesOf(type);
      return LLVM::LoadOp::create(b, access, address, known);
    };
    Value loaded;
    if (inside) {
      auto branch = scf::IfOp::create(b, TypeRange(access), inside,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, b.getLoc(), ValueRange(load()));
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, b.getLoc(), pad);
      loaded = branch.getResult(0);
    } else {
      loaded = load();
    }
    if (auto vector = dyn_cast<VectorType>(access))
      for (int64_t w = 0; w < vector.getNumElements(); ++w)
        parts.push_back(LLVM::ExtractElementOp::create(b, loaded, i32(w)));
    else
      parts.push_back(loaded);
  }
  set(op.getResult(), n > 1 ? Form::Words : Form::Elements, parts);
  return success();
}

LogicalResult KernelLowering::writeGlobal(frag::WriteOp op) {
  frag::FragmentType fragment = op.getFragment().getType();
  Type type = fragment.getElementType();
  FailureOr<Global> global = globalOf(op, op.getDest(), /*write=*/true);
  if (failed(global))
    return failure();
  FailureOr<Place> place =
      placeOf(op, fragment, op.getDest(), op.getOffsets(), /*trans=*/false);
  if (failed(place))
    return failure();
  if (op.getInBounds())
    global->sizes.clear();
  int64_t n = elementsPerAccess(*global, *place, type, op.getInBounds());
  Type access = accessType(b, type, n);
  SmallVector<Value> parts =
      n > 1 ? words(op.getFragment()) : elements(op.getFragment());
  int64_t partsPerAccess = n * parts.size() / place->registers.size();
  auto valueOf = [&](size_t i) {
    auto part = ArrayRef(parts).slice(i / n * partsPerAccess, partsPerAccess);
    if (!isa<VectorType>(access))
      return part.front();
    Value stored = LLVM::UndefOp::create(b, access);
    for (auto [w, word] : llvm::enumerate(part))
      stored = LLVM::InsertElementOp::create(b, stored, word, i32(w));
    return stored;
  };
  PreviousRegister before, *previous = isOfRole(op) ? &before : nullptr;
  Bounds bounds = boundsOf(*global, *place);
  for (ArrayRef<size_t> together : decidedAlike(*place, bounds, n)) {
    // In front of the branch, so that the next register's is made of it.
    SmallVector<Value> addresses;
    auto makeAddresses = [&] {
      for (size_t i : together)
        addresses.push_back(
            globalAddress(*global, *place, place->registers[i], previous));
    };
    if (previous)
      makeAddresses();
    OpBuilder::InsertionGuard guard(b);
    if (Value inside = inBounds(*global, *place, bounds,
                                place->registers[together.front()])) {
      auto branch =
          scf::IfOp::create(b, TypeRange(), inside, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    if (!previous)
      makeAddresses();
    for (auto [i, address] : llvm::zip(together, addresses))
      LLVM::StoreOp::create(b, valueOf(i), address, n * bytesOf(type));
  }
  return success();
}
