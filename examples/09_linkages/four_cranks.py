"""Four cranks move a plate that three would move: they share its efforts, and can strain against each other.

For one motion there are many efforts. Those of the least sum of squares warm the motors least; with weights one of
them is spared; an internal effort presses every joint to one side, so that play does not show, and moves nothing.
"""

from collections.abc import Callable

import numpy as np

import closedchain as cc
from closedchain.arrays import Doubles
from closedchain.model import State

MOTION = {"x": 1.0, "y": -0.5, "phi": 3.0}  # accelerations [m/s², rad/s²]


def swung(strain: float) -> Callable[[float, State], Doubles]:
    """Efforts that swing the plate, (t, state) → τ, with some of the internal one."""
    robot = cc.load("rrr4")

    def efforts(t: float, state: State) -> Doubles:
        wanted = {name: value * np.cos(10 * t) for name, value in MOTION.items()}
        shared = cc.shared_efforts(robot, state, wanted)
        return np.asarray(shared.tau + strain * shared.internal[0])

    return efforts


def main() -> float:
    """Returns the share of a crank in the internal effort, of square 1, where all four stand alike."""
    robot = cc.load("rrr4")
    state = cc.state(robot)  # the plate in the middle, at rest
    print(f"{cc.analyse(robot, state)}\n")

    shared = cc.shared_efforts(robot, state, MOTION)
    print(f"{shared}\n")
    spared = cc.shared_efforts(robot, state, MOTION, weights=[1, 1, 1, 100])
    print(f"the fourth motor spared:\n{spared}\n")
    for strain in (0.0, 2.0):
        motion = cc.forward_dynamics(robot, state, shared.tau + strain * shared.internal[0])
        print(f"strain {strain:g}: x_ddot = {motion.x_ddot.round(12)}, multipliers {motion.lam.round(3)}")

    ends = [cc.simulate(robot, swung(strain), duration=0.5, interval=1e-3).final.x for strain in (0.0, 2.0)]
    print(f"\nafter half a second of it the plate is at {ends[0].round(6)}, strained at {ends[1].round(6)}")
    print("(what differs comes from holding every command for a millisecond)")
    return float(np.abs(shared.internal).max())


if __name__ == "__main__":
    main()
