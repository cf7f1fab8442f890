"""Dimensions: a parameter in one unit is not used as something else, in files and in Python."""

from dataclasses import fields

import pytest

from closedchain import robots
from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Parameter, elements
from closedchain.describe.checks import BadMechanism
from closedchain.describe.dimensions import FIELDS
from closedchain.describe.files import BadFile, loads
from tests.describe.robots_here import GLIDE, PENDULUM, changed

L = 'l = { value = 0.36, unit = "m" }'
D = "d = 0.4"
ARM = """
schema = "closedchain.mechanism/1"
name = "arm"
output = "C"
[parameters]
r = { value = 200, unit = "mm" }
J = { value = 12, unit = "kg cm^2" }
k = { value = 3, unit = "mN m/deg" }
[points]
C = { free = true, mass = "250 g" }
O = { fixed = ["0.5 m", 0] }
[drives.q1]
crank = { about = [0, 0], radius = "r" }
mass = 1.0
inertia = "J"
point = "A"
[[bars]]
between = ["A", "C"]
length = "30 cm"
[[bars]]
between = ["O", "C"]
length = "2*r"
[[springs]]
drive = "q1"
stiffness = "k"
rest = "30 deg"
[[dampers]]
drive = "q1"
damping = "0.1 N m s/rad"
[[motors]]
drive = "q1"
resistance = 2
kt = "70 mN m/A"
kv = "7 mV/rpm"
"""

