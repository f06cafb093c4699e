#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What made sweep-exchanged.jsonl and plans-exchanged.jsonl: bundles of products with weights, in random order.

  REPO=CHECKOUT sweep_weights.py libhelios.so.0 BUNDLES M1xN1xK1,... OUT.jsonl

BUNDLES holds NAME@WEIGHTS.hlx, of the kernel that `helios-bench gemm --types bf16:bf16:f32:bf16 --layout nt` compiles, with `--weights WEIGHTS` where that is not
none (':' written as '_'), and SCHEDULES, a line of NAME and schedule for each. Inputs rotate over 128 MB, in at most 60 sets; a graph holds all sets at least
once and about 1 ms of launches. Three rounds of all bundles in random order, of which each takes the median of five replays. Results are checked elsewhere.
"""

import json
import os
import random
import sys
import time

sys.path.insert(0, os.environ["REPO"] + "/bench")
import turns  # noqa: E402
from helios_ctypes import Device, HeliosError, Tensor, random_halves  # noqa: E402

library, folder, shapes, path = sys.argv[1:5]
device = Device(library, "cuda")
stream = device.stream()
meter = turns.PowerMeter(device.info.device_uuid)
source = random.Random(1)
halves = random_halves(source, 1 << 21, 0x807F, 0x3D00)
schedules = dict(line.split(None, 1) for line in open(folder + "/SCHEDULES", encoding="utf-8").read().splitlines())
out = open(path, "w", encoding="utf-8")


def operands(weights, m, n, k):
    """The extents of what a product with such weights takes, and the bytes of an element."""
    left = ([m, k], 2)
    if weights == "none":
        return [left, ([n, k], 2)]
    kind, *group = weights.split("_")
    scale = [n, k // int(group[0])]
    return [left, ([n, k // 2 if kind == "i4" else k], 1), (scale, 2), *([(scale, 1)] if "zero" in group else [])]


for shape in shapes.split(","):
    m, n, k = map(int, shape.split("x"))
    timed, result = {}, device.buffer(2 * m * n)
    buffers = [result]
    for weights in sorted({name.split("@")[1] for name in schedules}):
        taken = operands(weights, m, n, k)
        total = sum(size * e[0] * e[1] for e, size in taken)
        sets = []
        for _ in range(min(60, -(-(128 << 20) // total))):
            sets.append([Tensor(device.filled(halves, size * e[0] * e[1]), e) for e, size in taken])
            buffers += [tensor.buffer for tensor in sets[-1]]
        count = max(len(sets), round(1e-3 / (3e-6 + total / 3e12)))
        for name in [name for name in schedules if name.endswith("@" + weights)]:
            try:
                kernel = device.kernel(f"{folder}/{name}.hlx", None, None)
                launches = [device.prepare(kernel, [*tensors, Tensor(result, [m, n])]) for tensors in sets]
                timed[name] = count, device.record(stream, lambda: [device.enqueue(stream, launches[i % len(launches)]) for i in range(count)])  # noqa: B023
            except HeliosError as error:
                print(f"{shape} {name}: {error}", file=sys.stderr)
    names, until = list(timed), time.monotonic() + 0.4
    while time.monotonic() < until:
        timed[names[0]][1].replay()
    for _ in range(3):
        source.shuffle(names)
        for name in names:
            count, graph = timed[name]
            us = turns.median([graph.replay() for _ in range(5)]) / count / 1e3
            line = {"shape": shape, "weights": name.split("@")[1].replace("_", ":"), "us": round(us, 2), "mhz": meter.megahertz(), "schedule": schedules[name]}
            out.write(json.dumps(line) + "\n")
    for _, graph in timed.values():
        graph.destroy()
    for buffer in buffers:
        device.destroy_buffer(buffer)
