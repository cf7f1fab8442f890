"""The loop in MuJoCo: `mj_step` from Python with the law in plain floats, and `mujoco.rollout`, which is open loop.

RK4 with the equality as stiff as a 1 ms step bears keeps the tip to 1e-6 m; implicitfast and Euler are one evaluation a
step instead of four, and leave 1e-4 m. `rollout` cannot run a controller: it is given the efforts.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
from mujoco import rollout as mujoco_rollout

from .biglide import Array, in_tree
from .loop import INTERVAL, bars, law, table, tip
from .mujoco_biglide import describe

TOLERANCE = {"RK4": 1e-6, "Euler": 1e-3}  # [m] of the tip at the end


def prepare(integrator: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The model with its integrator and step."""
    model = mujoco.MjModel.from_xml_string(describe())
    model.opt.timestep = INTERVAL
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    return model, mujoco.MjData(model)


def loop(integrator: str, steps: int) -> Callable[[], Array]:
    """A call that runs `steps` periods in closed loop and returns the tip at the end."""
    model, data = prepare(integrator)
    rows = table()[:steps]
    begin, listed = in_tree(rows[0, :2], bars(rows[0, :2])), rows.tolist()
    qpos, qvel, force, step = data.qpos, data.qvel, data.qfrc_applied, mujoco.mj_step

    def run() -> Array:
        mujoco.mj_resetData(model, data)
        qpos[:] = begin
        for row in listed:
            q1, _, q2, _ = qpos.tolist()
            v1, _, v2, _ = qvel.tolist()
            force[0], force[2] = law(row, q1, q2, v1, v2)
            step(model, data)
        return tip(qpos[0], qpos[2])

    return run


def rollouts(integrator: str, efforts: Array, count: int, threads: int) -> Callable[[], Array]:
    """A call that makes `count` rollouts under the efforts (steps, 2) at once, and returns the tips at the end."""
    model, _ = prepare(integrator)
    datas = [mujoco.MjData(model) for _ in range(threads)]
    first = table()[0, :2]
    data = mujoco.MjData(model)
    data.qpos[:] = in_tree(first, bars(first))
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    begin = np.empty(size)
    mujoco.mj_getState(model, data, begin, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    force = np.zeros((count, len(efforts), 4))
    force[:, :, 0], force[:, :, 2] = efforts[:, 0], efforts[:, 1]
    states = np.empty((count, len(efforts), size))
    begins, models = np.tile(begin, (count, 1)), [model] * count
    pool = mujoco_rollout.Rollout(nthread=threads if threads > 1 else 0)

    def run() -> Array:
        pool.rollout(
            models,
            datas,
            begins,
            force,
            control_spec=mujoco.mjtState.mjSTATE_QFRC_APPLIED.value,
            skip_checks=True,
            nstep=len(efforts),
            state=states,
        )
        return np.array([tip(row[1], row[3]) for row in states[:, -1]])  # after the time: q1, phi1, q2, phi2

    return run
