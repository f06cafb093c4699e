# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""speed.py: how long the emulator needs, in seconds of the processor, so that a busy machine measures the same.

A product of 256^3 with the sanitiser and an adversary, by helios-bench with its reference, takes less than 2 s on sm_89 and 3 s on sm_90a, and
less than 1 GB; sanitiser and adversary at most double what a kernel takes; a grid of 64 blocks is spread over two threads. The limits
are those of the design; a machine of 2026 needs a twentieth of them. Prints one line for each, the last "N limits, N exceeded".
"""
import os
import re
import subprocess
import sys

REPETITIONS = 3


def measure(command):
    """Least seconds of the processor of a few runs, and most KiB."""
    best, memory = None, 0
    for _ in range(REPETITIONS):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{output}")
        seconds = usage.ru_utime + usage.ru_stime
        best = seconds if best is None else min(best, seconds)
        memory = max(memory, usage.ru_maxrss)
    return best, memory, output


limits = exceeded = 0


def limit(what, value, most, unit):
    global limits, exceeded
    limits += 1
    exceeded += value > most
    print(f"{what}: {value:.2f}{unit}, at most {most:g}{unit}{' EXCEEDED' if value > most else ''}", flush=True)


def product(row, most):
    command = ["helios-bench", "gemm", "--device", f"emulator:{row},seed=1", "--shapes", "256x256x256", "--check-only"]
    measure(command)  # compiles
    seconds, memory, _ = measure(command)
    limit(f"{row} 256x256x256", seconds, most, " s")
    limit(f"{row} memory", memory / 1e6, 1, " GB")


def overhead(name, ptx, *arguments):
    command = ["helios-emulate", ptx, "--threads", "1", *arguments]
    plain, _, _ = measure(command + ["--plain"])
    full, _, _ = measure(command + ["--seed", "1"])
    limit(f"{name} sanitiser and adversary, {plain:.2f} s without them", full / plain, 2, " times")


def spread(ptx, *arguments):
    output = measure(["helios-emulate", ptx, "--threads", "2", "--report", *arguments])[2]
    counts = [int(n) for n in re.search(r"clusters of the host's threads (.*)", output).group(1).split()]
    assert sum(counts) == 64 and len(counts) == 2, output
    limit("blocks of 64 that one of two threads runs", max(counts), 60, "")


folder = sys.argv[1]
product("sm_89", 2)
product("sm_90a", 3)
groups = [f"{folder}/groups.sm_89.gemm_full.ptx", "--grid", "64", "--shared", "24576", "--arg", "buffer:f16:262144:random:in", "--arg", "buffer:f16:262144:random:in",
          "--arg", "buffer:f16:262144:none", *sum((["--arg", f"u64:{n}"] for n in (512, 512, 512, 512, 512, 512)), [])]
roles = [f"{folder}/roles.sm_90a.gemm_full.ptx", "--grid", "4", "--shared", "229440", "--arg", "buffer:f16:524288:random:in", "--arg", "buffer:f16:524288:random:in",
         "--arg", "buffer:f16:262144:none", *sum((["--arg", f"u64:{n}"] for n in (512, 512, 1024, 1024, 512, 512)), []),
         "--arg", "map:0:1024x512:1024:64x128:128", "--arg", "map:1:512x1024:512:64x64:128", "--arg", "map:2:512x512:512:64x64:128"]
overhead("groups", *groups)
overhead("roles", *roles)
spread(*groups)
print(f"{limits} limits, {exceeded} exceeded")
