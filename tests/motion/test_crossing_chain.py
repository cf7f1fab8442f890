"""Crossings in two stretches: both legs change, a pose between is found, and the drives carry the robot through."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import CrossingFeedForward
from closedchain.describe import Bar, Crank, Free, Mechanism, Parameter, robot
from closedchain.errors import ClosedChainError, NoSolution
from closedchain.motion import cross
from closedchain.motion.crossing_chain import best_of, middles, pairs
from closedchain.singularity.check import check_crossing

BOXES = {"biglide": ((-0.13, -0.3), (0.13, 0.3), 4.0), "fivebar": ((-0.1, -0.15), (0.1, 0.15), 2.0)}
OPPOSITE = {"++": "--", "+-": "-+", "-+": "+-", "--": "++"}


def ends(model, name, seed):
    """Two random poses within reach, one for each of the four modes, the second in the opposite mode."""
    low, high, duration = BOXES[name]
    rng = np.random.default_rng(seed)
    for before, after in OPPOSITE.items():
        while True:
            a, b = rng.uniform(low, high, (2, 2))
            try:
                found = [cc.evaluate(model, x=x, working=m) for x, m in ((a, before), (b, after))]
            except ClosedChainError:
                continue  # out of reach
            if all(np.linalg.cond(at.A) < 20 for at in found):
                yield a, b, duration, before, after
                break


SETS = [pytest.param((name, 1), id=f"{name}, seed 1") for name in BOXES]
SETS += [
    pytest.param((name, seed), id=f"{name}, seed {seed}", marks=pytest.mark.slow) for name in BOXES for seed in (2, 3)
]


@pytest.fixture(scope="module", params=SETS)
def planned(request):
    """Four motions of a robot in which both legs change."""
    name, seed = request.param
    model = cc.load(name)
    return [(cross(model, a, b, T, working=m, end_working=n), a, b) for a, b, T, m, n in ends(model, name, seed)]


def test_both_legs_change_and_the_ends_are_where_asked(planned):
    """Two Type 1 instants, one for each leg; at rest at both ends, in the modes asked for."""
    for made, a, b in planned:
        model, (before, between, after) = made.model, made.working
        assert after == OPPOSITE[before]
        assert between not in (before, after)
        assert sorted(leg for _, leg in made.type_1) == sorted(leg.name for leg in model.legs)
        at = made.whole(np.array([0.0, made.duration]))
        np.testing.assert_allclose(at.x, [a, b], rtol=0, atol=1e-12)
        np.testing.assert_allclose([at.x_dot, at.x_ddot, at.q_dot, at.q_ddot], 0, atol=1e-10)
        for q, x, mode in zip(at.q, (a, b), (before, after), strict=True):
            away = q - cc.inverse(model, x)[mode].q
            turns = np.array([c.unit == "rad" for c in model.equations.q])
            np.testing.assert_allclose(np.where(turns, np.sin(away), away), 0, atol=1e-9)


def test_positions_velocities_and_accelerations_meet_where_the_stretches_do(planned):
    """On both sides of the passing pose; also the drives' angles, as many turns on."""
    for made, _, _ in planned:
        (t,) = made.starts[1:-1]
        before, after = made.whole(np.array([np.nextafter(t, 0), t]))[0], made.whole(np.array([t]))[0]
        for name in ("q", "x", "q_dot", "x_dot", "q_ddot", "x_ddot"):
            np.testing.assert_allclose(getattr(before, name), getattr(after, name), rtol=0, atol=1e-9)


def test_each_rate_is_the_slope_of_the_one_before(planned, check_rates):
    """In both stretches, in output and in joint space."""
    for made, _, _ in planned:
        times = [0.37 * made.starts[1], 0.6 * made.starts[1] + 0.4 * made.duration]
        check_rates(made, times, h=5e-4, rtol=1e-5)
        check_rates(made.joint, times, h=5e-4, rtol=1e-5)


def test_the_loops_stay_closed_and_the_drives_do_not_jump(planned):
    """The closures by the robot's own points, on a fine grid; angles change by less than a tenth of a turn a step."""
    for made, _, _ in planned:
        at = made.whole(np.linspace(0, made.duration, 1999))
        assert np.abs(made.model.call("closures", q=at.q, x=at.x)["gap"]).max() < 1e-14
        assert np.abs(np.diff(at.q, axis=0)).max() < 0.6


def test_no_crossing_needs_more_than_the_rest_of_the_motion(planned):
    """Near each Type 2 instant at most 1.1 of the largest effort elsewhere, on a grid of its own."""
    for made, _, _ in planned:
        t = np.linspace(0, made.duration, 2999)
        size = np.abs(made.efforts(t)).max(axis=-1)
        near = np.abs(t[:, None] - np.array([*made.type_2, np.inf])).min(axis=1) < 0.025 * made.duration
        assert size[near].max(initial=0.0) <= 1.1 * size[~near].max()
        assert all(p.bounded for p in made.passages)


