"""Singularities of bodies in space: nothing that is told depends on the angles that tell an orientation."""

from __future__ import annotations

import numpy as np
import pytest

import closedchain as cc
from closedchain.arrays import Doubles
from closedchain.errors import Singular
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.orientation import from_vectors, matrices, rolls, spins
from closedchain.singularity.along import along
from closedchain.singularity.nearest import nearest
from closedchain.singularity.pose import singularities

UPRIGHT = np.deg2rad(89.9)


def turned_ground(model: Model, Q: Doubles) -> Model:
    """A Gough platform described in other axes of the ground: its feet at Q b."""
    values = model.values
    feet = np.array([[values[f"b{i}{a}"] for a in "xyz"] for i in range(1, 7)]) @ Q.T
    return model.with_values(**{f"b{i + 1}{a}": feet[i, k] for i in range(6) for k, a in enumerate("xyz")})


def turned_pose(x: Doubles, Q: Doubles) -> Doubles:
    """The same pose in those axes."""
    return np.concatenate([x[..., :3] @ Q.T, rolls(Q @ matrices(x[..., 3:]))], axis=-1)


def poses(count: int, seed: int) -> Doubles:
    """About a metre above the feet, turned in any way with a pitch up to 89.9°."""
    rng = np.random.default_rng(seed)
    places = rng.uniform([-0.3, -0.3, 0.8], [0.3, 0.3, 1.4], (count, 3))
    angles = rng.uniform([-np.pi, -UPRIGHT, -np.pi], [np.pi, UPRIGHT, np.pi], (count, 3))
    angles[: count // 4, 1] = UPRIGHT * np.sign(angles[: count // 4, 1])
    return np.concatenate([places, angles], axis=-1)


@pytest.fixture(scope="module")
def gough() -> Model:
    """Six legs of the general geometry with forty real poses."""
    return cc.load("gough:dietmaier")


def test_condition_margins_and_modes_are_those_of_a_turned_ground(gough):
    """The ground's axes are a choice of words: with them turned, a pose keeps its condition, margins and mode."""
    x = poses(40, 1)
    for seed in (2, 3):
        Q = from_vectors(np.random.default_rng(seed).uniform(-2, 2, 3))
        other = turned_ground(gough, Q)
        there = turned_pose(x, Q)
        here, same = (singularities(m, x=p) for m, p in ((gough, x), (other, there)))
        for name in ("parallel", "singular_value", "constraint", "serial"):
            np.testing.assert_allclose(getattr(same, name), getattr(here, name), rtol=1e-9)
        rows, moved = Configurations(gough, here.q, x), Configurations(other, same.q, there)
        np.testing.assert_allclose(moved.condition(), rows.condition(), rtol=1e-9)
        np.testing.assert_allclose(moved.det_A(), rows.det_A(), rtol=1e-9)
        still = {"q_dot": np.zeros(6), "q_ddot": np.zeros(6)}
        margin = gough.call("direct_rates", q=here.q, x=x, **still)["margin"]
        np.testing.assert_allclose(other.call("direct_rates", q=same.q, x=there, **still)["margin"], margin, rtol=1e-9)


def test_rows_of_A_are_the_legs_lines(gough):
    """A telescope's row is twice its vector, and twice that vector's moment about the platform's origin (Plücker)."""
    x = poses(10, 4)
    q = cc.inverse(gough, x=x).unwrap("+")
    points = gough.call("points", q=q, x=x)["points"]
    names = [name for name, _ in gough.equations.points]
    A = Configurations(gough, q, x).A_twist
    for i in range(6):
        foot, joint = points[:, names.index(f"B{i + 1}")], points[:, names.index(f"P{i + 1}")]
        line = np.concatenate([joint - foot, np.cross(joint - x[:, :3], joint - foot)], axis=-1)
        np.testing.assert_allclose(A[:, i], 2 * line, atol=1e-14)


@pytest.mark.parametrize("name", ["gough", "hexa", "hexaglide", "rps3", "prs3", "upu3", "wrist", "ankle"])
def test_A_by_twists_times_their_rates_is_A(name):
    """The chart's own columns are A by twists times E of its body: ω = E (roll, pitch, yaw)'."""
    model = cc.load(name)
    rng = np.random.default_rng(5)
    q, x = rng.uniform(0.2, 1.2, (8, model.nq)), rng.uniform(-1.2, 1.2, (8, model.nx))
    made = model.call("closures", q=q, x=x)
    A = made.get("A_twist", made["A"]).copy()
    columns = [c.name for c in model.equations.x]
    for turns in model.mechanism.orientations.values():
        own = [columns.index(t) for t in turns]
        A[:, :, own] = A[:, :, own] @ spins(x[:, own])
    np.testing.assert_allclose(A, made["A"], rtol=1e-12, atol=1e-13)


def test_a_twist_is_the_rate_of_the_pose(gough):
    """The twist of `evaluate` moves the platform's points as differences of its poses do: v + ω × R p."""
    x, rates = poses(1, 6)[0] * [1, 1, 1, 1, 0.5, 1], np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])
    found = cc.evaluate(gough, x=x, x_dot=rates)
    h, p = 1e-6, np.array([0.3, -0.2, 0.5])
    before, after = (x + s * h * rates for s in (-1, 1))
    moved = [pose[:3] + matrices(pose[3:]) @ p for pose in (before, after)]
    velocity = found.twist[:3] + np.cross(found.twist[3:], matrices(x[3:]) @ p)
    np.testing.assert_allclose(velocity, (moved[1] - moved[0]) / (2 * h), atol=1e-9)  # h² and eps / h
    np.testing.assert_allclose(found.J_twist @ found.q_dot, found.twist, atol=1e-12)


