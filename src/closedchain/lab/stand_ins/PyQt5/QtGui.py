"""The application (where Qt 4 had it), and drawing that nobody sees."""  # noqa: N999 (its own name)

from __future__ import annotations

from typing import Any

from closedchain.lab.anything import Anything
from closedchain.lab.events import QApplication


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything


__all__ = ["QApplication"]
