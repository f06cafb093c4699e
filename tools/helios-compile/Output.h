// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files that are there whole or not at all.

#ifndef HELIOS_TOOLS_COMPILE_OUTPUT_H
#define HELIOS_TOOLS_COMPILE_OUTPUT_H

#include "helios/Bundle/Status.h"
#include "llvm/ADT/StringRef.h"

namespace helios::compile {

/// Writes `bytes` to `path` ("-": standard output). A regular file is written
/// beside its name, flushed to the disk and renamed over it: a full disk, a
/// signal or a crash leaves what was there before, and no temporary file.
Status writeOutput(const std::string &path, llvm::StringRef bytes);

} // namespace helios::compile

#endif // HELIOS_TOOLS_COMPILE_OUTPUT_H
