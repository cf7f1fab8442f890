"""`python -m closedchain.export.site FOLDER [ROBOT …]`: explorable pages with an index, for any web server.

Every page works by itself and asks nothing of the server but the file.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Iterable
from pathlib import Path

from closedchain import robots
from closedchain.errors import ClosedChainError
from closedchain.export.html import explorable
from closedchain.files import atomic_write
from closedchain.model.loading import load
from closedchain.version import VERSION

STYLE = """:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
ul { list-style: none; padding: 0; display: grid; gap: .8rem; }
ul { grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); }
li { border: 1px solid #7b8794; border-radius: 8px; padding: .7rem .9rem; }
a { font-weight: 600; } p { margin: .2rem 0 0; }"""


def write_site(folder: Path, names: Iterable[str] = ()) -> tuple[list[str], dict[str, str]]:
    """Write index.html and a page for each robot, all that come with the package unless some are named.

    The robots written, and why others were not: linkages have no branches for a page to show.
    """
    written: dict[str, str] = {}
    refused: dict[str, str] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for name in tuple(names) or robots.names():
        try:
            model = load(name)
            atomic_write(folder / f"{name.replace(':', '-')}.html", explorable(model))
        except ClosedChainError as error:
            refused[name] = str(error)
        else:
            written[name] = " ".join(model.equations.about.split()).partition(". ")[0]
    atomic_write(folder / "index.html", index(written))
    return list(written), refused


def index(pages: dict[str, str]) -> str:
    """The list of the pages: name → what it is."""
    links = {name: f"{html.escape(name.replace(':', '-'))}.html" for name in pages}
    rows = "\n".join(
        f'<li><a href="{links[name]}">{html.escape(name)}</a><p>{html.escape(about)}</p></li>'
        for name, about in pages.items()
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="closedchain {VERSION}">
<title>Robots to be dragged · closedchain</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Robots to be dragged</h1>
<ul>
{rows}
</ul>
</body>
</html>
"""


def main(arguments: list[str]) -> int:
    """Write the site, and say what was left out."""
    if not arguments or arguments[0].startswith("-"):
        sys.stderr.write("python -m closedchain.export.site FOLDER [ROBOT …]\n")
        return 2
    written, refused = write_site(Path(arguments[0]), arguments[1:])
    for name, why in refused.items():
        sys.stderr.write(f"left out {name}: {why}\n")
    sys.stdout.write(f"{len(written)} robots in {arguments[0]}; open index.html, or let a web server give the folder\n")
    return 0 if written else 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
