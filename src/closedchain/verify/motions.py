"""Motions on which engines are compared: the lab's oscillation, a quintic trajectory, random states of every branch.

The first two are simulated by this package; the states along them are compared instant by instant, and the efforts that
made them drive the other engine. A linkage, whose drives need not decide its motion, is let go instead of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Telescope
from closedchain.errors import BadInput, ClosedChainError
from closedchain.model.closing import open_by
from closedchain.model.configurations import Configurations
from closedchain.model.dynamics import (
    coordinate_sizes,
    energy,
    forward_dynamics,
    free_motions,
    inverse_dynamics,
    mass_matrix,
    terms,
)
from closedchain.model.geometry import direct, inverse
from closedchain.model.model import Model
from closedchain.model.sampling import assemble, configurations, regular_by, regularity, sample
from closedchain.model.solutions import Solutions
from closedchain.model.standing import projected
from closedchain.model.state import State
from closedchain.model.state import state as make_state
from closedchain.motion.polynomials import quintic
from closedchain.motion.reference import Trajectory
from closedchain.policy import GAP
from closedchain.simulation.run import Run
from closedchain.simulation.simulate import simulate
from closedchain.verify.conditions import inertia
from closedchain.verify.samples import Samples

MOTIONS = ("oscillation", "trajectory", "release", "random")
REGULAR = 0.1  # 1 / cond A of the states compared, where the robot has such: nearer to Type 2 both sides lose digits
INTERVAL = 0.01  # [s] efforts are held, as in the lab
STEP = 2.5e-4  # [s] of our own integration, by the sixth-order method; less where friction acts faster
FRICTION = 2.0  # of the fastest time in which friction stops a motion: a longer explicit step would not bear it
FALLS = 0.3  # [1/s] growth of a fall over a driven motion of 6 s is then less than tenfold
SWINGS = 20.0  # [rad/s] of weights and springs: efforts held for 10 ms follow slower ones
NUDGE = 1e-5
LOST = 1e-8  # 1 / cond A at which Newton's method has no direction
SHARES = tuple(sign * 0.5**k for k in range(14) for sign in (1.0, -1.0))  # of the trajectory that are tried
LEAST = 40  # instants of a motion that ended early
KEPT = 40  # states of a simulated motion that are compared instant by instant

# LAB.md: where the lab's robots start, the efforts that shake them, and where each drive turns round
LAB = {"biglide": (0.01, 0.01), "fivebar": (0.0002, 0.05)}
PACE = 0.6  # [rad/s] √(effort / (M reach)) of the lab's biglide: other robots are shaken as fast
ANGLE, LENGTH = 0.05, 0.03  # reach of other robots: [rad], [of the robot's size]
TEMPI = (1.0, 4.0, 16.0)  # of a release that is too quick for longer steps
SWING, STROKE, DURATION = 0.5, 0.25, 3.0  # the trajectory: [rad], [of the robot's size], [s]


class NoMotion(BadInput):
    """A motion that a robot cannot make from where it begins."""


@dataclass(frozen=True)
class Branch:
    """Which branch a motion is asked for on; None is any."""

    assembly: str | None = None
    working: str | None = None


@dataclass(frozen=True, eq=False)
class Relay:
    """Pushes each drive to and fro about where it began: the effort reverses where its joint passes ±reach."""

    model: Model
    start: State
    effort: Doubles  # (driven,)
    reach: Doubles  # (driven,)
    signs: Doubles  # (driven,) of the effort held, updated

    def __call__(self, t: float, state: State) -> Doubles:
        away = (state.q - self.start.q)[list(self.model.driven)]
        self.signs[:] = np.where(away > self.reach, -1.0, np.where(away < -self.reach, 1.0, self.signs))
        return _holding(self.model, state) + self.signs * self.effort


@dataclass(frozen=True, eq=False)
class Tracking:
    """Computed torque along a trajectory of the driven coordinates."""

    model: Model
    trajectory: Trajectory
    tempo: float = 1.0  # of the motion: errors die out so many times faster

    def __call__(self, t: float, state: State) -> Doubles:
        driven, ref = list(self.model.driven), self.trajectory(t)
        k = 10.0 * self.tempo
        wanted = ref.x_ddot + 2 * k * (ref.x_dot - state.q_dot[driven]) + k**2 * (ref.x - state.q[driven])
        return inverse_dynamics(self.model, state, wanted)


def start_of(model: Model, branch: Branch, seed: int) -> State:
    """Where motions begin: the lab's zero, or else the most regular of some random configurations, at rest."""
    if model.recipe.name in LAB and branch == Branch():
        return make_state(model, q=np.zeros(model.nq), assembly="+")
    if model.linkage:
        z = assemble(model)
        return State(z[: model.nq], z[model.nq :], np.zeros(model.nq), np.zeros(model.nx))
    if not model.nx:
        found = sample(model, 2000, seed)
        q = found.q[int(np.argmin(energy(model, found).potential))]
        return make_state(model, q=q)
    z = on_branch(model, configurations(model, 200, np.random.default_rng(seed), REGULAR), branch)
    z = z[_fit(model, z)]
    falls = growth(model, z)
    best = z[int(np.argmax(np.where(falls <= max(FALLS, falls.min()), regularity(model, z), -1.0)))]
    return State(best[: model.nq], best[model.nq :], np.zeros(model.nq), np.zeros(model.nx))


