"""Ask the command line a question and compare its document with another, number by number.

A number agrees when it differs by no more than 1e-12 of the largest beside it, plus what the question's own condition
makes of rounding: the answers to inputs changed by 1e-14 were recorded with it.
"""

import contextlib
import io
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from closedchain.cli import main

RELATIVE = 1e-12
AMPLIFIED = 100.0  # times the answer's change under a change of 1e-14 of the inputs, which is 45 roundings
ROUNDING = {
    "residual", "closure_residual", "energy_residual", "max", "rms", "limit", "seconds", "error", "errors",
    "why", "notes", "remarks", "motion", "rows",
}  # fmt: skip
"""Keys whose numbers are rounding errors, or texts that quote them or hang on which is the largest: they may differ."""

Document = dict[str, Any]


def ask(words: Sequence[str]) -> tuple[int, Document]:
    """The exit code and the document that a command line answers with."""
    out, messages = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
        code = main(list(words))
    text = out.getvalue()
    return code, json.loads(text) if text.strip() else {"message": messages.getvalue().strip().splitlines()[-1:]}


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every text, truth value and list of numbers of a document with the place where it stands."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in ROUNDING:
                yield from leaves(item, f"{place}.{key}" if place else key)
    elif isinstance(value, list) and value and not _numeric(value):
        for i, item in enumerate(value):
            yield from leaves(item, f"{place}[{i}]")
    else:
        yield place, value


def _numeric(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_numeric, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def spread(answer: Document, neighbour: Document) -> dict[str, float]:
    """How far each of an answer's numbers moves when the inputs change by 1e-14, where that exceeds rounding."""
    other = dict(leaves(neighbour))
    moved = {}
    for place, value in leaves(answer):
        if _numeric(value) and _numeric(other.get(place)) and np.shape(value) == np.shape(other[place]):
            size = np.abs(value).max(initial=0.0)
            change = float(np.abs(np.subtract(value, other[place])).max(initial=0.0))
            if change > RELATIVE * size / AMPLIFIED:
                moved[place] = change
    return moved


def differences(recorded: Document, answer: Document, moved: dict[str, float]) -> list[str]:
    """One line for each place at which an answer is not the recorded one; what is new in it does not count."""
    now = dict(leaves(answer))
    lines = []
    for place, value in leaves(recorded):
        if place not in now:
            lines.append(f"{place} is missing; it was {value}")
        elif _numeric(value) and _numeric(now[place]) and np.shape(value) == np.shape(now[place]):
            limit = RELATIVE * float(np.abs(value).max(initial=0.0)) + AMPLIFIED * moved.get(place, 0.0)
            worst = float(np.abs(np.subtract(value, now[place])).max(initial=0.0))
            if not worst <= limit or math.isnan(worst):
                lines.append(f"{place} differs by {worst:.1e} (limit {limit:.1e}): {value} became {now[place]}")
        elif value != now[place]:
            lines.append(f"{place}: {value!r} became {now[place]!r}")
    return lines
