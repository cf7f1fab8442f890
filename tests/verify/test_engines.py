"""The engines as this package builds them: against hand mechanics, not against the models they are to judge."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.exchange.tree import GROUND, Body, Frame, Joint, Link, Loop, Tree, Twist
from closedchain.verify.engine_mujoco import MuJoCo
from closedchain.verify.furuta import furuta_tree
from closedchain.verify.own_units import open_engine
from closedchain.verify.solid import is_planar, solids

X, Y, Z = np.eye(3)
ENGINES = ["mujoco", "pinocchio"]


@pytest.fixture(params=ENGINES)
def build(request):
    """A function that builds a tree in an engine."""
    pytest.importorskip(request.param, reason=f"{request.param} is not installed", exc_type=ModuleNotFoundError)
    return lambda tree, *places: open_engine(request.param, tree, places)


def pendulum(**joint):
    """A point of 2 kg on a massless arm of 0.5 m, from a hinge at (1, 0), under gravity; zero along x."""
    arm = Body("arm", GROUND, X, joints=(Joint("q", "hinge", **joint),), mass=2.0, centre=0.5 * X)
    return Tree("pendulum", (arm,), frames=(Frame("tip", "arm", 0.5 * X),), gravity=-9.81 * Y, drives=("q",))


def test_a_pendulum_by_hand(build):
    """M = m l², h = m g l cos q, v = l q̇, centripetal l q̇²; a rotor, a spring and a damper add theirs."""
    tree = pendulum(zero=0.1, stiffness=3.0, rest=0.4, damping=0.7, armature=0.25)
    engine = build(tree, "tip")
    angle, rate = 0.3, 1.7
    look = engine.look(engine.configuration(np.array([angle])), np.array([rate]))
    inertia, stretch = 2.0 * 0.25 + 0.25, 0.1 + angle - 0.4
    np.testing.assert_allclose(look.M, [[inertia]], rtol=1e-13)
    h = 2.0 * 9.81 * 0.5 * np.cos(angle) + 3.0 * stretch + 0.7 * rate
    np.testing.assert_allclose(look.h, [h], rtol=1e-13)
    along, across = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
    np.testing.assert_allclose(look.places[0], X + 0.5 * along, atol=1e-15)
    np.testing.assert_allclose(look.places_J[0, :, 0], 0.5 * across, atol=1e-15)
    np.testing.assert_allclose(look.places_drift[0], -0.5 * rate**2 * along, atol=1e-14)
    assert abs(look.kinetic - inertia * rate**2 / 2) < 1e-13
    height = 2.0 * 9.81 * 0.5 * np.sin(angle) + 3.0 * stretch**2 / 2
    assert abs(look.potential - height) < 1e-13
    needed = engine.inverse(engine.configuration(np.array([angle])), np.array([rate]), np.array([0.9]))
    np.testing.assert_allclose(needed, [inertia * 0.9 + h], rtol=1e-13)
    made = engine.solve(engine.configuration(np.array([angle])), np.array([rate]), np.array([5.0]))
    np.testing.assert_allclose(made.v_dot, [(5.0 - h) / inertia], rtol=1e-12)


def test_a_spring_between_points_by_hand(build):
    """From the tip to a point of the ground: force k (d − rest) + b ḋ along the line, energy k (d − rest)² / 2."""
    anchor = Frame("anchor", GROUND, np.array([1.5, 1.0, 0.0]))
    tree = pendulum()
    link = Link("spring", tree.frames[0], anchor, stiffness=8.0, rest=0.3, damping=0.5)
    engine = build(Tree("sprung", tree.bodies, frames=tree.frames, links=(link,), drives=("q",)), "tip")
    look = engine.look(engine.configuration(np.zeros(1)), np.array([2.0]))
    # the tip is at (1.5, 0), the anchor 1 m above it; the tip rises at 0.5 · 2 m/s, so d falls at 1 m/s
    np.testing.assert_allclose(look.h, [-0.5 * (8.0 * 0.7 - 0.5 * 1.0)], rtol=1e-13)
    assert abs(look.potential - 8.0 * 0.7**2 / 2) < 1e-13


def test_a_rotor_on_a_slide_has_its_energy_once(build):
    """A carriage of 2 kg whose drive feels 0.5 kg of rotor: (2 + 0.5) v² / 2. Pinocchio counts it on slides alone."""
    cart = Body("cart", GROUND, joints=(Joint("q", "slide", X, armature=0.5),), mass=2.0)
    engine = build(Tree("cart", (cart,), drives=("q",)))
    assert engine.look(engine.configuration(np.zeros(1)), np.array([3.0])).kinetic == pytest.approx(11.25, rel=1e-14)


@pytest.mark.parametrize("arm", [False, True])
def test_a_spring_on_an_angle_that_no_joint_is_by_hand(build, arm):
    """The line from (1.5, 0.5) to the tip; with an arm, from the line of the arm itself: force −(k θ + b θ̇) ∂θ/∂q."""
    tree = pendulum()
    corner = Frame("corner", GROUND, np.array([1.5, 0.5, 0.0]))
    frames = (corner, tree.frames[0], *((Frame("pivot", GROUND, X), tree.frames[0]) if arm else ()))
    twist = Twist("psi", frames, stiffness=4.0, rest=-1.0, damping=0.3)
    engine = build(Tree("twisted", tree.bodies, frames=tree.frames, twists=(twist,), drives=("q",)), "tip")
    configuration, rate = engine.configuration(np.zeros(1)), 2.0
    look = engine.look(configuration, np.array([rate]))
    # the tip, 0.5 m below the corner, rises towards it: the line, at −90°, does not turn, but the arm does
    slope, angle = (-1.0, -np.pi / 2) if arm else (0.0, -np.pi / 2)
    moment = 4.0 * (angle + 1.0) + 0.3 * slope * rate
    np.testing.assert_allclose(look.h, [slope * moment], atol=1e-13)
    assert look.potential == pytest.approx(4.0 * (angle + 1.0) ** 2 / 2, rel=1e-13)
    inertia = 2.0 * 0.25
    needed = engine.inverse(configuration, np.array([rate]), np.array([0.9]))
    np.testing.assert_allclose(needed, [inertia * 0.9 + slope * moment], atol=1e-13)
    made = engine.solve(configuration, np.array([rate]), np.array([5.0]))
    np.testing.assert_allclose(made.v_dot, [(5.0 - slope * moment) / inertia], rtol=1e-12)


@pytest.mark.parametrize(("length", "mass"), [(1e-6, 1e-9), (1e6, 1e6), (1e-6, 1e6)])
def test_size_and_mass_leave_the_digits_alone(build, length, mass):
    """A pendulum of a micrometre and a microgram, or of a thousand kilometres and tonnes: M, h and v̇ by hand."""
    arm = Body("arm", GROUND, length * X, joints=(Joint("q", "hinge"),), mass=mass, centre=0.5 * length * X)
    tip = Frame("tip", "arm", 0.5 * length * X)
    engine = build(Tree("pendulum", (arm,), frames=(tip,), gravity=-9.81 * Y, drives=("q",)), "tip")
    configuration = engine.configuration(np.array([0.3]))
    look = engine.look(configuration, np.array([1.7]))
    inertia, h = mass * (0.5 * length) ** 2, mass * 9.81 * 0.5 * length * np.cos(0.3)
    np.testing.assert_allclose(look.M, [[inertia]], rtol=1e-13)
    np.testing.assert_allclose(engine.look(configuration, np.zeros(1)).h, [h], rtol=1e-13)
    np.testing.assert_allclose(look.kinetic, inertia * 1.7**2 / 2, rtol=1e-13)
    np.testing.assert_allclose(
        look.places[0], length * np.array([1 + 0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 0]), rtol=1e-14
    )
    made = engine.solve(configuration, np.zeros(1), np.array([2.0 * h]))
    np.testing.assert_allclose(made.v_dot, [h / inertia], rtol=1e-12)


def test_two_masses_on_a_loop_by_hand(build):
    """Two carriages on parallel rails, 2 and 3 kg, pinned together: 10 N on the first moves both at 2 m/s²."""
    bodies = [Body(f"b{i}", GROUND, joints=(Joint(f"q{i}", "slide", X),), mass=m) for i, m in ((1, 2.0), (2, 3.0))]
    loop = Loop("pin", "point", Frame("a", "b1"), Frame("b", "b2"))
    engine = build(Tree("pair", tuple(bodies), loops=(loop,), drives=("q1",)))
    made = engine.solve(engine.configuration(np.zeros(2)), np.zeros(2), np.array([10.0, 0.0]))
    v_dot = made.v_dot.copy()
    if isinstance(engine.engine, MuJoCo):  # its loop gives way by the slack that it states
        assert 0.0 < np.abs(made.slack[0]) < 1e-3
        v_dot += np.array([-3.0, 2.0]) / 5.0 * made.slack[0]
    np.testing.assert_allclose(v_dot, [2.0, 2.0], rtol=1e-8)
    np.testing.assert_allclose(made.force[0], -6.0, rtol=1e-3)  # on the first; the second needs 3 kg · 2 m/s²


def test_pieces_without_mass_are_told_without_a_warning(build, tmp_path, monkeypatch, capfd):
    """Three hinges of a massless bar, two of them on one line: M cannot be factored; nothing asked here needs it."""
    monkeypatch.chdir(tmp_path)
    bar = Body(
        "bar", GROUND, joints=tuple(Joint(name, "hinge", axis) for name, axis in zip("abc", (Z, Y, X), strict=True))
    )
    heavy = Body("cart", GROUND, joints=(Joint("q", "slide", X),), mass=2.0)
    engine = build(Tree("bar", (heavy, bar), frames=(Frame("tip", "bar", X),), drives=("q",)), "tip")
    at, still = engine.configuration(np.array([0.0, 0.0, np.pi / 2, 0.0])), np.zeros(4)
    np.testing.assert_allclose(engine.look(at, still).M, np.diag([2.0, 0.0, 0.0, 0.0]), atol=1e-14)
    np.testing.assert_allclose(engine.inverse(at, still, 1.5 * np.eye(4)[0]), 3.0 * np.eye(4)[0], atol=1e-14)
    assert not list(tmp_path.iterdir())
    assert not capfd.readouterr().err


def test_bodies_may_come_in_any_order(build):
    """Two pendulums listed level by level: Pinocchio's mass matrix is wrong unless they are added depth first."""
    upper = [Body(f"u{i}", GROUND, i * X, joints=(Joint(f"q{i}", "hinge"),), mass=1.0, centre=X) for i in (1, 2)]
    lower = [Body(f"l{i}", f"u{i}", X, joints=(Joint(f"p{i}", "hinge"),), mass=1.0, centre=X) for i in (1, 2)]
    engine = build(Tree("four", (*upper, *lower), drives=("q1", "q2")))
    M = engine.look(engine.configuration(np.zeros(4)), np.zeros(4)).M
    # stretched out: 1 + 4 for the upper hinge, 1 for the lower, 2 between; nothing between the two pendulums
    np.testing.assert_allclose(M, [[5, 0, 2, 0], [0, 5, 0, 2], [2, 0, 1, 0], [0, 2, 0, 1]], atol=1e-13)


