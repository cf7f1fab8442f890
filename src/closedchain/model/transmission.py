"""Between motors and joints: both maps on one branch, Jacobians and their rates, inertia, and what motor limits allow.

A transmission is a robot whose drives are motors and whose output coordinates are joints, as many of each: the loop of
an ankle, a knee, a neck. ẏ = J q̇ and τ_q = Jᵀ τ_y; back with K = J⁻¹:  q̇ = K ẏ, τ_y = Kᵀ τ_q.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.arrays import Doubles, vectors
from closedchain.describe.elements import Slide, Turn
from closedchain.describe.equations import Coordinate
from closedchain.errors import BadInput, NoSolution, Singular, numbers
from closedchain.kernels import Library
from closedchain.model.geometry import inverse
from closedchain.model.known import known
from closedchain.model.model import Model

HALVINGS = 12  # a way is followed in at most 2^12 parts
MARGIN = 1e-6  # of 1: nearer to a singularity no Jacobian is told
MOST = 8  # motors of which every corner of the limits is told: 2^8


class BranchLost(NoSolution):
    """No answer on the branch that was chosen: another one may meet it on the way."""

    def __init__(self, model: Model, given: str, asked: Doubles, reached: Doubles) -> None:
        self.asked, self.reached = asked, reached
        kind = (
            "Type 2 singularity, or an edge of reach," if given == "q" else "Type 1 singularity, or an edge of reach,"
        )
        super().__init__(
            f"{model.name}: on the way from home to {given} = {numbers(asked)} the branch is not sure beyond "
            f"{given} = {numbers(reached)}: a {kind} is near or on the way. Ask for a pose on this side of it, or "
            f"begin from another home"
        )


@dataclass(frozen=True, eq=False)
class Transmitted:
    """What the transmission makes of rates, efforts and inertia at configurations, any batch."""

    q: Doubles  # (*batch, n) the motors
    x: Doubles  # (*batch, nx) the joints, and what else moves
    q_dot: Doubles  # (*batch, n)
    J: Doubles  # (*batch, n, n) ∂y/∂q: joints by motors
    J_dot: Doubles  # its rate
    K: Doubles  # (*batch, n, n) ∂q/∂y = J⁻¹: motors by joints
    K_dot: Doubles
    M: Doubles  # (*batch, n, n) inertia of everything, at the motors
    M_joint: Doubles  # the same at the joints, Kᵀ M K
    margin_joint: Doubles  # (*batch) 0 at a Type 2 singularity, where joints move with the motors held
    margin_motor: Doubles  # (*batch) 0 at a Type 1 singularity, where motors move with the joints held

    @property
    def y(self) -> Doubles:
        """The joints, (*batch, n)."""
        return self.x[..., : self.q.shape[-1]]

    @property
    def y_dot(self) -> Doubles:
        """Their rates, (*batch, n)."""
        return np.einsum("...ij,...j->...i", self.J, self.q_dot)

    def reflected(self, rotors: ArrayLike) -> Doubles:
        """Inertias at the motors' shafts as the joints feel them, Kᵀ diag(rotors) K, (*batch, n, n)."""
        shafts = vectors(rotors, self.q.shape[-1], "rotors")
        return np.einsum("...ki,...k,...kj->...ij", self.K, shafts, self.K)

    def torques(self, most: ArrayLike) -> Doubles:
        """The joints' efforts at each corner of the motors' limits ±most, (*batch, 2^n, n), neighbours in order.

        Their convex hull is every effort that the motors can hold: τ_y = Kᵀ τ_q is linear.
        """
        return np.einsum("...ij,ki->...kj", self.K, self._corners(most, "torque limits"))

    def speeds(self, most: ArrayLike) -> Doubles:
        """The joints' rates at each corner of the motors' speeds ±most, (*batch, 2^n, n), neighbours in order."""
        return np.einsum("...ij,kj->...ki", self.J, self._corners(most, "speed limits"))

    def _corners(self, most: ArrayLike, what: str) -> Doubles:
        n = self.q.shape[-1]
        if n > MOST:
            raise BadInput(f"{n} motors have 2^{n} corners; up to {MOST} are told")
        limits = vectors(most, n, what)
        if limits.ndim != 1 or not (limits > 0.0).all():
            raise BadInput(f"{what} are {n} positive numbers, not {np.asarray(most)!r:.60}")
        rows = np.arange(2**n)
        gray = rows ^ (rows >> 1)  # one motor changes from each corner to the next
        return np.where((gray[:, None] >> np.arange(n)) & 1, -limits, limits)


