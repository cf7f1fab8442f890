"""Mobility by counting and by rank; redundant closures by name; singular positions told from redundancy."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import (
    Bar,
    Body,
    Direction,
    Fixed,
    Free,
    Incline,
    Mechanism,
    Pin,
    Plate,
    Recipe,
    Spring,
    Turn,
)
from closedchain.errors import Singular
from closedchain.model.dynamics import jacobian
from closedchain.model.mobility import analyse


def load(mechanism):
    """As shipped ones are loaded."""
    return cc.load(Recipe(mechanism))


def truck(uprights=3, stiffness=None):
    """A rigid beam on equal parallel legs: three legs are one more than it needs; they still move together."""
    A = [Fixed(f"A{i}", at=(i, 0)) for i in range(uprights)]
    B = [Free(f"B{i}", mass=1.0, near=(i, 1)) for i in range(uprights)]
    bars = [Bar(a, b, 1) for a, b in zip(A, B, strict=True)]
    bars += [Bar(B[i], B[j], j - i) for i in range(uprights) for j in range(i + 1, uprights)]
    springs = (Spring((B[0], Fixed("E", at=(-2, 0))), stiffness=stiffness, rest=0.0),) if stiffness else ()
    free = {"drives": (), "springs": springs, "output": B[0], "gravity": (0, -9.81), "linkage": True}
    return load(Mechanism("truck", bars=tuple(bars), **free))


def test_a_row_of_windows_has_one_freedom_and_all_its_closures():
    """Six coordinates, five closures."""
    chain = cc.load("nfourbar:2")
    found = analyse(chain, cc.state(chain))
    assert (found.mobility, found.grubler, found.rank, found.passive) == (1, 1, 5, 1)
    assert not found.singular
    assert found.redundant == ()
    np.testing.assert_allclose(np.abs(found.motions), [np.array([1, 0, 1, 0, 1, 0]) / np.sqrt(3)], atol=1e-12)


def test_lying_flat_it_loses_its_couplers_and_says_which():
    """All bars along x: each coupler says what its two uprights say already. Nearby there is one freedom."""
    chain = cc.load("nfourbar:2")
    found = analyse(chain, [1, 0, 2, 0, 3, 0])
    assert (found.mobility, found.usual, found.singular) == (3, 1, True)
    named = {r.closure: r.implied_by for r in found.redundant}
    assert named == {"B0-B1": ("A0-B0", "A1-B1"), "B1-B2": ("A1-B1", "A2-B2")}
    assert "singular: 2 closures lost here" in str(found)


def test_a_third_leg_is_redundant_everywhere():
    """Counting says no freedom; the rank says one, here and nearby, so that the position is not singular."""
    model = truck()
    found = analyse(model, cc.state(model, x=[0.6, 0.8, 1.6, 0.8, 2.6, 0.8]))
    assert (found.grubler, found.mobility, found.usual) == (0, 1, 1)
    assert not found.singular
    assert [r.closure for r in found.redundant] == ["B1-B2"]


def test_a_plate_on_three_equal_parallel_legs_moves_although_counting_says_no():
    """Rank two of three along its whole path; turned into another assembly the same plate is rigid."""
    plate = Plate("plate", mass=1.0, inertia=0.1, near=(0.6, 0.8, 0))
    at = ((0, 0), (1, 0), (0.5, 0.7))
    bars = tuple(Bar(Fixed(f"A{i}", at=p), plate.point(f"P{i}", at=p), 1.0) for i, p in enumerate(at))
    model = load(Mechanism("swing", drives=(), bars=bars, output=plate, gravity=(0, -9.81), linkage=True))
    found = analyse(model, cc.state(model))
    assert (found.grubler, found.mobility, found.usual, len(found.redundant)) == (0, 1, 1, 1)
    motion = cc.forward_dynamics(model, cc.state(model), [])
    np.testing.assert_allclose(motion.x_ddot, [0.8 * 9.81 * 0.6, -0.6 * 9.81 * 0.6, 0.0], atol=1e-12)


def truck_jacobian(x):
    """Φ of the truck's three legs and three couplers, by hand."""
    Phi, B, A = np.zeros((6, 6)), x.reshape(3, 2), np.array([[0, 0], [1, 0], [2, 0]])
    for i in range(3):
        Phi[i, 2 * i : 2 * i + 2] = 2 * (B[i] - A[i])
    for row, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)], start=3):
        Phi[row, 2 * i : 2 * i + 2], Phi[row, 2 * j : 2 * j + 2] = 2 * (B[i] - B[j]), 2 * (B[j] - B[i])
    return Phi


