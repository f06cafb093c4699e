// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-distribute: programs over tiles become kernels over fragments.

#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace helios {
#define GEN_PASS_DEF_TILEDISTRIBUTE
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

Type lowerType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  LayoutAttrInterface layout = getLayout(type);
  if (!layout)
    return type;
  if (layout.isMemory())
    return frag::MemType::get(type.getContext(), tensor.getShape(),
                              tensor.getElementType(), layout);
  return frag::FragmentType::get(type.getContext(), tensor.getShape(),
                                 tensor.getElementType(), layout);
}

class Distributor {
public:
  Distributor(ProgramOp program) : program(program), b(program.getContext()) {}

  LogicalResult run() {
    FailureOr<int64_t> lanes = getLanesPerGroup(program);
    if (failed(lanes))
      return failure();
    int64_t threads = *lanes;
    for (int64_t g : getGroups(program))
      threads *= g;
    TargetAttrInterface row = program.getTargetRow();
    if (row && threads > row.getMaxInvocations())
      return program.emitOpError("needs ")
             << threads << " lanes a workgroup, but target '"
             << row.getRowName() << "' has " << row.getMaxInvocations()
             << "; use fewer groups";
    b.setInsertionPoint(program);
    auto kernel = frag::KernelOp::create(
        b, program.getLoc(), program.getSymNameAttr(),
        program.getFunctionTypeAttr(), StringAttr(),
        b.getI64IntegerAttr(threads),
        b.getI64IntegerAttr(program.getSharedBytes().value_or(0)),
        IntegerAttr(), IntegerAttr(), program.getTargetAttr(),
        program.getArgAttrsAttr(), ArrayAttr());
    Block *entry = b.createBlock(&kernel.getBody());
    for (BlockArgument arg : program.getBody().getArguments())
      values.map(arg, entry->addArgument(arg.getType(), arg.getLoc()));
    b.setInsertionPointToStart(entry);
    if (failed(lowerBlock(program.getBody().front())))
      return failure();
    frag::ReturnOp::create(b, program.getLoc());
    program.erase();
    return success();
  }

private:
  Value get(Value v) { return values.lookup(v); }
  SmallVector<Value> get(ValueRange vs) {
    return llvm::map_to_vector(vs, [&](Value v) { return get(v); });
  }
  Value index(int64_t n, Location loc) {
    return arith::ConstantIndexOp::create(b, loc, n);
  }

