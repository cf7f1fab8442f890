"""Set-valued friction and firm stops: instants, speeds and energies known in closed form, or from other programs."""

from dataclasses import replace

import numpy as np
import pytest
from mpmath import cos, findroot, mp, mpf, sin
from scipy.integrate import solve_ivp

import closedchain as cc
from closedchain.control import Constant
from closedchain.describe import (
    Bar,
    Body,
    Free,
    Friction,
    Mechanism,
    Parameter,
    Recipe,
    Slide,
    Slider,
    Spring,
    Stop,
    Turn,
)
from closedchain.describe import cos as cosine
from closedchain.describe import sin as sine
from closedchain.errors import BadInput
from closedchain.model.dynamics import jacobian, mass_matrix
from closedchain.simulation.boxed import boxed

G = 9.81
FREE = Constant(0.0, "tau")


@pytest.fixture(scope="module")
def block():
    """A block of 2 kg on a guide that rises at an angle, with a spring, friction, and a stop below."""
    a, k, F, S, v, e, low = (
        Parameter(value, unit, "chosen", name=name)
        for name, value, unit in (
            ("a", 0.0, "rad"),
            ("k", 0.0, "N/m"),
            ("F", 0.0, "N"),
            ("S", 0.0, "N"),
            ("v_s", 0.05, "m/s"),
            ("e", 0.5, "1"),
            ("low", -10.0, "m"),
        )
    )
    s = Slide("s", axis=(cosine(a), 0, sine(a)))
    body = Body("block", mass=2.0, joint=s)
    made = Mechanism(
        "block",
        (s,),
        body,
        springs=(Spring(s, stiffness=k),),
        frictions=(Friction(s, coulomb=F, static=S, stribeck=v),),
        stops=(Stop(s, low=low, restitution=e),),
        further=(body.point("P", (0, 0, 0)),),
        gravity=(0, 0, -G),
    )
    return cc.load(Recipe(made))


def instants(run, what):
    """When something happened."""
    return [event["t"] for event in run.findings["events"] if event["what"] == what]


def test_a_block_on_a_slope_slides_and_holds_at_the_right_instants(block):
    """Pushed up by A sin ωt it leaves when push = weight + friction and stops where its momentum is used up."""
    mp.dps = 30
    a, F, A, w, m = mpf("0.3"), mpf(6), mpf(13), mpf(5), mpf(2)
    against = F + m * mpf(G) * sin(a)
    leaves = mp.asin(against / A) / w
    halts = findroot(lambda t: A / w * (cos(w * leaves) - cos(w * t)) - against * (t - leaves), mpf("0.5"))
    assert abs(A * sin(w * halts) - m * mpf(G) * sin(a)) < F  # so that it holds there
    falls = (
        mp.pi + mp.asin((F - m * mpf(G) * sin(a)) / A)
    ) / w  # where friction no longer carries the rest of its weight
    up = np.array([np.cos(0.3), 0.0, np.sin(0.3)])
    run = cc.simulate(
        block.with_values(a=0.3, F=6.0, S=6.0),
        FREE,
        q=[0.0],
        duration=0.7,
        interval=0.01,
        step=0.01,
        method="events",
        forces={"P": lambda t, state: 13.0 * np.sin(5.0 * t) * up},
    )
    assert run.finished
    np.testing.assert_allclose(instants(run, "slides"), [float(leaves), float(falls)], rtol=0, atol=1e-9)
    np.testing.assert_allclose(instants(run, "holds"), [float(halts)], rtol=0, atol=1e-9)
    assert (run.q_dot[run.t < float(leaves)] == 0.0).all()
    assert run.summary["energy_residual"] < 1e-9


def test_an_oscillator_with_dry_friction_loses_two_widths_each_half_swing(block):
    """Amplitude 0.1 falls by 2F/k = 0.03 m in each half period π√(m/k), and rests inside the band F/k."""
    robot = block.with_values(k=200.0, F=3.0, S=3.0)
    run = cc.simulate(robot, FREE, q=[0.1], duration=1.2, interval=0.01, step=0.005, method="events")
    turns = [*instants(run, "slides"), *instants(run, "holds")]
    np.testing.assert_allclose(turns, [np.pi / 10, np.pi / 5, 3 * np.pi / 10], rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.q[-1], -0.01, rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.findings["friction_loss"], 3.0 * (0.17 + 0.11 + 0.05), rtol=1e-10)
    assert run.summary["energy_residual"] < 1e-10


