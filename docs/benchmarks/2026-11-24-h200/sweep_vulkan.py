#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What made sweep-vulkan-*.jsonl: one schedule after the other through Vulkan, f16 NT with f32 sums.

  REPO=CHECKOUT sweep_vulkan.py libhelios.so.0 BUNDLES LIST M1xN1xK1,... 0|1 OUT.jsonl

LIST has a number and a schedule a line; BUNDLES holds NUMBER.hlx of each, of a kernel 'g' of one product with all extents open
(helios-compile --target vulkan:nvidia --schedule SCHEDULE). With 1 the right operand 'w' is a constant, packed before. Weights rotate over 70 MB or 16
sets, the left operand does not; launches write one result, so that each waits for the one before. 60 ms of work stand before each schedule, which is too
little where a card has rested: leave out lines of a low `mhz`.
"""

import json
import os
import random
import sys
import time

sys.path.insert(0, os.environ["REPO"] + "/bench")
import turns  # noqa: E402
from helios_ctypes import Device, HeliosError, Tensor, random_halves  # noqa: E402

library, folder, listed, shapes, constant, path = sys.argv[1:7]
device = Device(library, "vulkan")
stream = device.stream()
meter = turns.PowerMeter(device.info.device_uuid)
source = random.Random(1)


def filled(count):
    """A buffer of random signs and fractions times 2^-5."""
    return device.filled(random_halves(source, count, 0x83FF, 0x2800), 2 * count)


out = open(path, "w", encoding="utf-8")
for shape in shapes.split(","):
    m, n, k = map(int, shape.split("x"))
    count = max(2, min(16, (70 << 20) // (2 * n * k)))
    left, weights, result = filled(m * k), [filled(n * k) for _ in range(count)], device.buffer(2 * m * n)
    for line in filter(None, open(listed, encoding="utf-8").read().splitlines()):
        number, schedule = line.split(None, 1)
        try:
            kernel, used = device.kernel(f"{folder}/{number}.hlx", None, "g"), [Tensor(w, [n, k]) for w in weights]
            if constant == "1":
                packer = device.kernel(f"{folder}/{number}.hlx", None, "g_pack_w")
                used = [device.packed(stream, packer, tensor) for tensor in used]
            launches = [device.prepare(kernel, [Tensor(left, [m, k]), w, Tensor(result, [m, n])]) for w in used]
            graph = device.record(stream, lambda: [device.enqueue(stream, launch) for launch in launches])  # noqa: B023
            until = time.monotonic() + 0.06
            while time.monotonic() < until:
                graph.replay()
            us = turns.median([graph.replay() for _ in range(7)]) / count / 1e3
            out.write(json.dumps({"shape": shape, "schedule": schedule, "packed": constant == "1", "us": round(us, 2), "mhz": meter.megahertz()}) + "\n")
            graph.destroy()
            if constant == "1":
                for tensor in used:
                    device.destroy_buffer(tensor.buffer)
        except HeliosError as error:
            print(f"{shape} {schedule}: {error}", file=sys.stderr)
    for buffer in [left, result, *weights]:
        device.destroy_buffer(buffer)
