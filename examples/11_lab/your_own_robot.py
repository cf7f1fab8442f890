"""The lab's robot and scopes over a robot of your own: two sliders on rails that lean inwards, two bars, one tip.

`Robot` takes any planar robot with two drives. Run as a lab script, it also gets the lab's page:
closedchain lab run examples/11_lab/your_own_robot.py
"""

import tempfile
from pathlib import Path

import closedchain as cc
from closedchain_lab import Robot, Scope

LEANING = """
schema = "closedchain.mechanism/1"
name = "leaning"
about = "Two sliders on rails that lean inwards, two bars, one tip."
output = "C"

[parameters]
l = { value = 300, unit = "mm", about = "length of each bar", source = "chosen" }
m = { value = 2, unit = "kg", about = "mass of the tip", source = "chosen" }
m_s = { value = 500, unit = "g", about = "mass of each slider", source = "chosen" }

[points]
C = { free = true, mass = "m" }

[drives.q1]
slider = { at = [-0.3, 0], along = [0.28, 0.96] }
mass = "m_s"
point = "A1"

[drives.q2]
slider = { at = [0.3, 0], along = [-0.28, 0.96] }
mass = "m_s"
point = "A2"

[[bars]]
between = ["A1", "C"]
length = "l"

[[bars]]
between = ["A2", "C"]
length = "l"

[[readouts]]
name = "phi1"
angle = ["A1", "C"]

[[readouts]]
name = "phi2"
angle = ["A2", "C"]
"""
GOAL = 0.1  # [m] for both sliders
STIFFNESS, DAMPING = 60.0, 25.0  # [N/m, N s/m]


def main() -> float:
    """The tip's height [m] after both sliders were pulled from 50 mm to 100 mm."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "leaning.toml")
        path.write_text(LEANING, encoding="utf-8")
        model = cc.load(path)

    robot = Robot(model, q=[0.05, 0.05], assembly="+")
    scope = Scope("Left slider: goal and place [m]", 0.0, 0.15)
    left, right = robot.active_left_joint, robot.active_right_joint
    robot.apply_efforts(0.0, 0.0)
    while robot.get_time() < 10.0:
        if robot.data_updated():
            scope.update(robot.get_time(), GOAL, left.position)
            efforts = [STIFFNESS * (GOAL - joint.position) - DAMPING * joint.velocity for joint in (left, right)]
            robot.apply_efforts(*efforts)

    print(robot.run)
    print(f"bars at {robot.passive_left_joint.position:.6f} and {robot.passive_right_joint.position:.6f} rad")
    return robot.end_effector.position_y


if __name__ == "__main__":
    main()
