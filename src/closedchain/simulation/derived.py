"""What follows from a run's states and commands: passive joints, accelerations, multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.model.dynamics import forward_dynamics, motor_efforts
from closedchain.model.kinematics import direct_rates
from closedchain.model.model import Model
from closedchain.model.state import State


@dataclass(frozen=True, eq=False)
class Derived:
    """Histories (T, …) under the command held from each instant on; what does not exist is not there."""

    arrays: dict[str, Doubles]  # q_ddot, x_ddot, lam, passive, passive_dot, passive_ddot
    missing: str = ""  # why there are no accelerations


def derived(model: Model, state: State, command: Doubles, output: str) -> Derived:
    """Accelerations and multipliers by forward dynamics; of the kinematic plant, whose drives keep their velocity,
    accelerations of the output alone. Then the passive joints with their rates."""
    arrays: dict[str, Doubles] = {}
    missing = ""
    try:
        arrays = _accelerations(model, state, command, output)
    except ClosedChainError as error:
        missing = f"no accelerations and multipliers are written: {error}"
    if model.equations.readouts:
        z_ddot = np.concatenate([arrays["q_ddot"], arrays["x_ddot"]], axis=-1) if arrays else 0 * state.z_dot
        places = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "x_dot": state.x_dot}
        made = model.call("readings", **places, z_ddot=z_ddot)
        names = ("passive", "passive_dot", *(("passive_ddot",) if arrays else ()))
        arrays |= {name: made[name] for name in names}
    return Derived(arrays, missing)


def _accelerations(model: Model, state: State, command: Doubles, output: str) -> dict[str, Doubles]:
    if output == "velocity":
        still = np.zeros_like(state.q_dot)
        x_ddot = direct_rates(model, state.q, state.x, state.q_dot, still)[1] if model.nx else state.x_dot
        return {"q_ddot": still, "x_ddot": np.asarray(x_ddot)}
    tau = motor_efforts(model, command, state.q_dot) if output == "voltage" else command
    moved = forward_dynamics(model, state, tau)
    return {"q_ddot": moved.q_ddot, "x_ddot": moved.x_ddot, "lam": moved.lam}