def test_forward_dynamics_gives_redundant_legs_the_smallest_forces():
    """The truck falls like one pendulum of its three masses; the multipliers are those of least length that do it."""
    model = truck()
    state = cc.state(model, x=[0.6, 0.8, 1.6, 0.8, 2.6, 0.8])
    motion = cc.forward_dynamics(model, state, [])
    turn = -9.81 * 0.6
    np.testing.assert_allclose(motion.x_ddot.reshape(3, 2), [[-0.8 * turn, 0.6 * turn]] * 3, atol=1e-12)
    wanted = motion.x_ddot - np.tile([0, -9.81], 3)  # per kilogram: what the bars must do
    np.testing.assert_allclose(motion.lam, np.linalg.pinv(truck_jacobian(state.x).T) @ wanted, atol=1e-9)


@pytest.mark.parametrize("count", [1, 2, 9])
def test_each_state_of_a_batch_has_the_smallest_forces(count):
    """A spring of 20 N/m pulls the first joint towards (−2, 0), so that the couplers carry: fewer states than closures,
    or more, every row's multipliers are those of least length."""
    model, angles = truck(stiffness=20.0), np.linspace(0.5, 1.3, count)
    x = np.array([[f(a) + shift for i in range(3) for f, shift in ((np.cos, i), (np.sin, 0))] for a in angles])
    motion = cc.forward_dynamics(model, cc.state(model, x=x), [])
    for row in range(count):
        force = np.tile([0.0, -9.81], 3)
        force[:2] += 20.0 * (np.array([-2.0, 0.0]) - x[row, :2])
        along = np.tile([-np.sin(angles[row]), np.cos(angles[row])], 3)  # the one motion that is left
        falling = along * (along @ force) / 3.0  # 3 kg share what acts along it
        np.testing.assert_allclose(motion.x_ddot[row], falling, atol=1e-11)
        wanted = np.linalg.pinv(truck_jacobian(x[row]).T) @ (falling - force)
        assert np.abs(wanted[3:]).max() > 1.0
        np.testing.assert_allclose(motion.lam[row], wanted, atol=1e-9)


def test_forward_dynamics_refuses_a_singular_position():
    """Flat windows: the accelerations do not follow from positions and velocities."""
    chain = cc.load("nfourbar:2")
    with pytest.raises(Singular, match="`analyse` names them"):
        cc.forward_dynamics(chain, cc.state(chain, x=[1, 0, 2, 0, 3, 0]), [])


def test_a_cart_and_pole_has_a_passive_freedom_beside_its_drive():
    """Three coordinates, one closure, one drive."""
    cart = cc.load("cartpole")
    found = analyse(cart, cc.state(cart))
    assert (found.mobility, found.drives, found.passive) == (2, 1, 1)


def test_a_robot_can_be_analysed_as_well():
    """The biglide: two freedoms, two drives, none passive."""
    robot = cc.load("biglide")
    found = analyse(robot, cc.state(robot, q=[0.0, 0.0]))
    assert (found.mobility, found.grubler, found.passive) == (2, 2, 0)


def test_something_without_closures_has_an_empty_jacobian_for_any_batch():
    """A mass on a spring: no rows, and the batch's shape."""
    P = Free("P", mass=2.0, near=(0.3, -0.1))
    spring = Spring((Fixed("O", at=(0, 0)), P), stiffness=50.0)
    model = load(Mechanism("bob", drives=(), output=P, springs=(spring,), linkage=True))
    assert jacobian(model, np.zeros(2)).shape == (0, 2)
    assert jacobian(model, np.zeros((4, 3, 2))).shape == (4, 3, 0, 2)


