"""check_schedule.py ScheduleParameters.def PAGE.md: the page's table has every tuning parameter, with its range and default."""
import re
import sys

definitions, page = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
expected = {}
for key, choices, default in re.findall(r'^HELIOS_SCHEDULE_CHOICE\(\w+, "(\w+)", "([\w|]+)", (\d+),', definitions, re.M):
    words = choices.split("|")
    expected[key] = ["word", ", ".join(f"`{w}`" for w in words), f"`{words[int(default)]}`"]
for key, parts, count, low, high, _, *defaults in re.findall(
    r'^HELIOS_SCHEDULE_INTEGERS\(\w+, "(\w+)", "([^"]*)", (\d), (\d+), (\d+), (\d+), (\d+), (\d+), (\d+),', definitions, re.M
):
    expected[key] = [parts or "one", f"{low} to {high}", ", ".join(defaults[: int(count)])]

rows = {}
for line in page.splitlines():
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if re.fullmatch(r"`\w+`", cells[0]) and len(cells) == 5 and cells[0].strip("`") in expected:
        rows[cells[0].strip("`")] = cells[1:4]
wrong = [key for key in expected if rows.get(key) != expected[key]]
for key in wrong:
    print(f"{key}: expected {expected[key]}, the page has {rows.get(key)}")
print(f"{len(expected)} parameters, {len(wrong)} not as declared")
sys.exit(1 if wrong or not expected else 0)
