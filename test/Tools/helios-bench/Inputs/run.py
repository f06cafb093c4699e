# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py STATUS [--file-limit BYTES] [--interrupt | --interrupt-after TEXT | --terminate] COMMAND...

Runs a command, passes its output on, and fails unless it ends with STATUS. --file-limit makes writes beyond that size fail, as
a full disk does. --interrupt sends SIGINT when the command has said something on stderr (or TEXT), --terminate SIGTERM; it must then end in 30 seconds.
"""
import resource
import signal
import subprocess
import sys

words = sys.argv[1:]
expected = int(words.pop(0))
limit = None
stop = None
said = ""
while words[0].startswith("--"):
    flag = words.pop(0)
    if flag == "--file-limit":
        limit = int(words.pop(0))
    elif flag == "--interrupt":
        stop = signal.SIGINT
    elif flag == "--interrupt-after":
        stop = signal.SIGINT
        said = words.pop(0)
    elif flag == "--terminate":
        stop = signal.SIGTERM


def prepare():
    if limit is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=prepare,
                           restore_signals=limit is None)
first = ""
if stop:
    first = line = process.stderr.readline()
    while line and said not in line:
        line = process.stderr.readline()
        first += line
    process.send_signal(stop)
try:
    out, err = process.communicate(timeout=30 if stop else 300)
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit("run.py: the command does not end")
sys.stdout.write(out + first + err)
if process.returncode != expected:
    sys.exit(f"run.py: expected status {expected}, got {process.returncode}")
