"""Blocks that neither two circles nor a plate's sextic solve: every assembly, proven."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe.elements import Bar, Crank, Fixed, Free, Plate, Rail, Slider, Telescope
from closedchain.describe.equations import Closure, Coordinate, Equations
from closedchain.describe.expressions import Symbol, cos, expr
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.recipe import Recipe
from closedchain.model.model import NoClosedForm
from closedchain.model.sampling import sample


def plate_on_a_rail():
    """A plate on two bars, one of its points on a fixed line: a coupler curve, of degree six, and a line."""
    A = Crank("q1", about=(0, 0), radius=0.3)
    plate = Plate("plate", mass=1.0)
    a, b, t = (plate.point(n, at) for n, at in (("a", (0, 0)), ("b", (0.9, 0)), ("t", (0.4, 0.3))))
    bars = (Bar(A, a, 0.5), Bar(Fixed("D", at=(1, 0)), b, 0.7))
    rail = Rail(t, Fixed("O", at=(0, 0.6)), along=(1, 0))
    return Mechanism("bars_rail", drives=(A,), bars=bars, rails=(rail,), output=plate)


@pytest.mark.parametrize("q", [0.8, 2.0, -1.0, 3.0])
def test_a_plate_on_two_bars_and_a_rail_stands_where_a_scan_finds_it(q):
    """For each angle of the plate the rail gives y and the first bar x, two ways: the second bar then fits or not."""
    robot = cc.load(Recipe(plate_on_a_rail()))
    found = cc.direct(robot, [q])
    wanted = scanned(q)
    assert found.complete.all()
    assert found.certified.all()
    assert len(found) == len(wanted)
    for pose in wanted:
        assert np.abs(found.x - pose).max(axis=1).min() < 1e-9


def scanned(q):
    """Poses by changes of sign along the plate's angle, each brought to rounding by bisection."""
    A, D = 0.3 * np.array([np.cos(q), np.sin(q)]), np.array([1.0, 0.0])

    def pose(phi, side):
        c, s = np.cos(phi), np.sin(phi)
        y = 0.6 - (s * 0.4 + c * 0.3)
        room = 0.25 - (y - A[1]) ** 2
        x = A[0] + side * np.sqrt(np.maximum(room, 0.0))
        b = np.stack([x + 0.9 * c, y + 0.9 * s])
        gap = np.hypot(b[0] - D[0], b[1] - D[1]) - 0.7
        return x, y, np.where(room >= 0.0, gap, np.nan)

    poses = []
    for side in (1.0, -1.0):
        phi = np.linspace(-np.pi, np.pi, 40001)
        gap = pose(phi, side)[2]
        for i in np.flatnonzero(gap[:-1] * gap[1:] < 0.0):
            low, high = phi[i], phi[i + 1]
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if pose(middle, side)[2] * pose(low, side)[2] > 0.0 else (low, middle)
            poses.append([*(float(v) for v in pose(low, side)[:2]), low])
    return poses


def octahedron():
    """Three points in space, one apart, on six telescopes from three points of the ground: a 3-3 platform."""
    angles = 2 * np.pi * np.arange(3) / 3
    base = [Fixed(f"B{i}", (float(np.cos(a)), float(np.sin(a)), 0.0)) for i, a in enumerate(angles)]
    top = [Free(f"P{i}", mass=1.0, dimension=3) for i in range(3)]
    pairs = ((0, 0), (0, 2), (1, 0), (1, 1), (2, 1), (2, 2))
    legs = tuple(Telescope(f"l{i}{j}", base[i], top[j]) for i, j in pairs)
    bars = tuple(Bar(top[i], top[(i + 1) % 3], 1.0) for i in range(3))
    return Mechanism("octahedron", drives=legs, bars=bars, output=top[0]), pairs


def test_a_platform_of_points_and_bars_in_space_has_its_mirror_image():
    """All of sixteen are accounted for, the real ones proven; the pose they were read off is there, and its mirror."""
    mechanism, pairs = octahedron()
    robot = cc.load(Recipe(mechanism, origin="built in"))
    u, v = np.array([-0.8, -0.6, 0.0]), np.array([0.36, -0.48, 0.8])
    P = np.array([0.1, 0.6, 1.0]) + np.array([0 * u, u, 0.5 * u + np.sqrt(0.75) * v])
    B = np.array([[np.cos(a), np.sin(a), 0.0] for a in 2 * np.pi * np.arange(3) / 3])
    found = cc.direct(robot, [np.linalg.norm(B[i] - P[j]) for i, j in pairs])
    assert found.complete.all()
    assert found.certified.all()
    assert found.residual.max() < 1e-14
    order = [body.name for body in mechanism.bodies]
    pose = np.concatenate([P[int(name[1])] for name in order])
    for image in (pose, pose * np.tile([1.0, 1.0, -1.0], 3)):
        assert np.abs(found.x - image).max(axis=1).min() < 1e-9


