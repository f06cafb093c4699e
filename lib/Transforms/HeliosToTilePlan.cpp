// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: the launch plan of a kernel. Extents are required to agree;
// then the first variant whose facts hold for every product is launched.
// Intermediate results lie in the workspace.

#include "HeliosToTilePlan.h"
#include "ScheduleNeeds.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

int64_t totile::residentOf(const Product &product, ScheduleAttr schedule,
                           tile::TargetAttrInterface target) {
  auto attention = dyn_cast<AttentionOp>(product.op);
  Type element = product.accesses.front().elementType,
       acc = attention ? attention.getAccType()
                       : cast<MatmulOp>(product.op).getAccType();
  for (tile::MmaAttrInterface mma : target.getMmas(element, element, acc))
    if (ArrayRef<int64_t>(mma.getMmaShape()) == schedule.getMma())
      return (attention ? ScheduleNeeds::get(attention, schedule, mma)
                        : ScheduleNeeds::get(cast<MatmulOp>(product.op),
                                             schedule, mma))
          .getResident(target);
  return 1;
}

Placed PlanEmitter::fromArgument(Value argument, StringRef name) {
  auto type = cast<RankedTensorType>(argument.getType());
  Placed result{
      argument,
      {},
      {},
      tile::AlignmentOp::create(builder, loc, builder.getIndexType(), argument),
      name.str()};
  for (int64_t d = 0; d < type.getRank(); ++d) {
    auto dim = builder.getI64IntegerAttr(d);
    result.extents.push_back(
        type.isDynamicDim(d)
            ? tile::ExtentOp::create(builder, loc, builder.getIndexType(),
                                     argument, dim)
                  .getResult()
            : index(type.getDimSize(d)));
    result.strides.push_back(tile::StrideOp::create(
        builder, loc, builder.getIndexType(), argument, dim));
  }
  return result;
}

Placed *PlanEmitter::find(Value tensor, Kept kept) {
  if (auto known = tensors.find({tensor.getAsOpaquePointer(), kept});
      known != tensors.end())
    return &known->second;
  Operation *definition = tensor.getDefiningOp();
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(definition)) {
    Placed *source = find(cast.getSource());
    return source ? keep(tensor, *source) : nullptr;
  }
  auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(definition);
  Placed *source = expand ? find(expand.getSrc()) : nullptr;
  if (!source)
    return nullptr;
  Placed result{source->pointer, {}, {}, source->alignment, source->name};
  for (auto [i, group] : llvm::enumerate(expand.getReassociationIndices())) {
    // One dimension of the group keeps the extent, the others are of extent
    // one.
    int64_t kept = group.front();
    for (int64_t dim : group)
      if (expand.getResultType().getDimSize(dim) != 1)
        kept = dim;
    for (int64_t dim : group) {
      if (dim != kept && expand.getResultType().getDimSize(dim) != 1)
        return nullptr;
      result.extents.push_back(dim == kept ? source->extents[i] : index(1));
      result.strides.push_back(dim == kept ? source->strides[i] : index(0));
    }
  }
  return keep(tensor, std::move(result));
}

/// The extent of an axis: static, or that of the first tensor that has it.
Value PlanEmitter::extentOf(const Product &product, int64_t axis) {
  if (!ShapedType::isDynamic(product.extents[axis]))
    return index(product.extents[axis]);
  for (const Access &access : product.accesses)
    for (auto [dim, candidate] : llvm::enumerate(access.axes))
      if (candidate == axis && !access.packing && isPlaced(access))
        return placed(access).extents[dim];
  // A part whose sums are still to be placed beside a packed operand.
  for (const Product &whole : programs.schedules.front().products)
    if (whole.op == product.op && &whole != &product)
      return extentOf(whole, axis);
  llvm_unreachable("an axis belongs to some tensor that is not packed");
}

/// Whether an axis is static or some operand has it that is not packed.
static bool isKnownBefore(const Product &product, int64_t axis) {
  return !ShapedType::isDynamic(product.extents[axis]) ||
         llvm::any_of(ArrayRef(product.accesses).drop_back(product.numResults),
                      [&](const Access &access) {
                        return !access.packing &&
                               llvm::is_contained(access.axes, axis);
                      });
}

