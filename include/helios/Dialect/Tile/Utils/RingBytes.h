// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What rings take of shared memory.

#ifndef HELIOS_DIALECT_TILE_UTILS_RINGBYTES_H
#define HELIOS_DIALECT_TILE_UTILS_RINGBYTES_H

#include "helios/Dialect/Tile/IR/Tile.h"

namespace helios::tile {

/// Bytes of one slot, without its barriers: of tiles of known layouts, and
/// eight of anything else.
int64_t bytesOfSlot(RingType ring);

/// How often a ring is there: once, or once for each replica of its role.
int64_t copiesOf(RingOp ring);

/// Bytes of all rings of a program, without their barriers.
int64_t bytesOfRings(ProgramOp program);

/// Bytes of barriers of a slot: one that it is full and one that it is free.
inline constexpr int64_t kBarrierBytes = 16;

/// Bytes of the target's shared memory that rings and their barriers leave;
/// less than none where they have no room.
int64_t bytesBesideRings(ProgramOp program, TargetAttrInterface target);

} // namespace helios::tile

#endif // HELIOS_DIALECT_TILE_UTILS_RINGBYTES_H