def growth(model: Model, z: Doubles) -> Doubles:
    """How fast configurations held by constant efforts fall under weights and springs [1/s], (n,)."""
    return np.asarray(np.sqrt(np.maximum(-squared_rates(model, z).min(axis=-1), 0.0)))


def squared_rates(model: Model, z: Doubles) -> Doubles:
    """Eigenvalues of M⁻¹ ∂c/∂q at rest [1/s²], (n, nq): positive ones are ω² of a swing, negative ones of a fall."""
    nq, sizes = model.nq, drive_sizes(model)
    slope = np.zeros((len(z), nq, nq))
    for i in range(nq):
        for sign in (1.0, -1.0):
            q, x = z[:, :nq].copy(), z[:, nq:]
            q[:, i] += sign * NUDGE * sizes[i]
            for _ in range(5):
                made = model.call("closures", q=q, x=x)
                x = x - np.linalg.solve(made["A"], made["phi"][..., None])[..., 0]
            c = model.call("evaluate", q=q, x=x, q_dot=0 * q, q_ddot=0 * q)["c"]
            slope[:, :, i] += sign * c / (2 * NUDGE * sizes[i])
    rest = np.zeros((len(z), nq))
    M = model.call("evaluate", q=z[:, :nq], x=z[:, nq:], q_dot=rest, q_ddot=rest)["M"]
    return np.asarray(np.linalg.eigvals(np.linalg.solve(M, slope)).real)


def tempo(model: Model, z: Doubles) -> float:
    """How many times faster than the lab's a motion through these configurations must be, 1 or more.

    A stiff spring on light links swings many times within efforts held for 10 ms, and a fall grows without bounds in
    6 s: no integration without feedback follows either. With all times shorter by this factor it can.
    """
    if not model.nx:
        return 1.0
    rates = squared_rates(model, z)
    swing, fall = (math.sqrt(max(0.0, float(value))) for value in (rates.max(), -rates.min()))
    return max(1.0, swing / SWINGS, fall / FALLS)


def on_branch(model: Model, z: Doubles, branch: Branch) -> Doubles:
    """Configurations with the same drives on an assembly mode, or with the same output in a working mode."""
    if branch == Branch():
        return z
    if branch.assembly is not None and branch.working is not None:
        raise BadInput(f"{model.name}: give an assembly mode or a working mode, not both")
    q, x = z[:, : model.nq], z[:, model.nq :]
    mode = branch.assembly or branch.working or ""
    found: Solutions = direct(model, q, prove=False) if branch.assembly is not None else inverse(model, x)
    rows = found.rows(mode)
    kept = np.concatenate([found.q[rows], found.x[rows]], axis=-1)
    if not len(kept):
        there = ", ".join(sorted(set(found.mode)))
        kind = "assembly" if branch.assembly is not None else "working"
        raise BadInput(
            f"{model.name}: no {kind} mode {mode!r:.20} in {len(z)} random configurations; there are {there}"
        )
    return kept


def random_states(model: Model, count: int, seed: int, branch: Branch) -> Samples:
    """Random configurations of every branch (or the one asked for) with random rates, accelerations and efforts."""
    rng = np.random.default_rng(seed)
    if model.linkage:
        at = sample(model, count, seed, margin=REGULAR)
        push = inertia(model, at.z)[:, None] / coordinate_sizes(model)[list(model.driven)]
        tau = rng.standard_normal(push.shape) * push
        return Samples(at.q, at.x, at.q_dot, np.zeros_like(at.q), tau, ("random",) * count, at.x_dot)
    if not model.nx:
        found = sample(model, count, seed)
        q, x, q_dot = found.q, found.x, found.q_dot
    else:
        z = on_branch(model, configurations(model, 2 * count, rng, REGULAR), branch)
        z = z[_fit(model, z)][:count]
        q, x = z[:, : model.nq], z[:, model.nq :]
        q_dot = rng.standard_normal(q.shape) * drive_sizes(model)
    q_ddot = rng.standard_normal(q.shape) * drive_sizes(model)
    M = model.call("evaluate", q=q, x=x, q_dot=q_dot, q_ddot=q_ddot)["M"]
    heavy = np.abs(np.diagonal(M, axis1=-2, axis2=-1)).max(axis=0)
    tau = rng.standard_normal((len(q), len(model.driven))) * (heavy * drive_sizes(model))[list(model.driven)]
    return Samples(q, x, q_dot, q_ddot, tau, ("random",) * len(q))


