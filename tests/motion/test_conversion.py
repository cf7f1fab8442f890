"""Motions taken to the other space, on a named branch."""

from itertools import pairwise

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.errors import BadInput, NoSolution, Unreachable
from closedchain.model.configurations import Configurations
from closedchain.model.sampling import configurations, regularity
from closedchain.motion import circle, constant_velocity, joint, line, output, quintic

L = 0.3606
RATES = ("x", "x_dot", "x_ddot", "x_dddot")


def drives_by_hand(x, y, signs):
    """q_i = y − σ_i √(l² − (x ± d/2)²) (TRUTH.md §0)."""
    return np.stack([y - s * np.sqrt(L**2 - (x + a) ** 2) for s, a in zip(signs, (0.2, -0.2), strict=True)], axis=-1)


@pytest.mark.parametrize("working, signs", [("++", (1, 1)), ("+-", (1, -1)), ("-+", (-1, 1)), ("--", (-1, -1))])
def test_the_biglides_drives_are_those_of_the_closed_form(biglide, working, signs, check_rates):
    """On all four working modes; rates agree with slopes up to the jerk."""
    tip = quintic([-0.05, 0.3], [0.1, 0.5], 3.0)
    feet = joint(biglide, tip, working=working)
    t = np.linspace(0, 3, 50)
    x = tip(t).x
    np.testing.assert_allclose(feet(t).x, drives_by_hand(x[:, 0], x[:, 1], signs), rtol=0, atol=1e-15)
    assert (feet.space, feet.dimension, feet.duration) == ("joint", 2, 3.0)
    check_rates(feet, (0.4, 1.3, 2.2))


def test_a_third_derivative_by_hand(biglide):
    """x = v t, y = 0.3 at constant velocity: q1 = 0.3 − w, w = √(l² − u²), u = v t + 0.2."""
    v = 0.05
    tip = constant_velocity([0.0, 0.3], [v * 2.0, 0.3], 2.0)
    u = v * 1.0 + 0.2
    w = np.sqrt(L**2 - u**2)
    # √' = −u/w, √'' = −l²/w³, √''' = −3 l² u / w⁵
    np.testing.assert_allclose(joint(biglide, tip)(1.0).x_dddot[0], 3 * v**3 * L**2 * u / w**5, rtol=1e-12)


@pytest.mark.parametrize("name", ["biglide", "fivebar", "triplate", "rpr3", "delta"])
def test_there_and_back_gives_the_same_motion_up_to_the_jerk(name):
    """output ∘ joint is the identity: two different programs, on plates and in space too."""
    model = cc.load(name)
    place = regular_place(model)
    end = place.x + 1e-3 * model.scale
    given = quintic(place.x, end, 1.0)
    drives = joint(model, given, working=place.working)
    assembly = next(s.assembly for s in cc.direct(model, drives(0.0).x) if np.allclose(s.x, place.x, atol=1e-9))
    back = output(model, drives, assembly=assembly)
    t = np.linspace(0, 1, 37)
    for name_, want in ((r, getattr(given(t), r)) for r in RATES):
        np.testing.assert_allclose(getattr(back(t), name_), want, rtol=0, atol=1e-10 * np.abs(want).max())


def regular_place(model):
    """The inverse solution, of 50 random ones, whose A and B are furthest from singular."""
    z = configurations(model, 50, np.random.default_rng(5), 0.02)
    found = [s for s in cc.inverse(model, z[:, model.nq :]) if not s.double]
    rows = Configurations(model, np.array([s.q for s in found]), np.array([s.x for s in found]))
    legs = np.abs(rows.leg_slopes() / np.abs(rows.leg_slopes()).max(axis=0)).min(axis=-1)
    return found[int(np.argmax(legs * regularity(model, np.concatenate([rows.q, rows.x], axis=-1))))]


def test_a_crank_that_turns_round_counts_its_turns(check_rates):
    """The slider-crank's piston goes back and forth while the crank turns three times: the output of a joint motion."""
    model = cc.load("slidercrank")
    turning = quintic([0.3], [0.3 + 6 * np.pi], 4.0, space="joint")
    piston = output(model, turning, assembly="+")
    t = np.linspace(0, 4, 33)
    q = turning(t).x[:, 0]
    side = np.sign(piston(0.0).x[0] - 0.05 * np.cos(0.3))
    want = 0.05 * np.cos(q) + side * np.sqrt(0.15**2 - (0.05 * np.sin(q)) ** 2)  # hand geometry
    np.testing.assert_allclose(piston(t).x[:, 0], want, rtol=0, atol=1e-14)
    check_rates(piston, (1.1, 2.0, 3.3), rtol=1e-6)  # 6 turns' eighth derivatives enter the difference


