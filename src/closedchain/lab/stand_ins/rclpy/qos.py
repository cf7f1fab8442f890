"""Quality of service: of it only the depth counts, for there is no network."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class HistoryPolicy(IntEnum):
    """What is kept."""

    SYSTEM_DEFAULT, KEEP_LAST, KEEP_ALL, UNKNOWN = range(4)


class ReliabilityPolicy(IntEnum):
    """Whether all arrive."""

    SYSTEM_DEFAULT, RELIABLE, BEST_EFFORT, UNKNOWN = range(4)


class DurabilityPolicy(IntEnum):
    """Whether late ones see what was sent before."""

    SYSTEM_DEFAULT, TRANSIENT_LOCAL, VOLATILE, UNKNOWN = range(4)


class LivelinessPolicy(IntEnum):
    """How one knows that someone is there."""

    SYSTEM_DEFAULT, AUTOMATIC, UNUSED, MANUAL_BY_TOPIC, UNKNOWN = range(5)


@dataclass
class QoSProfile:
    """What is asked for."""

    depth: int = 10
    history: Any = HistoryPolicy.KEEP_LAST
    reliability: Any = ReliabilityPolicy.RELIABLE
    durability: Any = DurabilityPolicy.VOLATILE
    liveliness: Any = LivelinessPolicy.SYSTEM_DEFAULT
    lifespan: Any = None
    deadline: Any = None
    liveliness_lease_duration: Any = None
    avoid_ros_namespace_conventions: bool = False


QoSHistoryPolicy, QoSReliabilityPolicy, QoSDurabilityPolicy = HistoryPolicy, ReliabilityPolicy, DurabilityPolicy
QoSLivelinessPolicy = LivelinessPolicy
qos_profile_sensor_data = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
qos_profile_system_default = qos_profile_services_default = qos_profile_parameters = QoSProfile()

__all__ = [
    "DurabilityPolicy", "HistoryPolicy", "LivelinessPolicy", "QoSDurabilityPolicy", "QoSHistoryPolicy",
    "QoSLivelinessPolicy", "QoSProfile", "QoSReliabilityPolicy", "ReliabilityPolicy", "qos_profile_parameters",
    "qos_profile_sensor_data", "qos_profile_services_default", "qos_profile_system_default",
]  # fmt: skip
