"""Tables of a scenario file → controllers, made when the model and the interval are settled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from closedchain.control import (
    PD,
    PID,
    ComputedTorque,
    Constant,
    CrossingComputedTorque,
    CrossingFeedForward,
    CrossingPD,
    FeedForward,
    KinematicControl,
    Oscillate,
    OutputComputedTorque,
    Scheduled,
    regulator,
    swing_up,
)
from closedchain.describe.formulas import formula
from closedchain.describe.parse import BadExpression
from closedchain.describe.tables import Problem, Table, suggest
from closedchain.model.dynamics import takes_voltage
from closedchain.model.model import Model
from closedchain.scenarios.scenario import Context
from closedchain.scenarios.values import (
    check_formula,
    check_formulas,
    check_quantities,
    check_quantity,
    choice,
    flag,
    gain,
    gains,
    number,
    pair,
    vector,
)

Make = Callable[[Context], Any]
OUTPUTS = ("tau", "voltage", "velocity")


def read_controller(root: Table, model: Model, follows: bool) -> tuple[str, Make]:
    """The kind of the controller, and how to make it; `follows` tells whether there is a trajectory."""
    root.need("controller")
    table = root.table("controller")
    kind = choice(table, "kind", KINDS)
    read, keys, tracks = KINDS[kind]
    table.only("kind", *keys)
    if tracks and not follows:
        raise Problem("trajectory", f"is missing; {kind} follows one: add [trajectory]")
    return kind, read(table, model)


def _kinematic(table: Table, model: Model) -> Make:
    values = {"gain": gain(table, "gain", 1.0), "lead": number(table, "lead", "", 0.0)}
    return lambda c: KinematicControl(c.reference, **values)  # type: ignore[arg-type]


def _computed_torque(table: Table, model: Model) -> Make:
    values = {"kp": gain(table, "kp", 100.0), "kd": gain(table, "kd", 100.0)}
    values["acceleration"] = number(table, "acceleration", "", 1.0)
    return lambda c: ComputedTorque(c.reference, working=c.working, **values)  # type: ignore[arg-type]


def _output_computed_torque(table: Table, model: Model) -> Make:
    values = {"kp": gain(table, "kp", 100.0), "kd": gain(table, "kd", 100.0)}
    return lambda c: OutputComputedTorque(c.reference, **values)  # type: ignore[arg-type]


def _pd(table: Table, model: Model) -> Make:
    kp, kd = gains(table, "kp", 1000.0, model.nq), gains(table, "kd", 60.0, model.nq)
    extra = _known_efforts(table)
    return lambda c: PD(c.reference, kp, kd, working=c.working, **extra)  # type: ignore[arg-type]


def _pid(table: Table, model: Model) -> Make:
    own = {"kp": 1000.0, "ki": 1000.0, "kd": 60.0}
    values: dict[str, Any] = {key: gains(table, key, usual, model.nq) for key, usual in own.items()}
    values["filter"] = number(table, "filter", "s", above=0.0) if "filter" in table else 0.0
    values |= _known_efforts(table)
    return lambda c: PID(c.reference, working=c.working, **values)  # type: ignore[arg-type]


def _known_efforts(table: Table) -> dict[str, bool]:
    """What is added to a correction of errors."""
    extra = {"gravity": flag(table, "gravity"), "feedforward": flag(table, "feedforward")}
    if all(extra.values()):
        raise Problem(table.at("gravity"), "the feed-forward already holds gravity; choose gravity or feedforward")
    return extra


def _feedforward(table: Table, model: Model) -> Make:
    output = choice(table, "output", ("tau", "velocity"), "tau")
    return lambda c: FeedForward(c.reference, c.working, output)  # type: ignore[arg-type]


def _crossing_feedforward(table: Table, model: Model) -> Make:
    return lambda c: CrossingFeedForward(c.reference, c.working)  # type: ignore[arg-type]


def _crossing_pd(table: Table, model: Model) -> Make:
    values = _pairs(table, ("kp", "kd"))
    return lambda c: CrossingPD(c.reference, working=c.working, **values)  # type: ignore[arg-type]


def _crossing_computed_torque(table: Table, model: Model) -> Make:
    values = _pairs(table, ("kp", "kd"), ("stiffness", "damping"))
    values |= {key: number(table, key, "", above=0.0) for key in ("inner", "outer") if key in table}
    return lambda c: CrossingComputedTorque(c.reference, working=c.working, **values)  # type: ignore[arg-type]


def _pairs(table: Table, *pairs: tuple[str, str]) -> dict[str, float]:
    """Gains that are given together or follow the robot and the motion."""
    found: dict[str, float] = {}
    for both in pairs:
        given = [key for key in both if key in table]
        if len(given) == 1:
            raise Problem(table.at(given[0]), f"give {' and '.join(both)}, or neither")
        found |= {key: gain(table, key, 0.0) for key in given}
    return found


def _constant(table: Table, model: Model) -> Make:
    if "output" not in table and takes_voltage(model):
        raise Problem(
            table.at("output"), f'is missing; {model.name} has a motor: write output = "voltage" or output = "tau"'
        )
    output = _output(table, model, OUTPUTS)
    drives = [model.equations.q[i].unit for i in model.driven]
    units = {
        "tau": [{"m": "N", "rad": "N m"}[u] for u in drives],
        "velocity": ["m/s" if u == "m" else "rad/s" for u in drives],
    }
    wanted = units.get(output, ["V"] * len(drives))
    given, place = table.need("value"), table.at("value")
    if isinstance(given, list):
        value = check_quantities(given, place, wanted)
    else:
        value = np.array([check_quantity(given, place, unit) for unit in wanted])
    return lambda c: Constant(tuple(value.tolist()), output)


def _formula(table: Table, model: Model) -> Make:
    """Commands as expressions of t: one for all drives, a list of one for each, or a table by the drives' names."""
    if not model.driven:
        raise Problem(table.at("kind"), f'nothing drives {model.name}; write "none"')
    if model.equations.motors and "output" not in table:
        raise Problem(
            table.at("output"), f'is missing; {model.name} has a motor: write "voltage", or "tau" for efforts'
        )
    output, drives = _output(table, model, OUTPUTS), list(model.equations.driven)
    given, place = table.need("formula"), table.at("formula")
    if isinstance(given, dict):
        for name in [*given, *drives]:
            if name not in drives:
                raise Problem(f"{place}.{name[:40]}", f"no drive {name[:40]!r}; {suggest(name, drives)}")
            if name not in given:
                raise Problem(place, f'there is none for {name}; add {name} = "…", or 0')
        texts = [check_formula(given[name], f"{place}.{name}") for name in drives]
    elif isinstance(given, list):
        texts = check_formulas(given, place, len(drives))
    else:
        texts = [check_formula(given, place)] * len(drives)
    for text in texts:
        try:
            formula(text, model.values)
        except BadExpression as error:
            raise Problem(place, str(error)) from None
    return lambda c: Scheduled(texts, output)


