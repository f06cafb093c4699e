#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""l4.py --bin DIR [--apis cuda,vulkan] [--example FILE] [--out DIR] [--bundles DIR [--prepare]]

The suite for an NVIDIA L4: f16 products of 1024, 2048 and 3072 cubed, with code that fits its 99 KB of shared memory (rows cuda:sm_89 and
vulkan:nvidia), against cuBLAS, which is measured in turns with CUDA's. For each size and API the best of a few schedules is judged:
PARITY if it takes at most 1.25 times cuBLAS's time, and, from 2048 on, FASTER if it takes less. Times in which no wrong result
appeared. With --bundles, --prepare compiles into that folder where the compiler is, for a GPU machine without it. Exit status 0 all at parity, 1 a wrong result, 3 nothing to compare with, 4 helios-bench failed, 5 somewhere not at parity.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

SIZES = 1024, 2048, 3072
PARITY = 1.25
TARGETS = {"cuda": "cuda:sm_89", "vulkan": "vulkan:nvidia"}
# The compiler's own choice first; then tiles that give 58 processors more even work at these sizes.
SCHEDULES = {
    "cuda": [
        "",
        "strategy=groups,tile=128x128x32,groups=2x2,depth=3",
        "strategy=groups,tile=128x128x64,groups=2x4,depth=3",
        "strategy=groups,tile=64x128x32,groups=2x2,depth=4",
    ],
    "vulkan": ["", "tile=128x256x32,groups=2x4", "tile=64x128x32,groups=2x2"],
}
# From the datasheet; a 72 W board seldom keeps the clock that the flops assume.
PROCESSORS, BANDWIDTH, FLOPS = 58, 300e9, 121e12


def end(status, text):
    print(f"l4.py: {text}", file=sys.stderr)
    sys.exit(status)


def tile_of(schedule):
    """Rows and columns of a tile, as the schedule that was used says; those of the default where it does not."""
    for part in schedule.split(","):
        if part.startswith("tile="):
            return [int(n) for n in part[5:].split("x")[:2]]
    return [128, 128]


def roofline(size, tile):
    """The least time an L4 can take, in ns, and what bounds it: memory, or the processor with the most tiles."""
    tiles = math.ceil(size / tile[0]) * math.ceil(size / tile[1])
    compute = math.ceil(tiles / PROCESSORS) * 2 * tile[0] * tile[1] * size / (FLOPS / PROCESSORS)
    memory = 3 * 2 * size * size / BANDWIDTH
    even = 2 * size**3 / FLOPS
    what = f"{tiles} tiles on {PROCESSORS} processors, {100 * even / compute:.0f} % of them busy" if compute > memory else "memory"
    return 1e9 * max(compute, memory), what


def resources(options, api, schedule):
    """What the compiler reports of the program for sizes that are multiples of the tile."""
    if not os.path.exists(f"{options.bin}/helios-compile"):
        return "no compiler here to report"
    command = [f"{options.bin}/helios-compile", options.example, f"--target={TARGETS[api]}", "--report", "-o", "/dev/null"]
    out = subprocess.run(command + ([f"--schedule={schedule}"] if schedule else []), capture_output=True, text=True, check=False).stdout
    lines, inside = [], False
    for line in map(str.strip, out.splitlines()):
        if line.startswith("program "):
            inside = "_full:" in line
            line = line.split(": ", 1)[1]
        if inside and line.startswith(("ptxas:", "residency:")) or inside and " threads, " in line:
            lines.append(line)
    return "; ".join(lines) or "no report"


def measure(options, api, schedule, name):
    """The results of helios-bench by size; empty if the schedule does not fit."""
    path = os.path.join(options.out, f"l4-{api}-{name}.json")
    command = [f"{options.bin}/helios-bench", "gemm", "--shapes", ",".join(f"{n}x{n}x{n}" for n in SIZES)]
    command += ["--types", "f16:f16:f32:f16", "--layout", "nn", "--device", "null" if options.prepare else api, "--target", TARGETS[api], "--json", path]
    command += ["--bundle-cache", options.bundles] if options.bundles else []
    command += ["--check-only"] if options.prepare else ["--warmup", "100", "--iters", "50"]
    command += ["--schedule", schedule] if schedule else []
    command += ["--compare", "cublas"] if api == "cuda" and not options.prepare else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 1:
        end(1, f"a result is wrong, with schedule '{schedule}':\n{done.stdout}")
    if done.returncode in (2, 3) and schedule:
        print(f"  {api}: '{schedule}' is left out: {(done.stderr.strip() or 'no reason given').splitlines()[-1]}")
        return {}
    if done.returncode not in (0, 5):
        end(4 if done.returncode != 3 else 3, f"helios-bench ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    with open(path, encoding="utf-8") as file:
        results = json.load(file)["results"]
    return {int(r["shape"].split("x")[0]): r for r in results if r["verdict"] == "passed" and r["gpu_ns"]}


def time_of(result):
    """Our median in ns; that of the rounds in turns with the library where there were such."""
    peer = result.get("peer") or {}
    return (peer.get("ours_ns") or result["gpu_ns"])["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--apis", default="cuda,vulkan")
    parser.add_argument("--example", default=os.path.join(os.path.dirname(__file__), "../examples/gemm.mlir"))
    parser.add_argument("--out", default=tempfile.gettempdir())
    parser.add_argument("--bundles")
    parser.add_argument("--prepare", action="store_true")
    options = parser.parse_args()
    apis = options.apis.split(",")
    if "cuda" not in apis and not options.prepare:
        end(3, "no CUDA GPU: cuBLAS, to compare with, needs one")
    os.makedirs(options.out, exist_ok=True)
    best, theirs = {}, {}
    for api in apis:
        for number, schedule in enumerate(SCHEDULES[api]):
            for size, result in measure(options, api, schedule, number).items():
                peer = result.get("peer") or {}
                if "theirs_ns" in peer:
                    theirs[size] = min(theirs.get(size, math.inf), peer["theirs_ns"]["median"])
                if (api, size) not in best or time_of(result) < time_of(best[api, size][1]):
                    best[api, size] = schedule, result
    if options.prepare:
        return
    missing = [size for size in SIZES if size not in theirs]
    if missing:
        end(3, f"cuBLAS was not measured at {missing}: helios-bench --compare cublas says why")
    parity = True
    for api in apis:
        print(f"\n{api}, row {TARGETS[api]}, f16 with f32 accumulation")
        for size in SIZES:
            if (api, size) not in best:
                print(f"  {size}^3  NOT MEASURED")
                parity = False
                continue
            schedule, result = best[api, size]
            time, used = time_of(result), result["schedule"]
            ratio = time / theirs[size]
            words = ["PARITY" if ratio <= PARITY else "NOT at parity"]
            parity = parity and ratio <= PARITY
            if size >= 2048:
                words.append("FASTER" if ratio < 1 else "NOT faster")
            bound, why = roofline(size, tile_of(used))
            print(f"  {size}^3  {time / 1e3:.1f} us, cuBLAS {theirs[size] / 1e3:.1f} us, {ratio:.3f} of its time: {', '.join(words)}")
            print(f"      {2e-3 * size**3 / time:.1f} TFLOP/s; an L4's least time is {bound / 1e3:.1f} us ({why})")
            print(f"      {used}: {resources(options, api, schedule)}")
    sys.exit(0 if parity else 5)


if __name__ == "__main__":
    main()
