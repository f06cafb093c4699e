// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Dialect/Tile/IR/Assembly.h"

using namespace mlir;
using namespace helios;
using namespace helios::frag;

#include "helios/Dialect/Frag/IR/FragDialect.cpp.inc"
#include "helios/Dialect/Frag/IR/FragEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "helios/Dialect/Frag/IR/FragAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "helios/Dialect/Frag/IR/FragTypes.cpp.inc"

void FragDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "helios/Dialect/Frag/IR/FragOps.cpp.inc"
      >();
}

void FragDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "helios/Dialect/Frag/IR/FragAttrs.cpp.inc"
      >();
}

void FragDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "helios/Dialect/Frag/IR/FragTypes.cpp.inc"
      >();
}

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape, Type elementType,
                                   tile::LayoutAttrInterface layout) {
  if (layout.isMemory())
    return emitError() << "expected a layout of registers or matrices, got "
                       << layout << "; use !frag.mem";
  return layout.verifyTile(emitError, shape, elementType);
}

LogicalResult MemType::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> shape, Type elementType,
                              tile::LayoutAttrInterface layout) {
  if (!layout.isMemory())
    return emitError() << "expected a layout of memory, got " << layout
                       << "; use !frag.f";
  return layout.verifyTile(emitError, shape, elementType);
}

int64_t MemType::getBytes() {
  return getLayout().getBytes(getShape(), getElementType());
}