  LogicalResult lowerBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      if (failed(lower(&op)))
        return failure();
    return success();
  }

  LogicalResult lower(Operation *op) {
    Location loc = op->getLoc();
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto read = frag::ReadOp::create(
          b, loc, cast<frag::FragmentType>(lowerType(load.getType())),
          get(load.getView()), get(load.getOffsets()), load.getPadAttr(),
          load.getInBoundsAttr());
      return map(op, read.getResult());
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      frag::WriteOp::create(b, loc, get(store.getTile()), get(store.getView()),
                            get(store.getOffsets()), store.getInBounds(),
                            ReduceKindAttr());
      return success();
    }
    if (auto reduce = dyn_cast<AtomicReduceOp>(op)) {
      frag::WriteOp::create(b, loc, get(reduce.getTile()),
                            get(reduce.getView()), get(reduce.getOffsets()),
                            false, reduce.getKindAttr());
      return success();
    }
    if (auto convert = dyn_cast<ConvertLayoutOp>(op))
      return lowerConvert(convert);
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      auto place = get(transpose.getTile()).getDefiningOp<frag::SharedOp>();
      if (!place)
        return op->emitOpError("expected a tile in shared memory");
      return map(op,
                 frag::SharedOp::create(b, loc, lowerType(transpose.getType()),
                                        place.getOffsetAttr())
                     .getResult());
    }
    if (auto slice = dyn_cast<SliceOp>(op)) {
      auto type = dyn_cast<frag::FragmentType>(lowerType(slice.getType()));
      if (!type)
        return op->emitOpError("of shared memory is not lowered in this "
                               "version; slice before the layout change");
      return map(op, frag::SliceOp::create(b, loc, type, get(slice.getTile()),
                                           slice.getStaticOffsetsAttr())
                         .getResult());
    }
    if (auto dot = dyn_cast<DotOp>(op))
      return lowerDot(dot);
    if (auto expand = dyn_cast<ExpandOp>(op))
      return lowerExpand(expand);
    if (auto iota = dyn_cast<IotaOp>(op))
      return map(op, frag::IotaOp::create(
                         b, loc, lowerType(iota.getType()), iota.getDimAttr(),
                         iota.getBase() ? get(iota.getBase()) : Value())
                         .getResult());
    if (auto id = dyn_cast<IdOp>(op))
      return map(op, frag::IdOp::create(
                         b, loc, b.getIndexType(),
                         frag::IdKindAttr::get(b.getContext(),
                                               id.getCount()
                                                   ? frag::IdKind::Workgroups
                                                   : frag::IdKind::Workgroup))
                         .getResult());
    if (auto constant = dyn_cast<arith::ConstantOp>(op);
        constant && isa<RankedTensorType>(constant.getType()))
      return lowerConstant(constant);
    if (isElementwise(op))
      return lowerElementwise(op);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return lowerFor(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return lowerIf(branch);
    if (op->getNumRegions() == 0 &&
        llvm::none_of(op->getResultTypes(),
                      [](Type t) { return isa<RankedTensorType>(t); })) {
      b.clone(*op, values);
      return success();
    }
    return op->emitOpError("is not lowered to fragments in this version");
  }

  LogicalResult map(Operation *op, Value v) {
    values.map(op->getResult(0), v);
    return success();
  }

  //===------------------------------------------------------------------===//
  // Layout changes and products
  //===------------------------------------------------------------------===//

  LogicalResult lowerConvert(ConvertLayoutOp convert) {
    Location loc = convert.getLoc();
    RankedTensorType type = convert.getType();
    LayoutAttrInterface from = getLayout(convert.getTile().getType()),
                        to = getLayout(type);
    SmallVector<Value> origin(type.getRank(), index(0, loc));
    if (to.isMemory()) {
      auto offset = convert->getAttrOfType<IntegerAttr>("tile.offset");
      if (!offset)
        return convert.emitOpError("expected a place in shared memory; run "
                                   "tile-allocate-shared first");
      Value mem = frag::SharedOp::create(b, loc, lowerType(type), offset);
      frag::WriteOp::create(b, loc, get(convert.getTile()), mem, origin, false,
                            ReduceKindAttr());
      return map(convert, mem);
    }
    if (from.isMemory()) {
      // Operands that only products beside it read are read step by step with
      // them; one that a loop reuses stays in registers.
      auto beside = [&](Operation *user) {
        return isa<DotOp>(user) && user->getBlock() == convert->getBlock();
      };
      if (llvm::all_of(convert->getUsers(), beside) && isOperand(to))
        return map(convert, get(convert.getTile()));
      return map(convert, readMem(get(convert.getTile()), origin, type, loc));
    }
    if (from.isSamePlace(type.getShape(), to))
      return map(convert, frag::PermuteOp::create(b, loc, lowerType(type),
                                                  get(convert.getTile()))
                              .getResult());
    return convert.emitOpError("expected a conversion through shared memory; "
                               "run tile-assign-layouts first");
  }

  static bool isOperand(Attribute layout) {
    if (auto opaque = dyn_cast<OpaqueMatrixAttr>(layout))
      return opaque.getSide() != Side::Acc;
    return isa<OperandAttr>(layout);
  }

  Value readMem(Value mem, ValueRange offsets, RankedTensorType type,
                Location loc) {
    return frag::ReadOp::create(b, loc,
                                cast<frag::FragmentType>(lowerType(type)), mem,
                                offsets, b.getF64FloatAttr(0), UnitAttr());
  }

  /// Step `k` of a product's operand: read from shared memory, or cut from the
  /// fragment.
  Value operandStep(Value original, Side side, int64_t k, int64_t step,
                    Location loc) {
    auto type = cast<RankedTensorType>(original.getType());
    SmallVector<int64_t> shape(type.getShape()), at(2, 0);
    int64_t dim = side == Side::A ? 1 : 0;
    shape[dim] = step;
    at[dim] = k;
    auto part =
        RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
    Value value = get(original);
    if (isa<frag::MemType>(value.getType()))
      return readMem(value, {index(at[0], loc), index(at[1], loc)}, part, loc);
    return frag::SliceOp::create(b, loc,
                                 cast<frag::FragmentType>(lowerType(part)),
                                 value, b.getDenseI64ArrayAttr(at));
  }

  LogicalResult lowerDot(DotOp dot) {
    MmaAttrInterface mma = dot.getMmaAttr();
    if (!mma.getEngine().empty())
      return dot.emitOpError(
          "is asynchronous, which this version does not lower from tiles");
    Location loc = dot.getLoc();
    int64_t k = dot.getA().getType().getDimSize(1), step = mma.getMmaShape()[2];
    Value acc = get(dot.getAcc());
    for (int64_t at = 0; at < k; at += step) {
      Value a = operandStep(dot.getA(), Side::A, at, step, loc),
            bb = operandStep(dot.getB(), Side::B, at, step, loc);
      acc = frag::MmaOp::create(b, loc, acc.getType(), mma, a, bb, acc);
    }
    return map(dot, acc);
  }

  //===------------------------------------------------------------------===//
  // Element-wise
  //===------------------------------------------------------------------===//

  LogicalResult lowerConstant(arith::ConstantOp constant) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return constant.emitOpError(
          "expected a splat, got a constant with several values");
    Value scalar = arith::ConstantOp::create(
        b, constant.getLoc(),
        cast<TypedAttr>(splat.getSplatValue<Attribute>()));
    return map(constant,
               frag::SplatOp::create(b, constant.getLoc(),
                                     lowerType(constant.getType()), scalar)
                   .getResult());
  }

  LogicalResult lowerExpand(ExpandOp expand) {
    Location loc = expand.getLoc();
    Type type = lowerType(expand.getType());
    Value source = get(expand.getSource());
    if (!isa<frag::FragmentType>(source.getType()))
      return map(expand,
                 frag::SplatOp::create(b, loc, type, source).getResult());
    return map(expand, buildMap(loc, {source}, {type},
                                [](OpBuilder &, ValueRange args) {
                                  return SmallVector<Value>(args);
                                })[0]);
  }

  SmallVector<Value>
  buildMap(Location loc, ValueRange inputs, TypeRange types,
           function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
    auto op = frag::MapOp::create(b, loc, types, inputs);
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&op.getBody());
    for (Value input : inputs)
      block->addArgument(
          cast<frag::FragmentType>(input.getType()).getElementType(), loc);
    SmallVector<Value> results = body(b, block->getArguments());
    frag::YieldOp::create(b, loc, results);
    return SmallVector<Value>(op.getResults());
  }

  LogicalResult lowerElementwise(Operation *op) {
    SmallVector<Value> inputs;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        inputs.push_back(get(operand));
    SmallVector<Type> types =
        llvm::map_to_vector(op->getResultTypes(), lowerType);
    SmallVector<Value> results = buildMap(
        op->getLoc(), inputs, types, [&](OpBuilder &bb, ValueRange args) {
          IRMapping map(values);
          unsigned next = 0;
          SmallVector<Value> operands;
          for (Value operand : op->getOperands())
            operands.push_back(isa<RankedTensorType>(operand.getType())
                                   ? args[next++]
                                   : get(operand));
          OperationState state(op->getLoc(), op->getName());
          state.addOperands(operands);
          for (Type type : op->getResultTypes())
            state.addTypes(getElementTypeOrSelf(type));
          state.addAttributes(op->getAttrs());
          return SmallVector<Value>(bb.create(state)->getResults());
        });
    for (auto [from, to] : llvm::zip(op->getResults(), results))
      values.map(from, to);
    return success();
  }

  //===------------------------------------------------------------------===//
  // Control flow
  //===------------------------------------------------------------------===//

  LogicalResult lowerFor(scf::ForOp loop) {
    auto copy = scf::ForOp::create(
        b, loop.getLoc(), get(loop.getLowerBound()), get(loop.getUpperBound()),
        get(loop.getStep()), get(loop.getInitArgs()));
    for (auto [from, to] : llvm::zip(loop.getBody()->getArguments(),
                                     copy.getBody()->getArguments()))
      values.map(from, to);
    for (auto [from, to] : llvm::zip(loop.getResults(), copy.getResults()))
      values.map(from, to);
    OpBuilder::InsertionGuard guard(b);
    if (loop.getInitArgs().empty())
      copy.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(copy.getBody());
    if (failed(lowerBlock(*loop.getBody())))
      return failure();
    scf::YieldOp::create(b, loop.getLoc(), get(loop.getYieldedValues()));
    return success();
  }

  LogicalResult lowerIf(scf::IfOp branch) {
    auto copy = scf::IfOp::create(
        b, branch.getLoc(),
        llvm::map_to_vector(branch.getResultTypes(), lowerType),
        get(branch.getCondition()), !branch.getElseRegion().empty());
    OpBuilder::InsertionGuard guard(b);
    for (auto [from, to] :
         {std::pair(&branch.getThenRegion(), &copy.getThenRegion()),
          std::pair(&branch.getElseRegion(), &copy.getElseRegion())}) {
      if (from->empty())
        continue;
      if (!to->front().empty())
        to->front().back().erase();
      b.setInsertionPointToEnd(&to->front());
      if (failed(lowerBlock(from->front())))
        return failure();
      scf::YieldOp::create(b, branch.getLoc(),
                           get(from->front().getTerminator()->getOperands()));
    }
    for (auto [from, to] : llvm::zip(branch.getResults(), copy.getResults()))
      values.map(from, to);
    return success();
  }

  ProgramOp program;
  OpBuilder b;
  IRMapping values;
};

