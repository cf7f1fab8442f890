"""Closing the loops of a tree: damped Gauss–Newton from where it says, else from its zero configuration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.kinematics import Posture, rotation, rotation_vector
from closedchain.exchange.shapes import size
from closedchain.exchange.tree import Tree
from closedchain.policy import CLOSED

STEPS = 200
ENOUGH = 1e-10  # [m, rad] what counts as closed
HALVINGS = 12
HELPS = 0.999  # of the gap before: a step that leaves more does not help
LONGEST = 0.5  # [rad, sizes] of one step


@dataclass(frozen=True, eq=False)
class Assembly:
    """Where the loops close, or the nearest that was reached."""

    v: Doubles  # (nv,)
    residual: float  # [m, rad] the largest that is left of any row
    converged: bool
    steps: int
    start: float  # [m, rad] the same where it began

    @property
    def message(self) -> str:
        """What happened, in one sentence."""
        if self.converged:
            return f"closed to {self.residual:.1e} in {self.steps} steps, from {self.start:.1e} as written"
        return (
            f"did not close: {self.residual:.3g} is left after {self.steps} steps from {self.start:.3g} as written; "
            "another start may close it"
        )


def assemble(tree: Tree, v: Doubles | None = None) -> Assembly:
    """The joint values that close every loop, near `v` or where the tree says.

    Each step is the shortest that closes the linearised loops; it is halved while it does not help. Joints that no loop
    needs stay where they are.
    """
    scale = size(tree)
    units = np.where([shift for j in tree.joints for shift in j.shifts], scale, 1.0)
    now = Posture(tree, tree.begin if v is None else np.asarray(v, dtype=float))
    start = _size(now.gap())
    steps = 0
    while _size(now.gap()) > CLOSED * scale and steps < STEPS:
        steps += 1
        after = _improve(now, units)
        if after is None:
            break
        now = after
    gap = _size(now.gap())
    return Assembly(now.v, gap, gap <= ENOUGH, steps, start)


def _improve(now: Posture, units: Doubles) -> Posture | None:
    """A step that lessens the gap; None where none does: the loops are as closed as they get here."""
    residual = now.gap()
    C = now.constraint() * units
    step = -np.linalg.lstsq(C, residual, rcond=1e-10)[0]
    step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
    for _ in range(HALVINGS):
        after = Posture(now.tree, advance(now.tree, now.v, units * step))
        if np.linalg.norm(after.gap()) < HELPS * np.linalg.norm(residual):
            return after
        step = step / 2
    return None


def advance(tree: Tree, v: Doubles, step: Doubles) -> Doubles:
    """v moved by a step of rates; a ball's step turns it about its own axes."""
    moved = v + step
    for joint in tree.joints:
        if joint.kind in ("ball", "free"):
            stop = tree.columns[joint.name].stop
            turn = slice(stop - 3, stop)
            moved[turn] = rotation_vector(rotation(v[turn]) @ rotation(step[turn]))
    return moved


def _size(gap: Doubles) -> float:
    return float(np.abs(gap).max(initial=0.0))
