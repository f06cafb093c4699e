//===- Bulk.cpp - Bulk copies, of tensors and of bytes -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies into shared memory land at any time after their issue and complete on
// an mbarrier. Copies out of it read shared memory at any time until
// cp.async.bulk.wait_group.read, and write until wait_group.
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include <cstring>
#include <memory>

namespace helios::emu {

uint64_t reduceElement(Type t, int op, uint64_t a, uint64_t b);

namespace {

/// Inst::aux.
enum : uint16_t {
  kToShared = 1,
  kTensor = 2,
  kMulticast = 4,
  kWideTo = 8,
  kWideFrom = 16,
  kWideBar = 32,
  kReduces = 64,
  kFromShared = 128, ///< and into shared memory: between blocks of a cluster
};

// The pool: offsets of the three addresses, operation and type of a reduction,
// slots of size and mask, then of coordinates.
enum PoolIndex : uint32_t {
  kToOffset,
  kFromOffset,
  kBarOffset,
  kReduceOp,
  kReduceType,
  kSize,
  kMask,
  kFirstCoordinate
};

uint64_t addressAt(Warp &w, uint32_t slot, bool wide, int32_t offset,
                   unsigned l) {
  return wide ? w.at<uint64_t>(slot)[l] + uint64_t(int64_t(offset))
              : uint32_t(w.at<uint32_t>(slot)[l] + uint32_t(offset));
}
uint64_t sharedAddress(uint64_t a) {
  return (a & kWindowMask) == kSharedWindow ? a & ~kWindowMask : a;
}

/// The rows of a box: memory of each, what of it is inside the tensor.
struct Box {
  TensorMap map;
  int64_t at[5] = {};

  uint32_t rowBytes() const { return map.box[0] * map.elementBytes; }
  uint32_t rows() const {
    uint32_t n = 1;
    for (int d = 1; d < map.rank; ++d)
      n *= map.box[d];
    return n;
  }
  uint32_t bytes() const { return rowBytes() * rows(); }
  /// [first, last) bytes of row `r` that exist, and the address of the first.
  bool row(uint32_t r, uint32_t &first, uint32_t &last,
           uint64_t &address) const {
    address = map.address;
    for (int d = 1; d < map.rank; ++d) {
      int64_t c = at[d] + r % map.box[d];
      r /= map.box[d];
      if (c < 0 || c >= int64_t(map.extents[d]))
        return false;
      address += uint64_t(c) * map.strides[d - 1];
    }
    int64_t low = std::max<int64_t>(0, -at[0]);
    int64_t high =
        std::min<int64_t>(map.box[0], int64_t(map.extents[0]) - at[0]);
    if (low >= high)
      return false;
    first = uint32_t(low) * map.elementBytes;
    last = uint32_t(high) * map.elementBytes;
    address += uint64_t(at[0] + low) * map.elementBytes;
    return true;
  }
};

uint32_t swizzled(uint32_t address, uint32_t swizzle) {
  uint32_t mask = swizzle == 128  ? 7
                  : swizzle == 64 ? 3
                  : swizzle == 32 ? 1
                                  : 0;
  return address ^ (address >> 7 & mask) << 4;
}

bool readMap(Warp &w, const Inst &i, unsigned l, uint64_t address,
             TensorMap &map) {
  const uint8_t *p;
  if ((address & kWindowMask) == kParamWindow)
    p = parameterPlace(w, i, l, address & ~kWindowMask, 128);
  else
    p = globalPlace(w, i, l, address, 128, 64, Access::Read);
  if (!p)
    return false;
  std::memcpy(&map, p, sizeof(map));
  if (map.magic == TensorMap::kMagic)
    return true;
  w.report(Finding::Kind::Descriptor, i, 1u << l,
           "there is no tensor map at " + hex(address));
  w.grid->stop = true;
  return false;
}

/// One box between shared memory (through its swizzle) and a row-wise image.
template <typename F>
void eachChunk(const Box &box, uint32_t shared, F f) {
  uint32_t bytes = box.bytes();
  for (uint32_t at = 0; at < bytes; at += 16)
    f(at, swizzled(shared + at, box.map.swizzle));
}

bool checkShared(Warp &w, const Inst &i, unsigned l, uint64_t address,
                 uint32_t bytes, uint32_t align, SharedPlace &p) {
  return sharedPlace(w, i, l, sharedAddress(address), bytes, align, p);
}

/// The image of a box in global memory: rows, zeros outside.
bool gather(Warp &w, const Inst &i, unsigned l, const Box &box,
            std::vector<uint8_t> &image) {
  image.assign(box.bytes(), 0);
  for (uint32_t r = 0; r < box.rows(); ++r) {
    uint32_t first, last;
    uint64_t address;
    if (!box.row(r, first, last, address))
      continue;
    uint8_t *p = globalPlace(w, i, l, address, last - first, 1, Access::Read);
    if (!p)
      return false;
    if (w.sanitizes())
      noteGlobal(w, i, l, address, last - first, Access::Read);
    std::memcpy(image.data() + size_t(r) * box.rowBytes() + first, p,
                last - first);
  }
  return true;
}

Type reductionType(const TensorMap &m) {
  switch (m.element) {
  case TensorMap::Element::F16:
    return {Type::Float, 16};
  case TensorMap::Element::BF16:
    return {Type::Brain, 16};
  case TensorMap::Element::F32:
    return {Type::Float, 32};
  case TensorMap::Element::F64:
    return {Type::Float, 64};
  case TensorMap::Element::I32:
    return {Type::Signed, 32};
  case TensorMap::Element::Bits:
    break;
  }
  return {Type::Unsigned, uint32_t(m.elementBytes) * 8};
}

void reduceInto(uint8_t *to, const uint8_t *from, uint32_t bytes, Type t,
                int op) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  uint32_t n = t.bits / 8;
  for (uint32_t k = 0; k < bytes; k += n) {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, to + k, n);
    std::memcpy(&b, from + k, n);
    a = reduceElement(t, op, a, b);
    std::memcpy(to + k, &a, n);
  }
}

