"""All models of a million states: every contestant reads 6 and writes 36 doubles a state, into arrays that exist.

Run it with `python -m benchmarks.million_states`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from . import c_biglide, numpy_biglide, ours
from .biglide import KNOWN, ROWS, Array, name_rows, sample, worst_difference
from .harness import Claim, Table, Unavailable, available, cores, in_threads, interleave, report, require, show

AGREE = 1e-11  # relative, the worst of all: rounding grows towards Type 2, 0.1 m from the nearest state
KNOWN_ERROR = 1e-12  # of the state with 50-digit answers
OURS, C, NUMPY = "closedchain", "C", "NumPy"


def main(rounds: int = 9, n: int = 1_000_000, threads: int | None = None) -> dict[str, Any]:
    """Check everybody against NumPy on all n states, time them on 1 and on all threads, compare with the promises."""
    threads = threads or cores()
    _check_numpy()
    inputs, expected = sample(n), np.empty((ROWS, n))
    numpy_biglide.all_models(inputs, 1.0, expected)
    outputs = np.empty_like(expected)  # everybody writes here
    makers: dict[str, Callable[[], Callable[[], object]]] = {}
    for count in sorted({1, threads}):
        for name, prepare in ((OURS, _ours), (C, _c), (NUMPY, _numpy)):
            makers[_row(name, count)] = partial(_checked, _row(name, count), prepare, inputs, outputs, expected, count)
    calls, skipped = available(makers)
    table = interleave(f"all models of {n} states", calls, rounds=rounds, min_time=0.0, base=_row(C, threads))
    return report([table], _claims(table, threads), skipped, c_vectorised=_vector_report())


def _row(name: str, threads: int) -> str:
    return f"{name}, {threads} thread{'s' if threads > 1 else ''}"


def _claims(table: Table, threads: int) -> list[Claim]:
    mine = _row(OURS, threads)
    return [
        *(
            Claim(f"{_row(OURS, k)} / C", table.ratio(_row(OURS, k), _row(C, k)), at_most=1.5)
            for k in sorted({1, threads})
        ),
        Claim(f"{_row(NUMPY, 1)} / {mine}", table.ratio(_row(NUMPY, 1), mine), at_least=8.0),
    ]


def _check_numpy() -> None:
    """NumPy's answers, which judge the others', against the known state."""
    state = np.concatenate([KNOWN.q, KNOWN.q_dot, KNOWN.q_ddot])[:, np.newaxis]
    rows = np.empty((ROWS, 1))
    numpy_biglide.all_models(state, KNOWN.sign, rows)
    answers = name_rows(rows)
    names = ("x", "x_dot", "x_ddot", "phi", "phi_dot", "phi_ddot", "tau", "lam")
    error = max(float(np.max(np.abs(answers[name][0] - getattr(KNOWN, name)))) for name in names)
    require("NumPy, all models", error, KNOWN_ERROR)


def _checked(
    name: str,
    prepare: Callable[[Array, Array, int], Callable[[], object]],
    inputs: Array,
    outputs: Array,
    expected: Array,
    threads: int,
) -> Callable[[], object]:
    """A contestant's call, after one run whose answers were compared in full."""
    call = prepare(inputs, outputs, threads)
    outputs.fill(np.nan)
    answers = call()
    named = answers if isinstance(answers, dict) else name_rows(outputs)
    difference, where = worst_difference(named, name_rows(expected))
    require(f"{name}, {where}", difference, AGREE)
    return call


def _ours(inputs: Array, outputs: Array, threads: int) -> Callable[[], object]:
    """The same rows in and out, seen batch first as closedchain wants them."""
    q, q_dot, q_ddot = (inputs[k : k + 2].T for k in (0, 2, 4))  # (n, 2) each
    return partial(ours.all_models, q, q_dot, q_ddot, sign=1.0, threads=threads, out=name_rows(outputs))


def _c(inputs: Array, outputs: Array, threads: int) -> Callable[[], object]:
    all_models = c_biglide.build().all_models

    def work(part: slice) -> None:
        all_models(inputs[:, part], 1.0, outputs[:, part])

    return in_threads(work, inputs.shape[1], threads)


def _numpy(inputs: Array, outputs: Array, threads: int) -> Callable[[], object]:
    def work(part: slice) -> None:
        numpy_biglide.all_models(inputs[:, part], 1.0, outputs[:, part])

    return in_threads(work, inputs.shape[1], threads)


def _vector_report() -> str | None:
    """The C compiler's word that it vectorised the loop."""
    try:
        return c_biglide.build().vector_report
    except Unavailable:
        return None


if __name__ == "__main__":
    result = main()
    print(show(result))
    print(f"  C compiler: {result['c_vectorised'] or 'no word about vectorising'}")
