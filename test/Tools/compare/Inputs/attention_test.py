# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""attention_test.py FOLDER BIN: what compare_torch.py says of our attention."""

import sys
import types

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import compare_torch  # noqa: E402

options = types.SimpleNamespace(bin=sys.argv[2], full=False, target="cuda:sm_90a")
bundle, why = compare_torch.our_attention(options, "bf16", 128)
print(bundle or why)
