// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products in double precision for the reference: blocked, vectorised
// for what the machine has, on all its threads.

#ifndef HELIOS_BENCH_PRODUCT_H
#define HELIOS_BENCH_PRODUCT_H

#include <cstdint>
#include <functional>
#include <vector>

namespace helios::bench {

/// A matrix of doubles in memory: element (i, j) at data[i * rowStride + j *
/// columnStride].
struct MatrixView {
  const double *data;
  int64_t rowStride;
  int64_t columnStride;

  double at(int64_t i, int64_t j) const {
    return data[i * rowStride + j * columnStride];
  }
};

/// A finished block of a product: elements (row + i, column + j) at data[i * ld
/// + j].
struct ProductBlock {
  int64_t row, column;
  int64_t rows, columns;
  const double *data;
  int64_t ld;
};

/// Computes A (m x k) times B (k x n) and hands every block of the result,
/// once, to `sink`; calls come from several threads at a time and each block is
/// a band of rows over up to a few thousand columns. Products of floats of up
/// to 24 bits are exact, and sums carry an error of at most k * 2^-53 relative
/// to the sum of the products' magnitudes. k = 0 gives zeros.
void multiply(const MatrixView &a, const MatrixView &b, int64_t m, int64_t n,
              int64_t k, const std::function<void(const ProductBlock &)> &sink);

/// B (depth x columns) in the order in which it is read, for many products with
/// parts of it on one thread each.
class PackedColumns {
public:
  PackedColumns(const MatrixView &b, int64_t depth, int64_t columns);

  /// Columns of one panel; products begin and end at panels.
  static int64_t panelColumns();
  /// What multiply() needs of rows in its result: `rows` rounded up.
  static int64_t paddedRows(int64_t rows);
  int64_t panels() const { return panelCount; }

  /// c[rows][from panel `firstPanel` to `endPanel`] = A (rows x depth)
  /// restricted to k of [firstDepth, endDepth) times B. Row i of c is at c + i
  /// * ld; all padded rows are written. A's column k is at k - firstDepth of
  /// `a`.
  void multiply(const MatrixView &a, int64_t rows, int64_t firstDepth,
                int64_t endDepth, int64_t firstPanel, int64_t endPanel,
                double *c, int64_t ld) const;

private:
  int64_t depth, panelCount;
  std::vector<double> data; ///< [panel][depth][column]
};

/// The vector instructions that multiply() uses on this machine: "avx512",
/// "avx2" or "generic".
const char *productInstructions();

} // namespace helios::bench

#endif // HELIOS_BENCH_PRODUCT_H
