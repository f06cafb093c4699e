// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verifiers of level 3.

#include "Verify.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace helios;
using namespace helios::frag;
using tile::Side;

#define GET_OP_CLASSES
#include "helios/Dialect/Frag/IR/FragOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Kernels, roles, barriers
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &b, ArrayRef<Type> args, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return b.getFunctionType(args, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(
      p, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

tile::TargetAttrInterface KernelOp::getTargetRow() {
  return dyn_cast_or_null<tile::TargetAttrInterface>(getTargetAttr());
}

LogicalResult KernelOp::verifyRegions() {
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<tile::PtrType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError("expected argument #")
             << i << " to be a pointer or a scalar, got " << type;
  if (getThreads() < 1)
    return emitOpError("expected at least one thread, got ") << getThreads();
  RoleOp previous;
  for (RoleOp role : getBody().getOps<RoleOp>()) {
    if (int64_t(role.getLast()) > int64_t(getThreads()))
      return role.emitOpError("expected lanes below ")
             << getThreads() << ", got " << role.getLast();
    if (previous && role.getFirst() < previous.getLast())
      return role.emitOpError(
                 "expected roles on disjoint lanes in order, got a start of ")
             << role.getFirst() << " below " << previous.getLast();
    previous = role;
  }
  for (auto verify :
       {verifyShared, verifyClusters, verifyLanes, verifyProducts, verifySlots,
        verifyRoles, verifyDivergence, verifyDependencies, verifyBarriers})
    if (failed(verify(*this)))
      return failure();
  return success();
}

LogicalResult RoleOp::verify() {
  if (getFirst() >= getLast())
    return emitOpError("expected a range of lanes, got [")
           << getFirst() << ", " << getLast() << ")";
  int64_t per = getLanesPerReplica().value_or(getLast() - getFirst());
  if (per < 1 || (getLast() - getFirst()) % per)
    return emitOpError("expected replicas that divide ")
           << getLast() - getFirst() << " lanes, got " << per << " lanes each";
  if (getBody().getNumArguments() > 1)
    return emitOpError(
               "expected at most one argument, the replica's number, got ")
           << getBody().getNumArguments();
  if (getRegs() && (*getRegs() % 8 || *getRegs() < 24 || *getRegs() > 256))
    return emitOpError("expected a register budget that is a multiple of 8 in "
                       "[24, 256], got ")
           << *getRegs();
  return success();
}

LogicalResult TurnOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  int64_t lanes = role ? int64_t(role.getLast() - role.getFirst()) : 0;
  if (!role || role.getLanesPerReplica().value_or(lanes) == uint64_t(lanes))
    return emitOpError("expected a role of at least 2 replicas, among which "
                       "the turn goes around");
  return success();
}

LogicalResult BarrierOp::verify() {
  if (getScope() != Scope::Subgroup && getScope() != Scope::Replica &&
      getScope() != Scope::Workgroup)
    return emitOpError("expected scope subgroup, replica or workgroup, got ")
           << stringifyScope(getScope());
  return success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

LogicalResult SharedOp::verify() {
  if (int64_t(getOffset()) < 0 || getOffset() % 16)
    return emitOpError(
               "expected an offset that is a multiple of 16 bytes, got ")
           << int64_t(getOffset());
  if (getBarriers() && !isa<RingType>(getType()))
    return emitOpError("expected 'barriers' on a ring, got ") << getType();
  if (getBarriers() && (int64_t(*getBarriers()) < 0 || *getBarriers() % 8))
    return emitOpError("expected 'barriers' at a multiple of 8 bytes, got ")
           << int64_t(*getBarriers());
  return success();
}

static std::pair<ArrayRef<int64_t>, Type> source(Type type) {
  if (auto mem = dyn_cast<MemType>(type))
    return {mem.getShape(), mem.getElementType()};
  auto view = cast<tile::ViewType>(type);
  return {view.getShape(), view.getElementType()};
}

static LogicalResult verifyMove(Operation *op, FragmentType fragment,
                                Type other, size_t offsets) {
  auto [shape, elementType] = source(other);
  if (fragment.getElementType() != elementType)
    return op->emitOpError("expected a fragment of ")
           << elementType << " as in memory, got " << fragment.getElementType();
  if (offsets != shape.size())
    return op->emitOpError("expected ")
           << shape.size() << " offsets, one a dimension, got " << offsets;
  if (fragment.getShape().size() > shape.size())
    return op->emitOpError("expected a fragment of at most rank ")
           << shape.size() << ", got " << fragment.getShape().size();
  tile::LayoutAttrInterface layout = fragment.getLayout();
  if (layout.getPartialKind() == tile::Partial::None)
    return success();
  // Some go to memory before they are combined.
  tile::StoredTile stored = tile::getStored(layout, fragment.getShape());
  bool mayBeStored = isa<WriteOp>(op) && stored.layout != layout;
  if (mayBeStored && isa<MemType>(other) &&
      ArrayRef<int64_t>(stored.shape) == shape)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("expected a full layout, got the partial ") << layout;
  if (mayBeStored) {
    diag << "; what is to be combined takes shared memory of ";
    llvm::interleave(stored.shape, diag, "x");
  }
  return diag;
}

LogicalResult ReadOp::verify() {
  if (getInBounds() && isa<MemType>(getSource().getType()))
    return emitOpError("expected 'in_bounds' on reads of views only");
  if (getTrans() && getOffsets().size() != 2)
    return emitOpError("expected 'trans' on a source of rank 2, got rank ")
           << getOffsets().size();
  if (getBroadcast() && !isa<tile::SliceAttr>(getType().getLayout()))
    return emitOpError("expected 'broadcast' into a slice of a layout, got ")
           << getType().getLayout();
  return verifyMove(*this, getType(), getSource().getType(),
                    getOffsets().size());
}
LogicalResult ElementOp::verify() {
  tile::ViewType view = getView().getType();
  if (int64_t(getOffsets().size()) != view.getRank())
    return emitOpError("expected an offset a dimension of the view, ")
           << view.getRank() << ", got " << getOffsets().size();
  if (view.getElementType() != getType() || view.getPacked() ||
      view.getGather() >= 0)
    return emitOpError("expected a view of ")
           << getType() << " that is neither packed nor gathered, got " << view;
  return success();
}
LogicalResult WriteOp::verify() {
  return verifyMove(*this, getFragment().getType(), getDest().getType(),
                    getOffsets().size());
}

void ReadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}
void ElementOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
}
void WriteOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getReduce())
    effects.emplace_back(MemoryEffects::Read::get(), &getDestMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

LogicalResult SplatOp::verify() {
  if (getValue().getType() != getType().getElementType())
    return emitOpError("expected a value of ")
           << getType().getElementType() << ", got " << getValue().getType();
  return success();
}

LogicalResult IotaOp::verify() {
  if (!getType().getLayout().hasCoordinates())
    return emitOpError("expected a layout with coordinates, got ")
           << getType().getLayout();
  if (int64_t(getDim()) < 0 || getDim() >= getType().getShape().size())
    return emitOpError("expected a dimension below ")
           << getType().getShape().size() << ", got " << getDim();
  return success();
}

LogicalResult SliceOp::verify() {
  FragmentType from = getFragment().getType(), to = getType();
  if (from.getLayout() != to.getLayout() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected the layout and element type of ")
           << from << ", got " << to;
  if (getOffsets().size() != from.getShape().size())
    return emitOpError("expected ")
           << from.getShape().size() << " offsets, got " << getOffsets().size();
  SmallVector<int64_t> block = from.getLayout().getBlockShape();
  for (auto [d, offset] : llvm::enumerate(getOffsets()))
    if (offset < 0 || offset % block[d] ||
        offset + to.getShape()[d] > from.getShape()[d])
      return emitOpError("expected an offset at repetitions of ")
             << block[d] << " within " << from.getShape()[d] << " in dimension "
             << d << ", got " << offset;
  return success();
}

LogicalResult MapOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError("expected ")
           << getInputs().size() << " region arguments, one an input, got "
           << body.getNumArguments();
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip(getInputs(), body.getArguments())))
    if (cast<FragmentType>(std::get<0>(pair).getType()).getElementType() !=
        std::get<1>(pair).getType())
      return emitOpError("expected region argument #")
             << i << " to be "
             << cast<FragmentType>(std::get<0>(pair).getType()).getElementType()
             << ", got " << std::get<1>(pair).getType();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != getResults().size())
    return emitOpError("expected the region to yield ")
           << getResults().size() << " elements";
  for (auto [value, result] : llvm::zip(yield.getValues(), getResults()))
    if (value.getType() !=
        cast<FragmentType>(result.getType()).getElementType())
      return emitOpError("expected the region to yield ")
             << cast<FragmentType>(result.getType()).getElementType()
             << ", got " << value.getType();
  if (getResults().empty())
    return emitOpError("expected at least one result");
  auto first = cast<FragmentType>(getResults()[0].getType());
  auto places = [](FragmentType type) {
    return cast<tile::LayoutAttrInterface>(
        tile::withoutPartial(type.getLayout()));
  };
  SmallVector<tile::Partial> inputs, results;
  for (Value value : getInputs()) {
    auto type = cast<FragmentType>(value.getType());
    inputs.push_back(type.getLayout().getPartialKind());
    if (type.getShape() == first.getShape()) {
      if (!places(type).isSamePlace(type.getShape(), places(first)))
        return emitOpError("expected inputs in the result's layout ")
               << first.getLayout() << ", got " << type.getLayout();
      continue;
    }
    // A vector that is broadcast along the dimension its layout lacks.
    auto slice = dyn_cast<tile::SliceAttr>(places(type));
    SmallVector<int64_t> shape(type.getShape());
    if (slice && slice.getDim() <= int64_t(shape.size()) &&
        slice.getDim() < int64_t(first.getShape().size()))
      shape.insert(shape.begin() + slice.getDim(),
                   first.getShape()[slice.getDim()]);
    if (!slice || ArrayRef<int64_t>(shape) != first.getShape())
      return emitOpError("expected inputs of the result's shape or of a slice "
                         "of it, got ")
             << type;
    auto wanted = tile::SliceAttr::get(getContext(), slice.getDim(),
                                       places(first), tile::Partial::None);
    if (!cast<tile::LayoutAttrInterface>(Attribute(slice))
             .isSamePlace(type.getShape(), wanted))
      return emitOpError("expected a slice of the result's layout ")
             << first.getLayout() << ", got " << type.getLayout();
  }
  for (Value value : getResults()) {
    auto type = cast<FragmentType>(value.getType());
    results.push_back(type.getLayout().getPartialKind());
    if (type.getShape() != first.getShape() ||
        !places(type).isSamePlace(type.getShape(), places(first)))
      return emitOpError("expected results of one shape and layout, got ")
             << first << " and " << type;
  }
  for (Operation &op : body.without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError(
          "may not stand in a frag.map; expected pure scalar ops");
  return tile::verifyPartialRegion(*this, body, inputs, results);
}

