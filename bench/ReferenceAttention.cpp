// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in double precision, row by row, with bounds on what a kernel may
// make of it. docs/benchmarking.md derives them.

#include "ReferenceImpl.h"
#include "helios/Bench/Numbers.h"
#include "helios/Bench/Parallel.h"

#include <algorithm>
#include <cmath>

namespace helios::bench::detail {

using bundle::ElementType;
using bundle::Step;

namespace {

/// Scores of a task's rows held at once.
constexpr int64_t kScoresOfTask = 1 << 20;
/// Rows of a task at most.
constexpr int64_t kRowsOfTask = 64;
/// Errors of scores up to this are followed to first order; rows with larger
/// ones may be any mean of the values.
constexpr double kLargeError = 0.5;

/// Below this a device may flush a number of the type.
double smallestNormal(ElementType type) {
  return type == ElementType::F16 ? 0x1p-14 : 0x1p-126;
}

Step withRegion(const Step &step, const bundle::Region &region) {
  Step changed = step;
  changed.region = region;
  return changed;
}

/// What all threads share.
struct Attention {
  Attention(const Problem &problem, const Step &step,
            const AttentionExtents &extents,
            const std::vector<const HostTensor *> &slots)
      : step(step), extents(extents), query(*slots[step.a]),
        key(*slots[step.b]), value(*slots[step.attention.value]),
        maskStep(withRegion(step, step.attention.mask)),
        score(problem, this->step, extents.scores(), slots),
        mask(problem, maskStep, extents.scores(), slots),
        scale(step.attention.scale ? *step.attention.scale
                                   : 1 / std::sqrt(double(extents.depth))),
        u(unitRoundoff(step.accumulator)),
        probability(
            problem.kernel->semantics->slots[step.attention.value].type),
        resultType(problem.kernel->semantics->slots[step.dest].type) {
    const bool exact = key.lo.empty() && query.lo.empty();
    auto isInteger = [](double v) { return v == std::trunc(v); };
    integers = exact &&
               std::all_of(key.values.begin(), key.values.end(), isInteger) &&
               std::all_of(query.values.begin(), query.values.end(), isInteger);
  }
  Attention(const Attention &) = delete;

  bool hasScore() const { return !step.region.ops.empty(); }
  bool hasMask() const { return !maskStep.region.ops.empty(); }

  const Step &step;
  const AttentionExtents &extents;
  const HostTensor &query, &key, &value;
  const Step maskStep;
  const StepContext score, mask;
  const double scale, u;
  const ElementType probability, resultType;
  bool integers;
};

double radiusOf(const HostTensor &t, size_t e) {
  return t.lo.empty() ? 0
                      : std::max(t.values[e] - t.lo[e], t.hi[e] - t.values[e]);
}

/// Keys and values of one head of them, packed.
class KeyHead {
public:
  KeyHead(const Attention &a, int64_t batch, int64_t head)
      : extents(a.extents),
        first((batch * extents.keyHeads + head) * extents.keys),
        keys({a.key.values.data() + first * extents.depth, 1, extents.depth},
             extents.depth, extents.keys),
        norms(size_t(extents.keys)), radii(size_t(extents.keys)),
        largest(size_t(extents.valueDepth)) {
    for (int64_t j = 0; j < extents.keys; ++j) {
      double squares = 0, radius = 0;
      for (int64_t d = 0; d < extents.depth; ++d) {
        const auto e = size_t((first + j) * extents.depth + d);
        squares += a.key.values[e] * a.key.values[e];
        radius += radiusOf(a.key, e) * radiusOf(a.key, e);
      }
      norms[size_t(j)] = std::sqrt(squares);
      radii[size_t(j)] = std::sqrt(radius);
    }
    packValues(a);
  }

