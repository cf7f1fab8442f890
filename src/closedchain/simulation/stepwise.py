"""The loop in Python, one command at a time: for functions of the user's own, and for references by DOP853."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.forces import Loads
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.clock import Clock
from closedchain.simulation.compiled import Compiled, History
from closedchain.simulation.deciding import Decider
from closedchain.simulation.endings import CANCELLED, Commanded, Progress, cancelled, explain, goes_on, stands
from closedchain.simulation.events import Events
from closedchain.simulation.held import Held
from closedchain.simulation.law_keys import answers
from closedchain.simulation.plant import Plant, saturation
from closedchain.simulation.run import END
from closedchain.simulation.sensors import Sensors
from closedchain.simulation.staged import Move, Works, staged
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
    by_stages = method == "dop853" or loads is not None
    limit, inverts = saturation(real, plant), str(getattr(controller, "inverts", ""))
    move: Move
    if method == "events":
        move = Events(real, output, loads)
    else:
        move = staged(real, output, method, loads, inverts) if by_stages else _compiled(real, output, method, limits)
    rows: list[tuple[float, State, Doubles, Works]] = []
    state, work, ended = begin, np.zeros(2), END
    for k in range(time.periods):
        t = k * time.interval
        held = rows[-1][2] if rows else np.zeros(len(real.driven))
        command = np.clip(decide(k, sensors.measure(k, state), held), -limit, limit)
        rows.append((t, state, command, work))
        state, gained, passed = move(t, state, command, time)
        work = work + gained
        if passed < time.interval or not goes_on(real, inverts, rows[-1][1], state, limits):
            reference = getattr(controller, "reference", None)
            before = rows[-1][1]
            last = Commanded(t, before, time.interval)
            at = State(*(getattr(begin, name)[None] for name in ("q", "x", "q_dot", "x_dot")))
            slow = too_long(real, at, rows[0][2][None], output, method, time.h, time.t[-1])
            told = (reference, last, slow, answers(controller))
            ended = explain(real, inverts, t + passed, before, state, limits, *told)
            if stands(real, state):
                rows.append((t + passed, state, command, work))
            break
        if cancelled(progress, t + time.interval) and k + 1 < time.periods:
            ended = CANCELLED.format(t=t + time.interval)
            rows.append((t + time.interval, state, command, work))
            break
    else:
        rows.append((time.periods * time.interval, state, rows[-1][2], work))
    states = [row[1] for row in rows]
    stack = {name: np.array([getattr(s, name) for s in states]) for name in ("q", "x", "q_dot", "x_dot")}
    return History(
        np.array([r[0] for r in rows]),
        **stack,
        command=np.array([r[2] for r in rows]),
        work=np.array([r[3][0] for r in rows]),
        ended=ended,
        external=np.array([r[3][1] for r in rows]),
        told=move.told if isinstance(move, Events) else None,
    )


def _compiled(real: Model, output: str, method: str, limits: tuple[Doubles, Doubles]) -> Move:
    law, kept = Held(output), dict[str, Doubles]()  # the motors' currents
    loop = Compiled(real, real, law, Plant(), method)

    def move(t: float, state: State, command: Doubles, time: Clock) -> tuple[State, Works, float]:
        law.told = command
        one = Clock(time.interval, time.substeps, 1)
        steps = loop.stepped(one, law.samples(real, one.instants, one.interval), loop.noise(one), 0, one.steps)
        made, count = loop.call(loop.carried(state) | kept, steps, loop.constants(one, limits))
        kept.update({name: made[name] for name in ("current",) if name in made})
        empty = np.zeros(0)
        after = State(made["q"], made.get("x", empty), made["q_dot"], made.get("x_dot", empty))
        return after, np.array([made["work"][0], 0.0]), time.interval if count == one.steps else count * one.h

    return move
