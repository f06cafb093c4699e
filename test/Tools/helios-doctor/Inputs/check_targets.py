# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_targets.py

Holds the targets that helios-doctor knows against those of helios-compile,
and prints the driver that each wants.
"""
import json
import re
import shutil
import subprocess


def output(*command):
    # helios-doctor ends with 3 where no device computes: its report is complete all the same.
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout


expected = []
row = None
for line in output("helios-compile", "--list-targets").splitlines():
    if found := re.match(r"(vulkan:[\w-]+) ", line):
        row, name = [], found[1]
        expected.append((name, row))
    elif not line.startswith(" "):
        row = []  # a target of another kind
    elif found := re.match(r" +matrices \S+ (\w+) \* \w+ \+ (\w+)$", line):
        types = f"{found[1]}->{found[2]}"
        if types not in row:
            row.append(types)
wanted = [f"{name} {types}" for name, row in expected for types in row or ["f32", "f16", "i8"]]

report = json.loads(output("helios-doctor", "--json", "--no-self-test"))
vulkan = [t for t in report["minimumDrivers"] if t["name"].startswith("vulkan:")]
known = [t["name"] for t in vulkan]
assert len(wanted) > 5 and known == wanted, f"helios-compile has {wanted}, helios-doctor {known}"
for target in vulkan:
    print(f"{target['name']}: {target['driver']}")

libraries = output("ldd", shutil.which("helios-doctor"))
assert "LLVM" not in libraries and "MLIR" not in libraries, libraries
