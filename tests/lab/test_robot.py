"""The lab's robot: its start, its steps, its numbers, its oscillation, and robots of one's own."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import closedchain as cc
from closedchain.describe import BadParameter
from closedchain.errors import BadInput
from closedchain.model.loading import UnknownRobot
from closedchain_lab import Robot
from closedchain_lab.robot import SimulationEnded
from closedchain_lab.session import Session, Settings, opened

L, D, MP, MF = 0.2828427, 0.4, 3.0, 1.0  # LAB.md


def joints(robot):
    """The four joints."""
    return (
        robot.active_left_joint,
        robot.active_right_joint,
        robot.passive_left_joint,
        robot.passive_right_joint,
    )


def repeated(times, act):
    """Do it again and again."""
    for _ in range(times):
        act()


def made(kind, **settings):
    """A robot of a session with other settings."""
    with opened(Session(Settings(**settings))):
        return Robot(kind)


def test_the_biglide_starts_level_with_its_tip_above():
    """q = 0, the tip at Pythagoras' height, the bars' absolute angles; nothing moves."""
    robot = Robot("biglide")
    height = np.sqrt(L**2 - 0.2**2)
    assert [j.position for j in joints(robot)[:2]] == [0.0, 0.0]
    np.testing.assert_allclose((robot.end_effector.position_x, robot.end_effector.position_y), (0, height), atol=1e-16)
    angle = np.arctan2(height, 0.2)
    np.testing.assert_allclose([j.position for j in joints(robot)[2:]], [angle, np.pi - angle], rtol=1e-15)
    assert all(j.velocity == j.acceleration == j.effort == 0.0 for j in joints(robot))
    assert robot.get_time() == 0.0


def test_the_five_bar_starts_where_the_lab_says():
    """q = 0 puts the tip at (0.09, 0.06796322); passive angles are relative to the cranks, which lie on the x axis."""
    robot = Robot("five_bar")
    tip = robot.end_effector.position_x, robot.end_effector.position_y
    np.testing.assert_allclose(tip, (0.09, 0.06796322), atol=6e-9)  # printed with 8 decimals
    height = np.sqrt(0.09**2 - 0.059**2)
    angle = np.arctan2(height, 0.059)
    np.testing.assert_allclose([j.position for j in joints(robot)], [0, 0, angle, np.pi - angle], atol=1e-15)


def test_the_simulation_does_not_move_until_the_first_effort():
    """Looking at it changes nothing."""
    robot = Robot("biglide")
    assert not any(robot.data_updated() for _ in range(10))
    assert robot.get_time() == 0.0
    assert robot.end_effector.velocity_y == 0.0


def test_each_effort_gives_new_data_once():
    """data_updated is true once per effort, also when two efforts came before the look."""
    robot = Robot("biglide")
    robot.apply_efforts(0.1, 0.1)
    assert robot.data_updated()
    assert not robot.data_updated()
    robot.apply_efforts(0.1, 0.1)
    robot.apply_efforts(0.1, 0.1)
    assert robot.data_updated()
    assert not robot.data_updated()
    assert robot.get_time() == pytest.approx(0.03)


def test_equal_efforts_push_the_biglide_like_one_body():
    """a = 2 F / (2 m_f + m_p), held in steps of 10 ms: v and y are those of constant acceleration."""
    robot, force, steps = Robot("biglide"), 0.7, 150
    for _ in range(steps):
        robot.apply_efforts(force, force)
    a, t = 2 * force / (2 * MF + MP), 0.01 * steps
    assert robot.get_time() == pytest.approx(t)
    for joint in joints(robot)[:2]:
        assert joint.position == pytest.approx(a * t**2 / 2, rel=1e-12)
        assert joint.velocity == pytest.approx(a * t, rel=1e-12)
        assert joint.acceleration == pytest.approx(a, rel=1e-9)  # a difference of velocities over 10 ms
        assert joint.effort == force
    assert robot.end_effector.acceleration_y == pytest.approx(a, rel=1e-12)


def biglide_by_hand(q, phi_dot, phi):
    """J and b of ẍ = J q̈ + b, from u · ẍ = q̈ sin φ − l φ̇² for each bar."""
    u = np.stack([np.cos(phi), np.sin(phi)], axis=1)
    return np.linalg.solve(u, np.diag(u[:, 1])), np.linalg.solve(u, -L * phi_dot**2)


def biglide_geometry(q, q_dot):
    """x, φ and φ̇ of the tip above, by hand."""
    half = np.array([D, q[1] - q[0]]) / 2
    x = np.array([0.0, (q[0] + q[1]) / 2]) + np.sqrt(L**2 - half @ half) / np.hypot(*half) * np.array(
        [-half[1], half[0]]
    )
    phi = np.arctan2(x[1] - q, x[0] - np.array([-D / 2, D / 2]))
    J, _ = biglide_by_hand(q, np.zeros(2), phi)
    v = np.stack([-np.sin(phi), np.cos(phi)], axis=1)
    x_dot = J @ q_dot
    return x, x_dot, phi, (v @ x_dot - v[:, 1] * q_dot) / L


def test_every_number_is_that_of_the_equations_written_by_hand():
    """Unequal efforts that change: positions, velocities and the tip's acceleration at the instant, by DOP853."""

    def slope(t, y, tau):
        q, q_dot = y[:2], y[2:]
        _, _, phi, phi_dot = biglide_geometry(q, q_dot)
        J, b = biglide_by_hand(q, phi_dot, phi)
        return np.concatenate([q_dot, np.linalg.solve(MF * np.eye(2) + MP * J.T @ J, tau - MP * J.T @ b)])

    robot, y = Robot("biglide"), np.zeros(4)
    for k in range(60):
        tau = np.array([0.8 * np.sin(0.1 * k), -0.5 + 0.02 * k])
        before = [j.velocity for j in joints(robot)]
        robot.apply_efforts(*tau)
        y = solve_ivp(slope, (0, 0.01), y, method="DOP853", rtol=1e-12, atol=1e-14, args=(tau,)).y[:, -1]
        differences = [(j.velocity - v) / 0.01 for j, v in zip(joints(robot), before, strict=True)]
        np.testing.assert_allclose([j.acceleration for j in joints(robot)], differences, rtol=1e-12, atol=1e-15)
    x, x_dot, phi, phi_dot = biglide_geometry(y[:2], y[2:])
    J, b = biglide_by_hand(y[:2], phi_dot, phi)
    tip = robot.end_effector
    np.testing.assert_allclose([j.position for j in joints(robot)], [*y[:2], *phi], atol=1e-11)  # DOP853's 1e-12 × 60
    np.testing.assert_allclose([j.velocity for j in joints(robot)], [*y[2:], *phi_dot], atol=1e-10)
    np.testing.assert_allclose((tip.position_x, tip.position_y), x, atol=1e-11)
    np.testing.assert_allclose((tip.velocity_x, tip.velocity_y), x_dot, atol=1e-10)
    x_ddot = J @ slope(0.0, y, tau)[2:] + b
    np.testing.assert_allclose((tip.acceleration_x, tip.acceleration_y), x_ddot, atol=1e-9)


