"""Planned crossings: the reference of TRUTH.md §3.3, random pairs of poses, and what cannot be planned."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import CrossingFeedForward, CrossingPD
from closedchain.errors import BadInput, ClosedChainError, NoSolution, Singular
from closedchain.motion import cross
from closedchain.motion.crossing_way import bends, straight_ways
from closedchain.simulation.plant import Plant

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_crossing.json").read_text(encoding="utf-8"))
BOXES = {"biglide": ((-0.13, -0.3), (0.13, 0.3), 4.0), "fivebar": ((-0.1, -0.15), (0.1, 0.15), 2.0)}


@pytest.fixture(scope="module")
def reference(biglide):
    """TRUTH.md §3.3."""
    return cross(biglide, [0.0, 0.3], [-0.1, -0.15], 6.0, working="++", end_working="-+")


def test_modes_may_be_written_as_people_write_them(biglide, reference):
    """Commas, spaces and a typographic minus."""
    same = cross(biglide, [0.0, 0.3], [-0.1, -0.15], 6.0, working="+, +", end_working="− +")
    assert same.working == reference.working == ("++", "-+")


def test_the_plan_is_the_reference_crossing(reference):
    """phi1 quintic and y of degree 7: the coefficients of TRUTH.md §3.3."""
    phi, y = reference.u.coefficients[0].T
    np.testing.assert_allclose(phi[:6], TRUTH["cp"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(y, TRUTH["cy"], rtol=0, atol=1e-13)
    assert reference.type_1[0][0] == pytest.approx(TRUTH["tm"], abs=1e-12)
    assert reference.type_2[0] == pytest.approx(TRUTH["ts"], abs=1e-12)


@pytest.mark.parametrize("sample", TRUTH["samples"], ids=lambda s: f"t={s['t']}")
def test_drives_output_and_efforts_at_every_tabulated_time(reference, sample):
    """Also exactly at Type 1 and at Type 2: nothing is singular in the leg's coordinates."""
    at = reference.whole(np.array([sample["t"]]))[0]
    names = {"q": "q", "qd": "q_dot", "qdd": "q_ddot", "x": "x", "xd": "x_dot", "xdd": "x_ddot"}
    for key, name in names.items():
        np.testing.assert_allclose(getattr(at, name), sample[key], rtol=0, atol=1e-13)
    tau = reference.efforts(np.array([sample["t"]]))[0]
    np.testing.assert_allclose(tau, sample["tau"], rtol=0, atol=1e-12)


def test_the_largest_effort_is_the_references(reference):
    """0.9124 N over six seconds."""
    assert np.abs(reference.efforts(np.linspace(0, 6, 3001))).max() == pytest.approx(TRUTH["max_abs_tau"], rel=1e-10)


def test_each_rate_is_the_slope_of_the_one_before(reference, check_rates):
    """Through both singular instants, in output and in joint space."""
    times = [1.0, TRUTH["tm"], 3.5, TRUTH["ts"], 5.0]
    check_rates(reference, times, h=2e-3)
    check_rates(reference.joint, times, h=2e-3)


def pairs(robot, name, count):
    """Random poses with opposite signs of det A and at most one leg changed: Type 2 lies between them."""
    low, high, duration = BOXES[name]
    rng = np.random.default_rng(20)
    while count:
        a, b = rng.uniform(low, high, (2, 2))
        before, after = ("".join(rng.choice(["+", "-"], 2)) for _ in range(2))
        try:
            ends = [cc.evaluate(robot, x=x, working=w) for x, w in ((a, before), (b, after))]
        except ClosedChainError:
            continue  # out of reach
        if ends[0].assembly != ends[1].assembly and sum(s != t for s, t in zip(before, after, strict=True)) < 2:
            count -= 1
            yield a, b, duration, before, after