def closed_by_a_hinge(name, bodies, tip, ground, axis, across):
    """The last body's point on a hinge of the ground: a pin, and its axis at right angles to two directions there."""
    last = bodies[-1]
    held = last.direction(axis)
    return load(
        Mechanism(
            name,
            drives=(),
            output=bodies[0],
            pins=(Pin(last.point("tip", at=tip), Fixed("G", at=ground), name="hinge"),),
            inclines=tuple(Incline(Direction(u), held, name=f"axis{k}") for k, u in enumerate(across, start=1)),
            further=tuple(bodies),
            linkage=True,
        )
    )


def body(name, **joint):
    """A heavy body on a hinge."""
    return Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Turn(f"q_{name}", **joint))


def bricard():
    """Six hinges along the edges of a unit cube (the IFToMM benchmark A04): P1 … P6, the ground holds P1 and P6."""
    places = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    x, y, z = np.eye(3)
    bodies = [body("b1", axis=y)]
    for k, axis in enumerate((z, x, y, z), start=1):
        bodies.append(body(f"b{k + 1}", axis=axis, at=places[k] - places[k - 1], by=bodies[-1]))
    return closed_by_a_hinge("bricard", bodies, places[5] - places[4], places[5], x, (y, z))


def bennett(a=0.3, alpha=0.5, beta=1.1):
    """Four hinges, opposite links alike: a, α and b, β with a / sin α = b / sin β; and a pose that closes it."""
    b = a * np.sin(beta) / np.sin(alpha)

    def turned(angle):
        c, s = np.cos(angle), np.sin(angle)
        return {"axes": ((1, 0, 0), (0, c, s), (0, -s, c)), "axis": (0, -s, c)}

    bodies = [body("b1")]
    bodies.append(body("b2", at=(a, 0, 0), by=bodies[-1], **turned(alpha)))
    bodies.append(body("b3", at=(b, 0, 0), by=bodies[-1], **turned(beta)))
    c, s = np.cos(beta), np.sin(beta)
    axis = (0, -np.sin(alpha), np.cos(alpha))
    model = closed_by_a_hinge("bennett", bodies, (a, 0, 0), (-b, 0, 0), axis, ((1, 0, 0), (0, c, -s)))

    def pose(theta):
        """Bennett's relation between neighbouring hinges; opposite ones turn against each other."""
        other = 2 * np.arctan2(np.sin((beta + alpha) / 2), np.sin((beta - alpha) / 2) * np.tan(theta / 2))
        return np.array([theta, other, -theta])

    return model, pose


def test_bricards_cube_moves_although_counting_says_no():
    """Five coordinates, five closures: counting says none, the rank says one, here and nearby; a closure is implied."""
    model = bricard()
    found = analyse(model, np.zeros(5))
    assert (found.grubler, found.mobility, found.usual, found.rank) == (0, 1, 1, 4)
    assert not found.singular
    assert len(found.redundant) == 1
    assert set(found.redundant[0].implied_by) < {c.name for c in model.equations.closures}
    assert "is implied by" in str(found)


@pytest.mark.parametrize("theta", [0.4, 1.3, -2.0])
def test_bennetts_linkage_has_one_freedom_wherever_it_stands(theta):
    """Its own relation closes it; three coordinates, five closures, two independent ones."""
    model, pose = bennett()
    z = pose(theta)
    assert np.abs(model.call("closures", x=z)["gap"]).max() < 1e-14
    found = analyse(model, z)
    assert (found.grubler, found.mobility, found.usual) == (-2, 1, 1)
    assert len(found.redundant) == 3
    slope = (pose(theta + 1e-6) - pose(theta - 1e-6)) / 2e-6
    np.testing.assert_allclose(found.motions[0] / found.motions[0][0], slope, rtol=1e-8)  # h² and eps / h
