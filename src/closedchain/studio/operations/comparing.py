"""`verify`: a robot against independent engines."""

from __future__ import annotations

import math
from typing import Any

from closedchain.errors import BadInput
from closedchain.studio.operations.loading import model_of
from closedchain.verify import diagnose
from closedchain.verify import verify as beside_engines

MOST = 2000  # random states
LONGEST = 60.0  # [s] of a motion of the user's own


def verify(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The rows of `closedchain verify --json`; where a limit is broken, what explains it."""
    model = model_of(body["robot"])
    states = body["states"]
    if states is not None and not 1 <= states <= MOST:
        raise BadInput(f"{states} states; from 1 to {MOST} are possible")
    if not 0.0 < body["duration"] <= LONGEST:
        raise BadInput(f"a motion of {body['duration']:g} s; above 0 and up to {LONGEST:g} s are possible")
    asked = {"motion": body["motion"], "duration": body["duration"], "working": body["working"]}
    tell(None, f"{model.name} against {body['engine']}")
    done = beside_engines(model, body["engine"], **asked, **({} if states is None else {"states": states}))
    rows = [
        {"quantity": r.quantity, "engine": r.engine, "way": r.way, "motion": r.motion, "max": finite(r.max)}
        | {"rms": finite(r.rms), "limit": r.limit, "ok": bool(r.ok), "unit": r.unit, "why": r.why}
        | {"size": float(r.size)}
        for r in done.rows
    ]
    causes = [] if done.ok else [cause.words for cause in diagnose(done).causes]
    told = {"passed": bool(done.ok), "robot": done.robot, "engines": list(done.engines), "rows": rows}
    return told | {"notes": list(done.notes), "absent": list(done.absent), "causes": causes}


def finite(value: float) -> float | None:
    """A number, or None where it is not one."""
    return float(value) if math.isfinite(value) else None
