"""Loggers that say things on the terminal."""

from __future__ import annotations

from closedchain.lab.parts import Logger


def get_logger(name: str) -> Logger:
    """A logger by its name."""
    return Logger(name)


__all__ = ["get_logger"]
