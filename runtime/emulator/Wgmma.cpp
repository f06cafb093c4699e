//===- Wgmma.cpp - Matrix products of warpgroups -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product may read its operands and write its result at any time between its
// issue and the wait for its group. A group is executed for the four warps
// together, when all have committed it.
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include "emulator/Products.h"
#include <cstdlib>
#include <cstring>

namespace helios::emu {

namespace {

/// In Inst::imm.
struct Shape {
  uint16_t n;
  uint8_t k, numD, numA; ///< registers
  uint8_t negateA : 1, negateB : 1, transposeA : 1, transposeB : 1,
      scaleIsNumber : 1, scale : 1;
};
static_assert(sizeof(Shape) <= 8, "a shape fits Inst::imm");
Shape shapeOf(const Inst &i) {
  Shape s;
  std::memcpy(&s, &i.imm, sizeof(s));
  return s;
}

/// A matrix in shared memory as a descriptor says it: 16 bytes at a time.
struct Operand {
  uint32_t start, leading, stride, swizzle;
  explicit Operand(uint64_t d)
      : start(uint32_t(d & 0x3fff) << 4),
        leading(uint32_t(d >> 16 & 0x3fff) << 4),
        stride(uint32_t(d >> 32 & 0x3fff) << 4) {
    static const uint32_t bytes[] = {0, 128, 64, 32};
    swizzle = bytes[d >> 62];
  }
  uint32_t swizzled(uint32_t a) const {
    uint32_t mask = swizzle == 128  ? 7
                    : swizzle == 64 ? 3
                    : swizzle == 32 ? 1
                                    : 0;
    return a ^ (a >> 7 & mask) << 4;
  }
  /// Bytes 16 c... of row r, where rows run along k.
  uint32_t alongK(uint32_t r, uint32_t c) const {
    uint32_t a = swizzle ? r / 8 * stride + r % 8 * swizzle + 16 * c
                         : r / 8 * stride + r % 8 * 16 + c * leading;
    return swizzled(start + a);
  }
  /// Eight (16-bit) rows 8 c... at k, where k runs across.
  uint32_t acrossK(uint32_t c, uint32_t k) const {
    uint32_t a;
    if (swizzle) {
      uint32_t chunks = swizzle / 16;
      a = c / chunks * leading + c % chunks * 16 + k / 8 * stride +
          k % 8 * swizzle;
    } else {
      a = c * stride + k / 8 * leading + k % 8 * 16;
    }
    return swizzled(start + a);
  }
};

/// Calls f(address, first row, first k, whether the 16 bytes run along rows).
template <typename F>
bool eachPiece(const Operand &o, bool transposed, uint32_t firstRow,
               uint32_t rows, uint32_t k, uint32_t elementBytes, F f) {
  uint32_t per = 16 / elementBytes;
  if (!transposed) {
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t c = 0; c < k / per; ++c)
        if (!f(o.alongK(firstRow + r, c), r, c * per, false))
          return false;
    return true;
  }
  for (uint32_t c = 0; c < rows / per; ++c)
    for (uint32_t x = 0; x < k; ++x)
      if (!f(o.acrossK(firstRow / per + c, x), c * per, x, true))
        return false;
  return true;
}

bool load(Warp &w, const Inst &i, uint64_t descriptor, bool transposed,
          uint32_t firstRow, uint32_t rows, uint32_t k, Type::Kind kind,
          uint32_t bits, bool negate, double *out) {
  Operand o(descriptor);
  uint32_t bytes = bits / 8, per = 16 / bytes;
  return eachPiece(
      o, transposed, firstRow, rows, k, bytes,
      [&](uint32_t address, uint32_t r, uint32_t x, bool alongRows) {
        if (address < kSharedBase || address + 16 > w.block->sharedEnd()) {
          w.report(Finding::Kind::OutOfBounds, i, 0,
                   "its descriptor " + hex(descriptor) +
                       " reads shared address " + hex(address) +
                       "; the block has " +
                       std::to_string(w.block->shared.size()) + " bytes from " +
                       hex(kSharedBase));
          return false;
        }
        const uint8_t *p = w.block->sharedAt(address);
        for (uint32_t e = 0; e < per; ++e) {
          uint32_t v = 0;
          std::memcpy(&v, p + e * bytes, bytes);
          double d = productValue(kind, bits, v);
          out[alongRows ? (r + e) * k + x : r * k + x + e] = negate ? -d : d;
        }
        return true;
      });
}

/// The warp's 16 rows of D = A B + D.
bool execute(Warp &w, const WgmmaOp &op, const double *b) {
  const Inst &i = *op.inst;
  const Shape s = shapeOf(i);
  const ProductTypes t = ProductTypes::of(i.aux);
  const Code &code = *w.grid->code;
  const uint32_t *regs = code.pool.data() + i.pool;
  const uint32_t e = 32 / t.bits,
                 mask = t.bits == 32 ? ~0u : (1u << t.bits) - 1;
  double a[16 * 64];
  if (s.numA) {
    for (uint32_t r = 0; r < s.numA; ++r) {
      const uint32_t *v = w.at<uint32_t>(code.slotOf[regs[s.numD + r]]);
      for (uint32_t l = 0; l < 32; ++l)
        for (uint32_t x = 0; x < e; ++x) {
          double d = productValue(t.a, t.bits, v[l] >> t.bits * x & mask);
          a[(l / 4 + 8 * (r & 1)) * s.k + e * (l % 4) + 4 * e * (r >> 1) + x] =
              s.negateA ? -d : d;
        }
    }
  } else if (!load(w, i, op.descriptorA, s.transposeA, 16 * (w.index % 4), 16,
                   s.k, t.a, t.bits, s.negateA, a)) {
    return false;
  }
  static thread_local double c[16 * 256];
  // Where register r of lane l lies: columns 8 j + 2 t, rows g and g + 8.
  auto each = [&](auto f) {
    for (uint32_t r = 0; r < s.numD; ++r) {
      uint32_t *v = w.at<uint32_t>(code.slotOf[regs[r]]);
      uint32_t column = t.halfC ? r / 2 * 8 : r / 4 * 8 + (r & 1);
      uint32_t down = t.halfC ? 8 * (r & 1) : 8 * (r >> 1 & 1);
      for (uint32_t l = 0; l < 32; ++l)
        f(v[l], c + (l / 4 + down) * s.n + column + 2 * (l % 4));
    }
  };
  if (op.accumulates)
    each([&](uint32_t v, double *at) {
      at[0] = sumValue(t, t.halfC ? v & 0xffff : v);
      if (t.halfC)
        at[1] = sumValue(t, v >> 16);
    });
  else
    std::fill_n(c, 16 * s.n, 0.0);
  multiply(c, a, b, 16, s.n, s.k);
  each([&](uint32_t &v, double *at) {
    v = t.halfC ? roundSum(t, at[0]) | roundSum(t, at[1]) << 16
                : roundSum(t, at[0]);
  });
  return true;
}

/// Marks what the products that are not waited for do to registers.
void markRegisters(Warp &w, const std::vector<WgmmaOp> &ops, bool free) {
  const Code &code = *w.grid->code;
  for (const WgmmaOp &op : ops) {
    const Shape s = shapeOf(*op.inst);
    const uint32_t *regs = code.pool.data() + op.inst->pool;
    for (uint32_t r = 0; r < s.numD; ++r)
      w.flight[regs[r]] = free ? Warp::Free : Warp::Written;
    for (uint32_t r = 0; r < s.numA; ++r)
      if (free || w.flight[regs[s.numD + r]] != Warp::Written)
        w.flight[regs[s.numD + r]] = free ? Warp::Free : Warp::Read;
  }
}

bool checkDescriptor(Warp &w, const Inst &i, uint64_t d, const char *which) {
  // Bits 14, 15, 30, 31, 46-48 and 52-61 are zero; the offset of the base too.
  const uint64_t used = uint64_t(3) << 62 | uint64_t(0x3fff) << 32 |
                        uint64_t(0x3fff) << 16 | 0x3fff;
  if (!(d & ~used))
    return true;
  w.report(Finding::Kind::Descriptor, i, 0,
           std::string("the descriptor of ") + which + ", " + hex(d) +
               ", has bits " + hex(d & ~used) +
               " that must be zero or that the emulator does not know");
  return false;
}

Step issue(Warp &w, const Inst &i, Mask m) {
  const Shape s = shapeOf(i);
  const ProductTypes t = ProductTypes::of(i.aux);
  const Code &code = *w.grid->code;
  const uint32_t *regs = code.pool.data() + i.pool;
  if (w.lanes != kAllLanes || w.block->warps.size() % 4) {
    w.report(Finding::Kind::Convergence, i, m,
             "a warpgroup has four whole warps");
    w.grid->stop = true;
    return Step::Stop;
  }
  WgmmaOp op{&i, 0, 0, false};
  auto uniform = [&](uint32_t slot, const char *which) {
    const uint64_t *v = w.at<uint64_t>(slot);
    for (unsigned l = 1; l < kLanes; ++l)
      if (v[l] != v[0]) {
        w.report(Finding::Kind::Wgmma, i, 1u << l,
                 std::string("the descriptor of ") + which +
                     " differs between lanes");
        break;
      }
    return v[0];
  };
  if (!s.numA)
    op.descriptorA = uniform(i.a, "A");
  op.descriptorB = uniform(i.b, "B");
  Mask p = s.scaleIsNumber ? (s.scale ? kAllLanes : 0) : w.predicate(i.c);
  if (p && p != kAllLanes)
    w.report(Finding::Kind::Wgmma, i, m, "scale-d differs between lanes");
  op.accumulates = p != 0;
  if (w.sanitizes()) {
    if ((!s.numA && !checkDescriptor(w, i, op.descriptorA, "A")) ||
        !checkDescriptor(w, i, op.descriptorB, "B")) {
      w.grid->stop = true;
      return Step::Stop;
    }
    auto name = [&](uint32_t r) { return code.kernel->registers[r].name; };
    if (w.fenceEpoch == 1)
      w.report(Finding::Kind::Wgmma, i, m,
               "the warp's first wgmma has no wgmma.fence before it");
    for (uint32_t k = 0; k < uint32_t(s.numD + s.numA); ++k) {
      uint32_t r = regs[k];
      bool isA = k >= s.numD;
      if (w.flight[r] == Warp::Written && isA) {
        w.report(Finding::Kind::Wgmma, i, m,
                 "register " + name(r) +
                     " of A is written by a wgmma in flight");
        break;
      }
      if (w.flight[r] == Warp::Read && !isA) {
        w.report(Finding::Kind::Wgmma, i, m,
                 "register " + name(r) + " of D is read by a wgmma in flight");
        break;
      }
      if (w.flight[r] == Warp::Free && w.stamp[r] == w.fenceEpoch) {
        w.report(Finding::Kind::Wgmma, i, m,
                 "register " + name(r) +
                     " was read or written without a wgmma.fence since");
        break;
      }
      if ((isA || op.accumulates) && w.defined[r] != kAllLanes) {
        w.report(Finding::Kind::Uninitialized, i, ~w.defined[r],
                 "register " + name(r) + " was never written");
        break;
      }
    }
    for (uint32_t k = 0; k < s.numD; ++k) {
      w.defined[regs[k]] = kAllLanes;
      w.stamp[regs[k]] = 0;
    }
    // Each warp reads its rows of A; one of them looks at B for all.
    uint32_t agent = w.block->productAgents[w.index / 4];
    uint32_t epoch = uint32_t(w.productsCommitted) + 1, bytes = t.bits / 8;
    auto note = [&](uint32_t address, uint32_t, uint32_t, bool) {
      return address >= kSharedBase && address + 16 <= w.block->sharedEnd() &&
             noteAsyncRead(w, i, 0, *w.block, address, 16, agent, epoch);
    };
    if (!s.numA)
      eachPiece(Operand(op.descriptorA), s.transposeA, 16 * (w.index % 4), 16,
                s.k, bytes, note);
    if (w.openProducts.size() % 4 == w.index % 4)
      eachPiece(Operand(op.descriptorB), s.transposeB, 0, s.n, s.k, bytes,
                note);
  }
  w.openProducts.push_back(op);
  if (w.sanitizes())
    markRegisters(w, {op}, false);
  return Step::Next;
}

Step fence(Warp &w, const Inst &, Mask) {
  ++w.fenceEpoch;
  return Step::Next;
}

Step commit(Warp &w, const Inst &, Mask) {
  w.products.push_back({std::move(w.openProducts), false});
  w.openProducts.clear();
  ++w.productsCommitted;
  ++w.cluster->events;
  if (!w.cluster->adversary || w.cluster->chance(1, 4))
    runProducts(*w.block, w.index / 4, w.productsCommitted);
  return w.grid->stop ? Step::Stop : Step::Next;
}

Step wait(Warp &w, const Inst &i, Mask m) {
  uint64_t leave = uint64_t(i.imm);
  uint64_t until =
      w.productsCommitted > leave ? w.productsCommitted - leave : 0;
  if (w.sanitizes() && leave == 0 && !w.openProducts.empty()) {
    w.report(Finding::Kind::Wgmma, i, m,
             "a wgmma before it is in no group (no wgmma.commit_group), so "
             "this does not wait for it");
  }
  if (!runProducts(*w.block, w.index / 4, until))
    return Step::Again;
  if (w.grid->stop)
    return Step::Stop;
  while (w.productsWaited < until) {
    if (w.sanitizes())
      markRegisters(w, w.products.front().ops, true);
    w.products.pop_front();
    ++w.productsWaited;
  }
  if (w.sanitizes()) {
    for (const ProductGroup &g : w.products)
      markRegisters(w, g.ops, false);
    markRegisters(w, w.openProducts, false);
    Knowledge k;
    k.seen.know(w.block->productAgents[w.index / 4], uint32_t(until) + 1);
    w.acquire(w.lanes, k);
  }
  return Step::Next;
}

void decodeWgmma(Decoder &d) {
  if (!d.needs(90, "wgmma"))
    return;
  if (d.code.module->target != "sm_90a")
    return d.fail("wgmma needs .target sm_90a, the module is for " +
                  d.code.module->target);
  d.code.usesWgmma = true;
  d.inst.aligned = true;
  bool isFence = d.take("fence"), isCommit = d.take("commit_group"),
       isWait = d.take("wait_group");
  bool isProduct = !isFence && !isCommit && !isWait;
  if (isProduct && !d.take("mma_async"))
    return d.unsupported("this operation of wgmma");
  if (!d.take("sync") || !d.take("aligned"))
    d.fail("expected .sync.aligned");
  if (isWait)
    d.immediate(0, d.inst.imm);
  d.inst.run = isFence ? fence : isCommit ? commit : wait;
  if (!isProduct)
    return;
  if (d.take("sp"))
    return d.unsupported("sparse products");
  std::string shape = d.takePrefix("m64n");
  if (shape.empty())
    return d.fail("expected a shape such as .m64n128k16");
  size_t kAt = shape.find('k');
  int n = std::atoi(shape.c_str() + 4);
  int k = kAt == std::string::npos ? 0 : std::atoi(shape.c_str() + kAt + 1);
  bool saturates = d.take("satfinite");
  Type td = d.takeType(), ta = d.takeType(), tb = d.takeType();
  bool integers = ta.bits == 8 && ta.isInteger();
  bool fp8 = ta.kind == Type::E4m3 || ta.kind == Type::E5m2;
  bool half = ta.bits == 16;
  bool fits =
      n >= 8 && n <= 256 && n % 8 == 0 && k * int(ta.bits) == 256 &&
      ta.bits == tb.bits && ta.kind != Type::Bits &&
      (integers
           ? td.is(Type::Signed, 32)
           : td.is(Type::Float, 32) ||
                 (td.is(Type::Float, 16) && (fp8 || ta.kind == Type::Float))) &&
      (fp8 || integers || (ta == tb && (half || ta.kind == Type::Tf32)));
  if (!fits)
    return d.unsupported("a product of these types and this shape");
  Shape s{};
  s.n = uint16_t(n);
  s.k = uint8_t(k);
  s.numD = uint8_t(td.bits == 16 ? n / 4 : n / 2);
  ProductTypes t{ta.kind,          tb.kind,
                 uint8_t(ta.bits), integers ? Type::Signed : Type::Float,
                 td.bits == 16,    saturates};
  // Registers, not slots: what is in flight is followed by register.
  auto registers = [&](const std::vector<ptx::Operand> &parts, size_t count) {
    if (parts.size() != count)
      return d.fail("expected " + std::to_string(count) + " registers, got " +
                    std::to_string(parts.size()));
    for (const ptx::Operand &p : parts) {
      if (p.kind != ptx::Operand::Kind::Register ||
          d.code.kernel->registers[p.reg].bits != 32)
        return d.fail("expected registers of 32 bits");
      d.push(p.reg);
    }
  };
  registers(d.elements(0), s.numD);
  if (d.operand(1).kind == ptx::Operand::Kind::Vector) {
    s.numA = 4;
    registers(d.elements(1), 4);
  } else {
    d.inst.a = d.read(1, 64);
  }
  d.inst.b = d.read(2, 64);
  const ptx::Operand &scale = d.operand(3);
  if (scale.kind == ptx::Operand::Kind::Integer) {
    s.scaleIsNumber = 1;
    s.scale = scale.bits != 0;
  } else {
    d.inst.c = d.readPredicate(3);
  }
  int64_t v = 0;
  size_t at = 4;
  auto sign = [&] {
    if (d.immediate(at++, v) && v != 1 && v != -1)
      d.fail("expected a scale of 1 or -1");
    return v == -1;
  };
  if (!integers) {
    s.negateA = sign();
    s.negateB = sign();
  }
  auto flag = [&] {
    if (d.immediate(at++, v) && v != 0 && v != 1)
      d.fail("expected a transposition of 0 or 1");
    return v == 1;
  };
  if (half) {
    if (!s.numA)
      s.transposeA = flag();
    s.transposeB = flag();
  }
  if (d.ok() && d.numOperands() != at)
    d.fail("expected " + std::to_string(at) + " operands, got " +
           std::to_string(d.numOperands()));
  std::memcpy(&d.inst.imm, &s, sizeof(s));
  d.inst.aux = t.packed();
  d.inst.run = issue;
}

} // namespace

