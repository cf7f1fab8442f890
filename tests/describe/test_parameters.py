"""Parameters: numbers and formulas, overridden by name."""

import math

import pytest

from closedchain.describe.parameters import BadParameter, Parameter, values_of

l = Parameter(0.4, "m", name="l")
half = Parameter(l / 2, "m", name="half")
area = Parameter(half * l, name="area")


def test_formulas_follow_the_numbers_they_use():
    """In any order of definition."""
    assert values_of([area, half, l]) == {"area": 0.2 * 0.4, "half": 0.2, "l": 0.4}


def test_the_order_of_definition_is_kept():
    """The parameter vector p has this order."""
    assert list(values_of([area, half, l])) == ["area", "half", "l"]


def test_an_overridden_number_moves_its_formulas():
    """l doubled doubles half."""
    assert values_of([l, half], {"l": 0.8}) == {"l": 0.8, "half": 0.4}


def test_an_overridden_formula_is_a_number():
    """What others compute from it follows; what it was computed from does not move."""
    assert values_of([l, half, area], {"half": 0.5}) == {"l": 0.4, "half": 0.5, "area": 0.2}


def test_an_override_breaks_a_bad_formula():
    """A formula that is not used is not evaluated."""
    bad = Parameter(1 / (l - l), name="bad")
    assert values_of([l, bad], {"bad": 1.0})["bad"] == 1.0


def test_a_circle_is_named():
    """a → b → c → a, by name."""
    a, b, c = (Parameter(0.0, name=n) for n in "abc")
    a.value, b.value, c.value = b + 1, c + 1, a + 1
    with pytest.raises(BadParameter, match="in a circle") as caught:
        values_of([a, b, c])
    assert set("abc") <= set(str(caught.value).split(": ")[1])
    assert caught.value.name in "abc"


def test_a_parameter_defined_by_itself_is_a_circle():
    """The shortest one."""
    a = Parameter(0.0, name="a")
    a.value = a + 1
    with pytest.raises(BadParameter, match="circle: a -> a"):
        values_of([a])


def test_an_unknown_name_gets_a_suggestion():
    """`hlaf` is near `half`; `xyz` is near nothing, so all are listed."""
    with pytest.raises(BadParameter, match="unknown parameter 'hlaf'; did you mean 'half'"):
        values_of([l, half], {"hlaf": 1.0})
    with pytest.raises(BadParameter, match="unknown parameter 'xyz'; there are: l, half") as caught:
        values_of([l, half], {"xyz": 1.0})
    assert caught.value.name == "xyz"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_value_is_finite(number):
    """Whether given or computed."""
    with pytest.raises(BadParameter, match=r"l = .* not a finite number"):
        values_of([l], {"l": number})
    with pytest.raises(BadParameter, match=r"p = .* not a finite number"):
        values_of([Parameter(number, name="p")])


@pytest.mark.parametrize(
    "formula", [1 / (l - 0.4), (l - 1) ** 0.5, Parameter(1e308, name="x") * 10], ids=["1/0", "√−", "1e309"]
)
def test_a_formula_outside_its_domain_is_not_a_number(formula):
    """Division by zero, the root of a negative number, overflow."""
    extra = Parameter(1e308, name="x")
    with pytest.raises(BadParameter, match=r"parameter bad = .* is not a finite number"):
        values_of([l, extra, Parameter(formula, name="bad")])
