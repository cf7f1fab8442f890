"""Every element of the vocabulary, in mechanisms that no shipped robot has: all obey every law."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import (
    Bar,
    Carried,
    Crank,
    Fixed,
    Free,
    Mechanism,
    Pin,
    Plate,
    Rail,
    Recipe,
    Slider,
    Telescope,
)
from tests.verify.mechanisms import busy_fivebar


def two_telescopes():
    """A point on two telescopes with bodies, under gravity."""
    C = Free("C", mass=0.4)
    bodies = {"base_mass": 1.0, "base_centre": 0.1, "base_inertia": 0.02, "tip_mass": 0.5, "tip_centre": 0.2}
    legs = [Telescope(f"q{i}", Fixed(f"B{i}", at=(x, 0)), C, **bodies) for i, x in ((1, 0.0), (2, 1.0))]
    return Mechanism("vee", drives=tuple(legs), output=C, gravity=(0, -9.81))


def linear_delta():
    """Three vertical sliders, three bars with mass, a platform point with offsets: space, prismatic."""
    C = Free("C", mass=0.5, dimension=3)
    arms, bars = [], []
    for i, a in enumerate(np.array([0.1, 2.2, 4.3]), start=1):
        out = (float(np.cos(a)), float(np.sin(a)), 0.0)
        arm = Slider(f"q{i}", at=tuple(0.5 * c for c in out), along=(0, 0, 1), mass=0.3)
        arms.append(arm)
        bars.append(Bar(arm, Carried(f"P{i}", C, at=tuple(0.1 * c for c in out)), 0.8, mass=0.2, centre=0.3))
    return Mechanism("lineardelta", drives=tuple(arms), bars=tuple(bars), output=C, gravity=(0, 0, -9.81))


def pinned_plate():
    """A plate pinned to a crank and guided by a bar: a four-bar whose coupler is a body."""
    A, D = Crank("q1", about=(0, 0), radius=0.3, mass=0.5, point="A"), Fixed("D", at=(1.0, 0))
    plate = Plate("coupler", mass=1.0, centre=(0.3, 0.1), inertia=0.05)
    P, Q = plate.point("P", at=(0, 0)), plate.point("Q", at=(0.8, 0))
    return Mechanism(
        "coupler",
        drives=(A,),
        bars=(Bar(D, Q, 0.7, mass=0.4),),
        pins=(Pin(A, P),),
        output=plate,
        gravity=(0, -9.81),
    )


def slotted_plate():
    """A crank's point in a slot of a plate that two bars hold."""
    A, B, D = Crank("q1", about=(0, 0), radius=0.2, mass=0.5, point="A"), Fixed("B", at=(1, 0)), Fixed("D", at=(0.2, 1))
    plate = Plate("plate", mass=1.0, centre=(0.1, 0.1), inertia=0.05)
    T, Q, P = (plate.point(n, at=at) for n, at in (("T", (0.1, 0.0)), ("Q", (0.5, 0)), ("P", (0, 0.4))))
    bars = (Bar(B, Q, 0.8), Bar(D, P, 0.9))
    return Mechanism("slot", drives=(A,), bars=bars, rails=(Rail(A, T, along=(0.6, 0.8)),), output=plate)


def plate_after_point():
    """A dyad carries one corner's leg of a plate: a point is found first, a plate on three legs second."""
    A, D = Crank("q1", about=(0, 0), radius=0.3, mass=0.5, point="A"), Fixed("D", at=(1.0, 0))
    S = Slider("q2", at=(0, 2.0), along=(1, 0), mass=0.4, point="S")
    K = Free("K", mass=0.2)
    plate = Plate("plate", mass=1.0, inertia=0.1)
    P1, P2, P3 = (plate.point(f"P{i}", at=at) for i, at in enumerate(((0, 0), (0.6, 0), (0.2, 0.5)), start=1))
    leg = Telescope("q3", Fixed("E", at=(2.0, 1.0)), P2, tip_mass=0.3, tip_centre=0.1)
    bars = (Bar(A, K, 0.9), Bar(D, K, 0.8), Bar(K, P1, 1.0, mass=0.3), Bar(S, P3, 0.9))
    return Mechanism("tower", drives=(A, S, leg), bars=bars, output=plate)


def two_rails():
    """A point on a rail of its own, moved by a slider's bar; and a slanted rail."""
    A, C, O = Slider("q1", at=(0, 0), along=(1, 0), mass=0.5, point="A"), Free("C", mass=1.0), Fixed("O", at=(0, 0.2))
    rails = (Rail(C, O, along=(0.6, 0.8), name="rail"),)
    return Mechanism("tongs", drives=(A,), bars=(Bar(A, C, 0.5, mass=0.2),), rails=rails, output=C, gravity=(0, -9.81))


MAKERS = [two_telescopes, linear_delta, pinned_plate, slotted_plate, plate_after_point, busy_fivebar, two_rails]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_any_mechanism_of_the_vocabulary_obeys_every_law(make):
    """Jacobians, power balance, geometry on all branches, one and many."""
    report = cc.check(cc.load(Recipe(make())), states=150)
    assert report.ok, str(report)
    assert any(row.law.startswith("power balance") for row in report.rows)


@pytest.mark.parametrize("make", [two_telescopes, linear_delta, plate_after_point, busy_fivebar, two_rails])
def test_their_geometry_is_found_in_closed_form(make):
    """The two laws of geometry are among those tried."""
    laws = [row.law for row in cc.check(cc.load(Recipe(make())), states=50).rows]
    assert "direct geometry finds the configuration" in laws
    assert "inverse geometry finds the configuration" in laws
