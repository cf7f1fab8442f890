"""What was wrong with ADAMS: seed 000 compared its models with an independent simulator, and they differed.

The document blames solvers, number types and the communication between programs. Here the same comparison is made with
MuJoCo: first with the robot as described, then with a robot in MuJoCo that is what the document's ADAMS model really
was. The difference is then asked what explains it.
"""

import numpy as np

import closedchain as cc
from closedchain.verify.compare import compare
from closedchain.verify.diagnosis import diagnose


def main() -> float:
    """The length of the bars in the other program [m]."""
    robot = cc.load("biglide")

    # The engine is built from the same description: bodies, joints, loops. Nothing of our equations goes into it.
    same = compare(robot, engine="mujoco", motion="oscillation")
    print(same.headline)
    for row in same.rows:
        if row.quantity in ("output", "output velocity", "output acceleration", "efforts") and row.way == "pieces":
            print(f"  {row.quantity:20} {row.max:.1e} {row.unit:6} limit {row.limit:.1e}: {row.why}")

    # The same efforts, integrated by the engine: its loops are soft, and its stated softness is all that shows.
    for row in same.rows:
        if row.way == "driven" and row.quantity.startswith(("output,", "engine")):
            print(f"  {row.quantity:34} {row.max:.1e} {row.unit}")

    # Now the engine has the bars that the document's ADAMS model had, 0.045 mm shorter: one part in eight thousand.
    other = compare(robot, engine_model=robot.with_values(l=np.sqrt(0.13)), engine="mujoco", motion="random")
    print(other.headline)
    for row in other.broken[:3]:
        print(f"  {row.quantity:20} {row.max:.1e} {row.unit:6} limit {row.limit:.1e}")

    # Fifteen quantities at sixty states, and one number that explains all of it.
    found = diagnose(other)
    print(found)
    length = found.causes[0].value
    assert length is not None
    return length


if __name__ == "__main__":
    main()
