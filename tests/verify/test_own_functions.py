"""Model functions of the user's own in the table beside ours."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.verify.own_functions import read_functions


def tip(q, assembly, l, d):
    """Seed 000 eqs 2-4, γ = −1 above."""
    D, gamma = q[0] - q[1], -1 if assembly == "+" else 1
    a = np.hypot(d, D) / 2
    return np.array([0, (q[0] + q[1]) / 2]) - gamma * np.sqrt(l**2 - a**2) / (2 * a) * np.array([D, d])


def feet(x, working, l, d):
    """The inverse model on its working mode."""
    s1, s2 = (1 if sign == "+" else -1 for sign in working)
    return [x[1] - s1 * np.sqrt(l**2 - (x[0] + d / 2) ** 2), x[1] - s2 * np.sqrt(l**2 - (x[0] - d / 2) ** 2)]


def jacobians(q, x, d):
    """A and B of A ẋ + B q̇ = 0."""
    A = np.array([[x[0] + d / 2, x[1] - q[0]], [x[0] - d / 2, x[1] - q[1]]])
    return A, -np.diag([x[1] - q[0], x[1] - q[1]])


def efforts(q, x, x_ddot, q_ddot, d, m_p, m_f):
    """Eq 39 put right: m_f q̈ + m_p Jᵀ ẍ."""
    A, B = jacobians(q, x, d)
    return m_f * q_ddot + m_p * (-np.linalg.solve(A, B)).T @ x_ddot


def printed(q, x, x_ddot, q_ddot, d, m_p, m_f):
    """Eq 39 as printed: −m_p A⁻¹B ẍ."""
    A, B = jacobians(q, x, d)
    return m_f * q_ddot - m_p * np.linalg.solve(A, B @ x_ddot)


def rows(others, **options):
    """The comparison at ten random states, and its rows by quantity."""
    found = cc.verify("biglide", "none", others=others, motion="random", states=10, **options)
    return {row.quantity: row for row in found.rows}, found


def test_right_functions_agree_on_every_branch_and_wrong_ones_do_not():
    """The documents' formulas by hand; the printed eq 39 is off by newtons (TRUTH.md row 0-5)."""
    found, whole = rows({"mine": {"x": tip, "q": feet, "tau": efforts}})
    assert whole.ok, str(whole)
    assert {row.engine for row in whole.rows} == {"mine"}
    found, whole = rows({"mine": {"x": tip, "tau": printed}})
    assert (found["x"].ok, found["tau"].ok) == (True, False)
    assert found["tau"].max > 1e-2


def test_a_function_that_raises_or_returns_nothing_useful_is_a_broken_row_that_says_so():
    """No error of the user's code ends the comparison."""

    def x(q):
        raise ZeroDivisionError("division by zero")

    found, whole = rows({"mine": {"x": x, "c": lambda q: [np.nan, 0.0], "M": lambda q: [1.0], "tau": efforts}})
    assert found["tau"].ok
    assert not whole.ok
    assert "raised ZeroDivisionError" in found["x"].why
    assert "returned nan" in found["c"].why
    assert "returned 1 numbers" in found["M"].why
    assert "4 are wanted" in found["M"].why


def test_functions_stand_beside_engines_and_their_curves_in_the_figures():
    """Rows of both, one figure for each."""
    found = cc.verify("biglide", "mujoco", others={"mine": {"x": tip}}, motion="q1 = 0.1*sin(t); q2 = 0", duration=0.5)
    assert found.ok, str(found)
    assert {row.engine for row in found.rows} == {"mujoco", "mine"}
    assert {trace.engine for trace in found.traces} == {"mujoco", "mine"}
    assert "your own" in str(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"dgm": tip}, "'dgm' is not compared"),
        ({}, "no function of it"),
        ({"x": lambda q, gamma: q}, "asks for 'gamma'"),
        ({"x": lambda x: x}, "asks for 'x'"),
    ],
)
def test_functions_that_cannot_be_asked_are_refused_with_what_can(given, words):
    """The message names the names."""
    with pytest.raises(BadInput, match=words):
        rows({"mine": given})


def test_a_file_is_run_and_its_functions_found(tmp_path):
    """Other functions of it are its own affair; a file that fails says why."""
    file = tmp_path / "mine.py"
    file.write_text("def helper(v):\n    return v\n\ndef kinetic(q_dot, M):\n    return q_dot @ M @ q_dot / 2\n")
    _, whole = rows({"mine": read_functions(file)})
    assert whole.ok, str(whole)
    file.write_text("1/0\n")
    with pytest.raises(BadInput, match="raised ZeroDivisionError"):
        read_functions(file)
    with pytest.raises(BadInput, match="no Python file"):
        read_functions(tmp_path / "none.py")
