"""`at`: every model at one configuration, how near it is to a singularity, and what moves there."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, length
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.policy import GAP
from closedchain.singularity.pose import Singularities, singularities
from closedchain.studio.operations.describing import mode_of
from closedchain.studio.operations.loading import model_of
from closedchain.studio.operations.nearness import NOT_SEARCHED, distances

NEAR = 0.08  # margin below which the free or lost motion is shown


def at(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The configuration of a request; it must close the loops."""
    model = model_of(body["robot"])
    q, x = vectors(body["q"], model.nq, "q"), vectors(body["x"], model.nx, "x")
    if not model.nx or model.linkage:
        return _open(model, q, x)
    row = Configurations(model, q[None], x[None])
    residual = float(row.residual[0])
    if residual > GAP * model.scale:
        raise BadInput(f"{model.name}: the loops are open by {length(residual)} at this q and x; solve first")
    found = singularities(model, q=q, x=x)
    A, B = row.A[0], row.B[0]
    working, assembly = mode_of(model, q, x)
    apart = distances(model, x, working, found.kinds)
    near_2 = float(found.parallel) < NEAR
    return {
        "A": A.tolist(),
        "B": B.tolist(),
        "J": _jacobian(A, B, found),
        "det_A": float(row.det_A()[0]),
        "det_B": float(np.linalg.det(B)) if B.shape[0] == B.shape[1] else None,
        "condition_A": finite(row.condition())[0],
        "condition": float(found.parallel),
        "serial": float(found.serial),
        "legs": dict(zip(found.leg_names, found.legs.tolist(), strict=True)),
        "kinds": list(found.kinds),
        "distances": apart,
        "velocity_ellipse": ellipse(found.velocity_radii, found.axes),
        "force_ellipse": ellipse(found.force_radii, found.axes),
        "free_motion": found.free_motion.tolist() if near_2 else None,
        "centre": finite(found.centre) if near_2 and found.centre is not None else None,
        "lost_motion": found.lost_motion.tolist() if float(found.serial) < NEAR else None,
        "readouts": readouts(model, q, x),
        "residual": residual,
        "working": working,
        "assembly": assembly,
        "warnings": warnings(found),
    }


def _open(model: Model, q: Doubles, x: Doubles) -> dict[str, Any]:
    """A robot without branches: what it shows, and no singularities."""
    empty: list[Any] = []
    nothing: dict[str, Any] = {"A": empty, "B": empty, "J": None, "det_A": None, "det_B": None, "condition_A": None}
    nothing |= {"condition": 1.0, "serial": 1.0, "legs": {}, "kinds": empty}
    nothing |= {
        "distances": {"type1": NOT_SEARCHED, "type2": NOT_SEARCHED},
        "velocity_ellipse": None,
        "force_ellipse": None,
    }
    nothing |= {"free_motion": None, "centre": None, "lost_motion": None, "residual": 0.0, "working": ""}
    return nothing | {"assembly": "", "readouts": readouts(model, q, x) if not model.linkage else empty, "warnings": []}


def _jacobian(A: Doubles, B: Doubles, found: Singularities) -> list[list[float]] | None:
    """J = −A⁻¹B; None at a Type 2 singularity, where there is none."""
    if "type 2" in found.kinds or A.shape[0] != A.shape[1]:
        return None
    J: list[list[float]] = (-np.linalg.solve(A, B)).tolist()
    return J


def ellipse(radii: Doubles, axes: Doubles) -> dict[str, Any]:
    """Semi-axes, null where infinite, and their directions as rows."""
    return {"radii": finite(radii), "axes": axes.T.tolist()}


def finite(values: Doubles) -> list[float | None]:
    """Numbers, and None for those that are infinite."""
    return [float(v) if np.isfinite(v) else None for v in values]


def readouts(model: Model, q: Doubles, x: Doubles) -> list[dict[str, Any]]:
    """The passive joints' angles."""
    if not model.equations.readouts:
        return []
    rest = {"q_dot": np.zeros(model.nq), "x_dot": np.zeros(model.nx), "z_ddot": np.zeros(model.nq + model.nx)}
    passive = model.call("readings", q=q, x=x, **rest)["passive"]
    named = zip(model.equations.readouts, passive.tolist(), strict=True)
    return [{"name": r.name, "value": value, "unit": r.unit} for r, value in named]


def warnings(found: Singularities) -> list[str]:
    """What to know here, in sentences."""
    told = []
    if "type 2" in found.kinds:
        told.append("Type 2 singularity: the output moves with locked drives, and efforts have no bound.")
    elif float(found.parallel) < NEAR:
        told.append(f"Close to Type 2: margin {float(found.parallel):.3f}.")
    if "type 1" in found.kinds:
        told.append(f"Type 1 singularity: leg {', '.join(found.singular_legs)} is at its end.")
    elif float(found.serial) < NEAR:
        told.append(f"Close to Type 1: margin {float(found.serial):.3f}.")
    return told
