"""The 3-D screen in a real browser: all of Explore for robots in space, and linkages of space."""

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
    top, hinge = page.evaluate("[...document.querySelector('.space-view').view.bodies.get('robot').points].slice(-2)")[
        ::-1
    ]
    assert math.hypot(top[0] - hinge[0], top[1] - hinge[1]) < math.radians(1.0) * math.dist(top, hinge)
    assert top[2] > hinge[2]


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


def test_the_motors_of_the_delta_lie_along_their_axes(walk):
    """Each crank of the Delta turns about the tangent of the base's circle: level, and across the way to its centre."""
    page = walk.open("space", "delta")
    walk.until("document.querySelector('.space-view').view")
    page.wait_for_timeout(300)
    drums = page.evaluate("document.querySelector('.space-view').view.drums()")
    assert len(drums) == 3
    for place, axis in ((drum["place"], drum["axis"]) for drum in drums):
        assert axis[2] == pytest.approx(0, abs=1e-12)
        assert place[0] * axis[0] + place[1] * axis[1] == pytest.approx(0, abs=1e-12)


def gap(name, walk):
    """By how much the loops of the robot on the page are open [m]."""
    return abs(cc.load(name).call("closures", q=walk.state("q"), x=walk.state("x"))["gap"]).max()


def pull(page, i, dx, dy):
    """Drag a point of the robot by pixels."""
    x, y = joint(page, i)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=6)
    page.mouse.up()


@pytest.mark.parametrize(
    ("name", "point"),
    [("bennett", "C2"), ("bricard", "P3"), ("sarrus", "P3"), ("sarrus", "B2"), ("governor", "E1")],
)
def test_a_linkage_of_space_is_dragged_by_a_point(walk, name, point):
    """It moves, and stays closed to rounding: what by counting is rigid is moved by its closures."""
    page = walk.open("space", name)
    page.wait_for_timeout(400)
    before, names = walk.state("x"), page.evaluate("studio.robot.value.told.scene.names")
    pull(page, names.index(point), 14, 40)
    after = walk.state("x")
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) > 1e-2
    if name != "governor":  # it closes no loop
        model = cc.load(name)
        assert abs(model.call("closures", x=after)["gap"]).max() < 1e-9 * model.scale


def test_the_platform_is_moved_by_arrows_and_rings(walk):
    """Six handles of the Gough platform, by pointer and by keys: one coordinate changes, the legs follow."""
    page = walk.open("space", "gough")
    page.wait_for_timeout(400)
    yaw, z = page.get_by_label("yaw of the output"), page.get_by_label("z of the output")
    yaw.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    before = walk.state("x")
    assert before[5] == pytest.approx(5 * math.pi / 180, abs=1e-9)
    box = z.locator(".axis").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 24, steps=5)
    page.mouse.up()
    after = walk.state("x")
    assert after[2] > before[2] + 0.01
    assert [after[i] for i in (0, 1, 3, 4, 5)] == pytest.approx([before[i] for i in (0, 1, 3, 4, 5)], abs=1e-9)
    assert gap("gough", walk) < 1e-10


def test_branches_of_a_platform_are_ghosts_that_can_be_taken(walk):
    """The server's other assemblies are drawn and named; taking one leaves the legs' lengths as they were."""
    page = walk.open("space", "gough", "&q=0.8558,0.8558,0.8558,0.8558,0.8558,0.8558")
    walk.until("space.puppet.others().length === 7")  # eight assemblies with these legs
    held, before = walk.state("q"), walk.state("x")
    other = page.evaluate("space.puppet.others().find((one) => one.pose.x[2] > 0).pose.assembly")
    page.locator(".segments label", has_text=other.replace("-", "−")).last.click()
    walk.until("studio.state.value.x[2] > 0")
    assert walk.state("q") == pytest.approx(held, abs=1e-9)
    assert abs(walk.state("x")[2] - before[2]) > 0.5
    assert gap("gough", walk) < 1e-9


def test_a_slice_shows_where_the_platform_is_singular(walk):
    """det A over a plane through the output is asked for with the other coordinates held, and drawn with its legend."""
    page = walk.open("space", "gough")
    page.get_by_label("Slice").select_option("x y")
    page.wait_for_selector(".space-view .legend:has-text('det A')")
    walk.until("document.querySelector('.space-view').view.patches.length > 4")
    page.get_by_label("Slice").select_option("")
    page.wait_for_selector(".space-view .legend", state="hidden")


def test_a_robot_that_is_let_go_is_pulled_by_a_spring(walk):
    """The pendulum hangs; a spring on its end moves it, and without the hand it comes back through the lowest point."""
    page = walk.open("space", "furuta")
    page.get_by_role("button", name="Hanging").click()
    page.get_by_role("button", name="Start").click()
    page.wait_for_timeout(200)
    x, y = joint(page, 2)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y - 20, steps=8)
    page.wait_for_timeout(500)
    moved = walk.page.evaluate("space.puppet.pose.value.q")
    page.mouse.up()
    assert math.dist(moved, [0, math.pi]) > 0.05
    assert page.get_by_role("button", name="Stop").is_visible()  # it goes on by itself
