"""The programs that are exported besides the models: projection, observation, the step; and for which robots."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import closedchain as cc
from closedchain.control.feedforward import Constant
from closedchain.describe.files import loads
from closedchain.errors import BadInput
from closedchain.export.programs import check_inputs, every_program, motion_programs, natural_inputs
from closedchain.export.stepping import Stepper
from closedchain.kernels.program import run
from closedchain.model.sampling import sample


def named(programs, name, **arrays):
    """A program interpreted by NumPy on named arrays."""
    program = next(p for p in programs if p.name == name)
    made = run(program, *(arrays[o.name] for o in program.inputs))
    return dict(zip((o.name for o in program.outputs), made, strict=True))


def test_projection_closes_loops_and_stops_slips():
    """A tip pushed a micrometre off, with rates that tear the bars: Newton's step leaves the square of the error."""
    model = cc.load("biglide")
    programs, s = motion_programs(model, "tau"), sample(model, 5, 0)
    off = {"q": s.q, "x": s.x + 1e-6, "q_dot": s.q_dot, "x_dot": s.x_dot + 0.1, "p": model.p}
    near = named(programs, "project", **off)
    after = {name.removesuffix("_next"): value for name, value in near.items()} | {"p": model.p}
    seen, before = named(programs, "observe", **after), named(programs, "observe", **off)
    assert np.abs(before["gap"]).max() > 1e-7
    assert np.abs(before["slip"]).max() > 1e-2
    assert np.abs(seen["gap"]).max() < 1e-11  # (1e-6 m)² over the bar's length
    assert np.abs(seen["slip"]).max() < 1e-14


def test_projection_weighs_by_mass():
    """With heavy feet and a light tip nearly all of the correction is the tip's."""
    model = cc.load("biglide", m_f=1e6, m_p=1e-3)
    s = sample(model, 1, 0)
    near = named(motion_programs(model, "tau"), "project", q=s.q, x=s.x + 1e-5, q_dot=s.q_dot, x_dot=s.x_dot, p=model.p)
    assert np.abs(near["q_next"] - s.q).max() < 1e-8 * 1e-5  # masses are 1e9 apart
    assert np.abs(near["x_next"] - s.x).max() < 1e-4 * 1e-5  # Newton: what is left is the square of the push


@pytest.mark.parametrize("name", ["biglide", "furuta"])
def test_a_batch_steps_as_the_simulation(name):
    """Four states through 20 ms in four steps each, beside four runs."""
    model = cc.load(name)
    inputs, begin = natural_inputs(model), sample(model, 4, 1)
    u = np.linspace(-0.5, 0.5, 4)[:, None] * np.ones(len(model.driven))
    end = Stepper(model, inputs, 0.02, 4).advance(begin, u)
    for i in range(4):
        start = type(begin)(begin.q[i], begin.x[i], begin.q_dot[i], begin.x_dot[i])
        law = Constant(tuple(u[i]), output=inputs)
        run_ = cc.simulate(model, law, start=start, duration=0.02, interval=0.02, step=0.005)
        np.testing.assert_allclose(end.z[i], run_.final.z, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(end.z_dot[i], run_.final.z_dot, rtol=1e-12, atol=1e-13)


def test_massless_bodies_bring_the_augmented_dynamics():
    """A tip without mass is moved by its bars only: other code, and the accelerations of a tip that hardly weighs."""
    sizes = {}
    for mass in (0.0, 3.0):
        programs = every_program(cc.load("biglide", m_p=mass), "tau")
        (sizes[mass],) = [len(p.code) for p in programs if p.name == "forward_dynamics"]
    assert sizes[0.0] > sizes[3.0]


PENDULUM = """
schema = "closedchain.mechanism/1"
name = "hanging"
linkage = true
gravity = [0, -9.81]
[parameters]
l = 2.0
[points]
A = { fixed = [0, 0] }
P = { free = true, mass = 1.0 }
[[bars]]
between = ["A", "P"]
length = "l"
"""


def test_a_mechanism_that_nothing_drives_leaves_with_its_motion():
    """One closure for two coordinates, a pendulum: a second later it is where the pendulum's own equation has it."""
    model = cc.load(loads(PENDULUM, "hanging.toml"))
    programs = every_program(model, "tau")
    gap = named(programs, "closures", x=[3.0, 4.0], p=model.p)["gap"]
    np.testing.assert_allclose(gap, 5.0 - 2.0, rtol=1e-15)
    state = {"x": np.array([2.0, 0.0]), "x_dot": np.zeros(2), "work": np.zeros(())}  # level, at rest
    for _ in range(1000):
        made = named(programs, "step", **state, u=np.zeros(0), h=1e-3, p=model.p)
        state = {name: made[f"{name}_next"] for name in state}
    swing = solve_ivp(lambda t, y: [y[1], -9.81 / 2.0 * np.cos(y[0])], (0, 1), [0.0, 0.0], rtol=1e-12, atol=1e-12)
    angle, rate = swing.y[:, -1]
    np.testing.assert_allclose(state["x"], 2.0 * np.array([np.cos(angle), np.sin(angle)]), atol=1e-9)
    np.testing.assert_allclose(state["x_dot"], 2.0 * rate * np.array([-np.sin(angle), np.cos(angle)]), atol=1e-9)


@pytest.mark.parametrize("name", ["nfourbar:2", "rrr4"])
def test_dependent_and_redundant_closures_step_as_the_simulation(name):
    """Twenty steps of the exported program beside a run: the same elimination, put onto the closures by other steps."""
    model = cc.load(name)
    programs, begin = motion_programs(model, "tau"), sample(model, 1, 3)
    state = {n: getattr(begin, n)[0] for n in ("q", "x", "q_dot", "x_dot") if getattr(begin, n).size}
    law = Constant((0.0,) * len(model.driven), "tau") if model.driven else None
    run_ = cc.simulate(
        model, law, start=type(begin)(*(v[0] for v in vars(begin).values())), duration=0.02, interval=1e-3
    )
    state["work"] = np.zeros(())
    for _ in range(20):
        made = named(programs, "step", **state, u=np.zeros(len(model.driven)), h=1e-3, p=model.p)
        state = {n: made[f"{n}_next"] for n in state}
    np.testing.assert_allclose(state["x"], run_.final.x, rtol=0, atol=1e-9 * model.scale)
    np.testing.assert_allclose(state["x_dot"], run_.final.x_dot, rtol=1e-7, atol=1e-7)


def test_the_natural_input_is_the_motors_voltage():
    """Where a motor is known; one parameter set of the furuta has none."""
    assert natural_inputs(cc.load("furuta")) == "voltage"
    assert natural_inputs(cc.load("furuta:cazzolato-prime")) == "tau"
    assert natural_inputs(cc.load("biglide")) == "tau"
    with pytest.raises(BadInput, match="no motor is known"):
        check_inputs(cc.load("furuta:cazzolato-prime"), "voltage")
