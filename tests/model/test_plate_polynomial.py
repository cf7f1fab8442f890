"""The polynomial of a plate's angle: the reference's coefficients and complex roots, and those built by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Plate, Recipe
from closedchain.model.plate_polynomial import angle_polynomials, roots
from closedchain.model.sampling import sample

DATA = json.loads((Path(__file__).parents[1] / "data" / "three_circles.json").read_text(encoding="utf-8"))["triplate"]


@pytest.mark.parametrize("case", DATA["cases"][::4], ids=lambda case: f"{case['q'][0]:.2f},{case['q'][1]:.2f}")
def test_the_triplate_has_the_reference_polynomial_and_all_its_complex_roots(case):
    """Coefficients and six roots as at 30 digits (TRUTH.md §2); the real ones are the poses' tan(φ/2)."""
    (found,) = angle_polynomials(cc.load("triplate"), case["q"])
    assert (found.plate, found.angle, found.degree) == ("plate", "phi", 6)
    np.testing.assert_allclose(found.coefficients, case["sextic"], rtol=1e-11, atol=1e-12)
    real = np.tan(np.array(case["poses"])[:, 2] / 2)
    expected = np.concatenate([real, np.array(case["complex_t"]).reshape(-1, 2) @ [1, 1j]])
    away = np.abs(found.roots[:, None] - expected)
    assert (away.min(axis=0) < 1e-9).all()  # drives are rounded; the roots are conditioned up to 1e3
    assert (away.min(axis=1) < 1e-9).all()


@pytest.mark.parametrize("name", ["rpr3", "rrr3", "triplate"])
def test_real_roots_are_the_direct_solutions_of_any_plate_on_three_legs(name):
    """At a random state, by another way: 2 atan t of the real roots are the angles that `direct` gives."""
    robot = cc.load(name)
    q = sample(robot, 1, seed=4).q[0]
    (found,) = angle_polynomials(robot, q)
    angles = sorted(2 * np.arctan(found.roots[found.roots.imag == 0].real))
    np.testing.assert_allclose(angles, cc.direct(robot, q).x[:, 2], atol=1e-8)


def test_roots_of_a_polynomial_made_from_its_roots_come_back():
    """(t + 1)(t − 2)(t² − 2t + 5), with a leading zero: two real roots and 1 ± 2i, by real part."""
    made = np.concatenate([[0.0], np.poly([-1, 2, 1 + 2j, 1 - 2j]).real])
    np.testing.assert_allclose(roots(made), [-1, 1 - 2j, 1 + 2j, 2], atol=1e-14)


def test_a_plate_behind_a_point_has_a_polynomial_for_each_place_of_the_point():
    """A four-bar's joint C stands in two places; the plate on C and two cranks has a polynomial for each."""
    A, D = Crank("q1", about=(0, 0), radius=1.0), Fixed("D", at=(3, 0))
    E = Crank("q2", about=(6, 0), radius=1.0)
    F = Crank("q3", about=(4, 5), radius=1.0)
    C = Free("C", mass=1.0)
    plate = Plate("plate", mass=1.0, inertia=1.0)
    P = [plate.point(f"P{i}", at=at) for i, at in enumerate(((0, 0), (1, 0), (0.5, 1)))]
    bars = (Bar(A, C, 2.5), Bar(D, C, 2.0), Bar(C, P[0], 2.0), Bar(E, P[1], 2.5), Bar(F, P[2], 3.0))
    robot = cc.load(Recipe(Mechanism("chain", drives=(A, E, F), bars=bars, output=plate)))
    found = angle_polynomials(robot, [1.0, 2.0, -1.5])
    assert len(found) == 2
    angles = [2 * np.arctan(t.real) for one in found for t in one.roots if t.imag == 0]
    np.testing.assert_allclose(sorted(angles), sorted(cc.direct(robot, [1.0, 2.0, -1.5]).x[:, 2]), atol=1e-9)


def test_bodies_that_need_each_other_have_none():
    """Two plates, each on a crank and a fixed bar, joined by two bars: neither is found from known points alone."""
    plates = [Plate(name, mass=1.0, inertia=1.0) for name in ("left", "right")]
    left, right = (
        [p.point(f"{p.name}{i}", at) for i, at in enumerate(((0, 0), (1, 0), (0, 1), (1, 1)))] for p in plates
    )
    A, B = Crank("q1", about=(0, 0), radius=1.0), Crank("q2", about=(6, 0), radius=1.0)
    C, D = Fixed("C", at=(0, 4)), Fixed("D", at=(6, 4))
    bars = (Bar(A, left[0], 2.0), Bar(C, left[2], 2.0), Bar(B, right[0], 2.0), Bar(D, right[2], 2.0))
    bars += (Bar(left[1], right[1], 2.0), Bar(left[3], right[3], 2.0))
    robot = cc.load(Recipe(Mechanism("pair", drives=(A, B), bars=bars, output=plates[0])))
    assert angle_polynomials(robot, [0.0, 0.0]) == ()


def test_points_have_no_polynomial():
    """A biglide's tip is found by two circles."""
    assert angle_polynomials(cc.load("biglide"), [0, 0]) == ()
