"""The 3-RPR with six cusps at ρ1 = 14.98, its proofs, and the change of assembly mode around each."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.model.three_circles import half_angle_sextic
from closedchain.singularity.branch_proof import prove_branch
from closedchain.singularity.cusps import bend, cusps
from closedchain.singularity.interval import exact
from closedchain.singularity.krawczyk import krawczyk
from closedchain.singularity.mode_change import mode_change

BASE = np.array([[0.0, 0.0], [15.91, 0.0], [0.0, 10.0]])
SIDES = (17.04, 16.54, 20.84)  # P1P2, P2P3, P1P3


def plate_points():
    """The plate by the law of cosines, P3 on the left of P1 → P2."""
    a, b, c = SIDES
    x = (a**2 + c**2 - b**2) / (2 * a)
    return np.array([[0.0, 0.0], [a, 0.0], [x, np.sqrt(c**2 - x**2)]])


def legs(x):
    """Leg lengths by Pythagoras."""
    c, s = np.cos(x[2]), np.sin(x[2])
    return np.linalg.norm(x[:2] + plate_points() @ np.array([[c, s], [-s, c]]) - BASE, axis=1)


def test_there_are_six_cusps_each_proven(six_cusps):
    """The literature's number for this robot at ρ1 = 14.98; each exists and is alone in its box."""
    assert len(six_cusps) == 6
    assert all(c.certified for c in six_cusps.cusps)
    assert all(c.error < 1e-11 for c in six_cusps.cusps)
    assert six_cusps.curves.complete


@pytest.mark.parametrize("k", range(6))
def test_at_a_cusp_three_poses_are_one(six_cusps, k):
    """The sextic of the direct problem, a different formula, has a triple root at tan(φ/2), and its legs close."""
    cusp = six_cusps.cusps[k]
    np.testing.assert_allclose(legs(cusp.x), cusp.q, rtol=0, atol=1e-11)
    assert cusp.q[0] == 14.98
    t = np.tan(cusp.x[2] / 2)
    p = half_angle_sextic(BASE, cusp.q, plate_points())
    derivatives = [np.polyval(np.polyder(p, d), t) for d in range(4)]
    sizes = [np.polyval(np.abs(np.polyder(p, d)), abs(t)) for d in range(4)]
    for d in range(3):
        assert abs(derivatives[d]) < 1e-8 * sizes[d]  # coefficients are products of six lengths, some cancelling
    assert abs(derivatives[3]) > 1e-5 * sizes[3]  # not a fourfold one


def test_the_bend_changes_its_sign_at_the_cusps_only(rpr3, six_cusps):
    """Counted along the traced curve."""
    changes = 0
    for piece in six_cusps.curves.pieces:
        values = bend(rpr3, np.concatenate([piece.q, piece.x], axis=1))
        changes += int((np.sign(values[:-1]) != np.sign(values[1:])).sum())
    assert changes == 6


# A count of another kind ---------------------------------------------------------------------------------------
# With ρ1 fixed, poses are (α, φ): the direction of leg 1 and the plate's angle. F = (ρ2², ρ3²)/2 folds where
# D = det dF = 0, and has a cusp where D does not change along the kernel of dF.


def turned(angle, v):
    """A vector turned by angles."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * v[0] - s * v[1], s * v[0] + c * v[1]], axis=-1)


def fold(u, rho1, base, plate):
    """dF (…, 2, 2) by hand: the power of a unit rate of α and of φ against each leg's vector; and ρ2, ρ3."""
    tip, rates, lengths = turned(u[..., 0], (rho1, 0.0)), [], []
    for B, P in zip(base[1:], plate[1:], strict=True):
        arm = turned(u[..., 1], P)
        leg = tip + arm - B
        rates.append(np.stack([leg[..., 1] * w[..., 0] - leg[..., 0] * w[..., 1] for w in (tip, arm)], axis=-1))
        lengths.append(np.linalg.norm(leg, axis=-1))
    return np.stack(rates, axis=-2), np.stack(lengths, axis=-1)


def along(u, row, *robot, h=1e-5):
    """(D, D's derivative along the kernel that one row of dF gives)."""

    def D(v):
        (a, b), (c, d) = np.moveaxis(fold(v, *robot)[0], (-2, -1), (0, 1))
        return a * d - b * c

    dF = np.take_along_axis(fold(u, *robot)[0], row[..., None, None], axis=-2)[..., 0, :]
    slopes = [(8 * (D(u + e) - D(u - e)) - D(u + 2 * e) + D(u - 2 * e)) / (12 * h) for e in h * np.eye(2)]
    return np.stack([D(u), slopes[1] * dF[..., 0] - slopes[0] * dF[..., 1]], axis=-1)


