#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What this page says of its sweeps beyond their medians.

  prices.py lines               clocks of a processor for a line that is copied or stored at 4608x7152x104
  prices.py idle                clusters beside the same tile alone, with workgroups that have no tile and without
  prices.py stream COMPILER     streamed tiles beside the same without: what they take beyond their rounds and shares, and measured over priced
  prices.py portfolio COMPILER  what a plan of open extents (bf16, NT) loses to the best of all schedules, by the model, at random sizes
"""

import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PRODUCT = """helios.kernel @g(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
"""


def up(extent, by):
    return -(-extent // by)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def numbers(text, key, default):
    found = re.search(rf"{key}=(\d+)x(\d+)", text)
    return (int(found[1]), int(found[2])) if found else default


def lines():
    """All lines over 132 processors at 1755 MHz; 1.7 us of a launch are taken off. A row of a step has a line each 64 of K, one of a result each 64 columns."""
    m, n, k = 4608, 7152, 104
    for name in ("sweep-brief.jsonl", "sweep-lines.jsonl"):
        for text in (HERE / name).read_text().splitlines():
            row = json.loads(text)
            if row["shape"] != f"{m}x{n}x{k}":
                continue
            for schedule, us in row["us"].items():
                (tm, tn), (cm, cn) = numbers(schedule, "tile", None), numbers(schedule, "cluster", (1, 1))
                if not schedule.startswith("roles") or "depth=2" in schedule:
                    continue
                tiles = up(m, tm * cm) * cm * up(n, tn * cn) * cn
                count = tiles * ((tm / cn + tn / cm) * up(k, 64) + tm * up(tn, 64))
                print(f"{(us - 1.7) * 1755 * 132 / count:5.2f}  {us:6.2f} us  {schedule}")


def idle():
    ratios = {True: [], False: []}
    for text in (HERE / "../2026-11-24-h200/sweep-clusters.jsonl").read_text().splitlines():
        row = json.loads(text)
        m, n, _ = map(int, row["shape"].split("x"))
        for schedule, us in row.get("us", {}).items():
            alone = re.sub(r" cluster=\d+x\d+", "", schedule)
            tile = re.match(r"(\d+)x(\d+)x", schedule)
            if alone == schedule or alone not in row["us"] or not tile:
                continue
            (cm, cn), (tm, tn) = numbers(schedule, "cluster", None), map(int, tile.groups())
            ratios[m <= tm * (cm - 1) or n <= tn * (cn - 1)].append(us / row["us"][alone])
    for has_idle, found in ratios.items():
        print(f"{'without a tile for some' if has_idle else 'a tile for each'}: {mean(found):.3f} of the time alone, {len(found)} pairs")


def portfolio(compiler):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "g.mlir")
        source.write_text(PRODUCT)

        def compiled(*flags):
            return subprocess.run([compiler, source, "--target=cuda:sm_90a", *flags], capture_output=True, text=True, check=True).stdout

        plan = pathlib.Path(folder, "g.tile")
        compiled("--emit=tile", "-o", plan)
        chosen = set(re.findall(r'tile\.choice "([^"]+)"', plan.read_text()))
        for unit, least in ((8, 4), (64, 6)):
            for seed in (5, 6, 7):
                source_of = random.Random(seed)
                losses = []
                for _ in range(150):
                    m, n, k = (max(unit, round(2 ** source_of.uniform(least, 13) / unit) * unit) for _ in range(3))
                    prices = {s["schedule"]: s["price"] for s in json.loads(compiled("--emit=schedules", f"--shapes={m}x{k},{n}x{k}"))["schedules"]}
                    losses.append(min(prices[s] for s in chosen if s in prices) / min(prices.values()))
                print(f"multiples of {unit}, seed {seed}: {mean(losses):.4f}, {sum(x > 1.1 for x in losses)} of 150 above 1.1")


def stream(compiler):
    """Tiles alone and not in turns; those of two shares or more lie at the same place of K with others."""
    extra, ratios = [], {"less than two shares": [], "two to five": [], "more": []}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "g.mlir")
        source.write_text(PRODUCT)
        for text in (HERE / "sweep-stream.jsonl").read_text().splitlines():
            row = json.loads(text)
            m, n, k = map(int, row["shape"].split("x"))
            if row["shares"] != "whole":
                continue
            listed = subprocess.run([compiler, source, "--target=cuda:sm_90a", "--emit=schedules", f"--shapes={m}x{k},{n}x{k}"], capture_output=True, text=True, check=True).stdout
            prices = {(numbers(s["schedule"], "tile", None), "stream" in s["schedule"]): s["price"] for s in json.loads(listed)["schedules"]
                      if "x64,groups=2x1" in s["schedule"] and not re.search("cluster|turns|split", s["schedule"])}
            for name, us in row["us"].items():
                if not (tile := re.fullmatch(r"(\d+)x(\d+)_stream", name)):
                    continue
                tm, tn = map(int, tile.groups())
                tiles, whole = up(m, tm) * up(n, tn), row["us"][name.replace("stream", "persistent")]
                if not (left := tiles % 132) or ((tm, tn), True) not in prices:
                    continue
                shares = min(132 // left, k // 512)
                ratio = us / whole / (prices[(tm, tn), True] / prices[(tm, tn), False])
                ratios["less than two shares" if shares < 2 else "two to five" if shares < 6 else "more"].append(ratio)
                if shares > 1:
                    extra.append(us - whole / up(tiles, 132) * (tiles // 132 + 1 / shares))
    extra.sort()
    print(f"beyond rounds and shares: {extra[0]:.1f} to {extra[-1]:.1f} us, the middle half {extra[len(extra) // 4]:.1f} to {extra[3 * len(extra) // 4]:.1f}, {len(extra)} pairs")
    for which, found in ratios.items():
        print(f"measured over priced, {which}: {mean(found):.2f}, {min(found):.2f} to {max(found):.2f}, {len(found)} pairs")


commands = {"lines": lines, "idle": idle, "stream": stream, "portfolio": portfolio}
if len(sys.argv) < 2 or sys.argv[1] not in commands:
    sys.exit(__doc__)
commands[sys.argv[1]](*sys.argv[2:])
