"""Boxes of poses: what is called proven holds at random poses, what refutes it is singular or out of reach."""

from __future__ import annotations

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.model.modes import leg_signs
from closedchain.singularity.boxes import Prover, grow_box, prove_box
from closedchain.singularity.interval import exact

DEG = np.pi / 180
HOME = np.zeros(6)


@pytest.fixture(scope="module")
def head():
    """Reachy Mini's."""
    return cc.load("hexa:reachy-mini")


def determinants(model, x, working):
    """det A by twists at poses, and whether all are reached."""
    made = model.call("inverse", x=x, sigma=np.broadcast_to(leg_signs(model, working), (len(x), model.nq)))
    A = model.call("closures", q=made["q"], x=x)["A_twist"]
    return np.linalg.det(A), bool((made["slack"] >= 0).all())


def test_a_proven_box_has_one_sign_at_random_poses(head):
    """Twenty degrees of roll and pitch and sixty of yaw, at the head's height of home."""
    sides = {"roll": (-20 * DEG, 20 * DEG), "pitch": (-20 * DEG, 20 * DEG), "yaw": (-60 * DEG, 60 * DEG)}
    found = prove_box(head, HOME, sides)
    assert found.proven
    assert found.working == "-+-+-+"
    rng = np.random.default_rng(1)
    x = np.zeros((4000, 6))
    x[:, 3:] = rng.uniform(*np.array(list(sides.values())).T, (4000, 3))
    det, reached = determinants(head, x, found.working)
    assert reached
    assert len(np.unique(np.sign(det))) == 1


def test_the_yaw_that_is_singular_is_the_border(head):
    """The known 93.2102613°: a hair below all is proven, beyond it the singular pose itself is shown."""
    assert prove_box(head, HOME, {"yaw": (0.0, 93.21 * DEG)}).proven
    found = prove_box(head, HOME, {"yaw": (0.0, 95 * DEG)})
    assert not found.proven
    assert found.refuted is not None
    assert found.refuted.x[5] / DEG == pytest.approx(93.2102613, abs=1e-7)


def test_a_pose_beyond_reach_is_shown_with_its_legs(head):
    """40° of roll and pitch with 65° of yaw, the product's limits together, are more than the legs can reach."""
    corner = {"roll": (-40 * DEG, 40 * DEG), "pitch": (-40 * DEG, 40 * DEG), "yaw": (-65 * DEG, 65 * DEG)}
    found = prove_box(head, HOME, corner)
    assert found.beyond is not None
    made = head.call("inverse", x=found.beyond, sigma=leg_signs(head, "-+-+-+"))
    short = [leg.name for leg, slack in zip(head.legs, made["slack"], strict=True) if slack < 0]
    assert set(found.legs) == set(short) != set()


def test_a_box_grows_until_a_slab_is_not_proven(head):
    """Yaw and height from home: the box holds them, one more step on some side does not."""
    steps = {"yaw": 15 * DEG, "z": 5e-3}
    found = grow_box(head, HOME, steps)
    assert found.proven
    assert found.sides["yaw"][1] < 93.2102613 * DEG
    widened = {n: (lo - steps[n], hi + steps[n]) for n, (lo, hi) in found.sides.items()}
    assert not prove_box(head, HOME, widened).proven
    assert prove_box(head, HOME, found.sides).proven


def test_telescopes_and_a_point_of_the_plane_have_boxes_too():
    """A Gough platform about its height; the biglide's tip left of the line where its bars are in line."""
    found = prove_box(cc.load("gough"), [0, 0, 1.2, 0, 0, 0], {"x": (-0.2, 0.2), "y": (-0.2, 0.2), "yaw": (-0.5, 0.5)})
    assert found.proven
    biglide = cc.load("biglide")
    assert prove_box(biglide, [0.05, 0.3], {"x": (0.01, 0.1), "y": (-0.2, 0.3)}, working="-+").proven
    across = prove_box(biglide, [0.05, 0.3], {"x": (-0.1, 0.1), "y": (-0.2, 0.3)}, working="-+")
    assert across.refuted is not None
    assert across.refuted.x[0] == pytest.approx(0.0, abs=1e-12)


def test_bounds_hold_A_at_every_pose_of_a_part(head):
    """A in the middle plus slopes over the part times what is off the middle: it encloses A at random poses."""
    sides = {"roll": (0.1, 0.2), "yaw": (0.3, 0.45)}
    prover = Prover(head, HOME, sides, None)
    low, high = np.array([0.1, 0.3]), np.array([0.2, 0.45])
    outer = type(exact(0.0))(prover.pose(low[None]), prover.pose(high[None]))
    A, g, _, _ = prover._bounds(outer)
    x = np.random.default_rng(3).uniform(low, high, (200, 2))
    inner, reach, _, _ = prover._bounds(exact(prover.pose(x)))
    assert (A.lo <= inner.lo).all()
    assert (inner.hi <= A.hi).all()
    assert (g.lo <= reach.lo).all()


def test_what_is_no_box_is_refused(head):
    """An unknown coordinate, ends the wrong way round, steps that do not grow."""
    with pytest.raises(BadInput, match="no coordinate 'phi'"):
        prove_box(head, HOME, {"phi": (0.0, 1.0)})
    with pytest.raises(BadInput, match="from its lower to its higher end"):
        prove_box(head, HOME, {"yaw": (1.0, 0.0)})
    with pytest.raises(BadInput, match="positive"):
        grow_box(head, HOME, {"yaw": 0.0})
