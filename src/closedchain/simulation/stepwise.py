"""The loop in Python, one command at a time: for functions of the user's own, and for references by DOP853."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from closedchain.arrays import Doubles, vectors
from closedchain.model.forces import Loads
from closedchain.model.measured import Fields, Numbers
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.clock import Clock
from closedchain.simulation.compiled import Compiled, History
from closedchain.simulation.endings import CANCELLED, Commanded, Progress, cancelled, explain, goes_on, stands
from closedchain.simulation.held import Held
from closedchain.simulation.plant import Plant, saturation
from closedchain.simulation.run import END
from closedchain.simulation.staged import Move, Works, staged

Command = Callable[[int, float, State, Doubles], Doubles]


class Sensors:
    """What the controller sees: noise, resolution, differences and delay, as in the compiled loop."""

    def __init__(self, model: Model, plant: Plant, begin: State, time: Clock) -> None:
        self.model, self.plant, self.interval = model, plant, time.interval
        self.q_seen, self.v_seen = begin.q, begin.q_dot
        self.noise = Compiled(model, model, Held("tau"), plant, "rk4").noise(time)

    def measure(self, k: int, state: State) -> State:
        """What the controller is told: the drives as sensed, the output where its own model has it for them."""
        if self.plant.ideal:
            return state
        model, (q, q_dot) = self.model, self.see(k, state)
        x = state.x
        for _ in range(3 if model.nx else 0):
            made = model.call("closures", q=q, x=x)
            x = x - np.linalg.solve(made["A"], made["phi"])
        x_dot = model.call("direct_rates", q=q, x=x, q_dot=q_dot, q_ddot=0 * q)["x_dot"] if model.nx else x
        return State(q, x, q_dot, x_dot)

    def see(self, k: int, state: State) -> tuple[Doubles, Doubles]:
        n, quantum = self.model.nq, self.plant.quantum
        shaken = self.noise[min(k, len(self.noise) - 1)]
        q = state.q + shaken[:n]
        q = quantum * np.floor(q / quantum + 0.5) if quantum else q
        q_dot = (q - self.q_seen) / self.interval if self.plant.differences else state.q_dot + shaken[n:]
        used = (self.q_seen, self.v_seen) if self.plant.delay else (q, q_dot)
        self.q_seen, self.v_seen = q, q_dot
        return used


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
    decide = _commands(real, model, controller, begin, time, plant)
    output = getattr(controller, "output", "tau")
    by_stages = method == "dop853" or loads is not None
    move = staged(real, output, method, loads) if by_stages else _compiled(real, output, method, limits)
    limit, inverts = saturation(real, plant), str(getattr(controller, "inverts", ""))
    rows: list[tuple[float, State, Doubles, Works]] = []
    state, work, ended = begin, np.zeros(2), END
    for k in range(time.periods):
        t = k * time.interval
        held = rows[-1][2] if rows else np.zeros(len(real.driven))
        command = np.clip(decide(k, t, state, held), -limit, limit)
        rows.append((t, state, command, work))
        state, gained, passed = move(t, state, command, time)
        work = work + gained
        if passed < time.interval or not goes_on(real, inverts, rows[-1][1], state, limits):
            reference = getattr(controller, "reference", None)
            before = rows[-1][1]
            last = Commanded(t, before, time.interval)
            ended = explain(real, inverts, t + passed, before, state, limits, reference, last)
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
    )


def _commands(real: Model, model: Model, controller: Any, begin: State, time: Clock, plant: Plant) -> Command:
    """The command at each instant, by a law or by the user's function."""
    sensors = Sensors(model, plant, begin, time)
    if controller is None:  # a linkage that nothing drives
        return lambda k, t, state, held: np.zeros(len(model.driven))
    if not hasattr(controller, "law"):
        size = len(model.driven)

        def ask(k: int, t: float, state: State, held: Doubles) -> Doubles:
            return vectors(controller(t, sensors.measure(k, state)), size, "the controller's answer")

        return ask
    fields, samples = controller.fields(model), controller.samples(model, time.instants, time.interval)

    def decide(k: int, t: float, state: State, held: Doubles) -> Doubles:
        measured = Numbers(model, sensors.measure(k, state), held)
        return np.asarray(controller.law(measured, Fields(fields, samples[k]), controller.gains), dtype=np.float64)

    return decide


def _compiled(real: Model, output: str, method: str, limits: tuple[Doubles, Doubles]) -> Move:
    law = Held(output)
    loop = Compiled(real, real, law, Plant(), method)

    def move(t: float, state: State, command: Doubles, time: Clock) -> tuple[State, Works, float]:
        law.told = command
        one = Clock(time.interval, time.substeps, 1)
        steps = loop.stepped(one, law.samples(real, one.instants, one.interval), loop.noise(one), 0, one.steps)
        made, count = loop.call(loop.carried(state), steps, loop.constants(one, limits))
        empty = np.zeros(0)
        after = State(made["q"], made.get("x", empty), made["q_dot"], made.get("x_dot", empty))
        return after, np.array([made["work"][0], 0.0]), time.interval if count == one.steps else count * one.h

    return move
