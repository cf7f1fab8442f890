"""One group of rows about its configurations: closures and readings with their slopes, and each row's own problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.calibration.quantities import Quantity, Term
from closedchain.calibration.unknowns import GAIN, OFFSET, Unknowns
from closedchain.errors import BadInput
from closedchain.model.dynamics import coordinate_sizes

LOST = 1e-10  # of the largest singular value: a direction that nothing in the row tells


@dataclass(frozen=True, eq=False)
class Group:
    """Rows in which the same quantities were read."""

    rows: np.ndarray  # their numbers
    poses: int  # configurations in a row
    exact: tuple[Quantity, ...]
    exact_values: Doubles  # (rows, exact)
    compared: tuple[Quantity, ...]
    values: Doubles  # (rows, compared)
    sd: Doubles  # (rows, compared)
    w: Doubles  # (rows, poses * nz) the configurations

    def moved(self, w: Doubles) -> Group:
        """The same readings from other configurations."""
        return replace(self, w=w)


@dataclass(frozen=True, eq=False)
class Block:
    """A group's share of the fit: whitened residuals and slopes of each row."""

    group: Group
    left: Doubles  # (rows, k)
    slopes: Doubles  # (rows, k, unknowns)
    raw: Doubles  # (rows, compared) model less reading, in SI
    w_theta: Doubles  # (rows, poses * nz, unknowns) how the configurations move with the unknowns
    N: Doubles  # (rows, compared, k) ρ = Nᵀ r


