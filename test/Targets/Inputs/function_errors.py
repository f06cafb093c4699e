"""function_errors.py [--broken] FOLDER: largest errors of functions of f32 as targets write them out.

Each function becomes a program of level 3 with one element a lane. What helios-compile makes of it, PTX and SPIR-V, is a
straight line of scalar instructions; it is executed here in f32, with 2^x, logarithm, quotient and root rounded correctly, and compared
with double precision. So the errors are those of the forms, and what a device's own instructions add comes on top. --broken
changes an operand of one program, which has to be found.
"""
import math
import pathlib
import re
import struct
import subprocess
import sys

INF, NAN = math.inf, math.nan


def gelu(x):
    return x * math.erfc(-x / math.sqrt(2)) / 2


def gelu_tanh(x):
    y = 2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return x / (1 + math.exp(-y)) if y > -700 else 0.0


GELU = """%r = arith.constant 0.70710678118654752 : f32
%h = arith.constant 0.5 : f32
%o = arith.constant 1.0 : f32
%s = arith.mulf %x, %r : f32
%e = math.erf %s : f32
%t = arith.addf %e, %o : f32
"""
# Names, text from %x to %y, the function, ranges with the largest error allowed: in units of the last place, or absolute where
# it is below 1e-3.
FUNCTIONS = [
    ("erf", "%y = math.erf %x : f32", math.erf, [(-4, 4, 2.3)]),
    ("tanh", "%y = math.tanh %x : f32", math.tanh, [(-10, 10, 1.3)]),
    # Only sums with constants see the value: the error is absolute.
    ("erf_sum", "%c = arith.constant 1.5 : f32\n%e = math.erf %x : f32\n%y = arith.addf %e, %c : f32", lambda x: math.erf(x) + 1.5, [(-6, 6, 3e-7), (-1, 1, 3e-7)]),
    ("erfc", "%c = arith.constant 1.0 : f32\n%e = math.erf %x : f32\n%y = arith.subf %c, %e : f32", math.erfc, [(-6, 6, 2e-7)]),
    ("erf_minus", "%c = arith.constant 0.5 : f32\n%k = arith.constant -2.0 : f32\n%s = arith.mulf %x, %k : f32\n%e = math.erf %s : f32\n%y = arith.subf %e, %c : f32", lambda x: math.erf(-2 * x) - 0.5, [(-3, 3, 2e-7)]),
    ("erf_scaled", "%c = arith.constant 1.0 : f32\n%k = arith.constant 1.0e6 : f32\n%s = arith.mulf %x, %k : f32\n%e = math.erf %s : f32\n%y = arith.addf %e, %c : f32", lambda x: math.erf(1e6 * x) + 1, [(-1e-5, 1e-5, 3e-7)]),
    ("one_plus_tanh", "%c = arith.constant 1.0 : f32\n%e = math.tanh %x : f32\n%y = arith.addf %e, %c : f32", lambda x: 2 / (1 + math.exp(-2 * x)), [(-1, 1, 3), (-20, 20, 40)]),
    ("one_minus_tanh", "%c = arith.constant 1.0 : f32\n%e = math.tanh %x : f32\n%y = arith.subf %c, %e : f32", lambda x: 2 / (1 + math.exp(2 * x)), [(-1, 1, 3), (-20, 20, 40)]),
    ("tanh_minus", "%c = arith.constant 0.75 : f32\n%e = math.tanh %x : f32\n%y = arith.subf %e, %c : f32", lambda x: math.tanh(x) - 0.75, [(-10, 10, 2.5e-7)]),
    ("gelu", GELU + "%p = arith.mulf %x, %h : f32\n%y = arith.mulf %p, %t : f32", gelu, [(-1, 1, 2e-7), (-10, 0, 2e-7), (0, 10, 5)]),
    ("gelu_late_half", GELU + "%p = arith.mulf %t, %x : f32\n%y = arith.mulf %p, %h : f32", gelu, [(-10, 10, 5e-7)]),
    ("gelu_doubled", GELU + "%y = arith.mulf %t, %x : f32", lambda x: 2 * gelu(x), [(-10, 0, 4e-7), (0, 10, 5)]),
    ("gelu_tanh", """%r = arith.constant 0.79788456080286536 : f32
%k = arith.constant 0.044715 : f32
%h = arith.constant 0.5 : f32
%o = arith.constant 1.0 : f32
%q = arith.mulf %x, %x : f32
%b = arith.mulf %q, %k : f32
%f = arith.addf %b, %o : f32
%i = arith.mulf %x, %f : f32
%s = arith.mulf %i, %r : f32
%e = math.tanh %s : f32
%t = arith.addf %e, %o : f32
%p = arith.mulf %x, %h : f32
%y = arith.mulf %p, %t : f32""", gelu_tanh, [(-1, 1, 4), (-10, 0, 2e-7), (0, 10, 4)]),
]


