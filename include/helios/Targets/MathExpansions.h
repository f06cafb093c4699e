// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of math that few targets have, written out.

#ifndef HELIOS_TARGETS_MATHEXPANSIONS_H
#define HELIOS_TARGETS_MATHEXPANSIONS_H

namespace mlir {
class RewritePatternSet;
}

namespace helios {

/// Functions that targets lack or compute badly, written out in f32 by
/// arithmetic, exp, log and sqrt.
void populateMathExpansions(mlir::RewritePatternSet &patterns);

/// Shorter forms of functions whose values are added to constants only.
/// Together with the expansions, before which they apply.
void populateMathSums(mlir::RewritePatternSet &patterns);

} // namespace helios

#endif // HELIOS_TARGETS_MATHEXPANSIONS_H
