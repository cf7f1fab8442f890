"""The Verify screen in a real browser."""

import pytest

from tests.browser.violations import violations


def test_the_biglide_agrees_with_every_engine_in_every_quantity(walk):
    """Each row has a tick for each engine, and the verdict counts them all."""
    page = walk.open("verify", "biglide")
    engines = page.evaluate("studio.hello.value.engines")
    page.get_by_role("button", name="Verify").click()
    page.wait_for_selector(".verdict:has-text('Comparing')")
    page.wait_for_function(
        "() => document.querySelector('.verdict.good') && !document.querySelector('.tools button.primary').disabled",
        timeout=90_000,
    )
    heads = page.locator(".verify-table thead").inner_text()
    assert "MuJoCo" in heads
    quantities = page.locator(".verify-table tbody th[scope=row]").all_inner_texts()
    assert {"output", "output velocity", "M", "c", "efforts", "loop forces"} <= set(quantities)
    ticks = page.locator(".verify-table td.good").count()
    assert page.locator(".verify-table td.bad").count() == 0
    assert ticks >= 20 * len(engines)
    assert f"All {ticks} comparisons" in page.locator(".verdict").inner_text()
    assert violations(page) == []


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("output by formula", {"x": "0.02*sin(2*t)", "y": "0.3 + 0.02*cos(2*t)"}),
        ("drives by formula", {"q1": "0.05*sin(t)", "q2": "-0.05*sin(t)"}),
    ],
)
def test_engines_are_compared_along_a_motion_by_formula(walk, kind, texts):
    """The formulas that are typed are the motion of every row, they are in the link, and all agree."""
    page = walk.open("verify", "biglide")
    page.get_by_label("Motion", exact=True).select_option(kind)
    for label, text in texts.items():
        page.get_by_label(label, exact=True).fill(text)
        page.get_by_label(label, exact=True).press("Enter")
    page.get_by_label("duration").fill("0.5")
    page.get_by_label("duration").press("Enter")
    assert violations(page) == []
    page.get_by_role("button", name="Verify", exact=True).click()
    page.wait_for_function(
        "() => document.querySelector('.verdict.good') && !document.querySelector('.tools button.primary').disabled",
        timeout=90_000,
    )
    assert page.locator(".verify-table td.bad").count() == 0
    ways = page.locator(".verify-table td.level").evaluate_all("all => all.map((cell) => cell.title.split(':')[0])")
    assert set(ways) == {"own"}
    page.reload()
    assert page.get_by_label(next(iter(texts)), exact=True).input_value() == next(iter(texts.values()))
