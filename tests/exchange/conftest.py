"""Robots to be exchanged: every mechanism that is shipped, and some that use what no shipped one does."""

import pytest

import closedchain as cc
from closedchain import robots
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe import (
    Angle,
    Bar,
    Carried,
    Crank,
    Damper,
    Fixed,
    Free,
    Mechanism,
    Motor,
    Plate,
    Rail,
    Slider,
    Spring,
    Telescope,
)
from closedchain.describe.elements import Pin
from closedchain.describe.recipe import Recipe
from closedchain.kernels.program import run
from closedchain.model.model import Model

SHIPPED = [name for name in robots.names() if cc.load(name).mechanism is not None]
PLANAR = [name for name in SHIPPED if cc.load(name).mechanism.dimension == 2]
ODD = ("slotted", "offset", "pinned", "sprung", "reversed")


def slotted():
    """A crank's tip runs in a slot of a plate that turns about a fixed point, and a bar holds nothing else."""
    A = Crank("q1", about=(0.1, 0.3), radius=0.12, mass=0.3, point="A")
    plate = Plate("plate", mass=0.7, centre=(0.2, 0.05), inertia=0.02)
    B = plate.point("B", at=(0, 0))
    slot = plate.point("S", at=(0.1, 0.05))
    return Mechanism(
        "slotted",
        drives=(A,),
        pins=(Pin(Fixed("O", at=(0, 0)), B),),
        rails=(Rail(A, slot, along=(0.8, 0.6)),),
        output=plate,
        gravity=(0.5, -9.0),
    )


def offset():
    """A free point that carries others at fixed offsets: a platform that never turns."""
    A1 = Slider("q1", at=(-0.5, 0), along=(0.6, 0.8), mass=0.4, point="A1")
    A2 = Crank("q2", about=(0.6, 0.0), radius=0.3, mass=0.2, centre=0.1, inertia=0.003, point="A2")
    C = Free("C", mass=1.5)
    P1, P2 = Carried("P1", C, at=(-0.1, 0.02)), Carried("P2", C, at=(0.12, -0.03))
    return Mechanism(
        "offset", drives=(A1, A2), bars=(Bar(A1, P1, 0.7, mass=0.3), Bar(A2, P2, 0.6)), output=C, gravity=(0, -9.81)
    )


def pinned():
    """Two plates on one pin, with a telescope between moving points."""
    A1 = Crank("q1", about=(0, 0), radius=0.3, mass=0.2, point="A1")
    top = Plate("top", mass=1.0, centre=(0.1, 0.1), inertia=0.05)
    side = Plate("side", mass=0.5, centre=(0.0, 0.2), inertia=0.02)
    ends = {"base_mass": 0.2, "base_centre": 0.1, "base_inertia": 0.001}
    leg = Telescope("q2", Fixed("O", at=(0.8, -0.1)), top.point("T", at=(0.3, 0)), **ends)
    return Mechanism(
        "pinned",
        drives=(A1, leg),
        bars=(Bar(A1, top.point("P", at=(0, 0)), 0.6, mass=0.4, centre=0.2, inertia=0.01),),
        pins=(
            Pin(top.point("U", at=(0.1, 0.3)), side.point("V", at=(0, 0.4))),
            Pin(Fixed("G", at=(0.3, 0.9)), side.point("W", at=(0, 0))),
        ),
        output=top,
    )


def sprung():
    """A four-bar with a motor, springs and dampers on its drive, between points, and on passive angles."""
    A = Crank("q1", about=(0, 0), radius=0.1, mass=0.1, point="A")
    D, C = Fixed("D", at=(0.3, 0)), Free("C", mass=0.2)
    coupler, rocker = Angle("coupler", A, C, relative_to=A), Angle("rocker", D, C)
    return Mechanism(
        "sprung",
        drives=(A,),
        bars=(Bar(A, C, 0.3, mass=0.3), Bar(D, C, 0.25, mass=0.2)),
        output=C,
        springs=(Spring(A, 3.0, rest=0.4), Spring((D, C), 50.0, rest=0.1), Spring(rocker, 0.7, rest=1.2)),
        dampers=(Damper(A, 0.02), Damper((D, A), 0.5), Damper(coupler, 0.03)),
        motors=(Motor("q1", resistance=2.0, kt=0.05, kv=0.05, ratio=10, inertia=1e-5),),
        readouts=(coupler, rocker),
        gravity=(0, -9.81),
    )


def reversed_():
    """A crank that counts clockwise from a slanted direction, a telescope that stands on its moving end."""
    A = Crank("q1", about=(-0.2, 0.1), radius=0.25, mass=0.3, plane=((0.6, 0.8), (0.8, -0.6)), point="A")
    C = Free("C", mass=0.8)
    leg = Telescope("q2", C, Fixed("B", at=(0.7, 0.2)), base_mass=0.3, base_centre=0.1, tip_mass=0.2, tip_centre=0.05)
    return Mechanism("reversed", drives=(A, leg), bars=(Bar(C, A, 0.5, mass=0.2, centre=0.1),), output=C)


def hexapod():
    """A 6-3 Gough–Stewart platform of points and bars: the bars hang on telescopes, which spin as the tree has them."""
    feet = [(0.5, 0.1), (0.4, 0.35), (-0.2, 0.5), (-0.45, 0.2), (-0.3, -0.4), (0.2, -0.45)]
    tips = [Free(f"P{i}", mass=0.5 + 0.1 * i, dimension=3) for i in range(3)]
    legs = [
        Telescope(f"q{i}", Fixed(f"A{i}", at=(*foot, 0.0)), tips[i // 2], base_mass=0.2, base_centre=0.1, tip_mass=0.1)
        for i, foot in enumerate(feet)
    ]
    sides = tuple(Bar(tips[i - 1], tips[i], 0.4 + 0.05 * i, mass=0.1) for i in range(3))
    return Mechanism("hexapod", drives=tuple(legs), bars=sides, output=tips[0], gravity=(0, 1, -9.0))


MADE = {
    "hexapod": hexapod,
    "slotted": slotted,
    "offset": offset,
    "pinned": pinned,
    "sprung": sprung,
    "reversed": reversed_,
}
KEPT = {}


def interpreted(model, kernel, **arrays):
    """A kernel's outputs by name, as `Model.call` gives them, without compiling what is used once."""
    program = getattr(Models(Symbols(model.equations)), kernel)()
    made = run(program, *(model.p if a.name == "p" else arrays[a.name] for a in program.inputs))
    return dict(zip((a.name for a in program.outputs), made, strict=True))


@pytest.fixture
def load():
    """Return the model of a shipped robot or of one of those above, made once."""

    def one(name):
        if name not in KEPT:
            KEPT[name] = Model(Recipe(MADE[name]())) if name in MADE else cc.load(name)
        return KEPT[name]

    return one
