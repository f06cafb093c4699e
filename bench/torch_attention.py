# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention beside PyTorch's: plain and causal beside cuDNN and FlashAttention, regions of score and mask beside compiled FlexAttention.

A region is measured beside our own kernel without it, too: what it costs. Ours are the examples of the same names, with the depth and the element
type that are asked for.
"""

import atexit
import math
import os
import re
import shutil
import struct
import tempfile

import turns
from helios_ctypes import compiled
from torch_graphs import ROTATE_BYTES, TYPES, Graph, difference, repeated, wrapped
from turns import end, say

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")
CAP = 50.0  # of soft-capping
WINDOW = 1024  # keys that a query sees, its own included, and keys that all queries see
DOCUMENTS = 8  # in a sequence


class Region:
    """One description: its example, what it takes besides query, key and value, and the same for PyTorch."""

    def __init__(self, example, causal, extents=(), make=None, score=None, mask=None):
        self.example, self.causal, self.extents = example, causal, extents
        self.make = make or (lambda torch, q: ())  # further tensors and scalars
        self.score, self.mask = score, mask  # of (torch, extras), for FlexAttention and for the reference

    def plain(self):
        return "causal" if self.causal else "full"


def slopes(torch, q):
    heads = q.shape[1]
    return (torch.tensor([2.0 ** (-8 * (h + 1) / heads) for h in range(heads)], device=q.device).reshape(heads, 1, 1),)


def bias(torch, q):
    _, heads, length, _ = q.shape
    return (torch.randn((heads, length, length), device=q.device, dtype=q.dtype),)


def one_document(torch, q):
    """One document: the mask skips nothing that the causal one keeps."""
    batch, _, length, _ = q.shape
    return (torch.zeros((batch, 1, length, 1), device=q.device, dtype=torch.int32), torch.zeros((batch, 1, 1, length), device=q.device, dtype=torch.int32))


def documents(torch, q):
    """Documents of random lengths, one behind the other, other ones in each sequence of the batch, but the same in each run: they say how much is seen."""
    batch, _, length, _ = q.shape
    generator = torch.Generator(device=q.device).manual_seed(length)
    cuts = torch.randint(1, length, (batch, 1, DOCUMENTS - 1), generator=generator, device=q.device)
    of = (torch.arange(length, device=q.device)[None, :, None] >= cuts).sum(dim=2, dtype=torch.int32)
    return (of.reshape(batch, 1, length, 1), of.reshape(batch, 1, 1, length))


def same_document(torch, extra):
    return lambda b, h, i, j: extra[0][b, 0, i, 0] == extra[1][b, 0, 0, j]


REGIONS = {
    "full": Region("attention", False),
    "causal": Region("attention_causal", True),
    "alibi": Region("attention_alibi", True, ("1x1x1",), slopes, score=lambda torch, extra: lambda s, b, h, i, j: s + extra[0][h, 0, 0] * (j - i)),
    "softcap": Region("attention_softcap", False, (), lambda torch, q: (CAP,), score=lambda torch, extra: lambda s, b, h, i, j: CAP * torch.tanh(s / CAP)),
    "bias": Region("attention_bias", False, ("1x64x64",), bias, score=lambda torch, extra: lambda s, b, h, i, j: s + extra[0][h, i, j]),
    "documents": Region("attention_documents", True, ("1x1x64x1", "1x1x1x64"), one_document, mask=same_document),
    "documents_apart": Region("attention_documents", True, ("1x1x64x1", "1x1x1x64"), documents, mask=same_document),
    "window": Region("attention_window", True, (), lambda torch, q: (WINDOW,), mask=lambda torch, extra: lambda b, h, i, j: j > i - extra[0]),
    "prefix": Region("attention_prefix", False, (), lambda torch, q: (WINDOW,), mask=lambda torch, extra: lambda b, h, i, j: (j < extra[0]) | (j <= i)),
}


def description(region, element, depth):
    """The example, of another depth and element type."""
    with open(os.path.join(EXAMPLES, region.example + ".mlir"), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"x\d+xb?f16>", f"x{depth}x{element}>", text)
    return re.sub(r"b?f16(?![0-9a-z])", element, text)


def our_bundle(options, name, element, depth):
    """Path of a bundle that helios-bench compiles, or finds in the cache."""
    region = REGIONS[name]
    folder = tempfile.mkdtemp(prefix="helios-compare-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    text = os.path.join(folder, f"{region.example}.mlir")
    with open(text, "w", encoding="utf-8") as file:
        file.write(description(region, element, depth))
    extents = [f"1x1x64x{depth}"] * 3 + list(region.extents)
    flags = ["--schedule", options.schedule] if options.schedule else []
    return compiled(options.bin, options.bundle_cache, ["run", text, "--shapes", ",".join(extents), "--target", options.target, *flags])


def masks(torch, region, extra):
    """What keeps a pair of a query and a key, or nothing where all are kept."""
    parts = [lambda b, h, i, j: i >= j] if region.causal else []
    parts += [region.mask(torch, extra)] if region.mask else []
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else lambda b, h, i, j: parts[0](b, h, i, j) & parts[1](b, h, i, j)


def kept(torch, region, extra, batch, length, place):
    """The part of all pairs of a query and a key that is kept."""
    if not region.mask:
        return 0.5 if region.causal else 1.0
    i, j = torch.arange(length, device=place)[:, None], torch.arange(length, device=place)[None, :]
    keep = masks(torch, region, extra)
    return sum(float(keep(b, 0, i, j).double().mean()) for b in range(batch)) / batch


def through_flex(torch, region, sets, extra):
    """FlexAttention as its documentation says: compiled, with a block mask that is made outside the time."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    batch, heads, length, _ = sets[0][0].shape
    keep = masks(torch, region, extra)
    blocks = create_block_mask(keep, batch, heads, length, length, device=sets[0][0].device) if keep else None
    score = region.score(torch, extra) if region.score else None
    kernel = torch.compile(flex_attention, dynamic=False)
    return lambda s: kernel(*s, score_mod=score, block_mask=blocks, enable_gqa=s[0].shape[1] != s[1].shape[1])


