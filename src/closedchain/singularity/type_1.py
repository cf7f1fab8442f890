"""Type 1 along a motion: a leg comes to its end and goes on in its other working mode, or cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Bar, Crank, point_name
from closedchain.errors import numbers
from closedchain.model.configurations import Configurations
from closedchain.model.course import Way, crossing_library, run
from closedchain.model.crossing import FOLDED
from closedchain.model.folds import fold_instants
from closedchain.model.model import Model

SLOW = 1e-3  # rad over the duration: a bar that turns slower than this stops there


@dataclass(frozen=True, eq=False)
class Type1:
    """An instant at which a leg is at its end: the output has lost a motion, B is singular."""

    t: float  # [s]
    index: int
    leg: str
    x: Doubles
    rate: (
        float  # [rad/s] at which the bar turns against its drive there; the output accelerates inwards by length rate²
    )
    inward: float  # [m/s²] that acceleration, or what there is of it; infinite where no way is inwards
    bounded: bool  # the bar does not stop there

    def __str__(self) -> str:
        where = f"Type 1 at {self.t:.10g} s, x = {numbers(self.x)}: leg {self.leg} is at its end"
        if np.isinf(self.inward):
            return f"{where}, folded onto the axis of its own crank, and turns on at {self.rate:.4g} rad/s"
        if self.bounded:
            return f"{where} and turns on at {self.rate:.4g} rad/s (inward acceleration {self.inward:.4g} m/s²)"
        return f"{where} and stops (inward acceleration {self.inward:.2g} m/s²): efforts grow as 1/√|t − t_m|"


def of_course(model: Model, way: Way, t: float, leg: int) -> Type1:
    """A passage of a motion that has its drives' rates: the leg turns as they say."""
    course = way(np.array([t]))[0]
    return _event(model, t, leg, course.q, course.x, course.x_dot, course.x_ddot)


def of_output(model: Model, motion: Any, times: Doubles) -> list[Type1]:
    """Where the reach of a leg touches its end along an output motion; the drive's rate there is a root of φ̈ = 0."""
    return [_from_output(model, motion, t, leg) for t, leg in fold_instants(model, motion, times)]


def _from_output(model: Model, motion: Any, t: float, leg: int) -> Type1:
    at = motion(t)
    q = model.call("inverse", x=at.x, sigma=np.ones(len(model.legs)))["q"]
    return _event(model, t, leg, q, at.x, at.x_dot, at.x_ddot, 1.0 / motion.duration)


def _event(
    model: Model, t: float, leg: int, q: Doubles, x: Doubles, x_dot: Doubles, x_ddot: Doubles, pace: float = 1.0
) -> Type1:
    """With B_ii = 0, φ̈_i = 0 is quadratic in q̇_i, and its discriminant is Ḃ_ii²: positive where the bar turns on."""
    row, zero = Configurations(model, q[None], x[None]).leg_rows()[leg], np.zeros(model.nq)

    def phi_ddot(rate: float) -> float:
        q_dot = zero.copy()
        q_dot[leg] = rate
        given = {"q": q, "x": x, "q_dot": q_dot, "x_dot": x_dot, "q_ddot": zero, "x_ddot": x_ddot}
        made = run(model, crossing_library(model), "passing", given | {"q_dddot": zero, "x_dddot": 0 * x})
        return float(made["phi_ddot"][row])

    low, middle, high = phi_ddot(-1.0), phi_ddot(0.0), phi_ddot(1.0)
    a, b = (high + low) / 2 - middle, (high - low) / 2
    lever, bar = _lengths(model, leg, x)
    square = (b * b - 4 * a * middle) / lever**2  # (rad/s)²
    rate = float(np.sqrt(max(square, 0.0)))
    inward = bar * square if np.isfinite(bar) else np.inf
    return Type1(t, leg, model.legs[leg].name, x, rate, inward, rate > SLOW * pace)


def _lengths(model: Model, leg: int, x: Doubles) -> tuple[float, float]:
    """2 |Ḃ_ii| and the inward acceleration, over the bar's rate against its drive and over its square.

    On a slider they are 4 l and l; on a crank 4 R l and R l / ρ, where ρ is the far point's distance from the pivot.
    """
    found = model.legs[leg]
    assert isinstance(found.link, Bar)
    length = model.number(found.link.length)
    if not isinstance(found.drive, Crank):
        return 4 * length, length
    radius, names = model.number(found.drive.radius), [name for name, _ in model.equations.points]
    points = model.call("points", q=np.zeros(model.nq), x=x)["points"]
    away = points[names.index(point_name(found.far))] - [model.number(e) for e in found.drive.about]
    distance = float(np.linalg.norm(away))
    return 4 * radius * length, radius * length / distance if distance > FOLDED * model.scale else np.inf
