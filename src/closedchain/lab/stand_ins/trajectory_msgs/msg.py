"""Motions of joints."""

from closedchain.lab.messages import message
from closedchain.lab.moments import Span
from closedchain.lab.stand_ins.std_msgs.msg import Header

JointTrajectoryPoint = message(
    "JointTrajectoryPoint", positions=[], velocities=[], accelerations=[], effort=[], time_from_start=Span
)
JointTrajectory = message("JointTrajectory", header=Header, joint_names=[], points=[])

__all__ = ["JointTrajectory", "JointTrajectoryPoint"]
