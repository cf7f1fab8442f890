"""`from lab_amoro.parallel_robot import *`: the robot, and `rclpy`."""

from closedchain.lab.parts import EndEffector, Joint
from closedchain.lab.robot import Robot, start_robot
from closedchain.lab.stand_ins import rclpy

__all__ = ["EndEffector", "Joint", "Robot", "rclpy", "start_robot"]
