"""One division per denominator: fewer divisions, the same values to 1.5 ulp."""

from collections import Counter

import casadi as ca
import numpy as np
from mpmath import mp, mpf

from closedchain.kernels import Operand, Program
from closedchain.kernels.build import Builder
from closedchain.kernels.program import run
from closedchain.kernels.reciprocals import share_reciprocals
from closedchain.kernels.trace import trace


def divided(count: int) -> Program:
    """x_k / d for k = 0 … count − 1."""
    builder = Builder()
    d = builder.input(1, 0)
    results = [builder.emit("div", builder.input(0, k), d) for k in range(count)]
    return builder.finish("f", [Operand("x", (count,)), Operand("d")], [Operand("y", (count,))], results)


def divisions(program: Program) -> int:
    """How many there are."""
    return Counter(line.op for line in program.code)["div"]


def test_a_shared_denominator_is_divided_by_once():
    """Five quotients, one division; a single quotient stays one."""
    assert divisions(share_reciprocals(divided(5))) == 1
    assert share_reciprocals(divided(1)) == divided(1)


def test_products_with_a_reciprocal_are_within_three_halves_of_an_ulp():
    """Half an ulp each for the reciprocal and the product, against 50 digits; up to a binade, half of it more."""
    rng = np.random.default_rng(0)
    x, d = rng.uniform(1, 2, (2000, 3)), rng.uniform(1, 2, 2000)
    (got,) = run(share_reciprocals(divided(3)), x, d)
    with mp.workdps(50):
        exact = np.array([[mpf(float(a)) / mpf(float(b)) for a in row] for row, b in zip(x, d, strict=True)])
        error = np.abs(np.vectorize(mpf, otypes=[object])(got) - exact).max()
    assert error < 1.5 * 2.0**-52  # quotients are below 2


def test_tracing_shares_reciprocals():
    """Cramer's rule in a CasADi expression: one division by the determinant."""
    A, b = ca.SX.sym("A", 2, 2), ca.SX.sym("b", 2)
    x = ca.mtimes(ca.adj(A), b) / ca.det(A)
    program = trace("solve", {"A": A, "b": b}, {"x": x})
    assert divisions(program) == 1
    matrix, right = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([3.0, 5.0])
    np.testing.assert_allclose(run(program, matrix, right)[0], [0.8, 1.4], rtol=1e-15)  # by hand


def test_division_by_a_power_of_two_is_a_product_to_the_bit():
    """x / 2ᵏ and x · 2⁻ᵏ round the same number, subnormal results included."""
    x = np.array([1.0, -3.0, 1e-310, 5e-324, 1e308, np.inf, -0.0, np.nan, np.pi])
    for c in (2.0, -0.5, 2.0**-1022, 2.0**1022, -(2.0**600)):
        builder = Builder()
        y = builder.emit("div", builder.input(0, 0), builder.const(c))
        program = builder.finish("f", [Operand("x")], [Operand("y")], [y])
        assert divisions(program) == 0
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(run(program, x)[0], x / c)


def test_division_by_other_numbers_stays():
    """1/3 is not a double; 2⁻¹⁰⁷⁴ has no finite reciprocal."""
    for c in (3.0, 0.0, 5e-324, np.inf, np.nan):
        builder = Builder()
        y = builder.emit("div", builder.input(0, 0), builder.const(c))
        assert divisions(builder.finish("f", [Operand("x")], [Operand("y")], [y])) == 1