/// A tensor at the end of the workspace, which grows by it. Rows begin at
/// multiples of the wide access.
Placed PlanEmitter::inWorkspace(Type element, SmallVector<Value> extents,
                                Value &bytes, std::string name) {
  Placed result{{}, std::move(extents), {}, index(256), std::move(name)};
  Value vector = index(vectorElements(element, vectorBytes));
  Value stride = fold<arith::MulIOp>(
      fold<arith::CeilDivUIOp>(result.extents.back(), vector), vector);
  result.strides.assign(result.extents.size(), index(1));
  for (int64_t dim = int64_t(result.extents.size()) - 2; dim >= 0; --dim) {
    result.strides[dim] = stride;
    stride = fold<arith::MulIOp>(stride, result.extents[dim]);
  }
  Value size =
      fold<arith::MulIOp>(stride, index(tile::getStoredBits(element) / 8));
  result.pointer = tile::WorkspaceOp::create(
      builder, loc, tile::PtrType::get(builder.getContext(), element), bytes);
  Value unit = index(256);
  size = fold<arith::MulIOp>(fold<arith::CeilDivUIOp>(size, unit), unit);
  bytes = fold<arith::AddIOp>(bytes, size);
  return result;
}

/// The axes of the tensor itself, of which items may leave parts.
static ArrayRef<int64_t> axesOfTensor(const Access &access) {
  return ArrayRef(access.axes).drop_front(access.kept == Kept::Combined);
}

/// Places arguments, results and intermediates.
LogicalResult PlanEmitter::place() {
  unsigned numInputs = kernel.getNumArguments();
  ReturnOp end = kernel.getReturn();
  auto name = [&](unsigned i) {
    if (auto given = kernel.getArgAttrOfType<StringAttr>(i, "helios.name"))
      return given.str();
    return "arg" + std::to_string(i);
  };
  SmallVector<Attribute> names;
  for (unsigned i = 0; i < numInputs; ++i) {
    BlockArgument from = kernel.getArgument(i);
    names.push_back(builder.getStringAttr(name(i)));
    if (isa<RankedTensorType>(from.getType()))
      keep(from, fromArgument(entry->getArgument(i), name(i)));
    else
      scalars.map(from, entry->getArgument(i));
  }
  for (auto [i, value] : llvm::enumerate(end.getOperands())) {
    if (!isa_and_nonnull<MatmulOp, AttentionOp, PackOp>(value.getDefiningOp()))
      return end.emitOpError()
             << "value " << i
             << " is not lowered: it is no result of a product";
    if (tensors.count({value.getAsOpaquePointer(), Kept::Tensor}))
      return end.emitOpError()
             << "value " << i << " is not lowered: it is returned twice";
    std::string result =
        end.getNumOperands() == 1 ? "result" : "result" + std::to_string(i);
    names.push_back(builder.getStringAttr(result));
    keep(value, fromArgument(entry->getArgument(numInputs + i), result));
  }
  cast<tile::PlanOp>(entry->getParentOp())
      .setArgNamesAttr(builder.getArrayAttr(names));

  workspace = index(0);
  auto &products = programs.schedules.front().products;
  for (Product &product : products) {
    for (const Access &access :
         ArrayRef(product.accesses).drop_back(product.numResults))
      if (!find(access.tensor))
        return product.op->emitOpError(
            "is not lowered: an operand is neither an argument nor a product's "
            "result, seen with "
            "dimensions of extent one added");
    for (const Access &access : product.results()) {
      if (tensors.count({access.tensor.getAsOpaquePointer(), Kept::Tensor}))
        continue;
      SmallVector<Value> extents;
      for (int64_t axis : axesOfTensor(access)) {
        if (!isKnownBefore(product, axis))
          return product.op->emitOpError("is not lowered: only its packed "
                                         "operand has the extent of "
                                         "dimension ")
                 << axis - product.numBatch
                 << " of its result, which another product reads; make that "
                    "extent static";
        extents.push_back(extentOf(product, axis));
      }
      keep(access.tensor,
           inWorkspace(access.elementType, std::move(extents), workspace,
                       "the result of product " +
                           std::to_string(&product - products.begin())));
    }
  }
  return success();
}

