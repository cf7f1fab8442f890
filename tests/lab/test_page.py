"""What a run leaves: one page that needs nothing else, pictures, motions; charts and histories under it."""

import re

import numpy as np
import pytest

from closedchain.errors import BadInput
from closedchain.simulation import passages
from closedchain.simulation.run import read_header
from closedchain_lab import page
from closedchain_lab.running import run_script
from closedchain_lab.scope import COLOURS, HEIGHT, LEFT, RIGHT, WIDTH, Chart, Scope
from closedchain_lab.session import History, Settings
from tests.lab.scripts import written
from tests.view.reading import assert_self_contained

SCRIPT = """
from lab_amoro.parallel_robot import *
from lab_amoro.plot_tools import *
import matplotlib.pyplot as plt
robot = Robot("biglide")
scope = Scope("Joint <1> & more", -1.0, 1.0)
for k in range(20):
    robot.apply_efforts(1.0, 1.0)
    scope.update(robot.get_time(), robot.active_left_joint.position, 0.0)
plt.plot([1, 2, 3])
plt.title("A <figure>")
plt.show()
robot.reset_simulation()
robot.apply_efforts(0.0, 0.5)
"""


@pytest.fixture
def done(tmp_path):
    """A run with everything in it."""
    return run_script(written(tmp_path, SCRIPT))


def test_the_page_shows_motions_scopes_and_figures_and_fetches_nothing(done):
    """Two motions, as the robot was reset; every text escaped."""
    html = page.render(done)
    assert_self_contained(html)
    assert html.count('<section class="player"') == 2
    assert html.count("data:image/png;base64,") == 1
    assert "Joint &lt;1&gt; &amp; more" in html
    assert 'alt="A &lt;figure&gt;"' in html
    assert "0.21 s simulated with the exact model" in html
    assert "l = 0.282843" in html


def test_a_folder_gets_the_page_the_pictures_and_the_motions(done, tmp_path):
    """Each under a name that says what it is; the motion's efforts are those applied."""
    path = page.save_folder(done, tmp_path / "out")
    names = sorted(p.name for p in path.parent.iterdir())
    assert names == [
        "figure-1-a-figure.png",
        "index.html",
        "motion-1-biglide-lab.npz",
        "motion-2-biglide-lab.npz",
        "scope-1-joint-1-more.csv",
        "scope-1-joint-1-more.svg",
    ]
    assert read_header(path.parent / "motion-1-biglide-lab.npz")["robot"] == "biglide:lab"
    with np.load(path.parent / "motion-2-biglide-lab.npz") as data:
        assert data["command"][0].tolist() == [0.0, 0.5]


def test_a_page_is_an_html_file(done, tmp_path):
    """Any other ending is refused."""
    with pytest.raises(BadInput, match=r"\.html"):
        page.save(done, tmp_path / "page.pdf")


def test_a_failed_run_says_so_on_its_page(tmp_path):
    """And shows what there was."""
    done = run_script(written(tmp_path, SCRIPT + "raise RuntimeError('<lost>')\n"))
    html = page.render(done)
    assert "failed: RuntimeError: &lt;lost&gt;" in html
    assert html.count('<section class="player"') == 2


# Charts -----------------------------------------------------------------------------------------


def drawn(chart):
    """The points of every polyline, by its colour."""
    found = re.findall(r'<polyline[^>]*stroke="(#\w+)"[^>]*points="([^"]*)"', chart.svg())
    return [(colour, np.array([pair.split(",") for pair in points.split()], dtype=float)) for colour, points in found]


def test_a_curve_is_drawn_to_scale():
    """Time spans the width between the margins; y grows upwards within the limits."""
    chart = Chart("a", (-1.0, 1.0))
    curve = chart.curve("first")
    for point in ((0.0, -1.0), (5.0, 0.0), (10.0, 1.0)):
        curve.add(point)
    ((colour, points),) = drawn(chart)
    assert colour == COLOURS[0]
    np.testing.assert_allclose(points[:, 0], [LEFT, (LEFT + WIDTH - RIGHT) / 2, WIDTH - RIGHT], atol=0.1)
    assert points[0, 1] > points[1, 1] > points[2, 1] > 0
    assert points[1, 1] == pytest.approx((points[0, 1] + points[2, 1]) / 2, abs=0.1)
    assert points[:, 1].max() < HEIGHT


def test_nothing_that_was_plotted_is_out_of_sight():
    """Limits widen where a curve leaves them; what is not a number is a gap."""
    chart = Chart("a", (0.0, 1.0))
    curve = chart.curve("first")
    for k, y in enumerate((0.5, 7.0, np.nan, -3.0, 0.0)):
        curve.add((float(k), y))
    pieces = [points for _, points in drawn(chart)]
    assert [len(points) for points in pieces] == [2, 2]
    assert all(0 < y < HEIGHT for points in pieces for y in points[:, 1])


