"""Driving through Type 1 and Type 2, open loop and with feedback (TRUTH.md §3.3 and §3.4).

The efforts come from inverse dynamics along the reference crossing, at each sample; where the sample falls within 2 µs of
t_s, a removable 0/0, the mean of both sides is taken.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import closedchain as cc
from closedchain.control import ComputedTorque, KinematicControl
from closedchain.simulation.plant import Plant

L, D = 0.3606, 0.4


@dataclass(frozen=True, eq=False)
class Crossing:
    """The tip's reference: phi1(t) of degree 5 and y(t) of degree 7."""

    phi: Polynomial
    y: Polynomial
    t_m: float
    t_s: float
    duration: float = 6.0
    space: str = "output"

    def __call__(self, t):
        angle, rate, bend = self.phi(t), self.phi.deriv()(t), self.phi.deriv(2)(t)
        x = np.stack([-D / 2 + L * np.cos(angle), self.y(t)], axis=-1)
        x_dot = np.stack([-L * np.sin(angle) * rate, self.y.deriv()(t)], axis=-1)
        x_ddot = np.stack([-L * (np.cos(angle) * rate**2 + np.sin(angle) * bend), self.y.deriv(2)(t)], axis=-1)
        return Motion(x, x_dot, x_ddot)

    def drives(self, t):
        """q and q̇ by the legs' angles, which stay regular: q1 = y − l sin phi1, q2 = y − l sin phi2."""
        x, x_dot = self(t).x, self(t).x_dot
        angle, rate = self.phi(t), self.phi.deriv()(t)
        reach = np.sqrt(L**2 - (x[..., 0] - D / 2) ** 2)
        q = np.stack([x[..., 1] - L * np.sin(angle), x[..., 1] - reach], axis=-1)
        bend = (x[..., 0] - D / 2) * x_dot[..., 0] / reach
        return q, np.stack([x_dot[..., 1] - L * np.cos(angle) * rate, x_dot[..., 1] + bend], axis=-1)


@dataclass(frozen=True, eq=False)
class Motion:
    """What a reference gives."""

    x: np.ndarray
    x_dot: np.ndarray
    x_ddot: np.ndarray


class Pushed:
    """τ = efforts of the reference, sampled in the middle of each interval, + Kp (q_ref − q) + Kd (q̇_ref − q̇)."""

    output, key = "tau", "a test's feed-forward through singularities"

    def __init__(self, reference, kp=0.0, kd=0.0, ahead=0.0):
        self.reference, self.gains, self.ahead = reference, np.array([kp, kd]), ahead

    def fields(self, model):
        return ("tau", 2), ("q", 2), ("q_dot", 2)

    def samples(self, model, t, interval):
        efforts = self.efforts(model, t + self.ahead * interval)
        return np.concatenate([efforts, *self.reference.drives(t)], axis=-1)

    def efforts(self, model, t):
        near = np.abs(t - self.reference.t_s) < 2e-6
        if near.any():
            return np.where(near[:, None], (self.efforts(model, t - 4e-6) + self.efforts(model, t + 4e-6)) / 2, self.efforts(model, np.where(near, t + 4e-6, t)))
        tau = np.empty((len(t), 2))
        for late, working in ((False, "++"), (True, "-+")):
            rows = (t > self.reference.t_m) == late
            if rows.any():
                m = self.reference(t[rows])
                tau[rows] = cc.evaluate(model, x=m.x, x_dot=m.x_dot, x_ddot=m.x_ddot, working=working).tau
        return tau

    def law(self, measured, reference, gains):
        return reference.tau + gains[0] * (reference.q - measured.q) + gains[1] * (reference.q_dot - measured.q_dot)


@pytest.fixture(scope="module")
def crossing(data):
    known = data("truth_crossing")
    return Crossing(Polynomial(known["cp"]), Polynomial(known["cy"]), known["tm"], known["ts"])


def error_of(run, crossing):
    return np.linalg.norm(run.x - crossing(run.t).x, axis=-1)


