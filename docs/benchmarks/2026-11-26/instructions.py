#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The descriptions of attention that this page's sweeps compiled, and the instructions of their loops over keys.

  instructions.py describe NAME                                  prints a description
  instructions.py count COMPILER NVDISASM ROW NAME SCHEDULE      counts, for each program and loop, what a trip issues

NAME is DEPTH_MASK_REGION as in sweep_attention.py: 64_f_plain, 128_c_alibi; also softcapc, a constant cap, and documents. ptxas is found on PATH; nvdisasm comes
with CUDA. A loop is one that holds matrix products and exponentials and stores no results, as those over items do; blocks in it that a predicate skips and that shuffle or rescale are left out, since lanes go
around them where no score rises by much.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

SCORES = {
    "alibi": ("%extra: tensor<?x1x1xf32>", "%e: f32", """%d = arith.subi %j, %i : index
    %d32 = arith.index_cast %d : index to i32
    %f = arith.sitofp %d32 : i32 to f32
    %w = arith.mulf %e, %f : f32
    %t = arith.addf %s, %w : f32"""),
    "bias": ("%extra: tensor<?x?x?xbf16>", "%e: bf16", """%w = arith.extf %e : bf16 to f32
    %t = arith.addf %s, %w : f32"""),
    "softcap": ("%cap: f32", "", """%u = arith.divf %s, %cap fastmath<arcp> : f32
    %x = math.tanh %u fastmath<afn> : f32
    %t = arith.mulf %x, %cap : f32"""),
}
SCORES["softcapc"] = ("", "", "%cap = arith.constant 30.0 : f32\n    " + SCORES["softcap"][2])
INDICES = "%b: index, %h: index, %i: index, %j: index"


def description(name):
    depth, mask, region = name.split("_")
    tensor = f"tensor<?x?x?x{depth}xbf16>"
    operand, element, score = SCORES.get(region, ("", "", ""))
    keep = {"c": ["%causal = arith.cmpi sle, %j, %i : index"], "f": []}[mask]
    if region == "documents":
        operand, element = "%of: tensor<?x1x?x1xi32>, %ok: tensor<?x1x1x?xi32>", "%x: i32, %y: i32"
        keep.insert(0, "%same = arith.cmpi eq, %x, %y : i32")
    if len(keep) == 2:
        keep.append("%both = arith.andi %same, %causal : i1")
    read = re.findall(r"(%\w+): (tensor<\S+>)", operand)
    fused = f"fused({', '.join(v for v, _ in read)} : {', '.join(t for _, t in read)})" if read else ""
    arguments = ", ".join(filter(None, [element, INDICES]))
    regions = ""
    if score:
        regions += f" score {{\n  ^bb0(%s: f32, {arguments}):\n    {score}\n    helios.yield %t : f32\n  }}"
    if keep:
        body = "\n    ".join(keep)
        regions += f" mask {{\n  ^bb0({arguments}):\n    {body}\n    helios.yield {keep[-1].split()[0]} : i1\n  }}"
    parameters = ", ".join(filter(None, [f"%q: {tensor}", f"%k: {tensor}", f"%v: {tensor}", operand]))
    return (
        f"helios.kernel @g({parameters}) -> {tensor} {{\n"
        f"  %o = helios.attention %q, %k, %v {fused} : ({tensor}, {tensor}, {tensor}) -> {tensor} acc f32{regions}\n"
        f"  helios.return %o : {tensor}\n}}\n"
    )


def machine_code(nvdisasm, binary):
    """Instructions, and where labels are among them."""
    code, labels = [], {}
    for line in subprocess.run([nvdisasm, "-c", binary], capture_output=True, text=True, check=True).stdout.splitlines():
        if label := re.match(r"(\.L\w+):", line.strip()):
            labels[label[1]] = len(code)
        elif instruction := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?);", line):
            code.append(instruction[1].strip())
    return code, labels


def holds(code, what):
    return sum(what in instruction for instruction in code)


def loops(code, labels):
    """The innermost loops over keys, without the blocks that are rarely run."""
    found = []
    for end, instruction in enumerate(code):
        jump = re.search(r"BRA\b.*?(\.L\w+)", instruction)
        start = labels.get(jump[1], end + 1) if jump else end + 1
        body = code[start : end + 1]
        if start < end and holds(body, "MMA") >= 4 and holds(body, "MUFU") >= 16:
            found.append((start, end))
    found = [(start, end) for start, end in found if not holds(code[start:end], "STSM") and not holds(code[start:end], "STG")]
    for start, end in found:
        if any(start <= s and e <= end and (s, e) != (start, end) for s, e in found):
            continue
        rare = set()
        for at in range(start, end):
            jump = re.search(r"^@.*BRA\b.*?(\.L\w+)", code[at])
            to = labels.get(jump[1], 0) if jump else 0
            skipped = code[at + 1 : to]
            if at < to <= end and not holds(skipped, "MMA") and (holds(skipped, "SHFL") or holds(skipped, "FMUL") >= 16):
                rare.update(range(at + 1, to))
        yield [code[at] for at in range(start, end + 1) if at not in rare]


def count(compiler, nvdisasm, row, name, schedule):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "g.mlir").write_text(description(name), encoding="utf-8")
        command = [compiler, str(folder / "g.mlir"), f"--target=cuda:{row}", "--emit=ptx", f"--schedule={schedule}", "-o", str(folder / "g.ptx")]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        for program in sorted(folder.glob("g.*.ptx")):
            binary = str(program.with_suffix(".cubin"))
            notes = subprocess.run(["ptxas", "-v", f"-arch={row}", str(program), "-o", binary], capture_output=True, text=True, check=True).stderr
            spilled = re.search(r"(\d+) bytes spill stores", notes)[1]
            for body in loops(*machine_code(nvdisasm, binary)):
                kinds = collections.Counter(re.sub(r"^@!?U?P\w+ ", "", i).split()[0].split(".")[0] for i in body)
                print(f"{program.name}: {len(body)} instructions, {spilled} bytes spilled:", ", ".join(f"{k} {n}" for k, n in kinds.most_common(12)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["describe"] and len(sys.argv) == 3:
        print(description(sys.argv[2]), end="")
    elif sys.argv[1:2] == ["count"] and len(sys.argv) == 7:
        count(*sys.argv[2:])
    else:
        sys.exit(__doc__)
