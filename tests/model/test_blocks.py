"""Direct and inverse geometry block by block: what two circles or a line solve, however it was stated."""

import itertools

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import (
    Bar,
    Crank,
    Equations,
    Fixed,
    Free,
    Mechanism,
    Parameter,
    Pin,
    Plate,
    Rail,
    Recipe,
    Slider,
)
from closedchain.describe.equations import Closure, Coordinate
from closedchain.describe.expressions import cos, sin
from closedchain.model.blocks import solve_blocks
from closedchain.model.sampling import sample


def load(mechanism):
    """As one's own."""
    return cc.load(Recipe(mechanism))


def circles_meet(p, r, q, s):
    """The two intersections of circles (p, r) and (q, s), by the law of cosines."""
    away = np.subtract(q, p)
    D = np.linalg.norm(away)
    turn, lift = np.arctan2(away[1], away[0]), np.arccos((r**2 + D**2 - s**2) / (2 * r * D))
    return [np.array(p) + r * np.array([np.cos(turn + t), np.sin(turn + t)]) for t in (lift, -lift)]


def same(found, wanted, tolerance=1e-13):
    """Whether two sets of rows are the same."""
    assert len(found) == len(wanted)
    for row in wanted:
        assert np.sum(np.abs(found - row).max(axis=-1) < tolerance) == 1, (found, row)


def coupler():
    """A four-bar whose coupler is a plate, pinned to the crank and on a rocker."""
    A, D = Crank("q1", about=(0, 0), radius=0.3, mass=1.0), Fixed("D", at=(1, 0))
    plate = Plate("plate", mass=1.0, inertia=0.1)
    a, b = plate.point("a", (0, 0)), plate.point("b", (0.9, 0.0))
    return Mechanism("coupler", drives=(A,), bars=(Bar(D, b, 0.7),), pins=(Pin(A, a),), output=plate)


def test_a_four_bar_with_a_coupler_plate():
    """Its rocker's end by two circles; the plate's angle is the direction to it."""
    robot, q = load(coupler()), 0.8
    A = 0.3 * np.array([np.cos(q), np.sin(q)])
    ends = circles_meet(A, 0.9, (1.0, 0.0), 0.7)
    found = cc.direct(robot, [q])
    same(found.x, [[*A, np.arctan2(*(B - A)[::-1])] for B in ends])
    assert found.complete.all()
    assert set(found.mode) == {"+", "-"}
    assert found.residual.max() < 1e-15


def test_a_four_bar_of_two_pinned_plates():
    """Coupler and rocker both plates, joined by a pin: six closures at once, two circles by hand."""
    A, D = Crank("q1", about=(0, 0), radius=0.3), Fixed("D", at=(1, 0))
    coupler, rocker = Plate("coupler", mass=1.0), Plate("rocker", mass=1.0)
    a, b = coupler.point("a", (0.1, 0.0)), coupler.point("b", (0.1, 0.9))
    d, c = rocker.point("d", (0, 0)), rocker.point("c", (0.7, 0))
    robot = load(Mechanism("plates", drives=(A,), pins=(Pin(A, a), Pin(b, c), Pin(D, d)), output=coupler))
    q = 2.0
    tip = 0.3 * np.array([np.cos(q), np.sin(q)])
    wanted = []
    for B in circles_meet(tip, 0.9, (1.0, 0.0), 0.7):
        phi, turn = np.arctan2(*(B - tip)[::-1]) - np.pi / 2, np.arctan2(*(B - [1.0, 0.0])[::-1])
        origin = tip - 0.1 * np.array([np.cos(phi), np.sin(phi)])
        wanted.append([*origin, np.remainder(phi + np.pi, 2 * np.pi) - np.pi, 1.0, 0.0, turn])
    same(cc.direct(robot, [q]).x, wanted)


@pytest.mark.parametrize("q", [-0.2, 0.35])
def test_a_plate_with_a_pin_and_a_rail(q):
    """Pinned to a slider on the x axis, with a point 0.5 m away on the line y = 0.3: Pythagoras both ways."""
    A = Slider("q1", at=(0, 0), along=(1, 0), mass=1.0)
    plate = Plate("plate", mass=1.0)
    a, b = plate.point("a", (0, 0)), plate.point("b", (0.5, 0))
    rail = Rail(b, Fixed("O", at=(0, 0.3)), along=(1, 0))
    robot = load(Mechanism("pin_rail", drives=(A,), pins=(Pin(A, a),), rails=(rail,), output=plate))
    same(cc.direct(robot, [q]).x, [[q, 0.0, phi] for phi in (np.arcsin(0.6), np.pi - np.arcsin(0.6))])


