// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values that are used up: an entered slot is exited once, a product in flight
// awaited once, a cursor entered once a side.

#ifndef HELIOS_DIALECT_TILE_IR_LINEAR_H
#define HELIOS_DIALECT_TILE_IR_LINEAR_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace helios::tile {

/// The loop arguments and results to which a use passes its value on through
/// scf.for, scf.while or scf.if.
llvm::SmallVector<mlir::Value> carriedTo(mlir::OpOperand &use);
/// The values that a value may stand for, seen through loop arguments and
/// results of scf ops.
llvm::SmallVector<mlir::Value> originsOf(mlir::Value value);

/// A kind of values that are used up.
struct LinearKind {
  std::string what;     ///< "slot": in messages
  std::string consumer; ///< "exit": in messages
  std::string mend;     ///< What to do about a value that is not carried.
  bool mayBeDropped;    ///< A value that nothing uses up is right (the last
                        ///< cursor).
  bool mayLeaveBranch;  ///< May be yielded by scf.if.
};

/// Checks that every value for which `tracked` holds is used up exactly once on
/// every path: by a use for which `consumes` holds, or by being carried on. In
/// a loop, a value from outside it is not used up: it must be carried.
mlir::LogicalResult
verifyLinear(mlir::Region &region, const LinearKind &kind,
             llvm::function_ref<bool(mlir::Value)> tracked,
             llvm::function_ref<bool(mlir::OpOperand &)> consumes);

} // namespace helios::tile

#endif // HELIOS_DIALECT_TILE_IR_LINEAR_H