  /// Columns of what `values` gives: the sum, and that of squares; with bounds,
  /// that of radii.
  int64_t valueColumns() const {
    return extents.valueDepth * (hasRadii ? 3 : 2);
  }

private:
  void packValues(const Attention &a) {
    const int64_t depth = extents.valueDepth;
    hasRadii = !a.value.lo.empty();
    const int64_t width = valueColumns();
    std::vector<double> all(size_t(extents.keys * width)),
        squares(size_t(extents.keys * depth));
    for (int64_t j = 0; j < extents.keys; ++j) {
      const double *row = a.value.values.data() + (first + j) * depth;
      const bool finite = std::all_of(
          row, row + depth, [](double v) { return std::isfinite(v); });
      if (!finite)
        special.push_back(j);
      for (int64_t d = 0; d < depth; ++d) {
        const double v = finite ? row[d] : 0;
        all[size_t(j * width + d)] = v;
        all[size_t(j * width + depth + d)] = squares[size_t(j * depth + d)] =
            v * v;
        if (hasRadii)
          all[size_t(j * width + 2 * depth + d)] =
              radiusOf(a.value, size_t((first + j) * depth + d));
        largest[size_t(d)] = std::max(largest[size_t(d)], std::fabs(v));
      }
    }
    values.emplace(MatrixView{all.data(), width, 1}, extents.keys, width);
    squaresOf.emplace(MatrixView{squares.data(), depth, 1}, extents.keys,
                      depth);
  }

public:
  const AttentionExtents &extents;
  const int64_t first; ///< row of key 0 in the key's and the value's tensor
  const PackedColumns keys;
  std::optional<PackedColumns> values, squaresOf;
  std::vector<double> norms, radii; ///< of each key
  std::vector<double> largest;      ///< magnitude of each column of values
  std::vector<int64_t> special;     ///< keys whose values are not all finite
  bool hasRadii = false;
};

/// What one row's softmax gives, and how far a kernel's may be off.
struct RowSums {
  enum class Kind { Empty, Number, NotANumber } kind = Kind::Empty;
  double largest = 0;   ///< of the scores
  double sum = 0;       ///< of exp(score - largest)
  double squares = 0;   ///< of these, squared
  double error = 0;     ///< relative, of the weights that count
  double meanError = 0; ///< the same as a weighted mean
  double loose = 0;     ///< weight that may come or go
  double flushed = 0;   ///< weight below what the type holds normally
  double least = 0;     ///< sum, with the least of what may take part
  double most = 0;      ///< sum, with the most of it
  int64_t admitted = 0;
};

/// Some rows of one head; one object a thread.
class RowTask {
public:
  RowTask(const Attention &a, const SlotSink &done)
      : a(a), e(a.extents), done(done), score(a.score), mask(a.mask) {}

  /// Rows `first` to `first + count` of `rows` (numbers of queries).
  void run(const KeyHead &head, int64_t batch, int64_t headNumber,
           const int64_t *queries, int64_t count) {
    row0 = (batch * e.heads + headNumber) * e.queries;
    rows = queries;
    count_ = count;
    gatherQueries();
    admit();
    sums.assign(size_t(count), RowSums());
    const int64_t width = PackedColumns::panelColumns();
    const int64_t firstPanel = low / width,
                  endPanel =
                      high > low ? (high + width - 1) / width : firstPanel;
    base = firstPanel * width;
    ld = std::max<int64_t>((endPanel - firstPanel) * width, width);
    const int64_t padded = PackedColumns::paddedRows(count);
    weights.assign(size_t(padded * ld), 0);
    head.keys.multiply({q.data(), e.depth, 1}, count, 0, e.depth, firstPanel,
                       endPanel, weights.data(), ld);
    squares.assign(size_t(count * ld), 0);
    for (int64_t r = 0; r < count; ++r)
      softmax(head, r);
    const int64_t valueWidth = head.values->panels() * width,
                  squareWidth = head.squaresOf->panels() * width;
    totals.assign(size_t(padded * valueWidth), 0);
    totalSquares.assign(size_t(padded * squareWidth), 0);
    head.values->multiply({weights.data() + (low - base), ld, 1}, count, low,
                          high, 0, head.values->panels(), totals.data(),
                          valueWidth);
    head.squaresOf->multiply({squares.data() + (low - base), ld, 1}, count, low,
                             high, 0, head.squaresOf->panels(),
                             totalSquares.data(), squareWidth);
    for (int64_t r = 0; r < count; ++r)
      finish(head, r, totals.data() + r * valueWidth,
             totalSquares.data() + r * squareWidth);
    finishLse();
  }

private:
  void gatherQueries() {
    q.resize(size_t(count_ * e.depth));
    qNorm.assign(size_t(count_), 0);
    qRadius.assign(size_t(count_), 0);
    for (int64_t r = 0; r < count_; ++r) {
      double sum = 0, radius = 0;
      for (int64_t d = 0; d < e.depth; ++d) {
        const auto at = size_t((row0 + rows[r]) * e.depth + d);
        const double v = q[size_t(r * e.depth + d)] = a.query.values[at];
        sum += v * v;
        radius += radiusOf(a.query, at) * radiusOf(a.query, at);
      }
      qNorm[size_t(r)] = std::sqrt(sum);
      qRadius[size_t(r)] = std::sqrt(radius);
    }
  }

