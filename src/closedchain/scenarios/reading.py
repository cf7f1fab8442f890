"""Scenario files: TOML text → Scenario. Every mistake is one line with its place, as in mechanism files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from closedchain import robots
from closedchain.describe.files import BadFile, parse_toml, read_text
from closedchain.describe.locate import line_of
from closedchain.describe.parameters import unknown_parameter
from closedchain.describe.tables import Problem, Table, check_list, check_number, suggest
from closedchain.errors import BadInput, ClosedChainError
from closedchain.model.forces import Value
from closedchain.model.formulas import read_load
from closedchain.model.loading import find
from closedchain.model.model import Model
from closedchain.motion.reference import Trajectory
from closedchain.scenarios.controllers import read_controller
from closedchain.scenarios.expected import read_expected, with_changes
from closedchain.scenarios.linkages import read_linkage_start
from closedchain.scenarios.recording import ENDING, recorded
from closedchain.scenarios.scenario import Scenario, Start
from closedchain.scenarios.trajectories import read_trajectory, working_mode
from closedchain.scenarios.values import (
    check_quantities,
    check_quantity,
    choice,
    delay,
    flag,
    number,
    seconds,
    vector,
    whole,
)
from closedchain.simulation.clock import clock
from closedchain.simulation.plant import Plant
from closedchain.simulation.simulate import METHODS, plant_model

SCHEMA = "closedchain.scenario/1"
KEYS = ("schema", "about", "origin", "robot", "interval", "step", "duration", "method", "tolerance")
TABLES = ("parameters", "start", "trajectory", "controller", "plant", "limits", "forces", "torques", "expected")
SENSED = ("delay", "noise_q", "noise_q_dot", "quantum", "differences", "filter", "jitter", "seed")
PLANT_KEYS = ("values", "payload", "saturation", *SENSED)


def read(path: str | Path, changes: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario of a file; its robot may be a mechanism file beside it."""
    path = Path(path)
    return loads(read_text(path), str(path), path.parent, path.stem, changes)


def loads(
    source: str,
    origin: str = "text",
    folder: str | Path = ".",
    name: str = "scenario",
    changes: Mapping[str, Any] | None = None,
) -> Scenario:
    """The scenario of a text; `origin` is what errors call it, `folder` where files that it names lie.

    `changes` are values by their place in the file, such as {"controller.kp": 200}, that replace what is written there.
    """
    document = parse_toml(source, origin)
    try:
        found = _read(Table(_changed(document, changes or {})), Path(folder), name)
        other = {place: value for place, value in (changes or {}).items() if not _is_there(document, place, value)}
        return replace(found, expected=with_changes(found.expected, other))
    except Problem as problem:
        if changes:
            loads(source, origin, folder, name)  # refuses the file itself, if that is wrong
            raise BadInput(f"{problem.place}: {problem.problem}") from None
        raise BadFile(origin, problem.place, problem.problem, line_of(source, problem.place)) from None


