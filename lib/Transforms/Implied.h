// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What masks are known to be by what nothing but their emitter can tell.

#ifndef HELIOS_LIB_TRANSFORMS_IMPLIED_H
#define HELIOS_LIB_TRANSFORMS_IMPLIED_H

#include "llvm/ADT/StringRef.h"

namespace helios::tile {

/// Of an `arith.ori` whose right operand implies the left one, so that it says
/// nothing new: tile-split-masked-ranges finds trips in which the right one, of
/// coordinates, holds for whole tiles, and leaves the left one in the others.
inline constexpr llvm::StringLiteral kImpliedAttr = "tile.implied";

} // namespace helios::tile

#endif // HELIOS_LIB_TRANSFORMS_IMPLIED_H
