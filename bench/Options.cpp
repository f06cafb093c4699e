// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OptionsImpl.h"
#include "Split.h"
#include "helios/Bench/Reference.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace helios::bench {

namespace {

/// What is compiled if nobody says: what the device can run.
std::string targetFor(const std::string &device) {
  if (device.compare(0, 4, "cuda") == 0)
    return "cuda";
  if (device.compare(0, 8, "emulator") != 0)
    return "vulkan";
  const size_t row = device.find("sm_");
  return row == std::string::npos
             ? "cuda:sm_90a"
             : "cuda:" + device.substr(row, device.find(',', row) - row);
}

/// Flags that say something about one command only.
Status checkCommand(const std::string &command, const Pending &p) {
  for (const Flag &f : flags()) {
    const std::string group = f.group;
    const bool isOfCommand =
        group == "gemm" || group == "attention" || group == "run";
    if (!isOfCommand ||
        std::find(p.given.begin(), p.given.end(), f.name) == p.given.end())
      continue;
    std::string commands;
    bool fits = false;
    for (const Flag &other : flags())
      if (other.name == std::string(f.name)) {
        commands += (commands.empty() ? "" : " or ") + std::string(other.group);
        fits |= command == other.group;
      }
    if (!fits)
      return Status::invalidInput(std::string(f.name) +
                                  ": expected the command " + commands +
                                  ", got " + command);
  }
  return Status::success();
}

} // namespace

Result<std::vector<int64_t>> parseExtents(const std::string &flag,
                                          const std::string &text) {
  std::vector<int64_t> extents;
  for (const std::string &part : split(text, 'x')) {
    errno = 0;
    char *end = nullptr;
    const long long v = std::strtoll(part.c_str(), &end, 10);
    if (part.empty() || *end || part[0] == ' ' || part[0] == '+')
      return Status::invalidInput(
          flag + ": expected extents with x between (as 128x64), got '" + text +
          "'");
    if (v < 0)
      return Status::invalidInput(flag +
                                  ": expected extents of 0 or more, got " +
                                  part + " in '" + text + "'");
    if (errno == ERANGE || v > int64_t(1) << 40)
      return Status::invalidInput(flag +
                                  ": expected extents of at most 2^40, got " +
                                  part + " in '" + text + "'");
    extents.push_back(v);
  }
  if (const int64_t count = elementCount(extents);
      flag != "--shapes" && count < 0)
    return Status::invalidInput(
        flag + ": expected at most 2^63 elements, got '" + text + "'");
  return extents;
}

