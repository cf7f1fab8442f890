"""How far a pose in space is from the nearest Type 2 singularity: by shifting, by turning, and by both.

Poses are (origin + t, exp(w) R), and the distance is √(|t|² + ℓ²|w|²). Many rays from the pose are walked until det A
changes its sign; from the nearest such places the foot of the perpendicular is found. This is a search: what it finds
is singular, but a nearer one may lie between the rays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Body
from closedchain.model.levers import levers
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs
from closedchain.model.orientation import from_vectors, matrices, rolls, vectors_of
from closedchain.policy import SINGULAR
from closedchain.singularity.pose import characteristic_length

RAYS = 200
STEPS = 60  # on a ray
FAR = 2.0  # times the robot's size: how far rays go, at most half a turn
TRIED = 8  # of the nearest crossings
REFINED = 60
SETTLED = 1e-10  # of the distance: steps below it end the refinement
SLOPE = 1e-6  # [m] of central differences


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest Type 2 pose that was found by one kind of motion."""

    motion: str  # "any", "shift", "turn"
    x: Doubles  # (6,) the singular pose
    shift: float  # [m] of the body's origin
    turn: float  # [rad]
    distance: float  # [m] √(shift² + ℓ² turn²)


def nearest(model: Model, x: Doubles, working: str) -> tuple[Nearest, ...]:
    """The nearest Type 2 pose by any motion, by a shift and by a turn, in a working mode; without those not found."""
    field = Field(model, x, working)
    found = (field.search(motion, columns) for motion, columns in MOTIONS.items())
    return tuple(row for row in found if row is not None)


def has_nearest(model: Model) -> bool:
    """Whether each drive follows from its own leg for every pose of one free body in space."""
    mechanism = model.mechanism
    alone = mechanism is not None and isinstance(mechanism.output, Body) and mechanism.output.joint is None
    return alone and model.has_legs and model.nq == model.nx == 6


MOTIONS = {"any": slice(0, 6), "shift": slice(0, 3), "turn": slice(3, 6)}


class Field:
    """det A over its rows' lengths as a function of (t, ℓ w) about a pose; NaN beyond reach."""

    def __init__(self, model: Model, x: Doubles, working: str) -> None:
        self.model, self.x, self.R = model, x, matrices(x[3:])
        self.length = characteristic_length(model)
        self.levers, self.sigma = levers(model), leg_signs(model, working)

    def poses(self, p: Doubles) -> Doubles:
        """x at displacements (*batch, 6)."""
        R = from_vectors(p[..., 3:] / self.length) @ self.R
        return np.concatenate([self.x[:3] + p[..., :3], rolls(R)], axis=-1)

    def __call__(self, p: Doubles) -> Doubles:
        x = self.poses(p)
        made = self.model.call("inverse", x=x, sigma=np.broadcast_to(self.sigma, (*x.shape[:-1], 6)))
        out = ~(made["slack"] >= 0.0).all(axis=-1)
        A = self.model.call("closures", q=np.nan_to_num(made["q"]), x=x)["A_twist"] / self.levers
        return np.where(out, np.nan, np.linalg.det(A) / np.prod(np.linalg.norm(A, axis=-1), axis=-1))

    def search(self, motion: str, columns: slice) -> Nearest | None:
        """The nearest zero that the rays lead to."""
        feet = [p for start in self._crossings(columns) if (p := self._foot(start, columns)) is not None]
        if not feet:
            return None
        p = min(feet, key=lambda p: float(np.linalg.norm(p)))
        x = self.poses(p)
        turn = float(np.linalg.norm(vectors_of(matrices(x[3:]) @ self.R.T)))
        return Nearest(motion, x, float(np.linalg.norm(p[:3])), turn, float(np.linalg.norm(p)))

    def _crossings(self, columns: slice) -> list[Doubles]:
        """The first zero on each ray, the nearest ones first."""
        rng = np.random.default_rng(0)
        n = columns.stop - columns.start
        rays = np.concatenate([np.eye(n), -np.eye(n), rng.standard_normal((RAYS, n))])
        rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
        whole = np.zeros((len(rays), 6))
        whole[:, columns] = rays
        shift, turn = (np.linalg.norm(whole[:, part], axis=-1) for part in (MOTIONS["shift"], MOTIONS["turn"]))
        with np.errstate(divide="ignore"):
            far = np.minimum(FAR * self.model.scale / shift, np.pi * self.length / turn)
        along = np.linspace(0.0, 1.0, STEPS + 1)[1:]
        value = self(whole[:, None, :] * (far[:, None] * along)[..., None])  # (rays, steps)
        first = self(np.zeros(6))
        ahead = np.concatenate([np.full((len(rays), 1), first), value], axis=-1)
        reached = np.logical_and.accumulate(~np.isnan(value), axis=-1)
        crosses = reached & (np.sign(value) != np.sign(ahead[:, :-1]))
        rows = np.nonzero(crosses.any(axis=-1))[0]
        if not len(rows):
            return []
        k = crosses[rows].argmax(axis=-1)
        lo, hi = far[rows] * k / STEPS, far[rows] * (k + 1) / STEPS
        sign = np.sign(ahead[rows, k])
        for _ in range(50):
            middle = (lo + hi) / 2
            same = np.sign(self(whole[rows] * middle[:, None])) == sign
            lo, hi = np.where(same, middle, lo), np.where(same, hi, middle)
        order = np.argsort(hi)[:TRIED]
        return [whole[rows[i]] * hi[i] for i in order]

    def _foot(self, p: Doubles, columns: slice) -> Doubles | None:
        """The foot of the perpendicular from the pose: p = g (g·p − f) / g·g, halving steps that do not approach."""
        p, best = p.copy(), None
        for _ in range(REFINED):
            f, g = float(self(p)), self._slope(p, columns)
            if not (np.isfinite(f) and np.isfinite(g).all() and g.any()):
                break
            wanted = g * (g @ p - f) / (g @ g)
            if abs(f) < SINGULAR and (best is None or np.linalg.norm(p) < np.linalg.norm(best)):
                best = p.copy()
            step = wanted - p
            if np.linalg.norm(step) <= SETTLED * np.linalg.norm(p):
                break
            p = p + step * min(1.0, 0.2 * float(np.linalg.norm(p)) / float(np.linalg.norm(step)))
        return best

    def _slope(self, p: Doubles, columns: slice) -> Doubles:
        steps = np.zeros((6, 6))
        steps[columns, columns] = np.eye(columns.stop - columns.start) * SLOPE * self.model.scale
        ahead, behind = self(p + steps), self(p - steps)
        return np.where(steps.any(axis=-1), (ahead - behind) / (2 * SLOPE * self.model.scale), 0.0)