  /// Which keys each row may look at, and the range of all.
  void admit() {
    low = 0, high = e.keys;
    if (!a.hasMask())
      return;
    admitted.assign(size_t(count_ * e.keys), kNo);
    low = e.keys, high = 0;
    for (int64_t r = 0; r < count_; ++r)
      for (int64_t j = 0; j < e.keys; j += kLanes) {
        const int count = int(std::min<int64_t>(kLanes, e.keys - j));
        const Lanes &m =
            mask.evaluate((row0 + rows[r]) * e.keys + j, count, nullptr);
        for (int c = 0; c < count; ++c) {
          const uint8_t can = m.lo[c] != m.hi[c] ? kPerhaps
                              : m.integer[c]     ? kYes
                                                 : kNo;
          admitted[size_t(r * e.keys + j + c)] = can;
          if (can == kNo)
            continue;
          low = std::min(low, j + c);
          high = std::max(high, j + c + 1);
        }
      }
    if (high <= low)
      low = high = 0;
  }

  /// Scores of a row from the products, with the error of each.
  void scoresOf(const KeyHead &head, int64_t r) {
    double *const t = weights.data() + r * ld - base;
    errors.assign(size_t(high), 0);
    const double factor =
        a.integers ? 0 : sumTolerance(a.step.accumulator, e.depth).factor;
    const double qn = qNorm[size_t(r)], qr = qRadius[size_t(r)];
    for (int64_t j = low; j < high; ++j) {
      const double kn = head.norms[size_t(j)], kr = head.radii[size_t(j)];
      t[j] *= a.scale;
      double off = factor * qn * kn;
      if (qr != 0 || kr != 0)
        off += qn * kr + qr * (kn + kr);
      errors[size_t(j)] = std::fabs(a.scale) * off + 2 * a.u * std::fabs(t[j]);
    }
    if (!a.hasScore())
      return;
    for (int64_t j = low; j < high; j += kLanes) {
      const int count = int(std::min<int64_t>(kLanes, high - j));
      for (int c = 0; c < count; ++c) {
        lanes.value[c] = t[j + c];
        lanes.lo[c] = t[j + c] - errors[size_t(j + c)];
        lanes.hi[c] = t[j + c] + errors[size_t(j + c)];
        lanes.integer[c] = 0;
      }
      const Lanes &s =
          score.evaluate((row0 + rows[r]) * e.keys + j, count, &lanes);
      for (int c = 0; c < count; ++c) {
        t[j + c] = s.value[c];
        errors[size_t(j + c)] =
            s.lo[c] == s.hi[c]
                ? 0
                : std::max(s.hi[c] - s.value[c], s.value[c] - s.lo[c]);
      }
    }
  }

