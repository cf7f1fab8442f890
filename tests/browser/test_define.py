"""The Define screen in a real browser."""

import pytest

from tests.browser.violations import violations

PLANAR = ("biglide", "fivebar", "triplate")


def write(page, change):
    """Change the text of the editor."""
    page.wait_for_selector(".status.good")
    text = page.input_value("#toml")
    changed = change(text)
    assert changed != text
    page.fill("#toml", changed)


@pytest.mark.parametrize("robot", PLANAR)
def test_a_robot_opens_as_its_file_and_its_drawing(walk, robot):
    """The text is the robot's mechanism file; the drawing shows its parts."""
    page = walk.open("define", robot)
    page.wait_for_selector(".status.good")
    assert f'name = "{robot}"' in page.input_value("#toml")
    page.wait_for_selector(".linkage.robot .link")
    assert page.locator(".linkage.robot .link").count() >= 2


def test_a_mistake_is_marked_in_its_line_and_the_drawing_stays(walk):
    """A broken table: the line is marked, the message is told, its button puts the caret there."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".linkage.robot .link")
    write(page, lambda text: text + "\n[oops\n")
    page.wait_for_selector(".gutter .wrong")
    line = int(page.inner_text(".gutter .wrong").strip())
    assert page.input_value("#toml").split("\n")[line - 1] == "[oops"
    assert page.locator(".linkage.robot .link").count() >= 2
    page.locator("#mistakes button").click()
    start = page.evaluate("document.querySelector('#toml').selectionStart")
    assert page.input_value("#toml")[:start].count("\n") == line - 1
    assert page.get_by_role("button", name="Open in the studio").is_disabled()


def test_a_changed_text_changes_the_drawing_and_opens_in_the_studio(walk):
    """Rails farther apart make another robot, and Explore drags it."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".linkage.robot .bar")
    write(page, lambda text: text.replace("value = 0.4,", "value = 0.5,").replace("biglide", "wide"))
    page.wait_for_selector("text=wide: 2 drives")
    page.get_by_role("button", name="Open in the studio").click()
    page.wait_for_selector(".screen.explore")
    assert page.evaluate("studio.robot.value.told.name") == "wide"
    before = walk.state("x")[0]
    walk.drag(".handle.tip .seen", 15, 0)
    assert walk.state("x")[0] > before


SIZES = """[...document.querySelectorAll('.formulas math')].map((m) => m.getBoundingClientRect())
  .map((box) => [box.width, box.height])"""


@pytest.mark.parametrize(("robot", "width"), [("biglide", 1280), ("triplate", 1024), ("furuta", 1024)])
def test_equations_are_typeset_and_fit_beside_the_drawing(browse, studio, robot, width):
    """Every formula is a MathML element with a size; lines end before the box does; a screen reader has its names."""
    walk = browse(studio, width, 768)
    page = walk.open("define", robot)
    page.wait_for_selector(".status.good")
    page.locator("label.tick", has_text="Equations").click()
    page.wait_for_selector(".formulas math", timeout=90_000)
    sizes = page.evaluate(SIZES)
    assert len(sizes) >= 7
    assert all(w > 20 and h > 10 for w, h in sizes)
    assert page.locator(".formulas pre").count() == 0
    names = page.evaluate("[...document.querySelectorAll('.formulas math *')].map((e) => e.namespaceURI)")
    assert set(names) == {"http://www.w3.org/1998/Math/MathML"}
    over = page.evaluate("[...document.querySelectorAll('.typeset')].map((e) => e.scrollWidth - e.clientWidth)")
    assert max(over) == 0
    assert page.evaluate("document.querySelector('.formulas mfrac').getBoundingClientRect().height") > 20
    assert all(page.locator(".formulas h3").all_inner_texts())
    assert violations(page) == []


def test_the_latex_of_a_formula_is_copied(browse, studio):
    """The button beside a title."""
    walk = browse(studio, permissions=["clipboard-read", "clipboard-write"])
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    page.locator("label.tick", has_text="Equations").click()
    page.get_by_role("button", name="copy the LaTeX of Closures, each is zero").click()
    page.wait_for_selector(".toast")
    assert r"\boldsymbol{\varphi} = \begin{bmatrix}" in page.evaluate("navigator.clipboard.readText()")


LAYERS = """() => {
  const area = document.querySelector("#toml"), under = document.querySelector(".backdrop");
  const zoom = document.documentElement.currentCSSZoom ?? 1, box = (e) => e.getBoundingClientRect();
  const ends = [...under.querySelectorAll("div > span:last-child")].map((span) => box(span).right);
  return { text: [...under.children].map((line) => line.textContent).join("\\n"), typed: area.value,
    height: box(under).height / zoom, scrollHeight: area.scrollHeight - 20,
    top: (box(under).top - box(area).top) / zoom + area.scrollTop,
    width: (Math.max(...ends) - box(area).left) / zoom + area.scrollLeft, scrollWidth: area.scrollWidth,
    fonts: [area, under].map((e) => getComputedStyle(e))
      .map((s) => [s.fontFamily, s.fontSize, s.lineHeight, s.fontKerning, s.tabSize].join()),
    ink: getComputedStyle(area).color };
}"""


