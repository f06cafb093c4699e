# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""attention_test.py FOLDER ELEMENT DEPTH: the descriptions of attention that compare_torch.py measures."""

import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import torch_attention  # noqa: E402

for region in torch_attention.REGIONS.values():
    print(torch_attention.description(region, sys.argv[2], int(sys.argv[3])))