/// A copy into shared memory of one or several blocks, from `image`.
Step intoShared(Warp &w, const Inst &i, unsigned l, const uint32_t *pool,
                uint64_t to, const Box &box, bool tensor, uint64_t from,
                uint32_t bytes, Block *source) {
  Mask blocks = 0;
  SharedPlace target, bar;
  if (!checkShared(w, i, l, to, bytes, tensor ? 128 : 16, target))
    return Step::Stop;
  uint64_t barAddress =
      addressAt(w, i.c, i.aux & kWideBar, int32_t(pool[kBarOffset]), l);
  if (!checkShared(w, i, l, barAddress, 8, 8, bar))
    return Step::Stop;
  if (i.aux & kMulticast) {
    blocks = w.at<uint16_t>(pool[kMask])[l];
    if (blocks >> w.cluster->blocks.size() || !blocks) {
      w.report(Finding::Kind::Copy, i, 1u << l,
               "its mask names blocks " + hex(blocks) + " of a cluster of " +
                   std::to_string(w.cluster->blocks.size()));
      w.grid->stop = true;
      return Step::Stop;
    }
  } else {
    blocks = 1u << target.block->rank;
    if (bar.block != target.block) {
      w.report(Finding::Kind::Copy, i, 1u << l,
               "it writes to block " + std::to_string(target.block->rank) +
                   " of the cluster and completes on an mbarrier of block " +
                   std::to_string(bar.block->rank));
      w.grid->stop = true;
      return Step::Stop;
    }
  }
  struct Target {
    Block *block;
    uint32_t phase;
  };
  std::vector<Target> targets;
  for (Mask rest = blocks; rest; rest &= rest - 1) {
    Block *b = w.cluster->blocks[size_t(__builtin_ctz(rest))].get();
    Mbarrier *m = b->findMbarrier(bar.address);
    if (!m) {
      w.report(Finding::Kind::Mbarrier, i, 1u << l,
               "there is no mbarrier at " + hex(bar.address) + " of block " +
                   std::to_string(b->id));
      w.grid->stop = true;
      return Step::Stop;
    }
    if (w.sanitizes()) {
      uint32_t by = m->writer;
      if (!w.coversFenced(l, Shadow::agent(by), Shadow::epoch(by),
                          Shadow::lane(by)))
        w.report(Finding::Kind::Proxy, i, 1u << l,
                 "the mbarrier at " + hex(m->address) + " of block " +
                     std::to_string(b->id) + " was initialised on line " +
                     std::to_string(m->line) +
                     "; no fence.mbarrier_init or fence.proxy.async, and a "
                     "barrier behind it, make that known to this copy");
      noteAsyncWrite(w, i, l, *b, target.address, bytes, m->agent, m->phase);
    }
    m->copies = true;
    targets.push_back({b, m->phase});
  }
  uint32_t sharedAt = target.address, barAt = bar.address;
  Warp *warp = &w;
  const Inst *inst = &i;
  auto land = [=]() {
    std::vector<uint8_t> image;
    if (tensor) {
      if (!gather(*warp, *inst, l, box, image))
        return false;
    } else if (source) {
      const uint8_t *p = source->sharedAt(uint32_t(from));
      image.assign(p, p + bytes);
    } else {
      const uint8_t *p = reinterpret_cast<const uint8_t *>(from);
      image.assign(p, p + bytes);
    }
    for (const Target &t : targets) {
      if (tensor)
        eachChunk(box, sharedAt, [&](uint32_t at, uint32_t address) {
          std::memcpy(t.block->sharedAt(address), image.data() + at, 16);
        });
      else
        std::memcpy(t.block->sharedAt(sharedAt), image.data(), bytes);
      Mbarrier *m = t.block->findMbarrier(barAt);
      if (!m)
        continue;
      if (m->phase != t.phase)
        warp->report(Finding::Kind::Mbarrier, *inst, 1u << l,
                     "its bytes arrive in phase " + std::to_string(m->phase) +
                         " of the mbarrier at " + hex(barAt) +
                         "; it was issued in phase " + std::to_string(t.phase) +
                         ", which did not wait for all bytes (expect_tx)");
      completeTransactions(*t.block, *m, bytes);
    }
    return true;
  };
  if (!w.cluster->adversary || w.cluster->chance(1, 6))
    return land() ? Step::Next : Step::Stop;
  // Until it lands the place holds neither the old nor the new.
  for (const Target &t : targets)
    std::memset(t.block->sharedAt(sharedAt), 0xcd, bytes);
  w.cluster->landings.push_back({land});
  return Step::Next;
}

