// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Dialect/Helios/IR/HeliosDialect.h"
#include "helios/Dialect/Helios/IR/HeliosOps.h"

using namespace mlir;
using namespace helios;

#include "helios/Dialect/Helios/IR/HeliosDialect.cpp.inc"

#define GET_OP_CLASSES
#include "helios/Dialect/Helios/IR/HeliosOps.cpp.inc"

void HeliosDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "helios/Dialect/Helios/IR/HeliosOps.cpp.inc"
      >();
}

LogicalResult
HeliosDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                        unsigned argIndex,
                                        NamedAttribute attribute) {
  StringRef key = attribute.getName();
  if (key == kConstantAttr) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (isa<UnitAttr>(attribute.getValue()) && kernel &&
        isa<RankedTensorType>(kernel.getArgumentTypes()[argIndex]))
      return success();
    return op->emitError() << "'" << key << "' of argument " << argIndex
                           << " must stand alone, on a tensor of a kernel";
  }
  if (key != kNameAttr && key != kPackedByAttr)
    return op->emitError() << "argument " << argIndex
                           << " has the unknown attribute '" << key
                           << "'; the dialect knows '" << kNameAttr << "', '"
                           << kConstantAttr << "' and '" << kPackedByAttr
                           << "'";
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.empty())
    return op->emitError() << "'" << key << "' of argument " << argIndex
                           << " must be a string that is not empty, got "
                           << attribute.getValue();
  return success();
}
