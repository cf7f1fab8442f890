"""The Define screen in a real browser."""

import re

import pytest

from tests.browser.violations import violations
from tests.browser.writing import put_text, text_of

PLANAR = ("biglide", "fivebar", "triplate")


WRONG = """() => {
  const top = (e) => e.getBoundingClientRect().top;
  const all = (selector) => [...document.querySelector(".editor").shadowRoot.querySelectorAll(selector)];
  const numbers = all(".cm-lineNumbers .cm-gutterElement");
  return all(".cm-lint-marker-error")
    .map((mark) => top(mark.closest(".cm-gutterElement")))
    .map((y) => Number(numbers.find((e) => Math.abs(top(e) - y) < 3)?.textContent));
}"""


def wrong_lines(page):
    """The lines that have a mark beside their number."""
    page.wait_for_selector(".cm-lint-marker-error")
    return page.evaluate(WRONG)


def write(page, change):
    """Change the text of the editor."""
    page.wait_for_selector(".status.good")
    text = text_of(page)
    changed = change(text)
    assert changed != text
    put_text(page, changed)


@pytest.mark.parametrize("robot", PLANAR)
def test_a_robot_opens_as_its_file_and_its_drawing(walk, robot):
    """The text is the robot's mechanism file; the drawing shows its parts."""
    page = walk.open("define", robot)
    page.wait_for_selector(".status.good")
    assert f'name = "{robot}"' in text_of(page)
    page.wait_for_selector(".linkage.robot .link")
    assert page.locator(".linkage.robot .link").count() >= 2


def test_a_mistake_is_marked_in_its_line_and_the_drawing_stays(walk):
    """A broken table: the line is marked, the message is told, its button puts the caret there."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".linkage.robot .link")
    write(page, lambda text: text + "\n[oops\n")
    (line,) = wrong_lines(page)
    assert text_of(page).split("\n")[line - 1] == "[oops"
    assert page.locator(".linkage.robot .link").count() >= 2
    page.locator("#mistakes button").click()
    walk.until("document.querySelector('.editor').shadowRoot.querySelector('.cm-activeLine').textContent === '[oops'")
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


CONTRASTS = """() => {
  const number = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = (c) => c.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const against = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const host = document.querySelector(".editor");
  const style = (selector) => getComputedStyle(host.shadowRoot.querySelector(selector));
  const paper = [getComputedStyle(host), style(".cm-lintRange-error")].map((one) => number(one.backgroundColor));
  return Object.fromEntries(["key", "string", "number", "comment", "head"].map((kind) => {
    const ink = number(style(`.cm-line .${kind}`).color);
    return [kind, [...paper.map((p) => against(ink, p)), ink.join()]];
  }));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_kind_of_word_has_its_colour_with_enough_contrast(browse, studio, scheme):
    """Keys, strings, numbers, comments and heads differ; at least 4.5 : 1 (WCAG AA), on a wrong line too."""
    walk = browse(studio, scheme=scheme)
    page = walk.open("define", "biglide")
    write(page, lambda text: text + '\nq1 = """a\n[b]\n"""\n[oops\n')
    page.wait_for_selector(".cm-lintRange-error")
    found = page.evaluate(CONTRASTS)
    assert len({ink for *_, ink in found.values()}) == 5
    assert min(min(ratios) for *ratios, _ in found.values()) >= 4.5
    assert page.locator(".cm-line .string", has_text="[b]").count() == 1
    assert violations(page) == []


def test_what_is_typed_is_coloured_and_undone(walk):
    """Tab writes two spaces; undo takes them back; the colours follow."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    page.locator("#toml").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    page.keyboard.type("k = 3 # new\n")
    page.wait_for_selector(".cm-line .comment >> text=# new")
    assert text_of(page).startswith("  k = 3 # new\n")
    assert page.locator(".cm-line").first.locator(".number").inner_text() == "3"
    for _ in range(20):
        page.keyboard.press("Control+z")
    assert text_of(page).startswith("# A mechanism file")
    assert page.locator(".cm-line").first.inner_text().startswith("# A mechanism file")


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
    lines = text_of(page).split("\n")
    places = [next(i for i, line in enumerate(lines, 1) if bad in line) for bad in ("stone", "masss", 'length = "k"')]
    assert wrong_lines(page) == places
    buttons = page.locator("#mistakes button").all_inner_texts()
    assert buttons[1] == f"line {places[1]}, column {lines[places[1] - 1].index('masss') + 1}"


def test_a_robot_that_does_not_close_is_told_at_its_bar(walk):
    """What the reading cannot know, the robot itself says: at the bar that is too short, not at the first line."""
    page = walk.open("define", "biglide")
    write(page, lambda text: text.replace("value = 0.3606", "value = 0.1"))
    page.wait_for_selector("text=1 mistake")
    (line,) = wrong_lines(page)
    assert text_of(page).split("\n")[line - 1] == "[[bars]]"


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


def until_offered(page, label, place=""):
    """Wait until the editor offers something; the list of the letters before may still stand."""
    row = page.locator(f".cm-tooltip-autocomplete li{place} .cm-completionLabel")
    row.filter(has_text=re.compile(f"^{re.escape(label)}$")).first.wait_for()


def test_the_schema_completes_what_is_typed(walk):
    """Keys of the table that the caret is in, names of points for a bar, units, tables; Enter writes the first."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    page.locator("#toml").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\n[[ba")
    until_offered(page, "[[bars]]", ":first-child")
    page.wait_for_timeout(150)  # what appears under a typing hand is not taken by its next key
    page.keyboard.press("Enter")
    page.keyboard.type("\nle")
    until_offered(page, "length", ":first-child")
    page.wait_for_timeout(150)
    page.keyboard.press("Enter")
    page.keyboard.type('"l"\nbetween = ["A')
    until_offered(page, '"A1"')
    until_offered(page, '"A2"')
    page.keyboard.press("Escape")
    assert '[[bars]]\nlength = "l"\nbetween = ["A"]' in text_of(page)
    page.wait_for_selector(".status.bad")  # nothing is written on the page any more while it is looked at
    assert violations(page) == []


def test_a_robot_of_space_is_drawn_as_on_its_own_screen(walk):
    """The one drawing of space, which can be turned; no tools that build in the plane; written numbers move it."""
    page = walk.open("define", "delta")
    page.wait_for_selector(".status.good")
    page.wait_for_selector(".reading .space-view canvas")
    assert not page.locator(".build-row").is_visible()
    points = "JSON.stringify([...document.querySelector('.space-view').view.bodies.get('robot').points])"
    before = page.evaluate(points)
    put_text(page, text_of(page).replace("value = 0.524", "value = 0.6"))
    walk.until(f"{points} !== a[0]", before)


def test_a_mass_is_no_length(walk):
    """The unit of a length made kg is a mistake of its own line."""
    page = walk.open("define", "biglide")
    write(page, lambda text: text.replace('value = 0.3606, unit = "m"', 'value = 0.3606, unit = "kg"'))
    page.wait_for_selector(".status.bad")
    told = page.locator("#mistakes").inner_text()
    assert "kg" in told
    assert wrong_lines(page)


def test_tab_writes_spaces_and_after_escape_it_leaves(walk):
    """The keyboard is not caught in the editor."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    page.locator("#toml").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    assert text_of(page).startswith("  ")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.matches('.editor')")
