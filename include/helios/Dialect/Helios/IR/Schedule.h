// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_DIALECT_HELIOS_IR_SCHEDULE_H
#define HELIOS_DIALECT_HELIOS_IR_SCHEDULE_H

#include "helios/Dialect/Helios/IR/HeliosDialect.h"
#include "helios/Dialect/Helios/IR/ScheduleParameters.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include "helios/Dialect/Helios/IR/HeliosEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "helios/Dialect/Helios/IR/HeliosAttrs.h.inc"

namespace helios {

/// The words of parameter `turn`, as numbers that add up.
inline constexpr int64_t kTurnLeft = 1, kTurnRight = 2;
/// The words of parameter `apart`, as numbers that add up.
inline constexpr int64_t kApartLeft = 1, kApartRight = 2, kApartMask = 4;

/// Prints the table of tuning parameters (name, values, default, meaning) as
/// Markdown.
void printScheduleDocumentation(llvm::raw_ostream &os);

} // namespace helios

#endif // HELIOS_DIALECT_HELIOS_IR_SCHEDULE_H
