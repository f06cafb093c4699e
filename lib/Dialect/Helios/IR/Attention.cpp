// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios.attention: verifier and shapes.

#include "Verify.h"

using namespace mlir;
using namespace helios;

double AttentionOp::getScaleOrDefault() {
  if (std::optional<APFloat> given = getScale())
    return given->convertToDouble();
  return 1 / std::sqrt(double(getQuery().getType().getDimSize(3)));
}

LogicalResult AttentionOp::checkDepths() {
  std::pair<StringRef, int64_t> depths[] = {
      {"query", getQuery().getType().getDimSize(3)},
      {"value", getValue().getType().getDimSize(3)}};
  for (auto [name, depth] : depths)
    if (ShapedType::isDynamic(depth) || depth % 8 || depth == 0 || depth > 256)
      return emitOpError("is not lowered: the depth of ")
             << name << " must be static and a multiple of 8 up to 256, got "
             << (ShapedType::isDynamic(depth) ? "?" : std::to_string(depth));
  return success();
}

LogicalResult AttentionOp::verify() {
  RankedTensorType query = getQuery().getType(), key = getKey().getType(),
                   value = getValue().getType();
  RankedTensorType result = getResult().getType();
  std::pair<StringRef, RankedTensorType> tensors[] = {
      {"query", query}, {"key", key}, {"value", value}, {"result", result}};
  for (auto [name, type] : tensors) {
    if (failed(check::verifyTensorType(*this, type, name)))
      return failure();
    if (type.getRank() != 4)
      return emitOpError() << name
                           << " must have four dimensions (batch, heads, "
                              "sequence, depth), got "
                           << type;
    if (!isa<FloatType>(type.getElementType()))
      return emitOpError() << name << " must have floating-point elements, got "
                           << type;
  }
  if (key.getElementType() != query.getElementType() ||
      value.getElementType() != query.getElementType())
    return emitOpError()
           << "query, key and value must have one element type, got "
           << query.getElementType() << ", " << key.getElementType() << " and "
           << value.getElementType();
  if (!getAccType().isF32())
    return emitOpError() << "accumulator type must be f32, got "
                         << getAccType();

  auto agree = [&](StringRef what, int64_t a, int64_t b) -> LogicalResult {
    if (check::extentsAgree(a, b))
      return success();
    return emitOpError() << what << " disagree: " << a << " and " << b;
  };
  if (failed(agree("batch extents of query and key", query.getDimSize(0),
                   key.getDimSize(0))) ||
      failed(agree("batch extents of query and value", query.getDimSize(0),
                   value.getDimSize(0))) ||
      failed(agree("head counts of key and value", key.getDimSize(1),
                   value.getDimSize(1))) ||
      failed(agree("sequence extents of key and value", key.getDimSize(2),
                   value.getDimSize(2))) ||
      failed(agree("depths of query and key", query.getDimSize(3),
                   key.getDimSize(3))) ||
      failed(agree("batch extents of query and result", query.getDimSize(0),
                   result.getDimSize(0))) ||
      failed(agree("head counts of query and result", query.getDimSize(1),
                   result.getDimSize(1))) ||
      failed(agree("sequence extents of query and result", query.getDimSize(2),
                   result.getDimSize(2))) ||
      failed(agree("depths of value and result", value.getDimSize(3),
                   result.getDimSize(3))))
    return failure();
  int64_t heads = query.getDimSize(1), groups = key.getDimSize(1);
  if (!ShapedType::isDynamic(heads) && !ShapedType::isDynamic(groups) &&
      (groups == 0 || heads % groups != 0))
    return emitOpError() << "number of query heads must be a multiple of the "
                            "number of key heads, got "
                         << heads << " and " << groups;
  int64_t scores[] = {query.getDimSize(0), heads, query.getDimSize(2),
                      key.getDimSize(2)};
  if (failed(check::verifyFused(*this, getFused(), scores, "scores")))
    return failure();
  if (!getFused().empty() && getScore().empty() && getMask().empty())
    return emitOpError() << "has " << getFused().size()
                         << " fused operands but no score or mask region that "
                            "uses them";
  if (!getLse())
    return success();
  auto lse = cast<RankedTensorType>(getLse().getType());
  if (lse.getRank() != 3 || !lse.getElementType().isF32() || lse.getEncoding())
    return emitOpError() << "lse must be a tensor of f32 with three dimensions "
                            "(batch, heads, sequence), got "
                         << lse;
  for (int64_t i = 0; i < 3; ++i)
    if (!check::extentsAgree(lse.getDimSize(i), query.getDimSize(i)))
      return emitOpError() << "lse dimension " << i << " must be "
                           << query.getDimSize(i) << ", got "
                           << lse.getDimSize(i);
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  Type index = IndexType::get(getContext());
  Type i1 = IntegerType::get(getContext(), 1);
  // The score, one element of each fused operand, then b, h, i and j.
  SmallVector<Type> arguments{getAccType()};
  for (Value operand : getFused())
    arguments.push_back(
        cast<RankedTensorType>(operand.getType()).getElementType());
  arguments.append(4, index);
  if (!getScore().empty() &&
      failed(check::verifyScalarRegion(*this, getScore(), "score", arguments, 0,
                                       ArrayRef<Type>{getAccType()})))
    return failure();
  if (!getMask().empty() &&
      failed(check::verifyScalarRegion(*this, getMask(), "mask",
                                       ArrayRef(arguments).drop_front(), 0,
                                       ArrayRef<Type>{i1})))
    return failure();
  return success();
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> result;
  for (int64_t i = 0; i < 3; ++i)
    result.push_back(tensor::getMixedSize(builder, getLoc(), getQuery(), i));
  SmallVector<OpFoldResult> lse = result;
  result.push_back(tensor::getMixedSize(builder, getLoc(), getValue(), 3));
  shapes.push_back(result);
  if (getLse())
    shapes.push_back(lse);
  return success();
}
