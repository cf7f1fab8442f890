"""What an engine answers at the states compared, put together from its own pieces.

At each state the engine's loops are closed by Newton's method on the engine's own gap and Jacobian, with the drives
held. Its M, h, loop Jacobian G and drift are then projected onto the motions that the loops allow:

    [G; S] T = [0; I],    [G; S] β = [−Ġ v; 0],    v̇ = T q̈ + β
    M_q = TᵀM T,    c = Tᵀ(h + M β),    τ = Tᵀ inverse(v, v̇),    Gᵀ f = inverse(v, v̇) − Sᵀ τ

so that a soft or approximate solver inside the engine has no part in it. The solver is asked separately.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import NoSolution
from closedchain.verify.bodies import Bodies
from closedchain.verify.engine import Engine, Look
from closedchain.verify.samples import DRIVES, Samples

ASSEMBLED = 1e-13  # of the robot's size
NEWTON = 25
RANK = 1e-10  # singular values below this, of the largest, are rows that say nothing (a planar loop's z)


@dataclass(frozen=True, eq=False)
class Testimony:
    """An engine's answers, and what their limits follow from."""

    pieces: Mapping[str, Doubles]  # projected, (n, k)
    solver: Mapping[str, Doubles]  # accelerations by its own constraint solver, (n, k)
    firm: Mapping[str, Doubles]  # the same without the softness that the solver states
    exact: Mapping[str, Doubles]  # the same as they follow from the engine's own pieces
    gap: Doubles  # (n,) [m] of the loops after assembly
    condition: float  # the worst of [G; S], lengths in the robot's size
    terms: Mapping[str, float]  # the largest sum of magnitudes of what a quantity is put together from


@dataclass(frozen=True, eq=False)
class Projection:
    """T, β and the pseudo-inverse that made them."""

    T: Doubles  # (nv, nq)
    beta: Doubles  # (nv,)
    inverse: Doubles  # (nv, rows + nq)
    condition: float


@dataclass(frozen=True, eq=False)
class Answer:
    """One state; places are (k, 3)."""

    pieces: dict[str, Doubles]
    terms: dict[str, float]
    at: Doubles
    velocity: Doubles
    acceleration: Doubles  # for q̈ as given
    soft: tuple[Doubles, Doubles]  # drives (nq,) and places by the solver, for the efforts as given
    firm: tuple[Doubles, Doubles]
    exact: tuple[Doubles, Doubles]  # the same from the pieces
    gap: float
    condition: float


def testify(engine: Engine, bodies: Bodies, samples: Samples) -> Testimony:
    """Ask the engine everything at every state."""
    rows = [_answer(engine, bodies, samples, i, guess) for i, guess in enumerate(bodies.guess(samples.q, samples.x))]
    at, velocity, acceleration = (np.array([getattr(r, n) for r in rows]) for n in ("at", "velocity", "acceleration"))
    pieces = bodies.read(at, velocity, acceleration)
    pieces |= {name: np.array([row.pieces[name] for row in rows]) for name in rows[0].pieces}
    terms = {name: max(row.terms[name] for row in rows) for name in rows[0].terms}
    terms["potential energy"] = float(np.abs(pieces["potential energy"]).max())
    pieces["potential energy"] = pieces["potential energy"] - pieces["potential energy"][0]
    return Testimony(
        pieces,
        _by_solver(bodies, at, velocity, [row.soft for row in rows]),
        _by_solver(bodies, at, velocity, [row.firm for row in rows]),
        _by_solver(bodies, at, velocity, [row.exact for row in rows]),
        np.array([row.gap for row in rows]),
        max(row.condition for row in rows),
        terms,
    )


def _by_solver(
    bodies: Bodies, at: Doubles, velocity: Doubles, rows: Sequence[tuple[Doubles, Doubles]]
) -> dict[str, Doubles]:
    read = bodies.read(at, velocity, np.array([places for _, places in rows]))
    found = {name: value for name, value in read.items() if name.endswith(" acceleration")}
    return found | {DRIVES: np.array([drives for drives, _ in rows])}


def _answer(engine: Engine, bodies: Bodies, samples: Samples, i: int, guess: Doubles) -> Answer:
    configuration = assembled(engine, bodies, engine.configuration(guess))
    v = project(bodies, engine.look(configuration, np.zeros(bodies.tree.nv))).T @ samples.q_dot[i]
    look = engine.look(configuration, v)
    p = project(bodies, look)
    M, c = p.T.T @ look.M @ p.T, p.T.T @ (look.h + look.M @ p.beta)
    v_dot = p.T @ samples.q_ddot[i] + p.beta
    needed = engine.inverse(configuration, v, v_dot)
    tau = p.T.T @ needed
    free: Doubles = np.asarray(np.linalg.solve(M, bodies.on_q(samples.tau[i]) - c), dtype=np.float64)
    pieces: dict[str, Doubles] = {
        "M": M.ravel(),
        "c": c,
        "efforts": tau,
        DRIVES: free,
    }
    pieces |= {"kinetic energy": np.array([look.kinetic]), "potential energy": np.array([look.potential])}
    if bodies.cuts:
        pieces["loop forces"] = _loops(bodies, look, needed, tau)
    soft, firm = _solved(engine, bodies, configuration, v, samples.tau[i], look)
    return Answer(
        pieces,
        _terms(bodies, look, p, needed, samples.tau[i], M),
        look.places,
        look.places_J @ v,
        look.places_J @ v_dot + look.places_drift,
        soft,
        firm,
        (free, look.places_J @ (p.T @ free + p.beta) + look.places_drift),
        float(np.abs(look.gap).max(initial=0.0)),
        p.condition,
    )