Result<Options> parseOptions(const std::vector<std::string> &words,
                             const Surroundings &surroundings) {
  Options o;
  o.compiler = surroundings.compiler;
  o.bundleCache =
      surroundings.cacheDir.empty() ? "" : surroundings.cacheDir + "/bundles";
  Pending pending;
  std::vector<std::string> positional;
  bool isInfo = false;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i], value;
    if (name.compare(0, 1, "-") != 0 || name == "-") {
      positional.push_back(name);
      continue;
    }
    if (name == "-h")
      name = "--help";
    const size_t equals = name.find('=');
    const bool attached = equals != std::string::npos;
    if (attached) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    const Flag *flag = nullptr;
    for (const Flag &f : flags())
      if (name == f.name && f.take)
        flag = &f;
    if (!flag)
      return Status::invalidInput("unknown flag '" + name +
                                  "'; helios-bench --help lists them");
    if (!flag->value && attached)
      return Status::invalidInput(name + ": expected no value, got '" + value +
                                  "'");
    if (flag->value && !attached) {
      if (i + 1 >= words.size())
        return Status::invalidInput(name + ": expected " + flag->value +
                                    ", got nothing");
      value = words[++i];
    }
    pending.given.push_back(name);
    if (Status s = flag->take(name, value, o, pending); !s.ok())
      return s;
    isInfo |=
        name == "--help" || name == "--version" || name == "--list-epilogues";
  }
  if (isInfo)
    return o;
  if (o.target.empty())
    o.target = targetFor(o.device);
  if (positional.empty())
    return Status::invalidInput("expected a command, gemm, attention or run, "
                                "got nothing; "
                                "helios-bench --help shows how");
  if (positional[0] == "gemm")
    o.command = Options::Command::Gemm;
  else if (positional[0] == "attention")
    o.command = Options::Command::Attention;
  else if (positional[0] == "run")
    o.command = Options::Command::Run;
  else
    return Status::invalidInput(
        "expected the command gemm, attention or run, got '" + positional[0] +
        "'");
  if (o.command == Options::Command::Run)
    o.files.assign(positional.begin() + 1, positional.end());
  else if (positional.size() > 1)
    return Status::invalidInput(positional[0] + ": expected flags only, got '" +
                                positional[1] + "' too");
  if (!o.compare.empty() &&
      (o.command == Options::Command::Attention) != (o.compare == "cudnn"))
    return Status::invalidInput(
        "--compare: expected " +
        std::string(o.command == Options::Command::Attention ? "cudnn"
                                                             : "cublas") +
        " with the command " + positional[0] + ", got '" + o.compare + "'");
  if (o.command != Options::Command::Run && !o.reference.empty())
    return Status::invalidInput(
        "--reference: expected the command run, got " + positional[0] +
        ", whose kernels say themselves what they compute");
  if (o.command == Options::Command::Run && !o.files.empty() &&
      !o.bundle.empty())
    return Status::invalidInput(
        "--bundle: expected either a file after run or --bundle, got both");
  if (Status s = checkCommand(positional[0], pending); !s.ok())
    return s;
  if (Status s = o.command == Options::Command::Gemm ? finishGemm(o, pending)
                 : o.command == Options::Command::Attention
                     ? finishAttention(o, pending)
                     : finishRun(o, pending);
      !s.ok())
    return s;
  if (o.onlyLaunches && !o.bundle.empty())
    return Status::invalidInput("--only-launches: expected something to "
                                "compile, got --bundle");
  if (o.onlyLaunches && (o.padRows || o.misalign || !o.dims.empty()))
    return Status::invalidInput(
        "--only-launches: expected dense tensors of given shapes, got " +
        std::string(o.padRows    ? "--pad-rows"
                    : o.misalign ? "--misalign"
                                 : "--dims"));
  if (o.bundleCache.empty() && o.bundle.empty())
    return Status::invalidInput("--bundle-cache: expected a folder, as neither "
                                "HOME nor XDG_CACHE_HOME names one");
  return o;
}

std::string helpText() {
  std::string text = "helios-bench gemm --shapes MxNxK[,...] [flags]   checks "
                     "and times matrix products\n"
                     "helios-bench attention --shapes BxHxSxD[,...] [flags]   "
                     "checks and times attention\n"
                     "helios-bench run FILE.mlir|FILE.hlx... [flags]   checks "
                     "and times any kernel\n"
                     "\n"
                     "Every result is checked against a double-precision "
                     "reference before it may be called a time.\n"
                     "Exit status: 0 all right, 1 a wrong result, 2 usage or "
                     "bad input, 3 unsupported here, 4 device,\n"
                     "5 slower than the baseline.\n";
  std::string group;
  for (const Flag &f : flags()) {
    if (group != f.group) {
      group = f.group;
      text += "\n" + group + "\n";
    }
    std::string head = std::string("  ") + f.name +
                       (f.value ? std::string(" ") + f.value : "");
    constexpr size_t column = 34;
    text += head;
    size_t at = head.size();
    if (at + 1 > column) {
      text += "\n";
      at = 0;
    }
    std::string help = f.help;
    for (const std::string &line : split(help, '\n')) {
      text += std::string(column - at, ' ') + line + "\n";
      at = 0;
    }
  }
  return text;
}

std::string epilogueList() {
  std::string text = "none          x\n";
  for (const Epilogue &e : epilogues())
    text += std::string(e.name) +
            std::string(14 - std::string(e.name).size(), ' ') + e.formula +
            "\n";
  return text + "\nx is the sum; f is a fused operand of D's type: a vector "
                "over N, a column over M, or as D; C is a second\nright "
                "operand, stored as B.\n";
}

} // namespace helios::bench
