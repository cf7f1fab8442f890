"""Nothing is cut off on a laptop, on a tablet held upright, or on a page that is zoomed to 150 %."""

from urllib.parse import quote

import pytest

WAYS = "&set=" + quote('{"map":"aspects","ways":true}')
SCREENS = [("explore", "", ".readout dd.good"), ("simulate", "", ".set-up .quantity"), ("explore", WAYS, ".areas li")]
CUT = """() => {
  const seen = (e) => e.getClientRects().length > 0 && !e.closest(".unseen");
  const inputs = [...document.querySelectorAll("input[type=text]")].filter(seen);
  const controls = [...document.querySelectorAll("button, select, #screen input, nav a")].filter(seen);
  const out = ({ left, right }) => left < -1 || right > innerWidth + 1;
  return [
    ...inputs.filter((e) => e.scrollWidth > e.clientWidth).map((e) => `${e.labels[0].textContent} = ${e.value}`),
    ...controls.filter((e) => out(e.getBoundingClientRect())).map((e) => e.textContent || e.labels[0].textContent),
  ];
}"""


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (820, 1180), (853, 480)])
def test_every_number_and_every_control_can_be_read(browse, studio, width, height):
    """The five-bar's numbers are long; whatever is beside the stage, or below it, lies within the window."""
    walk = browse(studio, width, height)
    for screen, more, ready in SCREENS:
        page = walk.open(screen, "fivebar", more)
        page.wait_for_selector(ready, state="attached")
        assert page.evaluate(CUT) == [], screen
        assert page.evaluate("document.querySelector('#screen').scrollWidth") <= width, screen


def test_a_run_is_read_beside_the_one_before(browse, studio):
    """At 1024 px the table of both runs has all its columns."""
    walk = browse(studio, 1024, 768)
    page = walk.open("simulate", "triplate")
    for _ in range(2):
        page.get_by_role("button", name="▶ Run").click()
        page.wait_for_selector(".player button:not([disabled])", timeout=60_000)
        page.wait_for_selector(".tools button.primary:not([disabled])")
    page.wait_for_selector(".result th:has-text('B')")
    table = page.locator(".result .table")
    assert table.evaluate("e => e.scrollWidth") <= table.evaluate("e => e.clientWidth")


@pytest.mark.parametrize(("screen", "more", "ready"), SCREENS)
def test_on_a_phone_half_of_the_height_is_the_stage(browse, studio, screen, more, ready):
    """390 × 844, upright: the stage is seen at once, rows of tools slide sideways, nothing makes the page wider."""
    walk = browse(studio, 390, 844)
    page = walk.open(screen, "fivebar", more)
    page.wait_for_selector(ready, state="attached")
    box = page.locator(".stage").bounding_box()
    assert box["height"] >= 844 / 2
    assert box["y"] + box["height"] <= 844
    assert page.evaluate("document.documentElement.scrollWidth") == 390
