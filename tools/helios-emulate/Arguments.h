//===- Arguments.h - Parameters of a kernel on a command line ----*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_TOOLS_EMULATE_ARGUMENTS_H
#define HELIOS_TOOLS_EMULATE_ARGUMENTS_H

#include "emulator/Emulator.h"
#include <memory>
#include <string>
#include <vector>

namespace helios {

/// A buffer of a launch, with the type its elements are printed in.
struct HostBuffer {
  std::string type;
  uint32_t elementBytes = 0;
  uint64_t count = 0;
  std::unique_ptr<uint8_t[]> memory;
  uint8_t *data = nullptr; ///< aligned to 256
  std::vector<uint8_t> initialized;
  bool readOnly = false;

  std::string element(uint64_t n) const;
};

/// Values of --arg, one for each parameter:
///   TYPE:VALUE                              a number
///   buffer:TYPE:COUNT[:INIT][:in]           memory; INIT is none, zero, iota,
///                                           random, VALUE or @FILE
///   map:ARG:EXTENTS:STRIDES:BOX:SWIZZLE     a tensor map of that buffer
/// and of --memory, buffers that are no parameters and are called m0, m1, ...
class Arguments {
public:
  Status add(const std::string &text);
  Status addMemory(const std::string &text);
  /// Packs all for a kernel and says which memory it may touch.
  Status pack(const emu::ptx::Kernel &kernel, emu::LaunchConfig &config);
  /// By the number of an argument, or "m" and the number of a --memory.
  const HostBuffer *buffer(const std::string &name) const;

private:
  struct Item {
    std::string text;
    std::unique_ptr<HostBuffer> buffer;
    std::vector<uint8_t> bytes;
  };
  Status addBuffer(Item &item, const std::vector<std::string> &parts);
  Status addMap(Item &item, const std::vector<std::string> &parts);
  std::vector<Item> items, memories;
};

} // namespace helios

#endif // HELIOS_TOOLS_EMULATE_ARGUMENTS_H
