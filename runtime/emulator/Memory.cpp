//===- Memory.cpp - Places of accesses, and who may access them -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Machine.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace helios::emu {

std::string hex(uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(v));
  return text;
}

namespace {

/// The parts of a shadow's number in words: "warp 3 lane 4 (...)".
std::string who(const Cluster &c, uint32_t id) {
  uint32_t agent = Shadow::agent(id);
  if (agent == Shadow::kInFlight)
    return "a cp.async of lane " + std::to_string(Shadow::lane(id)) +
           " that nobody has waited for";
  return c.agentNames[agent];
}

} // namespace

const Grid::Range *Grid::find(uint64_t address, uint64_t bytes) const {
  auto after = std::upper_bound(
      memory.begin(), memory.end(), address,
      [](uint64_t a, const Range &r) { return a < r.address; });
  // Ranges may overlap (an input may be bound twice): look back while they
  // could hold the place.
  while (after != memory.begin()) {
    --after;
    if (address - after->address <= after->bytes &&
        bytes <= after->bytes - (address - after->address))
      return &*after;
    if (address - after->address > largestRange)
      break;
  }
  return nullptr;
}

bool sharedPlace(Warp &w, const Inst &i, uint32_t lane, uint64_t address,
                 uint32_t bytes, uint32_t align, SharedPlace &out) {
  uint32_t rank = uint32_t(address >> 24 & 0xff), low = uint32_t(address);
  Block *b = w.block;
  if (rank && address >> 32 == 0) {
    if (rank - 1 >= w.cluster->blocks.size()) {
      w.report(Finding::Kind::OutOfBounds, i, 1u << lane,
               "address " + hex(address) +
                   " is in the shared memory of block " +
                   std::to_string(rank - 1) + " of a cluster of " +
                   std::to_string(w.cluster->blocks.size()));
      return false;
    }
    b = w.cluster->blocks[rank - 1].get();
    low = uint32_t(address & 0xffffff);
    if (b->finished()) {
      w.report(Finding::Kind::OutOfBounds, i, 1u << lane,
               "address " + hex(address) +
                   " is in the shared memory of block " +
                   std::to_string(b->id) +
                   ", which has exited (no cluster barrier at its end)");
      return false;
    }
  }
  if (address >> 32 || low < kSharedBase || low > b->sharedEnd() ||
      bytes > b->sharedEnd() - low) {
    w.report(Finding::Kind::OutOfBounds, i, 1u << lane,
             std::to_string(bytes) + " bytes at shared address " +
                 hex(address) + "; the block has " +
                 std::to_string(b->shared.size()) + " bytes from " +
                 hex(kSharedBase));
    return false;
  }
  if (b != w.block && w.sanitizes())
    b->visits[{w.agent, lane}] = {w.epoch, &i, &w};
  if (low % align) {
    w.report(Finding::Kind::Misaligned, i, 1u << lane,
             "shared address " + hex(address) + " is no multiple of " +
                 std::to_string(align));
    return false;
  }
  out.block = b;
  out.address = low;
  return true;
}

void needDependencies(Warp &w, const Inst &i, uint32_t lane) {
  if (!(w.afterDependencies >> lane & 1))
    w.report(Finding::Kind::Dependency, i, 1u << lane,
             "the launch may begin while the grid before it runs, and global "
             "memory is touched before griddepcontrol.wait");
}

uint8_t *globalPlace(Warp &w, const Inst &i, uint32_t lane, uint64_t address,
                     uint32_t bytes, uint32_t align, Access access) {
  const Grid::Range *r = w.grid->find(address, bytes);
  if (!r || !r->early || access != Access::Read)
    needDependencies(w, i, lane);
  if (address % align) {
    w.report(Finding::Kind::Misaligned, i, 1u << lane,
             "global address " + hex(address) + " is no multiple of " +
                 std::to_string(align));
    return nullptr;
  }
  if (!r) {
    std::string near;
    uint64_t best = 0;
    for (const MemoryRange &m : w.grid->memory) {
      bool before = address < m.address;
      uint64_t distance =
          before ? m.address - address : address - m.address - m.bytes;
      if (!before && address < m.address + m.bytes)
        distance = 0;
      if (!near.empty() && distance >= best)
        continue;
      best = distance;
      near =
          before
              ? std::to_string(m.address - address) + " bytes before " + m.name
              : "at byte " + std::to_string(address - m.address) + " of " +
                    m.name + ", which has " + std::to_string(m.bytes);
    }
    w.report(Finding::Kind::OutOfBounds, i, 1u << lane,
             std::to_string(bytes) + " bytes at global address " +
                 hex(address) +
                 (near.empty() ? "; the launch has no memory" : ", " + near));
    return nullptr;
  }
  if (access != Access::Read && !r->writable) {
    w.report(Finding::Kind::OutOfBounds, i, 1u << lane,
             "a store to " + r->name + ", which the launch only reads");
    return nullptr;
  }
  return reinterpret_cast<uint8_t *>(address);
}

