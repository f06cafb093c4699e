#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels of level 1 and random programs of level 2, compiled, run and checked by helios-bench.

fuzz.py [--count N] [--seed S] [--case N] [--device vulkan|emulator] [--kind attention] [--launcher PROGRAM] [--keep DIR] [--jobs N]

Case N of a seed is the same text on every machine. A level-2 program is written together with the level-1 description of the
same function, which helios-bench takes as its reference. A failing case prints one line that repeats it. On the emulator the
cases are for CUDA, under random schedules of every strategy, its adversary draws from the case's number, and a finding fails
the case. Exit status: 0 all right, 1 a case failed, 2 usage.
"""
import argparse
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

LICENCE = "// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"


class Code:
    """Lines of one block; values are written once. `shape` is empty for scalars, else as in "?x?x"."""

    def __init__(self, indent, shape=""):
        self.lines, self.indent, self.shape, self.count = [], indent, shape, 0

    def type(self, element):
        return f"tensor<{self.shape}{element}>" if self.shape else element

    def op(self, text):
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{self.indent}{name} = {text}")
        return name

    def constant(self, value, element="f32"):
        literal = f"dense<{value:.6e}>" if self.shape else f"{value:.6e}"
        return self.op(f"arith.constant {literal} : {self.type(element)}")

    def cast(self, value, have, want):
        if have == want:
            return value
        if have in ("f16", "bf16") and want == "f32":
            return self.op(f"arith.extf {value} : {self.type(have)} to {self.type(want)}")
        if have == "f32":
            return self.op(f"arith.truncf {value} : {self.type(have)} to {self.type(want)}")
        return self.cast(self.cast(value, have, "f32"), "f32", want)

    def unary(self, name, x):
        return self.op(f"{name} {x} : {self.type('f32')}")

    def binary(self, name, x, y):
        return self.op(f"{name} {x}, {y} : {self.type('f32')}")


def random_chain(rng, code, values, steps, constants, replay=None):
    """A random element-wise function of f32 values on safe domains. With `replay`, the choices of an earlier call. Returns
    the result and the choices."""
    values, choices, products = list(values), [], 0
    for n in range(steps):
        if replay is not None:
            kind, i, j, number = replay[n]
        else:
            kinds = ["add", "sub", "max", "min", "neg", "abs", "tanh", "sin", "cos", "erf", "decay", "mul", "add", "sub"]
            if constants:
                kinds += ["scale", "shift", "relu", "clamp", "sqrt", "log", "divide", "sigmoid", "where", "fma", "floor"]
            kind = rng.choice(kinds)
            if kind in ("mul", "fma"):
                products += 1
                kind = "add" if products > 2 else kind
            # The last value is used at once, so that little is dead code.
            i, j, number = len(values) - 1 if rng.random() < 0.7 else rng.randrange(len(values)), rng.randrange(len(values)), rng.choice(
                [-1.5, -0.75, 0.25, 0.5, 1.25, 2.0])
        choices.append((kind, i, j, number))
        x, y = values[i], values[j]
        c = lambda v: code.constant(v)
        if kind in ("add", "sub", "mul"):
            v = code.binary(f"arith.{kind}f", x, y)
        elif kind in ("max", "min"):
            v = code.binary(f"arith.{kind}imumf", x, y)
        elif kind == "neg":
            v = code.unary("arith.negf", x)
        elif kind in ("tanh", "sin", "cos", "erf"):
            v = code.unary(f"math.{kind}", x)
        elif kind == "abs":
            v = code.unary("math.absf", x)
        elif kind == "floor":
            v = code.unary("math.floor", code.binary("arith.mulf", x, c(0.0)))
        elif kind == "decay":
            v = code.unary("math.exp", code.unary("arith.negf", code.unary("math.absf", x)))
        elif kind == "scale":
            v = code.binary("arith.mulf", x, c(number))
        elif kind == "shift":
            v = code.binary("arith.addf", x, c(number))
        elif kind == "relu":
            v = code.binary("arith.maximumf", x, c(0.0))
        elif kind == "clamp":
            v = code.binary("arith.minimumf", code.binary("arith.maximumf", x, c(-1.0)), c(1.0))
        elif kind == "sqrt":
            v = code.unary("math.sqrt", code.binary("arith.addf", code.unary("math.absf", x), c(0.5)))
        elif kind == "log":
            v = code.unary("math.log", code.binary("arith.addf", code.unary("math.absf", x), c(1.0)))
        elif kind == "divide":
            v = code.binary("arith.divf", x, code.binary("arith.addf", code.unary("math.absf", y), c(1.0)))
        elif kind == "sigmoid":
            e = code.unary("math.exp", code.unary("arith.negf", code.binary("arith.maximumf", x, c(-8.0))))
            v = code.binary("arith.divf", c(1.0), code.binary("arith.addf", e, c(1.0)))
        elif kind == "fma":
            v = code.op(f"math.fma {x}, {c(number)}, {y} : {code.type('f32')}")
        elif kind == "where":
            p = code.op(f"arith.cmpf ogt, {x}, {c(0.0)} : {code.type('f32')}")
            v = code.op(f"arith.select {p}, {x}, {y} : {code.type('i1')}, {code.type('f32')}" if code.shape else
                        f"arith.select {p}, {x}, {y} : f32")
        values.append(v)
    return values[-1], choices


class Case:
    """What helios-bench is asked: a text, perhaps a reference, and flags."""

    def __init__(self):
        self.text, self.reference, self.shapes, self.row, self.flags = "", "", [], "", []


ODD = [1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 24, 31, 32, 33, 40, 48, 50, 63, 64, 65]
TYPES = {
    "lavapipe": [("f16", "f32", "f16"), ("f16", "f32", "f32"), ("f16", "f16", "f16")],
    "simt": [("f32", "f32", "f32"), ("f32", "f32", "f16"), ("f16", "f32", "f16"), ("f16", "f32", "f32"), ("bf16", "f32", "bf16"),
             ("bf16", "f32", "f32")],
}


CUDA_TYPES = [("f16", "f32", "f16"), ("f16", "f32", "f32"), ("bf16", "f32", "bf16"), ("bf16", "f32", "f32"), ("f16", "f16", "f16"), ("f32", "f32", "f32")]
TYPES.update({"sm_80": CUDA_TYPES, "sm_86": CUDA_TYPES, "sm_89": CUDA_TYPES, "sm_90a": CUDA_TYPES})
ROWS = {"vulkan": ["lavapipe", "lavapipe", "simt"], "emulator": ["sm_80", "sm_86", "sm_89", "sm_89", "sm_90a", "sm_90a", "sm_90a"]}


def cuda_schedule(rng, row, operand):
    """A schedule for a CUDA row, most of which fit: the strategy, the shape of its instruction, the parameters."""
    strategy = rng.choice(["staged", "groups", "groups"] + ["roles"] * 6 * (row == "sm_90a" and operand != "f32"))
    if strategy == "roles":
        mma, groups = [64, rng.choice([8, 16, 32, 64, 96, 128]), 16], [rng.choice([1, 2, 2, 3]), 1]
    else:
        mma, groups = [32, 16, 4] if operand == "f32" else [16, 8, 16], rng.choice([[1, 1], [2, 1], [1, 2], [2, 2], [4, 1]])
    tile = [groups[0] * mma[0] * rng.choice([1, 1, 2]), groups[1] * mma[1] * (1 if strategy == "roles" else rng.choice([1, 2, 4])), mma[2] * rng.choice([1, 2, 4])]
    values = {"strategy": strategy, "tile": tile, "groups": groups}
    if strategy != "staged":
        values["depth"] = rng.choice([2, 3, 4])
    if strategy == "roles" and rng.random() < 0.3:
        values["cluster"] = rng.choice([[2, 1], [1, 2], [2, 2]])
    for key, choices in {"split_k": [2, 3, 7], "raster": [1, 3], "epilogue_rows": [16, 64]}.items():
        if rng.random() < 0.25:
            values[key] = rng.choice(choices)
    return strategy, mma, values


def schedule_text(values):
    text = lambda value: "x".join(map(str, value)) if isinstance(value, list) else str(value)
    return ",".join(f"{key}={text(value)}" for key, value in values.items())


def tensor(extents, element):
    return "tensor<" + "".join(f"{e}x" for e in extents) + element + ">"


def level1(rng, device="vulkan"):
    """One product with whatever a description may say of it."""
    case = Case()
    case.row = rng.choice(ROWS[device])
    operand, acc, result = rng.choice(TYPES[case.row])
    emulated = device == "emulator"
    # What engines copy starts and ends at multiples of 16 bytes.
    odd = ODD if not emulated else [8, 16, 40, 64, 72, 104, 136, 200] if rng.random() < 0.7 else ODD + [100, 130]
    extents = {"M": rng.choice(odd), "N": rng.choice(odd), "K": rng.choice(odd + [0]), "B": rng.choice([1, 2, 3])}
    text = {d: (str(extents[d]) if rng.random() < 0.2 and extents[d] else "?") for d in extents}
    batched, shared_b = rng.random() < 0.25, rng.random() < 0.5
    if text["B"] == "1":
        text["B"] = "?"
    ta, tb = rng.random() < 0.5, rng.random() < 0.5
    lead = ["B"] if batched else []
    dims_a = lead + (["K", "M"] if ta else ["M", "K"])
    dims_b = ([] if shared_b else lead) + (["N", "K"] if tb else ["K", "N"])
    dims_d = lead + ["M", "N"]
    typed = lambda dims, element: tensor([text.get(d, d) for d in dims], element)
    style = rng.choice(["region", "region", "region", "tensor", "generic", "none"])
    shapes = []

    def argument(dims):
        shapes.append([extents.get(d, 1) if d != "1" else 1 for d in dims])

    argument(dims_a)
    argument(dims_b)
    kinds = [["N"], ["M", "1"], ["M", "N"], ["1", "N"], dims_d] if style != "tensor" else [dims_d]
    elements = ["f16", "f32"] + (["bf16"] if case.row == "simt" or emulated else [])
    fused = [(rng.choice(kinds), rng.choice(elements)) for _ in range(rng.randrange(4))] if style != "none" else []
    for dims, _ in fused:
        argument(dims)
    attributes = ", ".join(["transpose_a"] * ta + ["transpose_b"] * tb)
    scalar = style == "region" and rng.random() < 0.3
    a, b, d = typed(dims_a, operand), typed(dims_b, operand), typed(dims_d, result)
    arguments = [f"%a: {a}", f"%b: {b}"] + [f"%e{n}: {typed(dims, e)}" for n, (dims, e) in enumerate(fused)]
    arguments += ["%alpha: f32"] * scalar
    lines = []
    steps = rng.randrange(1, 8)
    # A result beside the first one, from draws of its own: the other cases stay what they were.
    draws = random.Random(f"results {extents} {operand} {acc} {result} {steps}")
    more = draws.choice(elements) if style != "none" and draws.random() < 0.3 else ""
    if style != "region":
        more = more and acc
    m = typed(dims_d, more) if more else ""
    if style in ("region", "none"):
        fuse = f" fused({', '.join(f'%e{n}' for n in range(len(fused)))} : {', '.join(typed(*f) for f in fused)})" if fused else ""
        head = f"  %d{', %p' if more else ''} = helios.matmul %a, %b{fuse}{' {' + attributes + '}' if attributes else ''} : ({a}, {b}) -> {d}{f', {m}' if more else ''} acc {acc}"
        if style == "none":
            lines.append(head)
        else:
            code = Code("    ")
            indices = rng.random() < 0.25
            block = [f"%x: {acc}"] + [f"%f{n}: {e}" for n, (_, e) in enumerate(fused)]
            block += [f"%i{n}: index" for n in range(len(dims_d))] if indices else []
            values = [code.cast(f"%f{n}", e, "f32") for n, (_, e) in enumerate(fused)] + ["%alpha"] * scalar
            values.append(code.cast("%x", acc, "f32"))
            y, _ = random_chain(rng, code, values, steps, True)
            if indices:
                keep = code.op(f"arith.cmpi {rng.choice(['uge', 'ult', 'ne'])}, %i{len(dims_d) - 2}, %i{len(dims_d) - 1} : index")
                y = code.op(f"arith.select {keep}, {y}, {values[0]} : f32")
            z = code.cast(y, "f32", result)
            w = code.cast(random_chain(draws, code, values + [y], draws.randrange(3), True)[0], "f32", more) if more else ""
            lines += [head + " {", f"  ^bb0({', '.join(block)}):"] + code.lines
            lines += [f"    helios.yield {z}{f', {w}' if more else ''} : {result}{f', {more}' if more else ''}", "  }"]
    else:
        p = typed(dims_d, acc)
        lines.append(f"  %p = helios.matmul %a, %b{' {' + attributes + '}' if attributes else ''} : ({a}, {b}) -> {p} acc {acc}")
        if style == "tensor":
            code = Code("  ", "".join(text[x] + "x" for x in dims_d))
            values = [code.cast(f"%e{n}", e, "f32") for n, (_, e) in enumerate(fused)] + [code.cast("%p", acc, "f32")]
            y, _ = random_chain(rng, code, values, steps, False)
            y = code.binary("arith.addf", y, values[-1])  # a product that nothing reads would leave no kernel
            z = code.cast(y, "f32", result)
            lines += code.lines + [f"  %d = tensor.cast {z} : {d} to {d}"]
        else:
            rank = len(dims_d)
            lines += generic(rng, "d", d, "p", p, acc, dims_d, text, [(f"e{n}", dims, e) for n, (dims, e) in enumerate(fused)], result,
                             steps, rank)[0]
    case.text = LICENCE + f"helios.kernel @fuzz({', '.join(arguments)}) -> {f'({d}, {m})' if more else d} {{\n" + "\n".join(lines) + \
        f"\n  helios.return %d{f', %p : {d}, {m}' if more else f' : {d}'}\n}}\n"
    case.shapes = shapes
    if scalar:
        case.flags += ["--scalars", f"arg{len(arguments) - 1}={rng.choice([1, 2, -3])}"]
    if emulated:
        tiles = [schedule_text(cuda_schedule(rng, case.row, operand)[2])]
    elif case.row == "lavapipe":
        tiles = ["tile=16x16x16,groups=1x1", "tile=8x8x8,groups=1x1", "tile=16x16x8,groups=2x1", "tile=16x32x16,groups=1x2,pad=0",
                 "tile=16x16x32,groups=2x2,raster=1", "tile=24x16x8,groups=1x2,raster=3"]
    else:
        tiles = ["tile=32x32x8,groups=1x1", "tile=32x32x4,groups=1x1,pad=0", "tile=64x32x8,groups=2x1,raster=2"]
    case.flags += ["--schedule", rng.choice(tiles)]
    case.flags += rng.choice([[], [], [], ["--pad-rows", "3"], ["--pad-rows", "8"]])
    return case


def generic(rng, name, d, source, p, acc, dims_d, text, fused, result, steps, rank, replay=None,
            source_first=False):
    """A linalg.generic over a tensor and operands of no higher rank: lines, and the chain's choices."""
    code = Code("    ")
    letters = [f"d{n}" for n in range(rank)]

    def fmap(dims):
        first = rank - len(dims)
        exprs = ["0" if x == "1" else letters[first + n] for n, x in enumerate(dims)]
        return f"affine_map<({', '.join(letters)}) -> ({', '.join(exprs)})>"

    lines, sizes = [], []
    for n, x in enumerate(dims_d):
        if text[x] == "?":
            lines += [f"  %{name}i{n} = arith.constant {n} : index", f"  %{name}s{n} = tensor.dim %{source}, %{name}i{n} : {p}"]
            sizes.append(f"%{name}s{n}")
    lines.append(f"  %{name}e = tensor.empty({', '.join(sizes)}) : {d}")
    maps = [fmap(dims_d)] + [fmap(dims) for _, dims, _ in fused] + [fmap(dims_d)]
    types = [p] + [tensor([text.get(x, x) for x in dims], e) for _, dims, e in fused]
    block = [f"%x: {acc}"] + [f"%f{n}: {e}" for n, (_, _, e) in enumerate(fused)] + [f"%unused: {result}"]
    values = [code.cast(f"%f{n}", e, "f32") for n, (_, _, e) in enumerate(fused)]
    values.insert(0 if source_first else len(values), code.cast("%x", acc, "f32"))
    y, choices = random_chain(rng, code, values, steps, True, replay)
    z = code.cast(y, "f32", result)
    lines.append("  %" + name + " = linalg.generic {indexing_maps = [" + ", ".join(maps) + "], iterator_types = [" +
                 ", ".join(['"parallel"'] * rank) + "]}")
    lines.append(f"      ins({', '.join(['%' + source] + ['%' + f for f, _, _ in fused])} : {', '.join(types)}) outs(%{name}e : {d}) {{")
    lines.append(f"  ^bb0({', '.join(block)}):")
    lines += code.lines + [f"    linalg.yield {z} : {result}", f"  }} -> {d}"]
    return lines, choices


