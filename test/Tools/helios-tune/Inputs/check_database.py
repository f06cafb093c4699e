# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_database.py DB TABLE: what docs/tuning.md says of both files holds.
check_database.py --unfinished DB: makes it look as if the process had died twice in the first schedule, and before the second.
"""
import json
import sys

if sys.argv[1] == "--unfinished":
    path = sys.argv[2]
    with open(path) as file:
        database = json.load(file)
    (entry,) = database["entries"]
    entry["done"] = False
    first, second = entry["candidates"][:2]
    first.pop("ns")
    first.update(state="running", attempts=2)
    entry["candidates"].remove(second)
    with open(path, "w") as file:
        json.dump(database, file)
    sys.exit()

with open(sys.argv[1]) as file:
    database = json.load(file)
with open(sys.argv[2]) as file:
    table = json.load(file)
assert database["format"] == table["format"] == "helios-tune/1"
(entry,), (won,) = database["entries"], table["entries"]
assert "candidates" not in won and entry["quarantined"] == []
assert {k: v for k, v in entry.items() if k != "candidates"} == won
assert entry["done"] and entry["row"] == "lavapipe" and entry["op"] == "gemm"
assert (entry["types"], entry["layout"], entry["epilogue"]) == ("f16:f16:f32:f16", "nt", "none")
assert entry["device"].startswith("llvmpipe") and entry["driver"] and entry["commit"] and entry["compiler"]
assert any("8x8x8 f16*f16+f32->f32" in shape for shape in entry["matrices"]), entry["matrices"]
assert entry["extents"] == [64, 48, 32] and entry["above"] == [48, 32, 16] and entry["upto"] == [64, 48, 32]
assert not entry["aligned"]  # rows of 32 elements of two bytes are half a line
states = [c["state"] for c in entry["candidates"]]
assert states.count("measured") >= 3 and set(states) <= {"measured", "refused"}, states
assert all(c["ns"] > 0 for c in entry["candidates"] if c["state"] == "measured")
names = [c["schedule"] for c in entry["candidates"]]
assert len(set(names)) == len(names) and entry["model"] in names
assert entry["low"] <= entry["ratio"] <= entry["high"] and (entry["winner"] == "" or entry["low"] > 1)
