// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Dialect/Helios/Export/Semantics.h"
#include "Region.h"
#include "helios/Dialect/Helios/Utils/Elementwise.h"
#include "helios/Dialect/Helios/Utils/Reductions.h"

using namespace mlir;
using namespace helios;
using namespace helios::exporter;
using bundle::ScalarOpKind;

std::vector<bundle::Argument> helios::exportArguments(KernelOp kernel) {
  std::vector<bundle::Argument> arguments;
  auto add = [&](Type type, std::string name, bool isResult) {
    bundle::Argument argument;
    argument.name = std::move(name);
    argument.isResult = isResult;
    auto tensor = dyn_cast<RankedTensorType>(type);
    argument.kind =
        tensor ? bundle::ArgumentKind::Tensor : bundle::ArgumentKind::Scalar;
    argument.type = *toElementType(tensor ? tensor.getElementType() : type);
    if (tensor)
      for (int64_t extent : tensor.getShape())
        argument.extents.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
    arguments.push_back(std::move(argument));
  };
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto name = kernel.getArgAttrOfType<StringAttr>(i, "helios.name");
    add(type, name ? name.str() : "arg" + std::to_string(i), false);
  }
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes()))
    add(type,
        kernel.getResultTypes().size() == 1 ? "result"
                                            : "result" + std::to_string(i),
        true);
  return arguments;
}

namespace {

class SemanticsExporter {
public:
  explicit SemanticsExporter(KernelOp kernel) : kernel(kernel) {}

  FailureOr<bundle::Semantics> run();

private:
  /// The slot of a tensor; the steps that compute it are added before.
  FailureOr<uint32_t> slotOf(Value tensor);
  FailureOr<uint32_t> addSlot(Value tensor);
  /// The slot that a tensor is written to: a result's, or a new one.
  FailureOr<uint32_t> destOf(Value tensor);
  LogicalResult addMatmul(MatmulOp op);
  /// The slot of a sum of a product, as it stands in the accumulator.
  FailureOr<uint32_t> addSum(MatmulOp op, unsigned right);
  /// The slot of what its prologue makes of an operand.
  FailureOr<uint32_t> addPrologue(MatmulOp op, unsigned number);
  FailureOr<uint32_t> addParts(MatmulOp op, bool isLhs,
                               RegionExporter &exporter);
  /// The slot of an operand times the scales of its blocks: no bit is lost.
  FailureOr<uint32_t> addScaled(MatmulOp op, unsigned number);
  /// The product of the left operand and one of the right.
  FailureOr<bundle::Step> productOf(MatmulOp op, unsigned right);
  LogicalResult addAttention(AttentionOp op);
  LogicalResult addView(tensor::ExpandShapeOp op, uint32_t dest);
  LogicalResult addElementwise(Value tensor, uint32_t dest);
  /// What elements of a slot, of a tensor of that rank, combine to.
  void addReduction(ReductionAttr reduction, uint32_t from, uint32_t rank,
                    uint32_t dest);
  /// Leaves for the kernel's scalars that the code uses.
  LogicalResult addScalars(RegionExporter &exporter);

