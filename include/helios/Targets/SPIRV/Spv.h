// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The spv dialect: matrix instructions and target rows of SPIR-V.

#ifndef HELIOS_TARGETS_SPIRV_SPV_H
#define HELIOS_TARGETS_SPIRV_SPV_H

#include "helios/Dialect/Tile/IR/Tile.h"

#include "helios/Targets/SPIRV/SpvDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "helios/Targets/SPIRV/SpvAttrs.h.inc"

#endif // HELIOS_TARGETS_SPIRV_SPV_H
