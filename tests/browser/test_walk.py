"""Each robot of the seeds through the studio: run, cancel, scrub, export, verify, reload, lose and regain a server."""

import io
import re
from urllib.parse import quote

import numpy as np
import pytest

import closedchain as cc
from closedchain import scenarios
from tests.browser.serving import end, serve
from tests.browser.violations import violations

ROBOTS = ("biglide", "fivebar", "triplate", "furuta")
LONG = {"changes": {"interval": 1e-6}}  # a run of minutes
RUN = "▶ Run"


def home(robot):
    """The screen on which a robot is dragged."""
    return "space" if robot == "furuta" else "explore"


def open_home(walk, robot, more=""):
    """Open that screen and wait until the robot can be dragged."""
    page = walk.open(home(robot), robot, more)
    page.wait_for_selector(".space-view canvas" if robot == "furuta" else ".handle.tip .seen")
    page.wait_for_timeout(300)  # the view has its size
    return page


def pull(walk, robot):
    """Drag the tip, or the pendulum's end; whether the robot went along, the drives or the output by enough to see."""
    before = walk.state("q")
    if robot == "furuta":
        x, y = walk.page.evaluate("space.joint(2)")
        walk.page.mouse.move(x, y)
        walk.page.mouse.down()
        walk.page.mouse.move(x + 20, y + 12, steps=5)
        walk.page.mouse.up()
    else:
        walk.drag(".handle.tip .seen", 18, -10)
    after = walk.state("q")
    return before is None or max(abs(a - b) for a, b in zip(after, before, strict=True)) > 1e-3


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_run_is_cancelled_then_run_scrubbed_and_taken_away(walk, robot):
    """Cancel ends a long run; the scenario as it is runs, its slider moves the robot, its files hold the run."""
    page = walk.open("simulate", robot, "&set=" + quote(str(LONG).replace("'", '"')))
    page.wait_for_selector(".set-up .quantity")
    name = page.locator("#scenario").input_value()
    page.get_by_role("button", name=RUN).click()
    page.locator(".tools .progress button:not([disabled])").click()
    page.wait_for_selector(".toast:has-text('cancelled')")
    page.get_by_role("button", name="Undo changes").click()
    page.get_by_role("button", name=RUN).click()
    page.wait_for_selector(".player button:not([disabled])", timeout=60_000)
    expected = scenarios.run(name)
    scrub(page, 0.0)
    first = page.locator(".holder").screenshot()
    scrub(page, 0.6)
    assert page.locator(".holder").screenshot() != first
    shown = float(page.locator(".player .clock").inner_text().split()[0])
    assert shown == pytest.approx(0.6 * expected.t[-1], abs=0.006)  # two decimals are shown
    with np.load(io.BytesIO(downloaded(page, "NPZ")), allow_pickle=False) as data:
        np.testing.assert_allclose(data["q"][-1], expected.q[-1], rtol=1e-12, atol=1e-12)  # the same run, once more
    heads = downloaded(page, "CSV").decode().splitlines()[0]
    assert all(drive.name in heads for drive in cc.load(robot).equations.q)


def scrub(page, share):
    """Put the time slider at a share of the run, and wait for the frame that shows it."""
    page.locator(".player .time").fill(str(round(1000 * share)))
    page.wait_for_timeout(150)


def downloaded(page, name):
    """The bytes that a button saves."""
    with page.expect_download(timeout=60_000) as waiting:
        page.get_by_role("button", name=name).click()
    return waiting.value.path().read_bytes()


def test_every_name_of_the_menu_opens(walk):
    """Robots, linkages and their parameter sets, and none of them as if it were a file of one's own."""
    page = walk.open("explore", "biglide")
    names = page.locator("#robot optgroup[label=Robots] option").evaluate_all("all => all.map((one) => one.value)")
    assert {"biglide:lab", "furuta:qube", "cartpole:light"} <= set(names)
    for name in names:
        choose(walk, name)


def choose(walk, name):
    """Another robot of the menu."""
    walk.page.locator("#robot").select_option(name)
    walk.until("studio.robot.value.told.name.startsWith(a[0])", name)
    walk.until("document.querySelector('#robot').value === a[0]", name)


@pytest.mark.slow
def test_every_robot_is_shown_on_every_screen_that_fits_it(walk):
    """Whatever is open, each tab that is offered opens; the closing check finds any exception."""
    page = walk.open("explore", "biglide")
    names = page.locator("#robot optgroup[label=Robots] option").evaluate_all("all => all.map((one) => one.value)")
    for name in (name for name in names if ":" not in name):
        choose(walk, name)
        for tab in page.locator("nav a:not([aria-disabled])").all():
            tab.click()
            walk.until("document.querySelector('main').textContent.length > 20")
            page.wait_for_timeout(300)  # what it asks for first is there


