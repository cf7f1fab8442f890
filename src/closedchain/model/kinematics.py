"""First- and second-order kinematics: A ẋ + B q̇ = 0, J = −A⁻¹B, ẍ = J q̈ + b."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import NoSolution, Singular

if TYPE_CHECKING:
    from closedchain.model.model import Model

SINGULAR = 1e-13  # |det A| over the product of its rows' lengths
SLIP = 1e-9  # relative: an output motion that the drives cannot make


def direct_rates(
    model: Model, q: Doubles, x: Doubles, q_dot: ArrayLike, q_ddot: ArrayLike | None = None
) -> tuple[Doubles, Doubles]:
    """ẋ and ẍ of the drives' rates (q̈ = 0 unless given)."""
    q_dot = vectors(q_dot, model.nq, "q_dot")
    q_ddot = np.zeros(model.nq) if q_ddot is None else vectors(q_ddot, model.nq, "q_ddot")
    made = model.call("direct_rates", q=q, x=x, q_dot=q_dot, q_ddot=q_ddot)
    check_type2(model, made["margin"])
    return made["x_dot"], made["x_ddot"]


def inverse_rates(
    model: Model, q: Doubles, x: Doubles, x_dot: ArrayLike, x_ddot: ArrayLike | None = None
) -> tuple[Doubles, Doubles]:
    """q̇ and q̈ of the output's rates (ẍ = 0 unless given)."""
    x_dot = vectors(x_dot, model.nx, "x_dot")
    x_ddot = np.zeros(model.nx) if x_ddot is None else vectors(x_ddot, model.nx, "x_ddot")
    made = model.call("inverse_rates", q=q, x=x, x_dot=x_dot, x_ddot=x_ddot)
    hint = "The output has lost a motion there; give the drives' rates instead."
    _check_margin(model, made["margin"], "Type 1 singularity, B is singular", hint)
    _check_slip(model, made, x_dot, x_ddot)
    return made["q_dot"], made["q_ddot"]


def check_type2(model: Model, margin: Doubles) -> None:
    """Raise Singular where A cannot be inverted."""
    hint = "With the drives locked the output can still move; use forward dynamics in z, or another configuration."
    _check_margin(model, margin, "Type 2 singularity, A is singular", hint)


def _check_margin(model: Model, margin: Doubles, what: str, hint: str) -> None:
    if not (margin > SINGULAR).all():
        least = float(np.nan_to_num(margin, nan=0.0).min())  # 0/0 where a row is zero
        raise Singular(model.name, what, least, SINGULAR, hint)


def _check_slip(model: Model, made: dict[str, Doubles], x_dot: Doubles, x_ddot: Doubles) -> None:
    """Where closures outnumber drives, an output motion must obey them all."""
    if model.nq == model.nx:
        return
    size = 2 * model.scale * max(float(np.abs(x_dot).max(initial=0.0)), float(np.abs(x_ddot).max(initial=0.0)), 1e-12)
    worst = max(float(np.abs(made["slip"]).max(initial=0.0)), float(np.abs(made["slip_dot"]).max(initial=0.0)))
    if worst > SLIP * size:
        raise NoSolution(
            f"{model.name}: its {model.nq} drive cannot give the output this motion "
            f"(misfit {worst / size:.1e} of its size); give the drive's rates instead"
        )
