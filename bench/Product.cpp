// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Product.h"
#include "helios/Bench/Parallel.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace helios::bench {

namespace {

/// Sizes of a micro kernel: a block of `rows` x `columns` accumulators held in
/// registers, columns = vectors * lanes.
struct KernelShape {
  int lanes, rows, vectors;
  constexpr int columns() const { return lanes * vectors; }
};
constexpr KernelShape kAvx512{8, 8, 3};
constexpr KernelShape kAvx2{4, 4, 3};
constexpr KernelShape kGeneric{2, 4, 2};

/// Steps of k between a block's visits to memory: one panel of B then stays in
/// the first cache.
constexpr int64_t kDepth = 192;
/// Row panels a task works on: A's block then stays in the second cache.
constexpr int64_t kRowPanels = 12;
/// Columns per pass over B.
constexpr int64_t kMaxColumns = 6144;

/// c[rows][columns] (leading dimension ldc) += a[depth][rows] *
/// b[depth][columns], both packed.
template <int Lanes, int Rows, int Vectors>
__attribute__((always_inline)) inline void
micro(int64_t depth, const double *a, const double *b, double *c, int64_t ldc) {
  typedef double Vector __attribute__((vector_size(Lanes * sizeof(double)),
                                       aligned(8), may_alias));
  Vector acc[Rows][Vectors];
  for (int i = 0; i < Rows; ++i)
    for (int v = 0; v < Vectors; ++v)
      acc[i][v] = *reinterpret_cast<const Vector *>(c + i * ldc + v * Lanes);
  for (int64_t p = 0; p < depth; ++p) {
    Vector bv[Vectors];
    for (int v = 0; v < Vectors; ++v)
      bv[v] = *reinterpret_cast<const Vector *>(b + p * (Vectors * Lanes) +
                                                v * Lanes);
    for (int i = 0; i < Rows; ++i) {
      const double scalar = a[p * Rows + i];
      for (int v = 0; v < Vectors; ++v)
        acc[i][v] += scalar * bv[v];
    }
  }
  for (int i = 0; i < Rows; ++i)
    for (int v = 0; v < Vectors; ++v)
      *reinterpret_cast<Vector *>(c + i * ldc + v * Lanes) = acc[i][v];
}

using MicroKernel = void (*)(int64_t, const double *, const double *, double *,
                             int64_t);

void microGeneric(int64_t depth, const double *a, const double *b, double *c,
                  int64_t ldc) {
  micro<kGeneric.lanes, kGeneric.rows, kGeneric.vectors>(depth, a, b, c, ldc);
}
#if defined(__clang__) // else it prefers vectors of 256 bits
#define HELIOS_WIDE_VECTORS __attribute__((min_vector_width(512)))
#else
#define HELIOS_WIDE_VECTORS
#endif
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void microAvx2(int64_t depth,
                                                   const double *a,
                                                   const double *b, double *c,
                                                   int64_t ldc) {
  micro<kAvx2.lanes, kAvx2.rows, kAvx2.vectors>(depth, a, b, c, ldc);
}
HELIOS_WIDE_VECTORS __attribute__((target("avx512f"))) void
microAvx512(int64_t depth, const double *a, const double *b, double *c,
            int64_t ldc) {
  micro<kAvx512.lanes, kAvx512.rows, kAvx512.vectors>(depth, a, b, c, ldc);
}
#endif

struct Choice {
  KernelShape shape;
  MicroKernel kernel;
  const char *name;
};

const Choice &choice() {
  static const Choice chosen = [] {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
      return Choice{kAvx512, microAvx512, "avx512"};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      return Choice{kAvx2, microAvx2, "avx2"};
#endif
    return Choice{kGeneric, microGeneric, "generic"};
  }();
  return chosen;
}

int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Packs B's rows [k0, k0 + depth) of one panel of columns as [depth][width],
/// zeros beyond the last column.
void packColumns(const MatrixView &b, int64_t k0, int64_t depth, int64_t j0,
                 int64_t columns, int width, double *to) {
  for (int64_t p = 0; p < depth; ++p) {
    double *row = to + p * width;
    const double *from = b.data + (k0 + p) * b.rowStride + j0 * b.columnStride;
    for (int64_t j = 0; j < columns; ++j)
      row[j] = from[j * b.columnStride];
    std::fill(row + columns, row + width, 0.0);
  }
}

/// Packs A's columns [k0, k0 + depth) of one panel of rows as [depth][height],
/// zeros beyond the last row.
void packRows(const MatrixView &a, int64_t i0, int64_t rows, int64_t k0,
              int64_t depth, int height, double *to) {
  for (int64_t i = 0; i < height; ++i) {
    if (i >= rows) {
      for (int64_t p = 0; p < depth; ++p)
        to[p * height + i] = 0;
      continue;
    }
    const double *from = a.data + (i0 + i) * a.rowStride + k0 * a.columnStride;
    for (int64_t p = 0; p < depth; ++p)
      to[p * height + i] = from[p * a.columnStride];
  }
}

} // namespace