def level2(rng, device="vulkan"):
    """A tile program: operands that are functions of several tiles, a product over a loop, a function of the sum and of vectors,
    perhaps a second product of it, or no product at all."""
    case = Case()
    case.row = rng.choice(ROWS[device])
    emulated = device == "emulator"
    coop = case.row == "lavapipe"
    operand = "f16" if coop else rng.choice(["f16", "f32"] + ["f16", "bf16"] * emulated)
    products = rng.choice([0, 1, 1, 2])
    config = ""
    if emulated:
        strategy, mma, values = cuda_schedule(rng, case.row, operand)
        (tm, tn, tk), groups = values["tile"], values["groups"]
    elif coop:
        tm, tn, tk, groups = rng.choice([(16, 16, 16, (1, 1)), (16, 16, 8, (2, 1)), (8, 16, 16, (1, 2)), (16, 8, 24, (1, 1)), (32, 16, 8, (2, 2))])
    else:
        tm, tn, tk, groups = rng.choice([(32, 32, 8, (1, 1)), (32, 32, 16, (1, 1)), (32, 64, 4, (1, 2))])
    if products == 2:
        tn = tk = tn if coop else 32
        groups = (1, 1)
        if emulated and operand != "f32":
            tm = 16 * rng.choice([1, 2])
    wide = rng.random() < 0.5 # rows of a multiple of 8 elements, 16-byte accesses
    pick = lambda: rng.choice([8, 16, 24, 40, 64, 72]) if wide else rng.choice(ODD)
    m, n, k = rng.choice(ODD), pick(), pick()
    if products == 2:
        n = rng.choice([8, min(tn, 16)]) if wide else rng.randrange(1, min(tn, 16) + 1)
    result = rng.choice(["f16", "f32"])
    facts = "div = [8, 1], align = 16" if wide else ""
    view = lambda element: f"!tile.view<?x?x{element}, strides = [?, 1]{', ' + facts if facts else ''}>"
    vector = lambda element, stride="1": f"!tile.view<?x{element}, strides = [{stride}]>"
    left = rng.randrange(1, 3) if products else rng.randrange(1, 4)
    transposed = products > 0 and rng.random() < 0.4
    bias = rng.random() < 0.5
    rows = rng.random() < 0.3
    left_steps = rng.randrange(1, 4) if left > 1 or not products or rng.random() < 0.3 else 0
    steps = rng.randrange(0, 6)
    if emulated:
        # Engines copy whole rows past the registers, and what a function is of they do not.
        if not wide or products != 1 or left_steps:
            if strategy == "roles":
                tm, tn, tk, groups, mma = 32, 32, 32, (2, 2), [16, 8, 16]
            if products == 2:
                tm, tn, tk, groups = (32, 32, 32, (1, 1))
            strategy = "staged"
        if not products:
            tm, tn, groups = 32, 32, (2, 2)
        config = f", mma = [{', '.join(map(str, mma))}]" if products else ""
        if strategy != "staged":
            config += f", strategy = {strategy}, depth = {values['depth']}"

    # Matrices: name, rows, columns, element. Then vectors.
    inner = "k" if products else "n"
    matrices = [(f"x{i}", "m", inner, operand) for i in range(left)]
    if products:
        matrices.append(("b", "n", "k", operand) if transposed else ("b", "k", "n", operand))
    if products == 2:
        matrices.append(("c", "n", "n", operand))
    vectors = ([("bias", "n", operand)] if bias else []) + ([("rows", "m", operand)] if rows else [])  # a column: m x 1
    extents = {"m": m, "n": n, "k": k}
    every = matrices + [(v, d, None, e) for v, d, e in vectors] + [("d", "m", "n", result)]

    p = [f"%p_{x}: !tile.ptr<{e}>" for x, _, _, e in every]
    p += [f"%ld_{x}: index{{8}}".replace("{8}", " {tile.range = array<i64: 0, 2147483647>" + (", tile.div = 8 : index}" if wide else "}"))
          for x, _, c, _ in every if c]
    p += ["%ld_rows: index {tile.range = array<i64: 1, 2147483647>}"] * rows
    sized = ["m", "n"] + (["k"] if products else [])
    p += [f"%{d}: index {{tile.range = array<i64: {0 if d == 'k' else 1}, 2147483647>" + (", tile.div = 8 : index}" if wide and d != "m" else "}")
          for d in sized]
    out = [f"tile.program @fuzz_program({', '.join(p)})", f"    attributes {{config = #tile.config<groups = [{groups[0]}, {groups[1]}]{config}>}} {{"]
    for c in sorted({0, 1, tm, tn, tk}):
        out.append(f"  %c{c} = arith.constant {c} : index")
    for x, r, c, e in every:
        out.append(f"  %w_{x} = tile.view %p_{x}[%{r}, %{c}] strides [%ld_{x}] : !tile.ptr<{e}> -> {view(e)}" if c else
                   f"  %w_{x} = tile.view %p_{x}[%{r}] : !tile.ptr<{e}> -> {vector(e)}" if x != "rows" else
                   f"  %w_rows = tile.view %p_rows[%m] strides [%ld_rows] : !tile.ptr<{e}> -> {vector(e, '?')}")
    out += [f"  %t{d} = arith.ceildivui %{d}, %c{t} : index" for d, t in (("m", tm), ("n", tn), ("k", tk)) if d in sized]
    items = f"#tile.items<{'persistent' if emulated and strategy == 'roles' else 'grid'}" + (f", raster = [{rng.randrange(2)}, {rng.choice([1, 2, 4, 8])}]" if rng.random() < 0.5 else "") + ">"
    out += [f"  tile.items (%i, %j) in (%tm, %tn) {items} {{", f"    %row = arith.muli %i, %c{tm} : index",
            f"    %col = arith.muli %j, %c{tn} : index"]
    load = lambda name, x, at, e, shape, v: f"{name} = tile.load %w_{x}[{at}] : {v} -> tensor<{shape}x{e}>"
    choices = None

    def left_operand(indent, at, shape):
        """Lines for the function of the left tiles; the result as f32 or as the operand's type."""
        nonlocal choices
        lines = [indent + load(f"%l{i}", f"x{i}", at, operand, shape, view(operand)) for i in range(left)]
        if not left_steps:
            return lines, "%l0", operand
        code = Code(indent, shape + "x")
        values = [code.cast(f"%l{i}", operand, "f32") for i in range(left)]
        y, choices = random_chain(rng, code, values, left_steps, True)
        y = code.cast(y, "f32", operand) if products else y
        return lines + code.lines, y, operand if products else "f32"

    acc = f"tensor<{tm}x{tn}xf32>"
    if products:
        out.append(f"    %zero = arith.constant dense<0.0> : {acc}")
        out.append(f"    %sum = scf.for %t = %c0 to %tk step %c1 iter_args(%acc = %zero) -> ({acc}) {{")
        out.append(f"      %at = arith.muli %t, %c{tk} : index")
        lines, a, _ = left_operand("      ", "%row, %at", f"{tm}x{tk}")
        mark = len(out)
        out += lines
        # The body numbers its values from one; so does what follows, outside.
        out = out[:mark] + [l.replace("%v", "%u") for l in out[mark:]]
        a = a.replace("%v", "%u")
        if transposed:
            out += ["      " + load("%bt", "b", "%col, %at", operand, f"{tn}x{tk}", view(operand)),
                    f"      %bb = tile.transpose %bt : tensor<{tn}x{tk}x{operand}> -> tensor<{tk}x{tn}x{operand}>"]
        else:
            out.append("      " + load("%bb", "b", "%at, %col", operand, f"{tk}x{tn}", view(operand)))
        out += [f"      %s = tile.dot {a}, %bb, %acc : tensor<{tm}x{tk}x{operand}>, tensor<{tk}x{tn}x{operand}>, {acc}",
                f"      scf.yield %s : {acc}", "    }"]
        y = "%sum"
        if products == 2:
            narrow = y
            if operand != "f32":
                out.append(f"    %h = arith.truncf %sum : {acc} to tensor<{tm}x{tn}x{operand}>")
                narrow = "%h"
            out += ["    " + load("%cc", "c", "%c0, %c0", operand, f"{tn}x{tn}", view(operand)),
                    f"    %second = tile.dot {narrow}, %cc, %zero : tensor<{tm}x{tn}x{operand}>, tensor<{tn}x{tn}x{operand}>, {acc}"]
            y = "%second"
    else:
        lines, y, _ = left_operand("    ", "%row, %col", f"{tm}x{tn}")
        out += [l.replace("%v", "%u") for l in lines]
        y = y.replace("%v", "%u")
    code = Code("    ", f"{tm}x{tn}x")
    values = []
    for x, d, e in vectors:
        length, at, new = (tn, "%col", 0) if d == "n" else (tm, "%row", 1)
        out.append("    " + load(f"%q_{x}", x, at, e, f"{length}", vector(e, "1" if d == "n" else "?")))
        small = Code("    ", f"{length}x")
        small.count = 100 * (new + 1)
        wide_value = small.cast(f"%q_{x}", e, "f32")
        out += small.lines
        values.append(code.op(f"tile.expand {wide_value}, [{new}] : tensor<{length}xf32> -> {acc}"))
    y, post = random_chain(rng, code, values + [y], steps, True)
    z = code.cast(y, "f32", result)
    out += code.lines + [f"    tile.store {z}, %w_d[%row, %col] : tensor<{tm}x{tn}x{result}>, {view(result)}", "  }", "  tile.return", "}"]

    # The plan.
    t = {x: tensor(["?", "?"] if c else ["?", "1"] if x == "rows" else ["?"], e) for x, _, c, e in every}
    out.append(f"tile.plan @fuzz({', '.join(f'%{x}: {t[x]}' for x, *_ in every)})")
    names = ", ".join(f'"{x}"' for x, *_ in every)
    out += [f"    attributes {{output_count = 1 : i64, arg_names = [{names}]}} {{", "  %z = arith.constant 0 : index"]
    seen = {}
    for x, r, c, _ in every:
        for dim, d in enumerate([r] + [c] * bool(c)):
            out.append(f"  %s_{x}{dim} = tile.extent %{x}, {dim} : {t[x]}")
            if d in seen:
                out += [f"  %ok_{x}{dim} = arith.cmpi eq, %s_{x}{dim}, {seen[d]} : index",
                        f"  tile.require %ok_{x}{dim}, \"extents must agree\""]
            else:
                seen[d] = f"%s_{x}{dim}"
        if c or x == "rows":
            out.append(f"  %ld_{x} = tile.stride %{x}, 0 : {t[x]}")
    out += [f"  %c{d} = arith.constant {size} : index\n  %g{d} = arith.ceildivui {seen[d]}, %c{d} : index" for d, size in (("m", tm), ("n", tn))]
    out.append("  %grid = arith.muli %gm, %gn : index")
    operands = [f"%{x}" for x, *_ in every] + [f"%ld_{x}" for x, _, c, _ in every if c] + ["%ld_rows"] * rows + [seen[d] for d in sized]
    kinds = [t[x] for x, *_ in every] + ["index"] * (len(operands) - len(every))
    out += [f"  tile.dispatch @fuzz_program[%grid]({', '.join(operands)}) : {', '.join(kinds)}", "  tile.plan_yield %z", "}"]
    case.text = LICENCE + "\n".join(out) + "\n"

    # The same at level 1.
    text = {"m": "?", "n": "?", "k": "?"}
    ref = [f"helios.kernel @fuzz({', '.join(f'%{x}: {t[x]}' for x, *_ in every[:-1])}) -> {t['d']} {{"]
    if left_steps:
        kind = operand if products else "f32"
        lines, _ = generic(rng, "a", tensor("??", kind), "x0", t["x0"], operand, ["m", inner], text,
                           [(f"x{i}", ["m", inner], operand) for i in range(1, left)], kind, left_steps, 2,
                           replay=choices, source_first=True)
        ref += lines
        source, source_type, source_element = "a", tensor("??", kind), kind
    else:
        source, source_type, source_element = "x0", t["x0"], operand
    if products:
        tb = " {transpose_b}" if transposed else ""
        mid = tensor("??", operand if products == 2 else "f32")
        ref.append(f"  %s1 = helios.matmul %{source}, %b{tb} : ({source_type}, {t['b']}) -> {mid} acc f32")
        source, source_type, source_element = "s1", mid, operand if products == 2 else "f32"
        if products == 2:
            ref.append(f"  %s2 = helios.matmul %s1, %c : ({mid}, {t['c']}) -> {tensor('??', 'f32')} acc f32")
            source, source_type, source_element = "s2", tensor("??", "f32"), "f32"
    fused = [(x, [d] if d == "n" else ["m", "1"], e) for x, d, e in vectors]
    lines, _ = generic(rng, "d", t["d"], source, source_type, source_element, ["m", "n"], text, fused, result, steps, 2, replay=post)
    case.reference = LICENCE + "\n".join(ref + lines + [f"  helios.return %d : {t['d']}", "}"]) + "\n"
    case.shapes = [[extents[r]] + ([extents[c]] if c else [1] if x == "rows" else []) for x, r, c, _ in every[:-1]]
    case.flags += rng.choice([[], [], ["--pad-rows", "8" if wide else "3"]])
    return case


