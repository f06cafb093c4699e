# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""sass.py NVDISASM CUBIN...: opcodes of machine code, and the loop that multiplies.

The loop is the innermost one (from a label to a branch back to it) with the most products. Prints, for each file, the products, the instructions
of the loop, and accesses of local memory. inspect() is what tests import.
"""
import re
import subprocess
import sys

LABEL = re.compile(r"^(\.L_x_\d+):")
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z0-9_]+)([.A-Z0-9_a-z]*)(.*)")
BRANCH = re.compile(r"`\((\.L_x_\d+)\)")
PRODUCTS = {"HMMA", "HGMMA", "IMMA", "IGMMA", "QGMMA"}


def parse(text):
    """Opcodes in order, places of labels, and branches (place, label)."""
    opcodes, labels, branches = [], {}, []
    for line in text.splitlines():
        if found := LABEL.match(line):
            labels[found.group(1)] = len(opcodes)
        elif found := INSTRUCTION.match(line):
            opcode = found.group(2)
            if opcode == "BRA" and (target := BRANCH.search(line)):
                branches.append((len(opcodes), target.group(1)))
            opcodes.append(opcode)
    return opcodes, labels, branches


def main_loop(opcodes, labels, branches):
    """First and last place of the innermost loop with the most products; none if no loop has one."""
    loops = [(labels[label], place) for place, label in branches if labels.get(label, place + 1) <= place]
    best = None
    for first, last in loops:
        if any((f, l) != (first, last) and first <= f and l <= last for f, l in loops if any(o in PRODUCTS for o in opcodes[f : l + 1])):
            continue
        count = sum(o in PRODUCTS for o in opcodes[first : last + 1])
        if count and (best is None or count > best[0]):
            best = count, first, last
    return best[1:] if best else None


def inspect(nvdisasm, cubin):
    """Counts of opcodes of a whole file and of its main loop (None without one)."""
    done = subprocess.run([nvdisasm, "-c", str(cubin)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{nvdisasm}: {done.stderr.strip()}")
    opcodes, labels, branches = parse(done.stdout)
    if not opcodes:
        raise RuntimeError(f"{cubin}: {nvdisasm} shows no instruction")
    count = lambda part: {name: part.count(name) for name in set(part)}  # noqa: E731
    loop = main_loop(opcodes, labels, branches)
    return count(opcodes), count(opcodes[loop[0] : loop[1] + 1]) if loop else None


def products(counts):
    return sum(counts.get(name, 0) for name in PRODUCTS)


if __name__ == "__main__":
    for path in sys.argv[2:]:
        whole, loop = inspect(sys.argv[1], path)
        inside = f"{products(loop)} of {sum(loop.values())} instructions of the loop" if loop else "no loop"
        print(f"{path}: {products(whole)} products, {inside}, local memory {whole.get('LDL', 0) + whole.get('STL', 0)}")
