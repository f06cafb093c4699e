// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensor maps: what the copy engine knows of a view. The host makes them at
// launch from a recipe in the kernel's interface and passes them by value,
// behind the other parameters.
//
// The dimensions of a map are those of the view, innermost first: the tile's in
// the order of its layout, then the leading ones that the tile lacks. A box is
// one panel of the tile, as wide as its swizzle.

#include "KernelLowering.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

namespace {
/// The global and the shared side of a bulk copy.
struct Sides {
  Value view;
  frag::MemType memory;
};
} // namespace

static std::optional<Sides> sidesOf(Operation *op) {
  if (auto in = dyn_cast<frag::CopyInOp>(op); in && isa<BulkAttr>(in.getCopy()))
    return Sides{in.getView(), in.getDest().getType()};
  if (auto out = dyn_cast<frag::CopyOutOp>(op);
      out && isa<BulkAttr>(out.getCopy()))
    return Sides{out.getView(), out.getSource().getType()};
  return std::nullopt;
}

SmallVector<int64_t> helios::ptx::copyDimensions(frag::MemType memory,
                                                 int64_t viewRank) {
  auto layout = cast<tile::SharedAttr>(memory.getLayout());
  int64_t leading = viewRank - memory.getShape().size();
  SmallVector<int64_t> dims;
  for (int64_t d : layout.getOrder())
    dims.push_back(d + leading);
  for (int64_t d = leading; d-- > 0;)
    dims.push_back(d);
  return dims;
}

/// What the host can compute: a constant [0, c], an argument [1, n], or an
/// argument times a constant [2, n, c].
static FailureOr<Attribute> recipe(Operation *op, OpFoldResult value) {
  Builder b(op->getContext());
  if (std::optional<int64_t> c = getConstantIntValue(value))
    return Attribute(b.getI64ArrayAttr({0, *c}));
  auto isArgument = [](Value v) {
    auto arg = dyn_cast<BlockArgument>(v);
    return arg && isa<frag::KernelOp>(arg.getOwner()->getParentOp());
  };
  Value v = cast<Value>(value);
  if (isArgument(v))
    return Attribute(
        b.getI64ArrayAttr({1, cast<BlockArgument>(v).getArgNumber()}));
  if (auto product = v.getDefiningOp<arith::MulIOp>()) {
    Value x = product.getLhs(), c = product.getRhs();
    if (getConstantIntValue(x))
      std::swap(x, c);
    if (std::optional<int64_t> factor = getConstantIntValue(c);
        factor && isArgument(x))
      return Attribute(b.getI64ArrayAttr(
          {2, cast<BlockArgument>(x).getArgNumber(), *factor}));
  }
  return op->emitOpError("expected extents and strides of a view that the host "
                         "can compute for a tensor map (constants, arguments, "
                         "arguments times constants), got ")
         << v;
}

