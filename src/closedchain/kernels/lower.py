"""Rewrite trigonometry with exactly rounded operations only, free of branches.

Compiled in any vector width, on any CPU, a lowered program gives the same bits, because +, −, ×, ÷ and √ do. Errors
against the true value, found by the tests: sin and cos below 1 ulp for |x| ≤ 10⁶; atan and atan2 below 1.5 ulp; tan
below 2.5 ulp; asin and acos below 3 ulp. Beyond 10⁶ sin and cos are off by up to ulp(x)/2, which is what rounding the
argument to a double may cost anyway; beyond 2⁴⁹ (where neighbouring arguments are 1/8 rad apart) they are NaN.
exp, log, pow and the like stay calls of the C library.
"""

from __future__ import annotations

import math

from closedchain.kernels.build import Builder, rewrite
from closedchain.kernels.program import TRIGONOMETRIC, Instruction, Program

TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
HALF_PI_PARTS = (  # their sum is π/2 to 156 bits; the first three have ≤ 33 bits, so k·part is exact for |k| < 2²⁰
    float.fromhex("0x1.921fb54400000p+0"),
    float.fromhex("0x1.0b4611a600000p-34"),
    float.fromhex("0x1.3198a2e000000p-69"),
    float.fromhex("0x1.b839a252049c1p-104"),
)
ROUNDER = 1.5 * 2.0**52  # (x + ROUNDER) − ROUNDER is x rounded to an integer, for |x| < 2⁵¹
LARGEST_ANGLE = 2.0**49
HALF_PI, HALF_PI_REST = float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c07p-54")
ATAN_HALF, ATAN_HALF_REST = float.fromhex("0x1.dac670561bb4fp-2"), float.fromhex("0x1.a2b7f222f65e2p-56")

# Minimax coefficients published in fdlibm 5.3 (Sun Microsystems): k_sin.c, k_cos.c on ±π/4, s_atan.c on ±7/16.
SIN = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
       2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)  # fmt: skip
COS = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
       -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)  # fmt: skip
ATAN = (3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01,
        -1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02,
        6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02,
        -3.65315727442169155270e-02, 1.62858201153657823623e-02)  # fmt: skip


def lower(program: Program) -> Program:
    """The same program with sin, cos, tan, asin, acos, atan and atan2 written out."""
    if not any(line.op in TRIGONOMETRIC for line in program.code):
        return program
    return rewrite(program, Writer(), _written_out)


def _written_out(writer: Writer, _: int, line: Instruction, args: tuple[int, ...]) -> int | None:
    found: int | None = getattr(writer, line.op)(*args) if line.op in TRIGONOMETRIC else None
    return found


