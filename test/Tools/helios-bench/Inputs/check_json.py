# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_json.py FILE REPETITIONS ITERATIONS [--warmup LAUNCHES MS] [--scale FACTOR OUT]...

Checks what helios-bench --json wrote for one passed case; --warmup holds each repetition's warm-up to these least numbers,
--scale writes a copy with all times multiplied.
"""
import copy
import json
import re
import sys

data = json.load(open(sys.argv[1]))
repetitions, iterations = int(sys.argv[2]), int(sys.argv[3])
assert data["schema"] == "helios-bench/1"
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", data["date"])
assert data["command"][0] == "helios-bench" and "gemm" in data["command"]
assert data["commit"] and data["version"]
assert data["device"]["name"] and data["device"]["driver"]
assert data["performance_figures"] is False  # lavapipe
(result,) = data["results"]
assert result["verdict"] == "passed" and result["coverage"] == "whole"
assert [c["inputs"] for c in result["checks"]] == ["integers", "uniform"]
assert result["checks"][0]["exact"] == result["checks"][0]["elements"] == 64 * 64
assert result["flops"] == 2 * 64**3
samples = result["gpu_ns"]["samples"]
assert [len(s) for s in samples] == [iterations] * repetitions
low, high = min(map(min, samples)), max(map(max, samples))
times = result["gpu_ns"]
assert low <= times["low"] <= times["median"] <= times["high"] <= high and times["median"] <= times["p90"] <= times["p95"]
assert abs(result["tflops"] - result["flops"] / times["median"] * 1e-3) < 1e-6 * result["tflops"]
assert result["host_ns"]["median"] > 0 and result["host_ns"]["samples"]
words = sys.argv[4:]
while words:
    if words[0] == "--warmup":
        warmup = result["warmup"]
        assert len(warmup["launches"]) == len(warmup["ms"]) == repetitions, warmup
        # The matrix is small: more launches than asked for are needed to fill the time.
        assert min(warmup["launches"]) > int(words[1]) and min(warmup["ms"]) >= int(words[2]), warmup
        words = words[3:]
        continue
    assert words[0] == "--scale"
    factor, out = float(words[1]), words[2]
    scaled = copy.deepcopy(data)
    for key in ("median", "low", "high", "p90", "p95"):
        scaled["results"][0]["gpu_ns"][key] *= factor
    json.dump(scaled, open(out, "w"))
    words = words[3:]
