"""The largest rates and efforts of a motion, and when they occur, against what the drives can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.course import Course
from closedchain.model.dynamics import inverse_dynamics
from closedchain.model.kinematics import check_type2
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.motion.conversion import whole
from closedchain.motion.reference import Trajectory, end_of

TOPS = 3  # local maxima that are refined, per quantity and coordinate
POINTS = 17  # in each bracket
ROUNDS = 5  # each makes a bracket 8 times narrower
ROUNDING = 1e-12  # of a limit: a peak on it is computed no better, and within it
QUANTITIES = ("q_dot", "q_ddot", "tau", "x_dot", "x_ddot")


@dataclass(frozen=True)
class Peak:
    """The largest magnitude found of one quantity of one coordinate."""

    quantity: str  # "q_dot", "q_ddot", "tau", "x_dot", "x_ddot"
    name: str  # the drive or output coordinate
    value: float  # with its sign
    t: float  # [s]
    limit: float | None  # what |value| may be
    tolerance: float = 0.0  # by how much of it the limit may be passed

    @property
    def within(self) -> bool:
        return self.limit is None or abs(self.value) <= self.limit * (1 + self.tolerance + ROUNDING)

    @property
    def use(self) -> float | None:
        """|value| over its limit."""
        return None if self.limit is None else abs(self.value) / self.limit


@dataclass(frozen=True)
class LimitReport:
    """Every peak that was found; sampled, not proven."""

    robot: str
    peaks: tuple[Peak, ...]
    samples: int  # instants of the grid
    refined: int  # further instants, around the largest values

    @property
    def within(self) -> bool:
        return all(peak.within for peak in self.peaks)

    def peak(self, quantity: str, name: str) -> Peak:
        """One of them."""
        for peak in self.peaks:
            if (peak.quantity, peak.name) == (quantity, name):
                return peak
        raise BadInput(
            f"{self.robot}: no {quantity} of {name!r:.30}; there are {', '.join(sorted({p.name for p in self.peaks}))}"
        )

    def __str__(self) -> str:
        known = [peak for peak in self.peaks if peak.limit is not None]
        over = [peak for peak in known if not peak.within]
        verdict = (
            "no limit was given" if not known else "within limits" if not over else f"{len(over)} over their limits"
        )
        lines = [f"{self.robot}: {verdict}, sampled at {self.samples} instants + refined at {self.refined}"]
        for p in self.peaks:
            use = (
                ""
                if p.limit is None
                else f"   {100 * abs(p.value) / p.limit:6.1f} % of {p.limit:g}{'' if p.within else '  OVER'}"
            )
            lines.append(f"  {p.quantity:>6} {p.name:<6} {p.value:+.6g} at {p.t:.6g} s{use}")
        return "\n".join(lines)


def check_limits(
    model: Model,
    trajectory: Trajectory,
    *,
    working: str | None = None,
    assembly: str | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    output_velocity: ArrayLike | None = None,
    output_acceleration: ArrayLike | None = None,
    tolerance: float = 0.0,
    samples: int = 1001,
) -> LimitReport:
    """The largest |q̇|, |q̈|, |τ|, |ẋ| and |ẍ| of a motion, each coordinate's with its instant and limit.

    A limit is one number for all or one per coordinate, and may be passed by `tolerance` of itself. The grid holds both
    sides of every break and is refined around the largest values; peaks narrower than its spacing can be missed.
    """
    if samples < 3:
        raise BadInput(f"samples is {samples}; at least 3 are needed")
    quantities = evaluator(model, whole(model, trajectory, working=working, assembly=assembly))
    given = dict(zip(QUANTITIES, (velocity, acceleration, effort, output_velocity, output_acceleration), strict=True))
    names = _names(model)
    limits = {key: limit_of(value, len(names[key]), f"limit of {key}") for key, value in given.items()}
    t = grid(trajectory, samples)
    values = quantities(t)
    peaks, refined = _refine(quantities, t, values)
    found = []
    for key in QUANTITIES:
        limit = limits[key]
        for i, name in enumerate(names[key]):
            found.append(Peak(key, name, *peaks[key, i], None if limit is None else float(limit[i]), tolerance))
    return LimitReport(model.name, tuple(found), len(t), refined)


def grid(trajectory: Trajectory, samples: int) -> Doubles:
    """Evenly spaced instants, every break, and the last double before it."""
    start, end = trajectory.start, end_of(trajectory)
    inner = trajectory.breaks[1:-1]
    return np.unique(np.concatenate([np.linspace(start, end, samples), inner, np.nextafter(inner, start)]))


def evaluator(model: Model, along: Callable[[ArrayLike], Course]) -> Callable[[Doubles], dict[str, Doubles]]:
    """t → every quantity that may have a limit, (*t.shape, n)."""

    def quantities(t: Doubles) -> dict[str, Doubles]:
        made = along(t)
        found = {key: getattr(made, key) for key in QUANTITIES if key != "tau"}
        return found | {"tau": efforts(model, made)}

    return quantities


def efforts(model: Model, made: Course) -> Doubles:
    """τ of the drives, from the rates of both sides: accurate also beside a Type 2 singularity."""
    if not model.nx or len(model.driven) < model.nq:
        return inverse_dynamics(model, State(made.q, made.x, made.q_dot, made.x_dot), made.q_ddot)
    found = model.call(
        "efforts", q=made.q, x=made.x, q_dot=made.q_dot, x_dot=made.x_dot, q_ddot=made.q_ddot, x_ddot=made.x_ddot
    )
    check_type2(model, found["margin"])
    return found["tau"]


def limit_of(value: ArrayLike | None, size: int, what: str) -> Doubles | None:
    """One positive number per coordinate, or None."""
    if value is None:
        return None
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in ((), (size,)):
        raise BadInput(f"{what} has shape {array.shape}; one number or ({size},) is needed")
    if not (array > 0).all():
        raise BadInput(f"{what} must be above zero, got {array.min():.6g}")
    return np.broadcast_to(array, (size,))


def _names(model: Model) -> dict[str, list[str]]:
    q, x = [c.name for c in model.equations.q], [c.name for c in model.equations.x]
    return {"q_dot": q, "q_ddot": q, "tau": [q[i] for i in model.driven], "x_dot": x, "x_ddot": x}


def _refine(
    quantities: Callable[[Doubles], dict[str, Doubles]], t: Doubles, values: dict[str, Doubles]
) -> tuple[dict[tuple[str, int], tuple[float, float]], int]:
    """(value, instant) of each largest magnitude, after zooming into the brackets around the largest samples."""
    columns = [(key, i) for key in QUANTITIES for i in range(values[key].shape[-1])]
    peaks, brackets = {}, []
    for key, i in columns:
        size = np.abs(values[key][:, i])
        best = int(np.argmax(size))
        peaks[key, i] = (float(values[key][best, i]), float(t[best]))
        brackets += [(key, i, max(k - 1, 0), min(k + 1, len(t) - 1)) for k in _tops(size)]
    low, high = np.array([t[b[2]] for b in brackets]), np.array([t[b[3]] for b in brackets])
    count = 0
    for _ in range(ROUNDS):
        inner = np.linspace(low, high, POINTS, axis=-1)  # (brackets, POINTS)
        made = quantities(inner)
        count += inner.size
        for n, (key, i, *_) in enumerate(brackets):
            row = made[key][n, :, i]
            k = int(np.argmax(np.abs(row)))
            if abs(row[k]) > abs(peaks[key, i][0]):
                peaks[key, i] = (float(row[k]), float(inner[n, k]))
            low[n], high[n] = inner[n, max(k - 1, 0)], inner[n, min(k + 1, POINTS - 1)]
    return peaks, count


def _tops(size: Doubles) -> list[int]:
    """The largest few local maxima of a sampled function."""
    padded = np.concatenate([[-np.inf], size, [-np.inf]])
    local = np.nonzero((size >= padded[:-2]) & (size >= padded[2:]))[0]
    return [int(k) for k in local[np.argsort(size[local])[::-1][:TOPS]]]