FailureOr<DictionaryAttr>
KernelLowering::tensorMapRecipe(Operation *op, Value viewValue,
                                frag::MemType memory) {
  auto view = viewValue.getDefiningOp<tile::ViewOp>();
  auto layout = dyn_cast<tile::SharedAttr>(memory.getLayout());
  if (!view || !layout)
    return op->emitOpError("expected a view made by tile.view in the same "
                           "kernel and a tile in shared memory, got ")
           << viewValue << " and " << memory;
  tile::ViewType type = view.getType();
  auto pointer = dyn_cast<BlockArgument>(view.getPtr());
  if (!pointer || type.getGather() >= 0 || layout.getPad())
    return op->emitOpError("expected a strided view of a kernel argument and a "
                           "tile without padding for a bulk copy, got ")
           << type << " and " << memory;
  int64_t bytes = bytesOf(type.getElementType()), rank = type.getRank();
  SmallVector<int64_t> dims = copyDimensions(memory, rank);
  if (rank > 5)
    return op->emitOpError("expected a view of at most 5 dimensions for a bulk "
                           "copy, got ")
           << rank;
  if (type.getContiguousDim() != dims.front())
    return op->emitOpError("expected the tile's fastest dimension to be the "
                           "contiguous one of the view, ")
           << dims.front() << ", got " << type.getContiguousDim();
  if (type.getAlign() % 16 || type.getAlign() == 0)
    return op->emitOpError("expected a view aligned to 16 bytes for a bulk "
                           "copy, got 'align' ")
           << type.getAlign();
  SmallVector<Attribute> extents, strides;
  SmallVector<int64_t> box;
  for (int64_t d : dims) {
    FailureOr<Attribute> extent = recipe(op, view.getMixedSize(d));
    if (failed(extent))
      return failure();
    extents.push_back(*extent);
    int64_t tileDim = d - (rank - int64_t(memory.getShape().size()));
    box.push_back(tileDim < 0 ? 1 : memory.getShape()[tileDim]);
    if (d == dims.front()) {
      if (layout.getSwizzle())
        box.back() = layout.getSwizzle() / bytes;
      if (box.back() * bytes % 16)
        return op->emitOpError("expected rows of a multiple of 16 bytes for a "
                               "bulk copy, got ")
               << box.back() * bytes;
    } else {
      FailureOr<Attribute> stride = recipe(op, view.getMixedStride(d));
      if (failed(stride))
        return failure();
      strides.push_back(*stride);
      std::optional<int64_t> known =
          getConstantIntValue(view.getMixedStride(d));
      if ((known ? *known : type.getStrideDivisor(d)) * bytes % 16)
        return op->emitOpError("expected strides of a multiple of 16 bytes for "
                               "a bulk copy, got a multiple of ")
               << (known ? *known : type.getStrideDivisor(d)) * bytes
               << " in dimension " << d;
    }
    if (box.back() > 256)
      return op->emitOpError("expected at most 256 elements a dimension of a "
                             "bulk copy, got ")
             << box.back();
  }
  return b.getDictionaryAttr(
      {b.getNamedAttr("argument", b.getI64IntegerAttr(pointer.getArgNumber())),
       b.getNamedAttr("element", TypeAttr::get(type.getElementType())),
       b.getNamedAttr("extents", b.getArrayAttr(extents)),
       b.getNamedAttr("strides", b.getArrayAttr(strides)),
       b.getNamedAttr("box", b.getI64ArrayAttr(box)),
       b.getNamedAttr("swizzle", b.getI64IntegerAttr(layout.getSwizzle()))});
}

LogicalResult KernelLowering::collectTensorMaps() {
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    std::optional<Sides> sides = sidesOf(op);
    if (!sides)
      return WalkResult::advance();
    if (!row().wgmma)
      return op->emitOpError("expected a target with bulk copies, got ")
             << row().name;
    FailureOr<DictionaryAttr> map =
        tensorMapRecipe(op, sides->view, sides->memory);
    if (failed(map))
      return WalkResult::interrupt();
    tensorMaps.insert(*map);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

Value KernelLowering::tensorMap(Operation *op) {
  std::optional<Sides> sides = sidesOf(op);
  FailureOr<DictionaryAttr> map =
      tensorMapRecipe(op, sides->view, sides->memory);
  size_t number =
      std::distance(tensorMaps.begin(), llvm::find(tensorMaps, *map));
  return function.getArgument(function.getNumArguments() - tensorMaps.size() +
                              number);
}

void KernelLowering::declareTensorMaps() {
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 128);
  unsigned first = function.getNumArguments() - tensorMaps.size();
  for (unsigned i = first; i < function.getNumArguments(); ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(type));
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(64));
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        b.getUnitAttr());
  }
}

void KernelLowering::prefetchTensorMaps() {
  for (unsigned i = function.getNumArguments() - tensorMaps.size();
       i < function.getNumArguments(); ++i)
    NVVM::PrefetchOp::create(
        b, /*cacheLevel=*/NVVM::PrefetchCacheLevelAttr(),
        /*evictPriority=*/NVVM::CacheEvictionPriorityAttr(),
        function.getArgument(i), /*predicate=*/Value(),
        /*tensormap=*/b.getUnitAttr(),
        /*uniform=*/UnitAttr(),
        /*in_param_space=*/UnitAttr());
}
