"""Control scripts: the robot is outside the sandbox, so what is measured is what it did."""

from pathlib import Path

import numpy as np
import pytest

from closedchain.lab.grading.control import grade_control
from closedchain.lab.sandbox.limits import Limits

SCRIPT = (Path(__file__).parent / "control.txt").read_text(encoding="utf-8")
LIMITS = Limits(seconds=30.0)


@pytest.fixture
def run(tmp_path, right):
    """Grade a control script beside the biglide's models."""
    models = right("biglide_vectors")

    def grade(script, bars="0.2828427", **options):
        (tmp_path / "control.py").write_text(script, encoding="utf-8")
        (tmp_path / "biglide_models.py").write_text(models.replace("l = 0.2828427", f"l = {bars}"), encoding="utf-8")
        files = [(path, path.name) for path in sorted(tmp_path.glob("*.py"))]
        wanted = {"duration": 1.5, "limits": LIMITS, "bars": float(bars)} | options
        return grade_control(files, "control.py", **wanted)

    return grade


def test_a_computed_torque_controller_tracks(run):
    """Exact models, 10 ms steps: errors far below a millimetre, the tip where the quintic ends, and at rest there."""
    grade = run(SCRIPT)
    assert grade.verdict == "tracks"
    assert (grade.score, grade.robot) == (100.0, "biglide")
    m = grade.measured
    assert [t["source"] for t in m["tracking"]] == ["scope 'Left'", "scope 'Right'"]
    assert {t["signal"] for t in m["tracking"]} == {"q11", "q21"}
    np.testing.assert_allclose(np.array(m["end"]) - m["start"], [0.05, 0.1], atol=1e-4)
    assert m["fit"]["largest"] < 1e-3  # one step late, 0.2 m/s at most: below 2 mm, measured 0.5
    assert m["end_speed"] < 1e-3
    assert "closing" in grade.output  # its own closing code ran


def test_a_script_with_its_own_handler_for_ctrl_c_is_told_by_it(run):
    """It sets a flag in place of an exception; the loop ends by it."""
    own = "import signal\nstop = []\nsignal.signal(signal.SIGINT, lambda number, frame: stop.append(number))\n"
    grade = run(own + SCRIPT.replace("while True:", "while not stop:") + "print('heard', *stop)\n")
    assert grade.verdict == "tracks"
    assert "heard 2" in grade.output


@pytest.mark.parametrize("wait", ["while True: time.sleep(0.1)", "rclpy.spin(robot)", "thread.join()"])
def test_a_loop_in_a_thread_runs_while_the_main_thread_waits(run, wait):
    """It gets its steps, and Ctrl-C ends the main thread after 1.5 s: 5 kg pushed by 0.2 N go 45 mm."""
    text = f"""
from lab_amoro.parallel_robot import *
from std_msgs.msg import Float64
import rclpy, threading, time
rclpy.init()
robot = Robot("biglide")
def loop():
    while True:
        if robot.get_time() == 0.0 or robot.data_updated():
            robot.apply_efforts(0.1, 0.1)
thread = threading.Thread(target=loop, daemon=True)
thread.start()
try:
    {wait}
except KeyboardInterrupt:
    print("closed", round(robot.get_time(), 2))
"""
    grade = run(text)
    assert "closed 1.5" in grade.output
    moved = np.array(grade.measured["end"]) - grade.measured["start"]
    np.testing.assert_allclose(moved, [0.0, 0.5 * (0.2 / 5.0) * 1.5**2], atol=1e-3)


def test_efforts_are_those_of_newtons_law(run):
    """All of the motion is along y: 5 kg in all, so the sum of the efforts is 5 ÿ, 5.7735 · 0.1 m / 1 s² at most."""
    grade = run(SCRIPT.replace("[0.05, 0.1]", "[0.0, 0.1]"))
    largest = grade.measured["effort_largest"]
    assert sum(largest) == pytest.approx(5.0 * 0.57735, rel=0.02)  # sampled each 10 ms, feedback a little


def test_a_controller_with_a_wrong_model_does_not_track(run):
    """Half the mass and soft gains: the reference is in its scopes, and the robot is centimetres away from it."""
    grade = run(SCRIPT.replace("GAIN = 100.0", "GAIN = 1.0").replace("tau = M @", "tau = 0.5 * M @"))
    assert grade.verdict.startswith("does not track")
    assert 0.0 < grade.score < 100.0
    assert max(t["largest"] for t in grade.measured["tracking"]) > 5e-3


