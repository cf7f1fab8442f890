"""The IFToMM benchmarks and a light cart-pole: error, drift of energy, and time, for several steps and methods.

Run it with `closedchain bench iftomm`. Every contestant's error stands in its name, for there is no time without one:
where it ends, against elliptic functions or a quadrature, and for closedchain how far its energy has drifted. Exudyn
and MuJoCo run here when installed; what was reported of them elsewhere stands in the titles.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from closedchain import load, policy, simulate, state
from closedchain.control import Constant
from closedchain.kernels.march import Bounds
from closedchain.model.model import Model
from closedchain.simulation import marching
from closedchain.simulation.run import Run

from .biglide import Array
from .harness import Claim, Row, Table, Unavailable, alternate, report, require, show
from .iftomm_data import (
    A01_END,
    A02_ENDS,
    A03_END,
    A04_END,
    A05_END,
    CART_END,
    REPORTED,
    distance,
    growth,
    squeezer_data,
)

Contestant = tuple[str, Callable[[], Array], float]  # name, call, the error beyond which its time means nothing
PUSH = {"x": 1.0}
RODAS = "closedchain rodas 0.001"
STEPS, FEW, BLOCKS = 40, 8, 20  # ours and MuJoCo's steps in a block, which then takes about as long


def main(rounds: int = 3, short: bool = False) -> dict[str, Any]:
    """Each benchmark as a table; `short` leaves out the long runs, for a trial."""
    skipped: list[str] = []
    tables = [
        contest("A01, pendulum, 10 s", _a01(), A01_END, rounds, skipped),
        contest(_title("A02, N = 2", "10 s"), _a02(2, 10.0, short), A02_ENDS[2, 10.0], rounds, skipped),
        contest(_title("A03", "Andrews' squeezer, 30 ms"), _a03(short), np.array([A03_END]), rounds, skipped),
        contest("A04, Bricard's linkage, 5 s", _a04(short), A04_END, rounds, skipped),
        contest("A05, stiff governor, 5 s", _a05(short), A05_END, rounds, skipped),
        contest(_title("light cart-pole", "10 s"), _cart(), CART_END, rounds, skipped),
    ]
    if not short:
        long = contest(_title("A02, N = 40", "20 s"), _a02(40, 20.0, short), A02_ENDS[40, 20.0], rounds, skipped)
        tables.append(long)
    steps, exponent = step_costs(rounds, skipped, (5, 10) if short else (10, 20, 40))
    tables.append(steps)
    return report(tables, _claims(tables, steps, exponent), skipped, reported=REPORTED, growth_exponent=exponent)


def _title(name: str, what: str) -> str:
    return f"{name}, {what} (reported: {REPORTED[name]})"


def contest(
    title: str, makers: list[Callable[[], list[Contestant]]], exact: Array, rounds: int, skipped: list[str]
) -> Table:
    """Everybody's end is compared first, then all are timed in every round, their order turned after each."""
    calls: dict[str, Callable[[], float]] = {}
    for make in makers:
        try:
            for name, call, limit in make():
                found = call()
                error = distance(found[: len(exact)], exact)
                require(f"{title}: {name}", error, limit)
                drift = f", energy {found[len(exact)]:.0e} J" if len(found) > len(exact) else ""
                calls[f"{name}: error {error:.0e}{drift}"] = partial(_timed, call)
        except Unavailable as reason:
            skipped.append(f"{title.partition(' (')[0]}: {reason}")
    return alternate(title, calls, rounds=rounds)


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _with_drift(run: Run, end: Array) -> Array:
    return np.append(end, run.summary["energy_residual"])


def _fixed(model: Model, duration: float, step: float, method: str, take: Callable[[Run], Array], **more: Any) -> Any:
    """A call of `simulate` and a name for it."""

    def call() -> Array:
        run = simulate(model, duration=duration, interval=step, step=step, method=method, **more)
        return _with_drift(run, take(run))

    return f"closedchain {method} {step:g} s", call


def _a01() -> list[Callable[[], list[Contestant]]]:
    model = load("pendulum")

    def ours() -> list[Contestant]:
        settings = ((1e-2, "rk4"), (1e-3, "rk4"), (1e-2, "rk6"))
        return [(*_fixed(model, 10.0, h, method, lambda run: run.x[-1]), 1e-3) for h, method in settings]

    return [ours]


