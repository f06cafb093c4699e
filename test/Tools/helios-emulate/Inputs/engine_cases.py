# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What lanes do together, and what engines do for them: atomics, barriers, mbarriers, clusters, bulk copies, tensor maps, products of warpgroups."""
import numbers_of_ptx as num
from ptx_cases import CASES, LANES, MASK, case, s

HASH = 31  # registers of a fragment are one number: ((r0 * 31 + r1) * 31 + ...)


def fold(values):
    total = 0
    for v in values:
        total = total * HASH + v & MASK[32]
    return total


def fold_text(registers):
    return "mov.b32 %o, 0; " + " ".join(f"mul.lo.u32 %o, %o, {HASH}; add.u32 %o, %o, {r};" for r in registers)


def whole(name, inputs, output, body, expected, **kwargs):
    """A case whose results are a list for all threads, computed from all inputs."""
    case(name, inputs, output, body, None, **kwargs)
    c = CASES[-1]
    c.adversary = True
    c.expected = lambda: expected(*c.data)


def atomics():
    init = ".shared .align 8 .b64 cell; mov.u32 %r0, cell; setp.eq.u32 %q0, %t, 0;"
    def final(name, kind, begin, op, value, expected, load="u32", output="u32", before=""):
        # Only what all lanes have done together is the same in every order.
        body = f"{init} {before} @%q0 st.shared.{load} [%r0], {begin}; bar.sync 0; {kind}.shared.{op} {'%r9, ' if kind == 'atom' and '64' not in op else '%d9, ' if kind == 'atom' else ''}[%r0], {value}; bar.sync 0; ld.shared.{load} %o, [%r0];"
        whole(name, ["u32" if output == "u32" else "u64"], output, body, lambda a: [expected(a)] * LANES)
    import functools
    for kind in ("atom", "red"):
        final(f"{kind}_add_u32", kind, "7", "add.u32", "%a0", lambda a: 7 + sum(a) & MASK[32])
        final(f"{kind}_min_s32", kind, "0x7fffffff", "min.s32", "%a0", lambda a: min([MASK[32] >> 1] + [s(x, 32) for x in a]) & MASK[32])
        final(f"{kind}_max_u32", kind, "0", "max.u32", "%a0", lambda a: max(a))
        final(f"{kind}_and_b32", kind, "-1", "and.b32", "%r8", lambda a: functools.reduce(lambda x, y: x & y, [x | 0xFF for x in a]), before="or.b32 %r8, %a0, 255;", load="b32")
        final(f"{kind}_or_b32", kind, "0", "or.b32", "%r8", lambda a: functools.reduce(lambda x, y: x | y, [x & 0xFF00 for x in a]), before="and.b32 %r8, %a0, 0xff00;", load="b32")
        final(f"{kind}_xor_b32", kind, "0", "xor.b32", "%a0", lambda a: functools.reduce(lambda x, y: x ^ y, a), load="b32")
        final(f"{kind}_add_f32", kind, "0f00000000", "add.f32", "%r8", lambda a: num.encode("f32", 0, num.Fraction(sum(x & 15 for x in a))), before="and.b32 %r8, %a0, 15; cvt.rn.f32.u32 %r8, %r8;", load="f32")
        final(f"{kind}_add_u64", kind, "1", "add.u64", "%a0", lambda a: 1 + sum(a) & MASK[64], load="u64", output="u64")
    final("atom_inc_u32", "atom", "0", "inc.u32", "99", lambda a: LANES % 100)
    final("atom_dec_u32", "atom", "0", "dec.u32", "99", lambda a: (100 - LANES % 100) % 100)
    # Each lane of a compare-and-swap takes a number of its own, so all together are known.
    whole("atom_cas_loop", ["u32"], "u32", f"{init} @%q0 st.shared.u32 [%r0], 0; bar.sync 0; ld.volatile.shared.u32 %r1, [%r0]; L: add.u32 %r2, %r1, 3; atom.shared.cas.b32 %r3, [%r0], %r1, %r2; setp.ne.u32 %q1, %r3, %r1; mov.u32 %r1, %r3; @%q1 bra L; bar.sync 0; ld.shared.u32 %o, [%r0];",
          lambda a: [3 * LANES] * LANES)
    whole("atom_exch_b32", ["u32"], "u32", f"{init} @%q0 st.shared.u32 [%r0], 5; bar.sync 0; atom.shared.exch.b32 %r1, [%r0], 5; bar.sync 0; ld.shared.u32 %r2, [%r0]; add.u32 %o, %r1, %r2;", lambda a: [10] * LANES)
    whole("atom_add_f16x2", ["u32"], "u32", f"{init} @%q0 st.shared.u32 [%r0], 0; bar.sync 0; mov.u32 %r1, 0x3c003800; red.shared.add.noftz.f16x2 [%r0], %r1; bar.sync 0; ld.shared.u32 %o, [%r0];",
          lambda a: [num.encode("f16", 0, num.Fraction(LANES)) << 16 | num.encode("f16", 0, num.Fraction(LANES, 2))] * LANES)