SCREENS = {
    "biglide": ("explore", "simulate", "verify", "define", "lab"),
    "furuta": ("space", "simulate", "verify", "define", "lab"),
}


@pytest.mark.parametrize(("robot", "screen"), [(robot, screen) for robot, names in SCREENS.items() for screen in names])
def test_another_robot_is_chosen_on_every_screen(walk, robot, screen):
    """The screen of the one before hears nothing of the next; the closing check finds any exception."""
    page = walk.open(screen, robot)
    page.wait_for_timeout(500)  # what it asks for first is there
    if screen == "space":
        page.get_by_role("button", name="Start").click()  # its frames go on
    for other in ("triplate", "delta", "fourbar", robot):
        page.locator("#robot").select_option(other)
        walk.until("document.title.startsWith(a[0]) && document.querySelector('#robot').value === a[0]", other)


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_reload_and_a_copied_link_bring_the_same_state_back(walk, browse, studio, robot):
    """The address holds robot, changed values, place and settings; a new tab opened by it shows the same."""
    name, value = next(iter(cc.load(robot).values.items()))
    page = open_home(walk, robot, f"&p.{name}={1.02 * value:.6g}")
    if robot != "furuta":
        page.get_by_label("Map").select_option("det_A")
    assert pull(walk, robot)
    kept = walk.state("q")
    page.wait_for_timeout(300)  # the address is written when changes have stopped for 0.2 s
    page.reload()
    page.wait_for_selector(f".screen.{home(robot)}")
    assert walk.state("q") == pytest.approx(kept, abs=1e-8 * max(1.0, *map(abs, kept)))  # nine digits are written
    link = page.evaluate("studio.permanentLink()")
    assert "t=" not in link.split("#")[1].split("&")[0]
    second = browse(studio)
    second.page.goto(f"{studio}&{link.split('#')[1]}")
    second.page.wait_for_selector(f".screen.{home(robot)}")
    assert second.state("q") == pytest.approx(walk.state("q"), abs=1e-8 * max(1.0, *map(abs, kept)))
    told = {row["name"]: row["value"] for row in second.page.evaluate("studio.robot.value.told.parameters")}
    assert told[name] == pytest.approx(1.02 * value, rel=1e-5)  # as typed above
    if robot != "furuta":
        assert second.page.get_by_label("Map").input_value() == "det_A"


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_page_comes_back_when_the_server_does(browse, tmp_path, robot):
    """The server is gone: dragging goes on with the page's own kernels; it returns: the server answers again."""
    address, process = serve(0, tmp_path)
    try:
        walk = browse(address)
        page = open_home(walk, robot)
        page.wait_for_selector(".lamp[data-link=open]")
        end(process)
        page.wait_for_selector(".lamp[data-link=lost]")
        assert pull(walk, robot)
        _, process = serve(int(re.search(r":(\d+)/", address)[1]), tmp_path)
        page.wait_for_selector(".lamp[data-link=open]")
        if robot == "furuta":
            page.get_by_label("Scenario").select_option("furuta-fall")
            page.get_by_role("button", name="Run and play").click()
            page.wait_for_selector(".player button:not([disabled])", timeout=60_000)
        else:
            page.get_by_label("Map").select_option("reach")
            page.wait_for_selector("text=room to the edge of the reach")
        page.close()  # before the server ends once more
        walk.problems[:] = [p for p in walk.problems if "WebSocket connection to" not in p]  # the attempts in between
    finally:
        end(process)


@pytest.mark.slow
@pytest.mark.parametrize("robot", ROBOTS[1:])
def test_every_robot_agrees_with_every_engine(walk, robot):
    """As the biglide in test_verify.py: no quantity of any engine is beyond its limit, and the verdict counts them."""
    page = walk.open("verify", robot)
    page.get_by_role("button", name="Verify").click()
    page.wait_for_selector(".verdict:has-text('Comparing')")
    page.wait_for_function(
        "() => document.querySelector('.verdict.good') && !document.querySelector('.tools button.primary').disabled",
        timeout=120_000,
    )
    assert "MuJoCo" in page.locator(".verify-table thead").inner_text()
    quantities = page.locator(".verify-table tbody th[scope=row]").all_inner_texts()
    closed = {"output", "output velocity", "loop forces"} if robot != "furuta" else set()
    assert {"M", "c", "efforts", *closed} <= set(quantities)
    ticks = page.locator(".verify-table td.good").count()
    assert page.locator(".verify-table td.bad").count() == 0
    assert ticks >= len(quantities)
    assert f"All {ticks} comparisons" in page.locator(".verdict").inner_text()
    assert violations(page) == []
