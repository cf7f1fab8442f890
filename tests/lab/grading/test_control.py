"""Control scripts: the robot is outside the sandbox, so what is measured is what it did."""

from pathlib import Path

import numpy as np
import pytest

from closedchain.describe.files import BadFile
from closedchain_lab.grading.control import grade_control
from closedchain_lab.grading.task import Task, read_task, shipped
from closedchain_lab.sandbox.allowance import Limits

SCRIPT = (Path(__file__).parent / "control.txt").read_text(encoding="utf-8")
LIMITS = Limits(seconds=30.0)
TASK = Task("ours", "biglide", start=(0.0, 0.2), end=(0.05, 0.3), duration=1.0)
TRICK = """
from lab_amoro.parallel_robot import *
from lab_amoro.plot_tools import *
robot, scope = Robot("biglide"), Scope("x", -1, 1)
while True:
    robot.apply_efforts(0.05, 0.05)
    scope.update(robot.get_time(), robot.active_left_joint.position + 1e-6, robot.active_left_joint.position)
"""


@pytest.fixture
def run(tmp_path, right):
    """Grade a control script beside the biglide's models."""
    models = right("biglide_vectors")

    def grade(script, bars="0.2828427", **options):
        (tmp_path / "control.py").write_text(script, encoding="utf-8")
        (tmp_path / "biglide_models.py").write_text(models.replace("l = 0.2828427", f"l = {bars}"), encoding="utf-8")
        files = [(path, path.name) for path in sorted(tmp_path.glob("*.py"))]
        wanted = {"duration": 1.5, "limits": LIMITS, "bars": float(bars), "tasks": [TASK]} | options
        return grade_control(files, "control.py", **wanted)

    return grade


def test_a_computed_torque_controller_tracks(run):
    """Exact models, 10 ms steps: errors far below a millimetre, the tip where the quintic ends, and at rest there."""
    grade = run(SCRIPT)
    assert grade.verdict == "tracks"
    assert (grade.score, grade.robot) == (100.0, "biglide")
    m = grade.measured
    assert [(t["source"], t["delay"]) for t in m["tracking"]] == [("task ours", pytest.approx(0.01))]  # 10 ms to begin
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


TIMERS = {
    "ROS": """
rclpy.init()
timer = robot.create_timer(0.01, push)
rclpy.spin(robot)
""",
    "Qt": """
from PyQt5.QtCore import QTimer
app, timer = QtGui.QApplication([]), QTimer()
timer.timeout.connect(push)
timer.start(10)
app.exec_()
""",
}


@pytest.mark.parametrize("loop", list(TIMERS))
def test_a_loop_by_a_timer_moves_the_robot_as_in_a_run(run, loop):
    """A timer of ROS or Qt: 5 kg pushed by 0.2 N for 1 s go 20 mm."""
    text = "from lab_amoro.parallel_robot import *\nfrom lab_amoro.plot_tools import *\nrobot = Robot('biglide')\n"
    text += "def push():\n    robot.apply_efforts(0.1, 0.1)\n    if robot.get_time() > 0.995: sys.exit()\nimport sys\n"
    grade = run(text + TIMERS[loop], duration=5.0)
    moved = np.array(grade.measured["end"]) - grade.measured["start"]
    np.testing.assert_allclose(moved, [0.0, 0.5 * (0.2 / 5.0) * 1.0**2], atol=1e-3)


def test_what_a_scope_shows_is_not_believed(run):
    """A script that controls nothing plots measurement + 1e-6 as its reference: no point of it is deserved."""
    grade = run(TRICK)
    assert grade.verdict.startswith("does not track")
    assert grade.verdict.endswith("this is not the motion that was asked for")
    assert grade.score == 0.0


@pytest.mark.parametrize("efforts", [(0.21791, 0.02488), (0.11, 0.11), (0.05, 0.05)])
def test_a_constant_push_gets_nothing(run, efforts):
    """The first is the best of 60 random ones: for a while it is within a fifth of the way from the task's motion."""
    push = TRICK.replace("0.05, 0.05", f"{efforts[0]}, {efforts[1]}")
    grade = run(push, tasks=[read_task("biglide")], duration=4.0)
    assert grade.score == 0.0, grade.verdict


def test_without_a_task_the_motion_is_described_and_nothing_tracks(run):
    """Errors against the nearest quintic are told; there is no score, and nothing is wrong."""
    grade = run(SCRIPT, tasks=[])
    assert grade.verdict.startswith("moved: no task was set")
    assert (grade.score, grade.ok) == (None, True)
    (told,) = grade.measured["tracking"]
    assert "fitted" in told["source"]
    assert told["largest"] < 1e-3


def test_a_task_for_another_robot_is_named(run):
    """Nothing is judged by it."""
    grade = run(SCRIPT, tasks=[read_task("five-bar")])
    assert grade.verdict == "not graded: the task is for 'five_bar', and the script moves 'biglide'"
    assert grade.score is None