bool runProducts(Block &b, uint32_t warpgroup, uint64_t upTo) {
  Warp *warps[4];
  for (uint32_t k = 0; k < 4; ++k)
    warps[k] = b.warps[4 * warpgroup + k].get();
  for (Warp *w : warps)
    if (w->productsCommitted < upTo)
      return false;
  static thread_local double matrixB[256 * 64];
  // A warp may have waited for groups, and dropped them, that another has not.
  uint64_t from = upTo;
  for (Warp *w : warps)
    from = std::min(from, w->productsWaited);
  for (uint64_t g = from; g < upTo; ++g) {
    std::vector<std::pair<Warp *, ProductGroup *>> parts;
    for (Warp *w : warps)
      if (g >= w->productsWaited &&
          !w->products[size_t(g - w->productsWaited)].executed)
        parts.push_back({w, &w->products[size_t(g - w->productsWaited)]});
    if (parts.empty())
      continue;
    size_t count = parts[0].second->ops.size();
    for (auto &[w, group] : parts)
      if (group->ops.size() != count) {
        w->report(Finding::Kind::Wgmma, *w->current, 0,
                  "the warps of a warpgroup have issued different products");
        b.cluster->grid->stop = true;
        return true;
      }
    for (size_t n = 0; n < count; ++n) {
      uint64_t loaded = ~uint64_t(0);
      const Inst *of = nullptr;
      for (auto &[w, group] : parts) {
        const WgmmaOp &op = group->ops[n];
        const Shape s = shapeOf(*op.inst);
        const ProductTypes t = ProductTypes::of(op.inst->aux);
        if ((of != op.inst || loaded != op.descriptorB) &&
            !load(*w, *op.inst, op.descriptorB, s.transposeB, 0, s.n, s.k, t.b,
                  t.bits, s.negateB, matrixB))
          return true;
        of = op.inst;
        loaded = op.descriptorB;
        if (!execute(*w, op, matrixB))
          return true;
      }
    }
    for (auto &[w, group] : parts)
      group->executed = true;
  }
  return true;
}

void addWgmma(DecodeTable &table) { table["wgmma"] = decodeWgmma; }

} // namespace helios::emu
