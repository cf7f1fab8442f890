"""The Explore screen in a real browser."""

import io
import math
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import closedchain as cc
from tests.browser.violations import violations

PLANAR = ("biglide", "fivebar", "triplate")
CHANGED = "JSON.stringify(studio.state.value.q) !== JSON.stringify(a[0])"
SHOWS_ANOTHER = "document.querySelector('.segmented input:checked')?.value !== a[0]"  # working mode than this
SVG = "{http://www.w3.org/2000/svg}"


def gap(robot, q, x):
    """How far the loops are open at what the page shows [m], by the compiled kernels."""
    model = cc.load(robot)
    return float(np.abs(model.call("closures", q=np.array(q), x=np.array(x))["gap"]).max())


def nearest_leg_gap(q, x, bar=0.3606, half=0.2):
    """Biglide by hand: by how much each bar differs from its length [m]."""
    return max(abs(math.hypot(x[0] - side * half, x[1] - foot) - bar) for side, foot in zip((-1, 1), q, strict=True))


@pytest.mark.parametrize("robot", PLANAR)
def test_the_tip_is_dragged_and_another_branch_taken_with_the_loops_closed(walk, robot):
    """The tip follows the pointer; a ghost of another mode takes over with the same output; so does a button."""
    page = walk.open("explore", robot)
    before, scale = walk.state("x"), page.evaluate("studio.robot.value.told.size")
    x0, y0 = walk.middle(".handle.tip .seen")
    walk.drag(".handle.tip .seen", 18, -14)
    x1, y1 = walk.middle(".handle.tip .seen")
    q, x = walk.state("q"), walk.state("x")
    assert (x1 - x0, y1 - y0) == pytest.approx((18, -14), abs=1.5)  # [px] of rounding
    assert x[0] > before[0]
    assert x[1] > before[1]
    assert gap(robot, q, x) < 1e-9 * scale
    shown = page.locator(".segmented input:checked").first.input_value()
    page.locator(".linkage.ghost[aria-label*='working mode']").first.focus()
    page.keyboard.press("Enter")
    walk.until(CHANGED, q)
    assert walk.state("x") == pytest.approx(x, abs=1e-12)
    assert gap(robot, walk.state("q"), x) < 1e-9 * scale
    q = walk.state("q")
    walk.until(SHOWS_ANOTHER, shown)  # the buttons follow a frame later
    page.locator("fieldset", has_text="Working").locator("input:not(:checked):not(:disabled)").first.check(force=True)
    walk.until(CHANGED, q)


@pytest.mark.parametrize("robot", ["cartpole", "squeezer"])
def test_what_has_no_closed_form_is_dragged_along_its_closures(walk, robot):
    """A linkage, and a robot whose legs are chained: the output follows the pointer, and nothing is refused."""
    page = walk.open("explore", robot)
    walk.until("document.querySelector('.handle.tip .seen')")
    before = walk.state("x")
    walk.drag(".handle.tip .seen", -10, 20)
    walk.until("JSON.stringify(studio.state.value.x) !== JSON.stringify(a[0])", before)
    page.wait_for_timeout(300)
    assert page.locator(".note-box:visible").count() == 0
    scale = page.evaluate("studio.robot.value.told.size")
    assert gap(robot, walk.state("q"), walk.state("x")) < 1e-9 * scale


def test_a_linkage_offers_only_what_it_has(walk):
    """No singularities, matrices, maps or branches; another screen of the address gives way to this one."""
    page = walk.open("explore", "pendulum")
    titles = page.locator(".inspector summary").all_inner_texts()
    assert titles == ["Where it stands", "Parameters", "Take away"]
    assert page.get_by_label("Map").count() == 0
    tab = page.locator("nav a", has_text="Study")
    assert tab.get_attribute("aria-disabled") == "true"
    assert "drives" in tab.get_attribute("title")


def test_a_click_on_a_ghost_switches_to_its_branch(walk):
    """The ghost −+ alone shares the second bar: clicked there, the first foot changes sides and the tip stays."""
    page = walk.open("explore", "biglide")
    q, x = walk.state("q"), walk.state("x")
    x0, y0 = walk.middle("[aria-label='switch to working mode -+'] .bar >> nth=1")
    page.mouse.click(x0, y0)
    walk.until(CHANGED, q)
    after = walk.state("q")
    assert after[0] == pytest.approx(2 * x[1] - q[0], abs=1e-12)  # mirrored about the tip's height
    assert after[1] == pytest.approx(q[1], abs=1e-12)


