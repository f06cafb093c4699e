// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of roles on their rings, listed from numbers alone.

#ifndef HELIOS_LIB_DIALECT_TILE_DRYRUNSTEPS_H
#define HELIOS_LIB_DIALECT_TILE_DRYRUNSTEPS_H

#include "helios/Dialect/Tile/IR/DryRun.h"
#include "llvm/ADT/DenseSet.h"

namespace helios::tile {

/// The part of a program that its steps follow from: the steps, the loops and
/// branches around them, and the integers that these depend on. It is found
/// once and walked for every role, replica and size; a program has many more
/// ops than that.
class StepSlice {
public:
  StepSlice(mlir::FunctionOpInterface program, const DryRunLevel &level);

  struct Entry {
    mlir::Operation *op;
    std::optional<RingStep> step;
    std::optional<llvm::APInt> value; ///< of an op that is always the same
  };
  /// Entries of a block in their order.
  llvm::ArrayRef<Entry> getEntries(mlir::Block &block) const;
  /// All steps, by no order of time.
  llvm::ArrayRef<RingStep> getSteps() const { return steps; }
  bool holdsSteps(mlir::Operation *op) const { return holders.contains(op); }
  bool needs(mlir::Value v) const { return needed.contains(v); }
  mlir::FunctionOpInterface getProgram() const { return program; }

private:
  void need(mlir::Value v);
  void needBounds(mlir::Operation *loop);
  void needWhatGives(mlir::Value v);
  std::optional<llvm::APInt> getValue(mlir::Operation &op) const;

  mlir::FunctionOpInterface program;
  const DryRunLevel &level;
  llvm::SmallVector<RingStep> steps;
  llvm::DenseMap<mlir::Operation *, unsigned> stepOf; ///< index of its step
  llvm::DenseSet<mlir::Operation *> holders;
  llvm::DenseSet<mlir::Value> needed;
  llvm::SmallVector<mlir::Value> open; ///< needed, of which nobody asked why
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<Entry>> entries;
};

/// Lists the steps of regions for one value of each argument.
class StepLister {
public:
  StepLister(const StepSlice &slice, int64_t size);

  /// Lists what a block does; false if that is not known.
  bool block(mlir::Block &block);
  /// What stands in front of a role beside other roles; false if there is a
  /// step in it.
  bool before(mlir::Operation *role, llvm::ArrayRef<mlir::Operation *> roles);
  /// Values of a region that stand for others outside.
  void pass(mlir::ValueRange from, mlir::ValueRange to);
  void set(mlir::Value v, int64_t value);

  llvm::SmallVector<RingStep> steps;
  bool cut = false; ///< there are more, and all up to here are known

private:
  std::optional<llvm::APInt> get(mlir::Value v) const;
  std::optional<int64_t> number(mlir::Value v) const;
  bool visit(const StepSlice::Entry &entry);
  bool visitFor(mlir::Operation *op);
  bool visitIf(mlir::Operation *op);
  void evaluate(mlir::Operation &op);

  const StepSlice &slice;
  llvm::DenseMap<mlir::Value, llvm::APInt> known;
  int64_t taken = 0;
};

} // namespace helios::tile

#endif // HELIOS_LIB_DIALECT_TILE_DRYRUNSTEPS_H
