"""Which leg each drive is found from, and in which order the bodies are found."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.derive.structure import groups, legs
from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Pin, Plate, Recipe


def shape(name):
    """(branches of each leg, (body, branches, triad) of each group) of a shipped robot."""
    mechanism = cc.load(name).mechanism
    return (
        [leg.branches for leg in legs(mechanism)],
        [(g.body.name, g.branches, g.is_triad) for g in groups(mechanism)],
    )


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("biglide", ([2, 2], [("C", 2, False)])),  # two circles
        ("fivebar", ([2, 2], [("C", 2, False)])),
        ("triplate", ([2, 2, 1], [("plate", 6, True)])),  # a telescope's length has no sign to choose
        ("rrr3", ([2, 2, 2], [("plate", 6, True)])),
        ("rpr3", ([1, 1, 1], [("plate", 6, True)])),
        ("delta", ([2, 2, 2], [("C", 2, False)])),  # three spheres
        ("slidercrank", ([2], [("C", 2, False)])),  # a circle and a line
    ],
)
def test_the_structure_of_the_shipped_robots(name, wanted):
    """Two ways for a slider or crank under a bar, one for a telescope; two poses for a point, six for a plate."""
    assert shape(name) == wanted


def six_bar(*, a=1.0, b=2.5, c=2.0, e=2.4, f=2.4):
    """Two dyads in a row: a crank moves C (with the rocker D-C), C moves the output E (with the rocker F-E)."""
    A, D, F = Crank("q1", about=(0, 0), radius=a, mass=1.0), Fixed("D", at=(3, 0)), Fixed("F", at=(5, 1))
    C, E = Free("C", mass=0.5), Free("E", mass=0.25)
    bars = (Bar(A, C, b), Bar(D, C, c), Bar(C, E, e), Bar(F, E, f))
    return Mechanism("sixbar", drives=(A,), bars=bars, output=E)


def circles_meet(p, r, q, s):
    """The two intersections of circles (p, r) and (q, s), by the law of cosines."""
    away = q - p
    D = np.linalg.norm(away)
    turn, lift = np.arctan2(away[1], away[0]), np.arccos((r**2 + D**2 - s**2) / (2 * r * D))
    return [p + r * np.array([np.cos(turn + t), np.sin(turn + t)]) for t in (lift, -lift)]


def test_a_chain_of_dyads_is_found_one_after_another():
    """The output E stands first in x, but C is found first: E's bars end on C."""
    found = groups(six_bar())
    assert [g.body.name for g in found] == ["C", "E"]
    assert [[link.name for link in g.links] for g in found] == [["q1-C", "D-C"], ["C-E", "F-E"]]


def test_a_six_bar_has_the_four_assemblies_of_its_two_dyads():
    """Circle by circle with a pencil: two places for C, for each of them two for E."""
    robot = cc.load(Recipe(six_bar()))
    q = 1.1
    A, D, F = np.array([np.cos(q), np.sin(q)]), np.array([3.0, 0.0]), np.array([5.0, 1.0])
    want = [np.concatenate([E, C]) for C in circles_meet(A, 2.5, D, 2.0) for E in circles_meet(C, 2.4, F, 2.4)]
    found = cc.direct(robot, [q])
    assert len(found) == len(want) == 4
    for row in want:
        assert np.sum(np.abs(found.x - row).max(axis=-1) < 1e-14 * 5) == 1  # rounding on coordinates up to 5 m
    assert sorted(found.mode) == ["+1", "+2", "-1", "-2"]
    assert found.certified.all()


def test_a_six_bar_obeys_the_laws_of_physics():
    """Power balance, Jacobians and closures hold for two groups as for one."""
    report = cc.check(cc.load(Recipe(six_bar())), states=100)
    assert report.ok, str(report)


def test_a_six_bar_that_breaks_in_its_second_dyad_says_so():
    """C is reached at both its places, E at neither: the reason names the second dyad's bars and their gap."""
    robot = cc.load(Recipe(six_bar(e=0.9, f=0.8)))
    q = 2.6  # the crank points away from F
    A, D, F = np.array([np.cos(q), np.sin(q)]), np.array([3.0, 0.0]), np.array([5.0, 1.0])
    gaps = [np.linalg.norm(C - F) - 1.7 for C in circles_meet(A, 2.5, D, 2.0)]
    assert min(gaps) > 0
    found = cc.direct(robot, [q])
    assert len(found) == 0
    assert "C-E and F-E" in found.why()
    assert any(abs(found.reasons[0].miss - gap) < 1e-12 for gap in gaps)


def test_bodies_that_need_each_other_are_solved_together():
    """A plate on two known legs and a point on one, joined by two bars: neither comes first; every pose is proven."""
    A, B, D = Crank("q1", about=(0, 0), radius=0.5), Fixed("B", at=(3, 0)), Fixed("D", at=(1, 3))
    plate, E = Plate("plate", mass=1.0), Free("E", mass=1.0)
    P, Q, T = (plate.point(n, at=at) for n, at in (("P", (0, 0)), ("Q", (1, 0)), ("T", (0.5, 0.5))))
    bars = (Bar(A, P, 1.5), Bar(B, Q, 1.5), Bar(T, E, 1.0), Bar(Q, E, 1.1), Bar(D, E, 1.2))
    mechanism = Mechanism("knot", drives=(A,), bars=bars, output=plate)
    assert groups(mechanism) is None
    robot = cc.load(Recipe(mechanism))
    found = cc.direct(robot, [0.3])
    assert found.complete.all()
    assert found.certified.all()
    assert len(found) > 0
    assert found.residual.max() < 1e-13


def test_a_pinned_point_is_found_at_once():
    """A free point pinned to a crank's tip has one place; the next dyad builds on it."""
    A, D = Crank("q1", about=(0, 0), radius=1.0), Fixed("D", at=(3, 0))
    K, C = Free("K", mass=1.0), Free("C", mass=1.0)
    bars = (Bar(K, C, 2.5), Bar(D, C, 2.0))
    robot = cc.load(Recipe(Mechanism("pinned", drives=(A,), bars=bars, pins=(Pin(A, K),), output=C)))
    assert [(g.body.name, g.branches) for g in robot.groups] == [("K", 1), ("C", 2)]
    found = cc.direct(robot, [0.4])
    tip = np.array([np.cos(0.4), np.sin(0.4)])
    assert len(found) == 2
    for x, want in zip(found.x, circles_meet(tip, 2.5, np.array([3.0, 0.0]), 2.0), strict=True):
        np.testing.assert_allclose(x, [*want, *tip], atol=1e-14)
