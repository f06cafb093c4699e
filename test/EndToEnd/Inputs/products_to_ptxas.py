"""products_to_ptxas.py [--all] [--broken] [--sass=NVDISASM] PTXAS FOLDER: products of level 1 as PTX, taken by the assembler without a remark.

Layouts of the operands, element types, epilogues, with and without a batch, on every row of CUDA. Every program has to be assembled without a
warning, without spilled registers and without a stack: of bf16 in all schedules that the compiler chooses among, of f16 in its first choice and for
unaligned rows. Each row meets each layout with each type, and every epilogue with one result with and without a batch; --all takes every combination. --sass looks
at the machine code of bf16 for aligned rows as well: no access of local memory, and a loop that holds little beside products. --broken adds one program whose registers are cut down, which
has to be found. The last line counts programs.
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import sass

ROWS = ["sm_80", "sm_86", "sm_89", "sm_90a"]
LAYOUTS = ["nn", "nt", "tn", "tt"]
TYPES = ["f16", "bf16"]
# Fused operands, a pair, whose sum is %q, or 'a', where %v is a second result; and arithmetic from %x to %y.
EPILOGUES = {
    "none": ("", ""),
    "bias": ("1", "%y = arith.addf %x, %e0 : f32"),
    "gelu": (
        "1",
        """%v = arith.addf %x, %e0 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.70710678118654752 : f32
    %scaled = arith.mulf %v, %root : f32
    %erf = math.erf %scaled : f32
    %sum = arith.addf %erf, %one : f32
    %halved = arith.mulf %v, %half : f32
    %y = arith.mulf %halved, %sum : f32""",
    ),
    "gelu_tanh": (
        "1",
        """%v = arith.addf %x, %e0 : f32
    %cubic = arith.constant 0.044715 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.79788456080286541 : f32
    %squared = arith.mulf %v, %v : f32
    %part = arith.mulf %squared, %cubic : f32
    %factor = arith.addf %part, %one : f32
    %scaled = arith.mulf %v, %root : f32
    %inner = arith.mulf %scaled, %factor : f32
    %tanh = math.tanh %inner : f32
    %sum = arith.addf %tanh, %one : f32
    %halved = arith.mulf %v, %half : f32
    %y = arith.mulf %halved, %sum : f32""",
    ),
    "swiglu": (
        "p",
        """%one = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %exp = math.exp %minus : f32
    %sum = arith.addf %exp, %one : f32
    %silu = arith.divf %x, %sum : f32
    %y = arith.mulf %silu, %q : f32""",
    ),
    "aux": (
        "1a",
        """%v = arith.addf %x, %e0 : f32
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %v : f32
    %exp = math.exp %minus : f32
    %sum = arith.addf %exp, %one : f32
    %y = arith.divf %v, %sum : f32
    %before = arith.truncf %v : f32 to {kind}""",
    ),
    "sin": ("m1", "%s = math.sin %x : f32\n    %p = arith.mulf %s, %e0 : f32\n    %y = arith.subf %p, %e1 : f32"),
}
# Of the instructions of a loop, products at least, by their number: mma.sync in programs that read without asking for bounds, and in those that
# ask for each row, whose small tiles share that between few products. What is shipped has 0.46, 0.34 and 0.25, and 0.34, 0.23 and 0.18.
SHARES = {"full": {64: 0.45, 32: 0.33, 16: 0.25}, "aligned": {64: 0.33, 32: 0.22, 16: 0.18}}
# Instructions of a loop for each asynchronous product, at most; shipped are 9 to 12. One that waits for every product has more.
PER_ASYNCHRONOUS = 12
LEFT = re.compile(r"(\d+) bytes (stack frame|spill stores|spill loads)")


def description(name, layout, kind, epilogue, batch):
    fused, arithmetic = EPILOGUES[epilogue]
    paired, several, fused = "p" in fused, "a" in fused, fused.strip("pa")
    matrix = f"tensor<{'?x' * batch}?x?x{kind}>"
    types = [f"tensor<?x{kind}>" if f == "1" else matrix for f in fused]
    arguments = "".join(f", %f{i}: {t}" for i, t in enumerate(types))
    operands = ", ".join(f"%f{i}" for i in range(len(types)))
    flags = ", ".join(f"transpose_{side}" for side, l in zip("ab", layout) if l == "t")
    results, region = ", ".join([matrix] * (1 + several)), ""
    arguments += f", %c: {matrix}" * paired
    if arithmetic:
        widened = "".join(f"    %e{i} = arith.extf %g{i} : {kind} to f32\n" for i in range(len(types)))
        block = "".join(f", %g{i}: {kind}" for i in range(len(types)))
        arithmetic = arithmetic.replace("{kind}", kind)
        yielded = f"%z{', %before' * several} : {kind}{f', {kind}' * several}"
        region = f" {{\n  ^bb0(%x: f32{', %q: f32' * paired}{block}):\n{widened}    {arithmetic}\n    %z = arith.truncf %y : f32 to {kind}\n    helios.yield {yielded}\n  }}"
    return f"""helios.kernel @{name}(%a: {matrix}, %b: {matrix}{arguments}) -> ({results}) {{
  %d{", %p" * several} = helios.matmul %a, %b{f' pair(%c : {matrix})' * paired}{f' fused({operands} : {", ".join(types)})' if types else ''}{f' {{{flags}}}' if flags else ''}
      : ({matrix}, {matrix}) -> {results} acc f32{region}
  helios.return %d{", %p" * several} : {results}
}}
"""


def cases(row):
    if broken:
        return [("nn", "bf16", "none", 0)]
    if everything:
        return list(itertools.product(LAYOUTS, TYPES, EPILOGUES, (0, 1)))
    # Steps of a Latin square, so that rows differ in what they combine, and two results in one layout each.
    first, names = ROWS.index(row), [name for name in EPILOGUES if name != "aux"]
    return [(LAYOUTS[first], "bf16", "aux", first % 2)] + [
        (layout, kind, names[(i + j + first) % len(names)], (i // 2 + j + first) % 2)
        for (i, layout), (j, kind) in itertools.product(enumerate(LAYOUTS), enumerate(TYPES))
    ]


def compile_row(row):
    """PTX files of the variants that are looked at."""
    text = "".join(description(f"p_{l}_{t}_{e}_{'batch' if b else 'one'}", l, t, e, b) for l, t, e, b in cases(row))
    source = folder / f"{row}.mlir"
    source.write_text(text, encoding="utf-8")
    command = ["helios-compile", str(source), f"--target=cuda:{row}", "--emit=ptx", "-o", str(folder / "p.ptx")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{row}: {done.stderr}")
        return [(row, None, False)]
    files = []
    for l, t, e, b in cases(row):
        stem = f"p.{row}.p_{l}_{t}_{e}_{'batch' if b else 'one'}_"
        found = sorted(folder.glob(stem + "*.ptx"))
        if t != "bf16" and not everything:
            found = [path for path in found if path.name in (stem + "full.ptx", stem + "aligned.ptx", stem + "any.ptx")]
        if not any(path.name == stem + "full.ptx" for path in found):
            found = [folder / (stem + "full.ptx")]  # it is missed below
        files += [(row, path, t == "bf16" and path.name != stem + "any.ptx") for path in found]
    if broken:
        text = files[0][1].read_text(encoding="utf-8")
        files[0][1].write_text(re.sub(r"(\.reqntid .*)", r"\1\n.maxnreg 64", text), encoding="utf-8")
        files = [(row, files[0][1], True)]
    return files


def is_sum(path):
    return path.stem.endswith("_sum")


def machine_code(path, cubin):
    """What is wrong with the instructions."""
    whole, loop = sass.inspect(nvdisasm, cubin)
    remarks = [f"{whole[name]} {name}" for name in ("LDL", "STL") if name in whole]
    if is_sum(path):  # additions only
        return remarks
    if not loop:
        return remarks + ["no loop with products"]
    count, size = sass.products(loop), sum(loop.values())
    if "HGMMA" in loop or "IGMMA" in loop:
        if size > PER_ASYNCHRONOUS * count:
            remarks.append(f"{size} instructions in a loop of {count} asynchronous products, at most {PER_ASYNCHRONOUS * count} expected")
        return remarks
    shares = SHARES["full" if "_full" in path.name else "aligned"]
    least = next((share for products, share in sorted(shares.items(), reverse=True) if count >= products), 1)
    if count < least * size:
        remarks.append(f"{count} products in a loop of {size} instructions, at least {100 * least:.0f} % expected")
    return remarks


def assemble(job):
    row, path, is_disassembled = job
    if path is None:
        return 1
    if not path.exists():
        print(f"{path.name}: no such program")
        return 1
    cubin = path.with_suffix(".cubin")
    done = subprocess.run([ptxas, f"-arch={row}", "-v", str(path), "-o", str(cubin)], capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    counts = LEFT.findall(said)
    remarks = [line for line in said.splitlines() if re.search(r"warning|error|Potential|\bC\d{4}\b", line)]
    remarks += [f"{count} bytes {what}" for count, what in counts if int(count)]
    if nvdisasm and is_disassembled and not done.returncode:
        remarks += machine_code(path, cubin)
    cubin.unlink(missing_ok=True)
    if done.returncode or remarks or len(counts) != 3:
        print(f"{path.name}: exit status {done.returncode}: {'; '.join(remarks) or said}", flush=True)
        return 1
    return 0


everything, broken = "--all" in sys.argv, "--broken" in sys.argv
nvdisasm = next((arg[len("--sass=") :] for arg in sys.argv[1:] if arg.startswith("--sass=")), "")
ptxas, folder = [arg for arg in sys.argv[1:] if not arg.startswith("--")]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
for old in folder.glob("*.ptx"):
    old.unlink()
with ThreadPoolExecutor(os.cpu_count()) as pool:
    jobs = [job for files in pool.map(compile_row, ROWS[-2:-1] if broken else ROWS) for job in files]
    failures = sum(pool.map(assemble, jobs))
print(f"{len(jobs)} programs, {failures} with remarks")
sys.exit(1 if failures or not jobs else 0)
