"""The teaching lab without ROS and Gazebo: the robot and the scopes of its scripts, over any two-drive planar robot.

from closedchain_lab import Robot, Scope
robot = Robot("biglide")
robot.apply_efforts(0.1, 0.1)
"""

from closedchain_lab.robot import Robot, start_robot
from closedchain_lab.scope import Scope

__all__ = ["Robot", "Scope", "start_robot"]
