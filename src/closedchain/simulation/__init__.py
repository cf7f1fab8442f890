"""Simulation: exact plants under held commands, compiled whole; rollouts; scenarios."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from closedchain.simulation.passing import Passage, passages
    from closedchain.simulation.run import Run
    from closedchain.simulation.sensitivities import Rolled, roll
    from closedchain.simulation.stepper import Sample, Stepper

_HOMES = {  # imported when first used
    "Passage": "passing",
    "Rolled": "sensitivities",
    "Run": "run",
    "Sample": "stepper",
    "Stepper": "stepper",
    "passages": "passing",
    "roll": "sensitivities",
}

__all__ = [
    "Passage",
    "Rolled",
    "Run",
    "Sample",
    "Stepper",
    "passages",
    "roll",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'closedchain.simulation' has no attribute {name!r}")
    return getattr(importlib.import_module(f"closedchain.simulation.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
