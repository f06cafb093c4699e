"""Excerpts of IR in documentation, compared with what a tool printed.

An excerpt is read line by line: `...` in a line stands for any text, a line of `...` alone for any lines, `%names` for the
printed ones (the same name for the same value), `#alias` and `!alias` for what the excerpt or the program before it defines them
as. Comments are left out; lines that begin with `:`, `->`, `attributes` or `iter_args`, or follow a comma or `=`, continue the one before.
Everything else has to be there, in this order.
"""
import re
import subprocess
import tempfile

ALIAS = re.compile(r"^([#!][\w.-]+)\s*=\s*(.+)$")
CONTINUED = re.compile(r"\s*(:|->|attributes\b|iter_args\b)")
SYMBOL = re.compile(r"\b(program|plan|kernel|module|func) [^@]*@")


def run(command, text):
    """(exit status, stdout, stderr) of a command that reads `text`."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def aliases_of(text):
    return dict(m.groups() for m in map(ALIAS.match, text.splitlines()) if m)


def normal(text):
    """Types as an op prints them: without the dialect where the op knows it."""
    return re.sub(r"!(?:tile|frag)\.\w+<", "<", text)


def lines_of(excerpt, aliases):
    """The lines of an excerpt, whole and with aliases written out; None for a line of dots."""
    aliases = {**aliases, **aliases_of(excerpt)}
    lines = []
    for line in excerpt.splitlines():
        line = re.sub(r"(^|\s)//.*$", "", line).rstrip()
        if not line.strip() or ALIAS.match(line):
            continue
        if line.strip() == "...":
            lines.append(None)
        elif lines and lines[-1] and (CONTINUED.match(line) or lines[-1][-1] in ",="):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())

    def expand(line):
        while True:
            wider = re.sub(r"[#!][\w.-]+(?!\w)(?=[\s,>)\]]|$)", lambda m: aliases.get(m.group(), m.group()), line)
            if wider == line:
                return normal(line)
            line = wider

    return [line and expand(line) for line in lines]


def directives(excerpt, aliases):
    """The excerpt as a FileCheck file."""
    result, known, after_dots = [], set(), True
    for line in lines_of(excerpt, aliases):
        if line is None:
            after_dots = True
            continue
        if SYMBOL.search(line):
            known = set()
        text = ""
        for piece in re.split(r"(%[A-Za-z0-9_]+|\.\.\.)", line):
            if piece == "...":
                text += "{{.*}}"
            elif piece.startswith("%"):
                name = "V_" + piece[1:]
                text += f"%[[{name}]]" if name in known else f"%[[{name}:[A-Za-z0-9_]+]]"
                known.add(name)
            else:
                text += piece.replace("[[", "{{\\[\\[}}").replace("]]", "{{\\]\\]}}")
        end = "{{ *$}}"
        if text.endswith("{"):  # three braces in a row would be read as a pattern that begins with one
            text, end = text[:-1], "{{[{] *$}}"
        result.append(f"CHECK{'' if after_dots else '-NEXT'}: {{{{^ *}}}}{text}{end}")
        after_dots = False
    return "\n".join(result) + "\n"


def mismatch(excerpt, aliases, output):
    """What in the output differs from the excerpt, or an empty string."""
    with tempfile.NamedTemporaryFile("w", suffix=".check", encoding="utf-8") as check:
        check.write(directives(excerpt, aliases))
        check.flush()
        status, _, message = run(["FileCheck", check.name, "--dump-input=never"], normal(output))
        return message if status else ""
