"""No WCAG A or AA violation on any screen of any of the seeds' robots, light and dark, at two sizes."""

import pytest

from tests.browser.violations import violations

ROBOTS = ("biglide", "fivebar", "triplate", "furuta", "delta")
READY = {
    "explore": ".readout dd.good, .readout dd.warn, .readout dd.bad",
    "simulate": ".set-up .quantity",
    "verify": ".tools button.primary",
    "define": ".status.good",
    "lab": "#group-file",
    "space": ".space-view canvas",
    "study": ".study-axes .box",
}
FITTING = "[...document.querySelectorAll('header nav a:not([aria-disabled=true])')].map((a) => a.textContent)"


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize(("scheme", "width", "height"), [("light", 1280, 720), ("dark", 1024, 768)])
def test_axe_finds_nothing_on_any_screen(browse, studio, robot, scheme, width, height):
    """Every screen that the studio offers for the robot, one after the other, with what it shows there; nothing is
    cut off, and where there is a stage it keeps half of the width."""
    walk = browse(studio, width, height, scheme)
    page = walk.page
    page.goto(f"{walk.address}&robot={robot}")
    page.wait_for_selector("header nav a[aria-current=page]")
    seen = []
    for title in page.evaluate(FITTING):
        page.get_by_role("navigation", name="screens").get_by_text(title, exact=True).click()
        page.wait_for_function("title => document.title.includes(` ${title} `)", arg=title)
        screen = walk.state("screen")
        page.wait_for_selector(f".screen.{screen}")
        page.wait_for_selector(READY[screen], timeout=90_000, state="attached")
        if screen == "explore" and page.locator("summary", has_text="From S to E").count():
            page.locator("summary", has_text="From S to E").click()
            page.wait_for_selector(".ways .plot", state="attached")
        assert violations(page) == [], screen
        assert page.evaluate("document.documentElement.scrollWidth") <= width, screen
        stage = page.evaluate("document.querySelector('.screen > .workbench > .stage')?.clientWidth ?? null")
        assert stage is None or stage >= width // 2 - 12, screen  # but for a border
        seen.append(screen)
    assert len(seen) == len(set(seen)) >= 5


def test_a_finger_drags_and_the_handles_are_large_enough_for_it(browse, studio):
    """On a tablet a touch moves the tip; what can be touched there is at least 24 px wide (WCAG 2.5.8)."""
    walk = browse(studio, 1024, 768, has_touch=True)
    page = walk.open("explore", "biglide")
    box = page.locator(".handle.tip .hit").bounding_box()
    assert min(box["width"], box["height"]) >= 24
    before, (x, y) = walk.state("x")[0], walk.middle(".handle.tip .hit")
    finger = page.context.new_cdp_session(page)
    for kind, dx in (("touchStart", 0), ("touchMove", 10), ("touchMove", 25), ("touchEnd", None)):
        points = [] if dx is None else [{"x": x + dx, "y": y}]
        finger.send("Input.dispatchTouchEvent", {"type": f"{kind}", "touchPoints": points})
        page.wait_for_timeout(40)
    assert walk.state("x")[0] > before + 0.01
