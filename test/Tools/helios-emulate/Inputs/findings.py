#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""findings.py: small kernels with one fault each, and the same kernels without it. The emulator has to name the fault, and nothing else."""
import os
import re
import subprocess
import sys
import tempfile

# A product of a warpgroup with operands of zeros, in flight.
PRODUCT = ("mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0; st.shared.v4.u32 [%s4], {%r4, %r4, %r4, %r4}; st.shared.v4.u32 [%s4+2048], {%r4, %r4, %r4, %r4}; fence.proxy.async; bar.sync 0; "
           "shr.u32 %r1, %base, 4; or.b32 %r1, %r1, 0x80000; mov.u32 %r2, 16; mov.b64 %d4, {%r1, %r2}; add.u32 %r1, %base, 2048; shr.u32 %r1, %r1, 4; or.b32 %r1, %r1, 0x80000; mov.b64 %d5, {%r1, %r2}; "
           "wgmma.fence.sync.aligned; setp.ne.b32 %p0, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r4, %r5, %r6, %r7}, %d4, %d5, %p0, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; ")

# name, threads, body with {fault} where the mended kernel has something else, the mend, the beginning of the finding, a part of its text.
KERNELS = [
    ("undefined register", 32, "{fault} add.u32 %r2, %r1, 1; st.global.u32 [%d0], %r2;", "mov.u32 %r1, 5;", "", "uninitialised read", "register %r1 was never written"),
    ("undefined in some lanes", 32, "setp.lt.u32 %p0, %t, 7; @%p0 mov.u32 %r1, 5; {fault} add.u32 %r2, %r1, 1; st.global.u32 [%d0], %r2;", "@!%p0 mov.u32 %r1, 6;", "", "uninitialised read", "lane 7"),
    ("undefined predicate", 32, "{fault} @%p0 st.global.u32 [%d0], %t;", "setp.lt.u32 %p0, %t, 7;", "", "uninitialised read", "predicate %p0 was never written"),
    ("uninitialised shared memory", 32, "{fault} ld.shared.u32 %r1, [%s]; st.global.u32 [%d0], %r1;", "st.shared.u32 [%s], %t;", "", "uninitialised read", "holds shared memory that was never written"),
    ("read ahead of what is written", 32, "ld.shared.u32 %r1, [%s]; setp.lt.u32 %p0, %t, {fault}; @%p0 mov.u32 %r1, 1; st.global.u32 [%d0], %r1;", "32", "31", "uninitialised read", "lane 31"),
    ("uninitialised global memory", 32, "{fault} ld.global.u32 %r1, [%d0]; st.global.u32 [%d0], %r1;", "st.global.u32 [%d0], %t;", "", "uninitialised read", "of argument 0 was never written"),
    ("misaligned", 32, "add.u32 %s, %s, {fault}; st.shared.u32 [%s], %t;", "4", "2", "misaligned access", "is no multiple of 4"),
    ("beyond shared memory", 32, "st.shared.u32 [%s+{fault}], %t;", "64", "40000", "out of bounds", "the block has"),
    ("race between warps", 64, "st.shared.u32 [%s], %t; {fault} xor.b32 %r1, %t, 32; shl.b32 %r1, %r1, 2; add.u32 %r1, %base, %r1; ld.shared.u32 %r2, [%r1]; st.global.u32 [%d0], %r2;", "bar.sync 0;", "", "data race", "nothing orders that before this"),
    ("stores of different values", 64, "shr.u32 %r1, %t, 5; {fault} st.shared.u32 [%base], %r1; bar.sync 0; ld.shared.u32 %r2, [%base]; st.global.u32 [%d0], %r2;", "mov.u32 %r1, 7;", "", "data race", "nothing orders that before this write"),
    ("race of lanes", 32, "st.shared.u32 [%s], %t; {fault} xor.b32 %r1, %t, 1; shl.b32 %r1, %r1, 2; add.u32 %r1, %base, %r1; ld.shared.u32 %r2, [%r1]; st.global.u32 [%d0], %r2;", "bar.warp.sync -1;", "", "data race", "nothing orders"),
    ("lanes that store to one place", 32, "mov.u32 %r1, {fault}; st.shared.u32 [%base], %r1;", "7", "%t", "data race", "nothing orders that"),
    ("overwritten before read", 64, "st.shared.u32 [%s], %t; bar.sync 0; xor.b32 %r1, %t, 32; shl.b32 %r1, %r1, 2; add.u32 %r1, %base, %r1; ld.shared.u32 %r2, [%r1]; {fault} st.shared.u32 [%s], %r2; st.global.u32 [%d0], %r2;", "bar.sync 0;", "", "data race", "nothing orders that before this"),
    ("race in global memory", 64, "st.global.u32 [%d0], %t; {fault} xor.b32 %r1, %t, 32; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d2, %d1; ld.global.u32 %r2, [%d1]; st.shared.u32 [%s], %r2;", "bar.sync 0;", "", "data race", "nothing orders the two accesses"),
    ("copy not waited for", 32, "shl.b32 %r1, %t, 4; add.u32 %r1, %base, %r1; cp.async.cg.shared.global [%r1], [%d2], 16; cp.async.commit_group; {fault} ld.shared.u32 %r2, [%r1];", "cp.async.wait_group 0;", "cp.async.wait_group 1;", "read of data in flight", "a cp.async of lane 0 that nobody has waited for"),
    ("barrier in a branch", 32, "setp.lt.u32 %p0, %t, {fault}; @%p0 bra A; bra B; A: bar.sync 1, 32; B: st.global.u32 [%d0], %t;", "32", "16", "divergent lanes", "16 of 32 do"),
    ("barrier with a wrong count", 64, "setp.lt.u32 %p0, %t, 32; @%p0 bra A; bar.sync 1, 64; bra B; A: bar.sync 1, {fault}; B: st.global.u32 [%d0], %t;", "64", "32", "misuse of a barrier|deadlock", "barrier 1"),
    ("barrier that nobody completes", 64, "setp.lt.u32 %p0, %t, 32; @%p0 bra A; {fault} bra B; A: bar.sync 1, 64; B: st.global.u32 [%d0], %t;", "bar.sync 1, 64;", "", "deadlock", "waits at barrier 1, where 32 of 64 threads are"),
    ("mbarrier without arrival", 32, "mbarrier.init.shared.b64 [%m], 32; bar.sync 0; {fault} W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%m], 0; @!%p0 bra W;", "mbarrier.arrive.shared::cta.b64 _, [%m];", "", "deadlock", "32 of 32 arrivals and 0 bytes are missing", "init once"),
    ("mbarrier with too many arrivals", 32, "mbarrier.init.shared.b64 [%m], {fault}; bar.sync 0; mbarrier.arrive.shared::cta.b64 _, [%m], 2;", "64", "63", "misuse of an mbarrier", "2 arrivals at the mbarrier", "init once"),
    ("mbarrier not initialised", 32, "{fault} bar.sync 0; mbarrier.arrive.shared::cta.b64 _, [%m];", "mbarrier.init.shared.b64 [%m], 32;", "", "misuse of an mbarrier", "there is no mbarrier", "init once"),
    ("wrong parity", 32, "mbarrier.init.shared.b64 [%m], 32; bar.sync 0; mbarrier.arrive.shared::cta.b64 _, [%m]; W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%m], {fault}; @!%p0 bra W;", "0", "1", "deadlock", "waits for parity 1", "init once"),
    ("bulk copy without its wait", 32, "mbarrier.init.shared.b64 [%m], 32; fence.proxy.async; bar.sync 0; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 16; shl.b32 %r1, %t, 4; add.u32 %r1, %base, %r1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d2], 16, [%m]; {fault} ld.shared.u32 %r2, [%r1];",
     "W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%m], 0; @!%p0 bra W;", "", "data race", "for which nobody has waited", "init once"),
    ("wrong transaction count", 32, "mbarrier.init.shared.b64 [%m], 32; fence.proxy.async; bar.sync 0; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], {fault}; shl.b32 %r1, %t, 4; add.u32 %r1, %base, %r1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d2], 16, [%m]; W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%m], 0; @!%p0 bra W;",
     "16", "20", "deadlock", "and 128 bytes are missing", "init once"),
    ("slot handed back before it is read", 64, "mbarrier.init.shared.b64 [%m], 1; mbarrier.init.shared.b64 [%m+8], 32; fence.proxy.async; bar.sync 0; setp.ge.u32 %p1, %t, 32; @%p1 bra P; W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%m], 0; @!%p0 bra W; {fault} st.global.u32 [%d0+2048], %r1; bra E; "
     "P: setp.ne.u32 %p2, %t, 32; @%p2 bra E; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 128; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%base], [%d2], 128, [%m]; X: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%m+8], 0; @!%p0 bra X; "
     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 128; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%base], [%d2], 128, [%m]; Y: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%m], 1; @!%p0 bra Y; E:",
     "ld.shared.u32 %r1, [%s]; mbarrier.arrive.shared::cta.b64 _, [%m+8];", "mbarrier.arrive.shared::cta.b64 _, [%m+8]; ld.shared.u32 %r1, [%s];", "data race", "", "init once"),
    ("register of a product in flight", 128, PRODUCT + "wgmma.wait_group.sync.aligned {fault}; st.global.u32 [%d0], %r4; wgmma.wait_group.sync.aligned 0;", "0", "1", "misuse of wgmma", "%r4"),
    ("operand overwritten under a product", 128, PRODUCT + "wgmma.wait_group.sync.aligned {fault}; st.shared.u32 [%s], %t; wgmma.wait_group.sync.aligned 0;", "0", "1", "data race", ""),
    ("missing proxy fence", 32, "st.shared.v4.u32 [%s4], {%t, %t, %t, %t}; {fault} cp.async.bulk.global.shared::cta.bulk_group [%d3], [%s4], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", "fence.proxy.async.shared::cta;", "", "missing proxy fence", "there is no fence.proxy.async between"),
    ("exit before a bulk store", 32, "st.shared.v4.u32 [%s4], {%t, %t, %t, %t}; fence.proxy.async.shared::cta; cp.async.bulk.global.shared::cta.bulk_group [%d3], [%s4], 16; cp.async.bulk.commit_group; {fault}", "cp.async.bulk.wait_group.read 0;", "", "misuse of a copy", "exits while its bulk store may still read"),
    ("store to what is copied", 32, "st.shared.v4.u32 [%s4], {%t, %t, %t, %t}; fence.proxy.async.shared::cta; cp.async.bulk.global.shared::cta.bulk_group [%d3], [%s4], 16; cp.async.bulk.commit_group; {fault} st.shared.u32 [%s4], %t; cp.async.bulk.wait_group 0;", "cp.async.bulk.wait_group.read 0;", "", "data race", "a bulk store of block 0 warp 0 that nobody has waited for"),
    ("tensor copy from between pieces", 32, "mbarrier.init.shared.b64 [%m], 1; fence.proxy.async; bar.sync 0; @!%first bra W; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 1024; mov.u32 %r2, {fault}; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%base], [%map, {%r2, 0}], [%m]; W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%m], 0; @!%p0 bra W;",
     "-4", "3", "misuse of a copy", "innermost coordinate 3 of elements of 4 bytes is no multiple of 16 bytes", "init once"),
    ("tensor copy to between pieces", 32, "setp.ne.u32 %p0, %t, 0; @%p0 bra E; mov.u32 %r1, 0; A: st.shared.u32 [%base], %r1; add.u32 %base, %base, 4; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 256; @%p0 bra A; sub.u32 %base, %base, 1024; fence.proxy.async.shared::cta; mov.u32 %r2, {fault}; cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {%r2, 0}], [%base]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; E:",
     "8", "-2", "misuse of a copy", "innermost coordinate -2"),
    ("too few registers", 32, "setmaxnreg.dec.sync.aligned.u32 40; setmaxnreg.inc.sync.aligned.u32 {fault};", "168", "176", "deadlock", "waits for registers"),
    ("shuffle with lanes missing", 32, "setp.lt.u32 %p0, %t, {fault}; @%p0 shfl.sync.idx.b32 %r1, %t, 0, 31, -1;", "32", "31", "divergent lanes", "its mask names lanes 0xffffffff"),
    ("trap", 32, "setp.eq.u32 %p0, %t, {fault}; @%p0 trap;", "99", "9", "trap", "lane 9"),
    ("cluster barrier twice", 32, "barrier.cluster.arrive.aligned; {fault} barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", "barrier.cluster.wait.aligned;", "", "misuse of a barrier", "a second time"),
    ("load before the grid before has ended", 32, "{fault} ld.global.u32 %r1, [%d0]; griddepcontrol.wait; st.shared.u32 [%s], %r1;", "griddepcontrol.wait;", "", "no wait for the grid before", "touched before griddepcontrol.wait", "dependent"),
    ("store before the grid before has ended", 32, "setp.lt.u32 %p0, %t, {fault}; @%p0 griddepcontrol.wait; st.global.u32 [%d0], %t;", "32", "31", "no wait for the grid before", "lane 31", "dependent"),
    ("tensor copy before the grid before has ended", 32, "mbarrier.init.shared.b64 [%m], 1; fence.proxy.async; bar.sync 0; @!%first bra W; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 1024; {fault} mov.u32 %r2, 0; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%base], [%map, {%r2, 0}], [%m]; "
     "W: griddepcontrol.wait; X: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%m], 0; @!%p0 bra X;", "griddepcontrol.wait;", "", "no wait for the grid before", "touched before griddepcontrol.wait", "init once dependent"),
    ("end before the grid before has ended", 32, "{fault} st.shared.u32 [%s], %t;", "griddepcontrol.wait;", "", "no wait for the grid before", "ends without griddepcontrol.wait", "dependent"),
    ("exit before another block's store", 32, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mov.u32 %r1, %cluster_ctarank; xor.b32 %r1, %r1, 1; mapa.shared::cluster.u32 %r1, %s, %r1; st.shared::cluster.u32 [%r1], %t; {fault}",
     "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", "", "data race|out of bounds", "no cluster barrier at its end", "cluster"),
]


