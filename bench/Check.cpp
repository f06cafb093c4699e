// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Check.h"
#include "CheckImpl.h"
#include "helios/Bench/Numbers.h"
#include "helios/Bench/Parallel.h"
#include "helios/Bench/Random.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>

namespace helios::bench {

const char *verdictName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Passed:
    return "passed";
  case Verdict::Incorrect:
    return "incorrect";
  case Verdict::NotVerified:
    return "not verified";
  case Verdict::Unsupported:
    return "unsupported";
  }
  return "?";
}

double CheckReport::relativeError() const {
  if (errorSquares == 0)
    return 0;
  return referenceSquares > 0 ? std::sqrt(errorSquares / referenceSquares)
                              : INFINITY;
}

Verdict CheckReport::verdict() const {
  if (wrong || !damage.empty())
    return Verdict::Incorrect;
  // Nothing to compare is right only where there is nothing; single poles of a
  // function are no reason for doubt.
  if (unbounded > compared / 1000 || (compared == 0 && elements != 0))
    return Verdict::NotVerified;
  return Verdict::Passed;
}

std::string CheckReport::coverage() const {
  if (isWhole())
    return "whole";
  return std::to_string(compared) + " samples" +
         (checksummed ? " and checksums of all" : "");
}

std::string CheckReport::reason() const {
  if (wrong) {
    std::string text = std::to_string(wrong) + " of " +
                       std::to_string(compared) + " elements wrong";
    if (unwritten)
      text += ", " + std::to_string(unwritten) + " never written";
    if (wrongNan)
      text += ", " + std::to_string(wrongNan) + " NaN";
    return text + "; first: " + firstWrong +
           (damage.empty() ? "" : "; " + damage);
  }
  if (!damage.empty())
    return damage;
  if (unbounded > compared / 1000)
    return "the rules bound " + std::to_string(unbounded) +
           " elements on no side";
  if (compared == 0 && elements != 0)
    return "nothing was compared";
  return "";
}

void CheckReport::merge(const CheckReport &other) {
  elements += other.elements;
  compared += other.compared;
  exact += other.exact;
  wrong += other.wrong;
  unwritten += other.unwritten;
  wrongNan += other.wrongNan;
  unbounded += other.unbounded;
  maxError = std::max(maxError, other.maxError);
  maxExcess = std::max(maxExcess, other.maxExcess);
  errorSquares += other.errorSquares;
  referenceSquares += other.referenceSquares;
  checksummed |= other.checksummed;
  if (damage.empty())
    damage = other.damage;
  if (other.firstWrongOffset >= 0 &&
      (firstWrongOffset < 0 || other.firstWrongOffset < firstWrongOffset)) {
    firstWrongOffset = other.firstWrongOffset;
    firstWrong = other.firstWrong;
  }
}

CheckLimits defaultLimits(uint64_t seed) {
  CheckLimits limits;
  limits.wholeMultiplyAdds = 0x1p35 * workerCount();
  limits.seed = seed;
  return limits;
}

namespace detail {

std::string coordinates(const std::vector<int64_t> &extents, int64_t offset) {
  std::string text;
  for (size_t d = extents.size(); d-- > 0;) {
    text =
        std::to_string(offset % extents[d]) + (text.empty() ? "" : ", ") + text;
    offset /= extents[d];
  }
  return "[" + text + "]";
}

void Comparison::compareUntouched(const Segment &segment) {
  const ResultImage &result = results[segment.argument];
  const uint32_t size = bundle::elementBytes(result.layout.type);
  const uint64_t poison = poisonBits(result.layout.type);
  CheckReport local;
  local.compared = segment.count;
  // A segment may reach over several rows, which may be padded.
  for (int i = 0; i < segment.count; ++i) {
    const uint64_t at = elementOffset(result.layout, segment.offset + i);
    if (std::memcmp(result.bytes.data() + at, &poison, size) == 0)
      continue;
    ++local.wrong;
    if (local.firstWrongOffset >= 0)
      continue;
    local.firstWrongOffset = segment.offset + i;
    local.firstWrong = kernel.arguments[segment.argument].name +
                       coordinates(result.layout.extents, segment.offset + i) +
                       ": expected never to be written, as no group has its "
                       "row, got a value";
  }
  std::lock_guard<std::mutex> lock(mutex);
  report.merge(local);
}

void Comparison::operator()(const Segment &segment) {
  const ResultImage &result = results[segment.argument];
  const uint32_t size = bundle::elementBytes(result.layout.type);
  const uint8_t *bytes =
      result.bytes.data() + elementOffset(result.layout, segment.offset);
  if (!segment.expected)
    return compareUntouched(segment);
  double got[kLanes];
  decodeElements(result.layout.type, bytes, size_t(segment.count), got);
  const uint64_t poison = poisonBits(result.layout.type);
  CheckReport local;
  local.compared = segment.count;
  const Lanes &e = *segment.expected;
  const ElementType type = result.layout.type;
  const bool isFloat = bundle::isFloat(type);
  for (int i = 0; i < segment.count; ++i) {
    const double expected = isFloat ? roundFloat(type, e.value[i]) : e.value[i];
    const double lo = isFloat ? roundFloat(type, e.lo[i]) : e.lo[i],
                 hi = isFloat ? roundFloat(type, e.hi[i]) : e.hi[i];
    const bool unwritten =
        std::memcmp(bytes + size_t(i) * size, &poison, size) == 0;
    const bool wantsNan = std::isnan(expected);
    const bool free = !wantsNan && lo == -INFINITY && hi == INFINITY;
    bool right;
    if (wantsNan)
      right = std::isnan(got[i]) && !unwritten;
    else if (free) // a NaN may be right too, as where a logarithm's operand may
                   // be on either side of zero
      right = !unwritten;
    else // a NaN compares false
      right = got[i] >= lo && got[i] <= hi && !(unwritten && isFloat);
    local.exact += !wantsNan && lo == hi;
    local.unbounded += free;
    if (std::isfinite(got[i]) && std::isfinite(expected)) {
      const double error = std::fabs(got[i] - expected);
      const double allowed = got[i] > expected ? hi - expected : expected - lo;
      local.maxError = std::max(local.maxError, error);
      if (error > 0 && allowed > 0)
        local.maxExcess = std::max(local.maxExcess, error / allowed);
      local.errorSquares += error * error;
      local.referenceSquares += expected * expected;
    }
    if (right)
      continue;
    ++local.wrong;
    local.unwritten += unwritten;
    local.wrongNan += std::isnan(got[i]) && !wantsNan && !unwritten;
    if (local.firstWrongOffset >= 0)
      continue;
    char text[256];
    if (unwritten)
      std::snprintf(text, sizeof(text),
                    "expected %.9g, never written (still poison)", expected);
    else
      std::snprintf(text, sizeof(text),
                    "expected %.9g (allowed %.9g to %.9g), got %.9g", expected,
                    lo, hi, got[i]);
    local.firstWrongOffset = segment.offset + i;
    local.firstWrong = kernel.arguments[segment.argument].name +
                       coordinates(result.layout.extents, segment.offset + i) +
                       ": " + text;
  }
  std::lock_guard<std::mutex> lock(mutex);
  report.merge(local);
}

} // namespace detail

