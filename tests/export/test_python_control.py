"""python-control: the linear system has the poles, the nonlinear one the motion; what is said without the package."""

import subprocess
import sys

import control
import numpy as np
import pytest

import closedchain as cc
from closedchain.control.feedforward import Constant
from closedchain.errors import BadInput
from closedchain.export.python_control import nonlinear_system, stacked, state_space


def test_the_furutas_unstable_pole_is_the_documents():
    """From θ1…θ6 of seed 003 (TRUTH.md §1.5), upright: det(M s² + D s + K) = 0 has one root on the right."""
    t1, t2, t3 = 0.048426150121065395, 0.02033898305084746, 0.020338983050847463
    t4, t5, t6 = 0.10169491525423731, 0.609539225181598, 0.009685230024213077
    M, D, K = np.array([[t1, t3], [t3, t2]]), np.diag([t5, t6]), np.diag([0.0, -t4 * 9.81])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    system = state_space(cc.load("furuta"), q=[0, 0])
    np.testing.assert_allclose(system.poles().real.max(), np.linalg.eigvals(A).real.max(), rtol=1e-12)
    assert system.input_labels == ["voltage_q1"]
    assert system.state_labels == ["q1", "q2", "q1_dot", "q2_dot"]
    assert control.ctrb(system.A, system.B).shape == (4, 4)


def test_the_biglide_is_two_masses_per_direction():
    """Level feet: the common force moves 5 kg along y, so that y = 2 F / 5 kg · t²/2."""
    system = state_space(cc.load("biglide"), q=[0, 0])
    t = np.linspace(0, 1, 11)
    response = control.forced_response(system, t, np.ones((2, 11)))
    np.testing.assert_allclose(response.outputs[1], 2 / 5 * t**2 / 2, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(response.outputs[0], 0.0, atol=1e-12)


@pytest.mark.parametrize("name, value", [("biglide", (1.0, 0.5)), ("furuta", (2.0,))])
def test_the_nonlinear_system_moves_as_the_simulation(name, value):
    """Integrated by SciPy through python-control at 1e-11, against our RK6."""
    model = cc.load(name)
    system = nonlinear_system(model)
    start = cc.state(model, q=[0.0, 0.1])
    t = np.linspace(0, 0.3, 4)
    held = np.tile(np.array(value)[:, None], 4)
    found = control.input_output_response(
        system, t, held, stacked(start), solve_ivp_kwargs={"rtol": 1e-11, "atol": 1e-13}
    )
    output = "voltage" if name == "furuta" else "tau"
    run = cc.simulate(model, Constant(value, output=output), start=start, duration=0.3, method="rk6")
    np.testing.assert_allclose(
        found.states[:, -1], np.concatenate([run.final.z, run.final.z_dot]), rtol=1e-8, atol=1e-9
    )


def test_parameters_of_the_system_are_the_robots():
    """Twice the masses, half the acceleration; the outputs include the bars' angles."""
    model = cc.load("biglide")
    system = nonlinear_system(model)
    y = stacked(cc.state(model, q=[0, 0]))
    light = system.dynamics(0.0, y, [1.0, 1.0], {})
    heavy = system.dynamics(0.0, y, [1.0, 1.0], {"m_p": 6.0, "m_f": 2.0})
    np.testing.assert_allclose(heavy[4:], np.array(light[4:]) / 2, rtol=1e-12, atol=1e-15)
    angle = np.arctan2(np.sqrt(0.3606**2 - 0.2**2), 0.2)
    np.testing.assert_allclose(system.output(0.0, y, [0, 0])[8], angle, rtol=1e-14)


def test_inputs_are_efforts_or_voltages():
    """Anything else is refused."""
    with pytest.raises(BadInput, match="inputs are 'tau' or 'voltage'"):
        nonlinear_system(cc.load("biglide"), inputs="force")


@pytest.mark.parametrize("module, package", [("python_control", "control"), ("gymnasium", "gymnasium")])
def test_a_package_that_is_absent_is_named(module, package):
    """One error that says what to install."""
    code = f"import sys; sys.modules[{package!r}] = None\nimport closedchain.export.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"needs the package '{package}', which is not installed: pip install {package}, the extra [" in done.stderr
