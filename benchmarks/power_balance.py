"""Power balance of every shipped robot and linkage with every parameter set, at random states of each branch.

    python -m benchmarks.power_balance [--states 10000] [--most 100000] [ROBOT ...]

τ·q̇ is compared with d(T + V)/dt by the chain rule plus what is dissipated, relative to the magnitudes that flow. A
branch is a sign of det A and a working mode; states are drawn until each branch has `states` of them, or there are
`most` in all, and those at which rounding alone could hide a fault of 0.1 % are counted apart.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import closedchain as cc
from closedchain import robots
from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.sampling import sample
from closedchain.verify.force_laws import power_laws
from closedchain.verify.trial import Trial

BAR = 1e-11
DRAWN = 5000  # states at a time


@dataclass(frozen=True)
class Balance:
    """One robot."""

    name: str
    branches: int
    states: int
    fewest: int  # on a branch
    worst: float  # misfit, of what flows
    untold: int  # states at which rounding could hide a fault


def balance(name: str, states: int, most: int) -> Balance:
    """The worst misfit over random states of each branch."""
    model, counts, worst, drawn, untold = cc.load(name), dict[bytes, int](), 0.0, 0, 0
    for seed in range(-(-most // DRAWN)):
        trial = Trial(model, sample(model, min(DRAWN, states), seed), np.random.default_rng(seed))
        able = trial.only(trial.solvable)
        law = next(iter(power_laws(able)))
        worst = max(worst, float(law.misfit[law.telling].max(initial=0.0)))
        untold += len(trial) - int(law.telling.sum())
        drawn += len(trial)
        for key, count in _branches(model, able.state.z):
            counts[key] = counts.get(key, 0) + count
        if min(counts.values()) >= states:
            break
    return Balance(name, len(counts), drawn, min(counts.values()), worst, untold)


def _branches(model: Model, z: Doubles) -> Iterator[tuple[bytes, int]]:
    """How many configurations lie on each branch, by its signs."""
    if not model.nx or model.linkage:
        yield b"", len(z)
        return
    rows = Configurations(model, z[:, : model.nq], z[:, model.nq :])
    signs = np.sign(np.linalg.det(rows.A))[:, None]
    with contextlib.suppress(ClosedChainError):  # drives that do not each belong to a leg have no signs
        signs = np.concatenate([signs, rows.working_signs()], axis=-1)
    for row, count in zip(*np.unique(signs.astype(np.int8), axis=0, return_counts=True), strict=True):
        yield row.tobytes(), int(count)


def every() -> list[str]:
    """Robots and linkages with their parameter sets."""
    found = [(n, robots.find(n).presets) for n in robots.names()]
    found += [(n, robots.find(n).presets) for n in robots.linkage_names()]
    return [n + (f":{p}" if p else "") for n, presets in found for p in (None, *presets)]


def main(names: list[str] | None = None, states: int = 10_000, most: int = 100_000) -> dict[str, float]:
    """Print a row for each robot; the worst misfits by name."""
    print(f"{'robot':20} {'branches':>8} {'states':>8} {'fewest on one':>13} {'untold':>7} {'worst':>8}", flush=True)
    found = {}
    for name in names or every():
        one = balance(name, states, most)
        found[name] = one.worst
        row = f"{one.name:20} {one.branches:8} {one.states:8} {one.fewest:13} {one.untold:7} {one.worst:8.1e}"
        print(row + (f"  above {BAR:.0e}" if one.worst > BAR else ""), flush=True)
    print(f"{sum(v <= BAR for v in found.values())} of {len(found)} within {BAR:.0e}", flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ROBOT")
    parser.add_argument("--states", type=int, default=10_000)
    parser.add_argument("--most", type=int, default=100_000)
    main(**vars(parser.parse_args()))
