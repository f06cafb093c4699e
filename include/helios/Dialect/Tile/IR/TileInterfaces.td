// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a layout, a matrix instruction, a copy engine and a target answer when a generic pass asks.

#ifndef HELIOS_TILE_INTERFACES
#define HELIOS_TILE_INTERFACES

include "helios/Dialect/Tile/IR/Layout.td"
include "helios/Dialect/Tile/IR/Mma.td"
include "helios/Dialect/Tile/IR/Copy.td"
include "helios/Dialect/Tile/IR/Target.td"

#endif // HELIOS_TILE_INTERFACES
