"""Chosen models for very many states: the same numbers as one by one, and the same refusals."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput, Singular, Unreachable
from closedchain.model.batched import batched
from closedchain.model.model import NoClosedForm


@pytest.mark.parametrize("assembly", ["+", "-"])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_row_is_what_evaluate_says(assembly, threads):
    """1001 states of the biglide against the general path, in both assembly modes and with threads."""
    robot = cc.load("biglide")
    q, q_dot, q_ddot = np.random.default_rng(0).uniform(-0.1, 0.1, (3, 1001, 2))
    made = batched(robot, ("x", "tau", "M"))(q, q_dot, q_ddot, assembly=assembly, threads=threads)
    want = cc.evaluate(robot, q=q, q_dot=q_dot, q_ddot=q_ddot, assembly=assembly)
    for name in ("x", "tau", "M"):
        np.testing.assert_allclose(made[name], getattr(want, name), rtol=1e-12, atol=1e-14)


def test_results_go_into_the_arrays_that_are_given():
    """`out` names some; the others are new."""
    robot = cc.load("biglide")
    tau = np.full((4, 2), np.nan)
    made = batched(robot, ("x", "tau"))(np.zeros((4, 2)), out={"tau": tau})
    assert made["tau"] is tau
    np.testing.assert_array_equal(tau, 0.0)
    np.testing.assert_allclose(made["x"][:, 1], np.sqrt(0.3606**2 - 0.2**2), rtol=1e-15)  # Pythagoras


def test_a_state_that_does_not_close_or_is_singular_is_refused():
    """One bad row of three: feet 1 m apart; and feet at 2 √(l² − d²/4), where both bars lie on one line."""
    run = batched(cc.load("biglide"), ("tau",))
    with pytest.raises(Unreachable, match="1 of 3"):
        run([[0.0, 0.0], [1.0, 0.0], [0.1, 0.0]])
    with pytest.raises((Singular, Unreachable)):
        run([[2 * np.sqrt(0.3606**2 - 0.04), 0.0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_numbers_that_are_not_finite_are_refused(bad, which):
    """Wherever they stand, with their place; rates whose sum overflows are well."""
    run = batched(cc.load("biglide"), ("x",))
    given = [np.zeros((5, 2)) for _ in range(3)]
    given[which][3, 1] = bad
    with pytest.raises(BadInput, match=r"(nan|inf) at \(3, 1\); finite numbers are needed"):
        run(*given)
    given[which][3] = 0.0
    given[1][3] = 1e308
    np.testing.assert_array_equal(run(*given)["x"], run(given[0])["x"])


def test_what_cannot_be_asked_for_is_said():
    """Unknown models, assembly names that are none, plates."""
    with pytest.raises(BadInput, match="no model 'taus'"):
        batched(cc.load("biglide"), ("taus",))
    with pytest.raises(BadInput, match="sign"):
        batched(cc.load("biglide"), ("tau",))([[0.0, 0.0]], assembly="+1")
    with pytest.raises(NoClosedForm):
        batched(cc.load("rrr3"), ("tau",))
