"""The dynamics along a path: what the efforts are as functions of ṡ and s̈."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, numbers
from closedchain.model.course import Course
from closedchain.model.dynamics import inverse_dynamics
from closedchain.model.model import Model
from closedchain.model.state import State

NOT_LINEAR = 1e-6  # relative: friction that does not grow in proportion to the speed


@dataclass(frozen=True, eq=False)
class PathDynamics:
    """τ = a s̈ + b ṡ² + f ṡ + g and q̈ = q′ s̈ + q″ ṡ² at points of a path; each (k, n)."""

    q_s: Doubles  # q′, so that q̇ = q′ ṡ
    q_ss: Doubles  # q″
    a: Doubles  # M q′
    b: Doubles  # M q″ and the forces that grow with the square of the speed
    f: Doubles  # viscous friction at ṡ = 1
    g: Doubles  # weights and springs

    def efforts(self, s_ddot: Doubles, s_dot: Doubles) -> Doubles:
        """τ (k, n) at each point for its own s̈ and ṡ."""
        u, v = s_ddot[:, None], s_dot[:, None]
        return self.a * u + self.b * v**2 + self.f * v + self.g


def path_dynamics(model: Model, made: Course) -> PathDynamics:
    """The coefficients, from five evaluations of τ = M q̈ + c(q, q̇) on the whole batch.

    c is a quadratic of q̇: c(0) = g, and its even and odd parts at ± q′ are b (with q̈ = q″) and f.
    """
    q_s, q_ss = made.q_dot, made.q_ddot
    zero = np.zeros_like(q_s)

    def tau(scale: float, q_ddot: Doubles) -> Doubles:
        return inverse_dynamics(model, State(made.q, made.x, scale * q_s, scale * made.x_dot), q_ddot)

    g = tau(0.0, zero)
    a = tau(0.0, q_s) - g
    ahead, back = tau(1.0, q_ss) - g, tau(-1.0, q_ss) - g
    b, f = (ahead + back) / 2, (ahead - back) / 2
    double = tau(2.0, 4 * q_ss) - g
    size = np.abs(ahead).max(initial=0.0) + np.abs(g).max(initial=0.0) + 1e-300
    misfit = np.abs(double - 4 * b - 2 * f)
    if misfit.max(initial=0.0) > NOT_LINEAR * size:
        at = numbers(made.q[int(np.argmax(misfit.max(axis=-1)))])
        raise BadInput(
            f"{model.name}: at q = {at} the friction is not proportional to the speed; "
            "time_optimal handles inertia, weights, springs and viscous friction"
        )
    return PathDynamics(q_s, q_ss, a, b, f, g)