  KernelOp kernel;
  bundle::Semantics semantics;
  DenseMap<Value, uint32_t> slots; ///< of tensors that are computed or given
  DenseMap<Value, uint32_t>
      results; ///< slots reserved for tensors that are returned
};

FailureOr<uint32_t> SemanticsExporter::addSlot(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  std::optional<bundle::ElementType> element =
      toElementType(type.getElementType());
  if (!element)
    return emitError(tensor.getLoc())
           << "a checker has no tensors like " << type;
  semantics.slots.push_back({*element, uint32_t(type.getRank())});
  return uint32_t(semantics.slots.size() - 1);
}

FailureOr<uint32_t> SemanticsExporter::destOf(Value tensor) {
  if (auto reserved = results.find(tensor); reserved != results.end())
    return reserved->second;
  return addSlot(tensor);
}

FailureOr<uint32_t> SemanticsExporter::slotOf(Value tensor) {
  if (auto known = slots.find(tensor); known != slots.end())
    return known->second;
  if (auto attention = tensor.getDefiningOp<AttentionOp>()) {
    if (failed(addAttention(attention)))
      return failure();
    return slots.at(tensor);
  }
  if (auto matmul = tensor.getDefiningOp<MatmulOp>()) {
    if (failed(addMatmul(matmul)))
      return failure();
    return slots.at(tensor);
  }
  FailureOr<uint32_t> slot = destOf(tensor);
  if (failed(slot))
    return failure();
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>();
      expand && isElementwise(expand)) {
    if (failed(addView(expand, *slot)))
      return failure();
    slots[tensor] = *slot;
    return slot;
  }
  if (auto reduce = tensor.getDefiningOp<linalg::ReduceOp>()) {
    std::string reason;
    ReductionAttr reduction = getReductionOf(reduce, reason);
    if (!reduction)
      return reduce.emitOpError()
             << "is nothing that a checker computes: " << reason;
    Value input = reduce.getInputs().front();
    FailureOr<uint32_t> from = slotOf(input);
    if (failed(from))
      return failure();
    addReduction(reduction, *from,
                 cast<RankedTensorType>(input.getType()).getRank(), *slot);
    slots[tensor] = *slot;
    return slot;
  }
  if (failed(addElementwise(tensor, *slot)))
    return failure();
  slots[tensor] = *slot;
  return slot;
}

void SemanticsExporter::addReduction(ReductionAttr reduction, uint32_t from,
                                     uint32_t rank, uint32_t dest) {
  bundle::Step combine;
  combine.kind = bundle::StepKind::Reduce;
  combine.a = from;
  combine.dest = dest;
  combine.accumulator = semantics.slots[dest].type;
  combine.reduction = {uint32_t(reduction.getDim(rank)),
                       reduction.getKind() == ReductionKind::Max};
  semantics.steps.push_back(std::move(combine));
}

LogicalResult SemanticsExporter::addScalars(RegionExporter &exporter) {
  exporter.arguments = kernel.getArguments();
  for (auto [i, argument] : llvm::enumerate(kernel.getArguments()))
    if (!isa<RankedTensorType>(argument.getType()) &&
        failed(exporter.addLeaf(argument, ScalarOpKind::ScalarArg, i)))
      return failure();
  return success();
}

FailureOr<bundle::Step> SemanticsExporter::productOf(MatmulOp op,
                                                     unsigned right) {
  bundle::Step step;
  step.kind = bundle::StepKind::Matmul;
  step.transposeA = op.getTransposeA();
  step.transposeB = op.getTransposeB();
  step.accumulator = *toElementType(op.getAccType());
  step.fastSums = op.getFastAccumulation();
  step.hasScales = op.hasScales();
  auto addOperand = [&](unsigned number) -> FailureOr<uint32_t> {
    if (op.hasScales())
      return addScaled(op, number);
    if (!op.getPrologueOf(/*isLhs=*/number == 0).empty())
      return addPrologue(op, number);
    return slotOf(op.getMultiplied()[number]);
  };
  FailureOr<uint32_t> a = addOperand(0), b = addOperand(right);
  if (failed(a) || failed(b))
    return failure();
  step.a = *a;
  step.b = *b;
  if (op.isGrouped()) {
    FailureOr<uint32_t> ends = slotOf(op.getEnds());
    if (failed(ends))
      return failure();
    step.ends = *ends;
  }
  return step;
}

