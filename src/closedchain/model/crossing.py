"""Dynamics at a Type 2 singularity: which accelerations it allows, and the finite limit of the efforts there.

With w = (M_z z̈ + h_z)_x the output's rows read Aᵀλ = w. Where A t = 0 they ask tᵀw = 0; the multipliers that A leaves
open then follow from the rate of the same rows, Aᵀλ̇ + Ȧᵀλ = ẇ, projected on t: tᵀȦᵀλ = tᵀẇ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import Singular
from closedchain.model.configurations import Configurations
from closedchain.model.course import Course, Way, crossing_library, run
from closedchain.model.model import Model
from closedchain.policy import IRREGULAR

Values = Callable[[Doubles], Doubles]  # (k,) → (k,)

ALLOWED = 1e-9  # of |w|: a push along the free direction that is rounding
BESIDE = 1e-4  # s over the time scale: nearer to Type 2 efforts are interpolated from its limit
FOLDED = 1e-6  # of the robot's size: a far point nearer to its crank's axis lies on it
TANGENT = 1e-7  # of A's speed: it passes its singularity, not only touches it


@dataclass(frozen=True, eq=False)
class Passage:
    """What the dynamics say at an instant at which A is singular."""

    free: Doubles  # (nx,) t with A t = 0: the output's motion with locked drives, largest component positive
    push: float  # tᵀ(M_z z̈ + h_z)_x [N, N m]; zero for bounded efforts
    size: float  # of (M_z z̈ + h_z)_x and of its change while A turns: what push is small against
    speed: float  # nᵀȦt: how fast A passes its singularity; zero where it is only touched
    tau: Doubles  # (nq,) the limit of the efforts if push = 0
    lam: Doubles  # (closures,) the limit of the multipliers
    growth: Doubles  # (nq,) efforts grow as growth / (t − t_s) if push ≠ 0

    @property
    def bounded(self) -> bool:
        """Whether the efforts stay bounded."""
        return abs(self.push) <= ALLOWED * max(self.size, 1e-9) and self.speed != 0.0


def passage(model: Model, course: Course) -> Passage:
    """The criterion, the limit of the efforts and their growth at one singular instant of a motion."""
    made = run(model, crossing_library(model), "passing", vars(course))
    A, A_dot, n = made["A"], made["A_dot"], model.nq
    w, w_dot = made["force"][n:], made["force_dot"][n:]
    U, sigma, Vt = np.linalg.svd(A)
    free, left = oriented(Vt[-1]), U[:, -1]
    regular = U[:, :-1] @ ((Vt[:-1] @ w) / sigma[:-1])  # Aᵀλ = w without the open component
    slope = A_dot @ free
    speed = float(left @ slope)
    pace = float(np.linalg.norm(A_dot))
    crosses = pace > 0.0 and abs(speed) > TANGENT * pace
    size = np.linalg.norm(w) + (np.linalg.norm(w_dot) * sigma[0] / pace if pace > 0.0 else 0.0)
    alpha = float(free @ w_dot - slope @ regular) / speed if crosses else 0.0
    lam = regular + alpha * left
    push = float(free @ w)
    growth = -made["B"].T @ left * push / speed if crosses else np.full(n, np.inf)
    tau = made["force"][:n] - made["B"].T @ lam
    return Passage(free, push, float(size), speed if crosses else 0.0, tau, lam, growth)


def oriented(vector: Doubles) -> Doubles:
    """Plus or minus the vector, so that its largest component is positive."""
    return vector if vector[np.argmax(np.abs(vector))] > 0 else -vector


def room(model: Model, course: Course) -> Doubles:
    """det A over the product of its rows' lengths: its sign is the assembly mode, zero is Type 2."""
    row = model.call("closures", q=course.q, x=course.x)
    A = row.get("A_twist", row["A"])
    return np.asarray(np.linalg.det(A) / np.prod(np.linalg.norm(A, axis=-1), axis=-1))