class Writer(Builder):
    """A builder that writes trigonometry out; shared parts (one reduction for sin and cos) are found by value."""

    def sin(self, x: int) -> int:
        """sin x from the quadrant's sine or cosine."""
        j, r, rest = self._reduce(x)
        negative = self.emit("or", self.emit("lt", j, self.const(0.0)), self.emit("eq", j, self.const(2.0)))
        value = self.emit("select", self._odd(j), self._cos_near_zero(r, rest), self._sin_near_zero(r, rest))
        return self.emit("select", negative, self.emit("neg", value), value)

    def cos(self, x: int) -> int:
        """cos x from the quadrant's cosine or sine."""
        j, r, rest = self._reduce(x)
        negative = self.emit("or", self.emit("lt", self.const(0.0), j), self.emit("eq", j, self.const(-2.0)))
        value = self.emit("select", self._odd(j), self._sin_near_zero(r, rest), self._cos_near_zero(r, rest))
        return self.emit("select", negative, self.emit("neg", value), value)

    def tan(self, x: int) -> int:
        """tan x = sin x / cos x."""
        return self.emit("div", self.sin(x), self.cos(x))

    def asin(self, x: int) -> int:
        """asin x = atan2(x, √((1−x)(1+x))); NaN outside [−1, 1]."""
        return self.atan2(x, self._leg(x))

    def acos(self, x: int) -> int:
        """acos x = atan2(√((1−x)(1+x)), x); NaN outside [−1, 1]."""
        return self.atan2(self._leg(x), x)

    def atan(self, x: int) -> int:
        """atan x = atan2(x, 1)."""
        return self.atan2(x, self.const(1.0))

    def atan2(self, y: int, x: int) -> int:
        """The angle of (x, y) in [−π, π], by the signs of zeros as in C; NaN if both are infinite.

        With m = min/max of |x|, |y| in [0, 1] and t near 0:  atan m = base + atan t,  angle = n·π/2 ± atan m.
        """
        emit, const = self.emit, self.const
        ay, ax = emit("abs", y), emit("abs", x)
        steep = emit("lt", ax, ay)
        leftward = emit("lt", emit("copysign", const(1.0), x), const(0.0))
        small, large = emit("select", steep, ax, ay), emit("select", steep, ay, ax)
        base, base_rest, t = self._fold(small, large)
        m = emit("add", base, emit("add", base_rest, self._atan_near_zero(t)))  # atan(small/large) in [0, π/4]
        signed = emit("select", emit("ne", steep, leftward), emit("neg", m), m)
        turn, rest = (
            emit("select", steep, const(p), emit("select", leftward, const(2 * p), const(0.0)))
            for p in (HALF_PI, HALF_PI_REST)
        )
        return emit("copysign", emit("add", turn, emit("add", rest, signed)), y)

    def _reduce(self, x: int) -> tuple[int, int, int]:
        """x = k·π/2 + r + rest with |r| ≤ π/4: (k mod 4 in −2..2, r, rest), by Cody and Waite in four parts."""
        emit, const = self.emit, self.const
        k = self._round(emit("mul", x, const(TWO_OVER_PI)))
        p1, p2, p3, p4 = (emit("mul", k, const(p)) for p in HALF_PI_PARTS)
        a = emit("sub", x, p1)  # exact: x and p1 are close or k = 0
        b = emit("sub", a, p2)
        b_lost = emit("sub", emit("sub", a, b), p2)  # what rounding b lost (Dekker)
        c = emit("sub", b, p3)
        c_lost = emit("sub", emit("sub", b, c), p3)
        lost = emit("sub", emit("sub", p4, c_lost), b_lost)
        r = emit("sub", c, lost)
        rest = emit("sub", emit("sub", c, r), lost)
        inside = emit("le", emit("abs", x), const(LARGEST_ANGLE))
        r = emit("select", inside, r, const(math.nan))
        j = emit("sub", k, emit("mul", const(4.0), self._round(emit("mul", k, const(0.25)))))
        return j, r, rest

    def _round(self, x: int) -> int:
        rounder = self.const(ROUNDER)
        return self.emit("sub", self.emit("add", x, rounder), rounder)

    def _odd(self, j: int) -> int:
        return self.emit("eq", self.emit("abs", j), self.const(1.0))

    def _horner(self, x: int, coefficients: tuple[float, ...]) -> int:
        value = self.const(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            value = self.emit("add", self.const(c), self.emit("mul", x, value))
        return value

    def _sin_near_zero(self, r: int, rest: int) -> int:
        """sin(r + rest) = r − ((z(rest/2 − v·p) − rest) − v·S₁),  z = r², v = r³."""
        emit = self.emit
        z = emit("mul", r, r)
        v = emit("mul", z, r)
        p = self._horner(z, SIN[1:])
        inner = emit("sub", emit("mul", self.const(0.5), rest), emit("mul", v, p))
        bracket = emit("sub", emit("mul", z, inner), rest)
        return emit("sub", r, emit("sub", bracket, emit("mul", v, self.const(SIN[0]))))

    def _cos_near_zero(self, r: int, rest: int) -> int:
        """cos(r + rest) = w + (((1 − w) − z/2) + (z·z·p − r·rest)),  w = 1 − z/2, z = r²."""
        emit, one = self.emit, self.const(1.0)
        z = emit("mul", r, r)
        half = emit("mul", self.const(0.5), z)
        w = emit("sub", one, half)
        p = emit("mul", z, self._horner(z, COS))
        tail = emit("sub", emit("mul", z, p), emit("mul", r, rest))
        return emit("add", w, emit("add", emit("sub", emit("sub", one, w), half), tail))

    def _leg(self, x: int) -> int:
        one = self.const(1.0)
        return self.emit("sqrt", self.emit("mul", self.emit("sub", one, x), self.emit("add", one, x)))

    def _fold(self, small: int, large: int) -> tuple[int, int, int]:
        """(base, its rest, t) with atan(small/large) = base + atan t and |t| ≤ 7/16; 0/0 counts as 0."""
        emit, const = self.emit, self.const
        low = emit("le", small, emit("mul", const(7 / 16), large))
        high = emit("le", emit("mul", const(11 / 16), large), small)

        def choose(at_low: int, at_middle: int, at_high: int) -> int:
            return emit("select", low, at_low, emit("select", high, at_high, at_middle))

        half_small, half_large = emit("mul", const(0.5), small), emit("mul", const(0.5), large)
        top = choose(small, emit("sub", small, half_large), emit("sub", small, large))
        bottom = choose(large, emit("add", large, half_small), emit("add", small, large))
        bottom = emit("select", emit("eq", large, const(0.0)), const(1.0), bottom)
        base = choose(const(0.0), const(ATAN_HALF), const(HALF_PI / 2))
        base_rest = choose(const(0.0), const(ATAN_HALF_REST), const(HALF_PI_REST / 2))
        return base, base_rest, emit("div", top, bottom)

    def _atan_near_zero(self, t: int) -> int:
        """atan t = t − t(z·p(z²) + z²·q(z²)),  z = t²: fdlibm's odd and even halves, two short chains."""
        emit = self.emit
        z = emit("mul", t, t)
        w = emit("mul", z, z)
        odd = emit("mul", z, self._horner(w, ATAN[0::2]))
        even = emit("mul", w, self._horner(w, ATAN[1::2]))
        return emit("sub", t, emit("mul", t, emit("add", odd, even)))
