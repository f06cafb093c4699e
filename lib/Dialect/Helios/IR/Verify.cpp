// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verify.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;

bool check::isByteFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

bool check::isOperandType(Type type) {
  return isa<FloatTF32Type>(type) || isByteFloat(type);
}

LogicalResult check::verifyTensorType(Operation *op, RankedTensorType type,
                                      const Twine &what) {
  if (type.getEncoding())
    return op->emitOpError() << what << " must have no encoding, got " << type
                             << "; layouts are chosen below this level";
  Type element = type.getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32() &&
      !isOperandType(element) && !element.isInteger(8) &&
      !element.isInteger(32))
    return op->emitOpError()
           << what
           << " must have elements of type f16, bf16, tf32, f32, f8E4M3FN, "
              "f8E5M2, i8 or i32, got "
           << type;
  int64_t count = 1;
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent) || extent == 0)
      continue;
    int64_t product;
    if (llvm::MulOverflow(count, extent, product))
      return op->emitOpError()
             << what
             << " has static extents whose product exceeds 63 bits: " << type;
    count = product;
  }
  return success();
}

LogicalResult check::verifyFused(Operation *op, ValueRange fused,
                                 ArrayRef<int64_t> shape, StringRef of,
                                 StringRef kind) {
  int64_t rank = shape.size();
  for (auto [i, operand] : llvm::enumerate(fused)) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (failed(
            verifyTensorType(op, type, Twine(kind) + " operand " + Twine(i))))
      return failure();
    if (isOperandType(type.getElementType()))
      return op->emitOpError()
             << kind << " operand " << i << " must not have elements of type "
             << type.getElementType() << ", which only products multiply; use "
             << (isByteFloat(type.getElementType()) ? "f16" : "f32") << ", got "
             << type;
    if (type.getRank() > rank)
      return op->emitOpError()
             << kind << " operand " << i << " must have at most the " << of
             << "'s " << rank << " dimensions, got " << type;
    int64_t shift = rank - type.getRank();
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.getDimSize(d) != 1 &&
          !extentsAgree(type.getDimSize(d), shape[d + shift]))
        return op->emitOpError()
               << kind << " operand " << i << " does not broadcast to the "
               << of << ": dimension " << d << " is " << type.getDimSize(d)
               << ", expected 1 or " << shape[d + shift];
  }
  return success();
}

/// A type that one element of the arithmetic may have.
static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

LogicalResult check::verifyScalarRegion(Operation *op, Region &region,
                                        StringRef name, ArrayRef<Type> required,
                                        unsigned optionalIndices,
                                        TypeRange yieldTypes) {
  if (!region.hasOneBlock())
    return op->emitOpError() << name << " region must have one block, got "
                             << region.getBlocks().size();
  Block &block = region.front();
  unsigned got = block.getNumArguments(), want = required.size();
  if (got != want && got != want + optionalIndices) {
    InFlightDiagnostic diag = op->emitOpError()
                              << name << " region must have " << want;
    if (optionalIndices)
      diag << " or, with indices, " << want + optionalIndices;
    return diag << " arguments, got " << got;
  }
  for (auto [i, argument] : llvm::enumerate(block.getArgumentTypes())) {
    Type expected = i < want ? required[i] : IndexType::get(op->getContext());
    if (argument != expected)
      return op->emitOpError()
             << name << " region's argument " << i << " must be of type "
             << expected << ", got " << argument;
  }
  for (Operation &inner : block.without_terminator()) {
    auto notScalar = [](Type type) { return !isScalar(type); };
    if (llvm::any_of(inner.getOperandTypes(), notScalar) ||
        llvm::any_of(inner.getResultTypes(), notScalar) ||
        inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner))
      return (op->emitOpError() << name
                                << " region may hold only scalar operations "
                                   "without effects and regions")
                 .attachNote(inner.getLoc())
             << "this operation is '" << inner.getName() << "'";
  }
  auto yield = dyn_cast_or_null<YieldOp>(
      block.mightHaveTerminator() ? block.getTerminator() : nullptr);
  if (!yield)
    return op->emitOpError() << name << " region must end in 'helios.yield'";
  auto fits = [](auto pair) {
    auto [got, want] = pair;
    return !want || got == want;
  };
  TypeRange yielded = yield.getValues().getTypes();
  if (yielded.size() != yieldTypes.size() ||
      !llvm::all_of(llvm::zip(yielded, yieldTypes), fits)) {
    InFlightDiagnostic diag = op->emitOpError() << name << " region must yield "
                                                << yieldTypes << ", got ";
    if (yielded.empty())
      return diag << "nothing";
    return diag << yielded;
  }
  return success();
}

bool check::isSupportedProduct(Type a, Type b, Type acc) {
  if (isByteFloat(a) && isByteFloat(b))
    return acc.isF32();
  if (a != b)
    return false;
  if (a.isF16())
    return acc.isF32() || acc.isF16();
  if (a.isBF16() || a.isF32() || isa<FloatTF32Type>(a))
    return acc.isF32();
  return a.isInteger(8) && acc.isInteger(32);
}
