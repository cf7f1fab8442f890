"""Six cusps: another pose for the same legs, without passing a singularity.

A plate on three telescopic legs can be assembled in several ways. To go from one to another it was long thought that it
must pass a singularity. It need not: where three poses meet in one (a cusp), the branches hang together, and a path of
the legs once around that cusp leads from one pose to another while det A keeps its sign. Here the cusps of one slice
are found and proven, and so is the path.
"""

import numpy as np

import closedchain as cc
from closedchain.singularity.cusps import cusps
from closedchain.singularity.mode_change import mode_change


def main() -> float:
    """How many cusps the slice rho1 = 14.98 m has."""
    robot = cc.load("rpr3:cusps")
    found = cusps(robot, {"rho1": 14.98})
    print(found)
    assert all(cusp.certified for cusp in found.cusps), "a cusp was not proven"

    # At a cusp the direct problem has a triple root; beside it, three poses.
    change = mode_change(robot, found, which=2)
    poses = cc.direct(robot, q=change.q[0])
    print(f"at q = {change.q[0]} there are {len(poses)} poses: {', '.join(poses.mode)}")

    # Once around: the legs are back where they were, the plate is not.
    print(change)
    for name, x in (("before", change.x[0]), ("after", change.x[-1])):
        print(f"  {name:>6}: x {x[0]:9.4f} m  y {x[1]:9.4f} m  turned {np.rad2deg(x[2]):9.4f} deg")
    assert change.proof.proven, "det A may vanish on the way"
    assert np.array_equal(change.q[0], change.q[-1])
    assert np.abs(change.x[0] - change.x[-1]).max() > 0.1

    # Halfway round, two of the three neighbouring poses do not exist; the branch that is followed is the third.
    back = cc.direct(robot, q=change.q[len(change.q) // 2])
    print(f"halfway there are {len(back)} poses: {', '.join(back.mode)}")

    return float(len(found))


if __name__ == "__main__":
    main()
