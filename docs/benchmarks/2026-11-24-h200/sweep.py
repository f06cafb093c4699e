#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What made the sweeps of this folder: bundles of one schedule each beside torch.mm, bf16 with f32 sums.

  REPO=CHECKOUT sweep.py libhelios.so.0 BUNDLES LIST M1xN1xK1,... OUT.jsonl nt

LIST has a number and a schedule a line; BUNDLES holds NUMBER.hlx of each, of a kernel of one product with all extents open
(helios-compile --target cuda:sm_90a --schedule SCHEDULE), and may hold default.hlx, compiled without --schedule. Inputs rotate over 128 MiB
and two sets more, launches are replayed from graphs in random order, and the median of all rounds but the first counts. Results that differ from
PyTorch's by a hundredth of the largest are left out, with a word.
"""

import json
import math
import os
import random
import sys
import time

sys.path.insert(0, os.environ["REPO"] + "/bench")
import torch
from helios_ctypes import Device, HeliosError
from torch_graphs import wrapped

ROUNDS = 5
library, folder, listed, shapes, path, layout = sys.argv[1:7]
torch.zeros(1, device="cuda")  # its primary context is there before the runtime asks for it
device = Device(library, "cuda:0")
stream = torch.cuda.Stream()
ours = device.wrap_stream(stream.cuda_stream)

kernels = {}
for line in open(listed).read().strip().splitlines():
    number, schedule = line.split(None, 1)
    kernels[number] = (schedule, device.kernel(f"{folder}/{number}.hlx"))
if os.path.exists(f"{folder}/default.hlx"):
    kernels["default"] = ("default", device.kernel(f"{folder}/default.hlx"))


def graph(work, count):
    """Replays `count` launches; gives the microseconds of one."""
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        work(0)
        stream.synchronize()
        with torch.cuda.graph(recorded, stream=stream, capture_error_mode="thread_local"):
            for i in range(count):
                work(i)

    def replay():
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(stream):
            begin.record()
            recorded.replay()
            end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3 / count

    return replay


def made(*extents):
    return torch.rand(extents, device="cuda").mul_(2).sub_(1).to(torch.bfloat16)


out = open(path, "w")
for shape in shapes.split(","):
    began = time.time()
    m, n, k = map(int, shape.split("x"))
    count = min(64, (128 << 20) // (2 * (m * k + n * k + m * n)) + 2)
    a, b = made(m, k), made(n, k) if layout == "nt" else made(k, n)
    sets = [(a.clone(), b.clone(), torch.full((m, n), math.nan, device="cuda", dtype=torch.bfloat16)) for _ in range(count)]
    right = lambda t: t.t() if layout == "nt" else t  # noqa: E731
    reference = a.float() @ right(b).float()
    torch.cuda.synchronize()
    launches = max(count, 32)
    runs = {"torch.mm": graph(lambda i: torch.mm(sets[i % count][0], right(sets[i % count][1]), out=sets[i % count][2]), launches)}
    variants = {}
    for number, (schedule, kernel) in kernels.items():
        try:
            prepared = [device.prepare(kernel, [wrapped(device, t) for t in one]) for one in sets]
            sets[0][2].fill_(math.nan)
            torch.cuda.synchronize()
            device.enqueue(ours, prepared[0])
            stream.synchronize()
            error = float((sets[0][2].float() - reference).abs().max() / reference.abs().max())
            if not error < 1e-2:
                print("wrong", shape, schedule, error, flush=True)
                continue
            variants[number] = device.variant(prepared[0])
            runs[number] = graph(lambda i, p=prepared: device.enqueue(ours, p[i % count]), launches)
        except (HeliosError, RuntimeError) as problem:
            print("left out", shape, schedule, str(problem)[:150], flush=True)
    times = {number: [] for number in runs}
    for _ in range(ROUNDS):
        order = list(runs)
        random.shuffle(order)
        for number in order:
            times[number].append(runs[number]())
    for number in runs:
        schedule = "torch.mm" if number == "torch.mm" else kernels[number][0]
        microseconds = sorted(times[number][1:])[(ROUNDS - 1) // 2 - 1]
        out.write(json.dumps({"shape": shape, "layout": layout, "schedule": schedule, "variant": variants.get(number, ""), "us": round(microseconds, 2)}) + "\n")
    out.flush()
    print(shape, f"{time.time() - began:.1f} s", flush=True)
    del sets, runs, reference
    torch.cuda.empty_cache()
