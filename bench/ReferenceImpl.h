// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_REFERENCEIMPL_H
#define HELIOS_BENCH_REFERENCEIMPL_H

#include "helios/Bench/Reference.h"
#include <string>

namespace helios::bench {

/// "4096x64", "scalar" for none.
std::string formatExtents(const std::vector<int64_t> &extents);

namespace detail {

/// Extents of the kernel's arguments as it was given them, which repeated lines
/// are not stored with.
std::vector<std::vector<int64_t>> argumentExtents(const Problem &problem);

/// Elements of the destination along a dimension of which so many lie in one of
/// an operand, equal shares of a group apart: all of a group where they share
/// one.
struct OperandGroups {
  int64_t size = 1, parts = 1;
  int64_t elementOf(int64_t at) const {
    const int64_t share = size / parts;
    return at / size * share + at % share;
  }
};

/// A fused operand with its strides along the destination's dimensions; 0 where
/// it broadcasts.
struct FusedOperand {
  const HostTensor *tensor = nullptr;
  bundle::ElementType type = bundle::ElementType::F32;
  std::vector<int64_t> strides;
  std::vector<OperandGroups> groups; ///< along each dimension
};

/// A step with its operands found; shared by threads.
struct StepContext {
  StepContext(const Problem &problem, const bundle::Step &step,
              std::vector<int64_t> destExtents,
              const std::vector<const HostTensor *> &slots);

  const bundle::Step &step;
  std::vector<int64_t> extents;
  const int64_t *scalars;
  std::vector<FusedOperand> fused;
  std::vector<std::vector<int64_t>> argumentExtents;
  bool usesIndices = false;
};

/// Evaluates the region on runs of elements within one row; one for each
/// thread.
class SegmentEvaluator {
public:
  explicit SegmentEvaluator(const StepContext &context);
  /// Elements at dense offsets [offset, offset + count) of the destination, all
  /// in one row; count <= kLanes.
  const Lanes &evaluate(int64_t offset, int count, const Lanes *accumulator);

private:
  const StepContext &context;
  RegionEvaluator evaluator;
  std::vector<Lanes> fusedLanes;
  std::vector<const Lanes *> fusedPointers;
  std::vector<std::vector<int64_t>> indices;
  std::vector<const int64_t *> indexPointers;
};

/// Extents of an attention.
struct AttentionExtents {
  int64_t batch = 0, heads = 0, keyHeads = 0, queries = 0, keys = 0, depth = 0,
          valueDepth = 0;
  /// [batch, heads, queries, keys]: what fused operands broadcast against.
  std::vector<int64_t> scores() const { return {batch, heads, queries, keys}; }
  int64_t rows() const { return elementCount({batch, heads, queries}); }
};
Result<AttentionExtents>
attentionExtents(const bundle::Step &step,
                 const std::vector<std::vector<int64_t>> &slots);

/// Told of elements of a slot, from several threads.
using SlotSink = std::function<void(uint32_t slot, int64_t offset, int count,
                                    const Lanes &)>;

/// Evaluates an attention whole, or the given rows (b, h, i flattened, sorted,
/// each once) of its results.
void runAttention(const Problem &problem, const bundle::Step &step,
                  const AttentionExtents &extents,
                  const std::vector<const HostTensor *> &slots,
                  const std::vector<int64_t> *rows, const SlotSink &done);

/// Combines elements along a dimension of `from`, in rows of the result.
void runReduction(
    const bundle::Step &step, const HostTensor &from,
    const std::function<void(int64_t offset, int count, const Lanes &)> &done);

/// How many pairs (query, key) the mask admits: all counted up to 2^28, beyond
/// estimated from rows spread evenly.
double admittedPairs(const Problem &problem, const bundle::Step &step,
                     const AttentionExtents &extents,
                     const std::vector<const HostTensor *> &slots);

/// One batch entry's product: operands as matrices and what their sums may be
/// off by.
class ProductContext {
public:
  ProductContext(const Problem &problem, const StepContext &context,
                 const ProductExtents &extents,
                 const std::vector<const HostTensor *> &slots);

  /// Prepares batch entry `batch` (row-major over the batch extents).
  void select(int64_t batch);
  /// Fills `to` for result row `row` and the `count` columns from `column`,
  /// given the sums (exact to double).
  void accumulators(int64_t row, int64_t column, int count, const double *sums,
                    Lanes &to) const;

  const MatrixView &a() const { return viewA; }
  const MatrixView &b() const { return viewB; }
  /// Lines of the stored operands.
  int64_t storedRows() const { return storedM; }
  int64_t storedColumns() const { return storedN; }
  int64_t rowOf(int64_t row) const {
    return problem.rows ? problem.rows->map[size_t(row)] : row;
  }
  int64_t columnOf(int64_t column) const {
    return problem.columns ? problem.columns->map[size_t(column)] : column;
  }

private:
  struct Operand {
    const HostTensor *tensor;
    std::vector<int64_t> batchStrides;
    int64_t lineStride, depthStride;
    bool integers;
  };
  struct Norms {
    std::vector<double> value;  ///< of each line
    std::vector<double> radius; ///< of the lines' half-widths; empty if exact
  };
  static void norms(const Operand &operand, int64_t base, int64_t lines,
                    int64_t depth, Norms &to);

  const Problem &problem;
  const StepContext &context;
  ProductExtents extents;
  Operand operandA, operandB;
  int64_t storedM, storedN;
  MatrixView viewA{}, viewB{};
  Norms normsA, normsB;
  int64_t lastBaseA = -1, lastBaseB = -1;
  ProductTolerance tolerance;
};

} // namespace detail

} // namespace helios::bench

#endif // HELIOS_BENCH_REFERENCEIMPL_H
