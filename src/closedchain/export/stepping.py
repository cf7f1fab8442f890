"""A robot in discrete time, for any batch: states and held inputs in, states an interval later out."""

from __future__ import annotations

import hashlib
import importlib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.kernels import Library
from closedchain.kernels import load as load_kernels
from closedchain.model.model import Model
from closedchain.model.state import State


@dataclass(frozen=True, eq=False)
class Stepper:
    """One step of `simulate`, compiled for batches."""

    model: Model
    inputs: str  # "tau" or "voltage"
    interval: float  # [s] for which inputs are held
    substeps: int  # integration steps in each

    @cached_property
    def library(self) -> Library:
        """`step` and its companions, from the cache or compiled now."""
        equations, massless = self.model.equations, self.model.massless
        key = f"motions {self.inputs} {massless} {equations.key} {_sources()}"

        def build() -> Any:
            programs = importlib.import_module("closedchain.export.programs")  # brings CasADi, only to compile anew
            return programs.motions(equations, self.inputs, massless)

        return load_kernels(key, build)

    def advance(self, state: State, u: Doubles) -> State:
        """The states after the interval, (n, …); numbers that overflow are left to the caller to find."""
        arrays = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "x_dot": state.x_dot, "u": u, "p": self.model.p}
        arrays |= {"h": np.array(self.interval / self.substeps), "work": np.zeros(len(state.q))}
        with np.errstate(all="ignore"):
            for _ in range(self.substeps):
                made = self.library.run("step", arrays)
                arrays |= {name.removesuffix("_next"): value for name, value in made.items()}
        return State(arrays["q"], arrays["x"], arrays["q_dot"], arrays["x_dot"])


@cache
def _sources() -> str:
    """What the step is written in besides kernels and derive, so that changing it compiles anew."""
    package, found = Path(__file__).parent.parent, hashlib.sha256()
    for name in ("simulation/loop.py", "simulation/integrators.py", "simulation/tableaux.py", "export/programs.py"):
        found.update((package / name).read_bytes())
    return found.hexdigest()
