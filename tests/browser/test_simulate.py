"""The Simulate screen in a real browser: choose, run, play, scrub, draw, compare, reload."""

import json
import math
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
import pytest

from closedchain import scenarios
from tests.browser.violations import violations

RUN = "▶ Run"


def run(page):
    """Press Run and wait for the plots."""
    page.get_by_role("button", name=RUN).click()
    page.wait_for_selector(".tools button.primary:not([disabled])", timeout=60_000)
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


def test_other_gains_and_a_payload_are_compared_with_the_first_run(walk):
    """A heavy payload and weak gains: the first run's column keeps its error, and the new one is larger."""
    page = walk.open("simulate", "biglide")
    run(page)
    before = shown(page, "largest error")
    for label, value in (("kp", "20"), ("kd", "9"), ("payload", "0.5")):
        page.get_by_label(label, exact=True).fill(value)
        page.get_by_label(label, exact=True).press("Enter")
    page.get_by_role("button", name=RUN).click()
    page.wait_for_selector(".result th:has-text('B')")
    row = page.locator(".result tr", has_text="largest error").locator("td")
    assert row.nth(0).inner_text() == before
    assert row.nth(1).inner_text().endswith("mm")
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
    page.get_by_role("button", name="Drives by formula").click()
    for label, text in (("q1", "0.1*sin(t)"), ("q2", "-0.1*sin(t)")):
        page.get_by_label(label, exact=True).fill(text)
        page.get_by_label(label, exact=True).press("Enter")
    assert changes(page)["trajectory"]["formula"] == {"q1": "0.1*sin(t)", "q2": "-0.1*sin(t)"}
    assert violations(page) == []
    run(page)
    assert shown(page, "largest error").split()[1] in ("µm", "nm")


def test_an_output_by_formula_is_drawn_typed_and_followed(walk):
    """x(t) and y(t) are offered from where the tip is; a typed circle is drawn before the run, and the run is on it."""
    page = walk.open("simulate", "fivebar")
    page.wait_for_selector(".set-up .quantity")
    page.get_by_role("button", name="Output by formula").click()
    offered = changes(page)["trajectory"]
    assert set(offered["formula"]) == {"x", "y"}
    assert offered["working"] == "++"  # where the tip is
    texts = {"x": "0.005*(1 - cos(pi*t))", "y": "-0.058 + 0.005*sin(pi*t)"}  # radius 5 mm, one turn in 2 s
    for label, text in texts.items():
        page.get_by_label(label, exact=True).fill(text)
        page.get_by_label(label, exact=True).press("Enter")
    assert changes(page)["trajectory"]["formula"] == texts
    page.get_by_label("Law").select_option("computed-torque")
    boxes = [line.bounding_box() for line in page.locator(".mark.line").all()]
    drawn = max(boxes, key=lambda box: box["width"] if box else 0.0)
    assert drawn["width"] == pytest.approx(drawn["height"], abs=2)  # [px] a circle, as the page itself draws it
    assert drawn["width"] > 20
    assert violations(page) == []
    run(page)
    assert shown(page, "largest error").split()[1] in ("µm", "nm")
    x = np.reshape(page.evaluate("[...studio.runs.list.value.at(-1).arrays.x.data]"), (-1, 2))
    np.testing.assert_allclose(np.hypot(x[:, 0] - 0.005, x[:, 1] + 0.058), 0.005, atol=2e-5)  # what the law misses


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


def test_runs_are_a_list_that_is_named_by_what_differs(walk):
    """Three intervals: three names, three columns; one hidden, one removed; another screen and a new page lose none."""
    page = walk.open("simulate", "biglide")
    for interval in ("0.001", "0.005", "0.02"):
        page.get_by_label("interval", exact=True).fill(interval)
        page.get_by_label("interval", exact=True).press("Enter")
        run(page)
    names = page.locator(".runs .name")
    first = shown(page, "largest error")
    assert names.all_inner_texts() == ["interval 1 ms", "interval 5 ms", "interval 20 ms"]
    assert page.locator(".result thead th").all_inner_texts() == ["", "A", "B", "C"]
    assert page.locator(".linkage.other:not([display])").count() == 2
    page.get_by_label("show interval 5 ms").uncheck()
    assert page.locator(".result thead th").all_inner_texts() == ["", "A", "C"]
    page.get_by_label("remove interval 20 ms").click()
    page.get_by_role("navigation").get_by_text("Explore").click()
    page.wait_for_selector(".screen.explore")
    page.get_by_role("navigation").get_by_text("Simulate").click()
    page.wait_for_selector(".runs li")
    assert names.all_inner_texts() == ["interval 1 ms", "interval 5 ms"]
    page.wait_for_selector(".player button:not([disabled])")
    page.reload()
    page.wait_for_selector(".runs li")
    assert names.all_inner_texts() == ["interval 1 ms", "interval 5 ms"]
    assert shown(page, "largest error") == first


