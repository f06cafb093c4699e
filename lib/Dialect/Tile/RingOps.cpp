// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rings and roles.

#include "helios/Dialect/Tile/IR/Tile.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace helios::tile;

/// A matrix instruction before a colon, in parentheses: an attribute written
/// out takes what follows the colon for its own type. An alias needs none.
static ParseResult parseInstruction(OpAsmParser &parser,
                                    MmaAttrInterface &mma) {
  bool parens = succeeded(parser.parseOptionalLParen());
  SMLoc loc = parser.getCurrentLocation();
  Attribute attr;
  if (parser.parseAttribute(attr) || (parens && parser.parseRParen()))
    return failure();
  mma = dyn_cast<MmaAttrInterface>(attr);
  if (!mma)
    return parser.emitError(loc, "expected a matrix instruction, got ") << attr;
  return success();
}

static void printInstruction(OpAsmPrinter &printer, Operation *,
                             MmaAttrInterface mma) {
  printer << '(' << mma << ')';
}

#define GET_OP_CLASSES
#include "helios/Dialect/Tile/IR/TileOps.cpp.inc"

LogicalResult EnterOp::verify() {
  if (getSlot().getType().getAccess() != getAccess())
    return emitOpError("expected a slot entered to ")
           << stringifyAccess(getAccess()) << ", got one to "
           << stringifyAccess(getSlot().getType().getAccess());
  RingType ring = getRing().getType();
  SmallVector<Type> expected;
  if (getAccess() == Access::Read)
    for (int64_t i = 0; i < ring.getTilesRead(); ++i)
      llvm::append_range(expected, ring.getPayload());
  if (getPayload().getTypes() != TypeRange(expected))
    return emitOpError("expected ")
           << expected.size()
           << " results of the ring's payload types after the cursor, got "
           << getPayload().size();
  return success();
}

/// The payload type of a slot at an index, through the enter that gave it.
static FailureOr<Type> payloadType(Operation *op, Value slot, int64_t index) {
  if (cast<SlotType>(slot.getType()).getAccess() != Access::Write) {
    op->emitOpError("expected a slot entered to write, got one to read");
    return failure();
  }
  auto enter = slot.getDefiningOp<EnterOp>();
  if (!enter)
    return Type();
  ArrayRef<Type> payload = enter.getRing().getType().getPayload();
  if (index < 0 || index >= int64_t(payload.size())) {
    op->emitOpError("expected an index below ")
        << payload.size() << " into the slot, got " << index;
    return failure();
  }
  return payload[index];
}

/// A copy for several workgroups: of a part that the layout allows, into a ring
/// that they walk together.
static LogicalResult verifyShared(CopyInOp copy, RankedTensorType tile) {
  if (!copy.getParts())
    return success();
  int64_t parts = *copy.getParts();
  if (parts < 2)
    return copy.emitOpError("expected a tile shared by at least 2 workgroups, "
                            "got ")
           << parts;
  if (copy.getPredicate())
    return copy.emitOpError("expected no condition on a copy for several "
                            "workgroups, whose slots are full once all bytes "
                            "have come");
  auto enter = copy.getSlot().getDefiningOp<EnterOp>();
  if (enter && !enter.getRing().getType().getMulticast())
    return copy.emitOpError("expected a slot of a ring with 'multicast', got "
                            "one of ")
           << enter.getRing().getType();
  if (tile && getLayout(tile) && !getDividedDim(tile, parts))
    return copy.emitOpError("expected a tile of ")
           << parts << " equal parts at repetitions of its layout, got "
           << tile;
  return success();
}

LogicalResult CopyInOp::verify() {
  FailureOr<Type> type = payloadType(*this, getSlot(), getIndex());
  if (failed(type))
    return failure();
  if (int64_t(getOffsets().size()) != getView().getType().getRank())
    return emitOpError("expected ")
           << getView().getType().getRank()
           << " offsets, one a dimension of the view, got "
           << getOffsets().size();
  auto tile = dyn_cast_or_null<RankedTensorType>(*type);
  if (tile && tile.getElementType() != getView().getType().getElementType())
    return emitOpError("expected a view of ")
           << tile.getElementType() << " for this slot, got one of "
           << getView().getType().getElementType();
  if (failed(getView().getType().checkDims(
          [&] { return emitOpError(); },
          getInside().value_or(ArrayRef<int64_t>()))))
    return failure();
  return verifyShared(*this, tile);
}

LogicalResult CopyOutOp::verify() {
  auto layout = getLayout(getTile().getType());
  if (!layout || !layout.isMemory())
    return emitOpError("expected a tile in shared memory, got ")
           << getTile().getType();
  if (int64_t(getOffsets().size()) != getView().getType().getRank())
    return emitOpError("expected ")
           << getView().getType().getRank()
           << " offsets, one a dimension of the view, got "
           << getOffsets().size();
  return success();
}

void CopyInOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
  effects.emplace_back(MemoryEffects::Write::get());
}
void CopyOutOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getViewMutable());
}

LogicalResult PutOp::verify() {
  FailureOr<Type> type = payloadType(*this, getSlot(), getIndex());
  if (failed(type))
    return failure();
  auto want = dyn_cast_or_null<RankedTensorType>(*type),
       got = dyn_cast<RankedTensorType>(getValue().getType());
  if (want && (!got || got.getShape() != want.getShape() ||
               got.getElementType() != want.getElementType()))
    return emitOpError("expected a value of the slot's ")
           << want << ", got " << getValue().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult RoleOp::verify() {
  if (bool(getLanes()) == bool(getReplicas()))
    return emitOpError("expected either 'lanes' or 'replicas', got ")
           << (getLanes() ? "both" : "neither");
  if (getBody().getNumArguments() > 1 ||
      (getBody().getNumArguments() == 1 &&
       !getBody().getArgument(0).getType().isIndex()))
    return emitOpError(
        "expected at most one index argument, the replica's number");
  return success();
}

/// Replicas of the role around an op.
static int64_t replicasAround(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  return role ? role.getReplicas().value_or(1) : 1;
}

LogicalResult TurnOp::verify() {
  if (replicasAround(*this) < 2)
    return emitOpError("expected a role of at least 2 replicas, among which "
                       "the turn goes around");
  return success();
}

// tile.roles captures(%a = %x, ... : types) { ... }
ParseResult RolesOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<OpAsmParser::UnresolvedOperand> captures;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  auto parseCapture = [&]() -> ParseResult {
    return failure(parser.parseArgument(args.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(captures.emplace_back()));
  };
  if (parser.parseKeyword("captures") || parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen()) &&
      (parser.parseCommaSeparatedList(parseCapture) ||
       parser.parseColonTypeList(types) || parser.parseRParen()))
    return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(captures, types, loc, result.operands))
    return failure();
  for (auto [arg, type] : llvm::zip(args, types))
    arg.type = type;
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, args, /*enableNameShadowing=*/true))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void RolesOp::print(OpAsmPrinter &p) {
  p << " captures(";
  // A value that is captured twice lends its name to nobody.
  DenseSet<Value> names(getCaptures().begin(), getCaptures().end());
  if (names.size() == getCaptures().size())
    p.shadowRegionArgs(getBody(), getCaptures());
  llvm::interleaveComma(
      llvm::zip(getBody().getArguments(), getCaptures()), p,
      [&](auto pair) { p << std::get<0>(pair) << " = " << std::get<1>(pair); });
  if (!getCaptures().empty())
    p << " : " << getCaptures().getTypes();
  p << ')';
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult RolesOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getCaptures().getTypes())
    return emitOpError(
               "expected one region argument of the same type a capture, got ")
           << body.getNumArguments();
  for (Operation &op : body)
    if (!isa<RoleOp>(op))
      return op.emitOpError(
          "may not stand in tile.roles; expected only tile.role");
  if (Operation *next = (*this)->getNextNode();
      next && !next->hasTrait<OpTrait::IsTerminator>())
    return emitOpError("expected nothing after the roles");
  for (Value capture : getCaptures())
    if (!isa<RingType, CursorType, ViewType, PtrType>(capture.getType()) &&
        !capture.getType().isIntOrIndexOrFloat())
      return emitOpError("expected captures to be rings, cursors, views, "
                         "pointers or scalars, got ")
             << capture.getType();
  DenseMap<std::pair<Value, int>, Operation *> side;
  RoleOp drawing;
  for (RoleOp role : body.getOps<RoleOp>()) {
    bool draws = role.walk([](NextOp) { return WalkResult::interrupt(); })
                     .wasInterrupted();
    if (draws && drawing) {
      InFlightDiagnostic diag =
          role.emitOpError("expected one role that draws work items; pass them "
                           "on through a ring");
      diag.attachNote(drawing.getLoc()) << "this role draws too";
      return diag;
    }
    if (draws)
      drawing = role;
    WalkResult walk = role.walk([&](EnterOp enter) -> WalkResult {
      auto [it, inserted] =
          side.try_emplace({enter.getRing(), int(enter.getAccess())}, role);
      if (!inserted && it->second != role) {
        InFlightDiagnostic diag =
            enter.emitOpError("expected each side of a ring in one role");
        diag.attachNote(it->second->getLoc()) << "this role enters it too";
        return diag;
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}
