"""code_block.py FILE.md LANGUAGE [N]: prints the Nth block (from 0) of that language."""
import re
import sys

path, language, index = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0
blocks = re.findall(rf"^```{language}\n(.*?)^```", open(path, encoding="utf-8").read(), re.M | re.S)
if index >= len(blocks):
    sys.exit(f"{path}: has {len(blocks)} blocks of {language}, number {index} wanted")
sys.stdout.write(blocks[index])
