"""The order in which closures are solved for coordinates: blocks, each as small as it can be (block triangular form).

A closure is matched to each unknown coordinate; what then depends on each other is one block (a strongly connected
component), and a block comes after those that it needs. An Assur group is such a block; so is a leg.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from closedchain.describe.equations import Equations
from closedchain.describe.expressions import Expr, gradient, symbols


@dataclass(frozen=True)
class Block:
    """Closures that are solved together, and the coordinates that they give; indices in `closures` and in z."""

    closures: tuple[int, ...]
    unknowns: tuple[int, ...]
    more: tuple[int, ...] = ()  # closures beyond those, where there are more than unknowns; they hold as well


def blocks(equations: Equations, unknowns: Collection[int]) -> tuple[Block, ...] | None:
    """The blocks that give the unknown coordinates (indices in z), in an order in which each can be solved.

    Closures beyond those go with the last block that they need; those without an unknown are left to be checked. None
    where closures are too few.
    """
    key = ("blocks", tuple(sorted(unknowns)))
    return equations.noted(key, lambda: _blocks(equations, unknowns))


def _blocks(equations: Equations, unknowns: Collection[int]) -> tuple[Block, ...] | None:
    used = _used(equations, unknowns)
    owner = _matching(used)
    if len(owner) < len(unknowns):
        return None
    rows = sorted(owner.values())
    needs = {row: [owner[u] for u in used[row] if owner[u] != row] for row in rows}
    own = {row: unknown for unknown, row in owner.items()}
    parts = list(_components(rows, needs))
    place = {row: i for i, part in enumerate(parts) for row in part}
    extra: dict[int, list[int]] = {}
    for row in range(len(used)):
        if row not in place and used[row]:
            extra.setdefault(max(place[owner[u]] for u in used[row]), []).append(row)
    return tuple(
        Block(tuple(sorted(part)), tuple(sorted(own[row] for row in part)), tuple(extra.get(i, ())))
        for i, part in enumerate(parts)
    )


def slopes(equations: Equations, block: Block) -> tuple[Expr, ...]:
    """∂(closures)/∂(unknowns) of a block, row by row."""
    names = [equations.z[i].name for i in block.unknowns]
    rows = [equations.closures[i].residual for i in block.closures]
    return equations.noted(("slopes", block), lambda: tuple(d for row in rows for d in gradient(row, names)))


def has_choice(equations: Equations, block: Block) -> bool:
    """Whether a block is not linear in what it gives."""
    names = {equations.z[i].name for i in block.unknowns}
    return equations.noted(("choice", block), lambda: bool(names & set(symbols(slopes(equations, block)))))


def undetermined(equations: Equations, unknowns: Collection[int]) -> list[int]:
    """The unknown coordinates that closures leave open: those without a closure, and what could change with them."""
    used = _used(equations, unknowns)
    owner = _matching(used)
    own = {row: unknown for unknown, row in owner.items()}
    free = [u for u in unknowns if u not in owner]
    for unknown in free:  # grows
        free += [own[row] for row, some in enumerate(used) if unknown in some and row in own and own[row] not in free]
    return sorted(free)


def _used(equations: Equations, unknowns: Collection[int]) -> list[list[int]]:
    """The unknowns in each closure."""
    wanted = set(unknowns)
    names = {c.name: i for i, c in enumerate(equations.z) if i in wanted}
    return [sorted(names[s] for s in symbols([c.residual]) if s in names) for c in equations.closures]


def _matching(used: Sequence[Sequence[int]]) -> dict[int, int]:
    """A closure of its own for as many unknowns as possible, {unknown: closure}; the first closures by preference."""
    owner: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for unknown in used[row]:
            if unknown not in tried:
                tried.add(unknown)
                if unknown not in owner or place(owner[unknown], tried):
                    owner[unknown] = row
                    return True
        return False

    for row in range(len(used)):
        place(row, set())
    return owner


def _components(rows: Sequence[int], needs: dict[int, list[int]]) -> Iterator[list[int]]:
    """Strongly connected components, each after those that it needs (Tarjan)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []

    def visit(row: int) -> Iterator[list[int]]:
        index[row] = low[row] = len(index)
        stack.append(row)
        for other in needs[row]:
            if other not in index:
                yield from visit(other)
                low[row] = min(low[row], low[other])
            elif other in stack:
                low[row] = min(low[row], index[other])
        if low[row] == index[row]:
            part = stack[stack.index(row) :]
            del stack[stack.index(row) :]
            yield part

    for row in rows:
        if row not in index:
            yield from visit(row)
