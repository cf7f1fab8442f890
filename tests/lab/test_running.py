"""`run_script`: scripts as they are, what they find around them, and how they end."""

import builtins
import os
import signal
import sys
import time

import matplotlib
import numpy as np
import pytest

from closedchain.errors import BadInput
from closedchain_lab.running import NoScript, run_script
from closedchain_lab.session import Settings
from tests.lab.scripts import CONTROL, group, written

HEAD = "from lab_amoro.parallel_robot import *\nfrom lab_amoro.plot_tools import *\n"
LOOP = """
rclpy.init(args=None)
robot = Robot("biglide")
start_robot(robot)
robot.start_oscillate()
"""


def run(folder, text, *arguments, name="script.py", clock=None, **settings):
    """Run a script of that text."""
    return run_script(written(folder, text, name), arguments, Settings(**settings), clock=clock)


# Whole scripts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", ["biglide", "five_bar"])
def test_right_models_are_ok_on_every_line(tmp_path, capsys, robot):
    """model_eval: every mean error far below what Gazebo gave; positions and velocities at rounding."""
    done = run_script(group(tmp_path / "group", robot) / "model_eval.py", settings=Settings(duration=4.0))
    lines = capsys.readouterr().out.splitlines()
    assert done.code == 0
    assert len(lines) == 20
    assert all(line.endswith("OK") for line in lines)
    mean = {line.split()[0]: float(line.split()[3]) for line in lines}
    gazebo = {
        "x": 9e-7,
        "xD": 6e-5,
        "xDD": 5e-3,
        "q12": 7e-6,
        "q12D": 5.6e-4,
        "q12DD": 6e-2,
        "q11DD": 8.9e-3,
        "tau1": 1.6e-2,
    }
    assert all(mean[name] < error / 10 for name, error in gazebo.items())
    assert all(mean[name] < 1e-13 for name in ("x", "y", "q12", "q22", "xD", "yD", "q12D", "q22D", "q11", "q21D"))
    assert all(mean[name] > 1e-9 for name in ("xDD", "q12DD", "q11DD", "tau1"))  # of differences over 10 ms: honest


@pytest.mark.parametrize("robot", ["biglide", "five_bar"])
@pytest.mark.parametrize("script, scopes", [("model_test.py", 12), ("inverse_model_test.py", 8)])
def test_endless_comparisons_end_and_leave_their_scopes(tmp_path, robot, script, scopes):
    """Every scope holds one point per step, and its two curves lie on each other."""
    done = run_script(group(tmp_path / "group", robot) / script, settings=Settings(duration=1.0))
    assert done.code == 0
    assert done.simulated == pytest.approx(1.0)
    charts = done.session.charts
    assert len(charts) == scopes
    for chart in charts:
        first, second = (curve.table for curve in chart.curves.values())
        assert len(first) == 100
        np.testing.assert_allclose(first, second, atol=2e-3)


def test_a_closed_loop_ends_with_its_own_closing_code(tmp_path, capsys):
    """Star imports, a models file beside it, Ctrl-C after 3 s, prints, a figure shown and all closed."""
    group(tmp_path / "group", "biglide")
    done = run(tmp_path / "group", CONTROL, name="my_control.py", duration=3.0)
    assert done.code == 0
    words = capsys.readouterr().out.split()
    assert words[:2] == ["largest", "error"]
    assert float(words[2]) < 1e-3
    assert [p.title for p in done.session.pictures] == ["Error of the joints"]
    assert done.session.pictures[0].png.startswith(b"\x89PNG")
    assert [c.title for c in done.session.charts] == ["Joint 1", "Joint 2"]
    assert done.session.robots[0].run.t[-1] == pytest.approx(3.0)


# Time -------------------------------------------------------------------------------------------


def test_a_loop_by_the_wall_clock_ends_by_the_simulated_one(tmp_path, capsys):
    """`while time() < start + 5` is 5 s of the robot's time, whatever it takes of ours."""
    text = HEAD + "from time import time\nimport time as T\n" + LOOP
    text += "start = time()\nwhile time() < start + 5:\n    if robot.data_updated():\n"
    text += "        robot.continue_oscillations()\n"
    text += "print(robot.get_time(), T.time() - start, T.perf_counter() > 5, T.monotonic_ns() > 5e9)\n"
    assert run(tmp_path, text).code == 0
    simulated, passed, *rest = capsys.readouterr().out.split()
    assert float(simulated) == pytest.approx(5.0, abs=0.02)
    assert float(passed) == pytest.approx(5.0, abs=0.02)
    assert rest == ["True", "True"]


