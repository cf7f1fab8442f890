"""Assembling from a guess: what it reaches, and what it says when it does not."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Fixed, Free, Mechanism, Recipe
from closedchain.errors import BadInput
from closedchain.model.assembling import Unassemblable, assemble


@pytest.fixture(scope="module")
def chain():
    """Two windows."""
    return cc.load("nfourbar:2")


@pytest.mark.parametrize("seed", range(5))
def test_a_rough_guess_is_closed_to_rounding(chain, seed):
    """Points wrong by up to 30 cm of a metre; every gap is below 1e-13 m."""
    guess = np.array([0, 1, 1, 1, 2, 1]) + 0.3 * np.random.default_rng(seed).uniform(-1, 1, 6)
    found = assemble(chain, guess)
    assert found.converged
    B = found.z.reshape(3, 2)
    lengths = [*np.linalg.norm(B - [[0, 0], [1, 0], [2, 0]], axis=1), *np.linalg.norm(np.diff(B, axis=0), axis=1)]
    np.testing.assert_allclose(lengths, 1.0, atol=2e-13)


def test_what_is_held_stays_and_the_rest_follows(chain):
    """B0 held at 3-4-5: the parallelograms put the others beside it."""
    found = assemble(chain, {"x": 0.6, "y": 0.8}, held=("x", "y"))
    np.testing.assert_allclose(found.unwrap(), [0.6, 0.8, 1.6, 0.8, 2.6, 0.8], atol=1e-12)


def test_a_point_on_a_ridge_is_pushed_off():
    """At the pendulum's pivot every direction is as good as any other: a step has no direction, a push has."""
    found = assemble(cc.load("pendulum"), [0.0, 0.0])
    assert found.converged
    assert abs(np.hypot(*found.z) - 1.0) < 1e-13


def short():
    """Two bars of 0.4 m between feet 1 m apart."""
    C = Free("C", mass=1.0)
    bars = (Bar(Fixed("A", at=(0, 0)), C, 0.4), Bar(Fixed("B", at=(1, 0)), C, 0.4))
    return cc.load(Recipe(Mechanism("short", drives=(), bars=bars, output=C, linkage=True), origin="built in"))


def test_bars_that_are_too_short_leave_a_gap_that_is_told():
    """The least of |φ|² lies on the line between the feet, in the middle: 0.1 m are missing at each end."""
    found = assemble(short(), [0.5, 0.2])
    assert not found.converged
    assert found.residual == pytest.approx(0.1, abs=1e-6)
    assert "another guess may" in found.message
    with pytest.raises(Unassemblable, match="stays open by 100 mm"):
        found.unwrap()


def test_a_guess_names_coordinates_that_there_are(chain):
    """Both for guesses and for what is held."""
    with pytest.raises(BadInput, match="no coordinate 'x_B9'; there are x, y, x_B1"):
        assemble(chain, {"x_B9": 1.0})
    with pytest.raises(BadInput, match="no coordinate 'beta' to hold"):
        assemble(chain, held=("beta",))
