# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binary formats by exact fractions: what instructions must give, computed without any floating-point unit."""
from fractions import Fraction

FORMATS = {  # exponent bits, mantissa bits, whether the largest exponent is infinity and NaN
    "f16": (5, 10, True), "bf16": (8, 7, True), "f32": (8, 23, True), "f64": (11, 52, True), "tf32": (8, 10, True),
    "e4m3": (4, 3, False), "e5m2": (5, 2, True),
}
NAN, INF = "nan", "inf"  # values are Fractions, ("zero", sign), ("inf", sign) or "nan"


def width(fmt):
    e, m, _ = FORMATS[fmt]
    return 1 + e + m


def decode(fmt, bits):
    """(kind, sign, magnitude): kind is "nan", "inf" or "number"."""
    e, m, ieee = FORMATS[fmt]
    sign = bits >> (e + m) & 1
    exponent, mantissa = bits >> m & (1 << e) - 1, bits & (1 << m) - 1
    bias = (1 << e - 1) - 1
    if exponent == (1 << e) - 1:
        if ieee:
            return ("nan", 0, None) if mantissa else ("inf", sign, None)
        if mantissa == (1 << m) - 1:
            return ("nan", 0, None)
    if exponent == 0:
        return ("number", sign, Fraction(mantissa) / Fraction(2) ** (bias - 1 + m))
    return ("number", sign, Fraction((1 << m) + mantissa) * Fraction(2) ** (exponent - bias - m))


def nan(fmt, *operands):
    """What arithmetic makes: one NaN; of f64 the last that comes in, as a quiet one."""
    e, m, _ = FORMATS[fmt]
    if fmt != "f64":
        return (1 << e + m) - 1
    return next((o | 1 << m - 1 for o in reversed(operands) if o is not None and decode(fmt, o)[0] == "nan"), (1 << e + 1) - 1 << m - 1 | 1 << e + m)


def encode(fmt, sign, magnitude, mode="rn", saturate=False):
    """The bits of a number rounded to a format; magnitude is a Fraction."""
    e, m, ieee = FORMATS[fmt]
    bias = (1 << e - 1) - 1
    top = (1 << e + m) - 1
    infinity = (1 << e) - 1 << m
    largest = infinity - 1 if ieee else top - 1
    if magnitude == 0:
        return sign << e + m
    # The exponent of the leading bit, but at least that of subnormals.
    x = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** x > magnitude:
        x -= 1
    x = max(x, 1 - bias)
    units = magnitude / Fraction(2) ** (x - m)
    n = units.numerator // units.denominator
    rest = units - n
    half = Fraction(1, 2)
    up = {"rn": rest > half or (rest == half and n & 1), "rna": rest >= half, "rz": False,
          "rm": rest > 0 and sign, "rp": rest > 0 and not sign}[mode]
    n += bool(up)
    bits = n if n < 1 << m else n + (x + bias - 1 << m)
    if bits > largest:
        if saturate or mode == "rz" or (mode == "rm" and not sign) or (mode == "rp" and sign):
            bits = largest
        else:
            bits = infinity if ieee else top
    return sign << e + m | bits


def negated(fmt, bits):
    """What a subtraction adds: a NaN keeps its sign."""
    return bits if decode(fmt, bits)[0] == "nan" else bits ^ 1 << width(fmt) - 1


def inf(fmt, sign, saturate=False):
    e, m, ieee = FORMATS[fmt]
    if not ieee or saturate:
        return sign << e + m | ((1 << e + m) - 2 if not ieee else ((1 << e) - 1 << m) - 1)
    return sign << e + m | (1 << e) - 1 << m


def convert(to, frm, bits, mode="rn", saturate=False):
    kind, sign, magnitude = decode(frm, bits)
    if kind == "nan":
        payload = {("f64", "f32"): bits >> 63 << 31 | 0x7FC00000 | bits >> 29 & 0x3FFFFF, ("f32", "f64"): bits >> 31 << 63 | 0xFFF << 51 | (bits & 0x3FFFFF) << 29,
                   ("bf16", "f32"): bits << 16}
        return payload.get((frm, to), nan(to))
    if kind == "inf":
        return inf(to, sign, saturate)
    return encode(to, sign, magnitude, mode, saturate)


