"""Following one branch along a path: no silent jump, and a clear end where branches meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, NoSolution, numbers
from closedchain.model.configurations import Configurations
from closedchain.model.geometry import direct, inverse
from closedchain.model.model import Model
from closedchain.model.state import choose

SAFE = 0.25  # Newton–Kantorovich's h; below 1/2 a step has one root to go to
HALVINGS = 24
NEWTON = 12


@dataclass(frozen=True, eq=False)
class Path:
    """The configurations along a path on one branch, as far as the branch goes."""

    q: Doubles  # (k, nq), angles continuous (not wrapped)
    x: Doubles  # (k, nx)
    mode: str  # the working or assembly mode it started on
    complete: bool  # whether the whole path was followed
    ended: str  # "the end of the path", or what stopped it and where
    fraction: float  # of the last step that could be made, counted in samples
    halvings: int  # of the finest step that was needed


def follow(
    model: Model,
    *,
    x: ArrayLike | None = None,
    q: ArrayLike | None = None,
    working: str | None = None,
    assembly: str | None = None,
) -> Path:
    """The drives along a path of the output (on a working mode), or the output along one of the drives (assembly mode).

    A step is made only where Newton–Kantorovich's test gives it one root to go to, at its middle and at its end;
    otherwise it is halved. Where 2^-24 of a sample is still too far, two branches meet and the path ends.
    """
    if (x is None) == (q is None):
        raise BadInput(f"{model.name}: give the path of x or of q")
    if x is not None:
        given = _path(x, model.nx, "x")
        found = inverse(model, given[0])
        row = found[choose(found, working)]
        return _Follower(model, "q").run(given, row.q, row.working)
    given = _path(q if q is not None else (), model.nq, "q")
    found = direct(model, given[0], prove=False)
    row = found[choose(found, assembly)]
    return _Follower(model, "x").run(given, row.x, row.assembly)


def _path(values: ArrayLike, size: int, what: str) -> Doubles:
    path = vectors(values, size, what)
    if path.ndim != 2 or len(path) < 1:
        raise BadInput(f"a path of {what} has shape (samples, {size}), not {path.shape}")
    return path


class _Follower:
    """Newton steps in the unknown side (q or x) along given samples of the other."""

    def __init__(self, model: Model, unknown: str) -> None:
        self.model, self.unknown = model, unknown
        self.finest = 0

    def run(self, given: Doubles, start: Doubles, mode: str) -> Path:
        values = [np.array(start)]
        ended, fraction = "the end of the path", float(len(given) - 1)
        for k in range(1, len(given)):
            done, value = self._advance(given[k - 1], given[k], values[-1])
            if done < 1.0:
                fraction = k - 1 + done
                ended = self._explain(given[k - 1] + done * (given[k] - given[k - 1]), value, fraction)
                break
            values.append(value)
        found = np.array(values)
        q, x = (found, given[: len(found)]) if self.unknown == "q" else (given[: len(found)], found)
        return Path(q, x, mode, len(found) == len(given), ended, fraction, self.finest)

    def _advance(self, start: Doubles, end: Doubles, value: Doubles) -> tuple[float, Doubles]:
        """How far along a sample the branch goes (1 when through), and the unknown there."""
        done, step, level = 0.0, 1.0, 0
        while done < 1.0:
            here = start + done * (end - start)
            there = start + min(1.0, done + step) * (end - start)
            if self._safe(0.5 * (here + there), value) and self._safe(there, value):
                value = self._newton(there, value)
                done = min(1.0, done + step)
                continue
            step, level = step / 2, level + 1
            self.finest = max(self.finest, level)
            if level > HALVINGS:
                return done, value
        return 1.0, value

    def _rows(self, given: Doubles, value: Doubles) -> Configurations:
        q, x = (value, given) if self.unknown == "q" else (given, value)
        return Configurations(self.model, q[None, :], x[None, :])

    def _system(self, given: Doubles, value: Doubles) -> tuple[Doubles, Doubles, float]:
        """Jacobian, residual and Lipschitz constant in the unknown."""
        rows = self._rows(given, value)
        if self.unknown == "x":
            return rows.A[0], rows.phi[0], float(np.max(rows.lipschitz_x()))
        legs = rows.leg_rows()
        return rows.B[0][legs], rows.phi[0][legs], float(np.max(rows.leg_curvatures()))

    def _safe(self, given: Doubles, value: Doubles) -> bool:
        A, F, lipschitz = self._system(given, value)
        sigma = np.linalg.svd(A, compute_uv=False)[-1]
        if sigma <= 0.0:
            return False
        return bool(lipschitz * np.linalg.norm(np.linalg.solve(A, F)) / sigma <= SAFE)

    def _newton(self, given: Doubles, value: Doubles) -> Doubles:
        size = float("inf")
        for _ in range(NEWTON):
            A, F, _ = self._system(given, value)
            step = np.linalg.solve(A, F)
            value = value - step
            size, last = float(np.abs(step).max()), size
            if size <= 1e-15 * self.model.scale or size >= last:
                break
        gap = float(self._rows(given, value).residual[0])
        if gap > 1e-9 * self.model.scale:
            raise NoSolution(
                f"{self.model.name}: the output leaves what the mechanism can do by {gap:.2e} m along the path"
            )
        return value

    def _explain(self, given: Doubles, value: Doubles, fraction: float) -> str:
        where = f"sample {fraction:.6f}"
        if self.unknown == "x":
            return f"a Type 2 singularity at {where}: the assembly modes meet at q = {numbers(given)}"
        slopes = np.abs(self._rows(given, value).leg_slopes()[0])
        leg = self.model.legs[int(np.argmin(slopes))].name
        return f"a Type 1 singularity at {where}: leg {leg} is at its end at x = {numbers(given)}"
