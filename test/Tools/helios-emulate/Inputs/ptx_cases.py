# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small kernels with what they must compute: the emulator and a card run them alike."""
import ctypes
import os
import random
import struct
import subprocess

import numbers_of_ptx as num

RNG = random.Random(20)
LANES = 256
MASK = {8: 0xFF, 16: 0xFFFF, 32: 0xFFFFFFFF, 64: 0xFFFFFFFFFFFFFFFF}
CODE = {8: "B", 16: "H", 32: "I", 64: "Q"}
PREFIX = {1: "p", 16: "h", 32: "r", 64: "d"}


def bits_of(t):
    return {"f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32}.get(t) or int(t.lstrip("subf"))


def samples(t):
    """Values of a type: its edges, and random ones."""
    n = bits_of(t)
    if t[0] in "sub" and t != "bf16" and t != "bf16x2":
        edges = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, (1 << n) - 1, (1 << n) - 2, 1 << n - 1, (1 << n - 1) - 1, 255, 128, 0x1234 & MASK[n]]
        pick = lambda: RNG.choice([RNG.getrandbits(n), RNG.getrandbits(8), -RNG.getrandbits(6) & MASK[n]])
    elif t.endswith("x2"):
        one = samples(t[:-2])
        return [one[k] | one[(k * 7 + 3) % LANES] << 16 for k in range(LANES)]
    else:
        e, m, _ = num.FORMATS[t]
        one = (1 << e - 1) - 1 << m
        inf = (1 << e) - 1 << m
        s = 1 << e + m
        edges = [0, s, 1, s | 1, (1 << m) - 1, 1 << m, one, s | one, one + 1, one - 1, inf - 1, inf, s | inf, inf + 1, s | inf - 1,
                 one + (1 << m), one + (1 << m - 1), s | one + (2 << m) + (1 << m - 2), one + (3 << m), s | one - (1 << m)]
        near = lambda: RNG.getrandbits(1) << e + m | (one >> m) + RNG.randint(-6, 6) << m | RNG.getrandbits(m)
        pick = lambda: RNG.choice([RNG.getrandbits(1 + e + m), near(), near()])
    values = edges + [pick() for _ in range(LANES)]
    values = values[:LANES]
    RNG.shuffle(values)
    return values


class Case:
    """LANES threads in `cluster` blocks, %t is a thread's number in the grid and %me the one in its block. `maps` are tensor maps behind the buffers,
    (buffer, extents, strides, box, swizzle). `body` reads %a0, %a1, ... and writes %o; `reference` gives the bits of %o from those of the inputs, of a lane or (warp) of 32 lanes."""

    def __init__(self, name, inputs, output, body, reference, arch="sm_80", warp=False, relative=None, absolute=0.0, data=None, regs="", version="8.0", cluster=1, maps=(), attributes=""):
        self.__dict__.update(locals())
        self.adversary = False  # whether it runs with several seeds too
        self.data = data or [samples(t) for t in inputs]

    def entry(self):
        n = self.name
        params = ", ".join([".param .u64 p%d" % k for k in range(len(self.inputs) + 1)] + [f".param .align 64 .b8 m{k}[128]" for k in range(len(self.maps))])
        lines = [f".visible .entry {n}({params}) {self.attributes} {f'.reqnctapercluster {self.cluster}, 1, 1' if self.cluster > 1 else ''}", "{", ".reg .pred %q<8>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .b64 %d<16>; .reg .b32 %t, %me; .reg .b64 %u<4>;", self.regs]
        lines += ["mov.u32 %me, %tid.x; mov.u32 %t, %ctaid.x;", f"mad.lo.u32 %t, %t, {LANES // self.cluster}, %me;"]
        for k, t in enumerate(self.inputs):
            b = bits_of(t)
            lines += [f".reg .b{b} %a{k};", f"ld.param.u64 %u0, [p{k}];", f"mul.wide.u32 %u1, %t, {b // 8};", "add.s64 %u0, %u0, %u1;", f"ld.global.b{b} %a{k}, [%u0];"]
        b = bits_of(self.output)
        lines += [f".reg .b{b} %o;", self.body, f"ld.param.u64 %u0, [p{len(self.inputs)}];", f"mul.wide.u32 %u1, %t, {b // 8};", "add.s64 %u0, %u0, %u1;", f"st.global.b{b} [%u0], %o;", "ret;", "}"]
        return "\n".join(lines)

    def expected(self):
        if not self.warp:
            return [self.reference(*v) for v in zip(*self.data)]
        out = []
        for w in range(0, LANES, 32):
            out += self.reference(*[d[w:w + 32] for d in self.data])
        return out

    def agrees(self, got, want, factor=1.0):
        if got == want or self.relative is None:
            return got == want
        to = self.output
        g, w = num.decode(to, got), num.decode(to, want)
        if g[0] != w[0] or g[0] == "nan":
            return g[0] == w[0]
        if g[0] == "inf":
            return g[1] == w[1]
        error = abs(num.signed(g) - num.signed(w))
        return error <= factor * (abs(num.signed(w)) * num.Fraction(self.relative) + num.Fraction(self.absolute))


CASES = []


def case(*args, **kwargs):
    CASES.append(Case(*args, **kwargs))


