"""check_blocks.py [--no-compile] [--run=LAUNCHER] PAGE.md...: every block of IR on a page is what the page says it is.

The words behind ```mlir:
    (none)           a complete program: parses, verifies, prints as text that says the same
    compile          that, and helios-compile makes a bundle of it for Vulkan
    run              that, and with --run, helios-bench started by LAUNCHER finds its results right
    after FLAGS      an excerpt (excerpt.py) of what helios-opt FLAGS makes of the last complete program above
    refused [FLAGS]  helios-opt FLAGS fails on it; each comment `// error: TEXT` is part of a message
"""
import pathlib
import re
import shutil
import sys
import tempfile

import excerpt

EXTENT = "60"  # no multiple of a tile, nor of 16 bytes
SMALL = "--schedule=tile=16x16x8,groups=2x2"  # programs that lavapipe compiles in less than a second
BLOCK = re.compile(r"^```mlir[ \t]*([^\n]*)\n(.*?)^```$", re.M | re.S)


def wrong_result(bundle, text):
    """What helios-bench says of a bundle whose results are not all right, or an empty string. Open extents are EXTENT."""
    tensors = re.findall(r"tensor<([\d?x]*)x\w+>", re.search(r"helios\.kernel @\w+\((.*?)\) *->", text, re.S).group(1))
    shapes = ",".join(tensors).replace("?", EXTENT)
    command = [*launcher, shutil.which("helios-bench"), "run", bundle, "--shapes", shapes, "--device", "vulkan", "--check-only"]
    status, output, messages = excerpt.run(command, "")
    verdicts = re.findall(r"^\[\d+/\d+\] .*: (.*)$", output + messages, re.M)
    return "" if status == 0 and verdicts and set(verdicts) == {"passed"} else output + messages


def wrong(words, text, last):
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
    if kind not in ("", "compile", "run"):
        return f"no such kind of block: {words}"
    status, _, messages = excerpt.run(["helios-opt", "--verify-roundtrip"], text)
    if status == 0 and kind and compiles:
        with tempfile.TemporaryDirectory() as folder:
            bundle = pathlib.Path(folder, "k.hlx")
            command = ["helios-compile", "-", "--target=vulkan", "-o", str(bundle)]
            status, _, messages = excerpt.run(command, text)
            if status == 0 and not bundle.exists():
                return "helios-compile wrote no bundle"
            if status == 0 and kind == "run" and launcher is not None:
                excerpt.run([*command, SMALL], text)  # where no target can have it, the bundle stays as it is
                return wrong_result(str(bundle), text)
    return messages if status else ""


compiles = "--no-compile" not in sys.argv
launcher = next((arg[len("--run=") :].split() for arg in sys.argv if arg.startswith("--run=")), None)
failures = 0
for page in [arg for arg in sys.argv[1:] if not arg.startswith("--")]:
    last, kinds = "", {}
    for found in BLOCK.finditer(pathlib.Path(page).read_text(encoding="utf-8")):
        words, text = found.group(1).strip(), found.group(2)
        line = found.string.count("\n", 0, found.start()) + 1
        problem = wrong(words, text, last)
        if problem:
            print(f"{page}:{line}: {problem}")
            failures += 1
        kind = words.split(" ")[0] or "program"
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind in ("program", "compile", "run"):
            last = text
    counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    print(f"{pathlib.Path(page).name}: {counts or 'no blocks'}")
print(f"{failures} blocks are not what they say")
sys.exit(1 if failures else 0)
