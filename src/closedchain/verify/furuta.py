"""The rotary pendulum as bodies: an arm on a vertical hinge, a pendulum on a hinge along the arm.

Written from the drawing, not from the robot's energies, so that an engine built from it is a second opinion on them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from closedchain.exchange.tree import GROUND, Body, Frame, Joint, Tree

X, Y, Z = np.eye(3)


def furuta_tree(values: Mapping[str, float]) -> Tree:
    """At zero the arm lies along x and the pendulum stands up (or hangs, where `up` is −1).

    A turn by q2 about +x takes a pendulum that stands along +z towards −y. The robot's drawing takes it towards
    sense · y, so the hinge's axis is −sense · up · x.
    """
    v = values
    upwards = v["up"] * Z
    across = np.diag([1.0, 1.0, 0.0]) * v["J_2"] + np.diag([0.0, 0.0, 1.0]) * v["J_2x"]
    rotor = v["k_r"] ** 2 * v["J_m"]
    arm = Body(
        "arm",
        GROUND,
        joints=(Joint("q1", "hinge", Z, damping=v["b_1"], armature=rotor),),
        mass=v["m_1"],
        centre=v["c_1"] * X,
        inertia=v["J_1"] * np.eye(3),
    )
    pendulum = Body(
        "pendulum",
        "arm",
        position=v["L_1"] * X,
        joints=(Joint("q2", "hinge", -v["sense"] * v["up"] * X, damping=v["b_2"]),),
        mass=v["m_2"],
        centre=v["c_2"] * upwards,
        inertia=across,
    )
    return Tree(
        "furuta",
        (arm, pendulum),
        frames=(Frame("P", "pendulum", v["L_2"] * upwards),),
        gravity=-v["g"] * Z,
        drives=("q1", "q2"),
        output="P",
    )
