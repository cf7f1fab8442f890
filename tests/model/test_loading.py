"""`load`: by name, by parameter set, from a file, with values; and what it says otherwise."""

from pathlib import Path

import pytest

import closedchain as cc
from closedchain.describe import BadMechanism, BadParameter, Bar, Fixed, Free, Mechanism, Recipe, Slider
from closedchain.model.loading import UnknownRobot
from closedchain.model.sampling import Unassemblable

EXAMPLES = Path(__file__).parents[2] / "examples" / "robots"


def test_by_name_and_parameter_set():
    """ "furuta:qube" is the furuta with other numbers, and says so."""
    robot = cc.load("furuta:qube")
    assert robot.name == "furuta:qube"
    assert robot.values["R_a"] == 8.4
    assert cc.load("furuta").values["R_a"] == 2.6


def test_values_override_the_set():
    """Keyword arguments come last."""
    assert cc.load("biglide:lab").values["l"] == 0.2828427
    assert cc.load("biglide:lab", l=0.3).values["l"] == 0.3


def test_from_a_file_and_its_parameter_set():
    """A path, with or without the name of a set; units are SI inside."""
    assert cc.load(EXAMPLES / "prr3.toml").values["l"] == 0.25
    assert cc.load(f"{EXAMPLES / 'prr3.toml'}:large").values["l"] == 0.5


def test_from_a_description():
    """A Mechanism of your own becomes a robot in one line."""
    A, D, C = Slider("q1", at=(0, 0), along=(1, 0), mass=1.0), Fixed("D", at=(1, 0)), Free("C", mass=1.0)
    robot = cc.load(Recipe(Mechanism("own", drives=(A,), bars=(Bar(A, C, 1.0), Bar(D, C, 1.0)), output=C)))
    assert len(cc.direct(robot, [0.0])) == 2


@pytest.mark.parametrize(
    "source, told",
    [
        ("biglid", "did you mean 'biglide'"),
        ("octopod", "there are ankle"),
        ("nowhere.toml", "nowhere.toml"),
        ("", "there are"),
    ],
)
def test_an_unknown_robot_is_answered_with_the_known_ones(source, told):
    """The nearest name, or all of them."""
    with pytest.raises(cc.ClosedChainError, match=told):
        cc.load(source)


def test_what_is_wrong_with_values_is_said():
    """Unknown parameter, unknown set, a length that is not positive, loops that do not close."""
    with pytest.raises(BadParameter, match="did you mean 'm_p'"):
        cc.load("biglide", mp=1.0)
    with pytest.raises(BadParameter, match="no parameter set 'lob'"):
        cc.load("biglide:lob")
    with pytest.raises(BadMechanism, match="length"):
        cc.load("biglide", l=-0.3)
    with pytest.raises(BadParameter, match="not a finite number"):
        cc.load("biglide", l=float("nan"))
    with pytest.raises(Unassemblable, match="no configuration closes the loops"):
        cc.load("biglide", l=0.1)  # two bars of 0.1 m between rails 0.4 m apart
    assert issubclass(UnknownRobot, LookupError)


def test_names_that_no_file_can_have_and_capitals_are_told_like_others():
    """A name longer than the system allows is no robot; capitals are a slip."""
    with pytest.raises(UnknownRobot, match="no robot 'aaaa"):
        cc.load("a" * 5000)
    with pytest.raises(UnknownRobot, match="did you mean 'biglide'"):
        cc.load("BIGLIDE")
