"""Tables of readings, and combinations by name."""

import numpy as np
import pytest

from closedchain.errors import BadInput
from closedchain.fitting import Readings, combinations, invisible, named, read_readings

UNITS = {"q11": "rad", "q21": "rad", "x": "m"}


def test_what_a_column_is_called_decides_its_unit(tmp_path):
    """`x_mm`, `x [mm]` and `x` are the same quantity; empty cells are unread, remarks are skipped."""
    path = tmp_path / "data.csv"
    path.write_text("# measured\nq11 [deg],q21,x_mm\n90,0.5,12\n,0.25,\n")
    read = read_readings(path, UNITS.get)
    assert read.names == ("q11", "q21", "x")
    np.testing.assert_allclose(read.values[0], [np.pi / 2, 0.5, 0.012])
    assert np.isnan(read.values[1, [0, 2]]).all()
    with pytest.raises(BadInput, match="row 2 has no x"):
        read.whole("x")


def test_two_columns_of_one_name_are_refused():
    """Which of them would count?"""
    with pytest.raises(BadInput, match="two columns"):
        Readings(("x", "x"), np.zeros((1, 2)))


def test_a_null_space_is_told_by_few_parameters_each():
    """Two hidden directions that are mixed come out as a + b and c − d."""
    mixed = np.array([[1.0, 1.0, 2.0, -2.0], [1.0, 1.0, -1.0, 1.0]])
    assert sorted(invisible(("a", "b", "c", "d"), mixed)) == ["a + b", "c − d"]


def test_singular_directions_know_what_is_left_along_them():
    """A reading of a + b with sd 0.1 leaves 0.1/√2 along (a + b)/√2 and tells nothing of a − b."""
    seen, hidden = combinations(("a", "b"), np.array([[1.0, 1.0]]) / 0.1, unit=0.1)
    assert seen.sd == pytest.approx(0.1 / np.sqrt(2))
    assert seen.singular == pytest.approx(np.sqrt(2))
    assert not np.isfinite(hidden.sd)
    assert named(("a", "b"), np.array([0.0, -2.0])) == "2 b"
