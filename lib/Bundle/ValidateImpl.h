//===- ValidateImpl.h - Parts of the bundle validator -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_LIB_BUNDLE_VALIDATEIMPL_H
#define HELIOS_LIB_BUNDLE_VALIDATEIMPL_H

#include "helios/Bundle/Bundle.h"
#include "helios/Bundle/Status.h"

namespace helios::bundle {

/// Slots, steps and regions of a kernel's meaning.
Status validateSemantics(const Kernel &kernel, const Semantics &semantics);

struct PtxEntryPoint {
  std::string name;
  bool waits = false; ///< for the dispatches before it (griddepcontrol.wait)
};

/// The entry points of a PTX module. InvalidInput if the text has a
/// zero byte or lacks the directives that every module has; the driver's
/// compiler checks the rest.
Result<std::vector<PtxEntryPoint>> scanPtx(const std::vector<uint8_t> &bytes);

/// What only CUDA implementations have, and that the others do not have it.
/// `entries`: of the dispatch's module.
Status validateCudaDispatch(const Implementation &impl, const Dispatch &d,
                            const std::vector<PtxEntryPoint> &entries,
                            const std::string &moduleName);

} // namespace helios::bundle

#endif // HELIOS_LIB_BUNDLE_VALIDATEIMPL_H