def test_a_joint_motion_that_touches_type_2_is_refused(biglide):
    """In (−,+) the tip crosses x = 0, where the bars are in line: the feet's motion also fits a tip that turns back."""
    tip = quintic([-0.05, 0.2], [0.05, 0.4], 1.0)
    feet = joint(biglide, tip, working="-+")  # B is regular all along
    for samples in (50, 51, 201):
        with pytest.raises(NoSolution, match=r"Type 2"):
            output(biglide, feet, assembly=cc.direct(biglide, feet(0.0).x).mode[0], samples=samples)


def test_angles_of_a_followed_branch_do_not_wrap(fivebar):
    """The five-bar's tip runs round a circle that its left crank follows beyond π; q stays continuous."""
    start = cc.inverse(fivebar, [-0.06, -0.05])
    assert len(start) == 4
    tip = circle([-0.06, 0.0], 0.05, 2.0, angle=-np.pi / 2)
    for s in start:
        try:
            drives = joint(fivebar, tip, working=s.working)
        except NoSolution:
            continue
        q = drives(np.linspace(0, 2, 400)).x
        assert np.abs(np.diff(q, axis=0)).max() < 0.2
        if np.abs(q).max() > np.pi + 0.05:
            return
    pytest.fail("no branch passed π, so the test shows nothing")


def test_a_branch_that_ends_is_told_with_the_instant(biglide):
    """x = 0.1606 is where leg 1 lies flat: at constant velocity from 0 to 0.3 in 1 s that is at 0.1606/0.3 s."""
    with pytest.raises(NoSolution, match=r"branch ends at 0\.5353\d* s .*Type 1 singularity.*A1-C"):
        joint(biglide, constant_velocity([0.0, 0.3], [0.3, 0.3], 1.0))


def test_an_excursion_between_the_followed_samples_is_refused_when_it_is_reached(biglide):
    """A bulge beyond reach that no sample saw: evaluating there says which leg misses, and by how much."""
    there_and_back = circle([0.1, 0.3], 0.1, 1.0, angle=np.pi)
    feet = joint(biglide, line([0.0, 0.3], [0.0, 0.3 + 1e-9], 1.0), samples=2)
    assert np.isfinite(feet(0.5).x).all()
    feet = type(feet)(biglide, there_and_back, "++", feet.times, feet.guide)
    with pytest.raises(Unreachable, match=r"leg A1-C misses x = \(0\.2, 0\.3\) at 0\.5 s by 39\.4 mm"):
        feet(0.5)


def test_a_motion_already_in_joint_space_is_returned(biglide):
    """Nothing to do, whichever way."""
    feet = quintic([0.0, 0.0], [0.1, 0.1], 1.0, space="joint")
    assert joint(biglide, feet) is feet
    tip = quintic([0.0, 0.3], [0.1, 0.5], 1.0)
    assert output(biglide, tip) is tip


def test_a_wrong_number_of_coordinates_is_refused(biglide):
    """Three coordinates for a robot of two."""
    with pytest.raises(BadInput, match="biglide has 2 output coordinates, but the output motion has 3"):
        joint(biglide, quintic([0.0] * 3, [1.0] * 3, 1.0))
    with pytest.raises(BadInput, match="samples is 1"):
        joint(biglide, quintic([0.0, 0.3], [0.1, 0.5], 1.0), samples=1)
    with pytest.raises(BadInput, match="no closures"):
        joint(cc.load("furuta"), quintic([0.0], [1.0], 1.0))


# Through Type 1 -------------------------------------------------------------------------------------------------------


D = 0.4
STROKE = np.sqrt(4 * L**2 - D**2)


def documents_path():
    """Seed 000's "respecting" path as run: three quintics through x_m (Type 1, 2 s) and x_s (Type 2, 4 s)."""
    lean, rest = 0.1 * D / STROKE, ((0, 0), (0, 0))
    x_m, x_s = ((0.1606, 0), (0, -0.2), (0, -0.1)), ((0, -STROKE / 2), (-lean, -0.1), (-lean, -0.1))
    knots = (((0, 0.3), *rest), x_m, x_s, ((-0.1, -0.15), *rest))
    parts = [
        motion.polynomial([(t, k, value) for t, rows in ((0, a), (2, b)) for k, value in enumerate(rows)])
        for a, b in pairwise(knots)
    ]
    return motion.piecewise(parts)


