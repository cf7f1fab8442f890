"""Ranges, lists and distributions against what their words mean."""

import numpy as np
import pytest
from scipy import stats

from closedchain.sweep.factors import BadStudy, read_factor

SHARES = (np.arange(20000) + 0.5) / 20000


def test_a_range_has_both_ends_and_as_many_numbers_as_said():
    """0.30:0.50:21 are steps of a centimetre."""
    factor = read_factor("l", "0.30:500mm:21", "m")
    np.testing.assert_allclose(factor.numbers, 0.30 + 0.01 * np.arange(21), atol=1e-15)
    assert (factor.listed, factor.column) == (True, "l_m")


def test_a_list_keeps_its_order():
    """Numbers in SI or with a unit."""
    assert read_factor("l", "0.5, 300mm, 0.4", "m").numbers == (0.5, 0.3, 0.4)


@pytest.mark.parametrize(
    "text, law",
    [
        ("normal(0.36, 1mm)", stats.norm(0.36, 1e-3)),
        ("uniform(0.3, 0.5)", stats.uniform(0.3, 0.2)),
        ("0.3:0.5", stats.uniform(0.3, 0.2)),
        ("triangular(0.3, 0.36, 0.5)", stats.triang(0.3, 0.3, 0.2)),
    ],
)
def test_a_distribution_is_scipys(text, law):
    """The inverse of the distribution, share by share."""
    np.testing.assert_allclose(read_factor("l", text, "m").at(SHARES), law.ppf(SHARES), rtol=1e-12)


def test_shares_of_zero_and_one_give_finite_numbers():
    """Sobol's sequence may start at 0."""
    for text in ("normal(0, 1)", "triangular(0, 0, 1)", "0:1", "1,2,3"):
        assert np.isfinite(read_factor("l", text, "").at(np.array([0.0, 1.0]))).all()


@pytest.mark.parametrize(
    "text, words",
    [
        ("0.5:0.3:5", "empty range"),
        ("0.3:0.3:5", "empty range"),
        ("0.3:0.5:1", "from 2 to"),
        ("0.3:0.5:many", "from 2 to"),
        ("1:2:3:4", "from:to:count"),
        ("0.3kg:0.5:5", "but m is needed"),
        ("0.3, 0.3", "given twice"),
        ("normal(0.3, 0)", "nothing to vary"),
        ("normal(0.3)", "takes 2 numbers"),
        ("uniform(0.5, 0.3)", "is empty"),
        ("triangular(0.3, 0.6, 0.5)", "is empty"),
        ("cauchy(0, 1)", "no distribution"),
        ("long", "is not a number"),
    ],
)
def test_what_is_no_range_is_one_line(text, words):
    """It names the parameter and what to write."""
    with pytest.raises(BadStudy, match=words) as caught:
        read_factor("l", text, "m")
    assert str(caught.value).startswith("--param l")