@pytest.mark.parametrize("kind, effort", [("biglide", 0.3), ("five_bar", 0.002)])
def test_mujoco_as_plant_moves_alike(kind, effort):
    """The same efforts for 1 s: another engine, whose loops are soft by about a micrometre at worst."""
    exact, other = Robot(kind), made(kind, engine="mujoco")
    for k in range(100):
        for robot in (exact, other):
            robot.apply_efforts(effort * np.sin(0.07 * k), -effort * np.cos(0.05 * k))
    for a, b in zip(joints(exact), joints(other), strict=True):
        assert a.position == pytest.approx(b.position, abs=1e-5)
        assert a.velocity == pytest.approx(b.velocity, abs=1e-4)
    assert exact.end_effector.acceleration_x == pytest.approx(other.end_effector.acceleration_x, abs=1e-2)
    assert other.run.work[-1] == pytest.approx(exact.run.work[-1], rel=1e-3)


@pytest.mark.parametrize("kind, effort, reach", [("biglide", 0.01, 0.01), ("five_bar", 0.0002, 0.05)])
def test_the_oscillation_reverses_each_effort_beyond_its_limit(kind, effort, reach):
    """Left + and right − at first, always that size; reversed exactly when a joint is beyond the limit ahead."""
    robot = Robot(kind)
    robot.start_oscillate()
    assert robot.data_updated()
    held = np.array([effort, -effort])
    reversals = 0
    for _ in range(1500):
        places = np.array([j.position for j in joints(robot)[:2]])
        beyond = (np.abs(places) > reach) & (np.sign(places) == np.sign(held))
        held = np.where(beyond, -held, held)
        reversals += int(beyond.sum())
        robot.continue_oscillations()
        assert robot.data_updated()
        assert [j.effort for j in joints(robot)[:2]] == held.tolist()
    assert reversals >= 4


def test_the_biglide_oscillates_towards_the_side_that_a_published_figure_shows():
    """The tip is at x = +0.020 m at 4.5 s; the figure is read to half a millimetre."""
    robot = Robot("biglide")
    robot.start_oscillate()
    while robot.get_time() < 4.5 - 1e-9:
        robot.continue_oscillations()
    assert robot.end_effector.position_x == pytest.approx(0.020, abs=5e-4)


def test_stopping_the_oscillation_goes_back_to_the_start():
    """At rest at q = 0 and time 0; going on with it then does nothing. What moved is kept."""
    robot = Robot("biglide")
    robot.start_oscillate()
    for _ in range(50):
        robot.continue_oscillations()
    robot.stop_oscillate()
    assert robot.get_time() == robot.active_left_joint.position == robot.active_left_joint.velocity == 0.0
    robot.continue_oscillations()
    assert not robot.data_updated()
    assert [len(run.t) for run in robot.earlier] == [52]


