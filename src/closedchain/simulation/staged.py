"""The plant in Python, stage by stage: for forces that are functions of (t, state), and for references by DOP853."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

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


class Motion(Protocol):
    """Moves the plant over some steps under a held command; a payload that changes is another `real`."""

    real: Model
    current: Doubles  # (nd,) [A] of inductive motors, as they are now; (0,) where currents are no states

    def __call__(self, t: float, state: State, command: Doubles, time: Clock) -> tuple[State, Works, float]:
        """The state after an interval, the works done, and the time that passed."""


class Staged:
    """Moves over an interval by RK4, or by an adaptive method of order 8 at rounding; back onto the closures.

    Where the matrix that a law inverts becomes singular on the way, an adaptive move ends behind that.
    """

    def __init__(self, real: Model, output: str, method: str, loads: Loads | None = None, inverts: str = "") -> None:
        if output == "velocity":
            raise BadInput(
                f"{method} integrates efforts and voltages; the kinematic plant moves as commanded, by rk4 and "
                "whatever forces act on it"
            )
        if method not in STAGED:
            raise BadInput(f"forces that are functions are integrated by {' or '.join(STAGED)}, not by {method}")
        self.real, self.output, self.method, self.loads, self.inverts = real, output, method, loads, inverts
        self.current = no_currents(real, output)

    def __call__(self, t: float, state: State, command: Doubles, time: Clock) -> tuple[State, Works, float]:
        real, slope = self.real, self.slope(command)
        y = np.concatenate([state.z, state.z_dot, self.current, np.zeros(2)])
        if self.method == "dop853":
            solved = integrate.solve_ivp(slope, (t, t + time.interval), y, method="DOP853", **PRECISE)
            last = _across(real, self.inverts, state, solved.y)
            whole = solved.success and last == solved.y.shape[1] - 1
            passed = time.interval if whole else float(solved.t[last]) - t
            self.current = let_through(real, currents_of(real, solved.y[:-2, last]))
            return projected(real, state_of(real, solved.y[:, last])), solved.y[-2:, last], passed
        for k in range(time.substeps):
            y = _rk4(slope, t + k * time.h, y, time.h)
            if not np.isfinite(y).all():
                return state_of(real, y), y[-2:], (k + 1) * time.h
            now = projected(real, state_of(real, y))
            self.current = let_through(real, currents_of(real, y[:-2]))
            y = np.concatenate([now.z, now.z_dot, self.current, y[-2:]])
        return state_of(real, y), y[-2:], time.interval

    def slope(self, command: Doubles) -> Slope:
        """d/dt of (z, ż, currents, both works)."""
        real, loads = self.real, self.loads

        def slope(t: float, y: Doubles) -> Doubles:
            now = state_of(real, y)
            robot = loads.at(t, now) if loads is not None else real
            tau, rate = powered(real, self.output, command, now, currents_of(real, y[:-2]))
            motion, flows = forward_dynamics(robot, now, tau), energy(robot, now)
            power = float(tau @ now.q_dot[list(real.driven)] - flows.dissipated + flows.applied)
            return np.concatenate([now.z_dot, motion.q_ddot, motion.x_ddot, rate, [power, float(flows.applied)]])

        return slope


# Motors whose currents are states ------------------------------------------------------------------


def no_currents(real: Model, output: str) -> Doubles:
    """The currents at the beginning; none where they are no states."""
    return np.zeros(len(real.driven) if output == "voltage" and real.equations.inductive else 0)


def powered(real: Model, output: str, command: Doubles, now: State, current: Doubles) -> tuple[Doubles, Doubles]:
    """The efforts of a command, and the rates of the currents that are states."""
    if output != "voltage":
        return command, current
    if not current.size:
        return motor_efforts(real, command, now.q_dot), current
    made = real.call("driving", u=command, q_dot=now.q_dot, current=current)
    return made["tau"], made["rate"]


def let_through(real: Model, current: Doubles) -> Doubles:
    """Within what the amplifiers let through."""
    if not current.size:
        return current
    motors = {m.drive: m.most_current for m in real.equations.motors}
    found = [motors.get(name) for name in real.equations.driven]
    most = np.array([np.inf if m is None else real.number(m) for m in found])
    return np.clip(current, -most, most)


def currents_of(real: Model, y: Doubles) -> Doubles:
    """What stands behind (z, ż)."""
    return y[2 * (real.nq + real.nx) :]


# Steps ---------------------------------------------------------------------------------------------


def _across(real: Model, inverts: str, begin: State, y: Doubles) -> int:
    """The first of the solver's steps behind a singularity; the last one where there is none."""
    last = y.shape[1] - 1
    steps = range(1, last) if inverts else ()
    return next((k for k in steps if meets_singularity(real, inverts, begin, state_of(real, y[:, k]))), last)


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
