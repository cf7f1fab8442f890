"""`along`: det A and det B on a segment of the output in every working mode, and its proven singular points."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs
from closedchain.singularity import along as singular
from closedchain.singularity.maps import mode_names
from closedchain.studio.operations.loading import model_of
from closedchain.studio.tables import Framed

MOST = 5000  # samples


def along(body: dict[str, Any], tell: Any) -> Framed:
    """Arrays s (n,), det_A and det_B (modes, n), NaN out of reach; the singular points in the meta."""
    model = model_of(body["robot"])
    start, end = vectors(body["start"], model.nx, "start"), vectors(body["end"], model.nx, "end")
    if not 2 <= body["samples"] <= MOST:
        raise BadInput(f"{body['samples']} samples; from 2 to {MOST} are possible")
    found = [singular.along(model, start, end, working=body["working"], kind=kind) for kind in ("A", "B")]
    modes = mode_names(model, body["working"])
    s = np.linspace(0.0, 1.0, body["samples"])
    values = [determinants(model, start + s[:, None] * (end - start), mode) for mode in modes]
    meta = {
        "working": list(modes),
        "points": [point(p) for f in found for p in f],
        "complete": all(f.complete for f in found),
        "out_of_reach": [{"low": o.lo, "high": o.hi, "legs": list(o.legs)} for o in found[0].out_of_reach],
    }
    det_A, det_B = (np.array([v[k] for v in values]) for k in (0, 1))
    return Framed({"s": s, "det_A": det_A, "det_B": det_B}, meta)


def determinants(model: Model, x: Doubles, mode: str) -> tuple[Doubles, Doubles]:
    """det A and det B at outputs (n, nx) in one working mode; NaN where a leg does not reach."""
    made = model.call("inverse", x=x, sigma=np.asarray(leg_signs(model, mode), float))
    row = Configurations(model, np.nan_to_num(made["q"]), x)
    out = ~(made["slack"] >= 0).all(axis=-1)
    det_A, det_B = (np.where(out, np.nan, det) for det in (row.det_A(), np.linalg.det(row.B)))
    return det_A, det_B


def point(p: singular.SingularPoint) -> dict[str, Any]:
    """A singular point; Type 2 with the output's free motion."""
    free = p.null.tolist() if p.kind == "A" else None
    row: dict[str, Any] = {"type": 2 if p.kind == "A" else 1, "s": p.s, "x": p.x.tolist(), "q": p.q.tolist()}
    return row | {"working": p.working, "leg": p.leg, "free_motion": free}
