"""A robot built by hand on the stage of Define, with the mouse and with keys; the text follows, and leads."""

import re

import pytest
from PIL import Image

from tests.browser.violations import violations
from tests.browser.writing import put_text, text_of


@pytest.fixture
def desk(walk):
    """An empty file, and where places of the plane are on the page [px]."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    page.get_by_role("button", name="New").click()
    page.wait_for_selector("text=add a drive")
    return page


def spot(page, x, y):
    """Where a place of the plane is on the page."""
    origin = page.locator(".axes-marks path").get_attribute("d")
    ox, oy = map(float, re.match(r"M([\d.e-]+) ([\d.e-]+)", origin).groups())
    box = page.locator(".stage > svg").bounding_box()
    d = page.locator(".ruler").get_attribute("d")
    long = float(re.search(r"h([\d.]+)", d)[1])
    text = page.locator(".ruler-text").text_content()
    metres = float(text.split()[0]) * (1e-3 if "mm" in text else 1)
    return box["x"] + ox + x * long / metres, box["y"] + oy - y * long / metres


def tool(page, name):
    """Take a tool."""
    page.locator(".build-row label", has_text=re.compile(f"^{name}$")).click()


def stroke(page, name, start, end=None):
    """Use a tool from one place to another."""
    tool(page, name)
    page.mouse.move(*spot(page, *start))
    page.mouse.down()
    if end is not None:
        page.mouse.move(*spot(page, *end), steps=4)
    page.mouse.up()
    page.wait_for_timeout(60)


def mobility(page, words):
    """Wait for what the stage says of the mobility."""
    page.wait_for_function("words => document.querySelector('.mobility').textContent === words", arg=words)


def test_a_five_bar_is_built_by_mouse_and_dragged(desk):
    """Two cranks, two bars that meet, the tip: each step says what is missing; the robot opens in Explore."""
    page = desk
    stroke(page, "crank", (-0.1, 0), (-0.2, 0.2))
    stroke(page, "crank", (0.1, 0), (0.2, 0.2))
    mobility(page, "Mobility 2, 2 drives: draw a bar from a drive's point to where the tip is to be.")
    stroke(page, "bar", (-0.2, 0.2), (0, 0.4))
    mobility(page, "Mobility 3, 2 drives: add one bar.")
    stroke(page, "bar", (0.2, 0.2), (0, 0.4))
    mobility(page, "Mobility 2, 2 drives: choose the tip.")
    stroke(page, "tip", (0, 0.4))
    mobility(page, "Mobility 2, 2 drives: complete.")
    page.wait_for_selector(".status.good")
    text = text_of(page)
    assert text.count("[[bars]]") == 2
    assert text.count("crank = {") == 2
    assert 'output = "C1"' in text
    lengths = [float(v) for v in re.findall(r"length = ([\d.]+)", text)]
    assert lengths == pytest.approx([0.2828, 0.2828], abs=0.012)  # √(0.2² + 0.2²), on the grid
    page.get_by_role("button", name="Open in the studio").click()
    page.wait_for_selector(".screen.explore .handle.tip")
    assert page.evaluate("studio.robot.value.told.working") == ["++", "+-", "-+", "--"]


def test_a_four_bar_is_built_by_mouse(desk):
    """A crank, a fixed joint, two bars that meet: mobility 1."""
    page = desk
    stroke(page, "crank", (-0.1, 0), (-0.1, 0.1))
    stroke(page, "ground", (0.2, 0))
    stroke(page, "bar", (-0.1, 0.1), (0.2, 0.3))
    stroke(page, "bar", (0.2, 0), (0.2, 0.3))
    stroke(page, "tip", (0.2, 0.3))
    mobility(page, "Mobility 1, 1 drive: complete.")
    page.wait_for_selector("text=mine: 1 drive, 2 outputs")


@pytest.mark.parametrize("bars", [4, 5])
def test_they_are_built_by_keys_alone(desk, bars):
    """The form below the stage: kinds, names and numbers; no pointer is used."""
    page = desk

    def add(kind, start, end=""):
        page.get_by_label("Add", exact=True).select_option(kind)
        page.get_by_label("from", exact=True).fill(start)
        if end:
            page.get_by_label("to", exact=True).fill(end)
        page.get_by_label("from", exact=True).press("Enter")
        page.wait_for_timeout(500)

    add("crank", "-0.1 0", "-0.1 0.1")
    add("crank", "0.1 0", "0.1 0.1") if bars == 5 else add("ground", "0.1 0")
    add("bar", "A1", "0 0.3")
    add("bar", "A2" if bars == 5 else "O1", "C1")
    add("tip", "C1")
    page.wait_for_selector(f"text=mine: {bars - 3} drive")
    assert "Mobility" in page.locator(".mobility").inner_text()


def test_the_text_leads_and_the_hand_follows(desk):
    """A length that is written moves nothing else; a joint that is dragged rewrites its bars; Undo takes it back."""
    page = desk
    stroke(page, "crank", (-0.1, 0), (-0.1, 0.1))
    stroke(page, "bar", (-0.1, 0.1), (0.1, 0.2))
    page.wait_for_timeout(500)
    before = text_of(page)
    put_text(page, before.replace("[points]", "# mine\n[points]"))
    page.wait_for_timeout(600)
    tool(page, "move")
    page.locator(".handle.built[aria-label='point C1']").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(120)
    after = text_of(page)
    assert "# mine" in after
    first, second = (float(re.search(r"length = ([\d.]+)", text)[1]) for text in (before, after))
    assert second > first + 0.005
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function(
        "text => document.querySelector('.editor').editor.text === text",
        arg=before.replace("[points]", "# mine\n[points]"),
    )


def test_a_plate_and_what_is_removed(desk):
    """Three corners and the first again make a plate; removing one of its corners takes it and its bars away."""
    page = desk
    tool(page, "plate")
    for corner in ((0, 0.2), (0.2, 0.2), (0.1, 0.4), (0, 0.2)):
        page.mouse.click(*spot(page, *corner))
        page.wait_for_timeout(40)
    page.wait_for_selector(".building .plate")
    assert "[plates.plate1]" in text_of(page)
    stroke(page, "telescope", (-0.2, 0), (0, 0.2))
    page.wait_for_timeout(500)
    assert 'telescope = { base = "O1", tip = "P1" }' in text_of(page)
    stroke(page, "remove", (0.2, 0.2))
    page.wait_for_timeout(500)
    assert "plates" not in text_of(page)
    assert "telescope" not in text_of(page)
    assert violations(page) == []


def test_a_point_is_held_by_a_rail(desk):
    """A crank, a bar to a free joint, a rail from the joint to a fixed point: a slider-crank, mobility 1."""
    page = desk
    stroke(page, "crank", (0, 0), (0, 0.1))
    stroke(page, "bar", (0, 0.1), (0.3, 0))
    stroke(page, "ground", (0.4, 0))
    stroke(page, "rail", (0.3, 0), (0.4, 0))
    stroke(page, "tip", (0.3, 0))
    mobility(page, "Mobility 1, 1 drive: complete.")
    text = text_of(page)
    assert 'point = "C1"\nthrough = "O1"\nalong = [1, 0]' in text
    page.wait_for_selector("text=mine: 1 drive, 2 outputs")


def test_a_pin_makes_two_points_one(desk):
    """Two free joints, each on a crank's bar, pinned together: the five-bar again, mobility 2."""
    page = desk
    stroke(page, "crank", (-0.1, 0), (-0.2, 0.2))
    stroke(page, "crank", (0.1, 0), (0.2, 0.2))
    stroke(page, "bar", (-0.2, 0.2), (0, 0.4))
    stroke(page, "bar", (0.2, 0.2), (0.1, 0.4))
    mobility(page, "Mobility 4, 2 drives: add 2 bars.")
    stroke(page, "pin", (0.1, 0.4), (0, 0.4))
    mobility(page, "Mobility 2, 2 drives: choose the tip.")
    assert '[[pins]]\nbetween = ["C2", "C1"]' in text_of(page)


def test_a_photo_lies_behind_the_grid_at_its_width(desk, tmp_path):
    """A picture twice as wide as high, 0.4 m wide about (0, 0.2): its edges lie where the plane has them."""
    page = desk
    picture = tmp_path / "photo.png"
    Image.new("RGB", (200, 100), (180, 120, 60)).save(picture)
    page.get_by_label("photo behind the grid").set_input_files(picture)
    for label, value in (("photo wide", "0.4"), ("at x", "0"), ("y", "0.2")):
        page.get_by_label(label, exact=True).fill(value)
        page.get_by_label(label, exact=True).press("Enter")
    box = page.locator(".photo").bounding_box()
    left, top = spot(page, -0.2, 0.3)
    right, bottom = spot(page, 0.2, 0.1)
    seen = [box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]]
    assert seen == pytest.approx([left, top, right, bottom], abs=1.5)
    assert violations(page) == []
    page.get_by_role("button", name="No photo").click()
    assert not page.locator(".photo").is_visible()