  /// Turns a row of products into weights exp(score - largest), 0 where nothing
  /// takes part.
  void softmax(const KeyHead &head, int64_t r) {
    scoresOf(head, r);
    double *const t = weights.data() + r * ld - base, *const w2 =
                                                          squares.data() +
                                                          r * ld - base;
    RowSums &row = sums[size_t(r)];
    const uint8_t *const can =
        a.hasMask() ? admitted.data() + r * e.keys : nullptr;
    double largest = -INFINITY;
    bool isNan = false;
    for (int64_t j = low; j < high; ++j) {
      if (can && can[j] == kNo)
        continue;
      ++row.admitted;
      isNan |= std::isnan(t[j]);
      largest = std::max(largest, t[j]);
    }
    row.largest = largest;
    if (isNan || largest == INFINITY)
      row.kind = RowSums::Kind::NotANumber;
    else if (largest > -INFINITY)
      row.kind = RowSums::Kind::Number;
    const double tiny = smallestNormal(a.probability);
    for (int64_t j = low; j < high; ++j) {
      if (row.kind != RowSums::Kind::Number || (can && can[j] == kNo)) {
        t[j] = 0;
        continue;
      }
      const double off = errors[size_t(j)];
      const double w = std::exp(t[j] - largest);
      // The exponent is a difference of scores; both, the product with log2(e)
      // and 2^x itself are rounded.
      const double more =
          std::isfinite(t[j])
              ? a.u * (8 + 8 * (std::fabs(t[j]) + std::fabs(largest)))
              : 0;
      const double relative = w > 0 ? std::expm1(off + more) : 0;
      const bool isLoose = (can && can[j] == kPerhaps) ||
                           !(relative < kLargeError) || (w == 0 && off > 0);
      if (isLoose)
        row.loose +=
            std::isinf(off) || std::isnan(off)
                ? INFINITY
                : std::max(w,
                           std::exp(std::min(
                               t[j] == -INFINITY ? 0.0 : t[j] - largest + off,
                               700.0)));
      else if (w > 0x1p-40)
        row.error = std::max(row.error, relative);
      if (!isLoose)
        row.meanError += w * relative;
      // A sum of exponentials lies between those of the least scores and of
      // the largest.
      const double away = off + more;
      if (!can || can[j] == kYes)
        row.least += std::isfinite(away) ? std::exp(t[j] - largest - away) : 0;
      row.most +=
          std::isfinite(away) ? std::exp(t[j] - largest + away) : INFINITY;
      if (w < tiny)
        row.flushed += w;
      row.sum += w;
      row.squares += w * w;
      t[j] = w;
      w2[j] = w * w;
    }
  }

  void finish(const KeyHead &head, int64_t r, const double *total,
              const double *totalSquare) {
    const RowSums &row = sums[size_t(r)];
    const int64_t depth = e.valueDepth;
    const double factor =
        sumTolerance(a.step.accumulator, std::max<int64_t>(row.admitted, 1))
            .factor;
    const double up = unitRoundoff(a.probability);
    const double *const w = weights.data() + r * ld - base;
    const bool isSpecial =
        row.kind == RowSums::Kind::Number &&
        std::any_of(head.special.begin(), head.special.end(), [&](int64_t j) {
          return j >= low && j < high && w[j] > 0;
        });
    const double error =
        row.error < kLargeError ? row.error / (1 - row.error) : INFINITY;
    for (int64_t d0 = 0; d0 < depth; d0 += kLanes) {
      const int count = int(std::min<int64_t>(kLanes, depth - d0));
      for (int c = 0; c < count; ++c) {
        const int64_t d = d0 + c;
        double o = 0, off = 0;
        if (row.kind == RowSums::Kind::NotANumber) {
          o = NAN;
        } else if (row.kind == RowSums::Kind::Number) {
          o = total[d] / row.sum;
          const double second = total[depth + d] / row.sum;
          const double norm = std::sqrt(second),
                       spread = std::sqrt(std::max(second - o * o, 0.0));
          const double walk = std::sqrt(totalSquare[d]) / row.sum;
          const double most = head.largest[size_t(d)];
          off = error * spread + 2 * most * row.loose / row.sum;
          off = std::isnan(off) ? INFINITY : off;
          // Any weights at all give a mean of the values.
          off = std::min(off, 2 * most);
          off += up * std::min(norm, std::fabs(o) + 4 * walk) +
                 most * row.flushed / row.sum;
          off += factor * (norm + std::fabs(o)) + 8 * a.u * std::fabs(o);
          if (head.hasRadii)
            off += total[2 * depth + d] / row.sum;
          if (isSpecial)
            addSpecial(head, w, row.sum, d, o);
        }
        lanes.value[c] = o;
        lanes.lo[c] = std::isfinite(o) ? o - off : o;
        lanes.hi[c] = std::isfinite(o) ? o + off : o;
        lanes.integer[c] = 0;
        for (double *v : {&lanes.value[c], &lanes.lo[c], &lanes.hi[c]})
          *v = roundFloat(a.resultType, *v);
      }
      done(a.step.dest, (row0 + rows[r]) * depth + d0, count, lanes);
    }
  }

