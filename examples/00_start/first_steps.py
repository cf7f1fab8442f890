"""First steps: one robot, every model, and the laws of physics.

The biglide has two feet on vertical rails, 0.4 m apart, and two bars of 0.3606 m that meet at a tip. The feet are
driven (q1, q2), the tip is what moves (x, y). Everything below follows from those lengths and the masses.
"""

import numpy as np

import closedchain as cc


def main() -> float:
    """The tip's height over level feet [m]."""
    robot = cc.load("biglide")
    print(robot)

    # Direct geometry: the feet are level. Two bars meet in two places, above and below: the assembly modes "+" and "-".
    poses = cc.direct(robot, q=[0.0, 0.0])
    print(poses)
    height = float(poses["+"].x[1])

    # Inverse geometry: the tip is to be at (0.03, 0.25). Each foot can be below or above it: four working modes.
    for solution in cc.inverse(robot, x=[0.03, 0.25]):
        print(f"  {solution.working}: feet at {solution.q[0]:+.6f} m and {solution.q[1]:+.6f} m")

    # All models at once: positions, rates, accelerations, passive angles, mass matrix, efforts.
    now = cc.evaluate(robot, q=[0.1, 0.02], q_dot=[0.3, -0.2], q_ddot=[1.0, -0.5], assembly="+")
    print("the tip moves with", now.x_dot, "m/s; the feet need", now.tau, "N")

    # Backwards: those efforts give those accelerations.
    state = cc.state(robot, q=now.q, x=now.x, q_dot=now.q_dot)
    motion = cc.forward_dynamics(robot, state, now.tau)
    assert np.allclose(motion.q_ddot, [1.0, -0.5])

    # Many states are one call too: leading axes are the batch.
    many = cc.evaluate(robot, q=np.random.default_rng(0).uniform(-0.1, 0.1, (1000, 2)))
    print("a batch of mass matrices:", many.M.shape)

    # What is out of reach is said, with the leg and the distance, and is never a NaN.
    print(cc.inverse(robot, x=[0.5, 0.0]).why())

    # And does all that obey the laws of physics? On random states of every branch:
    report = cc.check(robot, states=200)
    print(report)
    assert report.ok
    return height


if __name__ == "__main__":
    main()