def test_sleeping_and_waiting_pass_at_once(tmp_path, capsys):
    """sleep, plt.pause and a loop that only looks at the clock."""
    text = "import time\nimport matplotlib.pyplot as plt\nbegin = time.time()\n"
    text += "time.sleep(1000)\nplt.plot([1, 2])\nplt.pause(500)\n"
    text += "end = time.monotonic() + 0.02\nwhile time.monotonic() < end:\n    pass\nprint(time.time() - begin)\n"
    done = run(tmp_path, text)
    assert float(capsys.readouterr().out) == pytest.approx(1500, abs=1)
    assert len(done.session.pictures) == 1  # still open at the end


def test_the_wall_clock_is_left_to_those_who_ask(tmp_path, capsys):
    """With clock="wall", or in real time, `time` is Python's own; libraries always see it."""
    text = "import time, logging\nprint(time.sleep, logging.time.sleep)\n"
    real = repr(time.sleep)
    run(tmp_path, text, clock="wall")
    assert capsys.readouterr().out.strip() == f"{real} {real}"
    run(tmp_path, text, real_time=True)
    assert capsys.readouterr().out.strip() == f"{real} {real}"
    run(tmp_path, text)
    assert capsys.readouterr().out.strip().endswith(real)


def test_real_time_is_no_faster_than_the_wall(tmp_path):
    """0.3 s of simulation take at least 0.3 s."""
    text = HEAD + "robot = Robot('biglide')\nfor k in range(31):\n    robot.apply_efforts(0.0, 0.0)\n"
    began = time.monotonic()
    run(tmp_path, text, real_time=True)
    assert time.monotonic() - began >= 0.3


# Ctrl-C -----------------------------------------------------------------------------------------


def test_a_script_that_does_not_expect_ctrl_c_ends_quietly(tmp_path, capsys):
    """--duration was asked for: no traceback, exit code 0, at exactly that time."""
    done = run(tmp_path, HEAD + LOOP + "while True:\n    robot.continue_oscillations()\n", duration=0.5)
    assert (done.code, done.simulated) == (0, pytest.approx(0.5))
    assert capsys.readouterr().err == ""


def test_a_script_with_its_own_handler_for_ctrl_c_is_told_by_it(tmp_path, capsys):
    """The handler sets a flag, in a plain loop or from a timer; the closing code runs, and the handler is gone then."""
    before = signal.getsignal(signal.SIGINT)
    own = "import signal\nstop = []\nsignal.signal(signal.SIGINT, lambda number, frame: stop.append(number))\n"
    loop = "while not stop:\n    robot.apply_efforts(0.0, 0.0)\nprint('closed', *stop)\n"
    assert run(tmp_path, HEAD + LOOP + own + loop, duration=1.0).code == 0
    qt = "from PyQt5 import QtCore, QtWidgets\napp, timer = QtWidgets.QApplication([]), QtCore.QTimer()\n"
    tick = "def tick():\n    app.quit() if stop else robot.apply_efforts(0.0, 0.0)\n"
    go = "timer.timeout.connect(tick)\ntimer.start(10)\napp.exec_()\nprint('quit', *stop)\n"
    assert run(tmp_path, HEAD + LOOP + own + qt + tick + go, duration=1.0).code == 0
    assert capsys.readouterr().out.splitlines() == ["closed 2", "quit 2"]
    assert signal.getsignal(signal.SIGINT) is before


def test_efforts_of_the_closing_code_are_applied(tmp_path):
    """A script may bring its robot to rest after Ctrl-C."""
    text = HEAD + LOOP + "try:\n    while True:\n        robot.continue_oscillations()\n"
    text += "except KeyboardInterrupt:\n    for _ in range(50):\n        robot.apply_efforts(0.0, 0.0)\n"
    done = run(tmp_path, text, duration=0.5)
    assert (done.code, done.simulated) == (0, pytest.approx(1.0))


def test_a_script_that_swallows_ctrl_c_is_pressed_again_and_then_ended(tmp_path):
    """An inner loop that passes on KeyboardInterrupt does not run for ever."""
    text = (
        HEAD
        + LOOP
        + "while True:\n    try:\n        robot.continue_oscillations()\n    except KeyboardInterrupt:\n        pass\n"
    )
    done = run(tmp_path, text, duration=0.5)
    assert done.code == 0
    assert done.simulated == pytest.approx(2.5)  # a second after each time
    assert "went on after Ctrl-C" in done.ended


