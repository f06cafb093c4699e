# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""ptx_test.py FOLDER RECIPE: what compare_ptx.py hands to the driver for a recipe with ["map a", "d", "m", "k"] and clusters of two."""

import ctypes
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import compare_ptx  # noqa: E402


class Cuda:
    """Takes notes."""

    def __init__(self):
        self.maps, self.launches = [], []

    def function(self, kernel):
        return kernel["entry"]

    def call(self, name, *arguments):
        if name == "cuTensorMapEncodeTiled":
            place, element, rank, address, extents, strides, box, steps, *rest = arguments
            assert place.value % 64 == 0 and (element, rank) == (9, 2)
            ctypes.memset(place.value, len(self.maps) + 1, 128)
            self.maps.append((address.value, list(extents), list(strides), list(box), list(steps), rest))
            return
        assert name == "cuLaunchKernelEx", name
        config, function, parameters, extra = arguments
        config = config._obj
        assert function == "k" and extra is None
        attribute = config.attributes[0]
        value = lambda i, kind: kind.from_address(parameters[i]).value  # noqa: E731
        shape = (config.gx, config.bx, config.shared_bytes, config.stream, config.count, attribute.id, list(attribute.value)[:3])
        self.launches.append((shape, value(0, ctypes.c_uint8), value(1, ctypes.c_uint64), value(2, ctypes.c_int32), value(3, ctypes.c_int32)))


recipe = compare_ptx.read_recipe(sys.argv[2])
recipe["processors"] = 131
cuda = Cuda()
product = compare_ptx.PtxProduct(cuda, recipe, (4096, 2048, 1024), "nt")
for a in (0x1000, 0x2000, 0x1000):
    product.launch(7, [a, 0x8000, 0x9000])
# A of 4096 rows of 1024 elements of two bytes; one map for each address.
assert cuda.maps == [(a, [1024, 4096], [2048], [64, 128], [1, 1], [0, 3, 3, 0]) for a in (0x1000, 0x2000)], cuda.maps
# 256 tiles on 131 processors, in clusters of two.
shape = (132, 384, 229504, 7, 1, 4, [2, 1, 1])
assert cuda.launches == [(shape, 1, 0x9000, 4096, 1024), (shape, 2, 0x9000, 4096, 1024), (shape, 1, 0x9000, 4096, 1024)], cuda.launches
print("good")
