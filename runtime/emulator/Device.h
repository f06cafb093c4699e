//===- Device.h - The emulator as a device of the runtime --------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_DEVICE_H
#define HELIOS_RUNTIME_EMULATOR_DEVICE_H

#include "common/PlannedKernel.h"
#include "emulator/Emulator.h"
#include <map>
#include <mutex>

namespace helios::rt::emulator {

class EmulatorDevice;

/// Memory of the host. Which bytes were ever written is kept beside it.
class EmulatorBuffer final : public Buffer {
public:
  EmulatorBuffer(std::shared_ptr<EmulatorDevice> device, uint8_t *memory,
                 uint8_t *initialized, uint64_t bytes);
  ~EmulatorBuffer() override;
  uint64_t size() const override { return bytes; }
  Status write(uint64_t offset, const void *data, uint64_t n) override;
  Status read(uint64_t offset, void *data, uint64_t n) override;
  /// Null for memory of the device: what the host writes past write() would
  /// count as uninitialised.
  void *hostPointer() override { return isHost ? memory : nullptr; }
  /// By which kernels know it.
  uint64_t address() const { return reinterpret_cast<uint64_t>(memory); }
  const std::shared_ptr<Device> &device() const override { return owner; }

  uint8_t *memory;
  uint8_t *initialized; ///< a byte for each, or null
  uint64_t bytes;
  bool isHost = false;

private:
  std::shared_ptr<Device> owner;
};

class EmulatorDevice final : public Device {
public:
  EmulatorDevice(DeviceInfo info, emu::Options options,
                 std::function<void(const std::string &)> log)
      : deviceInfo(std::move(info)), options(options), log(std::move(log)) {}

  const DeviceInfo &info() const override { return deviceInfo; }
  bool executes() const override { return true; }
  Result<std::shared_ptr<Buffer>> createBuffer(uint64_t bytes,
                                               MemoryKind kind) override;
  Result<std::shared_ptr<Stream>> createStream() override;
  Result<std::shared_ptr<Kernel>>
  loadKernel(std::shared_ptr<const bundle::Bundle> bundle,
             const std::string &name, const KernelOptions &options) override;

  Result<std::shared_ptr<EmulatorBuffer>> allocate(uint64_t bytes);
  /// An entry of a module, parsed and decoded once.
  Result<std::shared_ptr<const emu::Code>> load(const bundle::Module &module,
                                                const std::string &entry);
  std::shared_ptr<EmulatorDevice> self() {
    return std::static_pointer_cast<EmulatorDevice>(shared_from_this());
  }
  /// The options of the next launch: seeds follow each other.
  emu::Options nextOptions();
  const std::function<void(const std::string &)> &logger() const { return log; }

private:
  DeviceInfo deviceInfo;
  emu::Options options;
  std::function<void(const std::string &)> log;
  std::mutex mutex;
  std::map<std::array<uint8_t, 32>, std::shared_ptr<const emu::ptx::Module>>
      modules;
  std::map<std::pair<const emu::ptx::Module *, std::string>,
           std::shared_ptr<const emu::Code>>
      codes;
};

class EmulatorLaunch final : public Launch {
public:
  EmulatorLaunch(std::shared_ptr<EmulatorDevice> device,
                 std::shared_ptr<Kernel> kernel, bundle::ResolvedPlan plan)
      : owner(std::move(device)), kernel(std::move(kernel)),
        resolved(std::move(plan)) {}
  const bundle::ResolvedPlan &plan() const override { return resolved; }
  const std::string &variantName() const override {
    return resolved.variantName;
  }
  uint64_t workspaceBytes() const override { return resolved.workspaceBytes; }
  const std::shared_ptr<Device> &device() const override {
    return kernel->device();
  }

  Status bind(const std::vector<std::shared_ptr<const emu::Code>> &codes,
              const std::vector<LaunchArgument> &arguments,
              const std::vector<BoundTensor> &tensors);
  Status run();

  std::shared_ptr<EmulatorDevice> owner;

private:
  struct Step {
    std::shared_ptr<const emu::Code> code;
    emu::LaunchConfig config;
  };
  std::shared_ptr<Kernel> kernel;
  bundle::ResolvedPlan resolved;
  std::vector<std::shared_ptr<Buffer>> kept;
  std::shared_ptr<EmulatorBuffer> workspace, dummy;
  std::vector<Step> steps;
};

} // namespace helios::rt::emulator

#endif // HELIOS_RUNTIME_EMULATOR_DEVICE_H
