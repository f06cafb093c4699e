// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Main.h"
#include "BenchCommit.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>

namespace helios::bench {

namespace {

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc;
  gmtime_r(&seconds, &utc);
  char text[40];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

int report(const Status &s) {
  std::fprintf(stderr, "helios-bench: error: %s\n", s.message().c_str());
  return s.exitCode();
}

/// Says where an interrupted run stands. Reports are written behind each case.
int reportInterrupt(const Options &options, size_t done, size_t all) {
  const bool written =
      done > 0 && !(options.json.empty() && options.csv.empty());
  std::fprintf(stderr, "helios-bench: interrupted after %zu of %zu cases; %s\n",
               done, all,
               written ? "the files hold those" : "no file was written");
  return 130;
}

/// Refuses an output that could not be written in the end, before any time is
/// spent.
Status checkWritable(const char *flag, const std::string &path) {
  if (path.empty())
    return Status::success();
  const std::string prefix =
      std::string(flag) + ": cannot write '" + path + "': ";
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return Status::invalidInput(
        prefix + "expected a file, got something else of that name");
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return Status::invalidInput(prefix + "the folder '" + folder +
                                "': " + std::strerror(errno));
  return Status::success();
}

Status writeReports(const Options &options, const Session &run) {
  if (!options.json.empty())
    if (Status s = writeText(options.json, toJson(run).write()); !s.ok())
      return s.withPrefix("--json: ");
  if (!options.csv.empty())
    if (Status s = writeText(options.csv, formatCsv(run)); !s.ok())
      return s.withPrefix("--csv: ");
  return Status::success();
}

/// Measures every peak kernel; what the device cannot run is said and left out.
Status measureCeilings(Runner &runner, const std::vector<Case> &peaks,
                       Session &run, bool isFirst, const Progress &progress,
                       const Interrupted &interrupted) {
  for (size_t n = 0; n < peaks.size(); ++n) {
    if (interrupted())
      return Status::success(); // said by the caller
    if (isFirst)
      run.ceilings.push_back({peaks[n].name, peaks[n].types, 0, 0, 0,
                              !peaks[n].bytesFormula.empty()});
    auto measured = runner.measureCeiling(peaks[n]);
    if (!measured.ok() && measured.status().code() != StatusCode::Unsupported)
      return measured.status().withPrefix("ceiling " + peaks[n].name + ": ");
    if (!measured.ok()) {
      progress("ceiling " + peaks[n].name +
               " not measured: " + measured.status().message());
      continue;
    }
    (isFirst ? run.ceilings[n].before : run.ceilings[n].after) = measured->rate;
    run.ceilings[n].workingSet = measured->workingSet;
  }
  return Status::success();
}

} // namespace

int benchMain(const std::vector<std::string> &words,
              const Surroundings &surroundings,
              const Interrupted &interrupted) {
  auto options = parseOptions(words, surroundings);
  if (!options.ok())
    return report(options.status());
  switch (options->command) {
  case Options::Command::Help:
    std::fputs(helpText().c_str(), stdout);
    return 0;
  case Options::Command::Version:
    std::printf("helios-bench %s (%s)\n", rt::runtimeVersion(),
                HELIOS_BENCH_COMMIT);
    return 0;
  case Options::Command::ListEpilogues:
    std::fputs(epilogueList().c_str(), stdout);
    return 0;
  default:
    break;
  }
  const Progress progress = [](const std::string &text) {
    std::fprintf(stderr, "%s\n", text.c_str());
  };
  for (Status s : {checkWritable("--json", options->json),
                   checkWritable("--csv", options->csv)})
    if (!s.ok())
      return report(s);
  Json baseline;
  if (!options->baseline.empty()) {
    auto text = readText(options->baseline);
    if (!text.ok())
      return report(text.status().withPrefix("--baseline: "));
    auto parsed = Json::parse(*text);
    Session none;
    if (Status s = parsed.ok() ? compareWithBaseline(none, *parsed, 0)
                               : parsed.status();
        !s.ok())
      return report(s.withPrefix("--baseline: " + options->baseline + ": "));
    baseline = *parsed;
  }

  rt::OpenOptions open;
  open.cacheDir = surroundings.cacheDir;
  open.log = progress;
  // Without a device's name: one for which kernels are compiled.
  open.targets = {options->target.rfind("cuda", 0) == 0
                      ? bundle::TargetKind::Cuda
                      : bundle::TargetKind::Vulkan};
  auto device = rt::openDevice(options->device, open);
  if (!device.ok())
    return report(
        device.status().withPrefix("--device " + options->device + ": "));
  if (options->graph && !options->checkOnly &&
      (*device)->info().driver != "cuda" &&
      (*device)->info().driver != "vulkan")
    return report(Status::unsupported(
        "--graph: expected a CUDA or Vulkan device, whose driver replays what "
        "was recorded, got " +
        (*device)->info().id + "; leave it out"));
  auto stream = (*device)->createStream();
  if (!stream.ok())
    return report(stream.status());
  const bool isGpu = (*device)->info().deviceClass == rt::DeviceClass::Gpu;
  const int64_t extent = isGpu ? 4096 : 384;

  options->processors = (*device)->info().computeUnits;
  auto cases = makeCases(*options, extent, progress);
  if (interrupted())
    return reportInterrupt(*options, 0, 0);
  if (!cases.ok())
    return report(cases.status());
  std::vector<Case> peaks;
  if (options->ceilings) {
    auto made = makePeakCases(*options, surroundings, extent, progress);
    if (interrupted())
      return reportInterrupt(*options, 0, cases->size());
    if (!made.ok())
      return report(made.status());
    peaks = *made;
  }

  Session run;
  run.commandLine = words;
  run.commandLine.insert(run.commandLine.begin(), "helios-bench");
  run.date = now();
  run.commit = HELIOS_BENCH_COMMIT;
  run.version = rt::runtimeVersion();
  run.device = (*device)->info();
  run.whyDevice = (*device)->whyChosen();
  run.seed = options->seed;
  run.cases = cases->size();
  run.padRows = options->padRows;
  run.misalign = options->misalign;
  Runner runner(*device, *stream, *options, interrupted);
  if (Status s =
          measureCeilings(runner, peaks, run, true, progress, interrupted);
      !s.ok())
    return report(s);
  for (size_t n = 0; n < cases->size() && !interrupted(); ++n) {
    Row row;
    row.what = (*cases)[n];
    row.result = runner.run(row.what);
    if (interrupted())
      break;
    const CaseResult &r = row.result;
    progress(
        "[" + std::to_string(n + 1) + "/" + std::to_string(cases->size()) +
        "] " + row.what.name + " " + row.what.shape + ": " +
        verdictName(r.verdict) +
        (r.timed ? ", " + formatTime(r.gpu.median) : "") +
        (r.peer && r.peer->ratio.pairs ? ", " + formatRatio(*r.peer) : ""));
    run.rows.push_back(std::move(row));
    // What is measured is kept, whatever ends the run.
    if (Status s = writeReports(*options, run); !s.ok())
      return report(s);
    if (run.rows.back().result.error.exitCode() == 4)
      break;
  }
  if (!interrupted())
    if (Status s =
            measureCeilings(runner, peaks, run, false, progress, interrupted);
        !s.ok())
      return report(s);
  if (!options->baseline.empty())
    if (Status s = compareWithBaseline(run, baseline, options->threshold);
        !s.ok())
      return report(s);
  std::fputs(formatTable(run).c_str(), stdout);
  if (options->report)
    std::fputs(formatChoices(run).c_str(), stdout);
  if (interrupted())
    return reportInterrupt(*options, run.rows.size(), cases->size());
  if (Status s = writeReports(*options, run); !s.ok())
    return report(s);
  if (std::fflush(stdout) != 0)
    return report(Status::invalidInput(std::string("cannot write the table: ") +
                                       std::strerror(errno)));
  return exitCodeOf(run);
}

} // namespace helios::bench
