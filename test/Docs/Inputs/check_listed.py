"""check_listed.py PAGE.md FOLDER: the page links every .mlir file of the folder."""
import pathlib
import sys

page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
files = sorted(pathlib.Path(sys.argv[2]).glob("*.mlir"))
missing = [f.name for f in files if f"/{f.name})" not in page]
for name in missing:
    print(f"{name}: not listed")
print(f"{len(files)} files, {len(missing)} not listed")
sys.exit(1 if missing or not files else 0)
