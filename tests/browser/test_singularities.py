"""The Singularities screen in a real browser."""

import io
import json
import re
from urllib.parse import quote

import pytest
from PIL import Image


def settings(**given):
    """Settings of the screen as its address writes them."""
    return "&set=" + quote(json.dumps(given))


@pytest.mark.parametrize("robot", ["biglide", "fivebar", pytest.param("triplate", marks=pytest.mark.slow)])
def test_curves_and_aspects_are_drawn(walk, robot):
    """Loci come with a count, aspects with their areas; both are on the stage."""
    page = walk.open("singularities", robot)
    page.wait_for_selector("text=of Type 1 in view")
    page.wait_for_selector(".areas li")
    assert page.locator(".loci path.type1").get_attribute("d")
    assert page.locator(".areas li").count() >= 1


def test_the_line_finds_the_end_of_a_bar_where_hand_geometry_puts_it(walk):
    """From x = 0 to 0.3 m bar A1-C ends at x = l − d/2 = 0.1606 m: s = 0.5353, Type 1, shown on the stage."""
    walk.open("singularities", "biglide", settings(way={"start": [0, 0], "end": [0.3, 0]}))
    walk.page.wait_for_selector("text=Type 1 at s = 0.5353")
    walk.until("document.querySelectorAll('.singular-points circle').length === 1")
    walk.until("document.querySelectorAll('.plot canvas').length >= 2")


def test_a_line_drawn_on_the_stage_is_examined(walk):
    """With `Draw the line` a drag over the stage sets both ends, and the determinants follow."""
    page = walk.open("singularities", "fivebar")
    page.wait_for_selector("text=on the line")
    page.get_by_label("Draw the line").check()
    x, y = walk.middle(".stage")
    page.mouse.move(x - 60, y - 60)
    page.mouse.down()
    page.mouse.move(x, y, steps=4)
    page.mouse.move(x + 20, y + 80, steps=4)
    page.mouse.up()
    way = page.evaluate("studio.state.value.settings.singularities.way")
    assert way["start"][1] > way["end"][1]
    assert way["start"][0] < way["end"][0]
    page.wait_for_selector("text=Type 2 at s")


def test_a_path_is_planned_and_played(walk):
    """The plan is drawn on the stage; its slider moves the robot along it."""
    page = walk.open("singularities", "fivebar", settings(way={"start": [-0.02, -0.058], "end": [0.03, -0.09]}))
    page.get_by_role("button", name="Plan S → E").click()
    page.wait_for_selector("text=Found:")
    assert page.locator(".mark.path").get_attribute("d").startswith("M")
    bar = ".linkage.robot .bar >> nth=0"
    before = page.locator(bar).get_attribute("points")
    page.get_by_label("place along the motion").fill("1000")
    page.wait_for_timeout(100)
    assert page.locator(bar).get_attribute("points") != before


def test_a_crossing_shows_its_efforts(walk):
    """Through the Type 2 curve between two sides of the five-bar: the instant is told and the efforts are plotted."""
    page = walk.open("singularities", "fivebar", settings(way={"start": [0, -0.05], "end": [0, 0.08]}))
    page.get_by_role("button", name="Cross S → E").click()
    page.wait_for_selector("text=Crosses at t")
    assert page.locator("figure", has_text="efforts").locator("canvas").count() == 1


def test_a_robot_that_cannot_cross_says_so(walk):
    """Crossings are for a tip on two bars: for the plate the reason stands beside the button, which is off."""
    page = walk.open("singularities", "triplate")
    page.wait_for_selector("text=crossings are planned for a tip on two bars")
    assert page.get_by_role("button", name="Cross S → E").is_disabled()


@pytest.mark.parametrize("robot", ["slidercrank", "fourbar"])
def test_a_tip_that_is_bound_to_a_curve_has_no_singularities_screen(walk, robot):
    """Its output has no plane of lines and loci: the tab is not offered, nor a map; an old link opens Explore."""
    page = walk.page
    page.goto(f"{walk.address}&screen=singularities&robot={robot}")
    page.wait_for_selector(".screen.explore .linkage.robot")
    assert page.get_by_role("navigation").get_by_text("Singularities").is_hidden()
    assert page.get_by_label("Map").count() == 0


