"""Singular curves: the zero sets of det A (Type 2) and of the legs' slopes (Type 1), traced in output and joint space.

A curve lives in z = (q, x), where it passes smoothly from one working mode to the next; it is cut there into pieces.
Its starting points are proven zeros on a grid of lines, so every component that meets a grid line is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs
from closedchain.model.solutions import plain_mode
from closedchain.singularity.collecting import Collector, Plane
from closedchain.singularity.locus import Loci, Locus
from closedchain.singularity.patch import Patch, patch_of
from closedchain.singularity.survey import Hit

__all__ = ["Loci", "Locus", "check_request", "loci"]


def loci(
    model: Model,
    *,
    window: Sequence[Sequence[float]] | None = None,
    fixed: Mapping[str, float] | None = None,
    kind: str = "A",
    lines: int = 24,
    working: str | None = None,
) -> Loci:
    """The singular curves in a window of two output coordinates, the others fixed: window=((x0, x1), (y0, y1)).

    Or, for a plate on telescopes, in the slice where one of them is fixed: fixed={"rho1": 14.98}, without a window.
    With a working mode only the pieces of that mode are looked for. `joint_loci` draws its lines in joint space.
    """
    check_request(model, kind, lines)
    patch = patch_of(model, window, dict(fixed or {}), int(lines))
    modes = patch.lines.modes() if working is None else leg_signs(model, working)[None]
    survey = patch.lines.survey(modes, kind)
    collector = Collector(model, Plane(patch.held, patch.limits, working=working and plain_mode(working)), kind)
    whole = collector.collect((hit.leg, _configuration(model, patch, hit)) for hit in survey.hits)
    return Loci(
        robot=model.name,
        kind=kind,
        pieces=collector.pieces(),
        spacing=patch.spacing,
        complete=not survey.unsettled and whole,
        ended=collector.ended,
        fixed=dict(fixed or {}),
    )


def check_request(model: Model, kind: str, lines: int) -> None:
    """Raise BadInput unless the kind and the number of grid lines make sense."""
    if kind not in ("A", "B"):
        raise BadInput(f'{model.name}: kind {kind!r:.20} is neither "A" (det A, Type 2) nor "B" (det B, Type 1)')
    if not 2 <= int(lines) <= 400:
        raise BadInput(f"{model.name}: {lines} grid lines; 2 to 400 are possible")


def _configuration(model: Model, patch: Patch, hit: Hit) -> Doubles:
    """z of a hit."""
    x = patch.x(hit.line, 0.5 * (hit.lo + hit.hi))
    q = model.call("inverse", x=x, sigma=np.array(hit.signs, float))["q"]
    return np.concatenate([q, x])
