"""What a configuration is worth: reach, the distance from both kinds of singularity, and the room between bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.describe.elements import Bar, Crank, Telescope
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.modes import working_names, working_signs
from closedchain.planning.bodies import Bodies
from closedchain.planning.joint_room import JointRoom
from closedchain.policy import EDGE
from closedchain.singularity.pose import SHORT, weights

Flags = NDArray[np.bool_]
Index = NDArray[np.intp]
TOUCH = 1e-300  # [m] lines that cross have a gap of zero, which is less than none
ROWS = 20_000  # measured at once, so that the arrays between stay small


@dataclass(frozen=True, eq=False)
class Measures:
    """Configurations of known working modes; where a leg does not reach, only `slack` and `reached` mean anything."""

    q: Doubles  # (k, nq)
    x: Doubles  # (k, nx) of every body
    slack: Doubles  # (k, legs) [m]
    reached: Flags  # (k,)
    legs: Doubles  # (k, legs) |sine| of each leg: 0 at its end (Type 1)
    parallel: Doubles  # (k,) σ_min / σ_max of A: 0 at Type 2
    largest: Doubles  # (k,) σ_max of A
    det: Doubles  # (k,) det A in the robot's own lengths
    gaps: Doubles  # (k, pairs) [m] room between bodies
    limits: Doubles  # (k, joints with limits) [m] room within them

    @property
    def serial(self) -> Doubles:
        """(k,) the smallest sine of a leg."""
        return self.legs.min(axis=-1)

    @property
    def clearance(self) -> Doubles:
        """(k,) the smallest room; infinite where nothing can meet."""
        return self.gaps.min(axis=-1, initial=np.inf)


@dataclass(frozen=True, eq=False)
class Setting:
    """What a motion must keep: a margin from singularities, and room between bodies."""

    model: Model
    bodies: Bodies
    margin: float  # least σ_min/σ_max of A and least sine of a leg
    room: float = 0.0  # [m] least gap

    @cached_property
    def joints(self) -> JointRoom:
        """The joints that have limits."""
        return JointRoom(self.model, self.bodies.point_names)

    @cached_property
    def sigma(self) -> Doubles:
        """Every working mode as the signs of all legs, (modes, legs); +1 for a leg without a choice."""
        signs = working_signs(self.model)
        sigma = np.ones((len(signs), len(self.model.legs)))
        sigma[:, self.model.leg_signs != 0] = signs
        return sigma

    @cached_property
    def modes(self) -> tuple[str, ...]:
        """The names of the working modes."""
        return working_names(self.model)

    @cached_property
    def metric(self) -> Doubles:
        """[m] per unit of each coordinate of x: a plate's angle counts by its characteristic length."""
        return weights(self.model, np.ones((1, self.model.nq)))[1][: self.model.outputs]

    @cached_property
    def leg_sizes(self) -> Doubles:
        """(legs,) the square root of `ClosedForm.reach` of a leg whose sine is 1."""
        return np.array([self._leg_size(i) for i in range(len(self.model.legs))])

    @property
    def legs(self) -> tuple[str, ...]:
        """What may be at its end (Type 1), by name: the first columns of `room_left`."""
        return tuple(leg.name for leg in self.model.legs)

    @property
    def constraints(self) -> tuple[str, ...]:
        """What each column of `room_left` is about."""
        return (*self.legs, "A", *self.bodies.pair_names, *self.joints.names)

    def demanding(self, *, margin: float | None = None, room: float | None = None) -> Setting:
        """The same setting with higher demands."""
        return replace(self, margin=self.margin if margin is None else margin, room=self.room if room is None else room)

    def measure(self, x: Doubles, sigma: Doubles) -> Measures:
        """The configurations with the output at x, (k, nx), in the modes sigma, (k, legs)."""
        parts = [self._measure(x[i : i + ROWS], sigma[i : i + ROWS]) for i in range(0, max(len(x), 1), ROWS)]
        if len(parts) == 1:
            return parts[0]
        return Measures(**{name: np.concatenate([vars(p)[name] for p in parts]) for name in vars(parts[0])})

    def reach(self, x: Doubles) -> Doubles:
        """The slack of each leg, (k, legs) [m], which no working mode changes."""
        return self.model.call("inverse", x=x, sigma=self.sigma[0])["slack"]

    def room_left(self, m: Measures) -> Doubles:
        """By how much each constraint is kept, (k, constraints): negative where it is not, or where a leg misses."""
        legs = np.where(m.slack < -EDGE * self.model.scale, m.slack / self.model.scale, m.legs - self.margin)
        gaps = np.where(m.gaps > self.room, m.gaps - self.room, np.minimum(m.gaps - self.room, -TOUCH))
        left = np.concatenate([legs, (m.parallel - self.margin)[:, None], gaps, m.limits], axis=-1)
        left[~m.reached, len(self.legs) :] = np.nan  # not known
        return left

    def kept(self, m: Measures) -> Flags:
        """Where every constraint is kept."""
        good = (m.parallel >= self.margin) & (m.serial >= self.margin) & (m.clearance > self.room)
        good &= (m.limits >= 0.0).all(axis=-1)
        return np.asarray(m.reached & good & (m.parallel > 0.0) & (m.serial > 0.0))

    def _measure(self, x: Doubles, sigma: Doubles) -> Measures:
        made = self.model.call("inverse", x=x, sigma=sigma)
        q, slack = made["q"], made["slack"]
        rows = Configurations(self.model, q, x)
        by_q, by_x, by_row = weights(self.model, q)
        A = rows.A / by_row[..., None] / by_x
        values = np.asarray(np.linalg.svd(A, compute_uv=False), dtype=np.float64)
        places = self.bodies.points(q, x)
        return Measures(
            q=q,
            x=x,
            slack=slack,
            reached=np.asarray((slack >= -EDGE * self.model.scale).all(axis=-1)),
            legs=np.abs(rows.leg_slopes()) / by_row[:, rows.leg_rows()] / by_q,
            parallel=values[:, -1] / np.maximum(values[:, 0], 1e-300),
            largest=values[:, 0],
            det=np.linalg.det(A),
            gaps=self.bodies.gaps(places),
            limits=self.joints.rooms(q, x, places),
        )

    def _leg_size(self, i: int) -> float:
        leg = self.model.legs[i]
        if isinstance(leg.drive, Telescope):
            return SHORT * self.model.scale
        assert isinstance(leg.link, Bar)
        length = self.model.number(leg.link.length)
        return 2 * length * self.model.number(leg.drive.radius) if isinstance(leg.drive, Crank) else length
