//===- Exports.cpp - Makes libhelios.so of the static runtime -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/helios.h"

// The functions come from the static library, whole; this names one of them so
// that the shared library has a source of its own.
extern "C" __attribute__((visibility("hidden")))
const void *helios_library_anchor = (const void *)&hl_api_version;
