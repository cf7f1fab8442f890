"""Random configurations and states on every branch, found without the closed forms: Gauss–Newton from random starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.describe.elements import Telescope
from closedchain.errors import length
from closedchain.model.assembling import Unassemblable as Unassemblable
from closedchain.model.closing import close
from closedchain.model.dynamics import coordinate_sizes, jacobian, scaled_jacobian
from closedchain.model.kinematics import direct_rates
from closedchain.model.model import Model
from closedchain.model.standing import projected
from closedchain.model.state import State
from closedchain.policy import CLOSED, IRREGULAR, RANK

ROUNDS = 20
NEARBY = 0.1  # of the coordinates' sizes
BEST = 1 / 3  # of the most regular configuration found: the others are taken from there up, where none has the margin


def sample(model: Model, count: int, seed: int = 0, *, margin: float = 1e-2) -> State:
    """`count` random states: configurations on all branches with random rates.

    Their A is regular by `margin`; of a robot that has fewer of these, the most regular ones are taken.
    """
    rng = np.random.default_rng(seed)
    if model.linkage:
        return _sample_linkage(model, count, rng, margin)
    if not model.nx:
        q = rng.uniform(-np.pi, np.pi, (count, model.nq))
        return State(q, np.zeros((count, 0)), rng.standard_normal((count, model.nq)), np.zeros((count, 0)))
    z = configurations(model, count, rng, margin)
    q, x = z[:, : model.nq], z[:, model.nq :]
    q_dot = rng.standard_normal(q.shape) * coordinate_sizes(model)[: model.nq]
    return State(q, x, q_dot, direct_rates(model, q, x, q_dot)[0])


def _sample_linkage(model: Model, count: int, rng: np.random.Generator, margin: float) -> State:
    """States around where a linkage is near, some close and some far, away from where it loses closures."""
    sizes, home = coordinate_sizes(model), assemble(model)
    reach = rng.uniform(0.0, 1.0, (8 * count, 1))
    z, gap = close(model, home + reach * sizes * rng.standard_normal((8 * count, len(home))))
    z = z[(gap.max(axis=-1, initial=0.0) <= CLOSED * model.scale) & _possible(model, z)]
    z = z[_as_mobile(model, z, home, margin)] if len(z) else z
    z = z[np.arange(count) % len(z)] if len(z) else np.repeat(home[None], count, axis=0)
    z_dot = np.array([projected(model, row, rng.standard_normal(len(home)) * sizes) for row in z])
    n = model.nq
    return State(z[:, :n], z[:, n:], z_dot[:, :n], z_dot[:, n:])


def _as_mobile(model: Model, z: Doubles, home: Doubles, margin: float) -> np.ndarray:
    """Rows on which as many closures are independent, by `margin`, as around home.

    Fewer are so where the linkage is singular; more, where it is put together in another way and moves less.
    """
    sigma = np.linalg.svd(scaled_jacobian(model, z), compute_uv=False)
    if not sigma.shape[-1]:
        return np.ones(len(z), bool)
    ranks = np.count_nonzero(sigma > margin * sigma[:, :1], axis=-1)
    clear = ranks == np.count_nonzero(sigma > RANK * sigma[:, :1], axis=-1)  # nothing in between
    ranks = np.where(clear, ranks, -1) if clear.any() else ranks
    away = np.abs((z - home) / coordinate_sizes(model)).max(axis=-1)
    around = away <= max(NEARBY, float(np.quantile(away, 0.05)))
    return np.asarray(ranks == ranks[around].max())


def configurations(model: Model, count: int, rng: np.random.Generator, margin: float = 0.0) -> Doubles:
    """`count` configurations z = (q, x) that close the loops, (count, nz), more regular than `margin` where there are.

    A robot of many bodies has no configuration whose A is well conditioned; of such a robot those within a factor BEST
    of the most regular one found are taken.
    """
    tries = _Tries()
    z, regular, kept = np.zeros((0, model.nq + model.nx)), np.zeros(0), np.zeros(0, bool)
    for _ in range(ROUNDS):
        more = tries.closing(model, _starts(model, max(2 * count, 64), rng))
        z, regular = np.concatenate([z, more]), np.concatenate([regular, regularity(model, more)])
        kept = regular_by(regular, margin) if margin else np.ones(len(z), bool)
        if np.count_nonzero(kept) >= count:
            return np.asarray(z[kept][:count])
    if not kept.any():
        raise Unassemblable(f"{model.name}: {tries.reason(len(z), int(ranks(model, z).max(initial=0)), model.nx)}")
    return np.asarray(z[kept][np.arange(count) % np.count_nonzero(kept)])


def regular_by(regularities: Doubles, margin: float) -> np.ndarray:
    """Which are more regular than a margin, or near the best of them where that is not; never a singular one."""
    return np.asarray(regularities > max(min(margin, BEST * float(regularities.max(initial=0.0))), IRREGULAR))


@dataclass
class _Tries:
    """Random starts so far: what came of those that did not become a configuration."""

    starts: int = 0
    widest: float = np.inf  # [m] the widest gap of the start that came nearest to closing
    closure: str = ""  # whose gap that is
    closed: int = 0  # how many closed, some with a telescope of no length

    def closing(self, model: Model, starts: Doubles) -> Doubles:
        """The configurations that the starts lead to."""
        z, gap = close(model, starts)
        worst = gap.max(axis=-1, initial=0.0)
        i = int(np.argmin(worst))
        if 0.0 < worst[i] < self.widest:
            self.widest, self.closure = float(worst[i]), model.equations.closures[int(np.argmax(gap[i]))].name
        closed = worst <= CLOSED * model.scale
        self.starts += len(z)
        self.closed += int(np.count_nonzero(closed))
        return np.asarray(z[closed & _possible(model, z)])

    def reason(self, possible: int, rank: int, full: int) -> str:
        """Why there is no configuration to take."""
        if possible:
            return (
                f"architecturally singular, A has rank {rank} of {full} at each of the {possible} configurations "
                "found: with every drive held something still moves; move a joint, or hold it by another bar or drive"
            )
        if self.closed:
            return (
                f"the loops close only with a telescope shorter than a thousandth of the robot, from {self.closed} of "
                f"{self.starts} random starts; move its ends apart"
            )
        return (
            f"no configuration closes the loops: from {self.starts} random starts the best still misses closure "
            f"{self.closure} by {length(self.widest)}; lengthen a bar or bring its ends closer"
        )


def assemble(model: Model) -> Doubles:
    """One configuration that closes the loops, near where it is said to be; raises Unassemblable when none is found."""
    bodies = model.mechanism.bodies if model.mechanism else ()
    if bodies and all(body.near is not None for body in bodies):
        near = [model.number(e) for body in bodies for e in body.near or ()]
        z, gap = close(model, np.array([[0.0] * model.nq + near]))
        if gap.max(initial=0.0) <= CLOSED * model.scale:
            return z[0]
    return configurations(model, 1, np.random.default_rng(0))[0]


def regularity(model: Model, z: Doubles) -> Doubles:
    """1 / cond of A in coordinates of the robot's own size: 1 at best, 0 at a Type 2 singularity; 1 for a linkage."""
    if model.linkage:
        return np.ones(len(z))
    sigma = np.linalg.svd(own_rows(model, jacobian(model, z)), compute_uv=False)
    return np.asarray(sigma[:, -1] / np.maximum(sigma[:, 0], 1e-300))


