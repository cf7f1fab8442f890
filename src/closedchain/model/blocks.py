"""Closures solved block by block for whatever is unknown: the drives, the output, or what an output leaves open.

`solve_block` is the one place in which a block is solved: what is linear at once, a plate on three circles by its
sextic, what two circles or a line solve by reduction, any other block of quadratic closures by the complete solver.
What is not quadratic has no solution here, and the error says what works instead.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.blocks import Block, blocks, has_choice, slopes
from closedchain.derive.mechanics import Mechanics
from closedchain.derive.structure import body_of, ends, links
from closedchain.describe.elements import Bar, Carried, Plate, Telescope
from closedchain.describe.expressions import evaluate_all
from closedchain.describe.mechanism import Mechanism
from closedchain.errors import NoSolution, Unreachable, numbers
from closedchain.model.closing import gaps
from closedchain.model.completing import complete_roots
from closedchain.model.model import KNOWN, Model, NoClosedForm
from closedchain.model.polynomials import PROBES, task_of
from closedchain.model.quadratics import ARRAYS, NotQuadratic
from closedchain.model.reduction import Flags, Index, Roots, solve
from closedchain.model.renaming import told_once
from closedchain.model.three_circles import three_circles
from closedchain.policy import GAP
from closedchain.solver import NotCounted

ROUGH = 4 * np.finfo(float).eps  # of the robot's size: a smaller gap is the rounding of the closure itself
NEWTON = 3  # steps that take the rounding of linear algebra off a regular root


@dataclass(frozen=True, eq=False)
class Solved:
    """Every configuration of a batch, one row each."""

    index: Index  # (m,) which element of the batch
    z: Doubles  # (m, nz)
    double: Flags  # (m,)
    complete: Flags  # (batch,) whether no further solution can exist
    reasons: dict[int, NoSolution]  # why an element has none
    room: Doubles  # (m,) [m] an estimate of how far the edge of reach is, along each branch
    slack: Doubles  # (batch,) [m] the most of these; below 0 where an element has no solution
    proven: Flags  # (m,) exactly one solution is there


def in_order(model: Model, unknown: Collection[int]) -> tuple[Block, ...]:
    """The blocks that give the unknown coordinates (indices in z); NoClosedForm where closures do not give them."""
    found = blocks(model.equations, unknown)
    if found is None:
        names = [model.equations.z[i].name for i in sorted(unknown)]
        raise NoClosedForm(
            f"{model.name}: its closures do not determine {', '.join(names)} from what is given. {KNOWN}"
        )
    return found


def solve_blocks(model: Model, z: Doubles, unknown: Collection[int], given: str, *, tell: bool = True) -> Solved:
    """Every z that closes the loops, (batch, nz) with the unknown columns to be found; `given` is what errors name.

    For very many rows reasons take long: `tell` leaves them out.
    """
    rows, double = np.arange(len(z), dtype=np.intp), np.zeros(len(z), bool)
    complete, reasons, at = np.ones(len(z), bool), dict[int, NoSolution](), z
    room, slack = np.full(len(z), np.inf), np.full(len(z), -np.inf)
    proven = np.ones(len(z), bool)
    for block in in_order(model, unknown):
        roots = solve_block(model, block, at)
        complete[rows[roots.loose]] = False
        index = rows[roots.row]
        room, double = np.minimum(room[roots.row], roots.room), double[roots.row] | roots.double
        np.maximum.at(slack, index[roots.missed], room[roots.missed])
        if tell:
            _tell(model, block, roots, index, z, reasons, given)
        good = ~roots.missed
        proven = proven[roots.row] & (False if roots.proven is None else roots.proven)
        at, rows, double, room, proven = roots.y[good], index[good], double[good], room[good], proven[good]
    order = np.argsort(rows, kind="stable")
    rows, double, room, proven = rows[order], double[order], room[order], proven[order]
    at = _polished(model, at[order], double, unknown)
    closed = gaps(model, at).max(axis=-1, initial=0.0) <= GAP * model.scale
    for i in sorted({*rows.tolist()} - {*rows[closed].tolist()}) if tell and not closed.all() else ():
        reasons.setdefault(i, _open(model, at[rows == i][0], z[i], given))
    rows, room = rows[closed], np.maximum(np.minimum(room[closed], 1.0), 0.0)
    np.maximum.at(slack, rows, room)
    slack = np.maximum(slack, -1.0)
    solved = set(rows.tolist())
    reasons = {i: reason for i, reason in reasons.items() if i not in solved}
    for i in sorted({*range(len(z))} - solved - {*reasons}) if tell else ():
        if complete[i]:
            reasons[i] = NoSolution(
                f"{model.name}: the loops cannot be closed at {given} = {numbers(_given(model, z[i], given))}: every "
                f"solution over the complex numbers was found, and none is real. Move away from there, or change a "
                f"length with --set."
            )
            continue
        reasons[i] = NoSolution(
            f"{model.name}: no isolated configuration at {given}: circles that coincide or parallel lines leave none, "
            f"or a whole curve of them. Move away from there, or change a length with --set."
        )
    sizes = room * model.scale, slack * model.scale
    return Solved(rows, at[closed], double[closed], complete, reasons, *sizes, proven[closed])


def solve_block(model: Model, block: Block, z: Doubles) -> Roots:
    """Every real root of one block, with the coordinates that earlier blocks gave at z: `y` holds whole rows of z."""
    simple = _three_circles(model, block, z) or linear(model, block, z)
    if simple is not None:
        return simple
    task = task_of(model, block)
    try:
        if task.is_reducible:
            roots = solve(task.system(np.concatenate([z, task.probes(PROBES)])).lifted.S)
        elif block.more:
            raise no_closed_form(model, block)
        else:
            roots = complete_roots(task, z)
    except NotQuadratic:
        raise no_closed_form(model, block) from None
    except NotCounted as error:
        raise NoClosedForm(f"{no_closed_form(model, block)}; the complete solver stopped: {error}") from None
    own = roots.row < len(z)
    row, made = roots.row[own], z[roots.row[own]]
    made[:, block.unknowns] = task.coordinates(roots.y[own])
    keep = _possible(model, block, made)
    keep = keep if task.is_reducible else keep & told_once(model, block, made)
    parts = (roots.double[own][keep], roots.missed[own][keep], roots.room[own][keep])
    proven = None if roots.proven is None else roots.proven[own][keep]
    return Roots(row[keep], made[keep], *parts, roots.loose[: len(z)], proven)


def no_closed_form(model: Model, block: Block) -> NoClosedForm:
    """What cannot be solved, and what works instead."""
    e = model.equations
    names = ", ".join(e.z[i].name for i in block.unknowns)
    closures = ", ".join(e.closures[i].name for i in block.closures)
    return NoClosedForm(
        f"{model.name}: {names} follow only together from {closures}, and that has no closed form here. {KNOWN}"
    )


def plate_on_three_circles(model: Model, block: Block) -> tuple[Mechanism, Plate, list[Bar | Telescope]] | None:
    """The plate that a block finds from three circles, with its legs; None for any other block."""
    e, mechanism = model.equations, model.mechanism
    names = {e.closures[i].name for i in block.closures}
    held = [link for link in links(mechanism) if link.name in names] if mechanism else []
    legs = [link for link in held if isinstance(link, Bar | Telescope)]
    if mechanism is None or len(held) != 3 or len(legs) != 3:
        return None
    wanted = {e.z[i].name for i in block.unknowns}
    own = mechanism.own_coordinates
    plate = next((p for p in mechanism.plates if wanted == {name for name, _ in own(p)}), None)
    return None if plate is None else (mechanism, plate, legs)


def _three_circles(model: Model, block: Block, z: Doubles) -> Roots | None:
    """A plate on three circles whose centres are known; None for any other block."""
    triad = plate_on_three_circles(model, block)
    if triad is None:
        return None
    e, (mechanism, plate, held) = model.equations, triad
    m = Mechanics(mechanism)
    values = model.values | {c.name: z[:, i] for i, c in enumerate(e.z)}
    centre, radius, local = np.zeros((len(z), 3, 2)), np.zeros((len(z), 3)), np.zeros((len(z), 3, 2))
    for i, link in enumerate(held):
        a, b = ends(link)
        own, other = (a, b) if body_of(a) is plate else (b, a)
        assert isinstance(own, Carried)
        for axis, value in enumerate(evaluate_all(m.position(other), values, ARRAYS)):
            centre[:, i, axis] = value
        local[:, i] = [model.number(v) for v in own.at]
        if isinstance(link, Telescope):
            radius[:, i] = z[:, mechanism.drives.index(link)]
        elif isinstance(link, Bar):
            radius[:, i] = model.number(link.length)
    poses = three_circles(centre, radius, local)
    made = z[poses.index]
    made[:, block.unknowns] = poses.x
    room = np.ones(len(made))  # what is left to an edge is not told
    return Roots(poses.index, made, poses.double, np.zeros(len(made), bool), room, ~poses.complete)


def linear(model: Model, block: Block, z: Doubles) -> Roots | None:
    """A block whose closures are linear in what it gives, as couplings of coordinates are; None for any other."""
    e = model.equations
    if block.more or has_choice(e, block):
        return None
    names, residuals = block.unknowns, [e.closures[i].residual for i in block.closures]
    at = z.copy()
    at[:, block.unknowns] = 0.0
    values = model.values | {c.name: at[:, i] for i, c in enumerate(e.z)}
    rows = slopes(e, block)
    found = [np.broadcast_to(v, len(z)) for v in evaluate_all([*rows, *residuals], values, ARRAYS)]
    A = np.stack(found[: len(rows)], axis=-1).reshape(len(z), len(names), len(names))
    regular = np.linalg.matrix_rank(A) == len(names)
    offsets = np.stack(found[len(rows) :], axis=-1)[regular, :, None]
    at[np.ix_(regular, block.unknowns)] = np.linalg.solve(A[regular], -offsets)[..., 0]
    row = np.flatnonzero(regular)
    none = np.zeros(len(row), bool)
    return Roots(row, at[row], none, none, np.ones(len(row)), ~regular, ~none)


def _possible(model: Model, block: Block, z: Doubles) -> Flags:
    """A telescope's length is not negative."""
    drives = model.mechanism.drives if model.mechanism else ()
    columns = [i for i in block.unknowns if i < len(drives) and isinstance(drives[i], Telescope)]
    return np.asarray((z[:, columns] >= 0.0).all(axis=-1))


