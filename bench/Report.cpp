// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Report.h"

#include <algorithm>
#include <cstdio>

namespace helios::bench {

namespace {

template <typename... Values>
std::string format(const char *pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), pattern, values...);
  return text;
}

const char *const kCpuNote = "cpu, not a performance figure";

std::string kernelVariant(const CaseResult &r) {
  if (r.row.empty())
    return "-";
  return r.variant.empty() ? r.row : r.row + "/" + r.variant;
}

/// What was measured beside a case, or why nothing was.
std::string peerLine(const Row &row) {
  const PeerComparison &p = *row.result.peer;
  std::string text = row.what.name + " " + row.what.shape + ": ";
  if (!p.problem.empty())
    return text + "no comparison: " + p.problem;
  text += p.peer + " " + p.kernel + " (its number " + std::to_string(p.best) +
          ", best of " + std::to_string(p.candidates) +
          (p.peerClass.empty() ? "" : " of class " + p.peerClass) +
          "), in turns: ours " + formatTime(p.ours.median) + " (p90 " +
          formatTime(p.ours.p90) + "), theirs " + formatTime(p.theirs.median) +
          " (p90 " + formatTime(p.theirs.p90) + ")";
  if (p.clockAfter > 0)
    text += format(", %.0f to %.0f MHz", p.clockBefore, p.clockAfter);
  if (p.oursJoules > 0)
    text += format(", %.3g and %.3g J", p.oursJoules, p.theirsJoules);
  return text + format("; results differ by %.2g", p.difference);
}

/// The geometric mean of a run's ratios, where there are several.
std::string peerMean(const Session &run) {
  std::vector<PairedRatio> ratios;
  const Row *lowest = nullptr;
  for (const Row &row : run.rows) {
    if (!row.result.peer || row.result.peer->ratio.pairs == 0)
      continue;
    ratios.push_back(row.result.peer->ratio);
    if (!lowest || ratios.back().ratio < lowest->result.peer->ratio.ratio)
      lowest = &row;
  }
  if (ratios.size() < 2)
    return "";
  const PairedRatio mean = meanRatio(ratios);
  return "geometric mean of theirs / ours over " +
         std::to_string(ratios.size()) +
         format(" cases: %.3f [%.3f, %.3f]; lowest %.3f, ", mean.ratio,
                mean.low, mean.high, lowest->result.peer->ratio.ratio) +
         lowest->what.name + " " + lowest->what.shape + "\n";
}

} // namespace

double flopsPerSecond(const CaseResult &result) {
  return result.timed && result.gpu.median > 0
             ? result.flops / (result.gpu.median * 1e-9)
             : 0;
}

double bytesPerSecond(const CaseResult &result) {
  return result.timed && result.gpu.median > 0
             ? result.bytes / (result.gpu.median * 1e-9)
             : 0;
}

const Ceiling *ceilingFor(const Session &run, const Case &c) {
  // Of several, such as those of a device's different instructions, the
  // highest.
  const Ceiling *found = nullptr;
  for (const Ceiling &ceiling : run.ceilings)
    if (!ceiling.isMemory &&
        ceiling.highest() > (found ? found->highest() : 0) &&
        (ceiling.types.empty() ||
         c.types.compare(0, ceiling.types.size(), ceiling.types) == 0))
      found = &ceiling;
  return found;
}

std::string formatTime(double ns) {
  if (ns < 1e3)
    return format("%.0f ns", ns);
  if (ns < 1e6)
    return format("%.2f us", ns * 1e-3);
  if (ns < 1e9)
    return format("%.3f ms", ns * 1e-6);
  return format("%.3f s", ns * 1e-9);
}

std::string formatRatio(const PeerComparison &peer) {
  return format("theirs / ours %.3f [%.3f, %.3f]", peer.ratio.ratio,
                peer.ratio.low, peer.ratio.high);
}

