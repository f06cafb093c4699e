# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the gated layers of pairs-and-chains.jsonl as two products each, which helios-fuse makes one of: i4.mlir and i8.mlir (weights of 4 and 8
bits), blocks.mlir and experts.mlir (floats of 8 bits whose blocks have scales, with groups of rows).

usage: gated_kernels.py FOLDER"""

import pathlib
import sys

HALVES = """
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %w, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %w, %c4 : i8
    %lf = arith.sitofp %low : i8 to {t}
    %hf = arith.sitofp %high : i8 to {t}
    %y = arith.mulf %lf, %s : {t}
    %z = arith.mulf %hf, %s : {t}
    helios.yield %y, %z : {t}, {t}"""
WHOLE = """
    %wf = arith.sitofp %w : i8 to {t}
    %y = arith.mulf %wf, %s : {t}
    helios.yield %y : {t}"""


def gate(t):
    return f"""{{
  ^bb0(%acc: f32, %gs: {t}):
    %gate = arith.extf %gs : {t} to f32
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %gate : f32
    %exp = math.exp %minus : f32
    %sum = arith.addf %exp, %one : f32
    %silu = arith.divf %gate, %sum : f32
    %v = arith.mulf %silu, %acc : f32
    %r = arith.truncf %v : f32 to {t}
    helios.yield %r : {t}
  }}"""


def weights(t, scale, flags, body):
    matrix, stored = f"tensor<?x?x{t}>", "tensor<?x?xi8>"
    region = f"prologue {{\n  ^bb0(%w: i8, %s: {t}):{body.format(t=t)}\n  }}"
    return f"""helios.kernel @gated(%x: {matrix}, %wg: {stored}, %sg: {scale}, %wu: {stored}, %su: {scale}) -> {matrix} {{
  %g = helios.matmul %x, %wg prologue(%sg : {scale}) {flags} : ({matrix}, {stored}) -> {matrix} acc f32 {region}
  %d = helios.matmul %x, %wu prologue(%su : {scale}) fused(%g : {matrix}) {flags} : ({matrix}, {stored}) -> {matrix} acc f32 {region} {gate(t)}
  helios.return %d : {matrix}
}}
"""


def blocks(grouped):
    left, scale, result = "tensor<?x?xf8E4M3FN>", "tensor<?x?xf32>", "tensor<?x?xbf16>"
    right, of_right = (f"tensor<?x?x?x{e}>" if grouped else f"tensor<?x?x{e}>" for e in ("f8E4M3FN", "f32"))
    ends = ', %ends: tensor<?xi32> {helios.name = "ends"}' * grouped
    groups = "grouped(%ends : tensor<?xi32>) " * grouped
    flags = "{blocks = array<i64: 1, 128, 128>, transpose_b}"
    return f"""helios.kernel @gated(%x: {left}, %wg: {right}, %wu: {right}{ends}, %sx: {scale}, %sg: {of_right}, %su: {of_right}) -> {result} {{
  %g = helios.matmul %x, %wg {groups}scales(%sx, %sg : {scale}, {of_right}) {flags} : ({left}, {right}) -> {result} acc f32
  %d = helios.matmul %x, %wu {groups}scales(%sx, %su : {scale}, {of_right}) fused(%g : {result}) {flags} : ({left}, {right}) -> {result} acc f32 {gate("bf16")}
  helios.return %d : {result}
}}
"""


folder = pathlib.Path(sys.argv[1])
for name, text in {
    "i4": weights("bf16", "tensor<?x?xbf16>", "{group = 128 : i64, transpose_b}", HALVES),
    "i8": weights("f16", "tensor<?x1xf16>", "{transpose_b}", WHOLE),
    "blocks": blocks(False),
    "experts": blocks(True),
}.items():
    (folder / f"{name}.mlir").write_text(text, encoding="utf-8")
