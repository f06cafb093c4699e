//===- Device.cpp - Which GPU the emulator stands for, its memory -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Device.h"
#include "common/StreamChecks.h"
#include "helios/Bundle/Serialize.h"
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace helios::rt {

namespace emulator {

namespace {

uint64_t hostMemoryBytes() {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? uint64_t(pages) * uint64_t(page)
                               : uint64_t(1) << 30;
}

struct Row {
  const char *name;
  uint32_t capability, sharedBytes, computeUnits;
};
// As many processors as keep tests of a few tiles in several blocks.
const Row rows[] = {{"sm_80", 80, 163 << 10, 4},
                    {"sm_86", 86, 99 << 10, 4},
                    {"sm_89", 89, 99 << 10, 4},
                    {"sm_90a", 90, 227 << 10, 4}};

DeviceInfo describe(const Row &row) {
  DeviceInfo info;
  info.id = std::string("emulator:") + row.name;
  info.driver = "emulator";
  info.name = std::string("PTX emulator of ") + row.name;
  info.deviceClass = DeviceClass::Cpu;
  info.typeName = "executes PTX on the CPU";
  info.driverDescription = std::string("Helios ") + runtimeVersion();
  info.apiVersion = info.driverVersion = 12080;
  info.apiVersionString = "12.8";
  info.computeCapability = row.capability;
  info.subgroupSize = info.minSubgroupSize = info.maxSubgroupSize = 32;
  info.sharedMemoryBytes = row.sharedBytes;
  info.maxWorkgroupInvocations = 1024;
  info.maxWorkgroupSize[0] = info.maxWorkgroupSize[1] = 1024;
  info.maxWorkgroupSize[2] = 64;
  info.maxPushConstantBytes = 4096;
  info.maxStorageBuffers = 128;
  info.maxStorageBufferRange = INT64_MAX;
  info.storageBufferAlignment = 1;
  info.memoryBytes = info.maxAllocationBytes = hostMemoryBytes();
  info.computeUnits = row.computeUnits;
  info.timestampPeriodNs = 1;
  return info;
}

/// "sm_89,seed=3,threads=1,plain".
Status parse(const std::string &text, const Row *&row, emu::Options &options) {
  row = &rows[3];
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    const Row *found = nullptr;
    for (const Row &r : rows)
      if (word == r.name)
        found = &r;
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals), value;
    char *rest = nullptr;
    uint64_t number = 0;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
      number = std::strtoull(value.c_str(), &rest, 10);
    }
    bool isNumber = rest && *rest == 0 && !value.empty();
    if (found)
      row = found;
    else if (name == "seed" && isNumber)
      options.seed = number;
    else if (name == "threads" && isNumber && number >= 1 && number <= 256)
      options.threads = unsigned(number);
    else if (word == "plain")
      options.sanitize = false;
    else
      return Status::invalidInput(
          "device 'emulator:" + text +
          "': expected, with commas between, sm_80, sm_86, sm_89 or sm_90a, "
          "seed=N, threads=N, plain; got '" +
          word + "'");
  }
  return Status::success();
}

} // namespace

EmulatorBuffer::EmulatorBuffer(std::shared_ptr<EmulatorDevice> device,
                               uint8_t *memory, uint8_t *initialized,
                               uint64_t bytes)
    : memory(memory), initialized(initialized), bytes(bytes),
      owner(std::move(device)) {}

EmulatorBuffer::~EmulatorBuffer() {
  std::free(memory);
  std::free(initialized);
}

Status EmulatorBuffer::write(uint64_t offset, const void *data, uint64_t n) {
  if (Status s = checkInside(*this, offset, n, "write"); !s.ok() || !n)
    return s;
  std::memcpy(memory + offset, data, n);
  if (initialized)
    std::memset(initialized + offset, 1, n);
  return Status::success();
}

