#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""An assembler that answers like ptxas -v and makes nothing."""

import os
import re
import sys

assert "-v" in sys.argv and "-arch=sm_89" in sys.argv, sys.argv
if os.environ.get("HELIOS_TEST_PTXAS") == "refuse":
    sys.exit("ptxas fatal : no such architecture")
FACTS = {"gemm_full": (100, 0, 0), "gemm_aligned": (255, 120, 140), "gemm_any": (90, 0, 0)}
with open(sys.argv[-1], encoding="utf-8") as source:
    for name in re.findall(r"\.entry (\w+)\(", source.read()):
        registers, stores, loads = FACTS[name]
        print(f"ptxas info    : Compiling entry function '{name}' for 'sm_89'", file=sys.stderr)
        print(f"ptxas info    : Function properties for {name}", file=sys.stderr)
        print(f"    0 bytes stack frame, {stores} bytes spill stores, {loads} bytes spill loads", file=sys.stderr)
        print(f"ptxas info    : Used {registers} registers, used 1 barriers, 420 bytes cmem[0]", file=sys.stderr)
