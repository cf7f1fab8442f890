"""Answers that are yet to come."""

from closedchain.lab.moments import Future

__all__ = ["Future"]
