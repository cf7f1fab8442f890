"""Plans from routes: proven once more as a whole, sampled, measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError, length, numbers
from closedchain.planning.measure import Index, Setting
from closedchain.planning.proof import Prover
from closedchain.planning.result import ModeChange, Plan
from closedchain.planning.route import Piece, length_of, prove_route, sample
from closedchain.planning.straight import Straight


def found_plan(
    prover: Prover, pieces: tuple[Piece, ...], kind: str, step: float, objective: str, why: Mapping[str, Straight]
) -> Plan:
    """The plan of a route; refused unless every part of it is proven."""
    setting = prover.setting
    proofs = prove_route(prover, pieces)
    if not proofs.proven.all():
        raise ClosedChainError(f"{setting.model.name}: a route was made that is not proven; please report this")
    s, x, mode, q = sample(setting, pieces)
    m = setting.measure(x, setting.sigma[mode])
    names = tuple(setting.modes[p.mode] for p in pieces)
    way = "straight" if kind == "straight" else f"around, found on a grid with a step of {length(step)}"
    ends = f"from {numbers(pieces[0].corners[0])} to {numbers(pieces[-1].corners[-1])}"
    return Plan(
        robot=setting.model.name,
        found=True,
        message=f"{ends} {way}; {prover.claim}",
        proven=prover.proves,
        kind=kind,
        objective=objective,
        margin=setting.margin,
        width=setting.bodies.width,
        resolution=step,
        corners=tuple(p.corners for p in pieces),
        modes=names,
        changes=_changes(setting, pieces, s, x, q, mode),
        s=s,
        x=m.x,
        q=q,
        working=tuple(setting.modes[i] for i in mode),
        length=length_of(setting, pieces),
        clearance=float(min(proofs.clearance.min(), m.clearance.min())),
        parallel=float(min(proofs.parallel.min(), m.parallel.min())),
        serial=float(min([proofs.serial.min(), *([] if len(pieces) > 1 else [m.serial.min()])])),
        why=why,
    )


def _changes(
    setting: Setting, pieces: Sequence[Piece], s: Doubles, x: Doubles, q: Doubles, mode: Index
) -> tuple[ModeChange, ...]:
    """The last sample of each piece but the last is where its leg is at its end."""
    found = []
    for before, after, k in zip(pieces[:-1], pieces[1:], np.flatnonzero(np.diff(mode)), strict=True):
        names = setting.modes[before.mode], setting.modes[after.mode]
        found.append(ModeChange(setting.legs[before.exit], *names, x[k], q[k], float(s[k])))
    return tuple(found)


def no_plan(setting: Setting, message: str, step: float, objective: str, why: Mapping[str, Straight]) -> Plan:
    """The plan that says why there is none."""
    return Plan(
        robot=setting.model.name,
        found=False,
        message=message,
        kind="",
        objective=objective,
        margin=setting.margin,
        width=setting.bodies.width,
        resolution=step,
        corners=(),
        modes=(),
        changes=(),
        s=np.zeros(0),
        x=np.zeros((0, setting.model.nx)),
        q=np.zeros((0, setting.model.nq)),
        working=(),
        length=np.inf,
        clearance=-np.inf,
        parallel=0.0,
        serial=0.0,
        why=why,
    )
