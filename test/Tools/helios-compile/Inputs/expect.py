# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""expect.py CODE COMMAND...: runs a command, passes its output on and fails unless it exits with CODE."""
import subprocess
import sys

run = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
sys.stdout.buffer.write(run.stdout)
sys.stdout.flush()
if run.returncode != int(sys.argv[1]):
    sys.exit(f"expected exit code {sys.argv[1]}, got {run.returncode}")
