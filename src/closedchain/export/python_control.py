"""A robot as a system of python-control: linear about an equilibrium, or nonlinear as it is."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.export.programs import check_inputs, check_moving, natural_inputs
from closedchain.extras import explain
from closedchain.model.dynamics import forward_dynamics, motor_efforts
from closedchain.model.linearisation import linearise
from closedchain.model.model import Model
from closedchain.model.state import State

try:
    import control  # type: ignore[import-untyped]
except ModuleNotFoundError as error:
    raise explain(error) or error from None


def state_space(
    model: Model,
    *,
    q: ArrayLike | None = None,
    x: ArrayLike | None = None,
    assembly: str | None = None,
    working: str | None = None,
    inputs: str | None = None,
) -> control.StateSpace:
    """The linear system about the equilibrium at q or x; states (q, q_dot) and inputs are deviations from it.

    Inputs are efforts ("tau") or motor voltages ("voltage"; the default where there are motors); outputs are x, or q
    where there is none.
    """
    chosen = inputs or natural_inputs(model)
    found = linearise(model, q=q, x=x, assembly=assembly, working=working, inputs=chosen)
    outputs = [name if name not in found.states else f"{name}_out" for name in found.outputs]
    return control.StateSpace(
        found.A,
        found.B,
        found.C,
        found.D,
        states=list(found.states),
        inputs=list(found.inputs),
        outputs=outputs,
        name=model.name.replace(":", "_"),
    )


def nonlinear_system(model: Model, *, inputs: str | None = None) -> control.NonlinearIOSystem:
    """The robot in full: states (q, x, q_dot, x_dot), outputs the same and the passive joints.

    The system's params are the robot's parameters. A start must close the loops, as the states of `cc.state` do; what
    an integrator lets them drift apart is not corrected.
    """
    chosen = inputs or natural_inputs(model)
    check_inputs(model, chosen)
    check_moving(model)
    e, n, nx = model.equations, model.nq, model.nx
    names = [c.name for c in e.z] + [c.rate.name for c in e.z]

    @lru_cache(maxsize=8)
    def changed(values: tuple[tuple[str, float], ...]) -> Model:
        return model.with_values(**dict(values)) if values else model

    def robot(params: dict[str, float]) -> Model:
        return changed(tuple((k, v) for k, v in params.items() if k in model.values and v != model.values[k]))

    def state(y: Doubles) -> State:
        return State(y[:n], y[n : n + nx], y[n + nx : 2 * n + nx], y[2 * n + nx :])

    def rate(t: float, y: Doubles, u: Doubles, params: dict[str, float]) -> Doubles:
        now, real = state(np.asarray(y, dtype=np.float64)), robot(params)
        tau = motor_efforts(real, u, now.q_dot) if chosen == "voltage" else u
        made = forward_dynamics(real, now, tau)
        return np.concatenate([now.z_dot, made.q_ddot, made.x_ddot])

    def output(t: float, y: Doubles, u: Doubles, params: dict[str, float]) -> Doubles:
        now = state(np.asarray(y, dtype=np.float64))
        if not e.readouts:
            return np.concatenate([now.z, now.z_dot])
        rates = {"q": now.q, "x": now.x, "q_dot": now.q_dot, "x_dot": now.x_dot, "z_ddot": np.zeros(n + nx)}
        return np.concatenate([now.z, now.z_dot, robot(params).call("readings", **rates)["passive"]])

    return control.NonlinearIOSystem(
        rate,
        output,
        params=dict(model.values),
        states=names,
        inputs=[f"{chosen}_{name}" for name in e.driven],
        outputs=[f"{name}_out" for name in names] + [r.name for r in e.readouts],
        name=model.name.replace(":", "_"),
    )


def stacked(state: State) -> Any:
    """A state as the nonlinear system's vector (q, x, q_dot, x_dot)."""
    return np.concatenate([state.q, state.x, state.q_dot, state.x_dot])
