"""Forces at the bars' joints: Newton and Euler for each bar, and balance at each free joint."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.derive.mechanics import Mechanics
from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Recipe, Slider, Spring, Telescope
from closedchain.describe.expressions import evaluate_all, expr
from closedchain.describe.files import loads
from closedchain.describe.writing import dumps
from closedchain.model.forces import with_forces
from closedchain.model.formulas import ARRAYS
from closedchain.model.model import Model
from closedchain.model.reactions import bearing_forces, closure_forces, joint_forces
from closedchain.model.sampling import sample

GRAVITY = np.array([0.0, -9.81])


@pytest.fixture
def moving_fourbar():
    """A four-bar with heavy bars in 50 random motions."""
    robot = cc.load("fourbar")
    state = sample(robot, 50, seed=3)
    motion = cc.forward_dynamics(robot, state, np.linspace(-1, 1, 50)[:, None])
    return robot, state, motion


def ends_of(robot, state, motion):
    """Positions and accelerations of the crank's tip and of C, by hand: r (cos q, sin q) and its second derivative."""
    q, w, alpha = state.q[:, 0], state.q_dot[:, 0], motion.q_ddot[:, 0]
    a = robot.values["a"]
    out, across = np.stack([np.cos(q), np.sin(q)], -1), np.stack([-np.sin(q), np.cos(q)], -1)
    tip, tip_ddot = a * out, a * (alpha[:, None] * across - (w**2)[:, None] * out)
    return tip, tip_ddot, state.x, motion.x_ddot


def cross(u, v):
    """The plane's cross product."""
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def test_a_bars_forces_obey_newton_and_euler(moving_fourbar):
    """m a_c is the weight less what the bar gives away at its ends; so is I α about its centre (a uniform rod)."""
    robot, state, motion = moving_fourbar
    A, A_ddot, C, C_ddot = ends_of(robot, state, motion)
    coupler = joint_forces(robot, state, motion)["A-C"]
    m, l = robot.values["m_b"], robot.values["b"]
    np.testing.assert_allclose(m * (A_ddot + C_ddot) / 2, m * GRAVITY - coupler.on_a - coupler.on_b, atol=1e-11)
    alpha = cross(C - A, C_ddot - A_ddot) / l**2
    np.testing.assert_allclose(m * l**2 / 12 * alpha, cross((C - A) / 2, coupler.on_a - coupler.on_b), atol=1e-11)


def test_forces_at_a_massless_joint_cancel(moving_fourbar):
    """C has no mass: what the coupler gives it, the rocker takes."""
    robot, state, motion = moving_fourbar
    forces = joint_forces(robot, state, motion)
    np.testing.assert_allclose(forces["A-C"].on_b + forces["D-C"].on_b, 0.0, atol=1e-11)


def test_massless_bars_move_the_tip_of_the_biglide():
    """m_p x_ddot is the sum of what the two bars give, and each acts along itself with its tension."""
    robot = cc.load("biglide")
    state = sample(robot, 20, seed=1)
    motion = cc.forward_dynamics(robot, state, np.ones((20, 2)))
    forces = joint_forces(robot, state, motion)
    total = forces["A1-C"].on_b + forces["A2-C"].on_b
    np.testing.assert_allclose(total, 3.0 * motion.x_ddot, rtol=1e-10, atol=1e-11)
    tension = closure_forces(robot, state, motion.lam)["A1-C"]
    foot = np.stack([np.full(20, -0.2), state.q[:, 0]], -1)
    along = (state.x - foot) / 0.3606
    np.testing.assert_allclose(forces["A1-C"].on_a, tension[:, None] * along, rtol=1e-10, atol=1e-11)


def test_springs_and_dampers_on_a_bars_angle_twist_it():
    """C has no mass, so what coupler and rocker give it still cancels; Euler's law of the coupler has their torque."""
    text = dumps(cc.load("fourbar").recipe)
    text += """
[[springs]]
angle = "coupler"
stiffness = 0.7
rest = 0.2

[[dampers]]
angle = "coupler"
damping = 0.05

[[dampers]]
angle = "rocker"
damping = 0.03
"""
    robot = Model(loads(text))
    state = sample(robot, 50, seed=4)
    motion = cc.forward_dynamics(robot, state, np.linspace(-1, 1, 50)[:, None])
    forces = joint_forces(robot, state, motion)
    np.testing.assert_allclose(forces["A-C"].on_b + forces["D-C"].on_b, 0.0, atol=1e-10)
    A, A_ddot, C, C_ddot = ends_of(robot, state, motion)
    m, l, coupler = robot.values["m_b"], robot.values["b"], forces["A-C"]
    across, tip = np.stack([-np.sin(state.q[:, 0]), np.cos(state.q[:, 0])], -1), state.q_dot * robot.values["a"]
    rate = cross(C - A, state.x_dot - tip * across) / l**2
    angle = np.arctan2(*(C - A).T[::-1])
    torque = -0.05 * rate - 0.7 * ((angle - 0.2 + np.pi) % (2 * np.pi) - np.pi)
    spin = m * l**2 / 12 * cross(C - A, C_ddot - A_ddot) / l**2
    np.testing.assert_allclose(spin, cross((C - A) / 2, coupler.on_a - coupler.on_b) + torque, atol=1e-10)


