"""Programs traced from CasADi compute what CasADi computes."""

import casadi as ca
import numpy as np
import pytest

from closedchain.kernels.program import run
from closedchain.kernels.trace import CannotTrace, trace

X, Y = ca.SX.sym("x"), ca.SX.sym("y")
EXPRESSIONS = {
    "arithmetic": (X + Y) * (X - Y) / (2 + Y) - X,
    "squares": X**2 + 1 / Y + 2 * X - (-Y),
    "whole powers": X**3 + Y**7 + X**-2 + Y**-5,
    "half powers": ca.fabs(X) ** 0.5 + ca.fabs(Y) ** 1.5 + ca.fabs(X) ** -0.5,
    "real powers": ca.fabs(X) ** 0.3 + ca.fabs(X) ** Y,
    "trigonometry": ca.sin(X) + ca.cos(Y) + ca.tan(X * Y) + ca.atan(X) + ca.atan2(X, Y),
    "inverse trigonometry": ca.asin(X / 4) + ca.acos(Y / 4),
    "exponentials": ca.exp(X) + ca.log(ca.fabs(Y)) + ca.expm1(X) + ca.log1p(ca.fabs(Y)),
    "hyperbolic": ca.sinh(X) + ca.cosh(Y) + ca.tanh(X) + ca.asinh(Y) + ca.acosh(1 + Y**2) + ca.atanh(X / 4),
    "rounding": ca.floor(X) + ca.ceil(Y) + ca.fmod(X, Y) + ca.remainder(X, Y),
    "signs": ca.sign(X) + ca.fabs(Y) + ca.copysign(X, Y) + ca.fmin(X, Y) * ca.fmax(X, Y),
    "comparisons": (X < Y) + 2 * (X <= Y) + 4 * (X == Y) + 8 * (X != Y),
    "logic": ca.logic_and(X > 0, Y > 0) + 2 * ca.logic_or(X > 0, Y > 0) + 4 * ca.logic_not(X > 0),
    "choice": ca.if_else(X > Y, ca.sin(X), Y / X),
    "others": ca.erf(X) + ca.hypot(X, Y),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_traced_program_agrees_with_casadi(name):
    """CasADi's own evaluation on a grid with both signs, equal pairs and halves; 1e-13 covers reordered powers."""
    x, y = (grid.ravel() for grid in np.meshgrid(np.linspace(-3, 3, 13), np.linspace(-2.9, 3, 9)))
    x, y = np.append(x, 1.25), np.append(y, 1.25)
    x = np.where(x == 0.0, 0.1, x)
    want = ca.Function("f", [X, Y], [EXPRESSIONS[name]]).map(len(x))(x[None], y[None]).full().ravel()
    (got,) = run(trace("f", {"x": X, "y": Y}, {"z": EXPRESSIONS[name]}), x, y)
    np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)


def test_matrices_are_row_major_and_structural_zeros_are_zero():
    """CasADi stores columns; [[a, b], [0, c]] arrives as such, for inputs and for outputs."""
    m = ca.SX.sym("m", 2, 3)
    upper = ca.SX(2, 2)
    upper[0, 0], upper[0, 1], upper[1, 1] = m[0, 2], m[1, 0], m[1, 2]
    program = trace("f", {"m": m}, {"same": m, "upper": upper})
    values = np.arange(6.0).reshape(2, 3)
    same, got = run(program, values)
    np.testing.assert_array_equal(same, values)
    np.testing.assert_array_equal(got, [[2.0, 3.0], [0.0, 5.0]])


def test_a_shape_follows_the_symbols_unless_it_is_given():
    """1 x 1 is a scalar, a column a vector, and (1,) or (3, 1) must be asked for."""
    v = ca.SX.sym("v", 3)
    program = trace("f", {"x": X, "v": v, "w": (Y, (1,))}, {"a": v, "b": (v, (3, 1)), "c": (X * Y, (1,))})
    assert [o.shape for o in program.inputs] == [(), (3,), (1,)]
    assert [o.shape for o in program.outputs] == [(3,), (3, 1), (1,)]


def test_empty_operands_stay():
    """A mechanism without parameters still has the input p, of size 0."""
    program = trace("f", {"x": X, "p": ca.SX.sym("p", 0)}, {"y": 2 * X, "none": ca.SX(0, 1)})
    assert [o.shape for o in program.inputs + program.outputs] == [(), (0,), (), (0,)]


def test_repeated_work_is_done_once():
    """sin(x) written twice by different hands is one instruction."""
    program = trace("f", {"x": X}, {"y": ca.sin(X) * ca.cos(X) + ca.sin(X + 0), "z": 3 * ca.sin(X)})
    assert sum(line.op == "sin" for line in program.code) == 1


def test_a_forgotten_symbol_is_named():
    """An expression of something that is not an input is an error."""
    with pytest.raises(CannotTrace, match="y occur but are not inputs"):
        trace("f", {"x": X}, {"z": X + Y})


def test_an_expression_is_not_an_input():
    """Inputs are symbols."""
    with pytest.raises(CannotTrace, match="not made of symbols"):
        trace("f", {"x": 2 * X}, {"z": X})


def test_one_symbol_cannot_be_two_inputs():
    """CasADi's refusal is passed on."""
    with pytest.raises(CannotTrace, match="CasADi refuses"):
        trace("f", {"x": X, "again": X}, {"z": X})


def test_a_wrong_shape_is_refused():
    """Three elements do not make a 2 x 2 matrix."""
    with pytest.raises(CannotTrace, match=r"v is 3x1 and cannot have shape \(2, 2\)"):
        trace("f", {"v": (ca.SX.sym("v", 3), (2, 2))}, {"x": X})


def test_an_unsupported_operation_is_named():
    """The inverse error function has no straight-line form here."""
    with pytest.raises(CannotTrace, match="OP_ERFINV"):
        trace("f", {"x": X}, {"y": ca.erfinv(X)})