def test_a_ball_joint_s_rotation_vector(build):
    """A rod on a ball joint, turned by 90° about z: its tip is on y; it was given an inertia about its own line."""
    rod = Body("rod", GROUND, joints=(Joint("ball", "ball"),), mass=1.0, centre=X, inertia=np.diag([0.0, 0.3, 0.3]))
    tree = Tree("ball", (rod,), frames=(Frame("tip", "rod", 2 * X),))
    engine = build(tree, "tip")
    look = engine.look(engine.configuration(np.array([0.0, 0.0, np.pi / 2])), np.zeros(3))
    np.testing.assert_allclose(look.places[0], 2 * Y, atol=1e-15)
    np.testing.assert_allclose(np.diag(look.M), [0.03, 1.3, 1.3], rtol=1e-12)
    assert any("thin rods on ball joints" in note for note in engine.notes)


def test_a_rod_keeps_its_own_inertia_about_its_line(build):
    """A thin rod on a ball joint that may spin: a hundredth of its inertia across is its own, and stays."""
    rod = Body("rod", GROUND, joints=(Joint("ball", "ball"),), mass=1.0, centre=X, inertia=np.diag([0.003, 0.3, 0.3]))
    engine = build(Tree("ball", (rod,)))
    look = engine.look(engine.configuration(np.zeros(3)), np.zeros(3))
    np.testing.assert_allclose(np.diag(look.M), [0.003, 1.3, 1.3], rtol=1e-12)
    assert not any("thin rods" in note for note in engine.notes)


