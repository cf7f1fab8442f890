"""Quadratic systems that linear equations and single quadratics solve; honesty about others."""

import numpy as np
import pytest

from closedchain.model.reduction import Irreducible, solve


def circle(x, y, r, n=2):
    """|(y1, y2) − (x, y)|² − r² as a matrix of [1, y]."""
    S = np.zeros((n + 1, n + 1))
    S[0, 0], S[0, 1], S[0, 2], S[1, 1], S[2, 2] = x * x + y * y - r * r, -x, -y, 1.0, 1.0
    S[1, 0], S[2, 0] = S[0, 1], S[0, 2]
    return S


def conic(*diagonal):
    """Σ dᵢ yᵢ² − 1."""
    return np.diag([-1.0, *diagonal])


def test_two_circles_on_many_rows():
    """Centres 0 and (d, 0), radii 1 and 1: x = d/2, y = ±√(1 − d²/4), touching at d = 2, none beyond."""
    d = np.array([0.5, 1.0, 2.0, 2.5])
    found = solve(np.stack([[circle(0, 0, 1), circle(v, 0, 1)] for v in d]))
    for row in (0, 1):
        y = found.y[(found.row == row) & ~found.missed]
        height = np.sqrt(1 - d[row] ** 2 / 4)
        np.testing.assert_allclose(y[np.argsort(y[:, 1])], [[d[row] / 2, -height], [d[row] / 2, height]], atol=1e-15)
    assert found.double[found.row == 2].all()
    assert found.missed[found.row == 3].all()
    assert (found.room[found.row == 3] < 0.0).all()
    assert not found.loose.any()


def test_a_row_with_one_centre_is_loose_and_holds_up_nobody():
    """Two equal circles: a whole circle of roots; the next row is solved as ever."""
    found = solve(np.stack([[circle(0, 0, 1), circle(0, 0, 1)], [circle(0, 0, 1), circle(1, 0, 1)]]))
    np.testing.assert_array_equal(found.loose, [True, False])
    assert list(found.row) == [1, 1]


def test_a_chain_of_quadratics_branches_at_each():
    """y1² = 4, y2² = 9, without mixed terms: four roots, found one unknown after another."""
    found = solve(np.array([[conic(0.25, 0.0), conic(0.0, 1 / 9)]]))
    roots = {(round(a), round(b)) for a, b in found.y}
    assert roots == {(2, 3), (2, -3), (-2, 3), (-2, -3)}
    np.testing.assert_allclose(np.abs(found.y), [[2.0, 3.0]] * 4, atol=1e-15)


def test_two_conics_in_general_are_not_of_this_kind():
    """Two ellipses meet in four points that no line gives."""
    with pytest.raises(Irreducible):
        solve(np.array([[conic(1.0, 0.25), conic(0.25, 1.0) + np.array([[0, 0.1, 0], [0.1, 0, 0.2], [0, 0.2, 0]])]]))
