"""Lines and circles, as paths in s and as motions in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.motion.composition import Timed, along
from closedchain.motion.polynomials import PiecewisePolynomial, quintic
from closedchain.motion.reference import Reference, Space, Trajectory, held, instants, point, points, positive


@dataclass(frozen=True, eq=False)
class Arc:
    """x(s) = centre + radius (cos α, sin α), α = angle + sweep s, s from 0 to 1, in the first two coordinates."""

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
    return along(segment(start, end, space=space), timed(duration, timing))


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
    return along(arc(centre, radius, angle=angle, turns=turns, space=space), timed(duration, timing))


def arc(centre: ArrayLike, radius: float, *, angle: float = 0.0, turns: float = 1.0, space: Space = "output") -> Arc:
    """The path of a circle or a part of one, s from 0 to 1."""
    middle = point(centre, "centre")
    if middle.size < 2:
        raise BadInput("a circle's centre needs at least two coordinates")
    if not (np.isfinite(angle) and np.isfinite(turns) and turns != 0.0):
        raise BadInput(f"a circle needs a finite angle and some turns, got angle {angle!r:.30} and turns {turns!r:.30}")
    return Arc(middle, positive(radius, "radius"), float(angle), 2 * np.pi * float(turns), space)


def faster(trajectory: Trajectory, factor: float) -> Timed:
    """The same path at `factor` times the speed."""
    T = trajectory.duration / positive(factor, "factor")
    speed = trajectory.duration / T  # so that T seconds of it are the whole path
    law = PiecewisePolynomial(np.array([0.0, T]), np.array([[[trajectory.start], [speed]]]))
    return along(trajectory, law)


def timed(duration: float | None, timing: Trajectory | None) -> Trajectory:
    """The law s(t) of a motion: given, or from rest to rest in that time."""
    if (duration is None) == (timing is None):
        raise BadInput("give a duration, for a motion from rest to rest, or a timing law s(t) from 0 to 1")
    return quintic([0.0], [1.0], duration) if duration is not None else timing  # type: ignore[return-value]