def _a02(N: int, duration: float, short: bool) -> list[Callable[[], list[Contestant]]]:
    model = load(f"nfourbar:{N}")

    def ours() -> list[Contestant]:
        settings = ((1e-2, "rk4"), (2.5e-3, "rk4"), (2.5e-3, "rk6"))
        take = partial(_first_joint)
        return [(*_fixed(model, duration, h, method, take, x_dot=PUSH), 1e-3) for h, method in settings]

    def exudyn() -> list[Contestant]:
        engine = _engine("iftomm_exudyn")
        settings = [(1e-2, 0.6), (1e-2, 0.9)] + ([(1e-3, 0.9)] if N <= 2 and not short else [])
        return [
            (f"Exudyn {h:g} s, radius {radius}", partial(engine.windows, N, duration, h, radius), 0.5)
            for h, radius in settings
        ]

    def mujoco() -> list[Contestant]:
        engine, h = _engine("iftomm_mujoco"), 1e-3
        call = engine.windows(N, "RK4", h, round(duration / h))
        return [(f"MuJoCo RK4 {h:g} s", call, 3.0)]

    return [ours, exudyn, mujoco]


def _first_joint(run: Run) -> Array:
    return np.asarray(run.x[-1, :2])


def _a03(short: bool) -> list[Callable[[], list[Contestant]]]:
    model = load("squeezer")

    def ours() -> list[Contestant]:
        settings = ((2e-5, "rk4"), (1e-5, "rk6"))
        start = {"controller": Constant(0.033), "q": [-0.06171389001427645], "assembly": "-2"}
        return [(*_fixed(model, 0.03, h, method, lambda run: run.q[-1], **start), 1e-6) for h, method in settings]

    def exudyn() -> list[Contestant]:
        engine, data = _engine("iftomm_exudyn"), squeezer_data(model)
        steps = (1e-4,) if short else (1e-4, 1e-5)
        return [
            (f"Exudyn {h:g} s, radius 0.9", lambda h=h: np.array([engine.squeezer(data, 0.03, h, 0.9)]), 0.1)
            for h in steps
        ]

    return [ours, exudyn]


def _a04(short: bool) -> list[Callable[[], list[Contestant]]]:
    model = load("bricard")

    def ours() -> list[Contestant]:
        settings = ((1e-2, "rk4"), (1e-2, "rk6"), (5e-3, "rk6"))
        return [(*_fixed(model, 5.0, h, method, lambda run: run.x[-1, :3]), 1e-4) for h, method in settings]

    def exudyn() -> list[Contestant]:
        engine = _engine("iftomm_exudyn_space")
        steps = (1e-2,) if short else (1e-2, 4e-3)
        return [(f"Exudyn {h:g} s, radius 0.9", partial(engine.bricard, 5.0, h, 0.9), 0.1) for h in steps]

    return [ours, exudyn]


def _a05(short: bool) -> list[Callable[[], list[Contestant]]]:
    model = load("governor")
    turning = {"x_dot": {"theta": 2 * np.pi, "s": 0.0, "beta1": 0.0, "beta2": 0.0}}

    def ours() -> list[Contestant]:
        settings = ((1e-2, "rodas"), (1e-3, "rodas"), (2e-5, "rk6"))
        take = lambda run: run.x[-1, 1:3]  # noqa: E731 (one line in the table of settings)
        return [(*_fixed(model, 5.0, h, method, take, **turning), 1e-3) for h, method in settings]

    def exudyn() -> list[Contestant]:
        engine = _engine("iftomm_exudyn_space")
        steps = (1e-2,) if short else (1e-2, 1e-3, 2.5e-4)
        return [(f"Exudyn {h:g} s, radius 0.9", partial(engine.governor, 5.0, h, 0.9), 0.1) for h in steps]

    return [ours, exudyn]


