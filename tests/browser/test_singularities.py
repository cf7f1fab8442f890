"""Singularities on the Explore screen in a real browser: curves and aspects, the way from S to E, cusps."""

import io
import json
import re
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image

import closedchain as cc
from closedchain.singularity.cusps import cusps
from closedchain.singularity.mode_change import mode_change


def settings(**given):
    """Settings of the screen as its address writes them."""
    return "&set=" + quote(json.dumps(given))


def look(walk, robot, **given):
    """Explore with the aspects as its map and the way from S to E open."""
    page = walk.open("explore", robot, settings(map="aspects", ways=True, **given))
    page.wait_for_selector(".ways")
    return page


@pytest.mark.parametrize("robot", ["biglide", "fivebar", pytest.param("triplate", marks=pytest.mark.slow)])
def test_curves_and_aspects_are_drawn(walk, robot):
    """Loci come with a count, aspects with their areas; both are on the stage."""
    page = look(walk, robot)
    page.wait_for_selector("text=Tracing the singular curves…")  # until the proven ones are there
    page.wait_for_selector("text=of Type 1 in view", timeout=90_000)
    page.wait_for_selector(".areas li")
    assert page.locator(".loci path.type1").get_attribute("d")
    assert page.locator(".areas li").count() >= 1


def test_the_line_finds_the_end_of_a_bar_where_hand_geometry_puts_it(walk):
    """From x = 0 to 0.3 m bar A1-C ends at x = l − d/2 = 0.1606 m: s = 0.5353, Type 1, shown on the stage."""
    look(walk, "biglide", way={"start": [0, 0], "end": [0.3, 0]})
    walk.page.wait_for_selector("text=Type 1 at s = 0.5353")
    walk.until("document.querySelectorAll('.singular-points circle').length === 1")
    walk.until("document.querySelectorAll('.plot canvas').length >= 2")


def test_a_line_drawn_on_the_stage_is_examined(walk):
    """With `Draw the line` a drag over the stage sets both ends, and the determinants follow."""
    page = look(walk, "fivebar")
    page.wait_for_selector("text=on the line")
    page.get_by_label("Draw the line").check()
    x, y = walk.middle(".stage")
    page.mouse.move(x - 60, y - 60)
    page.mouse.down()
    page.mouse.move(x, y, steps=4)
    page.mouse.move(x + 20, y + 80, steps=4)
    page.mouse.up()
    way = page.evaluate("studio.state.value.settings.explore.way")
    assert way["start"][1] > way["end"][1]
    assert way["start"][0] < way["end"][0]
    page.wait_for_selector("text=Type 2 at s")


def test_a_path_is_planned_and_played(walk):
    """The plan is drawn on the stage; its slider moves the robot along it."""
    page = look(walk, "fivebar", way={"start": [-0.02, -0.058], "end": [0.03, -0.09]})
    page.get_by_role("button", name="Plan S → E").click()
    page.wait_for_selector("text=Found:")
    assert page.locator(".motion-path").get_attribute("d").startswith("M")
    bar = ".linkage.robot .bar >> nth=0"
    before = page.locator(bar).get_attribute("points")
    page.get_by_label("place along the motion").fill("1000")
    page.wait_for_timeout(100)
    assert page.locator(bar).get_attribute("points") != before


def test_a_crossing_shows_its_efforts(walk):
    """Through the Type 2 curve between two sides of the five-bar: the instant is told and the efforts are plotted."""
    page = look(walk, "fivebar", way={"start": [0, -0.05], "end": [0, 0.08]})
    page.get_by_role("button", name="Cross S → E").click()
    page.wait_for_selector("text=Crosses at t")
    assert page.locator("figure", has_text="efforts").locator("canvas").count() == 1


PLOTTED = """() => {
  const areas = [...document.querySelectorAll('.ways .plot-area')];
  const plot = areas.map((area) => area.plot).find((p) => p?.series.length === 5);
  const largest = (k) => Math.max(...plot.data[k].filter((v) => v !== null).map(Math.abs));
  return { labels: plot.series.slice(1).map((s) => s.label), largest: [1, 2, 3, 4].map(largest) };
}"""


