"""The 3-D screen in a real browser: furuta and delta."""

import math

import pytest

import closedchain as cc
from closedchain.control import Constant


def joint(page, i):
    """Where a point of the robot is on the page [px]."""
    return page.evaluate("i => space.joint(i)", i)


def test_the_furuta_opens_in_space(walk):
    """A robot in space that is opened on a screen for the plane is shown on this one."""
    page = walk.page
    page.goto(f"{walk.address}&screen=explore&robot=furuta")
    page.wait_for_selector(".screen.space canvas")
    assert walk.state("screen") == "space"


def test_dragging_the_pendulum_turns_it_alone(walk):
    """The pendulum's end follows the pointer; the arm stays."""
    page = walk.open("space", "furuta", "&q=0.3,0.5")
    page.wait_for_selector(".space-view canvas")
    page.wait_for_timeout(300)
    x, y = joint(page, 2)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 12, steps=5)
    page.mouse.up()
    q = walk.state("q")
    assert q[0] == pytest.approx(0.3, abs=1e-8)
    assert abs(q[1] - 0.5) > 0.05


def test_hanging_without_voltage_it_stays(walk):
    """At the lower equilibrium with 0 V nothing moves."""
    page = walk.open("space", "furuta")
    page.get_by_role("button", name="Hanging").click()
    page.get_by_role("button", name="Start").click()
    page.wait_for_timeout(600)
    page.get_by_role("button", name="Stop").click()
    q = walk.state("q")
    assert q[0] == pytest.approx(0.0, abs=1e-9)
    assert q[1] == pytest.approx(math.pi, abs=1e-9)


def test_voltage_turns_the_arm_as_the_library_says(walk):
    """Live motion under 5 V is the library's motion after the same time: same equations, same steps of 1 ms."""
    page = walk.open("space", "furuta")
    page.get_by_role("button", name="Hanging").click()
    page.get_by_label("q1 value").first.fill("5")
    page.get_by_label("q1 value").first.press("Enter")
    page.wait_for_timeout(700)
    page.get_by_role("button", name="Stop").click()
    t = page.evaluate("space.live.t")
    robot = cc.load("furuta")
    law = Constant((5.0,), "voltage")
    run = cc.simulate(robot, law, start=cc.state(robot, q=[0, math.pi]), interval=1e-3, duration=t)
    assert t > 0.05
    assert walk.state("q") == pytest.approx(run.q[-1].tolist(), abs=1e-9)


def test_the_swing_up_is_played(walk):
    """At the end of the scenario the pendulum stands upright: its angle is 0 modulo a turn, to a degree."""
    page = walk.open("space", "furuta")
    page.get_by_role("button", name="Run and play").click()
    page.wait_for_selector(".player button:not([disabled])", timeout=60_000)
    page.get_by_role("button", name="To the end").click()
    angle = float(page.get_by_label("q2 value").input_value())
    assert abs(angle) < 1.0


def test_the_delta_is_dragged_within_its_loops(walk):
    """The platform follows the pointer in the plane of the screen, and the three bars keep their length."""
    page = walk.open("space", "delta")
    page.wait_for_selector(".space-view canvas")
    page.wait_for_timeout(300)
    tip = page.evaluate("studio.robot.value.told.scene.tip")
    x, y = joint(page, tip)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 25, y - 10, steps=5)
    page.mouse.up()
    q, place = walk.state("q"), walk.state("x")
    model = cc.load("delta")
    assert place[2] < 0  # it hangs
    assert abs(model.call("closures", q=q, x=place)["gap"]).max() < 1e-12


def test_a_motion_of_the_delta_runs_on_the_simulate_screen(walk):
    """Robots in space are simulated and drawn there, too."""
    page = walk.open("simulate", "delta")
    page.wait_for_selector(".space-view canvas")
    page.get_by_role("button", name="▶ Run").click()
    page.wait_for_selector(".charts .plot canvas", timeout=60_000)
