"""When."""

from closedchain.lab.moments import Duration, Time

__all__ = ["Duration", "Time"]