def test_beside_a_crossing_s_efforts_stand_those_without_its_shape(walk):
    """Both curves of each drive: whole with the shape, dashed without it, which leaves the plot at the singularity."""
    page = look(walk, "biglide", way={"start": [-0.1, 0.3], "end": [0.1, 0.5]}, working="+-")
    page.get_by_role("button", name="Cross S → E").click()
    page.wait_for_selector("text=beyond any bound")
    seen = page.evaluate(PLOTTED)
    assert [label.split(" [")[0] for label in seen["labels"]] == ["τ q1", "τ q1, unshaped", "τ q2", "τ q2, unshaped"]
    shaped, plain = max(seen["largest"][0::2]), max(seen["largest"][1::2])
    assert 1.5 * shaped < plain <= 3 * shaped  # as far as it is drawn
    told = float(re.search(r"without that shape: ([\d.]+)", page.locator(".ways").inner_text())[1])
    assert told > 10 * shaped  # a thousandth of the duration before it


def test_a_robot_that_cannot_cross_says_so(walk):
    """Crossings are for a tip on two bars: for the plate the reason stands beside the button, which is off."""
    page = look(walk, "triplate")
    page.wait_for_selector("text=crossings are planned for a tip on two bars")
    assert page.get_by_role("button", name="Cross S → E").is_disabled()


@pytest.mark.parametrize("robot", ["slidercrank", "fourbar"])
def test_a_tip_that_is_bound_to_a_curve_has_no_singular_curves(walk, robot):
    """Its output has no plane of lines and loci: none is offered, nor a map; a link of old opens Explore."""
    page = walk.page
    page.goto(f"{walk.address}&screen=singularities&robot={robot}")
    page.wait_for_selector(".screen.explore .linkage.robot")
    assert page.locator("summary", has_text="Singular curves").count() == 0
    assert page.locator("summary", has_text="From S to E").count() == 0
    assert page.get_by_label("Map").count() == 0


def test_the_first_line_is_within_reach(walk):
    """S and E of a robot whose reach is small beside its size: the plan begins without a refusal."""
    page = look(walk, "rrr3")
    page.wait_for_selector("text=on the line")
    assert "Out of reach between s = 0.000" not in page.locator(".inspector").inner_text()


def test_an_obstacle_is_dragged_and_the_plan_goes_around_it(walk):
    """Put between S and E with the pointer it makes the plan longer; it is still there after another screen."""
    page = look(walk, "fivebar", way={"start": [-0.05, -0.11], "end": [0.05, -0.11]})
    page.get_by_role("button", name="Plan S → E").click()
    page.wait_for_selector("text=Found: 100 mm long")
    page.get_by_role("button", name="Add obstacle").click()
    (x0, y0), (x1, y1) = walk.middle(".handle.obstacle .seen"), walk.middle(".handle.end >> nth=0")
    x2, y2 = walk.middle(".handle.end >> nth=1")
    walk.drag(".handle.obstacle .seen", (x1 + x2) / 2 - x0, (y1 + y2) / 2 + 5 - y0)  # the arms come from above
    (place,) = page.evaluate("studio.state.value.settings.explore.obstacles")
    assert place[0] == pytest.approx(0, abs=1e-3)  # the middle of S and E, to a pixel
    assert -0.116 < place[1] < -0.11
    page.get_by_role("button", name="Plan S → E").click()
    page.wait_for_selector("text=Searching…")
    walk.until("!document.querySelector('#screen').textContent.includes('Searching…')")
    page.wait_for_selector("text=Found:")
    d = page.locator(".motion-path").get_attribute("d")
    heights = [float(row.split()[1]) for row in re.split("[ML]", d)[1:]]
    assert max(heights) - min(heights) > 3  # [px] the first was level
    page.locator("summary", has_text="From S to E").click()
    walk.until(
        "!document.querySelector('.handle.obstacle, .handle.end, .motion-path')"
    )  # closed, nothing of it is left
    page.get_by_role("navigation").get_by_text("Verify").click()
    page.wait_for_selector(".screen.verify")
    page.get_by_role("navigation").get_by_text("Explore").click()
    page.locator("summary", has_text="From S to E").click()
    page.wait_for_selector(".handle.obstacle")


AREAS = "[...document.querySelectorAll('.areas li')].map((row) => row.textContent)"


