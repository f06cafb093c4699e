//===- Device.h - The CUDA driver's objects -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_CUDA_DEVICE_H
#define HELIOS_RUNTIME_CUDA_DEVICE_H

#include "common/PlannedKernel.h"
#include "cuda/Driver.h"
#include "cuda/RunningDispatches.h"
#include <array>
#include <map>
#include <mutex>

namespace helios::rt::cuda {

class CudaBuffer;
class CudaModule;

/// What a device is, asked of the driver; nothing is run.
DeviceInfo describeDevice(const Driver &driver, int index);

/// Asks how many clusters run at once, with the device's context current. How
/// processors are grouped differs from chip to chip, and only the driver knows.
/// What it does not say stays unknown.
void countClusters(const Driver &driver, DeviceInfo &info);

class CudaDevice final : public Device {
public:
  static Result<std::shared_ptr<CudaDevice>>
  open(std::shared_ptr<Driver> driver, uint32_t index,
       const OpenOptions &options);
  ~CudaDevice() override;

  const DeviceInfo &info() const override { return deviceInfo; }
  bool executes() const override { return true; }
  Status makeCurrent() override {
    ContextHandle now = nullptr;
    cuda->contextGetCurrent(&now);
    return now == primary
               ? Status::success()
               : cuda->check(cuda->contextPush(primary), "cuCtxPushCurrent");
  }
  Result<std::shared_ptr<Buffer>> createBuffer(uint64_t bytes,
                                               MemoryKind kind) override;
  Result<std::shared_ptr<Buffer>>
  wrapMemory(uint64_t address, uint64_t bytes,
             std::shared_ptr<void> keptAlive) override;
  Result<std::shared_ptr<Stream>> createStream() override;
  Result<std::shared_ptr<Stream>> wrapStream(void *handle) override;
  Result<std::shared_ptr<Kernel>>
  loadKernel(std::shared_ptr<const bundle::Bundle> bundle,
             const std::string &name, const KernelOptions &options) override;

  Result<std::shared_ptr<CudaBuffer>> allocate(uint64_t bytes, MemoryKind kind);
  /// A module compiled for this device; kernels that are alive share it.
  Result<std::shared_ptr<CudaModule>> load(const bundle::Module &module);

  const Driver &driver() const { return *cuda; }
  ContextHandle context() const { return primary; }
  /// For copies that the host waits for.
  StreamHandle copies() const { return copyStream; }
  std::shared_ptr<CudaDevice> self() {
    return std::static_pointer_cast<CudaDevice>(shared_from_this());
  }
  void log(const std::string &text) const {
    if (tell)
      tell(text);
  }

private:
  CudaDevice() = default;
  std::shared_ptr<Driver> cuda;
  DeviceInfo deviceInfo;
  DeviceNumber number = 0;
  ContextHandle primary = nullptr;
  StreamHandle copyStream = nullptr;
  std::function<void(const std::string &)> tell;
  std::mutex mutex;
  std::map<std::array<uint8_t, 32>, std::weak_ptr<CudaModule>> modules;
};

/// Makes the device's context current on this thread while it lives.
class Current {
public:
  explicit Current(const CudaDevice &device) : driver(device.driver()) {
    ContextHandle now = nullptr;
    driver.contextGetCurrent(&now);
    if (now != device.context())
      pushed = driver.contextPush(device.context()) == Success;
  }
  ~Current() {
    ContextHandle was = nullptr;
    if (pushed)
      driver.contextPop(&was);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

private:
  const Driver &driver;
  bool pushed = false;
};

class CudaBuffer final : public Buffer {
public:
  CudaBuffer(std::shared_ptr<CudaDevice> device, uint64_t bytes)
      : owner(std::move(device)), ownerAsDevice(owner), bytes(bytes) {}
  ~CudaBuffer() override;

  uint64_t size() const override { return bytes; }
  Status write(uint64_t offset, const void *data, uint64_t n) override;
  Status read(uint64_t offset, void *data, uint64_t n) override;
  void *hostPointer() override { return host; }
  uint64_t deviceAddress() const override { return address; }
  const std::shared_ptr<Device> &device() const override {
    return ownerAsDevice;
  }

