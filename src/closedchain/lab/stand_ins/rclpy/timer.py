"""Timers and rates."""

from closedchain.lab.moments import Rate
from closedchain.lab.nodes import Timer

__all__ = ["Rate", "Timer"]
