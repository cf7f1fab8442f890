"""The Simulate screen in a real browser: choose, run, play, scrub, draw, compare, reload."""

import json
import math
from urllib.parse import parse_qs, urlsplit

import pytest

from closedchain import scenarios
from tests.browser.violations import violations

RUN = "▶ Run"


def run(page):
    """Press Run and wait for the plots."""
    page.get_by_role("button", name=RUN).click()
    page.wait_for_selector(".charts .plot canvas")
    page.wait_for_selector(".player button:not([disabled])")


def shown(page, name):
    """A number of the result's table, as text."""
    return page.locator(".result tr", has_text=name).locator("td").first.inner_text()


def seek(page, share):
    """Move the time slider to a share of the run."""
    page.locator(".player .time").fill(str(round(1000 * share)))


def joints(page):
    """Where the robot's joints are on the stage [px]."""
    place = "c => [+c.getAttribute('cx'), +c.getAttribute('cy')]"
    return page.evaluate(f"[...document.querySelectorAll('.linkage.robot .joint')].map({place})")


def changes(page):
    """The changes that the address keeps."""
    page.wait_for_timeout(400)  # the address is written when changes have stopped for 0.2 s
    return json.loads(parse_qs(urlsplit(page.url).fragment)["set"][0])["changes"]


@pytest.mark.parametrize("robot", ["biglide", "fivebar", "triplate"])
def test_a_run_shows_the_numbers_that_the_library_gives(walk, robot):
    """The screen's first scenario of each robot ends with the error that the library finds, to the digits shown."""
    page = walk.open("simulate", robot)
    page.wait_for_selector(".set-up .quantity")
    name = page.locator("#scenario").input_value()
    run(page)
    text = shown(page, "largest error")
    value, unit = text.replace("\u2212", "-").split()
    metres = float(value) * {"m": 1.0, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9}[unit]
    expected = scenarios.run(name).summary["max_error"]
    assert metres == pytest.approx(expected, rel=6e-3)  # three digits are shown


def test_scrubbing_and_playing_move_the_robot_and_every_plot_s_cursor(walk):
    """The slider puts robot and cursors at its instant; Play goes on from there, and Pause stops it."""
    page = walk.open("simulate", "biglide")
    run(page)
    seek(page, 0.0)
    first, said = joints(page), page.locator(".charts .u-legend").first.inner_text()
    seek(page, 0.6)
    page.wait_for_timeout(100)
    assert page.locator(".player .clock").inner_text().startswith("1.80")  # 0.6 of 3 s
    assert max(math.dist(a, b) for a, b in zip(first, joints(page), strict=True)) > 20
    assert page.locator(".charts .u-legend").first.inner_text() != said
    page.get_by_role("button", name="Play").click()
    walk.until("parseFloat(document.querySelector('.player .clock').textContent) > 1.85")
    page.get_by_role("button", name="Pause").click()
    stopped = page.locator(".player .clock").inner_text()
    page.wait_for_timeout(200)
    assert page.locator(".player .clock").inner_text() == stopped
    assert violations(page) == []


def test_a_circle_drawn_on_the_stage_is_followed(walk):
    """A circle drawn with the pointer becomes the trajectory, with the radius that was drawn, and the run tracks it."""
    page = walk.open("simulate", "biglide")
    page.wait_for_selector(".set-up .quantity")
    page.get_by_role("radio", name="circle").check()
    box = page.locator(".stage svg[role=group]").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 0.4 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y, steps=4)
    page.mouse.up()
    trajectory = changes(page)["trajectory"]
    assert trajectory["kind"] == "circle"
    assert float(page.get_by_label("radius").input_value()) == pytest.approx(trajectory["radius"])
    run(page)
    assert shown(page, "largest error").endswith("µm")  # computed torque with the exact model


def test_other_gains_and_a_payload_are_compared_with_the_pinned_run(walk):
    """A heavy payload and weak gains: the pinned run's column keeps its error, and the new one is larger."""
    page = walk.open("simulate", "biglide")
    run(page)
    before = shown(page, "largest error")
    page.get_by_label("Pin").check()
    for label, value in (("kp", "20"), ("kd", "9"), ("payload", "0.5")):
        page.get_by_label(label, exact=True).fill(value)
        page.get_by_label(label, exact=True).press("Enter")
    page.get_by_role("button", name=RUN).click()
    page.wait_for_selector(".result th:has-text('pinned')")
    row = page.locator(".result tr", has_text="largest error").locator("td")
    assert row.nth(1).inner_text() == before
    assert row.nth(0).inner_text().endswith("mm")
    assert page.locator(".linkage.other").count() == 1


