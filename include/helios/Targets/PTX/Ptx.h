// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ptx dialect: matrix instructions and copy engines of PTX.

#ifndef HELIOS_TARGETS_PTX_PTX_H
#define HELIOS_TARGETS_PTX_PTX_H

#include "helios/Dialect/Tile/IR/Tile.h"

#include "helios/Targets/PTX/PtxDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "helios/Targets/PTX/PtxAttrs.h.inc"

#endif // HELIOS_TARGETS_PTX_PTX_H
