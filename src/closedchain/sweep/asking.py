"""A study from words: robot, what varies, what is computed; as the command line, a file and Python give them."""

from __future__ import annotations

import hashlib
import importlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.describe.files import read_text
from closedchain.describe.parameters import BadParameter, unknown_parameter
from closedchain.describe.recipe import BUILT_IN
from closedchain.errors import ClosedChainError
from closedchain.model.loading import find
from closedchain.model.model import Model
from closedchain.motion.reference import Trajectory
from closedchain.singularity.reach import slice_of
from closedchain.sweep.factors import BadStudy, Factor, levels, read_factor
from closedchain.sweep.measures import PATH, RUN, measure
from closedchain.sweep.prepared import SCENARIOS, TRAJECTORY, change
from closedchain.sweep.study import Place, Robot, Scene, Study

Varied = str | Sequence[float]
SHAPES = ("square", "disc")
TRIED = (0.5, 0.0, 1.0, 0.25, 0.75)  # shares of a factor's range, tried in turn
SAMPLES = 257  # of a trajectory, which tell it from others
GRIDS = (2, 4096)  # cells along the window's longer side


def study(
    robot: str | Path,
    vary: Mapping[str, Varied],
    compute: Sequence[str],
    *,
    values: Mapping[str, float] | None = None,
    sample: str | None = None,
    points: int | None = None,
    seed: int = 0,
    scenario: str | Path | None = None,
    state: Mapping[str, Any] | None = None,
    **place: Any,
) -> Study:
    """study("biglide", {"l": "0.30:0.50:21"}, ["workspace_area"], window=(-0.3, 0.3, -0.3, 0.3)).

    `values` are the robot's own where they differ from its description; `state` is that of evaluate.…; the rest says
    where geometry is looked at: window, grid, working, orientation (a plate's) or height (a point's), condition,
    centre, shape.
    """
    known = robot_of(str(robot), values or {})
    model = known.model()
    names = (compute,) if isinstance(compute, str) else tuple(dict.fromkeys(compute))
    for name in names:
        measure(name)
    scene = scene_of(model, scenario) if scenario is not None else None
    factors = tuple(factor_of(model, name, said, scene) for name, said in vary.items())
    kept = tuple((k, v if isinstance(v, str) else tuple(map(float, v))) for k, v in (state or {}).items())
    for factor in factors:
        if scene is not None and "." in factor.name:
            check_change(scene, factor)
            check_use(factor, names)
    asked_of = next((name for name in names if name.startswith("evaluate.")), None)
    if asked_of is not None and not {"q", "x"} & {key for key, _ in kept}:
        raise BadStudy(f"{asked_of}: of which state? Give --x or --q, or [state] in a file")
    method = sample or ("grid" if all(f.listed for f in factors) else "random")
    made = Study(known, factors, names, method, points, seed, place_of(held(model, place)), scene, kept)
    if factors:
        made.count  # noqa: B018 (refuses a sampling that does not fit)
    return made


def robot_of(source: str, values: Mapping[str, float]) -> Robot:
    """A robot by its name, or with the text of its file."""
    recipe, preset = find(source)
    recipe.values(preset)
    given = tuple(sorted((name, float(value)) for name, value in values.items()))
    if recipe.origin == BUILT_IN:
        made = Robot(source, None, None, given)
    else:
        made = Robot(recipe.origin, read_text(Path(recipe.origin)), preset, given)
    made.model()  # refuses values that cannot be
    return made


def factor_of(model: Model, name: str, said: Varied, scene: Scene | None) -> Factor:
    """A factor by its name: a parameter of the robot, or with a dot a place of the scenario."""
    units = {p.name: p.unit for p in model.equations.parameters}
    if name not in units and "." not in name:
        raise BadParameter(f"--param: {unknown_parameter(name, units)}", name)
    if "." in name and scene is None:
        raise BadStudy(f"--param {name}: it is a place of a scenario, and none is named; give --scenario")
    unit = units.get(name, "")
    return read_factor(name, said, unit) if isinstance(said, str) else levels(name, unit, tuple(map(float, said)))


