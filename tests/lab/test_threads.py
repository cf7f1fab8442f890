"""Scripts with threads: who runs when, how much simulated time a control loop gets, how Ctrl-C ends it."""

import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from closedchain.lab.running import run_script
from closedchain.lab.session import Settings
from tests.lab.scripts import written


def run(folder, text, *, tell=None, **settings):
    """Run a script of that text."""
    return run_script(written(folder, text), settings=Settings(**settings), tell=tell)


LOOP = """
import threading, time
from lab_amoro.parallel_robot import *
import rclpy
rclpy.init()
robot = Robot("biglide")
start_robot(robot)
running, log = True, []
def control_loop():
    robot.apply_efforts(0.0, 0.0)
    while running:
        if robot.data_updated():
            t = robot.get_time()
            log.append((t, robot.active_left_joint.position))
            robot.apply_efforts(0.1, -0.1)
thread = threading.Thread(target=control_loop, daemon=True)
thread.start()
"""
REST = """
running = False
thread.join()
print(round(robot.get_time(), 2), len(log), thread.is_alive())
"""


@pytest.mark.parametrize(
    ("wait", "late"),
    [
        ("time.sleep(3.0)", 2),
        ("while robot.get_time() < 3.0: time.sleep(0.1)", 12),  # looks every 10 steps
        ("while robot.get_time() < 3.0: pass", 2),
        ("end = time.time() + 3.0\nwhile time.time() < end: pass", 2),
        ("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nfor _ in range(30): plt.pause(0.1)", 12),
        ("threading.Event().wait(3.0)", 2),
        ("thread.join(3.0)", 2),
    ],
)
def test_a_control_loop_in_a_thread_gets_the_time_that_the_main_thread_waits(tmp_path, capsys, wait, late):
    """3 s of waiting are 300 steps of 10 ms, however the main thread waits, and the robot moves as it must.

    Bars at 45°, the feet pushed apart: the tip goes sideways as fast as a foot, 2 F = (2 m_f + m_p) a, a = 0.04 m/s².
    """
    done = run(tmp_path, LOOP + wait + REST)
    assert done.code == 0
    t, count, alive = capsys.readouterr().out.split()
    assert alive == "False"
    assert 300 <= round(float(t) * 100) <= 300 + late
    assert 299 <= int(count) <= 300 + late
    moved = done.session.robots[0].run
    np.testing.assert_allclose(moved.q_dot[:4, 0], [0.0, 0.0, 4e-4, 8e-4], rtol=1e-4)  # it has hardly moved


def test_the_same_script_gives_the_same_numbers(tmp_path):
    """Three threads, a lock, a queue, sleeps of odd lengths: two runs agree in every bit."""
    text = """
import threading, time, queue
from lab_amoro.parallel_robot import *
robot, lock, wishes = Robot("biglide"), threading.Lock(), queue.Queue()
force = [0.0]
def control():
    for _ in range(300):
        with lock:
            effort = force[0]
        robot.apply_efforts(effort, -effort)
        time.sleep(0.0037)
def plan():
    for k in range(40):
        time.sleep(0.0613)
        wishes.put(0.01 * (-1) ** k * k)
def take():
    while True:
        wish = wishes.get()
        with lock:
            force[0] = wish
            time.sleep(0.003)
threads = [threading.Thread(target=f) for f in (control, plan)]
threading.Thread(target=take, daemon=True).start()
[t.start() for t in threads]
[t.join() for t in threads]
"""
    tables = [run(tmp_path, text).session.robots[0].run for _ in range(2)]
    assert len(tables[0].t) == 301
    assert np.ptp(tables[0].command[:, 0]) > 0.3
    np.testing.assert_array_equal(tables[0].q, tables[1].q)
    np.testing.assert_array_equal(tables[0].command, tables[1].command)