def test_a_plate_whose_own_rail_passes_a_point_of_the_ground():
    """An inverted slider-crank: the plate's line, 0.1 m from its pin, goes through O: a right triangle."""
    A, O = Crank("q1", about=(1, 0), radius=0.3), Fixed("O", at=(0, 0))
    plate = Plate("plate", mass=1.0)
    a, t = plate.point("a", (0, 0)), plate.point("t", (0, 0.1))
    robot = load(Mechanism("swing", drives=(A,), pins=(Pin(A, a),), rails=(Rail(O, t, along=(1, 0)),), output=plate))
    q = 0.9
    tip = np.array([1 + 0.3 * np.cos(q), 0.3 * np.sin(q)])
    away = np.linalg.norm(tip)
    back = np.arctan2(-tip[1], -tip[0])  # from the pin to O; the line is 0.1 to the left of the plate's own x axis
    lean = np.arcsin(0.1 / away)
    wanted = [back - lean, back + lean + np.pi]
    same(cc.direct(robot, [q]).x, [[*tip, np.remainder(phi + np.pi, 2 * np.pi) - np.pi] for phi in wanted])


def stated_fourbar():
    """Its loop in angles, as it is written by hand: r e^{iq} + b e^{iβ} = d + c e^{iγ}."""
    q, beta, gamma = (Coordinate(n, "rad") for n in ("q1", "beta", "gamma"))
    r, b, c, d = (Parameter(v, "m", name=n) for n, v in (("r", 0.3), ("b", 0.9), ("c", 0.7), ("d", 1.0)))
    closures = (
        Closure("along", r * cos(q.symbol) + b * cos(beta.symbol) - d - c * cos(gamma.symbol)),
        Closure("across", r * sin(q.symbol) + b * sin(beta.symbol) - c * sin(gamma.symbol)),
    )
    kinetic = (q.rate**2 + beta.rate**2 + gamma.rate**2) / 2
    return Equations("loop", (r, b, c, d), (q,), ("q1",), kinetic=kinetic, x=(beta, gamma), closures=closures)


def test_a_four_bar_stated_by_its_loop_equation():
    """The two angles from two circles by hand."""
    q = 0.8
    tip = 0.3 * np.array([np.cos(q), np.sin(q)])
    ends = circles_meet(tip, 0.9, (1.0, 0.0), 0.7)
    found = cc.direct(load(stated_fourbar()), [q])
    same(found.x, [[np.arctan2(*(B - tip)[::-1]), np.arctan2(*(B - [1.0, 0.0])[::-1])] for B in ends])
    assert found.complete.all()


def test_a_stated_five_bar_is_the_described_one():
    """Its two closures written as equations: direct and inverse give the same solutions as the shipped robot's."""
    shipped = cc.load("fivebar")
    e = shipped.equations
    stated = load(Equations("five", e.parameters, e.q, e.driven, kinetic=e.kinetic, x=e.x, closures=e.closures))
    q = [1.9, 1.2]
    same(cc.direct(stated, q).x, cc.direct(shipped, q).x)
    x = cc.direct(shipped, q)["+"].x
    up, wanted = cc.inverse(stated, x), cc.inverse(shipped, x)
    same(up.q, wanted.q)
    assert up.mode == wanted.mode  # a crank's leg has the sign of its closure's slope
    assert cc.evaluate(stated, x=x, working="-+").tau.shape == (2,)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_a_stated_robot_of_any_size_is_solved_alike(size):
    """The same shape a million times smaller or larger has the same angles, and the same poses in its own length."""
    shipped = cc.load("fivebar")
    e = shipped.equations
    stated = load(Equations("five", e.parameters, e.q, e.driven, kinetic=e.kinetic, x=e.x, closures=e.closures))
    lengths = {p.name: shipped.values[p.name] * size for p in e.parameters if p.unit == "m"}
    found, wanted = cc.direct(stated.with_values(**lengths), [1.9, 1.2]), cc.direct(shipped, [1.9, 1.2])
    same(found.x / size, wanted.x)
    assert not found.double.any()
    same(cc.inverse(stated.with_values(**lengths), wanted.x[0] * size).q, cc.inverse(shipped, wanted.x[0]).q, 1e-12)


