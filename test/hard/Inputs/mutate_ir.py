#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutate_ir.py PROGRAM.mlir [-- RESULT SEEDS ARGUMENTS OF helios-emulate]

Breaks what orders accesses in a program of level 2 or 3 in every single place, one at a time, and prints a table of what is said
of each mutant: by a verifier (its diagnostic), or, where arguments for helios-emulate are given and no verifier objects, by the
emulator that executes what becomes of it. RESULT names the buffer that the kernel writes.
Last line: "N mutants, N refused, N found by the emulator, N equivalent, N survived". Exit status 1: some survived.

A mutant of level 3 that nothing is wrong with is equivalent if the same PTX becomes of it: a release need not name a product that
has been awaited before, counts and barriers are derived anew.
"""
import os
import re
import subprocess
import sys
import tempfile

def operands(text):
    return [x.strip() for x in text.split(",")]


def mutants(lines):
    """Number of a line, what was done, and the lines."""
    def one(number, name, new):
        return number, name, lines[:number] + ([new] if new is not None else []) + lines[number + 1:]

    cursors = {}  # the last one of each side of a ring
    tokens = {}  # of each engine
    for number, line in enumerate(lines):
        code = line.split("//")[0]
        if re.search(r"^\s*(tile\.exit|frag\.release) ", code):
            yield one(number, "exit removed", None)
            yield number, "exit twice", lines[:number] + [line, line] + lines[number + 1:]
            if m := re.search(r" after\(([^:)]*) : ([^)]*)\)", code):
                values, types = operands(m[1]), operands(m[2])
                for k in range(len(values)):
                    v, t = values[:k] + values[k + 1:], types[:k] + types[k + 1:]
                    clause = f" after({', '.join(v)} : {', '.join(t)})" if v else ""
                    yield one(number, f"after without {values[k]}", code[: m.start()] + clause + code[m.end():])
        if m := re.search(r"(tile\.enter|frag\.acquire) (read|write) (%\w+)\[(%\w+)\]", code):
            if (m[2], m[3]) in cursors:
                old = cursors[m[2], m[3]]
                yield one(number, f"cursor {old} for {m[4]}", code[: m.start(4)] + old + code[m.end(4):])
            yield one(number, "other side", code[: m.start(2)] + ("write" if m[2] == "read" else "read") + code[m.end(2):])
            cursors[m[2], m[3]] = m[4]
        if re.search(r"tile\.copy_in|frag\.copy_in|tile\.copy_out|frag\.copy_out|tile\.put|frag\.slot_put|frag\.await", code):
            yield one(number, re.search(r"(tile|frag)\.\w+", code)[0] + " removed", None)
        if m := re.search(r"frag\.await (%\w+)", code):
            known = tokens.get("wgmma", [])
            # Older ones: to wait for a younger one is to wait for more.
            for other in known[: known.index(m[1])][-2:] if m[1] in known else []:
                yield one(number, f"await of {other}", code[: m.start(1)] + other + code[m.end(1):])
            if m := re.search(r" through\(([^)]*)\)", code):
                yield one(number, "through removed", code[: m.start()] + code[m.end():])
        if m := re.search(r"(%\w+), (%\w+) = frag\.mma_start", code):
            tokens.setdefault("wgmma", []).append(m[2])
        if m := re.search(r" count (\d+)", code):
            yield one(number, "count + 1", code[: m.start(1)] + str(int(m[1]) + 1) + code[m.end(1):])
        if re.search(r"^\s*frag\.barrier", code):
            yield one(number, "barrier removed", None)
            if " proxy" in code:
                yield one(number, "barrier without proxy", code.replace(" proxy", ""))
        if m := re.search(r"\bregs\((\d+)\)", code):
            yield one(number, "regs + 8", code[: m.start(1)] + str(int(m[1]) + 8) + code[m.end(1):])
        if m := re.search(r"= tile\.ring : !?tile\.ring<(\d+)x|^!\w+ = !tile\.ring<(\d+)x|^!\w+ = !frag\.ring<!tile\.ring<(\d+)x", code):
            n = 1 if m[1] else 2 if m[2] else 3
            yield one(number, "a hundred slots", code[: m.start(n)] + "100" + code[m.end(n):])


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def main():
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    program, emulate = sys.argv[1], sys.argv[at + 1:]
    level3 = "frag" in os.path.basename(program)
    passes = "--pass-pipeline=builtin.module(frag.kernel(frag-assign-wait-counts,frag-insert-barriers))"
    with open(program) as f:
        lines = [line for line in f.read().split("\n") if not line.startswith("//")]
    counts = {"refused": 0, "found by the emulator": 0, "equivalent": 0, "survived": 0}
    with tempfile.TemporaryDirectory() as folder:
        path, ptx, out = (os.path.join(folder, x) for x in ("p.mlir", "p.ptx", "out"))

        def execute(seed):
            r = run("helios-emulate", ptx, "--seed", str(seed), "--dump", f"{emulate[0]}={out}", *emulate[2:])
            data = b""
            if r.returncode == 0:
                with open(out, "rb") as f:
                    data = f.read()
            return r, data

        def write(text):
            with open(path, "w") as f:
                f.write("\n".join(text))

        def compiled():
            """The PTX of a program of level 3; empty if a pass or the conversion refuses it."""
            target = "sm_89" if "sm89" in program else "sm_90a"
            if not level3 or run("helios-opt", path, passes, "-o", path + ".waits").returncode or \
                    run("helios-compile", path + ".waits", f"--target=cuda:{target}", "--emit=ptx", "-o", ptx).returncode:
                return ""
            with open(ptx) as f:
                return f.read()

        write(lines)
        r = run("helios-opt", path)
        if r.returncode:
            sys.exit("the unchanged program: " + r.stderr)
        derived, expected = compiled(), b""
        if emulate:
            r, expected = execute(0)
            if r.returncode:
                sys.exit("the unchanged program: " + r.stderr)
        for number, name, text in mutants(lines):
            write(text)
            r = run("helios-opt", path)
            kind, verdict = "survived", "SURVIVED"
            if r.returncode:
                message = re.search(r"error: (.*)", r.stderr)
                kind, verdict = "refused", message[1] if message else r.stderr.strip()
            elif level3 and not (changed := compiled()):
                kind, verdict = "refused", "by a pass"
            elif level3 and changed == derived:
                kind, verdict = "equivalent", "the same PTX"
            elif emulate:
                for seed in range(int(emulate[1]) + 1):
                    r, data = execute(seed)
                    if r.returncode or data != expected:
                        kind = "found by the emulator"
                        verdict = (r.stderr.split(":")[0] if r.returncode else "wrong result") + f" (seed {seed})"
                        break
            counts[kind] += 1
            print(f"line {number + 1:4}  {name:28} {kind + ': ' + verdict:.110}   {lines[number].strip()[:60]}")
    print(f"{sum(counts.values())} mutants, " + ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    sys.exit(1 if counts["survived"] else 0)


main()
