"""Which loops a bar's own force tells."""

import numpy as np
import pytest

from closedchain.exchange.tree import GROUND, Body, Frame, Joint, Link, Loop, Tree, Twist
from closedchain.verify.cuts import _alone

X, Y = np.eye(3)[:2]
TIP, CORNER = Frame("tip", "bar", X), Frame("corner", GROUND, Y)
SPRING = {"links": (Link("spring", CORNER, TIP, stiffness=1.0),)}
ANGLE = {"twists": (Twist("angle", (CORNER, TIP), stiffness=1.0),)}


@pytest.mark.parametrize(
    ("acting", "joint", "alone"),
    [
        ({}, {}, True),
        (SPRING, {}, False),
        (ANGLE, {}, False),
        ({}, {"stiffness": 1.0}, False),
        ({}, {"damping": 1.0}, False),
    ],
)
def test_a_bar_on_which_something_else_acts_does_not_tell_the_loop_s_force(acting, joint, alone):
    """A spring that ends where the loop does, or on the bar's angle, shares the force with it."""
    bodies = (
        Body("arm", GROUND, 2 * X, joints=(Joint("a", "hinge"),), mass=1.0),
        Body("bar", GROUND, joints=(Joint("b", "hinge", **joint),), mass=1.0),
    )
    loop = Loop("meeting", "point", Frame("far", "arm", -X), TIP)
    assert _alone(Tree("pair", bodies, loops=(loop,), **acting), loop, "bar") is alone


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize(("off", "alone"), [(1e-15, False), (1e-3, True)])
def test_what_hangs_at_the_loop_is_there_to_rounding_at_any_size(length, off, alone):
    """A rod on the bar's tip, its place found by another sum, shares the force; a thousandth beside it, not."""
    bodies = (
        Body("arm", GROUND, 2 * length * X, joints=(Joint("a", "hinge"),), mass=1.0),
        Body("bar", GROUND, joints=(Joint("b", "hinge"),), mass=1.0),
        Body("rod", "bar", (1 + off) * length * X, joints=(Joint("c", "hinge"),), mass=1.0),
    )
    loop = Loop("meeting", "point", Frame("far", "arm", -length * X), Frame("tip", "bar", length * X))
    assert _alone(Tree("three", bodies, loops=(loop,)), loop, "bar") is alone
