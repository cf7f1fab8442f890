"""The Verify screen in a real browser."""

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
