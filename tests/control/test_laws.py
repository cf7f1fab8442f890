"""Each law against its formula by hand, on numbers and on symbols."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import closedchain as cc
from closedchain import motion, robots
from closedchain.control import (
    PD,
    ComputedTorque,
    Constant,
    FeedForward,
    KinematicControl,
    OutputComputedTorque,
    regulator,
    swing_up,
)
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe import Motor, Recipe
from closedchain.errors import BadInput
from closedchain.model.measured import Fields, Numbers
from closedchain.simulation.loop import SymbolicMeasured

T, INTERVAL = 1.1, 1e-2  # an instant on the line


@pytest.fixture(scope="module")
def off(biglide):
    """A state beside the line, moving."""
    return cc.state(biglide, x=[0.03, 0.35], x_dot=[0.2, -0.1], working="++")


def decide(law, robot, state, t=T):
    """The command on numbers."""
    fields, sampled = law.fields(robot), law.samples(robot, np.array([t]), INTERVAL)[0]
    return law.law(Numbers(robot, state), Fields(fields, sampled), law.gains)


def decide_on_symbols(law, robot, state, t=T):
    """The command by the expressions that are compiled, evaluated by CasADi."""
    models = Models(Symbols(robot.equations))
    names = ("q", "x", "q_dot")
    given = {name: ca.SX.sym(name, getattr(state, name).size) for name in names}
    p, gains = ca.SX.sym("p", len(robot.p)), ca.SX.sym("gains", len(law.gains))
    fields, sampled = law.fields(robot), law.samples(robot, np.array([t]), INTERVAL)[0]
    ref, held = ca.SX.sym("ref", len(sampled)), ca.SX.sym("held", len(robot.driven))
    measured = SymbolicMeasured(models, given["q"], given["x"], given["q_dot"], p, held)
    command = law.law(measured, Fields(fields, ref), gains)
    function = ca.Function("law", [*given.values(), p, gains, ref, held], [command])
    values = [getattr(state, name) for name in names]
    return np.array(function(*values, robot.p, law.gains, sampled, np.zeros(len(robot.driven)))).ravel()


def by_legs(x, y, x_dot, y_dot, l=0.3606, d=0.4):
    """q and q̇ of the biglide in (+,+): q_i = y − √(l² − w²), q̇_i = ẏ + w ẋ / √(l² − w²)."""
    w = np.array([x + d / 2, x - d / 2])
    r = np.sqrt(l**2 - w**2)
    return y - r, y_dot + w * x_dot / r


def test_kinematic_control_is_the_inverse_rates_of_the_corrected_velocity(biglide, line, off):
    """q̇ = J⁻¹ (ẋ_ref − λ (x − x_ref)), by the legs."""
    ref = line(T)
    wanted = ref.x_dot - 3.0 * (off.x - ref.x)
    _, q_dot = by_legs(*off.x, *wanted)
    np.testing.assert_allclose(decide(KinematicControl(line, gain=3.0), biglide, off), q_dot, rtol=1e-13)


def test_a_lead_takes_the_velocity_of_a_later_sample_and_the_place_of_this_one(biglide, line, off):
    """lead = 1: ẋ_ref(t + T), x_ref(t)."""
    wanted = line(T + INTERVAL).x_dot - 1.0 * (off.x - line(T).x)
    _, q_dot = by_legs(*off.x, *wanted)
    np.testing.assert_allclose(decide(KinematicControl(line, lead=1.0), biglide, off), q_dot, rtol=1e-13)


def test_computed_torque_gives_the_joints_the_acceleration_it_wants(biglide, line, off):
    """Forward dynamics under its τ is q̈_ref + Kd ė + Kp e: feedback linearisation."""
    law = ComputedTorque(line, kp=70.0, kd=30.0)
    tau = decide(law, biglide, off)
    q, q_dot, q_ddot = np.split(law.samples(biglide, np.array([T]), INTERVAL)[0], 3)
    wanted = q_ddot + 30 * (q_dot - off.q_dot) + 70 * (q - off.q)
    np.testing.assert_allclose(cc.forward_dynamics(biglide, off, tau).q_ddot, wanted, rtol=1e-12)
    np.testing.assert_allclose(np.array(by_legs(*line(T).x, *line(T).x_dot)), [q, q_dot], rtol=1e-13)


def test_output_computed_torque_gives_the_tip_the_acceleration_it_wants(biglide, line, off):
    """Forward dynamics under its τ is ẍ_ref + Kd (ẋ_ref − ẋ) + Kp (x_ref − x)."""
    tau = decide(OutputComputedTorque(line, kp=70.0, kd=30.0), biglide, off)
    ref = line(T)
    wanted = ref.x_ddot + 30 * (ref.x_dot - off.x_dot) + 70 * (ref.x - off.x)
    np.testing.assert_allclose(cc.forward_dynamics(biglide, off, tau).x_ddot, wanted, rtol=1e-12)


def test_pd_pulls_each_joint_with_its_own_gains(biglide, line, off):
    """Kp = (900, 100), Kd = (60, 5)."""
    q, q_dot = by_legs(*line(T).x, *line(T).x_dot)
    want = np.array([900.0, 100.0]) * (q - off.q) + np.array([60.0, 5.0]) * (q_dot - off.q_dot)
    law = PD(line, kp=(900.0, 100.0), kd=(60.0, 5.0))
    np.testing.assert_allclose(decide(law, biglide, off), want, rtol=1e-12)


def test_pd_with_gravity_stands_still_where_it_should(fourbar):
    """At rest on its reference the four-bar does not move: the law carries its weight."""
    law = PD(motion.rest([0.7], 1.0, space="joint"), kp=10.0, kd=1.0, gravity=True)
    at = cc.state(fourbar, q=[0.7], assembly="+")
    tau = decide(law, fourbar, at)
    assert abs(tau[0]) > 0.01
    np.testing.assert_allclose(cc.forward_dynamics(fourbar, at, tau).q_ddot, 0.0, atol=1e-12)
    moving = cc.state(fourbar, q=[0.7], q_dot=[3.0], assembly="+")
    np.testing.assert_allclose(decide(law, fourbar, moving) - tau, [-3.0], rtol=1e-12)  # no velocity terms in it


def test_feedforward_is_the_inverse_dynamics_of_the_reference(biglide, line):
    """Forward dynamics on the line under its efforts gives the line's acceleration; PD adds it to its pull."""
    ref = line(T)
    on = cc.state(biglide, x=ref.x, x_dot=ref.x_dot, working="++")
    for law in (FeedForward(line), PD(line, feedforward=True)):
        tau = decide(law, biglide, on)
        np.testing.assert_allclose(cc.forward_dynamics(biglide, on, tau).x_ddot, ref.x_ddot, rtol=0, atol=1e-12)
    _, q_dot = by_legs(*ref.x, *ref.x_dot)
    np.testing.assert_allclose(decide(FeedForward(line, output="velocity"), biglide, on), q_dot, rtol=1e-12)