const uint8_t *parameterPlace(Warp &w, const Inst &i, uint32_t lane,
                              uint64_t offset, uint32_t bytes) {
  const std::vector<uint8_t> &all = w.grid->config->parameters;
  if (offset <= all.size() && bytes <= all.size() - offset)
    return all.data() + offset;
  w.report(Finding::Kind::OutOfBounds, i, 1u << lane,
           std::to_string(bytes) + " bytes at byte " + std::to_string(offset) +
               " of the parameters, which have " + std::to_string(all.size()));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {

/// Adds a reader to a word; one that the new reader knows makes room.
void addReader(Shadow::Readers &r, uint32_t id) {
  uint32_t oldest = 0;
  for (uint32_t k = 0; k < 4; ++k) {
    if (r.id[k] == 0 || (r.id[k] >> 23) == (id >> 23)) {
      r.id[k] = id;
      return;
    }
    if (Shadow::epoch(r.id[k]) < Shadow::epoch(r.id[oldest]))
      oldest = k;
  }
  r.id[oldest] = id;
}

/// Whether the last writer of a byte is known to the reader.
bool checkWriter(Warp &w, const Inst &i, uint32_t lane, Block &b,
                 uint32_t address, bool async) {
  uint32_t at = address - kSharedBase, id = b.shadow.writers[at];
  if (!id) {
    w.report(Finding::Kind::Uninitialized, i, 1u << lane,
             "shared address " + hex(address) + " was never written");
    return false;
  }
  uint32_t agent = Shadow::agent(id), epoch = Shadow::epoch(id),
           of = Shadow::lane(id);
  if (agent == Shadow::kInFlight) {
    w.report(Finding::Kind::InFlight, i, 1u << lane,
             "shared address " + hex(address) + " is written by " +
                 who(*w.cluster, id));
    return false;
  }
  if (!w.covers(lane, agent, epoch, of)) {
    w.report(Finding::Kind::Race, i, 1u << lane,
             "shared address " + hex(address) + " was written by " +
                 who(*w.cluster, id) +
                 "; nothing orders that before this read");
    return false;
  }
  if (async && !b.shadow.async(at) && !w.coversFenced(lane, agent, epoch, of)) {
    w.report(Finding::Kind::Proxy, i, 1u << lane,
             "shared address " + hex(address) + " was written by " +
                 who(*w.cluster, id) +
                 " with an ordinary store; there is no fence.proxy.async "
                 "between that and this read");
    return false;
  }
  return true;
}

/// Whether the accesses before a write are known to the writer. `same`: an
/// ordinary store of what is there already.
bool checkBeforeWrite(Warp &w, const Inst &i, uint32_t lane, Block &b,
                      uint32_t address, bool async, bool same = false) {
  uint32_t at = address - kSharedBase, id = b.shadow.writers[at];
  if (id) {
    uint32_t agent = Shadow::agent(id);
    bool known = agent != Shadow::kInFlight &&
                 (w.covers(lane, agent, Shadow::epoch(id), Shadow::lane(id)) ||
                  (same && !b.shadow.async(at)));
    if (!known) {
      w.report(Finding::Kind::Race, i, 1u << lane,
               "shared address " + hex(address) + " was written by " +
                   who(*w.cluster, id) +
                   "; nothing orders that before this write");
      return false;
    }
    if (async && !b.shadow.async(at) &&
        !w.coversFenced(lane, agent, Shadow::epoch(id), Shadow::lane(id))) {
      w.report(Finding::Kind::Proxy, i, 1u << lane,
               "shared address " + hex(address) + " was written by " +
                   who(*w.cluster, id) +
                   " with an ordinary store; there is no fence.proxy.async "
                   "between that and this copy");
      return false;
    }
  }
  for (uint32_t reader : b.shadow.readers[at / 4].id) {
    if (!reader)
      continue;
    if (!w.covers(lane, Shadow::agent(reader), Shadow::epoch(reader),
                  Shadow::lane(reader))) {
      w.report(Finding::Kind::Race, i, 1u << lane,
               "shared address " + hex(address) + " is read by " +
                   who(*w.cluster, reader) +
                   "; nothing orders that before this write");
      return false;
    }
  }
  return true;
}

void setWriter(Block &b, uint32_t address, uint32_t bytes, uint32_t id,
               bool async) {
  uint32_t at = address - kSharedBase;
  for (uint32_t k = 0; k < bytes; ++k) {
    b.shadow.writers[at + k] = id;
    b.shadow.setAsync(at + k, async);
  }
  // Words of which all is new have no readers.
  for (uint32_t k = (at + 3) / 4; k < (at + bytes) / 4; ++k)
    b.shadow.readers[k] = Shadow::Readers();
}

} // namespace

bool noteShared(Warp &w, const Inst &i, uint32_t lane, const SharedPlace &p,
                uint32_t bytes, Access access, const uint8_t *data) {
  Block &b = *p.block;
  if (!b.shadow.enabled())
    return true;
  if (access == Access::Atomic) { // whoever reads it has to know why it may
    setWriter(b, p.address, bytes, Shadow::pack(Shadow::kAnybody, 0, 0), false);
    return true;
  }
  uint32_t id = Shadow::pack(w.agent, lane, w.epoch);
  uint32_t at = p.address - kSharedBase, last = 0;
  bool written = true;
  if (access == Access::Read) {
    for (uint32_t k = 0; k < bytes; ++k) {
      uint32_t writer = b.shadow.writers[at + k];
      if (!writer)
        written = false;
      if (!writer || writer == last)
        continue;
      last = writer;
      if (!checkWriter(w, i, lane, b, p.address + k, false))
        return written;
    }
    for (uint32_t k = at / 4; k <= (at + bytes - 1) / 4; ++k)
      addReader(b.shadow.readers[k], id);
    return written;
  }
  bool same = data && !std::memcmp(data, b.sharedAt(p.address), bytes);
  for (uint32_t k = 0; k < bytes; ++k) {
    uint32_t writer = b.shadow.writers[at + k];
    if (k && (at + k) % 4 && writer == last)
      continue;
    last = writer;
    // Words are what readers are kept of: two lanes may use a word's halves.
    if (bytes >= 4 || writer)
      if (!checkBeforeWrite(w, i, lane, b, p.address + k, false, same))
        return true;
  }
  setWriter(b, p.address, bytes, id, false);
  return true;
}

bool noteAsyncRead(Warp &w, const Inst &i, uint32_t lane, Block &b,
                   uint32_t address, uint32_t bytes, uint32_t agent,
                   uint32_t epoch) {
  if (!b.shadow.enabled())
    return true;
  uint32_t at = address - kSharedBase, last = 0;
  for (uint32_t k = 0; k < bytes; ++k) {
    uint32_t writer = b.shadow.writers[at + k];
    if (writer && writer == last)
      continue;
    last = writer;
    if (!checkWriter(w, i, lane, b, address + k, true))
      return false;
  }
  uint32_t id = Shadow::pack(agent, 0, epoch);
  for (uint32_t k = at / 4; k <= (at + bytes - 1) / 4; ++k)
    addReader(b.shadow.readers[k], id);
  return true;
}

bool noteAsyncWrite(Warp &w, const Inst &i, uint32_t lane, Block &b,
                    uint32_t address, uint32_t bytes, uint32_t agent,
                    uint32_t epoch) {
  if (!b.shadow.enabled())
    return true;
  uint32_t at = address - kSharedBase;
  bool ordinary = agent == Shadow::kInFlight; // cp.async is no other proxy
  for (uint32_t k = 0; k < bytes; k += 4 - (at + k) % 4)
    if (!checkBeforeWrite(w, i, lane, b, address + k, !ordinary))
      return false;
  setWriter(b, address, bytes, Shadow::pack(agent, lane, epoch), !ordinary);
  return true;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

void noteGlobal(Warp &w, const Inst &i, uint32_t lane, uint64_t address,
                uint32_t bytes, Access access, const uint8_t *data) {
  const Grid::Range *r = w.grid->find(address, bytes);
  if (!r)
    return;
  uint64_t at = address - r->address;
  if (access == Access::Atomic) {
    w.block->acquired = true;
  } else if (access == Access::Read && r->initialized) {
    for (uint32_t k = 0; k < bytes; ++k)
      if (!r->initialized[at + k]) {
        w.report(Finding::Kind::Uninitialized, i, 1u << lane,
                 "byte " + std::to_string(at + k) + " of " + r->name +
                     " was never written");
        break;
      }
  }
  if (access != Access::Read && r->initialized)
    std::fill_n(r->initialized + at, bytes, uint8_t(1));
  if (!r->shadow || access == Access::Atomic || bytes < 4)
    return;
  uint32_t block = uint32_t(w.block->id) + 1,
           id = Shadow::pack(w.agent, lane, w.epoch);
  auto ordered = [&](uint32_t otherBlock, uint32_t other) {
    if (otherBlock == 0)
      return true;
    if (otherBlock != block)
      return w.block->acquired;
    return w.covers(lane, Shadow::agent(other), Shadow::epoch(other),
                    Shadow::lane(other));
  };
  auto tell = [&](const char *did, uint32_t otherBlock, uint32_t other) {
    w.report(Finding::Kind::Race, i, 1u << lane,
             "byte " + std::to_string(at) + " of " + r->name + " is also " +
                 did + " by block " + std::to_string(otherBlock - 1) +
                 (otherBlock == block ? ", " + who(*w.cluster, other) : "") +
                 "; nothing orders the two accesses");
  };
  bool same =
      data && !std::memcmp(data, reinterpret_cast<void *>(address), bytes);
  std::lock_guard<std::mutex> lock(r->shadow->mutexOf(at / 4));
  for (uint64_t k = at / 4; k < (at + bytes + 3) / 4; ++k) {
    GlobalShadow::Word &word = r->shadow->words[k];
    if (!ordered(word.writerBlock, word.writer) &&
        !(same && word.writerBlock == block))
      return tell("written", word.writerBlock, word.writer);
    if (access == Access::Read) {
      word.readerBlock = block;
      word.reader = id;
      continue;
    }
    if (!ordered(word.readerBlock, word.reader))
      return tell("read", word.readerBlock, word.reader);
    word.writerBlock = block;
    word.writer = id;
    word.readerBlock = 0;
  }
}

} // namespace helios::emu
