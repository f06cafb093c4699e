// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios.matmul: verifier, shapes, epilogue.

#include "Verify.h"

using namespace mlir;
using namespace helios;

int64_t MatmulOp::getLhsMDim() {
  return getLhs().getType().getRank() - (getTransposeA() ? 1 : 2);
}
int64_t MatmulOp::getLhsKDim() {
  return getLhs().getType().getRank() - (getTransposeA() ? 2 : 1);
}
int64_t MatmulOp::getRhsKDim() {
  return getRhs().getType().getRank() - (getTransposeB() ? 1 : 2);
}
int64_t MatmulOp::getRhsNDim() {
  return getRhs().getType().getRank() - (getTransposeB() ? 2 : 1);
}
int64_t MatmulOp::getM() { return getLhs().getType().getDimSize(getLhsMDim()); }
int64_t MatmulOp::getN() { return getRhs().getType().getDimSize(getRhsNDim()); }
int64_t MatmulOp::getK() { return getLhs().getType().getDimSize(getLhsKDim()); }

bool MatmulOp::isRight(OpOperand &use) {
  unsigned number = use.getOperandNumber();
  return use.getOwner() == *this && number >= 1 && number <= getNumSums();
}
SmallVector<Value> MatmulOp::getMultiplied() {
  SmallVector<Value> multiplied{getLhs(), getRhs()};
  if (getPair())
    multiplied.push_back(getPair());
  return multiplied;
}
OperandRange MatmulOp::getCapturedOf(unsigned number) {
  if (number == 0)
    return getCapturedA();
  unsigned count = getCaptured().size() / getNumSums();
  return getCaptured().slice((number - 1) * count, count);
}
ArrayRef<BlockArgument> MatmulOp::getAccumulatorArguments() {
  return getEpilogue().getArguments().take_front(getNumSums());
}
ArrayRef<BlockArgument> MatmulOp::getFusedArguments() {
  return getEpilogue().getArguments().slice(getNumSums(), getFused().size());
}
ArrayRef<BlockArgument> MatmulOp::getIndexArguments() {
  return getEpilogue().getArguments().drop_front(getNumSums() +
                                                 getFused().size());
}
OperandRange MatmulOp::getYielded() {
  return cast<YieldOp>(getEpilogue().front().getTerminator()).getValues();
}
ReductionAttr MatmulOp::getReduction(unsigned result) {
  unsigned stored = (*this)->getNumResults() - getNumReductions();
  return result < stored
             ? ReductionAttr()
             : cast<ReductionAttr>((*getReductions())[result - stored]);
}
bool MatmulOp::reducesAlong(ReducedAxis axis) {
  return getReductions() &&
         llvm::any_of(getReductions()->getAsRange<ReductionAttr>(),
                      [&](ReductionAttr reduction) {
                        return reduction.getAlong() == axis;
                      });
}
MatmulOp MatmulOp::withResults(OpBuilder &builder, TypeRange types,
                               ArrayRef<Attribute> reductions) {
  return create(builder, getLoc(), types.front(), types.drop_front(), getLhs(),
                getRhs(), getPair(), getFused(), getCaptured(), getCapturedA(),
                getEnds(), getScales(), getGroupAttr(), getBlocksAttr(),
                reductions.empty() ? ArrayAttr()
                                   : builder.getArrayAttr(reductions),
                getTransposeA(), getTransposeB(), getFastAccumulation(),
                getBatchInvariant(), getAccType());
}
bool MatmulOp::epilogueHasIndices() {
  return hasEpilogue() && !getIndexArguments().empty();
}

SmallVector<int64_t> MatmulOp::getFusedShape() {
  SmallVector<int64_t> shape(getResult().getType().getShape());
  if (isGrouped())
    shape.insert(shape.begin(), getRhs().getType().getDimSize(0));
  return shape;
}

/// The type of what is multiplied of an operand: as stored, or as yielded.
static Type multipliedElement(Region &prologue, RankedTensorType stored) {
  if (prologue.empty())
    return stored.getElementType();
  return cast<YieldOp>(prologue.front().getTerminator()).getValue().getType();
}

Type MatmulOp::getLhsElement() {
  return multipliedElement(getPrologueA(), getLhs().getType());
}
Type MatmulOp::getRhsElement() {
  return multipliedElement(getPrologue(), getRhs().getType());
}

int64_t MatmulOp::getParts() {
  // Asked before the region is verified, too.
  Region &region = getPrologue();
  if (!region.hasOneBlock() || !region.front().mightHaveTerminator())
    return 1;
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  return yield ? std::max<int64_t>(1, yield.getValues().size()) : 1;
}

