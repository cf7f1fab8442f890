"""Sines and cosines of angles that are known to stay small: polynomials, without a reduction by quarter turns.

How far each angle goes is seen on samples. Beyond that the polynomials are wrong without saying so; whoever uses them
must check the range by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np

from closedchain.arrays import Doubles
from closedchain.kernels.build import Builder, rewrite
from closedchain.kernels.program import Instruction, Operand, Program, run

WIDER = 1.02  # than on any sample
SMALL = Fraction(1, 2**57)  # what a polynomial may be wrong by, of the first term
RANGES = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5)  # [rad] few, so that constants are shared; beyond, a reduction is better


def bounded(program: Program, samples: Sequence[Doubles]) -> Program:
    """The program with polynomials for the sines and cosines whose angles stay small on every sample."""
    angles = sorted({line.args[0] for line in program.code if line.op in ("sin", "cos")})
    if not angles:
        return program
    tells = replace(program, outputs=(Operand("angles", (len(angles),)),), results=tuple(angles))
    (seen,) = run(tells, *samples)
    most = dict(zip(angles, WIDER * np.abs(seen).max(axis=0), strict=True))

    def rule(builder: Builder, _: int, line: Instruction, args: tuple[int, ...]) -> int | None:
        if line.op not in ("sin", "cos") or not most[line.args[0]] <= RANGES[-1]:
            return None
        return series(builder, line.op, args[0], next(r for r in RANGES if most[line.args[0]] <= r))

    return rewrite(program, Builder(), rule)


def series(builder: Builder, op: str, x: int, most: float) -> int:
    """sin x = x p(x²) or cos x = p(x²), to rounding for |x| ≤ most."""
    emit, const = builder.emit, builder.const
    terms = polynomial(op, most)
    square, value = emit("mul", x, x), const(terms[-1])
    for term in reversed(terms[:-1]):
        value = emit("add", emit("mul", value, square), const(term))
    return emit("mul", value, x) if op == "sin" else value


@cache
def polynomial(op: str, most: float) -> tuple[float, ...]:
    """Taylor's terms in t = x², in fractions, shortened by Chebyshev's polynomials of u = t/most² as far as that goes.

    Taking c T*_n(u)/2^(2n−1) off a polynomial with the last term c uⁿ leaves one term less, and changes it by no more
    than |c|/2^(2n−1) on the whole range.
    """
    odd, largest = op == "sin", Fraction(most) ** 2
    terms: list[Fraction] = []
    while len(terms) < 2 or abs(terms[-1]) > SMALL / 2**8:
        k = len(terms)
        terms.append(Fraction((-1) ** k, math.factorial(2 * k + odd)) * largest**k)
    left = SMALL
    while (off := abs(terms[-1]) / 2 ** (2 * len(terms) - 3)) <= left:
        left -= off
        scale = terms[-1] / 2 ** (2 * len(terms) - 3)
        terms = [a - scale * b for a, b in zip(terms, chebyshev(len(terms) - 1), strict=True)][:-1]
    return tuple(float(a / largest**k) for k, a in enumerate(terms))


def chebyshev(n: int) -> list[int]:
    """T*_n on 0..1 by its coefficients: T*₀ = 1, T*₁ = 2u − 1, T*_{k+1} = (4u − 2) T*_k − T*_{k−1}."""
    before, now = [1], [-1, 2]
    for _ in range(n - 1):
        up, down = [0, *(4 * a for a in now)], [*(2 * a for a in now), 0]
        before, now = now, [u - d - b for u, d, b in zip(up, down, [*before, 0, 0], strict=True)]
    return now if n else before