def test_relative_angles_are_solved_too():
    """Two links whose angles are counted from each other: r e^{iq} + b e^{iβ} = (X, Y) with β = q + γ."""
    q, gamma, X = Coordinate("q1", "rad"), Coordinate("gamma", "rad"), Coordinate("X", "m")
    closures = (
        Closure("along", 0.3 * cos(q.symbol) + 0.9 * cos(q.symbol + gamma.symbol) - X.symbol),
        Closure("across", 0.3 * sin(q.symbol) + 0.9 * sin(q.symbol + gamma.symbol)),
    )
    kinetic = (q.rate**2 + gamma.rate**2 + X.rate**2) / 2
    robot = load(Equations("slide", (), (q,), ("q1",), kinetic=kinetic, x=(gamma, X), closures=closures))
    found = cc.direct(robot, [0.5])
    beta = np.array([np.arcsin(-0.3 * np.sin(0.5) / 0.9), np.pi - np.arcsin(-0.3 * np.sin(0.5) / 0.9)])
    turn = np.remainder(beta - 0.5 + np.pi, 2 * np.pi) - np.pi
    same(found.x, np.stack([turn, 0.3 * np.cos(0.5) + 0.9 * np.cos(beta)], axis=-1))


def test_blocks_and_compiled_groups_agree_on_the_shipped_robots():
    """Every assembly of the squeezer, the delta and a plate on three circles, by the other way."""
    rng = np.random.default_rng(1)
    for name in ("squeezer", "delta", "triplate", "rrr3"):
        robot = cc.load(name)
        q = cc.model.sampling.sample(robot, 3, seed=int(rng.integers(9))).q
        z = np.concatenate([q, np.zeros((3, robot.nx))], axis=-1)
        found, wanted = solve_blocks(robot, z, range(robot.nq, robot.nq + robot.nx), "q"), cc.direct(robot, q)
        for i in range(3):
            same(found.z[found.index == i, robot.nq :], wanted.x[wanted.index == i], 1e-11)


def test_an_edge_is_double_and_beyond_it_the_miss_is_told():
    """The rocker's circle touches the coupler's: one pose; 10 mm further apart none, with a reason."""
    reach = Mechanism(
        "reach",
        drives=(s := Slider("q1", at=(0, 0), along=(1, 0)),),
        bars=(Bar(Fixed("D", at=(0, 0)), (plate := Plate("plate", mass=1.0)).point("b", (0.9, 0)), 0.7),),
        pins=(Pin(s, plate.point("a", (0, 0))),),
        output=plate,
    )
    robot = load(reach)
    found = cc.direct(robot, [1.6])
    assert len(found) == 1
    assert found.double.all()
    beyond = cc.direct(robot, [1.61])
    assert len(beyond) == 0
    assert beyond.complete.all()
    assert "misses" in beyond.why()
    assert 0.001 < beyond.reasons[0].miss < 0.011


def test_circles_that_coincide_are_told_as_that():
    """The plate's pin on the rocker's pivot with equal radii: a whole curve of poses, and nothing is complete."""
    s, plate = Slider("q1", at=(0, 0), along=(1, 0)), Plate("plate", mass=1.0)
    bars = (Bar(Fixed("D", at=(0, 0)), plate.point("b", (0.5, 0)), 0.5),)
    robot = load(Mechanism("turns", drives=(s,), bars=bars, pins=(Pin(s, plate.point("a", (0, 0))),), output=plate))
    found = cc.direct(robot, [0.0])
    assert len(found) == 0
    assert not found.complete.any()
    assert "a whole curve of them" in found.why()
    assert len(cc.direct(robot, [[0.0], [0.3]])) == 2  # the other row is not held up by it