/// The extent of a batch dimension from those of the operands: an extent other
/// than a static one counts.
static int64_t joinBatch(int64_t a, int64_t b) {
  if (a == 1)
    return b;
  if (b == 1)
    return a;
  return ShapedType::isDynamic(a) ? b : a;
}

/// What messages call a result.
static std::string nameOf(MatmulOp op, unsigned number) {
  return op->getNumResults() == 1 ? "result"
                                  : "result " + std::to_string(number);
}

/// Checks the operands' and the results' shapes against each other.
static LogicalResult verifyShapes(MatmulOp op) {
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return op.emitOpError()
           << "operands must have at least two dimensions, got " << lhs
           << " and " << rhs;
  int64_t rhsK = rhs.getDimSize(op.getRhsKDim()), parts = op.getParts();
  int64_t multiplied = ShapedType::isDynamic(rhsK) ? rhsK : rhsK * parts;
  if (!check::extentsAgree(op.getK(), multiplied)) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "contracted extents disagree: lhs dimension "
                              << op.getLhsKDim() << " is " << op.getK()
                              << ", rhs dimension " << op.getRhsKDim() << " is "
                              << rhsK;
    if (parts > 1)
      diag << " of " << parts << " elements each";
    return diag << "; transpose_a and transpose_b say which dimension is "
                   "contracted";
  }
  int64_t lhsBatch = lhs.getRank() - 2, rhsBatch = rhs.getRank() - 2,
          batch = std::max(lhsBatch, rhsBatch);
  // Of a grouped product the right operands are no batch of the result.
  if (op.isGrouped())
    batch = 0;
  SmallVector<int64_t> expected;
  for (int64_t i = 0; i < batch; ++i) {
    int64_t l = i + lhsBatch - batch, r = i + rhsBatch - batch;
    int64_t lhsExtent = l < 0 ? 1 : lhs.getDimSize(l),
            rhsExtent = r < 0 ? 1 : rhs.getDimSize(r);
    if (lhsExtent != 1 && rhsExtent != 1 &&
        !check::extentsAgree(lhsExtent, rhsExtent))
      return op.emitOpError()
             << "batch extents disagree: lhs dimension " << l << " is "
             << lhsExtent << ", rhs dimension " << r << " is " << rhsExtent
             << "; they must be equal, or one of them 1 or absent";
    expected.push_back(joinBatch(lhsExtent, rhsExtent));
  }
  expected.append({op.getM(), op.getN()});
  for (auto [number, result] : llvm::enumerate(op->getResultTypes())) {
    auto type = cast<RankedTensorType>(result);
    std::string name = nameOf(op, number);
    SmallVector<int64_t> own = expected,
                         first(op.getResult().getType().getShape());
    if (ReductionAttr reduction = op.getReduction(number))
      for (SmallVector<int64_t> *shape : {&own, &first})
        if (shape->size() >= 2)
          shape->erase(shape->begin() + reduction.getDim(shape->size()));
    if (type.getRank() != int64_t(own.size()))
      return op.emitOpError() << name << " must have " << own.size()
                              << " dimensions, got " << type;
    for (auto [i, want, got] : llvm::enumerate(own, type.getShape()))
      if (!check::extentsAgree(want, got))
        return op.emitOpError() << name << " dimension " << i << " must be "
                                << want << ", got " << got;
    if (type.getShape() != ArrayRef<int64_t>(first))
      return op.emitOpError() << name << " must have the shape of "
                              << op.getResult().getType() << ", got " << type;
  }
  return success();
}

/// Checks the types of what is multiplied and summed.
static LogicalResult verifyTypes(MatmulOp op, Type rhs) {
  if (check::isSupportedProduct(op.getLhsElement(), rhs, op.getAccType()))
    return success();
  return op.emitOpError()
         << "cannot accumulate " << op.getLhsElement() << " times " << rhs
         << " in " << op.getAccType()
         << "; expected f16 in f32 or f16, bf16 in f32, f32 or tf32 in f32, or "
            "i8 in i32, operands alike, or f8E4M3FN and f8E5M2 in f32";
}

/// Checks the second right operand.
static LogicalResult verifyPair(MatmulOp op) {
  if (!op.getPair())
    return success();
  if (op.getPair().getType() != op.getRhs().getType())
    return op.emitOpError()
           << "expected a pair of the type of rhs, " << op.getRhs().getType()
           << ", got " << op.getPair().getType();
  if (!op.hasEpilogue())
    return op.emitOpError() << "expected an epilogue region that makes one "
                               "element of the pair's two sums, got none";
  return success();
}

