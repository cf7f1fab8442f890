"""`check` knows friction, stops and preloads: right ones hold, and slightly wrong ones are told."""

import pytest

from closedchain.describe import Angle, Bar, Fixed, Free, Friction, Mechanism, Recipe, Slider, Spring, Stop
from closedchain.model.model import Model
from closedchain.verify.laws import check
from tests.planted_faults import plant


@pytest.fixture(scope="module")
def dry():
    """The biglide with everything that acts: on drives, between points, on an angle."""
    A1, A2 = (Slider(f"q{i}", at=(x, 0), along=(0, 1), mass=1.0) for i, x in ((1, -0.2), (2, 0.2)))
    C, E = Free("C", mass=3.0), Fixed("E", (0.1, 0.9))
    leg = Angle("phi", A1, C)
    stribeck = Friction(A1, coulomb=2.0, static=3.0, stribeck=0.5, viscous=0.3, width=1e-2)
    return Mechanism(
        "dry",
        (A1, A2),
        C,
        bars=(Bar(A1, C, 0.36), Bar(A2, C, 0.36)),
        springs=(
            Spring(A1, preload=3.0),
            Spring((C, E), stiffness=20.0, rest=0.1, preload=1.0),
            Spring(leg, preload=0.3),
        ),
        frictions=(
            stribeck,
            Friction(A2, coulomb=1.0),
            Friction(leg, coulomb=0.2, width=0.1),
            Friction((C, E), coulomb=0.5),
        ),
        stops=(
            Stop(A1, low=-0.1, high=0.2, stiffness=1e3, loss=0.5),
            Stop(leg, low=-0.1, high=0.5, stiffness=1e2, loss=0.5),
        ),
        readouts=(leg,),
        gravity=(0, -9.81),
    )


def test_every_law_holds_where_everything_acts(dry):
    """Power balance with what friction and stops take, and friction as its laws have it."""
    report = check(Model(Recipe(dry)), states=200)
    assert report.ok, str(report)
    assert {"friction is that of its laws", "friction takes power and gives none"} <= {row.law for row in report.rows}


def test_friction_that_is_slightly_wrong_everywhere_is_told(dry):
    """0.1 % too much, in forces and powers alike, so that the balance cannot see it: its own law does."""
    report = check(plant(dry, "friction 0.1 % too strong everywhere"), states=50)
    assert [row.law for row in report.rows if row.broken] == ["friction is that of its laws"]