/// Requires the extents of all tensors of a product to agree.
void PlanEmitter::require(const Product &product) {
  SmallVector<std::string> first(product.extents.size());
  for (const Access &access : product.accesses) {
    if (access.packing) {
      requirePacked(product, access);
      continue;
    }
    Placed &tensor = placed(access.tensor);
    for (auto [dim, axis] : llvm::enumerate(axesOfTensor(access))) {
      if (axis < 0)
        continue;
      std::string name = "extent " + std::to_string(dim) + " of " + tensor.name;
      if (first[axis].empty())
        first[axis] = ShapedType::isDynamic(product.extents[axis])
                          ? name
                          : std::to_string(product.extents[axis]);
      if (product.isDivided(axis)) {
        requireGroups(product, axis, tensor.extents[dim], name);
        continue;
      }
      Value agree = compare(arith::CmpIPredicate::eq, tensor.extents[dim],
                            extentOf(product, axis));
      if (known(agree) != true)
        tile::RequireOp::create(
            builder, loc, agree,
            builder.getStringAttr(name + " must equal " + first[axis]));
    }
  }
}

/// Requires groups to make up all of K, or to cover M or N.
void PlanEmitter::requireGroups(const Product &product, int64_t axis,
                                Value groups, const std::string &name) {
  auto [of, size, isStored] = product.groupsOf(axis);
  bool isWhole = of == product.k();
  Value extent = extentOf(product, of);
  Value agree =
      compare(arith::CmpIPredicate::eq,
              isWhole ? fold<arith::MulIOp>(groups, index(size)) : groups,
              isWhole ? extent : fold<arith::CeilDivUIOp>(extent, index(size)));
  std::string number = std::to_string(size);
  if (known(agree) != true)
    tile::RequireOp::create(
        builder, loc, agree,
        builder.getStringAttr(
            isStored  ? name + " times the " + number +
                            " elements in one must equal K"
            : isWhole ? name + " times the group of " + number + " must equal K"
                      : name + " must be the number of groups of " + number +
                            " that cover " + (of == product.m() ? "M" : "N")));
}

/// Requires whole groups where elements that lie in one are shares of a group
/// apart, whether or not an operand has one element for each.
void PlanEmitter::requireWholeShares(const Product &product) {
  auto op = dyn_cast<MatmulOp>(product.op);
  if (!op || op.getParts() == 1)
    return;
  Value whole = compare(arith::CmpIPredicate::eq,
                        fold<arith::RemUIOp>(extentOf(product, product.k()),
                                             index(op.getGroupSize())),
                        index(0));
  if (known(whole) != true)
    tile::RequireOp::create(
        builder, loc, whole,
        builder.getStringAttr("K must be a multiple of the group of " +
                              std::to_string(op.getGroupSize())));
}

/// Requires the same number of query heads for every key head. A kernel with
/// queries has keys' heads at all.
void PlanEmitter::requireWholeGroups(const Product &product) {
  Value heads = extentOf(product, product.heads()),
        keyHeads = extentOf(product, product.keyHeads()), one = index(1);
  auto nameOf = [&](const Access &access) {
    return "extent 1 of " + placed(access.tensor).name;
  };
  Value whole =
      compare(arith::CmpIPredicate::eq,
              fold<arith::RemUIOp>(heads, fold<arith::MaxUIOp>(keyHeads, one)),
              index(0));
  conjoin(whole, compare(arith::CmpIPredicate::ule,
                         fold<arith::MinUIOp>(heads, one), keyHeads));
  if (known(whole) != true)
    tile::RequireOp::create(builder, loc, whole,
                            builder.getStringAttr(nameOf(product.accesses[0]) +
                                                  " must be a multiple of " +
                                                  nameOf(product.accesses[1])));
}

