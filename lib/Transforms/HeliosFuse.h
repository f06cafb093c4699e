// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of helios-fuse share.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSFUSE_H
#define HELIOS_LIB_TRANSFORMS_HELIOSFUSE_H

#include "helios/Dialect/Helios/IR/HeliosOps.h"

namespace helios::fuse {

/// Makes a pair of a product and one with the same left operand whose result it
/// alone takes, as a fused operand. Returns the pair, or null; where only their
/// forms are in the way, `reason` says which.
MatmulOp makePair(MatmulOp op, std::string &reason);

} // namespace helios::fuse

#endif // HELIOS_LIB_TRANSFORMS_HELIOSFUSE_H