@pytest.mark.parametrize(
    "main",
    [
        "rclpy.spin(robot)",
        "from PyQt5.QtWidgets import QApplication\nQApplication([]).exec_()",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
        "while True: time.sleep(1.0)",
        "thread.join()",
        "threading.Event().wait()",
        "from rclpy.executors import MultiThreadedExecutor\nm = MultiThreadedExecutor()\nm.add_node(robot)\nm.spin()",
    ],
)
def test_ctrl_c_is_the_main_threads(tmp_path, capsys, main):
    """Spinning, showing, sleeping, joining: after 2 s it is interrupted there, ends the loop, and closes."""
    head, _, last = main.rpartition("\n")
    text = f"{LOOP}\n{head}\ntry:\n    {last}\nexcept KeyboardInterrupt:\n    print('closed')\n{REST}"
    done = run(tmp_path, text, duration=2.0)
    out, err = capsys.readouterr()
    assert (done.code, err) == (0, "")
    word, t, *_ = out.split()
    assert word == "closed"
    assert float(t) == pytest.approx(2.0, abs=0.03)


def test_a_thread_that_spins_serves_a_loop_in_the_main_thread(tmp_path, capsys):
    """As the lab's own start_robot does it; the run ends with the main thread."""
    text = """
import rclpy
from lab_amoro.parallel_robot import *
rclpy.init()
robot = Robot("biglide")
Thread(target=rclpy.spin, args=(robot,), daemon=True).start()
for _ in range(100):
    robot.apply_efforts(0.0, 0.0)
print(robot.get_time())
"""
    assert run(tmp_path, text).code == 0
    assert capsys.readouterr().out == "1.0\n"


def test_python_waits_for_threads_that_are_no_daemons(tmp_path, capsys):
    """The main thread ends at once; the loop runs to its end, or to the Ctrl-C of --duration."""
    text = LOOP.replace(", daemon=True", "")
    assert run(tmp_path, text.replace("while running", "while robot.get_time() < 1.0")).simulated == pytest.approx(1.0)
    done = run(tmp_path, text, duration=0.5)
    assert done.code == 0
    assert done.simulated == pytest.approx(0.5, abs=0.03)
    assert "--duration" in done.ended
    daemon = run(tmp_path, LOOP)  # ends with the main thread, which does not wait
    assert daemon.simulated == 0.0


def test_an_error_in_a_thread_is_shown_and_the_others_go_on(tmp_path, capsys, monkeypatch):
    """With the script's lines and none of ours."""
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)  # Python's own, not pytest's
    text = LOOP.replace("log.append", "if t > 0.5: 1 / 0\n            log.append")
    done = run(tmp_path, text + "time.sleep(2.0)" + REST)
    out, err = capsys.readouterr()
    assert done.code == 0
    assert out.split() == ["0.51", "50", "False"]
    assert "Exception in thread Thread-" in err
    assert "ZeroDivisionError" in err
    assert "closedchain" not in err.replace(str(tmp_path), "")


def test_threads_that_wait_for_each_other_are_named(tmp_path, capsys):
    """Python would hang for ever."""
    text = """
import threading
a, b = threading.Lock(), threading.Lock()
def other():
    with b:
        event.set()
        with a:
            pass
event = threading.Event()
with a:
    threading.Thread(target=other, daemon=True).start()
    event.wait()
    with b:
        pass
"""
    assert run(tmp_path, text).code == 1
    assert "waits for another one" in capsys.readouterr().err


def test_a_main_thread_that_never_waits_does_not_stop_the_others(tmp_path, capsys, monkeypatch):
    """It spins on a variable: said once, and the loop gets its time all the same, as fast as the wall's."""
    monkeypatch.setattr("closedchain.lab.turns.PATIENCE", 0.1)
    told = []
    text = (
        LOOP.replace("while running", "while robot.get_time() < 1.0")
        + "while len(log) < 20: pass\nthread.join()\nprint(len(log))\n"
    )
    assert run(tmp_path, text, tell=told.append).code == 0
    assert int(capsys.readouterr().out) == 99
    assert len(told) == 1
    assert "has not waited" in told[0]


def test_waiting_for_the_keyboard_lets_the_loop_run(tmp_path, capsys, monkeypatch):
    """`input("stop?")` in the main thread: the loop goes on until the answer comes."""
    pressed = threading.Event()
    monkeypatch.setitem(sys.modules, "keyboard", SimpleNamespace(press=pressed.set))
    monkeypatch.setattr("closedchain.lab.surroundings._ASK", lambda prompt: pressed.wait(5.0) and "yes")
    text = LOOP.replace("while running:", "while running:\n        if robot.get_time() > 0.2: keyboard.press()")
    assert run(tmp_path, "import keyboard\n" + text + "print(input('stop?'))" + REST).code == 0
    word, t, *_ = capsys.readouterr().out.split()
    assert word == "yes"
    assert float(t) > 0.2