def test_the_wrench_holds_the_platform(gough):
    """At rest, with legs that weigh nothing, closures carry the platform's weight at its origin, its centre."""
    light = gough.with_values(m_1=0.0, m_2=0.0, i_1=0.0, i_2=0.0)
    found = cc.evaluate(light, x=poses(1, 7)[0])
    np.testing.assert_allclose(found.wrench, [0, 0, 20.0 * 9.81, 0, 0, 0], atol=1e-9)


def test_upright_angles_have_no_rates_but_margins(gough):
    """At a pitch of 90° `evaluate` says that roll and yaw turn alike; the pose is as regular as beside it."""
    x = np.array([0.1, 0.0, 1.0, 0.3, np.pi / 2, 0.2])
    with pytest.raises(Singular, match="pitch is ±90°"):
        cc.evaluate(gough, x=x)
    here, beside = (singularities(gough, x=x + d * np.eye(6)[4]).parallel for d in (0.0, 1e-7))
    assert here > 1e-3
    assert beside == pytest.approx(here, rel=1e-5)


def signed_volume(model: Model, x: Doubles) -> Doubles:
    """det of the six legs' Plücker lines, from points alone."""
    values = model.values
    feet, joints = (np.array([[values[f"{k}{i}{a}"] for a in "xyz"] for i in range(1, 7)]) for k in "bp")
    arms = np.einsum("kij,nj->kni", matrices(x[:, 3:]), joints)
    legs = x[:, None, :3] + arms - feet
    return np.linalg.det(np.concatenate([legs, np.cross(arms, legs)], axis=-1))


def test_every_singular_point_on_a_segment_over_the_top():
    """A pitch from 0 to 170°: points where the legs' lines change their sense, and none at 90°, proven to be all."""
    model = cc.load("gough")
    start, end = np.array([0.1, 0.0, 1.2, 0.2, 0.0, 0.3]), np.array([0.0, 0.1, 1.3, 0.2, np.deg2rad(170), 0.4])
    found = along(model, start, end)
    s = np.linspace(0, 1, 4001)
    volume = signed_volume(model, start + s[:, None] * (end - start))
    crossed = np.nonzero(np.diff(np.sign(volume)))[0]
    assert found.complete
    assert len(found) == len(crossed) > 0
    for point, k in zip(found, crossed, strict=True):
        assert s[k] <= point.s <= s[k + 1]
        assert point.at.parallel < 1e-12


