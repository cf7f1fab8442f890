"""What sensors of joints and of motion say."""

from closedchain.lab.messages import message
from closedchain.lab.stand_ins.geometry_msgs.msg import Quaternion, Vector3
from closedchain.lab.stand_ins.std_msgs.msg import Header

JointState = message("JointState", header=Header, name=[], position=[], velocity=[], effort=[])
Imu = message(
    "Imu",
    header=Header,
    orientation=Quaternion,
    orientation_covariance=[0.0] * 9,
    angular_velocity=Vector3,
    angular_velocity_covariance=[0.0] * 9,
    linear_acceleration=Vector3,
    linear_acceleration_covariance=[0.0] * 9,
)
Joy = message("Joy", header=Header, axes=[], buttons=[])

__all__ = ["Imu", "JointState", "Joy"]
