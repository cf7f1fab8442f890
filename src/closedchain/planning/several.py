"""Planning where other bodies follow from the output: branches by blocks of closures, motions checked at samples.

The output is moved, and the drives and the other bodies are found from it block by block. No interval program bounds
what happens between samples, so nothing is proven: samples are a hundredth of the robot's size apart, each on its
branch, with drives and bodies that move no more than a branch can between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.blocks import solve_blocks
from closedchain.model.configurations import Configurations, branching
from closedchain.model.model import Model
from closedchain.model.modes import output_names
from closedchain.planning.measure import Index, Measures, Setting
from closedchain.planning.proof import UNPROVEN, Proofs, Prover, Segments
from closedchain.singularity.pose import weights
from closedchain.singularity.sampled import levers

STEP = 0.01  # of the robot's size, between samples
LEAP = 0.35  # of the robot's size, or rad: what nothing moves between samples, unless it is another branch


def check_several(model: Model) -> None:
    """Raise BadInput unless the output can be put anywhere and everything follows from it."""
    if model.linkage or model.mechanism is None or model.nq != model.outputs or model.inverse_blocks is None:
        raise BadInput(
            f"{model.name}: its output cannot be moved freely ({model.outputs} coordinates, {model.nq} drives), so a "
            f"line of x is not a motion of it; use `singularities` at its poses"
        )


@dataclass(frozen=True, eq=False)
class Several(Setting):
    """What a motion must keep, of a robot whose other bodies follow from the output."""

    @cached_property
    def modes(self) -> tuple[str, ...]:
        return output_names(self.model)

    @cached_property
    def sigma(self) -> Doubles:
        """Every mode as the signs of its blocks, (modes, blocks)."""
        count = len(branching(self.model))
        return np.array([[1.0 if s == "+" else -1.0 for s in name[:count]] for name in self.modes])

    @property
    def legs(self) -> tuple[str, ...]:
        """All blocks together: their Jacobian tells how far the next end of a branch is."""
        rows = [i for block, _ in branching(self.model) for i in block.closures]
        return (", ".join(self.model.equations.closures[i].name for i in rows),)

    def reach(self, x: Doubles) -> Doubles:
        return solve_blocks(self.model, self._z(x), self._unknown, "x", tell=False).slack[:, None]

    @cached_property
    def _unknown(self) -> list[int]:
        n = self.model.nq
        return [*range(n), *range(n + self.model.outputs, n + self.model.nx)]

    def _z(self, x: Doubles) -> Doubles:
        z = np.zeros((len(x), self.model.nq + self.model.nx))
        z[:, self.model.nq : self.model.nq + self.model.outputs] = x
        return z

    def _measure(self, x: Doubles, sigma: Doubles) -> Measures:
        model, z = self.model, self._z(x)
        found = solve_blocks(model, z, self._unknown, "x", tell=False)
        signs = Configurations(model, found.z[:, : model.nq], found.z[:, model.nq :]).block_signs(found.double)
        own = np.flatnonzero((np.where(signs == 0, 1, signs) == sigma[found.index]).all(axis=-1))
        reached = np.zeros(len(x), bool)
        reached[found.index[own]] = True
        slack = np.where(found.slack < 0.0, found.slack, -model.scale)  # another mode reaches it
        slack[found.index[own]] = found.room[own]
        z[found.index[own]] = found.z[own]
        return self._measured(z, slack, reached)

    def _measured(self, z: Doubles, slack: Doubles, reached: Doubles) -> Measures:
        model, n = self.model, self.model.nq
        rows = Configurations(model, z[:, :n], z[:, n:])
        by_q, _, by_row = weights(model, z[:, :n])
        sizes = np.concatenate([by_q, levers(model)])
        Phi = np.concatenate([rows.B, rows.A], axis=-1) / by_row[..., None] / sizes
        A = np.asarray(np.linalg.svd(Phi[:, :, n:], compute_uv=False))
        S = np.asarray(np.linalg.svd(Phi[:, :, self._unknown], compute_uv=False))
        places = self.bodies.points(z[:, :n], z[:, n:])
        return Measures(
            q=z[:, :n],
            x=z[:, n:],
            slack=slack[:, None],
            reached=np.asarray(reached, dtype=bool),
            legs=(S[:, -1] / np.maximum(S[:, 0], 1e-300))[:, None],
            parallel=A[:, -1] / np.maximum(A[:, 0], 1e-300),
            largest=A[:, 0],
            det=np.linalg.det(Phi[:, :, n:]),
            gaps=self.bodies.gaps(places),
            limits=self.joints.rooms(z[:, :n], z[:, n:], places),
        )


class Sampler(Prover):
    """Checks segments at samples; it proves nothing, and plans say so."""

    proves = False
    claim = f"checked at samples {STEP:g} of the robot's size apart, not proven"

    def prove(self, given: Segments) -> Proofs:
        k, setting = len(given), self.setting
        length = np.linalg.norm((given.end - given.start) * setting.metric, axis=-1)
        count = 2 + np.ceil(length / (STEP * self.model.scale)).astype(np.intp)
        row: Index = np.repeat(np.arange(k), count)
        place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        s = place / np.repeat(count - 1, count)
        m = setting.measure(given.x(row, s), given.sigma[row])
        left = setting.room_left(m)
        proofs = Proofs(np.ones(k, bool), np.ones(k), np.full(k, UNPROVEN), np.full(k, np.inf), np.ones(k), np.ones(k))
        np.minimum.at(proofs.clearance, row, np.where(m.reached, m.clearance, np.inf))
        np.minimum.at(proofs.parallel, row, np.where(m.reached, m.parallel, 1.0))
        np.minimum.at(proofs.serial, row, np.where(m.reached, m.serial, 0.0))
        broken = (left < 0.0).any(axis=-1) | ~m.reached
        leaps = np.zeros(len(row), bool)
        leaps[1:] = (row[1:] == row[:-1]) & self._leaps(m)
        for i in np.flatnonzero(broken | leaps)[::-1]:  # the first of a segment is written last
            proofs.proven[row[i]], proofs.s[row[i]] = False, s[i]
            proofs.constraint[row[i]] = int(np.nanargmin(left[i])) if broken[i] else UNPROVEN
        return proofs

    def _leaps(self, m: Measures) -> Doubles:
        """Where drives move further between two samples than a branch does, or det A changes its sign."""
        turns = np.array([c.unit == "rad" for c in self.model.equations.q])
        step = np.diff(m.q, axis=0)
        step = np.where(turns, np.remainder(step + np.pi, 2 * np.pi) - np.pi, step / self.model.scale)
        return np.asarray((np.abs(step).max(axis=-1) > LEAP) | (m.det[1:] * m.det[:-1] <= 0.0))
