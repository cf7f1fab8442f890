"""Motors as they are: currents that take their time, limits of supply and amplifier, gearboxes that lose both ways."""

import mpmath as mp
import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.describe import Body, Friction, Mechanism, Motor, Parameter, Recipe, Stop, Turn
from closedchain.errors import BadInput
from closedchain.export.programs import check_inputs
from closedchain.model.dynamics import motor_efforts
from closedchain.model.linearisation import linearise

R, L, KT, KV, N, I = 2.0, 5e-3, 0.05, 0.04, 10.0, 0.8


def wheel(coulomb=0.0, **motor):
    """A wheel of 0.8 kg m² about its axis, on a motor with a gearbox of 10; its bearing may be dry."""
    values = {"R": (R, "ohm"), "L": (L, "H"), "m_I": (100.0, "A"), "m_U": (1e3, "V"), "back": (0.6, "1")}
    p = {n: Parameter(v, u, "chosen", name=n) for n, (v, u) in values.items()}
    given = {key: p[value] if isinstance(value, str) else value for key, value in motor.items()}
    hub = Turn("q")
    body = Body("wheel", inertia=(I, I, I), mass=1.0, joint=hub)
    dry = (Friction(hub, coulomb=coulomb),) if coulomb else ()
    motors = (Motor("q", resistance=p["R"], kt=KT, kv=KV, ratio=N, **given),)
    return cc.load(Recipe(Mechanism("wheel", (hub,), body, motors=motors, frictions=dry, parameters=tuple(p.values()))))


@pytest.fixture(scope="module")
def limited():
    """One whose amplifier and supply are limited."""
    return wheel(inductance="L", most_current="m_I", most_voltage="m_U")


def test_the_current_of_a_voltage_step_is_the_closed_form(limited):
    """L i̇ = u − R i − kv N ω, I ω̇ = N kt i: two linear equations, solved by their eigenvalues."""
    u = 6.0
    run = cc.simulate(limited, Constant(u, "voltage"), q=[0.0], duration=0.05, interval=1e-3, step=1e-4, method="rk6")
    A = np.array([[-R / L, -KV * N / L], [N * KT / I, 0.0]])
    rates, V = np.linalg.eig(A)
    settled = np.linalg.solve(A, [-u / L, 0.0])
    shares = np.linalg.solve(V, -settled)
    wanted = settled + (np.exp(np.outer(run.t, rates)) * shares) @ V.T
    assert run.current is not None
    np.testing.assert_allclose(run.current[:, 0], wanted[:, 0].real, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.q_dot[:, 0], wanted[:, 1].real, rtol=0, atol=1e-9)
    assert run.summary["energy_residual"] < 1e-9
    assert run.columns()["current_q_A"][-1] == run.current[-1, 0]


def test_a_function_of_ones_own_finds_the_current_where_it_was_left(limited):
    """Command by command in Python: the same bits as the compiled loop."""
    told = {"q": [0.0], "duration": 0.02, "interval": 1e-3, "step": 1e-4}
    whole = cc.simulate(limited, Constant(6.0, "voltage"), **told)
    own = cc.simulate(limited, lambda t, state: [6.0], command="voltage", **told)
    np.testing.assert_array_equal(own.final.q_dot, whole.final.q_dot)


def test_amplifier_and_supply_let_no_more_through(limited):
    """At 20 V where 12 are given and 3 A let through, the wheel gains N kt 3 A / I in every second."""
    robot = limited.with_values(m_I=3.0, m_U=12.0)
    run = cc.simulate(robot, Constant(20.0, "voltage"), q=[0.0], duration=0.2, interval=0.01, step=1e-4)
    assert run.current is not None
    assert run.current.max() <= 3.0
    late = run.t > 0.02
    np.testing.assert_allclose(np.diff(run.q_dot[late, 0]) / np.diff(run.t[late]), N * KT * 3.0 / I, rtol=1e-9)
    rise = run.t < 0.0017  # before the limit: the current of 12 V, not of 20
    np.testing.assert_allclose(run.current[rise, 0], 12 / R * (1 - np.exp(-R / L * run.t[rise])), rtol=1e-3)


def test_a_gearbox_loses_both_ways():
    """Driving, a motor's torque T arrives as η T; driven, T / η′ is needed: brake and motor differ by 1/(η η′)."""
    robot = wheel(efficiency=0.8, back_efficiency="back", width=1e-4)
    for rate, wanted in ((2.0, 0.8), (-2.0, 1 / 0.6)):
        u = 3.0 * R + KV * N * rate  # at which 3 A flow
        tau = motor_efforts(robot, [u], np.array([rate]))
        np.testing.assert_allclose(tau, [N * KT * 3.0 * wanted], rtol=1e-8)
    run = cc.simulate(robot, Constant(2.0, "voltage"), q=[0.0], q_dot=[-1.0], duration=1.0, step=1e-3)
    assert run.summary["energy_residual"] < 1e-6