/// A copy or reduction out of shared memory.
Step outOfShared(Warp &w, const Inst &i, unsigned l, const uint32_t *pool,
                 uint64_t from, const Box &box, bool tensor, uint64_t to,
                 uint32_t bytes) {
  SharedPlace source;
  if (!checkShared(w, i, l, from, bytes, tensor ? 128 : 16, source))
    return Step::Stop;
  if (source.block != w.block) {
    w.report(Finding::Kind::Copy, i, 1u << l,
             "it reads another block's shared memory");
    w.grid->stop = true;
    return Step::Stop;
  }
  PendingStore s{};
  s.lane = l;
  s.group = w.storeGroup[l];
  s.epoch = w.storeEpoch++;
  if (w.sanitizes())
    noteAsyncRead(w, i, l, *w.block, source.address, bytes, w.storeAgent,
                  s.epoch);
  auto image = std::make_shared<std::vector<uint8_t>>(bytes);
  Warp *warp = &w;
  const Inst *inst = &i;
  uint32_t sharedAt = source.address;
  s.doRead = [=] {
    if (tensor)
      eachChunk(box, sharedAt, [&](uint32_t at, uint32_t address) {
        std::memcpy(image->data() + at, warp->block->sharedAt(address), 16);
      });
    else
      std::memcpy(image->data(), warp->block->sharedAt(sharedAt), bytes);
  };
  bool reduces = i.aux & kReduces;
  int op = int(pool[kReduceOp]);
  Type t = tensor ? reductionType(box.map)
                  : Type{Type::Kind(pool[kReduceType] & 255),
                         pool[kReduceType] >> 8};
  auto put = [=](uint64_t address, const uint8_t *data, uint32_t n) {
    uint8_t *p = globalPlace(*warp, *inst, l, address, n, 1, Access::Write);
    if (!p)
      return;
    if (warp->sanitizes())
      noteGlobal(*warp, *inst, l, address, n,
                 reduces ? Access::Atomic : Access::Write);
    if (reduces)
      reduceInto(p, data, n, t, op);
    else
      std::memcpy(p, data, n);
  };
  s.doWrite = [=] {
    if (!tensor)
      return put(to, image->data(), bytes);
    for (uint32_t r = 0; r < box.rows(); ++r) {
      uint32_t first, last;
      uint64_t address;
      if (box.row(r, first, last, address))
        put(address, image->data() + size_t(r) * box.rowBytes() + first,
            last - first);
    }
  };
  if (!w.cluster->adversary || w.cluster->chance(1, 6)) {
    s.doRead();
    s.doWrite();
    s.read = s.written = true;
  }
  w.stores.push_back(std::move(s));
  return Step::Next;
}

