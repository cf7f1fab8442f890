"""`hello`: what there is to open, to simulate and to compare with."""

from __future__ import annotations

import importlib.util
import shutil
import tomllib
from importlib import resources
from typing import Any

from closedchain import robots
from closedchain.describe.equations import Equations
from closedchain.describe.recipe import Description
from closedchain.version import VERSION

ENGINES = {"mujoco": "mujoco", "pinocchio": "pinocchio"}  # name → package


def hello(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Robots, scenarios, engines; nothing is compiled for it."""
    engines = [name for name, package in ENGINES.items() if importlib.util.find_spec(package) is not None]
    rows = [robot_row(name) for name in robots.known()]
    found = [scenario_row(name, text) for name, text in scenario_texts().items()]
    return {"version": VERSION, "robots": rows, "scenarios": found, "engines": engines, "lab": True, "video": video()}


def video() -> bool:
    """Whether a program that writes MP4 is installed, as closedchain.view.video looks for it."""
    return shutil.which("ffmpeg") is not None or importlib.util.find_spec("imageio_ffmpeg") is not None


def robot_row(name: str) -> dict[str, Any]:
    """A robot by its name."""
    recipe = robots.find(name)
    about = recipe.description.about.split("\n")[0]
    shape = dimension(recipe.description)
    return {"name": name, "about": about, "dimension": shape, "presets": list(robots.variants(name))}


def dimension(description: Description) -> int:
    """2 or 3: of the points that are drawn."""
    if isinstance(description, Equations):
        return len(description.points[0][1]) if description.points else 2
    return description.dimension


def scenario_texts() -> dict[str, str]:
    """Every scenario's file by name; closedchain.scenarios itself would bring all of the simulation."""
    files = (resources.files("closedchain") / "scenarios" / "files").iterdir()
    found = {f.name.removesuffix(".toml"): f.read_text("utf-8") for f in files if f.name.endswith(".toml")}
    return dict(sorted(found.items()))


def scenario_row(name: str, text: str) -> dict[str, Any]:
    """A scenario by its name, as its file says."""
    document = tomllib.loads(text)
    return {"name": name, "robot": document.get("robot", ""), "about": document.get("about", "")}
