"""Through a singularity: where the biglide's legs come into line no effort of its feet can push the tip one way.

At a Type 2 singularity the output has a motion t that the drives do not feel, A t = 0. Whatever the feet do, the tip
obeys tᵀ(M_z z̈ + h_z)_x = 0 there. A motion that asks for anything else needs infinite efforts; one that obeys it passes
with less than a newton. On the way one leg also lies flat (Type 1), which its own angle does not mind.
"""

import numpy as np

import closedchain as cc
from closedchain import motion
from closedchain.control import ComputedTorque, CrossingPD
from closedchain.simulation.plant import Plant
from closedchain.singularity.check import check_crossing

START, END = [0.0, 0.3], [-0.1, -0.15]


def main() -> float:
    """The larger of the two efforts at the singular instant [N]."""
    robot = cc.load("biglide")

    # From above the feet to below them: leg 1 turns over (++ to -+), then the assembly mode changes.
    planned = motion.cross(robot, START, END, duration=6.0, working="++", end_working="-+")
    report = check_crossing(robot, planned)
    print(report)

    # The same with the criterion broken: one of the criterion's newtons too much.
    broken = motion.cross(robot, START, END, duration=6.0, working="++", end_working="-+", push=1.0)
    print(check_crossing(robot, broken).type_2[0])

    # A robot that is heavier than its model crosses all the same when only its drives are asked.
    heavy = Plant(payload=0.15)
    run = cc.simulate(robot, CrossingPD(planned), working="++", plant=heavy)
    assert run.error is not None, "the law has a reference"
    print(f"PD and feed-forward: {np.abs(run.error).max() * 1e3:.2f} mm off at most, {np.abs(run.command).max():.2f} N")

    # Computed torque inverts A: it is thrown back, or stopped.
    start = cc.state(robot, x=START, working="++")
    plain = cc.simulate(robot, ComputedTorque(planned.joint, kp=100, kd=20), start=start, plant=heavy)
    away = np.linalg.norm(plain.x[-1] - END)
    print(f"computed torque: {away * 1e3:.0f} mm from its goal, {np.abs(plain.command).max():.0f} N")
    return float(np.abs(report.type_2[0].passage.tau).max())


if __name__ == "__main__":
    main()