/// Requires a group at least, whose end can be read.
void PlanEmitter::requireGroup(const Product &product) {
  Value some =
      compare(arith::CmpIPredicate::ule, index(1), extentOf(product, 0));
  if (known(some) != true)
    tile::RequireOp::create(
        builder, loc, some,
        builder.getStringAttr("extent 0 of " +
                              placed(product.accesses[product.ends()]).name +
                              " must be 1 at least, for a grouped product"));
}

/// The tiles of rows that a grouped product has at most: one that is not full
/// for each group.
Value PlanEmitter::mostTiles(const Product &product) {
  Value rows = extentOf(product, product.m());
  Value tiles = fold<arith::AddIOp>(
      fold<arith::DivUIOp>(rows, index(product.tile[product.m()])),
      extentOf(product, 0));
  return fold<arith::MulIOp>(tiles, fold<arith::MinUIOp>(rows, index(1)));
}

/// Number of work items, or of clusters of them; those that lie along one axis
/// may be left out.
Value PlanEmitter::items(const Product &product, bool clustered,
                         int64_t without) {
  Value count = index(1);
  if (product.part == Part::Copy) {
    count = index(0);
    for (unsigned copy = 1; copy < product.accesses.size(); copy += 2) {
      Value tiles = index(1);
      for (int64_t axis : product.accesses[copy].axes)
        if (axis >= 0)
          tiles = fold<arith::MulIOp>(
              tiles, fold<arith::CeilDivUIOp>(extentOf(product, axis),
                                              index(product.tile[axis])));
      count = fold<arith::AddIOp>(count, tiles);
    }
    return count;
  }
  if (product.tileOfSums)
    return itemsOfStreamSum(product);
  for (int64_t axis : product.itemAxes()) {
    if (axis == without)
      continue;
    if (product.grouped && axis == product.m()) {
      count = fold<arith::MulIOp>(count, mostTiles(product));
      continue;
    }
    Value extent = filledUp(extentOf(product, axis), product.filledTo(axis));
    if (int64_t unit = clustered ? product.span(axis) : product.tile[axis];
        unit != 1)
      extent = fold<arith::CeilDivUIOp>(extent, index(unit));
    count = fold<arith::MulIOp>(count, extent);
  }
  return count;
}

/// Number of workgroups: one for each item, or as many as the device holds at
/// once; of whole clusters.
Value PlanEmitter::grid(const Product &product, const Program &program,
                        ScheduleAttr schedule) {
  int64_t size = program.clustered ? schedule.getClusterSize() : 1;
  Value count = items(product, program.clustered);
  auto workgroups = [&](Value clusters) {
    return size == 1 ? clusters : fold<arith::MulIOp>(clusters, index(size));
  };
  auto target =
      dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
  if (!isPersistent(schedule) || !product.multiplies() || !target)
    return workgroups(count);
  Value atOnce = itemsAtOnce(product, schedule, program.clustered);
  // Shares are as many at most, and each has one that takes it.
  if (product.part == Part::Stream) {
    StreamCounts &counts = streamOf(product);
    return workgroups(fold<arith::MaxUIOp>(
        counts.shares, fold<arith::MinUIOp>(counts.whole, atOnce)));
  }
  return workgroups(fold<arith::MinUIOp>(count, atOnce));
}

/// Clusters of a size that run at once where each workgroup has a processor, at
/// least one: processors that are left over stay idle.
Value PlanEmitter::clustersAtOnce(int64_t size) {
  using Property = tile::DeviceProperty;
  switch (size) {
  case 1:
    return device(Property::ComputeUnits);
  case 2:
    return device(Property::ClustersOf2);
  case 4:
    return device(Property::ClustersOf4);
  case 8:
    return device(Property::ClustersOf8);
  }
  return fold<arith::MaxUIOp>(
      fold<arith::DivUIOp>(device(Property::ComputeUnits), index(size)),
      index(1));
}

