"""A point mass on a bar, from horizontal (case P10, IFToMM's benchmark A01), in Cartesian coordinates with one closure.

Nothing drives it, and q = X, x = Y is a bad chart at the start (A = 2 Y = 0) and at the bottom (B = 2 X = 0): the
motion must not notice.
"""

import mpmath
import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.describe import Coordinate, Equations, Parameter, robot
from closedchain.describe.equations import Closure
from closedchain.model.state import State

BEGIN = State(np.array([-1.0]), np.array([0.0]), np.array([0.0]), np.array([0.0]))
FREE = Constant(())


@robot()
def bob(
    m=Parameter(1.0, "kg", "P10", about="mass"),
    L=Parameter(1.0, "m", "P10", about="length"),
    g=Parameter(9.81, "m/s^2", "P10", about="gravity"),
):
    """A point mass at (X, Y), a bar's length from the origin."""
    X, Y = Coordinate("X", "m"), Coordinate("Y", "m")
    return Equations(
        "bob",
        parameters=(m, L, g),
        q=(X,),
        x=(Y,),
        driven=(),
        kinetic=m * (X.rate**2 + Y.rate**2) / 2,
        potential=m * g * Y.symbol,
        closures=(Closure("bar", X.symbol**2 + Y.symbol**2 - L**2, L),),
    )


@pytest.fixture(scope="module")
def pendulum():
    """As a user would load it."""
    return cc.load(bob)


def exact(t):
    """X, Y, their rates at t: sin(θ/2) = −k cd(√(g/L) t), k = sin 45°, θ from hanging; 30 digits."""
    with mpmath.workdps(30):
        k, w = mpmath.sqrt(mpmath.mpf(1) / 2), mpmath.sqrt(mpmath.mpf("9.81"))
        u = w * mpmath.mpf(t)
        half = mpmath.asin(-k * mpmath.ellipfun("cd", u, m=k**2))
        rate = 2 * k * w * mpmath.sqrt(1 - k**2) * mpmath.ellipfun("sd", u, m=k**2)
        return [
            float(v)
            for v in (
                mpmath.sin(2 * half),
                -mpmath.cos(2 * half),
                mpmath.cos(2 * half) * rate,
                mpmath.sin(2 * half) * rate,
            )
        ]


def rows_of(run):
    """X, Y and their rates."""
    return np.concatenate([run.q, run.x, run.q_dot, run.x_dot], axis=-1)


def test_the_exact_solution_of_this_module_is_the_cases(data):
    """Elliptic functions at 10 s and 100 s give the case's numbers, and its table between them."""
    known = data("pendulum")
    np.testing.assert_allclose(exact(10), known["at_10_s"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(exact(100)[:2], known["at_100_s"], rtol=0, atol=1e-14)
    for row in known["rows"][1:]:
        np.testing.assert_allclose(exact(row[0]), row[1:], rtol=0, atol=1e-13)


@pytest.mark.parametrize(("method", "accuracy"), [("rk4", 1e-8), ("rk6", 1e-11), ("gauss4", 1e-8), ("dop853", 1e-11)])
def test_ten_seconds_of_the_pendulum(pendulum, data, method, accuracy):
    """Every half second to the method's accuracy at 1 ms; energy within IFToMM's 5e-5 J a million times over."""
    known = data("pendulum")
    run = cc.simulate(pendulum, FREE, duration=10.0, interval=0.5, start=BEGIN, method=method)
    every = (len(run.t) - 1) // 20
    want = np.array([row[1:] for row in known["rows"]])
    np.testing.assert_allclose(rows_of(run)[::every][: len(want)], want[:21], rtol=0, atol=accuracy)
    np.testing.assert_allclose(rows_of(run)[-1], known["at_10_s"], rtol=0, atol=accuracy)
    assert np.abs(run.balance).max() < known["energy_drift_J"] * 1e-6
    assert run.closure.max() < 1e-15


@pytest.mark.parametrize(("method", "accuracy"), [("rk4", 1e-6), ("rk6", 1e-10), ("gauss4", 1e-6)])
def test_a_hundred_seconds_of_the_pendulum(pendulum, data, method, accuracy):
    """The phase after 50 swings; the case asks for 1e-5 m."""
    run = cc.simulate(pendulum, FREE, duration=100.0, interval=1e-3, start=BEGIN, method=method)
    np.testing.assert_allclose(rows_of(run)[-1, :2], data("pendulum")["at_100_s"], rtol=0, atol=accuracy)
    np.testing.assert_allclose(rows_of(run)[-1], exact(100), rtol=0, atol=10 * accuracy)
    assert run.closure.max() < 1e-15


def trend(run):
    """The straight line through the energy balance: its rise over the run [J], and what is left about it."""
    t = run.t / run.t[-1]
    slope, level = np.polyfit(t, run.balance, 1)
    return abs(slope), np.abs(run.balance - slope * t - level).max()


def test_energy_has_no_trend_over_a_thousand_seconds_with_gauss(pendulum):
    """Steps of 20 ms: the energy swings by 1e-6 J with each swing and stays; with RK4 it falls all the while."""
    gauss, rk4 = (
        cc.simulate(pendulum, FREE, duration=1000.0, interval=0.02, step=0.02, start=BEGIN, method=m)
        for m in ("gauss4", "rk4")
    )
    drift, swing = trend(gauss)
    assert drift < 0.02 * swing
    lost, about = trend(rk4)
    assert lost > 5 * about
    assert lost > 50 * drift


@pytest.mark.parametrize("method", ["gauss4", "rk6"])
def test_a_thousand_seconds_at_a_millisecond_keep_the_energy(pendulum, method):
    """A million steps: 1e-10 J of 9.81 J."""
    run = cc.simulate(pendulum, FREE, duration=1000.0, interval=1e-3, start=BEGIN, method=method, rows=20_000)
    assert np.abs(run.balance).max() < 1e-10
    assert run.closure.max() < 1e-15
