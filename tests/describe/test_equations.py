"""Equations stated directly: names, energies and closures that do not fit are refused."""

from dataclasses import replace

import pytest

from closedchain import robots
from closedchain.derive.mechanics import equations
from closedchain.describe import Coordinate, Equations, Motor, Parameter, Readout, cos
from closedchain.describe.equations import BadEquations, Closure
from closedchain.describe.expressions import Symbol

m = Parameter(2.0, name="m")  # a plain number: kg m^2 in the one place, N m in the other
th, y = Coordinate("th", "rad"), Coordinate("y", "m")
SWING = Equations("swing", (m,), (th,), ("th",), kinetic=m * th.rate**2 / 2, potential=m * cos(th.symbol))
HOLD = Closure("hold", y.symbol - cos(th.symbol))

FAULTS = {
    "unknown in T": ({"kinetic": Symbol("w") ** 2}, "kinetic", "uses 'w'"),
    "rate in V": ({"potential": th.rate}, "potential", "uses 'th_dot'"),
    "unknown in D": ({"dissipation": Symbol("w") ** 2}, "dissipation", "uses 'w'"),
    "two parameters": ({"parameters": (m, m)}, "m", "rename one"),
    "parameter like a rate": ({"parameters": (m, Parameter(1, name="th_dot"))}, "th_dot", "rename one"),
    "drives nothing": ({"driven": ("q",)}, "driven", "'q' is not one of q = th"),
    "drives twice": ({"driven": ("th", "th")}, "driven", "each named once"),
    "motor on nothing": ({"motors": (Motor("q", 1, 1, 1),)}, "motor q", "driven coordinate of its own: th"),
    "two motors": ({"motors": (Motor("th", 1, 1, 1),) * 2}, "motor th", "driven coordinate of its own"),
    "motor of an unknown": ({"motors": (Motor("th", Symbol("w"), 1, 1),)}, "motor th", "uses 'w'"),
    "x without closure": ({"x": (y,)}, "closures", "0 of them hold 1 coordinates"),
    "closure without x": ({"closures": (Closure("c", th.symbol),)}, "closures", "1 of them hold 0"),
    "rate in a closure": ({"x": (y,), "closures": (Closure("c", y.rate),)}, "closure c.residual", "uses 'y_dot'"),
    "unknown length": (
        {"x": (y,), "closures": (replace(HOLD, length=Symbol("w")),)},
        "closure hold.length",
        "uses 'w'",
    ),
    "two readouts": ({"readouts": (Readout("r", "m", m),) * 2}, "readout r", "two readouts have this name"),
    "rate in a readout": ({"readouts": (Readout("r", "m", th.rate),)}, "readout r.value", "uses 'th_dot'"),
    "rate in a point": ({"points": (("P", (m, th.rate)),)}, "point P", "uses 'th_dot'"),
    "line to nothing": ({"points": (("P", (m, m)),), "lines": (("P", "Q"),)}, "lines", "no point 'Q'; there are: P"),
}


@pytest.mark.parametrize("change, where, words", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_named_with_its_part(change, where, words):
    """One line each."""
    with pytest.raises(BadEquations) as caught:
        replace(SWING, **change)
    assert caught.value.where == where
    assert words in caught.value.problem


@pytest.mark.parametrize(
    "kinetic, words",
    [
        (m * th.rate, "multiplies it by 2, not 4"),
        (m * th.rate**3 + 9 * m * th.rate**2, "not 4"),
        (m * th.rate**2 + 1, "not 4"),
        (-m * th.rate**2, "not negative"),
    ],
    ids=["linear", "cubic", "constant", "negative"],
)
def test_kinetic_energy_is_quadratic_in_the_rates(kinetic, words):
    """A slip of typing would otherwise become a mass matrix."""
    with pytest.raises(BadEquations, match=words):
        replace(SWING, kinetic=kinetic).check_values({"m": 2.0})


def test_the_furuta_has_a_quadratic_kinetic_energy():
    """With every set of parameters."""
    recipe = robots.find("furuta")
    for preset in (None, *recipe.presets):
        recipe.description.check_values(recipe.values(preset))


def test_the_key_is_of_the_structure_not_of_the_values():
    """Another value keeps the compiled kernels; another formula, name or order does not."""
    heavier = Parameter(3.0, name="m")
    same = replace(SWING, parameters=(heavier,), kinetic=heavier * th.rate**2 / 2, potential=heavier * cos(th.symbol))
    assert same.key == SWING.key
    others = [
        replace(SWING, potential=2 * m * cos(th.symbol)),
        replace(SWING, driven=()),
        replace(SWING, parameters=(m, Parameter(1.0, name="n"))),
        replace(SWING, motors=(Motor("th", 1, 1, 1),)),
        replace(SWING, x=(y,), closures=(HOLD,)),
        replace(SWING, x=(replace(y, unit="rad"),), closures=(replace(HOLD, residual=y.symbol - th.symbol),)),
    ]
    assert len({e.key for e in (SWING, *others)}) == 7


def test_a_mechanism_is_part_of_the_key_of_its_equations():
    """The same equations stated by themselves have no closed form of their legs: their kernels are others."""
    made = equations(robots.find("biglide").description)
    assert made.key != replace(made, mechanism=None).key
