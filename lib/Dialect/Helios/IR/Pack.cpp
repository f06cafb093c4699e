// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How constant operands are packed, and the ops that pack them.

#include "helios/Dialect/Helios/IR/HeliosOps.h"

using namespace mlir;
using namespace helios;

LogicalResult PackingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  bool rhs, ArrayRef<int64_t> mma, Type acc,
                                  ArrayRef<int64_t> multiple, int64_t lanes,
                                  int64_t elements) {
  auto positive = [](ArrayRef<int64_t> values) {
    return llvm::all_of(values, [](int64_t v) { return v > 0; });
  };
  if (mma.size() != 3 || multiple.size() != 2 || !positive(mma) ||
      !positive(multiple))
    return emitError() << "expected three positive extents in 'mma' and two in "
                          "'multiple', got "
                       << mma.size() << " and " << multiple.size();
  int64_t k = mma[2], other = mma[rhs ? 1 : 0];
  if (multiple[0] % k || multiple[1] % other)
    return emitError() << "expected multiples of " << k << " and " << other
                       << ", the extents of a matrix, got " << multiple[0]
                       << " and " << multiple[1];
  if (lanes < 1 || lanes * elements != k * other)
    return emitError() << "expected lanes that hold a matrix of " << k * other
                       << " elements together, got " << lanes << " of "
                       << elements;
  return success();
}

static LogicalResult verifyPacked(Operation *op, Type plain, Type packed,
                                  PackingAttr packing) {
  auto from = cast<RankedTensorType>(plain),
       to = cast<RankedTensorType>(packed);
  if (from.getElementType() != to.getElementType())
    return op->emitOpError("expected elements of one type, got ")
           << from.getElementType() << " and " << to.getElementType();
  int64_t held[] = {packing.getLanes(), packing.getElements()};
  for (int64_t i : {0, 1})
    if (!to.isDynamicDim(2 + i) && to.getDimSize(2 + i) != held[i])
      return op->emitOpError("expected extent ")
             << 2 + i << " of the packed tensor to be " << held[i] << ", got "
             << to.getDimSize(2 + i);
  return success();
}

LogicalResult PackOp::verify() {
  return verifyPacked(*this, getSource().getType(), getResult().getType(),
                      getPacking());
}
LogicalResult UnpackOp::verify() {
  return verifyPacked(*this, getResult().getType(), getSource().getType(),
                      getPacking());
}
