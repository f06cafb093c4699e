# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""runtime_test.py FOLDER BIN BUNDLE: helios_ctypes.py on the test bundle; the driver is the one that computes on the CPU."""

import struct
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from helios_ctypes import Device, HeliosError, Tensor, bench_version, library_path  # noqa: E402

COUNT = 200
device = Device(library_path(sys.argv[2]), "cuda")
description = device.describe()
assert description["id"] == "cuda:0" and description["class"] == "GPU", description
assert device.info.compute_capability == 90
stream = device.stream()
x, y, out, copy = (device.buffer(4 * COUNT) for _ in range(4))
device.write(x, struct.pack(f"{COUNT}f", *range(COUNT)))
device.write(y, struct.pack(f"{COUNT}f", *[1] * COUNT))
assert device.address(x) and device.native(stream)
kernel = device.kernel(sys.argv[3], name="axpy")
two = struct.unpack("i", struct.pack("f", 2.0))[0]
launch = device.prepare(kernel, [two, *(Tensor(b, [COUNT]) for b in (x, y, out))])
graph = device.record(stream, lambda: (device.enqueue(stream, launch), device.copy(stream, out, copy, 4 * COUNT)))
assert device.read(copy, 4 * COUNT) != device.read(x, 4 * COUNT)
ns = graph.replay()
assert ns >= 0, ns
device.synchronize(stream)
assert struct.unpack(f"{COUNT}f", device.read(copy, 4 * COUNT)) == tuple(2.0 * i + 1 for i in range(COUNT))

# Somebody else's memory and stream.
foreign = device.wrap(device.address(y), 4 * COUNT)
other = device.wrap_stream(device.native(stream))
device.enqueue(other, device.prepare(kernel, [two, Tensor(x, [COUNT]), Tensor(foreign, [COUNT]), Tensor(out, [COUNT])]))
device.synchronize(other)
assert device.read(out, 4 * COUNT) == device.read(copy, 4 * COUNT)


def refused(status, text, call):
    try:
        call()
    except HeliosError as error:
        assert error.status == status and text in str(error), (error.status, str(error))
        return
    raise AssertionError(f"expected a failure with '{text}'")


refused(2, "extents", lambda: device.prepare(kernel, [two, Tensor(x, [COUNT]), Tensor(y, [7]), Tensor(out, [COUNT])]))
refused(2, "nothing.hlx", lambda: device.kernel("nothing.hlx"))


def failing():
    raise HeliosError(3, "refused")


refused(3, "refused", lambda: device.record(stream, failing))
refused(3, "cannot be opened", lambda: Device("/nowhere/libhelios.so", "cuda"))
graph.destroy()
assert bench_version(sys.argv[2])[0] == device.version()
print("good")
