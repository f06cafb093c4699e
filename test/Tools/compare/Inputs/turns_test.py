# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""turns_test.py FOLDER: statistics and protocol of FOLDER/turns.py, with made-up clocks and times."""

import json
import math
import os
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import turns  # noqa: E402


def near(a, b, tolerance=1e-9):
    assert abs(a - b) <= tolerance, (a, b)


# The numbers of StatisticsTest.cpp and PairedTest.cpp.
near(turns.quantile([1, 2, 3, 4], 0.9), 3.7)
summary = turns.summarize(list(range(100, 0, -1)))
assert (summary["count"], summary["median"], summary["low"], summary["high"]) == (100, 50.5, 40, 61), summary
near(summary["variation"], 29.011491975882016 / 50.5, 1e-12)
assert turns.summarize([3, 1, 2])["low"] == 1 and turns.summarize([])["count"] == 0
equal = turns.paired_ratio([1, 2, 4], [2, 4, 8])
near(equal["ratio"], 2), near(equal["ratio_low"], 2), near(equal["ratio_high"], 2)
known = turns.paired_ratio([1] * 5, [math.exp(0.1 * i) for i in range(5)])
near(math.log(known["ratio"]), 0.2, 1e-12)
near(math.log(known["ratio_low"]), 0.2 - 2.776 * 0.0707107, 2e-3)
one = turns.paired_ratio([1], [2])
assert one["ratio_low"] == 0 and math.isinf(one["ratio_high"])
near(turns.geometric_mean([2, 8]), 4)

# Graphs of about 8 ms in which every set comes equally often.
assert turns.launches_for(100e3, 3) == 81 and turns.launches_for(80e6, 3) == 3 and turns.launches_for(1, 2) == 8000


class Bench:
    """Time passes as replays take it; the clock of the card rises for two seconds."""

    def __init__(self):
        self.now, self.order = 0.0, ""

    def replay(self, side, ns):
        def once():
            self.now += 0.05
            self.order += side
            return ns * (1 + 0.1 * self.now)  # both sides drift

        return once

    def megahertz(self):
        return 1000 + 250 * min(self.now, 2)

    def joules(self):
        return 100 * self.now + 1


bench = Bench()
report = turns.in_turns(bench.replay("o", 1e6), bench.replay("t", 2e6), 10, bench, clock=lambda: bench.now)
turned = bench.order.find("ott")
assert turned % 2 == 0 and bench.order[:turned] == "ot" * (turned // 2), bench.order
assert 3 <= turned * 0.05 <= 4, turned  # not before the clock has settled
assert bench.order[turned : turned + 160] == "otto" * 40
assert len(report["ours_ns"]["samples"]) == 80 and report["rounds"] == 40
near(report["ratio"], 2, 1e-3)  # drift cancels
assert report["ratio_high"] - report["ratio_low"] < 0.01
assert report["clock_mhz_before"] == report["clock_mhz_after"] == 1500
near(report["ours_joules"], 100 * 0.05 / 10, 1e-6)

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "out.json")
    turns.write_json(path, turns.session({"id": "cuda:0"}, "0.1.0", "abc", [{"peer": one}]))
    with open(path, encoding="utf-8") as file:
        written = json.load(file)
    assert written["schema"] == "helios-bench/1" and written["results"][0]["peer"]["ratio_high"] is None
    assert os.listdir(folder) == ["out.json"]
print("good")
