// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Dialect/Tile/Utils/RingBytes.h"

using namespace mlir;
using namespace helios::tile;

int64_t helios::tile::bytesOfSlot(RingType ring) {
  int64_t bytes = 0;
  for (Type type : ring.getPayload()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bytes += tensor ? getLayout(tensor).getBytes(tensor.getShape(),
                                                 tensor.getElementType())
                    : 8;
  }
  return bytes;
}

int64_t helios::tile::copiesOf(RingOp ring) {
  auto role = ring->getParentOfType<RoleOp>();
  return ring.getRing().getType().getScope() == RingScope::Replica && role
             ? role.getReplicas().value_or(1)
             : 1;
}

int64_t helios::tile::bytesOfRings(ProgramOp program) {
  int64_t bytes = 0;
  program.walk([&](RingOp op) {
    RingType ring = op.getRing().getType();
    bytes += bytesOfSlot(ring) * ring.getDepth() * copiesOf(op);
  });
  return bytes;
}

int64_t helios::tile::bytesBesideRings(ProgramOp program,
                                       TargetAttrInterface target) {
  int64_t bytes = target.getSharedBytes() - bytesOfRings(program);
  program.walk([&](RingOp op) {
    bytes -= kBarrierBytes * op.getRing().getType().getDepth() * copiesOf(op);
  });
  return bytes;
}
