"""A mechanism is checked when it is made: each fault is one BadMechanism that names the element and the fault."""

import math

import pytest

from closedchain.describe import (
    Angle,
    BadMechanism,
    BadParameter,
    Bar,
    Carried,
    Crank,
    Damper,
    Fixed,
    Free,
    Mechanism,
    Motor,
    Parameter,
    Pin,
    Plate,
    Rail,
    Slider,
    Spring,
    Telescope,
)
from closedchain.describe.expressions import Symbol, evaluate

l = Parameter(0.36, "m", name="l")
A1 = Slider("q1", at=(-0.2, 0), along=(0, 1), point="A1")
A2 = Slider("q2", at=(0.2, 0), along=(0, 1), point="A2")
O, D = Fixed("O", (0, -1)), Fixed("D", (1, -1))
C = Free("C", mass=3)
BARS = (Bar(A1, C, l), Bar(A2, C, l))
PLATE = Plate("plate")
P, Q = PLATE.point("P", (0, 0)), PLATE.point("Q", (1, 0))


def glide(name="glide", drives=(A1, A2), output=C, bars=BARS, **more):
    """Two sliders, two bars, one tip, and whatever a test adds."""
    return Mechanism(name, drives=drives, output=output, bars=bars, **more)


FAULTS = {
    "idle drive": (
        lambda: glide(drives=(A1, A2, Slider("q3", at=(0, 0), along=(1, 0), point="A3"))),
        "slider q3",
        "moves nothing",
    ),
    "wild name": (lambda: glide(name="2 glide"), "name", "a letter followed by"),
    "wild point": (lambda: glide(bars=(*BARS, Bar(O, Free("C'"), 1))), "C'", "a letter followed by"),
    "two points": (lambda: glide(bars=(Bar(A1, C, l), Bar(Fixed("A1", (1, 1)), C, l))), "A1", "two points"),
    "point like a plate": (lambda: glide(bars=(*BARS, Bar(Fixed("plate", (0, 0)), P, 1))), "plate", "two points"),
    "two closures": (lambda: glide(bars=(Bar(A1, C, l), Bar(A1, C, 1))), "A1-C", "two closures"),
    "two coordinates": (lambda: glide(readouts=(Angle("q1", A1, C),)), "q1", "two coordinates"),
    "drive like x": (lambda: glide(drives=(A1, A2, Crank("x", (0, 0), 1))), "x", "two coordinates"),
    "readout like x": (lambda: glide(readouts=(Angle("y", A1, C),)), "y", "two coordinates"),
    "parameter like a drive": (lambda: glide(bars=(Bar(A1, C, Parameter(1, name="q1")), BARS[1])), "q1", "a parameter"),
    "parameter like a rate": (lambda: glide(parameters=(l, Parameter(1, name="x_dot"))), "x_dot", "a parameter"),
    "motor on nothing": (lambda: glide(motors=(Motor("q9", 1, 1, 1),)), "motor q9", "no such drive; there are q1, q2"),
    "two motors": (lambda: glide(motors=(Motor("q1", 1, 1, 1), Motor("q1", 2, 1, 1))), "motor q1", "two motors"),
    "spring on a stray drive": (
        lambda: glide(springs=(Spring(Crank("q3", (0, 0), 1), 1),)),
        "q3",
        "not among the drives",
    ),
    "damper on a stray drive": (
        lambda: glide(dampers=(Damper(Crank("q3", (0, 0), 1), 1),)),
        "q3",
        "not among the drives",
    ),
    "angle from a stray crank": (
        lambda: glide(readouts=(Angle("w", A1, C, relative_to=Crank("q3", (0, 0), 1)),)),
        "q3",
        "not among the drives",
    ),
    "bar from a stray drive": (lambda: glide(drives=(A1,)), "q2", "not among the drives"),
    "bar to itself": (lambda: glide(bars=(BARS[0], Bar(C, C, 1))), "bar C-C", "from C to itself"),
    "pin to itself": (lambda: glide(pins=(Pin(C, C),)), "pin C=C", "from C to itself"),
    "rail to itself": (lambda: glide(rails=(Rail(C, C, (1, 0)),)), "rail C|C", "from C to itself"),
    "telescope to itself": (lambda: glide(drives=(A1, A2, Telescope("r", C, C))), "telescope r", "from C to itself"),
    "spring to itself": (lambda: glide(springs=(Spring((C, C), 1),)), "spring C-C", "from C to itself"),
    "damper to itself": (lambda: glide(dampers=(Damper((C, C), 1),)), "damper C-C", "from C to itself"),
    "angle to itself": (lambda: glide(readouts=(Angle("w", C, C),)), "angle w", "from C to itself"),
    "bar on the ground": (lambda: glide(bars=(BARS[0], Bar(O, D, 1))), "bar O-D", "both held by the ground"),
    "bar on a plate": (lambda: glide(bars=(*BARS, Bar(P, Q, 1))), "bar P-Q", "both held by plate"),
    "bar on one point": (lambda: glide(bars=(*BARS, Bar(C, Carried("H", C, (1, 0)), 1))), "bar C-H", "both held by C"),
    "bar between drives": (lambda: glide(bars=(BARS[0], Bar(A1, A2, 1))), "bar A1-A2", "joins no free point"),
    "long vector": (lambda: glide(bars=(BARS[0], Bar(Fixed("Z", (0, 0, 0)), C, 1))), "fixed Z.at", "3 numbers where 2"),
    "flat crank in space": (
        lambda: Mechanism(
            "s", drives=(a := Crank("q", (0, 0, 0), 1),), output=(c := Free("C", dimension=3)), bars=(Bar(a, c, 1),)
        ),
        "crank q.plane",
        "2 numbers where 3",
    ),
    "mixed dimensions": (lambda: glide(bars=(*BARS, Bar(O, Free("Z", dimension=3), 1))), "free Z", "has dimension 3"),
    "long centre": (lambda: Mechanism("m", (A1,), Plate("p", centre=(0, 0, 0))), "plate p.centre", "3 numbers where 2"),
    "long gravity": (lambda: glide(gravity=(0, 0, -9.81)), "gravity", "3 numbers where 2"),
    "angle in space": (
        lambda: Mechanism(
            "s",
            drives=(a := Slider("q", (0, 0, 0), (0, 0, 1)),),
            output=(c := Free("C", dimension=3)),
            bars=(Bar(a, c, 1), Bar(Fixed("O", (0, 1, 0)), c, 1), Bar(Fixed("D", (1, 0, 0)), c, 1)),
            readouts=(Angle("w", a, c),),
        ),
        "output",
        "of the plane",
    ),
    "zero length": (lambda: glide(bars=(BARS[0], Bar(A2, C, 0))), "bar A2-C.length", "= 0, but it must be positive"),
    "negative length": (lambda: glide(bars=(BARS[0], Bar(A2, C, -l))), "bar A2-C.length", "= -0.36, but"),
    "zero radius": (lambda: glide(drives=(A1, A2, Crank("t", (0, 0), 0))), "crank t.radius", "must be positive"),
    "no resistance": (lambda: glide(motors=(Motor("q1", 0, 1, 1),)), "motor q1.resistance", "must be positive"),
    "negative mass": (lambda: glide(bars=(BARS[0], Bar(A2, C, l, mass=-1))), "bar A2-C.mass", "= -1, but a mass"),
    "negative inertia": (
        lambda: glide(bars=(BARS[0], Bar(A2, C, l, inertia=-1))),
        "bar A2-C.inertia",
        "never negative",
    ),
    "negative body": (
        lambda: glide(drives=(A1, A2, Telescope("r", O, C, tip_mass=-1))),
        "telescope r.tip_mass",
        "= -1",
    ),
    "negative stiffness": (lambda: glide(springs=(Spring(A1, -1),)), "spring q1.stiffness", "must not be negative"),
    "negative damping": (lambda: glide(dampers=(Damper(A1, -1),)), "damper q1.damping", "must not be negative"),
    "unknown symbol": (lambda: glide(bars=(BARS[0], Bar(A2, C, Symbol("w")))), "bar A2-C.length", "uses 'w'"),
    "not finite": (lambda: glide(bars=(BARS[0], Bar(A2, C, 1 / (l - l)))), "bar A2-C.length", "is not a finite number"),
    "infinite": (lambda: glide(gravity=(0, -math.inf)), "gravity", "-inf is not a finite number"),
    "slanted": (
        lambda: glide(drives=(A1, A2, Slider("s", (0, 0), (1, 1)))),
        "slider s.along",
        "length 1.41421; divide",
    ),
    "slanted rail": (lambda: glide(rails=(Rail(C, O, (0, 2)),)), "rail C|O.along", "length 2; divide"),
    "skew plane": (
        lambda: glide(drives=(A1, A2, Crank("t", (0, 0), 1, plane=((1, 0), (0.6, 0.8))))),
        "crank t.plane",
        "not perpendicular",
    ),
    "no drive": (lambda: Mechanism("n", (), C, bars=(Bar(O, C, 1), Bar(D, C, 1))), "drives", "at least one slider"),
    "under-constrained": (lambda: glide(bars=BARS[:1]), "closures", "1 closures hold 2 coordinates of C; add 1"),
    "over-constrained": (
        lambda: glide(bars=(*BARS, Bar(O, C, 1))),
        "closures",
        "3 closures hold 2 coordinates of C; remove 1",
    ),
}