TOOLS = """
import threading, time, queue
from concurrent.futures import ThreadPoolExecutor
order = []
def say(word, wait):
    time.sleep(wait)
    order.append(word)
later = threading.Timer(0.5, say, ("timer", 0.0))
never = threading.Timer(0.4, say, ("never", 0.0))
later.start(); never.start(); never.cancel()
condition, ready = threading.Condition(), []
def waiter():
    with condition:
        condition.wait_for(lambda: ready, timeout=9.0)
        order.append(f"condition {time.time() - begin:.1f}")
begin = time.time()
waits = threading.Thread(target=waiter)
waits.start()
semaphore, barrier, rlock = threading.BoundedSemaphore(1), threading.Barrier(2), threading.RLock()
def meet():
    with semaphore:
        say("met", 0.2)
    barrier.wait()
threading.Thread(target=meet).start()
barrier.wait()
with rlock, rlock:
    order.append(f"barrier {time.time() - begin:.1f}")
box = queue.Queue(maxsize=1)
def fill():
    for k in range(3):
        box.put(k)
        time.sleep(0.1)
threading.Thread(target=fill).start()
order.append([box.get() for _ in range(3)])
try:
    box.get(timeout=2.0)
except queue.Empty:
    order.append(f"empty {time.time() - begin:.1f}")
with condition:
    ready.append(1)
    condition.notify_all()
waits.join()
class Mine(threading.Thread):
    def run(self):
        self.result = threading.current_thread().name
mine = Mine(name="mine")
mine.start()
mine.join()
order.append(mine.result)
print(order)
"""


def test_the_tools_of_threading_and_queue_wait_by_the_runs_clock(tmp_path, capsys):
    """Timer, Condition, Barrier, Semaphore, RLock, Queue, subclasses of Thread: in the order of simulated time."""
    assert run(tmp_path, TOOLS).code == 0
    expected = ["met", "barrier 0.2", [0, 1, 2], "timer", "empty 2.4", "condition 2.4", "mine"]
    assert capsys.readouterr().out.strip() == str(expected)


def test_a_pool_of_a_library_works(tmp_path, capsys, monkeypatch):
    """Its threads are not of our making: they get their turns where they wait."""
    monkeypatch.setattr("closedchain.lab.turns.PATIENCE", 0.1)
    text = """
import time
from concurrent.futures import ThreadPoolExecutor
def work(k):
    time.sleep(0.1)
    return k * k
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(work, range(4))))
"""
    assert run(tmp_path, text).code == 0
    assert capsys.readouterr().out.strip() == "[0, 1, 4, 9]"


def test_sleeping_and_the_robots_step_are_the_same_time(tmp_path, capsys):
    """A loop that applies an effort and sleeps 10 ms runs for 2 s of both, not for half of the robot's."""
    text = "import time\nfrom lab_amoro.parallel_robot import *\nrobot, begin = Robot('biglide'), time.time()\n"
    text += "while time.time() - begin < 2.0:\n    robot.apply_efforts(0.0, 0.0)\n    time.sleep(0.01)\n"
    text += "print(robot.get_time())\n"
    assert run(tmp_path, text).code == 0
    assert float(capsys.readouterr().out) == pytest.approx(2.0, abs=0.02)


def test_by_the_wall_clock_threads_are_pythons_own(tmp_path, capsys):
    """And Ctrl-C is the main thread's there, too."""
    text = "import threading\nprint(threading.Thread)\n"
    run_script(written(tmp_path, text), clock="wall")
    assert capsys.readouterr().out.strip() == str(threading.Thread)
    main = "\ntry:\n    while True: time.sleep(0.05)\nexcept KeyboardInterrupt:\n    print('closed')\n" + REST
    done = run(tmp_path, LOOP + main, duration=0.3, real_time=True)
    assert done.code == 0
    assert capsys.readouterr().out.startswith("closed")