def check_change(scene: Scene, factor: Factor) -> None:
    """Refuse a place of the scenario at which no number of the factor can stand, such as one that does not exist."""
    first: ClosedChainError | None = None
    read = importlib.import_module(SCENARIOS).loads
    for value in factor.at(np.array(TRIED)).tolist():
        try:
            read(scene.text, scene.name, Path(scene.folder), scene.name, dict([change(factor.name, value)]))
        except ClosedChainError as error:
            first = first or error
        else:
            return
    raise BadStudy(f"--param {factor.name}: {str(first).removeprefix(f'{factor.name}: ')}")


def check_use(factor: Factor, names: Sequence[str]) -> None:
    """Refuse a place of the scenario that changes nothing of what is computed."""
    costs = {measure(name).cost for name in names}
    if names and not (RUN in costs or (PATH in costs and factor.name.startswith(TRAJECTORY))):
        raise BadStudy(
            f"--param {factor.name} changes nothing of {', '.join(names)[:80]}; compute tracking_error or simulate.…,"
            " or vary something else"
        )


def held(model: Model, given: Mapping[str, Any]) -> dict[str, Any]:
    """The third coordinate by the word that fits the robot; BadInput for the other one."""
    found = dict(given)
    angle, height = found.pop("orientation", None), found.pop("height", None)
    return found if angle is None and height is None else {**found, "third": slice_of(model, angle, height).third}


def place_of(given: Mapping[str, Any]) -> Place:
    """Where geometry is looked at, checked."""
    kept = {key: value for key, value in given.items() if value is not None}
    unknown = [key for key in kept if key not in Place.__dataclass_fields__]
    if unknown:
        raise BadStudy(f"no option {unknown[0][:30]!r}; there are {', '.join(Place.__dataclass_fields__)}")
    for key, size in (("window", 4), ("centre", 2)):
        if key in kept:
            kept[key] = tuple(map(float, kept[key]))
            if len(kept[key]) != size:
                raise BadStudy(f"{key} has {len(kept[key])} numbers; {size} are needed")
            if not all(map(math.isfinite, kept[key])):
                raise BadStudy(f"--{key} {kept[key]}: every number must be finite")
    place = Place(**kept)
    if place.window is not None and not (place.window[0] < place.window[1] and place.window[2] < place.window[3]):
        raise BadStudy(f"--window {place.window}: write x from, x to, y from, y to, each pair rising")
    if place.grid is not None and not GRIDS[0] <= place.grid <= GRIDS[1]:
        raise BadStudy(f"a grid of {place.grid} cells; from {GRIDS[0]} to {GRIDS[1]} along its longer side")
    if not 0.0 <= place.condition < 1.0:
        raise BadStudy(f"condition is {place.condition:g}; 1/κ lies between 0 and 1")
    if place.shape not in SHAPES:
        raise BadStudy(f"no shape {place.shape[:20]!r}; there are {', '.join(SHAPES)}")
    return place


def scene_of(model: Model, source: str | Path) -> Scene:
    """A scenario of this robot, by its name or its file."""
    scenarios = importlib.import_module(f"{SCENARIOS}.library")
    found = scenarios.find(source)
    if found.model.name != model.name:
        raise BadStudy(
            f"scenario {found.name} is of {found.model.name}, the study of {model.name}; choose one of the same"
        )
    theirs, ours = (m.recipe.values(m.preset) for m in (found.model, model))
    if found.model.equations.key != model.equations.key or theirs != ours:
        differ = [name for name, value in ours.items() if theirs.get(name, value) != value]
        raise BadStudy(
            f"scenario {found.name} is of another {model.name} than {model.recipe.origin}"
            + (f" ({differ[0]} = {theirs[differ[0]]:g}, here {ours[differ[0]]:g})" if differ else "")
            + "; write a scenario file whose robot is that file, or give the values with --set"
        )
    follows = _numbers_of(found.reference) if found.reference is not None else ""
    if str(source) in scenarios.names():
        return Scene(found.name, scenarios.source(str(source)), follows=follows)
    return Scene(found.name, read_text(Path(source)), str(Path(source).absolute().parent), follows)


def _numbers_of(reference: Trajectory) -> str:
    """A hash of where a trajectory leads, and how fast."""
    made = reference(np.linspace(reference.start, reference.start + reference.duration, SAMPLES))
    rows = np.concatenate([reference.breaks.ravel(), made.x.ravel(), made.x_dot.ravel(), made.x_ddot.ravel()])
    return hashlib.sha256(rows.tobytes()).hexdigest()