@dataclass(frozen=True, eq=False)
class Transmission:
    """The branch of a robot that holds a known configuration. Make one with `closedchain.transmission`."""

    model: Model
    q_home: Doubles  # (n,)
    x_home: Doubles  # (nx,)

    def __repr__(self) -> str:
        names = [", ".join(c.name for c in group) for group in (self.model.equations.q, self.joints)]
        home = f"{numbers(self.q_home)} ↔ {numbers(self.x_home[: len(self.joints)])}"
        return f"<{self.model.name}: {names[0]} ↔ {names[1]}, from {home}>"

    @property
    def joints(self) -> tuple[Coordinate, ...]:
        """The output's coordinates."""
        return self.model.equations.x[: self.model.outputs]

    @cached_property
    def library(self) -> Library:
        """Its kernels."""
        return self.model.load("transmission_programs")

    def to_joint(self, q: ArrayLike) -> Doubles:
        """The joints for the motors at q, (*batch, n), on this branch; BranchLost where that is not sure."""
        return self.from_motors(q)[..., : self.model.outputs]

    def to_motor(self, y: ArrayLike) -> Doubles:
        """The motors for the joints at y, (*batch, n), on this branch; BranchLost where that is not sure."""
        return self.from_joints(y)[..., : self.model.nq]

    def from_motors(self, q: ArrayLike) -> Doubles:
        """Joints and what else moves, (*batch, nx)."""
        goal = vectors(q, self.model.nq, "q")
        return self._sure("q", goal, *self.follow_motors(goal))

    def from_joints(self, y: ArrayLike) -> Doubles:
        """Motors and what else moves, (*batch, nq + …)."""
        goal = vectors(y, self.model.outputs, "x")
        return self._sure("x", goal, *self.follow_joints(goal))

    def follow_motors(self, q: Doubles) -> tuple[Doubles, Doubles]:
        """x for each q, and the part of the way from home that is sure, 1 for all of it."""
        return self._follow("follow_joint", self.q_home, self.x_home, q)

    def follow_joints(self, y: Doubles) -> tuple[Doubles, Doubles]:
        """(q, what else moves) for each y, and the part of the way from home that is sure."""
        own = self.model.outputs
        return self._follow("follow_motor", self.x_home[:own], np.r_[self.q_home, self.x_home[own:]], y)

    def at(
        self, *, q: ArrayLike | None = None, y: ArrayLike | None = None, q_dot: ArrayLike | None = None
    ) -> Transmitted:
        """Jacobians, their rates and inertias with the motors at q or the joints at y; at home unless given."""
        if q is not None and y is not None:
            raise BadInput("give the motors q or the joints y; the other follows")
        n, own = self.model.nq, self.model.outputs
        if y is not None:
            goal = vectors(y, own, "x")
            found = self.from_joints(goal)
            place, x = found[..., :n], np.concatenate([goal, found[..., n:]], axis=-1)
        else:
            place = self.q_home if q is None else vectors(q, n, "q")
            x = self.x_home if q is None else self.from_motors(place)
        rates = np.zeros(n) if q_dot is None else vectors(q_dot, n, "q_dot")
        place, rates = np.broadcast_arrays(place, rates)
        with np.errstate(all="ignore"):
            made = self.library.run("transmit", {"q": place, "x": x, "q_dot": rates, "p": self.model.p})
        self._regular(place, made["margin_joint"], made["margin_motor"])
        return Transmitted(place, np.broadcast_to(x, (*place.shape[:-1], self.model.nx)), rates, **made)

    def _regular(self, q: Doubles, *margins: Doubles) -> None:
        for kind, margin, held in zip((2, 1), margins, ("motors", "joints"), strict=True):
            least = np.nanmin(margin) if not np.isnan(margin).any() else 0.0
            if not least > MARGIN:
                place = numbers(q.reshape(-1, q.shape[-1])[int(np.argmin(np.nan_to_num(np.ravel(margin))))])
                what = f"at q = {place} it is on a Type {kind} singularity: it moves with the {held} held"
                raise Singular(self.model.name, what, float(least), MARGIN, "Ask for a pose away from it.")

    def _sure(self, given: str, goal: Doubles, found: Doubles, done: Doubles) -> Doubles:
        lost = np.flatnonzero(np.ravel(done) < 1.0)
        if len(lost):
            home = self.q_home if given == "q" else self.x_home[: self.model.outputs]
            asked, part = goal.reshape(-1, goal.shape[-1])[lost[0]], np.ravel(done)[lost[0]]
            raise BranchLost(self.model, given, asked, home + part * (asked - home))
        return found

    def _follow(self, kernel: str, start: Doubles, near: Doubles, goal: Doubles) -> tuple[Doubles, Doubles]:
        """Straight from home, in parts that are halved until each is sure."""
        flat = goal.reshape(-1, goal.shape[-1])
        found = np.broadcast_to(near, (len(flat), len(near))).copy()
        done, part, alive = np.zeros(len(flat)), np.ones(len(flat)), np.ones(len(flat), bool)
        size = np.array([self.model.scale])
        while (rows := np.flatnonzero(alive & (done < 1.0))).size:
            ahead = np.minimum(done[rows] + part[rows], 1.0)
            there = np.where(ahead[:, None] < 1.0, start + ahead[:, None] * (flat[rows] - start), flat[rows])
            with np.errstate(all="ignore"):
                given = {"known": there, "near": found[rows], "size": size, "p": self.model.p}
                made = self.library.run(kernel, given)
            good: NDArray[np.bool_] = np.nan_to_num(made["margin"], nan=-1.0) > 0.0
            found[rows[good]], done[rows[good]] = made["found"][good], ahead[good]
            part[rows[good]] *= 2.0
            part[rows[~good]] /= 2.0
            alive[rows[~good]] = part[rows[~good]] >= 2.0**-HALVINGS
        return found.reshape(*goal.shape[:-1], len(near)), done.reshape(goal.shape[:-1])


