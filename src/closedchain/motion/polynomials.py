"""Piecewise polynomials in time, and the two laws of motion that need no more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.motion.reference import Reference, Space, held, instants, points, positive


@dataclass(frozen=True, eq=False)
class PiecewisePolynomial:
    """x(t) = Σ_j coefficients[i, j] (t − breaks[i])^j between breaks[i] and breaks[i + 1]; at rest outside."""

    breaks: Doubles  # (k + 1,) [s] increasing
    coefficients: Doubles  # (k, degree + 1, n) lowest power first
    space: Space = "output"

    def __post_init__(self) -> None:
        breaks, coefficients = _frozen(self.breaks, "breaks"), _frozen(self.coefficients, "coefficients")
        if coefficients.ndim != 3 or 0 in coefficients.shape or breaks.shape != (len(coefficients) + 1,):
            shapes = f"breaks {breaks.shape}, coefficients {coefficients.shape}"
            raise BadInput(f"{shapes}: shapes (k + 1,) and (k, degree + 1, n) are needed")
        if not (np.diff(breaks) > 0).all():
            i = int(np.argmax(np.diff(breaks) <= 0))
            raise BadInput(f"breaks must increase, but {breaks[i]:.6g} s is followed by {breaks[i + 1]:.6g} s")
        if self.space not in ("output", "joint"):
            raise BadInput(f'space is {self.space!r:.30}; "output" or "joint" is needed')
        object.__setattr__(self, "breaks", breaks)
        object.__setattr__(self, "coefficients", coefficients)

    @property
    def start(self) -> float:
        return float(self.breaks[0])

    @property
    def duration(self) -> float:
        return float(self.breaks[-1] - self.breaks[0])

    @property
    def dimension(self) -> int:
        return int(self.coefficients.shape[-1])

    @property
    def degree(self) -> int:
        return int(self.coefficients.shape[1]) - 1

    def __call__(self, t: ArrayLike) -> Reference:
        """Horner's scheme for the value and the first three derivatives at once."""
        t = instants(t)
        piece = np.clip(np.searchsorted(self.breaks, t, side="right") - 1, 0, len(self.coefficients) - 1)
        local = (np.clip(t, self.breaks[0], self.breaks[-1]) - self.breaks[piece])[..., None]
        chosen = self.coefficients[piece]  # (*t.shape, degree + 1, n)
        d0 = d1 = d2 = d3 = np.zeros(chosen.shape[:-2] + chosen.shape[-1:])
        for j in range(self.degree, -1, -1):
            d3, d2, d1, d0 = d3 * local + d2, d2 * local + d1, d1 * local + d0, d0 * local + chosen[..., j, :]
        return held(t, self.breaks[0], self.breaks[-1], Reference(d0, d1, 2 * d2, 6 * d3))


def quintic(start: ArrayLike, end: ArrayLike, duration: float, *, space: Space = "output") -> PiecewisePolynomial:
    """Rest to rest on a straight line: x = start + s (end − start), s = 10 r³ − 15 r⁴ + 6 r⁵, r = t / duration.

    Velocity and acceleration vanish at both ends; the largest are 15/8 length/duration and 10/√3 length/duration².
    """
    a, b = points({"start": start, "end": end})
    T = positive(duration, "duration")
    zero = np.zeros_like(a)
    rows = [a, zero, zero, 10 * (b - a) / T**3, -15 * (b - a) / T**4, 6 * (b - a) / T**5]
    return PiecewisePolynomial(np.array([0.0, T]), np.array([rows]), space)


def rest(at: ArrayLike, duration: float, *, space: Space = "output") -> PiecewisePolynomial:
    """Staying at one position."""
    (a,) = points({"at": at})
    return PiecewisePolynomial(np.array([0.0, positive(duration, "duration")]), a[None, None, :], space)


def constant_velocity(
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    *,
    blend: float = 0.0,
    shape: str = "parabolic",
    space: Space = "output",
) -> PiecewisePolynomial:
    """Straight at one velocity, v = (end − start)/(duration − blend), taken up and given back in `blend` seconds.

    "parabolic" blends have one acceleration v/blend (a trapezoid of velocity); "quintic" ones also start and end
    without acceleration (the quintic through these six conditions; its fifth power vanishes). Without a blend the
    motion starts and ends with a jump of velocity.
    """
    a, b = points({"start": start, "end": end})
    T = positive(duration, "duration")
    if not 0.0 <= blend <= T / 2:
        raise BadInput(f"blend is {blend!r:.30} s; two of them must fit into the duration of {T:.6g} s")
    if shape not in ("parabolic", "quintic"):
        raise BadInput(f'shape is {shape!r:.30}; "parabolic" or "quintic" is needed')
    v = (b - a) / (T - blend)
    if blend == 0.0:
        return PiecewisePolynomial(np.array([0.0, T]), np.array([[a, v]]), space)
    zero, edge = np.zeros_like(a), a + v * blend / 2
    middle = [edge, v, zero, zero, zero]
    if shape == "parabolic":
        first, last = [a, zero, v / (2 * blend), zero, zero], [b - v * blend / 2, v, -v / (2 * blend), zero, zero]
    else:
        first = [a, zero, zero, v / blend**2, -v / (2 * blend**3)]
        last = [b - v * blend / 2, v, zero, -v / blend**2, v / (2 * blend**3)]
    if blend == T / 2:  # no time is left between the blends
        return PiecewisePolynomial(np.array([0.0, blend, T]), np.array([first, last]), space)
    return PiecewisePolynomial(np.array([0.0, blend, T - blend, T]), np.array([first, middle, last]), space)


def _frozen(values: ArrayLike, what: str) -> Doubles:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{what} must be numbers in a rectangular array") from None
    if not np.isfinite(array).all():
        raise BadInput(f"{what} hold {array[~np.isfinite(array)].flat[0]}; finite numbers are needed")
    array.setflags(write=False)
    return array
