"""Newton–Kantorovich certificates against roots known by hand."""

import numpy as np
import pytest

from closedchain.model.certify import kantorovich, spheres_lipschitz


def test_the_certificate_of_a_square_root_is_the_one_computed_by_hand():
    """F = y² − 2 at y = 1.5: β = 1/3, η = 1/12, L = 2, h = 1/18, so no second root within (1 + √(8/9))·1.5."""
    certified, radius = kantorovich([[3.0]], [0.25], 2.0)
    assert certified
    np.testing.assert_allclose(radius, 1.5 * (1 + np.sqrt(8 / 9)), rtol=1e-9)  # the theorem's radius, shrunk by 1e-12


def test_the_other_root_lies_outside_the_radius_of_uniqueness():
    """F = y² − 2 has its other root at −√2; from any certified y the radius stops short of it."""
    y = np.linspace(0.9, 3, 50)
    certified, radius = kantorovich((2 * y)[:, None, None], (y**2 - 2)[:, None], 2.0)
    assert certified.sum() > 40
    assert (radius[certified] <= (y + np.sqrt(2))[certified]).all()


def test_a_double_root_is_never_certified():
    """F = y² has A = 2y and h = 1/2 exactly everywhere: the test must refuse, from near and from afar."""
    y = np.array([1.0, 1e-3, 1e-8, 0.0])
    certified, radius = kantorovich((2 * y)[:, None, None], (y**2)[:, None], 2.0)
    assert not certified.any()
    assert (radius == 0).all()


def test_slack_and_domain_take_certificates_away():
    """Rounding of F as large as F allows nothing, and a root must lie in the ball where L is valid."""
    assert kantorovich([[1.0]], [0.0], 1.0, slack=0.49)[0]
    assert not kantorovich([[1.0]], [0.0], 1.0, slack=0.51)[0]
    assert not kantorovich([[1.0]], [0.1], 1.0, domain=0.05)[0]
    assert kantorovich([[1.0]], [0.1], 1.0, domain=0.5)[1] == 0.5


def test_values_that_are_not_finite_are_refused_without_an_error():
    """One bad element of a batch neither raises nor spoils its neighbours."""
    A = np.stack([np.eye(2), np.full((2, 2), np.nan), np.eye(2)])
    F = np.array([[0.0, 0.0], [0.0, 0.0], [np.inf, 0.0]])
    np.testing.assert_array_equal(kantorovich(A, F, 1.0)[0], [True, False, False])


@pytest.mark.parametrize("n", [2, 3])
def test_the_lipschitz_constant_of_spheres_is_attained(n):
    """A(x) = 2(x − a_i)ᵀ: for any two points ‖A(x) − A(x')‖₂ = 2√n ‖x − x'‖."""
    rng = np.random.default_rng(0)
    centres, x, y = rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=n)
    change = np.linalg.norm(2 * (x - centres) - 2 * (y - centres), 2)
    np.testing.assert_allclose(change, spheres_lipschitz(n) * np.linalg.norm(x - y), rtol=1e-14)
