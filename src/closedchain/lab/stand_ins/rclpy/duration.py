"""How long."""

from closedchain.lab.moments import Duration

__all__ = ["Duration"]
