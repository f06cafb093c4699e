#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Products and attention beside PyTorch, in turns, on PyTorch's own memory and stream.

  compare_torch.py [flags]            measures; needs a CUDA GPU and PyTorch
  compare_torch.py --prepare [flags]  compiles our bundles into --bundle-cache, without either

Products: the fastest of PyTorch's ways to the same result (torch.mm, addmm, its fused activations). Attention: cuDNN and FlashAttention-2 through
scaled_dot_product_attention, and FlashAttention-4 where flash_attn.cute can be imported. Both sides are captured into graphs of the same length
over rotating inputs and replayed ours, theirs, theirs, ours. Rows of our results are checked in double precision. Exit status: 0 done, 1 a wrong
result, 2 usage, 3 something is missing here (PyTorch, a CUDA GPU, a bundle), 4 the device failed.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile

import turns
from helios_ctypes import Device, HeliosError, Tensor, bench_version, bundle_of, library_path
from turns import end, say

TYPES = {"f16": "float16", "bf16": "bfloat16"}
EPILOGUES = ("none", "bias", "bias+relu", "bias+gelu", "bias+gelu_tanh")
ROTATE_BYTES = 256 << 20
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
    parser.add_argument("--full", action="store_true", help="attention without the causal mask")
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
    for flag, known in (("types", TYPES), ("layout", ("nn", "nt", "tn", "tt")), ("epilogue", EPILOGUES)):
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


def attention_text(element, depth, causal):
    """Attention of any batch, heads and lengths, as level-1 text."""
    t = f"tensor<?x?x?x{depth}x{element}>"
    mask = " mask {\n  ^bb0(%b: index, %h: index, %i: index, %j: index):\n    %keep = arith.cmpi ule, %j, %i : index\n    helios.yield %keep : i1\n  }"
    return (
        f"helios.kernel @attention(%q: {t}, %k: {t}, %v: {t}) -> {t} {{\n"
        f"  %o = helios.attention %q, %k, %v : ({t}, {t}, {t}) -> {t} acc f32{mask if causal else ''}\n"
        f"  helios.return %o : {t}\n}}\n"
    )


