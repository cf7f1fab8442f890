"""`plan` and `crossing`: motions around singularities, and through one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain import planning
from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.motion.crossing import WINDOW, Crossing
from closedchain.motion.crossing_search import cross
from closedchain.motion.crossing_way import unbent
from closedchain.planning import Obstacle, disc, polygon, wall
from closedchain.studio.operations.loading import model_of
from closedchain.studio.tables import Framed

MOST = 20_000  # samples of a crossing
BESIDE, NEAR = 5e-4, 1e-3  # of the duration from Type 2: where unshaped efforts are left out, and where they are told
UNITS = {"m": "N", "rad": "N m"}


def plan(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """A motion, or why the straight one fails in each working mode."""
    tell(None, "searching")
    found = planning.plan(
        model_of(body["robot"]),
        body["start"],
        body["end"],
        working=body["working"],
        goal_working=body["goal_working"],
        margin=body["margin"],
        width=body["width"],
        obstacles=tuple(obstacle(o) for o in body["obstacles"]),
        objective=body["prefer"],
        changes=body["changes"],
    )
    changes = [{"leg": c.leg, "before": c.before, "after": c.after, "x": c.x.tolist()} for c in found.changes]
    return {
        "found": found.found,
        "message": found.message,
        "path": found.x.tolist(),
        "q": found.q.tolist(),
        "working": list(found.working),
        "modes": list(found.modes),
        "changes": changes,
        "why": {mode: str(verdict) for mode, verdict in found.why.items() if not verdict.possible},
        "length": finite(found.length) if found.found else None,
        "clearance": finite(found.clearance) if found.found else None,
    }


def finite(value: float) -> float | None:
    """A number, or None where it is infinite."""
    return float(value) if math.isfinite(value) else None


def obstacle(row: dict[str, Any]) -> Obstacle:
    """A shape that must not be touched."""
    corners, radius = row["corners"], row["radius"]
    match row["kind"], len(corners):
        case "disc", 1:
            return disc(corners[0], radius)
        case "wall", 2:
            return wall(corners[0], corners[1], 2 * radius)
        case "polygon", n if n >= 3:
            return polygon(corners)
    raise BadInput(f"a {row['kind']} with {len(corners)} corners; a disc has 1, a wall 2, a polygon 3 or more")


def crossing(body: dict[str, Any], tell: Any) -> Framed:
    """t, q, x, tau along a motion through a Type 2 singularity, and the efforts of the same ends without its shape."""
    tell(None, "searching")
    model = model_of(body["robot"])
    if not 10 <= body["samples"] <= MOST:
        raise BadInput(f"{body['samples']} samples; from 10 to {MOST} are possible")
    ends: dict[str, Any] = {"working": body["working"], "end_working": body["end_working"]}
    planned = cross(model, body["start"], body["end"], body["duration"], **ends)
    t = np.unique(np.concatenate([np.linspace(0.0, planned.duration, body["samples"]), planned.type_2]))
    way = planned.whole(t)
    bounded = all(p.bounded for p in planned.passages)
    near, elsewhere = planned.peaks if bounded and planned.type_2 else (None, _away(planned))
    plain = Plain(unbent(planned)) if planned.type_2 else Plain(None)
    meta = {
        "plain_effort": plain.beside,
        "bounded": bounded,
        "working": list(planned.working),
        "t_singular": list(planned.type_2),
        "x_singular": planned.whole(np.array(planned.type_2)).x.tolist() if planned.type_2 else [],
        "max_effort": max(near or 0.0, elsewhere) if bounded else None,
        "effort_at_singularity": [p.tau.tolist() if p.bounded else None for p in planned.passages],
        "margin": 1.0 - near / elsewhere if near is not None and elsewhere else None,
        "units": [UNITS[model.equations.q[i].unit] for i in model.driven],
        "text": str(planned) if type(planned).__str__ is not object.__str__ else "",
    }
    return Framed(
        {"t": t, "q": way.q, "x": way.x, "tau": planned.efforts(t), "tau_plain": plain.efforts(t, model.nq)}, meta
    )


@dataclass(frozen=True)
class Plain:
    """A motion that was not shaped for its crossing: its efforts have no bound at Type 2."""

    motion: Crossing | None  # None: there is none, or nothing is crossed

    def efforts(self, t: Doubles, drives: int) -> Doubles:
        """(k, nq), not a number beside Type 2 and where there is no motion."""
        made = np.full((len(t), drives), np.nan)
        if self.motion is None:
            return made
        gap = BESIDE * self.motion.duration
        rows = np.abs(t[:, None] - np.array([*self.motion.type_2, np.inf])).min(axis=1) > gap
        made[rows] = self.motion.efforts(t[rows])
        return made

    @property
    def beside(self) -> float | None:
        """The largest effort a thousandth of the duration from Type 2; None where nothing is crossed."""
        if self.motion is None or not self.motion.type_2:
            return None
        away = NEAR * self.motion.duration
        t = np.array([t_s + side * away for t_s in self.motion.type_2 for side in (-1, 1)])
        return float(np.abs(self.motion.efforts(t)).max())


def _away(planned: Crossing) -> float:
    """The largest effort away from the Type 2 instants."""
    apart = [np.abs(planned.times - t) > WINDOW * planned.duration for t in planned.type_2]
    times = planned.times[np.all(apart, axis=0)] if apart else planned.times
    return float(np.abs(planned.efforts(times)).max())
