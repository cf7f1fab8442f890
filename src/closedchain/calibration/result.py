"""What a calibration gives: values with standard deviations, what the data show and what they do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.fitting import Combination, combinations, invisible
from closedchain.model.model import Model

WEAK = 1 / 30  # of the best seen direction: what is seen less is told as weak
WORST = 4  # of these are written out


@dataclass(frozen=True, eq=False)
class Residual:
    """What is left of one column's readings."""

    quantity: str
    unit: str
    rows: np.ndarray
    before: Doubles  # model less reading, with the numbers that the search began with
    after: Doubles
    sd: float | None  # of a reading, given or estimated; None where there are too few readings to tell


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """Parameters that explain the readings best."""

    model: Model  # with the calibrated numbers
    names: tuple[str, ...]
    units: tuple[str, ...]
    start: Doubles
    theta: Doubles  # the calibrated values, sensors' offsets and gains among them
    J: Doubles  # (readings and priors, unknowns) whitened
    scales: Doubles  # a metre of each unknown
    lever: float  # [m] at which angles count
    unit_sd: float | None  # the standard deviation that singular values are told for; of the data's lengths
    residuals: tuple[Residual, ...]
    weights: Doubles  # (rows,) 1 unless a robust loss gave a row less
    iterations: int
    freedom: int  # readings and priors less visible unknowns
    source: str = "the data"

    @cached_property
    def values(self) -> dict[str, float]:
        """Every unknown's number."""
        return dict(zip(self.names, self.theta.tolist(), strict=True))

    @cached_property
    def directions(self) -> tuple[Combination, ...]:
        """The singular directions of the scaled Jacobian, the best seen first; sd in metres at the scales."""
        unit = self.unit_sd or 1.0
        return combinations(self.names, self.J * self.scales, unit=unit)

    @property
    def rank(self) -> int:
        return sum(bool(np.isfinite(d.sd)) for d in self.directions)

    @cached_property
    def unseen(self) -> tuple[str, ...]:
        """The combinations that the readings cannot tell at all, in few parameters each; angles at the lever."""
        rows = np.array([d.shares for d in self.directions if not np.isfinite(d.sd)])
        return invisible(self.names, rows * self.scales / self.scales.min()) if len(rows) else ()

    @property
    def weak(self) -> tuple[Combination, ...]:
        """What is seen, but less than a thirtieth as well as the best; the worst first."""
        seen = [d for d in self.directions if np.isfinite(d.sd)]
        return tuple(d for d in reversed(seen) if d.singular < WEAK * seen[0].singular)

    @cached_property
    def covariance(self) -> Doubles:
        """Of the unknowns, in SI, within what the readings show: unseen directions have none here."""
        seen = [d for d in self.directions if np.isfinite(d.sd)]
        V, sd = np.array([d.shares for d in seen]).reshape(-1, len(self.names)), np.array([d.sd for d in seen])
        root = (V.T * sd) * self.scales[:, None]
        return root @ root.T

    @cached_property
    def sd(self) -> Doubles:
        """Standard deviations; infinite for what has a part in an unseen combination, or where nothing tells."""
        if self.unit_sd is None:
            return np.full(len(self.names), np.inf)
        hidden = np.zeros(len(self.names))
        for d in self.directions:
            if not np.isfinite(d.sd):
                hidden = np.maximum(hidden, np.abs(d.shares))
        return np.where(hidden > 1e-7, np.inf, np.sqrt(np.diag(self.covariance)))

    @property
    def outliers(self) -> np.ndarray:
        """Rows that a robust loss gave less than half of a reading's weight."""
        return np.flatnonzero(self.weights < 0.5)

    def rms(self, which: str = "after") -> dict[str, float]:
        """Root mean square of what is left, by quantity."""
        return {r.quantity: float(np.sqrt(np.mean(getattr(r, which) ** 2))) for r in self.residuals}

    def document(self) -> dict[str, Any]:
        """As data."""
        sd = [float(s) if np.isfinite(s) else None for s in self.sd]
        rows = zip(self.names, self.units, self.start.tolist(), self.theta.tolist(), sd, strict=True)
        keys = ("name", "unit", "start", "value", "sd")
        return {
            "found": [dict(zip(keys, row, strict=True)) for row in rows],
            "residuals": [_told(r) for r in self.residuals],
            "directions": [_direction(d, self.unit_sd is not None) for d in self.directions],
            "rank": self.rank,
            "unseen": list(self.unseen),
            "weak": [{"combination": str(d), "sd": d.sd if self.unit_sd is not None else None} for d in self.weak],
            "lever": self.lever,
            "outliers": [int(row) + 1 for row in self.outliers],
            "iterations": self.iterations,
            "freedom": self.freedom,
        }

    def __repr__(self) -> str:
        return report(self)


def _told(r: Residual) -> dict[str, Any]:
    rms = {f"rms_{which}": float(np.sqrt(np.mean(getattr(r, which) ** 2))) for which in ("before", "after")}
    return {"quantity": r.quantity, "unit": r.unit, "readings": len(r.after), **rms, "sd": r.sd}


def _direction(d: Combination, told: bool) -> dict[str, Any]:
    shares: Mapping[str, float] = dict(zip(d.names, d.shares.tolist(), strict=True))
    return {"singular": d.singular, "sd": d.sd if told and np.isfinite(d.sd) else None, "shares": shares}


def report(done: Calibration) -> str:
    """The answer in words."""
    shown = {"m": ("mm", 1e3), "rad": ("deg", 180 / np.pi)}
    lines = [f"{done.model.name}: {len(done.names)} unknowns from {done.source}, {done.iterations} steps"]
    width = max(len(n) for n in done.names)
    lines.append(f"  {'':{width}}  {'start':>14}  {'found':>14}  {'sd':>10}")
    for name, unit, start, value, sd in zip(done.names, done.units, done.start, done.theta, done.sd, strict=True):
        word, factor = shown.get(unit, (unit, 1.0))
        unknown = "not seen" if done.unit_sd is not None else "?"
        told = f"{sd * factor:10.3g}" if np.isfinite(sd) else f"{unknown:>10}"
        lines.append(f"  {name:{width}}  {start * factor:14.6f}  {value * factor:14.6f}  {told}  {word}")
    for r in done.residuals:
        word, factor = shown.get(r.unit, (r.unit, 1.0))
        before, after = (float(np.sqrt(np.mean(v**2))) * factor for v in (r.before, r.after))
        sd = f", sd of a reading {r.sd * factor:.3g} {word}" if r.sd is not None else ""
        lines.append(f"  {r.quantity}: {len(r.after)} readings, rms {before:.4g} → {after:.4g} {word}{sd}")
    if done.unit_sd is None:
        lines.append("  as many unknowns as readings: standard deviations need more of these, or --sd")
    if len(done.outliers):
        lines.append(f"  little weight: rows {', '.join(str(row + 1) for row in done.outliers)}")
    lines += [f"  the data cannot see: {words}" for words in done.unseen]
    for d in done.weak[:WORST]:
        along = f"{d.sd * 1e3:.3g} mm along it, " if done.unit_sd is not None else ""
        lines.append(f"  seen weakly: {d}  ({along}a change shows {d.singular:.2g}-fold)")
    if len(done.weak) > WORST:
        lines.append(f"  and {len(done.weak) - WORST} more that are seen less than a thirtieth as well as the best")
    if not done.unseen and not done.weak:
        lines.append(f"  every combination is seen: the weakest {done.directions[-1].singular:.2g}-fold")
    return "\n".join(lines)