DEPTHS = [8, 16, 40, 64, 64, 64, 72, 80, 96, 128]


def attention_schedule(rng, depth):
    """A schedule for attention on a CUDA row, most of which fit; or none, which leaves the choice to the launch."""
    if rng.random() < 0.35:
        return ""
    groups = rng.choice([1, 1, 2, 4])
    values = {"strategy": rng.choice(["groups", "groups", "staged"]), "tile": [16 * groups * rng.choice([1, 1, 2]), rng.choice([16, 32, 64]), -(-depth // 16) * 16],
              "groups": [groups, 1]}
    if values["strategy"] == "groups":
        values["depth"] = rng.choice([2, 3])
    if rng.random() < 0.5:
        values["split_k"] = rng.choice([0, 2, 3, 7])
    return schedule_text(values)


def attention(rng, device):
    """softmax(mask(score))V with random masks, scores, operands, shapes, types and strides. What no query takes part with may be NaN."""
    case = Case()
    case.row = rng.choice(["sm_80", "sm_89", "sm_89", "sm_90a"])
    element = rng.choice(["f16", "bf16"])
    result = rng.choice([element, element, "f32"])
    batch, key_heads, shared = rng.choice([1, 1, 2]), rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2, 3, 4])
    queries = rng.choice([1, 1, 2, 3, 5, 16, 17, 40, 64, 65, 100])
    keys = rng.choice([queries, queries, 1, 7, 33, 64, 100, 200, 300] + [0] * (rng.random() < 0.2))
    depth, columns = rng.choice(DEPTHS), rng.choice(DEPTHS)
    if rng.random() < 0.6:
        columns = depth
    heads = key_heads * shared
    schedule = attention_schedule(rng, depth)
    case.flags += ["--schedule", schedule] if schedule else []
    masks = rng.sample(["causal", "last", "window", "prefix", "length", "documents", "padding", "odd", "blocks", "classes", "others"], rng.choice([0, 1, 1, 2, 3]))
    scores = rng.sample(["softcap", "slopes", "bias", "infinite", "large"], rng.choice([0, 0, 1, 1, 2]))
    lse = rng.random() < 0.4

    q, k, v, o = (f"tensor<?x?x?x{d}x{e}>" for d, e in ((depth, element), (depth, element), (columns, element), (columns, result)))
    arguments = [f"%q: {q} {{helios.name = \"q\"}}", f"%k: {k} {{helios.name = \"k\"}}", f"%v: {v} {{helios.name = \"v\"}}"]
    shapes = [[batch, heads, queries, depth], [batch, key_heads, keys, depth], [batch, key_heads, keys, columns]]
    fused, scalars, before, length = [], {}, [], keys

    def operand(name, dims, e):
        extents = {"B": batch, "H": heads, "I": queries, "J": keys}
        fused.append((name, tensor(["1" if d == "1" else "?" for d in dims], e), e))
        shapes.append([extents.get(d, 1) for d in dims])

    if "documents" in masks or "classes" in masks:
        operand("of_query", ["B", "1", "I", "1"], "i32")
        operand("of_key", ["B", "1", "1", "J"], "i32")
    if "padding" in masks:
        operand("valid", ["B", "1", "1", "J"], "i32")
    if "slopes" in scores:
        operand("slopes", ["H", "1", "1"], "f32")
    if "bias" in scores:
        operand("bias", rng.choice([["H", "I", "J"], ["I", "J"], ["B", "H", "I", "J"], ["H", "1", "J"], ["I", "1"]]), rng.choice(["f32", element]))
    arguments += [f"%{name}: {t}" for name, t, _ in fused]
    if "length" in masks:
        length = rng.randrange(keys + 1)
        scalars[f"arg{len(arguments)}"] = length
        arguments.append("%length: i32")
        before.append("  %end = arith.index_cast %length : i32 to index")
    if "last" in masks:
        before += ["  %two = arith.constant 2 : index", f"  %sq = tensor.dim %q, %two : {q}", f"  %sk = tensor.dim %k, %two : {k}",
                   "  %shift = arith.subi %sk, %sq : index"]

    index = ["%b: index", "%h: index", "%i: index", "%j: index"]
    block = [f"%e_{name}: {e}" for name, _, e in fused] + index
    regions = []
    if scores:
        code = Code("    ")
        # Of no product, now and then.
        x = "%s" if rng.random() < 0.8 else code.constant(rng.choice([0.0, 1.5]))
        for kind in scores:
            if kind == "softcap":
                cap = code.constant(rng.choice([0.5, 2.0, 30.0]))
                x = code.binary("arith.mulf", code.unary("math.tanh", code.binary("arith.divf", x, cap)), cap)
            elif kind == "slopes":
                far = code.op("arith.subi %i, %j : index")
                word = code.op(f"arith.index_cast {far} : index to i32")
                x = code.binary("arith.addf", x, code.binary("arith.mulf", code.op(f"arith.sitofp {word} : i32 to f32"), "%e_slopes"))
            elif kind == "bias":
                e = [e for name, _, e in fused if name == "bias"][0]
                x = code.binary("arith.addf", x, code.cast("%e_bias", e, "f32"))
            elif kind == "large":
                x = code.binary("arith.mulf", x, code.constant(rng.choice([1e3, -1e4])))
            else:
                three = code.op("arith.constant 3 : index")
                at = code.op(f"arith.remui {rng.choice(['%i', '%j'])}, {three} : index")
                gone = code.op(f"arith.cmpi eq, {at}, {code.op('arith.constant 1 : index')} : index")
                none = code.op("arith.constant 0xFF800000 : f32")
                x = code.op(f"arith.select {gone}, {none}, {x} : f32")
        regions.append(" score {\n  ^bb0(" + ", ".join(["%s: f32"] + block) + "):\n" + "\n".join(code.lines + [f"    helios.yield {x} : f32", "  }"]))
    if masks:
        code = Code("    ")
        number = lambda n: code.op(f"arith.constant {n} : index")
        compare = lambda predicate, a, b, t="index": code.op(f"arith.cmpi {predicate}, {a}, {b} : {t}")
        keep = ""
        for kind in masks:
            if kind == "causal":
                this = compare("ule", "%j", "%i")
            elif kind == "last":
                this = compare("sle", "%j", code.op("arith.addi %i, %shift : index"))
            elif kind == "window":
                this = compare("ult", code.op("arith.subi %i, %j : index"), number(rng.choice([1, 5, 33, 70])))
            elif kind == "prefix":
                this = compare("slt", "%j", number(rng.choice([0, 3, 50])))
            elif kind == "length":
                this = compare("slt", "%j", "%end")
            elif kind == "documents":
                this = compare("eq", "%e_of_query", "%e_of_key", "i32")
            elif kind == "blocks":
                size = number(rng.choice([3, 16, 24, 40, 70]))
                this = compare(rng.choice(["eq", "ne", "ule"]), *(code.op(f"arith.divui {of}, {size} : index") for of in rng.choice([("%j", "%i"), ("%i", "%j")])))
            elif kind == "others":
                this = compare(rng.choice(["ne", "ne", "eq"]), "%i", code.op(f"arith.addi %j, {number(rng.choice([0, 7]))} : index"))
            elif kind == "classes":
                least = code.op(f"arith.constant {rng.choice([-7, -4, 0, 6])} : i32")
                this = code.op("arith.xori " + ", ".join(compare("sgt", of, least, "i32") for of in ("%e_of_query", "%e_of_key")) + " : i1")
            elif kind == "padding":
                this = compare("sgt", "%e_valid", code.op("arith.constant -1 : i32"), "i32")
            else:
                this = compare("ne", code.op(f"arith.remui {code.op('arith.addi %i, %h : index')}, {number(4)} : index"), number(1))
            if rng.random() < 0.15 and kind != "length":
                this = code.op(f"arith.xori {this}, {code.op('arith.constant true')} : i1")
            either = kind != "length" and masks[0] != "length" and rng.random() < 0.4
            keep = code.op(f"arith.{'ori' if either else 'andi'} {keep}, {this} : i1") if keep else this
        regions.append(" mask {\n  ^bb0(" + ", ".join(block) + "):\n" + "\n".join(code.lines + [f"    helios.yield {keep} : i1", "  }"]))
    names = f" fused({', '.join('%' + n for n, _, _ in fused)} : {', '.join(t for _, t, _ in fused)})" if fused and regions else ""
    l = "tensor<?x?x?xf32>"
    case.text = LICENCE + f"helios.kernel @fuzz({', '.join(arguments)}) -> {f'({o}, {l})' if lse else o} {{\n" + "\n".join(before + [
        f"  %o{', %l' if lse else ''} = helios.attention %q, %k, %v{names} : ({q}, {k}, {v}) -> {o}{f' lse {l}' if lse else ''} acc f32" + "".join(regions),
        f"  helios.return %o{', %l' if lse else ''} : {o}{f', {l}' if lse else ''}", "}"]) + "\n"
    case.shapes = shapes
    if scalars:
        case.flags += ["--scalars", ",".join(f"{name}={value}" for name, value in scalars.items())]
    if "length" in masks:
        case.flags += ["--garbage", f"k:2:{length},v:2:{length}"]
    case.flags += rng.choice([[], [], [], ["--pad-rows", "8"], ["--pad-rows", "3"]])
    return case


