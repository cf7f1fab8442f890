"""`closedchain list`: which robots there are."""

from __future__ import annotations

from closedchain import robots
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments


def run(args: Arguments) -> int:
    """Print every robot with its parameter sets."""
    recipes = [robots.find(name) for name in robots.names()]
    rows = [(r.name, r.description.about.partition("\n")[0], tuple(r.presets)) for r in recipes]
    if args.json:
        answer = [{"name": name, "about": about, "presets": presets} for name, about, presets in rows]
        print_json(document("list", robots=answer))
    else:
        print(
            table(("robot", "what it is", "presets"), [(n, a, ", ".join(f"{n}:{p}" for p in ps)) for n, a, ps in rows])
        )
    return 0
