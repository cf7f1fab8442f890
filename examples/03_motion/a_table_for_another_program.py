"""A table for another program: the tip's motion as 3001 lines of feet positions, as seed 000 fed them to ADAMS.

The tip goes from rest to rest through a given point with a given velocity. The same motion in joint space, on a named
working mode, is sampled every 2 ms and written with 17 digits, so that what is read back is the same to the last bit
(the reports' own files had 8 digits, which near a singularity is hundreds of newtons: TRUTH.md §3.5).
"""

import tempfile
from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain import motion

STILL = np.zeros(2)


def main() -> float:
    """How far the tip that the table describes is from the one that was asked for, at the via point [m]."""
    robot = cc.load("biglide")

    # Conditions: (time, derivative, value). Eight of them make a polynomial of degree 7.
    via, speed = np.array([0.06, 0.34]), np.array([0.02, 0.05])
    tip = motion.polynomial(
        [
            (0.0, 0, [0.0, 0.3]), (0.0, 1, STILL), (0.0, 2, STILL),
            (2.5, 0, via), (2.5, 1, speed),
            (6.0, 0, [0.1, 0.5]), (6.0, 1, STILL), (6.0, 2, STILL),
        ]
    )  # fmt: skip
    print(f"degree {tip.degree}, at 2.5 s x = {tip(2.5).x}, x_dot = {tip(2.5).x_dot}")

    # The feet, with rates up to the jerk; then what the drives would have to do.
    feet = motion.joint(robot, tip, working="++")
    print(f"feet there: {feet(2.5).x} m, jerk {feet(2.5).x_dddot} m/s³")
    print(motion.check_limits(robot, feet, velocity=0.3, effort=2.0))

    # The table, through a file and back.
    table = motion.sample(feet, 0.002)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "feet.txt"
        motion.write_table(file, table)
        back = motion.read_table(file)
    assert np.array_equal(back.values, table.values)
    print(f"{len(back)} rows of {', '.join(back.names)}")

    # Whoever uses it puts the tip where it was asked to be.
    row = int(np.searchsorted(back.t, 2.5 - 1e-9))
    found = cc.direct(robot, back.values[row, 1:])["+"].x
    return float(np.abs(found - via).max())


if __name__ == "__main__":
    main()
