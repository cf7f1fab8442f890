"""Every inverse solution (working modes) and every direct solution (assembly modes), for any batch."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.elements import Bar, Crank, Telescope
from closedchain.errors import BadInput, NoSolution, Unreachable, numbers
from closedchain.model.blocks import solve_blocks
from closedchain.model.configurations import Configurations
from closedchain.model.joint_limits import BeyondLimit, keeping
from closedchain.model.model import KNOWN, Model, NoClosedForm
from closedchain.model.modes import working_signs
from closedchain.model.reasons import unresolved, why_negative, why_no_point, why_no_pose, why_not_inverse
from closedchain.model.solutions import Clusters, Flags, Index, Signs, Solutions, mode_name
from closedchain.model.three_circles import three_circles
from closedchain.policy import EDGE, GAP

HUGE = 1e100  # [m] centres and radii of which a plate's poses are not computed: their powers overflow


def inverse(model: Model, x: ArrayLike) -> Solutions:
    """Every q that puts the output at x: one per working mode, fewer at the edge of reach, none beyond it.

    x are the output's own coordinates, and those of other bodies are found; or all of x, and only q is.
    Solutions whose joints are beyond their limits are left out; `beyond` of the answer counts them and tells why.
    """
    check_closed(model)
    x = output_vectors(model, x)
    if x.shape[-1] < model.nx or not model.has_legs:
        return _inverse_by_blocks(model, x)
    flat = x.reshape(-1, model.nx)
    chosen, modes = model.leg_signs != 0, working_signs(model)
    sigma = np.ones((len(modes), len(model.legs)))
    sigma[:, chosen] = modes
    made = model.call("inverse", x=flat[:, None, :], sigma=sigma)
    q, slack = made["q"], made["slack"]  # (nb, modes, nq), (nb, modes, legs)
    edge = EDGE * model.scale
    at_edge = (np.abs(slack) <= edge) & chosen
    folded = (at_edge & (sigma < 0)).any(axis=-1)  # the other sign of a leg at its end gives the same q
    reached = (slack >= -edge).all(axis=-1) | ~_legs_measure(model)
    rows, mode = np.nonzero(reached & ~folded)
    configuration = Configurations(model, q[rows, mode], flat[rows])
    closed = configuration.residual <= GAP * model.scale
    signs = np.where(at_edge[rows, mode][:, chosen], 0, modes[mode])
    reasons = why_not_inverse(model, flat, slack, configuration, rows[~closed], np.unique(rows[closed]))
    kept, double = configuration.select(closed), at_edge[rows, mode].any(axis=-1)[closed]
    rows, signs = rows[closed], signs[closed]
    left_out: dict[int, tuple[str, ...]] = {}
    if model.equations.limits:
        kept, left_out, within = _within_limits(kept, rows, signs)
        rows, signs, double = rows[within], signs[within], double[within]
        lost = [i for i in left_out if i not in rows and i not in reasons]
        reasons |= {i: BeyondLimit(model.name, f"at x = {numbers(flat[i])} {'; '.join(left_out[i])}") for i in lost}
    complete = np.ones(len(flat), bool)
    complete[[i for i, reason in reasons.items() if not isinstance(reason, Unreachable | BeyondLimit)]] = False
    complete[rows[double][_turns_freely(kept.select(double))]] = False
    found = kept.solutions("inverse", x.shape[:-1], rows, signs, double, reasons, complete)
    return replace(found, beyond=left_out) if left_out else found


def _within_limits(
    found: Configurations, rows: Index, signs: Signs
) -> tuple[Configurations, dict[int, tuple[str, ...]], Flags]:
    """The configurations whose joints keep their limits, what is told of the others, and which were kept."""
    held = keeping(found.model, found.q, found.x)
    told: dict[int, tuple[str, ...]] = {}
    for k in np.flatnonzero(~held.within):
        told[int(rows[k])] = (*told.get(int(rows[k]), ()), f"in mode {mode_name(signs[k])} {held.told(int(k))}")
    return found.select(held.within), told, held.within


def output_vectors(model: Model, x: ArrayLike, what: str = "x") -> Doubles:
    """x as (*batch, n) doubles: the output's own coordinates, or those of every body."""
    try:
        array = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(model.nx)
    own = model.outputs if array.ndim and array.shape[-1] == model.outputs else model.nx
    if model.outputs < model.nx and array.ndim and array.shape[-1] not in (model.outputs, model.nx):
        raise BadInput(
            f"{what} has shape {array.shape}, but its last axis must have {model.outputs} numbers, of the output, or "
            f"{model.nx}, of every body"
        )
    return vectors(x, own, what)


