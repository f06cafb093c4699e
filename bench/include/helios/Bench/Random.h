// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counter-based random numbers: element i of stream s under a seed is a pure
// function of the three, so that any part of an input can be made again on any
// number of threads.

#ifndef HELIOS_BENCH_RANDOM_H
#define HELIOS_BENCH_RANDOM_H

#include <cmath>
#include <cstdint>

namespace helios::bench {

/// Names one stream of numbers: a seed given by the user and the number of the
/// tensor (or of the sampler) that draws.
struct RandomStream {
  uint64_t key;

  RandomStream(uint64_t seed, uint64_t stream)
      : key(mix(seed ^ mix(stream + 0x9e3779b97f4a7c15ull))) {}

  /// 64 uniform bits for `counter`.
  uint64_t bits(uint64_t counter) const {
    return mix(mix(counter * 0x9e3779b97f4a7c15ull + key) ^ key);
  }
  /// Uniform in [-1, 1), a multiple of 2^-52.
  double uniform(uint64_t counter) const {
    return double(int64_t(bits(counter)) >> 11) * 0x1p-52;
  }
  /// Of mean 0 and variance 1, below 6.7 in magnitude.
  double normal(uint64_t counter) const {
    const uint64_t drawn = bits(counter);
    const double radius = (double(drawn >> 32) + 0.5) * 0x1p-32,
                 angle = double(drawn & 0xffffffffu) * 0x1p-32;
    return std::sqrt(-2 * std::log(radius)) * std::cos(2 * M_PI * angle);
  }
  /// Uniform integer in [0, bound); bound > 0. The bias is below 2^-32 for
  /// bounds below 2^32.
  uint64_t below(uint64_t counter, uint64_t bound) const {
    return uint64_t((static_cast<unsigned __int128>(bits(counter)) * bound) >>
                    64);
  }
  /// Uniform integer in [-bound, bound].
  int64_t integer(uint64_t counter, int64_t bound) const {
    return int64_t(below(counter, uint64_t(2 * bound + 1))) - bound;
  }

private:
  /// The finaliser of MurmurHash3 with Stafford's constants (variant 13): a
  /// bijection that mixes all bits.
  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
};

} // namespace helios::bench

#endif // HELIOS_BENCH_RANDOM_H
