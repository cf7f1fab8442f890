"""What an engine answers at the states compared, put together from its own pieces.

At each state the engine's loops are closed by Newton's method on the engine's own gap and Jacobian, with the drives
held. Its M, h, loop Jacobian G and drift are then projected onto the motions that the loops allow:

    [G; S] T = [0; I],    [G; S] β = [−Ġ v; 0],    v̇ = T q̈ + β
    M_q = TᵀM T,    c = Tᵀ(h + M β),    τ = Tᵀ inverse(v, v̇),    Gᵀ f = inverse(v, v̇) − Sᵀ τ

so that a soft or approximate solver inside the engine has no part in it. The solver is asked separately.

A linkage's drives need not decide its motion: T is then a basis of all that G allows, with coordinates of its own, and
v̇ = T a + β is asked for the accelerations a that follow from efforts.

All systems are solved with lengths in the robot's size, rows and columns alike: only then is their condition that of
the state. In metres the freedoms of a robot of 1e5 m that slide count 1e5 times less than those that turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import NoSolution
from closedchain.model.dynamics import coordinate_sizes
from closedchain.model.model import Model
from closedchain.policy import CLOSED
from closedchain.verify.bodies import Bodies
from closedchain.verify.engine import Engine, Look
from closedchain.verify.samples import DRIVES, RATES, Samples, closed, output

NEWTON = 25
RANK = 1e-10  # singular values below this, of the largest, are rows that say nothing (a planar loop's z)


Accelerations = tuple[Doubles, Doubles]  # of the drives (nq,) and of the places (k, 3)


@dataclass(frozen=True, eq=False)
class Witness:
    """An engine as it is asked: massless bodies have the least masses that it takes, or those that its solver needs."""

    plain: Engine  # for its pieces
    able: Engine  # for its solver and its integration; the same one where that can work


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

    T: Doubles  # (nv, nq), of a linkage (nv, freedoms)
    beta: Doubles  # (nv,)
    inverse: Doubles  # (nv, rows + held)
    condition: float


@dataclass(frozen=True, eq=False)
class Answer:
    """One state; places are (k, 3)."""

    pieces: dict[str, Doubles]
    terms: dict[str, float]
    at: Doubles
    velocity: Doubles
    acceleration: Doubles  # for q̈ as given, of a linkage for the efforts
    soft: Accelerations | None  # by the solver, for the efforts as given; None where it does not know every loop
    firm: Accelerations | None
    exact: Accelerations  # the same from the pieces
    gap: float
    condition: float


def testify(witness: Witness, bodies: Bodies, samples: Samples) -> Testimony:
    """Ask the engine everything at every state."""
    rows = [_answer(witness, bodies, asked) for asked in asked_of(bodies, samples)]
    at, velocity, acceleration = (np.array([getattr(r, n) for r in rows]) for n in ("at", "velocity", "acceleration"))
    pieces = bodies.read(at, velocity, acceleration)
    pieces |= {name: np.array([row.pieces[name] for row in rows]) for name in rows[0].pieces}
    terms = {name: max(row.terms[name] for row in rows) for name in rows[0].terms}
    lifted = _weight(bodies) * bodies.model.scale  # a height is known to rounding of the robot's size
    terms["potential energy"] = max(float(np.abs(pieces["potential energy"]).max()), lifted)
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
    bodies: Bodies, at: Doubles, velocity: Doubles, answers: Sequence[Accelerations | None]
) -> dict[str, Doubles]:
    rows = [row for row in answers if row is not None]
    if len(rows) < len(answers):
        return {}
    read = bodies.read(at, velocity, np.array([places for _, places in rows]))
    found = {name: value for name, value in read.items() if name.endswith(" acceleration")}
    return found | ({DRIVES: np.array([drives for drives, _ in rows])} if bodies.columns else {})


@dataclass(frozen=True, eq=False)
class Asked:
    """One state."""

    guess: Doubles  # (nv,) of the tree's joint values
    rates: Doubles  # (nq,) of the drives; of a linkage (nz,) of all coordinates, in their sizes
    q_ddot: Doubles  # (nq,)
    force: Doubles  # (nv,) of the efforts, on the freedoms


def asked_of(bodies: Bodies, samples: Samples) -> list[Asked]:
    """What an engine is asked, state by state."""
    rates = _all_rates(bodies.model, samples) if bodies.model.linkage else samples.q_dot
    parts = (bodies.guess(samples.q, samples.x), rates, samples.q_ddot, bodies.forces(samples.tau))
    return [Asked(*row) for row in zip(*parts, strict=True)]


def _all_rates(model: Model, samples: Samples) -> Doubles:
    """ż in the coordinates' sizes, the output's lengths before its angles, as they are read off places, (n, nz)."""
    state = closed(model, samples)
    still = np.zeros_like(state.x)
    read = output(model, state, np.zeros_like(state.q), {"x_dot": state.x_dot, "x_ddot": still})
    drives = state.q_dot / coordinate_sizes(model)[: model.nq]
    sizes = {"output": model.scale, "output angle": 1.0}
    told = [read[name + RATES[1]] / size for name, size in sizes.items() if name + RATES[1] in read]
    return np.concatenate([drives, *told], axis=-1)


@dataclass(frozen=True, eq=False)
class Moving:
    """An engine at one state: assembled, moving as asked, projected."""

    configuration: Doubles
    v: Doubles  # (nv,)
    look: Look
    p: Projection
    M: Doubles  # (nq, nq), of a linkage (freedoms, freedoms)
    c: Doubles  # (nq,)

    def free(self, force: Doubles) -> Doubles:
        """v̇ under forces on the freedoms, (nv,)."""
        a = np.linalg.solve(self.M, self.p.T.T @ force - self.c)
        return np.asarray(self.p.T @ a + self.p.beta, dtype=np.float64)

    def places(self, v_dot: Doubles) -> Doubles:
        """The places' accelerations, (k, 3)."""
        return np.asarray(self.look.places_J @ v_dot + self.look.places_drift)


