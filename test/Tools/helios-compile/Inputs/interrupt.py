# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""interrupt.py SOURCE FOLDER: interrupts helios-compile after ever longer times; what stands in FOLDER afterwards is nothing,
or the whole bundle."""
import os
import shutil
import signal
import subprocess
import sys
import time

source, folder = sys.argv[1:]
command = ["helios-compile", source, "--target=vulkan:lavapipe", "--target=vulkan:simt", "-o"]


def launch():
    """Starts a compilation that SIGINT ends, even where this test was started with it ignored (in a shell's background)."""
    return subprocess.Popen(command + [out], stderr=subprocess.DEVNULL,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def fresh():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)


fresh()
out = os.path.join(folder, "k.hlx")
start = time.monotonic()
subprocess.run(command + [out], check=True)
whole_time = time.monotonic() - start
whole = open(out, "rb").read()

interrupted = finished = 0
steps = 24
for step in range(steps):
    fresh()
    number = signal.SIGINT if step % 2 else signal.SIGTERM
    process = launch()
    time.sleep(whole_time * 1.2 * step / steps)
    process.send_signal(number)
    code = process.wait()
    if code not in (0, -number):
        sys.exit(f"ended with {code} after signal {number}")
    left = os.listdir(folder)
    if left not in ([], ["k.hlx"]):
        sys.exit(f"left {left}")
    if left and open(out, "rb").read() != whole:
        sys.exit("left a bundle that is not whole")
    if code == 0 and not left:
        sys.exit("ended well without a bundle")
    interrupted += code != 0
    finished += code == 0

# An interruption leaves an older file as it was.
fresh()
open(out, "w").write("older")
process = launch()
process.send_signal(signal.SIGTERM)
process.wait()
if open(out).read() != "older" or os.listdir(folder) != ["k.hlx"]:
    sys.exit("the older file was touched")
if not interrupted:
    sys.exit("no run was interrupted; the test has shown nothing")
print(f"{interrupted} interrupted, {finished} finished: good")
