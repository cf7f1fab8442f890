"""Random states on every branch, repeatable, found without the closed forms."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.describe import Bar, Fixed, Free, Mechanism, Recipe, Telescope
from closedchain.model.kinematics import direct_rates
from closedchain.model.model import Model
from closedchain.model.sampling import Unassemblable, assemble, configurations, regularity, sample

WITH_LOOPS = [name for name in robots.names() if cc.load(name).nx]


@pytest.mark.parametrize("name", WITH_LOOPS)
def test_samples_close_their_loops_and_move_along_them(name):
    """φ = 0 to 1e-13 of the robot's size, and Φ ż = 0."""
    robot = cc.load(name)
    s = sample(robot, 100, seed=1)
    made = robot.call("closures", q=s.q, x=s.x)
    assert np.abs(made["gap"]).max() <= 1e-12 * robot.scale
    slip = np.einsum("kij,kj->ki", made["A"], s.x_dot) + np.einsum("kij,kj->ki", made["B"], s.q_dot)
    scale = np.abs(made["B"] * s.q_dot[:, None, :]).max() + np.abs(made["A"] * s.x_dot[:, None, :]).max()
    assert np.abs(slip).max() < 1e-12 * scale
    assert (regularity(robot, s.z) > 1e-2).all()


def test_a_seed_gives_the_same_states(biglide):
    """Bit for bit; another seed gives others."""
    a, b, c = sample(biglide, 20, seed=5), sample(biglide, 20, seed=5), sample(biglide, 20, seed=6)
    np.testing.assert_array_equal(a.z, b.z)
    np.testing.assert_array_equal(a.q_dot, b.q_dot)
    assert not np.array_equal(a.z, c.z)


def test_every_branch_is_visited(biglide, rrr3):
    """All four working modes and both assembly modes of the biglide, all eight working modes of the 3-RRR."""
    made = cc.evaluate(biglide, q=(s := sample(biglide, 400)).q, x=s.x)
    assert set(made.working.tolist()) == {"++", "+-", "-+", "--"}
    assert set(made.assembly.tolist()) == {"+", "-"}
    made = cc.evaluate(rrr3, q=(s := sample(rrr3, 400)).q, x=s.x)
    assert len(set(made.working.tolist())) == 8


def test_a_larger_margin_stays_further_from_type_2(biglide):
    """Condition of A at most 1 / margin."""
    s = sample(biglide, 100, margin=0.3)
    assert (regularity(biglide, s.z) > 0.3).all()
    assert np.isfinite(direct_rates(biglide, s.q, s.x, s.q_dot)[0]).all()


def test_a_loop_that_decides_one_angle_alone_is_seen_to_be_singular():
    """The long rod of Cassie's leg in line with the heel: its row of A, one number, vanishes with their sine."""
    leg = cc.load("cassie_leg")
    names, v = [c.name for c in leg.equations.z], leg.values
    z = configurations(leg, 1000, np.random.default_rng(1))
    hip, knee, heel = (z[:, names.index(name)] for name in ("hip", "knee", "heel"))
    A, K = _turned(hip, v["a_x"], v["a_z"]), _turned(hip, 0.0, -v["thigh"])
    H = K + _turned(hip + knee, 0.0, -v["shin"])
    lever = _turned(hip + knee + heel, 0.0, 1.0)
    rod = (A - H - v["e"] * lever) / v["rod"]
    np.testing.assert_allclose(np.linalg.norm(rod, axis=-1), 1.0, rtol=1e-12)
    sine = np.abs(rod[:, 0] * lever[:, 1] - rod[:, 1] * lever[:, 0])
    assert sine.min() < 5e-3
    assert (regularity(leg, z) <= sine).all()


def _turned(angle, x, z):
    """A vector (x, z) turned about y, (n, 2)."""
    return np.stack([np.cos(angle) * x + np.sin(angle) * z, np.cos(angle) * z - np.sin(angle) * x], axis=-1)


def test_a_pendulum_is_sampled_over_a_whole_turn(furuta):
    """No loops: any q will do."""
    s = sample(furuta, 500)
    assert s.x.shape == (500, 0)
    assert (np.ptp(s.q, axis=0) > 6).all()


def test_what_cannot_be_assembled_is_refused_with_the_closure_and_its_gap(slidercrank):
    """A crank of 5 cm and a rod of 1 cm whose rail is 10 cm away: 4 cm are missing at best."""
    with pytest.raises(Unassemblable, match="misses closure") as caught:
        cc.load("slidercrank", b=0.01, e=0.1)
    assert "40 mm" in str(caught.value)
    z = assemble(slidercrank)
    assert np.abs(slidercrank.call("closures", q=z[:1], x=z[1:])["gap"]).max() < 1e-13


def test_a_robot_that_is_never_so_regular_is_sampled_where_it_is_most():
    """A palletizer's A has a condition of 25 at best: all states are within a factor of three of the best of many."""
    robot = cc.load("examples/robots/palletizer.toml")
    many = regularity(robot, configurations(robot, 500, np.random.default_rng(1)))
    found = regularity(robot, configurations(robot, 20, np.random.default_rng(0), 0.1))
    assert many.max() < 0.1
    assert found.min() > many.max() / 4  # the best of 500 is a little better than the best of those tried


@pytest.mark.parametrize(
    ("length", "reason"), [(5e-4, "telescope"), (0.5, "singular, A has rank 1 of 2 .*: with every drive held")]
)
def test_the_reason_told_is_the_true_one(length, reason):
    """A leg beside a bar of the same ends is no longer than it, and leaves its tip free to turn: no gap is blamed."""
    H, C = Fixed("H", at=(1, 0)), Free("C", mass=1.0)
    beside = Mechanism("beside", drives=(Telescope("q", H, C),), bars=(Bar(H, C, length),), output=C)
    with pytest.raises(Unassemblable, match=reason):
        configurations(Model(Recipe(beside), {}), 1, np.random.default_rng(0), 0.1)
