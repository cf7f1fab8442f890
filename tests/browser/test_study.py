"""The Study screen in a real browser: a map over two parameters, and designs that are pressed into robots."""

import pytest

from tests.browser.violations import violations


def test_a_press_into_the_map_of_a_sweep_is_another_robot(walk):
    """Two parameters and a measure make a map; a press in it gives the robot the values of that place."""
    page = walk.open("study", "biglide")
    page.get_by_role("button", name="▶ Sweep").click()
    page.wait_for_selector(".study-plot path[fill^='#']", timeout=60_000)
    assert "area that is reached: from" in page.locator(".study-form [role=status]").last.inner_text()
    assert violations(page) == []
    box = page.locator(".study-axes .box").bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    axes = page.evaluate("[...document.querySelectorAll('.study-range input')].map((one) => Number(one.value))")
    values = walk.state("robot")["values"]
    assert values["l"] == pytest.approx(sum(axes[0:2]) / 2, rel=0.01)  # a pixel is a five-hundredth
    assert values["d"] == pytest.approx(sum(axes[2:4]) / 2, rel=0.01)


def test_a_design_of_the_front_is_pressed_into_a_robot(walk):
    """Every point is a button with its goals as its name; pressed by key it is the robot."""
    pytest.importorskip("pymoo")
    page = walk.open("study", "biglide", "&set=%7B%22kind%22%3A%22design%22%7D")
    page.get_by_role("button", name="▶ Design").click()
    page.wait_for_selector(".study-dots .design", timeout=90_000)
    assert page.locator(".study-dots .design").count() > 5
    page.locator(".study-dots .design").nth(2).focus()
    page.keyboard.press("Enter")
    walk.until("Object.keys(studio.state.value.robot.values).sort().join() === 'd,l'")
    assert page.locator(".study-dots .chosen").count() == 1
    assert violations(page) == []