def test_open_loop_the_tip_goes_through_both_singularities(biglide, crossing):
    """Efforts at the middle of each 0.2 ms: 1e-6 m at most, over 6 s, with the assembly mode changed on the way."""
    run = cc.simulate(biglide, Pushed(crossing, ahead=0.5), interval=2e-4, step=2e-4)
    assert run.finished
    assert error_of(run, crossing).max() < 1e-6
    made = run.model.call("closures", q=run.q, x=run.x)
    det_A = np.linalg.det(made["A"])
    assert det_A[0] > 0 > det_A[-1]
    assert made["B"][0, 0, 0] < 0 < made["B"][-1, 0, 0]  # leg 1 turned over too
    assert run.closure.max() < 1e-15


def test_the_open_loop_error_is_that_of_the_held_efforts(biglide, crossing):
    """Holding mid-interval efforts is second order: an interval four times as long, an error sixteen times as large."""
    errors = [error_of(cc.simulate(biglide, Pushed(crossing, ahead=0.5), interval=h, step=h), crossing).max() for h in (4e-3, 1e-3)]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.1)


def test_the_efforts_are_those_of_the_reference_also_at_the_singular_instants(biglide, crossing, data):
    """At all 15 tabulated times, t_s among them."""
    known = data("truth_crossing")["samples"]
    t = np.array([s["t"] for s in known])
    off = t == crossing.t_m  # x is a bad chart there, so look a microsecond beside
    got = Pushed(crossing).efforts(biglide, np.where(off, t + 1e-6, t))
    want = np.array([s["tau"] for s in known])
    np.testing.assert_allclose(got[~off], want[~off], rtol=0, atol=1e-7)  # 4 µs beside t_s
    np.testing.assert_allclose(got[off], want[off], rtol=0, atol=1e-2)


CLOSED = {  # plant: largest error [m] in TRUTH.md §3.4, feed-forward + joint PD with Kp = 1000, Kd = 60, held 1 ms
    "nominal": (Plant(), 0.0, 2.0e-6),
    "1 mm off": (Plant(), 1e-3, 2.6e-4),
    "payload of 10 %": (Plant(values={"m_p": 3.3}), 0.0, 4.4e-4),
    "other bars": (Plant(values={"l": np.sqrt(0.13)}), 0.0, 5.9e-4),
}


@pytest.mark.parametrize("case", CLOSED)
def test_feedback_on_the_joints_carries_through_with_a_wrong_plant(biglide, crossing, case):
    """TRUTH.md §3.4: crosses with less than a newton, and the errors of its table, measured where the start's has gone."""
    plant, offset, known = CLOSED[case]
    q, _ = crossing.drives(0.0)
    real = biglide.with_values(**plant.values)
    start = cc.state(real, q=q + [offset, 0.0], assembly="+")
    run = cc.simulate(biglide, Pushed(crossing, kp=1000.0, kd=60.0), interval=1e-3, plant=plant, start=start)
    assert run.finished
    settled = run.t > 0.5 if offset else run.t >= 0.0
    assert error_of(run, crossing)[settled].max() < 1.1 * known
    assert np.abs(run.command[settled]).max() < 1.0
    assert np.linalg.det(run.model.call("closures", q=run.q[-1], x=run.x[-1])["A"]) < 0


def test_a_law_that_inverts_a_is_stopped_at_type_2(biglide, crossing):
    """Computed torque on joints that go to the singular configuration ends there, and says what, where and when."""
    run = cc.simulate(biglide, ComputedTorque(crossing, working="-+"), interval=1e-3, duration=1.0, start=beside(biglide, crossing))
    assert not run.finished
    assert "Type 2 singularity" in run.ended
    assert "assembly modes meet" in run.ended
    assert run.t[-1] == pytest.approx(crossing.t_s - 4.0, abs=0.05)


def test_a_law_that_inverts_b_is_stopped_at_type_1(biglide, crossing):
    """Kinematic control up to where leg 1 lies flat."""
    run = cc.simulate(biglide, KinematicControl(crossing), interval=1e-3, duration=4.0)
    assert not run.finished
    assert "Type 1 singularity" in run.ended
    assert "working modes meet" in run.ended
    assert run.t[-1] == pytest.approx(crossing.t_m, abs=0.05)
    assert np.isfinite(run.command).all()


def beside(biglide, crossing):
    raise NotImplementedError
