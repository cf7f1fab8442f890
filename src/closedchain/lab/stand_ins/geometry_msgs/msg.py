"""Points, vectors, poses, speeds, forces; each also with a header."""

from closedchain.lab.messages import message
from closedchain.lab.stand_ins.std_msgs.msg import Header

Point, Vector3 = message("Point", x=0.0, y=0.0, z=0.0), message("Vector3", x=0.0, y=0.0, z=0.0)
Point32 = message("Point32", x=0.0, y=0.0, z=0.0)
Quaternion = message("Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
Pose = message("Pose", position=Point, orientation=Quaternion)
Pose2D = message("Pose2D", x=0.0, y=0.0, theta=0.0)
Transform = message("Transform", translation=Vector3, rotation=Quaternion)
Twist, Accel = message("Twist", linear=Vector3, angular=Vector3), message("Accel", linear=Vector3, angular=Vector3)
Wrench = message("Wrench", force=Vector3, torque=Vector3)
PointStamped = message("PointStamped", header=Header, point=Point)
Vector3Stamped = message("Vector3Stamped", header=Header, vector=Vector3)
PoseStamped = message("PoseStamped", header=Header, pose=Pose)
PoseArray = message("PoseArray", header=Header, poses=[])
TwistStamped = message("TwistStamped", header=Header, twist=Twist)
AccelStamped = message("AccelStamped", header=Header, accel=Accel)
WrenchStamped = message("WrenchStamped", header=Header, wrench=Wrench)
TransformStamped = message("TransformStamped", header=Header, child_frame_id="", transform=Transform)

__all__ = [
    "Accel", "AccelStamped", "Point", "Point32", "PointStamped", "Pose", "Pose2D", "PoseArray", "PoseStamped",
    "Quaternion", "Transform", "TransformStamped", "Twist", "TwistStamped", "Vector3", "Vector3Stamped", "Wrench",
    "WrenchStamped",
]  # fmt: skip
