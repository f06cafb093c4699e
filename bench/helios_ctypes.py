# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The part of the runtime's C interface (helios/helios.h) that the comparisons need."""

import atexit
import ctypes
import glob
import math
import os
import re
import shutil
import struct
import subprocess
import tempfile
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p, sizeof

HANDLE = c_void_p
BODY = ctypes.CFUNCTYPE(c_int32, c_void_p)
OK, UNSUPPORTED, DEVICE_ERROR = 0, 3, 4
SCALAR = 1
MAX_RANK = 8


class OpenOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("vulkan_loader", c_char_p),
        ("cache_dir", c_char_p),
        ("skip_self_test", c_int32),
        ("cuda_library", c_char_p),
    ]


class DeviceInfo(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("id", c_char * 32),
        ("name", c_char * 256),
        ("driver", c_char * 256),
        ("device_class", c_int32),
        ("device_uuid", c_uint8 * 16),
        ("driver_uuid", c_uint8 * 16),
        ("subgroup_size", c_uint32),
        ("shared_memory_bytes", c_uint32),
        ("max_workgroup_invocations", c_uint32),
        ("compute_units", c_uint32),
        ("memory_bytes", c_uint64),
        ("max_tensor_bytes", c_uint64),
        ("matrix_shapes_listed", c_uint32),
        ("matrix_shapes_verified", c_uint32),
        ("compute_capability", c_uint32),
    ]


class Argument(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int32),
        ("buffer", HANDLE),
        ("byte_offset", c_uint64),
        ("rank", c_uint32),
        ("extents", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("scalar_bits", c_int64),
    ]


class ArgumentInfo(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("element_type", c_char_p),
        ("element_bytes", c_uint32),
        ("kind", c_int32),
        ("is_result", c_int32),
        ("rank", c_uint32),
        ("extents", c_int64 * MAX_RANK),
    ]


