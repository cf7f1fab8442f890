"""All models at a state, in one pass."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.elements import Body
from closedchain.errors import BadInput
from closedchain.model.configurations import Configurations
from closedchain.model.dynamics import (
    efforts_and_multipliers,
    forward_dynamics,
    full_accelerations,
    motor_efforts,
    motor_voltages,
    under,
)
from closedchain.model.forces import Forces
from closedchain.model.geometry import direct, output_vectors
from closedchain.model.kinematics import check_type2, inverse_rates, output_rates
from closedchain.model.model import Model
from closedchain.model.passive import passive_matrices
from closedchain.model.solutions import mode_of_each, plain_mode
from closedchain.model.state import State, standing
from closedchain.model.state import state as make_state
from closedchain.shown import Shown


@dataclass(frozen=True, eq=False)
class Evaluation(Shown):
    """Every model at a state; arrays have the batch in front, and are None where the robot has no such thing."""

    robot: str
    q: Doubles
    q_dot: Doubles
    q_ddot: Doubles
    M: Doubles  # (*b, nq, nq) τ = M q̈ + c
    c: Doubles  # (*b, nq)
    tau: Doubles  # (*b, driven) [N, N m]
    kinetic: Doubles  # [J]
    potential: Doubles  # [J]
    x: Doubles | None = None
    x_dot: Doubles | None = None
    x_ddot: Doubles | None = None
    passive: Doubles | None = None  # (*b, readouts)
    passive_dot: Doubles | None = None
    passive_ddot: Doubles | None = None
    A: Doubles | None = None  # (*b, closures, nx)
    B: Doubles | None = None  # (*b, closures, nq)
    A_dot: Doubles | None = None
    B_dot: Doubles | None = None
    J: Doubles | None = None  # (*b, nx, nq)
    b: Doubles | None = None  # (*b, nx) ẍ − J q̈
    lam: Doubles | None = None  # (*b, closures)
    det_A: Doubles | None = None
    det_B: Doubles | None = None
    A_q: Doubles | None = None  # (*b, joints, joints) A_q q̇_d + B_q q̇ = 0; q_d are model.passive_loops.joints
    B_q: Doubles | None = None  # (*b, joints, nq)
    J_q: Doubles | None = None  # (*b, joints, nq) −A_q⁻¹B_q
    A_q_dot: Doubles | None = None
    B_q_dot: Doubles | None = None
    J_q_dot: Doubles | None = None
    A_u: Doubles | None = None  # (*b, legs, nx) A_u ẋ = B_u q̇, the closures along the legs' unit vectors u
    B_u: Doubles | None = None  # (*b, legs, nq)
    A_u_dot: Doubles | None = None
    B_u_dot: Doubles | None = None
    d_u: Doubles | None = None  # (*b, legs) A_u ẍ = B_u q̈ − d_u
    A_p: Doubles | None = None  # (*b, legs, nx) A_p ẋ = B_p q̇ + l_p φ̇, across the legs; φ from the x axis
    B_p: Doubles | None = None  # (*b, legs, nq)
    A_p_dot: Doubles | None = None
    B_p_dot: Doubles | None = None
    d_p: Doubles | None = None  # (*b, legs) A_p ẍ = B_p q̈ + l_p φ̈ + d_p
    l_p: Doubles | None = None  # (*b, legs) [m] the legs' lengths
    twist: Doubles | None = None  # (*b, 6) of a body in space: velocity of its origin, angular velocity; ground's axes
    J_twist: Doubles | None = None  # (*b, 6, nq) twist = J_twist q̇
    wrench: Doubles | None = None  # (*b, 6) that closures exert on it: force, moment about its origin; ground's axes
    assembly: Any = None  # the sign of det A, or the mode's full name where it was asked for
    working: Any = None  # the sign of each leg with a choice
    voltage: Doubles | None = None  # (*b, driven) [V] where there are motors

    @property
    def h(self) -> Doubles:
        """The other name of c, where there are no closures."""
        return self.c

    def items(self) -> dict[str, Any]:
        """What there is, by name."""
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) is not None}


def evaluate(
    model: Model,
    *,
    q: ArrayLike | None = None,
    q_dot: ArrayLike | None = None,
    q_ddot: ArrayLike | None = None,
    assembly: str | None = None,
    x: ArrayLike | None = None,
    x_dot: ArrayLike | None = None,
    x_ddot: ArrayLike | None = None,
    working: str | None = None,
    tau: ArrayLike | None = None,
    voltage: ArrayLike | None = None,
    state: State | None = None,
    forces: Forces | None = None,
    torques: Forces | None = None,
) -> Evaluation:
    """Every model at a state given by the drives (and an assembly mode) or by the output (and a working mode).

    A known configuration is given by q and x together, or with its rates as `state`: that works without a closed form.

    Accelerations are given as q_ddot or x_ddot, or follow from efforts `tau` or motor voltages; zero unless given.
    External `forces` on points and `torques` on bodies, by name, are part of c: numbers, or functions of (t, state).
    """
    given = [
        n for n, v in {"q_ddot": q_ddot, "x_ddot": x_ddot, "tau": tau, "voltage": voltage}.items() if v is not None
    ]
    if len(given) > 1:
        raise BadInput(f"{model.name}: {' and '.join(given)} were both given; one of them decides the accelerations")
    if model.nx == 0 and any(v is not None for v in (x, x_dot, x_ddot)):
        raise BadInput(f"{model.name} has no output x; give q, q_dot and tau, voltage or q_ddot")
    now = standing(model, state, q=q, x=x, q_dot=q_dot, x_dot=x_dot, assembly=assembly, working=working)
    if now is None:
        now = make_state(model, q=q, x=x, q_dot=q_dot, x_dot=x_dot, assembly=assembly, working=working)
        told = assembly if assembly is not None or q is None or x is not None else _nearest_mode(model, now)
    else:
        told = None
    if x_ddot is not None and (x_ddot := output_vectors(model, x_ddot, "x_ddot")).shape[-1] < model.nx:
        own = now.x_dot[..., : model.outputs]
        x_ddot = output_rates(model, now.q, now.x, own, x_ddot)[1][..., model.nq :]
    model = under(model, now, forces, torques)
    accelerations = _accelerations(model, now, q_ddot, x_ddot, tau, voltage)
    made = model.call("evaluate", q=now.q, x=now.x, q_dot=now.q_dot, q_ddot=accelerations)
    if model.nx:
        check_type2(model, made.pop("margin"))
    if x_ddot is not None:
        made |= _from_output(model, now, accelerations, vectors(x_ddot, model.nx, "x_ddot"))
    efforts = made.pop("tau")[..., list(model.driven)]
    shape = efforts.shape[:-1]
    made |= {"q": now.q, "q_dot": now.q_dot, "q_ddot": accelerations, "tau": efforts}
    made |= _modes(model, now, told, working) | ({"x": now.x} if model.nx else {})
    made |= passive_matrices(model, now) | _in_space(model, now, made)
    linear = bool(model.equations.motors) and all(m.linear for m in model.equations.motors)
    if linear and (model.call("motors")["gain"] != 0.0).all():
        made["voltage"] = motor_voltages(model, efforts, now.q_dot)
    vectors_ = {"q", "q_dot", "q_ddot", "x"}
    made = {k: np.broadcast_to(v, shape + v.shape[-1:]) if k in vectors_ else v for k, v in made.items()}
    return Evaluation(robot=model.name, **made)


def _accelerations(
    model: Model,
    now: State,
    q_ddot: ArrayLike | None,
    x_ddot: ArrayLike | None,
    tau: ArrayLike | None,
    voltage: ArrayLike | None,
) -> Doubles:
    if voltage is not None:
        tau = motor_efforts(model, voltage, now.q_dot)
    if tau is not None:
        return forward_dynamics(model, now, tau).q_ddot
    if x_ddot is not None:
        return inverse_rates(model, now.q, now.x, now.x_dot, vectors(x_ddot, model.nx, "x_ddot"))[1]
    if q_ddot is None:
        return np.zeros(model.nq)
    q_ddot = full_accelerations(model, now, q_ddot)
    if len(model.driven) < model.nq:
        efforts_and_multipliers(model, now, q_ddot)  # refuses what nothing drives
    return q_ddot


def _from_output(model: Model, now: State, q_ddot: Doubles, x_ddot: Doubles) -> dict[str, Doubles]:
    """What depends on ẋ and ẍ, from the given ones: accurate also beside a Type 2 singularity, where q̈ → ẍ is not."""
    rates = {"q": now.q, "x": now.x, "q_dot": now.q_dot, "x_dot": now.x_dot}
    made = model.call("efforts", **rates, q_ddot=q_ddot, x_ddot=x_ddot)
    found = {"tau": made["tau"], "lam": made["lam"], "x_dot": now.x_dot, "x_ddot": np.broadcast_to(x_ddot, now.x.shape)}
    if model.equations.readouts:
        z_ddot = np.concatenate([q_ddot, np.broadcast_to(x_ddot, (*q_ddot.shape[:-1], model.nx))], axis=-1)
        found |= model.call("readings", **rates, z_ddot=z_ddot)
    return found


def _in_space(model: Model, now: State, made: dict[str, Any]) -> dict[str, Doubles]:
    """The output's twist and what closures exert on it, where it is a body of space; the wrench of a free one."""
    output = model.mechanism.output if model.mechanism else None
    if not isinstance(output, Body):
        return {}
    rates = {"q_dot": now.q_dot, "x_dot": made["x_dot"]}
    found = {"twist": model.call("twist", q=now.q, x=now.x, **rates)["twist"]}
    each = {"q_dot": np.eye(model.nq), "x_dot": np.swapaxes(made["J"], -1, -2)}
    by_drive = model.call("twist", q=now.q[..., None, :], x=now.x[..., None, :], **each)["twist"]
    found["J_twist"] = np.swapaxes(by_drive, -1, -2)
    if output.joint is None:
        A = model.call("closures", q=now.q, x=now.x)["A_twist"][..., :6]
        found["wrench"] = np.einsum("...ij,...i->...j", A, made["lam"])
    return found


