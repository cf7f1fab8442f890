"""Which working mode? Seed 002 moves a plate straight from one pose to another, with four ways to bend its two arms.

The report tried the modes step by step and changed between them wherever joints jumped or links met. Here each mode is
judged as a whole: proven possible, or stopped by a singularity or a collision at a place that is named.
"""

import numpy as np

import closedchain as cc
from closedchain.planning import disc, plan

START, GOAL = [-3.0, -2.0, np.pi / 4], [-2.0, 0.0, 0.0]


def main() -> float:
    """Where on the way the mode of the report's joints crosses a Type 2 singularity, of 0 … 1."""
    robot = cc.load("triplate")

    # Straight from start to goal: one mode is left, and the others say why not.
    straight = plan(robot, START, GOAL)
    print(straight)
    assert straight.modes == ("-+",)

    # The other start of the report, one metre higher: two modes.
    higher = plan(robot, [-3.0, -1.0, np.pi / 4], GOAL)
    print("\nfrom (-3, -1, 45°):", [mode for mode, v in higher.why.items() if v.possible])

    # A post in the way of arm 2: in the same mode, around it.
    post = disc((-2.6, -3.6), 0.15, name="post")
    around = plan(robot, START, GOAL, obstacles=[post])
    print("\nwith a post at (-2.6, -3.6):")
    print(around)

    # The samples are ready for a motion: joints without jumps, loops closed.
    jump = np.abs(np.diff(around.q, axis=0)).max() if around.found else 0.0
    print(f"\n{len(around.q)} samples, the largest step of a joint is {jump:.3f}")

    crossing = next(o for o in straight.why["+-"].obstructions if o.kind == "type 2")
    return crossing.crossings[0]


if __name__ == "__main__":
    main()