def rounded(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def bits(x):
    return struct.unpack("I", struct.pack("f", x))[0]


def from_bits(x):
    return struct.unpack("f", struct.pack("I", x & 0xFFFFFFFF))[0]


def exp2(x):
    return x if x != x else INF if x >= 128 else 0.0 if x < -149 else 2.0**x


def divide(a, b):
    if b == 0 or a != a or b != b:
        return NAN if a == 0 or a != a or b != b else math.copysign(INF, a) * math.copysign(1, b)
    return NAN if math.isinf(a) and math.isinf(b) else a / b


def keeping_nan(choose):
    return lambda a, b: NAN if a != a or b != b else choose(a, b)


def choosing_number(choose):
    return lambda a, b: b if a != a else a if b != b else choose(a, b)


def fma(a, b, c):
    return a * b + c


FLOAT = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "fma": fma, "div": divide,
    "neg": lambda a: -a, "abs": abs, "ex2": exp2, "rcp": lambda a: divide(1, a), "copysign": lambda s, a: math.copysign(a, s),
    "min.NaN": keeping_nan(min), "max.NaN": keeping_nan(max), "min": choosing_number(min),
    "FAdd": lambda a, b: a + b, "FSub": lambda a, b: a - b, "FMul": lambda a, b: a * b, "FDiv": divide, "FNegate": lambda a: -a,
    "GL.Fma": fma, "GL.FAbs": abs, "GL.FMin": min, "GL.FMax": max, "GL.Exp2": exp2,
    "GL.Exp": lambda a: a if a != a else INF if a > 89 else math.exp(a),
}  # fmt: skip
COMPARE = {
    "lt": lambda a, b: a < b, "gt": lambda a, b: a > b, "ltu": lambda a, b: not a >= b,
    "FOrdLessThan": lambda a, b: a < b, "FOrdGreaterThan": lambda a, b: a > b, "FUnordLessThan": lambda a, b: not a >= b,
    "IsNan": lambda a: a != a,
}  # fmt: skip

INTEGER = {"BitwiseAnd": lambda a, b: a & b, "BitwiseOr": lambda a, b: a | b}


def ptx(text):
    """A function of PTX whose element is loaded from and stored to global memory."""
    lines = [line.strip() for line in text[text.index("{\n") :].splitlines()]
    code = []
    for line in lines:
        if match := re.match(r"ld\.global\S*\s+(%\w+),", line):
            code = [(match[1], None, [])]
        elif match := re.match(r"st\.global\S*\s+\[.*\],\s*(%\w+);", line):
            return code, match[1]
        elif code and (match := re.match(r"(\S+)\s+(%\w+),\s*(.*);", line)):
            name, operands = match[1], re.split(r",\s*", match[3])
            if name.startswith("setp."):
                step = COMPARE[name.split(".")[1]]
            elif name.startswith("selp."):
                step = lambda a, b, c: a if c else b
            elif name.startswith("mov."):
                step = lambda a: a
            else:
                names = name.split(".")
                operation = FLOAT[".".join(names[:2]) if names[1] == "NaN" else names[0]]
                assert "f32" in names, line
                step = lambda *a, f=operation: rounded(f(*a))
            code.append((match[2], step, [from_bits(int(o[2:], 16)) if o.startswith("0f") else o for o in operands]))
    raise AssertionError("no store:\n" + text)