int64_t PackedColumns::panelColumns() { return choice().shape.columns(); }

int64_t PackedColumns::paddedRows(int64_t rows) {
  return roundUp(rows, choice().shape.rows);
}

PackedColumns::PackedColumns(const MatrixView &b, int64_t depth,
                             int64_t columns)
    : depth(depth),
      panelCount((columns + panelColumns() - 1) / panelColumns()) {
  const int64_t width = panelColumns();
  data.resize(size_t(panelCount * depth * width));
  for (int64_t p = 0; p < panelCount; ++p)
    packColumns(b, 0, depth, p * width, std::min(width, columns - p * width),
                int(width), data.data() + p * depth * width);
}

void PackedColumns::multiply(const MatrixView &a, int64_t rows,
                             int64_t firstDepth, int64_t endDepth,
                             int64_t firstPanel, int64_t endPanel, double *c,
                             int64_t ld) const {
  const Choice &use = choice();
  const int height = use.shape.rows;
  const int64_t width = panelColumns(), padded = paddedRows(rows);
  for (int64_t i = 0; i < padded; ++i)
    std::fill_n(c + i * ld, (endPanel - firstPanel) * width, 0.0);
  std::vector<double> packedA(size_t(padded * kDepth));
  for (int64_t k0 = firstDepth; k0 < endDepth; k0 += kDepth) {
    const int64_t count = std::min(kDepth, endDepth - k0);
    for (int64_t i = 0; i < padded; i += height)
      packRows(a, i, std::min<int64_t>(height, rows - i), k0 - firstDepth,
               count, height, packedA.data() + i * count);
    for (int64_t p = firstPanel; p < endPanel; ++p)
      for (int64_t i = 0; i < padded; i += height)
        use.kernel(count, packedA.data() + i * count,
                   data.data() + (p * depth + k0) * width,
                   c + i * ld + (p - firstPanel) * width, ld);
  }
}

const char *productInstructions() { return choice().name; }

void multiply(const MatrixView &a, const MatrixView &b, int64_t m, int64_t n,
              int64_t k,
              const std::function<void(const ProductBlock &)> &sink) {
  if (m <= 0 || n <= 0)
    return;
  const Choice &use = choice();
  const int height = use.shape.rows, width = use.shape.columns();
  // Fewer rows a task where there are few rows, so that every thread has work.
  const int64_t wanted = (m + workerCount() * 2 - 1) / (workerCount() * 2);
  const int64_t taskRows =
      std::clamp(roundUp(wanted, height), int64_t(height), kRowPanels * height);
  for (int64_t j0 = 0; j0 < n; j0 += kMaxColumns) {
    const int64_t columns = std::min(kMaxColumns, n - j0);
    const int64_t panels = (columns + width - 1) / width;
    const int64_t ld = panels * width;
    // All of B's panels of this pass: [panel][k][width].
    std::vector<double> packedB(size_t(panels * width * k));
    parallelFor(panels, [&](int64_t panel) {
      const int64_t first = panel * width;
      packColumns(b, 0, k, j0 + first,
                  std::min<int64_t>(width, columns - first), width,
                  packedB.data() + panel * width * k);
    });
    parallelFor((m + taskRows - 1) / taskRows, [&](int64_t task) {
      const int64_t i0 = task * taskRows;
      const int64_t rows = std::min(taskRows, m - i0);
      const int64_t rowPanels = (rows + height - 1) / height;
      std::vector<double> packedA(size_t(
          rowPanels * height * std::min(kDepth, std::max<int64_t>(k, 1))));
      std::vector<double> c(size_t(rowPanels * height * ld), 0.0);
      for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
        const int64_t depth = std::min(kDepth, k - k0);
        for (int64_t r = 0; r < rowPanels; ++r)
          packRows(a, i0 + r * height,
                   std::min<int64_t>(height, rows - r * height), k0, depth,
                   height, packedA.data() + r * height * depth);
        for (int64_t panel = 0; panel < panels; ++panel)
          for (int64_t r = 0; r < rowPanels; ++r)
            use.kernel(depth, packedA.data() + r * height * depth,
                       packedB.data() + (panel * k + k0) * width,
                       c.data() + r * height * ld + panel * width, ld);
      }
      sink({i0, j0, rows, columns, c.data(), ld});
    });
  }
}

} // namespace helios::bench
