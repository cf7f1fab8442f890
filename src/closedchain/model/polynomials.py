"""A block's closures as a system of polynomials in the fewest unknowns, and its roots as coordinates again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from closedchain.arrays import Complex, Doubles
from closedchain.derive.blocks import Block
from closedchain.derive.mechanics import axis_names
from closedchain.describe.elements import Body
from closedchain.describe.equations import Coordinate
from closedchain.describe.expressions import Expr
from closedchain.model.model import Model
from closedchain.model.orientation import rolls
from closedchain.model.quadratics import Lifted, Moving, NotQuadratic, lifted, moving
from closedchain.model.reduction import Irreducible, solve
from closedchain.model.study import Study, study
from closedchain.solver import Part, Space

PROBES = 2  # rows at no place in particular, by which a block's structure is judged
AGREE = 1e-11  # of the largest coefficient: two ways to the same one differ by rounding


@dataclass(frozen=True, eq=False)
class System:
    """Closures on many rows, with axes of bodies or, where one body is all that is unknown, in Study's coordinates."""

    lifted: Lifted
    study: Study | None

    @property
    def S(self) -> Complex:
        return self.study.S if self.study else self.lifted.S.astype(np.complex128)

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.study.parts if self.study else self.lifted.parts

    @property
    def closures(self) -> int:
        return self.study.closures if self.study else self.lifted.closures


def task_of(model: Model, block: Block) -> Task:
    """The task of a block, made once for a robot."""
    tasks: dict[Block, Task] = model.__dict__.setdefault("_tasks", {})
    if block not in tasks:
        tasks[block] = Task(model, block)
    return tasks[block]


class Task:
    """What a block asks for: bodies that turn in every way by their axes, the rest by their own coordinates."""

    def __init__(self, model: Model, block: Block) -> None:
        self.model, self.block = model, block
        self._bases: dict[Space, Complex | None] = {}

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """Those whose roll, pitch and yaw all are among the unknowns."""
        wanted = {self.model.equations.z[i].name for i in self.block.unknowns}
        return tuple(body for body, names in self.orientations.items() if {*names} <= wanted)

    @property
    def orientations(self) -> dict[Body, tuple[str, ...]]:
        return self.model.mechanism.orientations if self.model.mechanism else {}

    @property
    def residuals(self) -> tuple[Expr, ...]:
        """The closures, in the axes of these bodies."""
        closures = self.model.equations.closures
        return tuple(closures[i].residual for i in (*self.block.closures, *self.block.more))

    @cached_property
    def columns(self) -> list[int]:
        """The unknowns but for roll, pitch and yaw, as indices in the block's."""
        angles = [name for body in self.bodies for name in self.orientations[body]]
        names = [self.model.equations.z[i].name for i in self.block.unknowns]
        return [k for k, name in enumerate(names) if name not in angles]

    def probes(self, count: int) -> Doubles:
        """Rows of z at no place in particular."""
        e = self.model.equations
        sizes = np.array([np.pi if c.unit == "rad" else self.model.scale for c in e.z])
        return np.random.default_rng(0).uniform(-1.0, 1.0, (count, len(e.z))) * sizes

    def other_dimensions(self, count: int) -> dict[str, Doubles]:
        """Random lengths, angles and ratios in place of the robot's own, for the family of all robots so structured.

        They are relative to its size alone, so that the family is the same one for each of these robots.
        """
        rng, sizes = np.random.default_rng(1), {"m": self.model.scale, "rad": np.pi, "": 1.0}
        return {
            p.name: rng.uniform(-1.0, 1.0, count) * sizes[p.unit]
            for p in self.model.equations.parameters
            if p.unit in sizes
        }

    def system(self, rows: Doubles, values: Mapping[str, Any] | None = None) -> System:
        """The closures at rows of z, of other dimensions where given; NotQuadratic where they are no polynomials."""
        e = self.model.equations
        known = self.model.values | dict(values or {}) | {c.name: rows[:, i] for i, c in enumerate(e.z)}
        return self._in_study(lifted(self.residuals, self._sought, known, len(rows), self.model.scale, self._frames))

    @property
    def _sought(self) -> list[Coordinate]:
        return [self.model.equations.z[self.block.unknowns[k]] for k in self.columns]

    @property
    def _frames(self) -> list[tuple[str, ...]]:
        return [axis_names(body) for body in self.bodies]

    def _in_study(self, made: Lifted) -> System:
        return System(made, study(made) if len(self.bodies) == 1 and not self.block.more else None)

    @cached_property
    def probe(self) -> System:
        """The system at no place in particular: what all of the block's systems have in common."""
        return self.system(self.probes(PROBES))

    @cached_property
    def is_reducible(self) -> bool:
        """Whether lines and circles solve it one by one."""
        try:
            return self.probe.study is None and bool(solve(self.probe.lifted.S))
        except Irreducible:
            return False

    @cached_property
    def _moving(self) -> tuple[Moving, System] | None:
        """The systems as polynomials of what is known; None where they are none."""
        e = self.model.equations
        given = [c for i, c in enumerate(e.z) if i not in self.block.unknowns]
        try:
            made = moving(self.residuals, self._sought, given, self.model.values, self.model.scale, self._frames)
        except NotQuadratic:
            return None
        return made, self._in_study(made.lifted)

    def coefficients(self, space: Space, rows: Doubles) -> Complex:
        """Those of a family's members at rows of z, (rows, m): by what is known of them alone, where that can be."""
        basis = self._basis(space)
        if basis is None or self._moving is None:
            return space.coefficients(self.system(rows).S)
        return self._weights(self._moving[0], rows) @ basis

    def _weights(self, made: Moving, rows: Doubles) -> Doubles:
        return made.weights({c.name: rows[:, i] for i, c in enumerate(self.model.equations.z)})

    def _basis(self, space: Space) -> Complex | None:
        """Coefficients by which each weight counts; None where they do not give what `system` gives."""
        if space not in self._bases:
            self._bases[space] = self._made_basis(space)
        return self._bases[space]

    def _made_basis(self, space: Space) -> Complex | None:
        if self._moving is None:
            return None
        made, system = self._moving
        if system.S.shape[1:] != self.probe.S.shape[1:] or system.parts != self.probe.parts:
            return None
        basis = space.coefficients(system.S)
        basis[1:, space.shape.terms[:, 0] >= system.closures] = 0.0  # what holds in all systems counts once
        rows = self.probes(PROBES)
        wanted, got = space.coefficients(self.probe.S), self._weights(made, rows) @ basis
        return basis if np.abs(wanted - got).max() <= AGREE * max(1.0, float(np.abs(wanted).max())) else None

    def coordinates(self, y: Doubles) -> Doubles:
        """Of the roots y of the block's systems the unknowns in the block's order."""
        system = self.probe
        natural = system.study.natural(y) if system.study else y
        made = np.zeros((len(y), len(self.block.unknowns)))
        made[:, self.columns] = system.lifted.coordinates(natural)
        names = [self.model.equations.z[i].name for i in self.block.unknowns]
        start = len(system.lifted.lengths)
        for body in self.bodies:
            R = np.swapaxes(natural[:, start : start + 9].reshape(-1, 3, 3), 1, 2)
            made[:, [names.index(name) for name in self.orientations[body]]] = rolls(R)
            start += 9
        return made
