"""One assembly mode followed from drives to drives, in microseconds: the same branch, or a report that none is sure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, ClosedChainError, numbers
from closedchain.model.geometry import direct
from closedchain.model.model import Model

HALVINGS = 12  # a move is made in at most 2^12 parts


class BranchLost(ClosedChainError):
    """The branch could not be followed: another one may meet it on the way."""

    def __init__(self, model: Model, q: Doubles, at: Doubles, x: Doubles, margin: float) -> None:
        self.q, self.at, self.x, self.margin = q, at, x, margin
        super().__init__(
            f"{model.name}: on the way to q = {numbers(q)} the assembly mode is not sure beyond q = {numbers(at)}: "
            f"a Type 2 singularity is near or on the way. The pose there is kept; move away from it, or ask for "
            f"`direct`, which tells every mode"
        )


@dataclass(frozen=True, eq=False)
class Tracked:
    """Poses of a batch of moves; where `sure` is not true x is the last pose that was."""

    x: Doubles  # (*batch, nx)
    sure: NDArray[np.bool_]  # (*batch)


class Tracker:
    """The pose of a robot whose drives move, on one assembly mode.

    robot.track(q, x).to(q_new) gives x for the new drives on the same branch, or raises BranchLost and stays where the
    branch was last sure.
    """

    def __init__(self, model: Model, q: ArrayLike, x: ArrayLike) -> None:
        self.model = model
        self.q, self.x = vectors(q, model.nq, "q").copy(), vectors(x, model.nx, "x").copy()
        constants = {"size": np.array([model.scale])} | ({"p": model.p} if model.p.size else {})
        takes, gives = ("q", "x"), ("x",)
        self._step: Callable[..., Any] = model.tracking.fast(
            "track", fallback=self._by_halves, constants=constants, guard=0.0, takes=takes, gives=gives
        )

    def to(self, q: Doubles) -> Doubles:
        """The pose for these drives, (nx,)."""
        self.x = self._step(q, self.x)
        self.q = q
        return self.x

    @property
    def passive(self) -> Doubles:
        """The passive joints' angles, (nr,)."""
        if not self.model.equations.readouts:
            return np.zeros(0)
        rest = {"q_dot": np.zeros_like(self.q), "x_dot": np.zeros_like(self.x)}
        z_ddot = np.zeros(self.model.nq + self.model.nx)
        return self.model.call("readings", q=self.q, x=self.x, **rest, z_ddot=z_ddot)["passive"]

    def _by_halves(self, q: ArrayLike, x: Doubles) -> Doubles:
        """The same for a move that is too long for one step, or that does not end."""
        goal = vectors(q, self.model.nq, "q")
        at, pose, part, margin = self.q, x, 1.0, 0.0
        done = 0.0
        while done < 1.0:
            part = min(part, 1.0 - done)
            ahead = goal if done + part >= 1.0 else self.q + (done + part) * (goal - self.q)
            found = step(self.model, ahead, pose)
            margin = float(found["margin"])
            if margin > 0.0:
                done, at, pose, part = done + part, ahead, found["x"], 2.0 * part
            elif part < 2.0**-HALVINGS:
                self.q, self.x = at, pose
                raise BranchLost(self.model, goal, at, pose, margin)
            else:
                part /= 2.0
        return pose


def tracker(model: Model, q: ArrayLike, x: ArrayLike | None = None, *, assembly: str | None = None) -> Tracker:
    """A tracker that begins at q and x, or at the pose of an assembly mode; the only one where none is named."""
    if x is not None:
        return Tracker(model, q, x)
    found = direct(model, q)
    if assembly is None and len(found) > 1:
        raise BadInput(f"{model.name}: {len(found)} poses close the loops there; name one, assembly={found.mode[0]!r}")
    return Tracker(
        model, q, found[assembly if assembly is not None else found.mode[0]].x if len(found) else found["+"].x
    )


def step(model: Model, q: Doubles, x: Doubles) -> dict[str, Doubles]:
    """Poses for other drives, by one step each, and the margins by which they are on the same branches."""
    with np.errstate(all="ignore"):
        made = model.tracking.run("track", {"p": model.p, "size": np.array([model.scale]), "q": q, "x": x})
    return {"x": made["x"], "margin": np.nan_to_num(made["margin"], nan=-np.inf)}


def track(model: Model, q_0: ArrayLike, x_0: ArrayLike, q: ArrayLike) -> Tracked:
    """A batch of moves from (q_0, x_0) to q, each on its branch; a move that is not sure keeps its last sure pose."""
    start, goal = vectors(q_0, model.nq, "q_0"), vectors(q, model.nq, "q")
    shape = np.broadcast_shapes(start.shape[:-1], goal.shape[:-1])
    a = np.broadcast_to(start, (*shape, model.nq)).reshape(-1, model.nq)
    b = np.broadcast_to(goal, (*shape, model.nq)).reshape(-1, model.nq)
    x = np.broadcast_to(vectors(x_0, model.nx, "x_0"), (*shape, model.nx)).reshape(-1, model.nx).copy()
    done, part, alive = np.zeros(len(a)), np.ones(len(a)), np.ones(len(a), bool)
    while (rows := np.flatnonzero(alive & (done < 1.0))).size:
        ahead = np.minimum(done[rows] + part[rows], 1.0)
        found = step(model, a[rows] + ahead[:, None] * (b[rows] - a[rows]), x[rows])
        good = found["margin"] > 0.0
        x[rows[good]], done[rows[good]] = found["x"][good], ahead[good]
        part[rows[good]] *= 2.0
        part[rows[~good]] /= 2.0
        alive[rows[~good]] = part[rows[~good]] >= 2.0**-HALVINGS
    return Tracked(x.reshape(*shape, model.nx), (done >= 1.0).reshape(shape))