Step bulk(Warp &w, const Inst &i, Mask m) {
  const uint32_t *pool = w.grid->code->pool.data() + i.pool;
  bool tensor = i.aux & kTensor, toShared = i.aux & kToShared;
  for (Mask rest = m; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t to =
        addressAt(w, i.d, i.aux & kWideTo, int32_t(pool[kToOffset]), l);
    uint64_t from =
        addressAt(w, i.a, i.aux & kWideFrom, int32_t(pool[kFromOffset]), l);
    Box box;
    uint32_t bytes;
    if (tensor) {
      needDependencies(w, i, l);
      if (!readMap(w, i, l, toShared ? from : to, box.map))
        return Step::Stop;
      uint32_t rank = i.count - kFirstCoordinate;
      if (box.map.rank != rank) {
        w.report(Finding::Kind::Descriptor, i, 1u << l,
                 "its tensor map has " + std::to_string(box.map.rank) +
                     " dimensions, the instruction " + std::to_string(rank));
        w.grid->stop = true;
        return Step::Stop;
      }
      for (uint32_t d = 0; d < rank; ++d)
        box.at[d] = w.at<int32_t>(pool[kFirstCoordinate + d])[l];
      if (box.at[0] * box.map.elementBytes % 16) {
        w.report(
            Finding::Kind::Copy, i, 1u << l,
            "its innermost coordinate " + std::to_string(box.at[0]) +
                " of elements of " + std::to_string(box.map.elementBytes) +
                " bytes is no multiple of 16 bytes; a GPU stops there with "
                "an illegal instruction");
        w.grid->stop = true;
        return Step::Stop;
      }
      bytes = box.bytes();
    } else {
      bytes = w.at<uint32_t>(pool[kSize])[l];
      uint64_t global = toShared ? from : to;
      if (bytes % 16 || bytes == 0) {
        w.report(Finding::Kind::Misaligned, i, 1u << l,
                 "expected a multiple of 16 bytes, got " +
                     std::to_string(bytes));
        return Step::Stop;
      }
      if (!(i.aux & kFromShared) &&
          !globalPlace(w, i, l, global, bytes, 16,
                       toShared ? Access::Read : Access::Write))
        return Step::Stop;
      if (toShared && !(i.aux & kFromShared) && w.sanitizes())
        noteGlobal(w, i, l, global, bytes, Access::Read);
    }
    Block *source = nullptr;
    if (i.aux & kFromShared) {
      SharedPlace p;
      if (!checkShared(w, i, l, from, bytes, 16, p))
        return Step::Stop;
      source = p.block;
      from = p.address;
      if (w.sanitizes())
        noteAsyncRead(w, i, l, *p.block, p.address, bytes, w.storeAgent,
                      w.storeEpoch);
    }
    Step s =
        toShared
            ? intoShared(w, i, l, pool, to, box, tensor, from, bytes, source)
            : outOfShared(w, i, l, pool, from, box, tensor, to, bytes);
    if (s == Step::Stop)
      return s;
  }
  ++w.cluster->events;
  return Step::Next;
}

Step commit(Warp &w, const Inst &, Mask m) {
  eachLane(m, [&](unsigned l) { ++w.storeGroup[l]; });
  return Step::Next;
}

/// aux: only the reads are waited for.
Step wait(Warp &w, const Inst &i, Mask m) {
  Mask waited = 0;
  Knowledge k;
  size_t kept = 0;
  for (size_t n = 0; n < w.stores.size(); ++n) {
    PendingStore &s = w.stores[n];
    if ((m >> s.lane & 1) && s.group + uint64_t(i.imm) < w.storeGroup[s.lane]) {
      if (!s.read)
        s.doRead();
      s.read = s.readWaited = true;
      if (!i.aux && !s.written) {
        s.doWrite();
        s.written = true;
      }
      k.seen.know(w.storeAgent, s.epoch + 1);
      waited |= 1u << s.lane;
      if (s.written)
        continue;
    }
    if (kept != n)
      w.stores[kept] = std::move(s);
    ++kept;
  }
  w.stores.resize(kept);
  if (waited && w.sanitizes())
    w.acquire(waited, k);
  ++w.cluster->events;
  return Step::Next;
}

Step nothing(Warp &, const Inst &, Mask) { return Step::Next; }

} // namespace

