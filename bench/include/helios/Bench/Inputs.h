// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_INPUTS_H
#define HELIOS_BENCH_INPUTS_H

#include "helios/Bench/Reference.h"
#include <map>
#include <string>

namespace helios::bench {

/// What the inputs are filled with.
enum class InputKind {
  Uniform, ///< floats uniform in [-1, 1], rounded to the storage type; integers
           ///< of a few units
  Normal,  ///< as Uniform, but floats of mean 0 and variance 1
  Integers, ///< small integers, small and sparse enough that every sum is exact
            ///< in the accumulator
  Repeated, ///< as Uniform, but A's rows and B's columns repeat few distinct
            ///< ones, at random places
};
const char *inputKindName(InputKind kind);

/// Distinct lines of InputKind::Repeated.
inline constexpr int64_t kDistinctLines = 384;

/// Makes the inputs of a kernel: tensor n draws from stream n of the seed.
/// `extents` holds one entry for each argument, results included. Scalars take
/// the value in `scalars` by name, else 1. Repeated needs canRepeatLines.
Result<Problem> makeInputs(const bundle::Kernel &kernel,
                           const std::vector<std::vector<int64_t>> &extents,
                           InputKind kind, uint64_t seed,
                           const std::map<std::string, double> &scalars);

/// Where an input holds NaN: from an index on along a dimension.
struct Garbage {
  std::string name; ///< of the argument
  size_t dim;
  int64_t from;
};
/// Puts it into the inputs. Fails where the kernel has no such tensor.
Status putGarbage(Problem &problem, const std::vector<Garbage> &garbage);

/// How many rows the groups of grouped products have: a few most of them, as
/// experts do, all alike, or up to the ends given.
struct GroupEnds {
  enum Kind { Skewed, Even, Given } kind = Skewed;
  std::vector<int64_t> given;
};
/// Puts them into the inputs. Fails where the kernel has other groups.
Status putEnds(Problem &problem, const GroupEnds &ends, uint64_t seed);

/// Bounds of InputKind::Integers for a sum of k products where integers below
/// `exactBelow` are exact (0: all of 31 bits): integers in [-bound, bound],
/// zero but for a share `density`.
struct IntegerInputs {
  int64_t bound;
  double density;
};
IntegerInputs integerInputs(double exactBelow, int64_t k);

} // namespace helios::bench

#endif // HELIOS_BENCH_INPUTS_H
