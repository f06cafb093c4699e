// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results against the reference. A check says what it looked at, what was wrong
// first, and how large the errors were.

#ifndef HELIOS_BENCH_CHECK_H
#define HELIOS_BENCH_CHECK_H

#include "helios/Bench/Image.h"
#include "helios/Bench/Reference.h"
#include <string>
#include <vector>

namespace helios::bench {

enum class Verdict { Passed, Incorrect, NotVerified, Unsupported };
const char *verdictName(Verdict verdict);

/// What was found in one run's results.
struct CheckReport {
  int64_t elements = 0;  ///< of all results
  int64_t compared = 0;  ///< held against the reference
  int64_t exact = 0;     ///< of these, with one right value only
  int64_t wrong = 0;     ///< outside their bounds (unwritten and NaN included)
  int64_t unwritten = 0; ///< still poison
  int64_t wrongNan = 0;  ///< NaN where the reference has a number
  int64_t unbounded =
      0; ///< the rules put no bound on them, so that nothing can be said
  double maxError = 0;  ///< largest |result - reference|
  double maxExcess = 0; ///< largest error in units of what was allowed
  double errorSquares = 0, referenceSquares = 0;
  bool checksummed = false; ///< checksums over all elements were compared too
  std::string damage;       ///< guard bytes overwritten, in words
  std::string firstWrong;   ///< the first wrong element, in words
  int64_t firstWrongOffset = -1;

  /// Relative error in the Frobenius norm over the elements compared.
  double relativeError() const;
  bool isWhole() const { return compared == elements; }
  Verdict verdict() const;
  /// "whole", "1024 samples and checksums", ...
  std::string coverage() const;
  /// Why the verdict is not passed; empty if it is.
  std::string reason() const;
  /// Takes in what another run of the same kernel found.
  void merge(const CheckReport &other);
};

/// A result as it came back from the device.
struct ResultImage {
  ImageLayout layout;
  std::vector<uint8_t> bytes;
};

/// How much work a check may do.
struct CheckLimits {
  /// Multiply-adds up to which results are compared whole.
  double wholeMultiplyAdds = 0;
  /// Elements compared of larger ones.
  int64_t samples = 8192;
  uint64_t seed = 1;
};
/// What this machine does in about two seconds.
CheckLimits defaultLimits(uint64_t seed);

/// Checks all results of one launch. `results` has one entry for each argument,
/// with empty bytes for inputs. Results of problems up to
/// limits.wholeMultiplyAdds (or with repeated lines) are compared whole; others
/// by samples and, where the region is affine in the sum, by checksums of every
/// row.
Result<CheckReport> checkResults(const Problem &problem,
                                 const std::vector<ResultImage> &results,
                                 const CheckLimits &limits);

/// Dense offsets of elements worth sampling: corners, edges of tiles of 16 to
/// 256, and random places.
std::vector<int64_t> sampleOffsets(const std::vector<int64_t> &extents,
                                   int64_t count, uint64_t seed);

} // namespace helios::bench

#endif // HELIOS_BENCH_CHECK_H