def test_a_joint_reference_is_followed_in_the_joints(biglide):
    """The same law, its reference given in q."""
    joints = cc.quintic([0.0, 0.0], [0.2, 0.1], duration=2.0, space="joint")
    run = cc.simulate(biglide, ComputedTorque(joints), assembly="-")
    np.testing.assert_allclose(run.q, joints(run.t).x, rtol=0, atol=5e-6)  # 1 ms of q̈ held: 1.4e-6
    assert run.x[0, 1] < 0  # the other assembly mode


def test_a_constant_is_constant(biglide, off):
    """One number for all, or one for each."""
    np.testing.assert_array_equal(decide(Constant(2.0), biglide, off), [2.0, 2.0])
    np.testing.assert_array_equal(decide(Constant((1.0, -3.0)), biglide, off), [1.0, -3.0])


LAWS = {
    "kinematic": lambda line: KinematicControl(line, gain=2.0, lead=1.0),
    "computed torque": lambda line: ComputedTorque(line, kp=70.0, kd=30.0),
    "output computed torque": lambda line: OutputComputedTorque(line, kp=70.0, kd=30.0),
    "pd": lambda line: PD(line, kp=(900.0, 100.0), kd=5.0),
    "pd with gravity": lambda line: PD(line, gravity=True),
    "pd with feed-forward": lambda line: PD(line, feedforward=True),
    "feed-forward": lambda line: FeedForward(line),
    "constant": lambda line: Constant((1.0, -3.0)),
}


