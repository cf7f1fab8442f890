"""Many runs in one call: each one is the single run, to the bit, whatever runs beside it, on however many threads."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import PD, ComputedTorque, Constant
from closedchain.describe.files import loads
from closedchain.describe.writing import dumps
from closedchain.errors import BadInput, NoSolution
from closedchain.model.model import Model
from closedchain.motion import constant_velocity, piecewise
from closedchain.simulation.plant import Plant
from closedchain.simulation.rollouts import rollouts

AT = {"duration": 0.3, "interval": 1e-3}
N = 11  # more than a SIMD vector and not a multiple of one


@pytest.fixture(scope="module")
def law(line):
    """Compiled once for all of these."""
    return ComputedTorque(line)


def assert_same_end(many, i, run):
    """Row i ended exactly as the single run did."""
    for name in ("q", "x", "q_dot", "x_dot"):
        np.testing.assert_array_equal(getattr(many.final, name)[i], getattr(run.final, name), err_msg=name)


def test_rows_with_other_parameters_are_single_runs_to_the_bit(biglide, law):
    """Eleven tip masses; end states, largest errors and largest efforts."""
    masses = np.linspace(2.0, 4.0, N)
    many = rollouts(biglide, law, values={"m_p": masses}, **AT)
    assert len(many) == N
    assert many.finished.all()
    for i in (0, 3, 10):
        run = cc.simulate(biglide, law, plant=Plant(values={"m_p": masses[i]}), **AT)
        assert_same_end(many, i, run)
        np.testing.assert_array_equal(many.max_error[i], np.abs(run.error[:-1]).max(axis=0))
        np.testing.assert_array_equal(many.max_effort[i], np.abs(run.command).max(axis=0))


def test_rows_with_other_gains_are_single_runs_to_the_bit(biglide, line, law):
    """Kp and Kd row by row."""
    gains = np.column_stack([np.linspace(10, 200, N), np.linspace(20, 150, N)])
    many = rollouts(biglide, law, gains=gains, **AT)
    for i in (0, 5, 10):
        assert_same_end(many, i, cc.simulate(biglide, ComputedTorque(line, *gains[i]), **AT))


def test_rows_with_other_starts_are_single_runs_to_the_bit(biglide, law):
    """Eleven poses about the reference's beginning, all moving."""
    shift = 1e-3 * np.random.default_rng(0).standard_normal((N, 2))
    starts = cc.state(biglide, x=np.array([0.0, 0.3]) + shift, x_dot=10 * shift, working="++")
    many = rollouts(biglide, law, start=starts, **AT)
    for i in (0, 4, 10):
        one = cc.state(biglide, x=np.array([0.0, 0.3]) + shift[i], x_dot=10 * shift[i], working="++")
        assert_same_end(many, i, cc.simulate(biglide, law, start=one, **AT))


@pytest.mark.parametrize("moving", [False, True])
def test_rows_with_other_lengths_begin_on_their_own_loops(biglide, line, moving):
    """Eleven bars' lengths; each start closes its own triangle: feet at y − √(l² − (x ± d/2)²)."""
    away = piecewise([constant_velocity([0.0, 0.3], [0.05, 0.4], 0.3)]) if moving else line
    own, bars = ComputedTorque(away), np.linspace(0.34, 0.38, N)
    at = {"duration": 0.01, "interval": 1e-3}
    many = rollouts(biglide, own, values={"l": bars}, **at)
    for i in range(N):
        run = cc.simulate(biglide, own, plant=Plant(values={"l": bars[i]}), **at)
        assert_same_end(many, i, run)
        foot = 0.3 - np.sqrt(bars[i] ** 2 - 0.2**2)
        np.testing.assert_allclose(run.q[0], [foot, foot], rtol=0, atol=1e-15)


def test_rows_of_a_joint_motion_with_other_lengths_are_assembled_each(fivebar):
    """A motion of the cranks: the tip of each row is where its own bars meet."""
    name = next(iter(fivebar.values))
    sizes = fivebar.values[name] * np.linspace(0.98, 1.02, 4)
    begin = cc.inverse(fivebar, [0.09, 0.06796322])["--"].q
    law = ComputedTorque(cc.quintic(begin, begin + 0.1, duration=1.0, space="joint"))
    at = {"duration": 0.05, "interval": 1e-3}
    many = rollouts(fivebar, law, values={name: sizes}, assembly="-", **at)
    for i in (0, 3):
        run = cc.simulate(fivebar, law, plant=Plant(values={name: sizes[i]}), assembly="-", **at)
        assert_same_end(many, i, run)


