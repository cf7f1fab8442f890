"""Whether a robot is singular by its architecture: at every pose, for its points pair up so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.model.model import Model
from closedchain.model.sampling import Unassemblable, configurations, ranks

CONFIGURATIONS = 24


@dataclass(frozen=True)
class Architecture:
    """The largest rank of A at random configurations; what is less than full at all of them is so at every pose.

    Regular poses are everywhere but on a surface, which random ones miss: this is as good as certain, and not a proof.
    """

    rank: int
    full: int
    configurations: int

    @property
    def singular(self) -> bool:
        """Whether the output moves with locked drives wherever it is."""
        return self.rank < self.full

    def __str__(self) -> str:
        if not self.singular:
            return f"A has its full rank {self.full} at random configurations"
        return (
            f"architecturally singular: A has rank {self.rank} of {self.full} at each of {self.configurations} random "
            f"configurations, so that the output moves with every drive held"
        )


def architecture(model: Model, seed: int = 0) -> Architecture | None:
    """The rank of A at random configurations of a robot; None where it has no closures, or none that close."""
    if not model.nx or model.linkage:
        return None
    try:
        z = configurations(model, CONFIGURATIONS, np.random.default_rng(seed))
    except Unassemblable:
        return None
    return Architecture(int(ranks(model, z).max()), model.nx, len(z))