def test_tables_and_figures_are_made_of_the_numbers_on_the_page(walk):
    """CSV, SVG and PNG ask nothing of the server: no message is sent while they are made."""
    page = walk.open("simulate", "biglide")
    run(page)
    page.evaluate("(studio.sent = 0, studio.connection.job = () => (studio.sent++, { done: Promise.reject() }), 0)")
    texts = {}
    for name in ("CSV", "SVG", "PNG"):
        with page.expect_download() as told:
            page.get_by_role("button", name=name, exact=True).click()
        texts[name] = Path(told.value.path()).read_bytes()
    assert page.evaluate("studio.sent") == 0
    head, first, *rows = texts["CSV"].decode().splitlines()
    assert head.startswith("t_s,q1_m,q2_m,x_m,y_m,q_dot_q1_m_s")
    assert len(set(head.split(","))) == len(head.split(",")) == len(first.split(","))
    assert float(rows[-1].split(",")[0]) == 3.0
    assert texts["SVG"].count(b"<path") > 20
    assert texts["PNG"].startswith(b"\x89PNG")


def test_plots_zoom_together_and_a_short_run_is_slow_enough_to_watch(walk):
    """A span chosen in one plot is that of all; a run of 30 ms plays at less than a tenth of its speed."""
    page = walk.open("simulate", "biglide")
    page.get_by_label("duration", exact=True).fill("0.03")
    page.get_by_label("duration", exact=True).press("Enter")
    run(page)
    assert page.locator(".player select").input_value() in {"0.01", "0.03"}
    assert "0.0300 s" in page.locator(".clock").inner_text()
    spans = """() => [...document.querySelectorAll('.charts .plot-area')]
      .map(({ plot: { scales } }) => [scales.x.min, scales.x.max])"""
    whole = page.evaluate(spans)
    box = page.locator(".charts .u-over").first.bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 140, box["y"] + 30, steps=4)
    page.mouse.up()
    page.wait_for_timeout(100)
    zoomed = page.evaluate(spans)
    assert len(zoomed) == len(whole) > 4
    assert all(span == zoomed[0] != before for span, before in zip(zoomed, whole, strict=True))


def test_a_plan_and_a_crossing_are_simulated_like_any_motion(walk):
    """`Simulate it` opens Simulate with the motion; the crossing is run through the singularity."""
    way = quote(json.dumps({"ways": True, "way": {"start": [0, -0.05], "end": [0, 0.08]}}))
    page = walk.open("explore", "fivebar", f"&set={way}")
    page.get_by_role("button", name="Cross S → E").click()
    page.wait_for_selector("text=Crosses at t")
    page.get_by_role("button", name="Simulate it").click()
    page.wait_for_selector(".screen.simulate .set-up .quantity")
    run(page)
    assert page.locator(".runs .name").all_inner_texts() == ["own motion"]
    assert "Ended early" not in page.locator(".result").inner_text()


def test_a_film_is_offered_only_where_it_can_be_written(walk):
    """Without an encoder there is no button for MP4, so that none fails after the simulation."""
    page = walk.open("explore", "biglide")
    for can in (True, False):
        page.evaluate("can => studio.hello.set({ ...studio.hello.value, video: can })", can)
        page.evaluate("studio.go('simulate')")
        page.wait_for_selector(".screen.simulate .set-up .quantity")
        assert page.get_by_role("button", name="MP4").count() == can
        assert page.get_by_role("button", name="GIF").count() == 1
        page.evaluate("studio.go('explore')")
        page.wait_for_selector(".screen.explore")


@pytest.mark.parametrize("robot", ["nfourbar:40", "slidercrank"])
def test_no_path_is_offered_where_it_means_nothing(walk, robot):
    """A linkage without drives, an output on a curve: no tools to draw a way, and no law that would follow one."""
    page = walk.open("simulate", robot)
    page.wait_for_selector(".set-up .quantity")
    assert page.locator(".set-up .segments").count() == 0
    if robot == "nfourbar:40":
        assert "computed-torque" not in page.locator(".set-up select").first.locator("option").all_inner_texts()