/// Workgroups, or clusters of them, that take items at once.
Value PlanEmitter::itemsAtOnce(const Product &product, ScheduleAttr schedule,
                               bool clustered) {
  auto target =
      dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
  Value clusters = clustersAtOnce(clustered ? schedule.getClusterSize() : 1);
  return target ? fold<arith::MulIOp>(
                      clusters, index(residentOf(product, schedule, target)))
                : clusters;
}

/// What a variant's program takes for granted. Cheap limits come first: what
/// follows cannot overflow where they hold.
Value PlanEmitter::guard(const Product &product, Variant variant) {
  using Predicate = arith::CmpIPredicate;
  Value all = boolean(true);
  Value limit = index(kMaxIndex), zero = index(0);
  Value furthest = index((int64_t(1) << offsetBits) - 1);
  int64_t unitBytes =
      variant == Variant::Narrow ? programs.narrowBytes : vectorBytes;
  auto axes = llvm::seq<int64_t>(0, product.isAttention() ? product.values() + 1
                                    : product.part == Part::Copy
                                        ? product.extents.size()
                                        : product.k() + 1);
  for (int64_t axis : axes)
    conjoin(all, compare(Predicate::sle, extentOf(product, axis), limit));
  if (variant != Variant::Any && product.part != Part::Sum)
    for (int64_t axis : product.part == Part::Copy
                            ? axes
                            : llvm::seq(product.summed(), product.summed() + 1))
      conjoin(all, compare(Predicate::sle, index(1), extentOf(product, axis)));
  for (int64_t axis : axes)
    if (product.isWhole(axis, variant))
      conjoin(all, compare(Predicate::eq,
                           fold<arith::RemUIOp>(extentOf(product, axis),
                                                index(product.span(axis))),
                           zero));

  for (const Access &access : product.accesses) {
    Placed &tensor = placed(access);
    bool wide = product.isWide(access, variant);
    Value vector = index(vectorElements(access.elementType, unitBytes));
    int64_t last = int64_t(access.axes.size()) - 1,
            together = product.groupsTogether(access, variant, unitBytes);
    if (wide)
      conjoin(all, compare(Predicate::sle, index(unitBytes), tensor.alignment));
    else if (together > 1)
      conjoin(all, compare(Predicate::sle,
                           index(together *
                                 tile::getElementBytes(access.elementType)),
                           tensor.alignment));
    Value reach = zero;
    for (auto [dim, axis] : llvm::enumerate(access.axes)) {
      if (axis < 0)
        continue;
      Value stride = tensor.strides[dim];
      // Offsets are computed up to the end of the last tile, in range or not.
      Value part = tensor.extents[dim];
      if (!product.isWhole(axis, variant) && product.span(axis) != 1)
        part = fold<arith::AddIOp>(part, index(product.span(axis) - 1));
      if (product.isContiguous(access, variant) && int64_t(dim) == last) {
        conjoin(all, compare(Predicate::eq, stride, index(1)));
        if (wide &&
            !(access.kept == Kept::Copy && product.isFilled(access, variant)))
          conjoin(all,
                  compare(Predicate::eq,
                          fold<arith::RemUIOp>(tensor.extents[dim], vector),
                          zero));
      } else {
        conjoin(all, compare(Predicate::sle, zero, stride));
        conjoin(all, compare(Predicate::sle, stride, limit));
        if (wide || together > 1)
          conjoin(all, compare(Predicate::eq,
                               fold<arith::RemUIOp>(
                                   stride, wide ? vector : index(together)),
                               zero));
        part = fold<arith::MulIOp>(part, stride);
        conjoin(all, compare(Predicate::sle, part, furthest));
      }
      reach = fold<arith::AddIOp>(reach, part);
    }
    conjoin(all, compare(Predicate::sle, reach, furthest));
  }
  conjoin(all, compare(Predicate::sle, items(product), limit));
  // All steps of all tiles are counted, up to the end of the last share.
  if (product.part == Part::Stream) {
    StreamCounts &counts = streamOf(product);
    conjoin(all,
            compare(Predicate::sle, counts.steps,
                    fold<arith::DivUIOp>(
                        limit, fold<arith::AddIOp>(counts.tiles, index(1)))));
  }
  return all;
}