def test_starts_and_lengths_vary_together(biglide, law):
    """x row by row, each on the loops of its own row."""
    tips = np.array([0.0, 0.3]) + 1e-3 * np.random.default_rng(1).standard_normal((N, 2))
    bars = np.linspace(0.35, 0.37, N)
    many = rollouts(biglide, law, x=tips, values={"l": bars}, **AT)
    for i in (0, 6):
        assert_same_end(many, i, cc.simulate(biglide, law, x=tips[i], plant=Plant(values={"l": bars[i]}), **AT))


def test_formulas_follow_the_varied_values(law):
    """l = 0.9 d of a file: a row with another d has other bars."""
    text = dumps(cc.load("biglide").recipe).replace("l = {", "l_was = {", 1)
    text = text.replace("l_was = {", 'l = { value = "0.9015 * d", unit = "m" }\nl_was = {', 1)
    robot = Model(loads(text))
    widths = np.array([0.39, 0.4, 0.41])
    many = rollouts(robot, law, values={"d": widths}, **AT)
    for i in range(3):
        assert_same_end(many, i, cc.simulate(robot, law, plant=Plant(values={"d": widths[i]}), **AT))


def test_one_start_for_rows_of_other_lengths_is_refused(biglide, law):
    """A state closes the loops of one robot only."""
    with pytest.raises(NoSolution, match="does not close the loops of row 1: the gap is"):
        rollouts(biglide, law, start=cc.state(biglide, x=[0.0, 0.3]), values={"l": [0.3606, 0.38]}, **AT)


def test_a_length_that_cannot_reach_is_told_with_its_row(biglide, law):
    """Bars of 0.15 m do not span 0.4 m."""
    with pytest.raises(NoSolution, match=r"row 1: .* misses"):
        rollouts(biglide, law, values={"l": [0.3606, 0.15]}, **AT)


@pytest.mark.parametrize("method", ["rk4", "rk6", "gauss4"])
def test_the_number_of_threads_changes_no_bit(biglide, law, method):
    """1, 2, 3 and 16 threads, parameters and gains varied together."""
    values, gains = {"m_p": np.linspace(2, 4, N), "l": np.linspace(0.35, 0.37, N)}, np.full((N, 2), 80.0)
    at = {"duration": 0.1, "interval": 1e-3, "method": method}
    one = rollouts(biglide, law, values=values, gains=gains, threads=1, **at)
    for threads in (2, 3, 16):
        other = rollouts(biglide, law, values=values, gains=gains, threads=threads, **at)
        np.testing.assert_array_equal(other.final.z, one.final.z)
        np.testing.assert_array_equal(other.max_error, one.max_error)
        np.testing.assert_array_equal(other.steps, one.steps)


def test_one_unstable_row_does_not_hurt_the_others(biglide, law):
    """Kd T = 2.5 in row 4 only: it ends early, its neighbours in the same vector are what they are without it."""
    gains = np.full((N, 2), 100.0)
    calm = rollouts(biglide, law, gains=gains, duration=2.0, interval=5e-3)
    gains[4] = 500.0
    many = rollouts(biglide, law, gains=gains, duration=2.0, interval=5e-3)
    assert not many.finished[4]
    assert many.steps[4] < 2000
    others = np.arange(N) != 4
    assert many.finished[others].all()
    np.testing.assert_array_equal(many.final.z[others], calm.final.z[others])
    assert np.isfinite(many.max_error[others]).all()


def test_a_row_that_meets_a_singularity_on_its_very_last_step_is_not_finished(fivebar):
    """The lab's second trajectory up to the step in which det A changes its sign; a step less is a whole run."""
    law = ComputedTorque(cc.quintic([0.09, 0.06796322], [0.05, 0.0], duration=4.0), working="--")
    options = {"interval": 0.02, "step": 0.02}
    n = round(cc.simulate(fivebar, law, **options).t[-1] / 0.02)
    met, before = (rollouts(fivebar, law, count=3, duration=k * 0.02, **options) for k in (n, n - 1))
    assert (met.steps == n).all()
    assert not met.finished.any()
    assert (before.steps == n - 1).all()
    assert before.finished.all()
    single = cc.simulate(fivebar, law, duration=n * 0.02, **options)
    assert not single.finished
    assert_same_end(met, 1, single)