LogicalResult ReduceOp::verify() {
  if (getScope() == Scope::All) {
    if (!getType().isInteger(1) || getKind() != tile::ReduceKind::Or)
      return emitOpError(
                 "expected a vote (or) with an i1 result over all lanes, got ")
             << getType();
    return success();
  }
  if (getScope() != Scope::Lane && getScope() != Scope::Group)
    return emitOpError("expected scope lane, group or all, got ")
           << stringifyScope(getScope());
  auto result = dyn_cast<FragmentType>(getType());
  if (!result ||
      result.getElementType() != getFragment().getType().getElementType())
    return emitOpError("expected a fragment of ")
           << getFragment().getType().getElementType() << ", got " << getType();
  FragmentType from = getFragment().getType();
  std::optional<tile::Partial> kind;
  switch (getKind()) {
  case tile::ReduceKind::Add:
    kind = tile::Partial::Add;
    break;
  case tile::ReduceKind::Max:
    kind = tile::Partial::Max;
    break;
  case tile::ReduceKind::Or:
    kind = tile::Partial::Or;
    break;
  case tile::ReduceKind::Min:
    return emitOpError("expected add, max or or, got min; negate and take max");
  }
  Attribute wanted;
  SmallVector<int64_t> shape(from.getShape());
  if (getScope() == Scope::Lane) {
    if (!getDim() || int64_t(*getDim()) < 0 || *getDim() >= shape.size())
      return emitOpError("expected the reduced 'dim' of a reduction within a "
                         "lane, below ")
             << shape.size();
    shape.erase(shape.begin() + *getDim());
    wanted =
        tile::SliceAttr::get(getContext(), *getDim(), from.getLayout(), *kind);
    // Where no other lane shares an element of the result, the lane has all of
    // it.
    auto full = tile::SliceAttr::get(getContext(), *getDim(), from.getLayout(),
                                     tile::Partial::None);
    int64_t held = tile::LayoutAttrInterface(full).getGroupCount() *
                   full.getLaneCount() * full.getRegisterOffsets(shape).size();
    if (full.hasCoordinates() && held == ShapedType::getNumElements(shape))
      wanted = full;
  } else {
    if (from.getLayout().getPartialKind() != *kind)
      return emitOpError("expected a fragment with partial = ")
             << tile::stringifyPartial(*kind)
             << " to combine over its lanes, got " << from.getLayout();
    if (!from.getLayout().hasCoordinates() &&
        !(getScope() == Scope::Group && from.getLayout().canReduceOpaque()))
      return emitOpError("expected a layout with coordinates, got ")
             << from.getLayout() << "; write it to shared memory first";
    wanted = tile::withoutPartial(from.getLayout());
  }
  if (result.getShape() != ArrayRef<int64_t>(shape) ||
      Attribute(result.getLayout()) != wanted)
    return emitOpError("expected a result in layout ")
           << wanted << ", got " << result;
  return success();
}

