//===- Spirv.cpp - The little of SPIR-V that a loader checks -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Spirv.h"
#include <algorithm>
#include <map>
#include <set>

namespace helios::bundle {

namespace {

enum Opcode : uint32_t {
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpVariable = 59,
  OpDecorate = 71,
};
constexpr uint32_t magicNumber = 0x07230203;
constexpr uint32_t executionModelGLCompute = 5;
constexpr uint32_t executionModeLocalSize = 17;
constexpr uint32_t decorationBinding = 33, decorationDescriptorSet = 34;
constexpr uint32_t storageClassStorageBuffer = 12, storageClassUniform = 2;

struct RawEntryPoint {
  uint32_t id;
  SpirvEntryPoint entry;
  std::set<uint32_t> interface;
};

} // namespace

Result<std::vector<SpirvEntryPoint>>
scanSpirv(const std::vector<uint8_t> &bytes) {
  if (bytes.size() % 4 != 0 || bytes.size() < 20)
    return Status::invalidInput(
        "SPIR-V of " + std::to_string(bytes.size()) +
        " bytes; expected at least 20 and a multiple of 4");
  std::vector<uint32_t> words(bytes.size() / 4);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = bytes[4 * i] | uint32_t(bytes[4 * i + 1]) << 8 |
               uint32_t(bytes[4 * i + 2]) << 16 |
               uint32_t(bytes[4 * i + 3]) << 24;
  if (words[0] != magicNumber)
    return Status::invalidInput("not SPIR-V: its first word is " +
                                std::to_string(words[0]));
  uint32_t minor = (words[1] >> 8) & 0xff;
  if ((words[1] >> 16) != 1)
    return Status::invalidInput("SPIR-V version word " +
                                std::to_string(words[1]) + ", expected 1.x");

  std::vector<RawEntryPoint> raw;
  std::map<uint32_t, uint32_t> bindingOf, setOf;
  std::set<uint32_t> buffers;
  for (size_t at = 5; at < words.size();) {
    uint32_t count = words[at] >> 16, opcode = words[at] & 0xffff;
    if (count == 0 || count > words.size() - at)
      return Status::invalidInput(
          "SPIR-V instruction at word " + std::to_string(at) + " has length " +
          std::to_string(count) + " with " + std::to_string(words.size() - at) +
          " words left");
    const uint32_t *w = &words[at];
    if (opcode == OpEntryPoint && count >= 4) {
      if (w[1] != executionModelGLCompute)
        return Status::invalidInput("SPIR-V entry point that is not GLCompute");
      RawEntryPoint e;
      e.id = w[2];
      uint32_t i = 3;
      bool ended = false;
      for (; i < count && !ended; ++i)
        for (int b = 0; b < 4 && !ended; ++b) {
          char c = static_cast<char>(w[i] >> (8 * b));
          if (c == 0)
            ended = true;
          else
            e.entry.name += c;
        }
      if (!ended)
        return Status::invalidInput("SPIR-V entry point name without an end");
      for (; i < count; ++i)
        e.interface.insert(w[i]);
      raw.push_back(std::move(e));
    } else if (opcode == OpExecutionMode && count >= 6 &&
               w[2] == executionModeLocalSize) {
      for (RawEntryPoint &e : raw)
        if (e.id == w[1])
          for (int d = 0; d < 3; ++d)
            e.entry.workgroupSize[d] = w[3 + d];
    } else if (opcode == OpDecorate && count >= 4 &&
               w[2] == decorationBinding) {
      bindingOf[w[1]] = w[3];
    } else if (opcode == OpDecorate && count >= 4 &&
               w[2] == decorationDescriptorSet) {
      setOf[w[1]] = w[3];
    } else if (opcode == OpVariable && count >= 4 &&
               (w[3] == storageClassStorageBuffer ||
                w[3] == storageClassUniform)) {
      buffers.insert(w[2]);
    }
    at += count;
  }

  std::vector<SpirvEntryPoint> entries;
  for (RawEntryPoint &e : raw) {
    for (uint32_t id : buffers) {
      // From SPIR-V 1.4 on the interface lists every global variable used.
      if (minor >= 4 && !e.interface.count(id))
        continue;
      if (!bindingOf.count(id) || !setOf.count(id) || setOf[id] != 0)
        return Status::invalidInput("SPIR-V buffer %" + std::to_string(id) +
                                    " is not bound in descriptor set 0");
      e.entry.bindings.push_back(bindingOf[id]);
    }
    std::sort(e.entry.bindings.begin(), e.entry.bindings.end());
    e.entry.bindings.erase(
        std::unique(e.entry.bindings.begin(), e.entry.bindings.end()),
        e.entry.bindings.end());
    entries.push_back(std::move(e.entry));
  }
  return entries;
}

} // namespace helios::bundle
