"""A record is checked against its robot before anything is drawn."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from closedchain.errors import BadInput
from closedchain.view.record import Energies, complete, thinned
from tests.view.motions import ellipse


def test_names_and_units_are_the_robots_unless_given() -> None:
    """The biglide's drives and output are lengths, its efforts forces."""
    model, record = ellipse(5)
    done = complete(model, record)
    assert done.title == "biglide"
    assert done.names == {"q": ("q1", "q2"), "x": ("x", "y"), "tau": ("q1", "q2"), "error": ("x", "y")}
    assert done.units == {"q": ("m", "m"), "x": ("m", "m"), "tau": ("N", "N"), "error": ("m", "m")}
    volts = complete(model, replace(record, units={"tau": ("V", "V")}))
    assert volts.units["tau"] == ("V", "V")


def test_the_error_is_desired_minus_obtained() -> None:
    """Without an error of its own a record's is x − x_ref."""
    model, record = ellipse(5)
    done = complete(model, record)
    assert done.error is not None
    np.testing.assert_array_equal(done.error, record.x - record.x_ref)  # type: ignore[operator]


def test_anything_with_t_q_and_x_can_be_drawn() -> None:
    """No base class is needed, and what is not there stays None."""
    model, record = ellipse(5)
    done = complete(model, SimpleNamespace(t=record.t, q=record.q, x=record.x))
    assert done.tau is None
    assert done.error is None
    assert done.energy is None


def test_a_thinned_record_holds_its_own_rows_only() -> None:
    """Every column is taken at the same instants."""
    model, record = ellipse(9)
    rows = np.array([0, 4, 8])
    done = thinned(complete(model, record), rows)
    for name in ("t", "q", "x", "q_ref", "x_ref", "tau", "closure"):
        np.testing.assert_array_equal(getattr(done, name), getattr(record, name)[rows])
    assert done.energy is not None
    assert record.energy is not None
    np.testing.assert_array_equal(done.energy.balance, record.energy.balance[rows])


@pytest.mark.parametrize(
    "change, words",
    [
        ({"t": np.zeros((5, 1))}, r"t has shape \(5, 1\)"),
        ({"t": np.array([0.0, 1.0, 0.5, 2.0, 3.0])}, r"decreases from 1 to 0\.5 s at sample 2"),
        ({"t": np.zeros(0)}, "without samples"),
        ({"q": np.zeros((4, 2))}, r"q has shape \(4, 2\), but \(5, 2\)"),
        ({"x": np.full((5, 2), np.nan)}, "x is nan at"),
        ({"tau": np.zeros((5, 3))}, r"tau has shape \(5, 3\)"),
        ({"error": np.zeros(5)}, r"error has shape \(5,\)"),
        ({"closure": np.zeros(4)}, r"closure has shape \(4,\)"),
        ({"energy": Energies(np.zeros(5), np.zeros(5), np.zeros(3))}, r"energy\.balance has shape \(3,\)"),
        ({"energy": SimpleNamespace(kinetic=np.zeros(5), potential=np.zeros(5))}, "energy has no balance"),
        ({"names": {"q": ("only one",)}}, r"names\['q'\] has 1 entries for 2 columns"),
    ],
)
def test_a_record_that_does_not_fit_is_one_clear_error(change: dict[str, object], words: str) -> None:
    """Which part, what it has, what is needed."""
    model, record = ellipse(5)
    with pytest.raises(BadInput, match=words):
        complete(model, replace(record, **change))  # type: ignore[arg-type]