def test_a_wrong_gain_is_said_at_its_place(walk):
    """A gain that is no number: one sentence names the place, nothing else changes."""
    page = walk.open("simulate", "biglide")
    page.get_by_label("kp", exact=True).fill("much")
    page.get_by_label("kp", exact=True).press("Enter")
    page.get_by_role("button", name=RUN).click()
    page.wait_for_selector(".problem:not([hidden])")
    assert "controller.kp" in page.locator(".problem").inner_text()


@pytest.mark.slow
def test_mujoco_can_be_the_plant(walk):
    """The same controller on MuJoCo's soft loops: closure is not at rounding."""
    page = walk.open("simulate", "biglide")
    page.get_by_label("Plant").select_option("mujoco")
    run(page)
    value = float(shown(page, "closure").split()[0].replace("\u2212", "-"))
    unit = shown(page, "closure").split()[1]
    assert value * {"m": 1.0, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9}[unit] > 1e-12


def test_a_link_opens_the_same_scenario_with_the_same_changes(walk):
    """Scenario and changed values come back from the address."""
    page = walk.open("simulate", "biglide", "&set=" + '{"scenario":"biglide-kinematic","changes":{"interval":0.02}}')
    page.wait_for_selector(".set-up .quantity")
    assert page.locator("#scenario").input_value() == "biglide-kinematic"
    assert page.get_by_label("interval").input_value() == "0.02"
    page.get_by_label("gain", exact=True).fill("3")
    page.get_by_label("gain", exact=True).press("Enter")
    assert changes(page)["controller"]["gain"] == 3
    page.reload()
    page.wait_for_selector(".set-up .quantity")
    assert page.get_by_label("gain", exact=True).input_value() == "3"


SHORT = '{"scenario":"own","changes":{"trajectory":{"kind":"quintic","from":[0,0],"to":[0.1,0.1],"duration":1}}}'


def test_what_was_changed_for_one_robot_is_not_asked_of_another(walk):
    """A line of two numbers, then a plate with three: its own scenario as it is."""
    page = walk.open("simulate", "biglide", "&set=" + SHORT)
    page.wait_for_selector(".set-up .quantity")
    assert changes(page)["trajectory"]["to"] == [0.1, 0.1]
    page.locator("#robot").select_option("triplate")
    walk.until("document.title.startsWith('triplate')")
    page.wait_for_selector(".set-up .quantity")
    assert changes(page) == {}
    run(page)


def test_a_link_whose_trajectory_is_for_another_robot_is_told_so(walk):
    """Two numbers where a plate has three: drawn where it stands, and one sentence when it is run."""
    page = walk.open("simulate", "triplate", "&set=" + SHORT)
    page.wait_for_selector(".set-up .quantity")
    page.get_by_role("button", name=RUN).click()
    page.wait_for_selector(".problem:not([hidden])")
    assert "trajectory" in page.locator(".problem").inner_text()


def test_a_linkage_without_drives_is_drawn_and_moves(walk):
    """The pendulum's run has no history of drives; its bar swings all the same."""
    page = walk.open("simulate", "pendulum")
    page.wait_for_selector(".set-up .quantity")
    run(page)
    seek(page, 0.0)
    first = joints(page)
    seek(page, 0.1)
    page.wait_for_timeout(100)
    assert max(math.dist(a, b) for a, b in zip(first, joints(page), strict=True)) > 20  # [px]


def test_a_motion_by_formula_is_typed_and_followed(walk):
    """The drives' formulas become the trajectory, and the run follows the sine that was typed to micrometres."""
    page = walk.open("simulate", "biglide")
    page.wait_for_selector(".set-up .quantity")
    page.get_by_role("button", name="By formula").click()
    for label, text in (("q1", "0.1*sin(t)"), ("q2", "-0.1*sin(t)")):
        page.get_by_label(label, exact=True).fill(text)
        page.get_by_label(label, exact=True).press("Enter")
    assert changes(page)["trajectory"]["formula"] == {"q1": "0.1*sin(t)", "q2": "-0.1*sin(t)"}
    assert violations(page) == []
    run(page)
    assert shown(page, "largest error").split()[1] in ("µm", "nm")


def test_a_voltage_by_formula_drives_the_pendulum(walk):
    """Another law, u(t), is chosen and typed; the run's largest command is its amplitude."""
    page = walk.open("simulate", "furuta")
    page.wait_for_selector(".set-up .quantity")
    page.get_by_label("Law").select_option("formula")
    page.get_by_label("u(t)", exact=True).fill("2*sin(2*pi*t)")
    page.get_by_label("u(t)", exact=True).press("Enter")
    table = changes(page)["controller"]
    assert table == {"kind": "formula", "formula": "2*sin(2*pi*t)", "output": "voltage"}
    run(page)
    assert shown(page, "largest").startswith("2")
