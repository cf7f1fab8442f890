"""`diagnose`: when a comparison breaks its limits, what single cause explains the difference best, and how much of it.

Every cause changes the model's answers in one way: another value of one parameter, another factor on the velocity
terms or on the weights in c, on one component of c or one element of M, drives in another order or counted from
elsewhere, a passive angle counted from elsewhere. The one that leaves the least is named; when several leave as little,
all of them are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.verify.causes import causes
from closedchain.verify.comparison import Answers, Comparison
from closedchain.verify.limits import apart
from closedchain.verify.samples import Quantities, units

WORTH = 0.9  # of the difference: a cause that explains less is not named
TOO_MUCH = 0.1  # of the quantities' size: what leaves more explains nothing
WHOLE = 1e-4  # of the difference, root mean square: a cause that leaves no more explains all of it
EQUAL = 3.0  # of causes that explain all of it, those that leave up to so many times what the best leaves do as well
ALIKE = 1.1  # the same of causes that explain a part


@dataclass(frozen=True)
class Cause:
    """One change of the model and how much of the difference it explains."""

    words: str
    kind: str  # "parameter", "offset", "order", "term", "mass", "angle"
    share: float  # of the sum of squares, 0 to 1
    left: float  # root mean square of what it leaves, in the scale of the quantities
    value: float | None = None  # the parameter's in the engine, or the factor that puts a term right


@dataclass(frozen=True)
class Diagnosis:
    """What agrees, what does not, and why."""

    robot: str
    engine: str
    agree: tuple[str, ...]
    differ: tuple[str, ...]
    causes: tuple[Cause, ...]  # those that explain it equally well, the best first
    drift: tuple[str, ...] = ()  # other ways in which the engines differ

    def __str__(self) -> str:
        if not self.differ and self.drift:
            ways = " and ".join({"solver": "its own solver", "driven": "its own integration"}[w] for w in self.drift)
            return (
                f"{self.robot}: our equations agree with the engine's pieces; what differs is {ways}, "
                "whose softness or steps may not suit this robot"
            )
        if not self.differ:
            return f"{self.robot}: nothing to explain, every difference is within its limit"
        lines = [f"{self.robot} against {self.engine}: {', '.join(self.differ)} differ"]
        lines += [f"  {', '.join(self.agree)} agree"] if self.agree else []
        if not self.causes:
            lines.append("  no single cause that was tried explains nine tenths of it")
        for cause in self.causes:
            lines.append(f"  {cause.words}: explains {100 * cause.share:.6g} % of the difference")
        if len(self.causes) > 1:
            lines.append("  these explain it equally well; the data do not tell them apart")
        if self.causes and self.causes[0].share < 1 - WHOLE:
            lines.append("  that is not all of it: something else may be wrong, or more than one thing")
        return "\n".join(lines)


def diagnose(comparison: Comparison) -> Diagnosis:
    """Name the cause of a comparison's differences as well as its data allow."""
    if comparison.model is None or not comparison.answers:
        raise BadInput(f"{comparison.robot}: this comparison keeps no answers to look into")
    broken = {(row.engine, row.quantity) for row in comparison.broken if row.way == "pieces"}
    counts = {a.engine: sum(engine == a.engine for engine, _ in broken) for a in comparison.answers}
    heard = max(comparison.answers, key=lambda a: counts[a.engine])
    names = [row.quantity for row in comparison.rows if row.engine == heard.engine and row.way == "pieces"]
    names = [n for n in dict.fromkeys(names) if n in heard.theirs]
    differ = tuple(n for n in names if (heard.engine, n) in broken)
    agree = tuple(n for n in names if n not in differ)
    found = tuple(_ranked(comparison.model, heard, names)) if differ else ()
    drift = tuple(dict.fromkeys(row.way for row in comparison.broken if row.way in ("solver", "driven")))
    return Diagnosis(comparison.robot, heard.engine, agree, differ, found, drift)


def _ranked(model: Model, heard: Answers, names: Sequence[str]) -> Iterator[Cause]:
    judge = _Judge(model, heard, names)
    tried = [(change, judge.left(change.quantities)) for change in causes(model, heard, judge.misfit)]
    if not tried:
        return
    least = min(left for _, left in tried)
    equal = max((EQUAL if least <= WHOLE * judge.before else ALIKE) * least, judge.noise)
    enough = min(TOO_MUCH, judge.before * np.sqrt(1 - WORTH))
    named = [(change, left) for change, left in tried if left <= min(equal, enough)]
    best = {change.words: (change, left) for change, left in sorted(named, key=lambda one: -one[1])}
    for change, left in sorted(best.values(), key=lambda one: one[1]):
        yield Cause(change.words, change.kind, max(0.0, 1 - (left / judge.before) ** 2), left, change.value)


class _Judge:
    """Measures what is left of the difference, each quantity in its own scale."""

    def __init__(self, model: Model, heard: Answers, names: Sequence[str]) -> None:
        self.heard, self.names = heard, names
        self.units = units(model, tuple(names))
        sizes = {n: float(np.sqrt(np.mean(np.square(heard.theirs[n])))) for n in names}
        self.sizes = {n: size or 1.0 for n, size in sizes.items()}
        self.before = self.left(heard.ours)
        self.noise = 1e-11  # rounding, in the scale of the quantities

    def misfit(self, quantities: Quantities) -> np.ndarray:
        """Their answers less these, in one row."""
        parts = [
            apart(self.units[n], self.heard.theirs[n], quantities[n]).ravel()
            / self.sizes[n]
            / np.sqrt(quantities[n].size)
            for n in self.names
        ]
        return np.concatenate(parts)

    def left(self, quantities: Quantities) -> float:
        return float(np.linalg.norm(self.misfit(quantities)) / np.sqrt(len(self.names)))
