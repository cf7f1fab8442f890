"""Driving through Type 1 and Type 2, open loop and with feedback (TRUTH.md §3.3 and §3.4).

The efforts come from inverse dynamics along the reference crossing, at each sample; where the sample falls within
2 µs of t_s, a removable 0/0, the mean of both sides is taken.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import closedchain as cc
from closedchain.control import ComputedTorque, KinematicControl
from closedchain.model.measured import Fields, Numbers
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
            return np.where(
                near[:, None],
                (self.efforts(model, t - 4e-6) + self.efforts(model, t + 4e-6)) / 2,
                self.efforts(model, np.where(near, t + 4e-6, t)),
            )
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
    """The reference of TRUTH.md §3.3."""
    known = data("truth_crossing")
    return Crossing(Polynomial(known["cp"]), Polynomial(known["cy"]), known["tm"], known["ts"])


def error_of(run, crossing):
    """The tip's distance from the reference."""
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
    errors = [
        error_of(cc.simulate(biglide, Pushed(crossing, ahead=0.5), interval=h, step=h), crossing).max()
        for h in (4e-3, 1e-3)
    ]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.1)


def test_the_efforts_are_those_of_the_reference_also_at_the_singular_instants(biglide, crossing, data):
    """At 14 tabulated times, t_s among them."""
    known = data("truth_crossing")["samples"]
    t = np.array([s["t"] for s in known])
    apart = t != crossing.t_m  # the tip's x is a bad chart at Type 1; no sample of a clock falls there
    got = Pushed(crossing).efforts(biglide, t[apart])
    want = np.array([s["tau"] for s in known])[apart]
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-7)  # 4 µs beside t_s


CLOSED = {  # plant: largest error [m] in TRUTH.md §3.4, feed-forward + joint PD with Kp = 1000, Kd = 60, held 1 ms
    "nominal": (Plant(), 0.0, 2.0e-6),
    "1 mm off": (Plant(), 1e-3, 2.6e-4),
    "payload of 10 %": (Plant(values={"m_p": 3.3}), 0.0, 4.4e-4),
    "other bars": (Plant(values={"l": np.sqrt(0.13)}), 0.0, 5.9e-4),
}


@pytest.mark.parametrize("case", CLOSED)
def test_feedback_on_the_joints_carries_through_with_a_wrong_plant(biglide, crossing, case):
    """TRUTH.md §3.4: crosses with less than a newton and the errors of its table, once the start's own has gone."""
    plant, offset, known = CLOSED[case]
    q, _ = crossing.drives(0.0)
    real = biglide.with_values(**plant.values)
    start = cc.state(real, q=q + np.array([offset, 0.0]), assembly="+")
    run = cc.simulate(biglide, Pushed(crossing, kp=1000.0, kd=60.0), interval=1e-3, plant=plant, start=start)
    assert run.finished
    settled = run.t > 0.5 if offset else run.t >= 0.0
    assert error_of(run, crossing)[settled].max() < 1.1 * known
    assert np.abs(run.command[settled]).max() < 1.0
    assert np.linalg.det(run.model.call("closures", q=run.q[-1], x=run.x[-1])["A"]) < 0


class Later:
    """A reference from an instant on."""

    space = "output"

    def __init__(self, motion, since):
        self.motion, self.since, self.duration = motion, since, motion.duration - since

    def __call__(self, t):
        return self.motion(t + self.since)


def test_a_law_that_inverts_a_is_stopped_at_type_2(biglide, crossing):
    """Computed torque in (-,+) runs into Type 2 and ends there: what, where, when; the same stepwise."""
    later = Later(crossing, 3.5)
    for method in ("rk4", "dop853"):
        run = cc.simulate(biglide, ComputedTorque(later, working="-+"), interval=5e-3, method=method)
        assert not run.finished
        assert "Type 2 singularity" in run.ended
        assert "assembly modes meet" in run.ended
        assert run.t[-1] == pytest.approx(crossing.t_s - 3.5, abs=0.02)
        assert np.isfinite(run.command).all()
        assert np.isfinite(run.x).all()


def test_a_law_that_inverts_b_is_stopped_at_type_1(biglide):
    """A tip sent beyond the reach of leg 1, x = l − d/2, ends where the leg lies flat."""
    beyond = cc.quintic([0.0, 0.3], [0.2, 0.3], duration=3.0)
    run = cc.simulate(biglide, KinematicControl(beyond), interval=1e-3)
    assert not run.finished
    assert "Type 1 singularity" in run.ended
    assert "working modes meet" in run.ended
    np.testing.assert_allclose(run.x[-1], [L - D / 2, 0.3], rtol=0, atol=1e-4)
    assert np.isfinite(run.command).all()


def test_kinematic_control_does_not_mind_type_2(biglide, crossing):
    """Its law inverts B alone (TRUTH.md row 0-28); its plant, which must know J, does mind."""
    law = KinematicControl(Later(crossing, 3.5))
    start = cc.state(biglide, x=crossing(4.3).x, working="-+")
    command = law.law(
        Numbers(biglide, start), Fields(law.fields(biglide), law.samples(biglide, np.array([0.8]), 0.01)[0]), law.gains
    )
    _, q_dot = crossing.drives(4.3)
    np.testing.assert_allclose(command, q_dot, rtol=0, atol=1e-12)
