"""The fastest way along a path under the drives' limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution, numbers
from closedchain.model.model import Model
from closedchain.motion.composition import Timed, along
from closedchain.motion.conversion import whole
from closedchain.motion.limits import limit_of
from closedchain.motion.path_dynamics import PathDynamics, path_dynamics
from closedchain.motion.paths import segment
from closedchain.motion.polynomials import PiecewisePolynomial
from closedchain.motion.reachability import Bounds, Profile, fastest_profile
from closedchain.motion.reference import Trajectory, end_of

CORNER = 1e-6  # relative jump of q′: the drives cannot turn at once
VISCOUS = 1e-9  # of the effort limit: friction at ṡ = 1 below this is none
REPEATS = 20
SETTLED = 1e-9  # of the largest speed
STILL = 1e-4  # of the largest |q′|
STRAIGHT = 1e-12  # of its length: a motion that leaves its chord by no more is straight
BETWEEN = 4  # points in each interval where the result is checked again


def time_optimal(
    model: Model,
    path: Trajectory,
    *,
    effort: ArrayLike,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    working: str | None = None,
    assembly: str | None = None,
    grid: int = 400,
    tolerance: float = 1e-3,
) -> Timed:
    """The path run through from rest to rest in the least time, with |τ|, |q̇| and |q̈| within their limits.

        τ = a(s) s̈ + b(s) ṡ² + f(s) ṡ + g(s)

    By reachability on a grid of s (controllable speeds backward, greedy forward); bounds hold at both ends of every
    interval and are then checked between them: efforts may pass their limits there by `tolerance` of them, or the grid
    is doubled, three times at most. s̈ jumps from interval to interval, so the jerk says nothing at the breaks.
    Of a motion that has a timing already (a quintic, a line, a circle) only the path is kept.
    """
    if len(model.driven) < model.nq:
        raise BadInput(
            f"{model.name}: not every coordinate is driven, so the timing along a path is not free to choose"
        )
    if grid < 8:
        raise BadInput(f"grid is {grid}; at least 8 intervals are needed")
    path = untimed(path)
    task = _Task(model, path, effort, velocity, acceleration, working, assembly)
    for intervals in (grid, 2 * grid, 4 * grid):
        s = task.points(intervals)
        profile = task.solve(s)
        if task.excess(s, profile) <= tolerance:
            return along(path, _law(s, profile))
    s = task.points(8 * grid)
    profile = task.solve(s)
    excess = task.excess(s, profile)
    if excess > tolerance:
        task.check_standing(s)
        raise NoSolution(
            f"{model.name}: between the {8 * grid} intervals of the grid an effort still passes its limit by "
            f"{100 * excess:.2g} %, where {100 * tolerance:.2g} % is allowed; give a finer grid=, a larger tolerance= "
            "or a smoother path"
        )
    return along(path, _law(s, profile))


def untimed(motion: Trajectory) -> Trajectory:
    """The path of a motion without its timing: a segment of a straight one, its own of a timed path; else itself."""
    s, first, last = np.linspace(motion.start, end_of(motion), 201), *motion([motion.start, end_of(motion)]).x
    chord = last - first
    length = float(chord @ chord)
    if length > 0.0:
        made = motion(np.unique(np.concatenate([s, motion.breaks])))
        far = (made.x - first) @ chord / length
        aside = np.abs(made.x - first - far[:, None] * chord).max()
        if aside <= STRAIGHT * np.sqrt(length) and (np.diff(far) >= -STRAIGHT).all():
            return segment(first, last, space=motion.space)
    if isinstance(motion, Timed) and _runs_once(motion):
        return untimed(motion.path)
    return motion


def _runs_once(motion: Timed) -> bool:
    """Whether a timing goes through the whole path, never back."""
    s = motion.timing(np.linspace(motion.start, end_of(motion), 201)).x[:, 0]
    ends = motion.path.start, end_of(motion.path)
    rounding = STRAIGHT * (ends[1] - ends[0])
    reached = np.allclose((s[0], s[-1]), ends, rtol=0.0, atol=rounding)
    return reached and bool((np.diff(s) >= -rounding).all())


class _Task:
    """A path, a robot and its limits."""

    def __init__(
        self,
        model: Model,
        path: Trajectory,
        effort: ArrayLike,
        velocity: ArrayLike | None,
        acceleration: ArrayLike | None,
        working: str | None,
        assembly: str | None,
    ) -> None:
        self.model, self.path = model, path
        self.along = whole(model, path, working=working, assembly=assembly)
        tau_max = limit_of(effort, model.nq, "effort")
        if tau_max is None:
            raise BadInput("effort is needed: without a limit there is no least time")
        self.tau_max = tau_max
        self.rate_max = limit_of(velocity, model.nq, "velocity")
        self.acceleration_max = limit_of(acceleration, model.nq, "acceleration")

    def points(self, intervals: int) -> Doubles:
        """The grid: even, with the path's breaks."""
        return np.unique(
            np.concatenate([np.linspace(self.path.start, end_of(self.path), intervals + 1), self.path.breaks])
        )

    def at(self, s: Doubles) -> PathDynamics:
        return path_dynamics(self.model, self.along(s))

    def solve(self, s: Doubles) -> Profile:
        """The fastest profile on the grid; with friction, repeated until the speeds it is taken at are its own."""
        ahead, behind = self.at(s[:-1]), self.at(np.nextafter(s[1:], s[:-1]))  # an interval's ends, seen from inside
        self._check_corners(s, ahead, behind)
        viscous = bool(np.abs(ahead.f).max() > VISCOUS * np.abs(self.tau_max).min())
        profile = self._profile(s, ahead, behind, np.zeros(len(s)))
        for _ in range(REPEATS if viscous else 0):
            speeds = profile.s_dot
            profile = self._profile(s, ahead, behind, speeds)
            if np.abs(profile.s_dot - speeds).max() <= SETTLED * speeds.max():
                break
        return profile

    def _profile(self, s: Doubles, ahead: PathDynamics, behind: PathDynamics, speeds: Doubles) -> Profile:
        """Bounds at both ends of each interval: at the right end v² is v² + 2 Δ u, and friction that of `speeds`."""
        step, none = np.diff(s)[:, None], np.zeros_like(ahead.q_s)
        drag = behind.g + behind.f * speeds[1:, None]
        groups = [(ahead.a, ahead.b, ahead.f, ahead.g, self.tau_max)]
        groups += [(behind.a + 2 * step * behind.b, behind.b, none, drag, self.tau_max)]
        if self.acceleration_max is not None:
            groups += [(ahead.q_s, ahead.q_ss, none, none, self.acceleration_max)]
            groups += [(behind.q_s + 2 * step * behind.q_ss, behind.q_ss, none, none, self.acceleration_max)]
        alpha, beta, phi, gamma = (np.concatenate([g[i] for g in groups], axis=-1) for i in range(4))
        limit = np.concatenate([np.broadcast_to(g[4], none.shape) for g in groups], axis=-1)
        profile = fastest_profile(s, Bounds(alpha, beta, phi, gamma, limit, self._fastest(ahead, behind)))
        if profile.blocked >= 0:
            raise self._explain(s, ahead, profile.blocked)
        return profile

    def _fastest(self, ahead: PathDynamics, behind: PathDynamics) -> Doubles:
        """(points,) the ṡ at which a drive reaches its velocity."""
        rates = np.abs(np.concatenate([ahead.q_s, behind.q_s[-1:]]))
        rates[1:] = np.maximum(rates[1:], np.abs(behind.q_s))
        if self.rate_max is None:
            return np.full(len(rates), np.inf)
        with np.errstate(divide="ignore"):
            return (self.rate_max / rates).min(axis=-1)

    def excess(self, s: Doubles, profile: Profile) -> float:
        """How far, of its limit, an effort passes it between the grid points."""
        r = np.linspace(0.0, 1.0, BETWEEN + 2)[1:-1]
        inner = s[:-1, None] + r * np.diff(s)[:, None]  # (intervals, BETWEEN)
        u = np.broadcast_to(profile.s_ddot[:, None], inner.shape)
        y = profile.s_dot[:-1, None] ** 2 + 2 * u * (inner - s[:-1, None])
        tau = self.at(inner.ravel()).efforts(u.ravel(), np.sqrt(np.maximum(y.ravel(), 0.0)))
        return float((np.abs(tau) / self.tau_max).max() - 1.0)

    def check_standing(self, s: Doubles) -> None:
        """Say so where the path's parameter runs and the path does not: no speed ṡ is enough there."""
        speeds = np.abs(self.at(s).q_s).max(axis=-1)
        still = np.flatnonzero(speeds < STILL * speeds.max())
        if still.size:
            raise NoSolution(
                f"{self.model.name}: the path stands still at s = {s[still[0]]:.6g}, so its timing cannot be chosen "
                'there; give its shape alone: motion.segment, motion.arc, or a spline with ends="natural"'
            )

    def _check_corners(self, s: Doubles, ahead: PathDynamics, behind: PathDynamics) -> None:
        jump = np.abs(ahead.q_s[1:] - behind.q_s[:-1]).max(axis=-1)
        size = np.abs(ahead.q_s).max()
        if size == 0.0:
            raise BadInput(f"{self.model.name}: the drives do not move along this path")
        if jump.max(initial=0.0) > CORNER * size:
            at = float(s[1:-1][int(np.argmax(jump))])
            raise NoSolution(
                f"{self.model.name}: the path has a corner at s = {at:.6g} that can only be passed at rest; "
                "round it, or time its parts one by one"
            )

    def _explain(self, s: Doubles, ahead: PathDynamics, blocked: int) -> NoSolution:
        i = min(blocked, len(s) - 2)
        at = f"s = {s[i]:.6g}, q = {numbers(self.along(s[i]).q)}"
        over = np.abs(ahead.g[i]) / self.tau_max
        worst = int(np.argmax(over))
        need = "no speed was found from which the rest of the path can be followed within the limits"
        if over[worst] >= 1.0:
            name, limit = self.model.equations.q[worst].name, self.tau_max[worst]
            need = f"holding still takes {abs(ahead.g[i, worst]):.4g} of {name}, whose limit is {limit:.4g}"
        return NoSolution(
            f"{self.model.name}: the path cannot be passed at {at}: {need}; raise the effort limit or change the path"
        )


def _law(s: Doubles, profile: Profile) -> PiecewisePolynomial:
    """s(t): parabolas, one per interval."""
    v = profile.s_dot
    t = np.concatenate([[0.0], np.cumsum(2 * np.diff(s) / (v[:-1] + v[1:]))])
    rows = np.stack([s[:-1], v[:-1], profile.s_ddot / 2], axis=-1)  # (intervals, 3)
    return PiecewisePolynomial(t, rows[:, :, None])
