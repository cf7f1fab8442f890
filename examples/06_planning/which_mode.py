"""Which working mode? Seed 002 moves a plate straight from one pose to another, with four ways to bend its two arms.

The report tried the modes step by step and changed between them wherever joints jumped or links met. Here each mode is
judged as a whole: proven possible, or stopped by a singularity or a collision at a place that is named.
"""

import numpy as np

import closedchain as cc
from closedchain.planning import plan

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

    # From one mode to another at the same pose: each arm goes through its end, where its two ways to bend are one.
    # The arms lie in planes of their own now, so that none of them can meet.
    over = plan(robot, GOAL, GOAL, working="-+", goal_working="+-", ignore=["d3", "B1-a1", "B2-a2", "plate"])
    print(f"\n{over}")
    assert len(over.changes) == 2

    # The samples are ready for a motion: joints without jumps, loops closed.
    gap = np.abs(robot.call("closures", q=over.q, x=over.x)["gap"]).max()
    step = np.abs(np.diff(over.q, axis=0)).max()
    print(f"{len(over.q)} samples, loops closed to {gap:.0e} m, the largest step of a joint is {step:.3f}")

    # To ++ there is no way at all, whatever the detour: det A has the other sign there.
    never = plan(robot, GOAL, GOAL, working="-+", goal_working="++")
    print(f"\nto ++: {never.message}")
    assert not never.found

    crossing = next(o for o in straight.why["+-"].obstructions if o.kind == "type 2")
    return crossing.crossings[0]


if __name__ == "__main__":
    main()
