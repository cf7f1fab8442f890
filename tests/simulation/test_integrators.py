"""What each integrator promises: its order on pendulums and closed chains, and energy in the long run."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.describe import Bar, Damper, Free, Mechanism, Recipe, Slider, Spring
from closedchain.simulation.stiffness import amplification

ORDERS = {"rk4": 4, "rk6": 6, "gauss4": 4, "rodas": 4}
STARTS = {  # robot: state and efforts of a lively motion, and the longest step of the fit [s]
    "furuta": ({"q": [0.0, 2.0], "q_dot": [3.0, -5.0]}, (0.1,), 0.04),
    "biglide": ({"q": [0.1, 0.02], "q_dot": [1.5, -1.0], "assembly": "+"}, (3.0, -2.0), 0.02),
    "fivebar": ({"x": [0.01, 0.13], "x_dot": [0.15, 0.1], "working": "+-"}, (0.005, -0.003), 0.04),
}


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.parametrize("name", STARTS)
def test_halving_the_step_divides_the_error_by_two_to_the_order(name, method):
    """0.2 s under held efforts against DOP853 at rounding: the slope of log error over log h, at four steps."""
    begin, tau, longest = STARTS[name]
    robot = cc.load(name)
    start = cc.state(robot, **begin)

    def end(method, h):
        run = cc.simulate(robot, Constant(tau, "tau"), duration=0.2, interval=0.2, step=h, start=start, method=method)
        return np.concatenate([run.final.z, run.final.z_dot])

    exact = end("dop853", 0.2)
    steps = longest / 2.0 ** np.arange(4)
    errors = [np.abs(end(method, h) - exact).max() for h in steps]
    slope, _ = np.polyfit(np.log(steps), np.log(errors), 1)
    assert min(errors) > 1e-13, "the fit must not reach rounding"
    # higher terms still count at these steps, most of all of RODAS; one that had lost an order would be a unit lower
    assert ORDERS[method] - 0.4 < slope < ORDERS[method] + (1.6 if method == "rodas" else 0.8), (slope, errors)


def test_the_implicit_method_damps_whatever_decays_and_lets_no_oscillation_grow():
    """L-stable: |R(z)| ≤ 1 on the whole left half, and R → 0 far from the origin; e^z to fifth order near it."""
    for angle in np.linspace(np.pi / 2, np.pi, 7):
        for size in 10.0 ** np.arange(-3, 9):
            assert abs(amplification("rodas", size * np.exp(1j * angle))) <= 1 + 1e-12
    assert abs(amplification("rodas", -1e6)) < 1e-5
    z = 0.01 * np.exp(1j * np.arange(1, 7))
    np.testing.assert_allclose([amplification("rodas", v) for v in z], np.exp(z), atol=1e-11)


def damped(c):
    """A biglide with one foot on a spring and the other in a damper."""
    A1, A2 = Slider("q1", at=(-0.2, 0), along=(0, 1), mass=1.0), Slider("q2", at=(0.2, 0), along=(0, 1), mass=1.0)
    C = Free("C", mass=3.0)
    acting = {"springs": (Spring(A1, stiffness=50.0, rest=0.0),), "dampers": (Damper(A2, c),)}
    bars = (Bar(A1, C, 0.36), Bar(A2, C, 0.36))
    return cc.load(Recipe(Mechanism("damped", (A1, A2), C, bars=bars, **acting)))


def test_a_stiff_robot_takes_steps_as_long_as_its_slow_motion_allows():
    """A damper of 1e5 N s/m stops a foot within 0.1 ms: RK4 at 1 ms fails, RODAS is where 40,000 steps of it are."""
    robot = damped(1e5)
    begin = {"q": [0.05, 0.0], "assembly": "+", "duration": 0.4}
    assert not cc.simulate(robot, Constant(0.0), **begin, step=1e-3).finished
    exact = cc.simulate(robot, Constant(0.0), **begin, interval=1e-2, step=1e-5, method="rk4")
    run = cc.simulate(robot, Constant(0.0), **begin, interval=1e-2, step=1e-3, method="rodas")
    assert exact.finished
    assert run.finished
    assert np.ptp(exact.q[:, 0]) > 1e-3
    np.testing.assert_allclose(run.final.z, exact.final.z, atol=1e-7)
    assert run.closure.max() < 1e-14


LONG = {  # robot: a free motion that goes round through Type 1 and Type 2 for ever
    "biglide": {"q": [0.0, 0.0], "q_dot": [0.5, -0.5], "assembly": "+"},
    "fivebar": {"x": [0.01, 0.13], "x_dot": [0.3, 0.2], "working": "+-"},
}


def free_run(name, method, h, seconds=100.0):
    """No effort, no friction."""
    robot = cc.load(name)
    start = cc.state(robot, **LONG[name])
    return cc.simulate(robot, Constant((0.0, 0.0)), duration=seconds, interval=h, step=h, start=start, method=method)


def drift(run):
    """The rise of the straight line through the energy, and the largest departure from it, both relative."""
    energy = run.energies[0]
    t = run.t / run.t[-1]
    slope, level = np.polyfit(t, energy, 1)
    return abs(slope) / energy[0], np.abs(energy - slope * t - level).max() / energy[0]


@pytest.mark.parametrize(("name", "h"), [("biglide", 0.005), ("fivebar", 0.0025)])
def test_gauss_keeps_the_energy_of_a_free_closed_chain_without_a_trend(name, h):
    """100 s through both kinds of singularity: the energy swings but does not drift; with RK4 it drifts."""
    gauss, rk4 = free_run(name, "gauss4", h), free_run(name, "rk4", h)
    assert gauss.finished
    rise, swing = drift(gauss)
    assert rise < 0.2 * swing  # a line through irregular swings is not quite level
    assert drift(rk4)[0] > 20 * rise
    assert gauss.closure.max() < 1e-15


@pytest.mark.parametrize("method", ["gauss4", "rk6"])
@pytest.mark.parametrize("name", LONG)
def test_a_hundred_seconds_at_a_millisecond_keep_the_energy_and_the_closures(name, method):
    """100,000 steps: 1e-8 of the energy (the five-bar turns 20 times faster), closures at rounding."""
    run = free_run(name, method, 1e-3)
    assert run.finished
    assert np.abs(run.balance).max() < 1e-8 * run.energies[0][0]
    assert run.closure.max() < 1e-15


@pytest.mark.parametrize("name", LONG)
def test_the_free_motion_really_passes_both_singularities(name):
    """det A and the legs' signs change on the way, or the two tests above would show little."""
    run = free_run(name, "rk6", 1e-3, seconds=20.0)
    made = run.model.call("closures", q=run.q, x=run.x)
    det_A, det_B = np.linalg.det(made["A"]), np.linalg.det(made["B"])
    assert det_A.min() < 0 < det_A.max()
    assert det_B.min() < 0 < det_B.max()
