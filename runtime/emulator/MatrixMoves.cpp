//===- MatrixMoves.cpp - ldmatrix, stmatrix, movmatrix -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of 8 rows of 16 bytes. Lane 8 m + r gives the address of row r of
// matrix m; lane l holds the word l % 4 of row l / 4.
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include <cstring>

namespace helios::emu {

namespace {

/// Addresses of the rows, in Inst::aux: 1 wide, 2 transposed.
bool rowsOf(Warp &w, const Inst &i, SharedPlace (&rows)[kLanes]) {
  for (uint32_t l = 0; l < 8u * i.count; ++l) {
    uint64_t address = i.aux & 1 ? w.at<uint64_t>(i.a)[l] + uint64_t(i.imm)
                                 : uint32_t(w.at<uint32_t>(i.a)[l] + i.imm);
    if ((address & kWindowMask) == kSharedWindow)
      address &= ~kWindowMask;
    if (!sharedPlace(w, i, l, address, 16, 16, rows[l]))
      return false;
  }
  // Eight rows are read at once: those in the same four banks wait.
  for (uint32_t k = 0; k < i.count; ++k) {
    uint32_t used[8] = {}, most = 0;
    for (uint32_t r = 0; r < 8; ++r) {
      bool known = false;
      for (uint32_t q = 0; q < r; ++q)
        known |= rows[8 * k + q].address == rows[8 * k + r].address;
      if (!known)
        most = std::max(most, ++used[rows[8 * k + r].address / 16 % 8]);
    }
    w.cluster->sharedAccesses += 1;
    w.cluster->bankConflicts += most - 1;
  }
  return true;
}

void transpose(uint16_t (&m)[64]) {
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < r; ++c)
      std::swap(m[8 * r + c], m[8 * c + r]);
}

Step loadMatrices(Warp &w, const Inst &i, Mask) {
  SharedPlace rows[kLanes];
  if (!rowsOf(w, i, rows))
    return Step::Stop;
  uint32_t out[4][kLanes];
  for (uint32_t k = 0; k < i.count; ++k) {
    uint16_t m[64];
    for (uint32_t r = 0; r < 8; ++r) {
      const SharedPlace &p = rows[8 * k + r];
      // A row goes to four lanes, or transposed to all.
      if (w.sanitizes() && !noteShared(w, i, 8 * k + r, p, 16, Access::Read))
        w.unwritten[k] |= i.aux & 2 ? kAllLanes : Mask(15) << 4 * r;
      std::memcpy(m + 8 * r, p.block->sharedAt(p.address), 16);
    }
    if (i.aux & 2)
      transpose(m);
    std::memcpy(out[k], m, 128);
  }
  const uint32_t *pool = w.grid->code->pool.data() + i.pool;
  for (uint32_t k = 0; k < i.count; ++k)
    std::memcpy(w.at<uint32_t>(pool[k]), out[k], 128);
  return Step::Next;
}

Step storeMatrices(Warp &w, const Inst &i, Mask) {
  SharedPlace rows[kLanes];
  if (!rowsOf(w, i, rows))
    return Step::Stop;
  const uint32_t *pool = w.grid->code->pool.data() + i.pool;
  for (uint32_t k = 0; k < i.count; ++k) {
    uint16_t m[64];
    std::memcpy(m, w.at<uint32_t>(pool[k]), 128);
    if (i.aux & 2)
      transpose(m);
    for (uint32_t r = 0; r < 8; ++r) {
      const SharedPlace &p = rows[8 * k + r];
      if (w.sanitizes())
        noteShared(w, i, 8 * k + r, p, 16, Access::Write,
                   reinterpret_cast<const uint8_t *>(m + 8 * r));
      std::memcpy(p.block->sharedAt(p.address), m + 8 * r, 16);
    }
  }
  ++w.cluster->events;
  return Step::Next;
}

Step transposeInRegisters(Warp &w, const Inst &i, Mask) {
  uint16_t m[64];
  std::memcpy(m, w.at<uint32_t>(i.a), 128);
  transpose(m);
  std::memcpy(w.at<uint32_t>(i.d), m, 128);
  return Step::Next;
}

void decodeMatrices(Decoder &d, bool loads) {
  d.take("sync");
  d.take("aligned");
  if (!d.take("m8n8"))
    d.unsupported("another shape than .m8n8");
  int number = d.takeOneOf({"x1", "x2", "x4"});
  if (number < 0)
    d.fail("expected .x1, .x2 or .x4");
  if (d.take("trans"))
    d.inst.aux |= 2;
  d.takeSpace();
  if (Type t = d.takeType(); t.bits != 16)
    d.unsupported("elements of another size than .b16");
  size_t registers = loads ? 0 : 1, address = loads ? 1 : 0;
  bool wide = true;
  d.inst.a = d.address(d.operand(address), wide, d.inst.imm);
  d.inst.aux |= wide;
  const auto &parts = d.elements(registers);
  if (parts.size() != 1u << std::max(number, 0))
    d.fail("expected " + std::to_string(1 << std::max(number, 0)) +
           " registers, got " + std::to_string(parts.size()));
  for (const ptx::Operand &p : parts)
    d.push(loads ? d.write(p, 32) : d.read(p, 32));
  d.inst.aligned = true;
  d.inst.run = loads ? loadMatrices : storeMatrices;
}

void decodeLdmatrix(Decoder &d) { decodeMatrices(d, true); }
void decodeStmatrix(Decoder &d) {
  if (d.needs(90, "stmatrix"))
    decodeMatrices(d, false);
}
void decodeMovmatrix(Decoder &d) {
  d.take("sync");
  d.take("aligned");
  d.take("m8n8");
  if (!d.take("trans"))
    d.fail("expected .trans");
  d.takeType();
  d.inst.d = d.write(0, 32);
  d.inst.a = d.read(1, 32);
  d.inst.aligned = true;
  d.inst.run = transposeInRegisters;
}

} // namespace

void addMatrixMoves(DecodeTable &table) {
  table["ldmatrix"] = decodeLdmatrix;
  table["stmatrix"] = decodeStmatrix;
  table["movmatrix"] = decodeMovmatrix;
}

} // namespace helios::emu
