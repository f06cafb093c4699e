//===- Clock.h - What is known to have happened ------------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks. An agent is a warp, or an engine that acts for one: the matrix
// engine of a warpgroup, the bulk stores of a warp, the copies that complete on
// a barrier in memory. What an agent does carries its epoch; a clock says, of
// each agent, up to which epoch its deeds are known.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_CLOCK_H
#define HELIOS_RUNTIME_EMULATOR_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace helios::emu {

class Clock {
public:
  /// All deeds of epochs below `base` are known, and of the lanes in `mask`
  /// those below `top`.
  struct Entry {
    uint32_t base = 0, mask = 0, top = 0;
  };

  Entry get(uint32_t agent) const {
    return agent < entries.size() ? entries[agent] : Entry();
  }
  Entry &at(uint32_t agent) {
    if (agent >= entries.size())
      entries.resize(agent + 1);
    return entries[agent];
  }
  bool covers(uint32_t agent, uint32_t epoch, uint32_t lane) const {
    if (agent >= entries.size())
      return false;
    const Entry &e = entries[agent];
    return epoch < e.base || ((e.mask >> lane & 1) && epoch < e.top);
  }
  void know(uint32_t agent, uint32_t epochs) {
    Entry &e = at(agent);
    e.base = std::max(e.base, epochs);
  }
  void join(const Clock &o) {
    if (o.entries.size() > entries.size())
      entries.resize(o.entries.size());
    for (size_t i = 0; i < o.entries.size(); ++i) {
      Entry &e = entries[i];
      const Entry &f = o.entries[i];
      e.base = std::max(e.base, f.base);
      // Masks of different tops are joined too: a race may hide in that, but
      // nothing right is taken for one.
      e.mask |= f.mask;
      e.top = std::max(e.top, f.top);
    }
  }
  /// Whether all that `o` says, except of one agent, is known here.
  bool includes(const Clock &o, uint32_t except) const {
    for (uint32_t i = 0; i < o.entries.size(); ++i) {
      const Entry e = get(i), &f = o.entries[i];
      bool lanes =
          !f.mask || e.base >= f.top || (!(f.mask & ~e.mask) && e.top >= f.top);
      if (i != except && (e.base < f.base || !lanes))
        return false;
    }
    return true;
  }
  void clear() { entries.clear(); }
  bool empty() const { return entries.empty(); }

private:
  std::vector<Entry> entries;
};

/// What is known to all, and of that what copies and matrix products see too
/// (the asynchronous proxy): what was written by ordinary stores only behind a
/// fence.proxy.async.
struct Knowledge {
  Clock seen, fenced;
  void join(const Knowledge &o) {
    seen.join(o.seen);
    fenced.join(o.fenced);
  }
  void clear() {
    seen.clear();
    fenced.clear();
  }
};

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_CLOCK_H
