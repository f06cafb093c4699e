// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_TILE_OPS
#define HELIOS_TILE_OPS

include "helios/Dialect/Tile/IR/TileOpBase.td"
include "helios/Dialect/Tile/IR/ProgramOps.td"
include "helios/Dialect/Tile/IR/MemoryOps.td"
include "helios/Dialect/Tile/IR/ComputeOps.td"
include "helios/Dialect/Tile/IR/RingOps.td"
include "helios/Dialect/Tile/IR/RoleOps.td"

#endif // HELIOS_TILE_OPS
