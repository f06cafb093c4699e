//===- Common.h - What the drivers share -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_COMMON_COMMON_H
#define HELIOS_RUNTIME_COMMON_COMMON_H

#include "helios/runtime/Runtime.h"

namespace helios::rt {

/// Checks the arguments of a launch against the kernel's description and turns
/// them into the plan's input. `usesOffset[i]`: the plan reads offset(i), so
/// argument i may start anywhere; others must start at a multiple of the
/// device's binding alignment. InvalidInput or Unsupported name the argument.
struct BoundTensor {
  uint64_t offset = 0; ///< of what is bound, from the buffer's start
  uint64_t bytes = 0;  ///< that the tensor spans from there; 0: empty tensor
};
struct CheckedArguments {
  bundle::PlanInput input;
  std::vector<BoundTensor> tensors;
};
Result<CheckedArguments>
checkArguments(const bundle::Kernel &kernel, const bundle::Plan &plan,
               const std::vector<LaunchArgument> &arguments,
               const Device &device);

/// The bundle's kernel of that name; else an error that lists those it has. A
/// null bundle has none.
Result<const bundle::Kernel *> findKernel(const bundle::Bundle *bundle,
                                          const std::string &name);

/// Which implementation of `kernel` the device takes, and why.
struct ChosenImplementation {
  uint32_t index = 0;
  std::string why;
};
Result<ChosenImplementation> chooseImplementation(const bundle::Kernel &kernel,
                                                  bundle::TargetKind target,
                                                  const DeviceInfo &info,
                                                  const KernelOptions &options,
                                                  bool trustListed);

/// The device facts that formulas may ask for.
void fillDeviceProperties(const DeviceInfo &info, bundle::PlanInput &input);

/// resultExtents for any driver.
Result<std::vector<std::vector<int64_t>>>
inferFromInputs(const bundle::Kernel &kernel, const bundle::Plan &plan,
                const DeviceInfo &info,
                const std::vector<std::vector<int64_t>> &inputExtents);

/// Total workgroups as a grid (x, y, 1) with both at most 65535 and x * y >=
/// total.
struct Grid {
  uint32_t x = 0, y = 0;
};
Grid splitGrid(uint64_t total);

/// "1.5 GiB".
std::string formatBytes(uint64_t bytes);

// Drivers.
/// `processors`: how many launch plans are told that there are.
Result<std::shared_ptr<Device>> openNullDevice(uint32_t processors);
DeviceInfo nullDeviceInfo(uint32_t processors = 1);
/// `configuration`: row, seed and so on, as the selector names them.
Result<std::shared_ptr<Device>>
openEmulatorDevice(const std::string &configuration,
                   const OpenOptions &options);
std::vector<DeviceInfo> listEmulatorDevices();
Result<std::vector<DeviceInfo>> listVulkanDevices(const OpenOptions &options);
Result<std::shared_ptr<Device>> openVulkanDevice(uint32_t index,
                                                 const OpenOptions &options);
Result<std::vector<DeviceInfo>> listCudaDevices(const OpenOptions &options);
Result<std::shared_ptr<Device>> openCudaDevice(uint32_t index,
                                               const OpenOptions &options);

} // namespace helios::rt

#endif // HELIOS_RUNTIME_COMMON_COMMON_H