std::vector<int64_t> sampleOffsets(const std::vector<int64_t> &extents,
                                   int64_t count, uint64_t seed) {
  const int64_t total = elementCount(extents);
  std::set<int64_t> offsets;
  if (total <= 0)
    return {};
  const size_t rank = extents.size();
  const int64_t rows = rank > 1 ? extents[rank - 2] : 1,
                columns = rank ? extents[rank - 1] : 1;
  const int64_t matrices = total / (rows * columns);
  // Lines at corners and on both sides of tile edges: the first and the last
  // edge of every usual tile size.
  auto lines = [](int64_t extent) {
    std::set<int64_t> at{0, extent - 1};
    for (int64_t tile = 8; tile <= 256; tile *= 2)
      for (int64_t edge : {tile, extent / tile * tile})
        for (int64_t line : {edge - 1, edge})
          if (line >= 0 && line < extent)
            at.insert(line);
    return at;
  };
  for (int64_t r : lines(rows))
    for (int64_t c : lines(columns))
      for (int64_t matrix : {int64_t(0), matrices - 1})
        offsets.insert((matrix * rows + r) * columns + c);
  const RandomStream random(seed, 2000);
  for (int64_t i = 0;
       int64_t(offsets.size()) < std::min(count, total) && i < 4 * count; ++i)
    offsets.insert(int64_t(random.below(uint64_t(i), uint64_t(total))));
  return {offsets.begin(), offsets.end()};
}

Result<CheckReport> checkResults(const Problem &problem,
                                 const std::vector<ResultImage> &results,
                                 const CheckLimits &limits) {
  const bundle::Kernel &kernel = *problem.kernel;
  std::vector<std::vector<int64_t>> extents;
  CheckReport report;
  for (size_t n = 0; n < kernel.arguments.size(); ++n) {
    extents.push_back(results[n].layout.extents.empty()
                          ? problem.arguments[n].extents
                          : results[n].layout.extents);
    if (!kernel.arguments[n].isResult)
      continue;
    report.elements += elementCount(extents.back());
    if (auto damage = findDamage(results[n].layout, results[n].bytes);
        damage && report.damage.empty())
      report.damage = kernel.arguments[n].name + ": " + *damage;
  }
  if (!kernel.semantics)
    return report;
  auto work = multiplyAdds(kernel, extents);
  const bool repeated = problem.rows || problem.columns;
  if (!work.ok() && !repeated)
    return work.status();
  detail::Comparison comparison(kernel, results, report);
  const bool isAttention = isSingleAttention(kernel);
  if (repeated || *work <= limits.wholeMultiplyAdds ||
      (!hasSingleElements(kernel, extents) && !isAttention)) {
    if (Status s = evaluateWhole(problem, std::ref(comparison)); !s.ok())
      return s;
    return report;
  }
  const uint32_t dest = kernel.semantics->steps.back().dest;
  if (isAttention) {
    const std::vector<int64_t> &e = extents[dest];
    if (Status s = evaluateRows(problem,
                                sampleOffsets({e[0] * e[1], e[2], 1},
                                              limits.samples / 8, limits.seed),
                                std::ref(comparison));
        !s.ok())
      return s;
    return report;
  }
  if (Status s = evaluateElements(
          problem, sampleOffsets(extents[dest], limits.samples, limits.seed),
          std::ref(comparison));
      !s.ok())
    return s;
  if (Status s =
          detail::compareChecksums(problem, results, limits.seed, report);
      !s.ok())
    return s;
  return report;
}

} // namespace helios::bench
