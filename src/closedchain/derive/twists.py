"""Closures by twists: A where bodies of space move by velocities and angular velocities, not by rates of angles.

Roll, pitch and yaw lose a direction at a pitch of ±90°, the robot does not: rank, condition, margins and determinants
are told of this matrix. Its rows are the legs' Plücker lines times twice their lengths.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from closedchain.derive.mechanics import Mechanics, axis_names
from closedchain.derive.symbolic import CASADI
from closedchain.derive.turning import Turn
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import Arithmetic, evaluate_all


def twist_jacobian(
    A: ca.SX, equations: Equations, names: Mapping[str, ca.SX | Turn], arithmetic: Arithmetic = CASADI
) -> ca.SX:
    """A with an angular velocity for the rates of roll, pitch and yaw of each body that turns in every way.

    The closures know such a body's orientation by its axes a₁, a₂, a₃ alone, which turn by ȧ = ω × a:

        φ̇ = Σ ∂φ/∂aⱼ · (ω × aⱼ),   so the columns of ω are Σ aⱼ × ∂φ/∂aⱼ

    ω is in the axes of what carries the body: the ground's for a free one. `names` are the values of z and parameters.
    """
    mechanism = equations.mechanism
    if mechanism is None or not mechanism.orientations:
        return A
    bodies = tuple(mechanism.orientations)
    axes = {body: ca.SX.sym(body.name, 9) for body in bodies}
    known = {**names, **{n: axes[body][i] for body in bodies for i, n in enumerate(axis_names(body))}}
    residuals = [closure.residual for closure in equations.closures]
    phi = ca.vertcat(*evaluate_all(residuals, known, arithmetic))
    columns, made = [c.name for c in equations.x], ca.SX(A)
    for body, turns in mechanism.orientations.items():
        slopes = ca.jacobian(phi, axes[body])
        by_spin = ca.SX(A.shape[0], 3)
        for j in range(3):
            axis, own = axes[body][3 * j : 3 * j + 3], slopes[:, 3 * j : 3 * j + 3]
            by_spin += ca.mtimes(own, -ca.skew(axis))  # g · (ω × a) = ω · (a × g) = (−g [a]×) ω
        for k, name in enumerate(turns):
            made[:, columns.index(name)] = by_spin[:, k]
    rolled = Mechanics(mechanism)
    values = evaluate_all([e for b in bodies for axis in rolled.turned_axes(b) for e in axis], names, arithmetic)
    return ca.substitute(made, ca.vertcat(*axes.values()), ca.vertcat(*values))
