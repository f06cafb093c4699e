//===- helios-doctor.cpp - What this machine can run, and what it lacks -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "support/CacheDir.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace helios;
using namespace helios::doctor;

namespace {

const char *const usage =
    "usage: helios-doctor [options]\n"
    "\n"
    "Lists the devices, what each offers, which cooperative matrix shapes were "
    "verified\n"
    "on it by multiplying with them, which kernels it can run, and what to "
    "install.\n"
    "\n"
    "  --json             print JSON instead of text\n"
    "  --device SELECTOR  auto | cuda[:n] | vulkan[:n] | null: only this one "
    "(default: all)\n"
    "  --no-self-test     list only, run nothing on the devices\n"
    "  --fresh            verify again although a verdict is cached\n"
    "  --verbose          list verified shapes too where there are many\n"
    "  --vulkan-loader F  path of the Vulkan loader (default libvulkan.so.1, "
    "on\n"
    "                     macOS libvulkan.1.dylib)\n"
    "  --cuda-library F   path of the CUDA driver (default libcuda.so.1)\n"
    "  --cache-dir DIR    verdicts and pipeline caches (default "
    "~/.cache/helios)\n"
    "  --validation       open devices with the Khronos validation layer\n"
    "  --version, --help\n"
    "\n"
    "Exit codes: 0 at least one device that computes is usable, 2 usage, 3 "
    "none,\n"
    "4 a device could not be opened.\n";

std::string findProgram(const std::string &name, const std::string &beside) {
  auto executable = [](const std::string &path) {
    return ::access(path.c_str(), X_OK) == 0;
  };
  if (!beside.empty() && executable(beside + "/" + name))
    return beside + "/" + name;
  const char *path = std::getenv("PATH");
  std::string rest = path ? path : "";
  for (size_t at = 0; at <= rest.size();) {
    size_t end = rest.find(':', at);
    if (end == std::string::npos)
      end = rest.size();
    std::string candidate = rest.substr(at, end - at) + "/" + name;
    if (end > at && executable(candidate))
      return candidate;
    at = end + 1;
  }
  return "";
}

std::vector<Tool> findTools(const char *argv0) {
  std::string self = argv0;
  size_t slash = self.rfind('/');
  std::string beside = slash == std::string::npos ? "" : self.substr(0, slash);
  std::vector<Tool> tools = {
      {"helios-compile", "", "turns descriptions into bundles",
       "build with -DHELIOS_BUILD_COMPILER=ON (LLVM/MLIR 22)"},
      {"spirv-val", "", "validates generated SPIR-V in the tests",
       "spirv-tools, or scripts/get-lavapipe.sh"},
      {"ptxas", "", "checks generated PTX in the tests; not needed to run it",
       "NVIDIA's CUDA toolkit"},
  };
  for (Tool &t : tools)
    t.path = findProgram(t.name, beside);
  return tools;
}

void advise(Report &r) {
  bool gpu = false, cpu = false;
  for (const DeviceReport &d : r.devices) {
    if (!d.info.unusable.empty() || !d.opened.ok() ||
        d.info.driver == "emulator")
      continue;
    gpu |= d.info.deviceClass == rt::DeviceClass::Gpu;
    cpu |= d.info.deviceClass == rt::DeviceClass::Cpu;
    if (d.info.deviceClass == rt::DeviceClass::Cpu &&
        d.info.matrixShapes.empty())
      r.advice.push_back(
          d.info.id +
          ": cooperative matrices on the CPU need Mesa 26 or newer; install "
          "mesa-vulkan-drivers from a newer suite, or run "
          "scripts/get-lavapipe.sh");
    if (d.info.deviceClass == rt::DeviceClass::Gpu &&
        d.info.driver == "vulkan" && d.info.matrixShapes.empty())
      r.advice.push_back(d.info.id +
                         ": its driver lists no cooperative matrices; if the "
                         "GPU has matrix units, "
                         "update the driver (see the minimum drivers)");
    for (const rt::ListedShape &s : d.info.matrixShapes)
      if (s.verdict == rt::ListedShape::Verdict::Wrong) {
        r.advice.push_back(
            d.info.id +
            ": the driver computes some listed shapes wrongly; kernels that "
            "need them are "
            "refused. Update the driver, and report it to its maker");
        break;
      }
  }
  for (const DeviceReport &d : r.devices)
    if (!d.opened.ok())
      r.advice.push_back(d.info.id +
                         " could not be opened: " + d.opened.message());
  auto started = [&](const char *driver) {
    for (const auto &[name, status] : r.problems)
      if (name == driver)
        return false;
    return true;
  };
  if (!gpu && !cpu && started("vulkan"))
    r.advice.push_back("no Vulkan device: install the GPU's driver (NVIDIA: "
                       "the proprietary one with its Vulkan part; "
                       "AMD, Intel: mesa-vulkan-drivers), or "
                       "scripts/get-lavapipe.sh for one on the CPU");
  // A machine whose GPU answers through one interface need not have the other.
  for (const auto &[driver, status] : r.problems)
    if (!gpu)
      r.advice.push_back(driver + ": " + status.message());
}

int usageError(const std::string &message) {
  std::fprintf(stderr, "helios-doctor: %s (try --help)\n", message.c_str());
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  rt::OpenOptions options;
  options.cacheDir = tools::defaultCacheDir();
  std::string selector;
  bool json = false, verbose = false, fresh = false;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i], v;
    size_t equals = a.find('=');
    bool hasValue = false;
    if (a.rfind("--", 0) == 0 && equals != std::string::npos) {
      v = a.substr(equals + 1);
      a.resize(equals);
      hasValue = true;
    }
    auto value = [&](std::string &into) {
      if (!hasValue && i + 1 < argc) {
        v = argv[++i];
        hasValue = true;
      }
      into = v;
      return hasValue;
    };
    if (a == "-h" || a == "--help") {
      std::fputs(usage, stdout);
      return 0;
    } else if (a == "--version") {
      std::printf("helios-doctor %s, bundle format %u\n", rt::runtimeVersion(),
                  bundle::kFormatVersion);
      return 0;
    } else if (a == "--json") {
      json = true;
    } else if (a == "--verbose") {
      verbose = true;
    } else if (a == "--fresh") {
      fresh = true;
    } else if (a == "--no-self-test") {
      options.selfTest = false;
    } else if (a == "--validation") {
      options.validation = true;
    } else if (a == "--device") {
      if (!value(selector))
        return usageError("--device needs a value");
    } else if (a == "--vulkan-loader") {
      if (!value(options.vulkanLoader))
        return usageError("--vulkan-loader needs a value");
    } else if (a == "--cuda-library") {
      if (!value(options.cudaLibrary))
        return usageError("--cuda-library needs a value");
    } else if (a == "--cache-dir") {
      if (!value(options.cacheDir))
        return usageError("--cache-dir needs a value");
    } else {
      return usageError("unexpected argument '" + a + "'");
    }
  }
  if (!json)
    options.log = [](const std::string &line) {
      std::fprintf(stderr, "%s\n", line.c_str());
    };

  Report report;
  report.cacheDir = options.cacheDir;
  report.tools = findTools(argv[0]);
  rt::OpenOptions opening = options;
  opening.log = nullptr;
  // A cached verdict is looked for in the folder; without it each is found
  // anew.
  if (fresh)
    opening.cacheDir.clear();
  if (!selector.empty()) {
    Result<std::shared_ptr<rt::Device>> device =
        rt::openDevice(selector, opening);
    if (!device) {
      std::fprintf(stderr, "helios-doctor: %s\n",
                   device.status().message().c_str());
      return device.status().exitCode();
    }
    report.devices.push_back({(*device)->info(), Status()});
    report.automatic =
        "not asked (--device " + selector + " was): " + (*device)->whyChosen();
  } else {
    for (rt::DeviceInfo &info : rt::listDevices(options, &report.problems)) {
      DeviceReport d{info, Status()};
      if (info.unusable.empty() && info.deviceClass != rt::DeviceClass::Null) {
        if (options.log)
          options.log("opening " + info.id + " (" + info.name + ")");
        Result<std::shared_ptr<rt::Device>> device =
            rt::openDevice(info.id, opening);
        if (device)
          d.info = (*device)->info();
        else
          d.opened = device.status();
      }
      report.devices.push_back(std::move(d));
    }
    rt::OpenOptions quiet = opening;
    quiet.selfTest = false;
    Result<std::shared_ptr<rt::Device>> automatic =
        rt::openDevice("auto", quiet);
    report.automatic = automatic ? (*automatic)->info().id + " (" +
                                       (*automatic)->info().name + "), " +
                                       (*automatic)->whyChosen()
                                 : automatic.status().message();
  }
  advise(report);
  std::fputs((json ? toJson(report) : toText(report, verbose)).c_str(), stdout);
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fprintf(stderr, "helios-doctor: cannot write to standard output\n");
    return 2;
  }

  bool failed = false, usable = false;
  for (const DeviceReport &d : report.devices) {
    failed |= !d.opened.ok();
    // The emulator is always there, and for tests.
    usable |= d.opened.ok() && d.info.unusable.empty() &&
              d.info.deviceClass != rt::DeviceClass::Null &&
              d.info.driver != "emulator";
  }
  if (failed)
    return 4;
  // Asking for the null device by name is fine; finding nothing else is not.
  return usable || !selector.empty() ? 0 : 3;
}
