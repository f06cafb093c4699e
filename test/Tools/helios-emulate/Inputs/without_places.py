# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""without_places.py FILE.ptx: the text without what --debug-info adds: .file, .loc, labels and sections for a debugger, comments."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    for line in f:
        line = re.sub(r"//.*", "", line).strip()
        if line and not re.match(r"\.(loc|file)\b|\.section\s+\.debug_macinfo\s*\{\s*\}|\$L__(func_begin|func_end|tmp)\d+:", line):
            print(line)
