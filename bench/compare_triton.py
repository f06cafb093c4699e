#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Products beside Triton's, in turns, with both held to code of one architecture.

  compare_triton.py [flags]            measures; needs a CUDA GPU, numpy, and Triton or kernels made by --prepare
  compare_triton.py --prepare [flags]  compiles our bundles and Triton's kernels into --kernels, without a GPU

Triton's kernel (triton_matmul.py) is compiled for --capability with every configuration whose shared memory such a processor has; its PTX is loaded
on this card. For each product the fastest configuration is taken and measured in turns with our bundle for the same architecture: graphs of the
same length over rotating inputs, ours, theirs, theirs, ours. Rows of both results are checked in double precision. Exit status: 0 done, 1 a wrong
result, 2 usage, 3 something is missing here (Triton, numpy, a CUDA GPU, a bundle), 4 the device failed.
"""

import argparse
import concurrent.futures
import ctypes
import json
import os
import sys

import turns
from helios_ctypes import Device, HeliosError, Tensor, bench_version, bundle_of, library_path
from turns import end, say

# Shared memory that one workgroup can have, by capability.
SHARED_BYTES = {80: 163 * 1024, 86: 99 * 1024, 89: 99 * 1024}
ELEMENTS = {"f16": 2, "bf16": 2}
ROTATE_BYTES = 256 << 20
# Configurations that a short trial leaves for a long one.
FINALISTS = 4
CHECKED_ROWS = 64


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", default="1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192", help="MxNxK[,...], multiples of 256")
    parser.add_argument("--types", default="f16,bf16", help="of all three matrices: f16, bf16, or both (default)")
    parser.add_argument("--layout", default="nn,nt", help="nn, nt, tn, tt (default nn,nt)")
    parser.add_argument("--capability", type=int, default=89, help="of the code on both sides: 80, 86 or 89 (default)")
    parser.add_argument("--schedule", default="", help="of our kernel, as for helios-bench")
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../build/bin"), help="folder of the tools")
    parser.add_argument("--device", default="cuda", help="cuda[:N]")
    parser.add_argument("--bundle-cache", default="", help="of our bundles, as for helios-bench")
    parser.add_argument("--kernels", default="", help="folder of Triton's compiled kernels (default: in the user's cache folder)")
    parser.add_argument("--configurations", type=int, default=0, help="only the first N of Triton's")
    parser.add_argument("--prepare", action="store_true", help="compile only")
    parser.add_argument("--json", default="", help="everything, raw samples included, in the form of helios-bench --json")
    options = parser.parse_args()
    options.products = []
    for text in options.shapes.split(","):
        try:
            m, n, k = map(int, text.split("x"))
        except ValueError:
            end(2, f"--shapes: expected MxNxK[,...], got '{text}'")
        if min(m, n, k) < 256 or m % 256 or n % 256 or k % 256:
            end(2, f"--shapes: expected multiples of 256, as Triton's kernel checks no bounds, got '{text}'")
        options.products.append((m, n, k))
    options.types, options.layout = options.types.split(","), options.layout.split(",")
    for element in options.types:
        if element not in ELEMENTS:
            end(2, f"--types: expected f16 or bf16, got '{element}'")
    for layout in options.layout:
        if layout not in ("nn", "nt", "tn", "tt"):
            end(2, f"--layout: expected nn, nt, tn or tt, got '{layout}'")
    if options.capability not in SHARED_BYTES:
        end(2, f"--capability: expected 80, 86 or 89, got {options.capability}")
    if not options.kernels:
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/tmp"), ".cache")
        options.kernels = os.path.join(cache, "helios", "triton")
    turns.check_writable(options.json)
    return options


def our_bundle(options, element, layout):
    types = f"{element}:{element}:f32:{element}"
    return bundle_of(options.bin, options.bundle_cache, types, layout, "none", f"cuda:sm_{options.capability}", options.schedule)


def compile_kernels(options):
    """Compiles what the folder lacks; ends with 3 if Triton is missing and the folder has nothing."""
    os.makedirs(options.kernels, exist_ok=True)
    os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")
    try:
        import triton_matmul
    except ImportError as error:
        if found_kernels(options, options.types[0], options.layout[0]):
            return
        end(3, f"Triton cannot be imported ({error}), and {options.kernels} holds no kernels of it: pip install triton, or bring kernels made with --prepare")
    configurations = triton_matmul.CONFIGURATIONS[: options.configurations or None]
    jobs = [
        (options.capability, element, layout, configuration, options.kernels)
        for element in options.types
        for layout in options.layout
        for configuration in configurations
        if not os.path.exists(os.path.join(options.kernels, triton_matmul.file_name(options.capability, element, layout, configuration)) + ".json")
    ]
    if not jobs:
        return
    say(f"compiling {len(jobs)} kernels of Triton")
    with concurrent.futures.ProcessPoolExecutor() as pool:
        problems = [text for text in pool.map(triton_matmul.compile_one, jobs) if text]
    for text in problems:
        say(f"left out: {text}")
    if len(problems) == len(jobs):
        end(3, f"Triton compiles none of its configurations for capability {options.capability}")


def found_kernels(options, element, layout):
    """Compiled kernels by their names, without those that the processor has no shared memory for."""
    found = {}
    prefix = f"triton-sm{options.capability}-{element}-{layout}-"
    for name in sorted(os.listdir(options.kernels)):
        if name.startswith(prefix) and name.endswith(".json"):
            with open(os.path.join(options.kernels, name), encoding="utf-8") as file:
                kernel = json.load(file)
            kernel["path"] = os.path.join(options.kernels, name[:-5] + ".ptx")
            kernel["tile"] = [int(part) for part in name[len(prefix) : -5].split("x")]
            if kernel["shared_bytes"] <= SHARED_BYTES[options.capability]:
                found[name[len(prefix) : -5]] = kernel
    return dict(list(found.items())[: options.configurations or None])


class Cuda:
    """The driver's functions that launch foreign PTX in the context that the runtime uses."""

    def __init__(self, uuid):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.functions = {}
        self.call("cuInit", 0)
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        for n in range(count.value):
            device, own = ctypes.c_int(), (ctypes.c_uint8 * 16)()
            self.call("cuDeviceGet", ctypes.byref(device), n)
            self.call("cuDeviceGetUuid_v2", own, device)
            if bytes(own) == bytes(uuid):
                break
        else:
            raise HeliosError(4, "the driver knows no device of the runtime's UUID")
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(code, ctypes.byref(text))
            raise HeliosError(4, f"{name}: {(text.value or b'').decode()} ({code})")

    def function(self, kernel):
        """Compiled by the driver once, for all products."""
        if kernel["path"] not in self.functions:
            self.functions[kernel["path"]] = self.load(kernel)
        return self.functions[kernel["path"]]

    def load(self, kernel):
        with open(kernel["path"], "rb") as file:
            text = file.read() + b"\0"
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), text)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel["entry"].encode())
        max_dynamic_shared = 8
        self.call("cuFuncSetAttribute", function, max_dynamic_shared, kernel["shared_bytes"])
        return function


