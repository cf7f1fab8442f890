"""A robot's tree has the robot's energies, closures and points at every state."""

import numpy as np
import pytest

from closedchain.errors import BadInput, NoSolution
from closedchain.exchange.from_mechanism import embed
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.values import joint_rates, joint_values
from closedchain.model.dynamics import energy
from closedchain.model.sampling import sample
from tests.exchange.conftest import ODD, SHIPPED

CROWDED = [f"examples/robots/{name}.toml" for name in ("klann", "palletizer", "exoskeleton")]  # cond A is never small
ROUNDING = 2e-13  # relative; configurations are closed to 1e-13 of the robot's size


@pytest.mark.parametrize("name", [*SHIPPED, *ODD, "hexapod", "examples/robots/prr3.toml", *CROWDED])
def test_the_tree_moves_as_the_robot_does(load, name):
    """Loops stay closed, the output is where x says, kinetic energy and weight are the model's, at random states."""
    model = load(name)
    robot, states = embed(model), sample(model, 12, seed=4)
    values = joint_values(robot, states.q, states.x)
    rates = joint_rates(robot, states.q, states.x, states.q_dot, states.x_dot)
    model_energy = energy(model, states)
    dimension = model.mechanism.dimension
    weights = []
    for i in range(12):
        posture = Posture(robot.tree, values[i])
        assert np.abs(posture.gap()).max() <= ROUNDING * model.scale
        fastest = np.abs(rates[i]).max() * model.scale
        assert np.abs(posture.constraint() @ rates[i]).max() <= 1e-12 * fastest
        kinetic = rates[i] @ posture.mass_matrix() @ rates[i] / 2
        assert kinetic == pytest.approx(model_energy.kinetic[i], rel=1e-11)
        if model.mechanism.output_names[:dimension] == tuple("xyz")[:dimension]:  # not of a body on joints
            output = posture.frame(robot.tree.place(robot.tree.output))[1]
            np.testing.assert_allclose(output[:dimension], states.x[i][:dimension], atol=ROUNDING * model.scale)
        weights.append(posture.weight() + _springs(robot.tree, posture, values[i]) - model_energy.potential[i])
    assert np.ptp(weights) <= 1e-11 * max(1.0, np.abs(model_energy.potential).max())


def _springs(tree, posture, values):
    """The energy of a tree's springs, as stated; a passive angle is stretched by half a turn at most."""
    total = 0.0
    for joint in tree.joints:
        stretch = joint.zero + values[tree.columns[joint.name]].sum() - joint.rest
        if joint.kind == "hinge" and joint.name not in tree.drives:
            stretch = (stretch + np.pi) % (2 * np.pi) - np.pi
        total += joint.stiffness * stretch**2 / 2
    for link in tree.links:
        reach = np.linalg.norm(posture.frame(link.a)[1] - posture.frame(link.b)[1])
        total += link.stiffness * (reach - link.rest) ** 2 / 2
    return total


@pytest.mark.parametrize("name", ["delta", "slotted", "offset", "reversed", "triplate"])
def test_joint_rates_are_the_derivatives_of_joint_values(load, name):
    """Central differences along a motion that keeps the loops closed to first order."""
    model = load(name)
    robot, s = embed(model), sample(model, 8, seed=1)
    h = 1e-6 / max(1.0, np.abs(s.q_dot).max(), np.abs(s.x_dot).max() / model.scale)
    ahead, behind = (joint_values(robot, s.q + k * h * s.q_dot, s.x + k * h * s.x_dot) for k in (1, -1))
    difference = (ahead - behind + np.pi) % (2 * np.pi) - np.pi if model.scale < 10 else ahead - behind
    rates = joint_rates(robot, s.q, s.x, s.q_dot, s.x_dot)
    # off the closures by h², and differences of values of size 1 over 2h
    assert np.abs(difference / (2 * h) - rates).max() <= 1e-5 * np.abs(rates).max()


def test_the_tips_mass_rides_in_halves_on_the_two_bars(load):
    """The biglide's 3 kg: 1.5 kg at the end of each massless bar, no inertia of its own."""
    tree = embed(load("biglide")).tree
    for name in ("A1-C", "A2-C"):
        bar = tree.body(name)
        assert bar.mass == 1.5
        np.testing.assert_array_equal(bar.centre, [0.3606, 0, 0])
        assert not bar.inertia.any()
    assert [tree.body(f"{q}_carriage").mass for q in ("q1", "q2")] == [1.0, 1.0]


def test_drives_keep_their_names_their_order_and_their_sign(load):
    """Joint value = q − zero, for sliders, cranks that count backwards, and telescopes that hang on their tip."""
    for name in ("biglide", "triplate", "reversed", "pinned"):
        model = load(name)
        robot, s = embed(model), sample(model, 5, seed=2)
        assert robot.tree.drives == tuple(c.name for c in model.equations.q)
        values = joint_values(robot, s.q, s.x)
        for i, drive in enumerate(robot.tree.drives):
            np.testing.assert_allclose(values[:, robot.tree.columns[drive].start], s.q[:, i] - robot.q[i], atol=1e-15)
            assert robot.tree.joint(drive).zero == robot.q[i]


def test_a_plate_hangs_on_the_leg_without_mass(load):
    """The triplate's telescope weighs nothing: it is no loose end of the tree, the plate is its child."""
    tree = embed(load("triplate")).tree
    assert tree.body("plate").parent == "d3_rod"
    assert {loop.b.body for loop in tree.loops} | {loop.a.body for loop in tree.loops} >= {"plate", "B1-a1", "B2-a2"}


def test_the_platform_of_the_delta_only_shifts(load):
    """Three slides for the platform, two hinges for each rod: 12 joints, 9 independent rows, three freedoms."""
    tree = embed(load("delta")).tree
    assert (tree.nv, len(tree.loops), tree.rows) == (12, 3, 9)
    assert [j.kind for j in tree.body("C_carrier").joints] == ["slide"] * 3
    assert np.linalg.matrix_rank(Posture(tree, np.zeros(12)).constraint()) == 9


def test_the_zero_configuration_is_the_one_that_was_asked_for(load):
    """All joint values vanish there; one that leaves the loops open is refused with its gap."""
    model = load("fourbar")
    s = sample(model, 1, seed=7)
    robot = embed(model, s.q[0], s.x[0])
    np.testing.assert_allclose(joint_values(robot, s.q[0], s.x[0]), 0, atol=1e-15)
    with pytest.raises(NoSolution, match=r"open by 9\.9"):
        embed(model, s.q[0], s.x[0] + [0.0, 1e-2])
    with pytest.raises(BadInput, match="both q and x"):
        embed(model, q=s.q[0])


def test_a_robot_that_states_equations_has_no_tree(load):
    """The furuta has no points and bars."""
    with pytest.raises(BadInput, match="has no bodies"):
        embed(load("furuta"))