Status EmulatorBuffer::read(uint64_t offset, void *data, uint64_t n) {
  if (Status s = checkInside(*this, offset, n, "read"); !s.ok() || !n)
    return s;
  std::memcpy(data, memory + offset, n);
  return Status::success();
}

Result<std::shared_ptr<EmulatorBuffer>>
EmulatorDevice::allocate(uint64_t bytes) {
  if (bytes > deviceInfo.memoryBytes)
    return Status(StatusCode::OutOfMemory,
                  deviceInfo.id + ": buffer of " + formatBytes(bytes) +
                      " asked for, the host has " +
                      formatBytes(deviceInfo.memoryBytes));
  uint64_t rounded = bytes / 256 * 256 + 256;
  auto *memory = static_cast<uint8_t *>(std::aligned_alloc(256, rounded));
  uint8_t *written = nullptr;
  if (memory && options.sanitize)
    written = static_cast<uint8_t *>(std::calloc(rounded, 1));
  if (!memory || (options.sanitize && !written)) {
    std::free(memory);
    return Status(StatusCode::OutOfMemory, deviceInfo.id +
                                               ": the host has no " +
                                               formatBytes(bytes) + " left");
  }
  return std::make_shared<EmulatorBuffer>(self(), memory, written, bytes);
}

Result<std::shared_ptr<Buffer>> EmulatorDevice::createBuffer(uint64_t bytes,
                                                             MemoryKind kind) {
  Result<std::shared_ptr<EmulatorBuffer>> b = allocate(bytes);
  if (!b)
    return b.status();
  (*b)->isHost = kind == MemoryKind::Host;
  if ((*b)->isHost && (*b)->initialized)
    std::memset((*b)->initialized, 1, bytes);
  return std::shared_ptr<Buffer>(*b);
}

Result<std::shared_ptr<const emu::Code>>
EmulatorDevice::load(const bundle::Module &module, const std::string &entry) {
  std::array<uint8_t, 32> key =
      bundle::sha256(module.bytes.data(), module.bytes.size());
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const emu::ptx::Module> &parsed = modules[key];
  if (!parsed) {
    std::string text(module.bytes.begin(), module.bytes.end());
    Result<emu::ptx::Module> result =
        emu::ptx::parse(text.substr(0, text.find('\0')));
    if (!result)
      return result.status().withPrefix("module '" + module.name + "': ");
    parsed = std::make_shared<emu::ptx::Module>(std::move(*result));
  }
  std::shared_ptr<const emu::Code> &code = codes[{parsed.get(), entry}];
  if (!code) {
    Result<std::shared_ptr<const emu::Code>> result =
        emu::decode(parsed, entry);
    if (!result)
      return result.status().withPrefix("module '" + module.name + "': ");
    code = *result;
  }
  if (code->arch > deviceInfo.computeCapability)
    return Status::unsupported("module '" + module.name + "' is for " +
                               parsed->target + ", the device is " +
                               deviceInfo.id);
  return code;
}

emu::Options EmulatorDevice::nextOptions() {
  std::lock_guard<std::mutex> lock(mutex);
  emu::Options now = options;
  if (options.seed)
    options.seed =
        options.seed * 6364136223846793005ull + 1442695040888963407ull;
  if (options.seed == 0 && now.seed)
    options.seed = 1;
  return now;
}

} // namespace emulator

std::vector<DeviceInfo> listEmulatorDevices() {
  std::vector<DeviceInfo> all;
  for (const emulator::Row &row : emulator::rows)
    all.push_back(emulator::describe(row));
  return all;
}

Result<std::shared_ptr<Device>>
openEmulatorDevice(const std::string &configuration,
                   const OpenOptions &options) {
  const emulator::Row *row = nullptr;
  emu::Options chosen;
  if (Status s = emulator::parse(configuration, row, chosen); !s.ok())
    return s;
  return std::shared_ptr<Device>(std::make_shared<emulator::EmulatorDevice>(
      emulator::describe(*row), chosen, options.log));
}

} // namespace helios::rt
