"""check_blocks.py [--no-compile] PAGE.md...: every block of IR on a page is what the page says it is.

The words behind ```mlir:
    (none)           a complete program: parses, verifies, prints as text that says the same
    compile          that, and helios-compile makes a bundle of it for Vulkan
    after FLAGS      an excerpt (excerpt.py) of what helios-opt FLAGS makes of the last complete program above
    refused [FLAGS]  helios-opt FLAGS fails on it; each comment `// error: TEXT` is part of a message
"""
import pathlib
import re
import sys
import tempfile

import excerpt

BLOCK = re.compile(r"^```mlir[ \t]*([^\n]*)\n(.*?)^```$", re.M | re.S)


def wrong(words, text, last, compiles):
    """What is wrong with one block, or an empty string."""
    kind, _, flags = words.partition(" ")
    if kind == "after":
        status, output, messages = excerpt.run(["helios-opt", *flags.split()], last)
        if status:
            return messages
        difference = excerpt.mismatch(text, excerpt.aliases_of(last), output)
        return difference and f"{difference}\n{output}"
    if kind == "refused":
        status, _, messages = excerpt.run(["helios-opt", *flags.split()], text)
        expected = re.findall(r"^ *// error: (.*)$", text, re.M)
        if not status or not expected:
            return "expected it to be refused, with the reason in a comment '// error: TEXT'"
        return "".join(f"expected the message '{e}', got\n{messages}" for e in expected if e not in messages)
    if kind not in ("", "compile"):
        return f"no such kind of block: {words}"
    status, _, messages = excerpt.run(["helios-opt", "--verify-roundtrip"], text)
    if status == 0 and kind == "compile" and compiles:
        with tempfile.TemporaryDirectory() as folder:
            bundle = pathlib.Path(folder, "k.hlx")
            status, _, messages = excerpt.run(["helios-compile", "-", "--target=vulkan", "-o", str(bundle)], text)
            if status == 0 and not bundle.exists():
                return "helios-compile wrote no bundle"
    return messages if status else ""


compiles = "--no-compile" not in sys.argv
failures = 0
for page in [arg for arg in sys.argv[1:] if not arg.startswith("--")]:
    last, kinds = "", {}
    for found in BLOCK.finditer(pathlib.Path(page).read_text(encoding="utf-8")):
        words, text = found.group(1).strip(), found.group(2)
        line = found.string.count("\n", 0, found.start()) + 1
        problem = wrong(words, text, last, compiles)
        if problem:
            print(f"{page}:{line}: {problem}")
            failures += 1
        kind = words.split(" ")[0] or "program"
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind in ("program", "compile"):
            last = text
    counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    print(f"{pathlib.Path(page).name}: {counts or 'no blocks'}")
print(f"{failures} blocks are not what they say")
sys.exit(1 if failures else 0)