@pytest.mark.parametrize("values", [[], [3.0], [2.0, 2.0], [1e-9, 2e-9], [-1e12, 1e12], [np.inf, np.nan]])
def test_any_values_can_be_drawn(values):
    """None, one, equal, tiny, huge, none finite: no number of the drawing is lost."""
    chart = Chart("a")
    curve = chart.curve("first")
    for k, y in enumerate(values):
        curve.add((float(k), y))
    assert "nan" not in chart.svg()
    assert "inf" not in chart.svg().replace("infinity", "")


# Histories --------------------------------------------------------------------------------------


def test_a_history_keeps_everything_up_to_its_size_and_even_samples_beyond():
    """After 1000 rows in room for 100, every 16th is there, the first included, in order."""
    history = History(1, rows=100)
    for k in range(1000):
        history.add((float(k),))
    assert history.every == 16
    np.testing.assert_array_equal(history.table[:, 0], np.arange(0, 1000, 16))


def test_a_history_that_fits_is_whole():
    """Nothing is dropped below the limit."""
    history = History(2, rows=100)
    for k in range(100):
        history.add((float(k), -float(k)))
    assert history.every == 1
    np.testing.assert_array_equal(history.table, np.stack([np.arange(100), -np.arange(100)], axis=1))


# Singularities ----------------------------------------------------------------------------------


def test_the_five_bars_stretched_leg_is_told(tmp_path):
    """The lab's oscillation grows until the left leg stretches: where q12, the angle at its elbow, changes sign."""
    text = "from lab_amoro.parallel_robot import *\nrobot = Robot('five_bar')\nrobot.start_oscillate()\n"
    text += "while True:\n    robot.continue_oscillations()\n"
    done = run_script(written(tmp_path, text), settings=Settings(duration=30.0))
    run = done.session.robots[0].run
    first = passages(run)[0]
    elbow = run.model.call("readings", q=run.q, x=run.x, q_dot=run.q_dot, x_dot=run.x_dot, z_ddot=np.zeros(4))[
        "passive"
    ]
    assert first.kind == "Type 1"
    assert first.t == pytest.approx(28.5, abs=0.1)
    assert first.t == run.t[np.argmax(elbow[:, 0] < 0)]
    assert (first.before, first.after) == ("--", "+-")
    assert f"at {first.t:.6g} s it passed a Type 1 singularity" in page.render(done)


# For a group ------------------------------------------------------------------------------------


def test_a_scope_has_its_difference_with_the_largest_value_and_its_numbers(tmp_path):
    """Sine and its model, off by 0.25 at one instant: told in the difference's title, and in the CSV file."""
    text = """
from lab_amoro.plot_tools import *
scope = Scope("left", -1, 1)
for k in range(50):
    scope.update(0.01 * k, 0.5, 0.5 - (0.25 if k == 30 else 0.0))
scope.update(0.5, float("nan"), 0.0)
"""
    done = run_script(written(tmp_path, text))
    html = page.render(done)
    assert_self_contained(html)
    assert "left: first − second, largest 0.25 at 0.3 s" in html
    assert html.count('<figure class="chart">') == 2
    assert html.count('aria-label="closer"') == 2
    path = page.save_folder(done, tmp_path / "out")
    head, *rows = (path.parent / "scope-1-left.csv").read_text().splitlines()
    assert head == "time_s,first,second,difference"
    assert rows[30] == "0.3,0.5,0.25,0.25"
    assert rows[50] == "0.5,nan,0.0,nan"


def test_a_scope_has_the_labs_own_names(tmp_path):
    """The last thousand values, as the lab's window holds them."""
    scope = Scope("left", -1, 1)
    for k in range(1, 1201):
        scope.update(0.01 * k, k, -k)
    assert (len(scope.Xm), scope.Xm[0], scope.Xm[-1], scope.Xm2[-1], scope.time[-1]) == (1000, 201, 1200, -1200, 12.0)
    short = Scope("right", -1, 1)
    short.update(0.01, 3.0, 4.0)
    assert (len(short.time), short.Xm[-2], short.Xm[-1], short.Xm2[-1]) == (1000, 0.0, 3.0, 4.0)


@pytest.mark.parametrize("word, models, told", [("five_bar", "biglide_models", 1), ("biglide", "biglide_models", 0)])
def test_models_of_the_other_robot_are_noticed(tmp_path, word, models, told):
    """A script with the wrong word shows numbers that no model explains; one line says why."""
    (tmp_path / f"{models}.py").write_text("l = 1")
    text = f"from lab_amoro.parallel_robot import *\nfrom {models} import *\nrobot = Robot({word!r})\n"
    said = []
    run_script(written(tmp_path, text), tell=said.append)
    assert sum("one of the two is another robot's" in line for line in said) == told
