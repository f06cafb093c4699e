// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verifiers of level 3.

#include "helios/Dialect/Frag/IR/Frag.h"
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
  auto buildType = [](Builder &b, ArrayRef<Type> args, ArrayRef<Type> results, function_interface_impl::VariadicFlag,
                      std::string &) { return b.getFunctionType(args, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name),
                                                  buildType, getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(p, *this, /*isVariadic=*/false, getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

tile::TargetAttrInterface KernelOp::getTargetRow() { return dyn_cast_or_null<tile::TargetAttrInterface>(getTargetAttr()); }

LogicalResult KernelOp::verifyRegions() {
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<tile::PtrType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError("expected argument #") << i << " to be a pointer or a scalar, got " << type;
  if (getThreads() < 1)
    return emitOpError("expected at least one thread, got ") << getThreads();
  int64_t budget = 0, lanes = 0;
  RoleOp previous;
  for (RoleOp role : getBody().getOps<RoleOp>()) {
    if (int64_t(role.getLast()) > int64_t(getThreads()))
      return role.emitOpError("expected lanes below ") << getThreads() << ", got " << role.getLast();
    if (previous && role.getFirst() < previous.getLast())
      return role.emitOpError("expected roles on disjoint lanes in order, got a start of ") << role.getFirst() << " below "
                                                                                         << previous.getLast();
    previous = role;
    lanes += role.getLast() - role.getFirst();
    budget += int64_t(role.getRegs().value_or(0)) * (role.getLast() - role.getFirst());
  }
  if (tile::TargetAttrInterface row = getTargetRow(); row && row.getRegisterFile() && budget > row.getRegisterFile())
    return emitOpError("expected the roles' registers to add up to at most ") << row.getRegisterFile() << ", got " << budget;
  // Shared memory of declared tiles lies within the kernel's.
  WalkResult walk = getBody().walk([&](SharedOp shared) -> WalkResult {
    auto mem = dyn_cast<MemType>(shared.getType());
    if (mem && int64_t(shared.getOffset()) + mem.getBytes() > int64_t(getSharedBytes()))
      return shared.emitOpError("expected the tile to end within the kernel's ")
             << getSharedBytes() << " bytes of shared memory, got " << int64_t(shared.getOffset()) + mem.getBytes();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult RoleOp::verify() {
  if (getFirst() >= getLast())
    return emitOpError("expected a range of lanes, got [") << getFirst() << ", " << getLast() << ")";
  int64_t per = getLanesPerReplica().value_or(getLast() - getFirst());
  if (per < 1 || (getLast() - getFirst()) % per)
    return emitOpError("expected replicas that divide ") << getLast() - getFirst() << " lanes, got " << per << " lanes each";
  if (getBody().getNumArguments() > 1)
    return emitOpError("expected at most one argument, the replica's number, got ") << getBody().getNumArguments();
  if (getRegs() && (*getRegs() % 8 || *getRegs() < 24 || *getRegs() > 256))
    return emitOpError("expected a register budget that is a multiple of 8 in [24, 256], got ") << *getRegs();
  return success();
}

LogicalResult BarrierOp::verify() {
  if (getScope() != Scope::Subgroup && getScope() != Scope::Replica && getScope() != Scope::Workgroup)
    return emitOpError("expected scope subgroup, replica or workgroup, got ") << stringifyScope(getScope());
  for (Operation *op = (*this)->getParentOp(); op && !isa<KernelOp, RoleOp>(op); op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch->hasAttr("frag.divergent"))
      return emitOpError("may not stand under lane-divergent control");
  return success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

LogicalResult SharedOp::verify() {
  if (int64_t(getOffset()) < 0 || getOffset() % 16)
    return emitOpError("expected an offset that is a multiple of 16 bytes, got ") << int64_t(getOffset());
  return success();
}

static std::pair<ArrayRef<int64_t>, Type> source(Type type) {
  if (auto mem = dyn_cast<MemType>(type))
    return {mem.getShape(), mem.getElementType()};
  auto view = cast<tile::ViewType>(type);
  return {view.getShape(), view.getElementType()};
}

static LogicalResult verifyMove(Operation *op, FragmentType fragment, Type other, size_t offsets) {
  auto [shape, elementType] = source(other);
  if (fragment.getElementType() != elementType)
    return op->emitOpError("expected a fragment of ") << elementType << " as in memory, got " << fragment.getElementType();
  if (offsets != shape.size())
    return op->emitOpError("expected ") << shape.size() << " offsets, one a dimension, got " << offsets;
  if (fragment.getShape().size() > shape.size() + 1)
    return op->emitOpError("expected a fragment of at most rank ") << shape.size() << ", got " << fragment.getShape().size();
  if (fragment.getLayout().getPartialKind() != tile::Partial::None)
    return op->emitOpError("expected a full layout, got the partial ") << fragment.getLayout();
  return success();
}

LogicalResult ReadOp::verify() {
  if (getInBounds() && isa<MemType>(getSource().getType()))
    return emitOpError("expected 'in_bounds' on reads of views only");
  return verifyMove(*this, getType(), getSource().getType(), getOffsets().size());
}
LogicalResult WriteOp::verify() { return verifyMove(*this, getFragment().getType(), getDest().getType(), getOffsets().size()); }

void ReadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}
void WriteOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getReduce())
    effects.emplace_back(MemoryEffects::Read::get(), &getDestMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

LogicalResult SplatOp::verify() {
  if (getValue().getType() != getType().getElementType())
    return emitOpError("expected a value of ") << getType().getElementType() << ", got " << getValue().getType();
  return success();
}

LogicalResult IotaOp::verify() {
  if (!getType().getLayout().hasCoordinates())
    return emitOpError("expected a layout with coordinates, got ") << getType().getLayout();
  if (int64_t(getDim()) < 0 || getDim() >= getType().getShape().size())
    return emitOpError("expected a dimension below ") << getType().getShape().size() << ", got " << getDim();
  return success();
}

LogicalResult SliceOp::verify() {
  FragmentType from = getFragment().getType(), to = getType();
  if (from.getLayout() != to.getLayout() || from.getElementType() != to.getElementType())
    return emitOpError("expected the layout and element type of ") << from << ", got " << to;
  if (getOffsets().size() != from.getShape().size())
    return emitOpError("expected ") << from.getShape().size() << " offsets, got " << getOffsets().size();
  SmallVector<int64_t> block = from.getLayout().getBlockShape();
  for (auto [d, offset] : llvm::enumerate(getOffsets()))
    if (offset < 0 || offset % block[d] || offset + to.getShape()[d] > from.getShape()[d])
      return emitOpError("expected an offset at repetitions of ") << block[d] << " within " << from.getShape()[d]
                                                                  << " in dimension " << d << ", got " << offset;
  return success();
}

LogicalResult MapOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError("expected ") << getInputs().size() << " region arguments, one an input, got " << body.getNumArguments();
  for (auto [i, pair] : llvm::enumerate(llvm::zip(getInputs(), body.getArguments())))
    if (cast<FragmentType>(std::get<0>(pair).getType()).getElementType() != std::get<1>(pair).getType())
      return emitOpError("expected region argument #")
             << i << " to be " << cast<FragmentType>(std::get<0>(pair).getType()).getElementType() << ", got "
             << std::get<1>(pair).getType();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != getResults().size())
    return emitOpError("expected the region to yield ") << getResults().size() << " elements";
  for (auto [value, result] : llvm::zip(yield.getValues(), getResults()))
    if (value.getType() != cast<FragmentType>(result.getType()).getElementType())
      return emitOpError("expected the region to yield ") << cast<FragmentType>(result.getType()).getElementType() << ", got "
                                                          << value.getType();
  if (getResults().empty())
    return emitOpError("expected at least one result");
  auto first = cast<FragmentType>(getResults()[0].getType());
  for (Value value : getInputs()) {
    auto type = cast<FragmentType>(value.getType());
    if (type.getShape() == first.getShape()) {
      if (!type.getLayout().isSamePlace(type.getShape(), first.getLayout()))
        return emitOpError("expected inputs in the result's layout ") << first.getLayout() << ", got " << type.getLayout();
    } else if (type.getShape().size() + 1 != first.getShape().size()) {
      return emitOpError("expected inputs of the result's shape or of a slice of it, got ") << type;
    }
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getScope() == Scope::All) {
    if (!getType().isInteger(1) || getKind() != tile::ReduceKind::Or)
      return emitOpError("expected a vote (or) with an i1 result over all lanes, got ") << getType();
    return success();
  }
  if (getScope() != Scope::Lane && getScope() != Scope::Group)
    return emitOpError("expected scope lane, group or all, got ") << stringifyScope(getScope());
  auto result = dyn_cast<FragmentType>(getType());
  if (!result || result.getElementType() != getFragment().getType().getElementType())
    return emitOpError("expected a fragment of ") << getFragment().getType().getElementType() << ", got " << getType();
  if (getScope() == Scope::Lane && !getDim())
    return emitOpError("expected the reduced 'dim' of a reduction within a lane");
  return success();
}

LogicalResult PermuteOp::verify() {
  FragmentType from = getFragment().getType(), to = getType();
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
    return emitOpError("expected the same tile in another layout, got ") << from << " and " << to;
  tile::LayoutAttrInterface a = from.getLayout(), b = to.getLayout();
  if (!a.hasCoordinates() || !b.hasCoordinates() || a.getGroupCount() != b.getGroupCount() || a.getLaneCount() != b.getLaneCount() ||
      a.getRegisterCount(from.getShape()) != b.getRegisterCount(to.getShape()))
    return emitOpError("expected a bijection between lanes and registers of both layouts; others go through shared memory");
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static LogicalResult checkSide(Operation *op, tile::MmaAttrInterface mma, Side side, Type type) {
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
    return op->emitOpError("expected ") << mma.getElementType(side) << " on side " << tile::stringifySide(side) << " of " << mma
                                        << ", got " << elementType;
  return mma.checkOperand([&] { return op->emitOpError(); }, side, layout);
}

LogicalResult MmaOp::verify() {
  if (!getMma().getEngine().empty())
    return emitOpError("expected a synchronous instruction, got ") << getMma() << "; use frag.mma_start";
  ArrayRef<int64_t> a = getA().getType().getShape(), b = getB().getType().getShape(), c = getAcc().getType().getShape();
  if (a[1] != b[0] || c[0] != a[0] || c[1] != b[1])
    return emitOpError("expected m x k, k x n and m x n, got ") << getA().getType() << ", " << getB().getType() << " and "
                                                                << getAcc().getType();
  return success(succeeded(checkSide(*this, getMma(), Side::A, getA().getType())) &&
                 succeeded(checkSide(*this, getMma(), Side::B, getB().getType())) &&
                 succeeded(checkSide(*this, getMma(), Side::Acc, getAcc().getType())));
}

LogicalResult MmaStartOp::verify() {
  if (getMma().getEngine().empty())
    return emitOpError("expected an asynchronous instruction, got ") << getMma() << "; use frag.mma";
  if (getToken().getType().getEngine() != getMma().getEngine())
    return emitOpError("expected a token of engine '") << getMma().getEngine() << "', got '" << getToken().getType().getEngine() << "'";
  if (getAcc()) {
    Type acc = getAcc().getType();
    FragmentType fragment = isa<InFlightType>(acc) ? cast<InFlightType>(acc).getFragment() : cast<FragmentType>(acc);
    if (fragment != getResult().getType().getFragment())
      return emitOpError("expected an accumulator of ") << getResult().getType().getFragment() << ", got " << fragment;
  }
  return success(succeeded(checkSide(*this, getMma(), Side::A, getA().getType())) &&
                 succeeded(checkSide(*this, getMma(), Side::B, getB().getType())) &&
                 succeeded(checkSide(*this, getMma(), Side::Acc, getResult().getType())));
}

LogicalResult AwaitOp::verify() {
  SmallVector<Type> expected;
  for (Value value : getLanded())
    expected.push_back(cast<InFlightType>(value.getType()).getFragment());
  llvm::append_range(expected, getThrough().getTypes());
  if (getResultTypes() != TypeRange(expected))
    return emitOpError("expected one result for each landed value and each value that goes through, got ") << getNumResults();
  return success();
}
