"""Six poses: the same three leg lengths, six ways to assemble a plate.

A plate on three telescopic legs (3-RPR) can have up to six real poses for one set of lengths: the roots of a sextic.
The lengths here were made from one known pose; the other five come with it. Each is proven to exist and to be the only
one near, and the whole range of angles is searched, so that "six" means that none was missed.
"""

import numpy as np

import closedchain as cc

KNOWN = (10.0, 80.0, -20.0)  # x [m], y [m], turn [deg]: the pose from which the lengths are made


def leg_lengths(base: np.ndarray, plate: np.ndarray, x: float, y: float, turn: float) -> np.ndarray:
    """By Pythagoras: from each base point to its plate point."""
    c, s = np.cos(turn), np.sin(turn)
    points = np.array([x, y]) + plate @ np.array([[c, s], [-s, c]])
    return np.array([np.hypot(*leg) for leg in points - base])


def main() -> float:
    """The turn of the pose nearest to the known one [deg]."""
    robot = cc.load("rpr3")
    v = robot.values
    base = np.array([[0.0, 0.0], [v["x2"], v["y2"]], [v["x3"], v["y3"]]])
    plate = np.array([[0.0, 0.0], [v["p2"], 0.0], [v["p3x"], v["p3y"]]])
    lengths = leg_lengths(base, plate, KNOWN[0], KNOWN[1], np.deg2rad(KNOWN[2]))

    poses = cc.direct(robot, q=lengths)
    print(poses)
    assert poses.complete.all(), "the search of all angles was not conclusive"

    # The names: the sign of det A, numbered by the plate's angle where several share it.
    for pose in poses:
        x, y, turn = pose.x
        back = np.abs(leg_lengths(base, plate, x, y, turn) - lengths).max()
        print(f"  {pose.mode:>2}  x {x:8.3f} m  y {y:8.3f} m  turned {np.rad2deg(turn):8.3f} deg, legs to {back:.0e} m")

    # Each pose continues when a leg moves a little; its name stays with it until two poses meet.
    longer = cc.direct(robot, q=lengths + np.array([0.1, 0.0, 0.0]))
    assert longer.mode == poses.mode

    # A leg that is far too short assembles nowhere: which one, and by how much.
    print(cc.direct(robot, q=lengths * np.array([0.1, 1.0, 1.0])).why())

    nearest = poses.row(int(np.argmin(np.linalg.norm(poses.x[:, :2] - KNOWN[:2], axis=-1))))
    return float(np.rad2deg(nearest.x[2]))


if __name__ == "__main__":
    main()
