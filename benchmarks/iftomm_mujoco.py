"""N windows in MuJoCo: hinges, one `connect` for each window, as stiff as the step bears; its sparse Jacobian.

The equality is soft by design, and it is the engine's: twice the step as its time constant is the stiffest that is
stable. Newton's solver, the default, was fastest here.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from .biglide import Array

ROD = '<inertial pos="{} 0 {}" mass="1" diaginertia="{} 0.083333333333 {}"/>'
SPIN = 1e-9  # [kg m²] about a bar's own line, which MuJoCo wants positive


def describe(N: int, integrator: str, step: float) -> str:
    """The chain as MJCF, in the plane of x and z."""
    option = f'<option gravity="0 0 -9.81" timestep="{step}" integrator="{integrator}" jacobian="sparse">'
    parts = [f'<mujoco>{option}<flag contact="disable"/></option>']
    parts.append(f'<default><equality solref="{2 * step} 1"/></default><worldbody>')
    hinge = '<joint type="hinge" axis="0 1 0"/>'
    for i in range(N + 1):
        parts.append(f'<body name="u{i}" pos="{i} 0 0">{hinge}' + ROD.format(0, 0.5, 1 / 12, SPIN))
        if i < N:
            parts.append(f'<body name="c{i}" pos="0 0 1">{hinge}' + ROD.format(0.5, 0, SPIN, 1 / 12) + "</body>")
        parts.append("</body>")
    parts.append("</worldbody><equality>")
    parts += [f'<connect body1="c{i}" body2="u{i + 1}" anchor="1 0 0"/>' for i in range(N)]
    return "".join([*parts, "</equality></mujoco>"])


def windows(N: int, integrator: str, step: float, steps: int) -> Callable[[], Array]:
    """A call that makes `steps` steps from the start and returns x, z of the first top joint."""
    model = mujoco.MjModel.from_xml_string(describe(N, integrator, step))
    data = mujoco.MjData(model)
    turning = [model.body(f"u{i}").jntadr[0] for i in range(N + 1)]
    level = [model.body(f"c{i}").jntadr[0] for i in range(N)]
    top = model.body("c0").id

    def run() -> Array:
        mujoco.mj_resetData(model, data)
        data.qvel[turning], data.qvel[level] = 1.0, -1.0
        for _ in range(steps):
            mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        return np.array(data.xpos[top][[0, 2]])

    return run
