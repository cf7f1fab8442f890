"""Which further measurements would show what the data do not: a D-optimal choice among candidates.

The information of the data is F = JᵀJ; a candidate row with slopes R adds RᵀR. Those rows are chosen, one after
another and then exchanged while that helps, that make det F largest:

    det (F + RᵀR) / det F = det (I + R F⁻¹ Rᵀ)

What the data do not see at all has no F: there F begins with a direction as uncertain as the robot is large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.calibration.grouping import Reading, group_rows, spread
from closedchain.calibration.quantities import TO, Vocabulary
from closedchain.calibration.result import Calibration
from closedchain.calibration.sensing import Sensing
from closedchain.calibration.unknowns import GAIN, OFFSET, Unknowns
from closedchain.errors import BadInput, ClosedChainError
from closedchain.fitting import Combination, Readings, combinations

USUAL = 200  # candidates that are drawn where none are given
EXCHANGES = 20  # rounds over the chosen ones


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Rows of a table of candidates, the most telling first, and what would then be known."""

    readings: Readings  # the chosen rows: exact quantities as they are, the others as the model predicts them
    rows: tuple[int, ...]  # their numbers among the candidates
    before: tuple[Combination, ...]
    after: tuple[Combination, ...]

    def __str__(self) -> str:
        lines = [f"{len(self.rows)} further measurements, the most telling first:"]
        head = "  ".join(f"{name:>12}" for name in self.readings.names)
        lines.append(f"    row  {head}")
        for number, row in zip(self.rows, self.readings.values, strict=True):
            cells = "  ".join(f"{v:12.6g}" if np.isfinite(v) else f"{'-':>12}" for v in row)
            lines.append(f"  {number + 1:5d}  {cells}")
        worst, then = self.before[-1], self.after[-1]
        lines.append(f"  along the weakest combination, {worst}, the data leave {_left(worst)}")
        lines.append(f"  with these the weakest is {then}: {_left(then)}")
        return "\n".join(lines)


def _left(direction: Combination) -> str:
    return f"{direction.sd * 1e3:.3g} mm" if np.isfinite(direction.sd) else "everything open: nothing shows it"


def candidates(done: Calibration, data: Readings, *, count: int = USUAL, seed: int = 0) -> Readings:
    """Rows like those of the data elsewhere: drives anywhere in the box that the data's drives span."""
    rng = np.random.default_rng(seed)
    drives = {c.name for c in done.model.equations.q}
    names = [n for n in data.names if not n.endswith(".sd")]
    measured = [i for i, n in enumerate(names) if n.removeprefix(TO) in drives]
    pattern = np.array([~np.isnan(data[n]) for n in names]).T  # which columns each row has
    low, high = (f([data[names[i]] for i in measured], axis=1) for f in (np.nanmin, np.nanmax))
    rows = np.full((count, len(names)), np.nan)
    for row in rows:
        like = pattern[int(rng.integers(len(pattern)))]
        row[like] = 0.0  # to be measured
        row[measured] = np.where(like[measured], rng.uniform(low, high), np.nan)
    return Readings(tuple(names), rows, "candidates")


def suggest(
    done: Calibration, data: Readings, table: Readings, *, count: int, assembly: str | None = None
) -> Suggestion:
    """The `count` rows of a table that would tell most; drives are as they stand, other columns would be measured."""
    if not 1 <= count <= len(table):
        raise BadInput(f"{count} of {len(table)} candidates cannot be chosen; at least 1 and at most all")
    filled, slopes = _slopes(done, data, table, assembly)
    scaled = [R * done.scales for R in slopes]
    known = done.J * done.scales
    chosen = choose(known, scaled, count, ridge=1.0 / done.model.scale)
    unit = done.unit_sd or 1.0
    before = combinations(done.names, known, unit=unit)
    after = combinations(done.names, np.concatenate([known, *(scaled[i] for i in chosen)]), unit=unit)
    return Suggestion(filled.rows(np.array(chosen)), tuple(chosen), before, after)


def choose(known: Doubles, rows: Sequence[Doubles], count: int, *, ridge: float) -> list[int]:
    """Greedy, then exchanges while det F grows; `ridge` is what is known along unseen directions."""
    F = known.T @ known + ridge**2 * np.eye(known.shape[1])
    chosen: list[int] = []
    for _ in range(count):
        gains = _gains(F, rows, taken=chosen)
        best = int(np.argmax(gains))
        if not np.isfinite(gains[best]):
            raise BadInput(f"only {len(chosen)} of the candidates can be reached")
        chosen.append(best)
        F = F + rows[best].T @ rows[best]
    for _ in range(EXCHANGES):
        moved = False
        for k in range(count):
            without = F - rows[chosen[k]].T @ rows[chosen[k]]
            gains = _gains(without, rows, taken=[i for i in chosen if i != chosen[k]])
            best = int(np.argmax(gains))
            if gains[best] > gains[chosen[k]] + 1e-9:
                chosen[k], F, moved = best, without + rows[best].T @ rows[best], True
        if not moved:
            break
    return chosen


def _gains(F: Doubles, rows: Sequence[Doubles], taken: Sequence[int]) -> Doubles:
    """log det (I + R F⁻¹ Rᵀ) of each; minus infinity for those that are taken or cannot be reached."""
    L = np.linalg.cholesky(F)
    gains = np.full(len(rows), -np.inf)
    for i, R in enumerate(rows):
        if i not in taken and len(R):
            half = np.linalg.solve(L, R.T)
            gains[i] = np.linalg.slogdet(np.eye(len(R)) + half.T @ half)[1]
    return gains


def _slopes(done: Calibration, data: Readings, table: Readings, assembly: str | None) -> tuple[Readings, list[Doubles]]:
    """Each candidate row's whitened slopes by the unknowns; none where it cannot be reached."""
    model, varied = done.model, tuple(n for n in done.names if n in done.model.values)
    offsets = tuple(n.removesuffix(OFFSET) for n in done.names if n.endswith(OFFSET))
    gains = tuple(n.removesuffix(GAIN) for n in done.names if n.endswith(GAIN))
    unknowns = Unknowns(model, varied, offsets, gains, done.lever)
    given = {r.quantity: r.sd for r in done.residuals if r.sd is not None}
    measured, sd = spread(model, table, {n: s for n, s in given.items() if n in table.names})
    usual = {unit: s for unit in ("m", "rad") if (s := _usual(done, unit))}
    sensing = Sensing(unknowns, tuple(Vocabulary(model.equations).quantities(measured)))
    values, slopes = table.values.copy(), []
    for row in range(len(table)):
        one = Readings(table.names, table.values[row : row + 1], table.source)
        try:
            group = group_rows(model, one, measured, sd[row : row + 1], usual, Reading(done.values, assembly))[0]
            group = sensing.settle(group, done.theta)
        except ClosedChainError:
            slopes.append(np.zeros((0, len(done.names))))
            continue
        block = sensing.block(group, done.theta)
        slopes.append(block.slopes[0])
        for i, quantity in enumerate(group.compared):  # what the model expects there
            values[row, table.names.index(quantity.name)] += block.raw[0, i]
    return Readings(table.names, values, table.source), slopes


def _usual(done: Calibration, unit: str) -> float:
    known = [r.sd for r in done.residuals if r.unit == unit and r.sd]
    return float(np.median(known)) if known else 0.0
