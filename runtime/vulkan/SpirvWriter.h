//===- SpirvWriter.h - Small SPIR-V modules, word by word -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the few modules that the runtime makes itself (the self-test) and for the
// conformance suite. The caller adds instructions to the sections; finish()
// puts them together in the order SPIR-V wants.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_VULKAN_SPIRVWRITER_H
#define HELIOS_RUNTIME_VULKAN_SPIRVWRITER_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace helios::rt {

/// Opcodes and enumerants that the modules use.
namespace spv {
enum : uint32_t {
  OpExtension = 10,
  OpMemoryModel = 14,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpTypeVoid = 19,
  OpTypeBool = 20,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypeRuntimeArray = 29,
  OpTypeStruct = 30,
  OpTypePointer = 32,
  OpTypeFunction = 33,
  OpConstant = 43,
  OpFunction = 54,
  OpFunctionEnd = 56,
  OpVariable = 59,
  OpLoad = 61,
  OpStore = 62,
  OpAccessChain = 65,
  OpDecorate = 71,
  OpMemberDecorate = 72,
  OpCompositeExtract = 81,
  OpIAdd = 128,
  OpFAdd = 129,
  OpIMul = 132,
  OpFMul = 133,
  OpULessThan = 176,
  OpSelectionMerge = 247,
  OpLabel = 248,
  OpBranch = 249,
  OpBranchConditional = 250,
  OpReturn = 253,
  OpTypeCooperativeMatrixKHR = 4456,
  OpCooperativeMatrixLoadKHR = 4457,
  OpCooperativeMatrixStoreKHR = 4458,
  OpCooperativeMatrixMulAddKHR = 4459,

  CapabilityShader = 1,
  CapabilityFloat16 = 9,
  CapabilityFloat64 = 10,
  CapabilityInt64 = 11,
  CapabilityInt16 = 22,
  CapabilityInt8 = 39,
  CapabilityStorageBuffer16BitAccess = 4433,
  CapabilityStorageBuffer8BitAccess = 4448,
  CapabilityVulkanMemoryModel = 5345,
  CapabilityCooperativeMatrixKHR = 6022,
  CapabilityBFloat16TypeKHR = 5116,
  CapabilityBFloat16CooperativeMatrixKHR = 5118,

  StorageClassInput = 1,
  StorageClassPushConstant = 9,
  StorageClassStorageBuffer = 12,
  DecorationBlock = 2,
  DecorationArrayStride = 6,
  DecorationBuiltIn = 11,
  DecorationBinding = 33,
  DecorationDescriptorSet = 34,
  DecorationOffset = 35,
  BuiltInNumWorkgroups = 24,
  BuiltInWorkgroupId = 26,
  BuiltInLocalInvocationId = 27,
  ScopeSubgroup = 3,
};
} // namespace spv

class SpirvWriter {
public:
  using Words = std::vector<uint32_t>;
  enum Section {
    Capabilities,
    Extensions,
    Head,
    EntryPoints,
    Modes,
    Annotations,
    Globals,
    Functions,
    NumSections
  };

  uint32_t id() { return nextId++; }

  void op(Section section, uint32_t opcode, const Words &operands) {
    Words &s = sections[section];
    s.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
    s.insert(s.end(), operands.begin(), operands.end());
  }
  /// An instruction `result = opcode type operands`.
  uint32_t value(Section section, uint32_t opcode, uint32_t type,
                 const Words &operands) {
    uint32_t result = id();
    Words words{type, result};
    words.insert(words.end(), operands.begin(), operands.end());
    op(section, opcode, words);
    return result;
  }
  /// A type declaration `result = opcode operands`.
  uint32_t type(uint32_t opcode, const Words &operands) {
    uint32_t result = id();
    Words words{result};
    words.insert(words.end(), operands.begin(), operands.end());
    op(Globals, opcode, words);
    return result;
  }
  uint32_t constant(uint32_t type, uint32_t word) {
    return value(Globals, spv::OpConstant, type, {word});
  }

  static Words text(const std::string &s) {
    Words words(s.size() / 4 + 1, 0);
    for (size_t i = 0; i < s.size(); ++i)
      words[i / 4] |= uint32_t(static_cast<uint8_t>(s[i])) << (8 * (i % 4));
    return words;
  }

  /// The whole module as little-endian bytes, for the given SPIR-V 1.x.
  std::vector<uint8_t> finish(uint32_t minorVersion) const {
    Words words{0x07230203, 0x00010000 | minorVersion << 8, 0, nextId, 0};
    for (const Words &s : sections)
      words.insert(words.end(), s.begin(), s.end());
    std::vector<uint8_t> bytes;
    for (uint32_t w : words)
      for (int b = 0; b < 4; ++b)
        bytes.push_back(static_cast<uint8_t>(w >> (8 * b)));
    return bytes;
  }

private:
  uint32_t nextId = 1;
  Words sections[NumSections];
};

} // namespace helios::rt

#endif // HELIOS_RUNTIME_VULKAN_SPIRVWRITER_H
