//===- Requirements.cpp - What a device lacks for an implementation -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Common.h"
#include <climits>

namespace helios::rt {

using namespace bundle;

namespace {

std::string version(uint32_t v) {
  return std::to_string(v >> 22 & 0x7f) + "." + std::to_string(v >> 12 & 0x3ff);
}

std::string cudaVersion(uint32_t v) {
  return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
}

/// 89 -> "8.9".
std::string capability(uint32_t v) {
  return std::to_string(v / 10) + "." + std::to_string(v % 10);
}

void atLeast(std::vector<std::string> &missing, const char *what,
             uint64_t wanted, uint64_t got) {
  if (wanted > got)
    missing.push_back(std::string(what) + " of " + std::to_string(wanted) +
                      ", the device has " + std::to_string(got));
}

void checkShape(const MatrixShape &shape, const DeviceInfo &info,
                bool trustListed, std::vector<std::string> &missing) {
  for (const ListedShape &l : info.matrixShapes) {
    if (!(l.shape == shape))
      continue;
    if (l.verdict == ListedShape::Verdict::Verified || trustListed)
      return;
    missing.push_back("matrix shape " + toString(shape) + ": listed, but " +
                      verdictName(l.verdict) +
                      (l.detail.empty() ? "" : " (" + l.detail + ")"));
    return;
  }
  missing.push_back("matrix shape " + toString(shape) +
                    ": not listed by the driver");
}

} // namespace

std::vector<std::string> missingRequirements(const Requirements &r,
                                             const DeviceInfo &info,
                                             bool trustListed) {
  std::vector<std::string> missing;
  if (r.minApiVersion > info.apiVersion)
    missing.push_back(
        info.computeCapability
            ? "a driver for CUDA " + cudaVersion(r.minApiVersion) +
                  ", the installed one is for " + info.apiVersionString
            : "Vulkan " + version(r.minApiVersion) + ", the device has " +
                  version(info.apiVersion));
  if (r.exactComputeCapability ? info.computeCapability != r.computeCapability
                               : info.computeCapability < r.computeCapability)
    missing.push_back(
        "compute capability " + capability(r.computeCapability) +
        (r.exactComputeCapability ? " exactly" : "") +
        (info.computeCapability
             ? ", the device has " + capability(info.computeCapability)
             : ", the device is no CUDA device"));
  for (uint32_t f = 0; f < kNumFeatures; ++f)
    if ((r.features >> f & 1) && !info.has(static_cast<Feature>(f)))
      missing.push_back(std::string("feature ") +
                        featureName(static_cast<Feature>(f)));
  if (r.subgroupSize) {
    bool fixed = info.minSubgroupSize == info.maxSubgroupSize &&
                 info.subgroupSize == r.subgroupSize;
    bool selectable = info.has(Feature::SubgroupSizeControl) &&
                      info.minSubgroupSize <= r.subgroupSize &&
                      r.subgroupSize <= info.maxSubgroupSize;
    if (!fixed && !selectable)
      missing.push_back("subgroup size " + std::to_string(r.subgroupSize) +
                        ", the device has " +
                        (info.minSubgroupSize == info.maxSubgroupSize
                             ? std::to_string(info.subgroupSize)
                             : std::to_string(info.minSubgroupSize) + " to " +
                                   std::to_string(info.maxSubgroupSize) +
                                   (info.has(Feature::SubgroupSizeControl)
                                        ? ""
                                        : ", not selectable")));
  }
  atLeast(missing, "shared memory bytes", r.sharedMemoryBytes,
          info.sharedMemoryBytes);
  atLeast(missing, "workgroup invocations", r.workgroupInvocations,
          info.maxWorkgroupInvocations);
  atLeast(missing, "push-constant bytes", r.pushConstantBytes,
          info.maxPushConstantBytes);
  for (const MatrixShape &s : r.matrixShapes)
    checkShape(s, info, trustListed, missing);
  return missing;
}

Result<const bundle::Kernel *> findKernel(const bundle::Bundle *bundle,
                                          const std::string &name) {
  if (bundle)
    if (const bundle::Kernel *kernel = bundle->findKernel(name))
      return kernel;
  std::string names;
  if (bundle)
    for (const bundle::Kernel &k : bundle->kernels)
      names += (names.empty() ? "" : ", ") + k.name;
  return Status::invalidInput("the bundle has no kernel '" + name +
                              "'; it has: " + names);
}

Result<ChosenImplementation> chooseImplementation(const bundle::Kernel &kernel,
                                                  TargetKind target,
                                                  const DeviceInfo &info,
                                                  const KernelOptions &options,
                                                  bool trustListed) {
  std::string lacking;
  for (uint32_t i = 0; i < kernel.implementations.size(); ++i) {
    const Implementation &impl = kernel.implementations[i];
    std::string name =
        std::string(targetKindName(impl.target)) + ":" + impl.row;
    std::vector<std::string> missing;
    if (impl.target != target)
      missing.push_back(std::string("a ") + targetKindName(impl.target) +
                        " device (--device " + targetKindName(impl.target) +
                        ")");
    else if (!options.row.empty() && impl.row != options.row)
      missing.push_back("not asked for (row '" + options.row + "' was)");
    else if (info.deviceClass != DeviceClass::Null)
      missing = missingRequirements(impl.requirements, info, trustListed);
    if (missing.empty()) {
      ChosenImplementation c;
      c.index = i;
      c.why = "took " + name + lacking;
      return c;
    }
    lacking += "\n  " + name + " lacks: ";
    for (size_t m = 0; m < missing.size(); ++m)
      lacking += (m ? "; " : "") + missing[m];
  }
  return Status::unsupported("no implementation of kernel '" + kernel.name +
                             "' runs on " + info.id + " (" + info.name + ")" +
                             lacking);
}

void fillDeviceProperties(const DeviceInfo &info, PlanInput &input) {
  auto set = [&](DeviceProperty p, uint64_t v) {
    input.device[static_cast<uint32_t>(p)] =
        v > uint64_t(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(v);
  };
  input.setComputeUnits(info.computeUnits ? info.computeUnits
                                          : kAssumedComputeUnits);
  set(DeviceProperty::SubgroupSize, info.subgroupSize);
  set(DeviceProperty::MaxStorageBufferRange, info.maxStorageBufferRange);
  set(DeviceProperty::SharedMemoryBytes, info.sharedMemoryBytes);
  set(DeviceProperty::MaxWorkgroupInvocations, info.maxWorkgroupInvocations);
  set(DeviceProperty::IsCpu, info.deviceClass == DeviceClass::Cpu);
  const DeviceProperty ofClusters[] = {DeviceProperty::ClustersOf2,
                                       DeviceProperty::ClustersOf4,
                                       DeviceProperty::ClustersOf8};
  for (unsigned i = 0; i < info.clusters.size(); ++i)
    if (info.clusters[i])
      set(ofClusters[i], info.clusters[i]);
}

Result<std::vector<std::vector<int64_t>>>
inferFromInputs(const bundle::Kernel &kernel, const Plan &plan,
                const DeviceInfo &info,
                const std::vector<std::vector<int64_t>> &inputExtents) {
  PlanInput input;
  fillDeviceProperties(info, input);
  input.arguments.resize(kernel.arguments.size());
  size_t inputs = 0;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (kernel.arguments[i].isResult)
      continue;
    if (inputs >= inputExtents.size() ||
        (kernel.arguments[i].kind == ArgumentKind::Tensor &&
         inputExtents[inputs].size() != kernel.arguments[i].rank()))
      return Status::invalidInput(
          "kernel '" + kernel.name + "': extents of input '" +
          kernel.arguments[i].name + "' are missing or of another rank than " +
          std::to_string(kernel.arguments[i].rank()));
    input.arguments[i].extents = inputExtents[inputs++];
  }
  return inferResultExtents(kernel, plan, input);
}

} // namespace helios::rt
