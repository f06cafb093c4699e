"""check_passes.py ROOT: every pass of the tree is described with an example, and does what its example says.

A block ```mlir of a pass's description is a complete program, a line of comment, and what the pass makes of it:
    // becomes[, with OPTIONS]            an excerpt of what is printed (excerpt.py)
    // is unchanged[, with OPTIONS]       the program as it was
    // is refused[, with OPTIONS]         comments with parts of the messages
    // writes[, with OPTIONS]             comments with lines of the error stream
"""
import pathlib
import re
import sys

import excerpt

PASS = re.compile(r'^def \w+ : Pass<"([\w-]+)", "([\w:]+)">(.*?)^}', re.M | re.S)
TURN = re.compile(r"^// (becomes|is unchanged|is refused|writes)(?:, with (.*))?$", re.M)
ANCHORS = {"ModuleOp": "", "ProgramOp": "tile.program", "KernelOp": "frag.kernel"}


def blocks_of(body):
    """Blocks of a description, without its indentation."""
    description = re.search(r"let description = \[\{(.*?)\}\];", body, re.S)
    for block in re.findall(r"^( *)```mlir\n(.*?)^ *```", description.group(1) if description else "", re.M | re.S):
        yield re.sub(rf"^{block[0]}", "", block[1], flags=re.M)


def wrong(flag, anchor, block):
    """What is wrong with one example, or an empty string."""
    turn = TURN.search(block)
    if not turn:
        return "no line says what the pass does to it"
    before, after = block[: turn.start()], block[turn.end() :]
    name = flag + (f"{{{turn.group(2)}}}" if turn.group(2) else "")
    nest = ANCHORS[anchor.split("::")[-1]]
    pipeline = f"builtin.module({nest}({name}))" if nest else f"builtin.module({name})"
    status, plain, messages = excerpt.run(["helios-opt"], before)
    if status:
        return f"the program is not valid:\n{messages}"
    status, output, messages = excerpt.run(["helios-opt", f"--pass-pipeline={pipeline}"], before)
    if turn.group(1) == "is refused" and status == 0:
        return "expected the pass to fail"
    if turn.group(1) != "is refused" and status:
        return f"the pass fails:\n{messages}"
    if turn.group(1) == "is unchanged":
        return "" if output == plain else f"expected no change, got\n{output}"
    if turn.group(1) == "becomes":
        difference = excerpt.mismatch(after, excerpt.aliases_of(before), output)
        return difference and f"{difference}\n{output}"
    for text in re.findall(r"^// ?(.*)$", after, re.M):
        if text not in messages:
            return f"expected '{text}' on the error stream, got\n{messages}"
    return ""


count = failures = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("include/**/*Passes.td")):
    for flag, anchor, body in PASS.findall(path.read_text(encoding="utf-8")):
        count += 1
        examples = list(blocks_of(body))
        problems = [wrong(flag, anchor, block) for block in examples] or ["has no example"]
        for problem in filter(None, problems):
            print(f"{flag}: {problem}")
        failures += any(problems)
        print(f"{flag}: {len(examples)} examples")
print(f"{count} passes, {failures} not as described")
sys.exit(1 if failures or not count else 0)
