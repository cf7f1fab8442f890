"""Linkages in time, against elliptic functions and motions that are known by hand."""

import json
from pathlib import Path

import mpmath
import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.describe import Angle, Bar, Damper, Fixed, Free, Mechanism, Recipe, Spring
from closedchain.errors import BadInput
from closedchain.simulation.plant import Plant

DATA = Path(__file__).parents[1] / "data"
PENDULUM = json.loads((DATA / "pendulum.json").read_text(encoding="utf-8"))
IFTOMM = json.loads((DATA / "iftomm.json").read_text(encoding="utf-8"))
PUSH = {"x": 1.0}


def load(mechanism):
    """As shipped ones are loaded."""
    return cc.load(Recipe(mechanism))


def row(N, t):
    """x, y and rates of the first top joint of N windows at t: the row is one pendulum that turns over.

    Energy of N + 1 turning and N shifted bars: ψ̈ = −c sin ψ from hanging, c = g ((N+1)/2 + N) / ((N+1)/3 + N). With
    φ = ψ/2 and ψ̇²/2 − c cos ψ = E: φ̇² = Ω² (1 − k² sin² φ), Ω² = (E + c)/2, k² = 2 c/(E + c); φ(0) = π/2, turning back.
    """
    with mpmath.workdps(30):
        c = mpmath.mpf("9.81") * (mpmath.mpf(N + 1) / 2 + N) / (mpmath.mpf(N + 1) / 3 + N)
        E = mpmath.mpf(1) / 2 + c
        m, rate = 2 * c / (E + c), mpmath.sqrt((E + c) / 2)
        u = mpmath.ellipk(m) - rate * mpmath.mpf(t)
        sn, cn, dn = (mpmath.ellipfun(k, u, m=m) for k in ("sn", "cn", "dn"))
        s, h, turn = 2 * sn * cn, cn**2 - sn**2, -2 * rate * dn
        return np.array([float(v) for v in (s, -h, h * turn, s * turn)])


def flat_instants(N, until):
    """When the row lies flat: y = 0."""
    t = np.linspace(0, until, 400)
    y = [row(N, v)[1] for v in t]
    pairs = [(a, b) for a, b, p, q in zip(t, t[1:], y, y[1:], strict=False) if p * q < 0]
    return [float(mpmath.findroot(lambda v: float(row(N, v)[1]), pair, solver="anderson", tol=1e-9)) for pair in pairs]


def test_the_formula_for_the_row_is_the_reference():
    """P11's numbers."""
    np.testing.assert_allclose(row(2, 10), IFTOMM["a02_2_at_10_s"], atol=1e-15)


def test_a_pendulum_in_cartesian_coordinates_keeps_time_for_100_s():
    """P10: 1e-6 m at 10 s and 1e-5 m at 100 s are asked; RK6 with 2 ms keeps 1e-9, and the energy."""
    run = cc.simulate(cc.load("pendulum"), duration=100, interval=2e-3, step=2e-3, method="rk6")
    at = round(10 / 2e-3)
    np.testing.assert_allclose(np.concatenate([run.x[at], run.x_dot[at]]), PENDULUM["at_10_s"], atol=1e-9)
    np.testing.assert_allclose(run.x[-1], PENDULUM["at_100_s"], atol=1e-8)
    assert run.summary["energy_residual"] < 1e-9
    assert run.summary["closure_residual"] < 1e-15


@pytest.mark.parametrize("N", [1, 2, 6])
def test_windows_swing_through_flat_on_their_own_branch(N):
    """Position and velocity after 10 s and ten passages; all uprights stay parallel, none folds over."""
    chain = cc.load(f"nfourbar:{N}")
    run = cc.simulate(chain, duration=10, interval=5e-3, step=5e-3, method="rk6", x_dot=PUSH)
    np.testing.assert_allclose([*run.x[-1, :2], *run.x_dot[-1, :2]], row(N, 10), atol=1e-9)  # h⁶ leaves 1e-10
    assert np.ptp(run.x[:, 1::2], axis=1).max() < 1e-9
    assert run.summary["energy_residual"] < 1e-8


