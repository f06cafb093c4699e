//===- Profiles.cpp - Kinds of kernels and what they need -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

namespace helios::doctor {

using namespace bundle;

namespace {

constexpr uint32_t vulkan(uint32_t major, uint32_t minor) { return major << 22 | minor << 12; }

Profile simt(const char *name, const char *description, std::initializer_list<Feature> features,
             const char *driver) {
  Profile p;
  p.name = name;
  p.description = description;
  p.requirements.minApiVersion = vulkan(1, 1);
  p.requirements.workgroupInvocations = 128;
  p.requirements.sharedMemoryBytes = 16384;
  p.requirements.pushConstantBytes = 128;
  for (Feature f : features)
    p.requirements.require(f);
  p.minimumDriver = driver;
  return p;
}

Profile matrix(const char *name, const char *description, ElementType operand, ElementType result,
               std::initializer_list<Feature> features, const char *driver) {
  Profile p = simt(name, description, features, driver);
  p.requirements.minApiVersion = vulkan(1, 3); // SPIR-V 1.6
  p.requirements.require(Feature::CooperativeMatrix);
  p.requirements.require(Feature::VulkanMemoryModel);
  p.needsMatrix = true;
  p.operand = operand;
  p.result = result;
  return p;
}

} // namespace

std::vector<Profile> profiles() {
  const char *const any = "any Vulkan 1.1 driver";
  const char *const khr = "NVIDIA 535.54 (Turing or newer), AMD RADV Mesa 23.3 (RDNA3 or newer), Intel ANV Mesa 24.0 "
                          "(Xe), lavapipe Mesa 26.0";
  const char *const khrBf16 = "NVIDIA 570 (Ampere or newer), AMD RADV Mesa 25.2 (RDNA3 or newer), Intel ANV Mesa 25.1";
  return {
      simt("vulkan:simt f32", "f32 without matrix instructions", {}, any),
      simt("vulkan:simt f16", "f16 without matrix instructions", {Feature::ShaderFloat16, Feature::StorageBuffer16},
           "any Vulkan 1.2 driver of a GPU with 16-bit arithmetic"),
      matrix("vulkan:khr f16->f32", "cooperative matrices, f16 operands, f32 accumulators", ElementType::F16,
             ElementType::F32, {Feature::ShaderFloat16, Feature::StorageBuffer16}, khr),
      matrix("vulkan:khr f16->f16", "cooperative matrices, f16 operands and accumulators", ElementType::F16,
             ElementType::F16, {Feature::ShaderFloat16, Feature::StorageBuffer16}, khr),
      matrix("vulkan:khr bf16->f32", "cooperative matrices, bf16 operands, f32 accumulators", ElementType::BF16,
             ElementType::F32,
             {Feature::BFloat16, Feature::BFloat16CooperativeMatrix, Feature::StorageBuffer16}, khrBf16),
  };
}

std::vector<std::string> lacking(const Profile &profile, const rt::DeviceInfo &info) {
  std::vector<std::string> missing = rt::missingRequirements(profile.requirements, info);
  if (!profile.needsMatrix)
    return missing;
  bool listed = false;
  for (const rt::ListedShape &s : info.matrixShapes) {
    if (s.shape.scope != MatrixScope::Subgroup || s.shape.a != profile.operand || s.shape.b != profile.operand ||
        s.shape.c != profile.result || s.shape.result != profile.result)
      continue;
    listed = true;
    if (s.verdict == rt::ListedShape::Verdict::Verified)
      return missing;
  }
  std::string types = std::string(elementTypeName(profile.operand)) + "*" + elementTypeName(profile.operand) + "->" +
                      elementTypeName(profile.result);
  missing.push_back(listed ? "a matrix shape " + types + " that is verified (the listed ones are not)"
                           : "a matrix shape " + types + " (the driver lists none)");
  return missing;
}

} // namespace helios::doctor
