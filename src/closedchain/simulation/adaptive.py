"""Steps as long as the motion allows: each is made once whole and once in halves, and their difference is its error."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.kernels.march import Bounds, March, Rows
from closedchain.model.dynamics import coordinate_sizes
from closedchain.model.model import Model
from closedchain.simulation.clock import Clock
from closedchain.simulation.record import Record
from closedchain.simulation.tableaux import ORDERS

ADAPTIVE = {"adaptive": "rk6", "stiff": "rodas"}  # by which method their steps are made
PRECISION = 1e-11  # of the mechanism's size, and of its fastest rate, in one step
COARSE = 1e-8  # the first of several precisions, each a hundredth of the one before
MOST = 400_000  # steps in one run
SAFETY, SLOWER, FASTER = 0.9, 0.2, 4.0


class Adaptive:
    """A march between a run's steps, which become the instants that are recorded, in steps of its own."""

    def __init__(
        self, model: Model, compiled: March, time: Clock, bounds: Bounds, precision: float, method: str
    ) -> None:
        self.order = ORDERS[ADAPTIVE[method]]
        self.model, self.compiled, self.time, self.bounds, self.tolerance = model, compiled, time, bounds, precision
        self.sizes = coordinate_sizes(model)
        self.h, self.steps = time.h, 0

    def go(self, record: Record, held: bool) -> str:
        """On by one of the run's steps; why it ended, if it did."""
        t = record.done * self.time.h
        end, worst = (record.done + 1) * self.time.h, [0.0, np.inf, np.inf, np.inf]
        left = end - t
        while left > 0.0:
            if self.steps >= MOST:
                return f"limit: {MOST} steps reached t = {end - left:.6g} s only; they are {self.h:.1e} s long there"
            h = left if left <= self.h * (1 + 1e-9) else min(self.h, left / 2)
            if h < 4e-16 * max(end, 1e-300):
                return f"limit: at t = {end - left:.6g} s steps would have to be shorter than {h:.1e} s"
            made = self._try(record.command, h)
            if made is None:
                continue
            worst = _worse(worst, made)
            left = 0.0 if h == left else left - h
        n = self.compiled.nz
        z, v, work = self.compiled.z[:n], self.compiled.w[:n], self.compiled.w[n : n + 1]
        notes = [np.array([value]) for value in worst]
        record.add(Rows(z[None].copy(), v[None].copy(), work.copy(), *notes), 1, 1, self.compiled)
        return ""

    def _try(self, command: Doubles, h: float) -> Rows | None:
        """One step, whole and in halves; the halves are kept if the two agree, and the next step's length is chosen."""
        self.steps += 1
        compiled, p, n = self.compiled, self.model.p, self.compiled.nz
        z, w = compiled.z.copy(), compiled.w.copy()
        _, whole = compiled.go(command, p, h, 1, 1, self.bounds)
        far = np.concatenate([compiled.z[:n], compiled.w[:n]])
        compiled.start(z[:n], w[:n], float(w[n]))
        rows, halves = compiled.go(command, p, h / 2, 2, 2, self.bounds)
        error = self._error(far, z[:n], w[:n]) if whole == 1 and halves == 2 else np.inf
        stretch = SAFETY * (self.tolerance / max(error, 1e-300)) ** (1 / (self.order + 1)) if error < np.inf else SLOWER
        if not error <= self.tolerance:
            self.h = h * min(max(stretch, SLOWER), SAFETY)
            compiled.start(z[:n], w[:n], float(w[n]))
            return None
        self.h = max(self.h if h < self.h else 0.0, min(h * min(stretch, FASTER), self.time.h))
        return rows

    def _error(self, far: Doubles, z: Doubles, v: Doubles) -> float:
        """The difference of the two, of positions by the mechanism's size and of rates by the fastest."""
        n = self.compiled.nz
        moved, rates = (self.compiled.z[:n] - far[:n]) / self.sizes, (self.compiled.w[:n] - far[n:]) / self.sizes
        fastest = max(float(np.abs(v / self.sizes).max()), float(np.abs(self.compiled.w[:n] / self.sizes).max()), 1.0)
        return float(max(np.abs(moved).max(), np.abs(rates).max() / fastest)) / (2**self.order - 1)


def _worse(worst: list[float], rows: Rows) -> list[float]:
    gap, *rest = worst
    new = [float(np.min(v)) for v in (rows.rank, rows.margin, rows.hold)]
    return [max(gap, float(np.max(rows.gap))), *(min(a, b) for a, b in zip(rest, new, strict=True))]
