"""The points of a study, by their index: a point depends on the seed and its own number alone.

| method | points |
|---|---|
| grid | every combination of the levels, the last factor changing fastest |
| random | independent draws; 1024 points share a child of the seed, point i is row i mod 1024 of child i div 1024 |
| latin | a Latin hypercube: each factor's range is cut into as many parts as there are points, one point in each |
| sobol | Sobol's sequence, scrambled by the seed |
| saltelli | Sobol's sequence in the rows A, B and A with one column of B, from which sensitivity indices are made |
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.extras import bring
from closedchain.sweep.factors import BadStudy, Factor

METHODS = ("grid", "random", "latin", "sobol", "saltelli")
BLOCK = 1024
MOST = 100_000_000  # points


def count_points(factors: Sequence[Factor], method: str, count: int | None) -> int:
    """How many points a study has, after a check that method and factors fit."""
    if method not in METHODS:
        raise BadStudy(f"no sampling {method[:20]!r}; there are {', '.join(METHODS)}")
    unlisted = [f.name for f in factors if not f.listed]
    if method == "grid":
        if unlisted:
            raise BadStudy(
                f"{unlisted[0]} has no levels for a grid; write {unlisted[0]}=from:to:count, or give --sample"
            )
        if count is not None:
            raise BadStudy("a grid has as many points as its levels give; leave --points out, or give --sample")
        made = math.prod(len(f.numbers) for f in factors)
    else:
        if count is None:
            raise BadStudy(f"how many points? --sample {method} needs --points N")
        made = count * (len(factors) + 2) if method == "saltelli" else count
    if not 1 <= made <= MOST:
        raise BadStudy(f"{made} points; from 1 to {MOST} can be run")
    return made


def draw(factors: Sequence[Factor], method: str, count: int, seed: int, start: int, stop: int) -> Doubles:
    """Points start … stop − 1 of `count`, (stop − start, factors)."""
    if method == "grid":
        return _grid(factors, start, stop)
    shares = _shares(len(factors), method, count, seed, start, stop)
    return np.stack([f.at(shares[:, i]) for i, f in enumerate(factors)], axis=-1)


def point_seed(seed: int, index: int) -> int:
    """A whole number for whatever is random within a point."""
    return int(np.random.SeedSequence(seed, spawn_key=(index,)).generate_state(1)[0])


def _grid(factors: Sequence[Factor], start: int, stop: int) -> Doubles:
    shape = tuple(len(f.numbers) for f in factors)
    places = np.unravel_index(np.arange(start, stop), shape)
    return np.stack([np.array(f.numbers)[i] for f, i in zip(factors, places, strict=True)], axis=-1)


def _shares(d: int, method: str, count: int, seed: int, start: int, stop: int) -> Doubles:
    if method == "random":
        blocks = range(start // BLOCK, -(-stop // BLOCK))
        rows = [np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(b,))).random((BLOCK, d)) for b in blocks]
        return np.concatenate(rows)[start - blocks[0] * BLOCK :][: stop - start]
    if method == "sobol":
        return _sobol(d, seed, start, stop)
    if method == "latin":
        return _latin(d, count, seed)[start:stop]
    return _saltelli(d, count // (d + 2), seed, start, stop)


def _sobol(d: int, seed: int, start: int, stop: int) -> Doubles:
    """Rows of the sequence; the first is drawn alone, since SciPy warns of a first draw that is no power of two."""
    made = _qmc().Sobol(d, scramble=True, rng=np.random.default_rng(seed))
    first = made.random(1)
    if start > 1:
        made.fast_forward(start - 1)
    rows = made.random(stop - max(start, 1)) if stop > max(start, 1) else np.empty((0, d))
    return np.asarray(np.concatenate([first, rows]) if start == 0 else rows)


def _qmc() -> Any:
    """SciPy's samplers; it takes longer to import than all the rest, and most studies need none."""
    return bring("scipy.stats.qmc")


@lru_cache(maxsize=2)
def _latin(d: int, count: int, seed: int) -> Doubles:
    """All of it: each row depends on the others."""
    made = np.asarray(_qmc().LatinHypercube(d, rng=np.random.default_rng(seed)).random(count))
    made.setflags(write=False)
    return made


def _saltelli(d: int, base: int, seed: int, start: int, stop: int) -> Doubles:
    """Rows k (d + 2) … of base point k: A, then A with column i of B for each i, then B."""
    first, last = start // (d + 2), -(-stop // (d + 2))
    both = _sobol(2 * d, seed, first, last)  # (k, 2 d)
    A, B = both[:, :d], both[:, d:]
    rows = np.repeat(A[:, None, :], d + 2, axis=1)
    for i in range(d):
        rows[:, 1 + i, i] = B[:, i]
    rows[:, d + 1] = B
    skip = start - first * (d + 2)
    return rows.reshape(-1, d)[skip : skip + stop - start]