def _tell(
    model: Model,
    block: Block,
    roots: Roots,
    index: Index,
    z: Doubles,
    reasons: dict[int, NoSolution],
    given: str,
) -> None:
    """Why rows have no root: the closure that stays open, by the least of their branches."""
    missed = np.flatnonzero(roots.missed)
    left = gaps(model, roots.y[missed])[:, list(block.closures)] if len(missed) else np.zeros((0, 1))
    for i, gap in zip(missed, left, strict=True):
        element = int(index[i])
        name = model.equations.closures[block.closures[int(np.argmax(gap))]].name
        miss = float(gap.max(initial=0.0))
        old = reasons.get(element)
        if not isinstance(old, Unreachable) or old.miss > miss:
            where = f"{given} = {numbers(_given(model, z[element], given))}"
            hint = "Move the target by about that much, or change a length with --set."
            reasons[element] = Unreachable(model.name, f"closure {name}", miss, where, hint)


def _given(model: Model, z: Doubles, given: str) -> Doubles:
    return z[: model.nq] if given == "q" else z[model.nq : model.nq + model.outputs]


def _open(model: Model, z: Doubles, asked: Doubles, given: str) -> NoSolution:
    """For what the closures that were solved allow, and the others do not."""
    gap = gaps(model, z[None])[0]
    worst = int(np.argmax(gap))
    where = f"{given} = {numbers(_given(model, asked, given))}"
    return Unreachable(model.name, f"closure {model.equations.closures[worst].name}", float(gap[worst]), where)


