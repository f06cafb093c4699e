// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: arguments, views and items of a program.

#include "HeliosToTileProgram.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "mlir/IR/IRMapping.h"
#include <numeric>

using namespace mlir;
using namespace helios;
using namespace helios::totile;

Value ProgramEmitter::constant(int64_t value) {
  Value &known = constants[value];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(builder);
  if (items)
    builder.setInsertionPoint(items);
  return known = arith::ConstantIndexOp::create(builder, loc, value);
}

SmallVector<NamedAttribute> ProgramEmitter::factsOf(const Access &access) {
  auto argument = dyn_cast_or_null<BlockArgument>(access.tensor);
  if (access.kept != Kept::Tensor || !argument)
    return {};
  auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
  if (!kernel ||
      !kernel.getArgAttr(argument.getArgNumber(), HeliosDialect::kConstantAttr))
    return {};
  return {builder.getNamedAttr(tile::TileDialect::kConstantAttr,
                               builder.getUnitAttr())};
}

Value ProgramEmitter::splat(ArrayRef<int64_t> shape, TypedAttr element) {
  auto type = RankedTensorType::get(shape, element.getType());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, element));
}

Value ProgramEmitter::expand(Value value, ArrayRef<int64_t> shape,
                             int64_t dim) {
  auto type =
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
  return tile::ExpandOp::create(builder, loc, type, value,
                                builder.getDenseI64ArrayAttr({dim}));
}

int64_t ProgramEmitter::extentDivisor(int64_t axis) const {
  if (product.isWhole(axis, variant))
    return product.span(axis);
  int64_t result = 1;
  for (const Access &access : product.accesses)
    if (isWide(access) && access.axes.back() == axis &&
        !product.isFilled(access, variant))
      result =
          std::max(result, vectorElements(access.elementType, vectorBytes));
  // Groups make up all of K.
  if (axis == product.k() && product.part != Part::Sum)
    for (const Product::Groups &of : product.groups)
      if (of.axis == axis)
        result = std::lcm(result, of.size);
  return result;
}

SmallVector<int64_t> ProgramEmitter::dimsOfView(const Access &access) const {
  auto rank = [&](int64_t axis) {
    return product.isOfGroups(axis) ? 0 : product.isTiled(axis) ? 2 : 1;
  };
  SmallVector<int64_t> dims;
  for (int wanted : {0, 1, 2})
    for (auto [dim, axis] : llvm::enumerate(access.axes))
      if (axis >= 0 && rank(axis) == wanted)
        dims.push_back(dim);
  return dims;
}

void ProgramEmitter::makeExtents() {
  for (auto [axis, extent] : llvm::enumerate(product.extents)) {
    if (!ShapedType::isDynamic(extent)) {
      extents.push_back(constant(extent));
      continue;
    }
    if (product.isDivided(axis)) {
      auto [of, size, isTiled] = product.groupsOf(axis);
      Value extent = extents[of];
      extents.push_back(
          of == product.k()
              ? arith::DivUIOp::create(builder, loc, extent, constant(size))
                    .getResult()
              : arith::CeilDivUIOp::create(builder, loc, extent,
                                           constant(size)));
      continue;
    }
    // A launch without work items has no workgroup, and there is a slice at
    // least, so only the extent that is summed over can be zero here.
    bool maybeZero = int64_t(axis) == product.summed() &&
                     product.part != Part::Sum && variant == Variant::Any;
    SmallVector<NamedAttribute> facts{range(maybeZero ? 0 : 1, kMaxIndex)};
    if (int64_t div = extentDivisor(axis); div > 1)
      facts.push_back(divisor(div));
    extents.push_back(argument(builder.getIndexType(),
                               {ArgSource::Extent, 0, int64_t(axis), {}},
                               facts));
  }
}

