"""`closedchain list`: which robots and linkages there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from closedchain import robots
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments


def run(args: Arguments) -> int:
    """Print every robot and every linkage with its parameter sets, or the sizes that it can have."""
    known, linkages = told(robots.names()), told(robots.linkage_names())
    if args.json:
        print_json(document("list", robots=known, linkages=linkages))
    else:
        print(table(("robot", "what it is", "presets"), rows(known)))
        print()
        print(table(("linkage", "what it is", "presets"), rows(linkages)))
    return 0


def told(names: Sequence[str]) -> list[dict[str, Any]]:
    """What is said of each."""
    found: list[dict[str, Any]] = []
    for name in names:
        recipe, sizes = robots.find(name), robots.sizes(name)
        about = recipe.description.about.partition("\n")[0]
        found.append({"name": name, "about": about, "presets": [] if sizes else list(recipe.presets)})
        found[-1] |= {"sizes": sizes} if sizes else {}
    return found


def rows(found: Sequence[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """A line of the table for each."""
    return [(each["name"], each["about"], ", ".join(variants(each))) for each in found]


def variants(each: dict[str, Any]) -> list[str]:
    """What can be written after the name, with it."""
    if "sizes" in each:
        return [" … ".join(f"{each['name']}:{size}" for size in each["sizes"])]
    return [f"{each['name']}:{preset}" for preset in each["presets"]]