# what is written in place of what → the place that is told, and the words
WRONG = {
    "a radius in g": ('value = 200, unit = "mm"', 'value = 200, unit = "g"', "drives.q1.crank.radius", "in kg, but m"),
    "a length in kg": ('"30 cm"', '"30 kg"', "bars[0].length", "is in kg, but m is needed"),
    "a mass in m": ('"250 g"', '"r"', "points.C.mass", "parameter r is in m, but kg is needed"),
    "an inertia in kg": ('"kg cm^2"', '"kg"', "drives.q1.inertia", "parameter J is in kg, but kg m^2 is needed"),
    "a point in deg": ('"0.5 m"', '"30 deg"', "points.O.fixed", "is in rad, but m is needed"),
    "a turning spring in N/m": ('"mN m/deg"', '"N/m"', "springs[0].stiffness", "is in N/m, but N m/rad is needed"),
    "a rest in mm": ('"30 deg"', '"30 mm"', "springs[0].rest", "is in m, but rad is needed"),
    "a turning damper in N s/m": ("0.1 N m s/rad", "0.1 N s/m", "dampers[0].damping", "N m s/rad is needed"),
    "a resistance in V": ("resistance = 2", 'resistance = "2 V"', "motors[0].resistance", "but ohm is needed"),
    "a torque constant in N": ("70 mN m/A", "70 mN/A", "motors[0].kt", "is in N/A, but N m/A is needed"),
    "a factor": ('"2*r"', '"2*J"', "bars[1].length", "2*J (J in kg m^2) is in kg m^2, but m is needed"),
    "a sum": ('"2*r"', '"r + J"', "bars[1].length", "a sum of parameter r in m and parameter J in kg m^2"),
    "a sine of a length": ('"2*r"', '"r*sin(r)"', "bars[1].length", "sin takes an angle, but parameter r is in m"),
    "an exponent": ('"2*r"', '"r**J"', "bars[1].length", "an exponent is a number, but parameter J is in kg m^2"),
    "a square": ('"2*r"', '"r**2"', "bars[1].length", "is in m^2, but m is needed"),
    "a root": ('"2*r"', '"sqrt(r)"', "bars[1].length", "is in m^0.5, but m is needed"),
    "gravity": (
        'output = "C"',
        'output = "C"\ngravity = [0, "-9.81 m/s"]',
        "gravity",
        "is in m/s, but m/s^2 is needed",
    ),
    "a formula": ("[points]", 's = { value = "r*J", unit = "m" }\n[points]', "parameters.s", "is in kg m^3, but m"),
    "two units": ("[points]", 's = { value = "2 m", unit = "m" }\n[points]', "parameters.s.unit", "unit already"),
    "a preset": ("[points]", '[presets.big]\nr = "3 kg"\n[points]', "presets.big.r", "is in kg, but m is needed"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_dimension_is_refused_at_its_place_with_what_is_needed(what):
    """`robot.toml:5: drives.q1.crank.radius: parameter r is in kg, but m is needed`."""
    old, new, place, words = WRONG[what]
    with pytest.raises(BadFile) as caught:
        loads(changed(ARM, old, new))
    assert caught.value.place == place
    assert words in caught.value.problem


def test_units_of_all_kinds_are_read_into_si():
    """12 kg cm² are 1.2e-3 kg m²; 3 mN m/deg are 0.1719 N m/rad; 7 mV/rpm are 0.06685 V s/rad; by hand."""
    recipe = loads(ARM)
    assert recipe.values() == pytest.approx({"r": 0.2, "J": 1.2e-3, "k": 0.17188733853924698}, rel=1e-15)
    assert {p.name: p.unit for p in recipe.description.parameters} == {"r": "m", "J": "kg m^2", "k": "N m/rad"}
    motor, (free,) = recipe.description.motors[0], [p for p in recipe.description.points if isinstance(p, Free)]
    assert motor.kv.value == pytest.approx(0.06684507609859604, rel=1e-15)
    assert free.mass.value == 0.25


def test_plain_numbers_stay_si_and_may_be_anything():
    """A number by itself has no unit to be wrong: 0.1 beside a length, 9.81 in an energy, 0.3**2 in an inertia."""
    for formula in ("r + 0.1", "0.7*0.5", "J*250", "1.5*cos(0.3)", "J/0.3**2*200", "8*J"):
        loads(changed(ARM, '"2*r"', f'"{formula}"'))
    loads(PENDULUM)
    loads(changed(GLIDE, D, 'd = { value = 0.4, unit = "" }'))


def test_stated_energies_are_in_joules():
    """m L θ̇²/2 with m in kg and L in m is no energy, m g L is; the message names both units."""
    stated = changed(PENDULUM, "m = 1.0\nL = 0.5", 'm = { value = 1.0, unit = "kg" }\nL = { value = 50, unit = "cm" }')
    loads(stated)
    with pytest.raises(BadFile, match=r"equations.kinetic: .* is in kg m rad\^2/s\^2, but J is needed"):
        loads(changed(stated, "L**2", "L"))


def test_a_parameter_in_python_is_converted_and_checked():
    """Parameter(360, "mm") is 0.36 m; as a mass it is refused."""
    long = Parameter(360, "mm", name="long")
    assert (long.value.value, long.unit) == (0.36, "m")
    A, O, C = Crank("q", (0, 0), 0.1, point="A"), Fixed("O", (0.3, 0)), Free("C")
    bars = (Bar(A, C, long), Bar(O, C, long, mass=long))
    with pytest.raises(BadMechanism, match=r"bar O-C.mass: parameter long is in m, but kg is needed"):
        Mechanism("arm", drives=(A,), output=C, bars=bars)


def test_every_number_of_every_element_has_its_unit():
    """A new field of an element takes its unit in one table, FIELDS."""
    kinds = [k for k in vars(elements).values() if isinstance(k, type) and issubclass(k, elements.Element)]
    numbers = {f.name for k in kinds if k is not elements.Element for f in fields(k) if _numeric(str(f.type))}
    assert numbers - {"between"} <= set(FIELDS)


def _numeric(kind: str) -> bool:
    return "Expr" in kind or "Vector" in kind


@pytest.mark.parametrize("name", robots.names())
def test_every_robot_declares_units_that_fit(name):
    """Loading checks them; each has some to check."""
    assert any(p.unit for p in robots.find(name).description.parameters)
