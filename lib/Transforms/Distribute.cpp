// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-distribute: programs over tiles become kernels over fragments.

#include "Distribute.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_TILEDISTRIBUTE
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

Type helios::tile::lowerType(Type type) {
  MLIRContext *context = type.getContext();
  if (isa<SlotType>(type))
    return frag::SlotType::get(context);
  if (isa<CursorType>(type))
    return IntegerType::get(context, 32);
  if (auto ring = dyn_cast<RingType>(type))
    return frag::RingType::get(context, ring);
  auto tensor = dyn_cast<RankedTensorType>(type);
  LayoutAttrInterface layout = getLayout(type);
  if (!layout)
    return type;
  if (layout.isMemory())
    return frag::MemType::get(context, tensor.getShape(),
                              tensor.getElementType(), layout);
  return frag::FragmentType::get(context, tensor.getShape(),
                                 tensor.getElementType(), layout);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Lanes of a workgroup: those over which its tiles are distributed, or what
/// the configuration says where it has none.
FailureOr<int64_t> Distributor::getThreads() {
  FailureOr<int64_t> lanes = getLanesPerGroup(program);
  if (failed(lanes))
    return failure();
  RolesOp roles;
  program.walk([&](RolesOp op) { roles = op; });
  if (roles) {
    int64_t threads = 0;
    for (RoleOp role : roles.getBody().front().getOps<RoleOp>()) {
      FailureOr<int64_t> per = lanesPerReplica(role);
      if (failed(per))
        return failure();
      threads += *per * role.getReplicas().value_or(1);
    }
    return threads;
  }
  if (program.getTuning()) {
    int64_t threads = *lanes;
    for (int64_t g : getGroups(program))
      threads *= g;
    return threads;
  }
  int64_t threads = lanesOfTiles(program);
  return threads ? threads : *lanes;
}

LogicalResult Distributor::run() {
  FailureOr<int64_t> threads = getThreads();
  if (failed(threads))
    return failure();
  TargetAttrInterface row = program.getTargetRow();
  if (row && *threads > row.getMaxInvocations())
    return program.emitOpError("needs ")
           << *threads << " lanes a workgroup, but target '" << row.getRowName()
           << "' has " << row.getMaxInvocations() << "; use fewer groups";
  b.setInsertionPoint(program);
  auto kernel = frag::KernelOp::create(
      b, program.getLoc(), program.getSymNameAttr(),
      program.getFunctionTypeAttr(), StringAttr(),
      b.getI64IntegerAttr(*threads),
      b.getI64IntegerAttr(program.getSharedBytes().value_or(0)), IntegerAttr(),
      IntegerAttr(), program.getTargetAttr(), program.getArgAttrsAttr(),
      ArrayAttr());
  if (program.getTuning() && program.getTuning().getClusterSize() > 1)
    kernel.setCluster(program.getTuning().getClusterSize());
  Block *entry = b.createBlock(&kernel.getBody());
  for (BlockArgument arg : program.getBody().getArguments())
    values.map(arg, entry->addArgument(arg.getType(), arg.getLoc()));
  b.setInsertionPointToStart(entry);
  if (failed(lowerBlock(program.getBody().front())))
    return failure();
  landLeft(program.getBody().front(),
           program.getBody().front().getTerminator());
  frag::ReturnOp::create(b, program.getLoc());
  // Registers of a lane at the start; roles take and give from there.
  if (row && row.getRegisterFile() && !kernel.getOps<frag::RoleOp>().empty())
    kernel.setRegs(
        std::min(row.getMaxRegisters(), row.getRegisterFile() / *threads) / 8 *
        8);
  program.erase();
  return success();
}

LogicalResult Distributor::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lower(&op)))
      return failure();
  return success();
}

