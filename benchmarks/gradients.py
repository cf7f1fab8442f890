"""What a gradient costs: by instructions of the compiled programs, and by time, beside the model it is of.

python -m benchmarks.gradients            instructions of every robot
python -m benchmarks.gradients --time     also processor time of a thousand states, interleaved
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import closedchain as cc
from closedchain import robots
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.derive.total import Total
from closedchain.kernels import Program
from closedchain.kernels.lower import lower
from closedchain.model import Model, sample
from closedchain.model.derivatives import gradient, shapes

STATES, ROUNDS = 1000, 15


def instructions(program: Program) -> int:
    """Operations as they are compiled, trigonometry written out."""
    return sum(line.op not in ("const", "input") for line in lower(program).code)


def counts(model: Model) -> dict[str, tuple[int, int]]:
    """Instructions of a model and of the gradient of a weighted sum of what it gives, by everything given and p."""
    m = Models(Symbols(model.equations))
    found = {}
    by_acceleration = Total(model.equations, "q", "q_ddot", False)
    every = [n for n in by_acceleration.models if n not in ("q", "x", "q_dot", "q_ddot", "points", "room")]
    found["evaluate"] = instructions(m.evaluate()), instructions(by_acceleration.gradient(every))
    found["inverse_dynamics"] = instructions(m.inverse_dynamics()), instructions(by_acceleration.gradient(["tau"]))
    by_effort = Total(model.equations, "q", "tau", model.massless)
    found["forward_dynamics"] = (
        instructions(m.forward_dynamics(model.massless)),
        instructions(by_effort.gradient(["q_ddot"])),
    )
    return found


def seconds(model: Model) -> tuple[float, float]:
    """Median processor times of `evaluate`'s kernel and of the gradient of all that it gives, for a thousand states."""
    at, rng = sample(model, STATES, seed=0), np.random.default_rng(0)
    q_ddot = rng.standard_normal(at.q.shape)
    known = shapes(model, efforts=False)
    weights = {
        n: rng.standard_normal(known[n]) for n in known if n not in ("q", "x", "q_dot", "q_ddot", "points", "room")
    }
    flat = {f"g_{n}": w.reshape(-1) for n, w in weights.items()}
    gradient(model, weights, state=at, q_ddot=q_ddot)  # compiled
    library = model.equations.noted(("gradient_programs", "q", "q_ddot", False, tuple(weights)), dict)
    arrays = {"q": at.q, "x": at.x, "q_dot": at.q_dot, "q_ddot": q_ddot, "p": model.p}
    calls: list[Callable[[], Any]] = [
        lambda: model.call("evaluate", **arrays),
        lambda: library.run("gradient", arrays | flat),  # type: ignore[attr-defined]
    ]
    times: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        for k, call in enumerate(calls):
            begin = time.process_time()
            call()
            times[k].append(time.process_time() - begin)
    return statistics.median(times[0]), statistics.median(times[1])


def main() -> dict[str, dict[str, float]]:
    """Ratios by robot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", help="all unless named")
    parser.add_argument("--time", action="store_true", help="measure time, too")
    args = parser.parse_args()
    ratios: dict[str, dict[str, float]] = {}
    for name in args.robots or robots.names():
        model = cc.load(name)
        found = counts(model)
        ratios[name] = {key: after / before for key, (before, after) in found.items()}
        words = [f"{key} {before} → {after} ({after / before:.2f} ×)" for key, (before, after) in found.items()]
        if args.time:
            before, after = seconds(model)
            ratios[name]["time"] = after / before
            words.append(f"time {before * 1e6:.0f} → {after * 1e6:.0f} µs ({after / before:.2f} ×)")
        print(f"{name:<13} {'   '.join(words)}", flush=True)
    for key in next(iter(ratios.values())):
        worst = max(ratios, key=lambda name: ratios[name][key])
        print(f"largest ratio of {key}: {ratios[worst][key]:.2f} ({worst})")
    return ratios


if __name__ == "__main__":
    main()
