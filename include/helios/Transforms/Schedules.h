// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The schedules that a product can have, for tools that measure them.

#ifndef HELIOS_TRANSFORMS_SCHEDULES_H
#define HELIOS_TRANSFORMS_SCHEDULES_H

#include "helios/Dialect/Helios/IR/HeliosOps.h"

namespace helios {

/// A schedule that fits, and what a launch under it costs by the model.
struct PricedSchedule {
  ScheduleAttr schedule;
  double price;
};

/// Schedules, the cheapest first.
struct ScheduleList {
  llvm::SmallVector<PricedSchedule> schedules;
  bool aligned; ///< whether rows of both operands begin at lines of the cache
};

/// Every schedule that helios-select-schedule knows of and that fits the only
/// product of a kernel on its target. `inputs` are extents
/// of the kernel's tensors in order, dense ones; they must have the ranks of
/// the arguments. Fails, with a diagnostic, where there is no such schedule,
/// not one product, or the product's operands are no arguments.
llvm::FailureOr<ScheduleList>
listSchedules(KernelOp kernel,
              llvm::ArrayRef<llvm::SmallVector<int64_t>> inputs);

} // namespace helios

#endif // HELIOS_TRANSFORMS_SCHEDULES_H
