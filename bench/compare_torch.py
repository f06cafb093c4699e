#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Products and attention beside PyTorch, in turns, on PyTorch's own memory and stream.

  compare_torch.py [flags]            measures; needs a CUDA GPU and PyTorch
  compare_torch.py --prepare [flags]  compiles our bundles into --bundle-cache, without either

Products: the fastest of PyTorch's ways to the same result (torch.mm, addmm, its fused activations; of silu+pair one product with both right operands
side by side, and a compiled kernel behind it). Attention: cuDNN and FlashAttention-2 through
scaled_dot_product_attention, and FlashAttention-4 where flash_attn.cute can be imported; regions (--region) beside compiled FlexAttention, and beside
our own kernel without the region. Both sides are captured into graphs of the same length
over rotating inputs and replayed ours, theirs, theirs, ours. Rows of our results are checked in double precision. Exit status: 0 done, 1 a wrong
result, 2 usage, 3 something is missing here (PyTorch, a CUDA GPU, a bundle), 4 the device failed.
"""

import argparse
import math
import os
import sys

import torch_attention
import turns
from helios_ctypes import Device, HeliosError, bench_version, bundle_of, library_path
from torch_graphs import ROTATE_BYTES, TYPES, Graph, difference, fastest, repeated, wrapped
from turns import end, say

PAIR = "silu+pair"
EPILOGUES = ("none", "bias", "bias+relu", "bias+gelu", "bias+gelu_tanh", PAIR)
CHECKED_ROWS = 64


def extents(flag, text, count, form):
    try:
        values = [int(part) for part in text.split("x")]
    except ValueError:
        values = []
    if len(values) != count or min(values) < 1:
        end(2, f"{flag}: expected {form}[,...], got '{text}'")
    return values


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", default="1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192", help="MxNxK[,...]; empty: no products")
    parser.add_argument("--types", default="bf16", help="f16, bf16, or both")
    parser.add_argument("--layout", default="nn,nt", help="nn, nt, tn, tt (default nn,nt)")
    parser.add_argument("--epilogue", default="none", help=", ".join(EPILOGUES))
    parser.add_argument("--attention", default="4x16x16x4096x128", help="BATCHxHEADSxKEYHEADSxLENGTHxDEPTH[,...]; empty: none")
    parser.add_argument("--region", default="causal", help=f"of attention, with commas between: {', '.join(torch_attention.REGIONS)} (default causal)")
    parser.add_argument("--target", default="cuda", help="of our bundles, as for helios-bench (default cuda: the best row that fits)")
    parser.add_argument("--schedule", default="", help="of our kernels, as for helios-bench")
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../build/bin"), help="folder of the tools")
    parser.add_argument("--device", default="cuda", help="cuda[:N]")
    parser.add_argument("--bundle-cache", default="", help="of our bundles, as for helios-bench")
    parser.add_argument("--prepare", action="store_true", help="compile only")
    parser.add_argument("--json", default="", help="everything, raw samples included, in the form of helios-bench --json")
    options = parser.parse_args()
    options.shapes = [extents("--shapes", text, 3, "MxNxK") for text in options.shapes.split(",") if text]
    options.attention = [extents("--attention", text, 5, "BATCHxHEADSxKEYHEADSxLENGTHxDEPTH") for text in options.attention.split(",") if text]
    for _, heads, key_heads, _, _ in options.attention:
        if heads % key_heads:
            end(2, f"--attention: expected heads that are a multiple of the key's, got {heads} and {key_heads}")
    for flag, known in (("types", TYPES), ("layout", ("nn", "nt", "tn", "tt")), ("epilogue", EPILOGUES), ("region", torch_attention.REGIONS)):
        words = getattr(options, flag).split(",")
        for word in words:
            if word not in known:
                end(2, f"--{flag}: expected one of {', '.join(known)}, got '{word}'")
        setattr(options, flag, words)
    if not options.device.startswith("cuda"):
        end(2, f"--device: expected cuda[:N], got '{options.device}': PyTorch's memory is shared through CUDA")
    turns.check_writable(options.json)
    return options


def families(options):
    return [(t, layout, epilogue) for t in options.types for layout in options.layout for epilogue in options.epilogue]


def our_bundle(options, element, layout, epilogue):
    types = f"{element}:{element}:f32:{element}"
    return bundle_of(options.bin, options.bundle_cache, types, layout, epilogue, options.target, options.schedule)


def product_candidates(torch, epilogue):
    """PyTorch's ways to D of a set (a, b, bias or the pair, ours, theirs, both right operands, both sums), by name."""
    functional = torch.nn.functional
    if epilogue == "none":
        return {"torch.mm": lambda s: torch.mm(s[0], s[1], out=s[4])}
    if epilogue == "bias":
        return {"torch.addmm": lambda s: torch.addmm(s[2], s[0], s[1], out=s[4])}
    if epilogue == PAIR:
        gate = torch.compile(lambda sums: functional.silu(sums[:, : sums.shape[1] // 2]) * sums[:, sums.shape[1] // 2 :], dynamic=False)
        return {"torch.mm, compiled silu(x) y": lambda s: gate(torch.mm(s[0], s[5], out=s[6]))}
    activation = {
        "bias+relu": torch.relu_,
        "bias+gelu": lambda x: functional.gelu(x),
        "bias+gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    }[epilogue]
    ways = {f"torch.addmm, {epilogue.split('+')[1]}": lambda s: activation(torch.addmm(s[2], s[0], s[1], out=s[4]))}
    # Fused by the library; its GELU is the tanh form, also beside our exact one.
    gelu = "gelu" in epilogue
    ways["torch._addmm_activation"] = lambda s: torch._addmm_activation(s[2], s[0], s[1], use_gelu=gelu)
    return ways


def multiplied(a, b):
    """A product in double precision, and what the roundings of a sum may change."""
    a, b = a.double(), b.double()
    k = a.shape[1]
    return a @ b, 8 / math.sqrt(k) * k * 2.0**-24 * a.norm(dim=1)[:, None] * b.norm(dim=0)[None, :]


def reference(torch, a, b, third, epilogue):
    """Rows of the result in double precision, and what the roundings of a kernel may change."""
    exact, allowed = multiplied(a, b)
    if epilogue == PAIR:
        other, allowed_other = multiplied(a, third)
        silu = torch.nn.functional.silu(exact)
        # The slope of silu is below 1.1.
        exact, allowed = silu * other, 1.1 * allowed * (other.abs() + allowed_other) + silu.abs() * allowed_other
    elif third is not None:
        exact = exact + third.double()
    if epilogue == "bias+relu":
        exact = exact.relu()
    elif epilogue == "bias+gelu":
        exact = torch.nn.functional.gelu(exact)
    elif epilogue == "bias+gelu_tanh":
        exact = torch.nn.functional.gelu(exact, approximate="tanh")
    # Slopes of the activations are below 1.13; functions have some roundings of f32 of their own.
    return exact, 1.2 * allowed + 2.0**-16 * (1 + exact.abs())


def check(torch, result, exact, allowed, what):
    unit = 2.0**-11 if result.dtype == torch.float16 else 2.0**-8
    wrong = int((~((result.double() - exact).abs() <= allowed + unit * exact.abs())).sum())
    if wrong:
        end(1, f"{what}: our result is wrong in {wrong} of {exact.numel()} elements checked")


def make_set(torch, device, product, element, layout, epilogue, first):
    """(a, b, bias or the pair, ours, theirs, both right operands, both sums): operands as seen by the product, stored as the layout says."""
    m, n, k = product
    dtype = getattr(torch, TYPES[element])
    right = (n, k) if layout[1] == "t" else (k, n)
    if first:
        stored = [t.clone() for t in first]
    else:
        stored = [torch.rand(e, device=device).mul_(2).sub_(1).to(dtype) for e in ((k, m) if layout[0] == "t" else (m, k), right, right if epilogue == PAIR else (n,))]
    results = [torch.full((m, n), float("nan"), device=device, dtype=dtype) for _ in range(2)]
    a = stored[0].t() if layout[0] == "t" else stored[0]
    as_seen = lambda t: t.t() if layout[1] == "t" else t  # noqa: E731
    b = as_seen(stored[1])
    if epilogue != PAIR:
        return (a, b, stored[2], *results), stored
    both = torch.cat(stored[1:], dim=0 if layout[1] == "t" else 1)
    return (a, b, as_seen(stored[2]), *results, as_seen(both), torch.empty((m, 2 * n), device=device, dtype=dtype)), stored


def measure_product(torch, device, streams, kernel, product, family, meter):
    """The result of one product."""
    element, layout, epilogue = family
    m, n, k = product
    stream, ours_stream = streams
    place = torch.device("cuda", torch.cuda.current_device())
    count = min(256, ROTATE_BYTES // (2 * (m * k + k * n + m * n)) + 1)
    sets, first = [], None
    for _ in range(count):
        made, stored = make_set(torch, place, product, element, layout, epilogue, first)
        first = first or stored
        sets.append((made, stored))
    torch.cuda.synchronize()
    launches_of = []
    for made, stored in sets:
        inputs = stored if epilogue != "none" else stored[:2]
        launches_of.append(device.prepare(kernel, [wrapped(device, t) for t in (*inputs, made[3])]))
    variant = device.variant(launches_of[0])
    call_ours = lambda launch: device.enqueue(ours_stream, launch)  # noqa: E731
    made_sets = [made for made, _ in sets]
    candidates = product_candidates(torch, epilogue)
    way = fastest(torch, stream, candidates, made_sets)
    if not way:
        end(3, f"PyTorch runs none of its ways to {family} {product}")
    short = Graph(torch, stream, repeated(call_ours, launches_of, count))
    launches = turns.launches_for(turns.median([short.replay() for _ in range(5)]) / count, count)
    ours = Graph(torch, stream, repeated(call_ours, launches_of, launches))
    theirs = Graph(torch, stream, repeated(candidates[way], made_sets, launches))
    made_sets[0][3].fill_(float("nan"))
    torch.cuda.synchronize()  # another stream than PyTorch's own replays
    ours.replay()
    theirs.replay()
    torch.cuda.synchronize()
    rows = torch.unique(torch.cat((torch.tensor([0, m - 1]), torch.randint(0, m, (CHECKED_ROWS,))))).to(place)
    a, b, third, our_result = made_sets[0][:4]
    exact, allowed = reference(torch, a[rows], b, third if epilogue != "none" else None, epilogue)
    name = f"gemm {element}:{element}:f32:{element} {layout} {epilogue}"
    check(torch, our_result[rows], exact, allowed, f"{name} {m}x{n}x{k}")
    with torch.cuda.stream(stream):
        their_result = candidates[way](made_sets[0])
    torch.cuda.synchronize()
    peer = {"name": f"torch {torch.__version__}", "kernel": way, "candidates": len(candidates), "difference": difference(our_result, their_result)}
    peer.update(turns.in_turns(ours.replay, theirs.replay, launches, meter))
    flops = 2.0 * m * n * k * (2 if epilogue == PAIR else 1)
    return {
        "name": name,
        "kernel": "gemm",
        "shape": f"{m}x{n}x{k}",
        "batch": 0,
        "types": f"{element}:{element}:f32:{element}",
        "layout": layout,
        "epilogue": epilogue,
        "variant": variant,
        "verdict": "passed",
        "coverage": f"{len(rows)} rows",
        "flops": flops,
        "gpu_ns": {**peer["ours_ns"], "samples": [peer["ours_ns"]["samples"]]},
        "tflops": flops / peer["ours_ns"]["median"] * 1e-3,
        "input_sets": count,
        "peer": peer,
    }


def table_row(entry):
    peer = entry["peer"]
    speed = [f"{entry['flops'] / peer[side]['median'] * 1e-3:.1f}" for side in ("ours_ns", "theirs_ns")]
    return [entry["name"], entry["shape"], turns.microseconds(peer["ours_ns"]["median"]), speed[0], peer["kernel"], turns.microseconds(peer["theirs_ns"]["median"]), speed[1], turns.ratio_text(peer)]


def run(options):
    try:
        import torch
    except ImportError as error:
        end(3, f"PyTorch cannot be imported ({error}): pip install torch")
    if not torch.cuda.is_available():
        end(3, "PyTorch sees no CUDA GPU; torch.cuda.is_available() says no")
    number = int(options.device.split(":")[1]) if ":" in options.device else 0
    torch.cuda.set_device(number)
    torch.zeros(1, device="cuda")  # its primary context is there before the runtime asks for it
    device = Device(library_path(options.bin), f"cuda:{number}")
    meter = turns.PowerMeter(device.info.device_uuid)
    stream = torch.cuda.Stream()
    streams = stream, device.wrap_stream(stream.cuda_stream)
    results = []
    rows = [["kernel", "shape", "ours", "TFLOP/s", "PyTorch's", "theirs", "TFLOP/s", "theirs / ours [95 %]"]]
    for family in families(options) if options.shapes else []:
        kernel = device.kernel(our_bundle(options, *family))
        for product in options.shapes:
            results.append(measure_product(torch, device, streams, kernel, product, family, meter))
            rows.append(table_row(results[-1]))
            say("  ".join(rows[-1]))
            torch.cuda.empty_cache()
    ratios = [r["peer"]["ratio"] for r in results]
    for shape in options.attention:
        for element in options.types:
            for region in options.region:
                for entry in torch_attention.measure(torch, device, streams, options, shape, element, region, meter):
                    results.append(entry)
                    rows.append(table_row(entry))
                    say("  ".join(rows[-1]))
                torch.cuda.empty_cache()
    print(turns.table(rows))
    if ratios:
        print(f"geometric mean of theirs / ours over products: {turns.geometric_mean(ratios):.3f}")
    if options.json:
        version, commit = bench_version(options.bin)
        turns.write_json(options.json, turns.session(device.describe(), version or device.version(), commit, results))


def main():
    options = parse()
    try:
        if options.prepare:
            for family in families(options) if options.shapes else []:
                our_bundle(options, *family)
            for depth in sorted({shape[-1] for shape in options.attention}):
                for element in options.types:
                    for name in {n for r in options.region for n in (r, torch_attention.REGIONS[r].plain())}:
                        torch_attention.our_bundle(options, name, element, depth)
            return
        run(options)
    except HeliosError as error:
        end(error.status, str(error))


if __name__ == "__main__":
    sys.exit(main())
