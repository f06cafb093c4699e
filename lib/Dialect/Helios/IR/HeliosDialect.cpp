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
  if (attribute.getName() != "helios.name")
    return op->emitError() << "argument " << argIndex
                           << " has the unknown attribute '"
                           << attribute.getName().getValue()
                           << "'; the dialect knows 'helios.name'";
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.empty())
    return op->emitError() << "'helios.name' of argument " << argIndex
                           << " must be a string that is not empty, got "
                           << attribute.getValue();
  return success();
}
