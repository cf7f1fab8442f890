"""Every inverse solution (working modes) and every direct solution (assembly modes), for any batch."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.elements import Plate
from closedchain.errors import BadInput, NoSolution, Unreachable, numbers
from closedchain.model.configurations import EDGE, GAP, Configurations
from closedchain.model.model import Model
from closedchain.model.solutions import Flags, Index, Signs, Solutions
from closedchain.model.three_circles import PlatePoses, three_circles


def working_signs(model: Model) -> Signs:
    """Every working mode as a row of signs, (2^n, legs with a choice), "++" first."""
    n = int(np.count_nonzero(model.leg_signs))
    return np.array(list(itertools.product((1, -1), repeat=n)), dtype=np.int8).reshape(2**n, n)


def inverse(model: Model, x: ArrayLike) -> Solutions:
    """Every q that puts the output at x: one per working mode, fewer at the edge of reach, none beyond it."""
    check_closed(model)
    x = vectors(x, model.nx, "x")
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
    reasons = _why_not_inverse(model, flat, slack, configuration, rows[~closed], np.unique(rows[closed]))
    kept = configuration.select(closed)
    return kept.solutions(
        "inverse", x.shape[:-1], rows[closed], signs[closed], at_edge[rows, mode].any(axis=-1)[closed], reasons
    )


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
    q = vectors(q, model.nq, "q")
    flat = q.reshape(-1, model.nq)
    rows = np.arange(len(flat), dtype=np.intp)
    x = np.zeros((len(flat), model.nx))
    search = Search(model, flat, rows, x, np.zeros(len(flat), bool), np.ones(len(flat), bool), {})
    for index in range(len(model.groups)):
        search = search.step(index, prove)
    configuration = Configurations(model, flat[search.rows], search.x)
    closed = configuration.residual <= GAP * model.scale
    signs = configuration.working_signs()
    kept = configuration.select(closed)
    return kept.solutions(
        "direct",
        q.shape[:-1],
        search.rows[closed],
        signs[closed],
        search.double[closed],
        search.reasons,
        search.complete,
    )


class Search:
    """Rows of partly found configurations: each group of bodies multiplies them by its branches."""

    def __init__(
        self,
        model: Model,
        q: Doubles,
        rows: Index,
        x: Doubles,
        double: Flags,
        complete: Flags,
        reasons: dict[int, NoSolution],
    ) -> None:
        self.model, self.q, self.rows, self.x = model, q, rows, x
        self.double, self.complete, self.reasons = double, complete, reasons

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
        row, branch = np.nonzero(keep)
        x = self.x[row]
        x[:, self._columns(index)] = found[row, branch]
        return self._next(
            self.rows[row], x, self.double[row] | at_edge[row, branch], self._point_reasons(index, slack[:, 0])
        )

    def _point_reasons(self, index: int, slack: Doubles) -> dict[int, NoSolution]:
        group = self.model.groups[index]
        reasons: dict[int, NoSolution] = {}
        names = " and ".join(link.name for link in group.links)
        for row in np.nonzero(slack < -EDGE * self.model.scale)[0]:
            at = f"each other at q = {numbers(self.q[self.rows[row]])}"
            hint = "Bring the drives closer to a configuration that closes, or change a length with --set."
            reasons[int(self.rows[row])] = Unreachable(
                self.model.name, f"the pair {names}", -float(slack[row]), at, hint
            )
        return reasons

    def _plate(self, index: int, prove: bool | None) -> Search:
        made = self.model.call(f"group{index}", q=self.q[self.rows], x=self.x)
        poses = three_circles(made["centre"], made["radius"], made["local"], prove=prove)
        x = self.x[poses.index]
        x[:, self._columns(index)] = poses.x
        found = self._next(
            self.rows[poses.index], x, self.double[poses.index] | poses.double, self._plate_reasons(index, poses)
        )
        complete = self.complete.copy()
        complete[self.rows[~poses.complete]] = False
        found.complete = complete
        return found

    def _plate_reasons(self, index: int, poses: PlatePoses) -> dict[int, NoSolution]:
        group = self.model.groups[index]
        reasons: dict[int, NoSolution] = {}
        for element in np.nonzero(poses.count == 0)[0]:
            leg, partner = int(poses.miss_leg[element]), int(poses.miss_partner[element])
            links = [group.links[i].name for i in (leg, partner) if i >= 0]
            at = f"every pose of {group.body.name} at q = {numbers(self.q[self.rows[element]])}"
            by = abs(float(poses.miss[element]))
            hint = "Change that leg by that much, or bring the drives to a configuration that closes."
            reasons[int(self.rows[element])] = Unreachable(self.model.name, f"leg {' with '.join(links)}", by, at, hint)
        return reasons

    def _columns(self, index: int) -> slice:
        """Where the group's body stands in x."""
        assert self.model.mechanism is not None
        start = 0
        for body in self.model.mechanism.bodies:
            size = 3 if isinstance(body, Plate) else body.dimension
            if body is self.model.groups[index].body:
                return slice(start, start + size)
            start += size
        raise AssertionError("a group's body is one of the mechanism's")

    def _next(self, rows: Index, x: Doubles, double: Flags, reasons: dict[int, NoSolution]) -> Search:
        lost = {i: r for i, r in reasons.items() if not (rows == i).any()}
        return Search(self.model, self.q, rows, x, double, self.complete, self.reasons | lost)


def _why_not_inverse(
    model: Model, x: Doubles, slack: Doubles, found: Configurations, open_rows: Index, solved: Index
) -> dict[int, NoSolution]:
    """For each x without a solution: the leg that misses most, or the closure that no drive moves."""
    reasons: dict[int, NoSolution] = {}
    names = [c.name for c in model.equations.closures]
    for element in np.setdiff1d(np.arange(len(x)), solved):
        legs = slack[element, 0]
        worst = int(np.argmin(legs))
        at = f"x = {numbers(x[element])}"
        if element in open_rows:
            row = found.gap[np.nonzero(found.residual > GAP * model.scale)[0][np.nonzero(open_rows == element)[0][0]]]
            reasons[int(element)] = Unreachable(
                model.name, f"closure {names[int(np.argmax(np.abs(row)))]}", float(np.abs(row).max()), at
            )
        else:
            reasons[int(element)] = Unreachable(model.name, f"leg {model.legs[worst].name}", -float(legs[worst]), at)
    return reasons
