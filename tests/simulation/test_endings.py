"""What ends a run early, and what it says: a joint limit, a loop that diverges; singularities are in test_crossing."""

import math
import re

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.control import ComputedTorque, Constant, OutputComputedTorque
from closedchain.errors import BadInput
from closedchain.simulation import compiled
from closedchain.simulation.endings import lost

HISTORIES = ("t", "q", "x", "q_dot", "x_dot", "command", "work", "closure", "balance")


def assert_finite(run):
    """No history holds a NaN or an infinity, and all have the length of t."""
    for name in HISTORIES:
        value = getattr(run, name)
        assert np.isfinite(value).all(), name
        assert len(value) == len(run.t), name


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_joint_limit_ends_the_run_and_names_the_joint(biglide, line, method):
    """q2 passes 0.1 m on the way to 0.1535 m: the run ends within one step of it."""
    limits = ([-1.0, -1.0], [1.0, 0.1])
    run = cc.simulate(biglide, ComputedTorque(line), interval=5e-3, method=method, limits=limits)
    assert not run.finished
    assert run.ended.startswith("joint limit at t = ")
    assert "q2 = 0.1" in run.ended
    assert "leaves [-1, 0.1]" in run.ended
    free = cc.simulate(biglide, ComputedTorque(line), interval=5e-3)
    passed = free.t[np.argmax(free.q[:, 1] > 0.1)]
    assert run.t[-1] == pytest.approx(passed, abs=5.1e-3)
    assert_finite(run)


def test_a_limit_that_is_not_reached_changes_nothing(biglide, line):
    """Bit for bit."""
    free, limited = (cc.simulate(biglide, ComputedTorque(line), limits=b) for b in (None, (-1.0, 1.0)))
    assert limited.finished
    np.testing.assert_array_equal(limited.x, free.x)


def test_limits_without_room_are_refused(biglide, line):
    """Upside down, or not numbers."""
    for bad in ((1.0, -1.0), (0.0, [1.0, np.nan])):
        with pytest.raises(BadInput, match="leave no room"):
            cc.simulate(biglide, ComputedTorque(line), limits=bad)


def whole_steps(biglide, line, method, limits):
    """The run to its end without limits, and the number of 5 ms intervals after which q2 is beyond its limit."""
    free = cc.simulate(biglide, ComputedTorque(line), interval=5e-3, step=5e-3, method=method)
    return int(np.argmax(free.q[:, 1] > limits[1][1]))


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_limit_met_on_the_very_last_step_ends_the_run_there(biglide, line, method):
    """As long as it takes to the first step beyond the limit, compiled and stepwise; one step less is a whole run."""
    limits = ([-1.0, -1.0], [1.0, 0.1])
    n = whole_steps(biglide, line, method, limits)
    options = {"interval": 5e-3, "step": 5e-3, "method": method, "limits": limits}
    met, before = (cc.simulate(biglide, ComputedTorque(line), duration=k * 5e-3, **options) for k in (n, n - 1))
    assert before.finished
    assert not met.finished
    assert met.ended.startswith(f"joint limit at t = {n * 5e-3:.6g} s: q2 = 0.1")
    assert met.t[-1] == pytest.approx(n * 5e-3, abs=1e-12)
    assert met.q[-1, 1] > 0.1 >= met.q[-2, 1]
    assert_finite(met)


