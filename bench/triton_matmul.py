# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A matrix product in Triton, as a peer: tiles in groups of rows, a software pipeline by num_stages, no bounds to check.

Compiled for a given architecture, also where no GPU is; compare_triton.py loads the PTX.
"""

import json
import os

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

# Rows, columns and depth of a tile, stages, warps, rows of tiles in a group. Those whose stages do not fit are left out by the caller.
CONFIGURATIONS = [
    (rows, columns, depth, stages, warps, group)
    for rows, columns, depth, stages, warps in (
        (256, 128, 32, 3, 8),
        (256, 128, 32, 4, 8),
        (256, 128, 64, 2, 8),
        (128, 256, 32, 3, 8),
        (128, 256, 32, 4, 8),
        (128, 256, 64, 2, 8),
        (128, 128, 32, 3, 4),
        (128, 128, 32, 4, 4),
        (128, 128, 32, 5, 4),
        (128, 128, 64, 2, 4),
        (128, 128, 64, 3, 4),
        (128, 128, 32, 4, 8),
        (128, 128, 64, 3, 8),
        (256, 64, 32, 4, 4),
        (256, 64, 64, 2, 4),
        (64, 256, 32, 4, 4),
        (64, 256, 64, 2, 4),
        (128, 64, 32, 4, 4),
        (128, 64, 64, 3, 4),
        (64, 128, 32, 4, 4),
        (64, 128, 64, 3, 4),
        (64, 64, 64, 4, 4),
        (64, 64, 32, 6, 2),
    )
    for group in (8,)
]


@triton.jit
def matmul(
    a, b, d, M, N, K, lda, ldb, ldd,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr, GROUP: tl.constexpr, TRANSPOSE_A: tl.constexpr, TRANSPOSE_B: tl.constexpr,
):  # fmt: skip
    item = tl.program_id(0)
    tiles_m = tl.cdiv(M, ROWS)
    tiles_n = tl.cdiv(N, COLUMNS)
    # Neighbours share operands: a group of rows of tiles, column by column.
    width = GROUP * tiles_n
    first = (item // width) * GROUP
    height = tl.minimum(tiles_m - first, GROUP)
    m = first + (item % width) % height
    n = (item % width) // height
    rm = m * ROWS + tl.arange(0, ROWS)
    rn = n * COLUMNS + tl.arange(0, COLUMNS)
    rk = tl.arange(0, DEPTH)
    if TRANSPOSE_A:
        pa = a + rk[None, :] * lda + rm[:, None]
        step_a = DEPTH * lda
    else:
        pa = a + rm[:, None] * lda + rk[None, :]
        step_a = DEPTH
    if TRANSPOSE_B:
        pb = b + rn[None, :] * ldb + rk[:, None]
        step_b = DEPTH
    else:
        pb = b + rk[:, None] * ldb + rn[None, :]
        step_b = DEPTH * ldb
    sum = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, DEPTH)):
        x = tl.load(pa)
        y = tl.load(pb)
        sum = tl.dot(x, y, sum)
        pa += step_a
        pb += step_b
    tl.store(d + rm[:, None] * ldd + rn[None, :], sum.to(d.dtype.element_ty))


def compile_one(job):
    """job: (capability, element type, layout, configuration, folder). Writes PTX and what a launch needs; returns an error's text or ''."""
    capability, element, layout, configuration, folder = job
    rows, columns, depth, stages, warps, group = configuration
    pointer = {"f16": "*fp16", "bf16": "*bf16"}[element]
    signature = {"a": pointer, "b": pointer, "d": pointer}
    signature.update({name: "i32" for name in ("M", "N", "K", "lda", "ldb", "ldd")})
    constants = {"ROWS": rows, "COLUMNS": columns, "DEPTH": depth, "GROUP": group, "TRANSPOSE_A": layout[0] == "t", "TRANSPOSE_B": layout[1] == "t"}
    signature.update({name: "constexpr" for name in constants})
    # Addresses and extents are multiples of 16: the caller sees to it.
    attributes = {(i,): [["tt.divisibility", 16]] for i in range(9)}
    try:
        source = ASTSource(fn=matmul, signature=signature, constexprs=constants, attrs=attributes)
        made = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": warps, "num_stages": stages})
    except Exception as error:  # one configuration that the compiler refuses leaves the others
        return f"{configuration}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    stem = os.path.join(folder, file_name(capability, element, layout, configuration))
    ptx = made.asm["ptx"]
    with open(stem + ".ptx", "w", encoding="utf-8") as file:
        file.write(ptx)
    metadata = made.metadata
    described = {
        "entry": metadata.name,
        "shared_bytes": metadata.shared,
        "threads": 32 * metadata.num_warps,
        "scratch_parameters": ptx.split(".entry", 1)[1].split(")", 1)[0].count(".param") - 9,
        "triton": triton.__version__,
    }
    with open(stem + ".json", "w", encoding="utf-8") as file:
        json.dump(described, file)
    return ""


def file_name(capability, element, layout, configuration):
    return f"triton-sm{capability}-{element}-{layout}-" + "x".join(map(str, configuration))
