// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs, launch plans and work items.

#include "Verify.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace helios::tile;

//===----------------------------------------------------------------------===//
// tile.program
//===----------------------------------------------------------------------===//

template <typename OpT>
static ParseResult parseFunction(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &b, ArrayRef<Type> args, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return b.getFunctionType(args, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      OpT::getFunctionTypeAttrName(result.name), buildType,
      OpT::getArgAttrsAttrName(result.name),
      OpT::getResAttrsAttrName(result.name));
}

template <typename OpT>
static void printFunction(OpAsmPrinter &p, OpT op) {
  function_interface_impl::printFunctionOp(
      p, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
      op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<ProgramOp>(parser, result);
}
void ProgramOp::print(OpAsmPrinter &p) { printFunction(p, *this); }

TargetAttrInterface ProgramOp::getTargetRow() {
  return dyn_cast_or_null<TargetAttrInterface>(getTargetAttr());
}
ConfigAttr ProgramOp::getTuning() {
  return dyn_cast_or_null<ConfigAttr>(getConfigAttr());
}

bool ProgramOp::hasLayouts() {
  return getBody()
      .walk([](Operation *op) {
        for (Type type : op->getResultTypes())
          if (getLayout(type))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult ProgramOp::verify() {
  if (getTargetAttr() && !getTargetRow())
    return emitOpError("expected 'target' to be a target row, got ")
           << getTargetAttr();
  if (getConfigAttr() && !getTuning())
    return emitOpError("expected 'config' to be a #tile.config, got ")
           << getConfigAttr();
  if (!getFunctionType().getResults().empty())
    return emitOpError("expected no results, got ")
           << getFunctionType().getNumResults();
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<PtrType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError("expected argument #")
             << i << " to be a pointer or a scalar, got " << type;
  return success();
}

/// Layouts stand on all tiles or on none, and each fits its tile.
LogicalResult ProgramOp::verifyRegions() {
  Operation *with = nullptr, *without = nullptr;
  WalkResult walk = getBody().walk([&](Operation *op) -> WalkResult {
    SmallVector<Type> types(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      if (!tensor.hasStaticShape())
        return op->emitOpError(
                   "expected tiles of static shape in a program, got ")
               << type;
      // Constants are materialised in the layout of their user.
      if (LayoutAttrInterface layout = getLayout(type)) {
        with = op;
        if (failed(layout.verifyTile([&] { return op->emitOpError(); },
                                     tensor.getShape(),
                                     tensor.getElementType())))
          return WalkResult::interrupt();
      } else if (tensor.getEncoding()) {
        return op->emitOpError(
                   "expected the encoding of a tile to be a layout, got ")
               << tensor.getEncoding();
      } else {
        without = op;
      }
    }
    if (getDeterministic() && isa<AtomicReduceOp>(op))
      return op->emitOpError(
          "is unordered and may not stand in a program marked 'deterministic'");
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (with && without) {
    InFlightDiagnostic diag = without->emitOpError(
        "has a tile without a layout, but others in the program have one");
    diag.attachNote(with->getLoc()) << "this one has a layout";
    return diag;
  }
  for (auto verify : {verifyLayouts, verifyDots, verifySchedules, verifyBudgets,
                      verifyRings, verifyRingStates})
    if (failed(verify(*this)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// tile.plan, tile.dispatch
//===----------------------------------------------------------------------===//

ParseResult PlanOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<PlanOp>(parser, result);
}
void PlanOp::print(OpAsmPrinter &p) { printFunction(p, *this); }

LogicalResult PlanOp::verifyRegions() {
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<RankedTensorType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError("expected argument #")
             << i << " to be a ranked tensor or a scalar, got " << type;
  WalkResult walk = getBody().walk([&](Operation *op) -> WalkResult {
    if (isa<ExtentOp, StrideOp, AlignmentOp, DeviceOp, RequireOp, ChoiceOp,
            DispatchOp, WorkspaceOp, PlanYieldOp, scf::IfOp, scf::YieldOp>(
            op) ||
        isa<arith::ArithDialect>(op->getDialect())) {
      for (Type type : op->getResultTypes())
        if (isa<arith::ArithDialect>(op->getDialect()) && !type.isIndex() &&
            !type.isInteger(1))
          return op->emitOpError("expected arithmetic on index and i1 in a "
                                 "launch plan, got ")
                 << type;
      return WalkResult::advance();
    }
    return op->emitOpError(
        "may not stand in a launch plan; expected arithmetic on index and i1, "
        "scf.if, tile.require or "
        "tile.dispatch");
  });
  return failure(walk.wasInterrupted());
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getProgramAttr());
  // What a program has been compiled to says in this attribute which arguments
  // it takes.
  if (symbol && !isa<FunctionOpInterface>(symbol) &&
      symbol->hasAttr("helios.interface"))
    return success();
  auto program = dyn_cast_or_null<FunctionOpInterface>(symbol);
  if (!program || isa<PlanOp>(program))
    return emitOpError("expected ")
           << getProgramAttr() << " to be a program in scope";
  ArrayRef<Type> expected = program.getArgumentTypes();
  if (expected.size() != getArgs().size())
    return emitOpError("expected ")
           << expected.size() << " arguments for " << getProgramAttr()
           << ", got " << getArgs().size();
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip(expected, getArgs().getTypes()))) {
    auto [want, got] = pair;
    auto ptr = dyn_cast<PtrType>(want);
    auto tensor = dyn_cast<RankedTensorType>(got);
    bool ok = want == got || (ptr && tensor &&
                              tensor.getElementType() == ptr.getElementType());
    if (!ok)
      return emitOpError("expected argument #")
             << i << " of " << getProgramAttr() << " to be " << want << ", got "
             << got;
  }
  // A constant argument is checked against the program's facts here; others the
  // plan's conditions imply.
  for (auto [i, arg] : llvm::enumerate(getArgs())) {
    APInt constant;
    if (!arg.getType().isIndex() ||
        !matchPattern(arg, m_ConstantInt(&constant)))
      continue;
    int64_t value = constant.getSExtValue();
    if (auto range = program.getArgAttrOfType<DenseI64ArrayAttr>(
            i, TileDialect::kRangeAttr);
        range && (value < range[0] || value > range[1]))
      return emitOpError("expected argument #")
             << i << " of " << getProgramAttr() << " in [" << range[0] << ", "
             << range[1] << "] as its fact says, got " << value;
    if (auto div =
            program.getArgAttrOfType<IntegerAttr>(i, TileDialect::kDivAttr);
        div && value % div.getInt())
      return emitOpError("expected argument #")
             << i << " of " << getProgramAttr() << " to be a multiple of "
             << div.getInt() << " as its fact says, got " << value;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// tile.items, tile.rank
//===----------------------------------------------------------------------===//

// tile.items (%i, %j) in (%m, %n) #tile.items<...> { ... }
ParseResult ItemsOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> ids;
  SmallVector<OpAsmParser::UnresolvedOperand> bounds;
  ItemsAttr order;
  Type index = parser.getBuilder().getIndexType();
  if (parser.parseArgumentList(ids, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseOperandList(bounds, OpAsmParser::Delimiter::Paren) ||
      parser.parseAttribute(order, getOrderAttrName(result.name),
                            result.attributes) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(bounds, index, result.operands))
    return failure();
  for (auto &id : ids)
    id.type = index;
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, ids))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ItemsOp::print(OpAsmPrinter &p) {
  p << " (";
  llvm::interleaveComma(getBody().getArguments(), p);
  p << ") in (" << getBounds() << ") " << getOrder();
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getOrderAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
}

/// Checks that an order is one of so many dimensions.
static LogicalResult verifyOrder(Operation *op, ItemsAttr order, size_t rank) {
  if (!order.getRaster().empty() && order.getRaster()[0] >= int64_t(rank))
    return op->emitOpError("expected the raster dimension to be below ")
           << rank << ", got " << order.getRaster()[0];
  if (order.getLongestFirst() >= int64_t(rank))
    return op->emitOpError("expected 'longest_first' to be below ")
           << rank << ", got " << order.getLongestFirst();
  if (!order.getCluster().empty() && order.getCluster().size() != rank)
    return op->emitOpError("expected ")
           << rank << " extents of the cluster, one a bound, got "
           << order.getCluster().size();
  return success();
}

LogicalResult ItemsOp::verify() {
  size_t rank = getBounds().size();
  if (getBody().getNumArguments() != rank)
    return emitOpError("expected ")
           << rank << " item indices, one a bound, got "
           << getBody().getNumArguments();
  return verifyOrder(*this, getOrder(), rank);
}

//===----------------------------------------------------------------------===//
// tile.item_at
//===----------------------------------------------------------------------===//

// tile.item_at %number in (%m, %n) #tile.items<...>
ParseResult ItemAtOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand number;
  SmallVector<OpAsmParser::UnresolvedOperand> bounds;
  ItemsAttr order;
  Type index = parser.getBuilder().getIndexType();
  if (parser.parseOperand(number) || parser.parseKeyword("in") ||
      parser.parseOperandList(bounds, OpAsmParser::Delimiter::Paren) ||
      parser.parseAttribute(order, getOrderAttrName(result.name),
                            result.attributes) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperand(number, index, result.operands) ||
      parser.resolveOperands(bounds, index, result.operands))
    return failure();
  result.addTypes(SmallVector<Type>(bounds.size(), index));
  return success();
}

void ItemAtOp::print(OpAsmPrinter &p) {
  p << ' ' << getNumber() << " in (" << getBounds() << ") " << getOrder();
  p.printOptionalAttrDict((*this)->getAttrs(), {getOrderAttrName()});
}

LogicalResult ItemAtOp::verify() {
  if (getNumResults() != getBounds().size())
    return emitOpError("expected ")
           << getBounds().size() << " indices, one a bound, got "
           << getNumResults();
  if (getOrder().getLongestFirst() >= 0)
    return emitOpError("expected an order without 'longest_first', which "
                       "numbers items by the workgroup, got ")
           << getOrder();
  return verifyOrder(*this, getOrder(), getBounds().size());
}

LogicalResult RankOp::verify() {
  ArrayRef<int64_t> cluster = getCluster();
  if (llvm::any_of(cluster, [](int64_t extent) { return extent < 1; }))
    return emitOpError("expected positive extents of the cluster, got ")
           << getClusterAttr();
  if (int64_t dim = getDim(); dim < 0 || dim >= int64_t(cluster.size()))
    return emitOpError("expected a dimension below ")
           << cluster.size() << ", got " << dim;
  return success();
}