def through_library(torch, backend, causal):
    from torch.nn.attention import sdpa_kernel

    def call(s):
        with sdpa_kernel(backend):
            grouped = s[0].shape[1] != s[1].shape[1]
            return torch.nn.functional.scaled_dot_product_attention(*s, is_causal=causal, enable_gqa=grouped)

    return call


def candidates(torch, region, sets, extra):
    """PyTorch's kernels for a set (q, k, v), by name."""
    if region.score or region.mask:
        return {"FlexAttention": through_flex(torch, region, sets, extra)}
    from torch.nn.attention import SDPBackend

    causal = region.causal
    ways = {
        "cuDNN": through_library(torch, SDPBackend.CUDNN_ATTENTION, causal),
        "FlashAttention-2": through_library(torch, SDPBackend.FLASH_ATTENTION, causal),
    }
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


def reference(torch, region, tensors, extra):
    """The result of the first head of the first batch, in double precision."""
    q, k, v = (t[0, 0].double() for t in tensors)
    scores = q @ k.T / math.sqrt(q.shape[1])
    i, j = torch.arange(len(q), device=q.device)[:, None], torch.arange(len(k), device=q.device)[None, :]
    if region.score:
        scores = region.score(torch, extra)(scores, 0, 0, i, j)
    keep = masks(torch, region, extra)
    if keep:
        scores = scores.masked_fill(~keep(0, 0, i, j), -math.inf)
    return scores.softmax(dim=1) @ v