def _none(table: Table, model: Model) -> Make:
    if model.driven:
        raise Problem(table.at("kind"), f'{model.name} has drives; write "constant" with value = 0 to leave them alone')
    return lambda c: None


def _oscillate(table: Table, model: Model) -> Make:
    unit = model.equations.q[0].unit
    effort = number(table, "effort", {"m": "N", "rad": "N m"}[unit], above=0.0)
    law = Oscillate(effort, number(table, "reach", unit, above=0.0))
    return lambda c: law


def _regulator(table: Table, model: Model) -> Make:
    units = [c.unit for c in model.equations.q]
    values: dict[str, Any] = {"q": vector(table, "q", units)} if "q" in table else {}
    if "x" in table:
        values["x"] = vector(table, "x", [c.unit for c in model.equations.x])
    table.one_of("q", "x")
    values |= {mode: table.text(mode) for mode in ("assembly", "working") if mode in table}
    values |= {
        "state_cost": gains(table, "state_cost", 1.0, 2 * model.nq),
        "input_cost": gain(table, "input_cost", 1.0),
    }
    values["inputs"] = _output(table, model, ("tau", "voltage"))
    return lambda c: regulator(c.model, interval=c.interval, **values)


def _swing_up(table: Table, model: Model) -> Make:
    if model.recipe.name != "furuta":
        raise Problem(table.at("kind"), f"swing-up is for the furuta, not for {model.name}")
    values: dict[str, Any] = {k: number(table, k, "", above=0.0) for k in ("pump", "most", "input_cost") if k in table}
    values |= {k: pair(table, k, (0.0, 0.0)) for k in ("centring", "window") if k in table}
    if "state_cost" in table:
        values["state_cost"] = gains(table, "state_cost", 1.0, 4)
    output = _output(table, model, ("voltage", "tau"))
    return lambda c: swing_up(c.model, interval=c.interval, output=output, **values)


def _output(table: Table, model: Model, known: tuple[str, ...]) -> str:
    output = choice(table, "output", known, known[0])
    if output == "voltage" and not model.equations.motors:
        raise Problem(table.at("output"), f'{model.name} has no motor that takes a voltage; write "tau"')
    return output


Reader = Callable[[Table, Model], Make]
KINDS: dict[str, tuple[Reader, tuple[str, ...], bool]] = {  # reader, keys, whether it follows a trajectory
    "kinematic": (_kinematic, ("gain", "lead"), True),
    "computed-torque": (_computed_torque, ("kp", "kd", "acceleration"), True),
    "output-computed-torque": (_output_computed_torque, ("kp", "kd"), True),
    "pd": (_pd, ("kp", "kd", "gravity", "feedforward"), True),
    "pid": (_pid, ("kp", "ki", "kd", "filter", "gravity", "feedforward"), True),
    "feedforward": (_feedforward, ("output",), True),
    "crossing-feedforward": (_crossing_feedforward, (), True),
    "crossing-pd": (_crossing_pd, ("kp", "kd"), True),
    "crossing-computed-torque": (
        _crossing_computed_torque,
        ("kp", "kd", "stiffness", "damping", "inner", "outer"),
        True,
    ),
    "none": (_none, (), False),
    "constant": (_constant, ("value", "output"), False),
    "formula": (_formula, ("formula", "output"), False),
    "oscillate": (_oscillate, ("effort", "reach"), False),
    "regulator": (_regulator, ("q", "x", "assembly", "working", "state_cost", "input_cost", "output"), False),
    "swing-up": (
        _swing_up,
        ("pump", "most", "centring", "window", "state_cost", "input_cost", "output"),
        False,
    ),
}
