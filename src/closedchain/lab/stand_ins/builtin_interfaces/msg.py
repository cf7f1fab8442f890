"""Time and duration."""

from closedchain.lab.moments import Span as Duration
from closedchain.lab.moments import Stamp as Time

__all__ = ["Duration", "Time"]
