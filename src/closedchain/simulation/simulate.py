"""`simulate`: a robot under a controller, the whole loop compiled; or under any Python function."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, numbers
from closedchain.model.model import Model
from closedchain.model.payload import with_payload
from closedchain.model.state import State
from closedchain.model.state import state as make_state
from closedchain.simulation.clock import Clock, clock
from closedchain.simulation.compiled import Compiled, History
from closedchain.simulation.endings import Progress
from closedchain.simulation.plant import Plant
from closedchain.simulation.run import Run
from closedchain.simulation.stepwise import stepwise

COMPILED = ("rk4", "rk6", "gauss4")
METHODS = (*COMPILED, "dop853")
ROWS = 200_000  # kept of a run unless asked for more


def simulate(
    model: Model,
    controller: Any,
    *,
    duration: float | None = None,
    interval: float = 1e-3,
    step: float | None = None,
    start: State | None = None,
    q: ArrayLike | None = None,
    x: ArrayLike | None = None,
    q_dot: ArrayLike | None = None,
    assembly: str | None = None,
    working: str | None = None,
    plant: Plant | None = None,
    method: str = "rk4",
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    rows: int = ROWS,
    title: str = "",
    progress: Progress | None = None,
) -> Run:
    """The robot under a controller whose commands are held for `interval`, integrated with `step` (1 ms unless given).

    The controller is one of closedchain.control (the whole loop is then compiled) or any function (t, state) → efforts.
    The run begins at `start`, at q or x, or where the controller's reference begins; it ends early, and says why, at a
    singularity that the law cannot bear, at a joint limit, or where numbers overflow. A duration that is not a whole
    number of intervals is completed: the last command is held for its whole interval. `progress` is told the time
    reached now and then; when it raises KeyboardInterrupt the run ends there and is returned as far as it came.
    """
    if method not in METHODS:
        raise BadInput(f"no method {method!r:.30}; there are {', '.join(METHODS)}")
    plant = plant or Plant()
    reference = getattr(controller, "reference", None)
    duration = duration if duration is not None else getattr(reference, "duration", None)
    if duration is None:
        raise BadInput("give the duration: the controller has no reference that ends")
    time = clock(duration, interval, step)
    real = plant_model(model, plant)
    begin = start or starting_state(
        real, reference, q, x, q_dot, assembly, working or getattr(controller, "working", None)
    )
    if not (np.isfinite(begin.z).all() and np.isfinite(begin.z_dot).all()):
        raise BadInput(f"{real.name}: the start is beyond the range of double precision: z = {numbers(begin.z)}")
    bounds = _limits(model, limits)
    if hasattr(controller, "law") and method != "dop853":
        history = Compiled(real, model, controller, plant, method).run(begin, time, bounds, every(time, rows), progress)
    else:
        history = stepwise(real, model, controller, begin, time, plant, method, bounds, progress)
    return _run(
        real, controller, reference, history, time, title, {"method": method, "step": time.h, "seed": plant.seed}
    )


def every(time: Clock, rows: int) -> int:
    """Steps between kept rows, so that at most `rows` are kept."""
    return max(1, -(-time.steps // rows))


def plant_model(model: Model, plant: Plant) -> Model:
    """The robot that is simulated."""
    real = model.with_values(**plant.values) if plant.values else model
    return with_payload(real, plant.payload) if plant.payload else real


def starting_state(
    real: Model,
    reference: Any,
    q: ArrayLike | None,
    x: ArrayLike | None,
    q_dot: ArrayLike | None,
    assembly: str | None,
    working: str | None,
) -> State:
    """The state that a run begins in: given, or the reference's beginning with its velocity."""
    if q is not None or x is not None:
        return make_state(real, q=q, x=x, q_dot=q_dot, assembly=assembly, working=None if q is not None else working)
    if reference is None:
        raise BadInput(f"{real.name}: give q or x to begin at")
    first = reference(0.0)
    if getattr(reference, "space", "output") == "joint":
        return make_state(real, q=first.x, q_dot=first.x_dot, assembly=assembly)
    return make_state(real, x=first.x, x_dot=first.x_dot if np.any(first.x_dot) else None, working=working)


def _limits(model: Model, limits: tuple[ArrayLike, ArrayLike] | None) -> tuple[Doubles, Doubles]:
    if limits is None:
        return np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    low, high = (np.broadcast_to(np.asarray(b, dtype=np.float64), (model.nq,)) for b in limits)
    if not (low < high).all():
        raise BadInput(f"{model.name}: joint limits {numbers(low)} to {numbers(high)} leave no room")
    return low, high


def _run(
    real: Model, controller: Any, reference: Any, history: History, time: Clock, title: str, settings: dict[str, Any]
) -> Run:
    ref = None
    if reference is not None and (getattr(reference, "space", "output") == "output" or not real.nx):
        ref = reference(history.t).x
    name = title or getattr(controller, "key", getattr(controller, "__name__", "a function"))
    return Run(
        model=real,
        title=name,
        t=history.t,
        q=history.q,
        x=history.x,
        q_dot=history.q_dot,
        x_dot=history.x_dot,
        command=history.command,
        work=history.work,
        output=getattr(controller, "output", "tau"),
        interval=time.interval,
        ended=history.ended,
        ref=ref,
        settings=settings,
    )