def _terms(bodies: Bodies, look: Look, p: Projection, needed: Doubles, tau: Doubles, M: Doubles) -> dict[str, float]:
    """How large the sums are that may cancel: rounding is of this size, whatever is left of them."""
    T, weight = np.abs(p.T.T), np.abs(bodies.tree.gravity).max() * sum(b.mass for b in bodies.tree.bodies)
    weights = weight * np.where(bodies.turns, bodies.model.scale, 1.0)  # on a lever of the robot's size
    bias = T @ (np.abs(look.h) + np.abs(look.M) @ np.abs(p.beta) + weights)
    pushed = np.abs(np.linalg.inv(M)) @ (np.abs(bodies.on_q(tau)) + bias)
    efforts = float((T @ (np.abs(needed) + weights)).max())
    return {
        "c": float(bias.max()),
        "efforts": efforts,
        "loop forces": efforts / _lever(bodies),
        DRIVES: float(pushed.max()),
    }


def _lever(bodies: Bodies) -> float:
    """From torques to forces: the robot's size where every drive turns."""
    return bodies.model.scale if all(bodies.turns[k] for k in bodies.columns) else 1.0


def assembled(engine: Engine, bodies: Bodies, configuration: Doubles) -> Doubles:
    """Close the engine's loops with the drives held, from a rough start."""
    nv, best = bodies.tree.nv, np.inf
    for _ in range(NEWTON):
        look = engine.look(configuration, np.zeros(nv))
        gap = float(np.abs(look.gap).max(initial=0.0))
        if gap <= ASSEMBLED * bodies.model.scale and gap >= 0.25 * best:  # no longer falling: rounding is reached
            return configuration
        best = min(best, gap)
        step = project(bodies, look).inverse @ np.concatenate([-look.gap, np.zeros(len(bodies.columns))])
        configuration = engine.moved(configuration, step)
    if best <= ASSEMBLED * bodies.model.scale:
        return configuration
    raise NoSolution(
        f"{bodies.model.name}: {engine.title} did not close its loops: {best:.2g} m are left after {NEWTON} steps"
    )


def project(bodies: Bodies, look: Look) -> Projection:
    """The motions that the engine's loops allow, one per drive, each with the other drives at rest."""
    rows, scale = len(look.G), bodies.model.scale
    S = np.zeros((len(bodies.columns), bodies.tree.nv))
    S[np.arange(len(bodies.columns)), bodies.columns] = 1.0
    K = np.concatenate([look.G / scale, S]) * bodies.sizes  # lengths in the robot's size, rows and columns
    sigma = np.linalg.svd(K, compute_uv=False)
    kept = sigma[sigma > RANK * sigma[0]]
    inverse = bodies.sizes[:, None] * np.linalg.pinv(K, rcond=RANK)
    inverse[:, :rows] /= scale
    return Projection(inverse[:, rows:], inverse[:, :rows] @ -look.drift, inverse, float(kept[0] / kept[-1]))


def _solved(
    engine: Engine, bodies: Bodies, configuration: Doubles, v: Doubles, tau: Doubles, look: Look
) -> tuple[tuple[Doubles, Doubles], tuple[Doubles, Doubles]]:
    """Accelerations of drives and places by the engine's solver, as they are and without its stated softness.

    G v̇ = −Ġ v + slack instead of −Ġ v moves v̇ by  M⁻¹Gᵀ (G M⁻¹Gᵀ)⁺ slack.
    """
    made = engine.solve(configuration, v, bodies.forces(tau))
    moves = np.zeros(bodies.tree.nv)
    if made.slack.any():
        spread = np.linalg.solve(look.M, look.G.T)
        moves = spread @ np.linalg.pinv(look.G @ spread, rcond=RANK) @ made.slack
    soft, firm = (
        (rates[bodies.columns], look.places_J @ rates + look.places_drift) for rates in (made.v_dot, made.v_dot - moves)
    )
    return soft, firm


def _loops(bodies: Bodies, look: Look, needed: Doubles, tau: Doubles) -> Doubles:
    """The forces on the bodies a of those loops that are compared, one after another."""
    load = needed.copy()
    load[bodies.columns] -= tau
    whole = np.linalg.lstsq(look.G.T, load, rcond=RANK)[0]
    force = whole[: 3 * len(bodies.tree.loops)].reshape(-1, 3)
    return np.asarray(force[[c.loop for c in bodies.cuts], : bodies.dimension].ravel())