def test_two_plates_on_a_known_one_have_all_their_branches():
    """Eight legs of a spider: three dyads after each other have 2³ assemblies, each closed to rounding."""
    A = Crank("q1", about=(0, 0), radius=0.3)
    feet = [Fixed(f"F{i}", at=(1.0 + 0.4 * i, 0)) for i in range(3)]
    plates = [Plate(f"P{i}", mass=1.0) for i in range(3)]
    pins = [Pin(A, plates[0].point("a0", (0, 0)))]
    pins += [Pin(plates[i].point(f"t{i}", (0.5, 0.2)), plates[i + 1].point(f"a{i + 1}", (0, 0))) for i in range(2)]
    bars = [Bar(feet[i], plates[i].point(f"b{i}", (0.9, 0.0)), 0.8) for i in range(3)]
    robot = load(Mechanism("chain", drives=(A,), bars=tuple(bars), pins=tuple(pins), output=plates[2]))
    found = cc.direct(robot, [0.7])
    assert len(found) == 8
    assert found.residual.max() < 1e-14
    assert all(np.abs(a - b).max() > 1e-3 for a, b in itertools.combinations(found.x, 2))


def test_a_free_point_beside_a_plate_uses_it():
    """A coupler plate, then a point on two bars from it: four assemblies, by circles by hand."""
    mechanism = coupler()
    plate, (A,) = mechanism.output, mechanism.drives
    t, E, F = plate.point("t", (0.4, 0.3)), Free("E", mass=1.0), Fixed("F", at=(0.5, 1.5))
    bars = (*mechanism.bars, Bar(t, E, 0.8), Bar(F, E, 0.8))
    robot = load(Mechanism("more", drives=(A,), bars=bars, pins=mechanism.pins, output=E))
    tip = 0.3 * np.array([np.cos(0.8), np.sin(0.8)])
    wanted = []
    for B in circles_meet(tip, 0.9, (1.0, 0.0), 0.7):
        phi = np.arctan2(*(B - tip)[::-1])
        T = tip + 0.4 * np.array([np.cos(phi), np.sin(phi)]) + 0.3 * np.array([-np.sin(phi), np.cos(phi)])
        if np.linalg.norm(T - [0.5, 1.5]) < 1.6:
            wanted += [[*place, *tip, phi] for place in circles_meet(T, 0.8, (0.5, 1.5), 0.8)]
    same(cc.direct(robot, [0.8]).x, wanted)


def some(rng, reach=0.8):
    """A point of a plate."""
    return tuple(float(v) for v in rng.uniform(-reach, reach, 2))


def held(rng, plate, i):
    """What holds a pinned plate further: a bar, a line of the ground, or a line of its own through a point."""
    turn, kind, at = float(rng.uniform(0, 6)), int(rng.integers(3)), plate.point(f"b{i}", some(rng))
    along = (float(np.cos(turn)), float(np.sin(turn)))
    if kind == 0:
        return Bar(Fixed(f"F{i}", at=(float(rng.uniform(0.5, 1.5)), 0.2)), at, float(rng.uniform(0.6, 1.4)))
    foot = Fixed(f"F{i}", at=some(rng, 0.3))
    return Rail(at, foot, along=along) if kind == 1 else Rail(foot, at, along=along)


@pytest.mark.parametrize("seed", range(3))
def test_configurations_found_without_closed_forms_are_among_the_solutions(seed):
    """Two plates pinned one to another, each held by something at random: against Gauss–Newton from random starts."""
    rng = np.random.default_rng(seed)
    A = Crank("q1", about=(0, 0), radius=float(rng.uniform(0.2, 0.5)), mass=1.0)
    one, two = Plate("one", mass=1.0, inertia=0.1), Plate("two", mass=1.0, inertia=0.1)
    pins = (Pin(A, one.point("a", some(rng))), Pin(one.point("t", some(rng)), two.point("c", some(rng))))
    links = held(rng, one, 1), held(rng, two, 2)
    bars, rails = (tuple(link for link in links if isinstance(link, kind)) for kind in (Bar, Rail))
    robot = load(Mechanism("chain", drives=(A,), bars=bars, pins=pins, rails=rails, output=two))
    states = sample(robot, 10, seed)
    found = cc.direct(robot, states.q)
    for i, x in enumerate(states.x):
        away = found.x[found.index == i] - x
        away[:, [2, 5]] = np.remainder(away[:, [2, 5]] + np.pi, 2 * np.pi) - np.pi
        assert np.abs(away).max(axis=-1).min() < 1e-12
    assert found.residual.max() < 1e-14
    assert np.bincount(found.index).max() <= 4
