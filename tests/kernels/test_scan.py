"""A scan is the loop `for k in range(T)`, for many rollouts at once."""

import casadi as ca
import numpy as np
import pytest

from closedchain.kernels import Program, Scan
from closedchain.kernels.program import BadProgram, run
from closedchain.kernels.trace import trace
from closedchain.kernels.tune import tune

S, U, P, C = ca.SX.sym("s", 2), ca.SX.sym("u"), ca.SX.sym("p", 2), ca.SX.sym("C", 2, 2)
NEXT = ca.vertcat(S[0] + 0.1 * S[1], S[1] + 0.1 * (U - P[0] * ca.sin(S[0])))
INPUTS = {"s": S, "u": U, "C": C, "p": P, "n": ca.SX.sym("n")}
COUNT = INPUTS["n"]


def pendulum(*, stops: bool) -> Program:
    """A driven pendulum with a counter as a second state; it stops when the angle passes p[1]."""
    outputs = {"n_next": COUNT + 1, "y": C @ S, "s_next": NEXT, "n_seen": COUNT}
    if stops:
        outputs["stop"] = NEXT[0] > P[1]
    return trace("pendulum", INPUTS, outputs)


def scan(*, stops: bool) -> Scan:
    """The pendulum in time: u and C come in, y and the counter are recorded."""
    return Scan(pendulum(stops=stops), (("s", "s_next"), ("n", "n_next")), ("u", "C"), ("n_seen", "y"))


def arrays(batch: tuple[int, ...], steps: int) -> list[np.ndarray]:
    """Random states, inputs and outputs' matrices."""
    rng = np.random.default_rng(3)
    s, u = rng.normal(size=(*batch, 2)), 30 * rng.normal(size=(*batch, steps))
    return [s, u, rng.normal(size=(*batch, steps, 2, 2)), np.array([9.81, 1.5]), rng.normal(size=batch)]


def by_hand(program: Program, s, u, C, p, n) -> tuple[np.ndarray, ...]:
    """One rollout of a tuned program, step by step, with the interpreter."""
    rows, seen, steps, running = [], [], 0, True
    y, n_seen = np.zeros(2), np.zeros(())
    for k in range(len(u)):
        if running:
            n, y, s, n_seen, *stop = run(program, s, u[k], C[k], p, n)
            steps += 1
            running = not (stop and stop[0])
        rows.append(y)
        seen.append(n_seen)
    shape = (len(u),)
    return np.reshape(rows, (*shape, 2)), np.reshape(seen, shape), s, np.asarray(n), np.asarray(float(steps))


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("stops", [False, True])
def test_a_scan_is_a_loop_over_its_steps(width, stops, compiled):
    """Rollouts below, at and above the width, none, one and many steps: the interpreter's bits."""
    f = compiled(scan(stops=stops), width=width)["pendulum"]
    program = tune(scan(stops=stops)).program
    counts = set()
    for batch, steps in [((), 40), ((1,), 7), ((3,), 40), ((4,), 0), ((9,), 40), ((2, 3), 1), ((0,), 5), ((8,), 25)]:
        s, u, C, p, n = arrays(batch, steps)
        got = f(s, u, C, p, n)
        for i in np.ndindex(*batch):
            want = by_hand(program, s[i], u[i], C[i], p, n[i])
            for g, w in zip(got, want[: len(got)], strict=True):
                np.testing.assert_array_equal(g[i], w)
            counts.add(int(want[-1]) < steps)
    assert not stops or counts == {True, False}  # some rollouts stopped early and some did not


def test_arguments_and_results_keep_the_programs_order(compiled):
    """Stepped ones lead with t; stepped outputs, final states, then the count."""
    f = compiled(scan(stops=True))["pendulum"]
    assert f.signature == "(2),(t),(t,2,2),(2),()->(t,2),(t),(2),(),()"