def test_aspects_keep_their_areas_and_colours_in_any_view(walk):
    """They are parts of the reach, not of what is seen of it: zooming in changes neither number, area nor colour."""
    page = look(walk, "fivebar")
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
    page = look(walk, "fivebar")
    page.wait_for_selector(".areas li")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def counted():
        session.send("HeapProfiler.collectGarbage")
        told = {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}
        return [told[name] for name in COUNTS]

    def visits(count):
        for _ in range(count):  # no handles of elements are taken: they would hold them
            page.evaluate("studio.go('define')")
            walk.until("document.querySelector('.screen.define') !== null")
            page.evaluate("studio.go('explore')")
            walk.until("document.querySelector('.screen.explore .handle.end') !== null")
        page.evaluate("studio.go('verify')")
        counts, before = counted(), None
        while counts != before:  # late answers
            page.wait_for_timeout(1500)
            counts, before = counted(), counts
        return counts

    first, last = visits(10), visits(30)
    assert last[0] < first[0] + 5 * 30  # a screen that stayed would be hundreds of elements a visit
    assert last[1] < first[1] + 30


def test_a_link_to_the_screen_of_old_opens_what_it_showed(walk):
    """Aspects, the line with its ends, the obstacles and the working mode are on Explore now."""
    old = settings(way={"start": [0, -0.05], "end": [0, 0.08]}, obstacles=[[0.05, 0]], working="+-")
    page = walk.page
    page.goto(f"{walk.address}&screen=singularities&robot=fivebar{old}")
    page.wait_for_selector(".screen.explore .handle.obstacle")
    page.wait_for_selector(".areas li")
    assert page.get_by_label("Map").input_value() == "aspects"
    assert page.locator("fieldset", has_text="Working").locator("input:checked").input_value() == "+-"
    assert page.get_by_label("E y", exact=True).input_value() == "0.08000"


SIDES = """() => { window.sides = [];
  const { kernels, p } = studio.robot.value; const told = () => { const { q, x } = studio.state.value;
    sides.push(kernels.configuration(q, x, p).det); };
  studio.state.listen(told); told(); }"""


def test_once_around_a_cusp_the_robot_is_in_another_assembly_mode(walk):
    """The dot is dragged along the circle that Python proves: the same legs, another pose, det A never zero."""
    model = cc.load("rpr3")
    found = cusps(model, {"rho1": 14.98})
    change = mode_change(model, found, 2)
    start = ",".join(map(str, change.q[0])), ",".join(map(str, change.x[0]))
    page = walk.open("explore", "rpr3", f"&q={start[0]}&x={start[1]}" + settings(map="none"))
    walk.until("document.querySelectorAll('.joint-pane .cusp').length === 4")
    page.locator(".joint-pane").scroll_into_view_if_needed()
    middle = walk.middle(".joint-pane .cusp >> nth=2")
    page.mouse.move(*middle)
    for _ in range(6):
        page.mouse.wheel(0, -150)
    page.wait_for_timeout(200)
    rings = [walk.middle(".joint-pane .handle.dot .seen"), walk.middle(".joint-pane .cusp >> nth=2")]
    (dx, dy), (cx, cy) = rings
    scale = (dx - cx) / (change.q[0, 1] - change.cusp.q[1])  # [px/m]; y is down
    slant = (dy - cy) / (change.q[0, 2] - change.cusp.q[2])
    page.evaluate(SIDES)
    page.mouse.move(dx, dy)
    page.mouse.down()
    for q in change.q[1:]:
        page.mouse.move(cx + scale * (q[1] - change.cusp.q[1]), cy + slant * (q[2] - change.cusp.q[2]))
    page.mouse.up()
    q, x = np.array(walk.state("q")), np.array(walk.state("x"))
    assert q == pytest.approx(change.q[0], abs=0.5)  # [m] two pixels of the pane
    assert np.hypot(*(x - change.x[0])[:2]) > 5  # another pose
    assert x == pytest.approx(change.x[-1], abs=0.5)
    sides = page.evaluate("sides")
    assert len(sides) > 100
    assert min(sides) > 0.5 * change.proof.least  # of the circle, that the pointer follows by pixels