/// The view of an access: its dimensions without those that are broadcast. One
/// with no spatial dimension left is repeated along one, with a stride of zero.
Value ProgramEmitter::makeView(int64_t number, Value pointer) {
  const Access &access = product.accesses[number];
  if (access.packing)
    return makePackedView(number, pointer);
  int64_t vector = vectorElements(access.elementType, vectorBytes),
          unit = isWide(access)
                     ? vector
                     : product.groupsTogether(access, variant, vectorBytes);
  SmallVector<int64_t> shape, strides, divisors;
  SmallVector<Value> dynamicSizes, dynamicStrides;
  auto addDim = [&](int64_t axis) {
    shape.push_back(product.extents[axis]);
    if (ShapedType::isDynamic(product.extents[axis]))
      dynamicSizes.push_back(extents[axis]);
  };
  int64_t last = int64_t(access.axes.size()) - 1;
  for (int64_t dim : dimsOfView(access)) {
    if (dim == last && product.isFilled(access, variant)) {
      shape.push_back(ShapedType::kDynamic);
      dynamicSizes.push_back(
          argument(builder.getIndexType(),
                   {ArgSource::Filled, number, access.axes[dim], {}},
                   {range(1, kMaxIndex), divisor(vector)}));
    } else {
      addDim(access.axes[dim]);
    }
    if (product.isContiguous(access, variant) && dim == last) {
      strides.push_back(1);
      divisors.push_back(1);
      continue;
    }
    SmallVector<NamedAttribute> facts{range(0, kMaxIndex)};
    if (unit > 1)
      facts.push_back(divisor(unit));
    strides.push_back(ShapedType::kDynamic);
    divisors.push_back(unit);
    dynamicStrides.push_back(argument(
        builder.getIndexType(), {ArgSource::Stride, number, dim, {}}, facts));
  }
  if (isRepeated(access)) {
    addDim(product.repeated(access));
    strides.push_back(0);
    divisors.push_back(1);
  }
  auto type = tile::ViewType::get(
      builder.getContext(), shape, access.elementType, strides,
      unit > 1 ? ArrayRef<int64_t>(divisors) : ArrayRef<int64_t>(),
      isWide(access) ? vectorBytes
      : unit > 1     ? unit * tile::getElementBytes(access.elementType)
                     : 0,
      -1, Attribute());
  return tile::ViewOp::create(builder, loc, type, pointer, dynamicSizes,
                              dynamicStrides, Value());
}

void ProgramEmitter::clip(int64_t number, int64_t axis, Value extent) {
  auto view = views[number].getDefiningOp<tile::ViewOp>();
  tile::ViewType type = view.getType();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> sizes;
  unsigned dim = 0, size = 0;
  for (int64_t of : product.accesses[number].axes) {
    if (of < 0)
      continue;
    bool isDynamic = ShapedType::isDynamic(shape[dim]);
    if (of == axis)
      sizes.push_back(extent);
    else if (isDynamic)
      sizes.push_back(view.getSizes()[size]);
    size += isDynamic;
    if (of == axis)
      shape[dim] = ShapedType::kDynamic;
    ++dim;
  }
  auto clipped = tile::ViewType::get(
      builder.getContext(), shape, type.getElementType(), type.getStrides(),
      type.getDiv(), type.getAlign(), type.getGather(), type.getPacked());
  views[number] =
      tile::ViewOp::create(builder, loc, clipped, view.getPtr(), sizes,
                           view.getStrides(), view.getTable());
}

SmallVector<Value> ProgramEmitter::offsetsOf(const Access &access) {
  SmallVector<Value> at;
  for (int64_t dim : dimsOfView(access))
    at.push_back(offsets[access.axes[dim]]);
  return at;
}

Value ProgramEmitter::load(int64_t number, int64_t parts) {
  const Access &access = product.accesses[number];
  SmallVector<Value> at = offsetsOf(access);
  SmallVector<int64_t> shape;
  for (int64_t axis : access.axes)
    if (product.isTiled(axis))
      shape.push_back(product.tile[axis] /
                      (product.isAlongK(axis) ? parts : 1));
  if (shape.empty()) {
    at.push_back(offsets[product.repeated(access)]);
    shape.push_back(product.tile[product.repeated(access)]);
  }
  auto type = RankedTensorType::get(shape, access.elementType);
  return tile::LoadOp::create(
      builder, loc, type, views[number], at, builder.getF64FloatAttr(0.0),
      access.packing ? builder.getUnitAttr() : UnitAttr(), DenseI64ArrayAttr());
}

