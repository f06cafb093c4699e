#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Products beside a kernel in PTX, made by hand or elsewhere, in turns.

  compare_ptx.py RECIPE.json... [flags]   needs a CUDA GPU and numpy

A recipe says how a kernel is launched; several are candidates, of which the fastest is taken for each product:

  {"ptx": "gemm.ptx",                     beside the recipe
   "entry": "gemm", "element": "bf16", "layout": "nt",
   "threads": 384, "shared_bytes": 229504, "cluster": 1,
   "tile": [128, 256],                    of D, of one workgroup
   "grid": "tiles",                       as many workgroups as tiles, or "persistent": at most as many as processors
   "parameters": ["map a", "map b", "map d", "d", "m", "n", "k"],   pointers a, b, d; extents as 32 bits; tensor maps
   "maps": {"a": [64, 128], ...}}         boxes, innermost first, in rows of 128 bytes

Ours is the bundle that --target and --schedule name, or --bundle. The protocol and the exit status are those of compare_triton.py.
"""

import argparse
import ctypes
import json
import os
import sys

import turns
from compare_triton import ELEMENTS, Comparison, Cuda, measure
from helios_ctypes import Device, HeliosError, bench_version, bundle_of, library_path
from turns import end, say

MEMBERS = {"ptx": str, "entry": str, "element": str, "layout": str, "threads": int, "shared_bytes": int, "tile": list, "parameters": list}
EXTENTS = {"m": 0, "n": 1, "k": 2}
MATRICES = {"a": 0, "b": 1, "d": 2}


def read_recipe(path):
    try:
        with open(path, encoding="utf-8") as file:
            recipe = json.load(file)
    except (OSError, ValueError) as error:
        end(2, f"{path}: {error}")
    for name, kind in MEMBERS.items():
        if not isinstance(recipe.get(name), kind):
            end(2, f"{path}: expected a member '{name}' that is {kind.__name__}, got {json.dumps(recipe.get(name))}")
    if recipe["element"] not in ELEMENTS or recipe["layout"] not in ("nn", "nt", "tn", "tt"):
        end(2, f"{path}: expected an element f16 or bf16 and a layout nn, nt, tn or tt, got '{recipe['element']}' and '{recipe['layout']}'")
    if recipe.get("grid", "tiles") not in ("tiles", "persistent"):
        end(2, f"{path}: expected a grid 'tiles' or 'persistent', got '{recipe['grid']}'")
    for parameter in recipe["parameters"]:
        matrix = parameter[4:] if parameter.startswith("map ") else parameter
        if matrix not in MATRICES and parameter not in EXTENTS:
            end(2, f"{path}: expected parameters of a, b, d, m, n, k, 'map a', 'map b', 'map d', got '{parameter}'")
        if parameter.startswith("map ") and len(recipe.get("maps", {}).get(matrix, [])) != 2:
            end(2, f"{path}: expected 'maps' with a box of two extents for '{matrix}'")
    recipe["path"] = os.path.join(os.path.dirname(os.path.abspath(path)), recipe["ptx"])
    if not os.path.exists(recipe["path"]):
        end(2, f"{path}: expected a file {recipe['path']}, found none")
    recipe["class"] = "ptx"
    return recipe


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in ("gx", "gy", "gz", "bx", "by", "bz", "shared_bytes")]
    _fields_ += [("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint)]


class PtxProduct:
    """A recipe's kernel for one product."""

    def __init__(self, cuda, kernel, product, layout):
        self.cuda, self.kernel, self.product = cuda, kernel, product
        self.function = cuda.function(kernel)
        m, n, k = product
        rows, columns = kernel["tile"]
        self.grid = -(-m // rows) * -(-n // columns)
        if kernel.get("grid") == "persistent":
            self.grid = min(self.grid, kernel["processors"])
        self.cluster = kernel.get("cluster", 1)
        self.grid = -(-self.grid // self.cluster) * self.cluster
        # Stored rows and columns.
        self.stored = [(k, m) if layout[0] == "t" else (m, k), (n, k) if layout[1] == "t" else (k, n), (m, n)]
        self.maps = {}

    def tensor_map(self, matrix, address):
        """A map of 128-byte rows, swizzled; driver enumerations as in cuda.h."""
        if (matrix, address) in self.maps:
            return self.maps[matrix, address]
        rows, columns = self.stored[MATRICES[matrix]]
        raw = (ctypes.c_uint8 * (128 + 64))()
        at = (ctypes.addressof(raw) + 63) // 64 * 64
        element = {"f16": 6, "bf16": 9}[self.kernel["element"]]
        box = (ctypes.c_uint32 * 2)(*self.kernel["maps"][matrix])
        extents, strides, steps = (ctypes.c_uint64 * 2)(columns, rows), (ctypes.c_uint64 * 1)(2 * columns), (ctypes.c_uint32 * 2)(1, 1)
        swizzle_128, promote_256 = 3, 3
        arguments = (ctypes.c_void_p(at), element, 2, ctypes.c_void_p(address), extents, strides, box, steps, 0, swizzle_128, promote_256, 0)
        self.cuda.call("cuTensorMapEncodeTiled", *arguments)
        self.maps[matrix, address] = raw, at
        return self.maps[matrix, address]

    def launch(self, stream, addresses):
        kept, places = [], []
        for parameter in self.kernel["parameters"]:
            if parameter.startswith("map "):
                raw, at = self.tensor_map(parameter[4:], addresses[MATRICES[parameter[4:]]])
                kept.append(raw)
                places.append(at)
                continue
            value = ctypes.c_int32(self.product[EXTENTS[parameter]]) if parameter in EXTENTS else ctypes.c_uint64(addresses[MATRICES[parameter]])
            kept.append(value)
            places.append(ctypes.addressof(value))
        parameters = (ctypes.c_void_p * len(places))(*places)
        config = LaunchConfig(self.grid, 1, 1, self.kernel["threads"], 1, 1, self.kernel["shared_bytes"], stream)
        attribute = LaunchAttribute(4)  # the cluster's dimensions
        attribute.value[0], attribute.value[1], attribute.value[2] = self.cluster, 1, 1
        if self.cluster > 1:
            config.attributes, config.count = ctypes.pointer(attribute), 1
        self.cuda.call("cuLaunchKernelEx", ctypes.byref(config), self.function, parameters, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="+", metavar="RECIPE.json")
    parser.add_argument("--shapes", default="2048x2048x2048,4096x4096x4096,8192x8192x8192", help="MxNxK[,...]")
    parser.add_argument("--target", default="cuda", help="of our bundle, as for helios-bench")
    parser.add_argument("--schedule", default="", help="of our kernel, as for helios-bench")
    parser.add_argument("--bundle", default="", help="made elsewhere, with one kernel of a, b and d, instead of compiling")
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../build/bin"), help="folder of the tools")
    parser.add_argument("--device", default="cuda", help="cuda[:N]")
    parser.add_argument("--bundle-cache", default="", help="of our bundles, as for helios-bench")
    parser.add_argument("--json", default="", help="everything, raw samples included, in the form of helios-bench --json")
    options = parser.parse_args()
    recipes = {os.path.basename(path): read_recipe(path) for path in options.recipes}
    kinds = {(r["element"], r["layout"]) for r in recipes.values()}
    if len(kinds) != 1:
        end(2, f"expected recipes of one element and layout, got {sorted(kinds)}")
    element, layout = kinds.pop()
    try:
        products = [tuple(map(int, text.split("x"))) for text in options.shapes.split(",")]
    except ValueError:
        products = [()]
    if any(len(p) != 3 or min(p) < 1 for p in products):
        end(2, f"--shapes: expected MxNxK[,...], got '{options.shapes}'")
    turns.check_writable(options.json)
    try:
        import numpy
    except ImportError:
        end(3, "numpy cannot be imported: pip install numpy")
    try:
        run(options, numpy, recipes, products, element, layout)
    except HeliosError as error:
        end(error.status, str(error))


def run(options, numpy, recipes, products, element, layout):
    device = Device(library_path(options.bin), options.device)
    if not device.info.compute_capability:
        end(3, f"device {device.info.id.decode()} is no CUDA device: PTX needs one")
    for recipe in recipes.values():
        recipe["processors"] = device.info.compute_units
    types = f"{element}:{element}:f32:{element}"
    bundle = options.bundle or bundle_of(options.bin, options.bundle_cache, types, layout, "none", options.target, options.schedule)
    kernel, cuda, stream = device.kernel(bundle), Cuda(device.info.device_uuid), device.stream()
    meter = turns.PowerMeter(device.info.device_uuid)
    results = []
    rows = [["kernel", "variant", "shape", "ours", "TFLOP/s", "PTX", "recipe", "theirs / ours [95 %]"]]
    for product in products:
        comparison = Comparison(device, cuda, stream, numpy, product, element, layout)
        result = measure(comparison, kernel, recipes, meter, PtxProduct, "PTX")
        comparison.destroy()
        results.append(result)
        peer = result["peer"]
        times = [turns.microseconds(peer[side]["median"]) for side in ("ours_ns", "theirs_ns")]
        rows.append([result["name"], result["variant"], result["shape"], times[0], f"{result['tflops']:.1f}", times[1], peer["kernel"], turns.ratio_text(peer)])
        say("  ".join(rows[-1]))
    print(turns.table(rows))
    if options.json:
        version, commit = bench_version(options.bin)
        turns.write_json(options.json, turns.session(device.describe(), version or device.version(), commit, results))


if __name__ == "__main__":
    sys.exit(main())
