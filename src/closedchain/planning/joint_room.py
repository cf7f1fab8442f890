"""The room that joints have within their limits, as lengths that no motion of their points can use up unseen.

An arm of length R whose end moves by δ ≤ 2R turns by 2 asin(δ/2R) ≤ (π/2) δ/R; a direction between two points d apart,
one of which moves by δ ≤ d against the other, by asin(δ/d) ≤ (π/2) δ/d. So the room of an angle, at most a quarter of a
turn, times 2/π of the arm is a length, and while the points move by less than that the joint keeps its limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Angle, Crank, Joint, Slider, Telescope, point_name
from closedchain.describe.mechanism import Mechanism
from closedchain.model.joint_limits import bounds_of, keeping
from closedchain.model.model import Model

TURNING = 2.0 / np.pi


@dataclass(frozen=True, eq=False)
class JointRoom:
    """The limits of a robot's joints, by the points that move them."""

    model: Model
    points: dict[str, int]  # the index of each named point

    @property
    def names(self) -> tuple[str, ...]:
        """The joints that have limits."""
        return tuple(limit.name for limit in self.model.equations.limits)

    @cached_property
    def _joints(self) -> tuple[Slider | Crank | Telescope | Angle, ...]:
        mechanism: Mechanism | None = self.model.mechanism
        joints = (*mechanism.drives, *mechanism.readouts) if mechanism is not None else ()
        known = {j.name: j for j in joints if not isinstance(j, Joint)}
        return tuple(known[name] for name in self.names)

    def rooms(self, q: Doubles, x: Doubles, places: Doubles) -> Doubles:
        """(k, limits) [m] at configurations whose points are at `places` (k, n, 2); negative beyond."""
        if not self.names:
            return np.zeros((len(q), 0))
        most = np.array([np.pi / 2 if limit.unit == "rad" else np.inf for limit in self.model.equations.limits])
        found = np.minimum(keeping(self.model, q, x).room, most)
        return np.stack([found[:, i] * self._lever(joint, places) for i, joint in enumerate(self._joints)], axis=-1)

    def travel(self, moved: Doubles) -> Doubles:
        """How much of its room each joint may use up, (k, limits), when no point moves by more than `moved` (k, n)."""
        columns = [moved[..., self._movers(joint)].sum(axis=-1) for joint in self._joints]
        return np.stack(columns, axis=-1) if columns else np.zeros((*moved.shape[:-1], 0))

    def beyond(self, q: Doubles, x: Doubles, joint: int) -> tuple[float, str]:
        """By how much a joint is beyond its limits [m, rad], and these, at one configuration."""
        limit = self.model.equations.limits[joint]
        low, high = bounds_of(self.model, limit)
        shown = (low, high) if limit.unit == "m" else tuple(np.degrees([low, high]))
        unit = "m" if limit.unit == "m" else "°"
        by = -float(keeping(self.model, q[None], x[None]).room[0, joint])
        return by, f"[{shown[0]:g}, {shown[1]:g}] {unit}"

    def _lever(self, joint: Slider | Crank | Telescope | Angle, places: Doubles) -> Doubles | float:
        if isinstance(joint, Crank):
            return TURNING * self.model.number(joint.radius)
        if not isinstance(joint, Angle):
            return 1.0
        tail, tip = (places[..., self.points[point_name(p)], :] for p in (joint.tail, joint.tip))
        apart = np.asarray(np.linalg.norm(tip - tail, axis=-1))
        arm = joint.relative_to
        return TURNING * (apart if arm is None else np.minimum(apart, self.model.number(arm.radius)))

    def _movers(self, joint: Slider | Crank | Telescope | Angle) -> list[int]:
        match joint:
            case Telescope():
                ends = [joint.base, joint.tip]
            case Angle():
                ends = [joint.tail, joint.tip, *([joint.relative_to] if joint.relative_to is not None else [])]
            case _:
                ends = [joint]
        return [self.points[point_name(p)] for p in ends]