/// What a prologue makes of the element that the place along k asks for. The
/// choice is written out behind the region for as long as it is translated.
FailureOr<uint32_t> SemanticsExporter::addParts(MatmulOp op, bool isLhs,
                                                RegionExporter &exporter) {
  auto yield = cast<YieldOp>(op.getPrologueOf(isLhs).front().getTerminator());
  ValueRange parts = yield.getValues();
  if (parts.size() == 1)
    return exporter.translate(parts.front());
  OpBuilder builder(yield);
  Location loc = op.getLoc();
  BlockArgument k = yield->getBlock()->addArgument(builder.getIndexType(), loc);
  SmallVector<Operation *> made;
  auto keep = [&](auto created) -> Value {
    made.push_back(created);
    return created;
  };
  auto constant = [&](int64_t value) {
    return keep(arith::ConstantIndexOp::create(builder, loc, value));
  };
  int64_t group = op.getGroupSize(), share = group / op.getParts();
  Value inGroup =
      keep(arith::RemUIOp::create(builder, loc, k, constant(group)));
  Value chosen = parts.front();
  for (auto [i, part] : llvm::drop_begin(llvm::enumerate(parts)))
    chosen = keep(arith::SelectOp::create(
        builder, loc,
        keep(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                   inGroup, constant(i * share))),
        part, chosen));
  FailureOr<uint32_t> result = failure();
  if (succeeded(exporter.addLeaf(k, ScalarOpKind::Index, op.getRhsKDim())))
    result = exporter.translate(chosen);
  for (Operation *op : llvm::reverse(made))
    op->erase();
  yield->getBlock()->eraseArgument(k.getArgNumber());
  return result;
}

FailureOr<uint32_t> SemanticsExporter::addPrologue(MatmulOp op,
                                                   unsigned number) {
  bool isLhs = number == 0;
  bundle::Step step;
  step.kind = bundle::StepKind::Elementwise;
  if (op.getGroupSize() > 1 && !isLhs)
    step.groups.push_back({uint32_t(op.getRhsKDim()),
                           uint32_t(op.getGroupSize()),
                           uint32_t(op.getParts())});
  Value stored = op.getMultiplied()[number];
  SmallVector<Value> operands{stored};
  llvm::append_range(operands, op.getCapturedOf(number));
  for (Value operand : operands) {
    FailureOr<uint32_t> slot = slotOf(operand);
    if (failed(slot))
      return failure();
    step.fused.push_back(*slot);
  }
  RegionExporter exporter;
  Block &block = op.getPrologueOf(isLhs).front();
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    if (failed(exporter.addLeaf(argument, ScalarOpKind::Fused, i)))
      return failure();
  if (failed(addScalars(exporter)))
    return failure();
  FailureOr<uint32_t> result = addParts(op, isLhs, exporter);
  std::optional<bundle::ElementType> element =
      toElementType(isLhs ? op.getLhsElement() : op.getRhsElement());
  if (failed(result) || !element)
    return failure();
  step.region = std::move(exporter.region);
  step.region.result = *result;
  step.dest = semantics.slots.size();
  semantics.slots.push_back(
      {*element, uint32_t(cast<RankedTensorType>(stored.getType()).getRank())});
  semantics.steps.push_back(std::move(step));
  return semantics.steps.back().dest;
}

FailureOr<uint32_t> SemanticsExporter::addScaled(MatmulOp op, unsigned number) {
  bool isLhs = number == 0;
  bundle::Step step;
  step.kind = bundle::StepKind::Elementwise;
  ArrayRef<int64_t> blocks = op.getBlockShape();
  for (auto [dim, size] :
       {std::pair(isLhs ? op.getLhsMDim() : op.getRhsNDim(), blocks[!isLhs]),
        std::pair(isLhs ? op.getLhsKDim() : op.getRhsKDim(), blocks[2])})
    if (size > 1)
      step.groups.push_back({uint32_t(dim), uint32_t(size)});
  Value operand = op.getMultiplied()[number];
  Value tensors[] = {operand, op.getScaleOf(number)};
  bundle::ScalarOp product;
  product.kind = ScalarOpKind::Mul;
  product.type = bundle::ElementType::F64;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    FailureOr<uint32_t> slot = slotOf(tensor);
    if (failed(slot))
      return failure();
    step.fused.push_back(*slot);
    bundle::ScalarOp element;
    element.kind = ScalarOpKind::Fused;
    element.type = semantics.slots[*slot].type;
    element.index = i;
    bundle::ScalarOp wide;
    wide.kind = ScalarOpKind::Cast;
    wide.type = product.type;
    wide.operands[0] = step.region.append(element);
    product.operands[i] = step.region.append(wide);
  }
  step.region.result = step.region.append(product);
  step.dest = semantics.slots.size();
  semantics.slots.push_back(
      {product.type,
       uint32_t(cast<RankedTensorType>(operand.getType()).getRank())});
  semantics.steps.push_back(std::move(step));
  return semantics.steps.back().dest;
}