@pytest.mark.parametrize("name", BOXES)
def test_ten_random_pairs_are_joined_without_a_spike(name):
    """Ends where asked, changes the assembly mode, and near Type 2 needs at most 1.1 of the effort elsewhere."""
    robot = cc.load(name)
    for a, b, duration, before, after in pairs(robot, name, 10):
        made = cross(robot, a, b, duration, working=before, end_working=after)
        ends = made.whole(np.array([0.0, duration]))
        np.testing.assert_allclose(ends.x, [a, b], rtol=0, atol=1e-12)
        np.testing.assert_allclose([ends.x_dot, ends.x_ddot, ends.q_dot, ends.q_ddot], 0, atol=1e-10)
        for q, x, mode in zip(ends.q, (a, b), (before, after), strict=True):
            away = q - cc.inverse(robot, x)[mode].q
            turns = np.array([c.unit == "rad" for c in robot.equations.q])
            np.testing.assert_allclose(np.where(turns, np.sin(away), away), 0, atol=1e-9)
        assert len(made.type_2) % 2 == 1
        t = np.linspace(0, duration, 997)  # a grid of its own
        near = np.min([np.abs(t - t_s) for t_s in made.type_2], axis=0) < 0.025 * duration
        size = np.abs(made.efforts(t)).max(axis=-1)
        assert size[near].max() <= 1.1 * size[~near].max()
        made_gap = robot.call("closures", q=made.whole(t).q, x=made.whole(t).x)["gap"]
        assert np.abs(made_gap).max() < 1e-14


@pytest.mark.parametrize("name", BOXES)
def test_the_same_pairs_are_simulated_through(name):
    """Commands held for 1 ms, gains as they come: 1e-6 m open loop from an exact start, 1 mm with 5 % more payload."""
    robot = cc.load(name)
    heavy = Plant(payload=0.05 * robot.values["m_p" if name == "biglide" else "m_r"])
    for a, b, duration, before, after in pairs(robot, name, 10):
        made = cross(robot, a, b, duration, working=before, end_working=after)
        for law, plant, bar in ((CrossingFeedForward(made), Plant(), 1e-6), (CrossingPD(made), heavy, 1e-3)):
            run = cc.simulate(robot, law, interval=1e-3, plant=plant)
            assert run.finished, run.ended
            assert np.linalg.norm(run.error, axis=-1).max() <= bar, (a, b, before, after)


@pytest.mark.parametrize("name", BOXES)
def test_the_efforts_beside_type_2_agree_with_plain_inverse_dynamics(name):
    """A millisecond off t_s, `evaluate` on the output's rates gives what the crossing's own efforts are."""
    robot = cc.load(name)
    for a, b, duration, before, after in pairs(robot, name, 3):
        made = cross(robot, a, b, duration, working=before, end_working=after)
        for t in (made.type_2[0] - 1e-3, made.type_2[0] + 1e-3):
            at = made.whole(np.array([t]))[0]
            mode = cc.evaluate(robot, q=at.q, assembly=_mode(robot, at)).working
            want = cc.evaluate(robot, x=at.x, x_dot=at.x_dot, x_ddot=at.x_ddot, working=mode).tau
            np.testing.assert_allclose(made.efforts(np.array([t]))[0], want, rtol=1e-6, atol=1e-9)


def _mode(robot, at):
    return "+" if np.linalg.det(robot.call("closures", q=at.q, x=at.x)["A"]) > 0 else "-"


def test_a_push_is_planned_as_asked(biglide):
    """TRUTH.md §3.2, last row: ÿ(t_s) = 0 is a push of 3 kg times 0.04947 m/s², and 135 N on the 1 ms grid."""
    made = cross(biglide, [0.0, 0.3], [-0.1, -0.15], 6.0, working="++", end_working="-+", push=0.14842073921185958)
    (passage,) = made.passages
    assert not passage.bounded
    assert abs(made(np.array(made.type_2)).x_ddot[0, 1]) < 1e-12
    beside = made.efforts(made.type_2[0] + np.array([-1e-3, 1e-3]))
    assert np.abs(beside).max() == pytest.approx(135, rel=3e-3)


def test_a_motion_that_crosses_nothing_is_the_plain_one(biglide):
    """Within one assembly mode no bend is needed: degree 5 in the leg's coordinates."""
    made = cross(biglide, [0.02, 0.3], [0.1, 0.4], 2.0, working="++")
    assert made.type_2 == ()
    assert made.u.degree == 5


def test_a_pose_out_of_reach_is_refused(biglide):
    """As by `inverse`."""
    with pytest.raises(NoSolution):
        cross(biglide, [0.5, 0.3], [0.0, -0.3], 4.0, working="++", end_working="-+")