LogicalResult PermuteOp::verify() {
  FragmentType from = getFragment().getType(), to = getType();
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected the same tile in another layout, got ")
           << from << " and " << to;
  tile::LayoutAttrInterface a = from.getLayout(), b = to.getLayout();
  if (a.canBecome(from.getShape(), b))
    return success();
  if (!a.hasCoordinates() || !b.hasCoordinates() ||
      a.getGroupCount() != b.getGroupCount() ||
      a.getLaneCount() != b.getLaneCount() ||
      a.getRegisterCount(from.getShape()) != b.getRegisterCount(to.getShape()))
    return emitOpError("expected a bijection between lanes and registers of "
                       "both layouts; others go through shared memory");
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Shape of an operand as the product sees it.
static SmallVector<int64_t> operandShape(Type type, bool transposed) {
  ArrayRef<int64_t> shape = isa<FragmentType>(type)
                                ? cast<FragmentType>(type).getShape()
                                : cast<MemType>(type).getShape();
  SmallVector<int64_t> result(shape);
  if (transposed)
    std::reverse(result.begin(), result.end());
  return result;
}

static LogicalResult checkShapes(Operation *op, tile::MmaAttrInterface mma,
                                 ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                                 ArrayRef<int64_t> c) {
  auto text = [](ArrayRef<int64_t> shape) {
    std::string s;
    llvm::raw_string_ostream os(s);
    llvm::interleave(shape, os, "x");
    return s;
  };
  if (a.size() != 2 || b.size() != 2 || c.size() != 2 || a[1] != b[0] ||
      c[0] != a[0] || c[1] != b[1])
    return op->emitOpError("expected m x k, k x n and m x n, got ")
           << text(a) << ", " << text(b) << " and " << text(c);
  SmallVector<int64_t> unit = mma.getMmaShape();
  if (c[0] % unit[0] || c[1] % unit[1] || a[1] % unit[2])
    return op->emitOpError("expected whole instructions of ")
           << text(unit) << ", got " << text({c[0], c[1], a[1]});
  return success();
}

static LogicalResult checkSide(Operation *op, tile::MmaAttrInterface mma,
                               Side side, Type type, bool transposed = false) {
  Attribute layout;
  Type elementType;
  if (auto fragment = dyn_cast<FragmentType>(type)) {
    layout = fragment.getLayout();
    elementType = fragment.getElementType();
  } else if (auto mem = dyn_cast<MemType>(type)) {
    layout = mem.getLayout();
    elementType = mem.getElementType();
  } else if (auto inflight = dyn_cast<InFlightType>(type)) {
    layout = inflight.getFragment().getLayout();
    elementType = inflight.getFragment().getElementType();
  }
  if (elementType != mma.getElementType(side))
    return op->emitOpError("expected ")
           << mma.getElementType(side) << " on side "
           << tile::stringifySide(side) << " of " << mma << ", got "
           << elementType;
  if (transposed) {
    if (!isa<MemType>(type))
      return op->emitOpError(
                 "expected 'trans' on an operand in shared memory, got ")
             << type;
    layout = cast<tile::LayoutAttrInterface>(layout).getTransposed();
  }
  return mma.checkOperand([&] { return op->emitOpError(); }, side, layout);
}

LogicalResult MmaOp::verify() {
  if (!getMma().getEngine().empty())
    return emitOpError("expected a synchronous instruction, got ")
           << getMma() << "; use frag.mma_start";
  if (failed(checkShapes(*this, getMma(), operandShape(getA().getType(), false),
                         operandShape(getB().getType(), false),
                         getAcc().getType().getShape())))
    return failure();
  return success(
      succeeded(checkSide(*this, getMma(), Side::A, getA().getType())) &&
      succeeded(checkSide(*this, getMma(), Side::B, getB().getType())) &&
      succeeded(checkSide(*this, getMma(), Side::Acc, getAcc().getType())) &&
      succeeded(tile::verifySlices(
          [&] { return emitOpError(); }, getA().getType().getLayout(),
          getB().getType().getLayout(), getAcc().getType().getLayout())));
}

LogicalResult MmaStartOp::verify() {
  if (getMma().getEngine().empty())
    return emitOpError("expected an asynchronous instruction, got ")
           << getMma() << "; use frag.mma";
  if (getToken().getType().getEngine() != getMma().getEngine())
    return emitOpError("expected a token of engine '")
           << getMma().getEngine() << "', got '"
           << getToken().getType().getEngine() << "'";
  if (getAcc()) {
    Type acc = getAcc().getType();
    FragmentType fragment = isa<InFlightType>(acc)
                                ? cast<InFlightType>(acc).getFragment()
                                : cast<FragmentType>(acc);
    if (fragment != getResult().getType().getFragment())
      return emitOpError("expected an accumulator of ")
             << getResult().getType().getFragment() << ", got " << fragment;
  }
  if (failed(checkShapes(*this, getMma(),
                         operandShape(getA().getType(), getTransA()),
                         operandShape(getB().getType(), getTransB()),
                         getResult().getType().getFragment().getShape())))
    return failure();
  return success(
      succeeded(
          checkSide(*this, getMma(), Side::A, getA().getType(), getTransA())) &&
      succeeded(
          checkSide(*this, getMma(), Side::B, getB().getType(), getTransB())) &&
      succeeded(checkSide(*this, getMma(), Side::Acc, getResult().getType())));
}

LogicalResult AwaitOp::verify() {
  SmallVector<Type> expected;
  for (Value value : getLanded())
    expected.push_back(cast<InFlightType>(value.getType()).getFragment());
  llvm::append_range(expected, getThrough().getTypes());
  if (getResultTypes() != TypeRange(expected))
    return emitOpError("expected one result for each landed value and each "
                       "value that goes through, got ")
           << getNumResults();
  return success();
}