def test_dragging_a_foot_moves_that_drive_alone(walk):
    """The pointer goes up by 40 px: the first foot too, the second stays, and both bars keep their length."""
    walk.open("explore", "biglide")
    q = walk.state("q")
    walk.drag(".handle.drive >> nth=0", 0, -40)
    after = walk.state("q")
    assert after[0] > q[0] + 0.02
    assert after[1] == q[1]
    assert nearest_leg_gap(after, walk.state("x")) < 1e-12


def test_arrow_keys_move_the_tip_and_its_place_is_spoken(walk):
    """Each press is a hundredth of the robot's size; the slider's text says x and y in metres."""
    page = walk.open("explore", "biglide")
    size, x = page.evaluate("studio.robot.value.told.size"), walk.state("x")
    page.focus(".handle.tip")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    walk.until(f"Math.abs(studio.state.value.x[1] - {x[1] + size / 100}) < 1e-12")
    assert walk.state("x")[0] == pytest.approx(x[0] + 0.03 * size, abs=1e-12)
    walk.until("document.querySelector('.handle.tip').getAttribute('aria-valuetext').includes('metres')")
    spoken = page.get_attribute(".handle.tip", "aria-valuetext")
    assert re.fullmatch(r"x −?\d\.\d{3} metres, y −?\d\.\d{3} metres", spoken)


def test_a_typed_number_puts_the_tip_there(walk):
    """x = 0.05 m typed into the field: the tip is at 0.05 m and the drives agree with hand geometry."""
    page = walk.open("explore", "biglide")
    field = page.get_by_label("x", exact=True)
    field.fill("0.05")
    field.press("Enter")
    walk.until("studio.state.value.x[0] === 0.05")
    assert nearest_leg_gap(walk.state("q"), walk.state("x")) < 1e-12


def test_out_of_reach_the_robot_waits_at_the_boundary_and_names_the_leg(walk):
    """The tip is pulled beyond bar 1's end, x = l − d/2: it stops there and the message names leg A1-C."""
    page = walk.open("explore", "biglide")
    walk.drag(".handle.tip .seen", 260, 0, release=False)
    page.wait_for_selector("text=leg A1-C misses the target")
    assert walk.state("x")[0] == pytest.approx(0.3606 - 0.2, abs=1e-6)  # the slide along the boundary stops at 1e-6
    assert nearest_leg_gap(walk.state("q"), walk.state("x")) < 1e-9
    page.mouse.up()


def test_every_map_is_painted_and_follows_a_slider(walk):
    """Each quantity colours the canvas; another length of the bars changes the picture and the address."""
    page = walk.open("explore", "fivebar")
    picture = "document.querySelector('.stage canvas').toDataURL()"
    seen = []
    for quantity in ("none", "det_A", "det_B", "reach", "condition"):
        page.get_by_label("Map").select_option(quantity)
        walk.until(f"!a[0].includes({picture})", seen)
        seen.append(page.evaluate(picture))
    slider = page.locator(".slider", has_text="l2").locator("input[type=range]")
    slider.evaluate("e => { e.value = 400; e.dispatchEvent(new Event('input')); }")
    walk.until(f"!a[0].includes({picture})", seen)
    walk.until("location.hash.includes('p.l2=')")


def test_the_models_on_the_screen_are_those_of_the_compiled_kernels(walk):
    """det A and conditioning beside the stage agree with the package to the digits shown."""
    page = walk.open("explore", "fivebar")
    walk.until("document.querySelector('.readout dd').textContent !== '–'")
    model = cc.load("fivebar")
    A = model.call("closures", q=np.array(walk.state("q")), x=np.array(walk.state("x")))["A"]
    shown = page.locator("dt", has_text=re.compile(r"^det A$")).locator("xpath=following-sibling::dd[1]").inner_text()
    assert float(shown.replace("−", "-")) == pytest.approx(np.linalg.det(A), rel=1e-3)


@pytest.mark.parametrize("robot", PLANAR)
def test_png_and_svg_are_pictures_of_the_stage(walk, tmp_path, robot):
    """The SVG parses, holds the bars and needs no style sheet; the PNG is twice the stage's size."""
    page = walk.open("explore", robot)
    page.wait_for_timeout(400)
    with page.expect_download() as made:
        page.get_by_role("button", name="SVG", exact=True).click()
    made.value.save_as(tmp_path / "stage.svg")
    tree = ElementTree.parse(tmp_path / "stage.svg")
    assert len(tree.findall(f".//{SVG}polyline")) >= 2
    assert not tree.findall(".//*[@class]")
    with page.expect_download() as made:
        page.get_by_role("button", name="PNG", exact=True).click()
    made.value.save_as(tmp_path / "stage.png")
    width = int.from_bytes((tmp_path / "stage.png").read_bytes()[16:20], "big")
    assert width == 2 * page.evaluate("document.querySelector('.stage').clientWidth")


