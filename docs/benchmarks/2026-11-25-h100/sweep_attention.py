#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What made sweep-attention-tiles.jsonl, sweep-attention-regions.jsonl and plans-attention.jsonl: bundles of attention in bf16, one after the other.

  REPO=CHECKOUT sweep_attention.py libhelios.so.0 BUNDLES LIST SHAPES OUT.jsonl

LIST has a kernel, a number and a schedule a line; BUNDLES holds KERNEL_NUMBER.hlx of each, of a kernel 'g'. A kernel's name ends with the depth, 'c' (causal) or
'f' (full) and its region, as in sm_90a_128_c_alibi: plain; alibi (an operand [heads, 1, 1], slopes 2^(-8 (h + 1) / heads)); softcap (a scalar, 30) or softcapc
(the same as a constant); bias ([heads, queries, keys], bf16). SHAPES has for each depth BxHxS,..., as 128:4x16x4096,16x16x1024;64:4x32x4096. A graph holds about 1 ms
of launches; three rounds of all schedules, of which each takes three replays, and the median of the nine.
"""

import itertools
import json
import os
import random
import struct
import sys
import time

sys.path.insert(0, os.environ["REPO"] + "/bench")
import turns  # noqa: E402
from helios_ctypes import Device, HeliosError, Tensor, random_halves  # noqa: E402

library, folder, listed, shapes, path = sys.argv[1:6]
device = Device(library, "cuda")
stream = device.stream()
meter = turns.PowerMeter(device.info.device_uuid)
# Random signs and fractions between 0.5 and 1.
part = random_halves(random.Random(1), 1 << 21, 0x807F, 0x3F00)


def filled(count):
    return device.filled(part, 2 * count)


def operands(region, heads, length):
    """What a region reads, and the buffers of it."""
    if region == "alibi":
        buffer = device.buffer(4 * heads)
        device.write(buffer, struct.pack(f"<{heads}f", *(2.0 ** (-8 * (h + 1) / heads) for h in range(heads))))
        return [Tensor(buffer, [heads, 1, 1])], [buffer]
    if region == "bias":
        buffer = filled(heads * length * length)
        return [Tensor(buffer, [heads, length, length])], [buffer]
    if region == "softcap":
        return [struct.unpack("<I", struct.pack("<f", 30.0))[0]], []
    return [], []


shapes = {int(depth): [tuple(map(int, s.split("x"))) for s in of.split(",")] for depth, of in (s.split(":") for s in shapes.split(";"))}
lines = [line.split(None, 2) for line in open(listed, encoding="utf-8").read().splitlines()]
out = open(path, "w", encoding="utf-8")
for name, of in itertools.groupby(lines, key=lambda line: line[0]):
    depth, _, region = name.split("_")[-3:]
    schedules = [(number, schedule) for _, number, schedule in of]
    for batch, heads, length in shapes[int(depth)]:
        size = batch * heads * length * int(depth)
        buffers = [filled(size) for _ in range(3)] + [device.buffer(2 * size)]
        *inputs, result = [Tensor(buffer, [batch, heads, length, int(depth)]) for buffer in buffers]
        more, others = operands(region, heads, length)
        count, graphs = max(3, round(4 * 16 * 4096 * 4096 * 4 / (batch * heads * length * length))), {}
        for number, schedule in schedules:
            try:
                launch = device.prepare(device.kernel(f"{folder}/{name}_{number}.hlx", None, "g"), inputs + more + [result])
                graphs[schedule] = device.record(stream, lambda: [device.enqueue(stream, launch) for _ in range(count)])  # noqa: B023
            except HeliosError as error:
                print(f"{name} {schedule}: {error}", file=sys.stderr)
        until = time.monotonic() + 0.1
        while time.monotonic() < until:
            next(iter(graphs.values())).replay()
        times = {schedule: [] for schedule in graphs}
        for _ in range(3):
            for schedule, graph in graphs.items():
                times[schedule] += [graph.replay() / count / 1e3 for _ in range(3)]
        for schedule, us in times.items():
            line = {"kernel": name, "shape": f"{batch}x{heads}x{length}x{depth}", "schedule": schedule, "us": round(turns.median(us), 1), "mhz": meter.megahertz()}
            out.write(json.dumps(line) + "\n")
        for graph in graphs.values():
            graph.destroy()
        for buffer in buffers + others:
            device.destroy_buffer(buffer)
