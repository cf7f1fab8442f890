"""The biglide in Pinocchio with the settings that serve it best, for one `constraintDynamics`.

The loop is a 3-D point constraint between the bars' ends. A planar loop leaves its z row zero, so the proximal `mu`
must not be 0 (that gives NaN everywhere); with 1e-10 the accelerations agree to 1e-11 or better. The tip's mass is
halved between the two ends (exact for a point), so that no bar is massless.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pinocchio as pin

from .biglide import BAR, FOOT_MASS, GAUGE, TIP_MASS, Array, State, in_tree

TOLERANCE = 1e-11  # of the accelerations
ACCURACY, MU, ITERATIONS = 1e-12, 1e-10, 10


def describe() -> tuple[pin.Model, pin.RigidConstraintModel]:
    """The tree (foot 1, bar 1, foot 2, bar 2) and the pin that closes it."""
    model, ends = pin.Model(), []
    tip = pin.SE3(np.eye(3), np.array([BAR, 0.0, 0.0]))
    for i, at in ((1, -GAUGE / 2), (2, GAUGE / 2)):
        rail = pin.SE3(np.eye(3), np.array([at, 0.0, 0.0]))
        foot = model.addJoint(0, pin.JointModelPY(), rail, f"q{i}")
        bar = model.addJoint(foot, pin.JointModelRZ(), pin.SE3.Identity(), f"phi{i}")
        model.appendBodyToJoint(foot, _point(FOOT_MASS), pin.SE3.Identity())
        model.appendBodyToJoint(bar, _point(TIP_MASS / 2), tip)
        ends.append(bar)
    model.gravity = pin.Motion.Zero()
    first, second = ends
    return model, pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, first, tip, second, tip, pin.ReferenceFrame.LOCAL
    )


def forward(state: State) -> Callable[[], object]:
    """A call of constraintDynamics with its arguments ready."""
    model, loop = describe()
    data = model.createData()  # after the last joint
    loops, loops_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    loops.append(loop)
    loops_data.append(loop.createData())
    pin.initConstraintDynamics(model, data, loops, loops_data)
    settings = pin.ProximalSettings(ACCURACY, MU, ITERATIONS)
    q, v = in_tree(state.q, state.phi), in_tree(state.q_dot, state.phi_dot)
    tau = in_tree(state.tau, np.zeros(2))
    return partial(pin.constraintDynamics, model, data, q, v, tau, loops, loops_data, settings)


def accelerations(state: State) -> Array:
    """What constraintDynamics answers for (q1, phi1, q2, phi2)."""
    return np.array(forward(state)())


def _point(mass: float) -> pin.Inertia:
    return pin.Inertia(mass, np.zeros(3), np.zeros((3, 3)))
