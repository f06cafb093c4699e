#!/usr/bin/env python3
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count_tests.py FILE.xml...: adds up JUnit reports of ctest, lit and GoogleTest.

A ctest entry whose program printed its own counts (GoogleTest's summary, or a
line "N passed, M failed[, K skipped]") counts as that many tests. One that lit
had no time for has failed. Prints what failed, then the line "N passed, N
failed[, N skipped]"; fails when something failed, when a report is missing or
broken, or when nothing ran at all.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

OWN_COUNTS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$", re.M)
GTEST_LINE = re.compile(r"^\[  (PASSED|FAILED|SKIPPED) +\] (\d+) tests?[.,]", re.M)
# What lit says of tests that it had not run when its time was up.
NOT_RUN = "User interrupt"
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#x?[0-9a-fA-F]+;")


def counts_in(output):
    """(passed, failed, skipped) that a test program printed itself, or None."""
    own = OWN_COUNTS.findall(output)
    if own:
        return tuple(int(n or 0) for n in own[-1])
    lines = GTEST_LINE.findall(output)
    if lines:
        return tuple(
            sum(int(n) for kind, n in lines if kind == wanted)
            for wanted in ("PASSED", "FAILED", "SKIPPED")
        )
    return None


def count_case(case):
    """(passed, failed, skipped) of one <testcase>."""
    skipped = case.find("skipped")
    failed = (
        case.find("failure") is not None
        or case.find("error") is not None
        or case.get("status") == "fail"
        or (skipped is not None and skipped.get("message") == NOT_RUN)
    )
    if not failed and (skipped is not None or case.get("status") in ("notrun", "disabled")):
        return 0, 0, 1
    own = counts_in(case.findtext("system-out") or "")
    if own is None:
        return (0, 1, 0) if failed else (1, 0, 0)
    # A program that crashed or exited badly has failed, whatever it had counted.
    return (own[0], max(own[1], 1), own[2]) if failed else own


def main(paths):
    total, bad = [0, 0, 0], []
    for path in paths:
        try:
            text = open(path, encoding="utf-8", errors="replace").read()
            root = ElementTree.fromstring(UNPRINTABLE.sub("?", text))
        except (OSError, ElementTree.ParseError) as error:
            bad.append(f"{path}: {error}")
            total[1] += 1
            continue
        for case in root.iter("testcase"):
            counts = count_case(case)
            total = [a + b for a, b in zip(total, counts)]
            if counts[1]:
                bad.append(f"{case.get('classname', '')} {case.get('name', '')}".strip())
    for name in bad:
        print(f"failed: {name}")
    if not total[0] and not total[1]:
        print("failed: no test ran")
        total[1] = 1
    line = f"{total[0]} passed, {total[1]} failed"
    print(line + (f", {total[2]} skipped" if total[2] else ""))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
