"""The model of a robot: its numbers, its compiled kernels, and every question they answer."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from closedchain.model.model import Model
    from closedchain.model.sampling import sample
    from closedchain.model.solutions import Solutions
    from closedchain.model.state import State

_HOMES = {  # imported when first used
    "Model": "model",
    "Solutions": "solutions",
    "State": "state",
    "sample": "sampling",
}

__all__ = [
    "Model",
    "Solutions",
    "State",
    "sample",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'closedchain.model' has no attribute {name!r}")
    return getattr(importlib.import_module(f"closedchain.model.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