def _cart() -> list[Callable[[], list[Contestant]]]:
    model = load("cartpole:light")

    def ours() -> list[Contestant]:
        found: list[Contestant] = []
        for precision in (1e-8, 1e-11):
            more = {"controller": Constant(0.0), "q": [0.0], "precision": precision}
            _, call = _fixed(model, 10.0, 0.05, "adaptive", lambda run: run.final.z, **more)
            found.append((f"closedchain adaptive {precision:g}", call, 1e-3))
        return found

    return [ours]


def step_costs(rounds: int, skipped: list[str], sizes: tuple[int, ...]) -> tuple[Table, float]:
    """Time of one RK4 step of N windows, ours and MuJoCo's, away from the flat position; and ours' exponent of N."""
    measures: dict[str, Callable[[], float]] = {}
    for N in sizes:
        measures[f"closedchain rk4, N = {N}"] = _ours_per_step(N)
    try:
        engine = _engine("iftomm_mujoco")
        for integrator in ("RK4", "Euler"):
            call = engine.windows(sizes[-1], integrator, 1e-3, FEW)
            measures[f"MuJoCo {integrator}, N = {sizes[-1]}"] = _per_step(call, FEW)
    except Unavailable as reason:
        skipped.append(f"steps: {reason}")
    base = f"closedchain rk4, N = {sizes[-1]}"
    table = alternate(
        f"one step of N windows, 1 ms, the fastest of {BLOCKS} blocks of {STEPS} (MuJoCo: {FEW})",
        measures,
        rounds=5 * rounds,
        base=base,
    )
    return table, growth({N: table.median(f"closedchain rk4, N = {N}") or np.nan for N in sizes})


def _per_step(call: Callable[[], object], steps: int) -> Callable[[], float]:
    """The fastest of several short runs: what others do on the machine meanwhile lengthens some of them."""
    call()
    return lambda: min(_timed(call) for _ in range(BLOCKS)) / steps


def _ours_per_step(N: int) -> Callable[[], float]:
    """The compiled march alone, from the start."""
    model = load(f"nfourbar:{N}")
    begin, compiled = state(model, x_dot=PUSH), marching.load(model, "rk4", "tau")
    bounds = Bounds(policy.OPEN, policy.SINGULAR)

    def call() -> object:
        compiled.start(begin.z, begin.z_dot)
        return compiled.go(np.zeros(0), model.p, 1e-3, STEPS, STEPS, bounds)

    return _per_step(call, STEPS)


def _engine(module: str) -> Any:
    try:
        return importlib.import_module(f".{module}", __package__)
    except ModuleNotFoundError as missing:
        raise Unavailable(f"the package {missing.name} is not installed") from missing


def _claims(tables: list[Table], steps: Table, exponent: float) -> list[Claim]:
    sizes = [row.name for row in steps.rows if row.name.startswith("closedchain")]
    ours = sizes[-1]
    engines = {row.name.partition(",")[0]: row.name for row in steps.rows if row.name.startswith("MuJoCo")}
    claims = [
        Claim("exponent of N in the time of a step", exponent, at_most=1.05),
        Claim("MuJoCo RK4 / closedchain, a step", steps.ratio(engines.get("MuJoCo RK4", ""), ours), at_least=25.0),
    ]
    for name, our, peer in (("A04", "closedchain rk6 0.005", "Exudyn 0.004"), ("A05", RODAS, "Exudyn 0.00025")):
        table = next(t for t in tables if t.title.startswith(name))
        exact, other = _finest(table, our), _finest(table, peer)
        ratio = table.ratio(other.name, exact.name) if exact and other else None
        claims.append(Claim(f"{name}: Exudyn within 1e-6 m / closedchain within 1e-9 m", ratio, at_least=1.0))
    chain = next((t for t in tables if t.title.startswith("A02, N = 40")), None)
    if chain is not None:
        exact = _finest(chain, "closedchain rk4 0.01")
        peer = _finest(chain, "Exudyn 0.01 s, radius 0.6")
        ratio = chain.ratio(peer.name, exact.name) if peer and exact else None
        claims.append(Claim("A02, N = 40: Exudyn at low precision / closedchain within 1e-3 m", ratio, at_least=1.0))
    return claims


def _finest(table: Table, start: str) -> Row | None:
    return next((row for row in table.rows if row.name.startswith(start)), None)


if __name__ == "__main__":
    print(show(main()))