  /// Values that are infinite or NaN, which the products left out.
  void addSpecial(const KeyHead &head, const double *w, double sum, int64_t d,
                  double &o) const {
    for (int64_t j : head.special)
      if (j >= low && j < high && w[j] > 0)
        o += w[j] / sum *
             a.value.values[size_t((head.first + j) * e.valueDepth + d)];
  }

  void finishLse() {
    if (!a.step.attention.lse)
      return;
    int held = 0;
    for (int64_t r = 0; r < count_; ++r) {
      const RowSums &row = sums[size_t(r)];
      double v = -INFINITY, below = 0, above = 0;
      if (row.kind == RowSums::Kind::NotANumber) {
        v = NAN;
      } else if (row.kind == RowSums::Kind::Number) {
        v = row.largest + std::log(row.sum);
        const double roundings =
            row.flushed / row.sum +
            4 * unitRoundoff(a.probability) * std::sqrt(row.squares) / row.sum +
            sumTolerance(a.step.accumulator, std::max<int64_t>(row.admitted, 1))
                .factor;
        auto ofLogarithm = [&](double mean) {
          return (mean < kLargeError ? mean / (1 - mean) : INFINITY) +
                 a.u * (16 + 8 * (std::fabs(row.largest) +
                                  std::fabs(v - row.largest)));
        };
        const double mean = (row.meanError + row.loose) / row.sum + roundings;
        below = above = ofLogarithm(mean);
        if (!(mean < kLargeError)) {
          below = std::log(row.sum / row.least) + ofLogarithm(roundings);
          above = std::log(row.most / row.sum) + ofLogarithm(roundings);
        }
      }
      lanes.value[held] = v;
      lanes.lo[held] = std::isfinite(v) ? v - below : v;
      lanes.hi[held] = std::isfinite(v) ? v + above : v;
      lanes.integer[held] = 0;
      ++held;
      const bool ends = r + 1 == count_ || rows[r + 1] != rows[r] + 1;
      if (!ends && held < kLanes)
        continue;
      done(*a.step.attention.lse, row0 + rows[r] - held + 1, held, lanes);
      held = 0;
    }
  }

  enum : uint8_t { kNo, kYes, kPerhaps };