def test_what_has_no_place_for_a_current_says_so(limited):
    """Implicit and adaptive steps; a linear model and exported code."""
    for ask in (lambda: linearise(limited, q=[0.0], inputs="voltage"), lambda: check_inputs(limited, "voltage")):
        with pytest.raises(BadInput, match="the motor of q has an inductance, limits or losses both ways"):
            ask()
    for method in ("rodas", "adaptive"):
        with pytest.raises(BadInput, match="currents of its motors are states"):
            cc.simulate(limited, Constant(1.0, "voltage"), q=[0.0], duration=0.1, method=method)


def stuck_and_turning(t, u, dry):
    """The wheel's rate and current at t in 30 digits: the current rises against a wheel that holds until ratio kt i is
    what holds it; from then on two linear equations have the closed form of the test above, with what friction takes.
    """
    mp.mp.dps = 30
    r, l, kt, kv, n, inertia, f = (mp.mpf(str(v)) for v in (R, L, KT, KV, N, I, dry))
    begins = -l / r * mp.log(1 - f / (n * kt) * r / u)
    A = mp.matrix([[-r / l, -kv * n / l], [n * kt / inertia, 0]])
    b = mp.matrix([u / l, -f / inertia])
    settled = -(A**-1) * b
    out = []
    for instant in t:
        if instant <= begins:
            out.append([float(u / r * (1 - mp.exp(-r / l * instant))), 0.0])
        else:
            start = mp.matrix([f / (n * kt), 0]) - settled
            out.append([float(v) for v in mp.expm(A * (instant - begins)) * start + settled])
    return float(begins), np.array(out)


@pytest.mark.parametrize("own", [False, True], ids=["compiled law", "function"])
def test_a_motors_current_breaks_a_dry_bearing_loose_at_the_right_instant(own):
    """Inductance and set-valued friction together, beside 30 digits: instant, current, rate; the account is closed."""
    robot = wheel(coulomb=1.0, inductance="L")
    begins, wanted = stuck_and_turning(np.arange(51) * 1e-3, 6.0, 1.0)
    law = (lambda t, state: [6.0]) if own else Constant(6.0, "voltage")
    told = {"duration": 0.05, "interval": 1e-3, "step": 2.5e-4, "method": "events"}
    run = cc.simulate(robot, law, q=[0.0], command="voltage" if own else None, **told)
    (loose,) = [event["t"] for event in run.findings["events"] if event["what"] == "slides"]
    assert loose == pytest.approx(begins, abs=1e-10)
    assert run.current is not None
    np.testing.assert_allclose(run.current[:, 0], wanted[:, 0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.q_dot[:, 0], wanted[:, 1], rtol=0, atol=1e-8)
    assert run.summary["energy_residual"] < 1e-9


def test_steps_in_python_have_the_currents_of_the_compiled_loop(limited):
    """RK4 in Python and DOP853 agree with the compiled loop where the torque that is a function is none."""
    told = {"q": [0.0], "duration": 0.02, "interval": 1e-3, "step": 1e-4}
    whole = cc.simulate(limited, Constant(6.0, "voltage"), method="rk6", **told)
    for method in ("rk4", "dop853"):
        none = {"q": lambda t, state: 0.0}
        run = cc.simulate(limited, Constant(6.0, "voltage"), torques=none, method=method, **told)
        np.testing.assert_allclose(run.final.q_dot, whole.final.q_dot, rtol=1e-7)
        assert run.current is not None
        np.testing.assert_allclose(run.current[-1], whole.current[-1], rtol=1e-7)


def test_a_motor_with_inductance_crosses_a_play():
    """A linkage by events: between its stops the rotor alone turns, as the closed form has it; then the link is hit."""
    motor = Turn("motor")
    rotor = Body("rotor", mass=0.1, inertia=(I, I, I), joint=motor)
    play = Turn("play", by=rotor)
    link = Body("link", mass=1.0, inertia=(1.0, 1.0, 1.0), joint=play, near=(0.01,))
    drive = Motor("motor", resistance=R, kt=KT, kv=KV, ratio=N, inductance=L)
    stops = (Stop(play, low=-0.01, high=0.01, restitution=0.0),)
    robot = cc.load(Recipe(Mechanism("geared", (motor,), link, stops=stops, motors=(drive,), linkage=True)))
    told = {"duration": 0.2, "interval": 5e-3, "step": 2.5e-4, "method": "events"}
    run = cc.simulate(robot, Constant(6.0, "voltage"), q=[0.0], x=[0.01], **told)
    hit = next(event["t"] for event in run.findings["events"] if event["what"] == "hits")
    assert 0.05 < hit < 0.2
    free = run.t < hit
    A = np.array([[-R / L, -KV * N / L], [N * KT / I, 0.0]])
    rates, V = np.linalg.eig(A)
    settled = np.linalg.solve(A, [-6.0 / L, 0.0])
    wanted = settled + (np.exp(np.outer(run.t, rates)) * np.linalg.solve(V, -settled)) @ V.T
    assert run.current is not None
    np.testing.assert_allclose(run.current[free, 0], wanted[free, 0].real, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.q_dot[free, 0], wanted[free, 1].real, rtol=0, atol=1e-8)
    assert run.summary["energy_residual"] < 1e-7
