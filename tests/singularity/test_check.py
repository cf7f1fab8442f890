"""The checker on the documents' trajectories, against TRUTH.md §3.2, and on motions that touch."""

from itertools import pairwise

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.errors import BadInput
from closedchain.singularity.check import check_crossing

L, D = 0.3606, 0.4
S = np.sqrt(4 * L**2 - D**2)
LEAN = 0.1 * D / S
REST = ((0.0, 0.0), (0.0, 0.0))
M_RUN, M_CURVED = ((0.1606, 0.0), (0.0, -0.2), (0.0, -0.1)), ((0.1606, 0.0), (0.0, -0.2), (-0.15, -0.1))
S_RUN, OTHER = (0.0, -S / 2), (-np.pi / 30, -np.sqrt(2) / 20)
PATHS = {  # seed 000's two, as run, and the same put right: x_m and x_s with their rates
    "respecting": (M_RUN, (S_RUN, (-LEAN, -0.1), (-LEAN, -0.1))),
    "not respecting": (M_RUN, (S_RUN, OTHER, OTHER)),
    "sign put right": (M_RUN, (S_RUN, (-LEAN, -0.1), (LEAN, -0.1))),
    "both put right": (M_CURVED, (S_RUN, (-LEAN, -0.1), (LEAN, -0.1))),
}


@pytest.fixture(scope="module")
def biglide():
    """Seed 000."""
    return cc.load("biglide")


def document(name):
    """Three quintics through Type 1 at 2 s and Type 2 at 4 s (seed 000, eqs 54-57)."""
    knots = ((0.0, ((0.0, 0.3), *REST)), (2.0, PATHS[name][0]), (4.0, PATHS[name][1]), (6.0, ((-0.1, -0.15), *REST)))
    parts = [
        motion.polynomial([(t - a[0], order, v) for t, rates in (a, b) for order, v in enumerate(rates)])
        for a, b in pairwise(knots)
    ]
    return motion.piecewise(parts)


@pytest.mark.parametrize(("name", "push"), [("respecting", -0.11093), ("not respecting", -0.12636)])
def test_the_documents_paths_break_the_criterion(biglide, name, push):
    """t_s·ẍ of TRUTH.md §3.2 times 3 kg, and efforts that grow as −S² m_p (t_s·ẍ)/(8 l ẋ_s (t − t_s)) (§3.1)."""
    report = check_crossing(biglide, document(name), working="++")
    (event,) = report.type_2
    assert event.t == pytest.approx(4.0, abs=1e-12)
    assert event.passage.push == pytest.approx(3 * push, abs=2e-5)
    speed = PATHS[name][1][1][0]
    growth = -(S**2) * event.passage.push / (8 * L * speed)
    np.testing.assert_allclose(event.passage.growth, [growth, -growth], rtol=1e-9)
    assert not event.bounded
    assert not report.bounded
    assert "efforts grow as" in str(report)


@pytest.mark.parametrize("name", PATHS)
def test_type_1_without_an_inward_acceleration_stops_the_leg(biglide, name):
    """ẍ_m = 0 is itself singular, ẍ_m = −0.15 = −l φ̇² turns the leg on (TRUTH.md row 0-17)."""
    report = check_crossing(biglide, document(name), working="++")
    (event,) = report.type_1
    assert event.t == pytest.approx(2.0, abs=1e-8)
    assert event.leg == "A1-C"
    turns = name == "both put right"
    assert event.bounded == turns
    assert event.rate == pytest.approx(np.sqrt(0.15 / L) if turns else 0.0, abs=1e-6)
    assert report.working == ("++", "-+")


def test_with_the_sign_put_right_the_efforts_have_a_limit(biglide):
    """5.883 N beside Type 2 (TRUTH.md §3.2), and the whole motion is bounded once Type 1 is too."""
    report = check_crossing(biglide, document("both put right"), working="++")
    (event,) = report.type_2
    assert report.bounded
    assert np.abs(event.passage.tau).max() == pytest.approx(5.883, abs=1e-3)
    assert report.peak == pytest.approx(5.883, abs=1e-3)


def test_a_planned_crossing_is_found_and_bounded(biglide):
    """TRUTH.md §3.3's instants, from the motion itself."""
    planned = motion.cross(biglide, [0.0, 0.3], [-0.1, -0.15], 6.0, working="++", end_working="-+")
    report = check_crossing(biglide, planned)
    assert report.bounded
    assert report.type_1[0].t == pytest.approx(2.7831688244238104, abs=1e-12)
    assert report.type_2[0].t == pytest.approx(4.332852508581991, abs=1e-12)
    assert report.peak == pytest.approx(0.9124, abs=1e-4)


def test_a_motion_that_meets_nothing_says_so(biglide):
    """In (+,+) between regular poses."""
    report = check_crossing(biglide, cc.quintic([0.0, 0.3], [0.1, 0.5], 3.0), working="++")
    assert report.bounded
    assert not report.type_1 + report.type_2
    assert "0 singular instants" in str(report)


def test_touching_type_2_is_told_from_crossing_it(biglide):
    """x = t² in (−,+) comes to x = 0 and turns back: det A touches zero and the efforts have no limit."""
    there = motion.polynomial(
        [(-1.0, 0, [0.05, 0.1]), (0.0, 0, [0.0, 0.2]), (0.0, 1, [0.0, 0.1]), (1.0, 0, [0.05, 0.3])]
    )
    report = check_crossing(biglide, there, working="-+")
    (event,) = report.type_2
    assert event.t == pytest.approx(0.0, abs=1e-6)
    assert not event.crossed
    assert not event.bounded
    assert "touched" in str(report)


def test_the_fivebars_leg_at_its_end():
    """Stretched leg: the tip's inward acceleration is R l / (R + l) times the square of the bend's rate."""
    robot = cc.load("fivebar")
    planned = motion.cross(robot, [-0.06, 0.041], [0.058, 0.032], 2.0, working="-+", end_working="++")
    (event,) = check_crossing(robot, planned).type_1
    at = planned.whole(np.array([event.t]))[0]
    bar_rate = planned.u(event.t).x_dot
    assert event.rate == pytest.approx(abs(bar_rate[0] - bar_rate[1]), rel=1e-6)
    away = at.x - [-0.118 / 2, 0.0]
    reach = np.linalg.norm(away)
    inward = -(away @ at.x_ddot + at.x_dot @ at.x_dot - (away @ at.x_dot / reach) ** 2) / reach
    assert abs(inward) == pytest.approx(event.inward, rel=1e-6)


def test_a_leg_that_folds_onto_its_own_axis_has_no_inward_way():
    """With R = l the tip passes the motor's axis: the rate is told, an acceleration towards the axis is not."""
    robot = cc.load("fivebar")
    planned = motion.cross(robot, [-0.049, 0.05], [-0.003, 0.031], 2.0, working="-+", end_working="++")
    (event,) = check_crossing(robot, planned).type_1
    assert event.x == pytest.approx([-0.059, 0.0], abs=1e-9)
    turning = planned.u(event.t).x_dot
    assert event.rate == pytest.approx(abs(turning[0] - turning[1]), rel=1e-6)
    assert event.inward == np.inf
    assert "folded onto the axis of its own crank" in str(event)


def test_an_output_motion_needs_the_mode_it_starts_in(biglide):
    """One clear line."""
    with pytest.raises(BadInput, match="working mode"):
        check_crossing(biglide, cc.quintic([0.0, 0.3], [0.1, 0.5], 3.0))