def text(threads, body, once):
    once = " ".join(once)
    if "init once" in once:  # one lane initialises
        body = body.replace("mbarrier.init", "@%first mbarrier.init")
    return f""".version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .align 64 .b8 map[128])
.reqntid {threads}, 1, 1
.maxnreg 168
{".reqnctapercluster 2, 1, 1" if "cluster" in once else ""}
{{
.shared .align 128 .b8 memory[4096]; .shared .align 8 .b64 bar[2];
.reg .pred %p<4>; .reg .pred %first; .reg .b32 %r<8>; .reg .b32 %t; .reg .b32 %s; .reg .b32 %s4; .reg .b32 %base; .reg .b32 %m; .reg .b64 %d<8>; .reg .b64 %map;
mov.u32 %t, %tid.x; setp.eq.u32 %first, %t, 0; mov.u32 %base, memory; mov.u32 %m, bar;
shl.b32 %s, %t, 2; add.u32 %s, %base, %s; shl.b32 %s4, %t, 4; add.u32 %s4, %base, %s4;
mov.u64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %d2, [out]; mul.wide.u32 %d0, %t, 4; add.u64 %d0, %d2, %d0; mul.wide.u32 %d3, %t, 16; add.u64 %d3, %d2, %d3;
{body}
ret;
}}
"""


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        for name, threads, body, mended, broken, kind, part, *once in KERNELS:
            begin = "none" if "global memory" in name else "zero"
            for good in (True, False):
                for seed in (0, 1, 2):
                    with open(path, "w") as f:
                        f.write(text(threads, body.replace("{fault}", mended if good else broken), once))
                    r = subprocess.run(["helios-emulate", path, "--arg", f"buffer:u32:1024:{begin}", "--arg", "map:0:32x32:32:32x8:128", "--seed", str(seed), "--grid", "2" if "cluster" in once else "1"] + ["--dependent"] * ("dependent" in " ".join(once)), capture_output=True, text=True)
                    ok = r.returncode == 0 if good else r.returncode == 1 and re.search(f"^({kind}): ", r.stderr, re.M) and part in r.stderr
                    if not ok:
                        wrong += 1
                        print(f"{name}, {'mended' if good else 'broken'}, seed {seed}: exit status {r.returncode}\n{r.stderr}")
    print(f"{len(KERNELS)} faults, {wrong} runs wrong")
    sys.exit(1 if wrong else 0)


main()
