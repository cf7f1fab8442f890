"""Every model of a group against the simulated robot while it oscillates, beside what the same test gave with Gazebo.

closedchain lab run examples/11_lab/model_eval.py
"""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from closedchain_lab import Robot

SECONDS = 20  # of simulation
GAZEBO = {  # largest errors that a report on the lab published (LAB.md)
    "DGM": 9e-7, "DKM": 6e-5, "DKM2": 5e-3, "passive": 7e-6, "passive D": 5.6e-4, "passive DD": 6e-2,
    "IGM": 1.3e-6, "IKM": 1.1e-4, "IKM2": 8.9e-3, "dynamics": 1.6e-2,
}  # fmt: skip
models = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("biglide_models.py"))))


def compare(robot):
    """What the robot measured, less what each model says."""
    left, right, tip = robot.active_left_joint, robot.active_right_joint, robot.end_effector
    p1, p2 = robot.passive_left_joint, robot.passive_right_joint
    q = left.position, p1.position, right.position, p2.position
    qD = left.velocity, p1.velocity, right.velocity, p2.velocity
    qaD, qaDD = (left.velocity, right.velocity), (left.acceleration, right.acceleration)
    x, xD = (tip.position_x, tip.position_y), (tip.velocity_x, tip.velocity_y)
    xDD = tip.acceleration_x, tip.acceleration_y
    M, c = models.dynamic_model(*q, *qD)
    pairs = {
        "DGM": (x, models.dgm(q[0], q[2], -1)),
        "DKM": (xD, models.dkm(*q, *qaD)),
        "DKM2": (xDD, models.dkm2(*q, *qD, *qaDD)),
        "passive": ((q[1], q[3]), models.dgm_passive(q[0], q[2], -1)),
        "passive D": ((qD[1], qD[3]), models.dkm_passive(*q, *qaD, *xD)),
        "passive DD": ((p1.acceleration, p2.acceleration), models.dkm2_passive(*q, *qD, *qaDD, *xDD)),
        "IGM": ((q[0], q[2]), models.igm(*x, -1, -1)),
        "IKM": (qaD, models.ikm(*q, *xD)),
        "IKM2": (qaDD, models.ikm2(*q, *qD, *xDD)),
        "dynamics": ((left.effort, right.effort), M @ qaDD + c),
    }
    return {name: np.abs(np.subtract(*pair)).max() for name, pair in pairs.items()}


def main() -> float:
    """The largest error of all models of positions and velocities."""
    robot = Robot("biglide")
    largest = dict.fromkeys(GAZEBO, 0.0)
    mean = dict.fromkeys(GAZEBO, 0.0)
    robot.start_oscillate()
    while robot.get_time() < SECONDS:
        if robot.data_updated():
            errors = compare(robot)
            largest = {name: max(largest[name], error) for name, error in errors.items()}
            mean = {name: mean[name] + error * 0.01 / SECONDS for name, error in errors.items()}
            robot.continue_oscillations()
    print("model       mean error   largest   with Gazebo")
    for name in GAZEBO:
        verdict = "OK" if mean[name] < 1e-3 else "error in model"
        print(f"{name:10}  {mean[name]:10.1e}  {largest[name]:8.1e}  {GAZEBO[name]:12.1e}  {verdict}")
    return max(largest[name] for name in ("DGM", "DKM", "passive", "passive D", "IGM", "IKM"))


if __name__ == "__main__":
    main()
