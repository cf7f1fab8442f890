"""Ten thousand rollouts of the 3 s loop, each from its own start, on all threads; times are for one rollout.

Run it with `python -m benchmarks.rollouts`. closedchain runs the closed loop and keeps end states, largest errors and
efforts. `mujoco.rollout` has no controller: it is given the efforts of the nominal loop and keeps its states, which it
cannot leave out; a small number of its rollouts is timed, since they cost the same each. C runs one after another.
"""

from __future__ import annotations

import functools
import importlib
import timeit
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from . import c_loop, ours
from .biglide import BAR, GAUGE, Array
from .harness import Claim, Unavailable, alternate, available, cores, in_threads, report, require, show
from .loop import DURATION, END, EXACT_END, INTERVAL, KD, KP, START, STEPS

OURS, C, RK4, EULER = "closedchain, closed loop", "C, closed loop", "mujoco.rollout RK4", "mujoco.rollout Euler"
SPREAD = 1e-3  # [m] of the starts


def main(rounds: int = 5, n: int = 10_000, threads: int | None = None, few: int | None = None) -> dict[str, Any]:
    """Check one nominal rollout of everybody, time all, compare with what is promised."""
    threads = threads or cores()
    few = few or 8 * threads
    errors: dict[str, float] = {}
    makers = {
        OURS: (partial(_ours, n, threads), n, 1e-12),
        C: (partial(_c, min(n, 50 * few), threads), min(n, 50 * few), 1e-12),
        RK4: (partial(_mujoco, "RK4", few, threads), few, 1e-5),
        EULER: (partial(_mujoco, "Euler", few, threads), few, 1e-2),
    }
    checked = {name: partial(_checked, name, make, limit, errors) for name, (make, _, limit) in makers.items()}
    calls, skipped = available(checked)
    measures = {name: functools.partial(_per_rollout, call, makers[name][1]) for name, call in calls.items()}
    title = f"one of {n} rollouts of {DURATION:g} s at 1 kHz, {threads} threads"
    table = alternate(title, measures, rounds=rounds, base=OURS)
    claims = [
        Claim("mujoco.rollout RK4 / closedchain", table.ratio(RK4, OURS), at_least=120.0),
        Claim("mujoco.rollout Euler / closedchain", table.ratio(EULER, OURS), at_least=120.0),
    ]
    return report([table], claims, skipped, tip_error_m=errors)


def _per_rollout(call: Callable[[], object], count: int) -> float:
    return timeit.timeit(call, number=1) / count


def _checked(
    name: str, make: Callable[[], Callable[[], Array]], limit: float, errors: dict[str, float]
) -> Callable[[], object]:
    """A contestant's call, after one run; its rollout 0 is the nominal one, which is known exactly."""
    call = make()
    errors[name] = float(np.max(np.abs(call()[0] - EXACT_END)))
    require(name, errors[name], limit)
    return call


def _starts(n: int) -> Array:
    """Tips at the start, (n, 2); the first is the nominal one."""
    away = SPREAD * np.random.default_rng(0).standard_normal((n, 2))
    away[0] = 0.0
    return START + away


def _ours(n: int, threads: int) -> Callable[[], Array]:
    return ours.computed_torque_rollouts(_starts(n), threads)


def _c(n: int, threads: int) -> Callable[[], Array]:
    built = c_loop.build()
    rows = built.reference(STEPS, INTERVAL, DURATION, START, END)
    starts = _starts(n)
    begins = np.zeros((n, 9))
    begins[:, 2:4] = starts
    for i in (0, 1):
        begins[:, i] = starts[:, 1] - np.sqrt(BAR**2 - (starts[:, 0] + (0.5 - i) * GAUGE) ** 2)
    ends = np.empty_like(begins)

    def work(part: slice) -> None:
        ends[part] = begins[part]
        for y in ends[part]:
            built.loop(rows, KP, KD, INTERVAL, y)

    run = in_threads(work, n, threads)

    def call() -> Array:
        run()
        return ends[:, 2:4]

    return call


def _mujoco(integrator: str, count: int, threads: int) -> Callable[[], Array]:
    try:
        engine = importlib.import_module(".loop_mujoco", __package__)
    except ModuleNotFoundError as missing:
        raise Unavailable(f"the package {missing.name} is not installed") from missing
    call: Callable[[], Array] = engine.rollouts(integrator, ours.computed_torque_efforts(), count, threads)
    return call


if __name__ == "__main__":
    found = main()
    print(show(found))
    print("\n".join(f"  tip error of {name}: {error:.1e} m" for name, error in found["tip_error_m"].items()))