def _nearest_mode(model: Model, now: State) -> str | None:
    """The full name of the assembly mode that was chosen for being near, of one state; None where none was."""
    if not model.near or not model.nx or now.q.ndim != 1:
        return None
    found = direct(model, now.q, prove=False)
    return found.mode[int(np.argmin(np.abs(found.x - now.x).max(axis=-1)))]


def _modes(model: Model, now: State, assembly: str | None, asked: str | None) -> dict[str, Any]:
    """The names of the modes: strings for one state, arrays of strings for a batch."""
    if not model.nx:
        return {}
    shape = now.q.shape[:-1]
    rows = Configurations(model, now.q.reshape(-1, model.nq), now.x.reshape(-1, model.nx))
    signs = np.sign(rows.det_A()).astype(int)
    names = np.array(["-", "0", "+"])[signs + 1]
    full = np.full(len(names), assembly) if assembly else names
    working = mode_of_each(rows.working_signs())
    if not model.has_legs and model.inverse_blocks is None:
        working = np.full(len(working), "")  # the output does not tell the drives
    elif asked is not None and model.outputs < model.nx:
        working = np.full(len(working), plain_mode(asked))  # with the branches of what the output leaves open
    if shape == ():
        return {"assembly": str(full[0])} | ({"working": str(working[0])} if working[0] else {})
    return {"assembly": full.reshape(shape), "working": working.reshape(shape)}
