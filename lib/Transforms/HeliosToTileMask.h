// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-to-tile: what a mask region says about whole blocks of keys. Its
// comparisons of sums of the query's and the key's place are linear, so over a
// block they are false, or may be true; so may be whatever is not such a
// comparison.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILEMASK_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILEMASK_H

#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include <optional>
#include <vector>

namespace helios::totile {

/// Blocks of keys; null is no bound.
struct KeyRange {
  mlir::Value begin, end;
};

class MaskAnalysis {
public:
  /// What is asked about, in which what the mask reads of a sequence and of a
  /// head is the same: several heads have sequences alone in common, and a
  /// launch neither.
  enum class Scope { Head, Heads, Launch };
  explicit MaskAnalysis(AttentionOp op, Scope scope = Scope::Head);

  /// Whether later queries take part with more keys, as far as can be seen.
  bool growsWithQuery();

  /// Whether blocks inside of that range may have nothing that takes part, for
  /// what only the elements of a tensor or other arithmetic say.
  bool leavesOpen();

  /// Whether keys before those that an item sees are left out, as far as can be
  /// seen: items of later queries then see no more than others.
  bool hasBegin();
  /// Whether keys behind those are.
  bool hasEnd();

  /// Whether the mask depends on the sequence of a batch, or on the head.
  enum class Sharer { Batch, Heads };
  static bool varies(AttentionOp op, Sharer of);

  /// Whether a value of the region is known not to be negative.
  bool isNotNegative(mlir::Value value);

  /// The factor of the query's place in a value, if that is linear.
  std::optional<int64_t> queryFactor(mlir::Value value) {
    std::optional<Linear> sum = linear(value);
    return sum ? std::optional(sum->query) : std::nullopt;
  }

  /// query * i + key * j + constant + the sum of uniform values.
  struct Linear {
    int64_t query = 0, key = 0, constant = 0;
    llvm::SmallVector<std::pair<int64_t, mlir::Value>> uniform;
    void add(const Linear &other, int64_t factor);
  };
  /// A condition: a conjunction or disjunction of others, a linear value that
  /// is not negative, or something else. `value` is the comparison, or whatever
  /// else of the region, that it says, or negates; null where values of the
  /// region are joined.
  struct Condition {
    enum Kind { All, Any, NotNegative, Unknown } kind = Unknown;
    std::vector<Condition> parts;
    Linear linear;
    mlir::Value value;
    bool negated = false;
  };
  /// What the mask's region yields.
  const Condition &getMask() const { return mask; }

  /// Where code goes and what an item is: its first and last query (without
  /// the latter, a tile's extent), the number of blocks, the extents of a tile,
  /// and the values of what does not vary in it.
  struct Item {
    mlir::OpBuilder &builder;
    mlir::Value query, last, blocks;
    int64_t queries, keys;
    llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value)> uniform;
  };
  /// The blocks of keys outside of which nothing of an item takes part. Fails
  /// if a value of the region cannot be computed.
  mlir::FailureOr<KeyRange> range(const Item &item);

  /// The linear value without the key's part, at the tile's query and key where
  /// it is largest. Fails as `range` does.
  mlir::FailureOr<mlir::Value> largest(const Item &item, const Linear &linear);
  /// Whether a condition holds something that is not linear.
  static bool isOpen(const Condition &condition);

private:
  bool isUniform(mlir::Value value);
  std::optional<Linear> linear(mlir::Value value);
  Condition compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                    mlir::Value rhs);
  Condition condition(mlir::Value value, bool negated);

  mlir::FailureOr<KeyRange> range(const Item &item, const Condition &condition);
  static bool grows(const Condition &condition);
  /// Whether keys are left out by comparisons whose factor of the key is one of
  /// those.
  static bool isBounded(const Condition &condition,
                        llvm::function_ref<bool(int64_t factor)> by);

  AttentionOp op;
  mlir::Value query, key; ///< the region's arguments
  llvm::DenseMap<mlir::Value, bool> uniform;
  Condition mask;
};

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILEMASK_H
