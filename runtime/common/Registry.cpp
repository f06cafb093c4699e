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
    "expected auto, vulkan[:n], cuda[:n], emulator or null";

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

Status notBuilt(const std::string &driver) {
  return Status::unsupported(
      "device '" + driver + "': the " + driver +
      " driver is not built in this version; use vulkan, or null for dry runs");
}

/// The first usable device of a class; -1 if none.
int firstOf(const std::vector<DeviceInfo> &devices, DeviceClass wanted) {
  for (size_t i = 0; i < devices.size(); ++i)
    if (devices[i].deviceClass == wanted && devices[i].unusable.empty())
      return static_cast<int>(i);
  return -1;
}

Result<std::shared_ptr<Device>> openVulkanBest(const OpenOptions &options,
                                               bool automatic) {
  Result<std::vector<DeviceInfo>> devices = listVulkanDevices(options);
  if (!devices)
    return automatic ? devices.status().withPrefix(
                           "device 'auto': no CUDA driver in this version; ")
                     : devices.status();
  std::string before = automatic ? "no CUDA driver in this version; " : "";
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
    (*device)->setWhyChosen(before + why);
  return device;
}

} // namespace

std::vector<DeviceInfo>
listDevices(const OpenOptions &options,
            std::vector<std::pair<std::string, Status>> *problems) {
  std::vector<DeviceInfo> all;
  Result<std::vector<DeviceInfo>> vulkan = listVulkanDevices(options);
  if (vulkan)
    all = std::move(*vulkan);
  else if (problems)
    problems->push_back({"vulkan", vulkan.status()});
  all.push_back(nullDeviceInfo());
  return all;
}

Result<std::shared_ptr<Device>> openDevice(const std::string &selector,
                                           const OpenOptions &options) {
  std::string kind;
  int index = -1;
  if (!parseSelector(selector, kind, index))
    return Status::invalidInput("device '" + selector + "': " + selectorHelp);
  bool numbered = kind == "vulkan" || kind == "cuda";
  if (index >= 0 && !numbered &&
      (kind == "auto" || kind == "null" || kind == "emulator"))
    return Status::invalidInput("device '" + selector + "': " + kind +
                                " takes no number");

  Result<std::shared_ptr<Device>> device =
      Status::invalidInput("device '" + selector + "': " + selectorHelp);
  if (kind == "cuda" || kind == "emulator")
    return notBuilt(kind);
  if (kind == "null") {
    device = openNullDevice(options);
    if (device)
      (*device)->setWhyChosen("asked for");
  } else if (kind == "vulkan" && index >= 0) {
    device = openVulkanDevice(static_cast<uint32_t>(index), options);
    if (device)
      (*device)->setWhyChosen("asked for");
  } else if (kind == "vulkan" || kind == "auto") {
    device = openVulkanBest(options, kind == "auto");
  }
  if (device && options.log) {
    const DeviceInfo &info = (*device)->info();
    options.log("device " + info.id + " taken (" + info.name + ", " +
                info.typeName + "): " + (*device)->whyChosen());
  }
  return device;
}

} // namespace helios::rt
