"""Paths on the Explore screen and the badge beside the robot's name, in a real browser."""

import itertools
import json
import math
import re
from urllib.parse import parse_qs, urlsplit

import pytest

import closedchain as cc
from closedchain.verify.compare import verify
from tests.browser.violations import violations

L, D = 0.3606, 0.4  # of the biglide: bars and the rails' distance [m]
EDGE = L - D / 2  # the tip's largest |x|
JUDGED = ".path-row .path-verdict.good, .path-row .path-verdict.bad"
LINE = {"kind": "quintic", "from": [0.0, 0.1], "to": [0.3, 0.1]}


def with_path(path, **more):
    """The part of an address that holds a path."""
    return f"&set={json.dumps({'path': path, **more}, separators=(',', ':'))}"


def kept(page):
    """The path that the address holds."""
    page.wait_for_timeout(400)  # it is written when changes have stopped for 0.2 s
    return json.loads(parse_qs(urlsplit(page.url).fragment)["set"][0]).get("path")


def take(page, tool):
    """Choose a tool under the stage."""
    page.locator(".path-row").get_by_label(tool).check(force=True)


def judged(page):
    """The verdict, and the list beside the stage, when the check is done."""
    page.wait_for_selector(JUDGED)
    return page.locator(".path-row .path-verdict").inner_text(), page.locator(".met-list li").all_inner_texts()


def middle_of_stage(page):
    """[px]"""
    box = page.locator(".stage").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_line_is_typed_and_the_leg_that_stops_it_named(walk):
    """From the tip, x = 0, to 0.3: red and dashed from the edge l − d/2 on, where a marker stands; 139 mm too far."""
    page = walk.open("explore", "biglide")
    take(page, "line")
    field = page.get_by_label("to x", exact=True)
    field.fill("0.3")
    field.press("Enter")
    words, items = judged(page)
    assert words == "✗ Mode ++: 1 part out of reach, 1 singular point."
    assert "Type 1 at (0.161, 0.000): leg A1-C is at its end." in items
    assert any(i.startswith("Leg A1-C cannot reach: up to 139 mm too far, from (0.161, 0.000)") for i in items)
    x0, x1 = (walk.middle(f".grip >> nth={k}")[0] for k in (0, 1))
    met = walk.middle(".mark.met")
    assert met[0] == pytest.approx(x0 + (x1 - x0) * EDGE / 0.3, abs=1.5)  # [px] of rounding
    dashes = "e => getComputedStyle(document.querySelector(e)).strokeDasharray"
    assert page.evaluate(dashes, ".mark.walk.bad") != "none"
    assert page.evaluate(dashes, ".mark.walk.good") == "none"
    assert kept(page)["to"] == [0.3, 0]


def test_in_another_branch_the_same_line_meets_type_2(walk):
    """In mode +− the bars lie on one line at x = 0; in ++ nothing is met, and that is proven."""
    page = walk.open("explore", "biglide", with_path({**LINE, "from": [-0.1, 0.1], "to": [0.1, 0.1]}))
    assert judged(page)[0] == "✓ Mode ++: in reach and never singular (proven)."
    page.locator("fieldset", has_text="Working").get_by_label("+−").check(force=True)
    page.wait_for_selector(".path-row .path-verdict.bad")
    words, items = judged(page)
    assert words == "✗ Mode +−: 1 singular point."
    assert items == ["Type 2 at (0.000, 0.100): the output moves with locked drives, efforts have no bound."]


def test_a_slider_asks_again(walk):
    """With bars of 0.3 m the edge is at x = 0.1: a line to 0.15 is good before, and no longer."""
    page = walk.open("explore", "biglide", with_path({**LINE, "to": [0.15, 0.1]}))
    assert judged(page)[0].startswith("✓")
    value = page.get_by_label("l value", exact=True)
    value.fill("0.3")
    value.press("Enter")
    page.wait_for_selector(".path-row .path-verdict.bad")
    assert "Type 1 at (0.100, 0.100): leg A1-C is at its end." in judged(page)[1]


