"""Strong friction in light links: motions and engines take steps short enough for it, and all agree."""

import numpy as np
import pytest

from closedchain.describe.files import loads
from closedchain.describe.writing import dumps
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.verify import driving
from closedchain.verify.compare import verify
from closedchain.verify.engine import Course
from closedchain.verify.motions import Branch, longest_step, oscillation, start_of

DAMPED = """
[[dampers]]
drive = "q1"
damping = 60

[[dampers]]
angle = "rocker"
damping = 0.5
"""


def test_a_four_bar_whose_crank_hardly_turns_agrees_with_mujoco():
    """60 N m s/rad on a few g m²: friction stops the crank within 0.1 ms, so that a step of 0.25 ms explodes."""
    robot = Model(loads(dumps(load("fourbar").recipe) + DAMPED))
    start = start_of(robot, Branch(), 0)
    assert longest_step(robot, start) < 2.5e-4
    run = oscillation(robot, Branch(), 0, duration=1.0)
    assert abs(run.q - run.q[0]).max() > 1e-3  # the effort is one that moves it
    report = verify(robot, engine="mujoco", motion="random", states=20)
    assert report.ok, str(report)


def test_without_friction_no_step_is_too_long():
    """The biglide."""
    robot = load("biglide")
    assert longest_step(robot, start_of(robot, Branch(), 0)) == float("inf")


@pytest.mark.parametrize("enough, found", [(10, 10), (20, 40), (200, 160), (10**9, 160)])
def test_an_engine_that_breaks_down_takes_more_steps_twice(monkeypatch, enough, found):
    """Four times as many each time; what then is no number is left to the limits, which are finite."""

    def course(engine, bodies, run, steps):
        values = np.full((3, 1), 0.0 if steps >= enough else np.nan)
        return Course(values[..., None], values[..., None], values, values[:, 0])

    monkeypatch.setattr(driving, "_course", course)
    steps, coarse, fine = driving._courses(
        None, None, None, 10, lambda *both: all(np.isfinite(c.gap).all() for c in both)
    )
    assert steps == found
    assert np.isfinite(fine.joints).all() == (2 * found >= enough)
    assert driving._most(coarse.gap) == (0.0 if found >= enough else np.inf)