def make_case(seed, number, device="vulkan", kind=""):
    if kind == "attention":
        return attention(random.Random(f"helios attention {device} {seed} {number}"), device)
    rng = random.Random(f"helios {seed} {number}" if device == "vulkan" else f"helios {device} {seed} {number}")
    return (level1 if rng.random() < 0.55 else level2)(rng, device)


def run_case(options, number):
    """Whether case `number` passed ("passed", "refused", "unsupported", "not verified", "failed") and what was printed."""
    case = make_case(options.seed, number, options.device, options.kind)
    folder = os.path.join(options.keep, f"{options.seed}-{number}")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "kernel.mlir")
    with open(path, "w") as f:
        f.write(case.text)
    emulated = options.device == "emulator"
    target, device = (f"cuda:{case.row}", f"emulator:{case.row},seed={number},threads=1") if emulated else (f"vulkan:{case.row}", "vulkan")
    command = options.launcher.split() + [options.bench, "run", path, "--target", target, "--device", device, "--check-only",
                                          "--bundle-cache", os.path.join(folder, "bundles"), "--shapes",
                                          ",".join("x".join(map(str, s)) for s in case.shapes)] + case.flags
    # Every other case has the programs alone that its launch takes.
    if number % 2 and "--pad-rows" not in case.flags:
        command.append("--only-launches")
    if case.reference:
        reference = os.path.join(folder, "reference.mlir")
        with open(reference, "w") as f:
            f.write(case.reference)
        command += ["--reference", reference]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=options.timeout)
        output, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as error:
        output, status = f"no end within {options.timeout} s\n", 124
    table = [line for line in output.splitlines() if line.startswith(options.device)]
    words = "\n".join(table)
    verdict = "failed"
    if status == 0 and words.endswith("passed"):
        verdict = "passed"
    elif status == 0 and words.endswith("not verified"):
        verdict = "not verified"
    elif status == 3:
        verdict = "unsupported"
    elif emulated and ("cannot have the schedule" in output and "reproducer" not in output or "use a smaller tile" in output):
        verdict = "refused"
    return verdict, " ".join(command) + "\n" + output, case


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="only this one, with everything it prints")
    parser.add_argument("--bench", default=shutil.which("helios-bench") or "helios-bench")
    parser.add_argument("--device", choices=list(ROWS), default="vulkan", help="where cases run")
    parser.add_argument("--kind", choices=["attention"], default="", help="only such cases (default: products and programs of level 2)")
    parser.add_argument("--launcher", default="", help="starts helios-bench where Vulkan is (scripts/get-lavapipe.sh makes a vkrun)")
    parser.add_argument("--keep", help="folder for texts and bundles (default: a temporary one, removed)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=120, help="seconds for a case")
    parser.add_argument("--print", action="store_true", help="print the texts of --case, run nothing")
    options = parser.parse_args()
    if options.count < 1 or options.jobs < 1:
        parser.error("expected --count and --jobs of 1 or more")
    if options.kind and options.device != "emulator":
        parser.error(f"expected --device emulator with --kind {options.kind}")
    if options.print:
        case = make_case(options.seed, options.case or 0, options.device, options.kind)
        print(case.text + ("// reference\n" + case.reference if case.reference else ""))
        return 0
    temporary = None
    if not options.keep:
        temporary = tempfile.TemporaryDirectory()
        options.keep = temporary.name
    numbers = [options.case] if options.case is not None else range(options.count)
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (verdict, output, case) in zip(numbers, pool.map(lambda n: run_case(options, n), numbers)):
            counts[verdict] = counts.get(verdict, 0) + 1
            if options.case is not None:
                print(case.text + case.reference + output)
            elif verdict == "failed":
                print(f"FAILED: fuzz.py --device {options.device}{options.kind and ' --kind ' + options.kind} --seed {options.seed} --case {number}\n  " + "\n  ".join(output.splitlines()[:12]))
            elif verdict not in ("passed", "refused"):
                print(f"{verdict}: fuzz.py --device {options.device} --seed {options.seed} --case {number}: " + output.strip().splitlines()[-1][:300])
            sys.stdout.flush()
    total = len(numbers)
    tried = total - counts.get("refused", 0)
    print(f"{total} cases: " + ", ".join(f"{n} {v}" for v, n in sorted(counts.items())))
    # What cannot be run or bounded proves nothing: most must pass.
    bad = counts.get("failed", 0) > 0 or (total >= 20 and counts.get("passed", 0) < 0.85 * tried)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
