"""How many solutions a robot's geometry has over the complex numbers, block by block, and how that is known.

The number is that of generic inputs: for particular ones some of the solutions are complex, merge, or go to infinity.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from math import prod

from closedchain.derive.blocks import Block
from closedchain.describe.elements import Telescope
from closedchain.model.blocks import in_order, linear, plate_on_three_circles
from closedchain.model.completing import own_family, wide_family
from closedchain.model.model import Model, NoClosedForm
from closedchain.model.polynomials import Task, task_of
from closedchain.model.quadratics import NotQuadratic
from closedchain.model.reduction import Irreducible, solve
from closedchain.model.renaming import renamings
from closedchain.solver import NotCounted

PROBES = 3
TRACE = "monodromy closed by a trace test"


@dataclass(frozen=True, eq=False)
class BlockCount:
    """Closures that are solved together: how many solutions they have."""

    model: Model
    block: Block
    count: int | None  # None where it is not known
    proof: str  # how it is known, or why it is not

    @property
    def unknowns(self) -> list[str]:
        return [self.model.equations.z[i].name for i in self.block.unknowns]

    @property
    def closures(self) -> list[str]:
        return [self.model.equations.closures[i].name for i in self.block.closures]

    @cached_property
    def modes(self) -> list[int] | None:
        """Operation modes: the sizes of the sets of solutions that inputs lead from one to another; None if unknown.

        They sum up to less than the count where some solutions are too far out for doubles to tell theirs.
        """
        if self.count is None or not self.proof.startswith(TRACE):
            return None
        try:
            parts = own_family(task_of(self.model, self.block)).components()
        except NotCounted:
            return None
        names = 1 + len(renamings(self.model, self.block))
        if names > 1 and len(parts) > 1:
            return None  # which of the parts are names of each other is not looked at
        return [len(part) // names for part in parts]


@dataclass(frozen=True, eq=False)
class Count:
    """The solutions of direct or inverse geometry."""

    blocks: tuple[BlockCount, ...]

    @property
    def total(self) -> int | None:
        counts = [b.count for b in self.blocks]
        return None if None in counts else prod(c for c in counts if c is not None)

    @property
    def proof(self) -> str:
        """The weakest of the blocks' proofs."""
        unknown = [b.proof for b in self.blocks if b.count is None]
        traced = [b.proof for b in self.blocks if b.proof.startswith(TRACE)]
        theorems = sorted({b.proof for b in self.blocks})
        return (unknown or traced or ["; ".join(theorems) or "theorem: nothing is unknown"])[0]


def count(model: Model, kind: str) -> Count:
    """Of `direct` or `inverse` geometry; NoClosedForm where closures do not determine what is asked."""
    n, size = model.nq, model.outputs
    unknown: Collection[int] = range(n, n + model.nx)
    if kind == "inverse":
        unknown = [*range(n), *range(n + size, n + model.nx)]
    return Count(tuple(_counted(model, block) for block in in_order(model, unknown)))


def _counted(model: Model, block: Block) -> BlockCount:
    drives = model.mechanism.drives if model.mechanism else ()
    first = block.unknowns[0]
    if len(block.unknowns) == 1 and first < len(drives) and isinstance(drives[first], Telescope):
        return BlockCount(model, block, 1, "theorem: a length is not negative")
    if plate_on_three_circles(model, block):
        return BlockCount(model, block, 6, "theorem: three circles of the plane, a sextic")
    task = task_of(model, block)
    if linear(model, block, task.probes(PROBES)) is not None:
        return BlockCount(model, block, 1, "theorem: linear")
    try:
        system = task.system(task.probes(PROBES))
        if system.study is None:
            return BlockCount(model, block, solve(system.lifted.S).count, "theorem: lines and circles")
        raise Irreducible
    except NotQuadratic:
        return BlockCount(model, block, None, "its closures are no polynomials")
    except Irreducible:
        return _complete(task)


def _complete(task: Task) -> BlockCount:
    if task.block.more:
        return BlockCount(task.model, task.block, None, "closures outnumber what they give")
    try:
        own = own_family(task)
        wide = wide_family(task).count
        less = "" if own.count == wide else f"; followed from the {wide} of a wider family"
        names = 1 + len(renamings(task.model, task.block))
        more = "" if names == 1 else f"; {own.count} in coordinates, which have {names} names for each place"
        return BlockCount(task.model, task.block, own.count // names, TRACE + less + more)
    except NotCounted as error:
        return BlockCount(task.model, task.block, None, str(error))


def total(model: Model, kind: str) -> tuple[int | None, str]:
    """The number of solutions and its proof; None with the reason where it is not known."""
    try:
        found = count(model, kind)
    except NoClosedForm as error:
        return None, str(error)
    return found.total, found.proof
