// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of helios-tune. What it shares with helios-bench is read by
// helios-bench's parser.

#include "BenchCommit.h"
#include "Tuner.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace helios::bench {

namespace {

/// Flags of helios-bench gemm that mean the same here.
const char *const kShared[] = {"--shapes",   "--types",        "--layout",
                               "--epilogue", "--device",       "--target",
                               "--compiler", "--bundle-cache", "--keep",
                               "--seed",     "--whole",        "--rotate"};

int report(const Status &s) {
  std::fprintf(stderr, "helios-tune: error: %s\n", s.message().c_str());
  return s.exitCode();
}

Result<double> parsePositive(const std::string &flag, const std::string &text,
                             double most) {
  char *end = nullptr;
  errno = 0;
  const double v = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || errno || !(v > 0 && v <= most))
    return Status::invalidInput(
        flag + ": expected a number above 0 and up to " +
        std::to_string(int64_t(most)) + ", got '" + text + "'");
  return v;
}

/// Takes this tool's flags; the words that are left are helios-bench's.
Status takeOwn(const std::vector<std::string> &words, TuneOptions &tune,
               std::vector<std::string> &left, bool &hasSeed) {
  for (size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i], value;
    const size_t equals = name.find('=');
    const bool attached = equals != std::string::npos && name[0] == '-';
    if (attached) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (name == "--prepare" && !attached) {
      tune.prepareOnly = true;
      continue;
    }
    const bool isOwn = name == "--db" || name == "--table" ||
                       name == "--budget" || name == "--candidates";
    const bool isShared = std::find(std::begin(kShared), std::end(kShared),
                                    name) != std::end(kShared);
    hasSeed |= name == "--seed";
    if (!isOwn && !isShared && name[0] == '-')
      return Status::invalidInput("unknown flag '" + name +
                                  "'; helios-tune --help lists them");
    if ((isOwn || isShared) && !attached) {
      if (i + 1 >= words.size())
        return Status::invalidInput(name + ": expected a value, got nothing");
      value = words[++i];
    }
    if (isShared) {
      left.insert(left.end(), {name, value});
    } else if (!isOwn) {
      left.push_back(name);
    } else if (name == "--db" || name == "--table") {
      if (value.empty())
        return Status::invalidInput(name + ": expected a file, got nothing");
      (name == "--db" ? tune.database : tune.table) = value;
    } else {
      auto v = parsePositive(name, value, name == "--budget" ? 1e6 : 10000);
      if (!v.ok())
        return v.status();
      if (name == "--budget")
        tune.budget = *v;
      else
        tune.candidates = std::max<int64_t>(1, int64_t(*v));
    }
  }
  return Status::success();
}

Status checkOptions(const Options &o, const TuneOptions &tune) {
  if (o.command != Options::Command::Gemm)
    return Status::invalidInput("expected the command gemm, got another");
  for (const Options::Shape &s : o.shapes)
    if (std::min({s.m, s.n, s.k}) < 1)
      return Status::invalidInput(
          "--shapes: expected extents of 1 or more, which take time, got " +
          std::to_string(s.m) + "x" + std::to_string(s.n) + "x" +
          std::to_string(s.k));
  if (tune.database.empty() && !tune.prepareOnly)
    return Status::invalidInput("--db: expected a file, got nothing");
  if (tune.prepareOnly && o.target.find(':') == std::string::npos)
    return Status::invalidInput("--prepare: expected a row with --target, as "
                                "in vulkan:ROW or cuda:ROW, got '" +
                                o.target + "'");
  return Status::success();
}

std::string today() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc;
  gmtime_r(&seconds, &utc);
  char text[40];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

void printResult(const TuneEntry &e, const std::string &name) {
  size_t measured = 0, quarantined = 0;
  for (const TuneCandidate &c : e.candidates) {
    measured += c.state == TuneState::Measured;
    quarantined += c.state == TuneState::Quarantined;
  }
  std::printf("%s on %s, row %s: %zu schedules measured, %zu quarantined\n",
              name.c_str(), e.key.device.c_str(), e.key.row.c_str(), measured,
              quarantined);
  if (e.winner.empty() && e.ratio > 1)
    std::printf("  winner  the model's choice, %s: nothing is faster beyond "
                "doubt (the best other: %.3f [%.3f, %.3f] times as fast)\n",
                formatTime(e.ns).c_str(), e.ratio, e.low, e.high);
  else if (e.winner.empty())
    std::printf("  winner  the model's choice, %s, 1.000 times as fast: "
                "nothing else was faster\n",
                formatTime(e.ns).c_str());
  else
    std::printf("  winner  %s, %s: %.3f [%.3f, %.3f] times as fast as the "
                "model's choice\n",
                e.winner.c_str(), formatTime(e.ns).c_str(), e.ratio, e.low,
                e.high);
  std::printf("  model   %s\n", e.model.c_str());
  if (!e.isDone)
    std::printf("  the budget was spent before all were measured; the same "
                "command goes on\n");
}

} // namespace

