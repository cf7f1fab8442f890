"""Following one branch: continuous joints, and ends where branches meet, at places computed by hand."""

import numpy as np
import pytest
from scipy.optimize import brentq

import closedchain as cc
from closedchain.errors import BadInput, NoSolution

X_A, X_B = np.array([-3.0, -2.0, np.pi / 4]), np.array([-2.0, 0.0, 0.0])  # seed 002 §3
MODES = ("++", "+-", "-+", "--")


def line(a, b, samples):
    """Samples of the straight way from a to b."""
    return np.asarray(a) + np.linspace(0, 1, samples)[:, None] * (np.asarray(b) - np.asarray(a))


@pytest.mark.parametrize("working", MODES)
def test_the_seeds_path_is_continuous_on_every_working_mode(triplate, working):
    """Seed 002 §3 saw jumps: they are wraps and branch switches. On one σ each joint moves a little per sample."""
    path = line(X_A, X_B, 101)
    found = cc.follow(triplate, x=path, working=working)
    assert found.complete
    assert found.ended == "the end of the path"
    assert found.mode == working
    assert np.abs(np.diff(found.q[:, :2], axis=0)).max() < 0.05  # 3 rad at most over 100 samples
    for q, x in zip(found.q, path, strict=True):
        want = cc.inverse(triplate, x)[working].q
        away = q - want
        away[:2] = (away[:2] + np.pi) % (2 * np.pi) - np.pi
        assert np.abs(away).max() < 1e-12 * 4


def test_of_the_four_modes_only_one_passes_a_type_2_singularity_on_the_seeds_path(triplate):
    """TRUTH.md row 2-13: "+-" crosses det A = 0 at s = 0.122782, the other three keep their sign."""

    def det(s, working):
        x = X_A + s * (X_B - X_A)
        return np.linalg.det(triplate.call("closures", q=cc.inverse(triplate, x)[working].q, x=x)["A"])

    samples = np.linspace(0, 1, 201)
    for working in MODES:
        signs = np.sign([det(s, working) for s in samples])
        assert np.count_nonzero(np.diff(signs)) == (1 if working == "+-" else 0)
    assert brentq(det, 0.1, 0.2, args=("+-",), xtol=1e-12) == pytest.approx(0.122782, abs=5.1e-7)  # printed digits


def test_followed_angles_are_not_wrapped(fivebar):
    """A tip carried round motor 1 at distance √2 l turns its crank by a whole turn."""
    robot = fivebar.with_values(d=0.02)  # motors close together, so that the whole circle is in reach of both
    angle = np.linspace(0, 2 * np.pi, 73)
    reach = np.sqrt(2) * 0.09
    path = np.array([-0.01, 0.0]) + reach * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    found = cc.follow(robot, x=path, working="++")
    assert found.complete
    np.testing.assert_allclose(found.q[-1] - found.q[0], 2 * np.pi, atol=1e-12)


@pytest.mark.parametrize("assembly", ["+", "-"])
def test_the_output_follows_the_drives_on_one_assembly_mode(biglide, assembly):
    """The tip along a path of the feet is the direct solution of the same name at every sample."""
    path = line([0.1, -0.2], [-0.15, 0.3], 30)
    found = cc.follow(biglide, q=path, assembly=assembly)
    np.testing.assert_allclose(found.x, cc.direct(biglide, path).unwrap(assembly), atol=1e-14)


def test_a_path_out_of_reach_ends_at_type_1(biglide):
    """x from 0 to 0.2 in steps of 0.01 m: leg 1 lies flat at x = l − d/2 = 0.1606, sample 16.06; 2^-24 of a sample."""
    path = line([0.0, 0.3], [0.2, 0.3], 21)
    found = cc.follow(biglide, x=path, working="++")
    assert not found.complete
    assert len(found.q) == 17
    assert "Type 1" in found.ended
    assert "A1-C" in found.ended
    assert found.fraction == pytest.approx(16.06, abs=1e-5)  # the last step is 2^-24, scaled by the root's steepness
    assert found.fraction <= 16.06 + 1e-9


def test_drives_that_pull_the_bars_straight_end_at_type_2(biglide):
    """q1 − q2 grows by 0.1 m a sample: the bars are in one line at √(4l² − d²) = 0.600108 m, sample 6.00108."""
    path = np.stack([np.linspace(0, 0.4, 9), -np.linspace(0, 0.4, 9)], axis=-1)
    found = cc.follow(biglide, q=path, assembly="+")
    reach = np.sqrt(4 * 0.3606**2 - 0.16)
    assert not found.complete
    assert "Type 2" in found.ended
    assert found.fraction == pytest.approx(reach / 0.1, abs=1e-5)
    assert found.fraction <= reach / 0.1 + 1e-9


def test_a_step_over_a_narrow_gap_is_not_jumped(biglide):
    """Both ends are within reach of the same mode, the way between leaves reach: the path stops, it does not hop."""
    path = np.array([[0.1, 0.0], [-0.1, 0.0], [0.17, 0.0]])  # the last one is beyond 0.1606
    found = cc.follow(biglide, x=path, working="++")
    assert len(found.q) == 2
    assert found.fraction == pytest.approx(1 + (0.1606 + 0.1) / 0.27, abs=1e-5)


def test_coarse_samples_are_halved_until_safe(triplate):
    """Three samples over the whole path give the joints that a hundred give."""
    coarse, fine = (cc.follow(triplate, x=line(X_A, X_B, n), working="+-") for n in (3, 101))
    assert coarse.halvings > 0
    np.testing.assert_allclose(coarse.q, fine.q[[0, 50, 100]], atol=1e-12)


def test_a_start_without_solution_says_why(biglide):
    """The first sample out of reach raises the reason of `inverse`."""
    with pytest.raises(NoSolution, match="A1-C misses"):
        cc.follow(biglide, x=[[0.5, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize("given", [{}, {"x": [[0.0, 0.3]], "q": [[0.0, 0.0]]}, {"x": [0.0, 0.3]}, {"q": [[0.0]]}])
def test_a_path_is_of_x_or_of_q(biglide, given):
    """Neither, both, a single point, or the wrong size."""
    with pytest.raises(BadInput):
        cc.follow(biglide, **given)


def test_a_large_robot_is_followed_in_large_steps():
    """A plate of tens of metres: Newton's first step may be longer than a metre and still be the right one."""
    robot = cc.load("rpr3")
    s = np.linspace(0, 2 * np.pi, 60)
    path = np.stack([15 + 8 * np.sin(s), 35 + 6 * np.cos(s), 0.25 * np.sin(s)], axis=-1)
    found = cc.follow(robot, x=path)
    assert found.complete
    base = np.array([40.0, 10.0])
    corner = path[:, :2] + 25.0 * np.stack([np.cos(path[:, 2]), np.sin(path[:, 2])], axis=-1)
    np.testing.assert_allclose(found.q[:, 1], np.linalg.norm(corner - base, axis=-1), rtol=1e-13)
