"""Where a page begins: a good configuration, in a window that shows it."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.model.configurations import Configurations
from closedchain.model.sampling import sample
from closedchain.singularity.beginning import begin, window
from closedchain.singularity.pose import margins, singularities


@pytest.mark.parametrize("name", ["biglide", "fivebar", "triplate", "delta", "fourbar"])
def test_a_page_begins_away_from_singularities_and_within_its_window(name):
    """The loops are closed, both margins are comfortable, and every point is in the window."""
    model = cc.load(name)
    q, x = begin(model)
    assert Configurations(model, q[None], x[None]).residual[0] < 1e-12 * model.scale
    at = singularities(model, q=q, x=x)
    assert min(at.serial, at.parallel) > 0.2  # of 1; a page that begins near 0 begins with a warning
    x0, x1, y0, y1 = window(model, q, x)
    points = model.call("points", q=q, x=x)["points"]
    assert (points[:, 0] > x0).all()
    assert (points[:, 0] < x1).all()
    assert (points[:, 1] > y0).all()
    assert (points[:, 1] < y1).all()


def test_it_begins_in_the_first_working_mode():
    """Planar robots begin with every leg's sign positive, as the biglide with its tip above both feet."""
    for name in ("biglide", "fivebar", "triplate"):
        model = cc.load(name)
        q, x = begin(model)
        assert set(cc.inverse(model, x).working) >= {"+" * int(np.count_nonzero(model.leg_signs))}
        signs = Configurations(model, q[None], x[None]).working_signs()
        assert (signs == 1).all()


def test_the_delta_hangs_below_its_base_in_the_middle():
    """Three equal legs about one axis: the platform is on it, below, with the three drives alike."""
    q, x = begin(cc.load("delta"))
    assert x[2] < 0.0
    np.testing.assert_allclose(x[:2], 0.0, atol=1e-12)
    np.testing.assert_allclose(q, q[0], atol=1e-12)  # rounding of a closed form


def test_a_pendulum_that_nothing_drives_does_not_begin_in_balance():
    """The furuta's arm is at zero, its pendulum aside: let go, it moves."""
    model = cc.load("furuta")
    q, _ = begin(model)
    assert q[0] == 0.0
    assert q[1] != 0.0
    assert abs(cc.forward_dynamics(model, cc.state(model, q=q), [0.0]).q_ddot[1]) > 1.0  # [rad/s²]


@pytest.mark.parametrize("name", ["biglide", "triplate", "delta"])
def test_margins_are_those_of_the_whole_answer(name):
    """`margins` gives `serial` and `parallel` of `singularities`, row by row."""
    model = cc.load(name)
    some = sample(model, 20)
    whole = singularities(model, q=some.q, x=some.x)
    serial, parallel = margins(model, some.q, some.x)
    np.testing.assert_allclose(serial, whole.serial, rtol=1e-12, atol=1e-15)  # singular values to rounding
    np.testing.assert_allclose(parallel, whole.parallel, rtol=1e-12, atol=1e-15)
