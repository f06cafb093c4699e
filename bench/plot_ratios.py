#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A picture of what helios-bench --compare measured: each case's time of the peer over ours, by its floating-point operations.

  plot_ratios.py RESULTS.json OUT.svg [--floor RATIO]

Cases below the floor (default 0.80) carry their extents. The format of OUT is that of its name's end (svg, pdf, png). Needs Matplotlib. Exit status: 0
done, 2 usage or bad input, 3 Matplotlib is missing.
"""

import argparse
import json
import math
import os
import sys

from turns import end

FORMATS = ("svg", "pdf", "png")


def cases(path):
    """(name, floating-point operations, ratio, its 95 % interval) of every case that was compared."""
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)["results"]
        found = [(r["shape"], r["flops"], r["peer"]["ratio"], r["peer"]["ratio_low"], r["peer"]["ratio_high"]) for r in results if r.get("peer")]
    except OSError as error:
        end(2, f"{path}: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        end(2, f"{path}: expected what helios-bench --compare --json wrote, got {type(error).__name__} ({error}) in it")
    found = [case for case in found if case[1] > 0 and case[2] > 0]
    if not found:
        end(2, f"{path}: no case has a peer; measure with --compare")
    return found


def draw(pyplot, found, floor, path):
    figure, axes = pyplot.subplots(figsize=(10, 5.5))
    ratios = [case[2] for case in found]
    mean = math.exp(math.fsum(math.log(r) for r in ratios) / len(ratios))
    for losing, color in ((False, "tab:blue"), (True, "tab:red")):
        part = [case for case in found if (case[2] < 1) == losing]
        errors = [[max(c[2] - c[3], 0) for c in part], [max(c[4] - c[2], 0) for c in part]]
        axes.errorbar([c[1] for c in part], [c[2] for c in part], yerr=errors, fmt="o", markersize=4, color=color,
                      label=f"{len(part)} {'slower' if losing else 'at least as fast'}")
    # Neighbours' names stand above and below by turns.
    for number, case in enumerate(sorted((c for c in found if c[2] < floor), key=lambda c: c[1])):
        axes.annotate(f"{case[0]}  {case[2]:.2f}", case[1:3], textcoords="offset points", xytext=(4, 5 if number % 2 else -11), fontsize=7)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.axhline(floor, color="gray", linewidth=0.8, linestyle=":")
    axes.axhline(mean, color="tab:green", linewidth=0.8, linestyle="--", label=f"geometric mean {mean:.3f}")
    axes.set(xscale="log", yscale="log", xlabel="floating-point operations", ylabel="time of the peer / ours")
    ticks = [t for t in (0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4) if min(ratios) / 1.1 <= t <= max(ratios) * 1.1]
    axes.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.legend(fontsize=8)
    figure.tight_layout()
    # Whole or not at all; the same bytes from the same results.
    partial = f"{path}.partial"
    kind = path.rsplit(".", 1)[-1]
    try:
        figure.savefig(partial, format=kind, metadata={"Date": None} if kind == "svg" else None)
        os.replace(partial, path)
    except OSError as error:
        end(2, f"{path}: {error.strerror}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("out")
    parser.add_argument("--floor", type=float, default=0.8)
    options = parser.parse_args()
    if options.out.rsplit(".", 1)[-1] not in FORMATS:
        end(2, f"{options.out}: expected a name that ends with {', '.join(FORMATS)}")
    found = cases(options.results)
    try:
        import matplotlib
    except ImportError:
        end(3, "Matplotlib is missing: install it (Debian: python3-matplotlib)")
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "helios", "svg.fonttype": "none"})
    from matplotlib import pyplot

    draw(pyplot, found, options.floor, options.out)
    for shape, _, ratio, _, _ in sorted(found, key=lambda case: case[2]):
        if ratio < 1:
            print(f"{shape} {ratio:.3f}")


if __name__ == "__main__":
    sys.exit(main())