Value ProgramEmitter::itemNumber(int64_t axis) {
  SmallVector<int64_t> axes = product.itemAxes();
  return items.getBody().getArgument(llvm::find(axes, axis) - axes.begin());
}

Value ProgramEmitter::element(int64_t number, ValueRange at) {
  return tile::ElementOp::create(
      builder, loc, product.accesses[number].elementType, views[number], at);
}

void ProgramEmitter::store(Value tile, int64_t number) {
  const Access &access = product.accesses[number];
  SmallVector<Value> at = offsetsOf(access);
  if (isRepeated(access))
    at.push_back(offsets[product.repeated(access)]);
  tile::StoreOp::create(builder, loc, tile, views[number], at,
                        access.packing ? builder.getUnitAttr() : UnitAttr());
}

FailureOr<Value> ProgramEmitter::scalar(Value value) {
  if (Value known = scalars.lookup(value))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  Operation *definition = value.getDefiningOp();
  if (!definition || isa<tensor::DimOp>(definition)) {
    Value result = argument(value.getType(), {ArgSource::Scalar, 0, 0, value});
    return scalars[value] = result;
  }
  IRMapping mapping;
  for (Value operand : definition->getOperands()) {
    FailureOr<Value> mapped = scalar(operand);
    if (failed(mapped))
      return failure();
    mapping.map(operand, *mapped);
  }
  builder.setInsertionPoint(views.back().getDefiningOp());
  Operation *clone = builder.clone(*definition, mapping);
  for (auto [from, to] :
       llvm::zip(definition->getResults(), clone->getResults()))
    scalars[from] = to;
  return scalars[value];
}

/// The tuning of the variant's program.
tile::ConfigAttr ProgramEmitter::tuning(ScheduleAttr schedule,
                                        Attribute target) {
  if (!product.multiplies() && !product.isPack())
    return tile::ConfigAttr::get(
        builder.getContext(),
        product.part == Part::Ranges
            ? SmallVector<int64_t>{1,
                                   RangeTile::get(
                                       dyn_cast_or_null<
                                           tile::TargetAttrInterface>(target))
                                       .groups}
        : product.isAttention() || product.part == Part::Fold
            ? SmallVector<int64_t>{1, 1}
            : SumTile::get(dyn_cast_or_null<tile::TargetAttrInterface>(target),
                           product.addsRows())
                  .groups,
        {}, tile::Strategy::Staged, /*depth=*/1, schedule.getPad()[0],
        /*epilogueRows=*/0, /*unroll=*/0, /*cluster=*/{}, /*turns=*/1,
        /*ahead=*/0);
  SmallVector<int64_t> groups(schedule.getGroups()), mma(schedule.getMma());
  if (int64_t slices = schedule.getSlicedK()[0]; slices > 1)
    groups.push_back(slices);
  auto strategy = *tile::symbolizeStrategy(schedule.getStrategyName());
  int64_t depth = schedule.getDepth()[0];
  SmallVector<int64_t> cluster;
  if (schedule.getClusterSize() > 1)
    cluster.assign(schedule.getCluster().begin(), schedule.getCluster().end());
  if (int64_t shares = schedule.getClusterK()[0]; shares > 1)
    cluster.push_back(shares);
  return tile::ConfigAttr::get(
      builder.getContext(), groups, mma[0] ? mma : ArrayRef<int64_t>(),
      strategy, depth, schedule.getPad()[0], schedule.getEpilogueRows()[0],
      schedule.getUnroll()[0], cluster, schedule.getTurns()[0],
      schedule.getAhead()[0]);
}

ValueRange ProgramEmitter::openItems(ValueRange bounds, tile::ItemsAttr order) {
  items = tile::ItemsOp::create(builder, loc, bounds, order);
  Block *body = &items.getBody().emplaceBlock();
  body->addArguments(SmallVector<Type>(bounds.size(), builder.getIndexType()),
                     SmallVector<Location>(bounds.size(), loc));
  builder.setInsertionPointToStart(body);
  return body->getArguments();
}

/// Sequences or heads whose items follow each other where they read the same
/// matrix beside the scores, so that it comes from memory once for them while
/// their keys and values still fit the cache. Other numbers were not tried.
static constexpr int64_t kSharersTogether = 4;

