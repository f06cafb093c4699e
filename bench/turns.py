# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Two programs in turns, as helios-bench --compare measures them, for peers that Python drives.

The statistics are those of Statistics.cpp and Paired.cpp, the protocol that of Compare.cpp (docs/benchmarking.md, "Beside a vendor's library"), and the
report has the form of helios-bench --json.
"""

import ctypes
import json
import math
import os
import sys
import time

# One replay of a graph lasts about this long; both sides alternate at least and at most so many seconds until the clock is steady to this share.
GRAPH_NS = 8e6
SETTLE_SECONDS, SETTLE_LIMIT, SETTLED_CLOCK = 3, 10, 0.01
ROUNDS = 40
ENERGY_SECONDS = 1


def end(status, text):
    """Ends the program as the tools do: 2 usage or bad input, 3 unsupported here, 4 device."""
    print(f"{os.path.basename(sys.argv[0])}: error: {text}", file=sys.stderr)
    sys.exit(status)


def say(text):
    print(text, file=sys.stderr, flush=True)


def quantile(ordered, q):
    at = q * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def median(values):
    return quantile(sorted(values), 0.5)


def median_rank(count):
    """The largest r such that ranks r and count - 1 - r hold the median with at least 95 % probability; 0 for few samples."""
    tail, rank, log_term = 0.0, 0, -count * math.log(2)
    for i in range(count // 2):
        tail += math.exp(log_term)
        if tail > 0.025:
            break
        rank = i + 1
        log_term += math.log(count - i) - math.log(i + 1)
    return max(rank - 1, 0)


def summarize(samples):
    """What a report says of times: order statistics, and the 95 % interval of the median."""
    ordered, count = sorted(samples), len(samples)
    if not count:
        return {"count": 0}
    mean = sum(ordered) / count
    spread = math.sqrt(sum((v - mean) ** 2 for v in ordered) / (count - 1)) / mean if count > 1 and mean else 0
    rank = median_rank(count)
    return {
        "count": count,
        "median": quantile(ordered, 0.5),
        "p90": quantile(ordered, 0.9),
        "p95": quantile(ordered, 0.95),
        "mean": mean,
        "min": ordered[0],
        "max": ordered[-1],
        "variation": spread,
        "low": ordered[rank],
        "high": ordered[count - 1 - rank],
    }


def student_quantile(degrees):
    """The 97.5 % quantile of Student's t, by the expansion around the normal quantile (Abramowitz and Stegun, 26.7.5)."""
    if degrees < 1.5:
        return 12.706
    if degrees < 2.5:
        return 4.303
    z = 1.959964
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )


def paired_ratio(ours, theirs):
    """Geometric mean of theirs / ours, pair by pair, with its 95 % interval: above 1, ours is faster."""
    pairs = min(len(ours), len(theirs))
    if not pairs:
        return {"ratio": 0, "ratio_low": 0, "ratio_high": math.inf, "rounds": 0}
    logs = [math.log(t / o) for o, t in zip(ours, theirs)]
    mean = sum(logs) / pairs
    low, high = 0.0, math.inf
    if pairs > 1:
        half = student_quantile(pairs - 1) * math.sqrt(sum((v - mean) ** 2 for v in logs) / (pairs - 1) / pairs)
        low, high = math.exp(mean - half), math.exp(mean + half)
    return {"ratio": math.exp(mean), "ratio_low": low, "ratio_high": high, "rounds": pairs}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


class PowerMeter:
    """Clock and energy of an NVIDIA device through NVML, where it is there. Readings only: no setting is changed."""

    def __init__(self, uuid):
        self.device = None
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            return
        digits = bytes(uuid).hex()
        name = "GPU-" + "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        device = ctypes.c_void_p()
        if self.library.nvmlInit_v2() == 0 and self.library.nvmlDeviceGetHandleByUUID(name.encode(), ctypes.byref(device)) == 0:
            self.device = device

    def megahertz(self):
        value = ctypes.c_uint()
        processors = 1  # NVML_CLOCK_SM
        return value.value if self.device and self.library.nvmlDeviceGetClockInfo(self.device, processors, ctypes.byref(value)) == 0 else 0

    def joules(self):
        value = ctypes.c_ulonglong()
        return value.value * 1e-3 if self.device and self.library.nvmlDeviceGetTotalEnergyConsumption(self.device, ctypes.byref(value)) == 0 else 0


def launches_for(ns, sets):
    """Launches in one graph: long enough, and every set of inputs equally often."""
    return sets * max(1, round(math.ceil(GRAPH_NS / max(ns, 1e3)) / sets))


def in_turns(ours, theirs, launches, meter, rounds=ROUNDS, clock=time.monotonic):
    """Measures two graphs of `launches` launches each: ours, theirs, theirs, ours, after the clock has settled. `ours` and `theirs` replay
    once and return nanoseconds. Gives the members of a result's `peer` that come of it."""
    start = reading_at = clock()
    speed = meter.megahertz()
    settled = False
    while not settled:
        ours()
        theirs()
        now = clock()
        if now - reading_at < 0.5:
            continue
        before, speed, reading_at = speed, meter.megahertz(), now
        settled = now - start >= SETTLE_SECONDS and (abs(speed - before) <= SETTLED_CLOCK * before or now - start >= SETTLE_LIMIT)
    report = {"clock_mhz_before": meter.megahertz()}
    samples = {"ours_ns": [], "theirs_ns": []}
    for _ in range(rounds):
        a, b, c, d = (side() / launches for side in (ours, theirs, theirs, ours))
        samples["ours_ns"] += [a, d]
        samples["theirs_ns"] += [b, c]
    report["clock_mhz_after"] = meter.megahertz()
    pairs = {name: [values[i] + values[i + 1] for i in range(0, len(values), 2)] for name, values in samples.items()}
    for name, values in samples.items():
        report[name] = {**summarize(values), "samples": values}
    report.update(paired_ratio(pairs["ours_ns"], pairs["theirs_ns"]))
    report["launches_a_replay"] = launches
    for name, side in (("ours_joules", ours), ("theirs_joules", theirs)):
        begin, before, count = clock(), meter.joules(), 0
        while before > 0 and clock() - begin < ENERGY_SECONDS:
            side()
            count += launches
        report[name] = (meter.joules() - before) / count if count else 0
    return report


def session(device, version, commit, results):
    """The object that helios-bench --json writes."""
    return {
        "schema": "helios-bench/1",
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "version": version,
        "commit": commit,
        "command": [os.path.basename(sys.argv[0]), *sys.argv[1:]],
        "device": device,
        "performance_figures": True,
        "ceilings": [],
        "results": results,
    }


def finite(value):
    """JSON has no infinity."""
    if isinstance(value, dict):
        return {key: finite(v) for key, v in value.items()}
    if isinstance(value, list):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_json(path, report):
    """Replaces the file as a whole."""
    part = f"{path}.part"
    with open(part, "w", encoding="utf-8") as file:
        json.dump(finite(report), file, indent=1)
        file.write("\n")
    os.replace(part, path)


def check_writable(path):
    """Refuses an output that could not be written in the end, before any time is spent."""
    if path and not os.access(os.path.dirname(os.path.abspath(path)), os.W_OK):
        end(2, f"--json: cannot write '{path}'")


def table(rows):
    """Columns of text, aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def microseconds(ns):
    return f"{ns / 1e3:.2f} us"


def ratio_text(peer):
    return f"{peer['ratio']:.3f} [{peer['ratio_low']:.3f}, {peer['ratio_high']:.3f}]"
