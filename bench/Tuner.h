// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One family of products on one device, tuned shape by shape.

#ifndef HELIOS_LIB_BENCH_TUNER_H
#define HELIOS_LIB_BENCH_TUNER_H

#include "helios/Bench/Report.h"
#include "helios/Bench/Tune.h"
#include <chrono>

namespace helios::bench {

class Tuner {
public:
  using Clock = std::chrono::steady_clock;

  /// `options.target` becomes that of the row.
  Tuner(std::shared_ptr<rt::Device> device, std::shared_ptr<rt::Stream> stream,
        Options given, const TuneOptions &tune, const GemmFamily &family,
        TuneDatabase &database, Clock::time_point start, std::string commit,
        std::string date, Progress progress, Interrupted interrupted)
      : device(device), stream(stream), options(std::move(given)), tune(tune),
        family(family), database(database), start(start),
        commit(std::move(commit)), date(std::move(date)),
        progress(std::move(progress)), interrupted(interrupted),
        runner(std::move(device), std::move(stream), options,
               std::move(interrupted)),
        text(gemmText(family)),
        label("gemm " + family.types() + " " + family.layout() + " " +
              family.epilogueName()) {}

  /// Has everything compiled that the shape may need, for a machine that has
  /// no compiler. Needs no device; the target names a row.
  Status prepare(const Options::Shape &shape);
  /// Measures one shape. `result` becomes the entry of the database, which is
  /// written after every schedule.
  Status run(const Options::Shape &shape, TuneEntry *&result);

private:
  /// A schedule that is ready to be timed.
  struct Contender {
    std::optional<Runner::Prepared> prepared;
    std::vector<Runner::Set> sets;
    int64_t launches = 0; ///< of a sample
  };

  BundleSource sourceFor(const std::string &schedule) const {
    BundleSource source = bundleSource(options);
    source.schedule = schedule;
    return source;
  }
  /// Has bundles of these schedules made, several at a time.
  Status compile(const std::vector<std::string> &schedules);
  /// The cheapest schedules by the compiler's model.
  Result<std::vector<TuneCandidate>> list(const Options::Shape &shape);
  Result<Case> caseFor(const std::string &schedule,
                       const Options::Shape &shape);
  /// Checks a case and makes it ready. WrongResult: why it may not be timed.
  Status open(const Case &c, Contender &contender, CaseResult &result);
  /// Median time of a launch.
  Result<double> sample(const Contender &contender);
  /// Checks and times one schedule; what comes of it is written down.
  Status measure(TuneCandidate &candidate, const Options::Shape &shape);
  Status measureAll(TuneEntry &entry, const std::vector<std::string> &schedules,
                    const Options::Shape &shape);
  Status contest(TuneEntry &entry, const Case &modelCase,
                 const Options::Shape &shape);
  TuneKey keyOf(const Options::Shape &shape) const;
  bool isSpent() {
    isCutShort |= tune.budget > 0 &&
                  std::chrono::duration<double>(Clock::now() - start).count() >
                      tune.budget;
    return isCutShort;
  }

  std::shared_ptr<rt::Device> device;
  std::shared_ptr<rt::Stream> stream;
  Options options;
  const TuneOptions &tune;
  const GemmFamily &family;
  TuneDatabase &database;
  Clock::time_point start;
  std::string commit, date;
  Progress progress;
  Interrupted interrupted;
  Runner runner;
  std::string text, label, row;
  bool isAligned = true, isCutShort = false;
};

} // namespace helios::bench

#endif // HELIOS_LIB_BENCH_TUNER_H