def test_beyond_reach_every_solution_is_complex():
    """Legs too short to meet: no pose, and that is proven, not given up."""
    mechanism, _ = octahedron()
    robot = cc.load(Recipe(mechanism, origin="built in"))
    found = cc.direct(robot, [0.2] * 6)
    assert len(found) == 0
    assert found.complete.all()
    assert "none is real" in found.why()


def test_what_is_not_quadratic_says_what_works():
    """cos of twice an angle beside its cosine: no quadratic of one cosine and sine, and the error says what to give."""
    q, x = Symbol("q"), Symbol("x")
    closure = Closure("odd", cos(2 * x) + cos(x) - q, expr(1.0))
    equations = Equations(
        "odd",
        parameters=(),
        q=(Coordinate("q", "m"),),
        x=(Coordinate("x", "rad"),),
        driven=("q",),
        closures=(closure,),
        kinetic=(Symbol("q_dot") ** 2 + Symbol("x_dot") ** 2) / 2,
    )
    with pytest.raises(NoClosedForm, match="q and x together"):
        cc.direct(cc.load(Recipe(equations, origin="built in")), [0.5])


def test_two_plates_that_need_each_other():
    """Two plates pinned in nothing, on bars between them and the ground: residuals of every pose are at rounding."""
    s = Slider("q1", at=(0, 0), along=(1, 0))
    one, two = Plate("one", mass=1.0), Plate("two", mass=1.0)
    a = [one.point(f"a{i}", at) for i, at in enumerate(((0, 0), (1.0, 0), (0.4, 0.8)))]
    b = [two.point(f"b{i}", at) for i, at in enumerate(((0, 0), (0.9, 0), (0.5, 0.7)))]
    ground = [Fixed(f"G{i}", at) for i, at in enumerate(((3.0, 0.0), (0.5, -1.5), (2.5, -1.5)))]
    bars = (
        Bar(s, a[0], 1.0), Bar(ground[1], a[1], 1.7), Bar(ground[0], b[0], 1.1), Bar(ground[2], b[1], 1.6),
        Bar(a[2], b[2], 1.2), Bar(a[1], b[0], 1.3),
    )  # fmt: skip
    robot = cc.load(Recipe(Mechanism("two", drives=(s,), bars=bars, output=one), origin="built in"))
    found = cc.direct(robot, [0.0])
    assert found.complete.all()
    assert len(found) > 0
    assert found.certified.all()
    assert found.residual.max() < 1e-13


@pytest.mark.parametrize("factor", [1e-6, 1e5])
@pytest.mark.parametrize("name", ["gough", "pentapod"])
def test_robots_of_any_size_have_the_solutions_of_a_similar_one(name, factor):
    """Every length times a factor: the assemblies are similar, all found and no name of one told twice."""
    robot = cc.load(name)
    q = sample(robot, 1, seed=2).q[0]
    similar = robot.with_values(**{p.name: factor * robot.values[p.name] for p in lengths_of(robot.equations)})
    wanted, found = cc.direct(robot, q), cc.direct(similar, sized(robot.equations.q, factor) * q)
    assert wanted.complete.all()
    assert found.complete.all()
    assert len(found.x) == len(wanted.x) > 1
    away = found.x[:, None] / sized(robot.equations.x, factor) - wanted.x[None]
    turns = np.array([c.unit == "rad" for c in robot.equations.x])
    away = np.where(turns, (away + np.pi) % (2 * np.pi) - np.pi, away)
    assert np.abs(away).max(axis=-1).min(axis=0).max() < 1e-9


def lengths_of(equations):
    """The parameters in metres."""
    return [p for p in equations.parameters if p.unit == "m"]


def sized(coordinates, factor):
    """By what each coordinate is multiplied in a similar robot."""
    return np.array([factor if c.unit == "m" else 1.0 for c in coordinates])
