// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Dialect/Tile/IR/Tile.h"
#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;
using namespace helios::tile;

#include "helios/Dialect/Tile/IR/CopyInterface.cpp.inc"
#include "helios/Dialect/Tile/IR/LayoutInterface.cpp.inc"
#include "helios/Dialect/Tile/IR/MmaInterface.cpp.inc"
#include "helios/Dialect/Tile/IR/TargetInterface.cpp.inc"
#include "helios/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "helios/Dialect/Tile/IR/TileEnums.cpp.inc"

namespace {
/// Constants stay in the role that uses them: nothing but roles stands between
/// roles.
struct RoleFoldInterface : public DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const override {
    return isa<RoleOp>(region->getParentOp());
  }
};
} // namespace

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "helios/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addInterfaces<RoleFoldInterface>();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  if (attr.getName() == kSchedAttr && !isa<SchedAttr>(attr.getValue()))
    return op->emitOpError("expected '")
           << kSchedAttr << "' to be a #tile.sched, got " << attr.getValue();
  if (attr.getName() == kUnrollAttr || attr.getName() == kAheadAttr) {
    auto number = dyn_cast<IntegerAttr>(attr.getValue());
    if (!isa<scf::ForOp>(op) || !number || number.getInt() < 1)
      return op->emitOpError("expected '")
             << attr.getName().getValue()
             << "' to be a positive integer on an scf.for, got "
             << attr.getValue();
  }
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argIndex,
                                                    NamedAttribute attr) {
  Type type = cast<FunctionOpInterface>(op).getArgumentTypes()[argIndex];
  if (attr.getName() == kRangeAttr) {
    auto bounds = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
    if (!bounds || bounds.size() != 2 || bounds[0] > bounds[1] ||
        !type.isIndex())
      return op->emitOpError("expected '")
             << kRangeAttr << "' of argument #" << argIndex
             << " to be array<i64: low, high> with low <= high on an index, "
                "got "
             << attr.getValue() << " on " << type;
  } else if (attr.getName() == kDivAttr) {
    auto div = dyn_cast<IntegerAttr>(attr.getValue());
    if (!div || div.getInt() < 1 || !type.isIndex())
      return op->emitOpError("expected '")
             << kDivAttr << "' of argument #" << argIndex
             << " to be a positive integer on an index, got " << attr.getValue()
             << " on " << type;
  } else if (attr.getName() == kConstantAttr) {
    if (!isa<UnitAttr>(attr.getValue()) || !isa<PtrType>(type))
      return op->emitOpError("expected '")
             << kConstantAttr << "' of argument #" << argIndex
             << " to stand alone on a pointer, got " << attr.getValue()
             << " on " << type;
  }
  return success();
}

LayoutAttrInterface helios::tile::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttrInterface>(tensor.getEncoding())
                : LayoutAttrInterface();
}

RankedTensorType helios::tile::withLayout(RankedTensorType type,
                                          Attribute layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}