def test_a_mass_on_the_foot_and_the_same_mass_on_the_bars_end_load_the_joint_differently():
    """Their energies are one formula. Under the foot's own mass the joint carries less: along the rail by m q̈1."""
    forces, motions = [], []
    for foot, bar in ((expr(2.0) * expr(1.0) ** 2, 0.0), (0.0, 2.0)):
        A1, A2 = Slider("q1", at=(-0.2, 0), along=(0, 1), mass=foot), Slider("q2", at=(0.2, 0), along=(0, 1))
        C = Free("C", mass=3.0)
        bars = (Bar(A1, C, 0.36, mass=bar, centre=0.0, inertia=0.0), Bar(A2, C, 0.36))
        robot = cc.load(Recipe(Mechanism("feet", drives=(A1, A2), bars=bars, output=C)))
        state = cc.state(robot, x=[0.03, 0.3])
        motions.append(cc.forward_dynamics(robot, state, np.array([1.0, 2.0])))
        forces.append(next(iter(joint_forces(robot, state, motions[-1]).values())).on_a)
    np.testing.assert_allclose(motions[0].q_ddot, motions[1].q_ddot, rtol=1e-12)
    np.testing.assert_allclose(forces[0] - forces[1], [0.0, 2.0 * motions[0].q_ddot[0]], rtol=1e-12, atol=1e-13)


def second_difference(state, motion, value, h=1e-4):
    """d²/dt² of a function of z along the motion: central differences at h and h/2, extrapolated to fourth order."""
    z_ddot = np.concatenate([motion.q_ddot, motion.x_ddot], axis=-1)

    def at(h):
        before, after = (value(state.z + s * h * state.z_dot + h**2 / 2 * z_ddot) for s in (-1, 1))
        return (before - 2 * value(state.z) + after) / h**2

    return (4 * at(h / 2) - at(h)) / 3


def moment_of_mass(robot):
    """Σ m r of everything that moves, as a function of z; and Σ m."""
    pairs = Mechanics(robot.mechanism).centres()
    masses = np.array([robot.number(m) for m, _ in pairs])

    def value(z):
        names = {c.name: z[..., i] for i, c in enumerate(robot.equations.z)}
        rows = [np.stack(np.broadcast_arrays(*evaluate_all(r, {**robot.values, **names}, ARRAYS), z[..., 0])[:-1], -1)
                for _, r in pairs]  # fmt: skip
        return sum(m * r for m, r in zip(masses, rows, strict=True))

    return value, masses.sum()


def on_the_ground(robot, state, motion, tau):
    """Every force on the ground: of drives with their efforts, of legs and passive rails that end there."""
    total = sum(b.force for b in bearing_forces(robot, state, motion).values())
    for i, drive in enumerate(robot.mechanism.drives):
        if isinstance(drive, Slider):
            total = total - tau[:, i : i + 1] * np.array([robot.number(e) for e in drive.along])
    ends = joint_forces(robot, state, motion)
    for leg in (*robot.mechanism.bars, *(d for d in robot.mechanism.drives if isinstance(d, Telescope))):
        a, b = (leg.a, leg.b) if isinstance(leg, Bar) else (leg.base, leg.tip)
        total = total + (ends[leg.name].on_a if isinstance(a, Fixed) else 0.0)
        total = total + (ends[leg.name].on_b if isinstance(b, Fixed) else 0.0)
    names = [c.name for c in robot.equations.closures]
    for rail in robot.mechanism.rails:
        u = np.array([robot.number(e) for e in rail.along])
        total = total - motion.lam[:, names.index(rail.name), None] * np.array([-u[1], u[0]])  # φ = u × (P − A)
    return total


