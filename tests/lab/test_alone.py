"""`python3 control.py`: the installed `lab_amoro` alone, without `closedchain lab run`."""

import os
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"
SCRIPT = """\
from lab_amoro.parallel_robot import *
from lab_amoro.plot_tools import *
import numpy as np
import matplotlib.pyplot as plt

rclpy.init(args=None)
robot = Robot("biglide")
start_robot(robot)
app = QtGui.QApplication([])
scope = Scope("height", 0, 0.3)
place = np.zeros(2)
for _ in range(100):
    robot.apply_efforts(0.1, 0.1)
    place[1] = np.array([robot.end_effector.position_y])  # as scripts of earlier years do
    scope.update(robot.get_time(), place[1], 0.2)
plt.plot([0, 1])
plt.show()
print(f"{place[1]:.6f}")
"""


def python(folder, script):
    """Run a script by Python, as a student does."""
    (folder / "control.py").write_text(script)
    env = os.environ | {"PYTHONPATH": str(SRC)}
    return subprocess.run(
        [sys.executable, "control.py"], cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_lab_script_runs_by_python_itself_and_leaves_its_page(tmp_path):
    """Both feet are pushed by 0.1 N for 1 s: 5 kg in all, so the tip rises by ½·0.04·1² above √(l² − 0.04)."""
    done = python(tmp_path, SCRIPT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "0.220000"
    assert "the page is" in done.stderr
    folder = tmp_path / "lab-runs/control-1"
    assert {"index.html", "scope-1-height.svg", "figure-1.png"} <= {path.name for path in folder.iterdir()}


def test_an_error_is_pythons_own_and_stands_on_the_page(tmp_path):
    """The exit code is Python's; the page says what happened, and where."""
    done = python(tmp_path, SCRIPT.replace("plt.plot", "1 / 0\nplt.plot"))
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    page = (tmp_path / "lab-runs/control-1/index.html").read_text(encoding="utf-8")
    assert "failed: ZeroDivisionError: division by zero (control.py, line 16)" in page
