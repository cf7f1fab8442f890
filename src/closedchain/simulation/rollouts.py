"""Thousands of runs of one loop in one call: varied parameters, starts, gains; the same bits for any thread count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.describe.expressions import symbols
from closedchain.errors import BadInput, numbers
from closedchain.kernels.parallel import run as run_parallel
from closedchain.model.forces import Forces, Loads
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.balance import ASTRAY, ROUNDING
from closedchain.simulation.clock import clock
from closedchain.simulation.compiled import Compiled
from closedchain.simulation.deciding import commanding
from closedchain.simulation.held import Held
from closedchain.simulation.plant import Plant
from closedchain.simulation.simulate import COMPILED, joint_limits, plant_model
from closedchain.simulation.starting import Beginning, check_start, starting_states


@dataclass(frozen=True, eq=False)
class Rollouts:
    """What became of each run."""

    final: State  # (n, …)
    max_error: Doubles | None  # (n, axes) of the output against its reference, at the integration steps
    max_effort: Doubles  # (n, driven)
    steps: Doubles  # (n,) integration steps made
    finished: Any  # (n,) bool: whether all were made, nothing ended the run, and its energy is accounted for
    balance: Doubles  # (n,) [J] energy at the end that no motor and no friction accounts for

    def __len__(self) -> int:
        return len(self.steps)


def rollouts(
    model: Model,
    controller: Any,
    *,
    count: int | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    gains: ArrayLike | None = None,
    start: State | None = None,
    q: ArrayLike | None = None,
    x: ArrayLike | None = None,
    q_dot: ArrayLike | None = None,
    assembly: str | None = None,
    working: str | None = None,
    duration: float | None = None,
    interval: float = 1e-3,
    step: float | None = None,
    plant: Plant | None = None,
    method: str = "rk4",
    command: str | None = None,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    forces: Forces | None = None,
    torques: Forces | None = None,
    threads: int = 1,
) -> Rollouts:
    """Run the loop for every row of the varied plant parameters (`values`), gains (n, k) or starts (n, …).

    Each row begins as a run of `simulate` does, on the loops of its own parameters. Sensor noise, where the plant has
    it, is drawn from the plant's seed and the row's number. A law's memory begins in every row as it declares it.
    External `forces` and `torques`, by what they act on, are numbers for all runs, or a row of them for each.
    """
    free = controller is None and not model.driven
    controller = Held("tau") if free else commanding(model, controller, command, None)
    _check_kind(model, controller, method)
    plant = (plant or Plant()).sampled(interval)
    reference = getattr(controller, "reference", None)
    duration = duration if duration is not None else getattr(reference, "duration", None)
    if duration is None:
        raise BadInput("give the duration: the controller has no reference that ends")
    time = clock(duration, interval, step)
    if len(plant.payloads) > 1:
        raise BadInput("rollouts carry one payload from beginning to end; `simulate` changes it on the way")
    real = plant_model(model, plant)
    if forces or torques:
        real, values = _pushed(real.loads(forces, torques), values or {})
    p = _parameters(real, values or {})
    k = _gains(controller, gains)
    given = Beginning(q, x, q_dot, assembly, working)
    n = _rows(count, p, k, *(v for v in (q, x, q_dot, start.q if start else None) if v is not None))
    begin = start or starting_states(real, np.broadcast_to(p, (n, len(real.p))) if values else p, controller, given)
    check_start(real, controller, begin, p)
    tracked = reference is not None and getattr(reference, "space", "output") == "output" and real.nx > 0
    loop = Compiled(real, model, controller, plant, method, summary=True, tracked=tracked, varied=bool(values))
    constants = loop.constants(time, joint_limits(model, limits)) | {"p": p, "gains": k}
    samples = controller.samples(model, time.instants, time.interval)
    arrays = loop.carried(begin) | constants | loop.stepped(time, samples, _noise(loop, time, n), 0, time.steps)
    if tracked and reference is not None:
        arrays["x_ref"] = reference(time.t[:-1]).x
    signature = loop.library.signatures["loop"]
    rows = "q" if model.nq else "x"
    inputs = [_batch(arrays[a.name], len(a.dims), n) if a.name == rows else arrays[a.name] for a in signature.inputs]
    made = run_parallel(loop.library["loop"], inputs, threads=threads)
    named = dict(zip((a.name for a in signature.outputs), made, strict=True))
    empty = np.zeros((n, 0))
    final = State(*(named.get(name, empty) for name in ("q", "x", "q_dot", "x_dot")))
    worst = named["worst"] if tracked else None
    balance, limit = _balance(real, p, begin, final, named) if controller.output != "velocity" else (np.zeros(n), 0.0)
    finished = (named["stopped"][:, 0] == 0) & (np.abs(balance) <= limit)
    return Rollouts(final, worst, named.get("most", empty), named["steps"], finished, balance)


def _balance(
    real: Model, p: Doubles, begin: State, final: State, named: Mapping[str, Doubles]
) -> tuple[Doubles, Doubles]:
    """What is missing of each run's energy at its end [J], and what may be."""
    with np.errstate(all="ignore"):
        first, last = (real.call("energy", p=p, q=s.q, x=s.x, q_dot=s.q_dot, x_dot=s.x_dot) for s in (begin, final))
        work, risen = named["work"][:, 0], last["potential"] - first["potential"]
        balance = last["kinetic"] - first["kinetic"] + risen - work
        moved = np.maximum(first["kinetic"], last["kinetic"]) + np.abs(risen) + named["peak"][:, 0]
        sums = np.abs(first["potential"]) + np.abs(last["potential"])
    return balance, ASTRAY * moved + ROUNDING * named["steps"] * sums


