"""Random robots against MuJoCo and Pinocchio: is a right one ever called wrong, and is a slight fault ever missed?

Run it with `python -m benchmarks.random_verify` from the checkout, whose tests hold the generator. With `--faults N`,
N masses, inertias and lengths of each robot that has parameters, of those that change anything, are in turn 0.1 %
larger in the engine than in the model. `--part 1/2` and `--part 2/2` share the work among two processes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

import closedchain as cc
from closedchain.describe import Recipe
from closedchain.errors import ClosedChainError
from closedchain.model.model import Model
from closedchain.verify.compare import compare
from closedchain.verify.motions import Branch, random_states
from closedchain.verify.samples import answers
from tests.random_mechanisms import Case, robots

SLIGHT = 1e-3
UNCHANGED = 1e-12  # of a quantity's largest value
SHOWN = 20  # robots after which the counts are shown
FAULTY = ("kg", "kg m^2", "m")  # units of the parameters that are changed


@dataclass(frozen=True)
class Trial:
    """One comparison: of a robot with itself, or with one parameter changed."""

    seed: int
    changed: str  # the parameter's name; empty where nothing is
    held: bool  # whether all differences were within their limits
    told: str  # the table, or why there is none

    @property
    def right(self) -> bool:
        """Whether the verdict is."""
        return self.held != bool(self.changed)


def trials(made: Case, states: int, faults: int) -> Iterator[Trial]:
    """The robot as it is, then with some of its parameters changed in the engine."""
    model = cc.load(Recipe(made.mechanism))
    yield _trial(made, model, model, "", states)
    changed = ((name, _changed(model, name)) for name in changeable(model, made.seed)) if faults else ()
    for name, told in islice(((n, t) for n, t in changed if matters(model, t)), faults):
        yield _trial(made, model, told, name, states)


def changeable(model: Model, seed: int) -> list[str]:
    """The parameters that are changed, in an order by chance."""
    names = [p.name for p in model.equations.parameters if p.unit in FAULTY and model.values[p.name]]
    return [str(name) for name in np.random.default_rng(seed).permutation(names)]


def _changed(model: Model, name: str) -> Model:
    return model.with_values(**{name: (1 + SLIGHT) * model.values[name]})


def matters(model: Model, told: Model) -> bool:
    """Whether the change is one at all: the mass of a point that never moves changes nothing that can be asked."""
    samples = random_states(model, 4, 0, Branch())
    try:
        before, after = answers(model, samples), answers(told, samples)
    except ClosedChainError:
        return True
    return any(np.abs(after[n] - v).max() > UNCHANGED * np.abs(v).max() for n, v in before.items())


def _trial(made: Case, model: Model, told: Model, changed: str, states: int) -> Trial:
    try:
        found = compare(model, engine_model=told if changed else None, motion="random", states=states)
    except ClosedChainError as refusal:
        return Trial(made.seed, changed, bool(changed), f"{type(refusal).__name__}: {refusal}")  # never right
    return Trial(made.seed, changed, found.ok, str(found))


def main(count: int = 500, first: int = 84, states: int = 8, faults: int = 0, part: str = "1/1") -> dict[str, int]:
    """Print every wrong verdict with its table, and the counts."""
    own, parts = map(int, part.split("/"))
    done: list[Trial] = []
    for number, made in enumerate(islice(robots(count, first), own - 1, None, parts)):
        if number % SHOWN == 0:
            print(f"{number} robots, {sum(not t.right for t in done)} wrong verdicts", file=sys.stderr, flush=True)
        for trial in trials(made, states, faults):
            done.append(trial)
            if not trial.right:
                print(f"WRONG {made}\n  changed: {trial.changed or 'nothing'}\n{trial.told}", flush=True)
    alike, unlike = ([t.right for t in done if bool(t.changed) is changed] for changed in (False, True))
    print(f"{sum(alike)} of {len(alike)} right robots (from seed {first}) are within all limits at {states} states")
    if unlike:
        print(f"{sum(unlike)} of {len(unlike)} parameters 0.1 % off are noticed")
    return {"right": len(alike), "held": sum(alike), "faults": len(unlike), "noticed": sum(unlike)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in {"count": 500, "first": 84, "states": 8, "faults": 0}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--part", default="1/1", help="which of how many parts: 1/2")
    main(**vars(parser.parse_args()))
