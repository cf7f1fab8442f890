"""Maps that need no history: against geometry by hand and 30-digit roots, on the branch, and refused where not sure."""

import mpmath
import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput, NoSolution
from closedchain.export.maps import maps
from closedchain.kernels.program import run

LOW, HIGH = np.radians([-50.0, -15.0]), np.radians([30.0, 15.0])


@pytest.fixture(scope="module")
def ankle():
    """The maps of a G1's ankle over its URDF's range."""
    return maps(cc.transmission(cc.load("ankle:g1")), LOW, HIGH)


def program(found, name):
    """One of the maps."""
    return next(p for p in found.programs if p.name == name)


def crank(p, k, y):
    """The crank's angle at which rod k of `ankle` has its length, by the law of cosines in 30 digits."""
    m, e, at = ([mpmath.mpf(p[f"{kind}{k}{axis}"]) for axis in "xyz"] for kind in "mep")
    cp, sp, cr, sr = mpmath.cos(y[0]), mpmath.sin(y[0]), mpmath.cos(y[1]), mpmath.sin(y[1])
    py, pz = cr * at[1] - sr * at[2], sr * at[1] + cr * at[2] - mpmath.mpf(p["d"])
    dx, dy, dz = cp * at[0] + sp * pz - m[0], py - m[1], -sp * at[0] + cp * pz - m[2]
    r, d = mpmath.hypot(e[1] - m[1], e[2] - m[2]), mpmath.hypot(dy, dz)
    c = (r**2 + d**2 - (mpmath.mpf(p[f"l{k}"]) ** 2 - dx**2)) / (2 * r * d)
    side = 1 if k == 1 else -1
    return mpmath.atan2(dz, dy) + side * mpmath.acos(c) - mpmath.atan2(e[2] - m[2], e[1] - m[1])


def test_both_maps_are_the_law_of_cosines(ankle):
    """A hundred poses inside the range: motors by hand in 30 digits, and the joints back from them."""
    y = np.random.default_rng(3).uniform([-0.8, -0.2], [0.3, 0.2], (100, 2))
    with mpmath.workdps(30):
        turn = 2 * mpmath.pi
        wanted = np.array([[float(a - turn * mpmath.nint(a / turn)) for a in (crank(ankle.t.model.values, k, row)
                            for k in (1, 2))] for row in y])  # fmt: skip
    q, margin = run(program(ankle, "joint_to_motor"), y)
    assert (margin > 0).all()
    np.testing.assert_allclose(q, wanted, atol=1e-13)  # a dozen roundings of numbers of 1
    x, margin = run(program(ankle, "motor_to_joint"), wanted)
    assert (margin > 0).all()
    np.testing.assert_allclose(x, y, atol=1e-11)  # loops are closed to 1e-12 of the size; levers are a tenth of it


def test_what_is_outside_the_range_is_refused(ankle):
    """Motors and joints beyond the range, motors whose pose is on no branch near it, and no NaN in any margin."""
    rng = np.random.default_rng(4)
    far = rng.uniform(-np.pi, np.pi, (5000, 2))
    x, margin = run(program(ankle, "motor_to_joint"), far)
    assert np.isfinite(margin).all()
    counts = margin > 0
    assert 0 < counts.sum() < len(far)
    assert ((x[counts] >= LOW - 1e-8) & (x[counts] <= HIGH + 1e-8)).all()
    closed = ankle.t.model.call("closures", q=far[counts], x=x[counts])["gap"]
    assert np.abs(closed).max() < 1e-12 * ankle.t.model.scale * 1.1
    _, margin = run(program(ankle, "joint_to_motor"), np.array([[0.6, 0.0], [0.0, 0.3], [0.52, 0.26]]))
    assert (margin <= 0).all()  # the last is inside the range, and a rod does not reach it


def test_the_answers_stay_on_the_branch_of_home(ankle):
    """Where the map answers, following the branch from home in small steps comes to the same joints."""
    q = np.random.default_rng(5).uniform(-1.0, 1.0, (2000, 2))
    x, margin = run(program(ankle, "motor_to_joint"), q)
    followed, done = ankle.t.follow_motors(q)
    counts = margin > 0
    assert counts.sum() > 200
    assert (done[counts] == 1).all()
    np.testing.assert_allclose(x[counts], followed[counts], atol=1e-10)


def test_sliders_and_telescopes_have_closed_forms():
    """A biglide's feet by Pythagoras; a neck's telescopes are distances, as the model has them."""
    robot = cc.load("biglide")
    found = maps(cc.transmission(robot, x=[0.0, 0.25]), [-0.05, 0.2], [0.05, 0.3])
    assert found.closed_form
    q, margin = run(program(found, "joint_to_motor"), np.array([[0.03, 0.25]]))
    assert margin > 0
    half, bar = robot.values["d"] / 2, robot.values["l"]
    feet = [0.25 - np.sqrt(bar**2 - (0.03 + half) ** 2), 0.25 - np.sqrt(bar**2 - (0.03 - half) ** 2)]
    np.testing.assert_allclose(np.sort(q[0]), np.sort(feet), atol=1e-15)
    neck = maps(cc.transmission(cc.load("neck")), [-0.1, -0.1, -0.1], [0.1, 0.1, 0.1])
    assert neck.closed_form
    y = np.array([0.05, -0.02, 0.03])
    q, _ = run(program(neck, "joint_to_motor"), y)
    np.testing.assert_allclose(q, cc.inverse(neck.t.model, x=y).row(0).q, atol=1e-14)


def test_ranges_that_cannot_be_served_say_why():
    """A range without the home, one that the rods do not reach, one with a singularity in it."""
    t = cc.transmission(cc.load("ankle:g1"))
    with pytest.raises(BadInput, match="must hold its home"):
        maps(t, [0.1, 0.1], [0.2, 0.2])
    with pytest.raises(NoSolution, match="% of the range"):
        maps(t, [-1.5, -1.5], [1.5, 1.5])
    with pytest.raises(NoSolution, match="Type 2"):
        # one foot above the tip and one below: the bars are in line at x = 0
        maps(cc.transmission(cc.load("biglide"), x=[0.05, 0.25], working="+-"), [-0.02, 0.2], [0.1, 0.3])