def test_the_run_tells_when_closures_were_lost():
    """The instants at which the exact motion lies flat, to a hundredth of the step between rows."""
    run = cc.simulate(cc.load("nfourbar:2"), duration=10, interval=2e-3, step=2e-3, x_dot=PUSH)
    assert run.findings["least_rank"] == 3  # the three uprights
    np.testing.assert_allclose(run.findings["losses"], flat_instants(2, 10), atol=2e-5)
    assert "closures became dependent 10 times" in str(run)


def test_no_step_size_meets_the_singular_position_badly():
    """A hundred step sizes, so that some stage falls within microradians of flat; RK4's own error is 4e-8 at 2 ms."""
    chain = cc.load("nfourbar:2")
    want = row(2, 10)
    worst = 0.0
    for steps in range(4950, 5050):
        run = cc.simulate(chain, duration=10, interval=10 / steps, step=10 / steps, x_dot=PUSH, rows=2)
        worst = max(worst, np.abs(np.array([*run.x[-1, :2], *run.x_dot[-1, :2]]) - want).max())
    assert worst < 1e-7


def test_a_neutral_four_bar_passes_its_change_point():
    """Crank + coupler = rocker + ground: it lies flat, and is no parallelogram. Two methods agree, and energy holds."""
    A, B = Free("A", near=(0.6, 0.8)), Free("B", near=(2.79, 1.03))
    bars = (Bar(Fixed("O", at=(0, 0)), A, 1.0, mass=1.0), Bar(Fixed("D", at=(1.7, 0)), B, 1.5, mass=1.5))
    bars += (Bar(A, B, 2.2, mass=2.2),)
    model = load(Mechanism("neutral", drives=(), bars=bars, output=A, gravity=(0, -9.81), linkage=True))
    start = cc.state(model, x_dot={"x": 0.8})
    fine = cc.simulate(model, start=start, duration=3, interval=1e-3, step=1e-4, method="rk6")
    coarse = cc.simulate(model, start=start, duration=3, interval=1e-3, step=1e-3)
    assert len(fine.findings["losses"]) == len(coarse.findings["losses"]) == 2
    np.testing.assert_allclose(coarse.final.z, fine.final.z, atol=1e-7)
    assert fine.summary["energy_residual"] < 1e-6


def test_a_free_mass_on_a_spring_needs_no_closure():
    """A spring of no rest length: every coordinate is a cosine with √(k/m)."""
    P = Free("P", mass=2.0, near=(0.3, -0.1))
    spring = Spring((Fixed("O", at=(0, 0)), P), stiffness=50.0)
    model = load(Mechanism("bob", drives=(), output=P, springs=(spring,), linkage=True))
    run = cc.simulate(model, duration=5, interval=1e-2, step=1e-2, method="rk6", x_dot=[0.0, 1.0])
    t = run.t[:, None]
    want = np.array([0.3, -0.1]) * np.cos(5 * t) + np.array([0.0, 1.0]) / 5 * np.sin(5 * t)
    np.testing.assert_allclose(run.x, want, atol=1e-8)  # (5 h)⁷ a step, 500 of them
    assert "closures" not in run.findings


def turning(**acting):
    """A point on a bar that a spring or a damper turns, without weight."""
    O, P = Fixed("O", at=(0, 0)), Free("P", mass=0.5, near=(np.cos(2.0), np.sin(2.0)))
    angle = Angle("theta", O, P)
    parts = {
        "springs": tuple(Spring(angle, k, rest=rest) for k, rest in acting.get("springs", ())),
        "dampers": tuple(Damper(angle, d) for d in acting.get("dampers", ())),
    }
    return load(
        Mechanism("turning", drives=(), bars=(Bar(O, P, 1.0),), output=P, readouts=(angle,), linkage=True, **parts)
    )