def _fit(model: Model, z: Doubles) -> np.ndarray:
    """The regular ones, with long legs where there are such: nearer to a singularity both sides lose digits."""
    regular = regular_by(regularity(model, z), REGULAR)
    fit = regular & _long(model, z)
    return fit if fit.any() else regular


def _long(model: Model, z: Doubles) -> np.ndarray:
    """Telescopes longer than a tenth of the robot: a leg of no length has no direction."""
    drives = model.mechanism.drives if model.mechanism is not None else ()
    legs = [i for i, drive in enumerate(drives) if isinstance(drive, Telescope)]
    return np.asarray((z[:, legs] > REGULAR * model.scale).all(axis=-1))


def drive_sizes(model: Model) -> Doubles:
    """A typical size of each drive's coordinate: 1 rad, or the robot's own length."""
    return coordinate_sizes(model)[: model.nq]


def modes_of(model: Model, samples: Samples) -> str:
    """How many branches the states lie on, in words."""
    rows = Configurations(model, samples.q, samples.x)
    assembly = {int(s) for s in np.sign(np.linalg.det(rows.A))}
    try:
        working = {tuple(row) for row in rows.working_signs()}
    except ClosedChainError:
        return f"{len(assembly)} signs of det A"
    return f"{len(assembly)} signs of det A, {len(working)} working modes"


# Motions in time -----------------------------------------------------------------------------------


def oscillation(model: Model, branch: Branch, seed: int, duration: float = 6.0) -> Run:
    """The lab's oscillation: ±effort on each drive in turn, reversed where it has moved by ±reach."""
    _check_decided(model)
    start = start_of(model, branch, seed)
    faster = tempo(model, start.z[None])
    pace = PACE * faster
    driven = list(model.driven)
    at = model.call("evaluate", q=start.q, x=start.x, q_dot=start.q_dot, q_ddot=np.zeros(model.nq))
    reach = np.array([ANGLE if c.unit == "rad" else LENGTH * model.scale for c in model.equations.q])[driven]
    effort = (np.diag(at["M"]) * pace**2 + np.diag(friction(model, start)) * pace)[driven] * reach
    if model.recipe.name in LAB:
        effort, reach = (np.full(len(driven), value) for value in LAB[model.recipe.name])
    signs = np.where(np.arange(len(driven)) % 2 == 0, 1.0, -1.0)
    return simulated(model, Relay(model, start, effort, reach, signs), start, duration, "oscillation", faster)


def _check_decided(model: Model) -> None:
    """Refuse a linkage."""
    if model.linkage:
        raise NoMotion(f"{model.name}: it is a linkage, whose drives need not decide its motion; `release` lets it go")


def release(model: Model, branch: Branch, seed: int, duration: float = 2.0) -> Run:
    """A linkage that is let go where it is near, at some random velocity, and moves by itself."""
    if not model.linkage:
        raise NoMotion(f"{model.name}: it has drives that decide its motion; `oscillation` and `trajectory` move them")
    still = start_of(model, branch, seed)
    rates = PACE * coordinate_sizes(model) * np.random.default_rng(seed).standard_normal(model.nq + model.nx)
    z_dot = projected(model, still.z, rates)
    start = State(still.q, still.x, z_dot[: model.nq], z_dot[model.nq :])
    for faster in TEMPI:
        with suppress(NoMotion):
            return simulated(model, idle(model), start, duration, "release", faster)
    raise NoMotion(f"{model.name}: let go, it moves too fast for steps of {STEP / TEMPI[-1]:.0e} s")


def idle(model: Model) -> Callable[[float, State], Doubles]:
    """No efforts."""
    return lambda t, state: np.zeros(len(model.driven))


def _holding(model: Model, state: State) -> Doubles:
    """The driven efforts that weights and springs call for where the robot is; zero without them."""
    if not model.nx:
        return np.zeros(len(model.driven))
    weight = terms(model, state).gravity
    if not weight.any():
        return np.zeros(len(model.driven))
    made = model.call("evaluate", q=state.q, x=state.x, q_dot=0 * state.q_dot, q_ddot=0 * state.q_dot)
    return np.asarray(made["c"][list(model.driven)])


