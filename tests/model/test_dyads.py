"""All assemblies of what reduces to dyads, and honesty about the rest."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Fixed, Free, Mechanism, Pin, Plate, Rail, Recipe, Slider
from closedchain.describe.expressions import evaluate
from closedchain.errors import BadInput, NoSolution
from closedchain.model.assembling import assemble
from closedchain.model.dyads import assemblies


def load(mechanism):
    """As shipped ones are loaded."""
    return cc.load(Recipe(mechanism))


def uneven(N):
    """Windows whose uprights differ, so that every circle meets the next in two points."""
    A = [Fixed(f"A{i}", at=(i, 0)) for i in range(N + 1)]
    B = [Free(f"B{i}", mass=1.0) for i in range(N + 1)]
    bars = [Bar(a, b, 1 + 0.05 * i) for i, (a, b) in enumerate(zip(A, B, strict=True))]
    bars += [Bar(B[i - 1], B[i], 1) for i in range(1, N + 1)]
    return load(Mechanism("uneven", drives=(), bars=tuple(bars), output=B[0], linkage=True))


def test_four_uneven_windows_have_every_combination_that_closes():
    """Against a search from random guesses with the first point held: the same set of configurations."""
    model = uneven(3)
    found = assemblies(model, {"B0": (0.6, 0.8)})
    assert found.complete
    assert len(set(found.signs)) == len(found) > 4
    rng, seen = np.random.default_rng(0), []
    for _ in range(200):
        guess = {c.name: v for c, v in zip(model.equations.x, rng.uniform(-1, 4, 8), strict=True)}
        guess |= {"x": 0.6, "y": 0.8}
        reached = assemble(model, guess, held=("x", "y"))
        if reached.converged and not any(np.abs(reached.z - z).max() < 1e-6 for z in seen):
            seen.append(reached.z)
    assert len(seen) == len(found)
    for z in seen:
        assert np.abs(found.z - z).max(axis=-1).min() < 1e-9


def test_the_squeezers_assemblies_are_those_of_its_direct_geometry():
    """Eight, found by other code, from the crank's angle."""
    model = cc.load("squeezer")
    q = [-0.06171389001427645]
    found, poses = assemblies(model, q=q), cc.direct(model, q)
    assert found.order == ("E", "G", "H", "D")
    assert len(found) == len(poses) == 8
    for x in poses.x:
        assert np.abs(found.z[:, 1:] - x).max(axis=-1).min() < 1e-14


def test_equal_windows_touch_and_meet_where_circles_are_one():
    """From B0 at 3-4-5 one sign leads to the row of parallelograms; circles that only touch give one place, "0"."""
    found = assemblies(cc.load("nfourbar:2"), {"B0": (0.6, 0.8)})
    assert found.complete
    assert any(np.allclose(z, [0.6, 0.8, 1.6, 0.8, 2.6, 0.8]) for z in found.z)
    assert "+0" in found.signs


def test_two_equal_circles_are_not_claimed_to_be_complete():
    """B0 above the second foot: its coupler's circle is the second upright's own."""
    found = assemblies(cc.load("nfourbar:1"), {"B0": (1.0, 0.0)})
    assert not found.complete
    assert "B1 could be anywhere" in found.message


def test_without_a_known_point_nothing_begins():
    """A row of four-bars that may stand anywhere; a plate on two bars and a rail is found, though not by circles."""
    found = assemblies(cc.load("nfourbar:2"))
    assert found.left == ("B0", "B1", "B2")
    assert len(found) == 0
    bars, plate = on_bars(2)
    rail = Rail(plate.point("T", at=(0.5, 0.5)), Fixed("O", at=(0, 1)), along=(1, 0))
    found = assemblies(load(Mechanism("sextic", drives=(), bars=bars, rails=(rail,), output=plate, linkage=True)))
    assert found.left == ()
    assert found.complete
    assert len(found) > 0
    for x, y, phi in found.z:
        height = y + 0.5 * np.sin(phi) + 0.5 * np.cos(phi)
        far = np.hypot(x + np.cos(phi) - 2.0, y + np.sin(phi))
        np.testing.assert_allclose([height, np.hypot(x, y), far], [1.0, 1.0, 1.0], atol=1e-12)


def on_bars(count):
    """A plate on bars of a metre, and those bars."""
    plate = Plate("plate", mass=1.0)
    ends = (((0, 0), (0, 0)), ((2, 0), (1, 0)), ((1, 2), (0, 1)))[:count]
    return tuple(Bar(Fixed(f"A{i}", at=at), plate.point(f"P{i}", at=p), 1.0) for i, (at, p) in enumerate(ends)), plate


def test_a_plate_on_three_bars_is_found_by_its_circles():
    """Every pose, each closed to rounding, with a sign of its own or shared."""
    bars, plate = on_bars(3)
    found = assemblies(load(Mechanism("triad", drives=(), bars=bars, output=plate, linkage=True)))
    x, y, phi = found.z.T
    assert found.complete
    assert len(found) >= 2
    for bar in bars:
        (u, v), (a, b) = (tuple(float(evaluate(e, {})) for e in p.at) for p in (bar.b, bar.a))
        away = x + u * np.cos(phi) - v * np.sin(phi) - a, y + u * np.sin(phi) + v * np.cos(phi) - b
        np.testing.assert_allclose(np.hypot(*away), 1.0, atol=1e-13)


def test_circles_that_do_not_meet_are_told():
    """Bars of 0.4 m over feet 1 m apart."""
    C = Free("C", mass=1.0)
    bars = (Bar(Fixed("A", at=(0, 0)), C, 0.4), Bar(Fixed("B", at=(1, 0)), C, 0.4))
    model = load(Mechanism("short", drives=(), bars=bars, output=C, linkage=True))
    found = assemblies(model)
    assert len(found) == 0
    assert "hold C do not meet" in found.message


def test_rails_pins_and_sliders_are_known_too():
    """A bar from a slider to a point on a vertical line, Pythagoras both ways; a pinned point has no choice."""
    A = Slider("q", at=(0, 0), along=(1, 0), mass=1.0, point="A")
    C, D = Free("C", mass=1.0), Free("D", mass=1.0)
    rail = Rail(C, Fixed("O", at=(0, 0)), along=(0, 1))
    mechanism = Mechanism(
        "rail", drives=(A,), bars=(Bar(A, C, 0.5),), rails=(rail,), pins=(Pin(C, D),), output=C, linkage=True
    )
    found = assemblies(load(mechanism), q=[0.3])
    assert found.complete
    np.testing.assert_allclose(np.sort(found.z[:, 2]), [-0.4, 0.4], atol=1e-15)
    np.testing.assert_allclose(found.z[:, 1:3], found.z[:, 3:], atol=1e-16)


def test_too_many_are_refused_not_listed():
    """2¹³ of them are more than 4096."""
    with pytest.raises(NoSolution, match="more than 4096 assemblies"):
        assemblies(uneven(40), {"B0": (0.6, 0.8)})
    with pytest.raises(BadInput, match="no free point 'Q'"):
        assemblies(uneven(1), {"Q": (0, 0)})
