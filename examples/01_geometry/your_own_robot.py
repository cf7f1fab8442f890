"""Your own robot: a dozen lines of TOML, then everything else.

Two sliders at a right angle, two bars, one tip: a planar orthoglide. Lengths have units, a number may be a formula, and
reading the file never runs code. Other lengths are other inputs of the same compiled model: nothing is built again.
"""

import tempfile
from pathlib import Path

import numpy as np

import closedchain as cc

ROBOT = """
schema = "closedchain.mechanism/1"
name = "orthoglide2"
about = "Two sliders at a right angle, two bars, one tip."
output = "C"

[parameters]
l = { value = 300, unit = "mm", about = "length of each bar", source = "chosen" }
m = { value = 1.5, unit = "kg", about = "mass of the tip", source = "chosen" }
m_s = { value = "m/3", unit = "kg", about = "mass of each slider" }

[points]
C = { free = true, mass = "m" }

[drives.q1]
slider = { at = [0, 0], along = [1, 0] }
mass = "m_s"
point = "A1"

[drives.q2]
slider = { at = [0, 0], along = [0, 1] }
mass = "m_s"
point = "A2"

[[bars]]
between = ["A1", "C"]
length = "l"

[[bars]]
between = ["A2", "C"]
length = "l"
"""


def main() -> float:
    """The tip's distance from the corner [m] with both sliders at 0.1 m and bars of 0.4 m."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "orthoglide2.toml")
        path.write_text(ROBOT, encoding="utf-8")
        robot = cc.load(path)

    # The laws of physics are the first thing to try on a robot of one's own: Jacobians, power balance, closures, …
    report = cc.check(robot, states=200)
    print(report)
    assert report.ok

    # Both sliders at 0.1 m: the tip lies on the diagonal, on either side.
    print(cc.direct(robot, q=[0.1, 0.1]))

    # A sweep of the bars' length: the same kernels with another number.
    for l in (0.25, 0.30, 0.35, 0.40):
        other = robot.with_values(l=l)
        tips = cc.direct(other, q=[0.1, 0.1]).x
        far = float(np.linalg.norm(tips, axis=-1).max())
        print(f"  l = {l:.2f} m: the tip is {far:.6f} m from the corner, {len(tips)} assembly modes")

    # Bars that are too short do not meet: which ones, and by how much.
    try:
        cc.direct(robot.with_values(l=0.05), q=[0.1, 0.1]).unwrap("+")
    except cc.ClosedChainError as refusal:
        print(refusal)
    return far


if __name__ == "__main__":
    main()