def test_without_scopes_the_reference_is_the_nearest_quintic(run):
    """The fit finds the duration that the script chose."""
    grade = run(SCRIPT.replace("scopes[i].update(robot.get_time(), q_t[i], q[i])", "pass"))
    assert grade.verdict == "tracks"
    (tracking,) = grade.measured["tracking"]
    assert tracking["signal"] == "tip"
    assert "1.0" in tracking["source"].replace("1 s", "1.0 s").replace("1.01", "1.0")
    assert any("fit" in note for note in grade.notes)


def test_a_script_cannot_improve_what_was_recorded(run):
    """It overwrites its joints, plots its wish twice and replaces its robot's methods; the plant saw no motion."""
    script = SCRIPT.replace("robot.apply_efforts(tau[0], tau[1])", "robot.apply_efforts(0.0, 0.0)")
    script = script.replace("q_t[i], q[i])", "q_t[i], q_t[i])")
    script = script.replace("index = 0\n", "index = 0\n    robot.active_left_joint = robot.active_right_joint\n")
    grade = run(script)
    assert grade.verdict.startswith("does not move")
    assert grade.score == 0.0


@pytest.mark.parametrize(
    "script, words",
    [
        ("import sys\nsys.exit(1)", "applied no effort"),
        ("from lab_amoro.parallel_robot import *\nRobot('biglide')", "applied no effort"),
        ("from lab_amoro.parallel_robot import *\nRobot('delta')", "no robot 'delta'"),
        (
            "from lab_amoro.parallel_robot import *\nr = Robot('biglide')\nr.apply_efforts('much', 0)",
            "could not convert",
        ),
        ("from lab_amoro.parallel_robot import *\nr = Robot('biglide')\nr.apply_efforts(float('nan'), 0)", "finite"),
        ("while True: pass", "no answer within 1 s"),
        ("from lab_amoro.parallel_robot import *\nr = Robot('biglide')\nwhile not r.data_updated(): pass", "no effort"),
    ],
)
def test_a_script_that_moves_nothing_is_told_why(script, words, run):
    """A verdict in one line, within the limits."""
    grade = run(script, limits=Limits(seconds=1.0 if "pass" in script and "Robot" not in script else 20.0))
    assert grade.score == 0.0
    assert words in grade.verdict


def test_a_script_that_does_not_read_cannot_hold_the_grader(run, monkeypatch):
    """It asks for ever and reads no answer: the pipe is full, and the child is ended."""
    monkeypatch.setattr("closedchain.lab.sandbox.process.UNREAD", 0.5)
    script = """
import os
from lab_amoro.parallel_robot import *
robot = Robot("biglide")
line = b'{"number": 0, "do": "reset_simulation"}\\n'
while True:
    os.write(4, line)
"""
    grade = run(script)
    assert grade.score == 0.0
    assert "ended by SIGKILL" in grade.verdict


def test_every_way_to_move_the_robot_is_there(run):
    """Oscillation, reset, wall-clock loops, matplotlib's show, a second Ctrl-C: a script as groups write them."""
    script = """
import time
import rclpy
from PyQt5.QtWidgets import QApplication
import pyqtgraph as pg
from lab_amoro.parallel_robot import *
from lab_amoro.plot_tools import *

app = QApplication([])
window = pg.GraphicsLayoutWidget(show=True)
robot = Robot("five_bar")
start_robot(robot)
robot.start_oscillate()
start = time.time()
while time.time() < start + 0.5:
    if robot.data_updated():
        app.processEvents()
        robot.continue_oscillations()
assert 0.45 < robot.get_time() < 0.55
robot.stop_oscillate()
assert robot.get_time() == 0.0
robot.reset_simulation()
assert abs(robot.end_effector.position_x - 0.09) < 1e-12
time.sleep(10)
try:
    while True:
        robot.apply_efforts(1e-3, np.array([1e-3]))
except KeyboardInterrupt:
    pass
while True:
    robot.apply_efforts(0.0, 0.0)
"""
    grade = run(script, duration=1.0)
    assert grade.robot == "fivebar"
    assert grade.measured["duration"] > 0.4
    assert not [note for note in grade.notes if "early" in note]


def test_the_models_own_bars_are_the_robots(run):
    """A group that works with the reports' length is tried on such a robot."""
    grade = run(SCRIPT, bars="0.3606")
    assert grade.verdict == "tracks"
    assert "0.3606" in grade.notes[0]
