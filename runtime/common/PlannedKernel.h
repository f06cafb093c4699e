//===- PlannedKernel.h - What kernels of all drivers share -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_COMMON_PLANNEDKERNEL_H
#define HELIOS_RUNTIME_COMMON_PLANNEDKERNEL_H

#include "common/Common.h"

namespace helios::rt {

/// A kernel with a chosen implementation. A driver makes launches of what the
/// arguments and the plan come to.
class PlannedKernel : public Kernel {
public:
  PlannedKernel(std::shared_ptr<Device> device,
                std::shared_ptr<const bundle::Bundle> bundle,
                const bundle::Kernel &kernel, ChosenImplementation chosen)
      : bundle(std::move(bundle)), kernel(kernel), chosen(std::move(chosen)),
        owningDevice(std::move(device)) {}

  const bundle::Kernel &description() const override { return kernel; }
  const bundle::Implementation &implementation() const override {
    return kernel.implementations[chosen.index];
  }
  const std::string &whyChosen() const override { return chosen.why; }
  Result<std::shared_ptr<Launch>>
  prepare(const std::vector<LaunchArgument> &arguments) override {
    return resolveAndBuild(arguments, -1);
  }
  Result<std::shared_ptr<Launch>>
  prepareVariant(const std::vector<LaunchArgument> &arguments,
                 uint32_t variant) override {
    return resolveAndBuild(arguments, variant);
  }
  Result<std::vector<std::vector<int64_t>>> resultExtents(
      const std::vector<std::vector<int64_t>> &inputExtents) override {
    return inferFromInputs(kernel, implementation().plan, owningDevice->info(),
                           inputExtents);
  }
  const std::shared_ptr<Device> &device() const override {
    return owningDevice;
  }

protected:
  virtual Result<std::shared_ptr<Launch>>
  build(const std::vector<LaunchArgument> &arguments,
        const CheckedArguments &checked, bundle::ResolvedPlan plan) = 0;

  std::shared_ptr<const bundle::Bundle> bundle;
  const bundle::Kernel &kernel;
  ChosenImplementation chosen;

private:
  /// `variant`: -1 for the first that takes the arguments.
  Result<std::shared_ptr<Launch>>
  resolveAndBuild(const std::vector<LaunchArgument> &arguments,
                  int64_t variant) {
    const bundle::Plan &plan = implementation().plan;
    Result<CheckedArguments> checked =
        checkArguments(kernel, plan, arguments, *owningDevice);
    if (!checked)
      return checked.status();
    Result<bundle::ResolvedPlan> resolved =
        variant < 0 ? bundle::resolve(kernel, plan, checked->input)
                    : bundle::resolveVariant(kernel, plan, checked->input,
                                             static_cast<uint32_t>(variant));
    if (!resolved)
      return resolved.status();
    return build(arguments, *checked, std::move(*resolved));
  }

  std::shared_ptr<Device> owningDevice;
};

/// Loads a kernel of a bundle as a `K`, with an implementation for the first of
/// these targets that the device takes. `trustListed`: what it lists need not
/// be verified.
template <typename K, typename D>
Result<std::shared_ptr<Kernel>> loadPlanned(
    std::shared_ptr<D> device, std::shared_ptr<const bundle::Bundle> bundle,
    const std::string &name, const KernelOptions &options,
    std::initializer_list<bundle::TargetKind> targets, bool trustListed) {
  Result<const bundle::Kernel *> kernel = findKernel(bundle.get(), name);
  if (!kernel)
    return kernel.status();
  Status why;
  for (bundle::TargetKind target : targets) {
    Result<ChosenImplementation> chosen = chooseImplementation(
        **kernel, target, device->info(), options, trustListed);
    if (chosen)
      return std::shared_ptr<Kernel>(std::make_shared<K>(
          std::move(device), std::move(bundle), **kernel, std::move(*chosen)));
    why = chosen.status();
  }
  return why;
}

} // namespace helios::rt

#endif // HELIOS_RUNTIME_COMMON_PLANNEDKERNEL_H