def test_a_function_of_the_users_own_meets_its_limit_on_the_last_step_too(biglide):
    """Feet pushed alike move as one mass of 5 kg: 2 N for q = 0.5 a t², a = 0.4 m/s², beyond 0.0499 m at 0.5 s."""
    q2 = cc.inverse(biglide, [0.0, 0.3])["++"].q[1]
    start = {"x": [0.0, 0.3], "interval": 0.1, "limits": ([-1.0, -1.0], [1.0, q2 + 0.0499])}
    run = cc.simulate(biglide, lambda t, state: [1.0, 1.0], duration=0.5, **start)
    assert run.ended.startswith("joint limit at t = 0.5 s: q2")
    assert run.q[-1, 1] == pytest.approx(q2 + 0.05, abs=1e-12)
    assert cc.simulate(biglide, lambda t, state: [1.0, 1.0], duration=0.4, **start).finished


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_singularity_met_on_the_very_last_step_is_reported(fivebar, method):
    """The lab's second trajectory up to the interval in which det A changes its sign."""
    law = ComputedTorque(cc.quintic([0.09, 0.06796322], [0.05, 0.0], duration=4.0), working="--")
    options = {"interval": 0.02, "step": 0.02, "method": method}
    n = math.ceil(cc.simulate(fivebar, law, **options).t[-1] / 0.02 - 1e-9)
    met, before = (cc.simulate(fivebar, law, duration=k * 0.02, **options) for k in (n, n - 1))
    assert before.finished
    assert "Type 2 singularity" in met.ended
    assert n - 1 < met.t[-1] / 0.02 <= n + 1e-9  # DOP853 ends where it is met, RK4 with its step


def test_a_limit_met_where_two_calls_of_the_loop_meet_is_not_passed(biglide, line, monkeypatch):
    """The step beyond the limit is the last of a chunk: the next chunk must not begin."""
    limits = ([-1.0, -1.0], [1.0, 0.1])
    n = whole_steps(biglide, line, "rk4", limits)
    monkeypatch.setattr(compiled, "CHUNK", n)
    run = cc.simulate(biglide, ComputedTorque(line), interval=5e-3, step=5e-3, limits=limits)
    assert run.ended.startswith(f"joint limit at t = {n * 5e-3:.6g} s")
    assert len(run.t) == n + 1


def test_a_loop_that_diverged_into_type_2_says_how_far_it_was_from_its_reference(biglide, line):
    """Kd T = 2.5: on its way out it meets Type 2; the ending has the error and the speed of that instant."""
    run = cc.simulate(biglide, ComputedTorque(line), interval=0.025)
    off, pace = np.linalg.norm(run.error[-1]), np.linalg.norm(run.x_dot[-1])
    assert "Type 2 singularity" in run.ended
    assert f"{off:.3g} m from its reference and at {pace:.3g} m/s" in run.ended
    assert "lost its reference before; take smaller gains or a shorter interval" in run.ended
    assert off > 0.05 * biglide.scale


def test_a_loop_that_followed_its_reference_into_type_2_is_told_to_plan(fivebar):
    """The lab's second trajectory goes there itself: no word of a diverging loop."""
    law = ComputedTorque(cc.quintic([0.09, 0.06796322], [0.05, 0.0], duration=4.0), working="--")
    run = cc.simulate(fivebar, law, interval=5e-3)
    assert np.linalg.norm(run.error[-1]) < 1e-3
    assert "plan around it, or cross it" in run.ended
    assert "reference" not in run.ended


def test_how_far_a_plate_or_a_drive_is_off_is_told_in_its_unit(triplate, furuta):
    """A plate's place in metres; drives that turn in radians; nothing while it is followed."""
    plate = cc.state(triplate, x=[-3.0, -1.0, 0.8], working="++")
    there = cc.quintic([-3.0, -0.6, 0.8], [-3.0, -0.6, 0.9], duration=1.0)
    assert lost(triplate, there, 0.0, plate).startswith("0.4 m from its reference and at 0 m/s where 0 is asked")
    arm = cc.state(furuta, q=[0.5, 3.0], q_dot=[2.0, 0.0])
    assert lost(furuta, motion.rest([0.1, 3.0], 1.0, space="joint"), 0.5, arm).startswith("0.4 rad from its reference")
    assert lost(furuta, motion.rest([0.5, 3.0], 1.0, space="joint"), 0.5, arm) == ""
    assert lost(furuta, None, 0.5, arm) == ""


@pytest.mark.parametrize("interval", [0.025, 0.05, 0.1])
def test_an_unstable_loop_ends_early_with_finite_histories(biglide, line, interval):
    """Kd T of 2.5, 5 and 10 with Kd = 100."""
    run = cc.simulate(biglide, ComputedTorque(line), interval=interval)
    assert not run.finished
    assert "t = " in run.ended
    assert_finite(run)


