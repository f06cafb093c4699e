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

} // namespace helios::bundle

#endif // HELIOS_LIB_BUNDLE_VALIDATEIMPL_H