FailureOr<uint32_t> SemanticsExporter::addSum(MatmulOp op, unsigned right) {
  FailureOr<bundle::Step> step = productOf(op, right);
  if (failed(step))
    return failure();
  bundle::ScalarOp sum;
  sum.kind = ScalarOpKind::Accumulator;
  sum.type = step->accumulator;
  step->region.result = step->region.append(sum);
  step->dest = semantics.slots.size();
  semantics.slots.push_back(
      {sum.type, uint32_t(op.getResult().getType().getRank())});
  semantics.steps.push_back(std::move(*step));
  return semantics.steps.back().dest;
}

/// A pair is two steps: the sum of the first product is one more fused operand
/// of the second. Where there are several results each is a step of its own,
/// element by element, which takes all sums as fused operands.
LogicalResult SemanticsExporter::addMatmul(MatmulOp op) {
  bool several = op->getNumResults() > 1;
  bundle::Step step;
  if (!several) {
    FailureOr<bundle::Step> product = productOf(op, op.getNumSums());
    if (failed(product))
      return failure();
    step = std::move(*product);
  }
  for (Value operand : op.getFused()) {
    FailureOr<uint32_t> slot = slotOf(operand);
    if (failed(slot))
      return failure();
    step.fused.push_back(*slot);
  }
  unsigned numStored = op.getNumSums() - unsigned(!several);
  for (unsigned i = 0; i < numStored; ++i) {
    FailureOr<uint32_t> slot = addSum(op, 1 + i);
    if (failed(slot))
      return failure();
    step.fused.push_back(*slot);
  }
  if (several)
    step.kind = bundle::StepKind::Elementwise;
  // An absent epilogue is a conversion; it is written out on a copy.
  OpBuilder builder(op);
  MatmulOp copy = op.clone();
  copy.materializeEpilogue(builder);
  auto addResult = [&](OpResult result) -> LogicalResult {
    RegionExporter exporter;
    for (auto [i, sum] : llvm::enumerate(copy.getAccumulatorArguments()))
      if (failed(i < numStored
                     ? exporter.addLeaf(sum, ScalarOpKind::Fused,
                                        op.getFused().size() + i)
                     : exporter.addLeaf(sum, ScalarOpKind::Accumulator, 0)))
        return failure();
    for (auto [i, argument] : llvm::enumerate(copy.getFusedArguments()))
      if (failed(exporter.addLeaf(argument, ScalarOpKind::Fused, i)))
        return failure();
    for (auto [i, argument] : llvm::enumerate(copy.getIndexArguments()))
      if (failed(exporter.addLeaf(argument, ScalarOpKind::Index, i)))
        return failure();
    if (failed(addScalars(exporter)))
      return failure();
    FailureOr<uint32_t> element = exporter.translate(
                            copy.getYielded()[result.getResultNumber()]),
                        dest = destOf(result);
    if (failed(element) || failed(dest))
      return failure();
    bundle::Step own = step;
    own.dest = slots[result] = *dest;
    own.region = std::move(exporter.region);
    own.region.result = *element;
    if (ReductionAttr reduction = op.getReduction(result.getResultNumber())) {
      // What is combined, as a temporary.
      own.dest = semantics.slots.size();
      uint32_t rank = op.getResult().getType().getRank();
      semantics.slots.push_back({semantics.slots[*dest].type, rank});
      uint32_t from = own.dest;
      semantics.steps.push_back(std::move(own));
      addReduction(reduction, from, rank, *dest);
      return success();
    }
    semantics.steps.push_back(std::move(own));
    return success();
  };
  LogicalResult done = success();
  for (OpResult result : op->getResults())
    if (succeeded(done))
      done = addResult(result);
  copy.erase();
  return done;
}

