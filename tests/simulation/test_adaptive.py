"""A cart of a milligram under a kilogram: adaptive steps against a quadrature, and honesty where steps are equal."""

import mpmath
import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant


def exact(t, M="1e-6"):
    """s, x, y of the light cart-pole at t, level at rest at first, by quadrature with 30 digits.

    The momentum along x is zero: (M + m) s + m l sin θ stays, θ from hanging. Energy then gives
    θ̇² = 2 g cos θ / (l (μ cos² θ + sin² θ)), μ = M / (M + m), and t = ∫ dθ / θ̇; θ = π/2 − w² tames the beginning.
    """
    with mpmath.workdps(30):
        mu = mpmath.mpf(M) / (mpmath.mpf(M) + 1)
        whole = mpmath.sqrt(mpmath.pi / 2)
        knots = [0, mpmath.mpf("0.6"), 1, *(whole - mpmath.mpf(10) ** -k for k in (1, 2, 3, 4)), whole]

        def slope(w):
            c, s = mpmath.sin(w * w), mpmath.cos(w * w)
            return 2 * w * mpmath.sqrt((mu * c * c + s * s) / (2 * mpmath.mpf("9.81") * c))

        def since_rest(w):
            return mpmath.quad(slope, [*[k for k in knots if k < w], w])

        quarter = mpmath.quad(slope, knots)
        passed = int(mpmath.mpf(t) / quarter)
        rest = mpmath.mpf(t) - passed * quarter
        rest = rest if passed % 2 == 0 else quarter - rest
        w = mpmath.findroot(
            lambda v: since_rest(v) - rest, (mpmath.mpf("0.05"), whole * mpmath.mpf("0.99")), solver="anderson"
        )
        theta = (1 if (passed + 1) // 2 % 2 == 0 else -1) * (mpmath.pi / 2 - w * w)
        s = (1 - mu) * (1 - mpmath.sin(theta))
        return np.array([float(v) for v in (s, s + mpmath.sin(theta), -mpmath.cos(theta))])


@pytest.mark.parametrize("t", [1, 10])
def test_the_light_cart_is_where_the_quadrature_has_it(t):
    """After two and after 22 reversals that each take half a microsecond; 1e-7 m, as its own estimate says."""
    cart = cc.load("cartpole:light")
    run = cc.simulate(
        cart, Constant(0.0), q=[0.0], duration=t, interval=0.05, step=0.05, method="adaptive", tolerance=1e-6
    )
    assert run.finished
    np.testing.assert_allclose(run.final.z, exact(t), atol=1e-7)
    assert run.findings["error_estimate"] <= 1e-6
    assert run.summary["closure_residual"] < 1e-14


def test_a_quarter_is_that_of_the_formula():
    """M = m: the period of a usual cart-pole, where equal steps do as well."""
    run = cc.simulate(
        cc.load("cartpole"), Constant(0.0), q=[0.0], duration=3, interval=0.01, step=0.01, method="adaptive"
    )
    np.testing.assert_allclose(run.final.z, exact(3, "1"), atol=1e-9)


@pytest.mark.parametrize("step", [0.02, 2e-3])
def test_equal_steps_never_report_success_with_a_wrong_end(step):
    """RK4 cannot see the reversal: it ends with its loops open, or says that its end is not settled."""
    cart = cc.load("cartpole:light")
    run = cc.simulate(cart, Constant(0.0), q=[0.0], duration=1, interval=step, step=step, tolerance=1e-3)
    assert not run.finished
    assert run.ended.startswith("limit") or "take shorter ones" in run.ended


def test_too_many_steps_are_a_limit(monkeypatch):
    """Said with how far it came."""
    monkeypatch.setattr("closedchain.simulation.adaptive.MOST", 50)
    cart = cc.load("cartpole:light")
    run = cc.simulate(cart, Constant(0.0), q=[0.0], duration=2, interval=0.05, step=0.05, method="adaptive")
    assert run.ended.startswith("limit: 50 steps reached t = 0.45")