LogicalResult Distributor::lower(Operation *op) {
  Location loc = op->getLoc();
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (load.getView().getType().getPacked() && isReadWithProducts(load)) {
      Place place{get(load.getView())};
      place.offsets = get(load.getOffsets());
      places[load.getResult()] = place;
      return success();
    }
    auto read = frag::ReadOp::create(
        b, loc, cast<frag::FragmentType>(lowerType(load.getType())),
        get(load.getView()), get(load.getOffsets()), load.getPadAttr(),
        load.getInBoundsAttr());
    return map(op, read.getResult());
  }
  if (auto element = dyn_cast<ElementOp>(op))
    return map(op, frag::ElementOp::create(b, loc, element.getType(),
                                           get(element.getView()),
                                           get(element.getOffsets()))
                       .getResult());
  if (auto store = dyn_cast<StoreOp>(op)) {
    frag::WriteOp::create(b, loc, get(store.getTile()), get(store.getView()),
                          get(store.getOffsets()), store.getInBounds(),
                          ReduceKindAttr());
    return success();
  }
  if (auto reduce = dyn_cast<AtomicReduceOp>(op)) {
    frag::WriteOp::create(b, loc, get(reduce.getTile()), get(reduce.getView()),
                          get(reduce.getOffsets()), false,
                          reduce.getKindAttr());
    return success();
  }
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return lowerConvert(convert);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return lowerTranspose(transpose);
  if (auto slice = dyn_cast<SliceOp>(op))
    return lowerSlice(slice);
  if (auto dot = dyn_cast<DotOp>(op))
    return lowerDot(dot);
  if (auto expand = dyn_cast<ExpandOp>(op))
    return lowerExpand(expand);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return lowerReduce(reduce);
  if (auto chain = dyn_cast<MapOp>(op))
    return lowerMap(chain);
  if (auto where = dyn_cast<WhereOp>(op))
    return lowerWhere(where);
  if (auto ring = dyn_cast<RingOp>(op))
    return lowerRing(ring);
  if (auto enter = dyn_cast<EnterOp>(op))
    return lowerEnter(enter);
  if (auto advance = dyn_cast<AdvanceOp>(op))
    return lowerAdvance(advance);
  if (auto turn = dyn_cast<TurnOp>(op)) {
    frag::TurnOp::create(b, loc, turn.getTurn());
    return success();
  }
  if (auto exit = dyn_cast<ExitOp>(op))
    return lowerExit(exit);
  if (auto copy = dyn_cast<CopyInOp>(op))
    return lowerCopyIn(copy);
  if (auto copy = dyn_cast<CopyOutOp>(op))
    return lowerCopyOut(copy);
  if (auto put = dyn_cast<PutOp>(op))
    return lowerPut(put);
  if (auto roles = dyn_cast<RolesOp>(op))
    return lowerRoles(roles);
  if (auto next = dyn_cast<NextOp>(op))
    return map(op, frag::NextOp::create(b, loc, b.getIndexType(),
                                        get(next->getOperand(0)))
                       .getResult());
  if (auto iota = dyn_cast<IotaOp>(op))
    return map(op, frag::IotaOp::create(
                       b, loc, lowerType(iota.getType()), iota.getDimAttr(),
                       iota.getBase() ? get(iota.getBase()) : Value())
                       .getResult());
  if (isa<IdOp, RankOp>(op))
    return map(op, lowerId(op));
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