def test_a_reset_does_not_make_the_run_longer(tmp_path):
    """The duration counts all that was simulated."""
    text = (
        HEAD
        + LOOP
        + "while True:\n    robot.continue_oscillations()\n"
        + "    if robot.get_time() > 0.2:\n        robot.reset_simulation()\n"
    )
    assert run(tmp_path, text, duration=1.0).simulated == pytest.approx(1.0)


def test_waiting_for_data_without_an_effort_ends_too(tmp_path):
    """Nothing moves, so nothing new can come: said once, and ended as by Ctrl-C."""
    told = []
    path = written(tmp_path, HEAD + "robot = Robot('biglide')\nwhile not robot.data_updated():\n    pass\n")
    done = run_script(path, settings=Settings(duration=10.0), tell=told.append)
    assert (done.code, done.simulated) == (0, 0.0)
    assert told == ["the script waits for data but applies no effort, so the robot does not move"]


# Endings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, code, said",
    [
        ("import sys\nsys.exit(3)", 3, ""),
        ("exit()", 0, ""),
        ("import sys\nsys.exit('not today')", 1, "not today\n"),
        ("raise KeyboardInterrupt", 130, "KeyboardInterrupt"),
    ],
)
def test_a_script_leaves_with_the_code_python_would_give(tmp_path, capsys, text, code, said):
    """sys.exit with a number, nothing, a word; Ctrl-C that nobody catches."""
    assert run(tmp_path, text + "\n").code == code
    assert said in capsys.readouterr().err


def test_an_error_is_shown_as_python_shows_it(tmp_path, capsys):
    """From the script's own first line, with its lines quoted, and nothing of ours above; what was made is kept."""
    text = HEAD + "scope = Scope('q', 0, 1)\nscope.update(0.0, 1.0, 2.0)\n\ndef fail():\n    return 1 / 0\n\nfail()\n"
    done = run(tmp_path, text)
    lines = capsys.readouterr().err.splitlines()
    assert done.code == 1
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{tmp_path / "script.py"}", line 9, in <module>'
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert not any("closedchain" in line for line in lines)
    assert done.ended == "ZeroDivisionError: division by zero (script.py, line 7)"
    assert not done.empty


def test_a_syntax_error_is_shown_with_its_place(tmp_path, capsys):
    """As Python does: file, line, what."""
    done = run(tmp_path, "x = (\n")
    err = capsys.readouterr().err
    assert done.code == 1
    assert done.empty
    assert err.startswith(f'  File "{tmp_path / "script.py"}", line 1')
    assert "SyntaxError" in err


def test_an_effort_that_is_no_number_stops_the_script_at_its_line(tmp_path, capsys):
    """The model that made it is in the traceback."""
    text = HEAD + "robot = Robot('biglide')\nrobot.apply_efforts(np.sqrt(-1.0), 0.0)\n"
    assert run(tmp_path, text).code == 1
    err = capsys.readouterr().err
    assert "RuntimeWarning: invalid value encountered in sqrt" in err  # as Python shows it
    assert "the left effort is nan" in err


def test_a_script_that_is_not_there_is_named(tmp_path):
    """With its path."""
    with pytest.raises(NoScript, match=r"missing\.py"):
        run_script(tmp_path / "missing.py")


def test_a_duration_must_be_positive():
    """Before anything runs."""
    with pytest.raises(BadInput, match="duration"):
        Settings(duration=0.0)


# Surroundings -----------------------------------------------------------------------------------


def test_a_script_sees_itself_as_python_would_show_it(tmp_path, capsys, monkeypatch):
    """__name__, __file__, sys.argv, the folder of the script on the path and the folder it was called from."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "beside.py").write_text("word = 'found'\n")
    text = "import sys, os\nfrom beside import *\nprint(__name__, __file__, sys.argv, os.getcwd(), word)\n"
    text += "print(sys.modules['__main__'].word, sys.path[0])\n"
    written(tmp_path / "scripts", text)
    monkeypatch.chdir(tmp_path)
    run_script("scripts/script.py", ["-x", "--y=1"])
    lines = capsys.readouterr().out.splitlines()
    path = tmp_path / "scripts" / "script.py"
    assert lines[0] == f"__main__ {path} {['scripts/script.py', '-x', '--y=1']} {tmp_path} found"
    assert lines[1] == f"found {path.parent}"


def test_everything_is_as_before_when_the_script_has_ended(tmp_path):
    """Paths, modules, imports, time, environment and Matplotlib's backend."""

    def state():
        return (
            list(sys.path),
            list(sys.argv),
            list(sys.meta_path),
            sys.modules["__main__"],
            builtins.__import__,
            time.time,
            dict(os.environ),
            matplotlib.get_backend(auto_select=False),
            matplotlib.use,
            {"rclpy", "lab_amoro", "PyQt5", "pyqtgraph", "mine"} & {name.partition(".")[0] for name in sys.modules},
        )

    before = state()
    (tmp_path / "mine.py").write_text("import time\n")
    text = HEAD + "import mine, rclpy, PyQt5.QtWidgets, pyqtgraph, sys, matplotlib, matplotlib.pyplot as plt\n"
    text += "matplotlib.use('TkAgg')\nplt.switch_backend('Qt5Agg')\nsys.path.append('elsewhere')\nplt.plot([1])\n"
    done = run(tmp_path, text)
    assert done.code == 0
    assert len(done.session.pictures) == 1
    assert state() == before