def test_a_motion_without_bound_is_said_to_be_unstable(furuta):
    """A pendulum under a regulator of the wrong sign: the arm's speed grows by itself."""

    class Wrong(Constant):
        """Negative damping of the arm."""

        def law(self, measured, reference, gains):
            return 5.0 * measured.q_dot[0] + reference.command

    run = cc.simulate(furuta, Wrong(0.01, "tau"), q=[0.0, 3.0], duration=60.0)
    assert not run.finished
    assert "grew without bound" in run.ended
    assert "smaller gains or a shorter interval" in run.ended
    assert_finite(run)


def test_the_time_and_the_reason_do_not_depend_on_how_many_rows_are_kept(biglide, line):
    """Every step kept, or one in fifty."""
    runs = [cc.simulate(biglide, ComputedTorque(line), interval=0.025, rows=rows) for rows in (10**6, 60)]
    assert runs[0].ended == runs[1].ended
    assert runs[0].t[-1] == runs[1].t[-1]
    np.testing.assert_array_equal(runs[0].final.z, runs[1].final.z)


def test_a_run_longer_than_a_chunk_is_one_run(furuta):
    """70,000 steps cross the border of two calls: the states are those of one step after another."""
    start = {"q": [0.0, 3.0], "interval": 1e-3}
    whole = cc.simulate(furuta, Constant(1.0, "voltage"), duration=70.0, **start)
    first = cc.simulate(furuta, Constant(1.0, "voltage"), duration=65.0, **start)
    np.testing.assert_array_equal(whole.q[:65_000], first.q[:-1])
    rest = cc.simulate(furuta, Constant(1.0, "voltage"), duration=5.0, interval=1e-3, start=first.final)
    np.testing.assert_allclose(whole.final.z, rest.final.z, rtol=0, atol=1e-12)


def test_a_reference_that_leaves_the_reach_is_blamed_and_not_the_gains(biglide):
    """x goes to 0.3 m; a bar of 0.3606 m from a rail at x = -0.2 m ends at 0.1606 m."""
    out = motion.quintic([0.0, 0.3], [0.3, 0.5], duration=3.0)
    run = cc.simulate(biglide, OutputComputedTorque(out, kp=100, kd=100), interval=5e-3)
    assert not run.finished
    assert out(run.t[-1]).x[0] > 0.1606
    assert "its reference was out of reach by then" in run.ended
    assert "leg A1-C misses" in run.ended
    assert_finite(run)


DRAWN = [
    [-0.098936, -0.032979], [-0.082447, -0.059069], [-0.069255, -0.074605], [-0.056064, -0.082052],
    [-0.04617, -0.081391], [-0.036277, -0.0754], [-0.026383, -0.064739], [0.0065957, -0.013081],
    [0.019787, 0.0044588], [0.032979, 0.014724], [0.042872, 0.016384], [0.052766, 0.012609],
    [0.065957, -0.00007742], [0.095638, -0.046286],
]  # fmt: skip
WHEN = [0, 0.31259, 0.51901, 0.67242, 0.77285, 0.88999, 1.0373, 1.658, 1.8803, 2.0496, 2.1512, 2.2584, 2.4438, 3]


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_command_that_throws_the_robot_at_type_2_is_not_blamed_on_the_gains(method):
    """Drawn by hand; Type 2 lies 64 µs after a command, whose 3e5 N m open the loops by a metre: no row holds that."""
    robot = cc.load("fivebar")
    law = ComputedTorque(motion.spline(DRAWN, WHEN, ends="clamped"), 100, 20, "++")
    run = cc.simulate(robot, law, interval=5e-3, method=method)
    assert run.ended.startswith("a Type 2 singularity (the assembly modes meet: ")  # how it is seen depends on rounding
    assert re.search(r"at t = 0\.23(00\d+)? s", run.ended)  # where it is met, or the command that threw it there
    assert np.abs(run.closure).max() < 1e-6 * robot.scale
    assert_finite(run)
