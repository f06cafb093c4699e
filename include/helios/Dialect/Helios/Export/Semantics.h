// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel computes, as the data that a checker without LLVM evaluates in
// double precision.

#ifndef HELIOS_DIALECT_HELIOS_EXPORT_SEMANTICS_H
#define HELIOS_DIALECT_HELIOS_EXPORT_SEMANTICS_H

#include "helios/Bundle/Bundle.h"
#include "helios/Dialect/Helios/IR/HeliosOps.h"

namespace helios {

/// The element type of a bundle for a type of level 1 (index counts as i64);
/// nullopt if there is none.
std::optional<bundle::ElementType> toElementType(mlir::Type type);

/// The kernel's arguments as a bundle lists them: inputs, then results, with
/// their names.
std::vector<bundle::Argument> exportArguments(KernelOp kernel);

/// The kernel's meaning: one step a product, and one for each tensor of
/// element-wise code that is a result or an operand. Best called after
/// helios-fuse, when each product and what follows it are one step. Fails, with
/// an error on the operation, where the model has no word for it.
mlir::FailureOr<bundle::Semantics> exportSemantics(KernelOp kernel);

} // namespace helios

#endif // HELIOS_DIALECT_HELIOS_EXPORT_SEMANTICS_H
