"""A command that is held: the plant alone in a compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.model import Model


class Held:
    """A law that passes on what it is told: the plant alone, compiled, under a held command."""

    def __init__(self, output: str) -> None:
        self.output = output
        self.key = f"held {output}"
        self.gains = np.zeros(0)
        self.told = np.zeros(0)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        return (("command", len(model.driven)),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        return np.broadcast_to(self.told, (len(t), len(model.driven)))

    def law(self, measured: Any, reference: Any, gains: Any) -> Any:
        return reference.command
