"""Energy balance as a condition of success: steps that are too long are told, whether the run fades or explodes."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import ComputedTorque, Constant
from closedchain.describe import Bar, Damper, Fixed, Free, Mechanism, Recipe, Slider, Spring
from closedchain.simulation.balance import accounted
from closedchain.simulation.rollouts import rollouts
from closedchain.simulation.stiffness import advised, amplification, fastest

AT = {"q": [0.01, 0.0], "duration": 0.5}


def two_feet(stiffness, damping=0.0):
    """The biglide with a spring and a damper on its first foot."""
    A1, A2 = (Slider(f"q{i}", at=(x, 0), along=(0, 1), mass=1.0) for i, x in ((1, -0.2), (2, 0.2)))
    C = Free("C", mass=3.0)
    springs = (Spring(between=A1, stiffness=stiffness, rest=0.0),)
    dampers = (Damper(between=A1, damping=damping),) if damping else ()
    bars = (Bar(A1, C, 0.36), Bar(A2, C, 0.36))
    made = Mechanism("feet", drives=(A1, A2), bars=bars, output=C, springs=springs, dampers=dampers)
    return cc.load(Recipe(made))


def bob(stiffness):
    """A bob of 1 kg on a bar of 1 m, held by a spring across it: ω² is nearly k/m."""
    O, G, C = Fixed("O", (0, 0)), Fixed("G", (0.5, -1)), Free("C", mass=1.0, near=(0.0, -1.0))
    springs = (Spring(between=(G, C), stiffness=stiffness, rest=0.5),)
    made = Mechanism("bob", (), C, bars=(Bar(O, C, 1.0),), springs=springs, gravity=(0, -9.81), linkage=True)
    return cc.load(Recipe(made))


def swung(robot, **more):
    """A run of either of them."""
    if robot.linkage:
        return cc.simulate(robot, x=[0.1, -np.sqrt(0.99)], duration=0.5, **more)
    return cc.simulate(robot, Constant(0.0), **AT, **more)


@pytest.mark.parametrize("make", [two_feet, bob])
@pytest.mark.parametrize("stiffness", [1e6, 3e6, 1e7, 1e8])
def test_a_stiff_spring_at_the_default_step_is_no_finished_run_and_the_step_advised_is(make, stiffness):
    """Half of its energy is gone, or it explodes: either way the step is blamed, and the one that is named does."""
    run = swung(make(stiffness))
    assert not run.finished
    assert "gains" not in run.ended
    step = float(run.ended.partition("ones, step = ")[2].partition(",")[0])
    finer = swung(make(stiffness), step=step)
    assert finer.finished
    kinetic, potential = finer.energies
    assert np.abs(finer.balance).max() < 1e-3 * (kinetic.max() + np.ptp(potential))


def test_a_stiff_damper_is_told_as_well():
    """2000 N s/m on a kilogram in steps of a millisecond."""
    robot = two_feet(1.0, 2000.0)
    assert "limit" in cc.simulate(robot, Constant(0.0), q_dot=[1.0, 0.0], **(AT | {"duration": 1.0})).ended


@pytest.mark.parametrize("damping", [2e3, 1e5, 1e7])
def test_the_step_advised_for_a_stiff_damper_does_and_is_no_shorter_than_it_need_be(damping):
    """What friction stops is gone after 1 / rate: its steps resolve that, not thousands of oscillations."""
    given = {"q": [0.05, 0.0], "q_dot": [1.0, 0.0], "duration": 1e4 / damping}
    run = cc.simulate(two_feet(1.0, damping), Constant(0.0), **given, interval=1e3 / damping)
    assert not run.finished
    rate = float(run.ended.partition("motion, at ")[2].partition("/s")[0])
    step = float(run.ended.partition("ones, step = ")[2].partition(",")[0])
    assert 0.1 < rate * step < 1.0
    assert cc.simulate(two_feet(1.0, damping), Constant(0.0), **given, interval=1e3 / damping, step=step).finished


def test_other_methods_that_choose_their_steps_do():
    """The same springs: the advice that names them holds."""
    assert swung(two_feet(3e6), method="dop853", interval=0.01).finished
    assert swung(bob(3e6), method="adaptive").finished


def test_a_tolerance_goes_on_to_finer_steps_where_energy_is_missing():
    """The run of 1 ms steps is not compared with; the first that balances its energy and repeats is the answer."""
    run = cc.simulate(two_feet(1e6), Constant(0.0), tolerance=1e-4, **AT)
    assert run.finished
    assert run.findings["refinements"] >= 2


def test_rollouts_that_lost_their_energy_did_not_finish():
    """Rows with 10⁴ and with 3·10⁶ N/m: the second is no solution, as in a single run."""
    for stiffness, well in ((1e4, True), (3e6, False)):
        many = rollouts(two_feet(stiffness), Constant(0.0), **AT)
        run = cc.simulate(two_feet(stiffness), Constant(0.0), **AT)
        assert many.finished[0] == run.finished == well
        np.testing.assert_allclose(many.balance[0], run.balance[-1], rtol=1e-9, atol=1e-14)


def test_a_run_from_rest_to_rest_that_is_right_stays_so(biglide, line):
    """No kinetic energy and no work at its end: what moved in between is its scale."""
    many = rollouts(biglide, ComputedTorque(line), interval=5e-3)
    assert many.finished.all()
    assert abs(many.balance[0]) < 1e-12


def test_a_robot_at_rest_has_nothing_to_account_for(fourbar):
    """Rounding of the weights' energy is no loss, though nothing moved."""
    hold = cc.evaluate(fourbar, q=[1.0], assembly="+").tau
    assert cc.simulate(fourbar, Constant(tuple(hold)), q=[1.0], assembly="+", duration=0.2).finished