void landSomeStores(Warp &w) {
  // Stores of a lane may be done in any order until they are waited for.
  PendingStore &s = w.stores[w.cluster->draw() % w.stores.size()];
  if (!s.read) {
    s.doRead();
    s.read = true;
  } else if (!s.written) {
    s.doWrite();
    s.written = true;
  }
}

/// The words behind cp.async.bulk and cp.reduce.async.bulk.
void decodeBulkCopy(Decoder &d) {
  if (!d.needs(90, "cp.async.bulk"))
    return;
  if (d.take("commit_group")) {
    d.inst.run = commit;
    return;
  }
  if (d.take("wait_group")) {
    d.inst.aux = d.take("read");
    d.immediate(0, d.inst.imm);
    d.inst.run = wait;
    return;
  }
  bool policy = d.take("L2::cache_hint"), reduces = d.take("reduce");
  bool tensor = d.take("tensor");
  int rank = d.takeOneOf({"1d", "2d", "3d", "4d", "5d"}) + 1;
  if (tensor != (rank > 0))
    d.fail("expected .tensor with .1d to .5d");
  if (d.take("im2col") || d.take("im2col_no_offs"))
    return d.unsupported("copies in im2col mode");
  d.take("tile");
  if (d.take("prefetch")) {
    d.take("L2");
    d.takeSpace();
    bool wide;
    int64_t offset;
    const ptx::Operand &o = d.operand(0);
    d.address(o, wide, offset);
    for (size_t k = 1; k < o.parts.size(); ++k)
      d.read(o.parts[k], 32);
    if (!tensor)
      d.read(1, 32);
    d.inst.run = nothing;
    return;
  }
  std::string to = d.takeSpace(), from = d.takeSpace();
  bool toShared = to.compare(0, 6, "shared") == 0,
       fromShared = from.compare(0, 6, "shared") == 0;
  if (!toShared && !fromShared)
    return d.fail("expected a copy into or out of shared memory");
  bool onBarrier = d.take("mbarrier::complete_tx::bytes");
  if (onBarrier == d.take("bulk_group") || onBarrier != toShared)
    return d.fail(toShared ? "expected .mbarrier::complete_tx::bytes"
                           : "expected .bulk_group");
  bool multicast = d.take("multicast::cluster");
  uint32_t op = 0, type = 0;
  if (reduces) {
    if (toShared)
      return d.unsupported("reductions into shared memory");
    // The numbers are those of atomics.
    int which = d.takeOneOf(
        {"add", "min", "max", "and", "or", "xor", "-", "-", "inc", "dec"});
    if (which < 0)
      return d.fail("expected an operation such as .add");
    op = uint32_t(which);
    d.take("noftz");
    if (!tensor) {
      Type t = d.takeType();
      type = uint32_t(t.kind) | t.bits << 8;
    }
  }
  bool wide = true;
  int64_t toOffset = 0, fromOffset = 0, barOffset = 0;
  uint16_t aux = 0;
  size_t n = 2;
  d.inst.d = d.address(d.operand(0), wide, toOffset);
  aux |= wide ? kWideTo : 0;
  d.inst.a = d.address(d.operand(1), wide, fromOffset);
  aux |= wide ? kWideFrom : 0;
  uint32_t size = 0, mask = 0;
  if (!tensor)
    size = d.read(n++, 32);
  if (toShared) {
    d.inst.c = d.address(d.operand(n++), wide, barOffset);
    aux |= wide ? kWideBar : 0;
  }
  if (multicast)
    mask = d.read(n++, 16);
  if (policy)
    d.read(n++, 64);
  for (uint32_t v : {uint32_t(toOffset), uint32_t(fromOffset),
                     uint32_t(barOffset), op, type, size, mask})
    d.push(v);
  if (tensor) {
    const ptx::Operand &o = d.operand(toShared ? 1 : 0);
    if (o.parts.size() != size_t(rank) + 1)
      return d.fail("expected " + std::to_string(rank) + " coordinates, got " +
                    std::to_string(o.parts.size() - 1));
    std::vector<ptx::Operand> coordinates(o.parts.begin() + 1, o.parts.end());
    for (const ptx::Operand &c : coordinates)
      d.push(d.read(c, 32));
  }
  aux |= (toShared ? kToShared : 0) | (tensor ? kTensor : 0) |
         (multicast ? kMulticast : 0) | (reduces ? kReduces : 0) |
         (toShared && fromShared ? kFromShared : 0);
  d.inst.aux = aux;
  d.inst.run = bulk;
}

void addBulk(DecodeTable &) {}

} // namespace helios::emu