def set_off(engine: Engine, bodies: Bodies, asked: Asked) -> tuple[Doubles, Doubles]:
    """The engine's configuration with its loops closed, and v, moving as asked."""
    configuration = assembled(engine, bodies, engine.configuration(asked.guess))
    still = engine.look(configuration, np.zeros(bodies.tree.nv))
    T = project(bodies, still).T
    return configuration, T @ (asked.rates if bodies.held else _fitted(bodies, still, T, asked.rates))


def _moving(engine: Engine, bodies: Bodies, asked: Asked) -> Moving:
    configuration, v = set_off(engine, bodies, asked)
    look = engine.look(configuration, v)
    p = project(bodies, look)
    return Moving(configuration, v, look, p, p.T.T @ look.M @ p.T, p.T.T @ (look.h + look.M @ p.beta))


def _fitted(bodies: Bodies, look: Look, T: Doubles, rates: Doubles) -> Doubles:
    """The motion, in a basis T, that moves all coordinates as nearly as can be at these rates."""
    columns = bodies.rates(look.places, np.einsum("pik,kf->fpi", look.places_J, T), T.T)
    return np.asarray(np.linalg.lstsq(columns.T, rates, rcond=RANK)[0])


def _answer(witness: Witness, bodies: Bodies, asked: Asked) -> Answer:
    plain, able = witness.plain, witness.able
    at = _moving(plain, bodies, asked)
    free = at.free(asked.force)
    v_dot = free if bodies.model.linkage else at.p.T @ asked.q_ddot + at.p.beta
    needed = plain.inverse(at.configuration, at.v, v_dot)
    pieces: dict[str, Doubles] = {DRIVES: free[bodies.columns]}
    pieces |= {"kinetic energy": np.array([at.look.kinetic]), "potential energy": np.array([at.look.potential])}
    if bodies.held:
        pieces |= {"M": at.M.ravel(), "c": at.c, "efforts": at.p.T.T @ needed}
    if bodies.cuts:
        pieces["loop forces"] = _loops(bodies, at.p, needed, pieces["efforts"])
    by = at if able is plain else _moving(able, bodies, asked)
    soft, firm = _solved(able, bodies, by, asked.force) if able.whole else (None, None)
    exact = by.free(asked.force)
    return Answer(
        pieces,
        _terms(bodies, at, needed, asked.force),
        at.look.places,
        at.look.places_J @ at.v,
        at.places(v_dot),
        soft,
        firm,
        (exact[bodies.columns], by.places(exact)),
        float(np.abs(at.look.gap).max(initial=0.0)),
        at.p.condition,
    )