std::string formatTable(const Session &run) {
  std::string text = "device " + run.device.id + ": " + run.device.name + " (" +
                     run.device.driverDescription + ")\n";
  const bool isCpu = run.device.deviceClass != rt::DeviceClass::Gpu;
  for (const Ceiling &c : run.ceilings)
    if (c.isMemory && c.highest() > 0)
      text += "ceiling " + c.name +
              format(" of memory, working set %.4g MiB: %.4g GB/s before the "
                     "cases, %.4g after",
                     c.workingSet * 0x1p-20, c.before * 1e-9, c.after * 1e-9) +
              "\n";
    else if (c.highest() > 0)
      text += "ceiling " + c.name + (c.types.empty() ? "" : " " + c.types) +
              format(": %.4g TFLOP/s before the cases, %.4g after",
                     c.before * 1e-12, c.after * 1e-12) +
              "\n";
  std::vector<std::vector<std::string>> table{
      {"device", "kernel", "variant", "shape", "median", "p90", "p95", "spread",
       "TFLOP/s", "max error", "rel error", "verdict"}};
  const bool hasAttention =
      std::any_of(run.rows.begin(), run.rows.end(), [](const Row &row) {
        return row.what.attention.has_value();
      });
  if (hasAttention)
    table[0].push_back("GB/s");
  if (!run.ceilings.empty())
    table[0].push_back("of ceiling");
  const bool hasPeer =
      std::any_of(run.rows.begin(), run.rows.end(),
                  [](const Row &row) { return row.result.peer.has_value(); });
  if (hasPeer)
    table[0].insert(table[0].end(), {"peer", "theirs / ours [95 %]"});
  if (run.hasBaseline)
    table[0].push_back("baseline");
  for (const Row &row : run.rows) {
    const CaseResult &r = row.result;
    std::vector<std::string> cells{run.device.id, row.what.name,
                                   kernelVariant(r), row.what.shape};
    if (r.timed)
      cells.insert(cells.end(), {formatTime(r.gpu.median),
                                 formatTime(r.gpu.p90), formatTime(r.gpu.p95),
                                 format("%.1f %%", r.gpu.variation * 100)});
    else
      cells.insert(cells.end(), 4, "-");
    const double speed = flopsPerSecond(r);
    cells.push_back(speed > 0
                        ? format(speed < 1e11 ? "%.4f" : "%.2f", speed * 1e-12)
                        : "-");
    const bool compared =
        !r.checks.empty() && r.checks.back().report.compared > 0;
    cells.push_back(compared ? format("%.2g", r.maxError) : "-");
    cells.push_back(compared ? format("%.2g", r.relativeError) : "-");
    cells.push_back(std::string(verdictName(r.verdict)) +
                    (r.verdict == Verdict::Passed && r.coverage != "whole"
                         ? " (" + r.coverage + ")"
                         : ""));
    if (hasAttention)
      cells.push_back(r.timed ? format("%.0f", bytesPerSecond(r) * 1e-9) : "-");
    if (!run.ceilings.empty()) {
      const Ceiling *ceiling = ceilingFor(run, row.what);
      cells.push_back(ceiling && speed > 0
                          ? format("%.1f %%", 100 * speed / ceiling->highest())
                          : "-");
    }
    if (hasPeer) {
      const bool measured = r.peer && r.peer->ratio.pairs > 0;
      cells.push_back(measured ? r.peer->peer + " " +
                                     formatTime(r.peer->theirs.median)
                               : "-");
      cells.push_back(measured
                          ? format("%.3f [%.3f, %.3f]", r.peer->ratio.ratio,
                                   r.peer->ratio.low, r.peer->ratio.high)
                          : "-");
    }
    if (run.hasBaseline)
      cells.push_back(
          row.baseline.found
              ? std::string(comparisonName(row.baseline.comparison)) +
                    format(" (%.3f)", row.baseline.ratio)
              : "-");
    if (isCpu && r.timed)
      cells.push_back(kCpuNote);
    table.push_back(std::move(cells));
  }
  std::vector<size_t> widths;
  for (const auto &cells : table)
    for (size_t c = 0; c < cells.size(); ++c) {
      widths.resize(std::max(widths.size(), c + 1));
      widths[c] = std::max(widths[c], cells[c].size());
    }
  for (const auto &cells : table) {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c)
      line += (c ? "  " : "") + cells[c] +
              std::string(widths[c] - cells[c].size(), ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  for (const Row &row : run.rows)
    if (row.result.peer)
      text += peerLine(row) + "\n";
  text += peerMean(run);
  for (const Row &row : run.rows)
    if (!row.result.reason.empty())
      text += row.what.name + " " + row.what.shape + ": " +
              verdictName(row.result.verdict) + ": " + row.result.reason + "\n";
  return text;
}

std::string formatChoices(const Session &run) {
  std::string text;
  for (const Row &row : run.rows)
    if (!row.result.choice.empty())
      text += "\n" + row.what.name + " " + row.what.shape + " on row " +
              row.result.row + ": " + row.result.choice;
  return text;
}

std::string formatCsv(const Session &run) {
  std::string text = "device,device_name,kernel,variant,shape,batch,types,"
                     "layout,epilogue,verdict,median_ns,p90_ns,p95_ns,low_ns,"
                     "high_ns,variation,tflops,host_ns,max_error,relative_"
                     "error,coverage,note\n";
  auto quoted = [](std::string cell) {
    if (cell.find_first_of(",\"\n") == std::string::npos)
      return cell;
    std::string out = "\"";
    for (char c : cell)
      out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  };
  for (const Row &row : run.rows) {
    const CaseResult &r = row.result;
    std::vector<std::string> cells{
        run.device.id,         run.device.name, row.what.name,
        kernelVariant(r),      row.what.shape,  std::to_string(row.what.batch),
        row.what.types,        row.what.layout, row.what.epilogue,
        verdictName(r.verdict)};
    if (r.timed)
      for (double v :
           {r.gpu.median, r.gpu.p90, r.gpu.p95, r.gpu.low, r.gpu.high,
            r.gpu.variation, flopsPerSecond(r) * 1e-12, r.host.median})
        cells.push_back(format("%.9g", v));
    else
      cells.insert(cells.end(), 8, "");
    const bool compared =
        !r.checks.empty() && r.checks.back().report.compared > 0;
    cells.push_back(compared ? format("%.9g", r.maxError) : "");
    cells.push_back(compared ? format("%.9g", r.relativeError) : "");
    cells.push_back(r.coverage);
    cells.push_back(run.device.deviceClass != rt::DeviceClass::Gpu ? kCpuNote
                                                                   : "");
    for (size_t c = 0; c < cells.size(); ++c)
      text += (c ? "," : "") + quoted(cells[c]);
    text += "\n";
  }
  return text;
}

namespace {

Json summaryJson(const Summary &s) {
  Json j = Json::object();
  return j.set("count", uint64_t(s.count))
      .set("median", s.median)
      .set("p90", s.p90)
      .set("p95", s.p95)
      .set("mean", s.mean)
      .set("min", s.smallest)
      .set("max", s.largest)
      .set("variation", s.variation)
      .set("low", s.low)
      .set("high", s.high);
}

Json numbers(const std::vector<double> &values) {
  Json j = Json::array();
  for (double v : values)
    j.add(v);
  return j;
}

Json checkJson(const CheckOfKind &check) {
  const CheckReport &r = check.report;
  Json j = Json::object();
  return j.set("inputs", inputKindName(check.kind))
      .set("verdict", verdictName(r.verdict()))
      .set("coverage", r.coverage())
      .set("elements", r.elements)
      .set("compared", r.compared)
      .set("exact", r.exact)
      .set("wrong", r.wrong)
      .set("unwritten", r.unwritten)
      .set("nan", r.wrongNan)
      .set("max_error", r.maxError)
      .set("relative_error", r.relativeError())
      .set("largest_share_of_tolerance", r.maxExcess)
      .set("reason", r.reason());
}

Json peerJson(const PeerComparison &p) {
  Json j = Json::object();
  if (!p.problem.empty())
    return j.set("problem", p.problem);
  return j.set("name", p.peer)
      .set("class", p.peerClass)
      .set("kernel", p.kernel)
      .set("candidate", uint64_t(p.best))
      .set("candidates", uint64_t(p.candidates))
      .set("launches_a_replay", uint64_t(p.launches))
      .set("ours_ns", summaryJson(p.ours).set("samples", numbers(p.oursNs)))
      .set("theirs_ns",
           summaryJson(p.theirs).set("samples", numbers(p.theirsNs)))
      .set("ratio", p.ratio.ratio)
      .set("ratio_low", p.ratio.low)
      .set("ratio_high", p.ratio.high)
      .set("rounds", uint64_t(p.ratio.pairs))
      .set("difference", p.difference)
      .set("clock_mhz_before", p.clockBefore)
      .set("clock_mhz_after", p.clockAfter)
      .set("ours_joules", p.oursJoules)
      .set("theirs_joules", p.theirsJoules);
}

Json rowJson(const Session &run, const Row &row) {
  const CaseResult &r = row.result;
  Json j = Json::object();
  j.set("name", row.what.name)
      .set("kernel", row.what.kernel)
      .set("shape", row.what.shape)
      .set("batch", row.what.batch)
      .set("types", row.what.types)
      .set("layout", row.what.layout)
      .set("epilogue", row.what.epilogue)
      .set("row", r.row)
      .set("variant", r.variant)
      .set("schedule", r.schedule)
      .set("why_chosen", r.whyChosen)
      .set("choice", r.choice)
      .set("workspace_bytes", r.workspaceBytes)
      .set("verdict", verdictName(r.verdict))
      .set("reason", r.reason)
      .set("coverage", r.coverage);
  Json extents = Json::array();
  for (const auto &e : row.what.extents) {
    Json one = Json::array();
    for (int64_t v : e)
      one.add(v);
    extents.add(one);
  }
  j.set("extents", extents);
  Json checks = Json::array();
  for (const CheckOfKind &check : r.checks)
    checks.add(checkJson(check));
  j.set("checks", checks)
      .set("max_error", r.maxError)
      .set("relative_error", r.relativeError)
      .set("flops", r.flops)
      .set("bytes", r.bytes);
  Json statistics = Json::array();
  for (const rt::PipelineStatistic &s : r.statistics)
    statistics.add(Json::object()
                       .set("entry_point", s.entryPoint)
                       .set("name", s.name)
                       .set("value", s.value));
  j.set("pipeline_statistics", statistics);
  if (!r.timed)
    return j.set("gpu_ns", Json()).set("host_ns", Json());
  Json samples = Json::array();
  for (const auto &repetition : r.gpuNs)
    samples.add(numbers(repetition));
  j.set("gpu_ns", summaryJson(r.gpu).set("samples", samples));
  j.set("host_ns", summaryJson(r.host)
                       .set("samples", numbers(r.hostSubmitNs))
                       .set("per_timed_launch", r.hostTotalNs));
  j.set("warmup", Json::object()
                      .set("launches", numbers(r.warmupLaunches))
                      .set("ms", numbers(r.warmupMs)));
  j.set("rest_ms", r.restMs);
  j.set("input_sets", uint64_t(r.sets))
      .set("tflops", flopsPerSecond(r) * 1e-12)
      .set("gbytes_per_s", bytesPerSecond(r) * 1e-9);
  if (const Ceiling *ceiling = ceilingFor(run, row.what))
    j.set("share_of_ceiling", flopsPerSecond(r) / ceiling->highest());
  if (r.peer)
    j.set("peer", peerJson(*r.peer));
  if (row.baseline.found)
    j.set("baseline",
          Json::object()
              .set("comparison", comparisonName(row.baseline.comparison))
              .set("ratio", row.baseline.ratio));
  return j;
}

} // namespace

Json toJson(const Session &run) {
  Json command = Json::array();
  for (const std::string &word : run.commandLine)
    command.add(word);
  Json device = Json::object();
  device.set("id", run.device.id)
      .set("name", run.device.name)
      .set("class", rt::deviceClassName(run.device.deviceClass))
      .set("driver", run.device.driverDescription)
      .set("driver_version", run.device.driverVersion)
      .set("api_version", run.device.apiVersionString)
      .set("vendor_id", run.device.vendorId)
      .set("device_id", run.device.deviceId)
      .set("compute_units", run.device.computeUnits)
      .set("subgroup_size", run.device.subgroupSize)
      .set("why_chosen", run.whyDevice);
  Json ceilings = Json::array();
  for (const Ceiling &c : run.ceilings)
    ceilings.add(c.isMemory ? Json::object()
                                  .set("name", c.name)
                                  .set("working_set_bytes", c.workingSet)
                                  .set("gbytes_per_s_before", c.before * 1e-9)
                                  .set("gbytes_per_s_after", c.after * 1e-9)
                            : Json::object()
                                  .set("name", c.name)
                                  .set("types", c.types)
                                  .set("tflops_before", c.before * 1e-12)
                                  .set("tflops_after", c.after * 1e-12));
  Json results = Json::array();
  for (const Row &row : run.rows)
    results.add(rowJson(run, row));
  Json j = Json::object();
  return j.set("schema", "helios-bench/1")
      .set("date", run.date)
      .set("version", run.version)
      .set("commit", run.commit)
      .set("command", command)
      .set("device", device)
      .set("performance_figures",
           run.device.deviceClass == rt::DeviceClass::Gpu)
      .set("seed", run.seed)
      .set("cases", uint64_t(run.cases))
      .set("pad_rows", run.padRows)
      .set("misalign", run.misalign)
      .set("ceilings", ceilings)
      .set("results", results);
}

namespace {

Summary summaryFrom(const Json &j) {
  Summary s;
  s.count = size_t(j["count"].asNumber());
  s.median = j["median"].asNumber();
  s.low = j["low"].asNumber();
  s.high = j["high"].asNumber();
  return s;
}

} // namespace

Status compareWithBaseline(Session &run, const Json &baseline,
                           double threshold) {
  if (baseline["schema"].asString() != "helios-bench/1" ||
      baseline["results"].kind() != Json::Kind::Array)
    return Status::invalidInput(
        "expected what --json wrote (schema helios-bench/1), got schema '" +
        baseline["schema"].asString() + "'");
  run.hasBaseline = true;
  const bool sameDevice =
      baseline["device"]["name"].asString() == run.device.name;
  for (Row &row : run.rows) {
    if (!row.result.timed)
      continue;
    row.baseline.reason = "no such case in the baseline";
    if (!sameDevice) {
      row.baseline.reason = "the baseline is of another device, '" +
                            baseline["device"]["name"].asString() + "'";
      continue;
    }
    for (const Json &old : baseline["results"].elements()) {
      if (old["name"].asString() != row.what.name ||
          old["shape"].asString() != row.what.shape ||
          int64_t(old["batch"].asNumber()) != row.what.batch)
        continue;
      const Summary before = summaryFrom(old["gpu_ns"]);
      if (old["verdict"].asString() != verdictName(row.result.verdict) ||
          !(before.median > 0 && before.low > 0)) {
        row.baseline.reason = "the baseline has no time for this case";
        continue;
      }
      row.baseline.found = true;
      row.baseline.comparison = compare(row.result.gpu, before, threshold);
      row.baseline.ratio = row.result.gpu.median / before.median;
      break;
    }
  }
  return Status::success();
}

int exitCodeOf(const Session &run) {
  bool wrong = false, badInput = false, device = false, unsupported = false,
       slower = false;
  for (const Row &row : run.rows) {
    const CaseResult &r = row.result;
    wrong |= r.verdict == Verdict::Incorrect;
    unsupported |= r.verdict == Verdict::Unsupported ||
                   (r.peer && !r.peer->problem.empty());
    badInput |= r.error.exitCode() == 2;
    device |= r.error.exitCode() == 4;
    slower |= row.baseline.found && row.baseline.comparison == Comparison::Slow;
  }
  return wrong         ? 1
         : device      ? 4
         : badInput    ? 2
         : unsupported ? 3
         : slower      ? 5
                       : 0;
}

} // namespace helios::bench
