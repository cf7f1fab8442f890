"""Dynamics: M_z z̈ + h_z = Sᵀτ + Φᵀλ, and its reduced form τ = M q̈ + c."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, NoSolution, Singular
from closedchain.model.kinematics import check_type2
from closedchain.policy import RANK, SINGULAR

if TYPE_CHECKING:
    from closedchain.model.forces import Forces
    from closedchain.model.model import Model
    from closedchain.model.state import State

HOLD = 1e-6  # of a closure's usual hold
UNDRIVEN = 1e-9  # relative: an effort where nothing drives


class Motion(NamedTuple):
    """What forward dynamics gives: accelerations and multipliers."""

    q_ddot: Doubles  # (*batch, nq)
    x_ddot: Doubles  # (*batch, nx)
    lam: Doubles  # (*batch, closures) Φᵀλ is the closures' force on z


@dataclass(frozen=True)
class Terms:
    """M_z z̈ + C_z ż + friction + gravity = Sᵀτ + Φᵀλ + applied."""

    M_z: Doubles  # (*batch, nz, nz)
    C_z: Doubles  # (*batch, nz, nz) Christoffel's: Ṁ_z − 2 C_z is skew
    friction: Doubles  # (*batch, nz)
    gravity: Doubles  # (*batch, nz) weights and springs
    applied: Doubles  # (*batch, nz) Q_z, of external forces and torques
    h_z: Doubles  # (*batch, nz) C_z ż + friction + gravity − applied


@dataclass(frozen=True)
class Energy:
    """Kinetic and potential energy [J], and the power that dampers take and that external forces put in [W]."""

    kinetic: Doubles
    potential: Doubles
    dissipated: Doubles
    applied: Doubles

    @property
    def total(self) -> Doubles:
        return self.kinetic + self.potential


def inverse_dynamics(
    model: Model, state: State, q_ddot: ArrayLike, *, forces: Forces | None = None, torques: Forces | None = None
) -> Doubles:
    """Efforts that give q_ddot with every passive joint free.

        tau = M q_ddot + c,    M = Tᵀ M_z T

    External `forces` on points and `torques` on bodies, by name, are part of c: numbers, or functions of (t, state).

    An undriven coordinate gets no effort: a q_ddot that would need one is refused, and q_ddot may name only the driven
    ones, the others then follow.
    """
    model = under(model, state, forces, torques)
    return model.inverse(state.q, state.x, state.q_dot, q_ddot)


def under(model: Model, state: State, forces: Forces | None, torques: Forces | None) -> Model:
    """The robot under external forces and torques, at t = 0 where they are functions of it."""
    return model.loads(forces, torques).at(0.0, state) if forces or torques else model


def efforts_and_multipliers(model: Model, state: State, q_ddot: ArrayLike) -> tuple[Doubles, Doubles]:
    """tau as above, and the multipliers λ of the closures."""
    return _efforts(model, state.q, state.x, state.q_dot, q_ddot)


def bind_inverse(model: Model) -> Callable[..., Doubles]:
    """tau of (q, x, q_dot, q_ddot): one state in a fraction of a microsecond, anything else by `_efforts`."""
    if model.linkage:
        raise BadInput(
            f"{model.name} is a linkage: efforts do not follow from the drives' accelerations alone; "
            f"shared_efforts gives them for accelerations by name, forward_dynamics the motion that efforts make"
        )
    general = partial(efforts_of, model)
    if len(model.driven) < model.nq:
        return general
    takes = ("q", "x", "q_dot", "q_ddot")
    return model.library.fast(
        "inverse_dynamics", fallback=general, constants=_bound(model), guard=SINGULAR, takes=takes, gives=("tau",)
    )


def efforts_of(model: Model, q: Doubles, x: Doubles, q_dot: Doubles, q_ddot: ArrayLike) -> Doubles:
    """tau for plain arrays of any batch."""
    return _efforts(model, q, x, q_dot, q_ddot)[0]


def _efforts(model: Model, q: Doubles, x: Doubles, q_dot: Doubles, q_ddot: ArrayLike) -> tuple[Doubles, Doubles]:
    q_ddot = _completed(model, q, x, q_dot, q_ddot)
    made = model.call("inverse_dynamics", q=q, x=x, q_dot=q_dot, q_ddot=q_ddot)
    if model.nx:
        check_type2(model, made["margin"])
    tau = made["tau"]
    _finite(model, tau, "the efforts")
    if len(model.driven) < model.nq:
        tau = _only_driven(model, tau)
    return tau, made.get("lam", np.zeros((*tau.shape[:-1], 0)))


def _finite(model: Model, values: Doubles, what: str) -> None:
    """Refuse answers that no number can hold."""
    if not np.isfinite(values).all():
        raise BadInput(f"{model.name}: {what} are not finite: the state or its rates are not, or are far too large")


def _bound(model: Model) -> dict[str, Doubles]:
    return {"p": model.p} if model.p.size else {}


def full_accelerations(model: Model, state: State, q_ddot: ArrayLike) -> Doubles:
    """q̈ of all coordinates; the undriven ones follow from M and c where only the driven are given."""
    return _completed(model, state.q, state.x, state.q_dot, q_ddot)


def _completed(model: Model, q: Doubles, x: Doubles, q_dot: Doubles, q_ddot: ArrayLike) -> Doubles:
    if len(model.driven) == model.nq or np.shape(q_ddot)[-1:] != (len(model.driven),):
        return vectors(q_ddot, model.nq, "q_ddot")
    given = vectors(q_ddot, len(model.driven), "q_ddot")
    made = model.call("evaluate", q=q, x=x, q_dot=q_dot, q_ddot=np.zeros_like(q))
    free = [i for i in range(model.nq) if i not in model.driven]
    q_ddot_ = np.zeros((*np.broadcast_shapes(given.shape[:-1], q.shape[:-1]), model.nq))
    q_ddot_[..., list(model.driven)] = given
    rest = -(made["c"][..., free] + np.einsum("...ij,...j->...i", made["M"][..., free, :], q_ddot_))
    q_ddot_[..., free] = np.linalg.solve(made["M"][..., free, :][..., free], rest[..., None])[..., 0]
    return q_ddot_


def _only_driven(model: Model, tau: Doubles) -> Doubles:
    """The driven efforts, after checking that the others vanish."""
    free = [i for i in range(model.nq) if i not in model.driven]
    size = max(float(np.abs(tau).max(initial=0.0)), 1e-9)
    worst = float(np.abs(tau[..., free]).max(initial=0.0))
    if worst > UNDRIVEN * size:
        names = ", ".join(model.equations.q[i].name for i in free)
        raise NoSolution(
            f"{model.name}: nothing drives {names}, but this q_ddot needs an effort of {worst:.3g} there; "
            f"give only the acceleration of {', '.join(model.equations.driven)} and the rest follows"
        )
    return tau[..., list(model.driven)]


def forward_dynamics(
    model: Model, state: State, tau: ArrayLike, *, forces: Forces | None = None, torques: Forces | None = None
) -> Motion:
    """Accelerations and multipliers for given efforts; regular at Type 1 and Type 2 and with massless bars.

    External `forces` on points and `torques` on bodies, by name, are numbers, or functions of (t, state).
    """
    model = under(model, state, forces, torques)
    return model.forward(state.q, state.x, state.q_dot, state.x_dot, tau)


def bind_forward(model: Model) -> Callable[..., Motion]:
    """The Motion of (q, x, q_dot, x_dot, tau): one state in a fraction of a microsecond, else by `_motion`."""
    general = partial(motion_of, model)
    if model.equations.linkage:  # whose closures may depend on one another, which wants a look
        return general
    takes = ("q", "x", "q_dot", "x_dot", "tau")
    return model.dynamics.fast(
        "forward_dynamics",
        fallback=general,
        constants=_bound(model),
        guard=SINGULAR,
        takes=takes,
        gives=Motion._fields,
        result=Motion,
    )


def motion_of(model: Model, q: Doubles, x: Doubles, q_dot: Doubles, x_dot: Doubles, tau: ArrayLike) -> Motion:
    """The Motion of plain arrays of any batch.

    Where closures imply others, the multipliers are the smallest that make the same forces.
    """
    tau = vectors(tau, len(model.driven), "tau")
    made = model.call("forward_dynamics", q=q, x=x, q_dot=q_dot, x_dot=x_dot, tau=tau)
    if not (made["margin"] > SINGULAR).all():
        _explain_degeneracy(model, float(np.min(np.nan_to_num(made["margin"], nan=0.0))))
    empty = np.zeros((*made["margin"].shape, 0))
    q_ddot, x_ddot, lam = (made.get(name, empty) for name in Motion._fields)
    _finite(model, q_ddot, "the accelerations")
    _finite(model, x_ddot, "the accelerations")
    if "kept" in made and lam.size:
        z = np.broadcast_to(np.concatenate([q, x], axis=-1), (*lam.shape[:-1], model.nq + model.nx))
        _refuse_loss(model, z, made["hold"], made["kept"])
        implied = made["kept"] < lam.shape[-1]
        if implied.any():
            lam = np.where(implied[..., None], _least(jacobian(model, z), lam), lam)
    return Motion(q_ddot, x_ddot, lam)


def _refuse_loss(model: Model, z: Doubles, hold: Doubles, kept: Doubles) -> None:
    """Raise Singular where closures are lost that hold nearby: there accelerations do not follow from z and ż."""
    doubtful = (hold < HOLD) | (kept < len(model.equations.closures))
    if doubtful.any():
        mobility = importlib.import_module("closedchain.model.mobility")  # which needs this module
        rows = z[doubtful].reshape(-1, z.shape[-1])
        if (mobility.ranks_here(model, rows) < mobility.usual_ranks(model, rows)).any():
            hint = "`analyse` names them; `simulate` passes through such a position."
            raise Singular(model.name, "closures depend on one another here", float(hold.min()), HOLD, hint)


def _least(Phi: Doubles, lam: Doubles) -> Doubles:
    """The smallest λ with the same Φᵀλ."""
    U, sigma, _ = np.linalg.svd(Phi, full_matrices=False)
    shares = np.einsum("...ij,...i->...j", U, lam) * (sigma > RANK * sigma[..., :1])
    return np.asarray(np.einsum("...ij,...j->...i", U, shares))


def jacobian(model: Model, z: Doubles) -> Doubles:
    """Φ = [B A], (*batch, closures, nz)."""
    if not model.equations.closures:
        return np.zeros((*z.shape[:-1], 0, model.nq + model.nx))
    made = model.call("closures", q=z[..., : model.nq], x=z[..., model.nq :])
    return np.concatenate([made[name] for name in ("B", "A") if name in made], axis=-1)


def coordinate_sizes(model: Model) -> Doubles:
    """A typical size of each coordinate: of an angle 1 rad, of a length the robot's own size."""
    return np.array([1.0 if c.unit == "rad" else model.scale for c in model.equations.z])


