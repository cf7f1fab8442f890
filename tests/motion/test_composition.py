"""Motions one after another, side by side, and a path with its timing."""

import numpy as np
import pytest
import sympy as sp

from closedchain.errors import BadInput
from closedchain.motion import (
    along,
    arc,
    constant_velocity,
    piecewise,
    polynomial,
    quintic,
    rest,
    segment,
    spline,
    stack,
)

RATES = ("x", "x_dot", "x_ddot", "x_dddot")


def test_parts_follow_each_other_in_time():
    """Out, wait, back: the second and third begin where the ones before them end."""
    out, wait, back = quintic([0.0], [1.0], 2.0), rest([1.0], 0.5), quintic([1.0], [0.0], 1.0)
    whole = piecewise([out, wait, back])
    assert (whole.start, whole.duration) == (0.0, 3.5)
    np.testing.assert_array_equal(whole.breaks, [0.0, 2.0, 2.5, 3.5])
    np.testing.assert_allclose(whole([1.0, 2.2, 3.0, 9.0]).x[:, 0], [0.5, 1.0, 0.5, 0.0], atol=1e-15)
    np.testing.assert_allclose(whole(3.0).x_dot, back(0.5).x_dot, rtol=1e-15)


def test_continuity_is_reported_as_far_as_it_goes():
    """Quintics at rest meet with accelerations, not with jerks; two halves of one polynomial meet with all."""
    assert piecewise([quintic([0.0], [1.0], 2.0), quintic([1.0], [0.0], 1.0)]).continuity == 2
    assert piecewise([constant_velocity([0.0], [1.0], 1.0), rest([1.0], 1.0)], continuity=0).continuity == 0
    law = [0.0, 1.0, -2.0, 3.0, 1.0]
    p = np.polynomial.Polynomial(law)
    halves = [[(t, k, [p.deriv(k)(t) if k else p(t)]) for k in range(4)] for t in (0.0, 1.0, 2.0)]
    both = piecewise([polynomial(halves[0] + halves[1]), polynomial(halves[1] + halves[2])], continuity=3)
    assert both.continuity == 3


@pytest.mark.parametrize("order, name", [(0, "position"), (1, "velocity"), (2, "acceleration")])
def test_a_jump_below_the_claimed_continuity_is_named(order, name):
    """Which derivative, between which parts, by how much."""
    end = [0.0, 0.0, 0.0]
    end[order] = 0.25
    first = polynomial([(0.0, k, [0.0]) for k in range(3)] + [(1.0, k, [end[k]]) for k in range(3)])
    with pytest.raises(BadInput, match=f"between parts 0 and 1 the {name} jumps by 0.25"):
        piecewise([first, rest([0.0], 1.0)], continuity=2)
    assert piecewise([first, rest([0.0], 1.0)], continuity=order - 1).continuity == order - 1


def test_coordinates_side_by_side():
    """Each keeps its own law."""
    a, b = quintic([0.0], [1.0], 2.0), constant_velocity([3.0], [1.0], 2.0, blend=0.5)
    both = stack([a, b])
    assert both.dimension == 2
    np.testing.assert_array_equal(both.breaks, [0.0, 0.5, 1.5, 2.0])
    for name in RATES:
        np.testing.assert_array_equal(getattr(both(0.7), name), [*getattr(a(0.7), name), *getattr(b(0.7), name)])


def test_the_chain_rule_up_to_the_jerk_is_sympys():
    """A quarter circle run through by a quintic."""
    t = sp.symbols("t")
    r = t / 2
    s = 10 * r**3 - 15 * r**4 + 6 * r**5
    exact = [
        sp.Rational(1, 10) * sp.cos(sp.pi / 2 * s + sp.Rational(1, 5)),
        sp.Rational(1, 10) * sp.sin(sp.pi / 2 * s + sp.Rational(1, 5)),
    ]
    motion = along(arc([0.0, 0.0], 0.1, angle=0.2, turns=0.25), quintic([0.0], [1.0], 2.0))
    for at in (0.3, 1.0, 1.9):
        for order, name in enumerate(RATES):
            want = [float(sp.diff(e, t, order).subs(t, sp.Rational(at)).evalf(25)) for e in exact]
            np.testing.assert_allclose(getattr(motion(at), name), want, rtol=0, atol=1e-14)


def test_breaks_of_a_path_appear_where_the_timing_passes_them():
    """A spline's knot at s = 0.3 under s = t/2 is at t = 0.6."""
    path = spline([[0.0], [1.0], [0.5]], [0.0, 0.3, 1.0])
    motion = along(path, constant_velocity([0.0], [1.0], 2.0))
    np.testing.assert_allclose(motion.breaks, [0.0, 0.6, 2.0], rtol=1e-15)


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: along(segment([0.0], [1.0]), quintic([0.0], [2.0], 1.0)), "leaves the path"),
        (lambda: along(segment([0.0], [1.0]), quintic([0.0, 0.0], [1.0, 1.0], 1.0)), "one coordinate"),
        (lambda: piecewise([]), "no trajectory"),
        (lambda: piecewise([rest([0.0], 1.0), rest([0.0, 0.0], 1.0)]), r"\[1, 2\] coordinates"),
        (
            lambda: piecewise([rest([0.0], 1.0), rest([0.0], 1.0, space="joint")]),
            "output space and some in joint space",
        ),
        (lambda: piecewise([rest([0.0], 1.0)], continuity=4), "from -1"),
        (lambda: stack([rest([0.0], 1.0), rest([0.0], 2.0)]), "the same time"),
    ],
)
def test_what_does_not_fit_together_is_refused(make, says):
    """One clear error for each."""
    with pytest.raises(BadInput, match=says):
        make()
