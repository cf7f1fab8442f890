"""The loop in Python, one command at a time: for functions of the user's own, and for references by DOP853."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.model.dynamics import energy
from closedchain.model.forces import Loads
from closedchain.model.model import Model
from closedchain.model.payload import PAYLOAD
from closedchain.model.state import State
from closedchain.simulation.clock import Clock
from closedchain.simulation.compiled import Compiled, History
from closedchain.simulation.deciding import Decider
from closedchain.simulation.endings import CANCELLED, Commanded, Progress, cancelled, explain, goes_on, stands
from closedchain.simulation.events import Events
from closedchain.simulation.held import Held
from closedchain.simulation.law_keys import answers
from closedchain.simulation.plant import Plant, payload_changes, saturation
from closedchain.simulation.run import END
from closedchain.simulation.sensors import Sensors
from closedchain.simulation.staged import Motion, Staged, Works, no_currents
from closedchain.simulation.stiffness import too_long


def stepwise(
    real: Model,
    model: Model,
    controller: Any,
    begin: State,
    time: Clock,
    plant: Plant,
    method: str,
    limits: tuple[Doubles, Doubles],
    progress: Progress | None = None,
    loads: Loads | None = None,
) -> History:
    """A run whose commands are computed in Python, or whose external forces are."""
    sensors, decide = Sensors(model, plant, begin, time), Decider(model, controller, time)
    output = getattr(controller, "output", "tau")
    limit, inverts = saturation(real, plant), str(getattr(controller, "inverts", ""))
    move = _motion(real, output, method, limits, loads, inverts)
    changes, late = payload_changes(plant, time), plant.late(time)
    rows: list[tuple[float, State, Doubles, Works, Doubles]] = []
    state, work, command, ended = begin, np.zeros(2), np.zeros(len(real.driven)), END
    for k, first, part in _parts(time, late, changes):
        t, step = k * time.interval + first * time.h, k * time.substeps + first
        if step in changes:
            loaded = move.real.with_values(**{PAYLOAD: changes[step]})
            work[0] += float(energy(loaded, state).total - energy(move.real, state).total)
            move.real = loaded
        if first == late[k]:
            command = np.clip(decide(k, sensors.measure(k, state), command), -limit, limit)
        rows.append((t, state, command, work.copy(), move.current))
        state, gained, passed = move(t, state, command, part)
        work = work + gained
        if passed < part.interval or not goes_on(real, inverts, rows[-1][1], state, limits):
            reference = getattr(controller, "reference", None)
            before = rows[-1][1]
            last = Commanded(t, before, time.interval)
            at = State(*(getattr(begin, name)[None] for name in ("q", "x", "q_dot", "x_dot")))
            slow = too_long(real, at, rows[0][2][None], output, method, time.h, time.t[-1])
            told = (reference, last, slow, answers(controller))
            ended = explain(real, inverts, t + passed, before, state, limits, *told)
            if stands(real, state):
                rows.append((t + passed, state, command, work, move.current))
            break
        if cancelled(progress, t + part.interval) and step + part.substeps < time.steps:
            ended = CANCELLED.format(t=t + part.interval)
            rows.append((t + part.interval, state, command, work, move.current))
            break
    else:
        rows.append((time.periods * time.interval, state, command, work, move.current))
    states = [row[1] for row in rows]
    stack = {name: np.array([getattr(s, name) for s in states]) for name in ("q", "x", "q_dot", "x_dot")}
    return History(
        np.array([r[0] for r in rows]),
        **stack,
        command=np.array([r[2] for r in rows]),
        work=np.array([r[3][0] for r in rows]),
        ended=ended,
        external=np.array([r[3][1] for r in rows]),
        current=np.array([r[4] for r in rows]) if move.current.size else None,
        told=move.told if isinstance(move, Events) else None,
    )


def _parts(time: Clock, late: NDArray[np.intp], changes: Container[int]) -> Iterator[tuple[int, int, Clock]]:
    """Each interval, cut where its command comes late and where the payload changes: (interval, first step, steps)."""
    n = time.substeps
    for k in range(time.periods):
        cuts = [0, *(i for i in range(1, n) if i == late[k] or k * n + i in changes), n]
        for first, end in pairwise(cuts):
            yield k, first, Clock(time.interval if end - first == n else (end - first) * time.h, end - first, 1)


def _motion(
    real: Model, output: str, method: str, limits: tuple[Doubles, Doubles], loads: Loads | None, inverts: str
) -> Motion:
    if method == "events":
        return Events(real, output, loads)
    if method == "dop853" or loads is not None:
        return Staged(real, output, method, loads, inverts)
    return Stepped(real, output, method, limits)


class Stepped:
    """Compiled steps of the plant alone."""

    def __init__(self, real: Model, output: str, method: str, limits: tuple[Doubles, Doubles]) -> None:
        self.law, self.limits = Held(output), limits
        self.loop = Compiled(real, real, self.law, Plant(), method)
        self.current = no_currents(real, output)

    @property
    def real(self) -> Model:
        return self.loop.real

    @real.setter
    def real(self, real: Model) -> None:
        self.loop = replace(self.loop, real=real, model=real)

    def __call__(self, t: float, state: State, command: Doubles, time: Clock) -> tuple[State, Works, float]:
        """The state after the steps of an interval."""
        self.law.told = command
        one, loop = Clock(time.interval, time.substeps, 1), self.loop
        kept = {"current": self.current} if self.current.size else {}
        samples = self.law.samples(self.real, one.instants, one.interval)
        steps = loop.stepped(one, samples, loop.noise(one), 0, one.steps)
        made, count = loop.call(loop.carried(state) | kept, steps, loop.constants(one, self.limits))
        self.current = made.get("current", self.current)
        empty = np.zeros(0)
        after = State(made["q"], made.get("x", empty), made["q_dot"], made.get("x_dot", empty))
        return after, np.array([made["work"][0], 0.0]), time.interval if count == one.steps else count * one.h
