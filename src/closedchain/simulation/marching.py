"""A mechanism in time: compiled steps in z under held efforts, projected back onto its closures."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from closedchain import policy
from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.kernels.march import DEGENERATE, OPEN, Bounds, March, load_march
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.accuracy import TOO_LONG
from closedchain.simulation.adaptive import ADAPTIVE, PRECISION, Adaptive
from closedchain.simulation.clock import Clock
from closedchain.simulation.deciding import Decider
from closedchain.simulation.endings import CANCELLED, Progress, cancelled, meets_singularity
from closedchain.simulation.endings import explain as explain_ending
from closedchain.simulation.plant import Plant, saturation
from closedchain.simulation.record import Marched, Record
from closedchain.simulation.run import END
from closedchain.simulation.sensors import Sensors
from closedchain.simulation.stiffness import too_long
from closedchain.simulation.tableaux import TABLEAUX

MARCHED = ("rk4", "rk6", "rodas", *ADAPTIVE)
CHUNK = 2_000_000  # numbers recorded in one call, to bound memory and to look whether the run is cancelled


def load(model: Model, method: str, output: str) -> March:
    """The compiled march of a mechanism."""
    if method not in MARCHED:
        raise BadInput(f"{model.name}: no method {method!r:.30} here; there are {', '.join(MARCHED)}")
    voltage = output == "voltage"
    if output not in ("tau", "voltage") or (voltage and not model.equations.motors):
        raise BadInput(f"{model.name}: {method} takes efforts, or voltages where it has motors, not {output!r:.20}")

    method = ADAPTIVE.get(method, method)

    def build() -> Any:
        if method == "rodas":
            leaping = importlib.import_module("closedchain.simulation.leaping")  # brings CasADi, as below
            return leaping.leaping_programs(model.equations, model.massless, voltage)
        programs = importlib.import_module("closedchain.derive.programs")  # brings CasADi, only to compile anew
        return programs.marching_programs(model.equations, model.massless, voltage)

    announce = model.announce
    tell = (lambda text: announce(f"{model.recipe.name}: {text}")) if announce else None
    key = f"{model.massless} {voltage} {model.equations.key}"
    return load_march(key, build, TABLEAUX.get(method), model.nq + model.nx, announce=tell)


def march(
    real: Model,
    model: Model,
    controller: Any,
    begin: State,
    time: Clock,
    plant: Plant,
    method: str,
    limits: tuple[Doubles, Doubles],
    every: int = 1,
    progress: Progress | None = None,
    precision: float = PRECISION,
) -> Marched:
    """A whole run: without drives in few calls, otherwise from command to command."""
    plant.punctual("a linkage's, and steps of its own choice, have neither")
    decide, sensors = Decider(model, controller, time), Sensors(model, plant, begin, time)
    limit = saturation(real, plant)
    inverts = str(getattr(controller, "inverts", ""))
    compiled = load(real, method, getattr(controller, "output", "tau"))
    bounds = Bounds(policy.OPEN * real.scale, policy.SINGULAR)
    mover: Adaptive | Fixed = Fixed(real, compiled, time, bounds)
    if method in ADAPTIVE:
        mover = Adaptive(real, compiled, time, bounds, precision, method)
    compiled.start(begin.z, begin.z_dot)
    record = Record(real, begin, time, every)
    ended = END
    while record.done < time.steps:
        before = record.state
        if model.driven and record.done % time.substeps == 0:  # adaptive steps come here between commands, too
            k = record.done // time.substeps
            record.command = np.clip(decide(k, sensors.measure(k, before), record.command), -limit, limit)
            compiled.renew()
        ended = mover.go(record, held=not model.driven) or record.beyond(limits)
        if not ended and inverts and meets_singularity(real, inverts, before, record.state):
            ended = explain_ending(real, inverts, record.done * time.h, before, record.state, limits)
        if not ended and cancelled(progress, record.done * time.h) and record.done < time.steps:
            ended = CANCELLED.format(t=record.done * time.h)
        if ended:
            break
    if TOO_LONG in ended:
        at = State(*(getattr(begin, name)[None] for name in ("q", "x", "q_dot", "x_dot")))
        slow = too_long(
            real, at, record.command[None], getattr(controller, "output", "tau"), method, time.h, time.t[-1]
        )
        ended = f"{ended.partition(':')[0]}: {slow}" if slow else ended
    return record.history(ended or END)


class Fixed:
    """Equal steps."""

    def __init__(self, model: Model, compiled: March, time: Clock, bounds: Bounds) -> None:
        self.model, self.compiled, self.time, self.bounds = model, compiled, time, bounds

    def go(self, record: Record, held: bool) -> str:
        """On to the next command, or as far as memory holds; why it ended, if it did."""
        time, done = self.time, record.done
        most = max(1, CHUNK // (2 * self.compiled.nz + 5)) * record.every
        count = min(most if held else time.substeps - done % time.substeps, time.steps - done)
        every = record.every if count % record.every == 0 else 1
        rows, made = self.compiled.go(record.command, self.model.p, time.h, count, every, self.bounds)
        record.add(rows, made, every, self.compiled)
        return "" if made == count else explain(self.model, self.compiled.ended, record.done * time.h, time.h)


def explain(model: Model, why: int, t: float, h: float) -> str:
    """Why a march ended early."""
    if why == OPEN:
        return f"the loops opened at t = {t:.6g} s: steps of {h:.3g} s are too long for this motion; take shorter ones"
    if why == DEGENERATE:
        return f"something moves without mass at t = {t:.6g} s: give every body that bars do not hold a mass"
    return f"numbers grew without bound at t = {t:.6g} s: steps of {h:.3g} s are too long; take shorter ones"
