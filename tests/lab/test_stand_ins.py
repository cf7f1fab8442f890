"""What scripts import besides the lab: ROS, Qt, pyqtgraph, Matplotlib's windows, NumPy as it was."""

import math

import numpy as np
import pytest

from closedchain_lab.lenient import Lenient, Module, refuses
from closedchain_lab.running import run_script
from closedchain_lab.session import Settings
from tests.lab.scripts import written


def run(folder, text, **settings):
    """Run a script of that text."""
    return run_script(written(folder, text), settings=Settings(**settings))


def test_ros_begins_and_ends(tmp_path, capsys):
    """init, ok, nodes, spinning, shutdown: the words are there, and nothing waits."""
    text = """
import rclpy
from rclpy.node import Node
from std import *
class Mine(Node):
    def __init__(self):
        super().__init__("mine")
print(rclpy.ok())
rclpy.init(args=["x"])
node = Mine()
node.get_logger().info("hello")
rclpy.spin(node)
print(rclpy.ok())
node.destroy_node()
rclpy.shutdown()
print(rclpy.ok())
"""
    (tmp_path / "std.py").write_text("")
    assert run(tmp_path, text).code == 0
    out, err = capsys.readouterr()
    assert out.split() == ["False", "True", "False"]
    assert "[INFO] [mine]: hello" in err


NODE = """
import rclpy
from rclpy.node import Node
from lab_amoro.parallel_robot import *
class Control(Node):
    def __init__(self):
        super().__init__("control")
        self.robot, self.count = Robot("biglide"), 0
        self.timer = self.create_timer(0.01, self.tick)
    def tick(self):
        self.robot.apply_efforts(0.01, -0.01)
        self.count += 1
        if self.count == 100:
            END
rclpy.init()
node = Control()
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ValueError) as error:
    print(type(error).__name__)
print(node.count, node.timer.is_canceled(), rclpy.ok())
"""


@pytest.mark.parametrize(
    ("end", "duration", "words"),
    [
        ("self.timer.cancel()", None, "100 True True"),
        ("rclpy.shutdown()", None, "100 False False"),
        ("raise ValueError", None, "ValueError 100 False True"),
        ("pass", 2.0, "KeyboardInterrupt 199 False True"),  # of 10 ms, the first one after 10 ms
    ],
)
def test_the_timers_of_a_node_go_off_while_it_spins(tmp_path, capsys, end, duration, words):
    """By the run's clock, until the timer, ROS, an error or the run's time ends it."""
    assert run(tmp_path, NODE.replace("END", end), duration=duration).code == 0
    assert capsys.readouterr().out.split() == words.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("from rclpy.action import ActionClient", "the lab's stand-in for rclpy has no 'action'"),
        ("from rclpy.executors import SingleThreadedExecutor", "the lab's stand-in for rclpy has no 'executors'"),
        ("from rclpy.node import Node\nNode('a').create_publisher(float, 'b', 1)", "has timers and a logger, nothing"),
        (
            "import rclpy\nrclpy.create_node('a')",
            "'create_node': the lab's stand-in for ROS has init, ok, spin, shutdown",
        ),
        ("import tf2_ros", "'tf2_ros' is of ROS 2, which is not installed"),
        ("from std_msgs.msg import Float64", "no stand-in for it; it has PyQt5, lab_amoro, pyqtgraph, rclpy"),
        ("import no_such_thing", "No module named 'no_such_thing'"),
    ],
)
def test_what_has_no_stand_in_is_named(tmp_path, capsys, line, words):
    """Not a name that does nothing, but an error that says whose it is."""
    assert run(tmp_path, line + "\n").code == 1
    assert words in capsys.readouterr().err


def test_an_animation_is_its_first_frame(tmp_path, capsys):
    """As it stands when it is shown; nothing waits, and no frame moves the robot behind the script's back."""
    text = """
import matplotlib.pyplot as plt
from matplotlib.animation import FuncAnimation
figure, axes = plt.subplots()
drawn = []
animation = FuncAnimation(figure, drawn.append, 60, interval=10, cache_frame_data=False)
plt.show()
print(set(drawn))
"""
    done = run(tmp_path, text)
    assert (done.code, len(done.session.pictures)) == (0, 1)
    assert capsys.readouterr().out.strip() == "{0}"


def test_qt_timers_go_off_by_the_runs_clock(tmp_path, capsys):
    """Between scope updates, while events are processed, and in the application's loop, until they are stopped."""
    text = """
from lab_amoro.parallel_robot import *
from lab_amoro.plot_tools import *
from PyQt5.QtWidgets import QApplication, QMainWindow
from PyQt5.QtCore import QTimer, Qt
app = QApplication([])
window = QMainWindow()
window.setWindowTitle("x")
robot = Robot("biglide")
scope = Scope("q", -1, 1)
ticks = []
timer = QTimer()
timer.timeout.connect(lambda: ticks.append(round(robot.get_time(), 2)))
timer.start(2000)
for k in range(700):
    robot.apply_efforts(0.0, 0.0)
    scope.update(robot.get_time(), 0.0, 0.0)
print(ticks)
timer.stop()
rest = []
again = QTimer()
again.timeout.connect(lambda: (rest.append(1), len(rest) == 3 and again.stop()))
again.start(10)
QTimer.singleShot(5, lambda: rest.append("once"))
print(app.exec_(), rest)
"""
    assert run(tmp_path, text).code == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[2.0, 4.0, 6.0]"  # looked at every 100 updates, which are 1 s
    assert lines[1] == "0 ['once', 1, 1]"


