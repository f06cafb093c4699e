//===- Profiles.cpp - Target rows and what they need -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

namespace helios::doctor {

using namespace bundle;

namespace {

constexpr uint32_t vulkan(uint32_t major, uint32_t minor) {
  return major << 22 | minor << 12;
}

Profile base(const char *name, uint32_t subgroup, uint32_t shared,
             uint32_t invocations, uint32_t push, const char *driver) {
  Profile p;
  p.name = name;
  p.requirements.subgroupSize = subgroup;
  p.requirements.sharedMemoryBytes = shared;
  p.requirements.workgroupInvocations = invocations;
  p.requirements.pushConstantBytes = push;
  p.requirements.minApiVersion = vulkan(1, 1);
  p.minimumDriver = driver;
  return p;
}

/// A row without matrix instructions.
Profile simt(const char *name, std::initializer_list<Feature> features,
             const char *driver) {
  Profile p = base(name, 0, 16384, 128, 128, driver);
  for (Feature f : features)
    p.requirements.require(f);
  return p;
}

/// A row with cooperative matrices, for one shape of it.
Profile matrix(const char *name, uint32_t subgroup, uint32_t shared,
               uint32_t push, uint32_t m, uint32_t n, uint32_t k,
               ElementType operand, ElementType result, const char *driver) {
  Profile p = base(name, subgroup, shared, 1024, push, driver);
  Requirements &r = p.requirements;
  r.minApiVersion = vulkan(1, 3); // SPIR-V 1.6
  r.require(Feature::CooperativeMatrix);
  r.require(Feature::VulkanMemoryModel);
  r.require(Feature::FullSubgroups);
  r.require(Feature::StorageBuffer16);
  if (operand == ElementType::BF16) {
    r.require(Feature::BFloat16);
    r.require(Feature::BFloat16CooperativeMatrix);
  } else {
    r.require(Feature::ShaderFloat16);
  }
  MatrixShape shape;
  shape.m = m;
  shape.n = n;
  shape.k = k;
  shape.a = shape.b = operand;
  shape.c = shape.result = result;
  r.matrixShapes = {shape};
  return p;
}

} // namespace

std::vector<Profile> profiles() {
  const ElementType f16 = ElementType::F16, bf16 = ElementType::BF16,
                    f32 = ElementType::F32;
  const char *const nvidia = "NVIDIA 535.54 (Turing or newer)";
  const char *const rdna = "AMD RADV of Mesa 23.3 (RDNA3 or newer)";
  const char *const xe = "Intel ANV of Mesa 24.0 (Xe2)";
  const char *const lavapipe = "lavapipe of Mesa 26.0";
  return {
      matrix("vulkan:nvidia f16->f32", 32, 49152, 256, 16, 16, 16, f16, f32,
             nvidia),
      matrix("vulkan:nvidia f16->f16", 32, 49152, 256, 16, 16, 16, f16, f16,
             nvidia),
      matrix("vulkan:nvidia bf16->f32", 32, 49152, 256, 16, 16, 16, bf16, f32,
             "NVIDIA 575 (Ampere or newer)"),
      matrix("vulkan:rdna f16->f32", 32, 65536, 128, 16, 16, 16, f16, f32,
             rdna),
      matrix("vulkan:rdna f16->f16", 32, 65536, 128, 16, 16, 16, f16, f16,
             rdna),
      matrix("vulkan:xe f16->f32", 16, 65536, 128, 8, 16, 16, f16, f32, xe),
      matrix("vulkan:xe f16->f16", 16, 65536, 128, 8, 16, 16, f16, f16, xe),
      matrix("vulkan:lavapipe f16->f32", 8, 32768, 256, 8, 8, 8, f16, f32,
             lavapipe),
      matrix("vulkan:lavapipe f16->f16", 8, 32768, 256, 8, 8, 8, f16, f16,
             lavapipe),
      simt("vulkan:simt f32", {}, "any with Vulkan 1.1"),
      simt("vulkan:simt f16",
           {Feature::ShaderFloat16, Feature::StorageBuffer16},
           "any with Vulkan 1.1, 16-bit storage and shaderFloat16"),
  };
}

std::vector<std::string> lacking(const Profile &profile,
                                 const rt::DeviceInfo &info) {
  return rt::missingRequirements(profile.requirements, info);
}

} // namespace helios::doctor
