"""Bounds hold the true values: checked in exact fractions and with 40 digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from closedchain.kernels.build import Builder
from closedchain.kernels.program import Operand
from closedchain.singularity.interval import INFINITE, RULES, Interval, NoBounds, bounds, exact

TRUE = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sqrt": mpmath.sqrt,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "atan": mpmath.atan,
    "abs": abs,
    "min": min,
    "max": max,
}


def random_intervals(rng, count):
    """Wide, narrow and one-number intervals of both signs, with a number in each."""
    lo = rng.uniform(-12, 12, count)
    width = 10 ** rng.uniform(-17, 1, count) * rng.integers(0, 2, count)
    hi = lo + width
    inside = np.clip(lo + rng.uniform(0, 1, count) * width, lo, hi)
    return Interval(lo, hi), inside


@pytest.mark.parametrize("op", sorted(TRUE))
def test_the_true_value_lies_within_the_bounds(op):
    """2000 random intervals and a number in each, evaluated with 40 digits."""
    rng = np.random.default_rng(7)
    arity = 1 if op in ("neg", "sqrt", "sin", "cos", "atan", "abs") else 2
    boxes, points = zip(*(random_intervals(rng, 2000) for _ in range(arity)), strict=True)
    if op == "sqrt":
        boxes, points = (Interval(np.abs(points[0]), np.abs(points[0]) + 1e-3),), (np.abs(points[0]),)
    with np.errstate(all="ignore"):
        made = RULES[op](*boxes)
    with mpmath.workdps(40):
        for k in range(2000):
            true = TRUE[op](*(mpmath.mpf(float(p[k])) for p in points))
            assert mpmath.mpf(float(made.lo[k])) <= true <= mpmath.mpf(float(made.hi[k])), (op, k)


def test_a_sum_holds_what_rounding_loses():
    """0.1 + 0.2 in exact fractions is not the rounded sum, and lies strictly within the bounds."""
    made = exact(0.1) + exact(0.2)
    true = Fraction(0.1) + Fraction(0.2)
    assert Fraction(0.1 + 0.2) != true
    assert Fraction(float(made.lo)) < true < Fraction(float(made.hi))


def test_dividing_by_what_may_vanish_is_unbounded_on_the_right_side_only():
    """1 / [0, 2] ≥ 1/2 with no upper bound; across zero nothing is known."""
    one = exact(np.array([1.0, 1.0, 1.0]))
    made = one / Interval(np.array([0.0, -2.0, -1.0]), np.array([2.0, 0.0, 1.0]))
    np.testing.assert_allclose(made.lo, [0.5, -INFINITE, -INFINITE], rtol=1e-15)
    np.testing.assert_allclose(made.hi, [INFINITE, -0.5, INFINITE], rtol=1e-15)


@pytest.mark.parametrize(
    "lo, hi, want",
    [(-0.5, 0.5, (None, 1.0)), (3.0, 3.3, (-1.0, None)), (0.1, 7.0, (-1.0, 1.0)), (6.2, 6.4, (None, 1.0))],
)
def test_a_cosine_knows_its_extrema(lo, hi, want):
    """At multiples of π it reaches ±1 exactly."""
    made = RULES["cos"](Interval(np.array(lo), np.array(hi)))
    for got, wanted in zip((made.lo, made.hi), want, strict=True):
        if wanted is not None:
            assert got == wanted


def test_a_square_is_not_negative():
    """x·x of [−1, 1] is [0, 1], not [−1, 1]."""
    build = Builder()
    x = build.input(0, 0)
    program = build.finish("square", [Operand("x", (1,))], [Operand("y", ())], [build.emit("mul", x, x)])
    made = bounds(program, Interval(np.array([-1.0]), np.array([1.0])))[0]
    assert made.lo == 0.0
    assert 1.0 <= made.hi < 1.0 + 1e-15


def test_an_operation_without_a_rule_is_refused():
    """No bounds rather than wrong ones."""
    build = Builder()
    value = build.emit("exp", build.input(0, 0))
    program = build.finish("grow", [Operand("x", (1,))], [Operand("y", ())], [value])
    with pytest.raises(NoBounds, match="exp"):
        bounds(program, exact(np.zeros(1)))