def our_attention(options, element, depth):
    """Path of a bundle, or nothing and why the compiler makes none."""
    compiler = os.path.join(options.bin, "helios-compile")
    if not os.path.exists(compiler):
        return "", "not lowered yet (no compiler here to ask)"
    folder = tempfile.mkdtemp(prefix="helios-compare-")
    text, bundle = os.path.join(folder, "attention.mlir"), os.path.join(folder, "attention.hlx")
    with open(text, "w", encoding="utf-8") as file:
        file.write(attention_text(element, depth, not options.full))
    done = subprocess.run([compiler, text, f"--target={options.target}", "-o", bundle], capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error: " in line]
        return "", f"not lowered yet ({errors[0].split('error: ', 1)[1] if errors else f'helios-compile ended with {done.returncode}'})"
    return bundle, ""


class Graph:
    """What a function enqueues on a stream of PyTorch's; replay() gives nanoseconds."""

    def __init__(self, torch, stream, work):
        self.torch, self.stream = torch, stream
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.stream(stream):
            work(1)  # libraries set themselves up outside of the capture
            stream.synchronize()
            with torch.cuda.graph(self.graph, stream=stream, capture_error_mode="thread_local"):
                work(None)

    def replay(self):
        begin, finish = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        with self.torch.cuda.stream(self.stream):
            begin.record()
            self.graph.replay()
            finish.record()
        finish.synchronize()
        return begin.elapsed_time(finish) * 1e6


def repeated(call, sets, launches):
    """Work for a Graph: `launches` calls over the sets, or the number that is asked for."""

    def work(count):
        for i in range(launches if count is None else count):
            call(sets[i % len(sets)])

    return work


def fastest(torch, stream, candidates, sets):
    """The fastest of several ways, by name; those that PyTorch refuses are left out."""
    timed = []
    for name, call in candidates.items():
        try:
            short = Graph(torch, stream, repeated(call, sets, len(sets)))
            launches = turns.launches_for(turns.median([short.replay() for _ in range(3)]) / len(sets), len(sets))
            graph = Graph(torch, stream, repeated(call, sets, launches))
            timed.append((turns.median([graph.replay() for _ in range(5)]) / launches, name))
        except (RuntimeError, TypeError, ValueError, AttributeError) as error:
            say(f"{name} is left out: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
            torch.cuda.synchronize()
    return min(timed)[1] if timed else None


def product_candidates(torch, epilogue):
    """PyTorch's ways to D of a set (a, b, bias, ours, theirs), by name."""
    functional = torch.nn.functional
    if epilogue == "none":
        return {"torch.mm": lambda s: torch.mm(s[0], s[1], out=s[4])}
    if epilogue == "bias":
        return {"torch.addmm": lambda s: torch.addmm(s[2], s[0], s[1], out=s[4])}
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


def reference(torch, a, b, bias, epilogue):
    """Rows of the result in double precision, and what the roundings of a kernel may change."""
    a, b = a.double(), b.double()
    k = a.shape[1]
    exact = a @ b
    allowed = 8 / math.sqrt(k) * k * 2.0**-24 * a.norm(dim=1)[:, None] * b.norm(dim=0)[None, :]
    if bias is not None:
        exact = exact + bias.double()
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


def difference(ours, theirs):
    """The largest, relative to the largest of ours."""
    return float((ours.double() - theirs.double()).abs().max() / ours.double().abs().max().clamp(min=1e-30))


def make_set(torch, device, product, element, layout, first):
    """(a, b, bias, ours, theirs): a and b as seen by the product, stored as the layout says."""
    m, n, k = product
    dtype = getattr(torch, TYPES[element])
    if first:
        stored = [t.clone() for t in first]
    else:
        stored = [torch.rand(e, device=device).mul_(2).sub_(1).to(dtype) for e in ((k, m) if layout[0] == "t" else (m, k), (n, k) if layout[1] == "t" else (k, n), (n,))]
    results = [torch.full((m, n), float("nan"), device=device, dtype=dtype) for _ in range(2)]
    a = stored[0].t() if layout[0] == "t" else stored[0]
    b = stored[1].t() if layout[1] == "t" else stored[1]
    return (a, b, stored[2], *results), stored


def wrapped(device, tensor):
    return Tensor(device.wrap(tensor.data_ptr(), tensor.numel() * tensor.element_size()), list(tensor.shape))


def measure_product(torch, device, streams, kernel, product, family, meter):
    """The result of one product."""
    element, layout, epilogue = family
    m, n, k = product
    stream, ours_stream = streams
    place = torch.device("cuda", torch.cuda.current_device())
    count = min(256, ROTATE_BYTES // (2 * (m * k + k * n + m * n)) + 1)
    sets, first = [], None
    for _ in range(count):
        made, stored = make_set(torch, place, product, element, layout, first)
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
    a, b, bias, our_result, _ = made_sets[0]
    exact, allowed = reference(torch, a[rows], b, bias if epilogue != "none" else None, epilogue)
    name = f"gemm {element}:{element}:f32:{element} {layout} {epilogue}"
    check(torch, our_result[rows], exact, allowed, f"{name} {m}x{n}x{k}")
    with torch.cuda.stream(stream):
        their_result = candidates[way](made_sets[0])
    torch.cuda.synchronize()
    peer = {"name": f"torch {torch.__version__}", "kernel": way, "candidates": len(candidates), "difference": difference(our_result, their_result)}
    peer.update(turns.in_turns(ours.replay, theirs.replay, launches, meter))
    flops = 2.0 * m * n * k
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


def attention_candidates(torch, causal):
    """PyTorch's kernels of attention for a set (q, k, v), by name."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def through(backend):
        def call(s):
            with sdpa_kernel(backend):
                grouped = s[0].shape[1] != s[1].shape[1]
                return torch.nn.functional.scaled_dot_product_attention(*s, is_causal=causal, enable_gqa=grouped)

        return call

    ways = {"cuDNN": through(SDPBackend.CUDNN_ATTENTION), "FlashAttention-2": through(SDPBackend.FLASH_ATTENTION)}
    try:
        from flash_attn.cute import flash_attn_func
    except ImportError as error:
        say(f"FlashAttention-4 is left out: flash_attn.cute cannot be imported ({error}); pip install flash-attn-4")
        return ways

    def newest(s):
        result = flash_attn_func(*(t.transpose(1, 2) for t in s), causal=causal)
        return (result[0] if isinstance(result, tuple) else result).transpose(1, 2)

    ways["FlashAttention-4"] = newest
    return ways


def measure_attention(torch, device, streams, options, shape, element, meter):
    """Results of each peer that runs; with ours beside, once it can be compiled."""
    batch, heads, key_heads, length, depth = shape
    causal = not options.full
    dtype, place = getattr(torch, TYPES[element]), torch.device("cuda", torch.cuda.current_device())
    size = 2 * depth * length * batch * (heads + key_heads)
    count = min(64, ROTATE_BYTES // (2 * size) + 1)
    sets = [tuple(torch.randn((batch, h, length, depth), device=place, dtype=dtype) for h in (heads, key_heads, key_heads)) for _ in range(count)]
    flops = 4.0 * batch * heads * length * length * depth / (2 if causal else 1)
    name = f"attention {element} {'causal' if causal else 'full'}"
    text = "x".join(map(str, shape))
    bundle, why = our_attention(options, element, depth)
    ours = result = None
    stream, ours_stream = streams
    if bundle:
        results = [torch.full_like(q, float("nan")) for q, _, _ in sets]
        kernel = device.kernel(bundle)
        prepared = [device.prepare(kernel, [wrapped(device, t) for t in (*s, r)]) for s, r in zip(sets, results)]
        ours, result = (lambda launch: device.enqueue(ours_stream, launch)), results[0]
    rows = []
    for way, call in attention_candidates(torch, causal).items():
        try:
            short = Graph(torch, stream, repeated(call, sets, count))
            launches = turns.launches_for(turns.median([short.replay() for _ in range(3)]) / count, count)
            theirs = Graph(torch, stream, repeated(call, sets, launches))
            with torch.cuda.stream(stream):
                their_result = call(sets[0])
            torch.cuda.synchronize()
        except (RuntimeError, TypeError, ValueError, AttributeError) as error:
            say(f"{way} is left out: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
            torch.cuda.synchronize()
            continue
        # A few rows of one head, in double precision: a peer that is wrong is no peer.
        q, k, v = (t[0, 0].double() for t in sets[0])
        scores = q @ k.T / math.sqrt(depth)
        if causal:
            scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
        exact = scores.softmax(dim=1) @ v
        error = difference(exact, their_result[0, 0])
        if not error < 0.05:
            end(1, f"{way}'s attention differs from the reference by {error:.2g} of its largest element")
        peer = {"name": f"torch {torch.__version__}", "kernel": way, "reference_difference": error}
        entry = {"name": name, "kernel": "attention", "shape": text, "types": element, "flops": flops, "verdict": "not verified", "reason": f"ours: {why}"}
        if ours:
            our_graph = Graph(torch, stream, repeated(ours, prepared, launches))
            our_graph.replay()
            if not difference(exact, result[0, 0]) < 0.05:
                end(1, f"{name} {text}: our result is wrong")
            peer.update(turns.in_turns(our_graph.replay, theirs.replay, launches, meter))
            entry.update(verdict="passed", reason="", gpu_ns={**peer["ours_ns"], "samples": [peer["ours_ns"]["samples"]]})
            entry["tflops"] = flops / peer["ours_ns"]["median"] * 1e-3
        else:
            begin = turns.time.monotonic()
            while turns.time.monotonic() - begin < turns.SETTLE_SECONDS:
                theirs.replay()
            times = [theirs.replay() / launches for _ in range(turns.ROUNDS)]
            peer["theirs_ns"] = {**turns.summarize(times), "samples": times}
            peer["launches_a_replay"] = launches
            entry["gpu_ns"] = None
        entry["peer"] = peer
        rows.append(entry)
    return rows, why


def table_row(entry, why=""):
    peer = entry["peer"]
    ours = turns.microseconds(peer["ours_ns"]["median"]) if "ours_ns" in peer else f"ours: {why}"
    speed = [f"{entry['flops'] / peer[side]['median'] * 1e-3:.1f}" if side in peer else "-" for side in ("ours_ns", "theirs_ns")]
    ratio = turns.ratio_text(peer) if "ratio" in peer else "-"
    return [entry["name"], entry["shape"], ours, speed[0], peer["kernel"], turns.microseconds(peer["theirs_ns"]["median"]), speed[1], ratio]


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
            entries, why = measure_attention(torch, device, streams, options, shape, element, meter)
            for entry in entries:
                results.append(entry)
                rows.append(table_row(entry, why))
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
            for family in families(options):
                our_bundle(options, *family)
            return
        run(options)
    except HeliosError as error:
        end(error.status, str(error))


if __name__ == "__main__":
    sys.exit(main())
