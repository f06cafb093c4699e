#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""instructions.py [--only TEXT] [--gpu [LIBCUDA]]

One small kernel for each instruction: what the emulator computes is compared with values computed here by exact arithmetic (numbers_of_ptx.py), bit by
bit, or for the approximations within the error that the ISA states. With --gpu the same kernels run on a CUDA card too, and what the card
computes is compared with the emulator, bit by bit, for approximations within twice the ISA's error.
Last line: "N instructions, N wrong[, N differ on the card]".
"""
import math
import os
import struct
import sys
import tempfile

import engine_cases
import numbers_of_ptx as num
from ptx_cases import CASES, LANES, MASK, RNG, Card, case, emulate, s, samples


def integers():
    for n in (16, 32, 64):
        m = MASK[n]
        for op, f in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("mul.lo", lambda a, b: a * b)):
            case(f"{op.replace('.', '_')}_u{n}", [f"u{n}"] * 2, f"u{n}", f"{op}.u{n} %o, %a0, %a1;", lambda a, b, f=f, m=m: f(a, b) & m)
        for sign in "us":
            v = (lambda x, n=n: s(x, n)) if sign == "s" else (lambda x: x)
            t = f"{sign}{n}"
            case(f"mul_hi_{t}", [t] * 2, t, f"mul.hi.{t} %o, %a0, %a1;", lambda a, b, v=v, m=m, n=n: (v(a) * v(b) >> n) & m)
            case(f"min_{t}", [t] * 2, t, f"min.{t} %o, %a0, %a1;", lambda a, b, v=v, m=m: min(v(a), v(b)) & m)
            case(f"max_{t}", [t] * 2, t, f"max.{t} %o, %a0, %a1;", lambda a, b, v=v, m=m: max(v(a), v(b)) & m)
            case(f"shr_{t}", [t, "u32"], t, f"shr.{t} %o, %a0, %a1;", lambda a, b, v=v, m=m: (v(a) >> min(b, 200)) & m)
            if n < 64:
                case(f"mul_wide_{t}", [t] * 2, f"{sign}{2 * n}", f"mul.wide.{t} %o, %a0, %a1;", lambda a, b, v=v, n=n: v(a) * v(b) & MASK[2 * n])
            nonzero = [[x or 1 for x in samples(t)] for _ in range(2)]
            def quotient(a, b, v=v, m=m):
                a, b = v(a), v(b)
                q = abs(a) // abs(b)
                return (q if (a < 0) == (b < 0) else -q) & m
            def remainder(a, b, v=v, m=m):
                a, b = v(a), v(b)
                r = abs(a) % abs(b)
                return (-r if a < 0 else r) & m
            case(f"div_{t}", [t] * 2, t, f"div.{t} %o, %a0, %a1;", quotient, data=nonzero)
            case(f"rem_{t}", [t] * 2, t, f"rem.{t} %o, %a0, %a1;", remainder, data=nonzero)
            for r, f in (("eq", lambda a, b: a == b), ("ne", lambda a, b: a != b), ("lt", lambda a, b: a < b), ("le", lambda a, b: a <= b), ("gt", lambda a, b: a > b), ("ge", lambda a, b: a >= b)):
                case(f"setp_{r}_{t}", [t] * 2, "u32", f"setp.{r}.{t} %q0, %a0, %a1; selp.b32 %o, 1, 0, %q0;", lambda a, b, v=v, f=f: int(f(v(a), v(b))))
        case(f"shl_b{n}", [f"u{n}", "u32"], f"u{n}", f"shl.b{n} %o, %a0, %a1;", lambda a, b, m=m: (a << min(b, 200)) & m)
        case(f"and_b{n}", [f"u{n}"] * 2, f"u{n}", f"and.b{n} %o, %a0, %a1;", lambda a, b: a & b)
        case(f"or_b{n}", [f"u{n}"] * 2, f"u{n}", f"or.b{n} %o, %a0, %a1;", lambda a, b: a | b)
        case(f"xor_b{n}", [f"u{n}"] * 2, f"u{n}", f"xor.b{n} %o, %a0, %a1;", lambda a, b: a ^ b)
        case(f"not_b{n}", [f"u{n}"], f"u{n}", f"not.b{n} %o, %a0;", lambda a, m=m: ~a & m)
        case(f"neg_s{n}", [f"s{n}"], f"s{n}", f"neg.s{n} %o, %a0;", lambda a, m=m: -a & m)
        case(f"abs_s{n}", [f"s{n}"], f"s{n}", f"abs.s{n} %o, %a0;", lambda a, m=m, n=n: abs(s(a, n)) & m)
    for n in (32, 64):
        m = MASK[n]
        case(f"mad_lo_s{n}", [f"s{n}"] * 3, f"s{n}", f"mad.lo.s{n} %o, %a0, %a1, %a2;", lambda a, b, c, m=m: (a * b + c) & m)
        case(f"popc_b{n}", [f"u{n}"], "u32", f"popc.b{n} %o, %a0;", lambda a: bin(a).count("1"))
        case(f"clz_b{n}", [f"u{n}"], "u32", f"clz.b{n} %o, %a0;", lambda a, n=n: n - a.bit_length())
        case(f"brev_b{n}", [f"u{n}"], f"u{n}", f"brev.b{n} %o, %a0;", lambda a, n=n: int(format(a, f"0{n}b")[::-1], 2))
        case(f"bfind_u{n}", [f"u{n}"], "u32", f"bfind.u{n} %o, %a0;", lambda a: (a.bit_length() - 1) & MASK[32])
        case(f"bfind_s{n}", [f"s{n}"], "u32", f"bfind.s{n} %o, %a0;", lambda a, n=n: ((a ^ MASK[n] if a >> n - 1 else a).bit_length() - 1) & MASK[32])
        small = lambda: [RNG.randint(0, 40) for _ in range(LANES)]
        def bfe(a, f, l, n=n, sign=False):
            v = s(a, n) if sign else a
            r = v >> min(f, 200)
            keep = (1 << l) - 1
            r &= keep
            if sign and l:
                top = s(a, n) >> min(f + l - 1, 200) & 1
                r = r - (1 << l) if top else r
            return r & MASK[n]
        case(f"bfe_u{n}", [f"u{n}", "u32", "u32"], f"u{n}", f"bfe.u{n} %o, %a0, %a1, %a2;", bfe, data=[samples(f"u{n}"), small(), small()])
        case(f"bfe_s{n}", [f"s{n}", "u32", "u32"], f"s{n}", f"bfe.s{n} %o, %a0, %a1, %a2;", lambda a, f, l, b=bfe, n=n: b(a, f, l, n, True), data=[samples(f"s{n}"), small(), small()])
    case("mad_wide_u32", ["u32", "u32", "u64"], "u64", "mad.wide.u32 %o, %a0, %a1, %a2;", lambda a, b, c: (a * b + c) & MASK[64])
    def bfi(a, b, f, l):
        f, l = f & 255, l & 255
        if f >= 32:
            return b
        keep = (1 << l) - 1 << f & MASK[32]
        return b & ~keep | a << f & keep
    case("bfi_b32", ["u32"] * 4, "u32", "bfi.b32 %o, %a0, %a1, %a2, %a3;", bfi, data=[samples("u32"), samples("u32")] + [[RNG.randint(0, 40) for _ in range(LANES)] for _ in range(2)])
    def prmt(a, b, c):
        out = 0
        for k in range(4):
            sel = c >> 4 * k & 15
            byte = (b << 32 | a) >> 8 * (sel & 7) & 255
            out |= (0xFF * (byte >> 7) if sel & 8 else byte) << 8 * k
        return out
    case("prmt_b32", ["u32"] * 3, "u32", "prmt.b32 %o, %a0, %a1, %a2;", prmt)
    for imm in (0xE8, 0x96, 0x1B):
        case(f"lop3_{imm:x}", ["u32"] * 3, "u32", f"lop3.b32 %o, %a0, %a1, %a2, 0x{imm:x};",
             lambda a, b, c, t=imm: sum((t >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | c >> k & 1) & 1) << k for k in range(32)))
    case("shf_l_wrap", ["u32"] * 3, "u32", "shf.l.wrap.b32 %o, %a0, %a1, %a2;", lambda a, b, c: ((b << 32 | a) << (c & 31)) >> 32 & MASK[32])
    case("shf_r_clamp", ["u32"] * 3, "u32", "shf.r.clamp.b32 %o, %a0, %a1, %a2;", lambda a, b, c: (b << 32 | a) >> min(c, 32) & MASK[32])
    case("dp4a_s32", ["u32"] * 3, "u32", "dp4a.s32.s32 %o, %a0, %a1, %a2;", lambda a, b, c: (c + sum(s(a >> 8 * k & 255, 8) * s(b >> 8 * k & 255, 8) for k in range(4))) & MASK[32])
    case("selp_and_or", ["u32", "u32"], "u32", "setp.lt.u32 %q0, %a0, 100; setp.gt.or.u32 %q1|%q2, %a1, 50, %q0; selp.b32 %r0, 1, 0, %q1; selp.b32 %r1, 2, 0, %q2; or.b32 %o, %r0, %r1;",
         lambda a, b: int(b > 50 or a < 100) | 2 * int(not b > 50 or a < 100))
    case("mov_pack", ["u16", "u16"], "u32", "mov.b32 %o, {%a0, %a1};", lambda a, b: a | b << 16)
    case("mov_unpack", ["u64"], "u32", "mov.b64 {%r0, %r1}, %a0; sub.u32 %o, %r0, %r1;", lambda a: (a - (a >> 32)) & MASK[32])


def floats():
    for t in ("f32", "f64", "f16", "bf16"):
        kinds = [("", "")] + ([(".ftz", "ftz")] if t == "f32" else [])
        minmax = t != "bf16"
        for suffix, _ in kinds:
            flush = (lambda v: v & 1 << 31 if v >> 23 & 255 == 0 else v) if suffix else (lambda v: v)
            n = suffix.replace(".", "_")
            wrap = lambda f, flush=flush: (lambda *a: flush(f(*[flush(x) for x in a])))
            if t != "bf16":
                case(f"add_rn{n}_{t}", [t] * 2, t, f"add.rn{suffix}.{t} %o, %a0, %a1;", wrap(lambda a, b, t=t: num.fma(t, a, None, b)))
                case(f"sub_rn{n}_{t}", [t] * 2, t, f"sub.rn{suffix}.{t} %o, %a0, %a1;", wrap(lambda a, b, t=t: num.fma(t, a, None, num.negated(t, b))))
                case(f"mul_rn{n}_{t}", [t] * 2, t, f"mul.rn{suffix}.{t} %o, %a0, %a1;", wrap(lambda a, b, t=t: num.fma(t, a, b, None)))
            case(f"fma_rn{n}_{t}", [t] * 3, t, f"fma.rn{suffix}.{t} %o, %a0, %a1, %a2;", wrap(lambda a, b, c, t=t: num.fma(t, a, b, c)))
            if minmax:
                case(f"min{n}_{t}", [t] * 2, t, f"min{suffix}.{t} %o, %a0, %a1;", wrap(lambda a, b, t=t: num.minmax(t, a, b, False, False)))
                case(f"max{n}_{t}", [t] * 2, t, f"max{suffix}.{t} %o, %a0, %a1;", wrap(lambda a, b, t=t: num.minmax(t, a, b, True, False)))
            if t == "f32":
                case(f"div_rn{n}_{t}", [t] * 2, t, f"div.rn{suffix}.{t} %o, %a0, %a1;", wrap(lambda a, b, t=t: num.div(t, a, b)))
                case(f"max_NaN{n}_{t}", [t] * 2, t, f"max{suffix}.NaN.{t} %o, %a0, %a1;", wrap(lambda a, b, t=t: num.minmax(t, a, b, True, True)))
        if t in ("f16", "f32"):  # without a rounding it is to the nearest
            case(f"add_{t}", [t] * 2, t, f"add.{t} %o, %a0, %a1;", lambda a, b, t=t: num.fma(t, a, None, b))
            case(f"sub_{t}", [t] * 2, t, f"sub.{t} %o, %a0, %a1;", lambda a, b, t=t: num.fma(t, a, None, num.negated(t, b)))
            case(f"mul_{t}", [t] * 2, t, f"mul.{t} %o, %a0, %a1;", lambda a, b, t=t: num.fma(t, a, b, None))
            case(f"min_NaN_{t}", [t] * 2, t, f"min.NaN.{t} %o, %a0, %a1;", lambda a, b, t=t: num.minmax(t, a, b, False, True))
        if t in ("f32", "f64"):
            for r in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
                case(f"setp_{r}_{t}", [t] * 2, "u32", f"setp.{r}.{t} %q0, %a0, %a1; selp.b32 %o, 1, 0, %q0;", lambda a, b, r=r, t=t: int(num.compare(t, r, a, b)))
            w = num.width(t)
            case(f"copysign_{t}", [t] * 2, t, f"copysign.{t} %o, %a0, %a1;", lambda a, b, w=w: a & 1 << w - 1 | b & (1 << w - 1) - 1)
            case(f"rcp_rn_{t}", [t], t, f"rcp.rn.{t} %o, %a0;", lambda a, t=t: num.div(t, num.encode(t, 0, num.Fraction(1)), a))
    case("fma_rn_f16x2", ["f16x2"] * 3, "f16x2", "fma.rn.f16x2 %o, %a0, %a1, %a2;", lambda a, b, c: num.fma("f16", a & 65535, b & 65535, c & 65535) | num.fma("f16", a >> 16, b >> 16, c >> 16) << 16)
    case("fma_rn_bf16x2", ["bf16x2"] * 3, "bf16x2", "fma.rn.bf16x2 %o, %a0, %a1, %a2;", lambda a, b, c: num.fma("bf16", a & 65535, b & 65535, c & 65535) | num.fma("bf16", a >> 16, b >> 16, c >> 16) << 16)
    case("max_bf16x2", ["bf16x2"] * 2, "bf16x2", "max.bf16x2 %o, %a0, %a1;", lambda a, b: num.minmax("bf16", a & 65535, b & 65535, True, False) | num.minmax("bf16", a >> 16, b >> 16, True, False) << 16)
    # Approximations: the ISA's error. Arguments are numbers of moderate size.
    def moderate(low, high):
        return [struct.unpack("I", struct.pack("f", RNG.uniform(low, high)))[0] for _ in range(LANES)]
    def of(f):
        def run(a):
            x = struct.unpack("f", struct.pack("I", a))[0]
            return struct.unpack("I", struct.pack("f", f(x)))[0]
        return run
    case("ex2_approx_ftz_f32", ["f32"], "f32", "ex2.approx.ftz.f32 %o, %a0;", of(lambda x: 2.0 ** x), relative=2.0 ** -22, data=[moderate(-120, 120)])
    case("lg2_approx_f32", ["f32"], "f32", "lg2.approx.f32 %o, %a0;", of(lambda x: math.log2(x)), relative=2.0 ** -22, absolute=2.0 ** -22, data=[moderate(0.001, 1000)])
    case("rcp_approx_ftz_f32", ["f32"], "f32", "rcp.approx.ftz.f32 %o, %a0;", of(lambda x: 1 / x), relative=2.0 ** -23, data=[moderate(0.01, 1e6)])
    case("sqrt_rn_f32", ["f32"], "f32", "sqrt.rn.f32 %o, %a0;", of(math.sqrt), data=[moderate(0, 1e9)])
    case("rsqrt_approx_f32", ["f32"], "f32", "rsqrt.approx.f32 %o, %a0;", of(lambda x: x ** -0.5), relative=2.0 ** -22.4, data=[moderate(0.001, 1e6)])
    case("sin_approx_f32", ["f32"], "f32", "sin.approx.f32 %o, %a0;", of(math.sin), relative=0, absolute=2.0 ** -20.5, data=[moderate(-3.1, 3.1)])
    case("cos_approx_f32", ["f32"], "f32", "cos.approx.f32 %o, %a0;", of(math.cos), relative=0, absolute=2.0 ** -20.5, data=[moderate(-3.1, 3.1)])
    case("tanh_approx_f32", ["f32"], "f32", "tanh.approx.f32 %o, %a0;", of(math.tanh), relative=2.0 ** -10.98, data=[moderate(-9, 9)])
    case("div_full_f32", ["f32"] * 2, "f32", "div.full.f32 %o, %a0, %a1;", lambda a, b: num.div("f32", a, b), relative=2.0 ** -22, data=[moderate(-1e6, 1e6), moderate(0.1, 1e6)])


def edges():
    """Every pair of peculiar values, for what the families before have of two and three floats."""
    for c in list(CASES):
        t = c.inputs[0]
        if len(set(c.inputs)) != 1 or t not in ("f16", "bf16", "f32", "f64") or c.relative is not None or c.name.startswith("sqrt"):
            continue
        e, m, _ = num.FORMATS[t]
        sign, one, inf = 1 << e + m, (1 << e - 1) - 1 << m, (1 << e) - 1 << m
        values = [0, sign, one, sign | one, one + (1 << m - 1), 1, sign | 1, 1 << m, inf - 1, sign | inf - 1, inf, sign | inf,
                  inf | 1 << m - 1 | 5, sign | inf | 1 << m - 1 | 6, inf | 7, sign | inf | 9]
        data = [[values[l % 16] for l in range(LANES)], [values[l // 16] for l in range(LANES)], [values[(l * 7 + l // 16 * 3) % 16] for l in range(LANES)]]
        case(c.name + "_edges", c.inputs, c.output, c.body, c.reference, arch=c.arch, data=data[:len(c.inputs)])


def conversions():
    for to in ("f16", "bf16"):
        case(f"cvt_rn_{to}_f32", ["f32"], to, f"cvt.rn.{to}.f32 %o, %a0;", lambda a, to=to: num.convert(to, "f32", a))
        case(f"cvt_rz_{to}_f32", ["f32"], to, f"cvt.rz.{to}.f32 %o, %a0;", lambda a, to=to: num.convert(to, "f32", a, "rz"))
        case(f"cvt_rn_{to}x2_f32", ["f32", "f32"], f"{to}x2", f"cvt.rn.{to}x2.f32 %o, %a0, %a1;", lambda a, b, to=to: num.convert(to, "f32", a) << 16 | num.convert(to, "f32", b))
        case(f"cvt_f32_{to}", [to], "f32", f"cvt.f32.{to} %o, %a0;", lambda a, to=to: num.convert("f32", to, a), arch="sm_90" if to == "bf16" else "sm_80")
    for mode in ("rm", "rp"):
        case(f"cvt_{mode}_f16_f32", ["f32"], "f16", f"cvt.{mode}.f16.f32 %o, %a0;", lambda a, mode=mode: num.convert("f16", "f32", a, mode))
        case(f"cvt_{mode}_f32_f64", ["f64"], "f32", f"cvt.{mode}.f32.f64 %o, %a0;", lambda a, mode=mode: num.convert("f32", "f64", a, mode))
    case("cvt_rn_f32_f64", ["f64"], "f32", "cvt.rn.f32.f64 %o, %a0;", lambda a: num.convert("f32", "f64", a))
    case("cvt_rna_tf32_f32", ["f32"], "f32", "cvt.rna.tf32.f32 %r0, %a0; and.b32 %o, %r0, 0xffffe000;", lambda a: num.convert("tf32", "f32", a, "rna") << 13, data=[[v for v in samples("f32") if v >> 23 & 255 != 255] + [0x3F801000] * LANES][:1])
    CASES[-1].data = [CASES[-1].data[0][:LANES]]
    for f in ("e4m3", "e5m2"):
        case(f"cvt_{f}x2_f32", ["f32", "f32"], "u16", f"cvt.rn.satfinite.{f}x2.f32 %o, %a0, %a1;", lambda a, b, f=f: num.convert(f, "f32", a, "rn", True) << 8 | num.convert(f, "f32", b, "rn", True), arch="sm_89", version="8.1",
             data=[[v for v in samples("f32") if not (v & 0x7FFFFFFF) > 0x7F800000] + [1] * LANES for _ in range(2)])
        CASES[-1].data = [d[:LANES] for d in CASES[-1].data]
        case(f"cvt_f16x2_{f}", ["u16"], "u32", f"cvt.rn.f16x2.{f}x2 %o, %a0;", lambda a, f=f: num.convert("f16", f, a & 255) | num.convert("f16", f, a >> 8) << 16, arch="sm_89", version="8.1")
    for n in (32, 64):
        for sign in "su":
            t = f"{sign}{n}"
            finite = [v if (v >> 23 & 255) != 255 or not v & 0x7FFFFF else 0x3FC00000 for v in samples("f32")]
            for mode in ("rni", "rzi", "rmi", "rpi"):
                case(f"cvt_{mode}_{t}_f32", ["f32"], t, f"cvt.{mode}.{t}.f32 %o, %a0;", lambda a, mode=mode, sign=sign, n=n: num.to_integer("f32", a, mode, sign == "s", n), data=[finite])
            def from_integer(a, sign=sign, n=n, to="f32", mode="rn"):
                v = s(a, n) if sign == "s" else a
                return num.encode(to, int(v < 0), num.Fraction(abs(v)), mode)
            case(f"cvt_rn_f32_{t}", [t], "f32", f"cvt.rn.f32.{t} %o, %a0;", from_integer)
            case(f"cvt_rz_f32_{t}", [t], "f32", f"cvt.rz.f32.{t} %o, %a0;", lambda a, f=from_integer: f(a, mode="rz"))
            case(f"cvt_rn_f64_{t}", [t], "f64", f"cvt.rn.f64.{t} %o, %a0;", lambda a, f=from_integer: f(a, to="f64"))
    case("cvt_rni_f32_f32", ["f32"], "f32", "cvt.rni.f32.f32 %o, %a0;", lambda a: a if num.decode("f32", a)[0] == "inf" else num.nan("f32") if num.decode("f32", a)[0] == "nan" else
         num.encode("f32", a >> 31, num.Fraction(round(num.decode("f32", a)[2]))))
    case("cvt_s64_s32", ["s32"], "s64", "cvt.s64.s32 %o, %a0;", lambda a: s(a, 32) & MASK[64])
    case("cvt_u64_u32", ["u32"], "u64", "cvt.u64.u32 %o, %a0;", lambda a: a)
    case("cvt_u32_u64", ["u64"], "u32", "cvt.u32.u64 %o, %a0;", lambda a: a & MASK[32])
    case("cvt_s32_s8", ["u32"], "s32", "cvt.s32.s8 %o, %a0;", lambda a: s(a & 255, 8) & MASK[32])
    case("cvt_sat_s8_s32", ["s32"], "s32", "cvt.sat.s8.s32 %r0, %a0; cvt.s32.s8 %o, %r0;", lambda a: min(max(s(a, 32), -128), 127) & MASK[32])
    case("cvt_sat_f32_f32", ["f32"], "f32", "cvt.sat.f32.f32 %o, %a0;", lambda a: 0 if num.decode("f32", a)[0] == "nan" or (a >> 31) else min(a, 0x3F800000))


def warps():
    full = "-1"
    for mode, f in (("up", lambda l, b: l - b if l >= b else l), ("down", lambda l, b: l + b if l + b <= 31 else l), ("bfly", lambda l, b: l ^ b), ("idx", lambda l, b: b)):
        clamp = 0 if mode == "up" else 31
        case(f"shfl_{mode}", ["u32", "u32"], "u32", f"and.b32 %r1, %a1, 31; shfl.sync.{mode}.b32 %o, %a0, %r1, {clamp}, {full};",
             lambda a, b, f=f: [a[f(l, b[l] & 31)] for l in range(32)], warp=True)
    case("shfl_idx_width_8", ["u32", "u32"], "u32", f"shfl.sync.idx.b32 %o, %a0, %a1, 0x181f, {full};", lambda a, b: [a[(l & 24) | (b[l] & 7)] for l in range(32)], warp=True)
    case("shfl_up_predicate", ["u32"], "u32", f"shfl.sync.up.b32 %r0|%q0, %a0, 3, 0, {full}; selp.b32 %o, 1, 0, %q0;", lambda a: [int(l >= 3) for l in range(32)], warp=True)
    odd = "and.b32 %r0, %a0, 1; setp.eq.b32 %q0, %r0, 1;"
    case("vote_any", ["u32"], "u32", f"{odd} vote.sync.any.pred %q1, %q0, {full}; selp.b32 %o, 1, 0, %q1;", lambda a: [int(any(x & 1 for x in a))] * 32, warp=True)
    case("vote_all", ["u32"], "u32", f"{odd} vote.sync.all.pred %q1, !%q0, {full}; selp.b32 %o, 1, 0, %q1;", lambda a: [int(all(not x & 1 for x in a))] * 32, warp=True)
    case("vote_ballot", ["u32"], "u32", f"{odd} vote.sync.ballot.b32 %o, %q0, {full};", lambda a: [sum((x & 1) << k for k, x in enumerate(a))] * 32, warp=True)
    for op, f in (("add", lambda a: sum(a) & MASK[32]), ("min", min), ("max", max)):
        case(f"redux_{op}_u32", ["u32"], "u32", f"redux.sync.{op}.u32 %o, %a0, {full};", lambda a, f=f: [f(a)] * 32, warp=True)
    case("redux_min_s32", ["s32"], "u32", f"redux.sync.min.s32 %o, %a0, {full};", lambda a: [min(s(x, 32) for x in a) & MASK[32]] * 32, warp=True)
    case("match_any", ["u32"], "u32", f"and.b32 %r0, %a0, 3; match.any.sync.b32 %o, %r0, {full};", lambda a: [sum((x & 3 == y & 3) << k for k, x in enumerate(a)) for y in a], warp=True)
    case("elect", ["u32"], "u32", f"elect.sync %r0|%q0, {full}; selp.b32 %o, %r0, 99, %q0;", lambda a: [0] + [99] * 31, warp=True, arch="sm_90")
    case("divergence", ["u32"], "u32", """and.b32 %r0, %a0, 7; mov.b32 %r1, 0; mov.b32 %r2, 0;