@pytest.mark.parametrize(
    "name, start, end",
    [
        ("biglide", [0.0, 0.3], [-0.1, -0.15]),
        ("biglide", [0.05, 0.3], [-0.1, -0.15]),
        ("biglide", [0.05, 0.3], [0.1, 0.2]),
        ("fivebar", [0.05, 0.1], [-0.03, -0.1]),
    ],
)
def test_without_modes_some_are_chosen_that_cross(name, start, end):
    """det A changes its sign from end to end, and a leg changes only where no mode is on both sides of Type 2."""
    robot = cc.load(name)
    made = cross(robot, start, end, 2.0)
    ends = made.whole(np.array([0.0, 2.0]))
    np.testing.assert_allclose(ends.x, [start, end], rtol=0, atol=1e-12)
    det = np.linalg.det(robot.call("closures", q=ends.q, x=ends.x)["A"])
    assert det[0] * det[1] < 0
    assert len(made.type_2) % 2 == 1
    assert made.peaks[0] <= 1.1 * made.peaks[1]
    keeps = any(
        cc.evaluate(robot, x=start, working=mode).assembly != cc.evaluate(robot, x=end, working=mode).assembly
        for mode in ("++", "+-", "-+", "--")
        if start[0] != 0.0  # the biglide's Type 2: there `+-` and `-+` have no assembly mode
    )
    assert (made.working[0] == made.working[-1]) is keeps


def test_type_2_at_half_of_the_time_costs_no_more_than_beside_it(biglide):
    """There r³(1 − r)³ is flat and a multiple of it gives no acceleration; an end 2 cm further is met aside of it."""
    start, ends = [0.1, 0.1], ([-0.08, -0.15], [-0.1, -0.15])
    straight = [straight_ways(biglide, np.array(start), np.array(end), ("+-", "+-"))[0] for end in ends]
    met = [next(bends(way, [np.pi / 2], [1], 1.0, 0.0)).at[0] for way in straight]
    assert abs(met[0] - 0.5) < 0.004
    assert abs(met[1] - 0.5) > 0.03
    half, aside = (cross(biglide, start, end, 1.0, working="+-") for end in ends)
    assert max(half.peaks) < max(aside.peaks)


def test_an_end_on_the_singularity_is_refused_with_its_place(biglide):
    """x = 0 is Type 2 in `-+` for every y; the message names which end."""
    with pytest.raises(Singular, match=r"at the start x = \(0, 0.3\) in '-\+'"):
        cross(biglide, [0.0, 0.3], [0.1, 0.2], 1.0, working="-+")
    with pytest.raises(Singular, match="at the end"):
        cross(biglide, [0.1, 0.2], [0.0, 0.3], 1.0, working="-+")


def test_a_leg_at_its_end_has_no_mode_to_choose(biglide):
    """x = l − d/2: both modes of leg 1 meet."""
    with pytest.raises(NoSolution, match="a leg is at its end at the start"):
        cross(biglide, [0.1606, 0.3], [0.1, 0.2], 1.0)


def test_a_base_line_out_of_reach_parts_above_from_below():
    """Cranks 0.03 m and bars 0.1 m on feet 0.118 m apart: on the base line leg 1 reaches from 0.011 to 0.071 m (and
    left of −0.129 m), leg 2 from −0.071 to −0.011 m: 0.022 m apart."""
    robot = cc.load("fivebar", l1=0.03, l2=0.1)
    with pytest.raises(NoSolution, match=r"reaches are 0\.022 m apart"):
        cross(robot, [0.0, 0.11], [0.01, -0.11], 2.0, working="++", end_working="+-")
    assert cross(cc.load("fivebar"), [0.05, 0.1], [-0.03, -0.1], 2.0).type_2


@pytest.mark.parametrize("modes", [("+", "++"), ("++", "+0")])
def test_a_mode_that_is_none_is_refused(biglide, modes):
    """One sign for each leg."""
    with pytest.raises(BadInput, match="no working mode"):
        cross(biglide, [0.0, 0.3], [0.0, -0.3], 4.0, working=modes[0], end_working=modes[1])


@pytest.mark.parametrize("name", ["triplate", "furuta", "fourbar"])
def test_other_structures_are_refused(name):
    """The planner knows a tip on two bars."""
    with pytest.raises(ClosedChainError, match="two bars"):
        cross(cc.load(name), [0.0, 0.0], [0.1, 0.1], 1.0, working="++")
