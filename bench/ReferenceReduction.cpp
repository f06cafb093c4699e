// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference of what elements along a dimension combine to.

#include "ReferenceImpl.h"
#include "helios/Bench/Numbers.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace helios::bench {

using bundle::Step;

namespace {

/// What `count` elements, `stride` apart, combine to.
struct Combined {
  double value, lo, hi;
};

Combined largest(const HostTensor &from, int64_t at, int64_t count,
                 int64_t stride) {
  Combined r{-INFINITY, -INFINITY, -INFINITY};
  // NaN is the largest, wherever it stands.
  auto take = [](double &most, double x) {
    if (std::isnan(x) || x > most)
      most = std::isnan(most) ? most : x;
  };
  for (int64_t i = 0; i < count; ++i, at += stride) {
    const auto n = size_t(at);
    take(r.value, from.values[n]);
    take(r.lo, from.lo.empty() ? from.values[n] : from.lo[n]);
    take(r.hi, from.hi.empty() ? from.values[n] : from.hi[n]);
  }
  return r;
}

/// The order of the sum is the kernel's own, so the bound is one for any.
Combined sum(const HostTensor &from, int64_t at, int64_t count, int64_t stride,
             bundle::ElementType type) {
  Combined r{0, 0, 0};
  double magnitude = 0;
  bool exact = true;
  for (int64_t i = 0; i < count; ++i, at += stride) {
    const auto n = size_t(at);
    const double value = from.values[n],
                 lo = from.lo.empty() ? value : from.lo[n],
                 hi = from.hi.empty() ? value : from.hi[n];
    r.value += value;
    r.lo += lo;
    r.hi += hi;
    magnitude += std::max(std::fabs(lo), std::fabs(hi));
    exact = exact && lo == value && hi == value && value == std::rint(value);
  }
  if (exact && magnitude < std::ldexp(1.0, int(bundle::significandBits(type))))
    return r;
  const double off = sumTolerance(type, count).factor * magnitude;
  r.lo -= off;
  r.hi += off;
  return r;
}

} // namespace

void detail::runReduction(
    const Step &step, const HostTensor &from,
    const std::function<void(int64_t, int, const Lanes &)> &done) {
  const size_t dim = step.reduction.dim;
  const auto &e = from.extents;
  const int64_t count = e[dim],
                inner = elementCount({e.begin() + int64_t(dim) + 1, e.end()});
  std::vector<int64_t> extents = e;
  extents.erase(extents.begin() + int64_t(dim));
  const int64_t all = elementCount(extents),
                row = extents.empty() ? 1 : extents.back();
  auto lanes = std::make_unique<Lanes>();
  for (int64_t first = 0; first < all; first += row)
    for (int64_t column = 0; column < row; column += kLanes) {
      const int length = int(std::min<int64_t>(kLanes, row - column));
      for (int i = 0; i < length; ++i) {
        const int64_t to = first + column + i,
                      at = to / inner * count * inner + to % inner;
        const Combined r = step.reduction.largest
                               ? largest(from, at, count, inner)
                               : sum(from, at, count, inner, step.accumulator);
        lanes->value[i] = r.value;
        lanes->lo[i] = r.lo;
        lanes->hi[i] = r.hi;
      }
      done(first + column, length, *lanes);
    }
}

} // namespace helios::bench
