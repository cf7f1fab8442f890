"""A linkage's state: a configuration that closes its loops, and velocities that keep them closed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.expressions import evaluate, is_number
from closedchain.errors import BadInput, NoSolution, length
from closedchain.model.assembling import assemble
from closedchain.model.closing import gaps
from closedchain.model.dynamics import coordinate_sizes, free_motions, jacobian, mass_matrix
from closedchain.model.model import Model
from closedchain.policy import OPEN, RANK, SLIP

Rates = ArrayLike | Mapping[str, float]


class BreaksClosures(NoSolution):
    """Velocities that would open a loop; `nearest` are the nearest ones, weighed by mass, that do not."""

    def __init__(self, linkage: str, closure: str, speed: float, change: float, nearest: Doubles) -> None:
        self.closure, self.speed, self.change, self.nearest = closure, speed, change, nearest
        super().__init__(
            f"{linkage}: these velocities open closure {closure} at {speed:.3g} m/s; the nearest that keep the loops "
            f"closed differ by up to {change:.3g}. Give rates by name and the others follow, or take the nearest."
        )


def placed(model: Model, q: ArrayLike | None, x: ArrayLike | None) -> Doubles:
    """z of a configuration that is given whole, checked; or assembled with the drives at q, from what is near."""
    if x is None:
        drives = vectors(q if q is not None else np.zeros(model.nq), model.nq, "q")
        if drives.ndim != 1:
            raise BadInput(f"{model.name}: q is a batch; give x, too: a linkage is assembled one at a time")
        names = [c.name for c in model.equations.q]
        return assemble(model, dict(zip(names, drives.tolist(), strict=True)), held=names).unwrap()
    if q is None and model.nq:
        raise BadInput(f"{model.name}: x alone does not tell its drives; give q, too")
    parts = vectors(q if q is not None else np.zeros(0), model.nq, "q"), vectors(x, model.nx, "x")
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    z = np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)
    gap = gaps(model, z)
    if gap.max(initial=0.0) > OPEN * model.scale:
        name = model.equations.closures[int(np.unravel_index(np.argmax(gap), gap.shape)[-1])].name
        raise NoSolution(f"{model.name}: the loops are open: {name} by {length(float(gap.max()))}; `assemble` it first")
    return z


def moving(model: Model, z: Doubles, q_dot: ArrayLike | None, x_dot: Rates | None) -> Doubles:
    """ż of given rates, checked against the closures; of rates given by name, with the others following."""
    if isinstance(x_dot, Mapping):
        named = dict(x_dot)
        if q_dot is not None:
            drives = vectors(q_dot, model.nq, "q_dot").tolist()
            named = dict(zip((c.name for c in model.equations.q), drives, strict=True)) | named
        return completed(model, z, named)
    rates = [
        vectors(given if given is not None else np.zeros(n), n, name)
        for given, n, name in ((q_dot, model.nq, "q_dot"), (x_dot, model.nx, "x_dot"))
    ]
    if x_dot is None and q_dot is not None and model.nq and np.any(rates[0]):
        return completed(model, z, dict(zip((c.name for c in model.equations.q), rates[0].tolist(), strict=True)))
    shape = np.broadcast_shapes(z.shape[:-1], *(r.shape[:-1] for r in rates))
    z_dot = np.concatenate([np.broadcast_to(r, (*shape, r.shape[-1])) for r in rates], axis=-1)
    check_rates(model, np.broadcast_to(z, z_dot.shape), z_dot)
    return z_dot


def check_rates(model: Model, z: Doubles, z_dot: Doubles) -> None:
    """Raise BreaksClosures for velocities that do not keep the loops closed."""
    speed = np.abs(opening(model, z, z_dot))
    fastest = model.scale * np.abs(z_dot / coordinate_sizes(model)).max(axis=-1, initial=0.0)
    bad = speed.max(axis=-1, initial=0.0) > SLIP * np.maximum(fastest, 1e-300)
    if bad.any():
        at = tuple(np.argwhere(bad)[0]) if bad.ndim else ()
        closure = int(np.argmax(speed[at]))
        nearest = projected(model, z[at], z_dot[at])
        change = float(np.abs(nearest - z_dot[at]).max())
        name = model.equations.closures[closure].name
        raise BreaksClosures(model.name, name, float(speed[at][closure]), change, nearest)


def opening(model: Model, z: Doubles, z_dot: Doubles) -> Doubles:
    """How fast each closure would open [m/s]: the rate of φ, for a bar's difference of squares over 2 length."""
    values = model.values | {c.name: z[..., i] for i, c in enumerate(model.equations.z)}
    slip = np.einsum("...ij,...j->...i", jacobian(model, z), z_dot)
    for i, closure in enumerate(model.equations.closures):
        if not is_number(closure.length, 0.0):
            slip[..., i] /= 2 * evaluate(closure.length, values)
    return np.asarray(slip)


def projected(model: Model, z: Doubles, z_dot: Doubles) -> Doubles:
    """The nearest velocities that keep the loops closed, weighed by mass: min (v − ż)ᵀ M (v − ż) with Φ v = 0."""
    sizes, T = coordinate_sizes(model), free_motions(model, z)
    root = _root(mass_matrix(model, z) * sizes * sizes[:, None]) / sizes
    return np.asarray(T @ np.linalg.lstsq(root @ T, root @ z_dot, rcond=None)[0])


def completed(model: Model, z: Doubles, named: Mapping[str, float]) -> Doubles:
    """ż with the named rates and the least kinetic energy that the closures allow."""
    names = [c.name for c in model.equations.z]
    for name in named:
        if name not in names:
            raise BadInput(f"{model.name} has no rate of {name!r:.40}; there are {', '.join(names)}")
    if z.ndim != 1:
        raise BadInput(f"{model.name}: rates by name are for one configuration at a time")
    rows = [names.index(name) for name in named]
    sizes = coordinate_sizes(model)
    wanted = vectors(list(named.values()), len(rows), "rates") / sizes[rows]
    basis = free_motions(model, z) / sizes[:, None]
    part, _, rank, _ = np.linalg.lstsq(basis[rows], wanted, rcond=RANK)
    if np.abs(basis[rows] @ part - wanted).max(initial=0.0) > SLIP * max(np.abs(wanted).max(initial=0.0), 1e-300):
        given = ", ".join(f"{name} = {value:g}" for name, value in named.items())
        raise NoSolution(
            f"{model.name}: no motion that keeps the loops closed has the rates {given}; give fewer of them"
        )
    rest = np.linalg.svd(basis[rows])[2][rank:].T if len(rows) else np.eye(basis.shape[1])  # leaves the named ones
    root = _root(mass_matrix(model, z) * sizes * sizes[:, None]) @ basis
    share = np.linalg.lstsq(root @ rest, -root @ part, rcond=None)[0] if rest.shape[1] else np.zeros(0)
    return np.asarray(sizes * (basis @ (part + rest @ share)))


def _root(M: Doubles) -> Doubles:
    """W with WᵀW = M; M may be singular."""
    values, vectors_ = np.linalg.eigh(M)
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors_.T)
