// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The double-precision reference: evaluates a kernel's meaning
// (bundle::Semantics) on the host, with bounds on what a correct kernel may
// return. Knows no operation by name; a product is a sum over k, everything
// else is a region.

#ifndef HELIOS_BENCH_REFERENCE_H
#define HELIOS_BENCH_REFERENCE_H

#include "helios/Bench/Product.h"
#include "helios/Bench/RegionEval.h"
#include "helios/Bundle/Bundle.h"
#include "helios/Bundle/Status.h"
#include <functional>
#include <optional>
#include <vector>

namespace helios::bench {

/// A dense tensor on the host, last dimension contiguous. Empty bounds mean
/// that every value is exact.
struct HostTensor {
  std::vector<int64_t> extents;
  std::vector<double> values;
  std::vector<double> lo, hi;

  int64_t elements() const;
};

/// Product of extents (1 for none); -1 if it does not fit 63 bits.
int64_t elementCount(const std::vector<int64_t> &extents);

/// One tensor (batch included) whose rows, or columns, repeat few distinct
/// ones: line i of the full operand is line map[i] of the stored one.
struct RepeatedLines {
  std::vector<int64_t> map;
};

/// A kernel with the values of its inputs.
struct Problem {
  const bundle::Kernel *kernel = nullptr;
  /// One for each argument: inputs with values, results with extents only,
  /// scalars empty.
  std::vector<HostTensor> arguments;
  /// One for each argument; scalars' bits as in rt::LaunchArgument.
  std::vector<int64_t> scalars;
  /// For a problem of one product whose operands repeat lines: arguments of A
  /// and B then hold the distinct lines only.
  std::optional<RepeatedLines> rows, columns;
};

/// Consecutive elements of a result: those at dense offsets [offset, offset +
/// count).
struct Segment {
  uint32_t argument;
  int64_t offset;
  int count;
  const Lanes *expected; ///< null: elements that no kernel may write
};
/// Called from several threads at a time, each element of each result once.
using SegmentSink = std::function<void(const Segment &)>;

/// The constants of the tolerance on a sum of K products: |error| <= factor *
/// |A_i| |B_j| + share * |sum| + least, with Euclidean norms of A's row and B's
/// column (their product bounds the sum of magnitudes). `least` is what is lost
/// of sums below the smallest normal number.
struct SumTolerance {
  double factor = 0, share = 0, least = 0;
};
SumTolerance sumTolerance(bundle::ElementType accumulator, int64_t k);

/// The same for a product's sums of operands of these types, and below which
/// magnitude every integer is a sum without an error; 0 for integers, whose
/// sums are exact modulo their width.
struct ProductTolerance : SumTolerance {
  double exactBelow = 0;
};
ProductTolerance productTolerance(const bundle::Step &step,
                                  bundle::ElementType a, bundle::ElementType b,
                                  int64_t k);

/// Extents of every slot from those of the arguments. InvalidInput names the
/// step and what does not agree.
Result<std::vector<std::vector<int64_t>>>
slotExtents(const bundle::Kernel &kernel,
            const std::vector<std::vector<int64_t>> &argumentExtents);

/// M, N, K and batch of a product step. Groups of rows are a batch, of which
/// each has some of the M rows.
struct ProductExtents {
  int64_t m = 0, n = 0, k = 0;
  std::vector<int64_t> batch;
  bool grouped = false;
  std::vector<int64_t> result() const;
  int64_t batchCount() const { return elementCount(batch); }
};
Result<ProductExtents>
productExtents(const bundle::Step &step,
               const std::vector<std::vector<int64_t>> &slots);

/// The rows of a group of a product: from `first` up to `end`.
struct GroupRows {
  int64_t first = 0, end = 0;
};
/// The rows of each group, given the ends. None ends before the one before it
/// or behind the last row.
std::vector<GroupRows> rowsOfGroups(const HostTensor &ends, int64_t rows);

/// Multiply-adds of all products of the kernel (2 FLOP each).
Result<double>
multiplyAdds(const bundle::Kernel &kernel,
             const std::vector<std::vector<int64_t>> &argumentExtents);

/// As multiplyAdds, but of attentions only the pairs that their masks admit:
/// all counted where they are few enough, else estimated from rows spread
/// evenly, and of products only the rows that belong to groups. Needs an
/// attention's operands to be arguments; others count whole.
Result<double> usefulMultiplyAdds(const Problem &problem);

/// Evaluates all results whole.
Status evaluateWhole(const Problem &problem, const SegmentSink &sink);

/// True if the kernel is one product of two arguments into a result.
bool isSingleProduct(const bundle::Kernel &kernel);
/// True if the kernel is products of arguments, all of the same extents, and
/// element-wise steps, which take the elements of earlier ones (the sums of a
/// pair, several results), so that single elements can be evaluated.
bool hasSingleElements(
    const bundle::Kernel &kernel,
    const std::vector<std::vector<int64_t>> &argumentExtents);
/// True if any step is a grouped product.
bool hasGroups(const bundle::Kernel &kernel);
/// True if any step is an attention.
bool hasAttention(const bundle::Kernel &kernel);
/// True if the kernel is one attention of arguments, and of views of arguments
/// that it reads beside them, into results, so that single rows can be
/// evaluated.
bool isSingleAttention(const bundle::Kernel &kernel);
/// True if that product's operands are two arguments that nothing else reads,
/// so that their lines may repeat.
bool canRepeatLines(const bundle::Kernel &kernel);

/// Evaluates the elements of the only result at the given dense offsets. Needs
/// hasSingleElements; segments have count 1.
Status evaluateElements(const Problem &problem,
                        const std::vector<int64_t> &offsets,
                        const SegmentSink &sink);

/// Evaluates the given rows (batch, head and query flattened, sorted, each
/// once) of all results. Needs isSingleAttention.
Status evaluateRows(const Problem &problem, const std::vector<int64_t> &rows,
                    const SegmentSink &sink);

} // namespace helios::bench

#endif // HELIOS_BENCH_REFERENCE_H
