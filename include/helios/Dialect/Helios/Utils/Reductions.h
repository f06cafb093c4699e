// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor code that combines elements as a product's reductions do.

#ifndef HELIOS_DIALECT_HELIOS_UTILS_REDUCTIONS_H
#define HELIOS_DIALECT_HELIOS_UTILS_REDUCTIONS_H

#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace helios {

/// How a `linalg.reduce` combines its one input of f32: by sums or maxima along
/// one of the last two dimensions, M and N of a product's result, beginning
/// with what changes nothing. Null where it does anything else; `reason` then
/// says what.
ReductionAttr getReductionOf(mlir::linalg::ReduceOp reduce,
                             std::string &reason);

} // namespace helios

#endif // HELIOS_DIALECT_HELIOS_UTILS_REDUCTIONS_H
