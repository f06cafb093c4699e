# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""status.py N SCRIPT ARGUMENTS...: succeeds if the script ends with status N."""

import subprocess
import sys

sys.stdout.flush()
got = subprocess.run([sys.executable, *sys.argv[2:]], check=False).returncode
sys.exit(0 if got == int(sys.argv[1]) else f"expected status {sys.argv[1]}, got {got}")