def test_the_documents_crossing_becomes_a_table_of_the_drives():
    """3001 rows of q1 and q2 by hand geometry, leg 1 from above to below its foot at 2 s; √ε of l beside it."""
    robot, path = cc.load("biglide"), documents_path()
    with pytest.raises(NoSolution, match=r"2 s of the motion, at a Type 1 singularity.*through=True"):
        motion.joint(robot, path, working="++")
    feet = motion.joint(robot, path, working="++", through=True)
    assert feet.working == ("++", "-+")
    np.testing.assert_allclose(feet.changes, [2.0], atol=1e-12)
    table = motion.sample(feet, 0.002)
    assert (table.names, len(table)) == (("t", "q1", "q2"), 3001)
    x, y = path(table.t).x.T
    side = np.where(table.t < 2.0, 1.0, -1.0)
    q1 = y - side * np.sqrt(np.maximum(L**2 - (x + D / 2) ** 2, 0.0))
    np.testing.assert_allclose(table["q1"], q1, rtol=0, atol=1e-8)
    np.testing.assert_allclose(table["q2"], y - np.sqrt(L**2 - (x - D / 2) ** 2), rtol=0, atol=1e-14)
    assert np.abs(np.diff(table.values[:, 1:], axis=0)).max() < 0.002 * 0.3  # no jump: 0.3 m/s at most
    np.testing.assert_allclose(table.values[2000, 1:], [0.0, -STROKE], atol=1e-14)  # Type 2, TRUTH.md row 0-18


def test_where_a_leg_is_at_its_end_positions_are_there_and_rates_are_refused():
    """At 2 s the drive's rate is 0/0 (and its acceleration has no bound on this path); beside it both exist."""
    feet = motion.joint(cc.load("biglide"), documents_path(), working="++", through=True)
    assert np.isfinite(feet.positions(2.0)).all()
    with pytest.raises(NoSolution, match="at 2 s a leg is at its end"):
        motion.sample(feet, 0.002, rates=1)
    step = 1e-6
    for t in (1.3, 2.7, 5.1):
        slope = (feet.positions(t + step) - feet.positions(t - step)) / (2 * step)
        np.testing.assert_allclose(feet(t).x_dot, slope, rtol=0, atol=1e-9)  # of differences over 1 µs


class OutputOnly:
    """What a crossing's output does, without its knowledge of the drives."""

    def __init__(self, planned):
        self.planned = planned
        self.start, self.duration, self.dimension, self.space = 0.0, planned.duration, 2, "output"
        self.breaks = np.array([0.0, planned.duration])

    def __call__(self, t):
        return self.planned(t)


@pytest.mark.parametrize(
    ("name", "start", "end", "modes"),
    [("biglide", [0, 0.3], [-0.1, -0.15], ("++", "-+")), ("fivebar", [-0.06, 0.041], [0.058, 0.032], ("-+", "++"))],
)
def test_the_drives_through_type_1_are_those_of_the_legs_own_coordinates(name, start, end, modes):
    """`cross` plans in regular coordinates and knows its drives; from its output alone they are found again, to √ε."""
    robot = cc.load(name)
    planned = motion.cross(robot, start, end, 2.0, working=modes[0], end_working=modes[1])
    found = motion.joint(robot, OutputOnly(planned), working=modes[0], through=True)
    assert found.working == modes
    np.testing.assert_allclose(found.changes, [t for t, _ in planned.type_1], atol=1e-7)
    t = np.linspace(0.0, 2.0, 501)
    wanted = planned.whole(t).q
    turn = np.round((wanted[0] - found.positions(0.0)) / (2 * np.pi)) * 2 * np.pi if name == "fivebar" else 0.0
    np.testing.assert_allclose(found.positions(t) + turn, wanted, rtol=0, atol=1e-7)
    assert motion.joint(robot, planned) is planned.joint


def test_columns_are_called_like_the_robots_coordinates():
    """Not q1, q2, q3 where they are theta1, theta2 and d3."""
    robot = cc.load("triplate")
    line = motion.quintic([-3.0, -1.0, 0.8], [-2.8, -0.9, 0.6], duration=0.2)
    assert motion.sample(motion.joint(robot, line, working="-+"), 0.1).names == ("t", "theta1", "theta2", "d3")