  const Attention &a;
  const AttentionExtents &e;
  const SlotSink &done;
  SegmentEvaluator score, mask;
  int64_t row0 = 0, count_ = 0;
  const int64_t *rows = nullptr;
  int64_t low = 0, high = 0; ///< keys that any row looks at
  int64_t base = 0, ld = 0; ///< of the weights: the first key, and a row's size
  std::vector<double> q, qNorm, qRadius, weights, squares, errors, totals,
      totalSquares;
  std::vector<uint8_t> admitted;
  std::vector<RowSums> sums;
  Lanes lanes;
};

/// Some rows of a head as a task.
struct Part {
  int64_t batch, head;
  std::vector<int64_t> queries;
};

/// Rows of each head, in order, in parts that give every thread work; all heads
/// of one head of keys stand together.
std::vector<std::vector<Part>> partsOf(const AttentionExtents &e,
                                       const std::vector<int64_t> *rows) {
  std::vector<std::vector<Part>> all;
  const int64_t group = e.keyHeads ? e.heads / e.keyHeads : 1;
  const int64_t most = std::clamp<int64_t>(
      kScoresOfTask / std::max<int64_t>(e.keys, 1), 8, kRowsOfTask);
  // Packing a head costs as much as a few rows of it.
  const int64_t wanted = int64_t(workerCount()) * 4,
                keyHeads = e.batch * e.keyHeads;
  const int64_t share = std::max<int64_t>(
      most, e.rows() / std::max<int64_t>(1, std::max(wanted, keyHeads)));
  int64_t lastKeyHead = -1, held = 0;
  auto add = [&](int64_t row) {
    const int64_t i = row % e.queries, head = row / e.queries % e.heads,
                  batch = row / e.queries / e.heads;
    const int64_t keyHead = batch * e.keyHeads + head / group;
    if (keyHead != lastKeyHead || held >= share) {
      all.emplace_back();
      held = 0;
    }
    lastKeyHead = keyHead;
    std::vector<Part> &task = all.back();
    if (task.empty() || task.back().head != head ||
        task.back().batch != batch ||
        int64_t(task.back().queries.size()) >= most)
      task.push_back({batch, head, {}});
    task.back().queries.push_back(i);
    ++held;
  };
  if (rows)
    for (int64_t row : *rows)
      add(row);
  else
    for (int64_t row = 0; row < e.rows(); ++row)
      add(row);
  return all;
}

} // namespace

Result<AttentionExtents>
attentionExtents(const Step &step,
                 const std::vector<std::vector<int64_t>> &slots) {
  const auto &q = slots[step.a], &k = slots[step.b],
             &v = slots[step.attention.value];
  auto bad = [&](const std::string &what) {
    return Status::invalidInput("attention: " + what + ": query " +
                                formatExtents(q) + ", key " + formatExtents(k) +
                                ", value " + formatExtents(v));
  };
  if (q.size() != 4 || k.size() != 4 || v.size() != 4)
    return bad("operands need four dimensions");
  if (q[0] != k[0] || q[0] != v[0])
    return bad("the batch extents disagree");
  if (k[1] != v[1])
    return bad("key and value disagree on heads");
  if (k[2] != v[2])
    return bad("key and value disagree on their length");
  if (q[3] != k[3])
    return bad("query and key disagree on their depth");
  if (q[1] != 0 && (k[1] == 0 || q[1] % k[1] != 0))
    return bad("the query's heads are no multiple of the key's");
  AttentionExtents e;
  e.batch = q[0];
  e.heads = q[1];
  e.keyHeads = k[1];
  e.queries = q[2];
  e.keys = k[2];
  e.depth = q[3];
  e.valueDepth = v[3];
  return e;
}

void runAttention(const Problem &problem, const Step &step,
                  const AttentionExtents &extents,
                  const std::vector<const HostTensor *> &slots,
                  const std::vector<int64_t> *rows, const SlotSink &done) {
  if (extents.rows() == 0)
    return;
  const Attention attention(problem, step, extents, slots);
  const std::vector<std::vector<Part>> tasks = partsOf(extents, rows);
  const int64_t group = extents.heads / extents.keyHeads;
  parallelFor(int64_t(tasks.size()), [&](int64_t n) {
    const std::vector<Part> &parts = tasks[size_t(n)];
    const KeyHead head(attention, parts.front().batch,
                       parts.front().head / group);
    RowTask task(attention, done);
    for (const Part &part : parts)
      task.run(head, part.batch, part.head, part.queries.data(),
               int64_t(part.queries.size()));
  });
}

double admittedPairs(const Problem &problem, const Step &step,
                     const AttentionExtents &e,
                     const std::vector<const HostTensor *> &slots) {
  const double all = double(e.rows()) * double(e.keys);
  if (step.attention.mask.ops.empty() || all == 0)
    return all;
  const Attention attention(problem, step, e, slots);
  const int64_t most = std::max<int64_t>(1, (int64_t(1) << 28) / e.keys);
  const int64_t count = std::min(e.rows(), most);
  std::vector<double> found(static_cast<size_t>(count));
  parallelFor(count, [&](int64_t n) {
    // The middle of each of `count` equal parts.
    const auto row =
        int64_t((double(n) + 0.5) * double(e.rows()) / double(count));
    SegmentEvaluator mask(attention.mask);
    for (int64_t j = 0; j < e.keys; j += kLanes) {
      const int lanes = int(std::min<int64_t>(kLanes, e.keys - j));
      const Lanes &m = mask.evaluate(row * e.keys + j, lanes, nullptr);
      for (int c = 0; c < lanes; ++c)
        found[size_t(n)] += m.integer[c] != 0;
    }
  });
  double sum = 0;
  for (double f : found)
    sum += f;
  return sum * double(e.rows()) / double(count);
}

} // namespace helios::bench::detail