class HeliosError(Exception):
    """A call that failed; `status` is the tools' exit code for it."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status if status <= DEVICE_ERROR else DEVICE_ERROR


class Tensor:
    """A part of a buffer with extents: dense, or with strides in elements, from an offset in bytes on."""

    def __init__(self, buffer, extents, strides=None, offset=0):
        self.buffer, self.extents, self.strides, self.offset = buffer, extents, strides, offset


class Graph:
    """A recorded sequence; replay() gives nanoseconds on the device."""

    def __init__(self, device, stream, handle):
        self.device, self.stream, self.handle = device, stream, handle

    def replay(self):
        event, ns = c_uint64(), ctypes.c_double()
        self.device.call("hl_stream_replay", self.stream, self.handle, byref(event))
        self.device.call("hl_stream_elapsed_ns", self.stream, event, byref(ns))
        return ns.value

    def kernels(self):
        """Of how many launches of kernels it consists, where the driver tells."""
        return self.device.library.hl_graph_kernels(self.handle)

    def barriers(self):
        """Between its operations, where the runtime sets them (Vulkan)."""
        return self.device.library.hl_graph_barriers(self.handle)

    def destroy(self):
        self.device.library.hl_graph_destroy(self.handle)


def random_halves(source, count, keep, put):
    """`count` numbers of two bytes from a random.Random: random where `keep` has ones, and the ones of `put`."""
    keep, put = (int.from_bytes(struct.pack("<H", bits) * count, "little") for bits in (keep, put))
    return (int.from_bytes(source.randbytes(2 * count), "little") & keep | put).to_bytes(2 * count, "little")


class Device:
    """A device, opened through libhelios.so."""

    def __init__(self, library, selector):
        try:
            self.library = ctypes.CDLL(library)
        except OSError as error:
            raise HeliosError(UNSUPPORTED, f"the runtime cannot be opened: {error}; build it, or name the folder of its tools with --bin") from error
        for name in ("hl_last_error", "hl_version_string", "hl_device_why", "hl_launch_variant", "hl_bundle_kernel_name"):
            getattr(self.library, name).restype = c_char_p
        self.library.hl_buffer_device_address.restype = c_uint64
        self.library.hl_stream_native_handle.restype = c_void_p
        options = OpenOptions(struct_size=sizeof(OpenOptions))
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/tmp"), ".cache")
        options.cache_dir = os.path.join(cache, "helios").encode()
        self.handle = HANDLE()
        self.call("hl_device_open", selector.encode(), byref(options), byref(self.handle))
        self.info = DeviceInfo(struct_size=sizeof(DeviceInfo))
        self.call("hl_device_get_info", self.handle, byref(self.info))

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != OK:
            raise HeliosError(status, self.library.hl_last_error().decode())

    def describe(self):
        """The member `device` of a report."""
        info = self.info
        return {
            "id": info.id.decode(),
            "name": info.name.decode(),
            "class": ["GPU", "CPU", "null"][info.device_class],
            "driver": info.driver.decode(),
            "compute_units": info.compute_units,
            "why_chosen": self.library.hl_device_why(self.handle).decode(),
        }

    def executes(self):
        """False of the null device."""
        return self.describe()["class"] != "null"

    def version(self):
        return self.library.hl_version_string().decode()

    def buffer(self, size):
        buffer = HANDLE()
        self.call("hl_buffer_create", self.handle, c_uint64(size), 0, byref(buffer))
        return buffer

    def wrap(self, address, size):
        buffer = HANDLE()
        self.call("hl_buffer_wrap", self.handle, c_uint64(address), c_uint64(size), byref(buffer))
        return buffer

    def address(self, buffer):
        return self.library.hl_buffer_device_address(buffer)

    def destroy_buffer(self, buffer):
        self.library.hl_buffer_destroy(buffer)

    def copy(self, stream, source, target, size):
        self.call("hl_stream_copy", stream, source, c_uint64(0), target, c_uint64(0), c_uint64(size), None)

    def fill(self, stream, buffer, size, pattern):
        self.call("hl_stream_fill", stream, buffer, c_uint64(0), c_uint64(size), c_uint32(pattern), None)

    def write(self, buffer, data):
        self.call("hl_buffer_write", buffer, c_uint64(0), data, c_uint64(len(data)))

    def read(self, buffer, size):
        data = ctypes.create_string_buffer(size)
        self.call("hl_buffer_read", buffer, c_uint64(0), data, c_uint64(size))
        return data.raw

    def stream(self):
        stream = HANDLE()
        self.call("hl_stream_create", self.handle, byref(stream))
        return stream

    def wrap_stream(self, native):
        stream = HANDLE()
        self.call("hl_stream_wrap", self.handle, c_void_p(native), byref(stream))
        return stream

    def native(self, stream):
        return self.library.hl_stream_native_handle(stream)

    def kernel(self, path, row=None, name=None):
        """A bundle's kernel, by default its first."""
        bundle, kernel = HANDLE(), HANDLE()
        self.call("hl_bundle_load_file", path.encode(), byref(bundle))
        name = name.encode() if name else self.library.hl_bundle_kernel_name(bundle, c_size_t(0))
        self.call("hl_kernel_load", self.handle, bundle, name, row.encode() if row else None, byref(kernel))
        self.library.hl_bundle_destroy(bundle)
        return kernel

    @staticmethod
    def arguments(values):
        """Tensors, or the bits of scalars, as the C interface takes them."""
        arguments = (Argument * len(values))()
        for argument, value in zip(arguments, values):
            argument.struct_size = sizeof(Argument)
            if not isinstance(value, Tensor):
                argument.kind, argument.scalar_bits = SCALAR, value
                continue
            rank = len(value.extents)
            argument.buffer, argument.byte_offset, argument.rank = value.buffer, value.offset, rank
            argument.extents = (c_int64 * rank)(*value.extents)
            if value.strides:
                argument.strides = (c_int64 * rank)(*value.strides)
        return arguments

    def result_extents(self, kernel, inputs):
        """Extents of the first result of a kernel for these inputs."""
        info, extents = ArgumentInfo(struct_size=sizeof(ArgumentInfo)), (c_int64 * MAX_RANK)()
        self.call("hl_kernel_get_argument", kernel, c_size_t(len(inputs)), byref(info))
        self.call("hl_kernel_result_extents", kernel, self.arguments(inputs), c_size_t(len(inputs)), c_size_t(0), extents)
        return list(extents[: info.rank])

    def packed(self, stream, packer, plain):
        """What a kernel that packs an operand of two bytes an element makes of it, there when this returns."""
        extents = self.result_extents(packer, [plain])
        result = Tensor(self.buffer(2 * math.prod(extents)), extents)
        self.enqueue(stream, self.prepare(packer, [plain, result]))
        self.synchronize(stream)
        return result

    def prepare(self, kernel, values):
        """A launch on values in the kernel's order, inputs, then results."""
        arguments = self.arguments(values)
        launch = HANDLE()
        self.call("hl_launch_prepare", kernel, arguments, c_size_t(len(values)), byref(launch))
        return launch

    def variant(self, launch):
        return self.library.hl_launch_variant(launch).decode()

    def enqueue(self, stream, launch):
        self.call("hl_stream_enqueue", stream, launch, None)

    def filled(self, pattern, size):
        """A buffer of `size` bytes, with a pattern over and over."""
        buffer = self.buffer(size)
        self.write(buffer, (pattern * (size // len(pattern) + 1))[:size])
        return buffer

    def synchronize(self, stream):
        self.call("hl_stream_synchronize", stream)

    def record(self, stream, work):
        """A graph of what `work` enqueues on the stream, here or through its native handle."""
        problem = []

        def body(_):
            try:
                work()
            except HeliosError as error:
                problem.append(error)
                return error.status
            except Exception as error:  # the C caller must see a status
                problem.append(error)
                return DEVICE_ERROR
            return OK

        graph = HANDLE()
        status = self.library.hl_stream_record(stream, BODY(body), None, byref(graph))
        if problem:
            raise problem[0]
        if status != OK:
            raise HeliosError(status, self.library.hl_last_error().decode())
        return Graph(self, stream, graph)


def library_path(folder):
    """libhelios.so beside the tools, or in the build's lib."""
    for place in (folder, os.path.join(folder, "..", "lib")):
        for name in ("libhelios.so", "libhelios.so.0"):
            path = os.path.join(place, name)
            if os.path.exists(path):
                return path
    return "libhelios.so.0"


def bench_version(folder):
    """Version and commit that helios-bench was built of."""
    try:
        said = subprocess.run([os.path.join(folder, "helios-bench"), "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return "", ""
    found = re.match(r"helios-bench (\S+) \((.*)\)", said)
    return found.groups() if found else ("", "")


def compiled(folder, cache, arguments):
    """Path of the bundle of a run of helios-bench: it compiles it, or finds it in the cache. HeliosError carries its exit code."""
    keep = tempfile.mkdtemp(prefix="helios-compare-")
    atexit.register(shutil.rmtree, keep, ignore_errors=True)
    command = [os.path.join(folder, "helios-bench"), *arguments, "--device", "null", "--check-only", "--keep", keep]
    command += ["--bundle-cache", cache] if cache else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise HeliosError(UNSUPPORTED, f"{command[0]} cannot be started: {error.strerror}; name the folder of the tools with --bin") from error
    found = glob.glob(os.path.join(keep, "*.hlx"))
    if done.returncode or not found:
        lines = (done.stderr + done.stdout).strip().splitlines()
        errors = [line for line in lines if "error" in line]
        raise HeliosError(done.returncode or DEVICE_ERROR, f"no bundle: {(errors or lines or ['helios-bench says nothing'])[0]}")
    return found[0]


def bundle_of(folder, cache, types, layout, epilogue, target, schedule, batch=0):
    """Path of a GEMM's bundle."""
    arguments = ["gemm", "--shapes", "64x64x64", "--types", types, "--layout", layout, "--epilogue", epilogue, "--target", target]
    arguments += ["--schedule", schedule] if schedule else []
    arguments += ["--batch", str(batch)] if batch else []
    return compiled(folder, cache, arguments)