def _terms(bodies: Bodies, at: Moving, needed: Doubles, force: Doubles) -> dict[str, float]:
    """How large the sums are that may cancel: rounding is of this size, whatever is left of them."""
    look, T = at.look, np.abs(at.p.T.T)
    levers = np.where(bodies.turns, bodies.model.scale, 1.0)  # from forces to what acts on a freedom
    weights = _weight(bodies) * levers
    bias = T @ (np.abs(look.h) + np.abs(look.M) @ np.abs(at.p.beta) + weights)
    pushed = np.abs(np.linalg.inv(at.M)) @ (T @ np.abs(force) + bias)
    if bodies.model.linkage:
        freedoms = T.T @ pushed
        most = float((np.abs(look.places_J) @ freedoms).max(initial=0.0))
        found = {"output acceleration": most, "output angle acceleration": most / bodies.model.scale}
        return found | {DRIVES: float(freedoms[bodies.columns].max(initial=0.0))}
    efforts = T @ (np.abs(needed) + weights)
    return {
        "c": float(bias.max()),
        "efforts": float(efforts.max()),
        "loop forces": float((efforts / levers[bodies.columns]).max()),
        DRIVES: float(pushed.max()),
    }


def _weight(bodies: Bodies) -> float:
    """[N] of the whole robot."""
    return float(np.abs(bodies.tree.gravity).max() * sum(body.mass for body in bodies.tree.bodies))


def assembled(engine: Engine, bodies: Bodies, configuration: Doubles) -> Doubles:
    """Close the engine's loops with the drives held, from a rough start."""
    nv, best = bodies.tree.nv, np.inf
    for _ in range(NEWTON):
        look = engine.look(configuration, np.zeros(nv))
        gap = float(np.abs(look.gap).max(initial=0.0))
        if gap <= CLOSED * bodies.model.scale and gap >= 0.25 * best:  # no longer falling: rounding is reached
            return configuration
        best = min(best, gap)
        step = project(bodies, look).inverse @ np.concatenate([-look.gap, np.zeros(len(bodies.held))])
        configuration = engine.moved(configuration, step)
    if best <= CLOSED * bodies.model.scale:
        return configuration
    raise NoSolution(
        f"{bodies.model.name}: {engine.title} did not close its loops: {best:.2g} m are left after {NEWTON} steps"
    )


def project(bodies: Bodies, look: Look) -> Projection:
    """The motions that the engine's loops allow: one per drive, the other drives at rest, or a basis of a linkage's."""
    scale, drives = bodies.model.scale, bodies.sizes[bodies.held]
    S = np.zeros((len(drives), bodies.tree.nv))
    S[np.arange(len(drives)), bodies.held] = 1.0  # drives and freedoms in the same sizes
    K = np.concatenate([look.G / scale * bodies.sizes, S])
    _, sigma, V = np.linalg.svd(K)
    kept = sigma[sigma > RANK * sigma.max(initial=0.0)]
    rows = np.concatenate([np.full(len(look.G), scale), drives])
    inverse = bodies.sizes[:, None] * np.linalg.pinv(K, rcond=RANK) / rows
    loops, driven = np.split(inverse, [len(look.G)], axis=1)
    T = driven if bodies.held else bodies.sizes[:, None] * V[len(kept) :].T
    return Projection(T, loops @ -look.drift, inverse, float(kept[0] / kept[-1]) if len(kept) else 1.0)


def _solved(engine: Engine, bodies: Bodies, at: Moving, force: Doubles) -> tuple[Accelerations, Accelerations]:
    """Accelerations of drives and places by the engine's solver, as they are and without its stated softness.

    G v̇ = −Ġ v + slack instead of −Ġ v moves v̇ by  M⁻¹Gᵀ (G M⁻¹Gᵀ)⁺ slack.
    """
    look = at.look
    made = engine.solve(at.configuration, at.v, force)
    moves = np.zeros(bodies.tree.nv)
    if made.slack.any():
        spread = np.linalg.solve(look.M, look.G.T)
        moves = spread @ np.linalg.pinv(look.G @ spread, rcond=RANK) @ made.slack
    soft, firm = (
        (rates[bodies.columns], look.places_J @ rates + look.places_drift) for rates in (made.v_dot, made.v_dot - moves)
    )
    return soft, firm


def _loops(bodies: Bodies, p: Projection, needed: Doubles, tau: Doubles) -> Doubles:
    """The forces on the bodies a of those loops that are compared, one after another: Gᵀ f = load by [G; S]⁺ᵀ."""
    load = needed.copy()
    load[bodies.columns] -= tau
    force = (p.inverse.T @ load)[: 3 * len(bodies.closing.meetings)].reshape(-1, 3)
    chosen = [bodies.closing.first[c.loop] for c in bodies.cuts]
    return np.asarray(force[chosen, : bodies.dimension].ravel())
