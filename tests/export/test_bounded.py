"""Sines and cosines of bounded angles: to the last digits against 30-digit values."""

import math

import mpmath
import numpy as np
import pytest

from closedchain.export.bounded import bounded, polynomial
from closedchain.kernels.build import Builder
from closedchain.kernels.program import Operand, run


@pytest.mark.parametrize("most", [0.01, 0.3, 0.9, 1.9, 2.4])
def test_polynomials_are_right_to_rounding(most):
    """Two thousand angles up to the largest: sine and cosine within 2 ulp of 1, no reduction in the code."""
    builder = Builder()
    x = builder.input(0, 0)
    program = builder.finish(
        "f", [Operand("x", (1,))], [Operand("y", (2,))], [builder.emit("sin", x), builder.emit("cos", x)]
    )
    angles = np.linspace(-most, most, 2001)[:, None]
    made = bounded(program, [angles])
    assert {line.op for line in made.code} == {"input", "const", "mul", "add"}
    (y,) = run(made, angles)
    with mpmath.workdps(30):
        wanted = np.array([[float(mpmath.sin(a)), float(mpmath.cos(a))] for a in angles[:, 0].tolist()])
    np.testing.assert_allclose(y, wanted, rtol=0, atol=4.5e-16)  # Horner's rounding of terms up to 2.4² / 2


def test_shorter_than_taylor():
    """Two radians: fewer terms than Taylor's series needs for the same error."""
    taylor = next(k for k in range(30) if 2.0 ** (2 * k) / math.factorial(2 * k + 1) < 2.0**-57)
    assert len(polynomial("sin", 2.0)) < taylor
    assert polynomial("cos", 0.5)[0] == 1.0


def test_large_angles_keep_their_reduction():
    """An angle that turns further than the polynomials serve is left to the general way."""
    builder = Builder()
    program = builder.finish(
        "f", [Operand("x", (1,))], [Operand("y", (1,))], [builder.emit("sin", builder.input(0, 0))]
    )
    assert bounded(program, [np.array([[7.0]])]).code[-1].op == "sin"
