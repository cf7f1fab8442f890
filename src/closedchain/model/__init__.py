"""The model of a robot: its numbers, its compiled kernels, and every question they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from closedchain.extras import doors

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

__getattr__, __dir__ = doors(__name__, _HOMES)
