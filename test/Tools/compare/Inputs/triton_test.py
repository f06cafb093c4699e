# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""triton_test.py FOLDER: which configuration compare_triton.py takes, on a made-up device."""

import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import compare_triton  # noqa: E402
import turns  # noqa: E402
from helios_ctypes import HeliosError  # noqa: E402


class Graph:
    def __init__(self, ns):
        self.ns, self.replays = ns, 0

    def replay(self):
        self.replays += 1
        return self.ns

    def destroy(self):
        pass


class Product:
    def __init__(self, cuda, kernel, product, layout):
        if kernel["ns"] is None:
            raise HeliosError(4, "cuModuleLoadData: no kernel image")
        self.kernel = kernel


class Comparison:
    """Our kernel takes 100 us; theirs what the configuration says: first in a short trial, then in a long one."""

    product, element, layout, variant, cuda, numpy, sets = (256, 512, 1024), "f16", "nt", "any", None, None, [0] * 4

    def __init__(self):
        self.checked, self.poisoned = [], 0

    def record_ours(self, kernel, launches):
        return Graph(100e3 * launches)

    def record_theirs(self, product, launches):
        short, long = product.kernel["ns"]
        return Graph((short if launches <= 10 else long) * launches)

    trial = compare_triton.Comparison.trial

    def poison(self):
        self.poisoned += 1

    def check(self, which, side):
        assert self.poisoned == 2
        self.checked.append((which, side))


class Meter:
    def megahertz(self):
        return 0

    def joules(self):
        return 0


compare_triton.TritonProduct = Product
turns.SETTLE_SECONDS = 0
kernels = {
    "broken": None,
    "slow": (300e3, 300e3),
    "deceiving": (90e3, 130e3),  # fast in the short trial alone
    "best": (110e3, 110e3),
    "second": (120e3, 120e3),
    "third": (125e3, 125e3),
    "late": (200e3, 50e3),  # no finalist
}
kernels = {name: {"ns": ns, "triton": "3.0"} for name, ns in kernels.items()}
comparison = Comparison()
result = compare_triton.measure(comparison, None, kernels, Meter())
assert result["peer"]["kernel"] == "best", result["peer"]["kernel"]
assert result["peer"]["candidates"] == len(kernels) and result["peer"]["class"] == "sm80"
assert abs(result["peer"]["ratio"] - 1.1) < 1e-9 and result["peer"]["rounds"] == 40
assert comparison.checked == [(2, "our kernel"), (3, "Triton's best")]
assert result["shape"] == "256x512x1024" and result["flops"] == 2 * 256 * 512 * 1024
assert abs(result["tflops"] - result["flops"] / 100e3 * 1e-3) < 1e-9
print("good")