class System:
    """Closures and readings of a group about its configurations: values, and slopes by w and θ."""

    def __init__(
        self,
        unknowns: Unknowns,
        sensors: Sequence[str],
        group: Group,
        theta: Doubles,
        made: Mapping[str, Doubles],
        chain: Doubles,
    ) -> None:
        self.model, self.sensors, self.group, self.made, self.chain = unknowns.model, sensors, group, made, chain
        self.nz = self.model.nq + self.model.nx
        self.theta = dict(zip(unknowns.names, theta.tolist(), strict=True))
        self.n, self.nw, self.nt = len(group.rows), group.poses * self.nz, len(theta)
        self.sizes = np.tile(coordinate_sizes(self.model), group.poses)
        self._assemble()

    def _assemble(self) -> None:
        group, rows = self.group, []
        if "phi" in self.made:
            rows.append(self._closures())
        rows += [self._reading(q, group.exact_values[:, i]) for i, q in enumerate(group.exact)]
        c, C, c_t = (np.concatenate(part, axis=1) for part in zip(*rows, strict=True))
        size = np.maximum(np.linalg.norm(C * self.sizes, axis=-1), 1e-300)  # bars' rows are squares, pins' are lengths
        self.c, self.C, self.c_t = c / size, C * self.sizes / size[..., None], c_t / size[..., None]
        seen = [self._reading(q, group.values[:, i]) for i, q in enumerate(group.compared)]
        empty = [(np.zeros((self.n, 0)), np.zeros((self.n, 0, self.nw)), np.zeros((self.n, 0, self.nt)))]
        self.raw, O, o_t = (np.concatenate(part, axis=1) for part in zip(*(seen or empty), strict=True))
        sd = group.sd
        self.r, self.O, self.o_t = self.raw / sd, O * self.sizes / sd[..., None], o_t / sd[..., None]

    def _closures(self) -> tuple[Doubles, Doubles, Doubles]:
        phi, m, k = self.made["phi"], self.made["phi"].shape[-1], self.group.poses
        C, c_t = np.zeros((self.n, k * m, self.nw)), np.zeros((self.n, k * m, self.nt))
        for pose in range(k):
            rows, columns = slice(pose * m, pose * m + m), slice(pose * self.nz, (pose + 1) * self.nz)
            C[:, rows, columns] = self.made["phi_z"][:, pose]
            if "phi_p" in self.made:
                c_t[:, rows, : self.chain.shape[1]] = self.made["phi_p"][:, pose] @ self.chain
        return phi.reshape(self.n, k * m), C, c_t

    def _reading(self, quantity: Quantity, reading: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Model less reading, (n, 1), and slopes."""
        value, slope, slope_t = self._value(quantity)
        gain = self.theta.get(quantity.name + GAIN, 1.0)
        missed = value - (gain * reading + self.theta.get(quantity.name + OFFSET, 0.0))
        for name, by in ((quantity.name + OFFSET, np.ones(self.n)), (quantity.name + GAIN, reading)):
            if name in self.theta:
                slope_t[:, list(self.theta).index(name)] -= by
        if quantity.unit == "rad":
            missed = np.remainder(missed + np.pi, 2 * np.pi) - np.pi
        return missed[:, None], slope[:, None], slope_t[:, None]

    def _value(self, quantity: Quantity) -> tuple[Doubles, Doubles, Doubles]:
        if not quantity.b:
            return self._term(quantity.a[0])
        ends = [(self._term(a), self._term(b)) for a, b in zip(quantity.a, quantity.b, strict=True)]
        d, d_w, d_t = (np.stack([b[i] - a[i] for a, b in ends], axis=1) for i in range(3))
        size = np.maximum(np.linalg.norm(d, axis=1), 1e-300)
        u = d / size[:, None]
        return size, np.einsum("nk,nkw->nw", u, d_w), np.einsum("nk,nkt->nt", u, d_t)

    def _term(self, term: Term) -> tuple[Doubles, Doubles, Doubles]:
        slope, slope_t = np.zeros((self.n, self.nw)), np.zeros((self.n, self.nt))
        start = term.pose * self.nz
        if term.coordinate is not None:
            slope[:, start + term.coordinate] = 1.0
            return self.group.w[:, start + term.coordinate].copy(), slope, slope_t
        i = self.sensors.index(term.sensor)
        slope[:, start : start + self.nz] = self.made["y_z"][:, term.pose, i]
        if "y_p" in self.made:
            slope_t[:, : self.chain.shape[1]] = self.made["y_p"][:, term.pose, i] @ self.chain
        return self.made["y"][:, term.pose, i], slope, slope_t

    # One row's own problem --------------------------------------------------------------------------

    @cached_property
    def _split(self) -> tuple[Doubles, Doubles]:
        """C⁺ and the null space V, of the rank that closures and exact readings have here."""
        U, sigma, Vt = np.linalg.svd(self.C, full_matrices=True)
        ranks = np.count_nonzero(sigma > LOST * sigma[:, :1], axis=-1)
        rank = int(ranks.max(initial=0))
        if self.C.shape[1] > self.nw and rank == self.nw and not self.model.linkage:
            self._refuse_exact()
        inverse = np.where(sigma[:, :rank] > LOST * sigma[:, :1], 1.0 / np.maximum(sigma[:, :rank], 1e-300), 0.0)
        pinv = np.einsum("nkw,nk,nik->nwi", Vt[:, :rank], inverse, U[:, :, :rank])
        return pinv, Vt[:, rank:].transpose(0, 2, 1)

    def _refuse_exact(self) -> None:
        names = ", ".join(q.name for q in self.group.exact)
        raise BadInput(
            f"{self.model.name}: row {self.group.rows[0] + 1} has more exact readings ({names}) than freedoms; "
            f"readings of redundant sensors need a standard deviation"
        )

    def step(self) -> tuple[Doubles, Doubles]:
        """The Gauss–Newton step of each row's w, in coordinates of the robot's own size; and r after it."""
        pinv, V = self._split
        step = -np.einsum("nwi,ni->nw", pinv, self.c)
        left = self.r + np.einsum("nsw,nw->ns", self.O, step)
        if V.shape[-1]:
            seen = self.O @ V
            self._check_located(seen)
            u = -np.einsum("nks,ns->nk", np.linalg.pinv(seen, rcond=LOST), left)
            step = step + np.einsum("nwk,nk->nw", V, u)
            left = left + np.einsum("nsk,nk->ns", seen, u)
        return step, left

    def _check_located(self, seen: Doubles) -> None:
        """Refuse rows whose readings do not tell where the robot was."""
        enough = seen.shape[1] >= seen.shape[2]
        sigma = np.linalg.svd(seen, compute_uv=False) if enough else np.zeros((self.n, 1))
        lost = ~(sigma[:, -1] > LOST * np.maximum(sigma[:, 0], 1e-300))
        if lost.any():
            row = self.group.rows[int(np.argmax(lost))] + 1
            names = ", ".join(q.name for q in (*self.group.exact, *self.group.compared))
            raise BadInput(
                f"{self.model.name}: row {row} does not tell where the robot was: {names} leave "
                f"{seen.shape[2]} freedoms with {seen.shape[1]} readings; add a reading of a drive or of the output"
            )

    def block(self) -> Block:
        """ρ and ∂ρ/∂θ."""
        pinv, V = self._split
        w_t = -pinv @ self.c_t
        slopes = self.o_t + self.O @ w_t
        if not V.shape[-1]:
            whole = np.broadcast_to(np.eye(self.r.shape[1]), (self.n, self.r.shape[1], self.r.shape[1]))
            return Block(self.group, self.r, slopes, self.raw, w_t * self.sizes[:, None], whole)
        seen = self.O @ V
        moved = w_t - V @ (np.linalg.pinv(seen, rcond=LOST) @ slopes)
        N = np.linalg.svd(seen, full_matrices=True)[0][:, :, V.shape[-1] :]
        left = np.einsum("nsk,ns->nk", N, self.r)
        slopes = N.transpose(0, 2, 1) @ slopes
        return Block(self.group, left, slopes, self.raw, moved * self.sizes[:, None], N)
