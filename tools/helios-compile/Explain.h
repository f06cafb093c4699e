// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What launches of given extents would do.

#ifndef HELIOS_TOOLS_COMPILE_EXPLAIN_H
#define HELIOS_TOOLS_COMPILE_EXPLAIN_H

#include "Report.h"
#include "helios/Bundle/Launch.h"

namespace helios::compile {

/// For each kernel of a row, who chose the schedule of a launch, and why: with
/// dense tensors, on a device with as many processors as the row names.
/// InvalidInput if a kernel takes others, or no kernel a scalar.
Result<std::string> explainLaunches(const RowReport &report,
                                    const bundle::Bundle &bundle,
                                    const bundle::Launch &launch);

} // namespace helios::compile

#endif // HELIOS_TOOLS_COMPILE_EXPLAIN_H