def test_two_clicks_make_a_line_and_a_drag_a_circle(walk):
    """The line goes from click to click, 90 px apart; the circle's radius is the drag's length."""
    page = walk.open("explore", "biglide")
    page.wait_for_timeout(300)
    x, y = middle_of_stage(page)
    take(page, "line")
    page.mouse.click(x - 40, y - 60)
    page.mouse.move(x, y - 60, steps=3)
    page.mouse.click(x + 50, y - 60)
    judged(page)
    line = kept(page)
    take(page, "circle")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    page.mouse.up()
    judged(page)
    circle = kept(page)
    scale = (line["to"][0] - line["from"][0]) / 90  # [m/px]
    assert line["to"][1] == pytest.approx(line["from"][1], abs=1e-4)
    assert circle["radius"] == pytest.approx(60 * scale, rel=1e-3)
    assert circle["angle"] == pytest.approx(0.0, abs=1e-9)
    assert page.locator(".path-row input:checked").get_attribute("value") == "off"  # the view can be moved again


@pytest.mark.parametrize("robot", ["fivebar", "triplate"])
def test_a_free_hand_is_simplified_kept_in_the_address_and_checked_again(walk, robot):
    """A wave of 80 places becomes fewer points, close to it; a reload shows the same verdict and list."""
    page = walk.open("explore", robot)
    page.wait_for_timeout(300)
    x, y = middle_of_stage(page)
    take(page, "draw")
    wave = [(x - 100 + 2.5 * k, y + 30 * math.sin(k / 10)) for k in range(80)]
    page.mouse.move(*wave[0])
    page.mouse.down()
    for place in wave[1:]:
        page.mouse.move(*place)
    page.mouse.up()
    words, items = judged(page)
    path = kept(page)
    assert 5 < len(path["through"]) < 40
    assert len(page.url) < 4000
    d = page.get_attribute(".mark.halo >> nth=0", "d")
    box = page.locator(".stage").bounding_box()
    drawn = [(float(a) + box["x"], float(b) + box["y"]) for a, b in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", d)]
    off = max(min(segment(p, a, b) for a, b in itertools.pairwise(drawn)) for p in wave)
    assert off < 5  # [px]: 1.5 of the simplification, and places closer than 3 to the last one are not taken
    page.reload()
    assert judged(page) == (words, items)
    assert kept(page) == path


def test_a_free_hand_has_at_most_64_points(walk):
    """A saw of 75 teeth has more corners than that; the address holds the 64 that lie farthest off, ends included."""
    page = walk.open("explore", "fivebar")
    page.wait_for_timeout(300)
    x, y = middle_of_stage(page)
    take(page, "draw")
    page.mouse.move(x - 150, y)
    page.mouse.down()
    for k in range(1, 76):
        page.mouse.move(x - 150 + 4 * k, y + 12 * (-1) ** k)
    page.mouse.up()
    judged(page)
    assert len(kept(page)["through"]) == 64


def segment(p, a, b):
    """How far a point is from a segment."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    s = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy or 1)
    s = min(1, max(0, s))
    return math.hypot(p[0] - a[0] - s * dx, p[1] - a[1] - s * dy)


def test_corners_can_be_typed_and_taken_away(walk):
    """Three corners in a text; one that is no point is marked; Clear leaves nothing on the stage."""
    page = walk.open("explore", "fivebar")
    take(page, "draw")
    corners = page.get_by_label("corners")
    corners.fill("0 -0.06; 0.01")
    corners.blur()
    assert corners.get_attribute("aria-invalid") == "true"
    assert page.locator(".path-row .path-verdict").inner_text() == ""
    corners.fill("0 -0.06; 0.01 -0.06; 0.01 -0.07")
    corners.blur()
    assert judged(page) == ("✓ Mode ++: in reach and never singular (proven).", [])
    assert page.locator("text=Searched: the 2 straight pieces between its points.").count() == 1
    page.get_by_role("button", name="Clear").click()
    assert page.get_attribute(".mark.walk.good", "d") == ""
    assert kept(page) is None


def test_a_path_is_handed_to_simulate_and_runs(walk):
    """The circle becomes Simulate's trajectory; the run follows it in the same working mode."""
    path = {"kind": "circle", "centre": [0.0, 0.1], "radius": 0.08, "angle": 0.3}
    page = walk.open("explore", "biglide", with_path(path))
    assert judged(page)[0].startswith("✓")
    page.get_by_role("button", name="Simulate this path").click()
    page.wait_for_selector(".screen.simulate .set-up .quantity")
    assert page.locator("#scenario").input_value() == "own"
    assert page.get_by_label("centre", exact=True).input_value() == "0, 0.1"
    assert page.get_by_label("radius", exact=True).input_value() == "0.08"
    assert page.get_by_label("Mode", exact=True).input_value() == "++"
    page.get_by_role("button", name="▶ Run").click()
    page.wait_for_selector(".result tr:has-text('largest error')")
    assert page.locator(".set-up .problem").is_hidden()


@pytest.mark.parametrize("robot", ["furuta", "fourbar"])
def test_a_robot_without_a_plane_has_no_path_row(walk, robot):
    """The furuta has no output, the four-bar's is bound to a curve."""
    walk.page.goto(f"{walk.address}&screen=explore&robot={robot}")
    walk.page.wait_for_selector(".screen.space, .screen.explore .stage")
    assert walk.page.locator(".path-row").count() == 0


@pytest.mark.parametrize(("scheme", "width", "height"), [("light", 1280, 720), ("dark", 1024, 768)])
def test_a_path_hinders_no_access_and_moves_nothing(browse, studio, scheme, width, height):
    """axe finds nothing with a path on the stage; the stage keeps its size when the path comes."""
    walk = browse(studio, width, height, scheme)
    page = walk.open("explore", "biglide")
    page.wait_for_selector(".path-row")
    before = page.locator(".stage").bounding_box()
    take(page, "line")
    page.get_by_role("button", name="Use these numbers").click()
    judged(page)
    assert page.locator(".stage").bounding_box() == before
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# The badge --------------------------------------------------------------------------------------------


BREAK = """() => {  // what the tab remembers says that M is beyond its limit
    const held = JSON.parse(sessionStorage.getItem("closedchain.verified"));
    for (const one of Object.values(held)) Object.assign(one.mujoco, {broken: 2, quantity: "M", share: 7});
    sessionStorage.setItem("closedchain.verified", JSON.stringify(held));
}"""


def compared(walk, states=4):
    """Run the comparison with MuJoCo alone."""
    page = walk.page
    page.locator("a.badge").click()
    page.wait_for_selector(".screen.verify")
    for engine in page.evaluate("studio.hello.value.engines"):
        if engine != "mujoco":
            page.locator(".tools .tick", has_text=re.compile(engine, re.IGNORECASE)).locator("input").uncheck()
    field = page.get_by_label("random states")
    field.fill(str(states))
    field.press("Enter")
    page.get_by_role("button", name="Verify").click()
    page.wait_for_selector(".badge.good, .badge.bad", timeout=90_000)


def test_the_badge_tells_what_was_compared_and_nothing_else(walk):
    """Not verified; after MuJoCo the library's largest relative difference; not with another length; a broken limit."""
    page = walk.open("explore", "biglide")
    badge = page.locator("a.badge")
    size = badge.bounding_box()
    assert badge.inner_text().startswith("not verified here")
    compared(walk)
    rows = verify(cc.load("biglide"), "mujoco", states=4).rows
    expected = max(r.max / r.size for r in rows if r.way == "pieces" and r.size > 0)
    number = re.search(r"✓ verified (\S+)\nvs MuJoCo$", badge.inner_text())[1].replace("−", "-")
    assert float(number) == pytest.approx(expected, rel=0.6)  # one digit is shown
    assert f"All of {len(rows)} comparisons with MuJoCo, at 4 random states" in badge.get_attribute("title")
    page.get_by_role("navigation", name="screens").get_by_text("Explore").click()
    page.wait_for_selector(".screen.explore .stage")
    assert page.get_by_role("link", name=re.compile("^✓ verified .* vs MuJoCo$")).count() == 1  # as it is heard
    value = page.get_by_label("l value", exact=True)
    value.fill("0.35")
    value.press("Enter")
    walk.until("document.querySelector('.badge').textContent.startsWith('not verified')")
    page.get_by_role("button", name="Reset").click()
    page.wait_for_selector(".badge.good")
    page.reload()
    page.wait_for_selector(".badge.good")
    assert badge.bounding_box() == size  # nothing has moved
    page.evaluate(BREAK)
    page.reload()
    page.wait_for_selector(".badge.bad")
    assert badge.inner_text() == "✗ M\nvs MuJoCo"
    assert f"2 of {len(rows)} comparisons with MuJoCo" in badge.get_attribute("title")
    assert violations(page) == []
    page.select_option("#robot", "fivebar")
    walk.until("document.querySelector('.badge').textContent.startsWith('not verified')")
