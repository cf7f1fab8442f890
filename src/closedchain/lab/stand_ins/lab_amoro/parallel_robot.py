"""`from lab_amoro.parallel_robot import *`: the robot, and the names that the lab's own file imports."""

import threading

from closedchain.lab.nodes import Node
from closedchain.lab.parts import EndEffector, Joint
from closedchain.lab.robot import Robot, start_robot
from closedchain.lab.session import current
from closedchain.lab.stand_ins import rclpy
from closedchain.lab.stand_ins.std_msgs.msg import Float32
from closedchain.lab.stand_ins.std_srvs.srv import Empty

Thread = current().modules.get("threading", threading).Thread

__all__ = ["Empty", "EndEffector", "Float32", "Joint", "Node", "Robot", "Thread", "rclpy", "start_robot"]
