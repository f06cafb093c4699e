// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_DIALECT_HELIOS_IR_HELIOSDIALECT_H
#define HELIOS_DIALECT_HELIOS_IR_HELIOSDIALECT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dialect.h"

#include "helios/Dialect/Helios/IR/HeliosDialect.h.inc"

#endif // HELIOS_DIALECT_HELIOS_IR_HELIOSDIALECT_H
