"""check_links.py ROOT: every relative link of the tree's pages leads to a file, and to a heading there."""
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def without_blocks(page):
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def text_of(page):
    """The page without its code, where brackets are no links."""
    return re.sub(r"`[^`\n]*`", "", without_blocks(page))


def anchors_of(page):
    headings = re.findall(r"^#+ +(.*?) *$", without_blocks(page), re.M)
    return {re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in headings}


root = pathlib.Path(sys.argv[1])
pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md"), *root.glob("test/**/*.md")]
broken = 0
for page in sorted(pages):
    for link in LINK.findall(text_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.exists():
            problem = "no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            problem = "no such heading"
        else:
            continue
        print(f"{page.relative_to(root)}: link to {link}: {problem}")
        broken += 1
print(f"{len(pages)} pages, {broken} broken links")
sys.exit(1 if broken else 0)
