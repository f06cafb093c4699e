#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What made sweep-large, -small, -odd and -packed-large.jsonl and plans-large.jsonl: bundles of one product, in random order.

  REPO=CHECKOUT sweep_schedules.py libhelios.so.0 BUNDLES LIST M1xN1xK1,... cuda|vulkan OUT.jsonl [nn|nt|packed]

LIST has a name and a schedule a line; BUNDLES holds NAME.hlx of each, of a kernel 'g' whose extents are all open (helios-compile --schedule SCHEDULE; without
it, a plan chooses), with operands as the last argument says (default nn); packed: the right one, [N, K], is a constant 'w', packed before. Inputs rotate over
100 MB, in at most 200 sets. A graph holds about 4 ms of launches (10, and no limit of sets, for what is of 25 November);
three rounds of all bundles in random order, of which each takes the median of five replays.
"""

import json
import os
import random
import sys
import time

sys.path.insert(0, os.environ["REPO"] + "/bench")
import turns  # noqa: E402
from helios_ctypes import Device, HeliosError, Tensor, random_halves  # noqa: E402

library, folder, listed, shapes, driver, path = sys.argv[1:7]
layout = sys.argv[7] if len(sys.argv) > 7 else "nn"
device = Device(library, driver)
stream = device.stream()
meter = turns.PowerMeter(device.info.device_uuid)
source = random.Random(1)
# Random signs and fractions times 2^-5: bf16 on CUDA, f16 on Vulkan.
part = random_halves(source, 1 << 21, *((0x807F, 0x3D00) if driver == "cuda" else (0x83FF, 0x2800)))


def filled(count):
    return device.filled(part, 2 * count)


out = open(path, "w", encoding="utf-8")
schedules = dict(line.split(None, 1) for line in open(listed, encoding="utf-8").read().splitlines())
for shape in shapes.split(","):
    m, n, k = map(int, shape.split("x"))
    sets = min(200, max(1, -(-(100 << 20) // (2 * k * (m + n)))))
    lefts, rights, result = [filled(m * k) for _ in range(sets)], [filled(k * n) for _ in range(sets)], device.buffer(2 * m * n)
    count, graphs, weights = max(sets, round(4e-3 / max(2e-6, 2 * m * n * k / 500e12 + 2 * m * n / 2e12))), {}, []
    for name in schedules:
        try:
            bundle = f"{folder}/{name}.hlx"
            used = [Tensor(b, [k, n] if layout == "nn" else [n, k]) for b in rights]
            if layout == "packed":
                used = [device.packed(stream, device.kernel(bundle, None, "g_pack_w"), tensor) for tensor in used]
                weights += [tensor.buffer for tensor in used]
            kernel = device.kernel(bundle, None, "g")
            launches = [device.prepare(kernel, [Tensor(a, [m, k]), b, Tensor(result, [m, n])]) for a, b in zip(lefts, used)]
            graphs[name] = device.record(stream, lambda: [device.enqueue(stream, launches[i % sets]) for i in range(count)])  # noqa: B023
        except HeliosError as error:
            print(f"{shape} {name}: {error}", file=sys.stderr)
    names, until = list(graphs), time.monotonic() + 0.4
    while time.monotonic() < until:
        graphs[names[0]].replay()
    for _ in range(3):
        source.shuffle(names)
        for name in names:
            us = turns.median([graphs[name].replay() for _ in range(5)]) / count / 1e3
            out.write(json.dumps({"shape": shape, "layout": layout, "us": round(us, 2), "mhz": meter.megahertz(), "schedule": schedules[name]}) + "\n")
    for graph in graphs.values():
        graph.destroy()
    for buffer in [*lefts, *rights, *weights, result]:
        device.destroy_buffer(buffer)