def test_two_groups_do_not_get_each_others_models(tmp_path, capsys):
    """Modules of the same name beside two scripts, one run after the other."""
    for word in ("one", "two"):
        (tmp_path / word).mkdir()
        (tmp_path / word / "biglide_models.py").write_text(f"name = {word!r}\n")
        run(tmp_path / word, "from biglide_models import *\nprint(name)\n")
    assert capsys.readouterr().out.split() == ["one", "two"]


def test_real_packages_come_before_stand_ins_but_not_before_the_lab(tmp_path, capsys):
    """A `rclpy` that is there is used; a `lab_amoro` that would wait for Gazebo is not."""
    (tmp_path / "rclpy.py").write_text("where = 'real'\n")
    (tmp_path / "lab_amoro").mkdir()
    (tmp_path / "lab_amoro" / "__init__.py").write_text("raise RuntimeError('no Gazebo')\n")
    run(
        tmp_path,
        "import rclpy\nprint(rclpy.where)\nfrom lab_amoro.parallel_robot import Robot\nprint(Robot.__module__)\n",
    )
    assert capsys.readouterr().out.split() == ["real", "closedchain_lab.robot"]


def test_another_robot_takes_the_place_of_the_one_named(tmp_path, capsys):
    """--robot: the script's word is not what moves."""
    text = HEAD + "robot = Robot('five_bar')\nprint(robot.model.name, robot.end_effector.position_y)\n"
    run(tmp_path, text, robot="biglide")
    name, height = capsys.readouterr().out.split()
    assert name == "biglide:lab"
    assert float(height) == pytest.approx(0.2, abs=1e-6)


def test_sleeping_and_the_robots_step_are_the_same_time(tmp_path, capsys):
    """A loop that applies an effort and sleeps 10 ms runs for 2 s of both, not for half of the robot's."""
    text = "import time\nfrom lab_amoro.parallel_robot import *\nrobot, begin = Robot('biglide'), time.time()\n"
    text += "while time.time() - begin < 2.0:\n    robot.apply_efforts(0.0, 0.0)\n    time.sleep(0.01)\n"
    text += "print(robot.get_time())\n"
    assert run(tmp_path, text).code == 0
    assert float(capsys.readouterr().out) == pytest.approx(2.0, abs=0.02)


def test_threads_are_named_where_they_do_not_go_by_the_simulated_clock(tmp_path):
    """The script is told once what to do; by the wall's clock threads are Python's own, and nothing is said."""
    for clock, said in ((None, 1), ("wall", 0)):
        told = []
        run_script(written(tmp_path, "import threading, queue\n"), clock=clock, tell=told.append)
        assert len([line for line in told if "imports threading: threads do not go by" in line]) == said


CROSSING = (
    HEAD
    + """
robot = Robot("five_bar")
try:
    while True:
        robot.apply_efforts(1e-3 * 10 ** robot.get_time(), -1e-3 * 10 ** robot.get_time())
except KeyboardInterrupt:
    print("closed", robot.get_time() > 1.0)
"""
)


def test_a_robot_that_is_lost_beyond_a_singularity_ends_the_script_as_ctrl_c_would(tmp_path, capsys):
    """Its closing code runs, and what is told names the Type 2 singularity on the way; no gains are blamed."""
    told = []
    done = run_script(written(tmp_path, CROSSING), tell=told.append)
    assert capsys.readouterr().out.split() == ["closed", "True"]
    assert done.code == 1
    assert "it passed a Type 2 singularity" in told[-1]
    assert "gains" not in told[-1]
    assert told[-1] in done.ended