def signed(x):
    """A decoded number with its sign."""
    return -x[2] if x[1] else x[2]


def fma(fmt, a, b, c):
    """a * b + c rounded once; c None: the product alone, b None: a + c."""
    x = decode(fmt, a)
    y = decode(fmt, b) if b is not None else ("number", 0, Fraction(1))
    z = decode(fmt, c) if c is not None else None
    if "nan" in (x[0], y[0]) or (z and z[0] == "nan"):
        return nan(fmt, a, c, b)
    sign = x[1] ^ y[1]
    if "inf" in (x[0], y[0]):
        if (x[0] == "number" and x[2] == 0) or (y[0] == "number" and y[2] == 0):
            return nan(fmt)
        if z and z[0] == "inf" and z[1] != sign:
            return nan(fmt)
        return inf(fmt, sign)
    if z and z[0] == "inf":
        return inf(fmt, z[1])
    product = x[2] * y[2]
    if z is None:
        return encode(fmt, sign, product)
    total = (-product if sign else product) + signed(z)
    if total == 0:
        both = (product == 0 and z[2] == 0 and sign == z[1]) and sign
        return encode(fmt, 1 if both else 0, Fraction(0))
    return encode(fmt, int(total < 0), abs(total))


def div(fmt, a, b):
    x, y = decode(fmt, a), decode(fmt, b)
    sign = x[1] ^ y[1]
    if "nan" in (x[0], y[0]) or (x[0] == "inf" and y[0] == "inf"):
        return nan(fmt, b, a)
    if x[0] == "inf":
        return inf(fmt, sign)
    if y[0] == "inf":
        return encode(fmt, sign, Fraction(0))
    if y[2] == 0:
        return nan(fmt) if x[2] == 0 else inf(fmt, sign)
    return encode(fmt, sign, x[2] / y[2])


def less(fmt, a, b):
    x, y = decode(fmt, a), decode(fmt, b)
    big = Fraction(2) ** 2000
    u = (-big if x[1] else big) if x[0] == "inf" else signed(x)
    v = (-big if y[1] else big) if y[0] == "inf" else signed(y)
    return u < v or (u == v and x[1] > y[1])


def minmax(fmt, a, b, largest, propagate):
    x, y = decode(fmt, a), decode(fmt, b)
    if x[0] == "nan" or y[0] == "nan":
        if propagate or x[0] == y[0]:
            return nan(fmt, a, b)
        return b if x[0] == "nan" else a
    return b if less(fmt, a, b) == largest else a


def compare(fmt, relation, a, b):
    x, y = decode(fmt, a), decode(fmt, b)
    unordered = x[0] == "nan" or y[0] == "nan"
    if relation == "num":
        return not unordered
    if relation == "nan":
        return unordered
    if unordered:
        return relation.endswith("u")
    big = Fraction(2) ** 2000
    u = (-big if x[1] else big) if x[0] == "inf" else signed(x)
    v = (-big if y[1] else big) if y[0] == "inf" else signed(y)
    return {"eq": u == v, "ne": u != v, "lt": u < v, "le": u <= v, "gt": u > v, "ge": u >= v}[relation[:2]]


def to_integer(fmt, bits, mode, is_signed, n):
    kind, sign, magnitude = decode(fmt, bits)
    low, high = (-(1 << n - 1), (1 << n - 1) - 1) if is_signed else (0, (1 << n) - 1)
    if kind == "nan":
        return 0
    if kind == "inf":
        return (low if sign else high) & (1 << n) - 1
    whole = magnitude.numerator // magnitude.denominator
    rest, half = magnitude - whole, Fraction(1, 2)
    whole += bool({"rni": rest > half or (rest == half and whole & 1), "rzi": False, "rmi": rest > 0 and sign, "rpi": rest > 0 and not sign}[mode])
    return min(max(-whole if sign else whole, low), high) & (1 << n) - 1