def test_a_bouncing_stop_is_met_at_the_times_of_the_geometric_series(block):
    """Falling 1 m with e = ½: tₙ = t₀ + Σ 2 v eᵏ / g; after 2 v e / (g (1 − e)) more it lies still."""
    robot = block.with_values(a=np.pi / 2, low=0.0)
    run = cc.simulate(robot, FREE, q=[1.0], duration=1.5, interval=0.02, step=0.02, method="events")
    first = np.sqrt(2 / G)
    flights = 2 * G * first * 0.5 ** np.arange(1, 20) / G
    hits = [event for event in run.findings["events"] if event["what"] == "hits"]
    np.testing.assert_allclose([h["t"] for h in hits[:20]], np.cumsum([first, *flights]), rtol=0, atol=1e-12)
    np.testing.assert_allclose([h["speed"] for h in hits[:10]], G * first * 0.5 ** np.arange(10), rtol=1e-10)
    np.testing.assert_allclose(instants(run, "closes"), [3 * first], rtol=0, atol=1e-6)  # bounces below 1e-6 m/s end
    np.testing.assert_allclose(run.findings["impact_loss"], 2.0 * G, rtol=1e-9)
    assert abs(run.q[-1, 0]) < 1e-15
    assert run.summary["energy_residual"] < 1e-9


def test_stribecks_stick_and_slip_repeats_as_another_integration_has_it(block):
    """A block drawn by a spring whose end moves on: each stick and slip beside SciPy's events, at 1e-12."""
    k, V, m, F, S, v_s = 150.0, 0.1, 2.0, 4.0, 6.0, 0.05
    robot = block.with_values(F=F, S=S, v_s=v_s)
    run = cc.simulate(
        robot,
        FREE,
        q=[0.0],
        duration=2.0,
        interval=0.02,
        step=0.004,
        method="events",
        forces={"P": lambda t, state: np.array([k * (V * t - state.q[0]), 0.0, 0.0])},
    )
    x, t, wanted = 0.0, 0.0, []
    while True:
        t = (S / k + x) / V  # the spring's force has grown to S
        if t > 2.0:
            break
        wanted.append(t)

        def slides(t, y):
            level = F + (S - F) * np.exp(-((y[1] / v_s) ** 2))
            return [y[1], (k * (V * t - y[0]) - level) / m]

        def rests(t, y):
            return y[1] - 1e-300 if t > wanted[-1] + 1e-4 else 1.0

        rests.terminal, rests.direction = True, -1
        done = solve_ivp(slides, (t, 3.0), [x, 0.0], method="DOP853", rtol=1e-13, atol=1e-15, events=rests)
        t, x = float(done.t_events[0][0]), float(done.y_events[0][0][0])
        if t > 2.0:
            break
        wanted.append(t)
    found = sorted([*instants(run, "slides"), *instants(run, "holds")])
    assert len(wanted) >= 4
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-7)
    assert run.summary["energy_residual"] < 1e-8


def feet(**acting):
    """The biglide on a slope of gravity, with what acts on its first foot."""
    A1, A2 = (Slider(f"q{i}", at=(x, 0), along=(0, 1), mass=1.0) for i, x in ((1, -0.2), (2, 0.2)))
    C = Free("C", mass=3.0)
    given = {name: tuple(make(A1) for make in makes) for name, makes in acting.items()}
    made = Mechanism("feet", (A1, A2), C, bars=(Bar(A1, C, 0.36), Bar(A2, C, 0.36)), gravity=(0, -G), **given)
    return cc.load(Recipe(made))


def test_an_impact_goes_through_the_whole_loop():
    """One foot falls onto its stop: ż⁺ beside M ż⁺ = M ż⁻ + Nᵀp + Φᵀμ solved as one system of all of z."""
    robot = feet(stops=[lambda A: Stop(A, low=-0.05, restitution=0.6)])
    begin = cc.state(robot, q=[0.0, 0.03])
    run = cc.simulate(robot, FREE, state=begin, duration=0.15, interval=0.01, step=0.002, method="events")
    (t,) = instants(run, "hits")
    plain = feet()
    before = cc.simulate(plain, FREE, state=begin, duration=t, interval=t, step=t / 60, method="rk6")
    v, z = before.final.z_dot, before.final.z
    np.testing.assert_allclose(z[0], -0.05, rtol=0, atol=1e-12)
    M, Phi, N = mass_matrix(plain, z), jacobian(plain, z), np.eye(1, 4)
    rows = np.vstack([Phi, N])
    whole = np.block([[M, -rows.T], [rows, np.zeros((3, 3))]])
    after = np.linalg.solve(whole, np.concatenate([M @ v, [0.0, 0.0, -0.6 * v[0]]]))[:4]
    lost = 0.5 * (v @ M @ v - after @ M @ after)
    np.testing.assert_allclose(run.findings["impact_loss"], lost, rtol=1e-9)
    state = cc.model.State(z[:2], z[2:], after[:2], after[2:])
    rest = cc.simulate(plain, FREE, start=state, duration=0.15 - t, interval=0.15 - t, step=0.001, method="rk6")
    np.testing.assert_allclose(run.final.z, rest.final.z, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.final.z_dot, rest.final.z_dot, rtol=0, atol=1e-8)
    assert run.summary["energy_residual"] < 1e-9


