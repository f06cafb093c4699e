# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""PyTorch on a machine without a GPU, as far as compare_torch.py looks."""


class cuda:
    @staticmethod
    def is_available():
        return False