def _polished(model: Model, z: Doubles, double: Flags, unknown: Collection[int]) -> Doubles:
    """Newton's steps at simple roots, least squares where closures outnumber unknowns; a step that does not help stays
    out."""
    columns, z = sorted(unknown), z.copy()
    rough = gaps(model, z).max(axis=-1, initial=0.0) > ROUGH * model.scale
    rows = np.flatnonzero(~double & rough)
    for _ in range(NEWTON):
        made = model.call("closures", q=z[rows, : model.nq], x=z[rows, model.nq :])
        Phi = np.concatenate([made["B"], made["A"]], axis=-1)[:, :, columns]
        step = -_solved(Phi, made["phi"])
        there = z[rows]
        there[:, columns] += step
        better = gaps(model, there).max(axis=-1, initial=0.0) < np.abs(made["gap"]).max(axis=-1, initial=0.0)
        z[rows[better]] = there[better]
        rows = rows[better]
        if not len(rows):
            break
    return z


def _solved(Phi: Doubles, phi: Doubles) -> Doubles:
    """Φ⁻¹ φ on every row; by least squares where Φ is not square, or singular on some row."""
    if Phi.shape[-2] == Phi.shape[-1]:
        try:
            return np.asarray(np.linalg.solve(Phi, phi[..., None])[..., 0], dtype=np.float64)
        except np.linalg.LinAlgError:
            pass
    return np.einsum("mij,mj->mi", np.linalg.pinv(Phi, rcond=1e-12), phi)