L: setp.ge.u32 %q0, %r1, %r0; @%q0 bra M; mad.lo.u32 %r2, %r2, 3, %r1; add.u32 %r1, %r1, 1; setp.eq.u32 %q1, %r1, 5; @%q1 bra N; bra L;
N: add.u32 %r2, %r2, 1000;
M: shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; sub.u32 %o, %r2, %r3;""", None, warp=True)
    def diverge(a):
        out = []
        for x in a:
            n, r = x & 7, 0
            for k in range(n):
                r = r * 3 + k
                if k + 1 == 5:
                    r += 1000
                    break
            out.append(r)
        return [(out[l] - out[l ^ 1]) & MASK[32] for l in range(32)]
    CASES[-1].reference = diverge


def memory():
    case("shared_v4", ["u32"], "u32", """.shared .align 16 .b8 s[1024]; mov.u32 %r0, s; shl.b32 %r1, %t, 2; add.u32 %r1, %r0, %r1; st.shared.u32 [%r1], %a0; bar.sync 0;
and.b32 %r2, %t, 0xfc; shl.b32 %r2, %r2, 2; add.u32 %r2, %r0, %r2; ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2]; xor.b32 %r3, %r3, %r4; xor.b32 %r5, %r5, %r6; xor.b32 %o, %r3, %r5;""",
         lambda a: [a[l & 28] ^ a[l & 28 | 1] ^ a[l & 28 | 2] ^ a[l & 28 | 3] for l in range(32)], warp=True)
    case("generic_and_sign", ["u32"], "u32", """.shared .align 16 .b8 s[1024]; mov.u64 %d0, s; cvta.shared.u64 %d1, %d0; mul.wide.u32 %d2, %t, 4; add.u64 %d1, %d1, %d2; st.u32 [%d1], %a0; ld.s8 %o, [%d1+1];""",
         lambda a: s(a >> 8 & 255, 8) & MASK[32])
    case("atom_shared_add", ["u32"], "u32", """.shared .align 4 .b32 s; mov.u32 %r0, s; setp.eq.u32 %q0, %t, 0; @%q0 st.shared.u32 [%r0], 0; bar.sync 0; atom.shared.add.u32 %r1, [%r0], 1; bar.sync 0; ld.shared.u32 %o, [%r0];""",
         lambda a: LANES)
    # Vectors through global memory and back, each lane's own sixteen bytes of four lanes'.
    for load, store, n, t in (("ld.global.nc.v4.b32", "st.shared.v4.b32", 4, "u32"), ("ld.global.nc.v2.b32", "st.shared.v2.b32", 2, "u32"), ("ld.global.nc.v2.b16", "st.shared.v2.b16", 2, "u16"), ("ld.global.v2.b64", "st.shared.v2.b64", 2, "u64")):
        size, letter = {"u16": (2, "h"), "u32": (4, "r"), "u64": (8, "d")}[t]
        regs = ", ".join(f"%{letter}{4 + k}" for k in range(n))
        turned = ", ".join(f"%{letter}{4 + k}" for k in reversed(range(n)))
        case(f"vector_{n}_{t}", [t], t, f""".shared .align 16 .b8 s[4096]; ld.param.u64 %d0, [p0]; and.b32 %r0, %t, {LANES // n - 1}; mul.wide.u32 %d1, %r0, {n * size}; add.u64 %d0, %d0, %d1; {load} {{{regs}}}, [%d0];
mov.u32 %r1, s; mul.lo.u32 %r2, %t, {n * size}; rem.u32 %r2, %r2, 4096; add.u32 %r2, %r1, %r2; setp.lt.u32 %q0, %t, {LANES // n}; @%q0 {store} [%r2], {{{turned}}}; bar.sync 0; mul.lo.u32 %r3, %t, {size}; add.u32 %r3, %r1, %r3; ld.shared.b{8 * size} %o, [%r3];""", None)
        CASES[-1].expected = lambda c=CASES[-1], n=n: [c.data[0][l // n * n + n - 1 - l % n] for l in range(LANES)]
    case("vector_stores", ["u32"], "u32", "ld.param.u64 %d0, [p1]; shr.u32 %r0, %t, 2; and.b32 %r1, %t, 3; mul.wide.u32 %d1, %r0, 16; add.u64 %d0, %d0, %d1; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d0, %d2; st.global.u32 [%d2], %a0; bar.sync 0; setp.eq.u32 %q0, %r1, 0; @%q0 ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d0]; @%q0 st.global.v4.b32 [%d0], {%r7, %r6, %r5, %r4}; @%q0 st.global.v2.b32 [%d0+8], {%r4, %r5}; bar.sync 0; ld.global.u32 %o, [%d2];",
         lambda a: [a[l & 28 | (3, 2, 0, 1)[l & 3]] for l in range(32)], warp=True)
    case("selp_b16", ["u16", "u16"], "u16", "setp.lt.u16 %q0, %a0, %a1; selp.b16 %o, %a0, %a1, %q0;", min)
    case("selp_b64", ["u64", "u64"], "u64", "setp.lt.u64 %q0, %a0, %a1; selp.b64 %o, %a0, %a1, %q0;", min)
    case("local_memory", ["u32"], "u32", ".local .align 4 .b8 l[16]; mov.u64 %d0, l; st.local.u32 [%d0+4], %a0; cvta.local.u64 %d1, %d0; ld.u32 %r0, [%d1+4]; add.u32 %o, %r0, 1;", lambda a: a + 1 & MASK[32])
    row = lambda a: [a[l] for l in range(32)]
    for x, count in (("x1", 1), ("x2", 2), ("x4", 4)):
        for trans in ("", ".trans"):
            # Each warp writes its 32 words, four matrices of 8 rows of one word... rows are 16 bytes: lane l's word at row l, repeated.
            regs = ", ".join(f"%r{10 + k}" for k in range(count))
            body = f""".shared .align 16 .b8 s[4096]; mov.u32 %r0, s; shl.b32 %r1, %t, 4; add.u32 %r1, %r0, %r1; add.u32 %r2, %a0, 0x00010001; add.u32 %r3, %a0, 0x00020002; add.u32 %r4, %a0, 0x00030003;
st.shared.v4.u32 [%r1], {{%a0, %r2, %r3, %r4}}; bar.sync 0; ldmatrix.sync.aligned.m8n8.{x}{trans}.shared.b16 {{{regs}}}, [%r1];
mov.b32 %o, %r10; """ + " ".join(f"mul.lo.u32 %o, %o, 31; add.u32 %o, %o, %r{10 + k};" for k in range(1, count))
            def reference(a, count=count, trans=trans):
                half = lambda r, c: ((a[r] + (c // 2) * 0x10001 & MASK[32]) >> 16 * (c & 1)) & 65535
                out = []
                for l in range(32):
                    v = None
                    for k in range(count):
                        g, t = l // 4, l % 4
                        e = [half(8 * k + (2 * t + j), g) if trans else half(8 * k + g, 2 * t + j) for j in (0, 1)]
                        w = e[0] | e[1] << 16
                        v = w if v is None else (v * 31 + w) & MASK[32]
                    out.append(v)
                return out
            case(f"ldmatrix_{x}{trans.replace('.', '_')}", ["u32"], "u32", body, reference, warp=True)
    case("cp_async", ["u32"], "u32", """.shared .align 16 .b8 s[4096]; mov.u32 %r0, s; shl.b32 %r1, %t, 4; add.u32 %r1, %r0, %r1; ld.param.u64 %d0, [p0]; and.b32 %r2, %t, 63; mul.wide.u32 %d1, %r2, 16; add.u64 %d0, %d0, %d1;
and.b32 %r3, %t, 1; shl.b32 %r3, %r3, 3; cp.async.cg.shared.global [%r1], [%d0], 16, %r3; cp.async.commit_group; cp.async.wait_group 0; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1]; add.u32 %r4, %r4, %r5; sub.u32 %r6, %r6, %r7; xor.b32 %o, %r4, %r6;""", None)
    CASES[-1].expected = lambda c=CASES[-1]: [(lambda d, l: (d[0] + d[1] & MASK[32]) ^ 0 if l & 1 else 0)(c.data[0][4 * (l & 63):4 * (l & 63) + 4], l) for l in range(LANES)]


def products():
    """mma.sync on small integers: exact, so bit by bit."""
    def fragment_case(name, kind, k, bits, arch, fmt, version="8.0"):
        # A element (r, c) is ((3 r + 5 c) % 7) - 3, B (c, n) is ((2 c + 3 n) % 5) - 2; C (r, n) is r - n. All are exact in every type.
        e = 32 // bits
        num_a, num_b = k * 16 * bits // 1024, k * 16 * bits // 2048
        enc = (lambda v: v & 255) if fmt is None else (lambda v: num.encode(fmt, int(v < 0), num.Fraction(abs(v))))
        A = lambda r, c: (3 * r + 5 * c) % 7 - 3
        B = lambda c, n: (2 * c + 3 * n) % 5 - 2
        C = lambda r, n: r - n
        integer, half = fmt is None, kind.endswith(".f16")
        out = (lambda v: v & MASK[32]) if integer else (lambda v: num.encode("f32", int(v < 0), num.Fraction(abs(v))))
        # Every lane's registers come from memory: one input a register.
        data, names = [], []
        for r in range(num_a):
            data.append([sum(enc(A(l % 32 // 4 + 8 * (r & 1), e * (l % 4) + 4 * e * (r >> 1) + j)) << bits * j for j in range(e)) for l in range(LANES)])
        for r in range(num_b):
            data.append([sum(enc(B(e * (l % 4) + 4 * e * r + j, l % 32 // 4)) << bits * j for j in range(e)) for l in range(LANES)])
        pair = lambda f, row, l: num.encode("f16", int(f(row, 2 * (l % 4)) < 0), num.Fraction(abs(f(row, 2 * (l % 4))))) | num.encode("f16", int(f(row, 2 * (l % 4) + 1) < 0), num.Fraction(abs(f(row, 2 * (l % 4) + 1)))) << 16
        num_c = 2 if half else 4
        for r in range(num_c):
            data.append([pair(C, l % 32 // 4 + 8 * r, l) if half else out(C(l % 32 // 4 + 8 * (r >> 1), 2 * (l % 4) + (r & 1))) for l in range(LANES)])
        a = ", ".join(f"%a{r}" for r in range(num_a))
        b = ", ".join(f"%a{num_a + r}" for r in range(num_b))
        c = ", ".join(f"%a{num_a + num_b + r}" for r in range(num_c))
        d = ", ".join(f"%r{r}" for r in range(num_c))
        body = f"mma.sync.aligned.m16n8k{k}.row.col.{kind} {{{d}}}, {{{a}}}, {{{b}}}, {{{c}}}; mov.b32 %o, %r0; " + " ".join(f"mul.lo.u32 %o, %o, 31; add.u32 %o, %o, %r{r};" for r in range(1, num_c))
        def reference(*_):
            D = lambda r, n: C(r, n) + sum(A(r, c) * B(c, n) for c in range(k))
            res = []
            for l in range(32):
                v = None
                for r in range(num_c):
                    w = pair(D, l // 4 + 8 * r, l) if half else out(D(l // 4 + 8 * (r >> 1), 2 * (l % 4) + (r & 1)))
                    v = w if v is None else (v * 31 + w) & MASK[32]
                res.append(v)
            return res
        case(name, ["u32"] * len(data), "u32", body, reference, arch=arch, warp=True, data=data, version=version)
    fragment_case("mma_k16_f16", "f32.f16.f16.f32", 16, 16, "sm_80", "f16")
    fragment_case("mma_k16_f16_f16", "f16.f16.f16.f16", 16, 16, "sm_80", "f16")
    fragment_case("mma_k8_f16", "f32.f16.f16.f32", 8, 16, "sm_80", "f16")
    fragment_case("mma_k16_bf16", "f32.bf16.bf16.f32", 16, 16, "sm_80", "bf16")
    fragment_case("mma_k8_tf32", "f32.tf32.tf32.f32", 8, 32, "sm_80", "f32")
    fragment_case("mma_k32_s8", "s32.s8.s8.s32", 32, 8, "sm_80", None)
    fragment_case("mma_k16_s8", "s32.s8.s8.s32", 16, 8, "sm_80", None)
    fragment_case("mma_k32_e4m3", "f32.e4m3.e4m3.f32", 32, 8, "sm_89", "e4m3", "8.4")
    fragment_case("mma_k32_e5m2", "f32.e5m2.e5m2.f32", 32, 8, "sm_89", "e5m2", "8.4")


def differs(c, got, card):
    """What of a case is otherwise on the card, or an empty string."""
    real = card.run(c)
    bad = [l for l in range(LANES) if real and not c.agrees(got[l], real[l], 2.0)]
    return bad and f"differs from the card in {len(bad)} of {LANES} lanes, first lane {bad[0]}: {[hex(d[bad[0]]) for d in c.data]} gives {got[bad[0]]:#x}, the card {real[bad[0]]:#x}"


def main():
    words = sys.argv[1:]
    only = words[words.index("--only") + 1] if "--only" in words else ""
    card = None
    if "--gpu" in words:
        rest = words[words.index("--gpu") + 1:]
        card = Card(rest[0] if rest and not rest[0].startswith("-") else "libcuda.so.1")
    begin = count = wrong = differ = 0
    if "--from" in words:
        begin, count, wrong, differ = map(int, words.pop(words.index("--from") + 1).split(","))
        words.remove("--from")
    for family in (integers, floats, edges, conversions, warps, memory, products, *engine_cases.FAMILIES):
        family()
    with tempfile.TemporaryDirectory() as folder:
        for n, c in enumerate(CASES[begin:], begin):
            if only not in c.name:
                continue
            count += 1
            got = emulate(c, folder)
            want = c.expected()
            # What does not depend on the order of anything does not depend on the adversary.
            if c.adversary and not isinstance(got, str):
                again = emulate(c, folder, ["--seeds", "1-3"])
                got = again if again != got else got
            if isinstance(got, str):
                wrong += 1
                print(f"{c.name}: {got}", flush=True)
                continue
            bad = [l for l in range(LANES) if not c.agrees(got[l], want[l])]
            if bad:
                wrong += 1
                l = bad[0]
                print(f"{c.name}: {len(bad)} of {LANES} wrong, first lane {l}: {[hex(d[l]) for d in c.data]} gives {got[l]:#x}, expected {want[l]:#x}", flush=True)
            try:
                what = card and differs(c, got, card)
            except RuntimeError as error:
                print(f"{c.name}: the card: {error}", flush=True)
                # Nothing more runs in this process: the next one goes on.
                os.execv(sys.executable, [sys.executable, sys.argv[0], *words, "--from", f"{n + 1},{count},{wrong},{differ + 1}"])
            if what:
                differ += 1
                print(f"{c.name}: {what}", flush=True)
    print(f"{count} instructions, {wrong} wrong" + (f", {differ} differ on the card" if card else ""))
    sys.exit(1 if wrong or differ else 0)


main()
