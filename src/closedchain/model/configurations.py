"""What is known of configurations (q, x): closures, Jacobians, modes, proofs."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.blocks import Block, has_choice
from closedchain.derive.structure import links
from closedchain.describe.elements import Carried, Crank, Free, Plate, Slider, Telescope
from closedchain.errors import NoSolution
from closedchain.model.certify import EPS, kantorovich, spheres_lipschitz
from closedchain.model.levers import levers
from closedchain.model.model import Model
from closedchain.model.solutions import Clusters, Flags, Index, Signs, Solutions
from closedchain.policy import EDGE


class Configurations:
    """What is known of rows (q, x): closures, Jacobians, modes, proofs."""

    def __init__(self, model: Model, q: Doubles, x: Doubles, clusters: Clusters | None = None) -> None:
        self.model, self.q, self.x = model, q, x
        self.clusters = Clusters.none(len(q)) if clusters is None else clusters
        made = model.call("closures", q=q, x=x)
        self.gap, self.phi, self.A, self.B = made["gap"], made["phi"], made["A"], made["B"]
        self.A_twist: Doubles = made.get("A_twist", self.A)  # with angular velocities for rates of roll, pitch, yaw
        self.residual: Doubles = np.abs(self.gap).max(axis=-1, initial=0.0)

    def select(self, keep: Flags) -> Configurations:
        return Configurations(self.model, self.q[keep], self.x[keep], self.clusters[keep])

    def working_signs(self) -> Signs:
        """σ of each leg with a choice, 0 where its two branches meet; of each block where drives have no own legs."""
        if not self.model.has_legs:
            return self.block_signs()
        chosen = self.model.leg_signs != 0
        slopes = self.leg_slopes()
        small = np.abs(slopes) <= self._slope_tolerance()
        signs = np.where(small, 0, np.sign(slopes * self.model.leg_signs))
        return signs[:, chosen].astype(np.int8)

    def block_signs(self, double: Flags | None = None) -> Signs:
        """The sign of ∂φ/∂(unknowns) of each block with a choice that gives the drives from the output, (m, blocks).

        A slider under a bar counts the other way round, as its leg does; 0 where two branches meet, which of rows that
        are known to be `double` is seen to half the digits.
        """
        small = np.where(double, 1e-6, np.sqrt(EDGE) * 1e-3) if double is not None else np.sqrt(EDGE) * 1e-3
        Phi = np.concatenate([self.B, self.A], axis=-1)
        columns = []
        for block, factor in branching(self.model):
            own = Phi[:, block.closures][:, :, block.unknowns] * self._sizes()[list(block.unknowns)]
            rows = np.prod(np.linalg.norm(own, axis=-1), axis=-1)
            det = np.linalg.det(own)
            columns.append(np.where(np.abs(det) <= small * rows, 0, factor * np.sign(det)))
        return np.stack(columns, axis=-1).astype(np.int8) if columns else np.zeros((len(self.q), 0), np.int8)

    def _sizes(self) -> Doubles:
        """[m, rad] of each coordinate of z that count alike."""
        return np.array([1.0 if c.unit == "rad" else self.model.scale for c in self.model.equations.z])

    def leg_rows(self) -> list[int]:
        """The closure of each leg."""
        names = [c.name for c in self.model.equations.closures]
        return [names.index(leg.name if leg.name in names else f"{leg.name}.x") for leg in self.model.legs]

    def leg_slopes(self) -> Doubles:
        """∂φ/∂q of each drive in its own leg, (m, legs)."""
        rows = self.leg_rows()
        return self.B[:, rows, np.arange(len(rows))]

    def _slope_tolerance(self) -> Doubles:
        size = [
            2 * self.model.scale * (self.model.scale if isinstance(leg.drive, Crank) else 1.0)
            for leg in self.model.legs
        ]
        return np.sqrt(EDGE) * 1e-3 * np.array(size)

    def _at_type_2(self) -> Flags:
        """Where det A is zero to rounding, beside the product of its rows' lengths: its sign would say nothing."""
        rows = np.prod(np.linalg.norm(self.A_twist, axis=-1), axis=-1)
        return np.asarray(np.abs(self.det_A()) <= 32 * EPS * rows)

    def det_A(self) -> Doubles:
        """det A, by twists in space: its sign names the assembly mode."""
        return np.asarray(np.linalg.det(self.A_twist))

    def condition(self) -> Doubles:
        """cond₂ A; infinite where A is singular to rounding, which leaves σ_min at any size below eps σ_max.

        In space it is of A by twists, each body's turning counted by its own size.
        """
        A = self.A if self.A_twist is self.A else self.A_twist / levers(self.model)
        sigma = np.linalg.svd(A, compute_uv=False)
        if not len(sigma):
            return np.zeros(0)
        regular = sigma[:, -1] > EPS * sigma[:, 0]
        return np.where(regular, sigma[:, 0] / np.where(regular, sigma[:, -1], 1.0), np.inf)

    def certified(self, kind: str) -> Flags:
        """Newton–Kantorovich at every row, in x for direct solutions and in q for inverse ones.

        Its constants are known where bodies and drives are found one by one, and for points and bars; elsewhere nothing
        is claimed.
        """
        known = self.model.has_groups or self._of_points() if kind == "direct" else self.model.has_legs
        if not known:
            return np.zeros(len(self.q), bool)
        if kind == "direct":
            done, _ = kantorovich(
                self.A, self.phi, self.lipschitz_x(), slack=self.rounding(), domain=np.array(self.domain_x())
            )
            return done
        slopes, curvature = self.leg_slopes(), self.leg_curvatures()
        misfit = np.abs(self.phi[:, self.leg_rows()]) + self.rounding()[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            h = curvature * misfit / slopes**2
        proven: Flags = np.all(h < 0.5, axis=-1)
        return proven

    def _of_points(self) -> bool:
        """Whether free points, and lengths between them and what is known, are all that closures speak of."""
        m = self.model.mechanism
        if m is None or not all(isinstance(body, Free) for body in m.bodies):
            return False
        return len(links(m)) == len(self.model.equations.closures) == self.model.nx

    def rounding(self) -> Doubles:
        """A bound of the rounding error of φ in the 2-norm, (m,): each closure is some twenty operations on squares of
        lengths no longer than the robot and the way to where it stands."""
        straight = np.array([c.unit == "m" for c in self.model.equations.z])
        z = np.concatenate([self.q, self.x], axis=-1)[:, straight]
        span = self.model.scale + np.abs(z).max(axis=-1, initial=0.0)
        return 64 * EPS * np.sqrt(self.model.nx) * span**2

    def lipschitz_x(self) -> Doubles:
        """Of A in x: 2√n for one point; for a plate its lever arms enter; twice that where closures join two bodies."""
        assert self.model.mechanism is not None
        joined = 2.0 if len(self.model.mechanism.bodies) > 1 else 1.0
        if not self.model.mechanism.plates:
            return np.array(joined * spheres_lipschitz(self.model.nx))
        arm = self._arm()
        reach = self._longest() + 2 * arm
        return joined * spheres_lipschitz(self.model.nx) * (1 + 2 * arm + arm * reach)

    def domain_x(self) -> float:
        """The radius of the ball about x on which that holds: a plate's legs grow with the distance from it."""
        arm = self._arm()
        return arm / (np.sqrt(2) * (1 + arm)) if arm > 0.0 else np.inf

    def _arm(self) -> float:
        """The longest lever of a plate's points [m]; 0 without plates."""
        assert self.model.mechanism is not None
        points = [p for p in self.model.mechanism.points if isinstance(p, Carried) and isinstance(p.by, Plate)]
        return max((math.hypot(*(self.model.number(e) for e in p.at)) for p in points), default=0.0)

    def _longest(self) -> Doubles:
        """The longest |P − A| among the closures, (m,): half of the longest ∂φ/∂(x, y) of a body."""
        assert self.model.mechanism is not None
        longest, start = np.zeros(len(self.x)), 0
        for body in self.model.mechanism.bodies:
            size = len(self.model.mechanism.own_coordinates(body))
            slopes = self.A[:, :, start : start + (2 if isinstance(body, Plate) else size)]
            longest = np.maximum(longest, np.linalg.norm(slopes, axis=-1).max(axis=-1, initial=0.0) / 2)
            start += size
        return longest

    def leg_curvatures(self) -> Doubles:
        """Bounds of |∂²φ/∂q²| per leg: 2 for a line, 2 R (R + l) for a crank."""
        bounds = []
        for leg in self.model.legs:
            if isinstance(leg.drive, Crank):
                radius = self.model.number(leg.drive.radius)
                length = self.model.number(leg.link.length) if hasattr(leg.link, "length") else 0.0
                bounds.append(2 * radius * (radius + length))
            else:
                bounds.append(2.0)
        return np.array(bounds)

    def solutions(
        self,
        kind: str,
        shape: tuple[int, ...],
        index: Index,
        signs: Signs,
        double: Flags,
        reasons: dict[int, NoSolution],
        complete: Flags | None = None,
        *,
        by_blocks: bool = False,
        proven: Flags | None = None,
    ) -> Solutions:
        """These rows as solutions, some `proven` elsewhere; `by_blocks` an inverse problem's signs are of blocks."""
        certain = np.zeros(len(index), bool) if proven is None else proven
        certain = certain if by_blocks else certain | (self.certified(kind) & ~double)
        meets = double if kind == "direct" else self._at_type_2()
        det_sign = np.where(meets, 0, np.sign(self.det_A())).astype(np.int8) if len(index) else np.zeros(0, np.int8)
        order = (
            np.lexsort((_order_within(self.model, self.x, det_sign, kind), index))
            if kind == "direct"
            else np.arange(len(index))
        )
        zeros = np.zeros((len(index), self.model.nq)), np.zeros((len(index), self.model.nx))
        state = {"q": self.q, "x": self.x, "q_dot": zeros[0], "x_dot": zeros[1], "z_ddot": np.hstack(zeros)}
        passive = self.model.call("readings", **state)["passive"] if self.model.equations.readouts else zeros[0][:, :0]
        count = int(np.prod(shape, dtype=int))
        return Solutions(
            robot=self.model.name,
            kind=kind,
            shape=shape,
            index=index[order],
            q=self.q[order],
            x=self.x[order],
            signs=signs[order].astype(np.int8),
            det_sign=det_sign[order],
            ordinal=_ordinals(index[order], det_sign[order]) if kind == "direct" else np.zeros(len(index), np.int8),
            residual=self.residual[order],
            condition=self.condition()[order],
            passive=passive[order],
            clusters=self.clusters[order],
            double=double[order],
            certified=certain[order],
            branch=_branches(index, signs) if by_blocks else None,
            complete=np.ones(count, bool) if complete is None else complete,
            reasons=reasons,
            model=self.model,
        )


def _order_within(model: Model, x: Doubles, det_sign: Signs, kind: str) -> Doubles:
    """Direct solutions of one q: points "+" first; plates by increasing angle."""
    plate = model.mechanism is not None and isinstance(model.mechanism.output, Plate)
    return x[:, 2] if plate else -det_sign.astype(float)


def branching(model: Model) -> tuple[tuple[Block, float], ...]:
    """The blocks that give the drives from the output in more than one way, each with the sign that its own counts by.

    One that is linear in what it gives has one way; so has a telescope, whose length is not negative.
    """
    e, drives = model.equations, model.mechanism.drives if model.mechanism else ()
    found = []
    for block in model.inverse_blocks or ():
        first = block.unknowns[0]
        alone = drives[first] if len(block.unknowns) == 1 and first < len(drives) else None
        if isinstance(alone, Telescope) or not has_choice(e, block):
            continue
        found.append((block, -1.0 if isinstance(alone, Slider) else 1.0))
    return tuple(found)


def _branches(index: Index, signs: Signs) -> Signs:
    """1, 2, … among the rows of one element with the same signs; 0 where a row is alone."""
    keys = [(int(i), tuple(row)) for i, row in zip(index, signs.tolist(), strict=True)]
    seen: Counter[tuple[int, tuple[int, ...]]] = Counter()
    total, ordinal = Counter(keys), np.zeros(len(index), np.int8)
    for row, key in enumerate(keys):
        seen[key] += 1
        ordinal[row] = seen[key] if total[key] > 1 else 0
    return ordinal


def _ordinals(index: Index, sign: Signs) -> Signs:
    """1, 2, … among the rows of one element with one sign; 0 where a row is alone."""
    key = 3 * index + sign
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-2))
    sizes = np.diff(starts, append=len(key))
    rank = np.arange(len(key)) - np.repeat(starts, sizes) + 1
    ordinal = np.zeros(len(index), np.int8)
    ordinal[order] = np.where(np.repeat(sizes, sizes) > 1, rank, 0)
    return ordinal
