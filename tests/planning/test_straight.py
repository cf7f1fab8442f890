"""Seed 002 §3: which of the four working modes carry the plate straight from X_a to X_b, and what stops the others."""

import numpy as np
import pytest
from scipy.optimize import brentq

import closedchain as cc
from closedchain.planning import bodies, disc, plan
from closedchain.planning.measure import Setting
from closedchain.planning.straight import straight
from closedchain.singularity.along import along

GOAL = np.array([-2.0, 0.0, 0.0])
STARTS = {-2: np.array([-3.0, -2.0, np.pi / 4]), -1: np.array([-3.0, -1.0, np.pi / 4])}


def verdicts(model, y, **options):
    """The four modes by name."""
    setting = Setting(model, bodies(model, **options), 0.02)
    return {v.working: v for v in straight(setting, STARTS[y], GOAL)}


@pytest.mark.parametrize("y, s", [(-2, 0.122782), (-1, 0.127599)])
def test_only_the_mode_of_the_seeds_joints_crosses_a_singularity(triplate, y, s):
    """TRUTH.md §1.4 row 2-13: (+1, −1) at that s, the other three nowhere. The s is printed with six digits."""
    found = verdicts(triplate, y)
    crossing = {name: [c for o in v.obstructions for c in o.crossings] for name, v in found.items()}
    assert [name for name, c in crossing.items() if c] == ["+-"]
    assert crossing["+-"] == pytest.approx([s], abs=5e-7)
    proven = along(triplate, STARTS[y], GOAL, working="+-").points[0]
    assert crossing["+-"][0] == pytest.approx(proven.s, abs=1e-12)


@pytest.mark.parametrize("y, possible", [(-2, ["-+"]), (-1, ["++", "-+"])])
def test_collisions_decide_between_the_other_three(triplate, y, possible):
    """With links as lines: from y = −2 one mode is left, from y = −1 two; what stops the rest is arm against arm."""
    found = verdicts(triplate, y)
    assert [name for name, v in found.items() if v.possible] == possible
    for name, v in found.items():
        hits = [o for o in v.obstructions if o.kind == "collision"]
        assert bool(hits) == (name not in possible)
        assert {o.what for o in hits} <= {"B1-a1 and B2-a2"}


def area(a, b, c):
    """Twice the area of a triangle, with its sign: 0 where c is on the line ab."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@pytest.mark.parametrize(
    "y, mode, joint", [(-2, "++", "a2"), (-2, "+-", "a1"), (-2, "--", "a1"), (-1, "+-", "a1"), (-1, "--", "a1")]
)
def test_arms_begin_or_stop_to_cross_where_a_joint_of_the_plate_lies_on_the_other_arm(
    triplate, triplate_by_hand, y, mode, joint
):
    """The end of the stretch nearest to the middle of the way, as a zero of hand geometry."""
    signs = [1 if c == "+" else -1 for c in mode]

    def off(s):
        B1, a1, B2, a2, _, _ = (c[0] for c in triplate_by_hand([STARTS[y] + s * (GOAL - STARTS[y])], *signs))
        return area(B1, a1, a2) if joint == "a2" else area(B2, a2, a1)

    first = next(o for o in verdicts(triplate, y)[mode].obstructions if o.kind == "collision")
    end = first.until if first.s == 0.0 else first.s
    by_hand = brentq(off, end - 0.02, end + 0.02, xtol=1e-15)
    assert end == pytest.approx(by_hand, abs=1e-12)


def test_wider_links_meet_sooner(triplate):
    """A width of 0.2 m: mode −+ from y = −2, which had 0.114 m of room, is lost, and nothing else is gained."""
    assert verdicts(triplate, -2)["-+"].clearance == pytest.approx(0.1137, abs=1e-4)
    assert not any(v.possible for v in verdicts(triplate, -2, width=0.2).values())


def test_a_leg_out_of_reach_is_named_with_its_miss(biglide):
    """x = 0.3 is beyond l − d/2 = 0.1606 for bar 1; on the way to (0.05, 0.3) it comes into reach at a known s."""
    setting = Setting(biglide, bodies(biglide), 0.0)
    found = straight(setting, np.array([0.3, 0.3]), np.array([0.05, 0.3]))[0]
    assert not found.possible
    first = next(o for o in found.obstructions if o.kind == "reach" and o.what == "A1-C")
    assert first.s == 0.0
    assert first.until == pytest.approx((0.3 - 0.1606) / 0.25, abs=1e-9)
    assert first.value == pytest.approx(0.5 - 0.3606, abs=1e-12)
    assert "misses by 139.4 mm" in str(first)


def test_the_plan_takes_the_mode_that_is_left_and_says_why(triplate):
    """The text names the mode, the singularity, the pair and the places."""
    text = str(plan(triplate, STARTS[-2], GOAL))
    assert "modes      -+" in text
    assert "crosses a Type 2 singularity at s = 0.122782" in text
    assert "B1-a1 and B2-a2 meet" in text


def test_a_crossing_thinner_than_the_samples_is_told_beside_what_else_is_in_the_way():
    """Margin 0.0005 along the five-bar's height: where the bars are in line, by the root of their cross product."""
    robot = cc.load("fivebar")
    start, goal = np.array([0.049, 0.111]), np.array([0.048, -0.089])

    def bars(s):
        x = start + s * (goal - start)
        q = cc.inverse(robot, x)["++"].q
        feet = np.array([[-0.059, 0.0], [0.059, 0.0]]) + 0.09 * np.stack([np.cos(q), np.sin(q)], axis=-1)
        (a, b), (c, d) = x - feet
        return a * d - b * c

    at = brentq(bars, 0.55, 0.6, xtol=1e-14)
    setting = Setting(robot, bodies(robot, obstacles=[disc(goal - [0.0, 0.02], 0.03)]), 5e-4)
    found = next(v for v in straight(setting, start, goal) if v.working == "++")
    assert {o.kind for o in found.obstructions} == {"collision", "type 2"}
    (thin,) = (o for o in found.obstructions if o.kind == "type 2")
    np.testing.assert_allclose(thin.crossings, [at], rtol=0, atol=1e-10)
    assert at - 1e-3 < thin.s < at < thin.until < at + 1e-3
