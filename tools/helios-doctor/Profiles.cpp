//===- Profiles.cpp - Target rows and what they need -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "helios/Targets/PTX/Rows.h"
#include "helios/Targets/SPIRV/Rows.h"

#include <algorithm>

namespace helios::doctor {

using namespace bundle;

namespace {

constexpr uint32_t vulkan(uint32_t major, uint32_t minor) {
  return major << 22 | minor << 12;
}

/// The row's limits, which every kernel for it keeps.
Profile base(const spv::Row &row, const std::string &types) {
  Profile p;
  p.name = std::string("vulkan:") + row.name + " " + types;
  Requirements &r = p.requirements;
  r.subgroupSize = uint32_t(row.subgroupSize);
  r.sharedMemoryBytes = uint32_t(row.sharedBytes);
  r.workgroupInvocations = uint32_t(row.maxInvocations);
  r.pushConstantBytes = uint32_t(row.pushConstantBytes);
  r.minApiVersion = vulkan(1, 1);
  p.minimumDriver = row.driver;
  return p;
}

/// A row without matrix instructions, for operands of one type.
Profile simt(const spv::Row &row, ElementType operand) {
  Profile p = base(row, elementTypeName(operand));
  if (operand == ElementType::F16) {
    p.requirements.require(Feature::ShaderFloat16);
    p.requirements.require(Feature::StorageBuffer16);
    p.minimumDriver += ", 16-bit storage and shaderFloat16";
  }
  if (operand == ElementType::I8) {
    p.requirements.require(Feature::ShaderInt8);
    p.requirements.require(Feature::StorageBuffer8);
    p.minimumDriver += ", 8-bit storage and shaderInt8";
  }
  return p;
}

/// A row with cooperative matrices, for one shape of them.
Profile matrix(const spv::Row &row, const spv::CoopShape &listed) {
  Profile p = base(row, std::string(listed.a) + "->" + listed.acc);
  if (listed.driver)
    p.minimumDriver = listed.driver;
  Requirements &r = p.requirements;
  r.minApiVersion = vulkan(1, 3); // SPIR-V 1.6
  r.require(Feature::CooperativeMatrix);
  r.require(Feature::VulkanMemoryModel);
  r.require(Feature::FullSubgroups);
  if (row.with == spv::kMatrix2) {
    r.require(Feature::CooperativeMatrixReductions);
    r.require(Feature::CooperativeMatrixConversions);
  }
  if (row.with == spv::kMaintenance1) {
    r.require(Feature::CooperativeMatrixReductionsExt);
    r.require(Feature::CooperativeMatrixConversionsExt);
  }
  MatrixShape shape;
  shape.m = uint32_t(listed.m);
  shape.n = uint32_t(listed.n);
  shape.k = uint32_t(listed.k);
  shape.a = *parseElementType(listed.a);
  shape.b = *parseElementType(listed.b);
  shape.c = shape.result = *parseElementType(listed.acc);
  if (shape.a == ElementType::I8) {
    r.require(Feature::ShaderInt8);
    r.require(Feature::StorageBuffer8);
  }
  if (shape.a == ElementType::F16 || shape.a == ElementType::BF16)
    r.require(Feature::StorageBuffer16);
  if (shape.a == ElementType::BF16) {
    r.require(Feature::BFloat16);
    r.require(Feature::BFloat16CooperativeMatrix);
  }
  if (shape.a == ElementType::F16)
    r.require(Feature::ShaderFloat16);
  r.matrixShapes = {shape};
  return p;
}

/// A CUDA architecture, for all its types.
Profile cuda(const ptx::Row &row) {
  Profile p;
  p.name = std::string("cuda:") + row.name;
  p.target = TargetKind::Cuda;
  Requirements &r = p.requirements;
  r.computeCapability = uint32_t(10 * row.major + row.minor);
  r.exactComputeCapability = row.archSpecific;
  r.sharedMemoryBytes = uint32_t(row.sharedBytes);
  r.minApiVersion = uint32_t(row.driverVersion);
  p.minimumDriver = "NVIDIA's for CUDA " +
                    std::to_string(r.minApiVersion / 1000) + "." +
                    std::to_string(r.minApiVersion % 1000 / 10);
  return p;
}

} // namespace

std::vector<Profile> profiles() {
  std::vector<Profile> result;
  for (const ptx::Row &row : ptx::getRows())
    result.push_back(cuda(row));
  for (const spv::Row &row : spv::getRows()) {
    if (row.shapes.empty()) {
      result.push_back(simt(row, ElementType::F32));
      result.push_back(simt(row, ElementType::F16));
      result.push_back(simt(row, ElementType::I8));
    }
    // Of each combination of types the best shape, which comes first.
    for (const spv::CoopShape &shape : row.shapes) {
      Profile made = matrix(row, shape);
      if (std::none_of(result.begin(), result.end(),
                       [&](const Profile &p) { return p.name == made.name; }))
        result.push_back(std::move(made));
    }
  }
  return result;
}

bool isOfKind(const Profile &profile, const rt::DeviceInfo &info) {
  return targetKindName(profile.target) ==
         (info.driver == "emulator" ? "cuda" : info.driver);
}

std::vector<std::string> lacking(const Profile &profile,
                                 const rt::DeviceInfo &info) {
  return rt::missingRequirements(profile.requirements, info);
}

} // namespace helios::doctor
