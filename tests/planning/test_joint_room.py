"""Plans within joint limits: what is proven keeps them on a dense sample, what is beyond is told where and how far."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Angle, Bar, Crank, Free, Mechanism, Recipe, Slider
from closedchain.model.joint_limits import keeping
from closedchain.planning import bodies, plan
from closedchain.planning.measure import Setting
from closedchain.planning.straight import straight

L, D = 0.36, 0.4


def short_biglide(low=-0.1, high=0.2):
    """Feet on upright rails with a stroke."""
    A1, A2 = (
        Slider(f"q{i}", at=(x, 0.0), along=(0.0, 1.0), limits=(low, high), point=f"A{i}")
        for i, x in ((1, -D / 2), (2, D / 2))
    )
    C = Free("C", mass=1.0)
    return cc.load(Recipe(Mechanism("short", drives=(A1, A2), bars=(Bar(A1, C, L), Bar(A2, C, L)), output=C)))


def verdict(robot, start, goal, mode):
    """The straight motion in one working mode."""
    return next(v for v in straight(Setting(robot, bodies(robot), 0.02), start, goal) if v.working == mode)


def test_a_straight_motion_beyond_a_stroke_is_told_where_it_leaves_it():
    """Upwards in the middle from y = 0.3 to 0.49 m: q = y − √(l² − d²/4) passes 0.15 m on the way."""
    rise = np.sqrt(L**2 - D**2 / 4)
    robot = short_biglide(high=0.15)
    found = verdict(robot, np.array([0.0, 0.3]), np.array([0.0, 0.49]), "++")
    assert not found.possible
    said = str(found)
    at = (0.15 + rise - 0.3) / 0.19
    assert f"q1 is beyond its limits [-0.1, 0.15] m from s = {at:.6f}" in said
    assert f"by {(0.49 - rise - 0.15) * 1e3:.4g} mm at most" in said


def limited_fivebar():
    """Cranks and an elbow with limits."""
    A1, A2 = (
        Crank(f"q{i}", about=(x, 0.0), radius=0.1, limits=np.radians(limits), point=f"A{i}")
        for i, x, limits in ((1, -0.06, (100.0, 190.0)), (2, 0.06, (-30.0, 85.0)))
    )
    C = Free("C", mass=1.0)
    readouts = (Angle("p1", A1, C, relative_to=A1, limits=np.radians((-140.0, -20.0))),)
    bars = (Bar(A1, C, 0.1), Bar(A2, C, 0.1))
    return cc.load(Recipe(Mechanism("five", drives=(A1, A2), bars=bars, output=C, readouts=readouts)))


def test_what_is_proven_keeps_every_limit():
    """Straight motions of a five-bar between random places: proven ones keep their limits at 2001 samples, and
    where a sample is beyond one it is told."""
    robot, rng = limited_fivebar(), np.random.default_rng(3)
    proven = refuted = 0
    for _ in range(25):
        ends = np.array([0.0, 0.13]) + rng.uniform(-0.03, 0.03, (2, 2))
        found = verdict(robot, *ends, "+-")
        x = ends[0] + np.linspace(0.0, 1.0, 2001)[:, None] * (ends[1] - ends[0])
        made = robot.call("inverse", x=x, sigma=np.array([1.0, -1.0]))
        within = keeping(robot, made["q"], x).within
        proven, refuted = proven + found.possible, refuted + (not within.all())
        assert not found.possible or within.all()
        assert within.all() or any(o.kind == "limit" for o in found.obstructions)
    assert proven >= 3
    assert refuted >= 1


def test_a_start_beyond_a_limit_is_no_start():
    """It has no inverse solution."""
    with pytest.raises(cc.ClosedChainError, match="beyond its limits"):
        plan(short_biglide(), [0.0, 0.6], [0.0, 0.3])
