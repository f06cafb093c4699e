// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What launches of given extents would do.

#ifndef HELIOS_TOOLS_COMPILE_EXPLAIN_H
#define HELIOS_TOOLS_COMPILE_EXPLAIN_H

#include "Report.h"
#include "helios/Bundle/Status.h"

namespace helios::compile {

/// For each kernel of a row, who chose the schedule of a launch with tensors of
/// these extents and scalars of these values (0 for those not named), and why:
/// dense ones, on a device with as many processors as the row names.
/// InvalidInput if a kernel takes others, or no kernel a scalar.
Result<std::string>
explainLaunches(const RowReport &report, const bundle::Bundle &bundle,
                const std::vector<std::vector<int64_t>> &shapes,
                const std::map<std::string, int64_t> &scalars);

} // namespace helios::compile

#endif // HELIOS_TOOLS_COMPILE_EXPLAIN_H
