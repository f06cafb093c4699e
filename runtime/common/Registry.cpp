//===- Registry.cpp - Which device is meant -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Common.h"
#include <algorithm>

namespace helios::rt {

namespace {

const char *const selectorHelp =
    "expected auto, vulkan[:n], cuda[:n], emulator[:row] or "
    "null[:processors]";

/// "vulkan:2" -> kind "vulkan", index 2. Index -1: none given.
bool parseSelector(const std::string &text, std::string &kind, int &index) {
  size_t colon = text.find(':');
  kind = text.substr(0, colon);
  index = -1;
  if (colon == std::string::npos)
    return true;
  std::string digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 4 ||
      !std::all_of(digits.begin(), digits.end(),
                   [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  index = std::stoi(digits);
  return true;
}

/// The first usable device of a class; -1 if none.
int firstOf(const std::vector<DeviceInfo> &devices, DeviceClass wanted) {
  for (size_t i = 0; i < devices.size(); ++i)
    if (devices[i].deviceClass == wanted && devices[i].unusable.empty())
      return static_cast<int>(i);
  return -1;
}

Result<std::shared_ptr<Device>> openVulkanBest(const OpenOptions &options) {
  Result<std::vector<DeviceInfo>> devices = listVulkanDevices(options);
  if (!devices)
    return devices.status();
  int index = firstOf(*devices, DeviceClass::Gpu);
  std::string why = "first Vulkan GPU";
  if (index < 0) {
    index = firstOf(*devices, DeviceClass::Cpu);
    why = "no Vulkan GPU; Vulkan on the CPU, whose times are no performance "
          "figures";
  }
  if (index < 0) {
    std::string found;
    for (const DeviceInfo &d : *devices)
      found += "\n  " + d.id + " (" + d.name + "): " + d.unusable;
    return Status::unsupported("no usable Vulkan device: install a GPU driver "
                               "with Vulkan, or Mesa's lavapipe "
                               "(Debian: mesa-vulkan-drivers, 26 or newer for "
                               "cooperative matrices; or "
                               "scripts/get-lavapipe.sh)" +
                               found);
  }
  Result<std::shared_ptr<Device>> device =
      openVulkanDevice(static_cast<uint32_t>(index), options);
  if (device)
    (*device)->setWhyChosen(why);
  return device;
}

Result<std::shared_ptr<Device>> openCudaBest(const OpenOptions &options) {
  Result<std::vector<DeviceInfo>> devices = listCudaDevices(options);
  if (!devices)
    return devices.status();
  int index = firstOf(*devices, DeviceClass::Gpu);
  if (index < 0) {
    std::string found;
    for (const DeviceInfo &d : *devices)
      found += "\n  " + d.id + " (" + d.name + "): " + d.unusable;
    return Status::unsupported("no usable CUDA device" + found);
  }
  Result<std::shared_ptr<Device>> device =
      openCudaDevice(static_cast<uint32_t>(index), options);
  if (device)
    (*device)->setWhyChosen("first CUDA GPU");
  return device;
}

/// A CUDA GPU, else what Vulkan offers, of what the options allow.
Result<std::shared_ptr<Device>> openAutomatic(const OpenOptions &options) {
  auto allows = [&](bundle::TargetKind kind) {
    return options.targets.empty() ||
           std::find(options.targets.begin(), options.targets.end(), kind) !=
               options.targets.end();
  };
  std::string before = "there is no code for CUDA; ";
  if (allows(bundle::TargetKind::Cuda)) {
    Result<std::shared_ptr<Device>> device = openCudaBest(options);
    if (device)
      return device;
    if (!allows(bundle::TargetKind::Vulkan))
      return device.status().withPrefix("device 'auto': ");
    before = "no CUDA (" + device.status().message() + "); ";
  }
  Result<std::shared_ptr<Device>> device = openVulkanBest(options);
  if (!device)
    return device.status().withPrefix("device 'auto': " + before);
  (*device)->setWhyChosen(before + (*device)->whyChosen());
  return device;
}

} // namespace

std::vector<DeviceInfo>
listDevices(const OpenOptions &options,
            std::vector<std::pair<std::string, Status>> *problems) {
  std::vector<DeviceInfo> all;
  auto add = [&](const char *driver, Result<std::vector<DeviceInfo>> devices) {
    if (devices)
      all.insert(all.end(), devices->begin(), devices->end());
    else if (problems)
      problems->push_back({driver, devices.status()});
  };
  add("cuda", listCudaDevices(options));
  add("vulkan", listVulkanDevices(options));
  add("emulator", listEmulatorDevices());
  all.push_back(nullDeviceInfo());
  return all;
}

Result<std::shared_ptr<Device>> openDevice(const std::string &selector,
                                           const OpenOptions &options) {
  std::string kind;
  int index = -1;
  const std::string emulator = "emulator";
  bool emulates = selector == emulator ||
                  selector.compare(0, emulator.size() + 1, emulator + ":") == 0;
  if (emulates)
    kind = emulator;
  else if (!parseSelector(selector, kind, index))
    return Status::invalidInput("device '" + selector + "': " + selectorHelp);
  if (index >= 0 && kind == "auto")
    return Status::invalidInput("device '" + selector +
                                "': auto takes no number");
  if (index == 0 && kind == "null")
    return Status::invalidInput("device '" + selector +
                                "': expected a number of processors from 1 to "
                                "9999, got 0");

  Result<std::shared_ptr<Device>> device =
      Status::invalidInput("device '" + selector + "': " + selectorHelp);
  if (emulates)
    device = openEmulatorDevice(selector.size() > emulator.size()
                                    ? selector.substr(emulator.size() + 1)
                                    : "",
                                options);
  else if (kind == "null")
    device = openNullDevice(index > 0 ? uint32_t(index) : 1);
  else if (kind == "vulkan" && index >= 0)
    device = openVulkanDevice(static_cast<uint32_t>(index), options);
  else if (kind == "vulkan")
    device = openVulkanBest(options);
  else if (kind == "cuda" && index >= 0)
    device = openCudaDevice(static_cast<uint32_t>(index), options);
  else if (kind == "cuda")
    device = openCudaBest(options);
  else if (kind == "auto")
    device = openAutomatic(options);
  if (device && (*device)->whyChosen().empty())
    (*device)->setWhyChosen("asked for");
  if (device && options.log) {
    const DeviceInfo &info = (*device)->info();
    options.log("device " + info.id + " taken (" + info.name + ", " +
                info.typeName + "): " + (*device)->whyChosen());
  }
  return device;
}

} // namespace helios::rt