def ranks(model: Model, z: Doubles) -> NDArray[np.intp]:
    """The rank of A of each configuration: by twists in space, in coordinates of the robot's own size."""
    made = model.call("closures", q=z[:, : model.nq], x=z[:, model.nq :])
    Phi = np.concatenate([made["B"], made.get("A_twist", made["A"])], axis=-1)
    sigma = np.linalg.svd(own_rows(model, Phi), compute_uv=False)
    return np.asarray(np.count_nonzero(sigma > RANK * sigma[:, :1], axis=-1))


def own_rows(model: Model, Phi: Doubles) -> Doubles:
    """A of Φ = [B A] in coordinates of the robot's own size, each row of length one, or shorter than B's if it is.

    A closure that decides one passive angle alone has one number in its row of A, which vanishes where that loop is
    singular: by its own length it would never be seen to.
    """
    sized = Phi * coordinate_sizes(model)
    of_drives, of_output = (np.linalg.norm(part, axis=-1) for part in np.split(sized, [model.nq], axis=-1))
    size = np.maximum(np.maximum(of_drives, of_output), 1e-300)
    return np.asarray(sized[..., model.nq :] / size[..., None])


def _starts(model: Model, count: int, rng: np.random.Generator) -> Doubles:
    span = np.array([np.pi if c.unit == "rad" else 1.5 * model.scale for c in model.equations.z])
    return rng.uniform(-span, span, (count, len(span)))


def _possible(model: Model, z: Doubles) -> np.ndarray:
    """A telescope's length is positive."""
    drives = model.mechanism.drives if model.mechanism else ()
    legs = [i for i, drive in enumerate(drives) if isinstance(drive, Telescope)]
    return np.asarray((z[:, legs] > 1e-3 * model.scale).all(axis=-1))
