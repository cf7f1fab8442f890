"""A platform on a screw: straight motions, screws and splines of a body in space, and what the six legs do.

The platform of `gough` turns about its own upright axis by 20° while it rises by 0.1 m. By symmetry the legs of one
hand stay equal, and a leg's length is √(1 + 0.6² − 2 · 0.6 cos γ + z²) with γ the angle between its two joints.
A screw, a straight motion and a spline each have exact rates up to the jerk.
"""

import numpy as np

import closedchain as cc
from closedchain import motion


def main() -> float:
    """The length of the first leg at the end of the screw [m]."""
    robot = cc.load("gough")
    home = [0, 0, 1.2, 0, 0, 0]

    turn = motion.screw_about(home, at=[0, 0, 0], axis=[0, 0, 1], angle=np.radians(20), advance=0.1, duration=2.0)
    legs = motion.joint(robot, turn)  # q with three exact rates
    print("legs at the end [m]  ", legs(2.0).x.round(6))
    print("fastest on the way   ", np.abs(legs(np.linspace(0, 2, 201)).x_dot).max(axis=0).round(4), "m/s")

    there = turn(2.0).x
    same = motion.screw(home, there, duration=2.0)  # the screw between two poses is that one
    print("the screw between its ends is it:", np.abs(same(0.7).x - turn(0.7).x).max() < 1e-14)

    through = motion.pose_spline(np.array([home, [0.05, 0.0, 1.25, 0.1, 0.0, 0.3], there]), times=[0.0, 1.0, 2.0])
    report = motion.check_limits(robot, through, velocity=0.5)
    print("a spline through a tilted pose keeps 0.5 m/s:", report.within)

    # Six motors follow the screw by computed torque in the platform's own coordinates, commanded every 5 ms. The file
    # `gough-screw` is the same about a line beside the platform: `closedchain simulate gough-screw`.
    run = cc.simulate(robot, cc.ComputedTorque(turn, kp=100, kd=20), duration=2.0, interval=0.005)
    print("off the screw's end  ", np.abs(run.final.x - there).max(), "m, rad")
    return float(legs(2.0).x[0])


if __name__ == "__main__":
    main()
