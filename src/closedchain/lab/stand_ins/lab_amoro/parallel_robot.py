"""`from lab_amoro.parallel_robot import *`: the robot, and the names that this file imports itself."""

import threading

from closedchain.lab.parts import EndEffector, Joint
from closedchain.lab.robot import Robot, start_robot
from closedchain.lab.session import current
from closedchain.lab.stand_ins import rclpy

Thread = current().modules.get("threading", threading).Thread

__all__ = ["EndEffector", "Joint", "Robot", "Thread", "rclpy", "start_robot"]