def counted(rho1, base, plate, n=300):
    """(ρ2, ρ3) of every cusp: Newton from each cell of a grid of the torus in which both quantities change their sign.

    The kernel is taken from the larger row of dF. A row vanishes where leg 1, the plate's side and the leg are in line
    and where the leg has no length; there its kernel is none and would be counted as six cusps more.
    """
    robot = (rho1, base, plate)
    u = np.stack(np.meshgrid(*2 * [np.linspace(0, 2 * np.pi, n, endpoint=False) + 0.01], indexing="ij"), axis=-1)
    larger = np.linalg.norm(fold(u, *robot)[0], axis=-1).argmax(axis=-1)
    starts, rows = [], []
    for row in (0, 1):
        positive = along(u, 0 * larger + row, *robot) > 0
        corners = np.stack([np.roll(positive, c, axis=(0, 1)) for c in ((0, 0), (0, -1), (-1, 0), (-1, -1))])
        cells = (corners.any(axis=0) & ~corners.all(axis=0)).all(axis=-1) & (larger == row)
        starts.append(u[cells] + np.pi / n)
        rows.append(np.full(cells.sum(), row))
    z, row = np.concatenate(starts), np.concatenate(rows)
    for _ in range(20):
        slope = np.stack([(along(z + e, row, *robot) - along(z - e, row, *robot)) / 2e-5 for e in 1e-5 * np.eye(2)], -1)
        z = z - np.clip(np.linalg.solve(slope, along(z, row, *robot)[..., None])[..., 0], -0.02, 0.02)
    size = rho1 * np.abs(plate).max()
    solved = (np.abs(along(z, row, *robot)) < 1e-7 * np.array([size**2, size**3])).all(axis=-1)
    found = np.unique(np.round(fold(z[solved], *robot)[1], 5), axis=0)
    return [x for i, x in enumerate(found) if not (np.abs(found[:i] - x).max(axis=-1, initial=0) < 1e-3).any()]


@pytest.mark.parametrize(
    "plate, rho1, count", [("plain", 14.98, 6), ("mirrored", 14.98, 6), ("in line", 40.0, 6), ("in line", 14.98, 4)]
)
def test_a_grid_of_the_torus_counts_the_same_cusps(plate, rho1, count, six_cusps):
    """P3 left of P1 → P2, right of it, and on it (the robot as it comes): number and places by another formula."""
    x, y = plate_points()[2]
    robot = {"mirrored": ("rpr3:cusps", {"p3y": -y}), "in line": ("rpr3", {})}.get(plate)
    found = six_cusps if robot is None else cusps(cc.load(robot[0], **robot[1]), {"rho1": rho1}, lines=12)
    general = np.array([[0.0, 0.0], [40.0, 10.0], [90.0, -20.0]]), np.array([[0.0, 0.0], [25.0, 0.0], [60.0, 0.0]])
    points = np.array([[0.0, 0.0], [SIDES[0], 0.0], [x, -y if plate == "mirrored" else y]])
    want = counted(rho1, *(general if plate == "in line" else (BASE, points)))
    assert len(found) == len(want) == count
    assert all(c.certified for c in found.cusps)
    lengths = sorted(c.q[1:].tolist() for c in found.cusps)
    np.testing.assert_allclose(lengths, sorted(x.tolist() for x in want), rtol=0, atol=2e-5)


@pytest.mark.parametrize("k", range(6))
def test_once_around_a_cusp_the_robot_is_in_another_pose(rpr3, six_cusps, k):
    """Same drives at both ends, different poses, det A of one sign all along: proven, and seen on the samples."""
    change = mode_change(rpr3, six_cusps, k)
    np.testing.assert_array_equal(change.q[0], change.q[-1])
    assert change.start != change.end
    assert change.start[0] == change.end[0]  # the sign of det A
    assert np.abs(change.x[0] - change.x[-1]).max() > 1e-2
    for x, q in zip(change.x, change.q, strict=True):
        np.testing.assert_allclose(legs(x), q, rtol=0, atol=1e-9)
    det = np.linalg.det(rpr3.call("closures", q=change.q, x=change.x)["A"])
    assert change.proof.proven
    assert (np.sign(det) == change.proof.sign).all()
    assert 0 < change.proof.least <= np.abs(det).min()
    turn = np.unwrap(np.arctan2(*(change.q[:, 1:] - change.cusp.q[1:]).T[::-1]))
    assert abs(abs(turn[-1] - turn[0]) - 2 * np.pi) < 1e-9


def test_the_proof_refuses_a_path_through_a_singularity(rpr3, six_cusps):
    """A straight path whose poses are taken on both sides of the fold: no proof."""
    change = mode_change(rpr3, six_cusps, 5)
    q = np.stack([change.q[0], change.q[0]])
    x = np.stack([change.x[0], change.x[-1]])
    assert not prove_branch(rpr3, q, x).proven


def test_the_proof_refuses_a_planted_wrong_pose(rpr3, six_cusps):
    """One corner's pose moved by a micrometre is not a pose, so nothing is proven."""
    change = mode_change(rpr3, six_cusps, 2)
    x = change.x.copy()
    x[40, 0] += 1e-6
    assert not prove_branch(rpr3, change.q, x).proven


def test_a_box_proves_a_square_root_and_not_a_double_one():
    """x² − 2 near 1.414 has one zero; x² near 0 cannot be shown to."""

    def square_minus(c):
        return lambda x: (x * x - exact(np.array([c])), (x + x)[..., None])

    proven, where = krawczyk(square_minus(2.0), np.array([1.414]), np.array([0.01]))
    assert proven
    assert where.lo < np.sqrt(2) < where.hi
    assert not krawczyk(square_minus(2.0), np.array([1.5]), np.array([0.01]))[0]
    assert not krawczyk(square_minus(0.0), np.array([0.0]), np.array([0.01]))[0]


def test_bad_input_is_refused_in_words(biglide, rpr3, six_cusps):
    """What is wrong, once."""
    with pytest.raises(BadInput, match="not a telescope"):
        cusps(biglide, {"q1": 0.0})
    with pytest.raises(BadInput, match="fixes one telescope"):
        cusps(rpr3, {})
    with pytest.raises(BadInput, match="no cusp number 9"):
        mode_change(rpr3, six_cusps, 9)


def test_they_print_themselves(rpr3, six_cusps):
    """The count and the proofs."""
    assert str(six_cusps).count("  proven") == 6
    assert "proven" in str(mode_change(rpr3, six_cusps, 5))
