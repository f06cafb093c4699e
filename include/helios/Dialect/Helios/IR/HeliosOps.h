// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_DIALECT_HELIOS_IR_HELIOSOPS_H
#define HELIOS_DIALECT_HELIOS_IR_HELIOSOPS_H

#include "helios/Dialect/Helios/IR/HeliosDialect.h"
#include "helios/Dialect/Helios/IR/Schedule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace helios {
class ReturnOp;
} // namespace helios

#define GET_OP_CLASSES
#include "helios/Dialect/Helios/IR/HeliosOps.h.inc"

#endif // HELIOS_DIALECT_HELIOS_IR_HELIOSOPS_H