def test_reachy_minis_head_turns_to_93_degrees():
    """The published head (SPACE.md: 93.2102613° of pure yaw), in the working mode that it is built in."""
    found = along(cc.load("hexa:reachy-mini"), np.zeros(6), [0, 0, 0, 0, 0, np.deg2rad(110)])
    assert found.working == ("-+-+-+",)
    assert found.complete
    assert [np.rad2deg(p.x[5]) for p in found] == pytest.approx([93.2102613], abs=1e-7)
    assert len(along(cc.load("hexa:reachy-mini"), np.zeros(6), [0, 0, 0, 0, 0, 0.1], working="all").working) == 64


def test_the_seoul_platform_is_held_by_no_constraint():
    """With all outer axes along radii three legs forbid one turn thrice: the 3-UPU of Seoul falls over, Tsai's not."""
    fell = singularities(cc.load("upu3:snu"), x=[0, 0, 0.5, 0, 0, 0])
    assert fell.kinds == ("type 2", "constraint")
    assert fell.dependent_closures == ("B1#P1", "B2#P2", "B3#P3")
    assert singularities(cc.load("upu3"), x=[0, 0, 0.5, 0, 0, 0]).kinds == ()


def test_the_free_twist_is_a_screw(gough):
    """A quarter turn of Fichter's platform: it screws about its own axis, h = −ℓ_z, and a wrench is carried by none."""
    model = cc.load("gough")
    there = singularities(model, x=[0, 0, 1.2, 0, 0, np.pi / 2])
    assert there.kinds == ("type 2",)
    A = Configurations(model, there.q[None], there.x[None]).A_twist[0]
    assert np.abs(A @ there.free_motion).max() < 1e-14
    axis = there.free_screw
    np.testing.assert_allclose(axis.direction, [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(axis.point, [0, 0, 1.2], atol=1e-12)
    np.testing.assert_allclose(axis.pitch, there.free_motion[2] / there.free_motion[5], rtol=1e-12)
    # Its feet at 10° and joints at 50°, a quarter turn on: a leg's moment about the axis over its height.
    arm = 0.6 * 1.0 * np.sin(np.deg2rad(50 + 90 - 10))
    np.testing.assert_allclose(axis.pitch, -arm / 1.2, rtol=1e-12)
    lines = A / np.linalg.norm(A, axis=-1, keepdims=True)
    left = there.unresisted - lines.T @ np.linalg.lstsq(lines.T, there.unresisted, rcond=None)[0]
    assert np.linalg.norm(left) > 0.1


def test_a_body_on_a_ball_turns_about_it():
    """The wrist's free motion is a turn about an axis through its centre, wherever it is singular."""
    model = cc.load("wrist")
    there = singularities(model, x=cc.direct(model, q=[0.1, 0.2, 0.3]).x[0][: model.outputs], q=None)
    assert np.abs(there.free_screw.pitch) < 1e-12
    assert np.linalg.norm(np.cross(there.free_screw.point, there.free_screw.direction)) < 1e-12


def test_the_nearest_singular_poses_are_singular_and_no_farther_than_known_ones():
    """From 93.2° of yaw the head's Type 2 pose lies a hundredth of a degree ahead; what is found is singular."""
    model = cc.load("hexa:reachy-mini")
    x = np.array([0, 0, 0, 0, 0, np.deg2rad(93.2)])
    found = {row.motion: row for row in nearest(model, x, "-+-+-+")}
    assert set(found) == {"any", "shift", "turn"}
    assert np.rad2deg(found["turn"].turn) <= 0.0102614
    assert np.rad2deg(found["turn"].turn) == pytest.approx(0.0102613, abs=1e-6)
    assert found["any"].distance <= min(found["turn"].distance, found["shift"].distance)
    for row in found.values():
        assert singularities(model, x=row.x, working="-+-+-+").parallel < 1e-10