  /// InvalidInput if [offset, offset + n) leaves the buffer.

  std::shared_ptr<CudaDevice> owner;
  std::shared_ptr<Device> ownerAsDevice;
  DevicePointer address = 0;
  void *host = nullptr;
  uint64_t bytes = 0;
  /// Somebody else's memory, and what keeps it.
  bool foreign = false;
  std::shared_ptr<void> keptAlive;
};

/// A module that the driver's compiler has translated.
class CudaModule {
public:
  static Result<std::shared_ptr<CudaModule>>
  compile(std::shared_ptr<CudaDevice> device, const bundle::Module &module);
  ~CudaModule();

  std::shared_ptr<CudaDevice> owner;
  ModuleHandle handle = nullptr;
  std::string name;
  /// What the driver took to translate it, on the host.
  double jitMilliseconds = 0;
};

/// An entry point, ready to be launched.
struct Function {
  std::shared_ptr<CudaModule> module;
  std::string entryPoint;
  FunctionHandle handle = nullptr;
};

class CudaKernel final : public PlannedKernel,
                         public std::enable_shared_from_this<CudaKernel> {
public:
  CudaKernel(std::shared_ptr<CudaDevice> device,
             std::shared_ptr<const bundle::Bundle> bundle,
             const bundle::Kernel &kernel, ChosenImplementation chosen)
      : PlannedKernel(device, std::move(bundle), kernel, std::move(chosen)),
        owner(std::move(device)) {}

  std::vector<PipelineStatistic> statistics() override;

private:
  Result<std::shared_ptr<Launch>>
  build(const std::vector<LaunchArgument> &arguments,
        const CheckedArguments &checked, bundle::ResolvedPlan plan) override;
  /// The entry point of a dispatch, compiled on first use.
  Result<const Function *>
  functionFor(const bundle::ResolvedDispatch &dispatch);
  Result<Function> makeFunction(const bundle::ResolvedDispatch &dispatch);

  std::shared_ptr<CudaDevice> owner;
  std::mutex mutex;
  std::map<std::string, Function> functions;
};

class CudaLaunch final : public Launch {
public:
  CudaLaunch(std::shared_ptr<CudaDevice> device,
             std::shared_ptr<CudaKernel> kernel, bundle::ResolvedPlan plan)
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

  /// Allocates the workspace, packs parameters and encodes tensor maps for
  /// `functions`, one a dispatch (null where nothing is launched).
  Status bind(const std::vector<const Function *> &functions,
              const std::vector<LaunchArgument> &arguments,
              const std::vector<BoundTensor> &tensors);
  /// Hands the dispatches to a stream, behind and to those that may still run
  /// there; the context is current.
  Status submit(StreamHandle stream, RunningDispatches &running);

  std::shared_ptr<CudaDevice> owner;

private:
  struct Step {
    const Function *function = nullptr;
    const bundle::ResolvedDispatch *dispatch = nullptr;
    std::vector<uint64_t> words; ///< pointers and scalars
    std::vector<EncodedTensorMap> maps;
    std::vector<void *> parameters;
    DispatchUse use;
  };
  Status pack(Step &step, const std::vector<DevicePointer> &addresses,
              const std::vector<uint64_t> &sizes);
  Status encode(const bundle::ResolvedTensorMap &map, DevicePointer address,
                EncodedTensorMap &out);

  std::shared_ptr<CudaKernel> kernel;
  bundle::ResolvedPlan resolved;
  std::vector<std::shared_ptr<Buffer>> kept;
  std::shared_ptr<CudaBuffer> workspace, dummy;
  std::vector<Step> steps;
};

Result<std::shared_ptr<Stream>>
createCudaStream(std::shared_ptr<CudaDevice> device);
Result<std::shared_ptr<Stream>>
wrapCudaStream(std::shared_ptr<CudaDevice> device, void *handle);

} // namespace helios::rt::cuda

#endif // HELIOS_RUNTIME_CUDA_DEVICE_H