/// Checks what is combined along M or N.
static LogicalResult verifyReductions(MatmulOp op) {
  unsigned count = op.getNumReductions();
  if (count == 0)
    return success();
  if (count >= op->getNumResults())
    return op.emitOpError()
           << "expected a result for each of the " << count
           << " 'reductions' behind the first one, got " << op->getNumResults();
  for (Type type :
       llvm::drop_begin(op->getResultTypes(), op->getNumResults() - count))
    if (!getElementTypeOrSelf(type).isF32())
      return op.emitOpError() << "expected elements of f32 of what is combined "
                                 "by 'reductions', got "
                              << type;
  StringRef other = op.isGrouped()           ? "'grouped'"
                    : op.getBatchInvariant() ? "'batch_invariant', whose rows "
                                               "no schedule may change"
                                             : "";
  if (!other.empty())
    return op.emitOpError()
           << "expected 'reductions' or " << other << ", got both";
  return success();
}

/// Checks the ends of groups, and what has to do with them.
static LogicalResult verifyGroups(MatmulOp op) {
  if (!op.isGrouped())
    return success();
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType(),
                   ends = op.getEnds().getType();
  if (ends.getRank() != 1 || !ends.getElementType().isInteger(32) ||
      ends.getEncoding())
    return op.emitOpError()
           << "expected the ends of groups as a vector of i32, got " << ends;
  if (lhs.getRank() != 2 || rhs.getRank() != 3)
    return op.emitOpError()
           << "expected lhs of 2 dimensions and rhs of 3, whose first one is "
              "that of groups, got "
           << lhs << " and " << rhs;
  if (!check::extentsAgree(rhs.getDimSize(0), ends.getDimSize(0)))
    return op.emitOpError()
           << "expected as many ends as rhs has groups, " << rhs.getDimSize(0)
           << ", got " << ends.getDimSize(0);
  if (op.getTransposeA())
    return op.emitOpError() << "expected rows of lhs as groups have them, got "
                               "'transpose_a'";
  if (!op.getAuxiliary().empty())
    return op.emitOpError() << "expected one result of a grouped product, got "
                            << op->getNumResults();
  return success();
}

/// Checks what is said of prologues against their regions. Without any, the
/// types are those that are multiplied.
static LogicalResult verifyMultiplied(MatmulOp op) {
  if (!op.hasPrologue() && (op.getGroup() || !op.getCaptured().empty()))
    return op.emitOpError()
           << "expected a prologue region that uses "
           << (op.getGroup() ? "'group'" : "the operands after 'prologue'")
           << ", got none";
  if (!op.hasPrologueA() && !op.getCapturedA().empty())
    return op.emitOpError() << "expected a region that uses the operands after "
                               "'prologue_a', got none";
  if (op.hasPrologue() || op.hasPrologueA())
    return success();
  return verifyTypes(op, op.getRhsElement());
}

/// Checks the operands that the prologues read beside lhs and rhs.
static LogicalResult verifyCaptured(MatmulOp op) {
  RankedTensorType rhs = op.getRhs().getType();
  if (failed(check::verifyFused(op, op.getCapturedA(),
                                op.getLhs().getType().getShape(), "lhs",
                                "captured")))
    return failure();
  if (!op.hasPrologue())
    return success();
  if (op.getCaptured().size() % op.getNumSums() != 0)
    return op.emitOpError()
           << "expected as many operands after 'prologue' for the pair as for "
              "rhs, got "
           << op.getCaptured().size() << " of both";
  for (auto [ofRhs, ofPair] :
       llvm::zip(op.getCapturedOf(1).getTypes(),
                 op.getCapturedOf(op.getNumSums()).getTypes()))
    if (ofRhs != ofPair)
      return op.emitOpError()
             << "expected operands after 'prologue' of the same types for the "
                "pair as for rhs, "
             << ofRhs << ", got " << ofPair;
  int64_t group = op.getGroupSize(), parts = op.getParts();
  if (parts > 1 && (group == 1 || group % parts != 0))
    return op.emitOpError()
           << "expected 'group' to be a multiple of the " << parts
           << " elements that the prologue yields, which lie apart by equal "
              "shares of a group, got "
           << (op.getGroup() ? std::to_string(group) : "none");
  SmallVector<int64_t> shape(rhs.getShape());
  int64_t &k = shape[op.getRhsKDim()];
  if (!ShapedType::isDynamic(k)) {
    k *= parts;
    if (k % group != 0)
      return op.emitOpError() << "expected K to be a multiple of the group, "
                              << group << ", got " << k;
    k /= group;
  }
  std::string of =
      group == 1 ? "rhs" : "rhs in groups of " + std::to_string(group);
  return check::verifyFused(op, op.getCaptured(), shape, of, "captured");
}