def _changed(document: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The same tables with other values; the tables themselves are copied where something changes."""
    made = dict(document)
    for place, value in changes.items():
        *parents, key = place.split(".")
        inside = made
        for parent in parents:
            found = inside.get(parent, {})
            if not isinstance(found, dict):
                raise BadInput(f"{place}: {parent} is no table of the scenario")
            inside[parent] = inside = dict(found)
        inside[key] = value
    return made


def _is_there(document: dict[str, Any], place: str, value: Any) -> bool:
    """Whether the file says the same at that place."""
    inside: Any = document
    for key in place.split("."):
        inside = inside.get(key) if isinstance(inside, dict) else None
    return inside is not None and bool(inside == value)


def _read(root: Table, folder: Path, name: str) -> Scenario:
    if not root.items:
        raise Problem("", f'is empty; begin with schema = "{SCHEMA}"')
    if root.text("schema", SCHEMA) != SCHEMA:
        raise Problem("schema", f'{root.text("schema")[:60]!r} is not known here; write "{SCHEMA}"')
    root.only(*KEYS, *TABLES)
    model = _model(root, folder)
    reference = read_trajectory(root, model, folder)
    kind, make = read_controller(root, model, reference is not None)
    start = _start(root, model, reference)
    scenario = Scenario(
        name=name,
        model=model,
        kind=kind,
        make=make,
        reference=reference,
        working=working_mode(root, start.working),
        start=start,
        plant=_plant(root, model),
        limits=_limits(root, model),
        forces=_loads(root, model, "force", folder),
        torques=_loads(root, model, "torque", folder),
        method=choice(root, "method", METHODS, "rk4"),
        tolerance=number(root, "tolerance", "", above=0.0) if "tolerance" in root else None,
        expected=read_expected(root, model),
        about=root.text("about", ""),
        origin=root.text("origin", ""),
        **_clock(root, reference),
    )
    if scenario.method == "dop853" and kind == "kinematic":
        raise Problem("method", 'dop853 integrates efforts and voltages; the kinematic plant moves exactly with "rk4"')
    if scenario.method == "dop853" and scenario.tolerance is not None:
        raise Problem("tolerance", "dop853 works at rounding, and finer steps would change nothing; leave it out")
    try:
        scenario.plant.sampled(scenario.interval)
    except BadInput as error:
        raise Problem("plant.delay", str(error)) from None
    return scenario


def _model(root: Table, folder: Path) -> Model:
    """What the controller believes: the robot, with the scenario's own parameters."""
    source = root.text("robot")
    named = robots.knows(source.partition(":")[0])
    try:
        recipe, preset = find(source if named else str(folder / source))
        recipe.values(preset)
        plain = Model(recipe, {}, preset)
    except BadFile as error:
        raise Problem("robot", str(error)) from None
    except ClosedChainError as error:
        problem = str(error) if named else f"no robot and no file {source[:60]!r}; {suggest(source, robots.known())}"
        raise Problem("robot", problem) from None
    return _valued(plain, root.table("parameters"))


def _valued(model: Model, table: Table) -> Model:
    values = _parameters(model, table)
    try:
        return Model(model.recipe, {**model.given, **values}, model.preset)
    except ClosedChainError as error:
        raise Problem(table.place, f"with these values {error}") from None


def _parameters(model: Model, table: Table) -> dict[str, float]:
    units = {p.name: p.unit for p in model.equations.parameters}
    for name in table.items:
        if name not in units:
            raise Problem(table.at(name), unknown_parameter(name, units))
    return {name: check_quantity(value, table.at(name), units[name]) for name, value in table.items.items()}


def _start(root: Table, model: Model, reference: Trajectory | None) -> Start:
    table = root.table("start").only("q", "x", "q_dot", "x_dot", "assembly", "working")
    if model.linkage:
        return read_linkage_start(table, model)
    if "x_dot" in table:
        raise Problem(table.at("x_dot"), f"is for linkages; {model.name} moves with q_dot")
    q, x = [c.unit for c in model.equations.q], [c.unit for c in model.equations.x]
    if "x" in table and not model.nx:
        raise Problem(table.at("x"), f"{model.name} has no output; give q")
    if not ("q" in table or "x" in table or reference is not None):
        raise Problem("start", "is missing; there is no trajectory to begin on: add [start] with q")
    for key, side in (("q_dot", "q"), ("assembly", "q")):
        if key in table and side not in table:
            raise Problem(table.at(key), f"goes with {side}; add {side}, or leave it out")
    return Start(
        q=vector(table, "q", q) if "q" in table else None,
        x=vector(table, "x", x[: model.outputs] if _is_output(table, model) else x) if "x" in table else None,
        q_dot=vector(table, "q_dot", [f"{unit}/s" for unit in q]) if "q_dot" in table else None,
        assembly=table.text("assembly") if "assembly" in table else None,
        working=table.text("working") if "working" in table else None,
    )


def _is_output(table: Table, model: Model) -> bool:
    """Whether the start's x is the output's own, and not that of every body."""
    return isinstance(table.items.get("x"), list) and len(table.items["x"]) == model.outputs


def _plant(root: Table, model: Model) -> Plant:
    table = root.table("plant").only(*PLANT_KEYS)
    values: dict[str, Any] = {"values": _parameters(model, table.table("values"))}
    values |= {"payload": _payload(table), "seed": whole(table, "seed", 0)}
    values |= {key: number(table, key, "s", 0.0) for key in ("filter", "jitter")}
    values |= {"delay": delay(table, "delay"), "differences": flag(table, "differences")}
    values |= {key: number(table, key, "", 0.0) for key in ("noise_q", "noise_q_dot", "quantum")}
    if isinstance(table.items.get("saturation"), list):
        values["saturation"] = tuple(vector(table, "saturation", [""] * len(model.driven)).tolist())
    elif "saturation" in table:
        values["saturation"] = number(table, "saturation")
    try:
        plant = Plant(**values)
        plant_model(model, plant)
    except ClosedChainError as error:
        raise Problem("plant", str(error)) from None
    return plant


def _payload(table: Table) -> float | tuple[tuple[float, float], ...]:
    """`payload = "300 g"`, or from when on which: `payload = [[0, 0.3], ["1.5 s", 0]]`."""
    if not isinstance(table.items.get("payload"), list):
        return number(table, "payload", "kg", 0.0)
    rows = table.items["payload"]
    pairs = [check_quantities(row, f"{table.at('payload')}[{i}]", ["s", "kg"]) for i, row in enumerate(rows)]
    return tuple((float(t), float(mass)) for t, mass in pairs)


def _limits(root: Table, model: Model) -> Mapping[str, tuple[float, float]]:
    table = root.table("limits")
    units = {c.name: c.unit for c in model.equations.q}
    found = {}
    for name, value in table.items.items():
        if name not in units:
            raise Problem(table.at(name), f"no drive {name[:40]!r}; {suggest(name, units)}")
        low, high = check_quantities(value, table.at(name), [units[name]] * 2).tolist()
        if not low < high:
            raise Problem(
                table.at(name), f"from {low:g} to {high:g} {units[name]} leaves no room; the lower one comes first"
            )
        found[name] = (low, high)
    return found


def _loads(root: Table, model: Model, kind: str, folder: Path) -> dict[str, Value]:
    """[forces] C = [1, "2 N"], C = ["2*sin(3*t)", 0] or C = "measured.csv", and [torques] plate = 0.1."""
    table, found = root.table(f"{kind}s"), dict[str, Value]()
    for on, value in table.items.items():
        place = table.at(on)
        try:
            if isinstance(value, str) and value.endswith(ENDING):
                found[on] = recorded(folder / value)
                model.loads(**{f"{kind}s": {on: found[on]}}).components(0.0, None)
                continue
            rows = check_list(value, place, "write [fx, fy]") if kind == "force" else [value]
            texts = [v if isinstance(v, str) else check_number(v, place) for v in rows]
            found[on] = read_load(model, texts, kind)
            model.loads(**{f"{kind}s": {on: found[on]}})
        except Problem:
            raise
        except ClosedChainError as error:
            raise Problem(place, str(error)) from None
    return found


def _clock(root: Table, reference: Trajectory | None) -> dict[str, Any]:
    interval = seconds(root, "interval")
    step, duration = (seconds(root, key) if key in root else None for key in ("step", "duration"))
    if duration is None and reference is None:
        raise Problem("duration", "is missing; there is no trajectory that ends: add duration = …")
    whole_run = duration if duration is not None else reference.duration if reference is not None else 0.0
    try:
        clock(whole_run, interval, step)
    except ClosedChainError as error:
        raise Problem("step" if "steps" in str(error) else "interval", str(error)) from None
    return {"interval": interval, "step": step, "duration": duration}
