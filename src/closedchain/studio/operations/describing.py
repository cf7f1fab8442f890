"""`robot`: what a robot is, what is drawn of it and where to begin."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.parameters import Parameter
from closedchain.describe.writing import dumps
from closedchain.errors import BadInput, ClosedChainError
from closedchain.model.configurations import Configurations
from closedchain.model.geometry import direct
from closedchain.model.model import Model
from closedchain.model.modes import working_names
from closedchain.model.sliders import slider
from closedchain.model.solutions import mode_name
from closedchain.motion.leg_chart import check_two_bars
from closedchain.singularity import beginning
from closedchain.singularity.reach import has_slices, in_space, slice_of
from closedchain.studio.operations.drawing import points, scene_row
from closedchain.studio.operations.hello import dimension
from closedchain.studio.operations.loading import model_of


def robot(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The robot of a request."""
    return describe(model_of(body["robot"]), body["kernels"])


def describe(model: Model, kernels: str) -> dict[str, Any]:
    """A robot as the page needs it; the server has its kernels at an address."""
    e = model.equations
    q, x = beginning.begin(model)
    window = beginning.window(model, q, x)
    working, assembly = modes(model, q)
    return {
        "name": model.name,
        "about": e.about,
        "dimension": dimension(model.recipe.description),
        "closed": bool(model.nx),
        "linkage": model.linkage,
        "planar_map": has_slices(model),
        "slices": slices(model),
        "no_crossing": no_crossing(model),
        "parameters": [_parameter(model, p) for p in e.parameters],
        "presets": list(model.recipe.presets),
        "q": [{"name": c.name, "unit": c.unit, "driven": c.name in e.driven} for c in e.q],
        "x": [{"name": c.name, "unit": c.unit, "driven": False} for c in e.x],
        "readouts": [{"name": r.name, "unit": r.unit, "driven": False} for r in e.readouts],
        "motors": [m.drive for m in e.motors],
        "working": working,
        "assembly": assembly,
        "scene": scene_row(model, window),
        "kernels": kernels,
        "start": _start(model, q, x),
        "window": window,
        "size": model.scale,
        "toml": _toml(model),
    }


def slices(model: Model) -> list[list[str]]:
    """The planes of space over which the output can be mapped, by the names of two of its coordinates."""
    names = [c.name for c in model.equations.x[: model.outputs]] if dimension(model.recipe.description) == 3 else []
    places = [name for name in ("x", "y", "z") if name in names]
    if not in_space(model):
        return [["x", "y"]] if has_slices(model) and len(places) == 3 else []
    return [list(pair) for pair in combinations(places, 2) if _has_slice(model, [n for n in names if n not in pair])]


def _has_slice(model: Model, held: list[str]) -> bool:
    try:
        slice_of(model, hold=dict.fromkeys(held, 0.0), sampled=True)
    except ClosedChainError:
        return False
    return True


def _parameter(model: Model, parameter: Parameter) -> dict[str, Any]:
    """A parameter with a range around its value."""
    low, high = slider(model, parameter)
    row = {"name": parameter.name, "value": model.values[parameter.name], "unit": parameter.unit}
    return row | {"about": parameter.about, "low": low, "high": high}


def no_crossing(model: Model) -> str:
    """Why `crossing` is refused for this robot, whatever its ends are."""
    try:
        check_two_bars(model)
    except BadInput as error:
        return str(error)
    return ""


def modes(model: Model, q: Doubles) -> tuple[list[str], list[str]]:
    """The names of every working mode, and of the assembly modes with the drives at q."""
    if not model.nx or model.linkage:
        return [], []
    try:
        signs = list(working_names(model))
        return signs, list(dict.fromkeys(direct(model, q).assembly))
    except ClosedChainError:  # no closed form: a mode has no name there
        return [], []


def mode_of(model: Model, q: Doubles, x: Doubles) -> tuple[str, str]:
    """The working and assembly mode of one configuration; empty where it has none."""
    if not model.nx or model.linkage:
        return "", ""
    row = Configurations(model, q[None], x[None])
    sign = "-0+"[int(np.sign(np.linalg.det(row.A[0]))) + 1]
    try:
        return mode_name(row.working_signs()[0]), sign
    except ClosedChainError:
        return "", sign


def _start(model: Model, q: Doubles, x: Doubles) -> dict[str, Any]:
    working, assembly = mode_of(model, q, x)
    shown = points(model, q[None], x[None])[0].tolist()
    return {"q": q.tolist(), "x": x.tolist(), "working": working, "assembly": assembly, "points": shown}


def _toml(model: Model) -> str:
    """As a mechanism file; empty for what no file can say, as a family's member."""
    preset = model.recipe.presets[model.preset] if model.preset else {}
    try:
        return dumps(model.recipe, {**preset, **model.given})
    except ClosedChainError:
        return ""
