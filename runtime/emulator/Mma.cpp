//===- Mma.cpp - mma.sync -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// m16n8: lane l holds, with g = l / 4 and t = l % 4, of A the rows g and g + 8,
// of B the column g, each word e = 32 / bits neighbours along k from e t and
// 4 e further on; of C and D the columns 2 t and 2 t + 1 of rows g and g + 8.
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include "emulator/Products.h"
#include <cstdlib>

namespace helios::emu {

void multiply(double *c, const double *a, const double *b, int m, int n,
              int k) {
  // b is turned once, so that the inner loop runs along n.
  constexpr int kMost = 256;
  static thread_local double turned[kMost * 64];
  for (int j = 0; j < n; ++j)
    for (int x = 0; x < k; ++x)
      turned[x * n + j] = b[j * k + x];
  for (int i = 0; i < m; ++i)
    for (int x = 0; x < k; ++x) {
      double v = a[i * k + x];
      const double *row = turned + x * n;
      double *sum = c + i * n;
      for (int j = 0; j < n; ++j)
        sum[j] += v * row[j];
    }
}

namespace {

Step mma(Warp &w, const Inst &i, Mask) {
  const ProductTypes t = ProductTypes::of(i.aux);
  const int depth = int(i.imm), e = 32 / t.bits;
  const uint32_t *pool = w.grid->code->pool.data() + i.pool;
  const int numA = depth * 16 * t.bits / 1024, numB = numA / 2,
            numC = t.halfC ? 2 : 4;
  double a[16 * 64], b[8 * 64], c[16 * 8];
  const uint32_t *slots = pool + numC;
  const uint32_t elementMask = t.bits == 32 ? ~0u : (1u << t.bits) - 1;
  for (int r = 0; r < numA; ++r) {
    const uint32_t *v = w.at<uint32_t>(slots[r]);
    for (int l = 0; l < 32; ++l)
      for (int x = 0; x < e; ++x)
        a[(l / 4 + 8 * (r & 1)) * depth + e * (l % 4) + 4 * e * (r >> 1) + x] =
            productValue(t.a, t.bits, v[l] >> t.bits * x & elementMask);
  }
  slots += numA;
  for (int r = 0; r < numB; ++r) {
    const uint32_t *v = w.at<uint32_t>(slots[r]);
    for (int l = 0; l < 32; ++l)
      for (int x = 0; x < e; ++x)
        b[l / 4 * depth + e * (l % 4) + 4 * e * r + x] =
            productValue(t.b, t.bits, v[l] >> t.bits * x & elementMask);
  }
  slots += numB;
  for (int r = 0; r < numC; ++r) {
    const uint32_t *v = w.at<uint32_t>(slots[r]);
    for (int l = 0; l < 32; ++l) {
      double *row = c + (l / 4 + 8 * (t.halfC ? r : r >> 1)) * 8;
      if (t.halfC) {
        row[2 * (l % 4)] = sumValue(t, v[l] & 0xffff);
        row[2 * (l % 4) + 1] = sumValue(t, v[l] >> 16);
      } else {
        row[2 * (l % 4) + (r & 1)] = sumValue(t, v[l]);
      }
    }
  }
  multiply(c, a, b, 16, 8, depth);
  for (int r = 0; r < numC; ++r) {
    uint32_t *v = w.at<uint32_t>(pool[r]);
    for (int l = 0; l < 32; ++l) {
      const double *row = c + (l / 4 + 8 * (t.halfC ? r : r >> 1)) * 8;
      v[l] = t.halfC ? roundSum(t, row[2 * (l % 4)]) |
                           roundSum(t, row[2 * (l % 4) + 1]) << 16
                     : roundSum(t, row[2 * (l % 4) + (r & 1)]);
    }
  }
  return Step::Next;
}

void decodeMma(Decoder &d) {
  if (!d.needs(80, "mma.sync of this shape"))
    return;
  d.take("sync");
  d.take("aligned");
  std::string shape = d.takePrefix("m16n8k");
  if (shape.empty())
    return d.unsupported("a shape other than m16n8");
  int depth = std::atoi(shape.c_str() + 6);
  if (!d.take("row") || !d.take("col"))
    d.fail("expected .row.col");
  bool saturates = d.take("satfinite");
  Type td = d.takeType();
  Type ta = d.takeType();
  Type tb = d.takeType();
  Type tc = d.takeType();
  bool integers = ta.bits == 8 && ta.isInteger();
  bool fp8 = ta.kind == Type::E4m3 || ta.kind == Type::E5m2;
  if (fp8 && !d.needs(89, "mma.sync of fp8"))
    return;
  int most = ta.bits == 8 ? 32 : ta.bits == 16 ? 16 : 8;
  bool fits =
      ta.bits == tb.bits && (integers || fp8 || ta.kind == tb.kind) &&
      (ta.kind == Type::Float ? ta.bits == 16 : ta.kind != Type::Bits) &&
      (depth == most || (depth == most / 2 && !fp8)) && td == tc &&
      (integers ? td.is(Type::Signed, 32)
                : td.is(Type::Float, 32) ||
                      (td.is(Type::Float, 16) && ta.kind == Type::Float));
  if (!fits)
    return d.unsupported("a product of these types and this shape");
  ProductTypes t{ta.kind,          tb.kind,
                 uint8_t(ta.bits), integers ? Type::Signed : Type::Float,
                 td.bits == 16,    saturates};
  size_t numA = size_t(depth) * 16 * ta.bits / 1024,
         counts[] = {t.halfC ? 2u : 4u, numA, numA / 2, t.halfC ? 2u : 4u};
  for (size_t n = 0; n < 4; ++n) {
    const auto &parts = d.elements(n);
    if (parts.size() != counts[n])
      return d.fail("expected " + std::to_string(counts[n]) +
                    " registers as operand " + std::to_string(n + 1) +
                    ", got " + std::to_string(parts.size()));
    for (const ptx::Operand &p : parts)
      d.push(n == 0 ? d.write(p, 32) : d.read(p, 32));
  }
  d.inst.aux = t.packed();
  d.inst.imm = depth;
  d.inst.aligned = true;
  d.inst.run = mma;
}

} // namespace

void addMma(DecodeTable &table) { table["mma"] = decodeMma; }

} // namespace helios::emu