/// Numbers of the workgroup; its place in the cluster from its rank there, of
/// which the last dimension is the fastest.
Value Distributor::lowerId(Operation *op) {
  Location loc = op->getLoc();
  auto number = [&](frag::IdKind kind) -> Value {
    return frag::IdOp::create(b, loc, b.getIndexType(),
                              frag::IdKindAttr::get(b.getContext(), kind));
  };
  if (auto id = dyn_cast<IdOp>(op)) {
    switch (id.getKind()) {
    case IdKind::Workgroup:
      return number(frag::IdKind::Workgroup);
    case IdKind::Workgroups:
      return number(frag::IdKind::Workgroups);
    case IdKind::Cluster:
      return number(frag::IdKind::Cluster);
    case IdKind::Clusters:
      return number(frag::IdKind::Clusters);
    }
  }
  auto rank = cast<RankOp>(op);
  Value place = number(frag::IdKind::ClusterRank);
  ArrayRef<int64_t> cluster = rank.getCluster();
  int64_t dim = rank.getDim(),
          stride = llvm::product_of(cluster.drop_front(dim + 1));
  if (stride != 1)
    place = arith::DivUIOp::create(b, loc, place, index(stride, loc));
  if (llvm::product_of(cluster.take_front(dim)) != 1)
    place = arith::RemUIOp::create(b, loc, place, index(cluster[dim], loc));
  return place;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult Distributor::lowerFor(scf::ForOp loop) {
  landUsedIn(loop);
  SmallVector<Value> inits;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs())) {
    if (isInMemory(init.getType())) {
      // One place in all trips.
      Place place = places.at(init);
      if (place.slot)
        return loop.emitOpError("carries a tile in shared memory; carry its "
                                "slot and read the tile from there");
      places[loop.getRegionIterArg(i)] = places[loop.getResult(i)] = place;
      continue;
    }
    switch (carryOf(loop, i)) {
    case Carry::Plain:
      inits.push_back(get(init));
      break;
    case Carry::InFlight:
      inits.push_back(flying.lookup(init));
      flying.erase(init);
      inits.push_back(tokens.lookup(init));
      break;
    case Carry::Token:
      inits.push_back(tokens.lookup(init));
      break;
    case Carry::Nothing:
      break;
    }
  }
  auto copy =
      scf::ForOp::create(b, loop.getLoc(), get(loop.getLowerBound()),
                         get(loop.getUpperBound()), get(loop.getStep()), inits);
  for (StringRef mark : {TileDialect::kUnrollAttr, TileDialect::kAheadAttr})
    if (Attribute value = loop->getAttr(mark))
      copy->setAttr(mark, value);
  values.map(loop.getInductionVar(), copy.getInductionVar());
  unsigned next = 0;
  for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value result = loop.getResult(i);
    if (isInMemory(arg.getType()))
      continue;
    switch (carryOf(loop, i)) {
    case Carry::Plain:
      values.map(arg, copy.getRegionIterArg(next));
      values.map(result, copy.getResult(next++));
      break;
    case Carry::InFlight:
      flying[arg] = copy.getRegionIterArg(next);
      flying[result] = copy.getResult(next++);
      [[fallthrough]];
    case Carry::Token:
      tokens[arg] = copy.getRegionIterArg(next);
      tokens[result] = copy.getResult(next++);
      break;
    case Carry::Nothing:
      break;
    }
  }
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Pending> outer = std::exchange(pending, {});
  if (inits.empty())
    copy.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(copy.getBody());
  if (failed(lowerBlock(*loop.getBody())))
    return failure();
  landLeft(*loop.getBody(), loop.getBody()->getTerminator());
  SmallVector<Value> yields;
  for (auto [i, v] : llvm::enumerate(loop.getYieldedValues())) {
    if (isInMemory(v.getType())) {
      if (places.at(v).mem.getDefiningOp<frag::SharedOp>().getOffset() !=
          places.at(loop.getInitArgs()[i])
              .mem.getDefiningOp<frag::SharedOp>()
              .getOffset())
        return loop.emitOpError("carries a tile in shared memory on in another "
                                "place; run tile-alternate-buffers and "
                                "tile-allocate-shared first");
      continue;
    }
    Carry carry = carryOf(loop, i);
    if (carry == Carry::Plain)
      yields.push_back(get(v));
    if (carry == Carry::InFlight) {
      yields.push_back(flying.lookup(v));
      flying.erase(v);
    }
    if (carry == Carry::InFlight || carry == Carry::Token)
      yields.push_back(tokens.lookup(v));
  }
  scf::YieldOp::create(b, loop.getLoc(), yields);
  pending = std::move(outer);
  return success();
}

LogicalResult Distributor::lowerIf(scf::IfOp branch) {
  landUsedIn(branch);
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
    SmallVector<Pending> outer = std::exchange(pending, {});
    // What goes through an await has another name in this branch alone.
    IRMapping names = values;
    b.setInsertionPointToEnd(&to->front());
    if (failed(lowerBlock(from->front())))
      return failure();
    Operation *yield = from->front().getTerminator();
    landLeft(from->front(), yield);
    SmallVector<Value> results = get(yield->getOperands());
    scf::YieldOp::create(b, branch.getLoc(), results);
    pending = std::move(outer);
    values = std::move(names);
  }
  for (auto [from, to] : llvm::zip(branch.getResults(), copy.getResults()))
    values.map(from, to);
  return success();
}

namespace {
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
