"""The programs that are exported besides the models: projection, observation, the step; and for which robots."""

import numpy as np
import pytest

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


def test_a_general_linkage_leaves_without_its_motion():
    """One closure for two coordinates: what is in z is written, and the rest is refused with a reason."""
    model = cc.load(loads(PENDULUM, "hanging.toml"))
    programs = every_program(model, "tau")
    names = [p.name for p in programs]
    assert {"closures", "mass", "energy"} <= set(names)
    assert "step" not in names
    gap = named(programs, "closures", x=[3.0, 4.0], p=model.p)["gap"]
    np.testing.assert_allclose(gap, 5.0 - 2.0, rtol=1e-15)
    with pytest.raises(BadInput, match="general linkage"):
        motion_programs(model, "tau")


def test_the_natural_input_is_the_motors_voltage():
    """Where a motor is known; one parameter set of the furuta has none."""
    assert natural_inputs(cc.load("furuta")) == "voltage"
    assert natural_inputs(cc.load("furuta:cazzolato-prime")) == "tau"
    assert natural_inputs(cc.load("biglide")) == "tau"
    with pytest.raises(BadInput, match="no motor is known"):
        check_inputs(cc.load("furuta:cazzolato-prime"), "voltage")