def scaled_jacobian(model: Model, z: Doubles) -> Doubles:
    """Φ with its columns in the coordinates' sizes and its rows of length one: its rank does not depend on units."""
    Phi = jacobian(model, z) * coordinate_sizes(model)
    return np.asarray(Phi / np.maximum(np.linalg.norm(Phi, axis=-1, keepdims=True), 1e-300))


def free_motions(model: Model, z: Doubles) -> Doubles:
    """A basis of the velocities at z that keep the loops closed, (nz, freedoms): orthonormal in coordinates' sizes."""
    sizes, Phi = coordinate_sizes(model)[:, None], scaled_jacobian(model, z)
    if not len(Phi):
        return np.asarray(sizes * np.eye(len(sizes)))
    _, sigma, V = np.linalg.svd(Phi)
    rank = int(np.count_nonzero(sigma > RANK * max(float(sigma[0]), 1e-300)))
    return np.asarray(sizes * V[rank:].T)


def mass_matrix(model: Model, z: Doubles) -> Doubles:
    """M_z, (*batch, nz, nz)."""
    made = model.call("mass", q=z[..., : model.nq], x=z[..., model.nq :])
    return made["M_z"]


def _explain_degeneracy(model: Model, margin: float) -> None:
    hint = "Either the closures are dependent here, or a body without mass moves freely: give every motion a mass."
    raise Singular(model.name, "the dynamic model degenerates, a pivot vanishes", margin, SINGULAR, hint)


