"""Motions of a body in space: straight, along a screw, and splines through poses.

A pose is x, y, z and roll, pitch, yaw (R = Rz Ry Rx), or the three angles alone. Orientations go as quaternions e(s) of
any length, whose angles have exact rates (`rates.rolls_of`).

- Turning about one axis, e runs on a great circle of the unit sphere.
- A spline of orientations is the spline of their quaternions in R⁴, which as a rotation is C² (C⁴ for degree 5). A
  fixed rotation of the ground or of the body's frame rotates R⁴, so that it does not matter which one chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.orientation import matrices, quaternions
from closedchain.motion.composition import Timed, along, rows_of
from closedchain.motion.paths import timed
from closedchain.motion.rates import rolls_of
from closedchain.motion.reference import Reference, Space, Trajectory, held, instants, point, points
from closedchain.motion.splines import spline

SAMPLES = 400  # of each piece, to count the angles' turns and to look for poses where they fail
STEEP = 0.01  # cos(pitch) below which roll and yaw are hardly told apart: 0.6° from ±90°
SHORT = 0.3  # of a quaternion between two given ones: the rotation between them is not what one meant
STILL = 1e-12  # [rad] no turn


@dataclass(frozen=True, eq=False)
class Helix:
    """x(s) = begin + s advance + (cos βs − 1) a + sin βs b, s from 0 to 1, in any dimension."""

    begin: Doubles  # (n,)
    advance: Doubles  # (n,)
    a: Doubles  # (n,) from the axis to the beginning
    b: Doubles  # (n,) a turned by a quarter
    beta: float  # [rad]
    space: Space = "output"

    @property
    def start(self) -> float:
        return 0.0

    @property
    def duration(self) -> float:
        return 1.0

    @property
    def dimension(self) -> int:
        return int(self.begin.size)

    @property
    def breaks(self) -> Doubles:
        return np.array([0.0, 1.0])

    def __call__(self, t: ArrayLike) -> Reference:
        given = instants(t)
        s = np.clip(given, 0.0, 1.0)[..., None]
        turned = [self.beta * s + order * np.pi / 2 for order in range(4)]
        rows = [self.beta**k * (np.cos(w) * self.a + np.sin(w) * self.b) for k, w in enumerate(turned)]
        lowered = -2 * np.sin(self.beta * s / 2) ** 2  # cos βs − 1, also where β is small and a large
        rows[0] = self.begin + s * self.advance + lowered * self.a + np.sin(self.beta * s) * self.b
        rows[1] = rows[1] + self.advance
        return held(given, 0.0, 1.0, Reference(*rows))


@dataclass(frozen=True, eq=False)
class Poses:
    """A place and a quaternion, as x, y, z and roll, pitch, yaw without jumps of a turn."""

    place: Trajectory | None  # None: the angles alone
    turn: Trajectory  # (w, x, y, z) of any length but 0
    angles: Doubles  # (3,) [rad] roll, pitch, yaw at the start, which say their turns
    space: Space = "output"

    def __post_init__(self) -> None:
        level, lengths = np.cos(self._course[1][:, 1]), np.linalg.norm(self.turn(self._course[0]).x, axis=-1)
        if lengths.min() < SHORT:
            when = self._course[0][np.argmin(lengths)]
            raise BadInput(f"near {when:.4g} the spline leaves its orientations far; give a pose between them")
        if level.min() < STEEP:
            when = self._course[0][np.argmin(level)]
            raise BadInput(
                f"the pitch comes within {np.degrees(np.arcsin(level.min())):.2g}° of ±90° near {when:.4g}, where roll "
                "and yaw are one turn; go another way, or turn the body's own frame in its description"
            )

    @property
    def start(self) -> float:
        return self.turn.start

    @property
    def duration(self) -> float:
        return self.turn.duration

    @property
    def dimension(self) -> int:
        return 3 if self.place is None else 3 + self.place.dimension

    @property
    def breaks(self) -> Doubles:
        return self.turn.breaks

    @cached_property
    def _course(self) -> tuple[Doubles, Doubles]:
        """Instants, and the angles there counted on from the start."""
        t = np.unique(np.linspace(self.turn.breaks[:-1], self.turn.breaks[1:], SAMPLES + 1).ravel())
        angles = np.unwrap(rolls_of(rows_of(self.turn(t)))[0], axis=0)
        return t, angles + 2 * np.pi * np.round((self.angles - angles[0]) / (2 * np.pi))

    def __call__(self, t: ArrayLike) -> Reference:
        given = instants(t)
        rows = rolls_of(rows_of(self.turn(given)))
        near = np.stack([np.interp(given, self._course[0], self._course[1][:, k]) for k in range(3)], axis=-1)
        rows[0] += 2 * np.pi * np.round((near - rows[0]) / (2 * np.pi))
        if self.place is not None:
            rows = np.concatenate([rows_of(self.place(given)), rows], axis=-1)
        return held(given, self.start, self.start + self.duration, Reference(*rows))


def straight(
    start: ArrayLike, end: ArrayLike, duration: float | None = None, *, timing: Trajectory | None = None
) -> Timed:
    """The origin on a straight line, the body about one axis, the shorter way, both with one law s(t)."""
    a, b = _ends(start, end)
    u, angle, e = _turn(a, b)
    none = np.zeros(a.size - 3)
    place = Helix(a[:-3], b[:-3] - a[:-3], none, none, 0.0) if a.size == 6 else None
    return along(Poses(place, _great_circle(e, u, angle), a[-3:]), timed(duration, timing))


def screw(
    start: ArrayLike, end: ArrayLike, duration: float | None = None, *, timing: Trajectory | None = None
) -> Timed:
    """The screw that brings one pose to the other, turning the shorter way: g(s) = exp(s ξ) g₀, ξ = log(g₁ g₀⁻¹)."""
    a, b = _ends(start, end)
    if a.size != 6:
        raise BadInput("a screw needs a place: x, y, z and roll, pitch, yaw")
    u, angle, e = _turn(a, b)
    # p₁ = R p₀ + d with R about u by φ: the axis goes through ½ (d⊥ + cot(φ/2) u × d⊥), the advance is u·d.
    R = matrices(b[3:]) @ matrices(a[3:]).T
    d = b[:3] - R @ a[:3]
    if angle < STILL:
        none = np.zeros(3)
        return along(Poses(Helix(a[:3], d, none, none, 0.0), _great_circle(e, u, 0.0), a[3:]), timed(duration, timing))
    across = d - (u @ d) * u
    centre = (across + np.cross(u, across) / np.tan(angle / 2)) / 2
    return along(_screwed(a, e, centre, u, angle, float(u @ d)), timed(duration, timing))


def screw_about(
    start: ArrayLike,
    at: ArrayLike,
    axis: ArrayLike,
    angle: float,
    duration: float | None = None,
    *,
    advance: float = 0.0,
    timing: Trajectory | None = None,
) -> Timed:
    """A turn by `angle` [rad] about the line through `at` along `axis`, with an `advance` [m] along it in all."""
    pose, through, along_ = point(start, "start"), point(at, "at"), point(axis, "axis")
    if pose.size != 6 or through.size != 3 or along_.size != 3 or not np.any(along_):
        raise BadInput("start is x, y, z and roll, pitch, yaw; at and axis have three coordinates, axis not all 0")
    if not (np.isfinite(angle) and np.isfinite(advance)):
        raise BadInput(f"angle and advance must be finite, got {angle!r:.30} and {advance!r:.30}")
    e = quaternions(matrices(_checked(pose)[3:]))
    u = along_ / np.linalg.norm(along_)
    return along(_screwed(pose, e, through, u, float(angle), float(advance)), timed(duration, timing))


def pose_spline(poses: ArrayLike, times: ArrayLike, *, degree: int = 3, ends: str = "clamped") -> Poses:
    """Through poses at instants: twice (degree 5: four times) continuously differentiable, at rest at clamped ends."""
    through = np.atleast_2d(np.asarray(poses, dtype=float))
    if through.ndim != 2 or through.shape[1] not in (3, 6) or not np.isfinite(through).all():
        raise BadInput("poses are rows of x, y, z, roll, pitch, yaw, or of roll, pitch, yaw")
    e = quaternions(matrices(np.stack([_checked(row)[-3:] for row in through])))
    for k in range(1, len(e)):  # e and −e are one orientation: the nearer one is meant
        e[k] *= -1.0 if e[k] @ e[k - 1] < 0.0 else 1.0
    place = spline(through[:, :3], times, degree=degree, ends=ends) if through.shape[1] == 6 else None
    return Poses(place, spline(e, times, degree=degree, ends=ends), through[0, -3:])


def _screwed(pose: Doubles, e: Doubles, centre: Doubles, u: Doubles, angle: float, advance: float) -> Poses:
    arm = pose[:3] - centre
    arm = arm - (u @ arm) * u
    place = Helix(pose[:3], advance * u, arm, np.cross(u, arm), angle)
    return Poses(place, _great_circle(e, u, angle), pose[3:])


def _great_circle(e: Doubles, u: Doubles, angle: float) -> Helix:
    """cos(φs/2) e + sin(φs/2) (0, u) e: the quaternion turned about u of the ground."""
    w, v = e[0], e[1:]
    quarter = np.concatenate([[-(u @ v)], w * u + np.cross(u, v)])
    return Helix(e, np.zeros(4), e, quarter, angle / 2)


def _turn(a: Doubles, b: Doubles) -> tuple[Doubles, float, Doubles]:
    """Axis and angle (0 to π) from a's orientation to b's, and a's quaternion."""
    e, f = quaternions(matrices(a[-3:])), quaternions(matrices(b[-3:]))
    w, v = e @ f, e[0] * f[1:] - f[0] * e[1:] - np.cross(f[1:], e[1:])  # f e⁻¹
    size = float(np.linalg.norm(v))
    sign = -1.0 if w < 0.0 else 1.0
    axis = sign * v / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
    return axis, 2 * float(np.arctan2(size, abs(w))), e


def _ends(start: ArrayLike, end: ArrayLike) -> tuple[Doubles, Doubles]:
    a, b = points({"start": start, "end": end})
    return _checked(a), _checked(b)


def _checked(pose: Doubles) -> Doubles:
    if pose.size not in (3, 6):
        raise BadInput(f"a pose is x, y, z, roll, pitch, yaw, or the three angles; {pose.size} numbers were given")
    if abs(pose[-2]) > np.pi / 2:
        raise BadInput(f"the pitch is {np.degrees(pose[-2]):.4g}°; give it within ±90°, and roll and yaw to match")
    return pose