class TritonProduct:
    """One configuration on a stream."""

    def __init__(self, cuda, kernel, product, layout):
        self.cuda, self.kernel = cuda, kernel
        self.function = cuda.function(kernel)
        m, n, k = product
        rows, columns = kernel["tile"][:2]
        self.grid = -(-m // rows) * -(-n // columns)
        leading = (m if layout[0] == "t" else k, k if layout[1] == "t" else n, n)
        self.integers = [ctypes.c_int32(v) for v in (m, n, k, *leading)]
        self.scratch = [ctypes.c_uint64(0) for _ in range(kernel["scratch_parameters"])]

    def launch(self, stream, addresses):
        values = [ctypes.c_uint64(a) for a in addresses] + self.integers + self.scratch
        parameters = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
        c = ctypes.c_uint
        shape = (c(self.grid), c(1), c(1), c(self.kernel["threads"]), c(1), c(1), c(self.kernel["shared_bytes"]))
        self.cuda.call("cuLaunchKernel", self.function, *shape, ctypes.c_void_p(stream), parameters, None)


def encode(numpy, values, element):
    """Bytes of float32 numbers in a type, rounded to nearest even, and the rounded numbers."""
    if element == "f16":
        rounded = values.astype(numpy.float16)
        return rounded.tobytes(), rounded.astype(numpy.float32)
    bits = values.view(numpy.uint32)
    short = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return short.tobytes(), (short.astype(numpy.uint32) << 16).view(numpy.float32)


def decode(numpy, data, element):
    if element == "f16":
        return numpy.frombuffer(data, numpy.float16).astype(numpy.float64)
    return (numpy.frombuffer(data, numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)


def wrong_rows(numpy, a, b, result, rows, element):
    """Elements of these rows that are further from the product than its roundings explain; a and b are untransposed float32."""
    exact = a[rows].astype(numpy.float64) @ b.astype(numpy.float64)
    norms = numpy.linalg.norm(a[rows].astype(numpy.float64), axis=1)[:, None] * numpy.linalg.norm(b.astype(numpy.float64), axis=0)[None, :]
    unit = 2.0**-11 if element == "f16" else 2.0**-8
    allowed = 8 / numpy.sqrt(a.shape[1]) * a.shape[1] * 2.0**-24 * norms + unit * numpy.abs(exact)
    return int(numpy.count_nonzero(~(numpy.abs(result[rows] - exact) <= allowed)))


class Comparison:
    """One product on the device: inputs in rotation, both sides."""

    def __init__(self, device, cuda, stream, numpy, product, element, layout):
        self.device, self.cuda, self.stream, self.numpy = device, cuda, stream, numpy
        self.product, self.element, self.layout = product, element, layout
        m, n, k = product
        random = numpy.random.default_rng(1)
        stored = [(k, m) if layout[0] == "t" else (m, k), (n, k) if layout[1] == "t" else (k, n)]
        data, values = zip(*(encode(numpy, random.random(extents, numpy.float32) * 2 - 1, element) for extents in stored))
        self.a = values[0].T if layout[0] == "t" else values[0]
        self.b = values[1].T if layout[1] == "t" else values[1]
        extents = [*stored, (m, n), (m, n)]
        sizes = [ELEMENTS[element] * e[0] * e[1] for e in extents]
        self.result_bytes = sizes[2]
        self.sets = []
        for _ in range(min(256, ROTATE_BYTES // sum(sizes[:3]) + 1)):
            buffers = [device.buffer(size) for size in sizes]
            for n_input in (0, 1):
                if self.sets:
                    device.copy(stream, self.sets[0][n_input].buffer, buffers[n_input], sizes[n_input])
                else:
                    device.write(buffers[n_input], data[n_input])
            self.sets.append([Tensor(buffer, e) for buffer, e in zip(buffers, extents)])
        device.synchronize(stream)

    def destroy(self):
        self.device.synchronize(self.stream)
        for tensors in self.sets:
            for tensor in tensors:
                self.device.destroy_buffer(tensor.buffer)

    def check(self, which, side):
        """Ends with 1 if rows of a result are wrong."""
        m, n, _ = self.product
        result = decode(self.numpy, self.device.read(self.sets[0][which].buffer, self.result_bytes), self.element).reshape(m, n)
        rows = self.numpy.unique(self.numpy.concatenate(([0, m - 1], self.numpy.random.default_rng(2).integers(0, m, CHECKED_ROWS))))
        wrong = wrong_rows(self.numpy, self.a, self.b, result, rows, self.element)
        if wrong:
            end(1, f"{side}'s result is wrong: {wrong} of {len(rows) * n} elements checked, {self.product} {self.element} {self.layout}")

    def poison(self):
        for which in (2, 3):
            self.device.write(self.sets[0][which].buffer, b"\xff" * self.result_bytes)

    def record_ours(self, kernel, launches):
        prepared = [self.device.prepare(kernel, tensors[:3]) for tensors in self.sets]
        self.variant = self.device.variant(prepared[0])

        def work():
            for i in range(launches):
                self.device.enqueue(self.stream, prepared[i % len(prepared)])

        return self.device.record(self.stream, work)

    def record_theirs(self, triton_product, launches):
        addresses = [[self.device.address(t[i].buffer) for i in (0, 1, 3)] for t in self.sets]
        native = self.device.native(self.stream)

        def work():
            for i in range(launches):
                triton_product.launch(native, addresses[i % len(addresses)])

        return self.device.record(self.stream, work)

    def trial(self, triton_product, launches):
        """Nanoseconds of a launch, the median of some replays."""
        graph = self.record_theirs(triton_product, launches)
        ns = turns.median([graph.replay() for _ in range(4)][1:]) / launches
        graph.destroy()
        return ns


def best_configuration(comparison, kernels, estimate_ns, make, peer):
    """The fastest of the peer's configurations: all by a short trial, the best of these by a long one."""
    timed = []
    for name, kernel in kernels.items():
        try:
            product = make(comparison.cuda, kernel, comparison.product, comparison.layout)
            timed.append((comparison.trial(product, max(1, round(1e6 / estimate_ns))), name, product))
        except HeliosError as error:
            say(f"{peer}'s {name} is left out: {error}")
    timed.sort(key=lambda item: item[0])
    finalists = []
    for ns, name, product in timed[:FINALISTS]:
        finalists.append((comparison.trial(product, turns.launches_for(ns, 1)), name, product))
    return min(finalists, key=lambda item: item[0]) if finalists else None


def measure(comparison, kernel, kernels, meter, make=None, peer_name="Triton"):
    """The result of one product, beside the fastest of `kernels`, of which `make` makes what can be launched."""
    m, n, k = comparison.product
    comparison.poison()
    # A first graph of one launch a set finds out how long one takes, and makes results to check.
    sets = len(comparison.sets)
    first = comparison.record_ours(kernel, sets)
    ours_ns = turns.median([first.replay() for _ in range(5)]) / sets
    best = best_configuration(comparison, kernels, ours_ns, make or TritonProduct, peer_name)
    if not best:
        end(3, f"none of {peer_name}'s configurations runs on this card")
    _, name, product = best
    launches = turns.launches_for(ours_ns, sets)
    ours, theirs = comparison.record_ours(kernel, launches), comparison.record_theirs(product, launches)
    comparison.poison()
    ours.replay(), theirs.replay()
    comparison.check(2, "our kernel")
    comparison.check(3, f"{peer_name}'s {name}")
    peer = {"name": " ".join([peer_name, product.kernel.get("triton", "")]).strip(), "class": product.kernel.get("class", "sm80"), "kernel": name}
    peer["candidates"] = len(kernels)
    peer.update(turns.in_turns(ours.replay, theirs.replay, launches, meter))
    flops = 2.0 * m * n * k
    element = comparison.element
    return {
        "name": f"gemm {element}:{element}:f32:{element} {comparison.layout} none",
        "kernel": "gemm",
        "shape": f"{m}x{n}x{k}",
        "batch": 0,
        "types": f"{element}:{element}:f32:{element}",
        "layout": comparison.layout,
        "epilogue": "none",
        "variant": comparison.variant,
        "verdict": "passed",
        "coverage": f"{CHECKED_ROWS} rows",
        "flops": flops,
        "gpu_ns": {**peer["ours_ns"], "samples": [peer["ours_ns"]["samples"]]},
        "tflops": flops / peer["ours_ns"]["median"] * 1e-3,
        "input_sets": sets,
        "peer": peer,
    }


def run(options):
    try:
        import numpy
    except ImportError:
        end(3, "numpy cannot be imported: pip install numpy")
    device = Device(library_path(options.bin), options.device)
    if not device.info.compute_capability:
        end(3, f"device {device.info.id.decode()} is no CUDA device: Triton's kernels need one")
    if device.info.compute_capability < options.capability:
        end(3, f"{device.info.name.decode()} has capability {device.info.compute_capability}, which cannot run code for {options.capability}")
    compile_kernels(options)
    cuda, stream, meter = Cuda(device.info.device_uuid), device.stream(), turns.PowerMeter(device.info.device_uuid)
    results = []
    rows = [["kernel", "variant", "shape", "ours", "TFLOP/s", "Triton's", "configuration", "theirs / ours [95 %]"]]
    for element in options.types:
        for layout in options.layout:
            kernels = found_kernels(options, element, layout)
            if not kernels:
                end(3, f"{options.kernels} holds no kernel for {element} {layout}: make it with --prepare where Triton is")
            kernel = device.kernel(our_bundle(options, element, layout), f"sm_{options.capability}")
            for product in options.products:
                comparison = Comparison(device, cuda, stream, numpy, product, element, layout)
                result = measure(comparison, kernel, kernels, meter)
                comparison.destroy()
                results.append(result)
                peer = result["peer"]
                times = [turns.microseconds(peer[side]["median"]) for side in ("ours_ns", "theirs_ns")]
                speed = f"{result['tflops']:.1f}"
                row = [result["name"], result["variant"], result["shape"], times[0], speed, times[1], peer["kernel"], turns.ratio_text(peer)]
                rows.append(row)
                say(f"[{len(results)}/{len(options.types) * len(options.layout) * len(options.products)}] " + "  ".join(row))
    print(turns.table(rows))
    print(f"geometric mean of theirs / ours: {turns.geometric_mean([r['peer']['ratio'] for r in results]):.3f}")
    if options.json:
        version, commit = bench_version(options.bin)
        turns.write_json(options.json, turns.session(device.describe(), version or device.version(), commit, results))


def main():
    options = parse()
    try:
        if options.prepare:
            compile_kernels(options)
            for element in options.types:
                for layout in options.layout:
                    our_bundle(options, element, layout)
            return
        run(options)
    except HeliosError as error:
        end(error.status, str(error))


if __name__ == "__main__":
    sys.exit(main())