def test_one_input_may_drive_all_rollouts_and_strides_do_not_matter(compiled):
    """u and C broadcast over the rollouts; time-first memory gives the same bits."""
    f = compiled(scan(stops=False))["pendulum"]
    s, u, C, p, n = arrays((6,), 12)
    got = f(s, u[0], C[0], p, n)
    want = f(s, np.repeat(u[:1], 6, 0), np.repeat(C[:1], 6, 0), p, n)
    time_first = f(s, np.asfortranarray(np.repeat(u[:1], 6, 0)), np.asfortranarray(np.repeat(C[:1], 6, 0)), p, n)
    for g, w, t in zip(got, want, time_first, strict=True):
        np.testing.assert_array_equal(g, w)
        np.testing.assert_array_equal(t, w)


def test_results_may_be_written_time_first(compiled):
    """`out` with the time as the slowest axis in memory."""
    f = compiled(scan(stops=False))["pendulum"]
    given = arrays((6,), 12)
    y = np.empty((12, 6, 2))
    got = f(*given, out=(y.swapaxes(0, 1), None, None, None))
    np.testing.assert_array_equal(y.swapaxes(0, 1), f(*given)[0])
    assert got[0].base is y


def test_an_undefined_stop_stops(compiled):
    """NaN is not zero: the step that cannot tell is the last."""
    x, t = ca.SX.sym("x"), ca.SX.sym("t")
    program = trace("root", {"x": x, "t": t}, {"x_next": x - 1, "stop": ca.sqrt(x)})
    f = compiled(Scan(program, (("x", "x_next"),), ("t",)))["root"]
    final, steps = f([0.0, -3.0], np.zeros(5))
    np.testing.assert_array_equal(steps, [2.0, 1.0])  # √0 goes on, √−1 and √−3 are NaN
    np.testing.assert_array_equal(final, [-2.0, -4.0])


def test_a_stop_is_a_number_different_from_zero(compiled):
    """Countdown: 3, 2, 1 go on while x > 1; the step that says stop still counts."""
    x, t = ca.SX.sym("x"), ca.SX.sym("t")
    program = trace("countdown", {"x": x, "t": t}, {"x_next": x - 1, "x_seen": x, "stop": 0.5 * (x <= 1)})
    f = compiled(Scan(program, (("x", "x_next"),), ("t",), ("x_seen",)))["countdown"]
    seen, final, steps = f(3.0, np.zeros(6))
    np.testing.assert_array_equal(seen, [3, 2, 1, 1, 1, 1])
    assert (final, steps) == (0.0, 3.0)


def test_empty_arguments_of_a_scan_are_passed_by(compiled):
    """No parameters and no outputs to record: the state alone."""
    x, t, none = ca.SX.sym("x"), ca.SX.sym("t"), ca.SX.sym("none", 0)
    program = trace("walk", {"x": x, "none": none, "t": t}, {"x_next": x + t, "y": ca.SX(0, 1)})
    f = compiled(Scan(program, (("x", "x_next"),), ("t",), ("y",)))["walk"]
    y, final = f(np.zeros(3), np.zeros((3, 0)), np.arange(5.0))
    assert y.shape == (3, 5, 0)
    np.testing.assert_array_equal(final, [10.0, 10.0, 10.0])


@pytest.mark.parametrize(
    "carry, stepped_inputs, stepped_outputs, complaint",
    [
        ((("s", "s_new"),), ("u",), (), "no output 's_new'; the program has n_next"),
        ((("z", "s_next"),), ("u",), (), "no input 'z'"),
        ((("s", "n_next"),), ("u",), (), "shapes differ"),
        ((("s", "s_next"),), ("u",), ("y",), r"\['n_next', 'n_seen'\] are neither carried nor stepped"),
        ((("s", "s_next"), ("n", "n_next")), (), ("y", "n_seen"), "number of steps"),
        ((("s", "s_next"), ("s", "y")), ("u",), (), "used twice"),
    ],
)
def test_a_scan_that_does_not_fit_says_why(carry, stepped_inputs, stepped_outputs, complaint):
    """Names, shapes and the number of steps are checked when it is made."""
    with pytest.raises(BadProgram, match=complaint):
        Scan(pendulum(stops=False), carry, stepped_inputs, stepped_outputs)
