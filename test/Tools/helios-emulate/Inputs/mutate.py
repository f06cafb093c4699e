#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutate.py KERNEL.ptx RESULT SEEDS -- ARGUMENTS OF helios-emulate

Breaks the synchronisation of a kernel in every single place, one at a time, and prints a table of what the emulator says of each mutant.
RESULT names the buffer that the kernel writes; it is compared with what the unchanged kernel writes. Seeds 0 to SEEDS are tried.
Last line: "N mutants, N caught, N equivalent, N survived". Exit status 1: some survived.

A mutant that nothing is wrong with is equivalent if one of these reasons holds; else it has survived:
- nothing behind the place uses shared memory (waits and barriers behind a loop that has drained);
- a wgmma.fence stood between products whose registers nobody touches between them: the emulator follows each register, and a fence that is
  needed and missing is a finding in every run;
- in no run of the unchanged kernel the place is of use (helios-emulate --report): a wait for cp.async finds no copy that is pending; a wait for an
  mbarrier tells its warp nothing of other warps that is not known by other means, so that the phase must be complete there; nobody waits for the phase that an
  arrival on an mbarrier belongs to;
- another barrier stands beside it, with no access to shared memory between the two;
- of the two fences behind the initialisation of mbarriers one suffices within a block; removing both is a mutant too, and must be caught.
"""
import os
import re
import subprocess
import sys
import tempfile

# What is broken: name, pattern of the instruction, replacement (None: the line is removed).
MUTATIONS = [
    ("wait removed", r"cp\.async\.wait_group\s+\d+;", ""),
    ("wait leaves one more", r"(cp\.async\.wait_group\s+)(\d+);", lambda m: f"{m[1]}{int(m[2]) + 1};"),
    ("commit removed", r"cp\.async\.commit_group;", ""),
    ("barrier removed", r"(?:bar|barrier)\.(?:cta\.)?sync(?:\.aligned)?\s+[^;]+;", ""),
    ("barrier arrives only", r"bar\.sync(\s+[^;,]+,[^;]+);", r"bar.arrive\1;"),
    ("arrival removed", r"bar\.arrive\s+[^;]+;", ""),
    ("warp barrier removed", r"bar\.warp\.sync\s+[^;]+;", ""),
    ("wgmma.fence removed", r"wgmma\.fence\.sync\.aligned;", ""),
    ("wgmma.commit removed", r"wgmma\.commit_group\.sync\.aligned;", ""),
    ("wgmma.wait removed", r"wgmma\.wait_group\.sync\.aligned\s+\d+;", ""),
    ("wgmma.wait leaves one more", r"(wgmma\.wait_group\.sync\.aligned\s+)(\d+);", lambda m: f"{m[1]}{int(m[2]) + 1};"),
    ("proxy fence removed", r"fence\.proxy\.async[^;]*;", ""),
    ("init fence removed", r"fence\.mbarrier_init[^;]*;", ""),
    ("init count + 1", r"(mbarrier\.init\.\S+\s+\[[^\]]+\],\s*)(%\w+);", "COUNT"),
    ("mbarrier wait removed", r"mbarrier\.try_wait\S*\s+(\w+|%\w+),\s*\[[^\]]+\],\s*[^;]+;", lambda m: f"setp.eq.b32 {m[1]}, 0, 0;"),
    ("parity flipped", r"mbarrier\.try_wait\S*\s+(\w+|%\w+),\s*\[[^\]]+\],\s*([^;]+);", "PARITY"),
    ("release removed", r"mbarrier\.arrive\.(?!expect_tx)[^;]*;", ""),
    ("expected bytes - 16", r"(mbarrier\.arrive\.expect_tx[^;]*,\s*)([^;,]+);", "BYTES"),
    ("expected bytes + 16", r"(mbarrier\.arrive\.expect_tx[^;]*,\s*)([^;,]+);", "MORE"),
    ("bulk commit removed", r"cp\.async\.bulk\.commit_group;", ""),
    ("bulk wait removed", r"cp\.async\.bulk\.wait_group(?:\.read)?\s+\d+;", ""),
    ("bulk wait leaves one more", r"(cp\.async\.bulk\.wait_group(?:\.read)?\s+)(\d+);", lambda m: f"{m[1]}{int(m[2]) + 1};"),
    ("wait for the grid removed", r"griddepcontrol\.wait;", ""),
    ("cluster barrier removed", r"barrier\.cluster\.(?:arrive|wait)[^;]*;", ""),
]


# What helios-emulate --report says of a line, and what then may be done to it.
IDLE = {
    "finds no copy that is pending": ("wait removed", "wait leaves one more"),
    "tells nothing new of other warps": ("mbarrier wait removed",),
    "nobody waits for the arrival": ("release removed",),
}


SHARED = re.compile(r"\b(ld|st|atom|red)\.(volatile\.)?shared|ldmatrix|stmatrix|cp\.async\.(cg|ca|bulk\.tensor)|mbarrier\.|wgmma\.mma_async")


BARRIER = re.compile(r"\b(?:bar|barrier)\.(?:cta\.)?sync(?:\.aligned)?\s+([^;]+);")


def beside(lines, number):
    """Whether the same barrier stands before or behind, with nothing between that touches shared memory or jumps."""
    mine = BARRIER.search(lines[number])[1]
    for step in (-1, 1):
        at = number + step
        while 0 <= at < len(lines):
            code = lines[at].split("//")[0]
            if (m := BARRIER.search(code)) and m[1] == mine:
                return True
            if SHARED.search(code) or BARRIER.search(code) or re.search(r"\bbra\b|\bret\b|^\s*[$\w]+:", code):
                break
            at += step
    return False


def reason(lines, number, name, idle):
    """Why a mutant that nothing is wrong with means the same as the kernel; None: there is no reason."""
    rest = [x.split("//")[0] for x in lines[number + 1:]]
    labels = {m[1] for x in rest if (m := re.match(r"\s*([$\w]+):", x))}
    jumps = [m[1] for x in rest if (m := re.search(r"\bbra(?:\.uni)?\s+([$\w]+)", x))]
    if "cluster" not in name and not any(SHARED.search(x) for x in rest) and all(j in labels for j in jumps):
        return "nothing behind it uses shared memory"
    if name == "wgmma.fence removed":
        return "no register is touched between"
    for text, names in IDLE.items():
        if name in names and number + 1 in idle[text]:
            return text
    if name == "barrier removed" and beside(lines, number):
        return "another barrier beside it"
    near = " ".join(lines[max(0, number - 1):number] + lines[number + 1:number + 2])
    if name == "init fence removed" and "fence.proxy.async" in near or name == "proxy fence removed" and "fence.mbarrier_init" in near:
        return "the other fence suffices"
    return None


def mutants(lines):
    for number, line in enumerate(lines[:-1]):
        if "fence.mbarrier_init" in line and "fence.proxy.async" in lines[number + 1]:
            yield number, "both init fences removed", line.strip(), lines[:number] + lines[number + 2:]
    for number, line in enumerate(lines):
        code = line.split("//")[0]
        for name, pattern, change in MUTATIONS:
            m = re.search(pattern, code)
            if not m:
                continue
            if change == "PARITY":
                new = code[: m.start(2)] + "helios_parity" + code[m.end(2):]
                new = "{ .reg .b32 helios_parity; xor.b32 helios_parity, " + m[2] + ", 1; " + new.strip() + " }"
            elif change == "COUNT":
                new = "{ .reg .b32 helios_n; add.s32 helios_n, " + m[2] + ", 1; " + m[1] + "helios_n; }"
            elif change in ("BYTES", "MORE"):
                by = "-16" if change == "BYTES" else "16"
                new = "{ .reg .b32 helios_n; add.s32 helios_n, " + m[2] + ", " + by + "; " + code[: m.start(2)].strip() + " helios_n; }"
            else:
                new = code[: m.start()] + m.expand(change) if isinstance(change, str) else code[: m.start()] + change(m)
                new += code[m.end():]
                new = re.sub(r"^\s*@!?%?\w+\s*$", "", new)  # a guard alone
            yield number, name, code.strip(), lines[:number] + [new] + lines[number + 1:]


def main():
    at = sys.argv.index("--")
    kernel, result, seeds = sys.argv[1:4]
    arguments = sys.argv[at + 1:]
    with open(kernel) as f:
        lines = f.read().split("\n")
    if any("griddepcontrol.wait" in line for line in lines):
        arguments.append("--dependent")
    caught = equivalent = survived = 0
    with tempfile.TemporaryDirectory() as folder:
        out, mutant = os.path.join(folder, "out"), os.path.join(folder, "mutant.ptx")

        def run(path, seed):
            r = subprocess.run(["helios-emulate", path, "--seed", str(seed), "--report", "--dump", f"{result}={out}", *arguments], capture_output=True, text=True)
            data = b""
            if r.returncode == 0:
                with open(out, "rb") as f:
                    data = f.read()
            return r, data

        idle, expected = {}, None
        for seed in range(0, int(seeds) + 1):
            r, data = run(kernel, seed)
            if r.returncode or data != (expected or data):
                sys.exit(f"the unchanged kernel, seed {seed}: " + (r.stderr or "another result"))
            expected = data
            for text in IDLE:
                lines_now = {int(n) for line in r.stdout.split("\n") if text in line for n in re.findall(r"line (\d+)", line)}
                idle[text] = idle.get(text, lines_now) & lines_now
        for number, name, line, text in mutants(lines):
            with open(mutant, "w") as f:
                f.write("\n".join(text))
            verdict = None
            for seed in range(0, int(seeds) + 1):
                r, data = run(mutant, seed)
                if r.returncode == 1:
                    verdict = f"{r.stderr.split(':')[0]} (seed {seed})"
                elif r.returncode:
                    verdict = "refused: " + r.stderr.strip().split("\n")[0]
                elif data != expected:
                    verdict = f"wrong result (seed {seed})"
                if verdict:
                    break
            if verdict:
                caught += 1
            elif why := reason(lines, number, name, idle):
                equivalent += 1
                verdict = "equivalent: " + why
            else:
                survived += 1
                verdict = "SURVIVED"
            print(f"line {number + 1:5}  {name:28} {verdict:48} {line[:70]}")
    print(f"{caught + equivalent + survived} mutants, {caught} caught, {equivalent} equivalent, {survived} survived")
    sys.exit(1 if survived else 0)


main()
