"""Seed 003's exercise: Lagrange's equations, the motor, accelerations, a simulation, the picture's tip."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from closedchain.arrays import Doubles
from closedchain.control import Constant
from closedchain.lab.grading.exercise import Exercise, Task
from closedchain.model.dynamics import energy, forward_dynamics, motor_efforts
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.simulate import simulate

STATES, RUNS = 30, 4
REST = 6  # every which state is at rest
OWN_STEPS = 1e-3  # a simulation of the group's own, with steps of its own
POSE, RATES = ("q1", "q2"), ("q1D", "q2D")
HANGING = "q2 = 0 hangs in this file, as in the document's eq 7 and program; graded so."


@lru_cache(maxsize=8)
def furuta(seed: int) -> tuple[Exercise, ...]:
    """With q2 counted from upright, as the title of the document says, or from hanging, as its program does."""
    return (_exercise(load("furuta"), seed, ""), _exercise(load("furuta:hanging"), seed, HANGING))


def _exercise(model: Model, seed: int, note: str) -> Exercise:
    rng = np.random.default_rng(seed)
    q, q_dot = rng.uniform(-np.pi, np.pi, (STATES, 2)), rng.normal(0.0, 4.0, (STATES, 2))
    q_dot[::REST] = 0.0
    v = rng.uniform(-10.0, 10.0, (STATES, 1))
    none = np.zeros((STATES, 0))
    state = State(q, none, q_dot, none)
    made = model.call("evaluate", q=q, x=none, q_dot=q_dot, q_ddot=0 * q)
    tau = motor_efforts(model, v, q_dot)
    energies, places = energy(model, state), model.call("points", q=q, x=none)["points"][:, -1]
    moving = np.concatenate([q, q_dot], axis=-1)
    tasks = (
        _task("mass_matrix", POSE, ("M11", "M12", "M21", "M22"), q, made["M"].reshape(-1, 4)),
        _task("bias", (*POSE, *RATES), ("c1", "c2"), moving, made["c"]),
        _task("motor_torque", ("v", "q1D"), ("tau",), np.concatenate([v, q_dot[:, :1]], axis=-1), tau),
        _task(
            "accelerations", (*POSE, *RATES, "v"), ("q1DD", "q2DD"), np.concatenate([moving, v], axis=-1),
            forward_dynamics(model, state, tau).q_ddot,
        ),
        _task(
            "energies", (*POSE, *RATES), ("kinetic", "potential"), moving,
            np.stack([energies.kinetic, energies.potential], axis=-1),
        ),
        _task("tip", POSE, ("x", "y", "z"), q, places),
        _simulation(model, moving, v),
    )  # fmt: skip
    return Exercise("furuta", tasks, note)


def _task(name: str, arguments: tuple[str, ...], columns: tuple[str, ...], inputs: Doubles, answers: Doubles) -> Task:
    return Task(name, arguments, columns, inputs, tuple(row[None] for row in np.asarray(answers)))


def _simulation(model: Model, moving: Doubles, v: Doubles) -> Task:
    """The state after a while under a constant voltage, to a thousandth: the group integrates as it likes."""
    columns = (*POSE, *RATES)
    inputs = np.concatenate([0.3 * moving[:RUNS], v[:RUNS], np.linspace(0.2, 0.5, RUNS)[:, None]], axis=-1)
    ends = []
    for q1, q2, w1, w2, volts, duration in inputs:
        run = simulate(
            model,
            Constant(volts, "voltage"),
            q=[q1, q2],
            q_dot=[w1, w2],
            duration=duration,
            interval=1e-3,
            method="rk6",
        )
        ends.append(np.concatenate([run.q[-1], run.q_dot[-1]])[None])
    arguments = (*columns, "v", "duration")
    return Task("simulate", arguments, columns, inputs, tuple(ends), turning=POSE, tolerance=OWN_STEPS)
