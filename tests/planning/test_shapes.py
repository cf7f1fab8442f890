"""Distances of shapes: hand cases, and the smallest distance of many points of both."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from closedchain.errors import BadInput
from closedchain.planning import disc, polygon, wall
from closedchain.planning.shapes import distance

SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
NOTCHED = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [2.0, 1.0], [0.0, 3.0]])  # a V cut from above
CASES = [
    ("parallel", [[0, 0], [1, 0]], [[0, 2], [1, 2]], 2.0),
    ("crossing", [[0, 0], [2, 2]], [[0, 2], [2, 0]], 0.0),
    ("end on a side", [[0, 0], [2, 0]], [[1, 0], [1, 5]], 0.0),
    ("corner to corner", [[0, 0], [1, 0]], [[4, 4], [5, 9]], 5.0),
    ("on one line", [[0, 0], [1, 0]], [[3, 0], [7, 0]], 2.0),
    ("point and segment", [[1, 3]], [[0, 0], [2, 0]], 3.0),
    ("two points", [[0, 0]], [[3, 4]], 5.0),
    ("segment inside a square", [[0.5, 0.5], [1, 1]], SQUARE, 0.0),
    ("square around a point", SQUARE, [[1, 1]], 0.0),
    ("square beside a point", SQUARE, [[5, 1]], 3.0),
    ("in the notch, outside", [[2, 2]], NOTCHED, np.sqrt(0.5)),
    ("below the notch, inside", [[2, 0.5]], NOTCHED, 0.0),
]


@pytest.mark.parametrize("first, second, want", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_distance_is_the_one_in_the_drawing(first, second, want):
    """By hand; in both orders."""
    first, second = np.array(first, float), np.array(second, float)
    assert distance(first, second) == pytest.approx(want, abs=1e-15)
    assert distance(second, first) == pytest.approx(want, abs=1e-15)


@given(arrays(float, (4, 2), elements=st.floats(-3, 3)))
def test_no_two_points_of_two_segments_are_closer(ends):
    """201 × 201 points: none nearer than the distance, and one nearer than it plus half a step on each segment."""
    a, b, c, d = ends
    s = np.linspace(0, 1, 201)[:, None]
    apart = np.linalg.norm((a + s * (b - a))[:, None] - (c + s * (d - c)), axis=-1).min()
    exact = distance(ends[:2], ends[2:])
    step = (np.linalg.norm(b - a) + np.linalg.norm(d - c)) / 400
    assert exact - 1e-12 <= apart <= exact + step + 1e-12


def test_a_batch_is_its_elements():
    """(3, 2, 2) against one segment."""
    many = np.random.default_rng(0).uniform(-1, 1, (3, 2, 2))
    one = np.array([[0.0, 2.0], [1.0, 3.0]])
    np.testing.assert_array_equal(distance(many, one), [distance(m, one) for m in many])


@pytest.mark.parametrize(
    "make", [lambda: disc((0, 0), -1), lambda: polygon([[0, 0], [1, 0]]), lambda: wall((0, 0), (1, np.nan))]
)
def test_an_obstacle_that_is_none_is_refused(make):
    """Negative radius, two corners, not a number."""
    with pytest.raises(BadInput):
        make()