def terms(model: Model, state: State) -> Terms:
    """The mass matrix and the parts of h_z, in z."""
    made = model.call("terms", q=state.q, x=state.x, q_dot=state.q_dot, x_dot=state.x_dot)
    return Terms(made["M_z"], made["C_z"], made["friction"], made["gravity"], made["applied"], made["h_z"])


def energy(model: Model, state: State) -> Energy:
    """Kinetic and potential energy, and the power that dampers take and that external forces put in."""
    made = model.call("energy", q=state.q, x=state.x, q_dot=state.q_dot, x_dot=state.x_dot)
    power = made["power"]
    return Energy(made["kinetic"], made["potential"], power, made.get("applied_power", np.zeros_like(power)))


def motor_efforts(model: Model, voltage: ArrayLike, q_dot: Doubles) -> Doubles:
    """Efforts of the motors at a voltage: tau = gain u − back q̇, within their limits; currents as they settle."""
    gain, back = motor_constants(model)
    u = vectors(voltage, len(model.driven), "voltage")
    if not all(m.linear for m in model.equations.motors):
        settled = (u - _back_voltage(model, q_dot)) / _resistances(model)
        return model.call("driving", u=u, q_dot=q_dot, current=settled)["tau"]
    return gain * u - back * q_dot[..., list(model.driven)]


