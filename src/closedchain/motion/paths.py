"""Lines, circles and splines, as paths in s and as motions in time."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import make_interp_spline

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.motion.composition import Timed, along
from closedchain.motion.polynomials import PiecewisePolynomial, quintic
from closedchain.motion.reference import Reference, Space, Trajectory, held, instants, point, points, positive

ENDS = ("natural", "clamped")


@dataclass(frozen=True, eq=False)
class Arc:
    """x(s) = centre + radius (cos α, sin α) in the first two coordinates, α = angle + sweep s, s from 0 to 1; others stay."""

    centre: Doubles  # (n,) n ≥ 2
    radius: float  # [m]
    angle: float  # [rad] where it begins
    sweep: float  # [rad] positive: counterclockwise
    space: Space = "output"

    @property
    def start(self) -> float:
        return 0.0

    @property
    def duration(self) -> float:
        return 1.0

    @property
    def dimension(self) -> int:
        return int(self.centre.size)

    @property
    def breaks(self) -> Doubles:
        return np.array([0.0, 1.0])

    def __call__(self, t: ArrayLike) -> Reference:
        s = instants(t)
        alpha = self.angle + self.sweep * np.clip(s, 0.0, 1.0)
        rows = []
        for order in range(4):
            row = np.zeros((*s.shape, self.dimension))
            turned = alpha + order * np.pi / 2  # each derivative turns by a quarter
            row[..., 0], row[..., 1] = np.cos(turned), np.sin(turned)
            rows.append(row * (self.radius * self.sweep**order))
        return held(s, 0.0, 1.0, Reference(rows[0] + self.centre, *rows[1:]))


def line(
    start: ArrayLike,
    end: ArrayLike,
    duration: float | None = None,
    *,
    timing: Trajectory | None = None,
    space: Space = "output",
) -> Timed:
    """A straight line, rest to rest in `duration` (quintic), or run through by a law s(t) from 0 to 1."""
    return along(segment(start, end, space=space), _timing(duration, timing))


def segment(start: ArrayLike, end: ArrayLike, *, space: Space = "output") -> PiecewisePolynomial:
    """The path x(s) = start + s (end − start), s from 0 to 1."""
    a, b = points({"start": start, "end": end})
    return PiecewisePolynomial(np.array([0.0, 1.0]), np.array([[a, b - a]]), space)


def circle(
    centre: ArrayLike,
    radius: float,
    duration: float | None = None,
    *,
    timing: Trajectory | None = None,
    angle: float = 0.0,
    turns: float = 1.0,
    space: Space = "output",
) -> Timed:
    """A circle in the plane of the first two coordinates, begun at `angle` [rad]; negative turns go clockwise."""
    return along(arc(centre, radius, angle=angle, turns=turns, space=space), _timing(duration, timing))


def arc(centre: ArrayLike, radius: float, *, angle: float = 0.0, turns: float = 1.0, space: Space = "output") -> Arc:
    """The path of a circle or a part of one, s from 0 to 1."""
    middle = point(centre, "centre")
    if middle.size < 2:
        raise BadInput("a circle's centre needs at least two coordinates")
    if not (np.isfinite(angle) and np.isfinite(turns) and turns != 0.0):
        raise BadInput(f"a circle needs a finite angle and some turns, got angle {angle!r:.30} and turns {turns!r:.30}")
    return Arc(middle, positive(radius, "radius"), float(angle), 2 * np.pi * float(turns), space)


def spline(
    through: ArrayLike,
    times: ArrayLike,
    *,
    degree: int = 3,
    ends: str = "natural",
    velocity: ArrayLike = 0.0,
    acceleration: ArrayLike = 0.0,
    space: Space = "output",
) -> PiecewisePolynomial:
    """The interpolating spline: cubic with continuous accelerations, or quintic (degree=5) with four continuous derivatives.

    "natural" ends bend no further: the cubic's x″, the quintic's x‴ and x⁗ vanish there. "clamped" ends have the given
    velocity, and for the quintic acceleration: zero, one vector for both ends, or one row (2, n) for each.
    """
    t = instants(times)
    x = _through(through, t)
    if degree not in (3, 5) or ends not in ENDS:
        raise BadInput(f"degree {degree!r:.20}, ends {ends!r:.20}: degree 3 or 5 and {' or '.join(ENDS)} ends are there")
    if not (np.diff(t) > 0).all():
        i = int(np.argmax(np.diff(t) <= 0))
        raise BadInput(f"times must increase, but {t[i]:.6g} s is followed by {t[i + 1]:.6g} s")
    first, second = _pair(velocity, x.shape[1], "velocity"), _pair(acceleration, x.shape[1], "acceleration")
    zero = np.zeros(x.shape[1])
    orders = {(3, "natural"): (2,), (3, "clamped"): (1,), (5, "natural"): (3, 4), (5, "clamped"): (1, 2)}[degree, ends]
    given = {1: first, 2: second} if ends == "clamped" else {}
    conditions = tuple([(order, given[order][side] if order in given else zero) for order in orders] for side in (0, 1))
    span = t[-1] - t[0]
    local = (t - t[0]) / span  # a scaled time keeps the system's rows of one size
    scaled = tuple([(order, value * span**order) for order, value in side] for side in conditions)
    fitted = make_interp_spline(local, x, k=degree, bc_type=scaled)
    powers = np.stack([fitted(local[:-1], nu=j) / (factorial(j) * span**j) for j in range(degree + 1)], axis=1)
    return PiecewisePolynomial(t, powers, space)


def faster(trajectory: Trajectory, factor: float) -> Timed:
    """The same path at `factor` times the speed."""
    T = trajectory.duration / positive(factor, "factor")
    speed = trajectory.duration / T  # so that T seconds of it are the whole path
    law = PiecewisePolynomial(np.array([0.0, T]), np.array([[[trajectory.start], [speed]]]))
    return along(trajectory, law)


def _through(values: ArrayLike, t: Doubles) -> Doubles:
    if t.ndim != 1 or t.size < 2:
        raise BadInput(f"times have shape {t.shape}; a list of two or more is needed")
    array = np.asarray(values, dtype=np.float64)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != len(t):
        raise BadInput(f"{len(t)} times need points of shape ({len(t)}, n), not {array.shape}")
    return vectors(array, array.shape[1], "points")


def _pair(values: ArrayLike, n: int, what: str) -> Doubles:
    """(2, n): one row for each end."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape not in ((), (n,), (2, n)):
        raise BadInput(f"{what} has shape {array.shape}; a number, ({n},) or (2, {n}) is needed")
    return vectors(np.broadcast_to(array, (2, n)), n, what)


def _timing(duration: float | None, timing: Trajectory | None) -> Trajectory:
    if (duration is None) == (timing is None):
        raise BadInput("give a duration, for a motion from rest to rest, or a timing law s(t) from 0 to 1")
    return quintic([0.0], [1.0], duration) if duration is not None else timing  # type: ignore[return-value]
