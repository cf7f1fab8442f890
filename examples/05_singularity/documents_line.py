"""The line of seed 002: where does a plate on three legs lose its stiffness?

The document looks for singular points on the line y = 0, turned by 10 degrees, 0 < x < 2, by taking the smallest |det|
of many samples, and with one wrong sign in its Jacobian. Here every working mode is searched with bounds of det A and
of its slope, so "two points" means that there is no third; and each point comes with what happens there.
"""

import numpy as np

import closedchain as cc
from closedchain.singularity.along import along
from closedchain.singularity.pose import singularities

TURN = np.deg2rad(10)


def main() -> float:
    """x of the singular point in working mode ++ [m]."""
    robot = cc.load("triplate")
    found = along(robot, start=[0.0, 0.0, TURN], end=[2.0, 0.0, TURN])
    print(found)
    assert found.complete, "part of the line was left open"

    # With the drives locked the plate still turns, about the point where its three legs' lines meet.
    for point in found:
        assert point.centre is not None, "a plate that turns"
        cx, cy = point.centre
        print(f"  mode {point.working}: x = {point.x[0]:.15f} m, to {2 * point.error:.0e}")
        print(f"    the plate turns freely about ({cx:.6f}, {cy:.6f})")
        push = point.at.unresisted
        print(f"    a push of ({push[0]:.3f}, {push[1]:.3f}) N with {push[2]:.3f} N m meets no resistance")

    # Half a metre is missing at the start: leg 2 does not reach.
    (part,) = found.out_of_reach
    print(f"  out of reach of {part.legs[0]} up to x = {2 * part.hi:.12f} m")

    # Type 1 on the same line: a leg at its end.
    for point in along(robot, start=[0.0, 0.0, TURN], end=[2.0, 0.0, TURN], kind="B"):
        print(f"  mode {point.working}: leg {point.leg} is stretched or folded at x = {point.x[0]:.12f} m")

    # How far from singular is the pose of the document's section 3, in each working mode?
    for mode in found.working:
        here = singularities(robot, x=[-3.0, -1.0, np.pi / 4], working=mode)
        print(f"  at (-3, -1, 45 deg) in {mode}: margins {here.parallel:.3f} of type 2, {here.serial:.3f} of type 1")

    return float(found.points[0].x[0])


if __name__ == "__main__":
    main()