def test_the_copied_python_runs(walk, browse, studio, tmp_path):
    """The script on the clipboard is a program that ends well."""
    own = browse(studio, permissions=["clipboard-read", "clipboard-write"])
    page = own.open("explore", "biglide")
    page.get_by_role("button", name="Copy Python").click()
    page.wait_for_selector("text=The Python script is on the clipboard")
    script = tmp_path / "copied.py"
    script.write_text(page.evaluate("navigator.clipboard.readText()"), "utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_wrong_token_is_told_how_to_come_in(browse, studio):
    """Without the token the page shows no robot and says which address to open."""
    walk = browse(studio)
    walk.page.goto(studio.split("#")[0] + "#t=wrong")
    walk.page.wait_for_selector("text=Open the address that")
    assert walk.page.locator(".stage").count() == 0


@pytest.mark.parametrize(
    ("label", "typed", "told"),
    [
        ("x", "abc", "“abc” is not a number"),
        ("l value", "-1", "it must be positive"),
        ("d value", "1e99", "too large"),
    ],
)
def test_nonsense_in_a_field_is_told_and_taken_back(walk, label, typed, told):
    """One sentence says why; the field, the robot and the address are as they were."""
    page = walk.open("explore", "biglide")
    field = page.get_by_label(label, exact=True)
    before, values = field.input_value(), walk.state("robot")["values"]
    field.fill(typed)
    field.press("Enter")
    page.wait_for_selector(f".toast.error:has-text('{told}')")
    walk.until("document.activeElement.value === a[0]", before)
    assert walk.state("robot")["values"] == values
    page.get_by_label("y", exact=True).fill("1e99")  # farther than any drawing
    page.get_by_label("y", exact=True).press("Enter")
    page.wait_for_selector(".note-box:has-text('Out of reach')")


def test_on_a_singularity_not_searched_is_not_none_met(walk):
    """The biglide with a leg at its end: Type 1 is here; Type 2 was not searched, as a leg there is on two modes."""
    second = 0.25 - math.sqrt(0.3606**2 - (0.2 - 0.1606) ** 2)
    page = walk.open("explore", "biglide", f"&q=0.25,{second}&x=0.1606,0.25")
    page.wait_for_selector(".readout dd.bad")
    readout = page.locator(".readout").first.inner_text()
    assert "none met" not in readout
    assert readout.split("Type 1 (serial)")[1].split()[0] == "here"
    assert "not searched" in readout


def contrast(a, b):
    """WCAG's ratio of two colours."""

    def light(rgb):
        parts = [v / 255 for v in rgb]
        lines = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
        return 0.2126 * lines[0] + 0.7152 * lines[1] + 0.0722 * lines[2]

    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


ENDS = """(kind) => document.querySelector(`.linkage.robot .link.${kind}`).getAttribute("points").split(" ")
  .map((p) => p.split(",").map(Number))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_robot_is_seen_on_its_map(browse, studio, scheme):
    """What lies beside a bar and around the tip differs from it by at least 3 : 1 (WCAG 1.4.11), on any colour."""
    walk = browse(studio, scheme=scheme)
    page = walk.open("explore", "fivebar")
    page.wait_for_selector(".legend:not([hidden])")
    page.get_by_label("Ellipses").uncheck()
    page.wait_for_timeout(300)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    box = page.locator(".stage").bounding_box()
    (ax, ay), (bx, by) = page.evaluate(ENDS, "bar")
    long = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
    across = ((ay - by) / long, (bx - ax) / long)
    for part in (0.3, 0.5, 0.7):
        x, y = box["x"] + ax + part * (bx - ax), box["y"] + ay + part * (by - ay)
        middle = picture.getpixel((int(x), int(y)))
        for side in (-1, 1):
            beside = picture.getpixel(
                (round(x + side * 4.2 * across[0] - 0.5), round(y + side * 4.2 * across[1] - 0.5))
            )
            assert contrast(middle, beside) >= 3
    x, y = walk.middle(".handle.tip .seen")
    middle = picture.getpixel((round(x), round(y)))
    assert min(contrast(middle, picture.getpixel((round(x + dx), round(y)))) for dx in (-8, 8)) >= 3


def test_a_figure_has_the_map_as_shapes_with_axes_and_colours(walk):
    """The SVG of the stage holds no picture of points: filled contours, numbers along two edges, a bar of colours."""
    page = walk.open("explore", "fivebar")
    page.wait_for_selector(".legend:not([hidden])")
    with page.expect_download() as told:
        page.get_by_role("button", name="SVG").click()
    text = Path(told.value.path()).read_text(encoding="utf-8")
    assert "<image" not in text
    assert text.count('fill-rule="evenodd"') == 16
    assert "x, y [m]" in text
    assert "conditioning 1/κ" in text


def test_the_dot_of_the_joint_space_and_the_tip_are_one_thing(walk):
    """Dragging the dot moves both drives and the tip; dragging the tip moves the dot; the loops stay closed."""
    page = walk.open("explore", "fivebar")
    page.wait_for_selector(".joint-pane .type2", state="attached")
    q, x = walk.state("q"), walk.state("x")
    walk.drag(".joint-pane .handle .seen", 12, -9)
    moved = walk.state("q")
    assert moved[0] > q[0]
    assert moved[1] > q[1]
    assert walk.state("x") != x
    reached = cc.inverse(cc.load("fivebar"), x=walk.state("x")).q
    assert np.abs(np.angle(np.exp(1j * (reached - moved)))).max(axis=1).min() < 1e-9
    dot = walk.middle(".joint-pane .handle .seen")
    walk.drag(".handle.tip .seen", 8, 8)
    assert math.dist(walk.middle(".joint-pane .handle .seen"), dot) > 2
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    walk.until("JSON.stringify(studio.state.value.q) === JSON.stringify(a[0])", q)


def test_singular_curves_lie_in_both_spaces_coarse_first_then_proven(walk):
    """The biglide in "+-": Type 2 is x = 0, so that q1 − q2 is twice a bar's height: slope 1 in the drives."""
    page = walk.open("explore", "biglide", "&set=" + quote('{"map":"none"}'))
    page.locator("label", has_text="+−").first.click()
    page.wait_for_selector("text=proven")
    assert page.locator(".stage .loci .type2").count() >= 1
    d = page.locator(".joint-pane .type2").first.get_attribute("d")
    points = np.array([[float(v) for v in p.split()] for p in re.split("[ML]", d)[1:]])
    slope, height = np.polyfit(*points.T, 1)
    assert slope == pytest.approx(-1, abs=0.02)  # y is down
    assert np.abs(slope * points[:, 0] + height - points[:, 1]).max() < 0.2  # [px] tenths are written


def test_a_drive_and_a_length_move_by_themselves_and_a_point_is_traced(walk):
    """▶ beside a drive turns it to and fro, the trace of A1 is an arc about one centre; one Undo takes all back."""
    page = walk.open("explore", "fivebar")
    page.wait_for_selector(".readout dd.good")
    first = walk.state("q")
    page.get_by_label("Trace").select_option("A1")
    page.get_by_role("button", name="move q11 to and fro").click()
    page.wait_for_timeout(600)
    page.get_by_role("button", name="stop q11").click(delay=120)  # [ms] as a finger does: it moves meanwhile
    assert walk.state("q")[0] != first[0]
    assert walk.state("q")[1] == first[1]
    d = page.locator(".trace-of").get_attribute("d")
    points = np.array([[float(v) for v in p.split()] for p in re.split("[ML]", d)[1:]])
    a, b = np.linalg.lstsq(np.c_[2 * points, np.ones(len(points))], (points**2).sum(axis=1), rcond=None)[0][:2]
    radius = np.hypot(*(points - [a, b]).T)
    assert np.ptp(radius) < 0.5  # [px] about one centre
    page.get_by_role("button", name="Undo").click()
    walk.until("JSON.stringify(studio.state.value.q) === JSON.stringify(a[0])", first)
    page.get_by_role("button", name="move l1 to and fro").click()
    walk.until("studio.robot.value.told.parameters.find((p) => p.name === 'l1').value !== 0.09")
    page.get_by_role("button", name="stop l1").click()


def test_each_notion_says_what_it_is(walk):
    """A "?" opens one sentence, and closes it; a screen reader knows both."""
    page = walk.open("explore", "fivebar")
    page.wait_for_selector(".readout dd.good")
    ask = page.get_by_role("button", name="what is Type 2?")
    ask.click()
    assert page.locator(".notion-words:not([hidden])").inner_text().endswith("det A = 0.")
    assert violations(page) == []
    ask.click()
    assert page.locator(".notion-words:not([hidden])").count() == 0


def test_the_robot_is_let_go_and_moves_by_its_own_dynamics(walk):
    """A force on the biglide's foot 1 moves it along the force; the loops stay closed; in one's hand it rests."""
    page = walk.open("explore", "biglide")
    page.wait_for_selector(".readout dd.good")
    q = walk.state("q")
    page.locator("summary", has_text="Let it move").click()
    page.get_by_label("q1 value").last.fill("5")
    page.get_by_label("q1 value").last.press("Enter")
    page.wait_for_timeout(400)
    page.get_by_role("button", name="■ Stop").click()
    moved, x = walk.state("q"), walk.state("x")
    assert moved[0] > q[0]
    for foot, side in zip(moved, (-0.2, 0.2), strict=True):
        assert math.hypot(x[0] - side, x[1] - foot) == pytest.approx(0.3606, abs=1e-9)
    walk.drag(".handle.tip .seen", 5, 5)
    page.get_by_role("button", name="▶ Start").click()
    page.get_by_role("button", name="■ Stop").wait_for()


def test_a_robot_that_moves_by_itself_is_pulled_by_a_spring_and_shows_its_efforts(walk):
    """The hand takes the biglide's tip by a spring: it comes after the hand, and its loops stay closed."""
    page = walk.open("explore", "biglide")
    page.wait_for_selector(".readout dd.good")
    page.locator("summary", has_text="Let it move").click()
    page.get_by_role("button", name="▶ Start").click()
    x, y = walk.middle(".handle.tip .seen")
    before = walk.state("x")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=6)
    walk.until("studio.state.value.x[0] > a[0] + 0.02", before[0])
    assert page.locator(".mark.rope").get_attribute("d")
    assert page.locator(".effort-bar:visible").count() == 2
    page.mouse.up()
    page.get_by_role("button", name="■ Stop").click()
    x = walk.state("x")
    for foot, side in zip(walk.state("q"), (-0.2, 0.2), strict=True):
        assert math.hypot(x[0] - side, x[1] - foot) == pytest.approx(0.3606, abs=1e-9)