def test_a_reset_begins_the_same_motion_anew():
    """Bit by bit the same."""
    robot, seen = Robot("five_bar"), []
    for _ in range(2):
        for k in range(20):
            robot.apply_efforts(0.001 * k, -0.002)
        seen.append((robot.end_effector.position_x, robot.passive_left_joint.velocity, robot.get_time()))
        robot.reset_simulation()
    assert seen[0] == seen[1]


def test_it_passes_a_type_2_singularity():
    """Feet driven apart until the bars are one line, and on: energy is kept, passive angles do not jump by a turn."""
    robot = Robot("biglide")
    angles = []
    while robot.end_effector.position_y > -0.05 and robot.get_time() < 5.0:
        robot.apply_efforts(3.0, -3.0 - 0.5 * (robot.get_time() > 0.2))
        angles.append((robot.passive_left_joint.position, robot.passive_right_joint.position))
    run = robot.run
    sides = np.sign(np.linalg.det(robot.model.call("closures", q=run.q, x=run.x)["A"]))
    assert set(sides) == {-1.0, 1.0}
    assert np.abs(np.diff(angles, axis=0)).max() < 1.0
    assert np.abs(run.balance).max() < 1e-9  # [J] of about 1 J
    assert run.closure.max() < 1e-12


def test_efforts_of_any_number_and_nothing_else():
    """An array that holds one number is a number; what is not finite is refused before it moves anything."""
    robot = Robot("biglide")
    robot.apply_efforts(np.array([[0.1]]), np.float32(0.5))
    assert (robot.active_left_joint.effort, robot.active_right_joint.effort) == (0.1, 0.5)
    for bad in (np.nan, np.inf, "much", [1.0, 2.0], None):
        with pytest.raises(BadInput, match="left effort"):
            robot.apply_efforts(bad, 0.0)
    assert robot.get_time() == 0.01


def test_a_simulation_that_cannot_go_on_says_so_and_can_be_reset():
    """Efforts that tear it apart end it with one clear error."""
    robot = Robot("biglide")
    with pytest.raises(SimulationEnded, match=r"biglide:lab: .*t = .* s.*reset_simulation"):
        repeated(1000, lambda: robot.apply_efforts(1e14, -1e14))
    robot.reset_simulation()
    robot.apply_efforts(0.0, 0.0)
    assert robot.data_updated()


def test_other_lengths_are_the_runs_parameters():
    """l = 0.3606 of the seeds: the tip stands at √(l² − 0.04)."""
    for value in (0.3606, "0.3606", "360.6 mm"):
        robot = made("biglide", parameters={"l": value})
        assert robot.end_effector.position_y == pytest.approx(np.sqrt(0.3606**2 - 0.04), rel=1e-15)
    with pytest.raises(BadParameter, match="unknown parameter 'length'"):
        made("biglide", parameters={"length": 1.0})


def test_any_planar_robot_with_two_drives_will_do():
    """Given as a model, it starts where asked; without readouts its passive joints stay at 0."""
    robot = Robot(cc.load("fivebar", l2=0.11), x=[0.0, 0.15], working="--")
    assert (robot.end_effector.position_x, robot.end_effector.position_y) == (0.0, 0.15)
    robot.apply_efforts(0.01, -0.01)
    assert robot.end_effector.acceleration_y != 0.0
    assert Robot("fivebar").end_effector.position_x == pytest.approx(0.09)


@pytest.mark.parametrize("name", ["rrr3", "fourbar", "furuta", "delta"])
def test_other_robots_are_refused(name):
    """The lab has two drives and a plane."""
    with pytest.raises(BadInput, match="two drives"):
        Robot(name)


def test_an_unknown_robot_is_named():
    """With what there is."""
    with pytest.raises(UnknownRobot, match="biglid"):
        Robot("biglid")


def test_the_motion_is_a_run():
    """Time, states, held efforts, work: what `closedchain.simulate` gives, with its energy balance."""
    robot = Robot("biglide")
    for k in range(30):
        robot.apply_efforts(0.5, 0.02 * k)
    run = robot.run
    np.testing.assert_allclose(run.t, np.arange(31) * 0.01, atol=1e-15)
    np.testing.assert_array_equal(run.command[:3], [[0.5, 0.0], [0.5, 0.02], [0.5, 0.04]])
    assert run.q[-1].tolist() == [j.position for j in joints(robot)[:2]]
    assert np.abs(run.balance).max() < 1e-13


def test_the_labs_public_names_are_there():
    """What the lab's own file calls the efforts, passive joints' offsets (45° and 135°), the time."""
    robot = Robot("biglide")
    robot.start_oscillate()
    assert (robot.oscillate_effort_left, robot.oscillate_effort_right) == (0.01, -0.01)
    assert (robot.updated, robot.previous_sim_time) == (True, 0.01)
    offsets = [robot.passive_left_joint.offset, robot.passive_right_joint.offset]
    np.testing.assert_allclose(offsets, [np.pi / 4, 3 * np.pi / 4], atol=1e-6)  # l is rounded to seven digits
    assert robot.passive_left_joint.joint_name == "A12"
