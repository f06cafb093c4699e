# Part of the Helios project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assemble.py PTXAS FOLDER: every .ptx file there, for the architecture that
it names, must assemble without a warning; prints those that do and how many
bytes of registers they spill."""

import pathlib
import re
import subprocess
import sys

ptxas, folder = sys.argv[1:]
failed = 0
for path in sorted(pathlib.Path(folder).glob("*.ptx")):
    arch = re.search(r"^\.target (\w+)", path.read_text(), re.M)[1]
    command = [ptxas, f"-arch={arch}", "-v", str(path), "-o", f"{path}.cubin"]
    done = subprocess.run(command, capture_output=True, text=True)
    said = done.stdout + done.stderr
    spills = re.findall(r"(\d+) bytes spill stores", said)
    if done.returncode or "warning" in said or "(C7" in said or not spills:
        print(f"{path.name}: not clean\n{said}")
        failed += 1
    else:
        print(f"{path.name}: clean, {sum(map(int, spills))} bytes spilled")
sys.exit(failed > 0)
