//===- Launch.h - Launches known by their extents ---------------*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_BUNDLE_LAUNCH_H
#define HELIOS_BUNDLE_LAUNCH_H

#include "helios/Bundle/Evaluate.h"
#include <map>

namespace helios::bundle {

/// What is said of a launch before there is memory for it.
struct Launch {
  /// Elements along each dimension of each tensor that the kernel takes, in
  /// order, and then of each result, or none of these; of a tensor that a
  /// kernel packs those of what it is packed of.
  std::vector<std::vector<int64_t>> extents;
  /// Values of its scalars by name, 0 for others.
  std::map<std::string, int64_t> scalars;
};

/// The launch with dense tensors that begin at multiples of 256 bytes, on a
/// device of so many compute units; the bundle has the kernels that pack its
/// arguments, for the row of the plan alone. InvalidInput: the extents are not
/// those of the kernel's tensors, or those of its results are neither among
/// them nor follow from them.
Result<PlanInput> denseInput(const Bundle &bundle, const Kernel &kernel,
                             const Plan &plan, const Launch &launch,
                             int64_t computeUnits);

} // namespace helios::bundle

#endif // HELIOS_BUNDLE_LAUNCH_H
