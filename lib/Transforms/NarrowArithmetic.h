// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What computes numbers of items, tiles, rows or steps: there are less than
// 2^31 of them, and quotients of 32 bits are quick.

#ifndef HELIOS_LIB_TRANSFORMS_NARROWARITHMETIC_H
#define HELIOS_LIB_TRANSFORMS_NARROWARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace helios {

/// The base of those who emit it, at the place of a builder.
class NarrowArithmetic {
protected:
  NarrowArithmetic(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  template <typename Op, typename... Args>
  mlir::Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }
  mlir::Value constant(int64_t value) {
    return make<mlir::arith::ConstantIntOp>(value, 32);
  }
  mlir::Value narrow(mlir::Value index) {
    return make<mlir::arith::IndexCastUIOp>(builder.getI32Type(), index);
  }
  mlir::Value wide(mlir::Value narrow) {
    return make<mlir::arith::IndexCastUIOp>(builder.getIndexType(), narrow);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace helios

#endif // HELIOS_LIB_TRANSFORMS_NARROWARITHMETIC_H