def test_a_loop_that_its_gains_drive_away_is_blamed_on_them(biglide, line):
    """kd = 3000/s in steps of 1 ms: the plant itself has nothing quick in it."""
    run = cc.simulate(biglide, ComputedTorque(line, kp=100, kd=3000), interval=1e-3)
    assert "take smaller gains" in run.ended


def test_the_fastest_rate_is_that_of_the_spring():
    """√(k/m) of the bob, within what weight adds to 10⁶/s²; of a foot by its entry of M⁻¹."""
    robot = bob(1e6)
    state = cc.state(robot, x=[0.0, -1.0])
    rows = type(state)(*(getattr(state, name)[None] for name in ("q", "x", "q_dot", "x_dot")))
    np.testing.assert_allclose(abs(fastest(robot, rows, np.zeros((1, 0)), "tau")), 1e3, rtol=1e-4)
    robot = two_feet(1e6)
    state = cc.state(robot, q=[0.0, 0.0], assembly="+")
    rows = type(state)(*(getattr(state, name)[None] for name in ("q", "x", "q_dot", "x_dot")))
    M = cc.evaluate(robot, q=[0.0, 0.0], assembly="+").M
    found = fastest(robot, rows, np.zeros((1, 2)), "tau")
    np.testing.assert_allclose(abs(found), np.sqrt(1e6 * np.linalg.inv(M)[0, 0]), rtol=1e-3)


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rk6", 6), ("gauss4", 4)])
def test_a_methods_amplification_is_the_exponential_to_its_order(method, order):
    """|R(z) − exp z| falls by 2^(p+1) when z halves."""
    z = 0.1 * np.exp(0.7j)
    errors = [abs(amplification(method, z / k) - np.exp(z / k)) for k in (1, 2)]
    assert 0.8 * 2 ** (order + 1) < errors[0] / errors[1] < 1.2 * 2 ** (order + 1)


def test_classical_runge_kutta_is_stable_up_to_the_square_root_of_eight_on_the_imaginary_axis():
    """Hairer and Wanner, IV.2: |R(iy)| ≤ 1 for y ≤ 2√2; and advice keeps far below it."""
    assert abs(amplification("rk4", 1j * 2.828)) < 1.0 < abs(amplification("rk4", 1j * 2.829))
    assert 1e3 * advised("rk4", 1e3j, 1.0) < 0.2


def test_a_run_that_balances_is_returned_as_it_is(biglide, line):
    """The check alters nothing."""
    run = cc.simulate(biglide, ComputedTorque(line), interval=5e-3)
    assert accounted(run, "rk4", 1e-3) is run