def _back_voltage(model: Model, q_dot: Doubles) -> Doubles:
    """kv ratio q̇ of each driven coordinate."""
    motors = {m.drive: m for m in model.equations.motors}
    found = [motors[name] for name in model.equations.driven]
    return np.array([model.number(m.kv * m.ratio) for m in found]) * q_dot[..., list(model.driven)]


def _resistances(model: Model) -> Doubles:
    motors = {m.drive: m for m in model.equations.motors}
    return np.array([model.number(motors[name].resistance) for name in model.equations.driven])


def motor_voltages(model: Model, tau: ArrayLike, q_dot: Doubles) -> Doubles:
    """The voltage at which the motors give these efforts."""
    check_linear_motors(model)
    gain, back = motor_constants(model)
    return (vectors(tau, len(model.driven), "tau") + back * q_dot[..., list(model.driven)]) / gain


def check_linear_motors(model: Model) -> None:
    """Refuse motors whose efforts are not gain u − back q̇."""
    for motor in model.equations.motors:
        if not motor.linear:
            raise BadInput(
                f"{model.name}: the motor of {motor.drive} has an inductance, limits or losses both ways, so that its "
                "effort is not gain u − back q̇; `simulate` knows it, for this leave them out or take efforts"
            )


def takes_voltage(model: Model) -> bool:
    """Whether a motor with a torque constant stands on every driven coordinate."""
    motors = {m.drive: m for m in model.equations.motors}
    driven = [motors.get(name) for name in model.equations.driven]
    return bool(driven) and all(m is not None and model.number(m.ratio * m.kt * m.efficiency) != 0.0 for m in driven)


def motor_constants(model: Model) -> tuple[Doubles, Doubles]:
    """gain and back of tau = gain u − back q̇, for each driven coordinate."""
    if not model.equations.motors:
        raise BadInput(f"{model.name} has no motor; give tau instead of a voltage")
    made = model.call("motors")
    if (made["gain"] == 0.0).any():
        raise BadInput(f"{model.name}: no motor is known for this parameter set (its torque constant is 0); give tau")
    return made["gain"], made["back"]
