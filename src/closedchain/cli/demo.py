"""`closedchain demo`: what it can do, told on the biglide."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from closedchain.cli.check import laws
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments
from closedchain.cli.values import note
from closedchain.model.evaluation import Evaluation, evaluate
from closedchain.model.geometry import direct, inverse
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.model.solutions import Solutions
from closedchain.verify.laws import check

X = [0.03, 0.25]  # [m] where the tip shall be
STATE = {"q": [0.05, -0.05], "q_dot": [0.0866, -0.0866], "q_ddot": [-0.05, 0.05]}
REFERENCE = {  # TRUTH.md §2, the biglide's third state: 50-digit arithmetic, correctly rounded
    "x": [0.07175627047820404, 0.28702508191281617],
    "x_dot": [0.11342156523714711, -0.043441180924409115],
    "x_ddot": [-0.11913379967829098, -0.03902986607819457],
    "passive": [0.7172404159835782, 1.9343949113524868],
    "M": [[2.472799916746183, -0.725245313820244], [-0.725245313820244, 3.9776907108943047]],
    "c": [-0.1533221892933964, -0.03901194864859342],
    "tau": [-0.31322445082171774, 0.19613485258713403],
    "lam": [-0.5552670812250544, 0.21680115283665616],
}
BATCH = 100_000


def run(args: Arguments) -> int:
    """Tell the story, or its numbers as a document; exit code 1 if a number or a law is wrong."""
    model = load("biglide", announce=note)
    up, down = inverse(model, X), direct(model, STATE["q"])
    found = evaluate(model, q=STATE["q"], q_dot=STATE["q_dot"], q_ddot=STATE["q_ddot"], assembly="+")
    misfits, report = compare(found), check(model, states=500)
    seconds = time_batch(model)
    if args.json:
        answer = {"inverse": up.q, "direct": down.x, "misfit": misfits, "laws": laws(report)}
        print_json(document("demo", model, **answer, batch={"states": BATCH, "seconds": seconds}))
    else:
        print(*story(model, up, down, found, misfits), "", report, *ending(seconds), sep="\n")
    return 0 if report.ok and max(misfits.values()) < 1e-13 else 1


def compare(found: Evaluation) -> dict[str, float]:
    """The largest difference of each quantity from its reference, relative to 1 + its size."""
    pairs = {name: (np.asarray(getattr(found, name)), np.asarray(known)) for name, known in REFERENCE.items()}
    return {name: float((np.abs(a - b) / (1 + np.abs(b))).max()) for name, (a, b) in pairs.items()}


def time_batch(model: Model) -> float:
    """Seconds for all models of many states in one call."""
    rng = np.random.default_rng(0)
    q, q_dot, q_ddot = rng.uniform(-0.1, 0.1, (3, BATCH, 2))
    evaluate(model, q=q[:10], q_dot=q_dot[:10], q_ddot=q_ddot[:10], assembly="+")
    start = time.perf_counter()
    evaluate(model, q=q, q_dot=q_dot, q_ddot=q_ddot, assembly="+")
    return time.perf_counter() - start


def story(model: Model, up: Solutions, down: Solutions, found: Evaluation, misfits: dict[str, float]) -> Iterator[str]:
    """The description, the solutions, the models beside their references."""
    yield f"The biglide. {model.equations.about}"
    yield "  " + ", ".join(
        f"{p.about} {p.name} = {model.values[p.name]:g} {p.unit}" for p in model.equations.parameters
    )
    yield from (f"  closure {c.name}: {c.residual} = 0" for c in model.equations.closures)
    yield f"\nWhere must the feet be for the tip at x = {X}? One answer per working mode:"
    yield str(up)
    yield f"\nWhere can the tip be with the feet at q = {STATE['q']}? One answer per assembly mode:"
    yield str(down)
    yield "\nAll models at a moving state, beside numbers computed with 50 digits:"
    yield table(("quantity", "value", "difference"), [_row(found, name, misfit) for name, misfit in misfits.items()])


def _row(found: Evaluation, name: str, misfit: float) -> tuple[str, str, str]:
    values: Any = np.ravel(getattr(found, name))
    return name, "  ".join(f"{v:+.9f}" for v in values), f"{misfit:.0e}"


def ending(seconds: float) -> Iterator[str]:
    """How long a batch took here, and what to try next."""
    rate = BATCH / seconds
    yield f"\n{BATCH} states, all models, in {seconds * 1e3:.0f} ms on this machine, now ({rate:.2g} states a second)."
    yield "\nTry next:"
    yield "  closedchain list                                        the other robots"
    yield "  closedchain solve direct triplate --q -0.1,0.2,5        every pose of a plate on three legs"
    yield "  closedchain evaluate furuta --q 0,0.1 --voltage 1       a pendulum driven by a motor"
    yield "  closedchain equations biglide --format text             the formulas behind the numbers"
    yield "  closedchain show biglide --toml > my_robot.toml         then change it, and"
    yield "  closedchain check my_robot.toml                         see whether it obeys the laws of physics"
