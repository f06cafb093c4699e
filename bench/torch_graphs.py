# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What comparisons with PyTorch have in common: its graphs, the fastest of its ways, its tensors as ours."""

import turns
from helios_ctypes import Tensor
from turns import say

TYPES = {"f16": "float16", "bf16": "bfloat16"}
ROTATE_BYTES = 256 << 20  # inputs rotate over sets that together exceed this: no launch finds its operands in the cache


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


def difference(ours, theirs):
    """The largest, relative to the largest of ours."""
    return float((ours.double() - theirs.double()).abs().max() / ours.double().abs().max().clamp(min=1e-30))


def wrapped(device, tensor):
    return Tensor(device.wrap(tensor.data_ptr(), tensor.numel() * tensor.element_size()), list(tensor.shape))
