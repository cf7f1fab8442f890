"""Changing the assembly mode without meeting a singularity: once around a cusp of joint space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution
from closedchain.model.closing import open_by
from closedchain.model.geometry import direct
from closedchain.model.model import Model
from closedchain.model.solutions import Solutions
from closedchain.policy import GAP
from closedchain.singularity.branch_proof import Proof, prove_branch
from closedchain.singularity.cusps import Cusp, Cusps
from closedchain.singularity.pose import characteristic_length

CORNERS = 180
SHRINKINGS = 8
SUBSTEPS = 8  # of an edge of the circle
NEWTON = 4


@dataclass(frozen=True, eq=False)
class ModeChange:
    """A closed path of the drives that ends in another pose than it began with; det A does not vanish on it."""

    cusp: Cusp
    radius: float  # [m] of the circle around the cusp
    q: Doubles  # (k, nq), first and last equal
    x: Doubles  # (k, nx)
    start: str  # assembly modes at the common q
    end: str
    proof: Proof  # that the polygon q carries one branch, with the least |det A|

    def __str__(self) -> str:
        shown = f"|det A| ≥ {self.proof.least:.6g} proven" if self.proof.proven else "not proven"
        return f"around the cusp at q {self.cusp.q}: {self.start} → {self.end} within {self.radius:.4g} m, {shown}"


def mode_change(model: Model, found: Cusps, which: int = 0, *, radius: float | None = None) -> ModeChange:
    """A circle of the two free drives around one cusp, from a q with three neighbouring poses back to it.

    Without a radius the largest is taken, of a few, that keeps away from the other cusps and works.
    """
    if not 0 <= which < len(found):
        raise BadInput(f"{model.name}: no cusp number {which}; there are {len(found)}, counted from 0")
    cusp = found.cusps[which]
    free = [i for i, c in enumerate(model.equations.q) if c.name not in found.fixed]
    apart = [float(np.linalg.norm((c.q - cusp.q)[free])) for k, c in enumerate(found.cusps) if k != which]
    room = min([*apart, float(cusp.q[free].min()), model.scale]) / 2
    trials = [radius] if radius is not None else [room * 0.5**k for k in range(SHRINKINGS)]
    reasons = []
    for r in trials:
        made = _around(model, found, cusp, free, float(r))
        if isinstance(made, ModeChange) and (made.proof.proven or radius is not None):
            return made
        reasons.append(f"{r:.3g} m: {made if isinstance(made, str) else 'the branch could not be proven'}")
    raise NoSolution(f"{model.name}: no circle around cusp {which} changes the mode ({'; '.join(reasons)})")


def _around(model: Model, found: Cusps, cusp: Cusp, free: list[int], radius: float) -> ModeChange | str:
    toward = _into_wedge(found, cusp, free, radius)
    if toward is None:
        return "its singular curve does not leave the circle"
    first = float(np.arctan2(toward[1], toward[0]))
    q_start = cusp.q.copy()
    q_start[free] += radius * np.array([np.cos(first), np.sin(first)])
    poses = direct(model, q_start, prove=False)
    outer = _outer(model, poses, cusp)
    if outer is None:
        return "three poses do not meet there"
    for sense in (+1, -1):
        q = np.tile(cusp.q, (CORNERS + 1, 1))
        turn = first + sense * 2 * np.pi * np.arange(CORNERS + 1) / CORNERS
        q[:, free] += radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        q[0] = q[-1] = q_start
        x = _tracked(model, q, poses.x[outer[0]])
        if x is not None and _nearest(model, poses, x[-1]) == outer[1]:
            return ModeChange(cusp, radius, q, x, poses.mode[outer[0]], poses.mode[outer[1]], prove_branch(model, q, x))
    return "the branch meets a singularity both ways round"


def _tracked(model: Model, q: Doubles, start: Doubles) -> Doubles | None:
    """The poses at the corners of q, step by step from the first; None where det A would change its sign.

    This is only a proposal: `prove_branch` shows whether one branch leads through them.
    """
    rows, sign = [start], np.sign(np.linalg.det(model.call("closures", q=q[0], x=start)["A"]))
    for k in range(len(q) - 1):
        x = rows[-1]
        for share in np.arange(1, SUBSTEPS + 1) / SUBSTEPS:
            here = q[k] + share * (q[k + 1] - q[k])
            for _ in range(NEWTON):
                made = model.call("closures", q=here, x=x)
                if np.sign(np.linalg.det(made["A"])) != sign:
                    return None
                x = x - np.linalg.solve(made["A"], made["phi"])
        if open_by(model, q[k + 1], x) > GAP * model.scale:
            return None
        rows.append(x)
    return np.array(rows)


def _into_wedge(found: Cusps, cusp: Cusp, free: list[int], radius: float) -> Doubles | None:
    """The middle direction of the two branches in which the singular curve leaves the cusp, (2,)."""
    best, place = np.inf, None
    for piece in found.curves.pieces:
        away = np.linalg.norm(piece.x[:, :2] - cusp.x[:2], axis=1) + np.linalg.norm(piece.q - cusp.q, axis=1)
        i = int(np.argmin(away))
        if away[i] < best:
            best, place = float(away[i]), (piece, i)
    if place is None:
        return None
    piece, i = place
    offset = (piece.q[:-1] if piece.closed else piece.q)[:, free] - cusp.q[free]
    n = len(offset)
    ends = []
    for sense in (+1, -1):
        steps = [offset[(i + sense * k) % n] for k in range(1, n)]
        out = next((v for v in steps if np.linalg.norm(v) >= radius), None)
        if out is None:
            return None
        ends.append(out / np.linalg.norm(out))
    return np.asarray(ends[0] + ends[1])


def _coordinates(model: Model, poses: Solutions, x: Doubles) -> Doubles:
    d = poses.x - x
    d[:, 2] = np.angle(np.exp(1j * d[:, 2])) * characteristic_length(model)
    return d


def _nearest(model: Model, poses: Solutions, x: Doubles) -> int:
    return int(np.argmin(np.linalg.norm(_coordinates(model, poses, x), axis=1)))


def _outer(model: Model, poses: Solutions, cusp: Cusp) -> tuple[int, int] | None:
    """The two outer of the three poses that meet at the cusp: det A has one sign there, and the other in the middle."""
    d = _coordinates(model, poses, cusp.x)
    if len(d) < 3:
        return None
    near = np.argsort(np.linalg.norm(d, axis=1))[:3]
    v = cusp.free_motion * np.array([1.0, 1.0, characteristic_length(model)])
    a, b, c = near[np.argsort(d[near] @ v)]
    signs = poses.det_sign
    return (int(a), int(c)) if signs[a] == signs[c] == -signs[b] != 0 else None