def warps():
    odd = "and.b32 %r0, %a0, 1; setp.eq.b32 %q0, %r0, 1;"
    case("vote_uni", ["u32"], "u32", "and.b32 %r0, %t, 64; setp.eq.b32 %q0, %r0, 0; vote.sync.uni.pred %q1, %q0, -1; setp.lt.u32 %q2, %t, 3; vote.sync.uni.pred %q3, %q2, -1; selp.b32 %r1, 1, 0, %q1; selp.b32 %r2, 2, 0, %q3; or.b32 %o, %r1, %r2;", None)
    CASES[-1].expected = lambda: [1 if l < 32 else 3 for l in range(LANES)]
    case("vote_ballot_some", ["u32"], "u32", f"{odd} mov.u32 %o, 0; and.b32 %r1, %t, 31; setp.lt.u32 %q1, %r1, 12; @%q1 vote.sync.ballot.b32 %o, %q0, 0xfff;", lambda a: [sum((x & 1) << k for k, x in enumerate(a[:12]))] * 12 + [0] * 20, warp=True)
    case("activemask", ["u32"], "u32", "mov.u32 %o, 0; and.b32 %r1, %t, 31; setp.ge.u32 %q1, %r1, 20; @%q1 activemask.b32 %o;", lambda a: [0] * 20 + [0xFFF00000] * 12, warp=True)
    case("match_all", ["u32"], "u32", "shr.u32 %r0, %t, 5; and.b32 %r1, %r0, 1; mul.lo.u32 %r1, %r1, %t; match.all.sync.b32 %r2|%q0, %r1, -1; selp.b32 %r3, 1, 0, %q0; add.u32 %o, %r2, %r3;", None)
    CASES[-1].expected = lambda: [0 if l >> 5 & 1 else 0 for l in range(LANES)]
    for op, f in (("and", lambda x, y: x & y), ("or", lambda x, y: x | y), ("xor", lambda x, y: x ^ y)):
        import functools
        case(f"redux_{op}_b32", ["u32"], "u32", f"redux.sync.{op}.b32 %o, %a0, -1;", lambda a, f=f: [functools.reduce(f, a)] * 32, warp=True)
    case("redux_max_s32_some", ["s32"], "u32", "mov.u32 %o, 0; and.b32 %r1, %t, 31; setp.ge.u32 %q1, %r1, 24; @%q1 redux.sync.max.s32 %o, %a0, 0xff000000;", lambda a: [0] * 24 + [max(s(x, 32) for x in a[24:]) & MASK[32]] * 8, warp=True)
    case("elect_some", ["u32"], "u32", "mov.u32 %o, 77; and.b32 %r1, %t, 31; setp.ge.u32 %q1, %r1, 20; @!%q1 bra E; elect.sync %r0|%q0, 0xfff00000; selp.b32 %o, %r0, 99, %q0; E:", lambda a: [77] * 20 + [20] + [99] * 11, warp=True, arch="sm_90")
    case("shfl_some", ["u32"], "u32", "mov.u32 %o, 5; and.b32 %r1, %t, 31; setp.lt.u32 %q1, %r1, 8; @%q1 shfl.sync.bfly.b32 %o, %a0, 3, 31, 0xff;", lambda a: [a[l ^ 3] if l < 8 else 5 for l in range(32)], warp=True)
    case("bar_warp", ["u32"], "u32", ".shared .align 4 .b32 z[256]; mov.u32 %r0, z; shl.b32 %r1, %t, 2; add.u32 %r2, %r0, %r1; st.shared.u32 [%r2], %a0; bar.warp.sync -1; xor.b32 %r3, %r1, 4; add.u32 %r3, %r0, %r3; ld.shared.u32 %o, [%r3];", lambda a: [a[l ^ 1] for l in range(32)], warp=True)
    case("movmatrix", ["u32"], "u32", "movmatrix.sync.aligned.m8n8.trans.b16 %o, %a0;", lambda a: [(a[8 * (l % 4) + l // 8] >> 16 * (l // 4 & 1) & 0xFFFF) | (a[8 * (l % 4) + 4 + l // 8] >> 16 * (l // 4 & 1) & 0xFFFF) << 16 for l in range(32)], warp=True, version="8.0")
    case("lane_masks", ["u32"], "u32", "mov.u32 %r0, %lanemask_eq; mov.u32 %r1, %lanemask_lt; mov.u32 %r2, %lanemask_le; mov.u32 %r3, %lanemask_gt; mov.u32 %r4, %lanemask_ge; mov.u32 %r5, %laneid;" + fold_text([f"%r{k}" for k in range(6)]),
         lambda a: [fold([1 << l, (1 << l) - 1, (2 << l) - 1, ~((2 << l) - 1) & MASK[32], ~((1 << l) - 1) & MASK[32], l]) for l in range(32)], warp=True)


def bits():
    """Odds and ends of integers that compilers emit."""
    case("cnot_b32", ["u32"], "u32", "and.b32 %r0, %a0, 3; cnot.b32 %o, %r0;", lambda a: int(a & 3 == 0))
    case("bmsk_clamp_b32", ["u32", "u32"], "u32", "and.b32 %r0, %a0, 31; and.b32 %r1, %a1, 31; bmsk.clamp.b32 %o, %r0, %r1;", lambda a, b: ((1 << (b & 31)) - 1) << (a & 31) & MASK[32], version="7.6")
    case("shf_l_clamp", ["u32"] * 3, "u32", "shf.l.clamp.b32 %o, %a0, %a1, %a2;", lambda a, b, c: ((b << 32 | a) << min(c, 32)) >> 32 & MASK[32])
    case("shf_r_wrap", ["u32"] * 3, "u32", "shf.r.wrap.b32 %o, %a0, %a1, %a2;", lambda a, b, c: (b << 32 | a) >> (c & 31) & MASK[32])
    case("mad_hi_u32", ["u32"] * 3, "u32", "mad.hi.u32 %o, %a0, %a1, %a2;", lambda a, b, c: (a * b >> 32) + c & MASK[32])
    case("mad_wide_s32", ["s32", "s32", "u64"], "u64", "mad.wide.s32 %o, %a0, %a1, %a2;", lambda a, b, c: s(a, 32) * s(b, 32) + c & MASK[64])
    case("dp4a_u32", ["u32"] * 3, "u32", "dp4a.u32.u32 %o, %a0, %a1, %a2;", lambda a, b, c: c + sum((a >> 8 * k & 255) * (b >> 8 * k & 255) for k in range(4)) & MASK[32])
    case("predicates", ["u32", "u32"], "u32", "setp.lt.u32 %q0, %a0, 1000; setp.lt.s32 %q1, %a1, 0; and.pred %q2, %q0, %q1; xor.pred %q3, %q0, %q1; not.pred %q4, %q1; or.pred %q5, %q4, %q0; selp.b32 %r0, 1, 0, %q2; selp.b32 %r1, 2, 0, %q3; selp.b32 %r2, 4, 0, %q5; or.b32 %r0, %r0, %r1; or.b32 %o, %r0, %r2;",
         lambda a, b: int(a < 1000 and s(b, 32) < 0) | 2 * int((a < 1000) != (s(b, 32) < 0)) | 4 * int(not s(b, 32) < 0 or a < 1000))
    case("selp_f32", ["f32", "f32"], "f32", "setp.gt.f32 %q0, %a0, %a1; selp.f32 %o, %a0, %a1, %q0;", lambda a, b: a if num.compare("f32", "gt", a, b) else b)
    for p, f in (("finite", lambda k, d: k == "number"), ("infinite", lambda k, d: k == "inf"), ("number", lambda k, d: k != "nan"), ("notanumber", lambda k, d: k == "nan"),
                 ("normal", lambda k, d: k == "number" and (d[2] == 0 or d[2] >= num.Fraction(1, 2 ** 126))), ("subnormal", lambda k, d: k == "number" and 0 < d[2] < num.Fraction(1, 2 ** 126))):
        case(f"testp_{p}", ["f32"], "u32", f"testp.{p}.f32 %q0, %a0; selp.b32 %o, 1, 0, %q0;", lambda a, f=f: int(bool(f(num.decode("f32", a)[0], num.decode("f32", a)))))
    case("isspacep", ["u32"], "u32", ".shared .align 8 .b64 cell; .local .align 8 .b64 own; mov.u64 %d0, cell; cvta.shared.u64 %d0, %d0; mov.u64 %d1, own; cvta.local.u64 %d1, %d1; ld.param.u64 %d2, [p0]; isspacep.shared %q0, %d0; isspacep.shared %q1, %d2; isspacep.local %q2, %d1; isspacep.global %q3, %d2;"
         "selp.b32 %r0, 1, 0, %q0; selp.b32 %r1, 2, 0, %q1; selp.b32 %r2, 4, 0, %q2; selp.b32 %r3, 8, 0, %q3; or.b32 %r0, %r0, %r1; or.b32 %r2, %r2, %r3; or.b32 %o, %r0, %r2;", lambda a: 13)
    # What only hints must change nothing.
    case("hints", ["u32"], "u32", "ld.param.u64 %d0, [p0]; prefetch.global.L2 [%d0]; nanosleep.u32 20; createpolicy.fractional.L2::evict_last.b64 %d1, 1.0; ld.global.L2::cache_hint.u32 %r0, [%d0], %d1; ld.global.cg.u32 %r1, [%d0]; ldu.global.u32 %r2, [%d0]; membar.gl; fence.acq_rel.gpu; fence.sc.cta; sub.u32 %r0, %r0, %r1; sub.u32 %r2, %r1, %r2; add.u32 %r0, %r0, %r2; add.u32 %o, %a0, %r0;", lambda a: a)
    case("griddepcontrol", ["u32"], "u32", "griddepcontrol.launch_dependents; griddepcontrol.wait; mov.u32 %o, %a0;", lambda a: a, arch="sm_90")


SLOT = "mov.u32 %r0, box; mov.u32 %r1, bar; setp.eq.u32 %q0, %me, 0;"
MEMORY = ".shared .align 1024 .b8 box[16384]; .shared .align 8 .b64 bar[2];"
INIT = "@%q0 mbarrier.init.shared.b64 [%r1], {count}; fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0;"
WAIT = "W{n}: mbarrier.try_wait.parity.shared::cta.b64 %q1, [%r1], {parity}; @!%q1 bra W{n};"
HOPPER = {"arch": "sm_90", "version": "8.0"}


def wait(n=0, parity=0):
    return WAIT.format(n=n, parity=parity)


def barriers():
    store = "shl.b32 %r2, %me, 2; add.u32 %r2, %r0, %r2; st.shared.u32 [%r2], %a0;"
    load = "xor.b32 %r3, %me, 255; shl.b32 %r3, %r3, 2; add.u32 %r3, %r0, %r3; ld.shared.u32 %o, [%r3];"
    turned = lambda a: list(reversed(a))
    whole("mbarrier_phase", ["u32"], "u32", f"{MEMORY} {SLOT} {INIT.format(count=LANES)} {store} mbarrier.arrive.shared.b64 %d0, [%r1]; {wait()} {load}", turned, **HOPPER)
    whole("mbarrier_state", ["u32"], "u32", f"{MEMORY} {SLOT} @%q0 mbarrier.init.shared.b64 [%r1], {LANES}; bar.sync 0; {store} mbarrier.arrive.shared.b64 %d0, [%r1]; X: mbarrier.test_wait.shared.b64 %q1, [%r1], %d0; @!%q1 bra X; {load}", turned, arch="sm_80")
    whole("mbarrier_count", ["u32"], "u32", f"{MEMORY} {SLOT} {INIT.format(count=3 * LANES)} {store} mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1], 3; {wait()} {load}", turned, **HOPPER)
    # Two phases: the second expects only those who have not dropped out.
    whole("mbarrier_drop", ["u32"], "u32", f"{MEMORY} {SLOT} {INIT.format(count=LANES)} setp.ge.u32 %q2, %me, 128; @%q2 mbarrier.arrive_drop.shared.b64 %d0, [%r1]; @!%q2 mbarrier.arrive.shared.b64 %d0, [%r1]; {wait(0, 0)} {store} bar.sync 0; @!%q2 mbarrier.arrive.shared.b64 %d0, [%r1]; {wait(1, 1)} {load}", turned, **HOPPER)
    whole("mbarrier_expect_complete", ["u32"], "u32", f"{MEMORY} {SLOT} {INIT.format(count=1)} ld.param.u64 %d0, [p0]; @!%q0 bra J; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 1024; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d0], 1024, [%r1]; J: {wait()} {load}", turned, **HOPPER)
    whole("cp_async_mbarrier", ["u32"], "u32", f"{MEMORY} {SLOT} {INIT.format(count=LANES)} ld.param.u64 %d0, [p0]; mul.wide.u32 %d1, %me, 4; add.u64 %d0, %d0, %d1; shl.b32 %r2, %me, 2; add.u32 %r2, %r0, %r2; cp.async.ca.shared.global [%r2], [%d0], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [%r1]; {wait()} {load}", turned, **HOPPER)
    # Half of the block waits at a barrier that the other half passes.
    whole("bar_arrive", ["u32"], "u32", f"{MEMORY} {SLOT} setp.lt.u32 %q2, %me, 128; @!%q2 bra C; {store} bar.arrive 3, 256; mov.u32 %o, 1; bra D; C: bar.sync 3, 256; sub.u32 %r3, %me, 128; shl.b32 %r3, %r3, 2; add.u32 %r3, %r0, %r3; ld.shared.u32 %o, [%r3]; D:",
          lambda a: [1] * 128 + a[:128])
    whole("setmaxnreg", ["u32"], "u32", "setp.lt.u32 %q2, %me, 128; @!%q2 bra G; setmaxnreg.dec.sync.aligned.u32 40; mov.u32 %o, %a0; bra H; G: setmaxnreg.inc.sync.aligned.u32 152; add.u32 %o, %a0, 1; H:", lambda a: a[:128] + [x + 1 & MASK[32] for x in a[128:]], arch="sm_90a", attributes=f".reqntid {LANES}, 1, 1 .maxnreg 96")


def clusters():
    meet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
    two = {"cluster": 2, **HOPPER}
    other = "mov.u32 %r8, %cluster_ctarank; xor.b32 %r8, %r8, 1;"
    whole("cluster_identity", ["u32"], "u32", "mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, %cluster_nctarank; mov.u32 %r2, %clusterid.x; mov.u32 %r3, %nclusterid.x; mov.u32 %r4, %cluster_ctaid.x; mov.u32 %r5, %cluster_nctaid.x; " + fold_text([f"%r{k}" for k in range(6)]),
          lambda a: [fold([l // 128, 2, 0, 1, l // 128, 2]) for l in range(LANES)], **two)
    whole("cluster_shared_load", ["u32"], "u32", f"{MEMORY} {SLOT} {other} shl.b32 %r2, %me, 2; add.u32 %r2, %r0, %r2; st.shared.u32 [%r2], %a0; {meet} mapa.shared::cluster.u32 %r3, %r2, %r8; ld.shared::cluster.u32 %o, [%r3]; {meet}", lambda a: a[128:] + a[:128], **two)
    whole("cluster_shared_store", ["u32"], "u32", f"{MEMORY} {SLOT} {other} shl.b32 %r2, %me, 2; add.u32 %r2, %r0, %r2; {meet} mapa.shared::cluster.u32 %r3, %r2, %r8; st.shared::cluster.u32 [%r3], %a0; {meet} ld.shared.u32 %o, [%r2];", lambda a: a[128:] + a[:128], **two)
    whole("cluster_atom", ["u32"], "u32", f"{MEMORY} {SLOT} @%q0 st.shared.u32 [%r0], 0; {meet} mapa.shared::cluster.u32 %r3, %r0, 0; atom.shared::cluster.add.u32 %r4, [%r3], 1; {meet} ld.shared::cluster.u32 %o, [%r3]; {meet}", lambda a: [LANES] * LANES, **two)
    whole("getctarank", ["u32"], "u32", f"{MEMORY} {SLOT} {other} mapa.shared::cluster.u32 %r3, %r0, %r8; getctarank.shared::cluster.u32 %o, %r3;", lambda a: [1] * 128 + [0] * 128, **two)
    whole("mbarrier_remote", ["u32"], "u32", f"{MEMORY} {SLOT} {INIT.format(count=128)} {other} {meet} shl.b32 %r2, %me, 2; add.u32 %r2, %r0, %r2; mapa.shared::cluster.u32 %r3, %r2, %r8; st.shared::cluster.u32 [%r3], %a0; mapa.shared::cluster.u32 %r4, %r1, %r8; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4]; "
          "V: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q1, [%r1], 0; @!%q1 bra V; " + f"ld.shared.u32 %o, [%r2]; {meet}", lambda a: a[128:] + a[:128], **two)
    # Block 0 copies a kilobyte to both; a block's half of the lanes turn theirs around.
    whole("multicast", ["u32"], "u32", f"{MEMORY} {SLOT} {INIT.format(count=1)} {other} @%q0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 1024; {meet} setp.eq.u32 %q2, %t, 0; mov.b16 %h0, 3; ld.param.u64 %d0, [p0]; @%q2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%d0], 1024, [%r1], %h0; {wait()} "
          f"xor.b32 %r3, %t, 255; shl.b32 %r3, %r3, 2; add.u32 %r3, %r0, %r3; ld.shared.u32 %o, [%r3]; {meet}", lambda a: list(reversed(a)), cluster=2, arch="sm_90a", version="8.0")


def bulk():
    out = "ld.param.u64 %d2, [p1];"
    fill = "shl.b32 %r2, %me, 2; add.u32 %r2, %r0, %r2; st.shared.u32 [%r2], %a0; fence.proxy.async.shared::cta; bar.sync 0;"
    again = "bar.sync 0; mul.wide.u32 %d3, %me, 4; add.u64 %d3, %d2, %d3; ld.global.u32 %r5, [%d3]; add.u32 %o, %r5, 1;"
    whole("bulk_store", ["u32"], "u32", f"{MEMORY} {SLOT} {out} {fill} @!%q0 bra J; cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r0], 1024; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; J: {again}", lambda a: [x + 1 & MASK[32] for x in a], **HOPPER)
    for op, t, f in (("add", "u32", lambda a: [x + 5 + 1 & MASK[32] for x in a]), ("max", "s32", lambda a: [(max(s(x, 32), 5) + 1) & MASK[32] for x in a]), ("and", "b32", lambda a: [(x & 5) + 1 for x in a])):
        whole(f"bulk_reduce_{op}", ["u32"], "u32", f"{MEMORY} {SLOT} {out} mul.wide.u32 %d3, %me, 4; add.u64 %d3, %d2, %d3; st.global.u32 [%d3], 5; fence.proxy.async; {fill} @!%q0 bra J; cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{t} [%d2], [%r0], 1024; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; J: {again}", f, **HOPPER)


def swizzled(offset, swizzle):
    """Where a byte of a tile stands: bits 4 and up of its place, exchanged by bits 7 and up."""
    return offset ^ (offset >> 7 & {0: 0, 32: 1, 64: 3, 128: 7}[swizzle]) << 4


def tensors():
    # 16 rows of 16 words; the box begins outside and reaches beyond: zeros. Lane l reads word l of the box.
    for swizzle, width in ((0, 8), (32, 8), (64, 16), (128, 16)):
        box = (width, LANES // width)
        for x, y in ((0, 0), (-4, 9), (4, -2)):
            if swizzle == 128:
                box = (32, 8)
            def expected(a, box=box, swizzle=swizzle, x=x, y=y):
                tile = [0] * LANES
                for l in range(LANES):
                    c, r = l % box[0] + x, l // box[0] + y
                    tile[swizzled(4 * l, swizzle) // 4] = a[16 * r + c] if 0 <= c < 16 and 0 <= r < 16 else 0
                return tile
            whole(f"tensor_load_{swizzle}_at_{x}_{y}".replace("-", "m"), ["u32"], "u32",
                  f"{MEMORY} {SLOT} {INIT.format(count=1)} mov.u64 %d0, m0; cvta.param.u64 %d0, %d0; @!%q0 bra J; prefetch.tensormap [%d0]; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 1024; mov.u32 %r5, {x}; mov.u32 %r6, {y}; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], [%d0, {{%r5, %r6}}], [%r1]; J: {wait()} shl.b32 %r3, %me, 2; add.u32 %r3, %r0, %r3; ld.shared.u32 %o, [%r3];",
                  expected, maps=[(0, (16, 16), (16,), box, swizzle)], arch="sm_90a", version="8.0")
    # Stores are clipped; what they leave stands as it was. One that
    # begins before the first row, ends behind the last column and is swizzled stops the H200 with an illegal instruction.
    for swizzle, x, y in ((0, 4, -5), (64, 0, -5), (64, 4, 5), (64, -4, 5)):
        for how, op in (("store", "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"), ("reduce", "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group")):
            def expected(a, how=how, swizzle=swizzle, x=x, y=y):
                want = [7] * LANES
                for l in range(LANES):
                    c, r = l % 16 + x, l // 16 + y
                    if 0 <= c < 16 and 0 <= r < 16:
                        v = a[swizzled(4 * l, swizzle) // 4]
                        want[16 * r + c] = v if how == "store" else v + 7 & MASK[32]
                return want
            whole(f"tensor_{how}_{swizzle}_at_{x}_{y}".replace("-", "m"), ["u32"], "u32", f"{MEMORY} {SLOT} ld.param.u64 %d2, [p1]; mul.wide.u32 %d3, %me, 4; add.u64 %d3, %d2, %d3; st.global.u32 [%d3], 7; shl.b32 %r2, %me, 2; add.u32 %r2, %r0, %r2; st.shared.u32 [%r2], %a0; fence.proxy.async; bar.sync 0; mov.u64 %d0, m0; cvta.param.u64 %d0, %d0; "
                  f"@!%q0 bra J; mov.u32 %r5, {x}; mov.u32 %r6, {y}; {op} [%d0, {{%r5, %r6}}], [%r0]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; J: bar.sync 0; ld.global.u32 %o, [%d3];", expected, maps=[(1, (16, 16), (16,), (16, 16), swizzle)], arch="sm_90a", version="8.0")
    def expected(a):
        return [a[64 * (l // 32 + 1) + 8 * (l // 8 % 4 + 1) + l % 8] if l % 8 < 8 and l // 32 + 1 < 4 else 0 for l in range(LANES)]
    whole("tensor_load_3d", ["u32"], "u32", f"{MEMORY} {SLOT} {INIT.format(count=1)} mov.u64 %d0, m0; cvta.param.u64 %d0, %d0; @!%q0 bra J; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 1024; mov.u32 %r5, 0; mov.u32 %r6, 1; mov.u32 %r7, 1; cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], [%d0, {{%r5, %r6, %r7}}], [%r1]; J: {wait()} shl.b32 %r3, %me, 2; add.u32 %r3, %r0, %r3; ld.shared.u32 %o, [%r3];",
          expected, maps=[(0, (8, 8, 4), (8, 64), (8, 4, 8), 0)], arch="sm_90a", version="8.0")
    # Stores of three and four dimensions: the last plane is outside.
    put = "ld.param.u64 %d2, [p1]; mul.wide.u32 %d3, %me, 4; add.u64 %d3, %d2, %d3; st.global.u32 [%d3], 7; shl.b32 %r2, %me, 2; add.u32 %r2, %r0, %r2; st.shared.u32 [%r2], %a0; fence.proxy.async; bar.sync 0; mov.u64 %d0, m0; cvta.param.u64 %d0, %d0; @!%q0 bra J; mov.u32 %r5, 0; mov.u32 %r6, 1; mov.u32 %r7, 1; mov.u32 %r8, 0;"
    done = "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0; J: bar.sync 0; ld.global.u32 %o, [%d3];"
    for rank, shape, strides, box in ((3, (8, 8, 4), (8, 64), (8, 4, 8)), (4, (8, 4, 4, 2), (8, 32, 128), (8, 2, 4, 4))):
        begin = (0, 1, 1, 0)[:rank]
        at = ", ".join(f"%r{5 + d}" for d in range(rank))
        def places(shape=shape, strides=strides, box=box, begin=begin):
            for l in range(LANES):
                c, rest = [], l
                for extent, first in zip(box, begin):
                    c.append(rest % extent + first)
                    rest //= extent
                if all(x < n for x, n in zip(c, shape)):
                    yield l, sum(x * n for x, n in zip(c, (1, *strides)))
        for how, op in (("store", f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group"), ("reduce", f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add.tile.bulk_group")):
            def expected(a, how=how, places=places):
                want = [7] * LANES
                for l, place in places():
                    want[place] = a[l] if how == "store" else a[l] + 7 & MASK[32]
                return want
            whole(f"tensor_{how}_{rank}d", ["u32"], "u32", f"{MEMORY} {SLOT} {put} {op} [%d0, {{{at}}}], [%r0]; {done}", expected, maps=[(1, shape, strides, box, 0)], arch="sm_90a", version="8.0")
    meet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
    whole("tensor_multicast", ["u32"], "u32", f"{MEMORY} {SLOT} {INIT.format(count=1)} @%q0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 1024; {meet} setp.eq.u32 %q2, %t, 0; mov.b16 %h0, 3; mov.u64 %d0, m0; cvta.param.u64 %d0, %d0; mov.u32 %r5, 0; mov.u32 %r6, 4; "
          f"@%q2 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%d0, {{%r5, %r6}}], [%r1], %h0; {wait()} shl.b32 %r3, %t, 2; add.u32 %r3, %r0, %r3; ld.shared.u32 %o, [%r3]; {meet}",
          lambda a: [a[k] if (k := swizzled(4 * l, 64) // 4 + 64) < LANES else 0 for l in range(LANES)], cluster=2, maps=[(0, (16, 16), (16,), (16, 16), 64)], arch="sm_90a", version="8.0")


def matrices():
    """stmatrix, and products of warpgroups on small integers, which are exact in every type."""
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            def expected(a, count=count, trans=trans):
                out = []
                for w in range(0, LANES, 32):
                    memory = [0xAAAA] * 256
                    for k in range(count):
                        for l in range(32):
                            for j in (0, 1):
                                r, c = l // 4, 2 * (l % 4) + j
                                if trans:
                                    r, c = c, r
                                memory[64 * k + 8 * r + c] = (a[w + l] + k * 0x10001 & MASK[32]) >> 16 * j & 0xFFFF
                    out += [fold([memory[8 * l + 2 * x] | memory[8 * l + 2 * x + 1] << 16 for x in range(4)]) for l in range(32)]
                return out
            regs = ", ".join(f"%r{10 + k}" for k in range(count))
            whole(f"stmatrix_x{count}{trans.replace('.', '_')}", ["u32"], "u32", f"{MEMORY} mov.u32 %r0, box; shl.b32 %r1, %t, 4; add.u32 %r1, %r0, %r1; mov.u32 %r2, 0xaaaaaaaa; st.shared.v4.u32 [%r1], {{%r2, %r2, %r2, %r2}}; bar.warp.sync -1; "
                  + " ".join(f"add.u32 %r{10 + k}, %a0, {k * 0x10001};" for k in range(4)) + f" stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%r1], {{{regs}}}; bar.warp.sync -1; ld.shared.v4.u32 {{%r20, %r21, %r22, %r23}}, [%r1]; " + fold_text([f"%r{20 + k}" for k in range(4)]), expected, **HOPPER)

    A = lambda r, c: (3 * r + 5 * c + r * c) % 7 - 3
    B = lambda c, n: (2 * c + 3 * n) % 5 - 2
    C = lambda r, n: (r - n) % 13 - 6
    encoders = {"f16": (16, "f16"), "bf16": (16, "bf16"), "tf32": (32, "f32"), "e4m3": (8, "e4m3"), "e5m2": (8, "e5m2"), "s8": (8, None), "u8": (8, "u8")}

    def encode(kind, v):
        bits, fmt = encoders[kind]
        return v & 255 if fmt is None else abs(v) if fmt == "u8" else num.encode(fmt, int(v < 0), num.Fraction(abs(v)))

    def image(kind, rows, k, value, swizzle, across):
        """The bytes of an operand in shared memory: rows of k that run along (or, `across`, of one k each), swizzled."""
        size = encoders[kind][0] // 8
        memory = bytearray(8192)
        for r in range(rows):
            for c in range(k):
                if swizzle and not across:
                    place = r * swizzle + c * size
                elif across:  # 64 rows in 128 bytes, one k below the other
                    place = r // 64 * 8192 + c * 128 + r % 64 * size
                else:  # pieces of 8 rows of 16 bytes; behind each other along k, then along rows
                    place = r // 8 * 8 * k * size + c * size // 16 * 128 + r % 8 * 16 + c * size % 16
                place = swizzled(place, swizzle)
                memory[place:place + size] = encode(kind, value(r, c)).to_bytes(size, "little")
        return memory

    def product(name, kinds, d, k, swizzle=0, across=(False, False), from_registers=False, accumulate=True, negate=(1, 1), version="8.0", n=32):
        bits = encoders[kinds[0]][0]
        a_value = (lambda r, c: abs(A(r, c))) if kinds[0] == "u8" else A
        b_value = (lambda r, c: abs(B(c, r))) if kinds[1] == "u8" else lambda r, c: B(c, r)
        images = image(kinds[0], 64, k, a_value, swizzle, across[0]), image(kinds[1], n, k, b_value, swizzle, across[1])
        data = []
        for memory in images:
            for part in range(4):
                data.append([int.from_bytes(memory[2048 * part + 8 * l:2048 * part + 8 * l + 8], "little") for l in range(LANES)])
        half = d == "f16"
        count = n // 4 if half else n // 2
        enc_d = (lambda v: v & MASK[32]) if d == "s32" else (lambda v: num.encode(d, int(v < 0), num.Fraction(abs(v))))
        def fragment(value):
            out = []
            for l in range(LANES):
                w, t = l % 128 // 32, l % 32
                elements = [value(16 * w + t // 4 + 8 * i, 8 * j + 2 * (t % 4) + x) for j in range(n // 8) for i in (0, 1) for x in (0, 1)]
                out.append([elements[2 * e] | elements[2 * e + 1] << 16 for e in range(count)] if half else elements)
            return out
        stage = f"{MEMORY} mov.u32 %r0, box; mov.u32 %r1, %me; " + " ".join(f"shl.b32 %r2, %me, 3; add.u32 %r2, %r0, %r2; st.shared.b64 [%r2+{2048 * p}], %a{p};" for p in range(8)) + " fence.proxy.async; bar.sync 0;"
        def leading(size, across):  # and stride, in units of 16 bytes
            if swizzle:
                return (512, 64) if across else (1, swizzle // 2)
            return 8, 8 * k * size // 16
        codes = {0: 0, 128: 1, 64: 2, 32: 3}
        def descriptor(register, base, across):
            lead, stride = leading(bits // 8, across)
            high = stride | codes[swizzle] << 30
            return f"add.u32 %r3, %r0, {base}; shr.u32 %r3, %r3, 4; or.b32 %r3, %r3, {lead << 16}; mov.u32 %r4, {high}; mov.b64 {register}, {{%r3, %r4}};"
        body = stage + descriptor("%d0", 0, across[0]) + descriptor("%d1", 8192, across[1])
        registers = ", ".join(f"%w{e}" for e in range(count))
        begin = fragment(lambda r, c: enc_d(C(r, c)))
        regs = f".reg .b32 %w<{count}>; .reg .b32 %v<4>;"
        # The sum's beginning is computed from the place: rows and columns of the lane.
        body += " and.b32 %r5, %me, 127; shr.u32 %r6, %r5, 5; shl.b32 %r6, %r6, 4; and.b32 %r7, %r5, 31; shr.u32 %r8, %r7, 2; add.u32 %r6, %r6, %r8; and.b32 %r7, %r7, 3; shl.b32 %r7, %r7, 1;"
        for e in range(count):
            for x in ((0, 1) if half else (0,)):
                place = 2 * e + x if half else e
                j, i, y = place // 4, place // 2 % 2, place % 2
                body += f" add.u32 %r9, %r6, {8 * i + 13 * 24}; add.u32 %r10, %r7, {8 * j + y}; sub.u32 %r9, %r9, %r10; rem.u32 %r9, %r9, 13; sub.s32 %r9, %r9, 6;"
                if d == "s32":
                    body += f" mov.b32 %w{e}, %r9;"
                elif half:
                    body += f" cvt.rn.f16.s32 %h{x}, %r9;" + (f" mov.b32 %w{e}, {{%h0, %h1}};" if x else "")
                else:
                    body += f" cvt.rn.f32.s32 %w{e}, %r9;"
        left = "%d0"
        if from_registers:
            # The fragment of A comes from the same bytes, by ordinary loads.
            e = 32 // bits
            for r in range(4):
                row, col = f"%r6", f"{4 * e * (r >> 1)}"
                body += f" add.u32 %r11, %r6, {8 * (r & 1)}; shr.u32 %r12, %r11, 3; mul.lo.u32 %r12, %r12, {8 * k * bits // 8}; and.b32 %r11, %r11, 7; shl.b32 %r11, %r11, 4; add.u32 %r12, %r12, %r11; shr.u32 %r13, %r7, 1; shl.b32 %r13, %r13, 2; add.u32 %r13, %r13, {4 * e * (r >> 1) * bits // 8}; shr.u32 %r14, %r13, 4; shl.b32 %r14, %r14, 7; and.b32 %r13, %r13, 15; add.u32 %r12, %r12, %r13; add.u32 %r12, %r12, %r14; add.u32 %r12, %r12, %r0; ld.shared.b32 %v{r}, [%r12];"
            left = "{%v0, %v1, %v2, %v3}"
        flags = "" if d == "s32" else f", {negate[0]}, {negate[1]}"
        if bits == 16:
            flags += ("" if from_registers else f", {int(across[0])}") + f", {int(across[1])}"
        body += f" wgmma.fence.sync.aligned; setp.ne.b32 %q0, {int(accumulate)}, 0; wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{kinds[0]}.{kinds[1]} {{{registers}}}, {left}, %d1, %q0{flags}; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; " + fold_text([f"%w{e}" for e in range(count)])
        sign = negate[0] * negate[1]
        result = fragment(lambda r, c: enc_d((C(r, c) if accumulate else 0) + sign * sum(a_value(r, x) * b_value(c, x) for x in range(k))))
        assert begin
        whole(name, ["u64"] * 8, "u32", body, lambda *_: [fold(v) for v in result], data=data, regs=regs, arch="sm_90a", version=version)

    product("wgmma_f16", ("f16", "f16"), "f32", 16)
    for swizzle in (32, 64, 128):
        product(f"wgmma_f16_swizzle_{swizzle}", ("f16", "f16"), "f32", 16, swizzle)
    product("wgmma_f16_transposed_b", ("f16", "f16"), "f32", 16, 128, (False, True))
    product("wgmma_bf16_transposed", ("bf16", "bf16"), "f32", 16, 128, (True, True))
    product("wgmma_f16_f16", ("f16", "f16"), "f16", 16, 64)
    product("wgmma_registers", ("bf16", "bf16"), "f32", 16, 0, from_registers=True)
    product("wgmma_registers_tf32", ("tf32", "tf32"), "f32", 8, 0, from_registers=True)
    product("wgmma_fresh", ("f16", "f16"), "f32", 16, 0, accumulate=False)
    product("wgmma_negative", ("f16", "f16"), "f32", 16, 0, negate=(-1, 1))
    for n in (8, 64, 128, 192, 256):
        product(f"wgmma_f16_n{n}", ("f16", "f16"), "f32", 16, 32, n=n)
        product(f"wgmma_bf16_n{n}", ("bf16", "bf16"), "f32", 16, 0, n=n)
        product(f"wgmma_f16_f16_n{n}", ("f16", "f16"), "f16", 16, 32, n=n)
    product("wgmma_tf32", ("tf32", "tf32"), "f32", 8, 128)
    product("wgmma_s8", ("s8", "s8"), "s32", 32, 64)
    product("wgmma_u8_s8", ("u8", "s8"), "s32", 32, 0, version="8.4")
    product("wgmma_e4m3", ("e4m3", "e4m3"), "f32", 32, 128)
    product("wgmma_e5m2_e4m3", ("e5m2", "e4m3"), "f16", 32, 32)


FAMILIES = (bits, warps, atomics, barriers, clusters, bulk, tensors, matrices)