/// Merges a map into the only map that uses it, so that a chain of element-wise
/// ops is one region.
void fuseMaps(Operation *root) {
  SmallVector<frag::MapOp> maps;
  root->walk([&](frag::MapOp map) { maps.push_back(map); });
  for (frag::MapOp user : maps) {
    for (bool changed = true; changed;) {
      changed = false;
      for (OpOperand &operand : user->getOpOperands()) {
        auto source = operand.get().getDefiningOp<frag::MapOp>();
        if (!source || source->getNumResults() != 1 ||
            source->getBlock() != user->getBlock() ||
            cast<frag::FragmentType>(operand.get().getType()).getShape() !=
                cast<frag::FragmentType>(user->getResult(0).getType())
                    .getShape() ||
            llvm::any_of(source->getUsers(),
                         [&](Operation *op) { return op != user; }))
          continue;
        OpBuilder b(user);
        SmallVector<Value> inputs;
        for (Value v : source.getInputs())
          inputs.push_back(v);
        for (Value v : user.getInputs())
          if (v.getDefiningOp() != source)
            inputs.push_back(v);
        auto merged = frag::MapOp::create(b, user.getLoc(),
                                          user.getResultTypes(), inputs);
        Block *block = b.createBlock(&merged.getBody());
        for (Value v : inputs)
          block->addArgument(
              cast<frag::FragmentType>(v.getType()).getElementType(),
              v.getLoc());
        IRMapping map;
        unsigned n = 0;
        for (BlockArgument arg : source.getBody().front().getArguments())
          map.map(arg, block->getArgument(n++));
        for (Operation &op : source.getBody().front().without_terminator())
          b.clone(op, map);
        Value result = map.lookupOrDefault(
            source.getBody().front().getTerminator()->getOperand(0));
        for (auto [v, arg] :
             llvm::zip(user.getInputs(), user.getBody().front().getArguments()))
          map.map(arg, v.getDefiningOp() == source
                           ? result
                           : Value(block->getArgument(n++)));
        for (Operation &op : user.getBody().front())
          b.clone(op, map);
        user->replaceAllUsesWith(merged->getResults());
        user->erase();
        source->erase();
        user = merged;
        changed = true;
        break;
      }
    }
  }
}

struct Distribute : helios::impl::TileDistributeBase<Distribute> {
  void runOnOperation() override {
    SmallVector<ProgramOp> programs(getOperation().getOps<ProgramOp>());
    for (ProgramOp program : programs)
      if (failed(Distributor(program).run()))
        return signalPassFailure();
    fuseMaps(getOperation());
  }
};

} // namespace
