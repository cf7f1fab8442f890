"""First- and second-order kinematics: A ẋ + B q̇ = 0, J = −A⁻¹B, ẍ = J q̈ + b."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import NoSolution, Singular
from closedchain.policy import SINGULAR, SLIP

if TYPE_CHECKING:
    from closedchain.model.model import Model


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


def output_rates(
    model: Model, q: Doubles, x: Doubles, x_dot: ArrayLike, x_ddot: ArrayLike | None = None
) -> tuple[Doubles, Doubles]:
    """ż and z̈ of the rates of the output's own coordinates: Φ ż = 0 and Φ z̈ + Φ̇ ż = 0 give those of all others."""
    own = slice(model.nq, model.nq + model.outputs)
    other = [i for i in range(model.nq + model.nx) if not own.start <= i < own.stop]
    given = vectors(x_dot, model.outputs, "x_dot")
    more = np.zeros(model.outputs) if x_ddot is None else vectors(x_ddot, model.outputs, "x_ddot")
    made = model.call("closures", q=q, x=x)
    Phi = np.concatenate([made["B"], made["A"]], axis=-1)
    shape = np.broadcast_shapes(Phi.shape[:-2], given.shape[:-1], more.shape[:-1])
    z_dot, z_ddot = np.zeros((*shape, Phi.shape[-1])), np.zeros((*shape, Phi.shape[-1]))
    z_dot[..., own], z_ddot[..., own] = given, more
    _rest(model, Phi, z_dot, other, np.zeros(Phi.shape[:-1]))
    if given.any() or more.any():
        zero = np.zeros(model.nq)
        at = model.call("evaluate", q=q, x=x, q_dot=z_dot[..., : model.nq], q_ddot=zero)
        check_type2(model, at["margin"])
        Phi_dot = np.concatenate([at["B_dot"], at["A_dot"]], axis=-1)
        _rest(model, Phi, z_ddot, other, np.einsum("...ij,...j->...i", Phi_dot, z_dot))
    return z_dot, z_ddot


def _rest(model: Model, Phi: Doubles, rates: Doubles, other: list[int], drift: Doubles) -> None:
    """Fill in the other rates, Φ rates + drift = 0; raise where they cannot be, or are not determined."""
    S = Phi[..., other]
    size = np.linalg.norm(S, axis=-1, keepdims=True)
    S = S / np.where(size > 0.0, size, 1.0)
    sigma = np.linalg.svd(S, compute_uv=False)
    hint = "The output has lost a motion there, or does not tell what the others do; give the drives' rates instead."
    _check_margin(model, sigma[..., -1] / sigma[..., 0], "Type 1 singularity, the rest does not follow", hint)
    wanted = -(np.einsum("...ij,...j->...i", Phi, rates) + drift) / np.where(size > 0.0, size, 1.0)[..., 0]
    found = np.einsum("...ij,...j->...i", np.linalg.pinv(S), wanted)
    left = np.abs(np.einsum("...ij,...j->...i", S, found) - wanted).max(initial=0.0)
    if left > SLIP * max(float(np.abs(wanted).max(initial=0.0)), 1e-300):
        raise NoSolution(f"{model.name}: its drives cannot give the output this motion; give the drives' rates instead")
    rates[..., other] = found


def check_type2(model: Model, margin: Doubles) -> None:
    """Raise Singular where A cannot be inverted, or where roll, pitch and yaw have no rates (a margin of −1)."""
    if (margin == -1.0).any():
        hint = "Only its rates are not told there: `singular` and `solve` do not depend on these angles."
        raise Singular(model.name, "a body's pitch is ±90°, roll and yaw turn it alike", 0.0, SINGULAR, hint)
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