SmallVector<Value> ProgramEmitter::itemBounds() {
  SmallVector<Value> bounds;
  for (int64_t axis : product.itemAxes()) {
    if (Value count = itemsAlong(axis)) {
      bounds.push_back(count);
      continue;
    }
    Value extent =
        filledUp(builder, loc, extents[axis], product.filledTo(axis));
    bounds.push_back(product.isTiled(axis) ? arith::CeilDivUIOp::create(
                                                 builder, loc, extent,
                                                 constant(product.tile[axis]))
                                           : extent);
  }
  return bounds;
}

tile::ItemsAttr ProgramEmitter::orderOf(ScheduleAttr schedule, bool clustered) {
  SmallVector<int64_t> axes = product.itemAxes();
  // Slices are added up by items that share nothing: one after another.
  // Where those of streamed tiles are, these are looked for in their order.
  bool sum = (product.part == Part::Sum && !product.tileOfSums) ||
             product.part == Part::Fold || product.part == Part::Ranges ||
             product.isMaking();
  int64_t rows = llvm::find(axes, product.m()) - axes.begin();
  SmallVector<int64_t> raster;
  if (std::optional<int64_t> axis = product.matrixSharers())
    raster = {llvm::find(axes, *axis) - axes.begin(), kSharersTogether};
  else if (!sum && !product.isAttention() && !product.isPack())
    raster = {rows, schedule.getRaster()[0]};
  SmallVector<int64_t> cluster;
  for (int64_t axis : axes)
    if (clustered)
      cluster.push_back(product.together(axis));
  return tile::ItemsAttr::get(
      builder.getContext(),
      sum || !isPersistent(schedule) ? tile::Distribution::Grid
                                     : tile::Distribution::Persistent,
      raster, product.longestFirst ? rows : -1, cluster);
}

/// The loop over work items, into which the builder goes; sets the offsets of
/// an item.
void ProgramEmitter::enterItems(ScheduleAttr schedule, bool clustered) {
  setOffsets(openItems(itemBounds(), orderOf(schedule, clustered)));
}

void ProgramEmitter::setOffsets(ValueRange indices) {
  offsets.resize(product.extents.size());
  for (auto [axis, index] : llvm::zip(product.itemAxes(), indices))
    offsets[axis] = product.isTiled(axis)
                        ? arith::MulIOp::create(builder, loc, index,
                                                constant(product.tile[axis]))
                              .getResult()
                        : index;
}

FailureOr<Program> ProgramEmitter::run(ScheduleAttr schedule, Attribute target,
                                       StringRef name) {
  MLIRContext *context = builder.getContext();
  OpBuilder::InsertionGuard guard(builder);
  tile::ConfigAttr config = tuning(schedule, target);
  if (auto row = dyn_cast_or_null<tile::TargetAttrInterface>(target))
    copies = bool(row.getCopy(tile::stringifyStrategy(config.getStrategy())));
  OperationState state(loc, tile::ProgramOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("function_type",
                     TypeAttr::get(builder.getFunctionType({}, {})));
  if (target)
    state.addAttribute("target", target);
  state.addAttribute("config", config);
  state.addRegion();
  auto program = cast<tile::ProgramOp>(builder.create(state));
  entry = builder.createBlock(&program.getBody());

  SmallVector<Value> pointers;
  for (auto [i, access] : llvm::enumerate(product.accesses))
    pointers.push_back(argument(tile::PtrType::get(context, access.elementType),
                                {ArgSource::Pointer, int64_t(i), 0, {}},
                                factsOf(access)));
  makeExtents();
  for (auto [i, pointer] : llvm::enumerate(pointers))
    views.push_back(makeView(i, pointer));

  emitPrologue();
  enterItems(schedule, config.getClusterSize() > 1);
  if (failed(emitItem()))
    return failure();
  tile::YieldOp::create(builder, loc);
  builder.setInsertionPointToEnd(entry);
  tile::ReturnOp::create(builder, loc);

  program.setFunctionType(
      builder.getFunctionType(entry->getArgumentTypes(), {}));
  program.setArgAttrsAttr(builder.getArrayAttr(attributes));
  return Program{program, arguments, config.getClusterSize() > 1};
}