def _inverse_by_blocks(model: Model, x: Doubles) -> Solutions:
    """The drives, and what of x was not given, block by block; a block's branches are named by its sign."""
    model.check_robot("working mode")
    n, size = model.nq, x.shape[-1]
    flat = x.reshape(-1, size)
    if size == model.outputs and model.inverse_blocks is None:
        raise NoClosedForm(
            f"{model.name}: {n} drives and {model.nx - size} further coordinates do not follow from the {size} of the "
            f"output by {len(model.equations.closures)} closures. {KNOWN}"
        )
    z = np.zeros((len(flat), n + model.nx))
    z[:, n : n + size] = flat
    found = solve_blocks(model, z, [*range(n), *range(n + size, n + model.nx)], "x")
    rows = Configurations(model, found.z[:, :n], found.z[:, n:])
    signs = rows.block_signs(found.double)
    order = np.lexsort((*(-signs.T[::-1]), found.index))
    rows = Configurations(model, rows.q[order], rows.x[order])
    parts = found.index[order], signs[order], found.double[order]
    told = found.reasons, found.complete
    return rows.solutions("inverse", x.shape[:-1], *parts, *told, by_blocks=True, proven=found.proven[order])


def _turns_freely(found: Configurations) -> Flags:
    """Where a crank may stand at any angle, because its bar's other end is on its pivot."""
    model, free = found.model, np.zeros(len(found.q), bool)
    for column, leg in enumerate(model.legs):
        if isinstance(leg.drive, Crank):
            turned = found.q + np.eye(model.nq)[column]
            free |= Configurations(model, turned, found.x).residual <= GAP * model.scale
    return free


def check_closed(model: Model) -> None:
    """Raise BadInput for a robot without closures: its q is all there is."""
    if not model.nx:
        raise BadInput(f"{model.name} has no closures and no output x, so there is no geometry to solve; give q")


def _legs_measure(model: Model) -> Flags:
    """Pins give no slack to pass: their gap is a closure's."""
    return np.array([all(leg.branches == 2 or leg.link is leg.drive for leg in model.legs)])


def direct(model: Model, q: ArrayLike, *, prove: bool | None = None) -> Solutions:
    """Every output x that the drives at q allow: one per assembly mode."""
    check_closed(model)
    model.check_robot("assembly mode")
    q = vectors(q, model.nq, "q")
    flat = q.reshape(math.prod(q.shape[:-1]), model.nq)
    if not model.has_groups:
        return _direct_by_blocks(model, flat, q.shape[:-1])
    refused = why_negative(model, flat)
    rows = np.delete(np.arange(len(flat), dtype=np.intp), list(refused))
    x = np.zeros((len(rows), model.nx))
    nothing = np.zeros(len(rows), bool), Clusters.none(len(rows))
    search = Search(model, flat, rows, x, *nothing, np.ones(len(flat), bool), refused)
    for index in range(len(model.groups)):
        search = search.step(index, prove)
    configuration = Configurations(model, flat[search.rows], search.x, search.clusters)
    closed = configuration.residual <= GAP * model.scale
    kept = configuration if closed.all() else configuration.select(closed)
    signs = kept.working_signs()
    answered = {*search.rows[closed].tolist(), *search.reasons}
    silent = [i for i in rows.tolist() if i not in answered]
    search.complete[silent] = False
    reasons = search.reasons | {int(i): unresolved(model, "q", flat[i], model.equations.q) for i in silent}
    return kept.solutions(
        "direct", q.shape[:-1], search.rows[closed], signs, search.double[closed], reasons, search.complete
    )


def _direct_by_blocks(model: Model, q: Doubles, shape: tuple[int, ...]) -> Solutions:
    """Where bodies are not found one by one from points and circles: block by block."""
    refused, n = why_negative(model, q), model.nq
    rows = np.delete(np.arange(len(q), dtype=np.intp), list(refused))
    z = np.concatenate([q[rows], np.zeros((len(rows), model.nx))], axis=-1)
    found = solve_blocks(model, z, range(n, n + model.nx), "q")
    complete = np.ones(len(q), bool)
    complete[rows] = found.complete
    reasons = refused | {int(rows[i]): reason for i, reason in found.reasons.items()}
    places = np.round(
        found.z[:, n:] / (1e-9 * model.scale)
    )  # many poses share a sign of det A: in order of their place
    order = np.lexsort((*places.T[::-1], found.index))
    kept = Configurations(model, found.z[order, :n], found.z[order, n:])
    parts = rows[found.index[order]], kept.working_signs(), found.double[order], reasons, complete
    return kept.solutions("direct", shape, *parts, proven=found.proven[order])