int tuneMain(const std::vector<std::string> &words,
             const Surroundings &surroundings, const Interrupted &interrupted) {
  for (const std::string &word : words) {
    if (word == "--help" || word == "-h") {
      std::fputs(tuneHelpText().c_str(), stdout);
      return 0;
    }
    if (word == "--version") {
      std::printf("helios-tune %s (%s)\n", rt::runtimeVersion(),
                  HELIOS_BENCH_COMMIT);
      return 0;
    }
  }
  TuneOptions tune;
  std::vector<std::string> left;
  bool hasSeed = false;
  if (Status s = takeOwn(words, tune, left, hasSeed); !s.ok())
    return report(s);
  auto options = parseOptions(left, surroundings);
  if (!options.ok())
    return report(options.status());
  if (Status s = checkOptions(*options, tune); !s.ok())
    return report(s);
  if (!hasSeed) // inputs drawn anew
    options->seed =
        uint64_t(std::chrono::system_clock::now().time_since_epoch().count() &
                 INT64_MAX);
  if (options->whole < 0)
    options->whole = 1; // larger results by checksums: there are many schedules
  const Progress progress = [](const std::string &line) {
    std::fprintf(stderr, "%s\n", line.c_str());
  };
  auto database = tune.prepareOnly ? Result<TuneDatabase>(TuneDatabase())
                                   : TuneDatabase::open(tune.database);
  if (!database.ok())
    return report(database.status().withPrefix("--db: "));
  // Refuses a file that could not be written in the end.
  if (!tune.prepareOnly)
    if (Status s = database->save(); !s.ok())
      return report(s.withPrefix("--db: "));

  std::shared_ptr<rt::Device> device;
  std::shared_ptr<rt::Stream> stream;
  if (!tune.prepareOnly) {
    rt::OpenOptions open;
    open.cacheDir = surroundings.cacheDir;
    open.log = progress;
    open.targets = {options->target.rfind("cuda", 0) == 0
                        ? bundle::TargetKind::Cuda
                        : bundle::TargetKind::Vulkan};
    auto opened = rt::openDevice(options->device, open);
    if (!opened.ok())
      return report(
          opened.status().withPrefix("--device " + options->device + ": "));
    device = *opened;
    if (!device->executes())
      return report(Status::unsupported("--device " + options->device +
                                        ": computes nothing, so nothing can "
                                        "be measured on it"));
    auto made = device->createStream();
    if (!made.ok())
      return report(made.status());
    stream = *made;
  }
  const Tuner::Clock::time_point start = Tuner::Clock::now();
  Status worst;
  for (const GemmFamily &family : options->families) {
    Tuner tuner(device, stream, *options, tune, family, *database, start,
                HELIOS_BENCH_COMMIT, today(), progress, interrupted);
    for (const Options::Shape &shape : options->shapes) {
      TuneEntry *entry = nullptr;
      Status s =
          tune.prepareOnly ? tuner.prepare(shape) : tuner.run(shape, entry);
      if (interrupted()) {
        std::fprintf(stderr, "helios-tune: interrupted; the same command goes "
                             "on with what is left\n");
        return 130;
      }
      if (s.ok() && entry)
        printResult(*entry, "gemm " + family.types() + " " + family.layout() +
                                " " + family.epilogueName() + " " +
                                std::to_string(shape.m) + "x" +
                                std::to_string(shape.n) + "x" +
                                std::to_string(shape.k));
      if (s.ok())
        continue;
      // What is not supported leaves the other shapes.
      if (s.exitCode() != 3)
        return report(s);
      progress("helios-tune: " + s.message());
      worst = s;
    }
  }
  if (!tune.table.empty())
    if (Status s = database->writeTable(tune.table); !s.ok())
      return report(s.withPrefix("--table: "));
  return worst.exitCode();
}

std::string tuneHelpText() {
  return R"(helios-tune gemm --shapes MxNxK[,...] --db FILE [flags]   measures the schedules of matrix products on a device

Schedules that fit the target are tried in the order of the model's prices. Each must give right results on inputs
that are drawn anew before it is timed; one that does not is quarantined. The same command goes on where it ended.
Exit status: 0 measured, 1 the model's own choice is wrong, 2 usage, bad input or an altered database,
3 no such device or nothing to tune on it, 4 the device failed, 130 interrupted.

  --db FILE                       the database, made if it is not there; written after every schedule
  --table FILE                    also write what won, for helios-compile --tuned
  --budget SECONDS                begin no further schedule after so long (default: as long as it takes)
  --candidates N                  the cheapest N schedules by the model, and neighbours of the fastest (default 24)
  --prepare                       compile what a run may need, without a device; with a row in --target

As of helios-bench:
  --shapes MxNxK[,...]            problem sizes
  --types A:B:ACC:D[,...]         element types (default f16:f16:f32:f16)
  --layout nn|nt|tn|tt[,...]      A, then B: n as [M, K] and [K, N], t transposed (default nn)
  --epilogue NAME[+NAME...][,...] what is fused behind the sum (default none)
  --device DEVICE                 auto, vulkan[:N], cuda[:N] or emulator[:ROW] (default auto)
  --target TARGET                 vulkan[:ROW] or cuda[:ROW] (default: what the device runs)
  --seed N                        of the inputs (default: drawn anew)
  --whole N                       compare results of up to N * 2^30 multiply-adds whole (default 1)
  --rotate MIB                    inputs rotate over sets that together exceed this
  --bundle-cache DIR, --compiler PATH, --keep DIR
)";
}

} // namespace helios::bench
