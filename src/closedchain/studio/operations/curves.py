"""`loci`: the singular curves in a window of the output's plane; `cusps`: those of a slice of joint space."""

from __future__ import annotations

from typing import Any

from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.singularity import loci as tracing
from closedchain.singularity.cusps import cusps as cusps_of
from closedchain.singularity.reach import check_window, edges_of, slice_of
from closedchain.studio.operations.loading import model_of
from closedchain.studio.operations.maps import asked_window, held


def loci(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Pieces of Type 2 and Type 1 curves, as points of the plane."""
    model = model_of(body["robot"])
    third = held(model, body["orientation"])
    edges = edges_of(model, slice_of(model, **third))[0]
    x0, x1, y0, y1 = check_window(model, asked_window(body), edges)
    found = []
    for k, kind in enumerate(("A", "B")):
        tell(k / 2, f"Type {2 - k}")
        pair = ((x0, x1), (y0, y1))
        fixed = fixed_of(model, body["orientation"])
        mode = body["working"] if kind == "A" else None  # a leg at its end belongs to two modes
        found.append(tracing.loci(model, window=pair, fixed=fixed, kind=kind, lines=body["lines"], working=mode))
    rows = [
        {"type": 2 if p.kind == "A" else 1, "leg": p.leg, "working": p.working, "closed": p.closed}
        | {"points": p.x[:, :2].tolist()}
        for f in found
        for p in f.pieces
        if body["working"] is None or belongs(p.working, body["working"])
    ]
    return {"curves": rows, "complete": all(f.complete for f in found)}


def cusps(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The Type 2 curves of the slice where one telescope is held, and where three poses meet on them."""
    tell(None, "a slice of joint space")
    found = cusps_of(model_of(body["robot"]), {body["drive"]: body["value"]}, lines=body["lines"])
    rows = [{"closed": p.closed, "q": p.q.tolist(), "x": p.x.tolist()} for p in found.curves.pieces]
    points = [{"q": c.q.tolist(), "x": c.x.tolist(), "certified": c.certified} for c in found.cusps]
    return {"curves": rows, "cusps": points, "complete": found.curves.complete}


def belongs(piece: str, mode: str) -> bool:
    """Whether a piece borders a working mode: a leg at its end, "0", belongs to both of its signs."""
    return len(piece) == len(mode) and all(a in ("0", b) for a, b in zip(piece, mode, strict=True))


def fixed_of(model: Model, third: float | None) -> dict[str, float]:
    """The third coordinate by its name."""
    names = [c.name for c in model.equations.x]
    if len(names) < 3:
        return {}
    if third is None:
        raise BadInput(f"{model.name}: give orientation, the value at which {names[2]} is held")
    return {names[2]: third}
