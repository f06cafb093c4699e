// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions evaluated in double precision with bounds. Every value carries what
// it should be and an interval [lo, hi] in which a kernel that follows the
// rules must land: the operands' intervals mapped through the operation,
// widened by the rounding that the operation's type allows
// (docs/benchmarking.md has the table). Operations whose operands are exact and
// whose result is representable widen nothing, so that integer inputs give
// intervals of one point: a comparison bit for bit.

#ifndef HELIOS_BENCH_REGIONEVAL_H
#define HELIOS_BENCH_REGIONEVAL_H

#include "helios/Bundle/Semantics.h"
#include <cstdint>
#include <vector>

namespace helios::bench {

/// How many elements are evaluated at once.
inline constexpr int kLanes = 256;

/// A scalar of the region for up to kLanes elements.
struct Lanes {
  double value[kLanes];
  double lo[kLanes];
  double hi[kLanes];
  /// The value of integer types, exact beyond 2^53.
  int64_t integer[kLanes];
};

/// Values of a region's leaves for one run of elements.
struct RegionInputs {
  int count = 0;
  /// Accumulator; null where the region has none.
  const Lanes *accumulator = nullptr;
  /// One for each fused operand.
  const Lanes *const *fused = nullptr;
  /// Result coordinates, one array of `count` for each dimension.
  const int64_t *const *indices = nullptr;
  /// Bits (floats) or values (integers) of the kernel's scalar arguments by
  /// argument number, as in rt::LaunchArgument.
  const int64_t *scalars = nullptr;
  /// Extents of the kernel's arguments.
  const std::vector<std::vector<int64_t>> *extents = nullptr;
};

/// Evaluates one region again and again; keeps its scratch memory.
class RegionEvaluator {
public:
  explicit RegionEvaluator(const bundle::Region &region);
  /// The region's value for inputs.count elements; valid until the next call.
  const Lanes &evaluate(const RegionInputs &inputs);

private:
  const bundle::Region &region;
  std::vector<Lanes> values;
};

/// The accumulator in a region as alpha * accumulator + beta: whether that form
/// holds, and what alpha depends on.
struct Affinity {
  bool affine = false;
  /// Bit i: alpha reads fused operand i. Alpha that reads a coordinate is not
  /// affine here.
  uint64_t alphaFused = 0;
};
/// Looks through the region; `fusedRank` is unused by regions without fused
/// operands.
Affinity accumulatorAffinity(const bundle::Region &region);

} // namespace helios::bench

#endif // HELIOS_BENCH_REGIONEVAL_H