def rotors(model: Model) -> Doubles:
    """What the description says of inertia that only a motor's own rate moves, at its shaft, (n,) [kg m^2, kg]."""
    drives = model.mechanism.drives if model.mechanism else ()
    found = np.array(
        [model.number(d.rotor) if isinstance(d, Turn | Slide) else 0.0 for d in drives] or [0.0] * model.nq
    )
    for motor in model.equations.motors:
        row = [c.name for c in model.equations.q].index(motor.drive)
        found[row] += model.number(motor.inertia) * model.number(motor.ratio) ** 2
    return found


def transmission(
    model: Model, *, q: ArrayLike | None = None, x: ArrayLike | None = None, working: str | None = None
) -> Transmission:
    """The transmission of a robot, on the branch of its home: the joints at x (zero unless given), in a working mode.

    Where several working modes reach x and none is named, it is the one whose motors are nearest to zero. q and x
    together are a known configuration, which needs no closed form.
    """
    model.check_robot("transmission")
    if model.nq != model.outputs:
        joints = ", ".join(c.name for c in model.equations.x[: model.outputs])
        raise BadInput(
            f"{model.name}: {model.nq} motors move {model.outputs} output coordinates ({joints}); a transmission has "
            f"as many of one as of the other. Name another output, or cut out a part"
        )
    if q is not None and x is not None:
        return Transmission(model, *known(model, q, x))
    if q is not None:
        raise BadInput("a home by its motors needs the joints, too: give x with q")
    home = np.zeros(model.outputs) if x is None else vectors(x, model.outputs, "x")
    found = inverse(model, home)
    if not len(found):
        raise NoSolution(f"{found.why()} Another home of the joints is given by x")
    chosen = found[working] if working is not None else min(found, key=lambda s: float(np.abs(s.q).max()))
    return Transmission(model, chosen.q, chosen.x)
