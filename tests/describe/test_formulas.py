"""Formulas of time: values and exact derivatives, and what is refused."""

import numpy as np
import pytest
import sympy as sp

from closedchain.describe.formulas import assignments, formula
from closedchain.describe.parse import BadExpression

TEXTS = [
    "0.1*sin(2*pi*t)",
    "exp(-t/2)*cos(3*t + 30*deg)",
    "sqrt(1 + t**2)/(2 + tanh(t))",
    "atan2(1 + t, 2 - t)",
    "log(2 + t)*t**3 - 2**t",
    "asin(t/4) + acos(t/5)*atan(t) + tan(t/4)",
    "0.3",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_formula_has_the_derivatives_that_sympy_has(text):
    """Value and three derivatives at four instants, 1e-13 of the largest: rounding of a few operations."""
    t = sp.symbols("t")
    known = {"t": t, "deg": sp.pi / 180, **{n: getattr(sp, n) for n in ("pi", "sin", "cos", "sqrt", "tanh", "atan2")}}
    known |= {n: getattr(sp, n) for n in ("exp", "log", "asin", "acos", "atan", "tan")}
    exact = eval(text, known)  # noqa: S307  the test's own constant texts, as SymPy understands them
    at = np.array([0.0, 0.4, 1.3, 2.9])
    made = formula(text, orders=3)(at)
    for order in range(4):
        wanted = [float(sp.diff(sp.sympify(exact), t, order).subs(t, sp.Float(v, 40)).evalf(30)) for v in at]
        np.testing.assert_allclose(made[order], wanted, rtol=1e-13, atol=1e-13)


def test_a_formula_reads_names_it_is_given_and_t_is_always_the_time():
    """l is a parameter; a parameter called t cannot hide the time."""
    np.testing.assert_array_equal(formula("l*t", {"l": 2.0, "t": 9.0})(np.array([0.0, 1.5])), [[0.0, 3.0]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__import__('os').system('true')", "not allowed"),
        ("t.real", "not allowed"),
        ("sin(u)", "unknown name 'u'"),
        ("step(t)", "no function 'step'"),
        ("abs(sin(t))", "has a corner"),
        ("1/(t - 1)", "no finite value at t = 1 s"),
        ("sqrt(t)", "no finite first derivative at t = 0 s"),
        ("log(t - 3)", "no finite value"),
        ("10**400", "has no value"),
        ("1/0 + t", "has no value"),
    ],
)
def test_what_is_no_formula_or_has_no_value_is_refused_with_the_reason(text, words):
    """Nothing is run, and no infinity or NaN leaves."""
    with pytest.raises(BadExpression, match=words):
        formula(text, orders=3)(np.array([0.0, 1.0, 2.0]))


def test_a_corner_is_allowed_where_no_derivative_is_asked_for():
    """A voltage may be rectified."""
    np.testing.assert_allclose(formula("abs(sin(t))")(np.array([4.0]))[0], [-np.sin(4.0)])


def test_a_long_formula_is_differentiated_three_times():
    """A hundred nested sines, the deepest that is parsed; the derivative by the chain rule in 40 digits."""
    deep = "sin(" * 99 + "t" + ")" * 99
    made = formula(deep, orders=3)(np.array([0.7]))
    value, rate = 0.7, 1.0
    for _ in range(99):
        value, rate = np.sin(value), rate * np.cos(value)
    np.testing.assert_allclose(made[:2, 0], [value, rate], rtol=1e-13)
    assert np.isfinite(made).all()


def test_assignments_are_cut_outside_of_brackets():
    """The comma of atan2 belongs to its formula."""
    assert assignments("q1 = atan2(t, 2), q2=-t;") == {"q1": "atan2(t, 2)", "q2": "-t"}
    for wrong in ("sin(t)", "q1 = ", "q1 = t; q1 = 2"):
        with pytest.raises(BadExpression):
            assignments(wrong)
