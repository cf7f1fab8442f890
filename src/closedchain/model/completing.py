"""Blocks without a closed form, solved completely: generic solutions once, then paths to the block at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.expressions import digest
from closedchain.model.polynomials import Task
from closedchain.model.reduction import Roots
from closedchain.solver import Family, NotCounted, Space, family_of, generic, narrowed, roots, space_of, stored
from closedchain.solver import Roots as Complete

SAMPLES = 40  # systems by which a family is told
REAL = 1e-4  # a cluster whose imaginary parts are smaller than this may be real


def wide_family(task: Task) -> Family:
    """The generic solutions of a block in a robot of this structure, whose dimensions are any numbers."""
    key = wide_key(task)

    def make() -> Family:
        space = wide_space(task)
        return stored(key, space) or generic(space)

    family = family_of(key, make)
    return replace(family, space=family.space.resized(task.probe.S))


def wide_key(task: Task) -> str:
    """What the generic solutions of a structure depend on: its closures and their unknowns, not its masses."""
    e = task.model.equations
    names = [(c.name, c.unit) for c in e.z] + [(p.name, p.unit) for p in e.parameters]
    return f"{digest(c.residual for c in e.closures)} {names} {task.block}"


def wide_space(task: Task) -> Space:
    """The systems of a block in all robots of this structure."""
    count = SAMPLES + 2 * len(task.model.equations.parameters)
    with np.errstate(all="ignore"):
        system = task.system(task.probes(count), task.other_dimensions(count))
    if not np.isfinite(system.S).all():  # a formula that not all dimensions satisfy: those of this robot alone
        system = task.system(task.probes(count))
    return space_of(system.S, system.parts, system.closures)


def own_family(task: Task) -> Family:
    """Those of this very robot: its dimensions are fixed, what drives and earlier blocks decide is any number."""
    model = task.model
    key = f"{model.equations.key} {sorted(model.values.items())} {task.block}"
    return family_of(key, lambda: narrowed(wide_family(task), task.system(task.probes(SAMPLES)).S))


def _families(task: Task) -> Iterator[Family]:
    """The robot's own; that of its structure where some of its own are not told apart."""
    for find in (own_family, wide_family):
        known: dict[Callable[[Task], Family], Family | NotCounted] = task.__dict__.setdefault("_known", {})
        if find not in known:
            try:
                known[find] = find(task)
            except NotCounted as error:
                known[find] = error
        found = known[find]
        if isinstance(found, Family):
            yield found
        elif find is wide_family:
            raise found


def _solved(task: Task, z: Doubles) -> Complete:
    """All solutions of the block at one row of z."""
    found: Complete | None = None
    for family in _families(task):
        found = roots(family, task.coefficients(family.space, z[None])[0])
        if found.complete:
            break
    assert found is not None
    return found


def complete_roots(task: Task, z: Doubles) -> Roots:
    """Every real root of a block at rows of z; rows on which a path is not accounted for are loose."""
    row, y, simple, loose = list[int](), list[Doubles](), list[bool](), np.zeros(len(z), bool)
    for k in range(len(z)):
        found = _solved(task, z[k])
        loose[k] = not found.complete
        real = found.Z[found.real, :-1].real
        near = [c.z[:-1].real for c in found.clusters if np.abs(c.z.imag).max() <= REAL * np.abs(c.z).max()]
        y += [real, *(c[None] for c in near)]
        row += [k] * (len(real) + len(near))
        simple += [True] * len(real) + [False] * len(near)
    width = task.probe.S.shape[-1] - 1
    values = np.concatenate([*y, np.zeros((0, width))])
    single, none = np.array(simple, dtype=bool), np.zeros(len(row), bool)
    return Roots(np.array(row, dtype=np.intp), values, ~single, none, np.ones(len(row)), loose, single)