def spirv(text):
    """Likewise of SPIR-V in MLIR's form."""
    code, constants, pending = [], {}, []
    for line in text.splitlines():
        if match := re.match(r"\s*(%[\w-]+) = spirv\.Constant (\S+) : (f32|i32)", line):
            value = match[2]
            if match[3] == "i32":
                constants[match[1]] = int(value)
            else:
                constants[match[1]] = from_bits(int(value, 16)) if value.startswith("0x") else rounded(float(value))
        elif match := re.match(r'\s*(%[\w-]+) = spirv\.Load "StorageBuffer"', line):
            code = [(match[1], None, [])]
        elif match := re.match(r'\s*spirv\.Store "StorageBuffer" %[\w-]+, (%[\w-]+) : f32', line):
            return code, match[1]
        elif code and (match := re.match(r"\s*(%[\w-]+) = spirv\.([\w.]+) (.*?) : .*", line)):
            name, operands = match[2], [constants.get(o, o) for o in re.split(r",\s*", match[3])]
            if name == "AccessChain":
                continue
            if name in COMPARE:
                step = COMPARE[name]
            elif name in INTEGER:
                step = INTEGER[name]
            elif name == "Bitcast":
                step = from_bits if line.endswith("i32 to f32") else bits
            elif name == "Select":
                # Whether the lane has an element.
                step = lambda c, a, b: a if c else b
                if len(code) == 1:
                    step, operands = (lambda a: a), operands[1:2]
            else:
                step = lambda *a, f=FLOAT[name]: rounded(f(*a))
            code.append((match[1], step, operands))
    raise AssertionError("no store:\n" + text)


def run(program, x):
    code, result = program
    values = {code[0][0]: x}
    for to, step, operands in code[1:]:
        values[to] = step(*(values[o] if isinstance(o, str) else o for o in operands))
    return values[result]


def error(got, want, absolute):
    if absolute:
        return abs(got - want)
    place = math.ldexp(1, max(math.frexp(want)[1] - 24, -149)) if want else 2.0**-149
    return abs(got - want) / place


broken = "--broken" in sys.argv
folder = pathlib.Path(sys.argv[-1])
folder.mkdir(parents=True, exist_ok=True)
source = folder / "functions.mlir"
source.write_text(
    "#row = #tile.regs<vec = [1], lanes = [32], groups = [1]>\n!v = !tile.view<32xf32, strides = [1]>\n!f = !frag.f<32xf32, #row>\n"
    + "".join(
        f"""frag.kernel @{name}(%memory: !tile.ptr<f32>) attributes {{threads = 32 : i64}} {{
  %c0 = arith.constant 0 : index
  %V = tile.view %memory[] : !tile.ptr<f32> -> !v
  %in = frag.read %V[%c0] : !v -> !f
  %out = frag.map(%in : !f) -> !f {{
  ^bb0(%x: f32):
{text}
    frag.yield %y : f32
  }}
  frag.write %out, %V[%c0] : !f, !v
  frag.return
}}
"""
        for name, text, _, _ in FUNCTIONS
    ),
    encoding="utf-8",
)
subprocess.run(["helios-compile", source, "--target=cuda:sm_89", "--emit=ptx", "-o", folder / "f.ptx"], check=True, stdout=subprocess.DEVNULL)
modules = subprocess.run(["helios-opt", source, "--convert-frag-to-spirv"], check=True, capture_output=True, text=True).stdout
modules = dict(re.findall(r"spirv\.module @(\w+)([\s\S]*?)spirv\.EntryPoint", modules))

failures = 0
if broken:
    path = folder / "f.sm_89.gelu.ptx"
    path.write_text(path.read_text(encoding="utf-8").replace("fma.rn.f32 	%r11, %r10", "fma.rn.f32 	%r11, %r9"), encoding="utf-8")
for name, _, function, ranges in FUNCTIONS:
    for target, program in (("ptx", ptx((folder / f"f.sm_89.{name}.ptx").read_text(encoding="utf-8"))), ("spirv", spirv(modules[name]))):
        if run(program, NAN) == run(program, NAN):
            print(f"{target} {name}: a number for NaN")
            failures += 1
        for low, high, limit in ranges:
            points = [rounded(low + (high - low) * i / 2000) for i in range(2001)]
            largest, at = max((error(run(program, x), function(x), limit < 1e-3), x) for x in points)
            print(f"{target} {name} from {low} to {high}: {largest:.2g}{'' if limit < 1e-3 else ' ULP'} at {at:.6g}, {len(program[0]) - 1} instructions")
            if not largest <= limit:
                print(f"  expected at most {limit}")
                failures += 1
print(f"{failures} failures")
sys.exit(failures != 0)
