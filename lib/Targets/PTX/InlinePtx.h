// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// PTX for which there is no op, or through which registers are threaded: an
// engine that writes registers on its own is tied to every value that must not
// move across its start or its end.

#ifndef HELIOS_LIB_TARGETS_PTX_INLINEPTX_H
#define HELIOS_LIB_TARGETS_PTX_INLINEPTX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace helios::ptx {

/// One piece of PTX. `$0`, `$1`, … are the results, then the operands.
/// `tied[i]` is the operand that lies in the registers of result i; other
/// results share no register with an operand, since of several instructions the
/// first may write before the last reads.
llvm::SmallVector<mlir::Value> inlinePtx(mlir::ImplicitLocOpBuilder &b,
                                         llvm::StringRef text,
                                         mlir::TypeRange results,
                                         mlir::ValueRange tied,
                                         mlir::ValueRange operands);

/// PTX that makes one value of others and does nothing else. `constraints` are
/// those of the result and of the operands, as LLVM writes them.
mlir::Value purePtx(mlir::ImplicitLocOpBuilder &b, llvm::StringRef text,
                    llvm::StringRef constraints, mlir::Type result,
                    mlir::ValueRange operands);

/// One instruction without operands, across which these values cannot move:
/// gives the values behind it.
llvm::SmallVector<mlir::Value> threadThrough(mlir::ImplicitLocOpBuilder &b,
                                             llvm::StringRef text,
                                             mlir::ValueRange values);

} // namespace helios::ptx

#endif // HELIOS_LIB_TARGETS_PTX_INLINEPTX_H
