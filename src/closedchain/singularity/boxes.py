"""Boxes of poses proven free of singularities in one working mode, or a pose that refutes it.

A box is cut until on each part every leg reaches and A is regular. With C about the inverse of A in the part's middle m

    C A(x) = C A(m) + Σ C ∂A/∂xₖ (xₖ − mₖ)      differs from I by at most R, element by element,

from bounds of the slopes over the part; a positive v with R v < v shows that no eigenvalue of what is added to I
reaches one, so that C A(x) is regular. All of it is interval arithmetic but C and v, which may be any numbers. Where
two middles have determinants of opposite signs, the segment between them, which lies in the box, is searched for its
singular pose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.model.levers import levers
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs, working_names
from closedchain.singularity.along import SingularPoint, along
from closedchain.singularity.closed_form import ClosedForm
from closedchain.singularity.interval import Interval, bounds, exact

AT_ONCE = 400  # parts bounded together
MOST = 60_000  # parts looked at before the rest is told as open
FINEST = 2.0**-20  # of the box: parts as thin as this stay open
POWERS = 30  # iterations towards the Perron vector
CUTS = 3  # the first part is cut so often in each direction before anything is bounded: what is refuted shows at once

Flags = NDArray[np.bool_]
Sides = Mapping[str, tuple[float, float]]  # a coordinate, from where to where


@dataclass(frozen=True, eq=False)
class Box:
    """What was shown of a box of poses in one working mode."""

    robot: str
    working: str
    x: Doubles  # (nx,) the coordinates that are held
    sides: dict[str, tuple[float, float]]  # the coordinates that vary
    parts: int  # looked at
    refuted: SingularPoint | None = None  # a Type 2 pose in the box, proven
    beyond: Doubles | None = None  # (nx,) a pose in the box that legs do not reach
    legs: tuple[str, ...] = ()  # which
    open: tuple[tuple[Doubles, Doubles], ...] = field(default=(), repr=False)  # (low, high) of what was left undecided

    @property
    def proven(self) -> bool:
        """Whether every pose of the box is reached and regular."""
        return self.refuted is None and self.beyond is None and not self.open

    def __str__(self) -> str:
        sides = ", ".join(f"{name} {lo:g} to {hi:g}" for name, (lo, hi) in self.sides.items())
        head = f"{self.robot} in {self.working}, {sides}"
        if self.proven:
            return f"{head}: free of singularities, proven in {self.parts} parts"
        if self.refuted is not None:
            return f"{head}: Type 2 at x {self.refuted.x}"
        if self.beyond is not None:
            return f"{head}: out of reach of {', '.join(self.legs)} at x {self.beyond}"
        return f"{head}: {len(self.open)} of {self.parts} parts undecided"


def prove_box(model: Model, x: ArrayLike, sides: Sides, *, working: str | None = None, most: int = MOST) -> Box:
    """Whether all poses with some coordinates of x within `sides` are reached and free of Type 2, in a working mode.

    The mode is the one that the robot is built in unless another is named.
    """
    return Prover(model, x, sides, working).prove(sides, most)


def grow_box(
    model: Model,
    x: ArrayLike,
    steps: Mapping[str, float],
    *,
    working: str | None = None,
    most: int = MOST,
    within: Sides | None = None,
    progress: Callable[[Box], None] | None = None,
) -> Box:
    """The box about x that grows by a step to each side, one after another, as long as the new slab is proven.

    A turn ends at ±π, and every side at `within`. What is told was proven slab by slab; another order of growing may
    end in another box.
    """
    if any(not step > 0.0 for step in steps.values()):
        raise BadInput(f"{model.name}: a box grows by steps that are positive")
    at = vectors(x, model.nx, "x")
    names = [c.name for c in model.equations.x]
    turning = {c.name for c in model.equations.x if c.unit == "rad"}
    prover = Prover(model, at, dict.fromkeys(steps, (0.0, 0.0)), working)
    centre = {name: float(at[names.index(name)]) for name in steps}
    sides = {name: (c, c) for name, c in centre.items()}
    ends = {n: (-np.pi, np.pi) if n in turning else (-np.inf, np.inf) for n in steps} | dict(within or {})
    found = prover.prove(sides, most)
    parts, growing = found.parts, [(name, end) for name in steps for end in (0, 1)] if found.proven else []
    while growing:
        for name, end in tuple(growing):
            old = sides[name][end]
            new = old + (steps[name] if end else -steps[name])
            new = float(np.clip(new, *ends[name]))
            slab = prover.prove(sides | {name: (min(old, new), max(old, new))}, most) if new != old else None
            parts += slab.parts if slab else 0
            if slab is None or not slab.proven:
                growing.remove((name, end))
                continue
            sides[name] = (sides[name][0], new) if end else (new, sides[name][1])
            found = Box(model.name, prover.working, at, dict(sides), parts)
            if progress is not None:
                progress(found)
    return found


class Prover:
    """A and the legs' reach with their slopes along some coordinates, bounded over parts of a box."""

    def __init__(self, model: Model, x: ArrayLike, sides: Sides, working: str | None) -> None:
        self.model, self.x = model, vectors(x, model.nx, "x")
        names = [c.name for c in model.equations.x]
        unknown = [name for name in sides if name not in names]
        if unknown or not sides:
            told = f"no coordinate {unknown[0]!r:.30} of the output" if unknown else "no coordinate was named"
            raise BadInput(f"{model.name}: {told}; there are {', '.join(names)}")
        self.names = tuple(sides)
        self.columns = [names.index(name) for name in sides]
        self.metres = levers(model)[self.columns]
        self.program = _program(model, self.columns)
        built = model.mechanism.working if model.mechanism else ""
        self.working = working or built or working_names(model)[0]
        self.sigma = leg_signs(model, self.working)
        self.chosen = np.nonzero(model.leg_signs != 0)[0]

    def prove(self, sides: Sides, most: int = MOST) -> Box:
        """Cut until everything is decided, a pose refutes it, or there are too many parts."""
        low, high = (np.array([float(sides[n][end]) for n in self.names]) for end in (0, 1))
        if not (low <= high).all():
            raise BadInput(f"{self.model.name}: a side of the box goes from its lower to its higher end")
        told = Box(self.model.name, self.working, self.x, dict(sides), parts=0)
        waiting, seen = _cut_evenly(low, high, CUTS), 0
        first: tuple[Doubles, float] | None = None
        left: list[tuple[Doubles, Doubles]] = []
        while len(waiting):
            if seen >= most:
                left += [(row[0], row[1]) for row in waiting]
                break
            now, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
            seen += len(now)
            part = self.bounded(now)
            if part.missed.any():
                row = int(np.argmax(part.missed.any(axis=-1)))
                legs = tuple(self.model.legs[i].name for i in np.nonzero(part.missed[row])[0])
                return replace(told, parts=seen, beyond=self.pose(part.middle[row]), legs=legs)
            first = first or (part.middle[0], float(part.sign[0]))
            other = np.nonzero(part.sign * first[1] < 0.0)[0]
            if len(other):
                point = self._between(first[0], part.middle[other[0]])
                if point is not None:
                    return replace(told, parts=seen, refuted=point)
            rest = now[~part.proven]
            thin = ((rest[:, 1] - rest[:, 0]) <= FINEST * (high - low)).all(axis=-1)
            left += [(row[0], row[1]) for row in rest[thin]]
            halves = _halved(rest[~thin], part.weight[~part.proven][~thin])
            waiting = np.concatenate([halves, waiting])  # the smallest first: what is not regular shows early
        return replace(told, parts=seen, open=tuple(left))

    def pose(self, values: Doubles) -> Doubles:
        """x with these values of the coordinates that vary."""
        x = np.broadcast_to(self.x, (*values.shape[:-1], len(self.x))).copy()
        x[..., self.columns] = values
        return x

    def bounded(self, parts: Doubles) -> Parts:
        """What is known of parts (m, 2, k): low and high ends of the coordinates that vary."""
        middle = parts[:, 0] + 0.5 * (parts[:, 1] - parts[:, 0])
        outer = Interval(self.pose(parts[:, 0]), self.pose(parts[:, 1]))
        A, g = self._bounds(exact(self.pose(middle)))[:2]
        _, _, slopes, g_slope = self._bounds(outer)
        n = A.lo.shape[-1]
        A_slope = Interval(*(side.reshape(len(parts), n, n, -1) for side in (slopes.lo, slopes.hi)))
        away = (Interval(parts[:, 0], parts[:, 1]) - exact(middle))[:, None, :]  # (m, 1, k)
        reach = g + _total(g_slope * away)
        C = _inverse(A.mid)
        add = _magnitude(_product(C, A) - exact(np.eye(n)))  # rounding, and C that is not quite A⁻¹
        far = np.maximum(-away.lo, away.hi)[:, 0]  # (m, k)
        each = [_magnitude(_product(C, A_slope[..., k])) * far[:, k, None, None] for k in range(len(self.columns))]
        R = np.nextafter((add + sum(each)) * (1 + 1e-12), np.inf)
        fits: Flags = np.all(reach.positive[:, self.chosen], axis=-1)
        with np.errstate(invalid="ignore"):
            proven: Flags = fits & _contracts(R)
        with np.errstate(invalid="ignore"):
            weight = np.stack([e.sum(axis=(1, 2)) for e in each], axis=-1)
            weight = np.where(fits[:, None], weight, far * _magnitude(g_slope).max(axis=1))
        weight = np.where(np.isfinite(weight).all(axis=-1, keepdims=True), weight, far * self.metres)
        missed = np.zeros((len(parts), len(self.model.legs)), bool)
        missed[:, self.chosen] = g.negative[:, self.chosen]
        return Parts(middle, proven, missed, np.sign(np.linalg.det(np.nan_to_num(A.mid))), weight)

    def _bounds(self, x: Interval) -> tuple[Interval, ...]:
        return bounds(self.program, x, exact(self.model.p), exact(self.sigma))

    def _between(self, a: Doubles, b: Doubles) -> SingularPoint | None:
        """A singular pose on the segment between two of the box."""
        found = along(self.model, self.pose(a), self.pose(b), working=self.working)
        return found.points[0] if len(found) else None


