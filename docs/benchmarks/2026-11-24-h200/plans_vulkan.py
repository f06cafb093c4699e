#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What made plans-alone*.jsonl: products by the launch plans of several compilers, in turns, through Vulkan, f16 with f32 sums.

  REPO=CHECKOUT plans_vulkan.py libhelios.so.0 FOLDER[,FOLDER...] LAYOUT[,LAYOUT...] M1xN1xK1,... OUT.jsonl

FOLDER holds LAYOUT.hlx, a kernel 'g' of one product with all extents open; layouts are nt, nn, and ntp, whose right operand 'w' is a constant, packed
before. Operands rotate over 110 MB or 32 sets; launches write one result, so that each waits for the one before. The beginnings of the results of two
folders have to agree.
"""

import json
import os
import random
import struct
import sys
import time

sys.path.insert(0, os.environ["REPO"] + "/bench")
import turns  # noqa: E402
from helios_ctypes import Device, Tensor, random_halves  # noqa: E402

WARM_SECONDS = 0.25
library, folders, layouts, shapes, path = sys.argv[1:6]
folders = folders.split(",")
device = Device(library, "vulkan")
stream = device.stream()
meter = turns.PowerMeter(device.info.device_uuid)
source = random.Random(1)


def numbers(count):
    """Random signs and fractions times 2^-5."""
    return random_halves(source, count, 0x83FF, 0x2800)


def buffers(data, count):
    made = [device.buffer(len(data)) for _ in range(count)]
    for buffer in made:
        device.write(buffer, data)
    return made


def packed(packer, tensors):
    return [device.packed(stream, packer, tensor) for tensor in tensors]


out = open(path, "w", encoding="utf-8")
for layout in layouts.split(","):
    kernels = {folder: device.kernel(f"{folder}/{layout}.hlx", None, "g") for folder in folders}
    for shape in shapes.split(","):
        m, n, k = map(int, shape.split("x"))
        count = max(2, min(32, (110 << 20) // (2 * k * (m + n))))
        left, right, result = buffers(numbers(m * k), count), buffers(numbers(n * k), count), device.buffer(2 * m * n)
        taken, graphs, first = list(left + right), {}, {}
        repeats = max(1, 32 // count)
        for folder, kernel in kernels.items():
            weights = [Tensor(b, [k, n] if layout == "nn" else [n, k]) for b in right]
            if layout == "ntp":
                weights = packed(device.kernel(f"{folder}/{layout}.hlx", None, "g_pack_w"), weights)
                taken += [w.buffer for w in weights]
            launches = [device.prepare(kernel, [Tensor(a, [m, k]), w, Tensor(result, [m, n])]) for a, w in zip(left, weights)]
            device.fill(stream, result, 2 * m * n, 0x7FFF7FFF)
            graph = device.record(stream, lambda: [device.enqueue(stream, x) for _ in range(repeats) for x in launches])  # noqa: B023
            graph.replay()
            first[folder] = struct.unpack_from("<32e", device.read(result, 2 * m * n))
            graphs[folder] = (graph, device.variant(launches[0]))
        # Of an idle card the clock is a fifth of what it is under load.
        until = time.monotonic() + WARM_SECONDS
        while time.monotonic() < until:
            for graph, _ in graphs.values():
                graph.replay()
        times = {folder: [] for folder in folders}
        for _ in range(9):
            for folder, (graph, _) in graphs.items():
                times[folder].append(graph.replay() / (count * repeats))
        agree = all(abs(x - y) <= 0.03 * (abs(y) + 0.1) for x, y in zip(first[folders[0]], first[folders[-1]]))
        found = {folder: [round(turns.median(times[folder]) / 1e3, 2), graphs[folder][1]] for folder in folders}
        out.write(json.dumps({"shape": shape, "layout": layout, "ok": agree, "mhz": meter.megahertz(), **found}) + "\n")
        out.flush()
        for graph, _ in graphs.values():
            graph.destroy()
        for buffer in [*taken, result]:
            device.destroy_buffer(buffer)