def trajectory(model: Model, branch: Branch, seed: int) -> Run:
    """A quintic of the drives from rest to rest, as long as the configurations along it stay regular."""
    _check_decided(model)
    start = start_of(model, branch, seed)
    driven = list(model.driven)
    full = np.array([SWING if c.unit == "rad" else STROKE * model.scale for c in model.equations.q])[driven]
    full = full * np.where(np.arange(len(driven)) % 2 == 0, 1.0, -0.5)
    for share in SHARES:
        path = quintic(start.q[driven], start.q[driven] + share * full, DURATION, space="joint")
        along = _along(model, start, path)
        if along is not None:
            faster = tempo(model, along)
            path = quintic(start.q[driven], start.q[driven] + share * full, DURATION / faster, space="joint")
            return simulated(model, Tracking(model, path, faster), start, DURATION, "trajectory", faster)
    raise NoMotion(
        f"{model.name}: no drive can move by {SHARES[-2]:.0e} of its size from q = {start.q} and stay regular"
    )


def _along(model: Model, start: State, path: Trajectory) -> Doubles | None:
    """Configurations along the drives' path, by Newton's method in small steps; None where A does not stay regular."""
    if not model.nx:
        return start.z[None]
    x, found, least = start.x, [], min(REGULAR, 0.5 * float(regularity(model, start.z[None])[0]))
    for q in path(np.linspace(0.0, path.duration, 101)).x:
        for _ in range(8):
            made = model.call("closures", q=q, x=x)
            if not np.isfinite(made["A"]).all() or regularity(model, np.append(q, x)[None])[0] < LOST:
                return None
            x = x - np.linalg.solve(made["A"], made["phi"])
        if open_by(model, q, x).max() > GAP * model.scale:
            return None
        found.append(np.concatenate([q, x]))
    whole = np.array(found)
    return whole if (regularity(model, whole) >= least).all() else None


def simulated(
    model: Model,
    law: Callable[[float, State], Doubles],
    start: State,
    duration: float,
    title: str,
    faster: float,
) -> Run:
    """The run, all of its times divided by `faster`."""
    asked, interval = duration / faster, INTERVAL / faster
    step = step_of(model, start, interval)
    run = simulate(
        model,
        law,
        duration=asked,
        interval=interval,
        step=step,
        start=start,
        method="rk6",
        title=title,
        command="effort",
        rows=round(asked / interval),
    )
    if not run.finished and len(run.t) < LEAST:
        raise NoMotion(f"{model.name}: the {title} ended at once: {run.ended}; try another branch or seed")
    return run if run.finished else cut(run, 3 * len(run.t) // 4)  # up to where nothing was amiss yet


def cut(run: Run, count: int) -> Run:
    """The first instants of a run."""
    parts = {name: getattr(run, name)[:count] for name in ("t", "q", "x", "q_dot", "x_dot", "command", "work")}
    return replace(run, **parts)


def step_of(model: Model, start: State, interval: float) -> float:
    """Our own step [s] where efforts are held for so long."""
    return min(STEP * interval / INTERVAL, longest_step(model, start))


def longest_step(model: Model, start: State) -> float:
    """The longest step [s] with which an explicit method bears the friction: by its largest eigenvalue over M.

    Friction is linear in ż: its columns are those of unit rates.
    """
    T, nz = free_motions(model, start.z), model.nq + model.nx
    unit = np.eye(nz)
    q, x = (np.tile(v, (nz, 1)) for v in (start.q, start.x))
    rates = State(q, x, unit[:, : model.nq], unit[:, model.nq :])
    damping = T.T @ terms(model, rates).friction.T @ T
    M = T.T @ mass_matrix(model, start.z) @ T
    fastest = float(np.abs(np.linalg.eigvals(np.linalg.solve(M, damping))).max(initial=0.0))
    return FRICTION / fastest if fastest > 0.0 else math.inf


def friction(model: Model, start: State) -> Doubles:
    """∂c/∂q̇ at rest, (nq, nq): what is quadratic in q̇ drops out of the difference."""
    rates = np.eye(model.nq) * drive_sizes(model)
    made = [model.call("evaluate", q=start.q, x=start.x, q_dot=s * rates, q_ddot=0 * rates)["c"] for s in (1.0, -1.0)]
    return np.asarray(((made[0] - made[1]) / 2.0).T / drive_sizes(model))


def instants(model: Model, run: Run) -> tuple[Samples, Doubles]:
    """Some states along a simulated motion, with the accelerations and efforts they had, and when they were."""
    rows = np.unique(np.linspace(0, len(run.t) - 2, KEPT).astype(int))
    state = State(run.q[rows], run.x[rows], run.q_dot[rows], run.x_dot[rows])
    tau = run.command[rows]
    q_ddot = forward_dynamics(model, state, tau).q_ddot
    x_dot = state.x_dot if model.linkage else None
    return Samples(state.q, state.x, state.q_dot, q_ddot, tau, (run.title,) * len(rows), x_dot), run.t[rows]