LogicalResult SemanticsExporter::addView(tensor::ExpandShapeOp op,
                                         uint32_t dest) {
  bundle::Step step;
  step.kind = bundle::StepKind::View;
  step.dest = dest;
  FailureOr<uint32_t> source = slotOf(op.getSrc());
  if (failed(source))
    return failure();
  step.a = *source;
  RankedTensorType type = op.getResultType();
  step.dims.assign(type.getRank(), bundle::Step::kUnit);
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    // One of a group is no new dimension; the first, if all are 1.
    auto own = llvm::find_if(
        group, [&](int64_t d) { return type.getDimSize(d) != 1; });
    step.dims[own == group.end() ? group.front() : *own] = dim;
  }
  semantics.steps.push_back(std::move(step));
  return success();
}

LogicalResult SemanticsExporter::addAttention(AttentionOp op) {
  bundle::Step step;
  step.kind = bundle::StepKind::Attention;
  step.accumulator = *toElementType(op.getAccType());
  if (std::optional<APFloat> scale = op.getScale())
    step.attention.scale = scale->convertToDouble();
  FailureOr<uint32_t> query = slotOf(op.getQuery()), key = slotOf(op.getKey()),
                      value = slotOf(op.getValue());
  if (failed(query) || failed(key) || failed(value))
    return failure();
  step.a = *query;
  step.b = *key;
  step.attention.value = *value;
  for (Value operand : op.getFused()) {
    FailureOr<uint32_t> slot = slotOf(operand);
    if (failed(slot))
      return failure();
    step.fused.push_back(*slot);
  }
  unsigned numFused = op.getFused().size();
  auto addRegion = [&](Region &region, bool isScore,
                       bundle::Region &to) -> LogicalResult {
    if (region.empty())
      return success();
    RegionExporter exporter;
    Block &block = region.front();
    for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
      // The score, the fused operands' elements, the indices.
      unsigned number = i - unsigned(isScore);
      LogicalResult added =
          isScore && i == 0
              ? exporter.addLeaf(argument, ScalarOpKind::Accumulator, 0)
          : number < numFused
              ? exporter.addLeaf(argument, ScalarOpKind::Fused, number)
              : exporter.addLeaf(argument, ScalarOpKind::Index,
                                 number - numFused);
      if (failed(added))
        return failure();
    }
    if (failed(addScalars(exporter)))
      return failure();
    FailureOr<uint32_t> result =
        exporter.translate(cast<YieldOp>(block.getTerminator()).getValue());
    if (failed(result))
      return failure();
    to = std::move(exporter.region);
    to.result = *result;
    return success();
  };
  if (failed(addRegion(op.getScore(), true, step.region)) ||
      failed(addRegion(op.getMask(), false, step.attention.mask)))
    return failure();
  FailureOr<uint32_t> dest = destOf(op.getResult());
  if (failed(dest))
    return failure();
  step.dest = *dest;
  slots[op.getResult()] = *dest;
  if (Value lse = op.getLse()) {
    FailureOr<uint32_t> slot = destOf(lse);
    if (failed(slot))
      return failure();
    step.attention.lse = *slot;
    slots[lse] = *slot;
  }
  semantics.steps.push_back(std::move(step));
  return success();
}

