//===- LoadStore.cpp - ld, st, prefetch -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include <cstring>

namespace helios::emu {

namespace {

enum class Place : uint8_t { Global, Shared, Param, Local, Generic };

/// Inst::aux: bytes of an element (4 bits), elements (4), place (3), whether an
/// element is extended by its sign, whether other threads may write meanwhile.
struct Shape {
  uint32_t bytes, count;
  Place place;
  bool isSigned, strong, wide;
};
uint16_t packShape(const Shape &s) {
  return uint16_t(s.bytes | s.count << 4 | uint32_t(s.place) << 8 |
                  uint32_t(s.isSigned) << 11 | uint32_t(s.strong) << 12 |
                  uint32_t(s.wide) << 13);
}
Shape shapeOf(uint16_t v) {
  return {uint32_t(v & 15),  uint32_t(v >> 4 & 15), Place(v >> 8 & 7),
          bool(v >> 11 & 1), bool(v >> 12 & 1),     bool(v >> 13 & 1)};
}

/// Loads of a warp touch sectors of 32 bytes in global memory, and words in 32
/// banks of shared memory: how many more than the best.
void countGlobal(Warp &w, const uint64_t *addresses, Mask m, uint32_t bytes) {
  uint64_t sectors[kLanes * 2];
  uint32_t n = 0;
  uint64_t last = ~uint64_t(0);
  eachLane(m, [&](unsigned l) {
    for (uint64_t s = addresses[l] / 32; s <= (addresses[l] + bytes - 1) / 32;
         ++s)
      if (s != last && n < kLanes * 2)
        sectors[n++] = last = s;
  });
  std::sort(sectors, sectors + n);
  n = uint32_t(std::unique(sectors, sectors + n) - sectors);
  w.cluster->globalAccesses += 1;
  w.cluster->globalSectors += n;
  w.cluster->idealSectors +=
      (uint64_t(__builtin_popcount(m)) * bytes + 31) / 32;
}

/// Accesses of 16 (8) bytes are done by quarters (halves) of the warp.
void countShared(Warp &w, const uint64_t *addresses, Mask m, uint32_t bytes) {
  uint32_t lanes = bytes > 8 ? 8 : bytes > 4 ? 16 : 32;
  for (uint32_t first = 0; first < kLanes; first += lanes) {
    uint32_t words[32][4], used[32] = {}, most = 0;
    for (uint32_t l = first; l < first + lanes; ++l) {
      if (!(m >> l & 1))
        continue;
      for (uint64_t a = addresses[l] / 4; a <= (addresses[l] + bytes - 1) / 4;
           ++a) {
        uint32_t bank = a % 32, &n = used[bank];
        bool known = false;
        for (uint32_t k = 0; k < n && k < 4; ++k)
          known |= words[bank][k] == uint32_t(a);
        if (known)
          continue;
        if (n < 4)
          words[bank][n] = uint32_t(a);
        most = std::max(most, ++n);
      }
    }
    if (most) {
      w.cluster->sharedAccesses += 1;
      w.cluster->bankConflicts += most - 1;
    }
  }
}

/// The bytes of one lane's access, after all checks; null: there is a finding.
/// `data`: what a store writes.
uint8_t *place(Warp &w, const Inst &i, uint32_t lane, uint64_t address,
               const Shape &s, Access access, const uint8_t *data) {
  uint32_t bytes = s.bytes * s.count;
  Place where = s.place;
  if (where == Place::Generic) {
    uint64_t window = address & kWindowMask;
    where = window == kSharedWindow  ? Place::Shared
            : window == kLocalWindow ? Place::Local
            : window == kParamWindow ? Place::Param
                                     : Place::Global;
    if (where == Place::Shared || where == Place::Param)
      address &= ~kWindowMask;
  }
  switch (where) {
  case Place::Global: {
    uint8_t *p = globalPlace(w, i, lane, address, bytes, bytes, access);
    if (p && w.sanitizes())
      noteGlobal(w, i, lane, address, bytes, s.strong ? Access::Atomic : access,
                 data);
    return p;
  }
  case Place::Shared: {
    SharedPlace at;
    if (!sharedPlace(w, i, lane, address, bytes, bytes, at))
      return nullptr;
    if (w.sanitizes())
      if (!noteShared(w, i, lane, at, bytes, s.strong ? Access::Atomic : access,
                      data))
        // Of a vector all elements, unless each is looked at.
        for (Mask &m : w.unwritten)
          m |= 1u << lane;
    return at.block->sharedAt(at.address);
  }
  case Place::Param:
    if (access != Access::Read) {
      w.report(Finding::Kind::OutOfBounds, i, 1u << lane,
               "a store to parameters");
      return nullptr;
    }
    return const_cast<uint8_t *>(parameterPlace(w, i, lane, address, bytes));
  default: {
    uint64_t at = address & ~kWindowMask;
    if (at > w.grid->code->localBytes ||
        bytes > w.grid->code->localBytes - at) {
      w.report(Finding::Kind::OutOfBounds, i, 1u << lane,
               std::to_string(bytes) + " bytes at local address " + hex(at) +
                   "; a lane has " + std::to_string(w.grid->code->localBytes));
      return nullptr;
    }
    return w.local.data() + size_t(lane) * w.grid->code->localBytes + at;
  }
  }
}

/// Whether a lane before `lane` stores the same values to the same place by the
/// same instruction: hardware then stores once, and that is no race.
bool storedBefore(const Warp &w, const uint32_t *pool, const Shape &s,
                  const uint64_t *addresses, Mask m, unsigned lane) {
  for (m &= (1u << lane) - 1; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctz(m));
    if (addresses[l] != addresses[lane])
      continue;
    bool same = true;
    for (uint32_t k = 0; same && k < s.count; ++k) {
      uint32_t width = pool[2 * k + 1] / 8;
      const uint8_t *registers = w.slots + pool[2 * k];
      same = !std::memcmp(registers + size_t(l) * width,
                          registers + size_t(lane) * width, s.bytes);
    }
    if (same)
      return true;
  }
  return false;
}

template <Access access>
Step move(Warp &w, const Inst &i, Mask m) {
  Shape s = shapeOf(i.aux);
  uint64_t addresses[kLanes];
  if (s.wide)
    for (unsigned l = 0; l < kLanes; ++l)
      addresses[l] = w.at<uint64_t>(i.a)[l] + uint64_t(i.imm);
  else
    for (unsigned l = 0; l < kLanes; ++l)
      addresses[l] = uint32_t(w.at<uint32_t>(i.a)[l] + uint32_t(i.imm));
  const uint32_t *pool = w.grid->code->pool.data() + i.pool;
  uint32_t bytes = s.bytes;
  if (s.place == Place::Global)
    countGlobal(w, addresses, m, bytes * s.count);
  else if (s.place == Place::Shared)
    countShared(w, addresses, m, bytes * s.count);
  for (Mask rest = m; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    if (access == Access::Write && w.sanitizes() &&
        (s.place == Place::Shared || s.place == Place::Global) &&
        storedBefore(w, pool, s, addresses, m, l))
      continue;
    uint8_t data[64];
    if (access == Access::Write)
      for (uint32_t k = 0; k < s.count; ++k)
        std::memcpy(data + size_t(k) * bytes,
                    w.slots + pool[2 * k] + size_t(l) * pool[2 * k + 1] / 8,
                    bytes);
    uint8_t *p = place(w, i, l, addresses[l], s, access,
                       access == Access::Write ? data : nullptr);
    if (!p)
      return Step::Stop;
    for (uint32_t k = 0; k < s.count; ++k, p += bytes) {
      uint32_t slot = pool[2 * k], width = pool[2 * k + 1] / 8;
      uint8_t *reg = w.slots + slot + size_t(l) * width;
      if (access == Access::Write) {
        std::memcpy(p, reg, bytes);
        continue;
      }
      if (width != bytes) {
        bool negative = s.isSigned && p[bytes - 1] & 0x80;
        std::memset(reg, negative ? 0xff : 0, width);
      }
      std::memcpy(reg, p, bytes);
    }
  }
  if (access == Access::Write)
    ++w.cluster->events;
  return Step::Next;
}

/// Words that say how caches are used change no result.
void takeCacheWords(Decoder &d, bool &policy) {
  while (d.takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"}) >= 0)
    ;
  while (!d.takePrefix("L1::").empty())
    ;
  for (std::string w; !(w = d.takePrefix("L2::")).empty();)
    policy |= w == "L2::cache_hint";
}

void decodeAccess(Decoder &d, bool isLoad) {
  Shape s{};
  s.strong = d.take("volatile");
  s.strong |= d.takeOneOf({"relaxed", "acquire", "release"}) >= 0;
  d.take("weak");
  d.takeOneOf({"cta", "gpu", "sys"}); // scopes
  if (s.strong)
    d.take("cluster");
  d.take("mmio");
  bool policy = false;
  takeCacheWords(d, policy);
  std::string space = d.takeSpace();
  std::string vector = d.takePrefix("v");
  s.count = vector == "v2" ? 2 : vector == "v4" ? 4 : 1;
  if (!vector.empty() && s.count == 1)
    d.unsupported("'." + vector + "'");
  Type t = d.takeType();
  s.bytes = t.bits / 8;
  s.isSigned = t.kind == Type::Signed;
  s.place = space == "global" || space == "const" ? Place::Global
            : space.compare(0, 6, "shared") == 0  ? Place::Shared
            : space == "param"                    ? Place::Param
            : space == "local"                    ? Place::Local
                                                  : Place::Generic;
  if (s.bytes * s.count > 16)
    d.fail("expected at most 16 bytes of a lane");
  size_t data = isLoad ? 0 : 1, address = isLoad ? 1 : 0;
  bool wide = true;
  d.inst.a = d.address(d.operand(address), wide, d.inst.imm);
  s.wide = wide;
  const auto &parts = d.elements(data);
  if (parts.size() != s.count)
    d.fail("expected " + std::to_string(s.count) + " registers, got " +
           std::to_string(parts.size()));
  uint32_t narrowest = t.bits == 8 ? 16 : t.bits;
  for (const ptx::Operand &p : parts) {
    uint32_t actual = 0;
    d.push(isLoad ? d.writeWide(p, narrowest, actual)
                  : d.readWide(p, narrowest, actual));
    d.push(actual);
  }
  if (policy)
    d.read(2, 64);
  d.inst.aux = packShape(s);
  d.inst.run = isLoad ? move<Access::Read> : move<Access::Write>;
}

void decodeLoad(Decoder &d) { decodeAccess(d, true); }
void decodeStore(Decoder &d) { decodeAccess(d, false); }

Step nothing(Warp &, const Inst &, Mask) { return Step::Next; }

/// Prefetches change no result; what they would fetch is not looked at.
void decodePrefetch(Decoder &d) {
  d.takeSpace();
  if (!d.take("tensormap") && !d.take("L1"))
    if (d.takePrefix("L2").empty())
      d.fail("expected .L1, .L2 or .tensormap");
  bool wide;
  int64_t imm;
  d.address(d.operand(0), wide, imm);
  d.inst.run = nothing;
}

/// A cache policy is a number that nobody looks at.
Step policy(Warp &w, const Inst &i, Mask m) {
  forLanes(w.at<uint64_t>(i.d), m, [](unsigned) { return uint64_t(1) << 60; });
  return Step::Next;
}
void decodeCreatePolicy(Decoder &d) {
  if (!d.take("fractional") && !d.take("range") && !d.take("cvt"))
    d.fail("expected .fractional, .range or .cvt");
  while (!d.takePrefix("L2").empty())
    ;
  d.takeType();
  d.inst.d = d.write(0, 64);
  d.inst.run = policy;
}

} // namespace

void addMemory(DecodeTable &table) {
  table["ld"] = decodeLoad;
  table["ldu"] = decodeLoad;
  table["st"] = decodeStore;
  table["prefetch"] = decodePrefetch;
  table["prefetchu"] = decodePrefetch;
  table["createpolicy"] = decodeCreatePolicy;
}

} // namespace helios::emu
