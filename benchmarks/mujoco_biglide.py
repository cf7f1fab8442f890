"""The biglide in MuJoCo with the settings that serve it best, for one `mj_forward` at a consistent state.

The loop is an equality `connect` between the bars' ends. MuJoCo's equalities are soft by design: `solimp` is set nearly
rigid, which leaves 1e-4 of the acceleration. The tip's mass is halved between the two ends (exact for a point): a
nearly massless bar would spoil the regularisation, which scales with the inverse weight.
Efforts go straight into `qfrc_applied`, and every stage that has no work here is off. Newton's method takes one
iteration, with or without a warm start; sparse matrices and conjugate gradients were tried and are slower.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import mujoco
import numpy as np

from .biglide import BAR, FOOT_MASS, GAUGE, TIP_MASS, Array, State, in_tree

TOLERANCE = 2e-4  # of the accelerations: what the soft equality leaves
_POINT = "1e-9 1e-9 1e-9"  # MuJoCo wants an inertia [kg m²]; this one is 5e-9 of a bar end's m l²
_LEG = """
    <body name="foot{i}" pos="{at} 0 0">
      <joint name="q{i}" type="slide" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="{foot}" diaginertia="{point}"/>
      <body name="bar{i}">
        <joint name="phi{i}" type="hinge" axis="0 0 1"/>
        <inertial pos="{bar} 0 0" mass="{end}" diaginertia="{point}"/>
        <site name="end{i}" pos="{bar} 0 0"/>
      </body>
    </body>"""
_ROBOT = """
<mujoco model="biglide">
  <compiler angle="radian"/>
  <option gravity="0 0 0" solver="Newton" jacobian="dense" tolerance="1e-15" iterations="50">
    <flag contact="disable" limit="disable" frictionloss="disable" gravity="disable" spring="disable" damper="disable"
          actuation="disable" sensor="disable" island="disable"/>
  </option>
  <worldbody>{legs}
  </worldbody>
  <equality>
    <connect site1="end1" site2="end2" solref="0.002 1" solimp="0.9999 0.9999 0.001"/>
  </equality>
</mujoco>"""


def describe() -> str:
    """The robot as MJCF."""
    sizes = {"foot": FOOT_MASS, "end": TIP_MASS / 2, "bar": BAR, "point": _POINT}
    return _ROBOT.format(legs="".join(_LEG.format(i=i, at=at, **sizes) for i, at in ((1, -GAUGE / 2), (2, GAUGE / 2))))


def forward(state: State) -> Callable[[], object]:
    """mj_forward alone, the state and its efforts already in place."""
    return partial(mujoco.mj_forward, *_prepare(state))


def hand_over_and_forward(state: State) -> Callable[[], object]:
    """The state and its efforts copied in, then mj_forward: what a call with arguments does."""
    model, data = _prepare(state)
    q, v, tau = data.qpos.copy(), data.qvel.copy(), data.qfrc_applied.copy()
    places, mj_forward = (data.qpos, data.qvel, data.qfrc_applied), mujoco.mj_forward

    def call() -> object:
        places[0][:], places[1][:], places[2][:] = q, v, tau
        mj_forward(model, data)
        return data.qacc

    return call


def accelerations(state: State) -> Array:
    """What mj_forward answers for (q1, phi1, q2, phi2)."""
    model, data = _prepare(state)
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)


def _prepare(state: State) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(describe())
    data = mujoco.MjData(model)
    data.qpos[:] = in_tree(state.q, state.phi)
    data.qvel[:] = in_tree(state.q_dot, state.phi_dot)
    data.qfrc_applied[:] = in_tree(state.tau, np.zeros(2))
    return model, data
