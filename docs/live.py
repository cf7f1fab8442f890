"""```` ```{robot} fivebar map=detA ```` in a page: the robot itself, to be dragged, in the state that the words tell.

Words are `map=conditioning|detA|detB|reach|none`, a parameter's `NAME=VALUE` in SI, `x=` and `q=` with numbers between
commas, and `exercise=` as in the address of a robot's page. What no robot has is an error of the build.
"""

import json
from typing import Any
from urllib.parse import quote, urlencode

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

import closedchain
from closedchain import robots

MAPS = {"none": "none", "conditioning": "condition", "detA": "det_A", "detB": "det_B", "reach": "reach"}
FRAME = (
    '<iframe title="{title}" src="{address}" sandbox="allow-scripts" loading="lazy"'
    ' style="width: 100%; height: {height}px; border: 1px solid #8886"></iframe>'
)


class Robot(SphinxDirective):
    """The robot's page in a frame; `generated.write_robots` puts it beside the site's own pages."""

    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {"height": directives.nonnegative_int}  # noqa: RUF012 (docutils' own way)

    def run(self) -> list[nodes.Node]:
        """The frame, by a path from the page that it stands on."""
        name, *words = " ".join(self.arguments).split()
        try:
            told = fragment(name, words)
        except ValueError as problem:
            raise self.error(f"{{robot}} {name}: {problem}") from problem
        home = "../" * self.env.docname.count("/")
        address = f"{home}robots/{name}.html" + (f"#{told}" if told else "")
        height = self.options.get("height", 560)
        return [
            nodes.raw("", FRAME.format(title=f"{name}, to be dragged", address=address, height=height), format="html")
        ]


def fragment(name: str, words: list[str]) -> str:
    """The state that words tell, as the address of a robot's page writes it."""
    if name not in robots.names():
        raise ValueError("no robot of that name comes with the package")
    model = closedchain.load(name)
    told: dict[str, Any] = {"robot": name} if words else {}
    for word in words:
        key, _, value = word.partition("=")
        if key == "map" and value in MAPS:
            told["set"] = json.dumps({"map": MAPS[value]})
        elif key in ("q", "x") and len(numbers(value)) == (model.nq if key == "q" else model.nx):
            told[key] = value
        elif key in model.values:
            told[f"p.{key}"] = numbers(value)[0]
        elif key == "exercise" and value:
            told[key] = value
        else:
            known = f"map={'|'.join(MAPS)}, q=, x=, exercise= and {', '.join(model.values)}"
            raise ValueError(f"{word!r} is none of {known}")
    return urlencode(told, quote_via=quote)


def numbers(text: str) -> list[float]:
    """Numbers between commas."""
    return [float(part) for part in text.split(",")]