/// A level-1 scalar in the plan.
Value PlanEmitter::scalar(Value value) {
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> position = dim.getConstantIndex())
      return placed(dim.getSource()).extents[*position];
  return scalars.lookupOrNull(value);
}

/// What the way of a variant's launch is called. `isFirst`: it is the first one
/// for scattered rows.
std::string PlanEmitter::nameOf(const VariantPrograms &entry, bool isFirst) {
  std::string name = getName(entry.variant).str();
  bool isCompared =
      entry.variant != Variant::Any && entry.variant != Variant::Narrow;
  if (isCompared ? programs.numChoices() > 1 : !isFirst)
    name += "-" + tileText(programs.schedules[entry.schedule].schedule);
  return name;
}

void PlanEmitter::dispatch(OpBuilder &way, Product &product, Program &program,
                           ScheduleAttr schedule, StringRef name) {
  launched.insert(program.op);
  SmallVector<Value> arguments;
  for (const ArgSource &source : program.arguments) {
    switch (source.kind) {
    case ArgSource::Pointer:
      arguments.push_back(placed(product.accesses[source.access]).pointer);
      break;
    case ArgSource::Extent:
      arguments.push_back(extentOf(product, source.dim));
      break;
    case ArgSource::Filled:
      arguments.push_back(
          filledUp(extentOf(product, source.dim),
                   vectorElements(product.accesses[source.access].elementType,
                                  vectorBytes)));
      break;
    case ArgSource::Stride:
      arguments.push_back(
          placed(product.accesses[source.access]).strides[source.dim]);
      break;
    case ArgSource::Steps:
      arguments.push_back(
          steps[product.accesses.back().tensor.getAsOpaquePointer()]);
      break;
    case ArgSource::Stream:
      arguments.push_back(*streamOf(product).all()[source.dim]);
      break;
    case ArgSource::Queries:
      arguments.push_back(queriesOfRows);
      break;
    case ArgSource::Seen:
      arguments.push_back(seenKeys(product));
      break;
    case ArgSource::Scalar:
      arguments.push_back(scalar(source.scalar));
      break;
    }
  }
  Value workgroups = grid(product, program, schedule);
  tile::DispatchOp::create(way, loc,
                           FlatSymbolRefAttr::get(program.op.getSymNameAttr()),
                           workgroups, arguments, way.getStringAttr(name));
}

