"""A gufunc over several threads: compiled loops release the interpreter lock."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from closedchain.kernels.gufunc import BadArguments, Routine
from closedchain.kernels.program import Doubles

Dims = tuple[str, ...]
T = TypeVar("T")
PORTION = 32768  # [states]: their last output stays in the second-level cache, and NumPy's own work does not count


def run(
    gufunc: np.ufunc | Routine,
    arrays: Sequence[ArrayLike],
    out: Sequence[Doubles] | None = None,
    threads: int = 1,
) -> tuple[Doubles, ...]:
    """gufunc(*arrays), the first batch axis cut into one contiguous piece per thread.

    The bits do not depend on the number of threads.
    """
    takes, gives = core_dims(gufunc)
    given, batch = _given(arrays, takes, threads)
    made = tuple(out) if out is not None else _allocate(given, takes, gives, batch)
    if not batch:
        gufunc(*given, out=made)
        return made

    def work(start: int, stop: int) -> None:
        part = [_piece(g, len(d), len(batch), start, stop) for g, d in zip(given, takes, strict=True)]
        gufunc(*part, out=tuple(m[start:stop] for m in made))

    _share(work, batch[0], threads)
    return made


def run_for_least(
    gufunc: np.ufunc | Routine, arrays: Sequence[ArrayLike], out: Sequence[Doubles], threads: int = 1
) -> float:
    """The same without the last output, one number per state: only the least of all is returned, NaN if there is one.

    It never takes memory for all states: it is made and looked at in portions.
    """
    takes, _ = core_dims(gufunc)
    given, batch = _given(arrays, takes, threads)
    whole = batch or (1,)
    given = given if batch else [g[np.newaxis] for g in given]
    made = tuple(out) if batch else tuple(m[np.newaxis] for m in out)
    rows = max(PORTION // max(math.prod(whole[1:]), 1), 1)

    def work(start: int, stop: int) -> float:
        last, least = np.empty((min(rows, stop - start), *whole[1:])), np.inf
        for a in range(start, stop, rows):
            b = min(a + rows, stop)
            part = [_piece(g, len(d), len(whole), a, b) for g, d in zip(given, takes, strict=True)]
            gufunc(*part, out=(*(m[a:b] for m in made), last[: b - a]))
            least = np.minimum(least, last[: b - a].min(initial=np.inf))
        return float(least)

    return float(np.min(_share(work, whole[0], threads), initial=np.inf))


def _given(arrays: Sequence[ArrayLike], takes: list[Dims], threads: int) -> tuple[list[Doubles], tuple[int, ...]]:
    """The arrays as doubles, after a check, and their batch."""
    given = [np.asarray(a, dtype=np.float64) for a in arrays]
    if len(given) != len(takes) or any(g.ndim < len(d) for g, d in zip(given, takes, strict=False)):
        shapes = [g.shape for g in given]
        raise BadArguments(f"{len(takes)} arrays with core dimensions {takes} are needed; there are shapes {shapes}.")
    if threads < 1:
        raise BadArguments(f"{threads} threads cannot work; use at least 1.")
    return given, np.broadcast_shapes(*(g.shape[: g.ndim - len(d)] for g, d in zip(given, takes, strict=True)))


def _share(work: Callable[[int, int], T], n: int, threads: int) -> list[T]:
    """work(start, stop) for one contiguous piece per thread."""
    pieces = min(threads, max(n, 1))
    cuts = list(pairwise(n * k // pieces for k in range(pieces + 1)))
    if pieces == 1:
        return [work(*cuts[0])]
    with ThreadPoolExecutor(pieces) as pool:
        return [finished.result() for finished in [pool.submit(work, *cut) for cut in cuts]]


def core_dims(gufunc: np.ufunc | Routine) -> tuple[list[Dims], list[Dims]]:
    """The core dimensions of each input and each output, as written in the signature."""
    if isinstance(gufunc, Routine):
        takes, gives = gufunc.signature.inputs, gufunc.signature.outputs
        return [tuple(map(str, a.dims)) for a in takes], [tuple(map(str, a.dims)) for a in gives]
    left, right = (gufunc.signature or ",".join(["()"] * gufunc.nin) + "->" + ",".join(["()"] * gufunc.nout)).split(
        "->"
    )
    takes_text, gives_text = (re.findall(r"\(([^)]*)\)", side) for side in (left, right))
    return [_names(t) for t in takes_text], [_names(t) for t in gives_text]


def _names(text: str) -> Dims:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _piece(array: Doubles, core: int, batch: int, start: int, stop: int) -> Doubles:
    """An input's part for a piece of the first batch axis; one which is broadcast along it stays whole."""
    follows = array.ndim - core == batch and array.shape[0] != 1
    return array[start:stop] if follows else array


def _allocate(
    given: list[Doubles], takes: list[Dims], gives: list[Dims], batch: tuple[int, ...]
) -> tuple[Doubles, ...]:
    sizes = {
        name: n
        for g, d in zip(given, takes, strict=True)
        for name, n in zip(d, g.shape[g.ndim - len(d) :], strict=True)
    }
    return tuple(np.empty(batch + tuple(int(n) if n.isdigit() else sizes[n] for n in d)) for d in gives)
