"""A gufunc over several threads: compiled loops release the interpreter lock."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from closedchain.kernels.gufunc import BadArguments, Routine
from closedchain.kernels.program import Doubles

Dims = tuple[str, ...]


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
    given = [np.asarray(a, dtype=np.float64) for a in arrays]
    if len(given) != len(takes) or any(g.ndim < len(d) for g, d in zip(given, takes, strict=False)):
        shapes = [g.shape for g in given]
        raise BadArguments(f"{len(takes)} arrays with core dimensions {takes} are needed; there are shapes {shapes}.")
    if threads < 1:
        raise BadArguments(f"{threads} threads cannot work; use at least 1.")
    batch = np.broadcast_shapes(*(g.shape[: g.ndim - len(d)] for g, d in zip(given, takes, strict=True)))
    made = tuple(out) if out is not None else _allocate(given, takes, gives, batch)
    if not batch:
        gufunc(*given, out=made)
        return made
    pieces = min(threads, max(batch[0], 1))
    cuts = [batch[0] * k // pieces for k in range(pieces + 1)]
    work = []
    for start, stop in pairwise(cuts):
        part = [_piece(g, len(d), len(batch), start, stop) for g, d in zip(given, takes, strict=True)]
        work.append((part, tuple(m[start:stop] for m in made)))
    if pieces == 1:
        gufunc(*work[0][0], out=work[0][1])
        return made
    with ThreadPoolExecutor(pieces) as pool:
        for finished in [pool.submit(gufunc, *part, out=target) for part, target in work]:
            finished.result()
    return made


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