def efforts_along(model: Model, way: Way, t: ArrayLike, *, instants: ArrayLike = (), scale: float = 1.0) -> Doubles:
    """Efforts at times t (k,) of a motion that passes Type 2 at `instants`: direct, and beside these by their limit.

    Aᵀλ = w loses digits as 1/|t − t_s|. Within 1e-4 of the time `scale` the efforts are those of the parabola through
    the limit at t_s and two values further away on the same side. Where they have no limit they are computed directly,
    and refused exactly at t_s.
    """
    times = np.asarray(t, dtype=np.float64)
    course = way(times)
    found = np.empty((*times.shape, model.nq))
    near = np.zeros(times.shape, dtype=bool)
    for t_s in np.asarray(instants, dtype=np.float64).reshape(-1):
        here = np.abs(times - t_s) < BESIDE * scale
        if here.any() and passage(model, _at(way, t_s)).bounded:
            near |= here
            for side in (-1.0, 1.0):
                rows = here & ((times - t_s) * side > 0) if side < 0 else here & (times >= t_s)
                if rows.any():
                    found[rows] = _beside(model, way, t_s, side, times[rows], BESIDE * scale)
    if not near.all():
        found[~near] = direct_efforts(model, course[~near])
    return found


def direct_efforts(model: Model, course: Course) -> Doubles:
    """τ = (M_z z̈ + h_z)_q − Bᵀλ with Aᵀλ = (M_z z̈ + h_z)_x; refused where A is singular."""
    made = run(model, crossing_library(model), "passing", vars(course))
    margin = np.abs(room(model, course))
    if not (margin > IRREGULAR).all():
        hint = "The efforts of this motion have no limit there; plan it with `motion.cross`."
        raise Singular(model.name, "Type 2 singularity, A is singular", float(margin.min()), IRREGULAR, hint)
    force, n = made["force"], model.nq
    lam = np.linalg.solve(np.swapaxes(made["A"], -1, -2), force[..., n:, None])
    return np.asarray(force[..., :n] - (np.swapaxes(made["B"], -1, -2) @ lam)[..., 0])


def _beside(model: Model, way: Way, t_s: float, side: float, t: Doubles, h: float) -> Doubles:
    """The parabola through the limit and the efforts at h and 2h from it on one side."""
    here = passage(model, _at(way, t_s + side * 8 * np.spacing(max(abs(t_s), 1.0)))).tau
    first, second = direct_efforts(model, way(t_s + side * h * np.array([1.0, 2.0])))
    r = (np.abs(t - t_s) / h)[:, None]
    return np.asarray((1 - r) * (2 - r) / 2 * here + r * (2 - r) * first - r * (1 - r) / 2 * second)


def _at(way: Way, t: float) -> Course:
    return way(np.array([t]))[0]


def type_2_instants(model: Model, way: Way, times: Doubles) -> Doubles:
    """Where det A changes sign along a motion, between samples of it, to the last bits."""
    return roots(lambda t: room(model, way(t)), times)


def type_1_instants(model: Model, way: Way, times: Doubles) -> list[tuple[float, int]]:
    """Where ∂φ/∂q of a leg changes sign along a motion, with the leg's index, in the order of time."""

    def slope(leg: int) -> Values:
        return lambda t: Configurations(model, *_places(way(t))).leg_slopes()[:, leg]

    legs = [i for i, sign in enumerate(model.leg_signs) if sign]
    return sorted((float(t), i) for i in legs for t in roots(slope(i), times))


def _places(course: Course) -> tuple[Doubles, Doubles]:
    return course.q, course.x


def roots(value: Values, times: Doubles) -> Doubles:
    """Sign changes of a function between samples of it; seventeen points in a round, four bits in each."""
    sampled = value(times)
    found = list(times[sampled == 0.0])
    for i in np.nonzero(sampled[:-1] * sampled[1:] < 0)[0]:
        low, high, rising = float(times[i]), float(times[i + 1]), bool(sampled[i + 1] > 0)
        while high - low > 4 * np.spacing(max(abs(low), abs(high))):
            grid = np.linspace(low, high, 17)
            after = max(int(np.argmax((value(grid) > 0) == rising)), 1)
            low, high = float(grid[after - 1]), float(grid[after])
        found.append(0.5 * (low + high))
    return np.sort(np.array(found, dtype=np.float64))
