"""Three seconds of computed torque at 1 kHz on the biglide: the whole closed loop, 3000 commands.

Run it with `python -m benchmarks.computed_torque_loop`. Every contestant's tip at the end is compared with 30-digit
arithmetic first. closedchain appears twice: the call a user makes, `simulate`, which also samples the reference, finds
its drives and keeps histories with the energy's balance, and its compiled loop alone, as C does it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from . import c_loop, ours
from .biglide import Array
from .harness import Claim, Table, Unavailable, available, interleave, report, require, show
from .loop import DURATION, END, EXACT_END, INTERVAL, KD, KP, START, STEPS

PROMISED = 1e-12  # [m] of our tip
OURS, LOOP, C = "closedchain simulate", "closedchain, the loop alone", "C, the loop alone"
C_WHOLE = "C with its reference"
RK4, EULER, PINOCCHIO, SCIPY = "MuJoCo RK4", "MuJoCo Euler", "Pinocchio RK4", "SciPy solve_ivp, restarted"


def main(rounds: int = 15, min_time: float = 0.02, steps: int = STEPS) -> dict[str, Any]:
    """Check everybody's tip, time them all in every round, compare with what is promised.

    With fewer steps than 3000, for a trial, the tips are compared with the C loop's.
    """
    errors: dict[str, float] = {}
    exact = EXACT_END if steps == STEPS else _c(steps)()
    makers = {
        OURS: (partial(ours.computed_torque, steps), PROMISED),
        LOOP: (partial(ours.computed_torque_loop, steps), PROMISED),
        C: (partial(_c, steps), PROMISED),
        C_WHOLE: (partial(_c_whole, steps), PROMISED),
        RK4: (partial(_engine, "loop_mujoco", "RK4", steps), 1e-6),
        EULER: (partial(_engine, "loop_mujoco", "Euler", steps), 1e-3),
        PINOCCHIO: (partial(_engine, "loop_pinocchio", steps), 1e-9),
        SCIPY: (partial(_engine, "loop_scipy", steps), 1e-10),
    }
    checked = {name: partial(_checked, name, make, limit, exact, errors) for name, (make, limit) in makers.items()}
    calls, skipped = available(checked)
    title = f"{steps * INTERVAL:g} s of computed torque at 1 kHz"
    table = interleave(title, calls, rounds=rounds, min_time=min_time, base=C)
    return report([table], _claims(table, errors), skipped, tip_error_m=errors)


def _claims(table: Table, errors: dict[str, float]) -> list[Claim]:
    return [
        Claim("the compiled loop / C", table.ratio(LOOP, C), at_most=1.25),
        Claim("tip error of closedchain [m]", errors.get(OURS), at_most=PROMISED),
        Claim("MuJoCo RK4 / the compiled loop", table.ratio(RK4, LOOP), at_least=140.0),
        Claim("MuJoCo Euler / the compiled loop", table.ratio(EULER, LOOP), at_least=70.0),
        Claim("Pinocchio RK4 / the compiled loop", table.ratio(PINOCCHIO, LOOP), at_least=230.0),
    ]


def _checked(
    name: str, make: Callable[[], Callable[[], Array]], limit: float, exact: Array, errors: dict[str, float]
) -> Callable[[], object]:
    """A contestant's call, after one run whose tip was compared."""
    call = make()
    errors[name] = float(np.max(np.abs(call() - exact)))
    require(name, errors[name], limit)
    return call


def _c(steps: int) -> Callable[[], Array]:
    built = c_loop.build()
    rows = built.reference(steps, INTERVAL, DURATION, START, END)
    history = np.empty((steps, c_loop.ROW))
    return lambda: built.loop(rows, KP, KD, INTERVAL, _begin(rows), history)[2:4]


def _c_whole(steps: int) -> Callable[[], Array]:
    built = c_loop.build()

    def call() -> Array:
        rows = built.reference(steps, INTERVAL, DURATION, START, END)
        return built.loop(rows, KP, KD, INTERVAL, _begin(rows), np.empty((steps, c_loop.ROW)))[2:4]

    return call


def _begin(rows: Array) -> Array:
    return np.array([*rows[0, :2], *START, 0.0, 0.0, 0.0, 0.0, 0.0])


def _engine(module: str, *arguments: Any) -> Callable[[], Array]:
    try:
        engine = importlib.import_module(f".{module}", __package__)
    except ModuleNotFoundError as missing:
        raise Unavailable(f"the package {missing.name} is not installed") from missing
    call: Callable[[], Array] = engine.loop(*arguments)
    return call


if __name__ == "__main__":
    found = main()
    print(show(found))
    print("\n".join(f"  tip error of {name}: {error:.1e} m" for name, error in found["tip_error_m"].items()))