def test_the_first_line_is_within_reach(walk):
    """S and E of a robot whose reach is small beside its size: the plan begins without a refusal."""
    page = walk.open("singularities", "rrr3")
    page.wait_for_selector("text=on the line")
    assert "Out of reach between s = 0.000" not in page.locator(".inspector").inner_text()


def test_an_obstacle_is_dragged_and_the_plan_goes_around_it(walk):
    """Put between S and E with the pointer it makes the plan longer; it is still there after another screen."""
    page = walk.open("singularities", "fivebar", settings(way={"start": [-0.05, -0.11], "end": [0.05, -0.11]}))
    page.get_by_role("button", name="Plan S → E").click()
    page.wait_for_selector("text=Found: 100 mm long")
    page.get_by_role("button", name="Add obstacle").click()
    (x0, y0), (x1, y1) = walk.middle(".handle.obstacle .seen"), walk.middle(".handle.end >> nth=0")
    x2, y2 = walk.middle(".handle.end >> nth=1")
    walk.drag(".handle.obstacle .seen", (x1 + x2) / 2 - x0, (y1 + y2) / 2 + 5 - y0)  # the arms come from above
    (place,) = page.evaluate("studio.state.value.settings.singularities.obstacles")
    assert place[0] == pytest.approx(0, abs=1e-3)  # the middle of S and E, to a pixel
    assert -0.116 < place[1] < -0.11
    page.get_by_role("button", name="Plan S → E").click()
    page.wait_for_selector("text=Searching…")
    walk.until("!document.querySelector('#screen').textContent.includes('Searching…')")
    page.wait_for_selector("text=Found:")
    d = page.locator(".mark.path").get_attribute("d")
    heights = [float(row.split()[1]) for row in re.split("[ML]", d)[1:]]
    assert max(heights) - min(heights) > 3  # [px] the first was level
    page.get_by_role("navigation").get_by_text("Explore").click()
    page.wait_for_selector(".screen.explore")
    page.get_by_role("navigation").get_by_text("Singularities").click()
    page.wait_for_selector(".handle.obstacle")


AREAS = "[...document.querySelectorAll('.areas li')].map((row) => row.textContent)"


def test_aspects_keep_their_areas_and_colours_in_any_view(walk):
    """They are parts of the reach, not of what is seen of it: zooming in changes neither number, area nor colour."""
    page = walk.open("singularities", "fivebar")
    page.wait_for_selector("text=of Type 1 in view", timeout=90_000)
    page.wait_for_selector(".areas li")
    page.wait_for_timeout(300)
    before = page.evaluate(AREAS)
    x, y = walk.middle(".stage")
    colour = pixel(page, x - 40, y + 110)
    page.mouse.move(x - 40, y + 110)
    for _ in range(3):
        page.mouse.wheel(0, -300)
        page.wait_for_timeout(50)
    page.wait_for_timeout(600)  # a new window is asked for when the wheel rests
    page.wait_for_selector("text=of Type 1 in view", timeout=90_000)
    page.wait_for_timeout(300)
    assert page.evaluate(AREAS) == before
    assert pixel(page, x - 40, y + 110) == colour


def pixel(page, x, y):
    """The colour at a place of the window."""
    picture = Image.open(io.BytesIO(page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})))
    return picture.convert("RGB").getpixel((0, 0))


COUNTS = ("Nodes", "JSEventListeners")


def test_leaving_the_screen_leaves_nothing_behind(walk):
    """After forty visits there are not more elements and listeners than after ten, whenever the answers come."""
    page = walk.open("singularities", "fivebar")
    page.wait_for_selector(".areas li")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def visits(count):
        for _ in range(count):  # no handles of elements are taken: they would hold them
            page.evaluate("studio.go('explore')")
            walk.until("document.querySelector('.screen.explore .handle.tip') !== null")
            page.evaluate("studio.go('singularities')")
            walk.until("document.querySelector('.screen.singularities .handle.end') !== null")
        page.evaluate("studio.go('verify')")
        page.wait_for_timeout(2000)  # late answers
        session.send("HeapProfiler.collectGarbage")
        told = {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}
        return [told[name] for name in COUNTS]

    first, last = visits(10), visits(30)
    assert last[0] <= first[0] + 50
    assert last[1] <= first[1] + 20