def test_a_driven_course_of_the_engine_is_the_motion_by_hand(build):
    """A carriage of 2 kg under 3 N for 0.2 s: x = ½ (3/2) t²."""
    body = Body("b", GROUND, joints=(Joint("q", "slide", X),), mass=2.0)
    engine = build(Tree("cart", (body,), frames=(Frame("C", "b"),), drives=("q",)), "C")
    course = engine.drive(engine.configuration(np.zeros(1)), np.zeros(1), np.full((20, 1), 3.0), 0.01, 4)
    t = 0.01 * np.arange(21)
    np.testing.assert_allclose(course.joints[:, 0], 0.75 * t**2, atol=1e-14)
    np.testing.assert_allclose(course.velocities[:, 0, 0], 1.5 * t, atol=1e-14)
    np.testing.assert_allclose(course.places[:, 0, 0], 0.75 * t**2, atol=1e-14)


def test_masses_are_given_only_where_there_are_none():
    """A point and a massless body in the plane; a rod and a plate keep what they have."""
    joint = Joint("q", "hinge")
    inertia = np.diag([0.0, 0.2, 0.2])
    bodies = (
        Body("rod", GROUND, joints=(joint,), mass=1.0, inertia=inertia),
        Body("point", GROUND, joints=(Joint("p", "slide", X),), mass=1.0),
        Body("nothing", GROUND, joints=(Joint("r", "slide", Y),)),
    )
    tree = Tree("three", bodies)
    assert is_planar(tree)
    made, given = solids(tree, 1e-9)
    assert [s.mass for s in made] == [1.0, 1.0, 1e-9]
    assert [s.inertia[2, 2] for s in made] == [0.2, 1e-9, 1e-9]
    assert given.words(1e-9, 2e-9) == (
        "given 1.0e-09 kg for each massless body: nothing",
        "given 2.0e-09 kg m² where an inertia is zero: point, nothing",
    )
    assert solids(tree, 0.0)[1].words(0.0, 0.0) == ()


def test_the_pendulum_s_bodies_stand_where_its_drawing_has_them():
    """furuta in every sense: where the tree's tip is for (q1, q2), against the robot's own points."""
    pytest.importorskip("mujoco")
    for name in ("furuta", "furuta:hanging", "furuta:qube", "furuta:cazzolato-prime"):
        model = cc.load(name)
        engine = open_engine("mujoco", furuta_tree(model.values), ("P",))
        q = np.array([0.7, -1.1])
        tip = model.call("points", q=q, x=np.zeros(0))["points"][-1]
        np.testing.assert_allclose(engine.look(engine.configuration(q), np.zeros(2)).places[0], tip, atol=1e-15)
