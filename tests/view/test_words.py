"""Names and units as people read them."""

import pytest

from closedchain.view.words import metres, nice_length, prefixed, pretty


@pytest.mark.parametrize(
    "name, shown",
    [
        ("theta1", "θ₁"),
        ("q11", "q₁₁"),
        ("phi", "φ"),
        ("rho_3", "ρ₃"),
        ("lambda2", "λ₂"),
        ("cart", "cart"),
        ("x_D", "x_D"),
    ],
)
def test_names_of_the_field_are_set_in_its_letters(name: str, shown: str) -> None:
    """A Greek name becomes its letter, digits become subscripts, other words stay."""
    assert pretty(name) == shown


@pytest.mark.parametrize(
    "largest, unit, factor, spelled",
    [
        (0.36, "m", 1e3, "mm"),
        (2.5e-6, "m", 1e6, "µm"),
        (40.0, "m", 1.0, "m"),
        (4e4, "m", 1.0, "m"),
        (0.001, "m", 1e3, "mm"),
        (3e-12, "J", 1e12, "pJ"),
        (12e3, "N m", 1e-3, "kN·m"),
        (0.02, "rad", 1e3, "mrad"),
        (0.0, "m", 1.0, "m"),
        (0.5, "kg m^2", 1.0, "kg·m²"),
    ],
)
def test_the_prefix_brings_the_largest_value_between_1_and_1000(
    largest: float, unit: str, factor: float, spelled: str
) -> None:
    """Only units that take a prefix get one; lengths and angles never a large one."""
    found, word = prefixed(largest, unit)
    assert found == pytest.approx(factor)
    assert word == spelled


def test_a_scale_bar_has_a_round_length() -> None:
    """1, 2 or 5 times a power of ten, not above what is asked for."""
    assert [nice_length(v) for v in (0.049, 0.05, 0.3, 7.0)] == pytest.approx([0.02, 0.05, 0.2, 5.0])
    assert metres(0.05) == "50 mm"
