"""The lab's oscillation: each drive is pushed to and fro between two limits of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.measured import Measured
from closedchain.model.model import Model


@dataclass(frozen=True, eq=False)
class Oscillate:
    """u_i = −effort beyond +reach, +effort beyond −reach, what it was in between; at first +effort, −effort, +effort, …

    A relay with hysteresis. The command held so far is its memory, so that it compiles like any other law.
    """

    effort: float = 0.01  # [N, N m]
    reach: float = 0.01  # [m, rad]
    output: str = "tau"

    def __post_init__(self) -> None:
        for name in ("effort", "reach"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise BadInput(f"{name} = {getattr(self, name)}; an oscillation needs a positive one")

    @property
    def key(self) -> str:
        return "oscillate"

    @property
    def gains(self) -> Doubles:
        return np.array([self.effort, self.reach], dtype=np.float64)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        if len(model.driven) != model.nq:
            raise BadInput(f"{model.name}: a joint that nothing drives cannot be made to oscillate between limits")
        return (("first", model.nq),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        signs = np.where(np.arange(model.nq) % 2 == 0, 1.0, -1.0)
        return np.broadcast_to(self.effort * signs, (len(t), model.nq)).copy()

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        effort, reach = gains[0], gains[1]
        commands = []
        for i in range(measured.q.shape[0]):
            q, held = measured.q[i], measured.command[i]
            kept = measured.where(held == 0, reference.first[i], held)
            commands.append(measured.where(q > reach, -effort, measured.where(q < -reach, effort, kept)))
        return measured.column(*commands)