def test_the_checker_finds_the_same_instants_and_calls_them_bounded(planned):
    """`check_crossing` looks for them on samples of its own, Type 1 among them."""
    for made, _, _ in planned:
        report = check_crossing(made.model, made)
        assert report.bounded
        np.testing.assert_allclose([e.t for e in report.type_2], made.type_2, rtol=0, atol=1e-9)
        np.testing.assert_allclose([e.t for e in report.type_1], [t for t, _ in made.type_1], rtol=0, atol=1e-9)


def test_efforts_alone_carry_the_robot_through_every_singularity(planned):
    """Forward dynamics from an exact start, efforts held 0.1 ms, no feedback: the tip stays within 1e-6 m."""
    for made, _, b in planned:
        run = cc.simulate(made.model, CrossingFeedForward(made), working=made.working[0], interval=1e-4, step=1e-4)
        assert run.finished
        assert np.linalg.norm(run.x - made(run.t).x, axis=-1).max() < 1e-6
        signs = np.sign(np.linalg.det(made.model.call("closures", q=run.q, x=run.x)["A"][[0, -1]]))
        assert signs[0] * signs[1] == (-1) ** len(made.type_2)
        assert cc.evaluate(made.model, x=b, working=made.working[-1]).assembly == ("+" if signs[1] > 0 else "-")


def test_both_stretches_need_the_same_effort(biglide):
    """The time is divided so: without weight, efforts go as 1/T² in each; equal within a few per cent."""
    made = cross(biglide, [0.05, 0.3], [-0.1, -0.15], 6.0, working="++", end_working="--")
    first, second = (
        np.abs(made.efforts(np.linspace(a, b, 801))).max() for a, b in zip(made.starts, made.starts[1:], strict=False)
    )
    assert first == pytest.approx(second, rel=0.05)


def test_twice_as_long_is_a_quarter_of_the_effort(biglide):
    """The same path: neither weight nor friction acts."""
    slow, fast = (
        cross(biglide, [0.05, 0.3], [-0.1, -0.15], T, working="++", end_working="--").peaks for T in (8.0, 4.0)
    )
    np.testing.assert_allclose(np.array(slow) * 4, fast, rtol=1e-6)


def test_a_push_is_given_at_every_type_2_instant(biglide):
    """Of a motion in two stretches too."""
    made = cross(biglide, [0.05, 0.3], [-0.1, -0.15], 6.0, working="++", end_working="--", push=0.05)
    assert made.type_2
    np.testing.assert_allclose([p.push for p in made.passages], 0.05, rtol=1e-6)


def test_one_leg_alone_can_also_change_on_a_motion_of_two_stretches(biglide):
    """For ends that one stretch does not join: the same machinery with a passing pose in either end's mode."""
    start, end, modes = np.array([0.05, 0.3]), np.array([-0.1, -0.15]), ("++", "-+")
    found, told = pairs(biglide, start, end, modes)
    assert [count.working for count in told] == ["++", "-+"]
    assert found
    made = best_of(found[:4], (np.pi / 2, np.pi / 2), 6.0, 0.0)[0]
    assert len(made.parts) == 2
    assert [leg for _, leg in made.type_1] == ["A1-C"]
    np.testing.assert_allclose(made(np.array([0.0, 6.0])).x, [start, end], rtol=0, atol=1e-12)
    assert check_crossing(biglide, made).bounded


def test_the_modes_between_differ_by_one_leg_from_both_ends():
    """Two for opposite ends, the ends themselves for neighbours."""
    assert middles(("++", "--")) == ["+-", "-+"]
    assert middles(("++", "+-")) == ["++", "+-"]
    assert middles(("++", "++")) == ["++", "+-", "-+"]


@robot()
def lopsided(reach=Parameter(0.12, "m", "chosen", about="of the short leg")):
    """A five-bar whose first leg is so long that the second never lets it stretch or fold."""
    A1 = Crank("q1", about=(0, 0), radius=0.5, inertia=0.1, point="A1")
    A2 = Crank("q2", about=(0.6, 0), radius=reach / 2, inertia=0.1, point="A2")
    C = Free("C", mass=1.0)
    return Mechanism("lopsided", drives=(A1, A2), bars=(Bar(A1, C, 0.55), Bar(A2, C, reach / 2)), output=C)


def test_a_leg_that_can_never_be_at_its_end_is_named():
    """Leg 1 stretches to 1.05 m from its motor and folds to 0.05 m; leg 2 reaches 0.48 to 0.72 m from there."""
    model = cc.load(lopsided)
    with pytest.raises(NoSolution, match=r"leg A1-C cannot change its mode.*leg A2-C misses by 0\.33 m"):
        cross(model, [0.62, 0.03], [0.58, -0.04], 2.0, working="++", end_working="--")