LogicalResult SemanticsExporter::addElementwise(Value tensor, uint32_t dest) {
  Operation *definition = tensor.getDefiningOp();
  if (!definition || !isElementwise(definition))
    return emitError(tensor.getLoc())
           << "a checker cannot compute this tensor: it is neither a product "
              "nor element-wise";
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  bundle::Step step;
  step.kind = bundle::StepKind::Elementwise;
  step.dest = dest;

  // Scalar code is emitted into a block of its own: an argument for each tensor
  // read, and for each index.
  Region scratch;
  Block &block = scratch.emplaceBlock();
  OpBuilder builder(tensor.getContext());
  builder.setInsertionPointToStart(&block);
  RegionExporter exporter;
  DenseMap<int64_t, Value> indices;
  auto leaf = [&](Value operand,
                  ArrayRef<int64_t> coordinates) -> FailureOr<Value> {
    if (operand.getDefiningOp() && !operand.getDefiningOp<MatmulOp>() &&
        isElementwise(operand.getDefiningOp()))
      return Value();
    auto type = cast<RankedTensorType>(operand.getType());
    for (auto [i, coordinate] : llvm::enumerate(coordinates))
      if (coordinate != int64_t(i) + rank - type.getRank() &&
          !(coordinate < 0 && type.getDimSize(i) == 1))
        return emitError(operand.getLoc())
               << "a checker cannot read a tensor along other dimensions than "
                  "the trailing ones";
    FailureOr<uint32_t> slot = slotOf(operand);
    if (failed(slot))
      return failure();
    step.fused.push_back(*slot);
    Value element = block.addArgument(type.getElementType(), operand.getLoc());
    if (failed(exporter.addLeaf(element, ScalarOpKind::Fused,
                                step.fused.size() - 1)))
      return failure();
    return element;
  };
  auto index = [&](int64_t dim) -> Value {
    Value &value = indices[dim];
    if (!value) {
      value = block.addArgument(builder.getIndexType(), tensor.getLoc());
      (void)exporter.addLeaf(value, ScalarOpKind::Index, dim);
    }
    return value;
  };
  ElementwiseEmitter emitter(builder, leaf, index);
  FailureOr<Value> element =
      emitter.emit(tensor, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  if (failed(element)) {
    if (!emitter.reason().empty())
      return emitError(tensor.getLoc())
             << "a checker cannot compute this tensor: " << emitter.reason();
    return failure();
  }
  FailureOr<uint32_t> result = failure();
  if (succeeded(addScalars(exporter)))
    result = exporter.translate(*element);
  if (failed(result))
    return failure();
  step.region = std::move(exporter.region);
  step.region.result = *result;
  semantics.steps.push_back(std::move(step));
  return success();
}

FailureOr<bundle::Semantics> SemanticsExporter::run() {
  for (const bundle::Argument &argument : exportArguments(kernel))
    semantics.slots.push_back({argument.type, argument.rank()});
  for (auto [i, argument] : llvm::enumerate(kernel.getArguments()))
    if (isa<RankedTensorType>(argument.getType()))
      slots[argument] = i;
  uint32_t first = kernel.getNumArguments();
  for (auto [i, value] : llvm::enumerate(kernel.getReturn().getOperands()))
    if (!slots.contains(value))
      results.try_emplace(value, first + i);
  for (auto [i, value] : llvm::enumerate(kernel.getReturn().getOperands())) {
    FailureOr<uint32_t> slot = slotOf(value);
    if (failed(slot))
      return failure();
    if (*slot == first + i)
      continue;
    // An argument, or a tensor that is returned before: a copy.
    bundle::Step step;
    step.kind = bundle::StepKind::Elementwise;
    step.dest = first + i;
    step.fused.push_back(*slot);
    bundle::ScalarOp element;
    element.kind = ScalarOpKind::Fused;
    element.type = semantics.slots[*slot].type;
    step.region.result = step.region.append(element);
    semantics.steps.push_back(std::move(step));
  }
  return semantics;
}

} // namespace

FailureOr<bundle::Semantics> helios::exportSemantics(KernelOp kernel) {
  return SemanticsExporter(kernel).run();
}
