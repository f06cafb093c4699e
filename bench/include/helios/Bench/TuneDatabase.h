// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What helios-tune has measured (format "helios-tune/1", docs/tuning.md).

#ifndef HELIOS_BENCH_TUNEDATABASE_H
#define HELIOS_BENCH_TUNEDATABASE_H

#include "helios/Bench/Json.h"
#include <array>
#include <string>
#include <vector>

namespace helios::bench {

/// Extents that are tuned as one: above the first, up to the second.
struct Bucket {
  int64_t above = 0, upTo = 0;
};
/// Tiles fill up to whole ones, so a bucket holds the extents that fill up to
/// the same multiple of a 32nd of their power of two, at least of 16.
Bucket bucketOf(int64_t extent);

/// What came of a schedule.
enum class TuneState {
  Running,     ///< begun; still so after a crash
  Measured,    ///< right, and timed
  Refused,     ///< the compiler or the device cannot have it
  Quarantined, ///< wrong, or the device failed: never used there again
};
const char *tuneStateName(TuneState state);

struct TuneCandidate {
  std::string schedule;
  double price = 0; ///< by the model; 0: it names none
  TuneState state = TuneState::Running;
  std::string reason; ///< why it is not measured
  double ns = 0;      ///< median of a first, short measurement
  int64_t attempts = 0;
};

/// Everything that a measurement holds for.
struct TuneKey {
  std::string device, driver, compiler, commit, row, op, types, layout,
      epilogue;
  /// Shapes that the device's self-test confirmed, of cooperative matrices.
  std::vector<std::string> matrices;
  std::array<int64_t, 3> above{}, upTo{}; ///< of M, N and K
  bool aligned = true; ///< rows of both operands begin at lines of the cache

  bool operator==(const TuneKey &other) const;
};

struct TuneEntry {
  TuneKey key;
  std::array<int64_t, 3> extents{}; ///< measured
  std::string date;
  std::string model;  ///< what the cost model takes
  std::string winner; ///< empty: nothing is faster, or not yet known
  /// How many times as fast as the model's choice, with a 95 % interval.
  double ratio = 0, low = 0, high = 0;
  double ns = 0;
  bool isDone = false;
  std::vector<TuneCandidate> candidates;

  TuneCandidate &candidate(const std::string &schedule);
  const TuneCandidate *find(const std::string &schedule) const;
};

class TuneDatabase {
public:
  /// Reads a file; an empty database if there is none. InvalidInput: it is no
  /// database of this format, with the member that is wrong.
  static Result<TuneDatabase> open(const std::string &path);

  /// The entry of a key; a new one if there is none.
  TuneEntry &entry(const TuneKey &key);
  const std::vector<TuneEntry> &entries() const { return all; }

  /// Writes the file whole, or leaves it as it was.
  Status save() const;
  /// Writes winners and what is quarantined alone, as a table for the compiler.
  Status writeTable(const std::string &path) const;

private:
  std::string path;
  std::vector<TuneEntry> all;
};

} // namespace helios::bench

#endif // HELIOS_BENCH_TUNEDATABASE_H
