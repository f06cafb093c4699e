// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic of a launch plan as formulas of the bundle.

#ifndef HELIOS_LIB_TARGETS_EXPORT_FORMULAS_H
#define HELIOS_LIB_TARGETS_EXPORT_FORMULAS_H

#include "helios/Bundle/Plan.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include <memory>

namespace helios::exporting {

/// The formulas of values on one way through a plan. A plan tries dozens of
/// schedules one after the other, over thousands of values: ways that part
/// share what they have, and what they add, until a value of one differs from
/// the other's.
class PathValues {
public:
  /// The formula of a value; null if it has none.
  const bundle::ExprId *find(mlir::Value value) const {
    if (auto it = own.find(value); it != own.end())
      return &it->second;
    auto it = shared->find(value);
    return it != shared->end() ? &it->second : nullptr;
  }
  /// The formula of a value, id 0 if it has none.
  bundle::ExprId lookup(mlir::Value value) const {
    const bundle::ExprId *found = find(value);
    return found ? *found : bundle::ExprId();
  }
  /// Of a value that is computed from others.
  void set(mlir::Value value, bundle::ExprId id) {
    (own.empty() ? *shared : own)[value] = id;
  }
  /// Of a result to which each way gives a value of its own.
  void setOwn(mlir::Value value, bundle::ExprId id) { own[value] = id; }

private:
  using Map = llvm::DenseMap<mlir::Value, bundle::ExprId>;
  std::shared_ptr<Map> shared = std::make_shared<Map>();
  Map own; ///< not empty: all that is computed may depend on it
};

/// The formulas of one plan. Values are mathematical integers in 64 bits: what
/// would wrap is an error at launch, and so is a negative operand of an
/// unsigned operation.
class Formulas {
public:
  explicit Formulas(bundle::Plan &plan) : plan(plan), build(plan) {}

  bundle::ExprBuilder &builder() { return build; }
  bundle::Plan &getPlan() { return plan; }

  /// Gives formulas to the results of an arithmetic op or a query, whose
  /// operands have some. Fails, with a diagnostic, on any other op.
  mlir::LogicalResult define(mlir::Operation *op, PathValues &values);

  /// a and b, without what is always true.
  bundle::ExprId conjunction(bundle::ExprId a, bundle::ExprId b);
  bundle::ExprId negation(bundle::ExprId a);
  bundle::ExprId difference(bundle::ExprId a, bundle::ExprId b) {
    return isConstant(b, 0) ? a : build.sub(a, b);
  }

private:
  mlir::LogicalResult defineArith(mlir::Operation *op, PathValues &values);
  mlir::FailureOr<bundle::ExprId> compare(mlir::arith::CmpIOp op,
                                          const PathValues &values);
  /// The value, or an overflow where it is negative.
  bundle::ExprId asUnsigned(bundle::ExprId id);
  bool isNonNegative(bundle::ExprId id);
  bool isConstant(bundle::ExprId id, int64_t value) const;
  /// Division towards zero.
  bundle::ExprId truncatingDiv(bundle::ExprId a, bundle::ExprId b);

  bundle::Plan &plan;
  bundle::ExprBuilder build;
  llvm::DenseMap<bundle::ExprId, bool> nonNegative;
};

} // namespace helios::exporting

#endif // HELIOS_LIB_TARGETS_EXPORT_FORMULAS_H