/// Checks the scales of blocks: one operand like lhs and one like each right
/// operand.
static LogicalResult verifyScales(MatmulOp op) {
  if (!op.hasScales()) {
    if (op.getBlocks())
      return op.emitOpError() << "expected 'scales' of its 'blocks', got none";
    return success();
  }
  if (op.getScales().size() != 1 + op.getNumSums())
    return op.emitOpError()
           << "expected " << (op.getPair() ? "three" : "two")
           << " operands after 'scales', one of lhs"
           << (op.getPair() ? ", one of rhs and one of the pair, got "
                            : " and one of rhs, got ")
           << op.getScales().size();
  std::optional<ArrayRef<int64_t>> blocks = op.getBlocks();
  if (!blocks)
    return op.emitOpError()
           << "expected 'blocks' of which these are the scales, got none";
  if (blocks->size() != 3 ||
      llvm::any_of(*blocks, [](int64_t extent) { return extent < 1; }))
    return op.emitOpError() << "expected 'blocks' of three positive extents, "
                               "along m, n and k, got "
                            << op.getBlocksAttr();
  // Regions are verified later: here it is what is stored that counts.
  if (!check::isByteFloat(op.getLhs().getType().getElementType()))
    return op.emitOpError() << "expected 'scales' of floats of 8 bits, got "
                            << op.getLhs().getType();
  StringRef other = op.hasPrologue() || op.hasPrologueA() ? "a prologue"
                    : op.getFastAccumulation() ? "'fast_accumulation'"
                                               : "";
  if (!other.empty())
    return op.emitOpError() << "expected 'scales' or " << other << ", got both";
  // Groups begin at any row, in the middle of a block of rows too.
  if (op.isGrouped() && blocks->front() != 1)
    return op.emitOpError() << "expected 'blocks' of one row beside 'grouped', "
                               "whose rows begin anywhere, got "
                            << op.getBlocksAttr();
  auto verifyOne = [&](unsigned number) -> LogicalResult {
    bool isLhs = number == 0;
    auto type =
        cast<RankedTensorType>((isLhs ? op.getLhs() : op.getRhs()).getType());
    SmallVector<int64_t> shape(type.getShape());
    auto divide = [&](int64_t dim, int64_t by) {
      if (!ShapedType::isDynamic(shape[dim]))
        shape[dim] = llvm::divideCeil(shape[dim], by);
    };
    int64_t kDim = isLhs ? op.getLhsKDim() : op.getRhsKDim();
    if (int64_t k = shape[kDim];
        !ShapedType::isDynamic(k) && k % (*blocks)[2] != 0)
      return op.emitOpError() << "expected K to be a multiple of the blocks' "
                              << (*blocks)[2] << ", got " << k;
    divide(isLhs ? op.getLhsMDim() : op.getRhsNDim(), (*blocks)[!isLhs]);
    divide(kDim, (*blocks)[2]);
    Value scale = op.getScaleOf(number);
    if (Type element = getElementTypeOrSelf(scale.getType());
        element != op.getAccType())
      return op.emitOpError() << "expected scales of the accumulator's type, "
                              << op.getAccType() << ", got " << scale.getType();
    StringRef blocksOf[] = {"blocks of lhs", "blocks of rhs",
                            "blocks of the pair"};
    return check::verifyFused(op, scale, shape, blocksOf[number], "scale");
  };
  return success(llvm::all_of(
      llvm::seq<unsigned>(0, op.getScales().size()),
      [&](unsigned number) { return succeeded(verifyOne(number)); }));
}

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(),
                   result = getResult().getType();
  if (failed(check::verifyTensorType(*this, lhs, "lhs")) ||
      failed(check::verifyTensorType(*this, rhs, "rhs")))
    return failure();
  for (auto [i, type] : llvm::enumerate((*this)->getResultTypes()))
    if (failed(check::verifyTensorType(*this, cast<RankedTensorType>(type),
                                       nameOf(*this, i))))
      return failure();
  if (failed(verifyMultiplied(*this)))
    return failure();
  for (auto [i, type] : llvm::enumerate((*this)->getResultTypes())) {
    Type element = getElementTypeOrSelf(type);
    if (check::isOperandType(element))
      return emitOpError() << nameOf(*this, i)
                           << " must not have elements of type " << element
                           << ", which only products multiply; use "
                           << (check::isByteFloat(element) ? "f16" : "f32")
                           << ", got " << type;
  }
  if (failed(verifyReductions(*this)) || failed(verifyGroups(*this)) ||
      failed(verifyShapes(*this)) || failed(verifyPair(*this)) ||
      failed(verifyCaptured(*this)) || failed(verifyScales(*this)) ||
      failed(
          check::verifyFused(*this, getFused(), getFusedShape(),
                             isGrouped() ? "groups of the result" : "result")))
    return failure();
  if (hasEpilogue())
    return success();
  if (!getFused().empty())
    return emitOpError()
           << "has " << getFused().size()
           << " fused operands but no epilogue region that uses them";
  if (!getAuxiliary().empty())
    return emitOpError() << "expected an epilogue region that yields an "
                            "element of each of its "
                         << (*this)->getNumResults() << " results, got none";
  Type element = result.getElementType();
  if (element != getAccType() &&
      !(isa<FloatType>(element) && isa<FloatType>(getAccType())))
    return emitOpError()
           << "needs an epilogue region that says how the accumulator of type "
           << getAccType() << " becomes an element of type " << element;
  return success();
}