@pytest.mark.parametrize("name", ["biglide", "fivebar", "fourbar", "slidercrank", "triplate", "rpr3", "rrr3", "delta"])
def test_the_forces_on_the_ground_are_the_weight_less_the_change_of_momentum(name):
    """Σ F on the ground = Σ m (g − a): momentum by differences of the masses' own places, 25 random motions."""
    robot = cc.load(name)
    state = sample(robot, 25, seed=9)
    tau = np.random.default_rng(1).standard_normal((25, len(robot.driven)))
    motion = cc.forward_dynamics(robot, state, tau)
    value, mass = moment_of_mass(robot)
    change = second_difference(state, motion, value)
    g = robot.mechanism.gravity
    weight = mass * np.array([robot.number(e) for e in g]) if g else np.zeros(change.shape[-1])
    expected = weight - change
    size = np.abs(expected).max() + np.abs(tau).max()
    np.testing.assert_allclose(on_the_ground(robot, state, motion, tau), expected, atol=2e-5 * size)


def test_rails_of_a_loaded_biglide_carry_what_its_bars_lean_on_them():
    """A push down on a tip over the middle: each bar carries F / 2 sin α, its foot F / 2 tan α outwards."""
    robot, F = cc.load("biglide"), 10.0
    loaded = with_forces(robot, {"C": (0.0, -F)})
    state = cc.state(robot, q=[0.1, 0.1])
    tau = cc.inverse_dynamics(loaded, state, [0.0, 0.0])
    np.testing.assert_allclose(tau, F / 2, rtol=1e-13)
    motion = cc.forward_dynamics(loaded, state, tau)
    lean = F / 2 / np.tan(np.arccos(0.2 / 0.3606))
    found = bearing_forces(loaded, state, motion)
    for name, side in (("q1", -1.0), ("q2", 1.0)):
        np.testing.assert_allclose(found[name].force, [side * lean, 0.0], atol=1e-11)
        np.testing.assert_allclose(found[name].moment, [-0.1 * side * lean], atol=1e-12)  # (0, q) × (N, 0)


def test_a_cranks_bearing_carries_its_weight_what_it_moves_and_what_acts_on_its_arm():
    """A five-bar at rest: both bearings carry the weight and every push; each its share, by moments about a pivot."""
    robot = heavy_fivebar()
    push, inside = np.array([2.0, -1.0]), np.array([0.5, 3.0])
    loaded = with_forces(robot, {"C": push, "q1@0.05": inside}, {"q2": 0.3, "A2-C": -0.2})
    state = cc.state(robot, x=[0.05, 0.45], working="+-")
    tau = cc.inverse_dynamics(loaded, state, [0.0, 0.0])
    motion = cc.forward_dynamics(loaded, state, tau)
    np.testing.assert_allclose(motion.q_ddot, 0.0, atol=1e-10)
    found = bearing_forces(loaded, state, motion)
    weight = np.array([0.0, -9.81 * 2 * (0.4 + 0.9)])
    np.testing.assert_allclose(found["q1"].force + found["q2"].force, weight + push + inside, atol=1e-10)
    # Moments about the left pivot of all that acts on the robot: weights, pushes, torques, efforts, the right bearing.
    pivots = np.array([[-0.3, 0.0], [0.3, 0.0]])
    arms = np.stack([np.cos(state.q), np.sin(state.q)], axis=-1)
    tips = pivots + 0.25 * arms
    places = [pivots[i] + 0.1 * arms[i] for i in (0, 1)] + [(tips[i] + state.x) / 2 for i in (0, 1)]
    weights = [np.array([0.0, -9.81 * m]) for m in (0.4, 0.4, 0.9, 0.9)]
    acting = [*zip(places, weights, strict=True), (state.x, push), (pivots[0] + 0.05 * arms[0], inside)]
    acting += [(pivots[1], -found["q2"].force)]
    whole = sum(cross(at - pivots[0], f) for at, f in acting) + 0.3 - 0.2 + tau.sum()
    np.testing.assert_allclose(whole, 0.0, atol=1e-10)


def heavy_fivebar():
    """Cranks and bars with mass, upright."""
    cranks = [
        Crank(f"q{i}", about=(x, 0.0), radius=0.25, mass=0.4, centre=0.1, inertia=0.002, point=f"A{i}")
        for i, x in ((1, -0.3), (2, 0.3))
    ]
    C = Free("C")
    bars = tuple(Bar(crank, C, 0.4, mass=0.9, centre=0.2, inertia=0.012) for crank in cranks)
    made = Mechanism("heavy", drives=tuple(cranks), bars=bars, output=C, gravity=(0.0, -9.81))
    return cc.load(Recipe(made))