@pytest.mark.parametrize("make, where, words", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_named_with_its_element(make, where, words):
    """What, where, how much and what to do, in one line."""
    with pytest.raises(BadMechanism) as caught:
        make()
    assert where in caught.value.where
    assert words in caught.value.problem
    assert str(caught.value).isprintable()


def test_the_mechanism_that_is_broken_above_is_whole():
    """Otherwise every fault would be found for the wrong reason."""
    assert [p.name for p in glide().parameters] == ["l"]
    assert glide().coordinate_names == ("q1", "q2", "x", "y")


def test_new_values_are_checked_like_the_first():
    """A parameter set can break what the defaults do not."""
    glide().check_values({"l": 0.5})
    with pytest.raises(BadMechanism, match=r"bar A1-C\.length: = -1"):
        glide().check_values({"l": -1.0})


def test_parameters_in_a_circle_are_no_mechanism():
    """Found before any length is computed."""
    a, b = Parameter(0.0, name="a"), Parameter(0.0, name="b")
    a.value, b.value = b + 1, a + 1
    with pytest.raises(BadParameter, match="circle"):
        glide(bars=(Bar(A1, C, a), Bar(A2, C, b)))


def test_other_bodies_carry_their_names_in_their_coordinates():
    """x, y are the output's; a second free point has x_D2, y_D2; a plate adds phi."""
    E = Free("E")
    more = glide(bars=(*BARS, Bar(O, E, 1), Bar(C, E, 1), Bar(O, P, 1), Bar(E, Q, 1), Bar(C, P, 1, name="third")))
    assert more.coordinate_names == ("q1", "q2", "x", "y", "x_E", "y_E", "x_plate", "y_plate", "phi_plate")


def test_rods_are_uniform_unless_told():
    """Centre l/2, inertia m l²/12, about the centre; the same for a crank."""
    bar, crank = Bar(A1, C, l, mass=2), Crank("t", (0, 0), l, mass=2)
    for body in (bar, crank):
        assert evaluate(body.centre, {"l": 0.36}) == 0.18
        assert evaluate(body.inertia, {"l": 0.36}) == pytest.approx(2 * 0.36**2 / 12, rel=1e-15)


def test_a_crank_may_be_given_its_pivot_as_a_point():
    """A = about + radius (cos q, sin q)."""
    tip = Crank("t", Fixed("O", (1, 2)), 3).position(Symbol("t"))
    assert [evaluate(e, {"t": math.pi / 2}) for e in tip] == pytest.approx([1.0, 5.0], abs=1e-15)


@pytest.mark.parametrize("k, mass, where", [(1e-9, 1.0, "size"), (1.0, 1e-12, "mass")])
def test_what_is_smaller_than_was_tried_is_refused_with_the_reason(k, mass, where):
    """A slider-crank of nanometres, or of nanograms; one of micrometres and micrograms is taken."""

    def slidercrank(k, mass):
        A, C, O = Crank("q", about=(0, 0), radius=k, mass=mass, point="A"), Free("C", mass=mass), Fixed("O", at=(0, 0))
        return Mechanism("tiny", (A,), C, bars=(Bar(A, C, 3 * k),), rails=(Rail(C, O, along=(1, 0)),))

    with pytest.raises(BadMechanism, match="no numbers were tried") as caught:
        slidercrank(k, mass)
    assert caught.value.where == where
    assert slidercrank(1e-6, 1e-9).name == "tiny"