def test_a_pendulum_on_a_dry_hinge_holds_where_its_weight_is_too_weak():
    """On a passive joint of space, in a linkage: it rests where m g l |sin θ| ≤ F; friction took what it fell."""
    hinge = Turn("theta", axis=(0, 1, 0))
    bob = Body("bob", mass=1.5, centre=(0, 0, -0.4), joint=hinge, near=(1.0,))
    made = Mechanism("bob", (), bob, frictions=(Friction(hinge, coulomb=0.8),), gravity=(0, 0, -G), linkage=True)
    robot = cc.load(Recipe(made))
    run = cc.simulate(robot, x=[1.0], duration=4.0, interval=0.02, step=0.01, method="events")
    assert run.finished
    assert instants(run, "holds")
    assert 1.5 * G * 0.4 * abs(np.sin(run.x[-1, 0])) < 0.8
    fallen = 1.5 * G * 0.4 * (np.cos(run.x[-1, 0]) - np.cos(1.0))
    np.testing.assert_allclose(run.findings["friction_loss"], fallen, rtol=1e-9)


def test_other_methods_refuse_what_is_no_function_of_the_state(block):
    """They say which friction and stop it is, and what to do."""
    with pytest.raises(BadInput, match=r'friction s, stop s\.low.*method = "events".*width'):
        cc.simulate(block, FREE, q=[0.0], duration=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_pivoting_meets_every_condition(seed):
    """Random W = AAᵀ, some of it singular: f within bounds, w zero inside and inward at a bound."""
    rng = np.random.default_rng(seed)
    for n in (1, 3, 6):
        A = rng.normal(size=(n, n if seed % 2 else max(1, n - 1)))
        W, high = A @ A.T, rng.uniform(0.1, 1.0, n)
        a = W @ rng.normal(size=n) * 2
        f, w = boxed(W, a, -high, high)
        assert (np.abs(f) <= high * (1 + 1e-9)).all()
        np.testing.assert_allclose(w, W @ f + a, rtol=0, atol=1e-9)
        inside = np.abs(f) < high * (1 - 1e-9)
        assert np.abs(w[inside]).max(initial=0.0) < 1e-9
        assert (w[~inside] * f[~inside] <= 1e-9).all()


def test_a_delta_on_dry_cranks_falls_onto_a_stop():
    """In space, through three loops: friction took 2 N m times each crank's way; one crank rests behind its stop."""
    plain = cc.load("delta").mechanism
    made = replace(
        plain,
        name="dry-delta",
        frictions=tuple(Friction(d, coulomb=2.0) for d in plain.drives),
        stops=(Stop(plain.drives[0], high=0.5, restitution=0.4),),
    )
    begin = {"q": [0.2, 0.25, 0.3], "duration": 0.6, "interval": 0.02, "step": 0.01}
    run = cc.simulate(cc.load(Recipe(made)), FREE, method="events", **begin)
    (hit,) = instants(run, "hits")
    assert instants(run, "holds")[0] > hit
    end = run.q[-1]
    way = (0.5 - 0.2) + (0.5 - end[0]) + (end[1] - 0.25) + (end[2] - 0.3)
    np.testing.assert_allclose(run.findings["friction_loss"], 2.0 * way, rtol=1e-9)
    assert run.q_dot[-1, 0] == pytest.approx(0.0, abs=1e-14)
    assert run.findings["impact_loss"] > 0.1
    assert run.summary["energy_residual"] < 1e-9
    assert run.summary["closure_residual"] < 1e-14


def test_a_constant_force_moves_what_friction_cannot_hold(block):
    """10 N against 4 N on 2 kg: 3 m/s², and of the force's work friction takes four tenths."""
    robot = block.with_values(F=4.0, S=4.0)
    told = {"q": [0.0], "duration": 0.2, "interval": 0.02, "step": 0.02, "method": "events"}
    run = cc.simulate(robot, FREE, forces={"P": (10.0, 0.0, 0.0)}, **told)
    np.testing.assert_allclose(run.q[-1, 0], 3.0 * 0.2**2 / 2, rtol=1e-12)
    assert run.external is not None
    np.testing.assert_allclose(run.findings["friction_loss"], 0.4 * run.external.work[-1], rtol=1e-10)
    held = cc.simulate(robot, FREE, forces={"P": (3.9, 0.0, 0.0)}, **told)
    assert not held.q.any()
