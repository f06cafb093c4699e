# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""schedules.py SEED COUNT DIR ROW...: compiles products under COUNT random schedules a row.

Each must compile, or be refused with a message that names what was expected or exceeded; an internal error fails.
Prints how many of either there were for each row.
"""
import os
import random
import subprocess
import sys

TYPES = {"f16": ("f16", "f32", 2), "bf16": ("bf16", "f32", 2), "f32": ("f32", "f32", 4), "i8": ("i32", "i32", 1)}


# Epilogues of f32: what a region's lines make of %x, the vectors' arguments being %c0 (along columns) and %c1 (rows).
EPILOGUES = {"relu": ["%zero = arith.constant 0.0 : f32", "%y = arith.maximumf %x, %zero : f32"],
             "gelu": ["%k = arith.constant 0.7 : f32", "%h = arith.constant 0.5 : f32", "%one = arith.constant 1.0 : f32", "%u = arith.mulf %x, %k : f32",
                      "%q = math.erf %u : f32", "%w = arith.addf %q, %one : f32", "%z = arith.mulf %x, %h : f32", "%y = arith.mulf %z, %w : f32"],
             "tanh": ["%y = math.tanh %x : f32"]}


def product(rng, row):
    """A product of random types, layouts and epilogues, and the bytes of an element."""
    a = rng.choice([a for a in TYPES if row.startswith("cuda") or a != "f32" or row.endswith("simt") or rng.random() < 0.1])
    d, acc, size = TYPES[a]
    flags = ", ".join(name for name in ("transpose_a", "transpose_b") if rng.random() < 0.5)
    batch = "?x" if rng.random() < 0.2 else ""
    inputs, body = "", []
    if d == "f32" and rng.random() < 0.5:
        d = rng.choice([a, "f32"])
        body = list(EPILOGUES[rng.choice(list(EPILOGUES))])
        if rng.random() < 0.5:
            inputs = f"tensor<{'?' if batch else rng.choice(['?', '?x1'])}x{a}>"
            body = [line.replace("%x", "%s") for line in body]
            body[:0] = (["%e = arith.extf %c : %s to f32".replace("%s", a)] if a != "f32" else []) + [
                "%s = arith.addf %x, " + ("%e" if a != "f32" else "%c") + " : f32"]
        if d != "f32":
            body.append(f"%t = arith.truncf %y : f32 to {d}")
        body.append(f"helios.yield %{'t' if d != 'f32' else 'y'} : {d}")
    operand, result = f"tensor<{batch}?x?x{a}>", f"tensor<{batch}?x?x{d}>"
    fused = f" fused(%v : {inputs})" if inputs else ""
    region = f" {{\n  ^bb0(%x: f32{', %c: ' + a if inputs else ''}):\n    " + "\n    ".join(body) + "\n  }" if body else ""
    return size, f"""helios.kernel @k(%a: {operand}, %b: {operand}{', %v: ' + inputs if inputs else ''}) -> {result} {{
  %d = helios.matmul %a, %b{fused} {{{flags}}} : ({operand}, {operand}) -> {result} acc {acc}{region}
  helios.return %d : {result}
}}
"""


def schedule(rng, row, size):
    """A random schedule; most consist of whole instructions of the row."""
    maybe = lambda chance: rng.random() < chance
    cuda = row.startswith("cuda")
    strategies = ["staged"] + (["groups"] if cuda else []) + (["roles"] * 2 if row.endswith("90a") else [])
    strategy = rng.choice(strategies if maybe(0.9) else ["staged", "groups", "roles"])
    mma = [64, rng.choice([8, 16, 32, 64, 96, 128, 192, 256]), 32 // size] if strategy == "roles" else \
          [32, 16, 4] if cuda and size == 4 or row.endswith("simt") else [16, 8, 32 // size] if cuda else \
          [8, 8, 8] if row.endswith("lavapipe") else [16, 16, 32] if size == 1 else [16, 16, 16]
    groups = [rng.choice([1, 2, 3]), 1] if strategy == "roles" else rng.choice([[1, 1], [2, 1], [2, 2], [3, 2], [2, 4], [1, 6], [8, 1], [1, 8], [4, 4]])
    turns = rng.choice([2, 2, 3]) if maybe(0.25 if strategy == "roles" else 0.02) else 1
    if turns > 1 and maybe(0.9):
        groups = [1, 1]
    repeats = [rng.choice([1, 2]), 1] if strategy == "roles" else [rng.choice([1, 2, 3]), rng.choice([1, 2, 4])]
    tile = [groups[d] * mma[d] * repeats[d] for d in (0, 1)] + [mma[2] * rng.choice([1, 2, 4])]
    if maybe(0.1):
        tile[rng.randrange(3)] = rng.choice([1, 7, 20, 100])
    sliced = rng.choice([2, 3, 4]) if maybe(0.25 if strategy == "groups" else 0.03) else 1
    if sliced > 1 and maybe(0.8):
        tile[0], tile[2] = groups[0] * mma[0], tile[2] * sliced
    values = {"tile": tile, "groups": groups}
    if sliced > 1:
        values["sliced_k"] = sliced
    if maybe(0.8):
        values["strategy"] = strategy
    if turns > 1:
        values["turns"] = turns
    if maybe(0.3 if strategy == "roles" and groups == [1, 1] and turns == 1 else 0.03):
        values["cluster_k"] = rng.choice([2, 2, 4, 8, 3])
    optional = {"mma": [mma, mma, [0, 0, 0], [16, 16, 16]], "depth": [1, 2, 3, 4, 8], "pad": [0, 1, 3, 8, 64], "raster": [1, 7, 64],
                "items": ["grid", "persistent", "persistent"], "epilogue_rows": [0, 1, 3, 16, 64, 1024], "unroll": [0, 1, 3], "ahead": [0, 1, 2],
                "split_k": [0, 2, 7, 256], "cluster": [[1, 1], [2, 1], [1, 2], [2, 2], [4, 1], [3, 1]], "pack": ["none", "b", "b"]}
    for key, choices in optional.items():
        if maybe(0.7 if key == "depth" and strategy != "staged" else 0.1 if key == "cluster" and strategy != "roles" or key == "pack" and strategy != "staged" else 0.3):
            values[key] = rng.choice(choices)
    text = lambda value: "x".join(map(str, value)) if isinstance(value, list) else str(value)
    return ",".join(f"{key}={text(value)}" for key, value in values.items())


def main():
    seed, count, folder, rows = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    rng = random.Random(seed)
    source, output = os.path.join(folder, "k.mlir"), os.path.join(folder, "k.hlx")
    failed = False
    for row in rows:
        compiled = refused = 0
        for _ in range(count):
            size, text = product(rng, row)
            with open(source, "w") as file:
                file.write(text)
            given = schedule(rng, row, size)
            command = ["helios-compile", source, f"--target={row}", f"--schedule={given}", "-o", output]
            run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            says = any(words in run.stdout for words in ("cannot have the schedule", "is unsupported on target", "but target '"))
            if run.returncode == 0:
                compiled += 1
            elif run.returncode in (2, 3) and says and "reproducer" not in run.stdout:
                refused += 1
            else:
                failed = True
                print(f"error: exit {run.returncode} for\n{text}with {' '.join(command)}\n{run.stdout}")
        print(f"{row}: {compiled} compiled, {refused} refused")
    sys.exit(failed)


main()