@dataclass(frozen=True, eq=False)
class Parts:
    """What is known of parts of a box."""

    middle: Doubles  # (m, k)
    proven: Flags  # (m,) reached and regular
    missed: Flags  # (m, legs) not reached in the middle
    sign: Doubles  # (m,) of det A in the middle
    weight: Doubles  # (m, k) how much each coordinate's width leaves open


def _program(model: Model, columns: Sequence[int]) -> Program:
    """(x, p, sigma) → A, the legs' reach, and the slopes of both along some coordinates."""
    form = ClosedForm(model)
    A, g, n, k = form.jacobian, form.reach, model.nx, len(columns)
    along_ = form.x[list(columns)]
    A_slope = ca.jacobian(ca.vec(A.T), along_)  # rows of A one after another
    outputs = {
        "A": (ca.densify(A), (n, n)),
        "g": (ca.densify(g), (len(form.legs),)),
        "A_slope": (ca.densify(ca.reshape(A_slope, n * n, k)), (n * n, k)),
        "g_slope": (ca.densify(ca.jacobian(g, along_)), (len(form.legs), k)),
    }
    given = {"x": (form.x, (n,)), "p": (form.p, form.p.shape[:1]), "sigma": (form.sigma, (len(form.legs),))}
    return trace("box", given, outputs)