def test_a_spring_on_an_angle_is_harmonic_at_any_amplitude():
    """2 rad from a rest of 3 rad, through the cut at π: θ = 3 − cos ωt, ω² = k / m l²."""
    run = cc.simulate(turning(springs=((8.0, 3.0),)), duration=4, interval=2e-3, step=2e-3)
    theta = np.unwrap(np.arctan2(run.x[:, 1], run.x[:, 0]))
    np.testing.assert_allclose(theta, 3 - np.cos(4 * run.t), atol=1e-9)


def test_a_damper_on_an_angle_takes_the_energy_it_should():
    """ω falls as e^{−d t / m l²}; the balance counts what was taken."""
    model = turning(dampers=(0.3,))
    run = cc.simulate(model, duration=3, interval=2e-3, step=2e-3, x_dot={"x": -2.0 * np.sin(2.0)})
    speed = np.linalg.norm(run.x_dot, axis=-1)
    np.testing.assert_allclose(speed, 2.0 * np.exp(-0.3 / 0.5 * run.t), atol=1e-10)
    assert run.summary["energy_residual"] < 1e-10
    assert run.work[-1] == pytest.approx(0.25 * (speed[-1] ** 2 - 4.0), abs=1e-10)


def test_redundant_closures_change_nothing():
    """A beam on three legs instead of two moves like a pendulum of length 1, as exactly as with two."""
    B = [Free(f"B{i}", mass=1.0, near=(i - 1.0, 0.0)) for i in range(3)]
    bars = [Bar(Fixed(f"A{i}", at=(i, 0)), B[i], 1) for i in range(3)]
    bars += [Bar(B[0], B[1], 1), Bar(B[1], B[2], 1), Bar(B[0], B[2], 2)]
    beam = Mechanism("beam", drives=(), bars=tuple(bars), output=B[0], gravity=(0, -9.81), linkage=True)
    model = load(beam)
    low = cc.state(model, x=[-0.8, -0.6, 0.2, -0.6, 1.2, -0.6])
    run = cc.simulate(model, start=low, duration=2, interval=1e-3)
    one = cc.simulate(cc.load("pendulum"), x=[-0.8, -0.6], duration=2, interval=1e-3)
    np.testing.assert_allclose(run.x[:, :2], one.x, atol=1e-9)
    assert run.findings["least_rank"] < run.findings["closures"]
    assert "others imply them" in str(run)


def test_efforts_on_a_drive_move_the_centre_of_mass():
    """1 kg cart, 1 kg at the pole's end, 3 N: their centre has 1.5 m/s², whatever the pole does; work is counted."""
    cart = cc.load("cartpole")
    run = cc.simulate(cart, Constant(3.0), q=[0.0], duration=1, interval=1e-2, step=1e-3)
    centre = (run.q[:, 0] + run.x[:, 0]) / 2
    np.testing.assert_allclose(centre, 0.5 + 1.5 * run.t**2 / 2, atol=1e-12)
    np.testing.assert_allclose(run.work, 3.0 * run.q[:, 0], atol=1e-9)
    assert run.summary["energy_residual"] < 1e-9


def test_a_function_of_ones_own_controls_a_linkage():
    """A push that depends on time, held from instant to instant; the record says which."""
    run = cc.simulate(
        cc.load("cartpole"), lambda t, state: [1.0 if t < 0.5 else -1.0], q=[0.0], duration=1, interval=0.1, step=1e-2
    )
    np.testing.assert_array_equal(run.command[:50, 0], 1.0)
    np.testing.assert_array_equal(run.command[50:, 0], -1.0)


def test_a_drive_that_leaves_its_limits_ends_the_run():
    """As for robots."""
    run = cc.simulate(cc.load("cartpole"), Constant(20.0), q=[0.0], duration=2, interval=1e-2, limits=([-1.0], [0.5]))
    assert "joint limit" in run.ended
    assert run.q[-1, 0] > 0.5 > run.q[-2, 0]


