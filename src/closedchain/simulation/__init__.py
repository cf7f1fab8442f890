"""Simulation: exact plants under held commands, compiled whole; rollouts; scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from closedchain.extras import doors

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

__getattr__, __dir__ = doors(__name__, _HOMES)
