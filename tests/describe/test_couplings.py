"""Linear relations between coordinates: gears, belts and racks, in files and in the equations."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import BadMechanism, Coupling, Crank, Fixed, Mechanism, Pin, Plate, Recipe
from closedchain.describe.files import BadFile, loads
from closedchain.describe.writing import dumps

GEARS = """
schema = "closedchain.mechanism/1"
name = "gears"
output = "wheel"

[parameters]
r1 = { value = 20, unit = "mm" }
r2 = { value = 60, unit = "mm" }
J = { value = 0.0002, unit = "kg m^2" }

[points]
O = { fixed = [0.08, 0] }

[plates.wheel]
inertia = "J"
points = { C = [0, 0] }

[drives.q]
crank = { about = [0, 0], radius = "r1" }
inertia = 0.00003
point = "A"

[[pins]]
between = ["O", "C"]

[[couplings]] # the teeth run with each other
sum = { q = "r1/r2", phi = 1 }
equals = 0.25
"""


def test_gears_by_hand():
    """phi = 0.25 − q r1/r2, and the pinion feels J1 + J (r1/r2)²: as every textbook says."""
    model = cc.load(loads(GEARS))
    at = {"q": np.array([0.9]), "x": np.array([0.08, 0.0, 0.25 - 0.3])}
    made = model.call("evaluate", **at, q_dot=np.array([2.0]), q_ddot=np.zeros(1))
    np.testing.assert_allclose(made["x_dot"][2], -2.0 / 3.0, rtol=1e-14)
    np.testing.assert_allclose(made["M"], [[0.00003 + 0.0002 / 9]], rtol=1e-13)


def test_angles_are_counted_on():
    """Three turns of the pinion are one of the wheel, not none: the relation knows nothing of 2π."""
    model = cc.load(loads(GEARS))
    phi = model.call("closures", q=np.array([6 * np.pi]), x=np.array([0.08, 0.0, 0.25 - 2 * np.pi]))["phi"]
    assert np.abs(phi).max() < 1e-15
    short = model.call("closures", q=np.array([6 * np.pi]), x=np.array([0.08, 0.0, 0.25]))["phi"]
    assert np.abs(short).max() == pytest.approx(2 * np.pi * 0.02)  # at the reach of the first length, r1


def test_a_file_says_it_and_is_written_again():
    """The same equations from the file that we write."""
    recipe = loads(GEARS)
    again = loads(dumps(recipe))
    assert [str(c.residual) for c in cc.load(again).equations.closures] == [
        str(c.residual) for c in cc.load(recipe).equations.closures
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("sum = { q = 1, turn = 1 }", r"couplings\[0\].*no coordinate 'turn'; there are q, x, y, phi"),
        ("sum = {}", "name at least one coordinate"),
        ("equals = 1", "sum: is missing"),
        ('sum = { q = "k", phi = 1 }', "unknown name 'k'"),
    ],
)
def test_a_wrong_coupling_is_named_with_its_place(wrong, message):
    """One line: where and what."""
    head = GEARS.partition("sum =")[0]
    with pytest.raises(BadFile, match=message):
        loads(head + wrong)


def test_gears_have_one_pose():
    """The pin gives x and y, the teeth the angle: 0.25 − q r1/r2, counted on beyond a turn."""
    model = cc.load(loads(GEARS))
    for q in (0.3, 40.0):
        found = cc.direct(model, q=[q])
        assert found.complete.all()
        np.testing.assert_allclose(found.x, [[0.08, 0.0, 0.25 - q / 3]], atol=1e-14)


def test_a_coupling_counts_as_a_closure():
    """A plate on one pin needs one; two are too many."""
    crank, wheel = Crank("q", about=(0, 0), radius=0.1, mass=0.1), Plate("wheel", mass=0.1, inertia=1e-4)
    pin = Pin(Fixed("O", at=(0.3, 0)), wheel.point("C", at=(0, 0)))
    one, two = Coupling((("q", 1.0), ("phi", 1.0))), Coupling((("q", 2.0), ("phi", 1.0)), name="two")
    assert cc.load(Recipe(Mechanism("one", (crank,), wheel, pins=(pin,), couplings=(one,)))).nx == 3
    with pytest.raises(BadMechanism, match="over-constrained: 4 closures hold 3 coordinates"):
        Mechanism("both", (crank,), wheel, pins=(pin,), couplings=(one, two))
