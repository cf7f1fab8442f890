"""Readings against the model: where the robot was in each row, and what is left of each reading.

A row's configuration w is unknown. Closures and exact readings bind it, c(w, θ) = 0; the others are compared with what
the model says, r(w, θ) = o(w, θ) − reading. For each θ every row is solved for its own w, the least |r|² on c = 0. By
the implicit function theorem w moves with θ by

    C dw = −c_θ dθ,    dw = −C⁺ c_θ dθ + V du,    V the null space of C = ∂c/∂w,    O = ∂o/∂w

and what no du can take away, N the left null space of O V, is the row's share of the fit:

    ρ = Nᵀ r,    ∂ρ/∂θ = Nᵀ (o_θ − O C⁺ c_θ)

Drives that are read exactly leave no V: then ρ is the plain error of prediction. Drives with a standard deviation, or
more sensors than freedoms, give the closed loops' residuals weighed by what each sensor is good for.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.calibration.quantities import Quantity
from closedchain.calibration.system import Block, Group, System
from closedchain.calibration.unknowns import Unknowns
from closedchain.errors import ClosedChainError, length
from closedchain.fitting import kernels
from closedchain.kernels import Library
from closedchain.model.dynamics import coordinate_sizes
from closedchain.policy import CLOSED

STEPS = 60  # of a row's own Newton iteration


class NotExplained(ClosedChainError, ValueError):
    """A row whose loops cannot be closed with the parameters at hand."""


class Sensing:
    """The model's side of a calibration."""

    def __init__(self, unknowns: Unknowns, quantities: tuple[Quantity, ...]) -> None:
        self.unknowns, self.model = unknowns, unknowns.model
        self.nz = self.model.nq + self.model.nx
        terms = [t for q in quantities for t in (*q.a, *q.b)]
        self.sensors = tuple(dict.fromkeys(t.sensor for t in terms if t.sensor))

    @cached_property
    def library(self) -> Library:
        return kernels(self.model, "sensing_program", self.sensors, self.unknowns.moved)

    def settle(self, group: Group, theta: Doubles) -> Group:
        """The group with every row's configuration found for these unknowns."""
        w, sizes = group.w, np.tile(coordinate_sizes(self.model), group.poses)
        last, numbers = np.inf, self.numbers(theta)
        for _ in range(STEPS):
            step, _ = self._system(group.moved(w), theta, numbers).step()
            w = w + sizes * step
            size = float(np.abs(step).max(initial=0.0))
            if size <= 1e-15 or (size <= 1e-9 and size >= last):
                break
            if not np.isfinite(size) or size > 1e3:
                break
            last = size
        gap = self._gap(group.moved(w), numbers[0])
        bad = ~(gap <= 1e3 * CLOSED * self.model.scale)
        if bad.any():
            row = int(np.argmax(bad))
            raise NotExplained(
                f"{self.model.name}: row {group.rows[row] + 1} cannot be closed with these parameters: a gap of "
                f"{length(float(gap[row]))} is left. Check its readings, their units and offsets, or the start"
            )
        return group.moved(w)

    def block(self, group: Group, theta: Doubles) -> Block:
        """What is left of a settled group, and its slopes by the unknowns."""
        return self._system(group, theta, self.numbers(theta)).block()

    def numbers(self, theta: Doubles) -> tuple[Doubles, Doubles]:
        """p of the kernels, and how it moves with what varies."""
        return self.unknowns.parameters(theta), self.unknowns.chain(theta)

    def _system(self, group: Group, theta: Doubles, numbers: tuple[Doubles, Doubles]) -> System:
        p, chain = numbers
        return System(self.unknowns, self.sensors, group, theta, self.run(group, p), chain)

    def _gap(self, group: Group, p: Doubles) -> Doubles:
        made = self.run(group, p)
        if "gap" not in made:
            return np.zeros(len(group.rows))
        gaps = np.nan_to_num(np.abs(made["gap"]), nan=np.inf)
        return np.asarray(gaps.reshape(len(group.rows), -1).max(axis=-1))

    def run(self, group: Group, p: Doubles) -> dict[str, Doubles]:
        """Closures and sensors at the group's configurations, with their slopes."""
        z = group.w.reshape(len(group.rows), group.poses, self.nz)
        with np.errstate(all="ignore"):
            return self.library.run("sensing", {"q": z[..., : self.model.nq], "x": z[..., self.model.nq :], "p": p})