@pytest.mark.parametrize("name", LAWS)
def test_numbers_and_symbols_give_the_same_command(biglide, line, off, name):
    """What is tested above on numbers is what is compiled."""
    law = LAWS[name](line)
    np.testing.assert_allclose(decide_on_symbols(law, biglide, off), decide(law, biglide, off), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("angle", [0.05, 0.5, 2.0, np.pi, 6.2])
@pytest.mark.parametrize("name", ["furuta", "furuta:hanging", "furuta:qube"])
def test_numbers_and_symbols_give_the_same_swing(name, angle):
    """Both branches of the swing-up, and the regulator alone."""
    robot = cc.load(name)
    upright = 0.0 if robot.values["up"] > 0 else np.pi
    for law in (swing_up(robot), regulator(robot, q=[0.0, upright], inputs="voltage")):
        at = cc.state(robot, q=[0.2, angle], q_dot=[1.0, -2.0])
        np.testing.assert_allclose(decide_on_symbols(law, robot, at), decide(law, robot, at), rtol=1e-11)


@pytest.mark.parametrize(
    "make",
    [
        lambda line: KinematicControl(line, gain=-1.0),
        lambda line: ComputedTorque(line, kp=-1.0),
        lambda line: ComputedTorque(line, kd=-1.0),
        lambda line: OutputComputedTorque(line, kp=np.nan),
        lambda line: PD(line, kp=(1.0, -1.0)),
    ],
)
def test_a_gain_that_would_drive_the_error_away_is_refused(line, make):
    """Named, with its value."""
    with pytest.raises(BadInput, match=r"gain k?[pdgain]+ = .* is negative"):
        make(line)


def test_what_a_law_cannot_do_on_a_robot_is_told(furuta, fourbar, biglide, line):
    """Undriven joints, more outputs than drives, gains for other joints, gravity twice."""
    swing = cc.quintic([0.0, 0.0], [1.0, 0.0], duration=1.0, space="joint")
    for law in (ComputedTorque(swing), PD(swing)):
        with pytest.raises(BadInput, match="nothing drives q2"):
            cc.simulate(furuta, law)
    with pytest.raises(BadInput, match="output"):
        cc.simulate(furuta, KinematicControl(line), q=[0.0, 0.0])
    for law in (KinematicControl(line), OutputComputedTorque(line)):
        with pytest.raises(BadInput, match="1 drives cannot give 2 output"):
            cc.simulate(fourbar, law, q=[0.5], assembly="+")
    with pytest.raises(BadInput, match="3 numbers for 2 joints"):
        cc.simulate(biglide, PD(line, kp=(1.0, 2.0, 3.0)))
    with pytest.raises(BadInput, match="choose gravity or feedforward"):
        PD(line, gravity=True, feedforward=True)


@pytest.mark.parametrize("make", [ComputedTorque, OutputComputedTorque, KinematicControl])
def test_a_law_is_not_told_to_call_its_command_something_else(line, make):
    """A computed torque sent as volts would be silently wrong."""
    with pytest.raises(BadInput, match=r"commands '(tau|velocity)', not 'voltage'"):
        make(line, output="voltage")
    with pytest.raises(BadInput, match="not 'voltage'"):
        PD(line, gravity=True, output="voltage")


def test_an_unknown_output_is_refused(biglide):
    """It was taken for an effort."""
    with pytest.raises(BadInput, match="there are tau, voltage, velocity"):
        cc.simulate(biglide, Constant(0.0, "torque"), q=[0.0, 0.0], duration=0.1)


def test_voltages_that_are_fed_forward_are_those_of_the_efforts():
    """A four-bar with a motor follows its reference under u = (τ + back q̇)/gain as it does under τ itself."""
    plain = robots.find("fourbar").description
    motor = Motor(plain.drives[0].name, resistance=2.0, kt=0.05, kv=0.05, ratio=10)
    robot = cc.load(Recipe(replace(plain, motors=(motor,))))
    path = cc.quintic([0.8], [1.2], 1.0, space="joint")
    at = {"duration": 0.3, "interval": 1e-4, "step": 1e-4}
    volts, efforts = (cc.simulate(robot, FeedForward(path, output=o), **at) for o in ("voltage", "tau"))
    assert volts.units["tau"] == ("V",)
    for run in (volts, efforts):  # held for 0.1 ms, so half of that behind, at up to 0.75 rad/s
        np.testing.assert_allclose(run.q, path(run.t).x, rtol=0, atol=0.5e-4 * 0.75)
    rate = path(volts.t[:-1]).x_dot[:, 0]
    np.testing.assert_allclose(volts.command[:-1, 0], (efforts.command[:-1, 0] + 0.125 * rate) / 0.25, atol=1e-12)
