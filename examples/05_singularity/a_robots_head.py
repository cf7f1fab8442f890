"""How far may a robot's head turn? Reachy Mini's stands on six cranks and rods, and may go to an "inverse position".

Where the lines of its six rods depend on one another the motors no longer hold the head: a Type 2 singularity. Along a
pure yaw there is one such place, and interval arithmetic shows that there is no other. A box of roll, pitch and yaw in
which there is none at all is proven part by part; what a product calls its limits can be tried in the same way.
"""

import numpy as np

import closedchain as cc
from closedchain.singularity.along import along
from closedchain.singularity.boxes import prove_box
from closedchain.singularity.nearest import nearest

HOME = np.zeros(6)  # x, y, z [m], roll, pitch, yaw [rad]: the pose is counted from home
DEG = np.pi / 180


def main() -> float:
    """The yaw at which the head is singular [deg]."""
    head = cc.load("hexa:reachy-mini")

    # Every singular pose of a pure yaw up to 110°, in the working mode that the head is built in.
    found = along(head, HOME, [0, 0, 0, 0, 0, 110 * DEG])
    assert found.complete, "something was neither shown nor excluded"
    (point,) = found.points
    yaw = float(point.x[5] / DEG)
    screw = point.at.free_screw
    assert screw is not None  # the head is a body of space
    print(f"yaw {yaw:.7f}°: the head screws about {np.round(screw.direction, 3)}, {1e3 * screw.pitch:+.1f} mm a radian")

    # The nearest singular poses are not on that segment: other turns meet one earlier.
    for near in nearest(head, HOME, found.working[0]):
        print(f"nearest by {near.motion}: shift {1e3 * near.shift:.1f} mm, turn {near.turn / DEG:.1f}°")
        assert near.motion != "turn" or near.turn / DEG < yaw

    # A box of poses without any: proven, not sampled.
    box = prove_box(head, HOME, {"roll": (-0.2, 0.2), "pitch": (-0.2, 0.2), "yaw": (-1.0, 1.0)})
    print(box)
    assert box.proven

    # The product's limits of 40° and 65°, all at once, are more than its rods can reach.
    limits = {"roll": (-40 * DEG, 40 * DEG), "pitch": (-40 * DEG, 40 * DEG), "yaw": (-65 * DEG, 65 * DEG)}
    far = prove_box(head, HOME, limits)
    assert far.beyond is not None
    print(f"at roll, pitch, yaw {np.round(far.beyond[3:] / DEG, 1)}° legs {', '.join(far.legs)} do not reach")
    return yaw


if __name__ == "__main__":
    main()
