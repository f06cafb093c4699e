#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""l4.py --bin DIR [--apis cuda,vulkan] [--example FILE] [--out DIR] [--bundles DIR [--prepare]]

The suite for an NVIDIA L4: f16 products of 1024, 2048 and 3072 cubed, with code that fits its 99 KB of shared memory (rows cuda:sm_89 and
vulkan:nvidia), against cuBLAS. A few schedules are checked and timed at every size; the best of each size and API is judged: CUDA's in
turns with cuBLAS, Vulkan's by a longer measurement of its own. PARITY if it takes at most 1.25 times cuBLAS's time, and, from 2048 on,
FASTER if it takes less. Times in which no wrong result appeared. What is going on is said as it happens; the whole takes two to three
minutes. With --bundles, --prepare compiles into that folder where the compiler is, for a GPU machine without it. Exit status 0 all at
parity, 1 a wrong result, 3 nothing to compare with, 4 helios-bench failed, 5 somewhere not at parity.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

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
# Enough to tell schedules apart, and to say how fast the chosen one is.
QUICK = ["--repetitions", "1", "--warmup-ms", "200", "--iters", "40"]
CAREFUL = ["--repetitions", "3", "--warmup-ms", "1000", "--iters", "60"]
START = time.monotonic()


def name_of(schedule):
    return schedule or "the compiler's own choice"


def say(text):
    print(f"[{time.monotonic() - START:5.1f} s] {text}", flush=True)


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


def report_path(options, api, schedule):
    return os.path.join(options.bundles or options.out, f"l4-{api}-{SCHEDULES[api].index(schedule)}.report")


def write_report(options, api, schedule):
    """Keeps what the compiler reports of a schedule, for a machine without it."""
    compiler = f"{options.bin}/helios-compile"
    if not os.path.exists(compiler):
        return
    command = [compiler, options.example, f"--target={TARGETS[api]}", "--report", "-o", "/dev/null"]
    done = subprocess.run(command + ([f"--schedule={schedule}"] if schedule else []), capture_output=True, text=True, check=False)
    with open(report_path(options, api, schedule), "w", encoding="utf-8") as file:
        file.write(done.stdout)


def resources(options, api, schedule, result):
    """What the compiler reports of the program for sizes that are multiples of the tile, and the driver of the code that ran."""
    lines, inside = [], False
    if os.path.exists(report_path(options, api, schedule)):
        with open(report_path(options, api, schedule), encoding="utf-8") as file:
            report = file.read()
        for line in map(str.strip, report.splitlines()):
            if line.startswith("program "):
                inside = "_full:" in line
                line = line.split(": ", 1)[1]
            if inside and line.startswith(("ptxas:", "residency:")) or inside and " threads, " in line:
                lines.append(line)
    wanted = "registers", "local memory bytes", "Register Count"
    driver = {f"{s['value']} {s['name'].lower()}": None for s in result.get("pipeline_statistics", []) if s["name"] in wanted}
    if driver:
        lines.append("driver: " + ", ".join(driver))
    return "; ".join(lines) or "no report"


def measure(options, api, schedule, sizes, flags, name):
    """The results of helios-bench by size; empty if the schedule does not fit."""
    path = os.path.join(options.out, f"l4-{api}-{name}.json")
    command = [f"{options.bin}/helios-bench", "gemm", "--shapes", ",".join(f"{n}x{n}x{n}" for n in sizes)]
    command += ["--types", "f16:f16:f32:f16", "--layout", "nn", "--device", "null" if options.prepare else api, "--target", TARGETS[api], "--json", path]
    command += ["--bundle-cache", options.bundles] if options.bundles else []
    command += ["--schedule", schedule] if schedule else []
    done = subprocess.run(command + flags, capture_output=True, text=True, check=False)
    if done.returncode == 1:
        end(1, f"a result is wrong, with schedule '{schedule}':\n{done.stdout}")
    if done.returncode in (2, 3) and schedule and "--compare" not in flags:
        say(f"{api}: '{schedule}' is left out: {(done.stderr.strip() or 'no reason given').splitlines()[-1]}")
        return {}
    if done.returncode not in (0, 5):
        end(4 if done.returncode != 3 else 3, f"helios-bench ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    with open(path, encoding="utf-8") as file:
        results = json.load(file)["results"]
    found = {int(r["shape"].split("x")[0]): r for r in results if r["verdict"] == "passed" and r["gpu_ns"]}
    if not options.prepare:
        times = ", ".join(f"{size}^3 {time_of(result) / 1e3:.1f} us" for size, result in found.items())
        say(f"{api}, {name_of(schedule)}: {times or 'no time'}")
    return found


def time_of(result):
    """Our median in ns; that of the rounds in turns with the library where there were such."""
    peer = result.get("peer") or {}
    return (peer.get("ours_ns") or result["gpu_ns"])["median"]


def candidates(options, api):
    """The schedule of the least time for each size."""
    best = {}
    for number, schedule in enumerate(SCHEDULES[api]):
        if options.prepare:
            say(f"{api}: compiling {name_of(schedule)}")
            write_report(options, api, schedule)
        flags = ["--check-only"] if options.prepare else QUICK
        for size, result in measure(options, api, schedule, SIZES, flags, number).items():
            if size not in best or time_of(result) < time_of(best[size][1]):
                best[size] = schedule, result
    return {size: schedule for size, (schedule, _) in best.items()}


def judged(options, api, chosen):
    """Schedule and result of each size: sizes with the same schedule are measured together, CUDA beside cuBLAS."""
    found = {}
    for number, schedule in enumerate(SCHEDULES[api]):
        sizes = [size for size in SIZES if chosen.get(size) == schedule]
        if not sizes:
            continue
        write_report(options, api, schedule)
        flags = QUICK + ["--compare", "cublas"] if api == "cuda" else CAREFUL
        for size, result in measure(options, api, schedule, sizes, flags, f"{number}-judged").items():
            found[size] = schedule, result
    return found


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
    chosen = {api: candidates(options, api) for api in apis}
    if options.prepare:
        return
    best = {(api, size): found for api in apis for size, found in judged(options, api, chosen[api]).items()}
    theirs = {
        size: result["peer"]["theirs_ns"]["median"]
        for (_, size), (_, result) in best.items()
        if "theirs_ns" in (result.get("peer") or {})
    }
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
            ours, used = time_of(result), result["schedule"]
            ratio = ours / theirs[size]
            words = ["PARITY" if ratio <= PARITY else "NOT at parity"]
            parity = parity and ratio <= PARITY
            if size >= 2048:
                words.append("FASTER" if ratio < 1 else "NOT faster")
            bound, why = roofline(size, tile_of(used))
            print(f"  {size}^3  {ours / 1e3:.1f} us, cuBLAS {theirs[size] / 1e3:.1f} us, {ratio:.3f} of its time: {', '.join(words)}")
            print(f"      {2e-3 * size**3 / ours:.1f} TFLOP/s; an L4's least time is {bound / 1e3:.1f} us ({why})")
            print(f"      {used}: {resources(options, api, schedule, result)}")
    say("done")
    sys.exit(0 if parity else 5)


if __name__ == "__main__":
    main()
