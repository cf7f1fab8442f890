"""The run's clock."""

from enum import IntEnum

from closedchain.lab.moments import Clock, Duration, Time


class ClockType(IntEnum):
    """By which of them; there is one here."""

    ROS_TIME = 1
    SYSTEM_TIME = 2
    STEADY_TIME = 3


ROSClock = Clock

__all__ = ["Clock", "ClockType", "Duration", "ROSClock", "Time"]