/// Checks a region that makes what is multiplied of what is stored.
static LogicalResult verifyPrologue(MatmulOp op, bool isLhs) {
  Region &region = op.getPrologueOf(isLhs);
  if (region.empty())
    return success();
  SmallVector<Type> arguments{
      (isLhs ? op.getLhs() : op.getRhs()).getType().getElementType()};
  for (Value operand : op.getCapturedOf(isLhs ? 0 : 1))
    arguments.push_back(getElementTypeOrSelf(operand.getType()));
  // Any type, but of several elements that of the first for all.
  SmallVector<Type> yielded(isLhs ? 1 : op.getParts());
  if (yielded.size() > 1)
    llvm::fill(yielded, op.getRhsElement());
  return check::verifyScalarRegion(op, region,
                                   isLhs ? "prologue_a" : "prologue", arguments,
                                   /*optionalIndices=*/0, yielded);
}

LogicalResult MatmulOp::verifyRegions() {
  if (failed(verifyPrologue(*this, /*isLhs=*/true)) ||
      failed(verifyPrologue(*this, /*isLhs=*/false)))
    return failure();
  if ((hasPrologue() || hasPrologueA()) &&
      failed(verifyTypes(*this, getRhsElement())))
    return failure();
  if (getFastAccumulation() && !check::isByteFloat(getLhsElement()))
    return emitOpError() << "has 'fast_accumulation', which products of floats "
                            "of 8 bits have a choice of; leave it out for "
                         << getLhsElement();
  if (!hasEpilogue())
    return success();
  SmallVector<Type> arguments(getNumSums(), getAccType());
  for (Value operand : getFused())
    arguments.push_back(
        cast<RankedTensorType>(operand.getType()).getElementType());
  SmallVector<Type> elements;
  for (Type type : (*this)->getResultTypes())
    elements.push_back(getElementTypeOrSelf(type));
  return check::verifyScalarRegion(*this, getEpilogue(), "epilogue", arguments,
                                   getResult().getType().getRank(), elements);
}

void MatmulOp::materializeEpilogue(OpBuilder &builder) {
  if (hasEpilogue())
    return;
  OpBuilder::InsertionGuard guard(builder);
  Type element = getResult().getType().getElementType();
  Block *block =
      builder.createBlock(&getEpilogue(), {}, {getAccType()}, {getLoc()});
  Value value = block->getArgument(0);
  unsigned width = element.getIntOrFloatBitWidth();
  auto widen = [&](Type type) {
    value = arith::ExtFOp::create(builder, getLoc(), type, value);
  };
  // Neither of f16 and bf16 holds the other.
  if (element != getAccType() && width == getAccType().getIntOrFloatBitWidth())
    widen(builder.getF32Type());
  unsigned have = value.getType().getIntOrFloatBitWidth();
  if (width < have)
    value = arith::TruncFOp::create(builder, getLoc(), element, value);
  else if (width > have)
    widen(element);
  YieldOp::create(builder, getLoc(), value);
}
