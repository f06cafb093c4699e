// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is known of tiles all of whose elements are one constant.

#ifndef HELIOS_LIB_TRANSFORMS_CONSTANTTILES_H
#define HELIOS_LIB_TRANSFORMS_CONSTANTTILES_H

#include "mlir/IR/PatternMatch.h"

namespace helios::tile {

/// Broadcasts and layout changes of such a tile are one, and element-wise work
/// that takes one takes the constant.
void populateConstantTiles(mlir::RewritePatternSet &patterns);

} // namespace helios::tile

#endif // HELIOS_LIB_TRANSFORMS_CONSTANTTILES_H
