"""Units: products, quotients and powers of names with prefixes, and which dimension may stand where."""

import math

import pytest

from closedchain.units import BadQuantity, dimension, quantity, si, si_name, unit_of

# as written → SI unit, factor; each factor by hand
WRITTEN = {
    "kg cm^2": ("kg m^2", 1e-4),
    "kg*cm^2": ("kg m^2", 1e-4),
    "g cm^2": ("kg m^2", 1e-7),
    "kg mm^2": ("kg m^2", 1e-6),
    "g·cm²": ("kg m^2", 1e-7),
    "N m/rad": ("N m/rad", 1.0),
    "N·m": ("N m", 1.0),
    "mN m": ("N m", 1e-3),
    "Nm": ("N m", 1.0),
    "m/s^2": ("m/s^2", 1.0),
    "cm s^-2": ("m/s^2", 1e-2),
    "rpm": ("rad/s", math.tau / 60),
    "deg/s": ("rad/s", math.pi / 180),
    "V/(rad/s)": ("V s/rad", 1.0),
    "mV/rpm": ("V s/rad", 1e-3 * 60 / math.tau),
    "kN/mm": ("N/m", 1e6),
    "N/(mm/s)": ("N s/m", 1e3),
    "kΩ": ("ohm", 1e3),
    "µm": ("m", 1e-6),
    "kg m^2/s^2/A": ("N m/A", 1.0),
    "min": ("s", 60.0),
    "m**2": ("m^2", 1.0),
    "kg m/s": ("kg m/s", 1.0),
}


@pytest.mark.parametrize("source", WRITTEN)
def test_a_unit_is_a_product_of_names_with_prefixes_and_powers(source):
    """Its factor is right to rounding, and its SI unit is the usual one."""
    name, factor = WRITTEN[source]
    value, told = si(1.0, source)
    assert told == name
    assert value == pytest.approx(factor, rel=4e-16)  # a handful of roundings


@pytest.mark.parametrize(
    "source", ["mn", "furlong", "m^", "m^x", "m^99", "(m", "m)", "()", "/", "m//s", "2 m", "m" * 50]
)
def test_what_is_no_unit_is_refused_in_one_line(source):
    """Neither a number without a unit nor a crash."""
    with pytest.raises(BadQuantity) as caught:
        unit_of(source)
    assert str(caught.value).isprintable()


def test_a_product_after_a_slash_is_refused_as_unclear():
    """N/m s is N s/m to some and N/(m s) to others."""
    with pytest.raises(BadQuantity, match=r"N s/m or N/\(m s\)"):
        unit_of("N/m s")


def test_powers_of_prefixes_beyond_doubles_are_refused():
    """(GHz^9)^9 is 1e729 Hz: no infinity comes out."""
    with pytest.raises(BadQuantity, match="double precision"):
        unit_of("(GHz^9)^9")


def test_a_quantity_of_another_dimension_is_refused_with_what_is_needed():
    """200 g is no length, 3 deg no plain number, 2 N no torque."""
    for source, unit, found in (("200 g", "m", "kg"), ("3deg", "", "rad"), ("2 N", "N m", "N"), ("1 V", "N m/A", "V")):
        with pytest.raises(BadQuantity, match=f"is in {found}, but {unit or 'a plain number'} is needed"):
            quantity(source, unit)


def test_the_radian_is_a_mark_and_not_a_dimension():
    """A stiffness may be given in N m or N m/rad, a back-EMF in V s or V s/rad; an angle is still no length."""
    assert quantity("5 N m", "N m/rad") == 5.0
    assert quantity("5 mN m/deg", "N m/rad") == pytest.approx(5e-3 * 180 / math.pi, rel=4e-16)
    assert quantity("2 V s", "V s/rad") == 2.0
    assert not dimension("rad").fits(dimension("m"))
    assert dimension("1").fits(dimension("rad"))


def test_a_usual_si_unit_keeps_its_spelling():
    """J and N m have one dimension but mean different things."""
    assert [si_name(u) for u in ("J", "N m", "V s/rad", "N m/A", "kJ", "")] == [
        "J",
        "N m",
        "V s/rad",
        "N m/A",
        "N m",
        "",
    ]
