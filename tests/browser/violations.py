"""What axe-core says of a page, by the rules of WCAG 2.2, levels A and AA."""

from pathlib import Path

import pytest

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def violations(page) -> list[str]:
    """Each rule that is broken, with the elements; empty where none is."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm --prefix web ci")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)["violations"]
    return [f"{v['id']}: {[node['html'][:120] for node in v['nodes']]}" for v in found]
