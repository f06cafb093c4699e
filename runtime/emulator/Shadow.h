//===- Shadow.h - Who wrote and who read each byte ---------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_SHADOW_H
#define HELIOS_RUNTIME_EMULATOR_SHADOW_H

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace helios::emu {

/// Of a block's shared memory: the last writer of each byte, and for each word
/// up to four readers since.
class Shadow {
public:
  /// Agents by whom nothing is known, and by whom all is (atomics).
  static constexpr uint32_t kMaxAgents = 508, kAnybody = 509, kInFlight = 510;
  static constexpr uint32_t kMaxEpoch = (1u << 18) - 1;

  /// agent (9 bits), lane (5), epoch (18); 0: never written.
  static uint32_t pack(uint32_t agent, uint32_t lane, uint32_t epoch) {
    return (agent + 1) << 23 | lane << 18 | (epoch & kMaxEpoch);
  }
  static uint32_t agent(uint32_t id) { return (id >> 23) - 1; }
  static uint32_t lane(uint32_t id) { return id >> 18 & 31; }
  static uint32_t epoch(uint32_t id) { return id & kMaxEpoch; }

  struct Readers {
    uint32_t id[4] = {};
  };

  void enable(size_t bytes) {
    writers.assign(bytes, 0);
    proxies.assign((bytes + 7) / 8, 0);
    readers.assign((bytes + 3) / 4, Readers());
  }
  bool enabled() const { return !writers.empty(); }

  std::vector<uint32_t> writers;
  /// One bit a byte: the last writer was the asynchronous proxy.
  std::vector<uint8_t> proxies;
  std::vector<Readers> readers;

  bool async(size_t byte) const { return proxies[byte / 8] >> byte % 8 & 1; }
  void setAsync(size_t byte, bool v) {
    uint8_t bit = uint8_t(1u << byte % 8);
    proxies[byte / 8] =
        uint8_t(v ? proxies[byte / 8] | bit : proxies[byte / 8] & ~bit);
  }
};

/// Of a range of global memory that a launch may write: who wrote and who read
/// each word last. Between blocks nothing but atomics orders.
class GlobalShadow {
public:
  struct Word {
    uint32_t writerBlock = 0, writer = 0; ///< block + 1; as in Shadow
    uint32_t readerBlock = 0, reader = 0;
  };
  explicit GlobalShadow(uint64_t bytes)
      : words(static_cast<Word *>(std::calloc(bytes / 4 + 2, sizeof(Word)))) {}
  ~GlobalShadow() { std::free(words); }
  GlobalShadow(const GlobalShadow &) = delete;
  GlobalShadow &operator=(const GlobalShadow &) = delete;

  Word *words; ///< untouched pages cost nothing
  std::mutex &mutexOf(uint64_t word) { return mutexes[word / 64 % 64]; }

private:
  std::mutex mutexes[64];
};

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_SHADOW_H
