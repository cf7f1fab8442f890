"""External forces along a run: what they were, and the work they did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.equations import Load
from closedchain.describe.expressions import evaluate_all
from closedchain.errors import BadInput
from closedchain.model.forces import Loads
from closedchain.model.formulas import ARRAYS
from closedchain.model.model import Model
from closedchain.model.state import State


@dataclass(frozen=True, eq=False)
class External:
    """The components of every external force and torque on each row of a run, and their work since it began."""

    components: dict[str, Doubles]  # (T,) [N, N m] by name: force_C_x
    units: dict[str, str]
    work: Doubles  # (T,) [J]


def constant(model: Model, loads: Loads) -> Model:
    """The robot under loads that are numbers."""
    for load, value in zip(loads.loads, loads.values, strict=True):
        if not callable(value) and np.size(value) != len(load.names):
            raise BadInput(
                f"{model.name}: the {load.kind} on {load.on} has rows; a run takes numbers or a function of (t, state)"
            )
    return loads.model


def account(loads: Loads, t: Doubles, states: State, work: Doubles | None = None) -> External:
    """What acted along a run. The work of a constant force is f · ΔP, of a constant torque T Δangle."""
    names = [name for load in loads.loads for name in load.names]
    if loads.varying:
        rows = [State(*row) for row in zip(states.q, states.x, states.q_dot, states.x_dot, strict=True)]
        table = np.array([np.concatenate(loads.components(float(at), row)) for at, row in zip(t, rows, strict=True)])
    else:
        table = np.broadcast_to(np.concatenate(loads.components(0.0, None)), (len(t), len(names)))
        ways = np.stack([way for load in loads.loads for way in _ways(loads.model, load, states)], axis=-1)
        work = ((ways - ways[0]) * table).sum(axis=-1)
    assert work is not None
    units = {p.name: p.unit for p in loads.model.equations.parameters}
    return External({n: table[:, i] for i, n in enumerate(names)}, {n: units[n] for n in names}, work)


def _ways(model: Model, load: Load, states: State) -> list[Doubles]:
    """Where a load's point was, axis by axis, or how far its body had turned; turns are counted on."""
    z = {c.name: states.z[:, i] for i, c in enumerate(model.equations.z)}
    found = [np.broadcast_to(v, len(states.z)) for v in evaluate_all(load.place, {**model.values, **z}, ARRAYS)]
    return [np.unwrap(v) for v in found] if load.kind == "torque" else found
