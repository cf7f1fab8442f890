"""Timers, and names without a meaning here."""  # noqa: N999 (its own name)

from __future__ import annotations

from typing import Any

from closedchain.lab.anything import Anything
from closedchain.lab.events import QTimer, process_events


class QCoreApplication(Anything):
    """The application."""

    @staticmethod
    def processEvents(*args: Any) -> None:
        """Let timers tell what is due."""
        process_events()


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything


__all__ = ["QCoreApplication", "QTimer"]