def test_a_telescope_gives_its_plate_what_moves_it():
    """The rpr3's plate alone: m a_c is the sum of what its legs give it, I α that of their moments about its centre."""
    robot = cc.load("rpr3")
    state = sample(robot, 20, seed=2)
    motion = cc.forward_dynamics(robot, state, np.random.default_rng(2).standard_normal((20, 3)) * 50)
    ends = joint_forces(robot, state, motion)
    v = robot.values
    own = np.array([[0.0, 0.0], [v["p2"], 0.0], [v["p3x"], v["p3y"]]])
    c, s = np.cos(state.x[:, 2]), np.sin(state.x[:, 2])

    def turned(at):
        return np.stack([c * at[0] - s * at[1], s * at[0] + c * at[1]], axis=-1)

    centre, w, alpha = turned([v["p3x"] / 2, v["p3y"] / 2]), state.x_dot[:, 2], motion.x_ddot[:, 2]
    side = np.stack([-centre[:, 1], centre[:, 0]], axis=-1)
    a = motion.x_ddot[:, :2] + alpha[:, None] * side - (w**2)[:, None] * centre
    given = [ends[f"rho{i}"].on_b for i in (1, 2, 3)]
    size = np.abs(given).max()
    np.testing.assert_allclose(sum(given), v["m"] * a, atol=1e-10 * size)
    moments = sum(cross(turned(at) - centre, f) for at, f in zip(own, given, strict=True))
    inertia = v["m"] * (v["p3x"] ** 2 + v["p3y"] ** 2) / 12
    np.testing.assert_allclose(moments, inertia * alpha, atol=1e-9 * size * v["p3x"])


def test_the_bearing_of_a_crank_in_space_carries_the_moment_across_its_axis():
    """Of the delta: R u × (what its bar gives its tip) + c u × m g, without the part about the crank's axis."""
    robot = cc.load("delta")
    state = sample(robot, 10, seed=3)
    motion = cc.forward_dynamics(robot, state, np.random.default_rng(4).standard_normal((10, 3)))
    found, ends = bearing_forces(robot, state, motion), joint_forces(robot, state, motion)
    g = np.array([robot.number(e) for e in robot.mechanism.gravity])
    for i, (crank, bar) in enumerate(zip(robot.mechanism.drives, robot.mechanism.bars, strict=True)):
        e1, e2 = (np.array([robot.number(c) for c in e]) for e in crank.plane)
        u = np.cos(state.q[:, i : i + 1]) * e1 + np.sin(state.q[:, i : i + 1]) * e2
        radius, centre, mass = (robot.number(e) for e in (crank.radius, crank.centre, crank.mass))
        whole = np.cross(radius * u, ends[bar.name].on_a) + np.cross(centre * u, mass * g)
        axis = np.cross(e1, e2)
        across = whole - (whole @ axis)[:, None] * axis
        np.testing.assert_allclose(found[crank.name].moment, across, atol=1e-9)


def test_a_spring_from_a_cranks_point_to_the_ground_pulls_at_its_bearing():
    """At rest without weight both bearings together carry what the spring pulls the ground the other way."""
    cranks = [Crank(f"q{i}", about=(x, 0.0), radius=0.2, point=f"A{i}") for i, x in ((1, -0.2), (2, 0.2))]
    C, wall = Free("C", mass=1.0), Fixed("W", at=(-1.0, 0.5))
    bars = tuple(Bar(crank, C, 0.4) for crank in cranks)
    springs = (Spring((wall, cranks[0]), 30.0, 0.2),)
    robot = cc.load(Recipe(Mechanism("pulled", drives=tuple(cranks), bars=bars, output=C, springs=springs)))
    state = cc.state(robot, x=[0.05, 0.45], working="+-")
    motion = cc.forward_dynamics(robot, state, cc.inverse_dynamics(robot, state, [0.0, 0.0]))
    tip = np.array([-0.2 + 0.2 * np.cos(state.q[0]), 0.2 * np.sin(state.q[0])])
    away = np.array([-1.0, 0.5]) - tip
    pull = 30.0 * (np.linalg.norm(away) - 0.2) * away / np.linalg.norm(away)
    found = bearing_forces(robot, state, motion)
    np.testing.assert_allclose(found["q1"].force + found["q2"].force, pull, atol=1e-10)
