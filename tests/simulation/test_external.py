"""External forces in time: closed forms, springs and weights that are the same force, and the account of work."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control.feedforward import Constant
from closedchain.describe import Bar, Fixed, Free, Mechanism, Recipe, Slider, Spring
from closedchain.errors import BadInput
from closedchain.simulation.rollouts import rollouts

MASS = 5.0  # [kg] of the biglide: a tip of 3 kg and two feet of 1 kg
F, W = 4.0, 6.0  # [N], [rad/s]


def free(t, state):
    """No effort."""
    return np.zeros(2)


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_force_in_time_lifts_the_whole_biglide(biglide, method):
    """Level feet and a tip over their middle move as one mass M: F sin ωt gives y = F/(Mω) t − F/(Mω²) sin ωt."""
    push = {"C": lambda t, state: (0.0, F * np.sin(W * t))}
    run = cc.simulate(biglide, free, q=[0.0, 0.0], duration=0.5, interval=0.01, method=method, forces=push)
    y = F / (MASS * W) * run.t - F / (MASS * W**2) * np.sin(W * run.t)
    np.testing.assert_allclose(run.q[:, 0], y, atol=1e-12)  # RK4 at 1 ms
    np.testing.assert_allclose(run.external.work, MASS / 2 * run.q_dot[:, 0] ** 2, atol=1e-12)
    np.testing.assert_allclose(run.external.components["force_C_y"], F * np.sin(W * run.t), rtol=1e-14)
    assert run.summary["energy_residual"] < 1e-13


def test_a_force_that_is_a_number_is_compiled_and_its_work_is_told(biglide):
    """y = F t²/2M, and the work is F y; the law knows nothing of it."""
    run = cc.simulate(biglide, Constant(0.0), q=[0.0, 0.0], duration=0.5, forces={"C": (0.0, F)})
    np.testing.assert_allclose(run.q[-1], F * 0.5**2 / (2 * MASS), rtol=1e-12)
    assert run.external.work[-1] == pytest.approx(F * run.q[-1, 0], rel=1e-13)
    assert run.summary["external_work"] == run.external.work[-1]
    assert run.summary["energy_residual"] < 1e-13
    assert "external forces did 0.4 J of work" in str(run)
    assert {"force_C_x_N", "force_C_y_N", "external_work_J"} <= set(run.columns())


def spring_biglide(stiffness):
    """The biglide with a spring without length from the tip to a fixed point."""
    A1, A2 = (Slider(f"q{i}", at=(x, 0.0), along=(0.0, 1.0), mass=1.0) for i, x in ((1, -0.2), (2, 0.2)))
    C = Free("C", mass=3.0)
    springs = (Spring((Fixed("O", at=(0.05, 0.1)), C), stiffness),) if stiffness else ()
    bars = (Bar(A1, C, 0.3606), Bar(A2, C, 0.3606))
    return cc.load(Recipe(Mechanism("sprung", drives=(A1, A2), bars=bars, output=C, springs=springs)))


def test_a_force_of_the_state_is_the_spring_that_it_writes():
    """−k (C − O), as a function and as an element, move alike; what the force did is what the spring gave up."""
    k, O = 50.0, np.array([0.05, 0.1])
    start = {"q": [0.02, -0.03], "duration": 0.3, "interval": 0.01}
    sprung = cc.simulate(spring_biglide(k), free, **start)
    pulled = cc.simulate(spring_biglide(0.0), free, **start, forces={"C": lambda t, s: -k * (s.x - O)})
    np.testing.assert_allclose(pulled.q, sprung.q, atol=1e-12)
    _, potential = sprung.energies
    np.testing.assert_allclose(pulled.external.work, potential[0] - potential, atol=1e-11)


@pytest.mark.parametrize("varying", [False, True])
def test_a_force_on_a_linkage_is_a_weight_that_leans(varying):
    """A level pull of m g on the pendulum: it swings about the diagonal, as under gravity (g, −g)."""
    g = 9.81
    force = {"P": (lambda t, s: (g, 0.0)) if varying else (g, 0.0)}
    run = cc.simulate(cc.load("pendulum"), duration=0.4, forces=force)
    O, P = Fixed("O", at=(0, 0)), Free("P", mass=1.0, near=(-1, 0))
    leaning = Mechanism("leaning", drives=(), bars=(Bar(O, P, 1.0),), output=P, gravity=(g, -g), linkage=True)
    other = cc.simulate(cc.load(Recipe(leaning)), duration=0.4)
    np.testing.assert_allclose(run.x[-1], other.x[-1], atol=1e-11)
    assert run.external.work[-1] == pytest.approx(g * (run.x[-1, 0] + 1.0), abs=1e-9)  # RK4 at 1 ms
    assert run.summary["energy_residual"] < 1e-9


def test_turns_of_a_torque_are_counted_on(fivebar):
    """A torque on a crank's bar does T times the angle it turned, over the cut at π too: the balance tells."""
    run = cc.simulate(fivebar, free, x=[0.0, 0.1], working="+-", duration=0.2, torques={"q11": 0.01, "A2-C": -0.01})
    kinetic, _ = run.energies
    np.testing.assert_allclose(run.external.work, kinetic, atol=1e-9)


def test_rollouts_take_a_force_for_each_run(biglide):
    """F t²/2M for every F, in one call."""
    F_ = np.array([1.0, 2.0, -4.0])
    many = rollouts(biglide, Constant(0.0), q=[0.0, 0.0], duration=0.5, forces={"C": np.stack([0 * F_, F_], axis=-1)})
    np.testing.assert_allclose(many.final.q[:, 0], F_ * 0.5**2 / (2 * MASS), rtol=1e-11)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"method": "rk6"}, "integrated by rk4 or dop853, not by rk6"),
        ({"controller": cc.KinematicControl}, "kinematic plant moves as commanded"),
    ],
)
def test_forces_that_cannot_be_simulated_are_refused(biglide, options, message):
    """Which and why."""
    controller = options.pop("controller", None)
    if controller is not None:
        controller = controller(cc.quintic([0.0, 0.3], [0.0, 0.35], duration=0.2))
    with pytest.raises(BadInput, match=message):
        cc.simulate(
            biglide, controller or free, x=[0.0, 0.3], duration=0.2, forces={"C": lambda t, s: (0.0, 1.0)}, **options
        )


def test_rollouts_refuse_functions(biglide):
    """They are one compiled loop."""
    with pytest.raises(BadInput, match="forces that are numbers"):
        rollouts(biglide, Constant(0.0), q=[0.0, 0.0], duration=0.1, forces={"C": lambda t, s: (0.0, 1.0)})


def test_accelerations_in_a_runs_files_are_those_under_the_forces():
    """The biglide pushed up by F sin ωt and nothing else moves as one mass: q̈ = F sin ωt / M at every row."""
    robot = cc.load("biglide")
    push = {"C": lambda t, state: (0.0, 4.0 * np.sin(6.0 * t))}
    run = cc.simulate(robot, lambda t, state: np.zeros(2), q=[0.0, 0.0], duration=0.5, interval=0.01, forces=push)
    np.testing.assert_allclose(run.derived.arrays["q_ddot"][:, 0], 4.0 * np.sin(6.0 * run.t) / 5.0, atol=1e-12)
