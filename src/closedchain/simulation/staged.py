"""The plant in Python, stage by stage: for forces that are functions of (t, state), and for references by DOP853."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.extras import Late
from closedchain.model.dynamics import energy, forward_dynamics, jacobian, mass_matrix, motor_efforts
from closedchain.model.forces import Loads
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.clock import Clock
from closedchain.simulation.endings import meets_singularity

integrate = Late("scipy.integrate")
PRECISE = {"rtol": 1e-13, "atol": 1e-15}
STAGED = ("rk4", "dop853")
Slope = Callable[[float, Doubles], Doubles]
Works = Doubles  # (2,) [J] of motors and external forces less what was dissipated; of external forces alone
Move = Callable[[float, State, Doubles, Clock], tuple[State, Works, float]]  # the state after, works, time that passed


def staged(real: Model, output: str, method: str, loads: Loads | None = None, inverts: str = "") -> Move:
    """Moves over an interval by RK4, or by an adaptive method of order 8 at rounding; back onto the closures.

    Where the matrix that a law inverts becomes singular on the way, an adaptive move ends behind that.
    """
    if output == "velocity":
        raise BadInput(
            f"{method} integrates efforts and voltages; the kinematic plant moves as commanded, by rk4 and whatever "
            "forces act on it"
        )
    if method not in STAGED:
        raise BadInput(f"forces that are functions are integrated by {' or '.join(STAGED)}, not by {method}")

    def move(t: float, state: State, command: Doubles, time: Clock) -> tuple[State, Works, float]:
        slope = _slope(real, output, command, loads)
        y = np.concatenate([state.z, state.z_dot, np.zeros(2)])
        if method == "dop853":
            solved = integrate.solve_ivp(slope, (t, t + time.interval), y, method="DOP853", **PRECISE)
            last = _across(real, inverts, state, solved.y)
            whole = solved.success and last == solved.y.shape[1] - 1
            passed = time.interval if whole else float(solved.t[last]) - t
            return projected(real, state_of(real, solved.y[:, last])), solved.y[-2:, last], passed
        for k in range(time.substeps):
            y = _rk4(slope, t + k * time.h, y, time.h)
            if not np.isfinite(y).all():
                return state_of(real, y), y[-2:], (k + 1) * time.h
            now = projected(real, state_of(real, y))
            y = np.concatenate([now.z, now.z_dot, y[-2:]])
        return state_of(real, y), y[-2:], time.interval

    return move


def _across(real: Model, inverts: str, begin: State, y: Doubles) -> int:
    """The first of the solver's steps behind a singularity; the last one where there is none."""
    last = y.shape[1] - 1
    steps = range(1, last) if inverts else ()
    return next((k for k in steps if meets_singularity(real, inverts, begin, state_of(real, y[:, k]))), last)


def _slope(real: Model, output: str, command: Doubles, loads: Loads | None) -> Slope:
    """d/dt of (z, ż, both works)."""

    def slope(t: float, y: Doubles) -> Doubles:
        now = state_of(real, y)
        robot = loads.at(t, now) if loads is not None else real
        tau = motor_efforts(real, command, now.q_dot) if output == "voltage" else command
        motion, flows = forward_dynamics(robot, now, tau), energy(robot, now)
        power = float(tau @ now.q_dot[list(real.driven)] - flows.dissipated + flows.applied)
        return np.concatenate([now.z_dot, motion.q_ddot, motion.x_ddot, [power, float(flows.applied)]])

    return slope


def _rk4(slope: Slope, t: float, y: Doubles, h: float) -> Doubles:
    a = slope(t, y)
    b = slope(t + h / 2, y + h / 2 * a)
    c = slope(t + h / 2, y + h / 2 * b)
    d = slope(t + h, y + h * c)
    return y + h / 6 * (a + 2 * b + 2 * c + d)


def state_of(real: Model, y: Doubles) -> State:
    """The state at the beginning of y = (z, ż, …)."""
    n, nz = real.nq, real.nq + real.nx
    return State(y[:n], y[n:nz], y[nz : nz + n], y[nz + n : 2 * nz])


def projected(real: Model, state: State) -> State:
    """Back onto φ = 0 and φ̇ = 0, weighed by mass."""
    if not real.equations.closures:
        return state
    z, v, n = state.z, state.z_dot, real.nq
    M = mass_matrix(real, z)
    Phi = jacobian(real, z)
    z = z - _pull(M, Phi) @ real.call("closures", q=z[:n], x=z[n:])["phi"]
    Phi = jacobian(real, z)
    v = v - _pull(M, Phi) @ (Phi @ v)
    return State(z[:n], z[n:], v[:n], v[n:])


def _pull(M: Doubles, Phi: Doubles) -> Doubles:
    """Φ's inverse weighed by mass; where closures imply others, the smallest one that closes them all."""
    M = M + np.trace(M) / np.sum(Phi**2) * Phi.T @ Phi
    response = np.linalg.solve(M, Phi.T)
    return np.asarray(response @ np.linalg.pinv(Phi @ response, rcond=1e-12, hermitian=True))
