#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The forward pass of a stack of decoder layers, recorded once and submitted as a whole.

  transformer.py [flags]            runs it on --device, and in turns with the same on --beside
  transformer.py --prepare [flags]  compiles the bundles into --bundle-cache, without a device

A layer is five launches of the kernels of transformer.mlir: keys, queries and values in one product of normalised rows, causal attention, its projection
with the residual, two products with GELU between them and the residual. Weights are f16, random, the same on both devices, and on Vulkan constants packed
before. First each launch runs by itself, its results poisoned before, and rows of them are compared with double precision; then the graph, whose
result has to be the same bit by bit. Exit status: 0 done, 1 a wrong result, 2 usage, 3 something is missing here, 4 the device failed.
"""

import argparse
import atexit
import functools
import hashlib
import math
import operator
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import turns
from helios_ctypes import Device, HeliosError, Tensor, bench_version, library_path, random_halves
from turns import end, say

DEPTH = 64  # of a head, as the kernels say
HERE = os.path.dirname(os.path.abspath(__file__))
POISON = 0x7FFF7FFF  # not a number, in f16 and f32
CHECKED_ROWS, CHECKED_COLUMNS = 3, 48
LAUNCHES, REPEATED = 5, 50  # of a layer; of one of them in a graph, to time it
TINY = 1e-5  # as in the kernels
# What a driver is compiled for: rows whose lanes' order is known, so that weights can be packed.
PACKING = ["vulkan:nvidia-nv2", "vulkan:nvidia", "vulkan:lavapipe"]
TARGETS = {"vulkan": PACKING, "cuda": ["cuda"], "emulator": ["cuda"], "null": PACKING}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="vulkan", help="vulkan[:N], cuda[:N], emulator[:ROW], null (default vulkan)")
    parser.add_argument("--beside", default="", help="another device, measured in turns with the first")
    parser.add_argument("--row", default="", help="of --device: take this target row only, as sm_89")
    parser.add_argument("--beside-row", default="", help="the same of --beside")
    parser.add_argument("--no-pack", action="store_true", help="weights as they are, on any Vulkan device")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--width", type=int, default=768, help=f"of the model, in heads of {DEPTH}")
    parser.add_argument("--hidden", type=int, default=0, help="between the two last products (default 4 times the width)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--iters", type=int, default=30, help="submissions that are timed")
    parser.add_argument("--check-only", action="store_true", help="no times")
    parser.add_argument("--bin", default=os.path.join(HERE, "../build/bin"), help="folder of the tools")
    parser.add_argument("--bundle-cache", default="", help="folder of bundles; one that was compiled before is taken, whatever compiler made it")
    parser.add_argument("--prepare", action="store_true", help="compile only")
    parser.add_argument("--json", default="", help="everything, raw samples included")
    options = parser.parse_args()
    options.hidden = options.hidden or 4 * options.width
    for name in ("layers", "tokens", "width", "hidden", "iters"):
        if getattr(options, name) < 1:
            end(2, f"--{name}: expected at least 1, got {getattr(options, name)}")
    if options.width % DEPTH or options.hidden % 8:
        end(2, f"expected --width in heads of {DEPTH} and --hidden in units of 8, got {options.width} and {options.hidden}")
    for selector in (options.device, options.beside):
        if selector and selector.split(":")[0] not in TARGETS:
            end(2, f"expected vulkan[:N], cuda[:N], emulator[:ROW] or null as a device, got '{selector}'")
    if options.prepare and not options.bundle_cache:
        end(2, "--prepare: name the folder with --bundle-cache")
    turns.check_writable(options.json)
    return options


def bundle_for(options, selector, row):
    """Path of the bundle for a device, compiled unless it is in the cache; whether its weights are packed."""
    driver = selector.split(":")[0]
    packed = driver in ("vulkan", "null") and not options.no_pack
    targets = TARGETS[driver] if packed or driver not in ("vulkan", "null") else ["vulkan"]
    if row:
        targets = [f"{targets[0].split(':')[0]}:{row}"]
    with open(os.path.join(HERE, "transformer.mlir"), encoding="utf-8") as file:
        text = file.read()
    if packed:
        text = text.replace('{helios.name = "w"}', '{helios.constant, helios.name = "w"}')
    folder = options.bundle_cache
    if not folder:
        folder = tempfile.mkdtemp(prefix="helios-transformer-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    key = hashlib.sha256("\n".join([text, *targets]).encode()).hexdigest()[:16]
    path = os.path.join(folder, f"transformer-{key}.hlx")
    if os.path.exists(path):
        return path, packed
    os.makedirs(folder, exist_ok=True)
    command = [os.path.join(options.bin, "helios-compile"), "-", *(f"--target={t}" for t in targets), "-o", path]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except OSError as error:
        end(3, f"{command[0]} cannot be started: {error.strerror}; name the folder of the tools with --bin, or of bundles with --bundle-cache")
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["helios-compile says nothing"]
        end(done.returncode if 0 < done.returncode < 5 else 4, f"no bundle: {said[0]}")
    return path, packed


class Model:
    """Weights and inputs, as bytes of f16."""

    def __init__(self, options):
        self.tokens, self.width, self.hidden = options.tokens, options.width, options.hidden
        self.source = random.Random(options.seed)
        self.x = self.numbers(self.tokens * self.width, -1)
        rows = [self.row(self.x, i, self.width) for i in range(self.tokens)]
        self.squares = struct.pack(f"<{self.tokens}f", *(sum(v * v for v in row) for row in rows))
        width, hidden = self.width, self.hidden
        shapes = ((3 * width, width), (width, width), (hidden, width), (width, hidden))
        # Sums of as many products as there are have a size of about one.
        self.layers = [[(self.numbers(n * k, round(-math.log2(1.5 * math.sqrt(k)))), n, k) for n, k in shapes] for _ in range(options.layers)]

    def numbers(self, count, exponent):
        """Random signs and fractions times 2^exponent: sizes in [1, 2) of it."""
        field = exponent + 15 << 10
        return random_halves(self.source, count, 0x83FF, field)

    @staticmethod
    def row(data, number, length, letter="e"):
        """Row `number` of a dense matrix of this many columns."""
        return struct.unpack_from(f"<{length}{letter}", data, number * length * struct.calcsize(letter))


def dot(a, b):
    return sum(map(operator.mul, a, b))


def rounded(exact, allowed):
    """What f16 may make of a value that is that far off before."""
    return allowed + 2.0**-11 * abs(exact) + 2.0**-25


class Stack:
    """The launches of a forward pass on a device."""

    def __init__(self, options, model, selector, row):
        path, self.packed = bundle_for(options, selector, row)
        self.model, self.device = model, Device(library_path(options.bin), selector)
        device = self.device
        names = ("normalised", "activated", "added", "attention")
        try:
            self.kernels = {name: device.kernel(path, row or None, name) for name in names}
            if self.packed:
                self.packers = {name: device.kernel(path, row or None, f"{name}_pack_w") for name in names[:3]}
        except HeliosError as error:
            hint = "; --no-pack compiles for every Vulkan device" if self.packed else ""
            raise HeliosError(error.status, f"{error}{hint}") from error
        self.stream = device.stream()
        tokens, width, hidden = model.tokens, model.width, model.hidden
        sizes = {"x": 2 * tokens * width, "y": 2 * tokens * width, "h": 2 * tokens * width, "s": 4 * tokens, "t": 4 * tokens}
        sizes.update({"qkv": 6 * tokens * width, "o": 2 * tokens * width, "u": 2 * tokens * hidden, "first": 2 * tokens * width, "first_s": 4 * tokens, "share": 4})
        self.sizes = sizes
        self.buffers = {name: device.buffer(size) for name, size in sizes.items()}
        device.write(self.buffers["first"], model.x)
        device.write(self.buffers["first_s"], model.squares)
        device.write(self.buffers["share"], struct.pack("<f", 1 / width))
        self.launches = []  # (name, launch, results, check)
        for number, layer in enumerate(model.layers):
            self.add_layer(number, layer)

    def tensor(self, name, *extents, strides=None, offset=0):
        return Tensor(self.buffers[name], list(extents), strides, offset)

    def weight(self, kernel, data, n, k):
        """A weight on the device, packed if it is to be."""
        device = self.device
        buffer = device.buffer(len(data))
        device.write(buffer, data)
        plain = Tensor(buffer, [n, k])
        if not self.packed:
            return plain
        packed = device.packed(self.stream, self.packers[kernel], plain)
        device.destroy_buffer(buffer)
        return packed

    def add(self, name, kernel, inputs, outputs, results, check):
        launch = self.device.prepare(self.kernels[kernel], [*inputs, *outputs])
        self.launches.append((name, launch, results, check))

    def add_layer(self, number, layer):
        tokens, width, hidden = self.model.tokens, self.model.width, self.model.hidden
        last = number == len(self.model.layers) - 1
        came, came_s = ("first", "first_s") if number == 0 else ("x", "s") if number % 2 else ("y", "t")
        goes, goes_s = ("y", "t") if number % 2 else ("x", "s")
        if last:
            self.result = goes
        x, share = self.tensor(came, tokens, width), self.tensor("share", 1, 1)
        heads = [1, width // DEPTH, tokens, DEPTH]
        parts = [self.tensor("qkv", *heads, strides=[3 * tokens * width, DEPTH, 3 * width, 1], offset=2 * i * width) for i in range(3)]
        o = self.tensor("o", *heads, strides=[tokens * width, DEPTH, width, 1])
        squares = self.tensor(came_s, tokens, 1)
        named = lambda what: f"layer {number}, {what}"  # noqa: E731
        weights = [self.weight(kernel, *weight) for kernel, weight in zip(("normalised", "added", "activated", "added"), layer)]
        self.add(named("keys, queries, values"), "normalised", [x, weights[0], squares, share], [self.tensor("qkv", tokens, 3 * width)],
                 ["qkv"], lambda data: self.check_normalised(data, came, came_s, layer[0], "qkv", lambda v: v))  # fmt: skip
        self.add(named("attention"), "attention", parts, [o], ["o"], self.check_attention)
        # The squares of h are of the kind that the layer does not read any more.
        self.add(named("projection"), "added", [self.tensor("o", tokens, width), weights[1], x], [self.tensor("h", tokens, width), self.tensor(goes_s, tokens)],
                 ["h", goes_s], lambda data: self.check_added(data, "o", layer[1], came, "h", goes_s))  # fmt: skip
        gelu = lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2)))  # noqa: E731
        self.add(named("first product"), "activated", [self.tensor("h", tokens, width), weights[2], self.tensor(goes_s, tokens, 1), share],
                 [self.tensor("u", tokens, hidden)], ["u"], lambda data: self.check_normalised(data, "h", goes_s, layer[2], "u", gelu))  # fmt: skip
        self.add(named("second product"), "added", [self.tensor("u", tokens, hidden), weights[3], self.tensor("h", tokens, width)],
                 [self.tensor(goes, tokens, width), self.tensor(goes_s, tokens)],
                 [goes, goes_s], lambda data: self.check_added(data, "u", layer[3], "h", goes, goes_s))  # fmt: skip

    # Checks yield (result, row, column, what came, what was expected, how far off it may be). `data` reads a buffer.

    def some_rows(self):
        return sorted({0, self.model.tokens - 1, *(self.model.source.randrange(self.model.tokens) for _ in range(CHECKED_ROWS - 2))})

    def products(self, left, weight):
        """Sums of a row, and of columns, and what their roundings may change."""
        data, n, k = weight
        norm = math.sqrt(dot(left, left))
        for column in sorted({0, n - 1, *(self.model.source.randrange(n) for _ in range(CHECKED_COLUMNS))}):
            right = self.model.row(data, column, k)
            yield column, dot(left, right), 8 * math.sqrt(k) * 2.0**-24 * norm * math.sqrt(dot(right, right))

    def check_normalised(self, data, x, squares, weight, result, function):
        _, n, k = weight
        sums = self.model.row(data(squares), 0, self.model.tokens, "f")
        for row in self.some_rows():
            factor = 1 / math.sqrt(sums[row] / k + TINY)
            got = self.model.row(data(result), row, n)
            for column, exact, allowed in self.products(self.model.row(data(x), row, k), weight):
                want = function(exact * factor)
                # GELU's slope is below 1.13; functions have some roundings of f32 of their own.
                yield result, row, column, got[column], want, rounded(want, 1.2 * allowed * factor + 2.0**-20 * (1 + abs(want)))

    def check_added(self, data, x, weight, residual, result, squares):
        _, n, k = weight
        sums = self.model.row(data(squares), 0, self.model.tokens, "f")
        for row in self.some_rows():
            other, got = self.model.row(data(residual), row, n), self.model.row(data(result), row, n)
            for column, exact, allowed in self.products(self.model.row(data(x), row, k), weight):
                want = exact + other[column]
                yield result, row, column, got[column], want, rounded(want, allowed + 2.0**-22 * abs(want))
            # Of values before they are rounded.
            whole = dot(got, got)
            yield squares, row, 0, sums[row], whole, 2.0**-10 * whole

    def check_attention(self, data):
        width = self.model.width
        qkv = data("qkv")

        def part(row, which, head):
            return struct.unpack_from(f"<{DEPTH}e", qkv, 2 * (row * 3 * width + which * width + head * DEPTH))

        for row in self.some_rows():
            got = self.model.row(data("o"), row, width)
            for head in sorted({0, width // DEPTH - 1}):
                query = part(row, 0, head)
                scores = [dot(query, part(key, 1, head)) / math.sqrt(DEPTH) for key in range(row + 1)]
                most = max(scores)
                shares = [math.exp(s - most) for s in scores]
                total = sum(shares)
                for column, values in enumerate(zip(*(part(key, 2, head) for key in range(row + 1)))):
                    want, size = dot(shares, values) / total, dot(shares, map(abs, values)) / total
                    at = head * DEPTH + column
                    # Shares are rounded to f16 before they are multiplied.
                    yield "o", row, at, got[at], want, rounded(want, 2.0**-9 * size)

    def poison(self):
        for name, size in self.sizes.items():
            if name not in ("first", "first_s", "share"):
                self.device.fill(self.stream, self.buffers[name], size, POISON)

    def read(self, name):
        return self.device.read(self.buffers[name], self.sizes[name])

    def check(self):
        """Every launch by itself; the result of the last."""
        self.poison()
        compared = 0
        for name, launch, results, check in self.launches:
            for result in results:
                self.device.fill(self.stream, self.buffers[result], self.sizes[result], POISON)
            self.device.enqueue(self.stream, launch)
            self.device.synchronize(self.stream)
            data = functools.lru_cache(maxsize=None)(self.read)
            for result, row, column, got, want, allowed in check(data):
                compared += 1
                if not abs(got - want) <= allowed:
                    end(1, f"{name}: {result}[{row}, {column}] is {got}, expected {want:.6g} within {allowed:.2g}")
        return self.read(self.result), compared

    def record(self):
        return self.device.record(self.stream, self.enqueue_all)

    def enqueue_all(self):
        for _, launch, _, _ in self.launches:
            self.device.enqueue(self.stream, launch)

    def layer_times(self):
        """What each launch of the first layer takes behind itself: (what, variant, nanoseconds)."""
        found = []
        for name, launch, _, _ in self.launches[:LAUNCHES]:
            graph = self.device.record(self.stream, lambda: [self.device.enqueue(self.stream, launch) for _ in range(REPEATED)])  # noqa: B023
            ns = turns.median([graph.replay() for _ in range(7)][2:]) / REPEATED
            graph.destroy()
            found.append((name.split(", ", 1)[1], self.device.variant(launch), ns))
        return found

    def host_ns(self, work):
        """Median over some passes of the time until all is done."""
        times = []
        for _ in range(10):
            begin = time.perf_counter_ns()
            work()
            self.device.synchronize(self.stream)
            times.append(time.perf_counter_ns() - begin)
        return turns.median(times[2:])


def prepared(options, model, selector, row):
    """A checked stack and its graph."""
    stack = Stack(options, model, selector, row)
    graph = stack.record()
    if stack.device.executes():
        expected, compared = stack.check()
        for _ in range(2):
            stack.poison()
            stack.device.call("hl_stream_replay", stack.stream, graph.handle, None)
            stack.device.synchronize(stack.stream)
            if stack.read(stack.result) != expected:
                end(1, f"{selector}: the graph's result is not what its launches gave one by one")
        say(f"{stack.device.describe()['name']}: {compared} elements of {len(stack.launches)} launches compared, the graph's result the same bit by bit")
    else:
        say(f"{stack.device.describe()['name']}: checks launches, computes nothing")
    return stack, graph


def run(options):
    model = Model(options)
    sides = [prepared(options, model, options.device, options.row)]
    if options.beside:
        sides.append(prepared(options, model, options.beside, options.beside_row))
    parameters = sum(n * k for layer in model.layers for _, n, k in layer)
    heads_flops = 2 * options.layers * options.width * options.tokens * (options.tokens + 1)
    flops = 2 * options.tokens * parameters + heads_flops
    rows = [["device", "kernels", "barriers", "one submission", "TFLOP/s", "until done", "launch by launch"]]
    results = []
    for stack, graph in sides:
        entry = {"name": "transformer", "shape": f"{options.layers}x{options.tokens}x{options.width}x{options.hidden}", "types": "f16:f16:f32:f16", "packed": stack.packed}
        entry.update({"device": stack.device.describe(), "flops": flops, "launches": len(stack.launches), "kernels": graph.kernels(), "barriers": graph.barriers(), "verdict": "passed"})
        cells = ["", "", "", ""]
        if not options.check_only and stack.device.executes():
            until = time.monotonic() + 0.3
            while time.monotonic() < until:
                graph.replay()
            times = [graph.replay() for _ in range(options.iters)]
            entry["gpu_ns"] = {**turns.summarize(times), "samples": times}
            entry["host_ns"] = stack.host_ns(graph.replay)
            entry["single_ns"] = stack.host_ns(stack.enqueue_all)
            entry["layer"] = [{"launch": name, "variant": variant, "ns": ns} for name, variant, ns in stack.layer_times()]
            median = entry["gpu_ns"]["median"]
            cells = [turns.microseconds(median), f"{flops / median * 1e-3:.1f}", turns.microseconds(entry["host_ns"]), turns.microseconds(entry["single_ns"])]
        elif not stack.device.executes():
            entry["verdict"] = "not computed"
        results.append(entry)
        rows.append([entry["device"]["name"] + f" ({entry['device']['id']})", str(entry["kernels"]), str(entry["barriers"]), *cells])
    print(turns.table(rows))
    parts = [["a launch, behind itself", *(f"{e['device']['id']}" for e in results if "layer" in e)]]
    for same in zip(*(e["layer"] for e in results if "layer" in e)):
        parts.append([same[0]["launch"], *(f"{turns.microseconds(part['ns'])} {part['variant']}" for part in same)])
    if len(parts) > 1:
        print(turns.table(parts))
    if len(sides) == 2 and "gpu_ns" in results[0] and "gpu_ns" in results[1]:
        meter = turns.PowerMeter(sides[1][0].device.info.device_uuid)
        peer = turns.in_turns(sides[0][1].replay, sides[1][1].replay, 1, meter)
        results[0]["peer"] = {"name": sides[1][0].device.describe()["name"], "kernel": options.beside, **peer}
        print(f"{options.device} takes {1 / peer['ratio']:.3f} [{1 / peer['ratio_high']:.3f}, {1 / peer['ratio_low']:.3f}] of the time of {options.beside}, in turns")
    if options.json:
        version, commit = bench_version(options.bin)
        device = sides[0][0].device
        report = turns.session(device.describe(), version or device.version(), commit, results)
        report["performance_figures"] = all(e["device"]["class"] == "GPU" for e in results) and not options.check_only
        turns.write_json(options.json, report)


def main():
    options = parse()
    try:
        if options.prepare:
            for selector, row in ((options.device, options.row), (options.beside, options.beside_row)):
                if selector:
                    bundle_for(options, selector, row)
            return
        run(options)
    except HeliosError as error:
        end(error.status, str(error))


if __name__ == "__main__":
    sys.exit(main())