def test_noise_differs_between_rows_and_not_between_calls(biglide, law):
    """Row i is drawn from (seed, i): the first five of eleven are the five of five."""
    plant = Plant(noise_q=1e-5, noise_q_dot=1e-3, seed=5)
    eleven, five = (rollouts(biglide, law, count=n, plant=plant, threads=2, **AT) for n in (N, 5))
    np.testing.assert_array_equal(eleven.final.z[:5], five.final.z)
    assert len(np.unique(eleven.final.z[:, 0])) == N
    other = rollouts(biglide, law, count=5, plant=Plant(noise_q=1e-5, noise_q_dot=1e-3, seed=6), **AT)
    assert (other.final.z[:, 0] != five.final.z[:, 0]).all()


def test_rollouts_without_a_reference_or_an_output(furuta):
    """A pendulum from eleven angles under a held voltage: no errors to tell, ends as single runs."""
    angles = np.linspace(0.1, 3.0, N)
    starts = cc.state(furuta, q=np.column_stack([np.zeros(N), angles]))
    many = rollouts(furuta, Constant(2.0, "voltage"), start=starts, **AT)
    assert many.max_error is None
    run = cc.simulate(furuta, Constant(2.0, "voltage"), q=[0.0, angles[7]], **AT)
    assert_same_end(many, 7, run)


def test_the_believed_model_keeps_its_own_parameters(biglide, line):
    """Varied values are the plant's: the law goes on believing in m_p = 3 kg, so that a wrong mass leaves an error."""
    many = rollouts(biglide, ComputedTorque(line), values={"m_p": [3.0, 6.0]}, duration=3.0, interval=1e-3)
    assert many.max_error[1].max() > 20 * many.max_error[0].max()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"values": {"mp": [1.0, 2.0]}}, "no parameter 'mp'"),
        ({"values": {"m_p": [1.0, -2.0]}}, "= -2, but a mass"),
        ({"values": {"m_p": [1.0, 2.0]}, "gains": np.ones((3, 2))}, "rows of different number"),
        ({"method": "dop853"}, "no method 'dop853' for rollouts"),
        ({"duration": -1.0}, "duration"),
        ({"count": 0}, "count = 0"),
        ({"values": {"m_p": [1.0, 2.0], "l": [0.36, 0.37, 0.38]}}, "one for each run"),
        ({"values": {"m_p": []}}, "one for each run"),
        ({"q": np.empty((0, 2))}, "at least one run"),
        ({"x": [[0.0, 0.3]] * 2, "working": "--"}, 'start is in working mode "--".*follows its reference in "\\+\\+"'),
    ],
)
def test_bad_arguments_are_told(biglide, law, given, message):
    """One sentence."""
    with pytest.raises(cc.ClosedChainError, match=message):
        rollouts(biglide, law, **(AT | given))


def test_a_function_cannot_be_rolled_out(biglide):
    """It would have to be compiled."""
    with pytest.raises(BadInput, match="rollouts compile their loop"):
        rollouts(biglide, lambda t, state: [0.0, 0.0], **AT)


def test_wrong_columns_of_gains_are_told(biglide, line):
    """Three numbers for a law with two."""
    with pytest.raises(BadInput, match="2 finite numbers a row"):
        rollouts(biglide, PD(line), gains=np.ones((4, 3)), **AT)


def test_pendulums_of_other_lengths_swing_as_each_does_alone():
    """A mechanism that nothing drives: every row ends where `simulate`, which marches, has it, to rounding."""
    pendulum, lengths = cc.load("pendulum"), [0.5, 1.0, 2.0]
    found = rollouts(pendulum, None, values={"l": lengths}, duration=1.0)
    assert found.finished.all()
    for row, length in zip(found.final.x, lengths, strict=True):
        alone = cc.simulate(pendulum.with_values(l=length), duration=1.0)
        np.testing.assert_allclose(row, alone.x[-1], atol=1e-12 * length)  # a thousand steps


def test_a_cart_with_a_pole_is_rolled_out_under_a_law():
    """More coordinates than drives: the same end as one run after another."""
    cart, masses = cc.load("cartpole"), [0.8, 1.2]
    found = rollouts(cart, Constant(0.3, "tau"), values={"m_c": masses}, duration=0.5)
    for row, mass in zip(found.final.q, masses, strict=True):
        alone = cc.simulate(cart, Constant(0.3, "tau"), duration=0.5, plant=Plant(values={"m_c": mass}))
        np.testing.assert_allclose(row, alone.q[-1], atol=1e-13)