def test_the_first_moves_are_told_on_the_drawing_and_read_off_the_state(walk):
    """Drag, press a ghost, take back: the next one is told; sent away, they do not come again."""
    page = walk.open("explore", "biglide")
    page.wait_for_selector(".first-moves >> text=1 of 5: Drag the green tip.")
    walk.drag(".handle.tip .seen", 20, 10)
    page.wait_for_selector(".first-moves >> text=2 of 5: Press a grey ghost")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".first-moves >> text=3 of 5: Press a grey ghost")
    page.get_by_role("button", name="no more hints").click()
    page.reload()
    page.wait_for_selector(".handle.tip")
    assert page.locator(".first-moves").count() == 0


def test_each_mode_has_a_picture_of_the_robot_in_it(walk):
    """Four working modes, four shapes; dragged, they follow; on the button of a mode the sign stays readable."""
    page = walk.open("explore", "fivebar")
    pictures = (
        "[...document.querySelectorAll('.tools .segments label')]"
        ".map((label) => label.querySelector('.thumb-line')?.getAttribute('d'))"
    )
    walk.until(f"{pictures}.length === 6 && {pictures}.every(Boolean)")
    before = page.evaluate(pictures)
    assert len(set(before[:4])) == 4
    assert before[4] != before[5]
    assert page.locator(".tools .segments label >> nth=1").inner_text() == "+−"
    walk.drag(".handle.tip", 40, 10)
    walk.until(f"{pictures}.every((d, i) => d && d !== a[0][i])", before)


def test_nothing_beside_the_robot_moves_it_while_it_is_dragged(walk):
    """Names of branches come and go while the plate is dragged; the stage keeps its size, so the tip its pointer."""
    page = walk.open("explore", "triplate")
    page.wait_for_selector(".handle.tip")
    sizes = set()
    for _ in range(3):
        walk.drag(".handle.tip .seen", 18, -14, release=False)
        sizes.add(page.evaluate("document.querySelector('.stage').clientHeight"))
        page.mouse.up()
        sizes.add(page.evaluate("document.querySelector('.stage').clientHeight"))
    assert len(sizes) == 1