def test_steps_that_are_too_long_are_told_not_hidden():
    """A chain at half a second a step opens its loops."""
    run = cc.simulate(cc.load("nfourbar:2"), duration=10, interval=0.5, step=0.5, x_dot={"x": 6.0})
    assert not run.finished
    assert "take shorter ones" in run.ended
    assert np.isfinite(run.x).all()


def test_something_without_mass_is_told():
    """A massless point that one bar holds may turn at will."""
    P, Q = Free("P", mass=1.0, near=(1, 0)), Free("Q", near=(2, 0))
    bars = (Bar(Fixed("O", at=(0, 0)), P, 1.0), Bar(P, Q, 1.0))
    model = load(Mechanism("loose", drives=(), bars=bars, output=P, gravity=(0, -9.81), linkage=True))
    run = cc.simulate(model, duration=1, interval=1e-2)
    assert not run.finished
    assert len(run.t) == 1


def test_a_cancelled_run_keeps_what_it_has():
    """Between chunks, when whoever watches raises KeyboardInterrupt."""

    def stop(t):
        if t >= 0.3:
            raise KeyboardInterrupt

    run = cc.simulate(cc.load("cartpole"), Constant(0.0), q=[0.0], duration=1, interval=0.1, progress=stop)
    assert run.ended.startswith("cancelled at t = 0.3")
    assert run.t[-1] == pytest.approx(0.3)


def test_what_cannot_be_done_is_refused():
    """One sentence each."""
    with pytest.raises(BadInput, match="there are rk4, rk6, rodas, adaptive, stiff"):
        cc.simulate(cc.load("cartpole"), Constant(0.0), q=[0.0], duration=1, method="gauss4")
    with pytest.raises(BadInput, match="give a controller"):
        cc.simulate(cc.load("cartpole"), q=[0.0], duration=1)


@pytest.mark.parametrize("plant", [Plant(), Plant(noise_q=1e-4, delay=2, values={"m_p": 3.3})])
def test_a_robot_with_steps_of_its_own_choice_moves_as_with_short_ones(plant):
    """Adaptive and stiff steps, sensors and wrong parameters included: within 1e-11 m of RK4 at 0.25 ms."""
    biglide = cc.load("biglide")
    law = cc.ComputedTorque(cc.quintic([0.0, 0.3], [0.1, 0.5], duration=0.5), kp=100, kd=20)
    short = cc.simulate(biglide, law, interval=5e-3, step=2.5e-4, plant=plant)
    for method in ("adaptive", "stiff"):
        run = cc.simulate(biglide, law, interval=5e-3, step=5e-3, plant=plant, method=method)
        assert run.finished
        np.testing.assert_allclose(run.x[-1], short.x[-1], atol=1e-11)


def test_redundant_drives_tell_where_the_platform_is_through_noise_and_delay():
    """Four drives for three freedoms: the sensed pose is the nearest, and a still robot stays where it is."""
    robot = cc.load("rrr4")
    run = cc.simulate(robot, Constant(0.0, "tau"), duration=0.02, plant=Plant(noise_q=1e-4, delay=1))
    still = cc.simulate(robot, Constant(0.0, "tau"), duration=0.02)
    assert run.finished
    np.testing.assert_allclose(run.x[-1], still.x[-1], atol=1e-12)  # a constant command does not look


def test_a_motion_that_grows_without_bound_is_ended():
    """A mass on a spring of 1e12 N/m, no closures: 1 ms is far too long a step, and no number reaches the user."""
    P = Free("P", mass=1.0, near=(1.0, 0.0))
    spring = Spring((Fixed("O", at=(0, 0)), P), stiffness=1e12)
    model = load(Mechanism("stiff", drives=(), output=P, springs=(spring,), linkage=True))
    run = cc.simulate(model, duration=1, interval=1e-3)
    assert "grew without bound" in run.ended
    assert all(np.isfinite(column).all() for column in (run.x, run.x_dot, run.work))