def _check_kind(model: Model, controller: Any, method: str) -> None:
    """Refuse what cannot be run in one compiled loop."""
    if not hasattr(controller, "law"):
        raise BadInput("rollouts compile their loop: give a controller of closedchain.control or with its methods")
    if method not in COMPILED:
        raise BadInput(f"no method {method!r:.30} for rollouts; there are {', '.join(COMPILED)}")


def _pushed(loads: Loads, values: Mapping[str, ArrayLike]) -> tuple[Model, dict[str, ArrayLike]]:
    """The robot under its loads; those with a row for each run are parameters that vary."""
    varied = dict(values)
    if loads.varying:
        raise BadInput(f"{loads.model.name}: rollouts take forces that are numbers; `simulate` takes functions")
    for load, value, numbers_ in zip(loads.loads, loads.values, loads.components(0.0, None), strict=True):
        if np.size(value) != len(load.names):  # type: ignore[arg-type]
            varied |= {name: numbers_[:, i] for i, name in enumerate(load.names)}
    return loads.model, varied


def _rows(count: int | None, *arrays: ArrayLike) -> int:
    """How many runs there are; whatever has rows has as many, or one."""
    varied = [len(np.asarray(a)) for a in arrays if np.ndim(a) == 2]
    n = count if count is not None else max(varied, default=1)
    if n < 1:
        raise BadInput(f"count = {n}: at least one run is needed")
    if any(size not in (1, n) for size in varied):
        raise BadInput(f"rows of different number: {sorted(set(varied))} of parameters, gains and starts, for {n} runs")
    return n


def _gains(controller: Any, gains: ArrayLike | None) -> Doubles:
    """The law's numbers as (k,), or (n, k) where they are varied."""
    own: Doubles = controller.gains
    given = own if gains is None else np.asarray(gains, dtype=np.float64)
    if given.shape[-1:] != own.shape or given.ndim > 2 or not np.isfinite(given).all():
        raise BadInput(f"gains of shape {given.shape}: {len(own)} finite numbers a row are needed, as {numbers(own)}")
    return given


def _parameters(real: Model, values: Mapping[str, ArrayLike]) -> Doubles:
    """p as (np,), or (n, np) where values are varied; each is checked like any other, formulas follow."""
    if not values:
        return real.p
    names = list(real.values)
    unknown = [name for name in values if name not in names]
    if unknown:
        raise BadInput(f"{real.name}: no parameter {unknown[0]!r:.30}; there are {', '.join(names)}")
    columns = {name: np.atleast_1d(np.asarray(v, dtype=np.float64)) for name, v in values.items()}
    n = max(len(c) for c in columns.values())
    wrong = {len(c) for c in columns.values() if c.ndim > 1 or len(c) not in (1, n)}
    if wrong or not n:
        raise BadInput(
            f"{real.name}: values of {sorted({len(c) for c in columns.values()})} rows; give one for each run"
        )
    rows = [{name: float(c[i % len(c)]) for name, c in columns.items()} for i in range(n)]
    fixed = {*real.given, *columns, *(real.recipe.presets[real.preset] if real.preset else ())}
    if any(symbols([e.value]) for e in real.equations.parameters if e.name not in fixed):
        return np.stack([real.with_values(**row).p for row in rows])
    for i in {int(np.argmin(c)) for c in columns.values()} | {int(np.argmax(c)) for c in columns.values()}:
        real.with_values(**rows[i])
    p = np.tile(real.p, (n, 1))
    for name, column in columns.items():
        p[:, names.index(name)] = column
    return p


def _noise(loop: Compiled, time: Any, n: int) -> Doubles:
    plant = loop.plant
    if not (plant.noise_q or plant.noise_q_dot):
        return loop.noise(time)
    rows = [np.random.default_rng([plant.seed, i]).standard_normal((time.periods, 2 * loop.model.nq)) for i in range(n)]
    return np.array(rows) * np.repeat([plant.noise_q, plant.noise_q_dot], loop.model.nq)


def _batch(array: Doubles, core: int, n: int) -> Doubles:
    """A constant start as n rows, so that the batch has its size."""
    return np.broadcast_to(array, (n, *array.shape[array.ndim - core :])).copy()
