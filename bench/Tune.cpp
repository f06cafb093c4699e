// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search: schedules in the order of the model's prices are compiled, must
// give right results on inputs drawn anew, and have one short measurement; the
// fastest and their neighbours meet in a contest, from which those leave that
// are slower beyond doubt.

#include "Split.h"
#include "Tuner.h"
#include "helios/Bench/Paired.h"
#include "helios/Bench/Parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <tuple>

namespace helios::bench {

namespace {

/// Schedules beyond this multiple of the cheapest price are not tried.
constexpr double kMostExpensive = 2;
/// Schedules whose neighbours are tried, and that meet in the contest.
constexpr size_t kParents = 2, kFinalists = 4;
/// Launches of a sample take about so long, on a GPU and on a CPU.
constexpr double kGpuSampleNs = 15e6, kCpuSampleNs = 50e6;
/// Work of a GPU before a schedule is timed.
constexpr std::chrono::milliseconds kGpuWarmUp(250);
/// Samples of each contender before one may leave, and in all.
constexpr int64_t kLeastRounds = 6, kGpuRounds = 24, kCpuRounds = 8;
/// Compilers that run at the same time, at most.
constexpr int64_t kMostCompilers = 24;
/// A schedule with which the process ended so often is not tried again.
constexpr int64_t kMostAttempts = 2;

std::string typesOf(const GemmFamily &family) {
  return std::string(bundle::mlirTypeName(family.a)) + ":" +
         bundle::mlirTypeName(family.b) + ":" +
         bundle::mlirTypeName(family.accumulator) +
         (family.fastSums ? "fast" : "") + ":" + bundle::mlirTypeName(family.d);
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

} // namespace

std::vector<std::string> neighboursOf(const std::string &schedule) {
  // Parameters by name, in order.
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const std::string &part : split(schedule, ',')) {
    const size_t equals = part.find('=');
    parameters.emplace_back(
        part.substr(0, equals),
        equals == std::string::npos ? "" : part.substr(equals + 1));
  }
  std::vector<std::string> found;
  auto with = [&](const std::string &name, int64_t value) {
    std::string text;
    for (const auto &[key, given] : parameters)
      text += (text.empty() ? "" : ",") + key + "=" +
              (key == name ? std::to_string(value) : given);
    found.push_back(text);
  };
  for (const auto &[key, given] : parameters) {
    const int64_t value = std::atoll(given.c_str());
    if (key == "raster" && value > 1)
      with(key, value / 2);
    if (key == "raster" && value < 64)
      with(key, value * 2);
    if (key == "depth" && value > 2)
      with(key, value - 1);
  }
  return found;
}

std::vector<size_t> survivors(const std::vector<std::vector<double>> &times,
                              size_t keep) {
  size_t fastest = 0;
  for (size_t i = 1; i < times.size(); ++i)
    if (pairedRatio(times[i], times[fastest]).ratio > 1)
      fastest = i;
  std::vector<size_t> left;
  for (size_t i = 0; i < times.size(); ++i)
    if (i == keep || i == fastest ||
        pairedRatio(times[fastest], times[i]).low <= 1)
      left.push_back(i);
  return left;
}

Status Tuner::compile(const std::vector<std::string> &schedules) {
  const auto count = int64_t(schedules.size());
  std::atomic<int64_t> next{0};
  parallelFor(
      std::min({count, kMostCompilers, int64_t(workerCount())}), [&](int64_t) {
        for (int64_t i = next++; i < count && !interrupted(); i = next++) {
          bool compiled = false;
          BundleSource source = sourceFor(schedules[size_t(i)]);
          // What fails is asked again, for its reason.
          static_cast<void>(bundleFor(source, text, label, compiled));
        }
      });
  return interrupted() ? Status(StatusCode::Device, "interrupted")
                       : Status::success();
}

Result<std::vector<TuneCandidate>> Tuner::list(const Options::Shape &shape) {
  BundleSource source = sourceFor("");
  std::string extents;
  auto all = gemmExtents(family, shape.m, shape.n, shape.k, 0);
  for (size_t i = 0; i + 1 < all.size(); ++i) { // the last is the result's
    extents += i ? "," : "";
    for (size_t d = 0; d < all[i].size(); ++d)
      extents += (d ? "x" : "") + std::to_string(all[i][d]);
  }
  source.shapes = extents;
  bool compiled = false;
  auto path = bundleFor(source, text, label + ", its schedules", compiled);
  if (!path.ok())
    return path.status();
  auto read = readText(*path);
  auto json = read.ok() ? Json::parse(*read) : Result<Json>(read.status());
  if (!json.ok())
    return json.status();
  isAligned = (*json)["aligned"].asBool();
  std::vector<TuneCandidate> listed;
  for (const Json &one : (*json)["schedules"].elements()) {
    TuneCandidate candidate;
    candidate.schedule = one["schedule"].asString();
    candidate.price = one["price"].asNumber();
    listed.push_back(std::move(candidate));
  }
  const size_t fit = listed.size();
  while (!listed.empty() &&
         (listed.size() > size_t(tune.candidates) ||
          listed.back().price > kMostExpensive * listed.front().price))
    listed.pop_back();
  progress(label + " on row " + row + ": " + std::to_string(listed.size()) +
           " of " + std::to_string(fit) +
           " schedules that fit are among the cheapest");
  return listed;
}

Result<Case> Tuner::caseFor(const std::string &schedule,
                            const Options::Shape &shape) {
  bool compiled = false;
  auto path = bundleFor(sourceFor(schedule), text, label, compiled);
  if (!path.ok())
    return path.status();
  auto made = gemmCase(family, *path);
  return made.ok() ? withShape(*made, family, shape, 0) : made;
}

Result<double> Tuner::sample(const Contender &contender) {
  std::vector<std::shared_ptr<rt::Launch>> rotation;
  for (const Runner::Set &set : contender.sets)
    rotation.push_back(set.launch);
  auto timing = stream->time(rotation, uint32_t(contender.launches));
  if (!timing.ok())
    return timing.status();
  return medianOf(timing->gpuNs);
}

Status Tuner::open(const Case &c, Contender &contender, CaseResult &result) {
  contender.prepared = runner.prepare(c, result);
  if (!contender.prepared)
    return result.error.ok() ? Status(StatusCode::WrongResult, result.reason)
                             : result.error;
  const bool isGpu = device->info().deviceClass == rt::DeviceClass::Gpu;
  auto probe = stream->time({contender.prepared->set.launch}, 2);
  if (!probe.ok())
    return probe.status();
  const double once = std::max(probe->gpuNs.back(), 1.0);
  contender.launches =
      std::clamp<int64_t>(int64_t((isGpu ? kGpuSampleNs : kCpuSampleNs) / once),
                          isGpu ? 4 : 1, 200);
  auto sets = runner.rotate(*contender.prepared, size_t(contender.launches));
  if (!sets.ok())
    return sets.status();
  contender.sets = std::move(*sets);
  // The clock of a card that rests is a fifth of what it is under load, and
  // rises within this time.
  const auto start = std::chrono::steady_clock::now();
  do {
    if (auto warm = sample(contender); !warm.ok())
      return warm.status();
  } while (isGpu && !interrupted() &&
           std::chrono::steady_clock::now() - start < kGpuWarmUp);
  return Status::success();
}

Status Tuner::measure(TuneCandidate &candidate, const Options::Shape &shape) {
  auto end = [&](TuneState state, const std::string &reason) {
    candidate.state = state;
    candidate.reason = reason.substr(0, 500);
    return database.save();
  };
  auto made = caseFor(candidate.schedule, shape);
  if (interrupted())
    return Status(StatusCode::Device, "interrupted");
  if (!made.ok())
    return end(TuneState::Refused, made.status().message());
  if (candidate.attempts >= kMostAttempts)
    return end(TuneState::Quarantined, "the process ended while it ran, " +
                                           std::to_string(candidate.attempts) +
                                           " times");
  ++candidate.attempts;
  candidate.state = TuneState::Running;
  if (Status s = database.save(); !s.ok())
    return s;
  Contender contender;
  CaseResult result;
  Status s = open(*made, contender, result);
  Result<double> ns = 0.0;
  if (s.ok()) {
    ns = sample(contender);
    s = ns.ok()
            ? runner.checkUnchanged(*contender.prepared, contender.sets.front())
            : ns.status();
  }
  if (interrupted()) {
    --candidate.attempts;
    static_cast<void>(database.save());
    return Status(StatusCode::Device, "interrupted");
  }
  if (s.ok()) {
    candidate.ns = *ns;
    return end(TuneState::Measured, "");
  }
  if (s.code() == StatusCode::Unsupported ||
      s.code() == StatusCode::OutOfMemory ||
      s.code() == StatusCode::InvalidInput)
    return end(TuneState::Refused, s.message());
  if (Status saved = end(TuneState::Quarantined, s.message()); !saved.ok())
    return saved;
  // A device that failed is of no use to those that come after.
  return s.code() == StatusCode::WrongResult ? Status::success() : s;
}

Status Tuner::measureAll(TuneEntry &entry,
                         const std::vector<std::string> &schedules,
                         const Options::Shape &shape) {
  std::vector<std::string> missing;
  for (const std::string &schedule : schedules)
    if (entry.candidate(schedule).state == TuneState::Running)
      missing.push_back(schedule);
  if (Status s = compile(missing); !s.ok())
    return s;
  double best = 0;
  for (size_t n = 0; n < missing.size(); ++n) {
    if (isSpent()) {
      progress("the budget is spent: " + std::to_string(missing.size() - n) +
               " schedules are not measured");
      return Status::success();
    }
    TuneCandidate &candidate = entry.candidate(missing[n]);
    if (Status s = measure(candidate, shape); !s.ok())
      return s;
    const bool measured = candidate.state == TuneState::Measured;
    best = measured && (best == 0 || candidate.ns < best) ? candidate.ns : best;
    progress(
        "[" + std::to_string(n + 1) + "/" + std::to_string(missing.size()) +
        "] " +
        (measured
             ? formatTime(candidate.ns) + " (best " + formatTime(best) + ")"
             : std::string(tuneStateName(candidate.state)) + ": " +
                   candidate.reason.substr(0, candidate.reason.find('\n'))) +
        ": " + candidate.schedule);
  }
  return Status::success();
}

/// The schedules that have been measured, the fastest first.
static std::vector<std::string> fastestOf(const TuneEntry &entry) {
  std::vector<const TuneCandidate *> measured;
  for (const TuneCandidate &c : entry.candidates)
    if (c.state == TuneState::Measured)
      measured.push_back(&c);
  std::sort(measured.begin(), measured.end(),
            [](const TuneCandidate *a, const TuneCandidate *b) {
              return std::tie(a->ns, a->schedule) <
                     std::tie(b->ns, b->schedule);
            });
  std::vector<std::string> names;
  for (const TuneCandidate *c : measured)
    names.push_back(c->schedule);
  return names;
}

Status Tuner::contest(TuneEntry &entry, const Case &modelCase,
                      const Options::Shape &shape) {
  std::vector<std::string> names{""}; // the model's choice, as it is launched
  for (const std::string &name : fastestOf(entry))
    if (names.size() <= kFinalists && name != entry.model)
      names.push_back(name);
  std::vector<Contender> contenders(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    auto made = i ? caseFor(names[i], shape) : Result<Case>(modelCase);
    CaseResult result;
    Status s = made.ok() ? open(*made, contenders[i], result) : made.status();
    if (s.ok())
      continue;
    if (i && s.code() == StatusCode::WrongResult) {
      TuneCandidate &candidate = entry.candidate(names[i]);
      candidate.state = TuneState::Quarantined;
      candidate.reason = s.message().substr(0, 500);
      if (Status saved = database.save(); !saved.ok())
        return saved;
      return contest(entry, modelCase, shape); // without it
    }
    return s;
  }
  std::vector<size_t> left(names.size());
  for (size_t i = 0; i < left.size(); ++i)
    left[i] = i;
  std::vector<std::vector<double>> times(names.size());
  const bool isGpu = device->info().deviceClass == rt::DeviceClass::Gpu;
  const int64_t rounds = isGpu ? kGpuRounds : kCpuRounds;
  for (int64_t round = 0; round < rounds && left.size() > 1; ++round) {
    if (interrupted())
      return Status(StatusCode::Device, "interrupted");
    // There and back, so that no one always follows the same one.
    std::vector<size_t> order = left;
    if (round % 2)
      std::reverse(order.begin(), order.end());
    for (size_t i : order) {
      auto ns = sample(contenders[i]);
      if (!ns.ok())
        return ns.status();
      times[i].push_back(*ns);
    }
    if (round + 1 < kLeastRounds)
      continue;
    std::vector<std::vector<double>> seen;
    for (size_t i : left)
      seen.push_back(times[i]);
    std::vector<size_t> still;
    for (size_t position : survivors(seen, 0))
      still.push_back(left[position]);
    left = std::move(still);
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (Status s = runner.checkUnchanged(*contenders[i].prepared,
                                         contenders[i].sets.front());
        !s.ok())
      return s;
  // The fastest of those left; the model's choice stays where none is faster
  // beyond doubt.
  size_t best = 0;
  PairedRatio ratio;
  ratio.ratio = ratio.low = ratio.high = 1;
  for (size_t i : left)
    if (i != 0)
      if (PairedRatio r = pairedRatio(times[i], times[0]);
          r.ratio > ratio.ratio)
        best = i, ratio = r;
  entry.winner = best && ratio.low > 1 ? names[best] : "";
  entry.ratio = best ? ratio.ratio : 1;
  entry.low = best ? ratio.low : 1;
  entry.high = best ? ratio.high : 1;
  const std::vector<double> &won = times[entry.winner.empty() ? 0 : best];
  const TuneCandidate *alone = entry.find(entry.model);
  entry.ns = !won.empty() ? medianOf(won) : alone ? alone->ns : 0;
  entry.isDone = !isCutShort;
  return database.save();
}

Status Tuner::prepare(const Options::Shape &shape) {
  row = options.target.substr(options.target.find(':') + 1);
  auto listed = list(shape);
  if (!listed.ok())
    return listed.status();
  std::vector<std::string> schedules{""};
  for (const TuneCandidate &candidate : *listed) {
    schedules.push_back(candidate.schedule);
    for (const std::string &neighbour : neighboursOf(candidate.schedule))
      schedules.push_back(neighbour);
  }
  return compile(schedules);
}

Status Tuner::run(const Options::Shape &shape, TuneEntry *&result) {
  auto model = caseFor("", shape);
  if (!model.ok())
    return model.status();
  const std::string name = label + " " + model->shape;
  auto kernel = device->loadKernel(model->bundle, model->kernel, {});
  if (!kernel.ok())
    return kernel.status();
  row = (*kernel)->implementation().row;
  options.target =
      options.target.substr(0, options.target.find(':')) + ":" + row;
  // Of the one row, as the candidates are.
  model = caseFor("", shape);
  auto listed = model.ok() ? list(shape)
                           : Result<std::vector<TuneCandidate>>(model.status());
  if (!listed.ok())
    return listed.status();
  TuneEntry &entry = database.entry(keyOf(shape));
  result = &entry;
  if (entry.isDone) {
    progress(name + ": measured before, " + entry.date);
    return Status::success();
  }
  CaseResult checked;
  auto prepared = runner.prepare(*model, checked);
  if (!prepared)
    return (checked.error.ok() ? Status(StatusCode::WrongResult, checked.reason)
                               : checked.error)
        .withPrefix(name + ", the model's choice: ");
  std::string chosen;
  for (const auto &choice : prepared->set.launch->plan().choices)
    chosen = choice.taken ? choice.schedule : chosen;
  if (prepared->set.launch->variantName().rfind("any", 0) == 0 &&
      listed->size() > 1)
    return Status::unsupported(
        name + ": nothing to tune: its rows are no multiples of 16 bytes, and "
               "the program for these has one schedule");
  prepared.reset();

  entry.extents = {shape.m, shape.n, shape.k};
  entry.date = date;
  entry.model = chosen;
  isCutShort = false;
  std::vector<std::string> schedules;
  for (const TuneCandidate &candidate : *listed) {
    entry.candidate(candidate.schedule).price = candidate.price;
    schedules.push_back(candidate.schedule);
  }
  if (std::find(schedules.begin(), schedules.end(), chosen) == schedules.end())
    schedules.push_back(chosen);
  if (Status s = measureAll(entry, schedules, shape); !s.ok())
    return s;
  std::vector<std::string> more, parents = fastestOf(entry);
  parents.resize(std::min(parents.size(), kParents));
  for (const std::string &parent : parents)
    for (const std::string &neighbour : neighboursOf(parent))
      if (std::find(more.begin(), more.end(), neighbour) == more.end())
        more.push_back(neighbour);
  if (!isSpent())
    if (Status s = measureAll(entry, more, shape); !s.ok())
      return s;
  return contest(entry, *model, shape);
}

TuneKey Tuner::keyOf(const Options::Shape &shape) const {
  const rt::DeviceInfo &info = device->info();
  TuneKey key;
  key.device = info.name;
  key.driver = info.driverDescription;
  key.compiler = rt::runtimeVersion();
  key.commit = commit;
  key.row = row;
  key.op = "gemm";
  key.types = typesOf(family);
  key.layout = family.layout();
  key.epilogue = family.epilogueName();
  for (const rt::ListedShape &listed : info.matrixShapes)
    if (listed.verdict == rt::ListedShape::Verdict::Verified)
      key.matrices.push_back(bundle::toString(listed.shape));
  const int64_t extents[] = {shape.m, shape.n, shape.k};
  for (size_t i = 0; i < 3; ++i) {
    const Bucket bucket = bucketOf(extents[i]);
    key.above[i] = bucket.above;
    key.upTo[i] = bucket.upTo;
  }
  key.aligned = isAligned;
  return key;
}

} // namespace helios::bench
