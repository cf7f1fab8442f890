"""Random configurations and states on every branch, found without the closed forms: Gauss–Newton from random starts."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Telescope
from closedchain.errors import length
from closedchain.model.assembling import Unassemblable as Unassemblable
from closedchain.model.dynamics import RANK, coordinate_sizes, jacobian, scaled_jacobian
from closedchain.model.kinematics import direct_rates
from closedchain.model.model import Model
from closedchain.model.standing import projected
from closedchain.model.state import State

STEPS, ROUNDS = 60, 20
CLOSED = 1e-13  # of the robot's size
NEARBY = 0.1  # of the coordinates' sizes


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
    z = z[(np.abs(gap).max(axis=-1, initial=0.0) <= CLOSED * model.scale) & _possible(model, z)]
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
    """`count` configurations z = (q, x) that close the loops, (count, nz); the most regular, if few pass `margin`."""
    found: list[Doubles] = []
    enough, best, tried = 0, (np.inf, ""), max(2 * count, 64)
    for _ in range(ROUNDS):
        z, gap = close(model, _starts(model, tried, rng))
        worst = np.abs(gap).max(axis=-1)
        i = int(np.argmin(worst))
        best = min(best, (float(worst[i]), model.equations.closures[int(np.argmax(np.abs(gap[i])))].name))
        z = z[(worst <= CLOSED * model.scale) & _possible(model, z)]
        found.append(z)
        enough += int(np.count_nonzero(regularity(model, z) > margin)) if len(z) else 0
        if enough >= count:
            break
    rows = np.concatenate(found)
    if not len(rows):
        raise Unassemblable(
            f"{model.name}: no configuration closes the loops: from {ROUNDS * tried} random starts "
            f"the best still misses closure {best[1]} by {length(best[0])}; lengthen a bar or bring its ends closer"
        )
    held = regularity(model, rows)
    if enough:
        return rows[held > margin][np.arange(count) % enough]
    return rows[np.argsort(-held, kind="stable")][np.arange(count) % min(len(rows), count)]


def assemble(model: Model) -> Doubles:
    """One configuration that closes the loops, near where it is said to be; raises Unassemblable when none is found."""
    bodies = model.mechanism.bodies if model.mechanism else ()
    if bodies and all(body.near is not None for body in bodies):
        near = [model.number(e) for body in bodies for e in body.near or ()]
        z, gap = close(model, np.array([[0.0] * model.nq + near]))
        if np.abs(gap).max(initial=0.0) <= CLOSED * model.scale:
            return z[0]
    return configurations(model, 1, np.random.default_rng(0))[0]


def close(model: Model, z: Doubles) -> tuple[Doubles, Doubles]:
    """Damped Gauss–Newton on φ(z) = 0 in all of z, each row for itself: the configurations reached and their gaps."""
    sizes = coordinate_sizes(model)
    for _ in range(STEPS):
        made = model.call("closures", q=z[:, : model.nq], x=z[:, model.nq :])
        if np.abs(made["gap"]).max(initial=0.0) <= CLOSED * model.scale / 10:
            break
        Phi = jacobian(model, z) * sizes
        row = np.maximum(np.linalg.norm(Phi, axis=-1, keepdims=True), 1e-300)  # of squares for a bar, lengths for a pin
        Phi = Phi / row
        square = Phi @ Phi.transpose(0, 2, 1)
        square += 1e-14 * np.trace(square, axis1=1, axis2=2)[:, None, None] * np.eye(square.shape[-1])
        step = -np.einsum("kij,ki->kj", Phi, np.linalg.solve(square, made["phi"][..., None] / row)[..., 0])
        limit = np.minimum(1.0, 1.0 / np.maximum(np.abs(step).max(axis=-1, keepdims=True), 1e-300))
        z = z + sizes * step * limit
    return z, model.call("closures", q=z[:, : model.nq], x=z[:, model.nq :])["gap"]


def regularity(model: Model, z: Doubles) -> Doubles:
    """1 / cond of A in coordinates of the robot's own size: 1 at best, 0 at a Type 2 singularity; 1 for a linkage."""
    if model.linkage:
        return np.ones(len(z))
    A = model.call("closures", q=z[:, : model.nq], x=z[:, model.nq :])["A"] * coordinate_sizes(model)[model.nq :]
    A = A / np.maximum(np.linalg.norm(A, axis=-1, keepdims=True), 1e-300)
    sigma = np.linalg.svd(A, compute_uv=False)
    return np.asarray(sigma[:, -1] / np.maximum(sigma[:, 0], 1e-300))


def _starts(model: Model, count: int, rng: np.random.Generator) -> Doubles:
    span = np.array([np.pi if c.unit == "rad" else 1.5 * model.scale for c in model.equations.z])
    return rng.uniform(-span, span, (count, len(span)))


def _possible(model: Model, z: Doubles) -> np.ndarray:
    """A telescope's length is positive."""
    drives = model.mechanism.drives if model.mechanism else ()
    legs = [i for i, drive in enumerate(drives) if isinstance(drive, Telescope)]
    return np.asarray((z[:, legs] > 1e-3 * model.scale).all(axis=-1))