class Search:
    """Rows of partly found configurations: each group of bodies multiplies them by its branches."""

    def __init__(
        self,
        model: Model,
        q: Doubles,
        rows: Index,
        x: Doubles,
        double: Flags,
        clusters: Clusters,
        complete: Flags,
        reasons: dict[int, NoSolution],
    ) -> None:
        self.model, self.q, self.rows, self.x = model, q, rows, x
        self.double, self.clusters, self.complete, self.reasons = double, clusters, complete, reasons

    def step(self, index: int, prove: bool | None) -> Search:
        """Find the next body on every row."""
        group = self.model.groups[index]
        return self._plate(index, prove) if group.is_triad else self._point(index)

    def _point(self, index: int) -> Search:
        model, group = self.model, self.model.groups[index]
        signs = np.array([1.0, -1.0])[: group.branches]
        made = model.call(f"group{index}", q=self.q[self.rows][:, None, :], x=self.x[:, None, :], s=signs)
        found, slack = made["x"], made["slack"]  # (rows, branches, n), (rows, branches)
        edge = EDGE * model.scale
        at_edge = (np.abs(slack) <= edge) & (group.branches == 2)
        keep = (slack >= -edge) & ~(at_edge & (signs < 0))
        self.complete[self.rows[np.isnan(slack).any(axis=-1)]] = False  # centres on one line
        row, branch = np.nonzero(keep)
        x = self.x[row]
        x[:, self.columns(index)] = found[row, branch]
        loose = at_edge[row, branch] if found.shape[-1] == 2 else np.ones(len(row), bool)  # which to look at
        loose[loose] = self._moves_on(index, self.rows[row[loose]], x[loose])
        self.complete[self.rows[row[loose]]] = False
        row, branch, x = row[~loose], branch[~loose], x[~loose]
        double = self.double[row] | at_edge[row, branch]
        return self._next(row, x, double, self.clusters[row], self._point_reasons(index, slack[:, 0]))

    def _moves_on(self, index: int, rows: Index, x: Doubles) -> Flags:
        """Where circles or spheres have one centre, or centres on one line, to rounding: a curve of places closes."""
        model, group = self.model, self.model.groups[index]
        loose = np.zeros(len(rows), bool)
        if not all(isinstance(link, Bar | Telescope) for link in group.links):
            return loose
        names = [c.name for c in model.equations.closures]
        closures = [names.index(link.name) for link in group.links]
        A = model.call("closures", q=self.q[rows], x=x)["A"]
        arms = A[:, closures, self.columns(index)] / 2  # (m, links, n) from each centre to the body's place
        finite = np.isfinite(arms).all(axis=(1, 2))
        loose[~finite], told = True, np.nonzero(finite)[0]  # circles of one centre to the last bit have no line to it
        between = arms[told, 1:] - arms[told, :1]
        sides, spread = (np.linalg.svd(v, compute_uv=False) for v in (between, arms[told]))
        edge = EDGE * model.scale
        one, line = sides[:, 0] <= edge, (sides[:, -1] <= edge) & (spread[:, 1] > np.sqrt(EDGE) * model.scale)
        loose[told] = one | line
        return loose

    def _point_reasons(self, index: int, slack: Doubles) -> dict[int, NoSolution]:
        missed = np.nonzero(slack < -EDGE * self.model.scale)[0]
        group, q = self.model.groups[index], self.q[self.rows]
        return {int(self.rows[row]): why_no_point(self.model, group, q[row], slack[row]) for row in missed}

    def _plate(self, index: int, prove: bool | None) -> Search:
        made = self.model.call(f"group{index}", q=self.q[self.rows], x=self.x)
        measured = np.concatenate([made["centre"].reshape(-1, 6), made["radius"]], axis=-1)
        told = np.nonzero(np.abs(measured).max(axis=-1) < HUGE)[0]  # the others, or NaN, end unresolved
        poses = three_circles(made["centre"][told], made["radius"][told], made["local"][told], prove=prove)
        row = told[poses.index]
        x = self.x[row]
        x[:, self.columns(index)] = poses.x
        group, q = self.model.groups[index], self.q[self.rows]
        reasons = {
            int(self.rows[told[i]]): why_no_pose(self.model, group, q[told[i]], poses, int(i))
            for i in np.nonzero(poses.count == 0)[0]
        }
        clusters = Clusters(np.maximum(poses.roots, 1), poses.spread)
        found = self._next(row, x, self.double[row] | poses.double, self.clusters[row].after(clusters), reasons)
        complete = self.complete.copy()
        complete[self.rows[told[~poses.complete]]] = False
        found.complete = complete
        return found

    def columns(self, index: int) -> slice:
        """Where the group's body stands in x."""
        assert self.model.mechanism is not None
        start = 0
        for body in self.model.mechanism.bodies:
            size = len(self.model.mechanism.own_coordinates(body))
            if body is self.model.groups[index].body:
                return slice(start, start + size)
            start += size
        raise AssertionError("a group's body is one of the mechanism's")

    def _next(
        self, row: Index, x: Doubles, double: Flags, clusters: Clusters, reasons: dict[int, NoSolution]
    ) -> Search:
        rows = self.rows[row]
        lost = {i: r for i, r in reasons.items() if not (rows == i).any()}
        return Search(self.model, self.q, rows, x, double, clusters, self.complete, self.reasons | lost)