/// One more way of the plan, taken where nothing before holds: it launches what
/// `launch` emits, which returns the bytes of its workspace.
void PlanEmitter::branch(Value holds, function_ref<Value(OpBuilder &)> launch) {
  bool certain = !chain.empty() && known(chain.back().getCondition()) == true;
  if (certain || known(holds) == false)
    return;
  auto way =
      OpBuilder::atBlockEnd(chain.empty() ? entry : chain.back().elseBlock());
  auto conditional =
      scf::IfOp::create(way, loc, TypeRange{way.getIndexType()}, holds,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  chain.push_back(conditional);
  builder.setInsertionPoint(chain.front());
  way.setInsertionPointToStart(conditional.thenBlock());
  Value bytes = launch(way);
  scf::YieldOp::create(way, loc, bytes);
}

LogicalResult PlanEmitter::run() {
  SmallVector<Type> types(kernel.getArgumentTypes());
  llvm::append_range(types, kernel.getResultTypes());
  OpBuilder::InsertionGuard insertion(builder);
  OperationState state(loc, tile::PlanOp::getOperationName());
  state.addAttribute("sym_name", kernel.getSymNameAttr());
  state.addAttribute("function_type",
                     TypeAttr::get(builder.getFunctionType(types, {})));
  state.addAttribute("output_count",
                     builder.getI64IntegerAttr(kernel.getResultTypes().size()));
  state.addAttribute(
      "schedule",
      builder.getStringAttr(programs.schedules.front().schedule.toString()));
  SmallVector<StringRef> packedBy(types.size());
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (auto name = kernel.getArgAttrOfType<StringAttr>(
            i, HeliosDialect::kPackedByAttr))
      packedBy[i] = name.getValue();
  if (llvm::any_of(packedBy, [](StringRef name) { return !name.empty(); }))
    state.addAttribute("packed_by", builder.getStrArrayAttr(packedBy));
  state.addRegion();
  auto plan = cast<tile::PlanOp>(builder.create(state));
  entry = builder.createBlock(&plan.getBody(), {}, types,
                              SmallVector<Location>(types.size(), loc));

  if (failed(place()))
    return failure();
  for (VariantPrograms &entry : programs.variants)
    for (Program &program : entry.programs)
      for (ArgSource &source : program.arguments)
        if (source.kind == ArgSource::Scalar && !scalar(source.scalar))
          return emitError(source.scalar.getLoc())
                 << "this scalar is not lowered: the launch plan cannot "
                    "compute it";
  for (Product &product : programs.schedules.front().products) {
    require(product);
    requireWholeShares(product);
    if (product.isAttention())
      requireWholeGroups(product);
    if (product.grouped)
      requireGroup(product);
  }
  placeSlices();
  placeMade();
  placeRanges();
  placePacked();
  placeCombined();
  chooseSchedule();

  // A chain of conditionals, one for each variant that is not ruled out by what
  // is static.
  llvm::SetVector<Operation *> emitted;
  for (OperandCopies &copies : programs.copies)
    emitted.insert(copies.program.op);
  if (programs.narrowLeft)
    emitted.insert(programs.narrowLeft->op);
  bool copied = false;
  for (VariantPrograms &entry : programs.variants) {
    Variant variant = entry.variant;
    unsigned number = entry.schedule;
    ScheduledProducts &scheduled = programs.schedules[number];
    for (Program &program : entry.programs)
      emitted.insert(program.op);
    if (variant == Variant::Any && !std::exchange(copied, true))
      launchCopies();
    enter(number);
    Value holds = boolean(true);
    for (Product &part : scheduled.parts)
      conjoin(holds, guard(part, part.factsOf(variant)));
    for (auto [part, program] : llvm::zip(scheduled.parts, entry.programs))
      if (llvm::any_of(program.arguments, [](const ArgSource &source) {
            return source.kind == ArgSource::Seen;
          }))
        conjoin(holds,
                compare(arith::CmpIPredicate::sle, index(1), seenKeys(part)));
    if (variant == Variant::Any)
      conjoin(holds, cheaperThanRest(number));
    else if (variant == Variant::Narrow)
      conjoin(holds, isBestOfNarrow(number));
    else
      conjoin(holds, chosen[number]);
    branch(holds, [&](OpBuilder &way) {
      std::string name = nameOf(entry, programs.isFirst(number));
      for (auto [part, program] : llvm::zip(scheduled.parts, entry.programs))
        dispatch(way, part, program, scheduled.schedule, name);
      return splits[number].workspace;
    });
  }
  for (Operation *program : emitted)
    if (!launched.contains(program))
      program->erase();
  if (chain.empty())
    return kernel.emitOpError("is not lowered: its static extents exceed 31 "
                              "bits, or the offsets of its elements ")
           << offsetBits;
  Value none = index(0);
  builder.setInsertionPointToEnd(chain.back().elseBlock());
  scf::YieldOp::create(builder, loc, none);
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    builder.setInsertionPointToEnd(chain[i].elseBlock());
    scf::YieldOp::create(builder, loc, chain[i + 1].getResult(0));
  }
  builder.setInsertionPointToEnd(entry);
  tile::PlanYieldOp::create(builder, loc, chain.front().getResult(0));

  // What no formula uses.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*entry)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

LogicalResult totile::emitPlan(OpBuilder &builder, KernelOp kernel,
                               KernelPrograms &programs, int64_t vectorBytes) {
  return PlanEmitter(builder, kernel, programs, vectorBytes).run();
}
