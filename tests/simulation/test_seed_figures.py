"""The controlled motions of seed 000, figures 14 to 18, against the numbers of TRUTH.md §4.

Two of its laws are not in the library because they are mistakes; they are written here, as a user would write one.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.control import ComputedTorque, KinematicControl
from closedchain.simulation.plant import Plant

ROUNDING = 1e-15  # of positions near 0.5 m
TABLE = (10, 25, 50, 100, 150, 200)  # Kp = Kd


@pytest.fixture(scope="module")
def truth(data):
    """The numbers behind the figures."""
    return data("truth_scenarios")


# Kinematic control, eq 49 ---------------------------------------------------------------------------------------------

KINEMATIC = {
    "T=0.01 zoh": (0.01, 0.0, False),
    "T=0.01 lead2": (0.01, 1.0, False),
    "T=0.1 zoh": (0.1, 0.0, False),
    "T=0.1 lead2": (0.1, 1.0, False),
    "T=0.01 zoh, start on the trajectory": (0.01, 0.0, True),
    "T=0.1 zoh, start on the trajectory": (0.1, 0.0, True),
}


@pytest.mark.parametrize("case", KINEMATIC)
def test_kinematic_control_leaves_the_errors_of_figures_14_and_16(biglide, line, truth, case):
    """Errors at the samples and at the end, per axis; "lead2" takes the velocity at t_{k+1}, the rule of figure 14."""
    interval, lead, on_path = KINEMATIC[case]
    begin = {} if on_path else {"q": [0.0, 0.0]}
    law = KinematicControl(line, gain=1.0, lead=lead)
    run = cc.simulate(biglide, law, interval=interval, step=interval, **begin)
    want = truth["kinematic_control"][case]
    np.testing.assert_allclose(np.abs(run.error).max(axis=0), want["max_abs_e_at_samples"], rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(run.error[-1], want["e_end"], rtol=0, atol=ROUNDING)
    if "y_max" in want:
        np.testing.assert_allclose(run.error[:, 1].max(), want["y_max"], rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(run.error[:, 1].min(), want["y_min"], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("case", KINEMATIC)
def test_an_output_read_once_an_interval_lags_the_moving_reference(biglide, line, truth, case):
    """The held output against the reference at 1000 instants of each interval: 1.6 mm at 0.01 s, 16 mm at 0.1 s."""
    interval, lead, on_path = KINEMATIC[case]
    begin = {} if on_path else {"q": [0.0, 0.0]}
    run = cc.simulate(biglide, KinematicControl(line, lead=lead), interval=interval, step=interval, **begin)
    within = run.t[:-1, None] + interval * np.arange(1000) / 1000
    lag = np.abs(run.x[:-1, None] - line(within).x).max()
    np.testing.assert_allclose(lag, truth["kinematic_control"][case]["held_output_worst"], rtol=0, atol=ROUNDING)


def test_the_kinematic_plant_does_not_depend_on_the_integration_step(biglide, line):
    """Drives at a held speed move exactly: 1 ms steps and 0.1 s steps meet at the samples."""
    coarse = cc.simulate(biglide, KinematicControl(line), interval=0.1, step=0.1)
    fine = cc.simulate(biglide, KinematicControl(line), interval=0.1, step=1e-3)
    np.testing.assert_allclose(fine.x[::100], coarse.x, rtol=0, atol=1e-14)
    assert max(fine.closure.max(), coarse.closure.max()) < 1e-15


# Computed torque, eq 53 -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interval", [0.005, 0.01, 0.02])
def test_computed_torque_on_the_exact_plant_leaves_micrometres(biglide, line, truth, interval):
    """Kp = Kd = 100: 2.5, 4.6 and 7.4 µm at the samples, and the efforts."""
    run = cc.simulate(biglide, ComputedTorque(line), interval=interval, method="rk6")
    want = truth["computed_torque"][f"report law exact plant T={interval:g}"]
    at_samples = run.error[:: round(interval / 1e-3)]
    np.testing.assert_allclose(np.abs(at_samples).max(), want["max_abs_e"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.abs(run.command).max(), want["max_abs_tau"], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("kd", "interval"), [(100, 0.019), (100, 0.0199), (100, 0.0203), (50, 0.039), (50, 0.041)])
def test_computed_torque_is_stable_while_kd_times_the_interval_is_below_two(biglide, kd, interval):
    """A micrometre off a resting reference, along the fast mode, is multiplied by that mode's pole at each sample."""
    kp, T, n = 1.0, interval, 50
    held = [[1 - kp * T**2 / 2, T - kd * T**2 / 2], [-kp * T, 1 - kd * T]]  # the double integrator
    poles, modes = (np.real_if_close(part) for part in np.linalg.eig(held))  # real; complex by type from NumPy 2.5 on
    fast = np.abs(poles + 1).argmin()  # ≈ 1 − Kd T
    offset, rate = 1e-6 * modes[:, fast] / modes[1, fast]
    q = cc.inverse(biglide, [0.05, 0.4]).unwrap("++")
    begin = cc.state(biglide, q=q + offset, q_dot=[rate, rate], assembly="+")
    law = ComputedTorque(motion.rest(q, n * T, space="joint"), kp=kp, kd=kd)
    run = cc.simulate(biglide, law, interval=T, start=begin)
    want = rate * poles[fast] ** np.arange(n + 1)
    speed = run.q_dot[:: (len(run.t) - 1) // n, 0]
    np.testing.assert_allclose(speed, want, rtol=0, atol=1e-10)  # both feet together: the robot is linear along y
    assert (abs(speed[-1]) < abs(speed[0])) == (kd * T < 2)


def test_an_interval_of_25_ms_is_unstable_and_said_to_have_ended_early(biglide, line, truth):
    """Kd T = 2.5: the loop diverges within a second, and the history stays finite."""
    run = cc.simulate(biglide, ComputedTorque(line), interval=0.025)
    assert truth["computed_torque"]["report law exact plant T=0.025"]["ok"] is False
    assert not run.finished
    assert run.t[-1] < 1.0
    assert np.isfinite(run.x).all()
    assert np.isfinite(run.command).all()
    assert run.summary["max_error"] > 0.1


# Gains, and laws that are wrong in one thing --------------------------------------------------------------------------


@dataclass(frozen=True)
class Tripled:
    """A motion whose acceleration is told three times too large: s̈ with 1/t_f for t_f = 3 s (TRUTH.md row 0-25)."""

    motion: object
    space = "output"

    @property
    def duration(self):
        return self.motion.duration

    def __call__(self, t):
        found = self.motion(t)
        return replace(found, x_ddot=3 * found.x_ddot)


class Imperfect:
    """τ = s (M (f q̈_ref + pull) + c): a share f of the feed-forward, a model s times the robot."""

    output, inverts, key = "tau", "A", "a test's imperfect computed torque"

    def __init__(self, reference, gain, feedforward=1.0, model=1.0):
        self.told = ComputedTorque(reference, gain, gain)
        self.reference = reference
        self.gains = np.array([gain, feedforward, model])

    def fields(self, model):
        return self.told.fields(model)

    def samples(self, model, t, interval):
        return self.told.samples(model, t, interval)

    def law(self, measured, reference, gains):
        pull = gains[0] * (reference.q_dot - measured.q_dot + reference.q - measured.q)
        return gains[2] * (measured.M @ (gains[1] * reference.q_ddot + pull) + measured.c)


class Published(Imperfect):
    """τ = m_f (q̈_ref + pull): what figure 18 was drawn with, the tip's mass and c forgotten (TRUTH.md §4)."""

    key = "a test's law of figure 18"

    def law(self, measured, reference, gains):
        return reference.q_ddot + gains[0] * (reference.q_dot - measured.q_dot + reference.q - measured.q)  # m_f = 1


ERRORS = {  # µm at the samples, for the gains of TABLE; digits as TRUTH.md §4 states them
    "exact": ((29, 11, 5.3, 2.5, 1.6, 1.1), {}, False),
    "no acceleration feed-forward": ((7400, 2900, 1400, 710, 470, 350), {"feedforward": 0.0}, False),
    "model x 0.8": ((1780, 700, 340, 170, 110, 85), {"model": 0.8}, False),
    "acceleration x 3": ((13600, 5400, 2700, 1330, 890, 660), {}, True),
}


@pytest.mark.parametrize("case", ERRORS)
def test_the_error_falls_as_one_over_the_gain(biglide, line, case):
    """T = 5 ms, K = 10 … 200: micrometres for the exact law, millimetres for a wrong one, to the digits printed."""
    want, changes, tripled = ERRORS[case]
    reference = Tripled(line) if tripled else line
    got = []
    for gain in TABLE:
        run = cc.simulate(biglide, Imperfect(reference, gain, **changes), interval=5e-3)
        got.append(1e6 * np.abs(run.x - line(run.t).x)[::5].max())
    digits = [10.0 ** (np.floor(np.log10(w)) - 1) for w in want]  # two digits are stated, three of some
    assert (np.abs(np.subtract(got, want)) <= 0.51 * np.array(digits)).all(), got


def test_figure_18_comes_from_a_delay_and_a_law_without_the_tip(biglide, line, truth):
    """One sample late, q̇ by differences, M = m_f, c = 0, acceleration × 3, links of √0.13 m: all eight features."""
    plant = Plant(values={"l": np.sqrt(0.13)}, delay=True, differences=True)
    run = cc.simulate(biglide, Published(Tripled(line), 100.0), interval=5e-3, plant=plant)
    believed = cc.state(biglide, q=run.q[::5], assembly="+").x  # the document plots its model's tip
    error, t = line(run.t[::5]).x - believed, run.t[::5]
    got = {"x_max": error[:, 0].max(), "x_min": error[:, 0].min(), "x_end": error[-1, 0]}
    got |= {"y_max": error[:, 1].max(), "y_min": error[:, 1].min(), "y_end": error[-1, 1]}
    want = dict(truth["computed_torque"]["figure 18 replica (T=.005, one-sample delay, c=0, M=mf, accel x3)"])
    assert t[error[:, 1].argmin()] == pytest.approx(want.pop("t_y_min"), abs=1e-9)
    assert got == pytest.approx(want, rel=0, abs=1e-9)  # RK4 at 1 ms
