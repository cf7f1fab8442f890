"""`assemble`: from a rough guess to a configuration that closes the loops, with an outcome that says how it went."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.elements import Telescope
from closedchain.errors import BadInput, NoSolution, length
from closedchain.model.closing import gaps
from closedchain.model.dynamics import coordinate_sizes, jacobian
from closedchain.model.model import Model
from closedchain.policy import CLOSED, ROUNDED

STEPS, KICKS = 200, 3
STALLED = 1e-12  # of the gradient's own size: there the gaps are smallest, but not closed


class Unassemblable(NoSolution):
    """No configuration that closes the loops was found."""


@dataclass(frozen=True, eq=False)
class Assembly:
    """What came of an attempt to close the loops."""

    linkage: str
    z: Doubles  # (nz,) the configuration reached
    converged: bool
    residual: float  # [m] the widest gap left
    closure: str  # whose gap that is
    iterations: int
    message: str

    def unwrap(self) -> Doubles:
        """The configuration, or Unassemblable with the message."""
        if not self.converged:
            raise Unassemblable(f"{self.linkage}: {self.message}")
        return self.z


def assemble(
    model: Model, guess: ArrayLike | Mapping[str, float] | None = None, *, held: Collection[str] = ()
) -> Assembly:
    """Close the loops by damped Gauss–Newton steps from a guess of z, or of some coordinates by name.

        min |φ(z)|²,    (ΦᵀΦ + μ) Δz = −Φᵀφ,    μ grows where a step does not help and shrinks where it does

    Coordinates that nobody guesses begin where the description's `near` says, else at zero; those named in `held` stay.
    """
    z, names = starting(model, guess), [c.name for c in model.equations.z]
    unknown = [name for name in held if name not in names]
    if unknown:
        raise BadInput(f"{model.name} has no coordinate {unknown[0]!r:.40} to hold; there are {', '.join(names)}")
    moving = np.array([name not in held for name in names])
    sizes = np.where(moving, coordinate_sizes(model), 0.0)
    rng = np.random.default_rng(0)
    z, iterations, stalled = _descend(model, z, sizes)
    for _ in range(KICKS if stalled else 0):  # it may stand on a ridge between two valleys
        z_, more, stalled_ = _descend(model, z + 1e-3 * sizes * rng.standard_normal(len(z)), sizes)
        iterations += more
        if np.linalg.norm(_phi(model, z_)) < np.linalg.norm(_phi(model, z)):
            z, stalled = z_, stalled_
    return _outcome(model, z, iterations, stalled)


def _descend(model: Model, z: Doubles, sizes: Doubles) -> tuple[Doubles, int, bool]:
    """Steps until the loops are closed, or no step makes the gaps smaller."""
    damping, phi = 1e-6, _phi(model, z)
    for iterations in range(STEPS):
        if _closed(model, z):
            return z, iterations, False
        Phi = jacobian(model, z) * sizes
        if np.linalg.norm(Phi.T @ phi) <= STALLED * np.linalg.norm(Phi) * np.linalg.norm(phi) or damping > 1e12:
            return z, iterations, True
        there = z + sizes * _step(Phi, phi, damping)
        better = _phi(model, there)
        improved = bool(better @ better < phi @ phi)
        z, phi = (there, better) if improved else (z, phi)
        damping = max(damping / 10, 1e-15) if improved else damping * 10
    return z, STEPS, False


def starting(model: Model, guess: ArrayLike | Mapping[str, float] | None) -> Doubles:
    """A guess for all of z."""
    names = [c.name for c in model.equations.z]
    if guess is not None and not isinstance(guess, Mapping):
        return vectors(guess, len(names), "guess").copy()
    z = np.array([_usual(model, i) for i in range(model.nq)] + _near(model))
    for name, value in (guess or {}).items():
        if name not in names:
            raise BadInput(f"{model.name} has no coordinate {name!r:.40}; there are {', '.join(names)}")
        z[names.index(name)] = vectors([value], 1, name)[0]
    return z


def _usual(model: Model, i: int) -> float:
    drives = model.mechanism.drives if model.mechanism else ()
    return model.scale if drives and isinstance(drives[i], Telescope) else 0.0


def _near(model: Model) -> list[float]:
    rows: list[float] = []
    for body in model.mechanism.bodies if model.mechanism else ():
        size = len(model.mechanism.own_coordinates(body)) if model.mechanism else 0
        rows += [0.0] * size if body.near is None else [model.number(e) for e in body.near]
    return rows or [0.0] * model.nx


def _phi(model: Model, z: Doubles) -> Doubles:
    made = model.call("closures", q=z[: model.nq], x=z[model.nq :])
    return made.get("phi", np.zeros(0))


def _closed(model: Model, z: Doubles) -> bool:
    return bool(gaps(model, z).max(initial=0.0) <= CLOSED * model.scale)


def _step(Phi: Doubles, phi: Doubles, damping: float) -> Doubles:
    U, sigma, V = np.linalg.svd(Phi, full_matrices=False)
    size = sigma[0] if len(sigma) and sigma[0] > 0.0 else 1.0
    return np.asarray(-V.T @ (sigma / (sigma**2 + damping * size**2) * (U.T @ phi)))


def _outcome(model: Model, z: Doubles, iterations: int, stalled: bool) -> Assembly:
    gap = gaps(model, z)
    worst = int(np.argmax(gap)) if len(gap) else 0
    left = float(gap.max(initial=0.0))
    name = model.equations.closures[worst].name if len(gap) else ""
    closed = left <= ROUNDED * model.scale
    message = f"closed to {left:.1e} m after {iterations} steps"
    if not closed and stalled:
        message = (
            f"no small change makes the gaps smaller: {name} stays open by {length(left)}; another guess may close the "
            f"loops, or a bar is too short or too long"
        )
    elif not closed:
        message = (
            f"did not converge in {iterations} steps: closure {name} is still open by {length(left)}; guess nearer"
        )
    return Assembly(model.name, z, closed, left, name, iterations, message)
