"""Points by their index: the same however they are asked for, and spread as their method says."""

from itertools import pairwise

import numpy as np
import pytest

from closedchain.sweep.factors import BadStudy, read_factor
from closedchain.sweep.sampling import count_points, draw, point_seed

SPANS = [read_factor("a", "0:1", ""), read_factor("b", "2:4", ""), read_factor("c", "normal(0, 1)", "")]


@pytest.mark.parametrize("method", ["random", "latin", "sobol", "saltelli"])
def test_a_point_does_not_depend_on_what_is_asked_with_it(method):
    """Any cut of the points gives the same bits."""
    count = count_points(SPANS, method, 700)
    whole = draw(SPANS, method, count, 3, 0, count)
    assert whole.shape == (count, 3)
    for cuts in ([0, 1, 2, 5, count], [0, 1023, 1024, 1025, count] if count > 1025 else [0, 699, 700]):
        parts = [draw(SPANS, method, count, 3, a, b) for a, b in pairwise(cuts)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert not np.array_equal(whole, draw(SPANS, method, count, 4, 0, count))


def test_a_grid_changes_its_last_factor_fastest():
    """Every combination once."""
    factors = [read_factor("a", "1,2", ""), read_factor("b", "5,6,7", "")]
    expected = [[1, 5], [1, 6], [1, 7], [2, 5], [2, 6], [2, 7]]
    np.testing.assert_array_equal(draw(factors, "grid", 6, 0, 0, 6), expected)
    np.testing.assert_array_equal(draw(factors, "grid", 6, 0, 2, 5), expected[2:5])


def test_a_latin_hypercube_has_one_point_in_each_part_of_each_factor():
    """100 points, 100 parts."""
    points = draw(SPANS[:2], "latin", 100, 0, 0, 100)
    for column, low, span in ((points[:, 0], 0.0, 1.0), (points[:, 1], 2.0, 2.0)):
        assert sorted(((column - low) / span * 100).astype(int)) == list(range(100))


def test_saltellis_rows_differ_from_the_first_in_one_column():
    """A, A with column i of B, B."""
    rows = draw(SPANS, "saltelli", 5 * 8, 0, 0, 40).reshape(8, 5, 3)
    for base in rows:
        for i in range(3):
            changed = base[1 + i] != base[0]
            assert changed.tolist() == [k == i for k in range(3)]
            assert base[1 + i, i] == base[4, i]


def test_seeds_of_points_are_their_own():
    """By the study's seed and the index."""
    assert len({point_seed(s, i) for s in (0, 1) for i in range(1000)}) == 2000
    assert point_seed(5, 17) == point_seed(5, 17)


@pytest.mark.parametrize(
    "method, count, words",
    [
        ("grid", None, "no levels"),
        ("random", None, "how many points"),
        ("halton", 5, "no sampling"),
        ("sobol", 0, "from 1"),
    ],
)
def test_a_sampling_that_does_not_fit_is_one_line(method, count, words):
    """Before any work."""
    with pytest.raises(BadStudy, match=words):
        count_points(SPANS, method, count)