def test_the_labs_own_tasks_are_there_and_a_bad_one_is_told(tmp_path):
    """Start, end and time of the handout; a key that is none is named."""
    assert shipped() == ["biglide", "five-bar", "five-bar-crossing"]
    task = read_task("five-bar")
    assert (task.start, task.end, task.duration) == ((0.09, 0.06796322), (0.0, 0.1), 2.0)
    path = tmp_path / "task.toml"
    path.write_text('schema = "closedchain.lab-task/1"\nrobt = "biglide"\n')
    with pytest.raises(BadFile, match="no key 'robt'"):
        read_task(str(path))
    with pytest.raises(BadFile, match="the lab has biglide, five-bar"):
        read_task("nothing")


def test_drawing_at_every_step_is_put_off(run):
    """A figure redrawn 150 times costs the processor next to nothing, and the script comes to its end."""
    drawing = "import matplotlib.pyplot as plt\nplt.ion()\nfigure, axes = plt.subplots()\n"
    step = "robot.apply_efforts(tau[0], tau[1])\n                "
    script = drawing + SCRIPT.replace(
        step, step + "axes.plot(q); figure.canvas.draw(); plt.pause(0.001)\n                "
    )
    assert script.count("plt.pause") == 1
    grade = run(script, limits=Limits(seconds=4.0))
    assert grade.verdict == "tracks"


def test_a_script_that_was_stopped_is_not_graded(run):
    """Out of processor time after some steps: the reason is told, and there is no score."""
    endless = "index > 20 and [0 for _ in iter(int, 1)]\n                index = min("
    grade = run(SCRIPT.replace("index = min(", endless), limits=Limits(seconds=2.0))
    assert grade.verdict == "not graded: 2 s of processor time were used up"
    assert grade.score is None
    assert not grade.ok


def test_a_robot_that_is_lost_lets_the_script_close(run):
    """Efforts that grow without bound: the closing code runs, and the report says what happened."""
    growing = TRICK.replace("while True", "import itertools\nfor k in itertools.count()")
    grade = run(growing.replace("0.05, 0.05", "9.0**k, 1") + "print('never')\n")
    assert "without bound" in " ".join(grade.notes)
    assert "never" not in grade.output


def test_efforts_are_those_of_newtons_law(run):
    """All of the motion is along y: 5 kg in all, so the sum of the efforts is 5 ÿ, 5.7735 · 0.1 m / 1 s² at most."""
    grade = run(SCRIPT.replace("[0.05, 0.1]", "[0.0, 0.1]"))
    largest = grade.measured["effort_largest"]
    assert sum(largest) == pytest.approx(5.0 * 0.57735, rel=0.02)  # sampled each 10 ms, feedback a little


def test_a_controller_with_a_wrong_model_does_not_track(run):
    """Half the mass: 5 mm off, a part of the points; with soft gains centimetres off, another motion."""
    wrong = SCRIPT.replace("tau = M @", "tau = 0.5 * M @")
    stiff, soft = run(wrong), run(wrong.replace("GAIN = 100.0", "GAIN = 1.0"))
    assert 0.0 < stiff.score < 100.0
    assert soft.score == 0.0
    assert all(grade.verdict.startswith("does not track") for grade in (stiff, soft))
    assert max(t["largest"] for t in soft.measured["tracking"]) > 0.1 * 0.1118  # of a way of 0.1118 m


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
            "must be one number",
        ),
        ("from lab_amoro.parallel_robot import *\nr = Robot('biglide')\nr.apply_efforts(float('nan'), 0)", "finite"),
        ("while True: pass", "not graded: 1 s of processor time were used up"),
        ("from lab_amoro.parallel_robot import *\nr = Robot('biglide')\nwhile not r.data_updated(): pass", "no effort"),
    ],
)
def test_a_script_that_moves_nothing_is_told_why(script, words, run):
    """A verdict in one line, within the limits."""
    grade = run(script, limits=Limits(seconds=1.0 if "pass" in script and "Robot" not in script else 20.0))
    assert not grade.score
    assert words in grade.verdict


def test_a_script_that_does_not_read_cannot_hold_the_grader(run, monkeypatch):
    """It asks for ever and reads no answer: the pipe is full, and the child is ended."""
    monkeypatch.setattr("closedchain_lab.sandbox.process.UNREAD", 0.5)
    script = """
import os
from lab_amoro.parallel_robot import *
robot = Robot("biglide")
line = b'{"number": 0, "do": "reset"}\\n'
while True:
    os.write(4, line)
"""
    grade = run(script)
    assert grade.score is None
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
    assert not grade.notes


def test_the_models_own_bars_are_the_robots(run):
    """A group that works with the reports' length is tried on such a robot."""
    start = (0.0, (0.3606**2 - 0.04) ** 0.5)
    end = (0.05, start[1] + 0.1)
    grade = run(SCRIPT, bars="0.3606", tasks=[Task("reports", "biglide", start=start, end=end, duration=1.0)])
    assert grade.verdict == "tracks"
    assert "0.3606" in grade.notes[0]
