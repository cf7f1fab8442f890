"""CasADi functions: the numbers of the compiled kernels, exact derivatives, and a file that CasADi reads."""

import casadi as ca
import numpy as np
import pytest

import closedchain as cc
from closedchain.control.feedforward import Constant
from closedchain.errors import BadInput
from closedchain.export.functions import casadi_functions, save_functions
from closedchain.export.programs import natural_inputs
from closedchain.model.derivatives import derivatives
from closedchain.model.dynamics import efforts_and_multipliers, forward_dynamics, motor_efforts
from closedchain.model.sampling import sample

ROBOTS = ("biglide", "fivebar", "furuta", "slidercrank", "triplate")


def one(model, seed=0):
    """A random state as CasADi takes it."""
    found = sample(model, 1, seed)
    return cc.state(
        model, q=found.q[0], **({"x": found.x[0], "x_dot": found.x_dot[0]} if model.nx else {}), q_dot=found.q_dot[0]
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_functions_give_what_the_kernels_give(name):
    """Every model at a random state; the same expressions in another evaluator, so to rounding."""
    model = cc.load(name)
    f, s = casadi_functions(model), one(model)
    made = cc.evaluate(model, q=s.q, x=s.x if model.nx else None, q_dot=s.q_dot, tau=np.full(len(model.driven), 0.3))
    for key in ("A", "B", "J", "M") if model.nx else ("M",):
        np.testing.assert_allclose(np.array(f[key](s.q, s.x, model.p)), getattr(made, key), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(np.array(f["c"](s.q, s.x, s.q_dot, model.p))[:, 0], made.c, rtol=1e-10, atol=1e-12)
    tau, lam = f["inverse_dynamics"](s.q, s.x, s.q_dot, made.q_ddot, model.p)
    wanted = efforts_and_multipliers(model, s, made.q_ddot)
    np.testing.assert_allclose(np.array(tau)[list(model.driven), 0], wanted[0], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(np.array(lam)[:, 0], wanted[1], rtol=1e-9, atol=1e-11)
    outputs = f["outputs"](s.q, s.x, s.q_dot, s.x_dot, model.p)
    energy = cc.energy(model, s)
    np.testing.assert_allclose([float(outputs[2]), float(outputs[3])], [energy.kinetic, energy.potential], rtol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_forward_dynamics_takes_the_natural_inputs(name):
    """Voltages for the furuta, efforts for the others."""
    model = cc.load(name)
    s, u = one(model, 3), np.full(len(model.driven), 0.7)
    tau = motor_efforts(model, u, s.q_dot) if natural_inputs(model) == "voltage" else u
    wanted = forward_dynamics(model, s, tau)
    made = casadi_functions(model)["forward_dynamics"](s.q, s.x, s.q_dot, s.x_dot, u, model.p)
    for found, value in zip(made, wanted, strict=True):
        np.testing.assert_allclose(np.array(found).ravel(), value, rtol=1e-9, atol=1e-10)


def test_derivatives_are_exact():
    """∂M/∂l of the biglide, by CasADi and by central differences of our kernel with another bar."""
    model = cc.load("biglide")
    s, f = one(model), casadi_functions(model)["M"]
    q, x, p = (ca.SX.sym(n, k) for n, k in (("q", 2), ("x", 2), ("p", 4)))
    slope = ca.Function("slope", [q, x, p], [ca.jacobian(f(q, x, p), q)])
    h = 1e-6
    found = np.array(slope(s.q, s.x, model.p))[:, 0].reshape(2, 2).T
    high, low = (
        model.call("evaluate", q=s.q + np.array([d, 0]), x=s.x, q_dot=s.q_dot, q_ddot=0 * s.q)["M"] for d in (h, -h)
    )
    np.testing.assert_allclose(found, (high - low) / (2 * h), rtol=1e-7, atol=1e-8)  # differences are good to h²


def test_the_step_is_a_step_of_the_simulation():
    """One millisecond of the fivebar under held torques."""
    model = cc.load("fivebar")
    s = one(model, 5)
    run = cc.simulate(model, Constant((0.1, -0.2)), start=s, duration=1e-3)
    made = casadi_functions(model)["step"](s.q, s.x, s.q_dot, s.x_dot, [0.1, -0.2], 1e-3, model.p)
    wanted = (run.final.q, run.final.x, run.final.q_dot, run.final.x_dot)
    for found, value in zip(made, wanted, strict=True):
        np.testing.assert_allclose(np.array(found).ravel(), value, rtol=1e-12, atol=1e-14)


def test_a_file_of_functions_is_read_by_casadi_alone(tmp_path):
    """Names, arguments and numbers come back."""
    model = cc.load("biglide")
    functions = casadi_functions(model)
    path = save_functions(functions, tmp_path / "biglide.casadi")
    found = {f.name(): f for f in ca.FileDeserializer(str(path)).unpack()}
    assert list(found) == list(functions)
    assert found["phi"].name_in() == ["q", "x", "p"]
    s = one(model)
    np.testing.assert_array_equal(np.array(found["A"](s.q, s.x, model.p)), np.array(functions["A"](s.q, s.x, model.p)))


def test_another_ending_is_refused(tmp_path):
    """The file's name says what it is."""
    with pytest.raises(BadInput, match=r"ends in \.casadi"):
        save_functions({}, tmp_path / "biglide.txt")


@pytest.mark.parametrize("name", ["biglide", "delta"])
def test_derivatives_on_a_branch_are_those_of_the_model(name):
    """CasADi through `direct` and `inverse_dynamics`, and `derivatives`: the same efforts' slopes by q and by p."""
    model = cc.load(name)
    at = sample(model, 1, seed=4, margin=0.2)
    q, x, q_dot = at.q[0], at.x[0], at.q_dot[0]
    q_ddot = np.linspace(1.0, -0.5, model.nq)
    made = casadi_functions(model)
    Q, P = ca.MX.sym("q", model.nq), ca.MX.sym("p", len(model.p))
    tau = made["inverse_dynamics"](Q, made["direct"](Q, x, P), q_dot, q_ddot, P)[0]
    slopes = ca.Function("slopes", [Q, P], [ca.jacobian(tau, Q), ca.jacobian(tau, P)])(q, model.p)
    found = derivatives(model, "tau", "q p", q=q, x=x, q_dot=q_dot, q_ddot=q_ddot)
    for theirs, by in zip(slopes, ("q", "p"), strict=True):
        np.testing.assert_allclose(
            found["tau", by], np.array(theirs), rtol=1e-9, atol=1e-9 * np.abs(found["tau", by]).max()
        )
