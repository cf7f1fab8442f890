"""`load`: a robot by name, by name and parameter set, or from a file."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from closedchain import robots
from closedchain.describe.equations import Equations
from closedchain.describe.files import read
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.recipe import BUILT_IN, Recipe
from closedchain.errors import ClosedChainError
from closedchain.model.model import Announce, Model
from closedchain.model.sampling import assemble

Source = str | Path | Recipe | Mechanism | Equations


class UnknownRobot(ClosedChainError, LookupError):
    """No robot of that name, and no such file."""


def load(source: Source, *, announce: Announce | None = None, **values: float) -> Model:
    """The model of a robot: "biglide", "furuta:qube" (a named parameter set), "my_robot.toml", or a description.

    Keyword arguments are parameter values: load("biglide", l=0.2828427). Descriptions and values of your own are
    assembled once to see that their loops close; a linkage from where it is said to be near.
    """
    recipe, preset = find(source)
    recipe.values(preset)
    model = Model(recipe, dict(values), preset, announce)
    if model.nx and (recipe.origin != BUILT_IN or values):
        assemble(model)
    return model


def find(source: Source) -> tuple[Recipe, str | None]:
    """The recipe and the named parameter set that `source` asks for."""
    if isinstance(source, Recipe):
        return source, None
    if isinstance(source, Mechanism | Equations):
        return Recipe(source, origin="Python"), None
    name, _, preset = str(source).partition(":")
    if robots.knows(name):
        return robots.choose(name, preset or None)
    path, _, preset = str(source).rpartition(":") if ".toml:" in str(source) else (str(source), "", "")
    if path.endswith(".toml") or os.path.isfile(path):  # which holds no name for too long
        return read(Path(path)), preset or None
    near = difflib.get_close_matches(name.lower(), robots.known(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(robots.known())}."
    raise UnknownRobot(f"no robot {str(source)[:80]!r}; {hint} A file's name ends in .toml.")