# Interval matrices -----------------------------------------------------------------------------------


def _product(C: Doubles, A: Interval) -> Interval:
    """C A of plain and interval matrices, (m, n, n)."""
    rows = (exact(C[:, :, j, None]) * A[:, None, j, :] for j in range(C.shape[-1]))
    return _sum(rows)


def _total(v: Interval) -> Interval:
    """The sum over the last axis."""
    return _sum(v[..., k] for k in range(v.lo.shape[-1]))


def _sum(rows: Iterator[Interval]) -> Interval:
    total = next(rows)
    for row in rows:
        total = total + row
    return total


def _magnitude(v: Interval) -> Doubles:
    return np.maximum(np.abs(v.lo), np.abs(v.hi))


def _inverse(A: Doubles) -> Doubles:
    """About A⁻¹; 0 where there is none, which proves nothing."""
    regular: Flags = np.all(np.isfinite(A), axis=(1, 2))
    regular[regular] = np.linalg.cond(A[regular]) < 1e14
    made = np.zeros_like(A)
    made[regular] = np.linalg.inv(A[regular])
    return made


def _contracts(R: Doubles) -> Flags:
    """Whether some v > 0 has R v < v, (m,): tried is the Perron vector of R, so that it is seen where there is one."""
    v = np.ones(R.shape[:-1])
    for _ in range(POWERS):
        v = np.einsum("mij,mj->mi", R, v)
        v = v / v.max(axis=-1, keepdims=True) + 1e-3  # stays positive
    return np.asarray((np.einsum("mij,mj->mi", R, v) * (1 + 1e-12) < v).all(axis=-1))


# Parts -----------------------------------------------------------------------------------------------


def _cut_evenly(low: Doubles, high: Doubles, cuts: int) -> Doubles:
    """The box in `cuts` parts along each coordinate that varies, (m, 2, k)."""
    edges = [np.linspace(a, b, cuts + 1) if b > a else np.array([a, b]) for a, b in zip(low, high, strict=True)]
    index = np.stack(np.meshgrid(*[np.arange(len(e) - 1) for e in edges], indexing="ij"), axis=-1).reshape(-1, len(low))
    ends = [[edges[k][index[:, k] + end] for k in range(len(low))] for end in (0, 1)]
    return np.stack([np.stack(rows, axis=-1) for rows in ends], axis=1)


def _halved(parts: Doubles, weight: Doubles) -> Doubles:
    """Each part in two, across the coordinate that leaves most open."""
    rows, k = np.arange(len(parts)), np.argmax(weight, axis=-1)
    low, high = parts.copy(), parts.copy()
    middle = parts[rows, 0, k] + 0.5 * (parts[rows, 1, k] - parts[rows, 0, k])
    low[rows, 1, k], high[rows, 0, k] = middle, middle
    return np.stack([low, high], axis=1).reshape(-1, 2, parts.shape[-1])