def test_an_error_in_a_timer_is_shown_and_the_run_goes_on(tmp_path, capsys):
    """Nobody called the slot, so nobody could catch it; Ctrl-C still ends the run."""
    text = """
from lab_amoro.parallel_robot import *
from lab_amoro.plot_tools import *
from PyQt5.QtCore import QTimer
robot, scope, timer = Robot("biglide"), Scope("q", -1, 1), QTimer()
timer.timeout.connect(lambda: scope.no_such_data)
timer.start(1000)
try:
    while True:
        robot.apply_efforts(0.0, 0.0)
        scope.update(robot.get_time(), 0.0, 0.0)
except KeyboardInterrupt:
    print("closed")
"""
    done = run(tmp_path, text, duration=2.5)
    out, err = capsys.readouterr()
    assert (done.code, out) == (0, "closed\n")
    assert err.count("AttributeError: 'Scope' object has no attribute 'no_such_data'") == 2


def test_an_endless_event_loop_ends_with_the_duration(tmp_path, capsys):
    """A timer that steps the robot for ever."""
    text = """
from lab_amoro.parallel_robot import *
from PyQt5 import QtWidgets, QtCore
app = QtWidgets.QApplication([])
robot = Robot("biglide")
timer = QtCore.QTimer()
timer.timeout.connect(lambda: robot.apply_efforts(0.0, 0.0))
timer.start(10)
try:
    app.exec_()
except KeyboardInterrupt:
    print("closed", round(robot.get_time(), 2))
"""
    assert run(tmp_path, text, duration=1.0).code == 0
    word, t = capsys.readouterr().out.split()
    assert word == "closed"
    assert 0.4 < float(t) <= 1.0  # the clock shows the waiting for the timer and the robot's own time


def test_plots_of_pyqtgraph_can_be_made_and_do_nothing(tmp_path):
    """No public script has one of its own: the lab's scopes are what is plotted with it."""
    done = run_script(written(tmp_path, """
import pyqtgraph as pg
from pyqtgraph.Qt import QtGui, QtCore
app = pg.mkQApp()
plot = pg.GraphicsLayoutWidget(title="Window").addPlot(title="Tip")
plot.plot([0, 1], [5, 6], pen=pg.mkPen("r", width=2), name="model").setData([1, 2], [3, 4])
QtGui.QApplication.processEvents()
"""))  # fmt: skip
    assert (done.code, done.session.charts) == (0, [])


def test_a_figure_redrawn_at_every_step_is_one_picture(tmp_path, capsys):
    """pause and draw cost nothing and keep nothing; pixels are there for who asks; show keeps all and closes them."""
    text = """
import matplotlib
matplotlib.use("TkAgg")
import matplotlib.pyplot as plt
plt.ion()
figure, axes = plt.subplots()
line, = axes.plot([], [])
for k in range(50):
    line.set_data(range(k), range(k))
    axes.relim()
    axes.autoscale_view()
    figure.canvas.draw()
    plt.pause(0.01)
plt.show()
print(len(plt.get_fignums()), bytes(figure.canvas.buffer_rgba()).count(255) > 1000)
plt.ioff()
plt.figure("second")
plt.suptitle("Two")
plt.show()
print(len(plt.get_fignums()))
"""
    done = run(tmp_path, text)
    assert done.code == 0
    assert capsys.readouterr().out.split() == ["1", "True", "0"]
    assert [picture.title for picture in done.session.pictures] == ["", "Two"]


def test_old_scripts_put_arrays_of_one_number_where_a_number_is_needed(tmp_path, capsys):
    """math's functions, float, items of arrays, rows of lists, f-strings: as before NumPy 2.4."""
    text = """
import math
from math import *
import numpy as np
from numpy.linalg import inv
from numpy import *
one = np.matmul(np.array([[2.0]]), np.array([1.0]))
table = np.zeros((3, 2))
table[0, 0] = one
table[1] = [one, 3.0]
column = np.zeros(2)
column[0], column[1] = inv(np.array([[4.0]]))[0], sqrt(one * 8)
print(table.tolist(), column.tolist(), float(one), int(one), math.atan2(one, one) * 4, np.array([one, one]).shape)
"""
    assert run(tmp_path, text).code == 0
    values = [[2.0, 0.0], [2.0, 3.0], [0.0, 0.0]]
    assert capsys.readouterr().out.strip() == f"{values} [0.25, 4.0] 2.0 2 {math.pi} (2, 1)"


def test_lenient_arrays_refuse_what_numpy_always_refused():
    """More than one number is no number."""
    pair = np.zeros(2).view(Lenient)
    with pytest.raises(TypeError):
        float(pair)
    with pytest.raises(ValueError, match=r"broadcast|sequence"):
        pair[0] = np.ones(3)


def test_the_lenient_module_is_numpy_in_all_else():
    """Classes and constants are NumPy's own, functions give its numbers; arrays are of its kind."""
    lenient = Module(np)
    assert lenient.ndarray is np.ndarray
    assert lenient.pi is np.pi
    assert lenient.sin is np.sin
    made = lenient.array([1.0, 2.0])
    assert isinstance(made, np.ndarray)
    assert type(made + 1) is Lenient
    assert refuses() == (tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4))
