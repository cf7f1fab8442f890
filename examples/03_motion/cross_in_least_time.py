"""Across in least time: how fast can the biglide carry 3 kg along a line when each foot pushes with 10 N at most?

The path fixes where the tip goes; only the speed along it is free. The robot's own dynamics say at every point how much
acceleration the feet can still give, and the fastest motion always has one of them at its limit. For the vertical line
the answer is known: the feet and the tip move as one mass of 2 m_f + m_p = 5 kg pushed by two feet, so that
T = 2 √(m L / 2F).
"""

import numpy as np

import closedchain as cc
from closedchain import motion
from closedchain.model.model import Model

EFFORT = 10.0  # [N] of each foot


def largest_effort(robot: Model, way: motion.Trajectory) -> float:
    """The largest effort of the feet along a motion [N], sampled and refined."""
    report = motion.check_limits(robot, way, working="++", effort=EFFORT)
    return max(abs(peak.value) for peak in report.peaks if peak.quantity == "tau")


def main() -> float:
    """The least time of the vertical line [s]."""
    robot = cc.load("biglide")

    # A line that everyone can check by hand.
    up = motion.segment([0.0, 0.3], [0.0, 0.5])
    fastest = motion.time_optimal(robot, up, effort=EFFORT, working="++")
    print(f"vertical: {fastest.duration:.6f} s, by hand {2 * np.sqrt(5.0 * 0.2 / (2 * EFFORT)):.6f} s")

    # A line across the workspace, where inertia changes along the way: no formula, but two things must be true.
    a, b = [-0.1, 0.3], [0.12, 0.4]
    across = motion.time_optimal(robot, motion.segment(a, b), effort=EFFORT, working="++")
    print(f"across: {across.duration:.4f} s, feet push up to {largest_effort(robot, across):.3f} N")

    # The quintic of the same path, slowed until it needs no more effort, takes longer.
    gentle = motion.quintic(a, b, duration=1.0)
    slower = motion.faster(gentle, 1 / np.sqrt(largest_effort(robot, gentle) / EFFORT))
    print(f"the quintic with the same largest effort takes {slower.duration:.4f} s")
    assert across.duration < slower.duration

    # One foot is always at its limit: that is what makes it the fastest.
    at = across(np.linspace(0.01, 0.99, 200) * across.duration)
    tau = cc.evaluate(robot, x=at.x, x_dot=at.x_dot, x_ddot=at.x_ddot, working="++").tau
    print(f"the busier foot gives between {np.abs(tau).max(axis=-1).min():.2f} and {np.abs(tau).max():.2f} N")
    return fastest.duration


if __name__ == "__main__":
    main()