def s(v, n):
    return v - (1 << n) if v >> n - 1 & 1 else v


def module(c):
    return f".version {c.version}\n.target {c.arch}\n.address_size 64\n\n{c.entry()}\n"


def buffer_type(c, t):
    return t if c.maps else f"b{bits_of(t)}"


def emulate(c, folder, adversary=()):
    files = []
    for k, t in enumerate(c.inputs):
        path = os.path.join(folder, f"in{k}")
        with open(path, "wb") as f:
            f.write(struct.pack(f"{LANES}{CODE[bits_of(t)]}", *c.data[k]))
        files += ["--arg", f"buffer:{buffer_type(c, t)}:{LANES}:@{path}:in"]
    ptx, out = os.path.join(folder, "k.ptx"), os.path.join(folder, "out")
    with open(ptx, "w") as f:
        f.write(module(c))
    n = bits_of(c.output)
    def product(v):
        return "x".join(map(str, v))
    maps = []
    for buffer, extents, strides, box, swizzle in c.maps:
        maps += ["--arg", f"map:{buffer}:{product(extents)}:{product(strides)}:{product(box)}:{swizzle}"]
    r = subprocess.run(["helios-emulate", ptx, "--block", str(LANES // c.cluster), "--grid", str(c.cluster), *files, "--arg", f"buffer:{buffer_type(c, c.output)}:{LANES}:none", *maps,
                        *adversary, "--dump", f"{len(c.inputs)}={out}"], capture_output=True, text=True)
    if r.returncode:
        return r.stderr.strip()
    with open(out, "rb") as f:
        return list(struct.unpack(f"{LANES}{CODE[n]}", f.read()))


class Card:
    """The CUDA driver, through ctypes."""

    def __init__(self, library):
        self.cu = ctypes.CDLL(library)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check(self.cu.cuInit(0))
        self.check(self.cu.cuDeviceGet(ctypes.byref(device), 0))
        self.check(self.cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        self.check(self.cu.cuCtxSetCurrent(context))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.cu.cuDeviceGetAttribute(ctypes.byref(major), 75, device)
        self.cu.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
        self.arch = 10 * major.value + minor.value

    def check(self, code):
        if code:
            raise RuntimeError(f"CUDA error {code}")

    def tensor_map(self, c, pointers, m):
        """The 128 bytes of a tensor map, and where they begin, at a multiple of 64."""
        buffer, extents, strides, box, swizzle = m
        t = (c.inputs + [c.output])[buffer]
        memory = ctypes.create_string_buffer(192)
        place = ctypes.addressof(memory) + 63 & ~63
        rank = len(extents)
        kinds = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "f16": 6, "f32": 7, "f64": 8, "bf16": 9}
        self.check(self.cu.cuTensorMapEncodeTiled(
            ctypes.c_void_p(place), kinds[t], rank, pointers[buffer], (ctypes.c_uint64 * rank)(*extents),
            (ctypes.c_uint64 * rank)(*[n * bits_of(t) // 8 for n in strides]), (ctypes.c_uint32 * rank)(*box), (ctypes.c_uint32 * rank)(*[1] * rank),
            0, {0: 0, 32: 1, 64: 2, 128: 3}[swizzle], 0, 0))
        return memory, place

    def run(self, c):
        if int(c.arch[3:].rstrip("a")) > self.arch or (c.arch.endswith("a") and int(c.arch[3:-1]) != self.arch):
            return None
        mod, function = ctypes.c_void_p(), ctypes.c_void_p()
        log = ctypes.create_string_buffer(2048)
        names, values = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))  # the error log and its size
        if self.cu.cuModuleLoadDataEx(ctypes.byref(mod), module(c).encode(), 2, names, values):
            raise RuntimeError("the driver cannot compile it: " + log.value.decode(errors="replace").strip())
        self.check(self.cu.cuModuleGetFunction(ctypes.byref(function), mod, c.name.encode()))
        n = bits_of(c.output)
        pointers = []
        for k, t in enumerate(c.inputs + [c.output]):
            p = ctypes.c_uint64()
            size = LANES * bits_of(t) // 8
            self.check(self.cu.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(size)))
            if k < len(c.inputs):
                raw = struct.pack(f"{LANES}{CODE[bits_of(t)]}", *c.data[k])
                self.check(self.cu.cuMemcpyHtoD_v2(p, raw, ctypes.c_size_t(size)))
            pointers.append(p)
        maps = [self.tensor_map(c, pointers, m) for m in c.maps]
        places = [ctypes.addressof(p) for p in pointers] + [place for _, place in maps]
        arguments = (ctypes.c_void_p * len(places))(*places)
        self.check(self.cu.cuLaunchKernel(function, c.cluster, 1, 1, LANES // c.cluster, 1, 1, 0, None, arguments, None))
        self.check(self.cu.cuCtxSynchronize())
        raw = ctypes.create_string_buffer(LANES * n // 8)
        self.check(self.cu.cuMemcpyDtoH_v2(raw, pointers[-1], ctypes.c_size_t(len(raw))))
        for p in pointers:
            self.cu.cuMemFree_v2(p)
        self.cu.cuModuleUnload(mod)
        return list(struct.unpack(f"{LANES}{CODE[n]}", raw.raw))