class Ours:
    """Our kernel on the sets, and what it gives for the first."""

    def __init__(self, torch, device, stream, bundle, sets, extra):
        values = [struct.unpack("<I", struct.pack("<f", t))[0] if isinstance(t, float) else t if isinstance(t, int) else wrapped(device, t) for t in extra]
        results = [torch.full_like(q, float("nan")) for q, _, _ in sets]
        kernel = device.kernel(bundle)
        self.launches = [device.prepare(kernel, [*(wrapped(device, t) for t in s), *values, wrapped(device, r)]) for s, r in zip(sets, results)]
        self.results, self.variant = results, device.variant(self.launches[0])
        self.call = lambda launch: device.enqueue(stream, launch)


def measure(torch, device, streams, options, shape, element, name, meter):
    """Results of one region beside each peer that runs."""
    region = REGIONS[name]
    batch, heads, key_heads, length, depth = shape
    dtype, place = getattr(torch, TYPES[element]), torch.device("cuda", torch.cuda.current_device())
    size = 2 * depth * length * batch * (heads + key_heads)
    count = min(64, ROTATE_BYTES // (2 * size) + 1)
    sets = [tuple(torch.randn((batch, h, length, depth), device=place, dtype=dtype) for h in (heads, key_heads, key_heads)) for _ in range(count)]
    extra = region.make(torch, sets[0][0])
    flops = 4.0 * batch * heads * length * length * depth * kept(torch, region, extra, batch, length, place)
    text, title = "x".join(map(str, shape)), f"attention {element} {name}"
    stream, ours_stream = streams
    ours = Ours(torch, device, ours_stream, our_bundle(options, name, element, depth), sets, extra)
    exact = reference(torch, region, sets[0], extra)

    def graphs():
        """Peers: (name, graph, launches in it, their result)."""
        for way, call in candidates(torch, region, sets, extra).items():
            try:
                short = Graph(torch, stream, repeated(call, sets, count))
                launches = turns.launches_for(turns.median([short.replay() for _ in range(3)]) / count, count)
                graph = Graph(torch, stream, repeated(call, sets, launches))
                with torch.cuda.stream(stream):
                    result = call(sets[0])
                torch.cuda.synchronize()
            except (RuntimeError, TypeError, ValueError, AttributeError, ImportError) as error:
                say(f"{way} is left out: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
                torch.cuda.synchronize()
                continue
            yield f"torch {torch.__version__}", way, graph, launches, result
        if name != region.plain():
            plain = Ours(torch, device, ours_stream, our_bundle(options, region.plain(), element, depth), sets, ())
            short = Graph(torch, stream, repeated(plain.call, plain.launches, count))
            launches = turns.launches_for(turns.median([short.replay() for _ in range(3)]) / count, count)
            yield "Helios", f"ours, {region.plain()}", Graph(torch, stream, repeated(plain.call, plain.launches, launches)), launches, None

    rows = []
    for peer_name, way, theirs, launches, their_result in graphs():
        peer = {"name": peer_name, "kernel": way}
        if their_result is not None:  # a peer that is wrong is no peer
            error = peer["reference_difference"] = difference(exact, their_result[0, 0])
            if not error < 0.05:
                end(1, f"{way}'s attention differs from the reference by {error:.2g} of its largest element")
        our_graph = Graph(torch, stream, repeated(ours.call, ours.launches, launches))
        our_graph.replay()
        if not difference(exact, ours.results[0][0, 0]) < 0.05:
            end(1, f"{title} {text}: our result is wrong")
        peer.update(turns.in_turns(our_graph.replay, theirs.replay, launches, meter))
        rows.append({
            "name": title, "kernel": "attention", "shape": text, "types": element, "variant": ours.variant, "verdict": "passed", "coverage": "one head", "flops": flops,
            "gpu_ns": {**peer["ours_ns"], "samples": [peer["ours_ns"]["samples"]]}, "tflops": flops / peer["ours_ns"]["median"] * 1e-3, "peer": peer,
        })
    return rows