@pytest.mark.parametrize("zoom", [1, 1.25, 0.9])
def test_the_colours_lie_under_the_letters(browse, studio, zoom):
    """Same text, same font, same lines and the same width as the text area, scrolled both ways, at any zoom."""
    walk = browse(studio, device_scale_factor=zoom)
    page = walk.open("define", "triplate")
    page.evaluate("zoom => (document.documentElement.style.zoom = zoom)", zoom)
    write(page, lambda text: "\n".join([*text.split("\n"), "# \t日本 wide → é", *(f"# {k}" for k in range(80)), ""]))
    page.evaluate("document.querySelector('#toml').scrollTo(60, 300)")
    walk.until("document.querySelector('.backdrop').style.transform === 'translate(-60px, -300px)'")
    found = page.evaluate(LAYERS)
    assert found["text"] == found["typed"]
    assert found["fonts"][0] == found["fonts"][1]
    assert found["ink"] == "rgba(0, 0, 0, 0)"
    assert found["height"] == pytest.approx(found["scrollHeight"], abs=1)
    assert found["top"] == pytest.approx(10, abs=1)
    assert found["width"] == pytest.approx(found["scrollWidth"], abs=2)


CONTRASTS = """() => {
  const number = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = (c) => c.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const against = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const style = (selector) => getComputedStyle(document.querySelector(selector));
  const paper = [".sheet", ".backdrop .wrong"].map((selector) => number(style(selector).backgroundColor));
  return Object.fromEntries(["key", "string", "number", "comment", "head"].map((kind) => {
    const ink = number(style(`.backdrop .${kind}`).color);
    return [kind, [...paper.map((p) => against(ink, p)), ink.join()]];
  }));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_kind_of_word_has_its_colour_with_enough_contrast(browse, studio, scheme):
    """Keys, strings, numbers, comments and heads differ; at least 4.5 : 1 (WCAG AA), on a wrong line too."""
    walk = browse(studio, scheme=scheme)
    page = walk.open("define", "biglide")
    write(page, lambda text: text + '\nq1 = """a\n[b]\n"""\n[oops\n')
    page.wait_for_selector(".backdrop .wrong")
    found = page.evaluate(CONTRASTS)
    assert len({ink for *_, ink in found.values()}) == 5
    assert min(min(ratios) for *ratios, _ in found.values()) >= 4.5
    assert page.locator(".backdrop .string", has_text="[b]").count() == 1
    assert violations(page) == []


def test_what_is_typed_is_coloured_and_undone(walk):
    """Tab writes two spaces; undo takes them back; the colours follow."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    page.locator("#toml").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    page.keyboard.type("k = 3 # new\n")
    page.wait_for_selector(".backdrop .comment >> text=# new")
    assert page.input_value("#toml").startswith("  k = 3 # new\n")
    assert page.locator(".backdrop div").first.locator(".number").inner_text() == "3"
    for _ in range(20):
        page.keyboard.press("Control+z")
    assert page.input_value("#toml").startswith("# A mechanism file")
    assert page.locator(".backdrop div").first.inner_text().startswith("# A mechanism file")


def test_every_mistake_is_marked_at_its_own_place(walk):
    """A unit that is none, a key that is none, a name that is none: three lines, each with its message and column."""
    page = walk.open("define", "biglide")
    wrong = [('unit = "kg", about = "mass of the tip"', 'unit = "stone", about = "mass of the tip"')]
    wrong += [("free = true, mass", "free = true, masss"), ('length = "l"\n\n[[readouts', 'length = "k"\n\n[[readouts')]

    def broken(text):
        for right, false in wrong:
            text = text.replace(right, false, 1)
        return text

    write(page, broken)
    page.wait_for_selector("text=3 mistakes")
    lines = page.input_value("#toml").split("\n")
    places = [next(i for i, line in enumerate(lines, 1) if bad in line) for bad in ("stone", "masss", 'length = "k"')]
    assert [int(text) for text in page.locator(".gutter .wrong").all_inner_texts()] == places
    buttons = page.locator("#mistakes button").all_inner_texts()
    assert buttons[1] == f"line {places[1]}, column {lines[places[1] - 1].index('masss') + 1}"


def test_a_robot_that_does_not_close_is_told_at_its_bar(walk):
    """What the reading cannot know, the robot itself says: at the bar that is too short, not at the first line."""
    page = walk.open("define", "biglide")
    write(page, lambda text: text.replace("value = 0.3606", "value = 0.1"))
    page.wait_for_selector("text=1 mistake")
    line = int(page.inner_text(".gutter .wrong").strip())
    assert page.input_value("#toml").split("\n")[line - 1] == "[[bars]]"


def test_equations_do_not_hold_up_the_drawing(walk):
    """With equations ticked a change is checked and drawn at once; the formulas follow when it rests."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    page.locator("label.tick", has_text="Equations").click()
    page.wait_for_selector(".formulas math", timeout=90_000)
    write(page, lambda text: text.replace('name = "biglide"', 'name = "renamed"'))
    page.wait_for_selector("text=renamed: 2 drives")
    page.wait_for_selector("text=of the text before")
    walk.until("!document.querySelector('#screen').textContent.includes('of the text before')")
    assert page.locator(".formulas math").count() >= 7
