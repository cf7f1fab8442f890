"""The same motion in the other space: an output motion on a working mode, a joint motion on an assembly mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution, Unreachable, numbers
from closedchain.model.certify import kantorovich
from closedchain.model.closing import open_by
from closedchain.model.configurations import Configurations
from closedchain.model.course import Course, output_way
from closedchain.model.folds import fold_instants, modes_through
from closedchain.model.follow import follow
from closedchain.model.geometry import check_closed
from closedchain.model.kinematics import direct_rates, inverse_rates
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs, working_names
from closedchain.motion.moving import Side, drives_only, hermite, third_order
from closedchain.motion.reference import Space, Trajectory, end_of, instants
from closedchain.policy import EDGE, GAP

CLOSE = 2001  # instants at which legs are looked at that may come to their ends
SAMPLES = 201  # instants at which a branch is followed before anything is computed on it
NEWTON = 8
ROUNDS = 6  # of looking closer, each 8 times
FOLD = 1e-6  # of the largest margin nearby


@dataclass(frozen=True, eq=False)
class JointMotion(Side):
    """q(t) of an output motion on one working mode: B q̇ = −A ẋ and its two derivatives, none by finite differences."""

    working: str
    times: Doubles  # (k,) [s] where the branch was followed
    guide: Doubles  # (k, nq) followed: angles continuous, not wrapped

    @property
    def space(self) -> Space:
        return "joint"

    def whole(self, t: ArrayLike) -> Course:
        """Drives and output with three rates of both."""
        t, given = instants(t), self.source(t)
        q = self._drives(t, given.x)
        q_dot, q_ddot = inverse_rates(self.model, q, given.x, given.x_dot, given.x_ddot)
        state = (q, given.x, q_dot, given.x_dot, q_ddot, given.x_ddot)
        return Course(*state, self._jerk(*state, given.x_dddot), given.x_dddot)

    @cached_property
    def _jerk(self) -> Callable[..., Doubles]:
        return third_order(self.model, "inverse_jerk")

    def _drives(self, t: Doubles, x: Doubles) -> Doubles:
        """The closed form on the working mode, with angles as many turns on as the branch was followed to."""
        model = self.model
        made = model.call("inverse", x=x, sigma=leg_signs(model, self.working))
        q, slack = made["q"], made["slack"]
        _check_reach(model, t, x, q, slack)
        return _unwound(model, t, q, self)


@dataclass(frozen=True, eq=False)
class JointPassage(Side):
    """q(t) of an output motion in which legs come to their ends (Type 1) and go on in their other working mode.

    At such an instant the drives have positions, but their rates are 0/0 or have no bound; beside it they lose digits.
    """

    working: tuple[str, ...]  # one after another
    changes: Doubles  # (k,) [s] the instants between them
    times: Doubles  # (n,) [s] where the branch was looked at
    guide: Doubles  # (n, nq) there: angles continuous, not wrapped

    @property
    def space(self) -> Space:
        return "joint"

    def positions(self, t: ArrayLike) -> Doubles:
        """q alone, also at the instants at which modes change."""
        t = instants(t)
        return _unwound(self.model, t, _on_modes(self.model, self.source, self.working, self.changes, t), self)

    def whole(self, t: ArrayLike) -> Course:
        """Drives and output with three rates of both; refused where a mode changes."""
        t = instants(t)
        with np.errstate(divide="ignore", invalid="ignore"):
            made = output_way(self.model, self.source, self.working, self.changes)(t)
        if not np.isfinite(made.q_dddot).all():
            at = float(t[~np.isfinite(made.q_dddot).all(axis=-1)].flat[0])
            raise NoSolution(
                f"{self.model.name}: at {at:.6g} s a leg is at its end and the rates of its drive have no value; its "
                "position has: sample(…, rates=0), or ask beside it"
            )
        return replace(made, q=_unwound(self.model, t, made.q, self))


@dataclass(frozen=True, eq=False)
class OutputMotion(Side):
    """x(t) of a joint motion on one assembly mode: A ẋ = −B q̇ and its two derivatives, none by finite differences."""

    assembly: str
    times: Doubles  # (k,) [s] where the branch was followed
    guide: Doubles  # (2, k, nx) followed positions and their rates

    @property
    def space(self) -> Space:
        return "output"

    def whole(self, t: ArrayLike) -> Course:
        """Drives and output with three rates of both."""
        t, given = instants(t), self.source(t)
        x = self._poses(t, given.x)
        x_dot, x_ddot = direct_rates(self.model, given.x, x, given.x_dot, given.x_ddot)
        state = (given.x, x, given.x_dot, x_dot, given.x_ddot, x_ddot)
        return Course(*state, given.x_dddot, self._jerk(*state, given.x_dddot))

    @cached_property
    def _jerk(self) -> Callable[..., Doubles]:
        return third_order(self.model, "direct_jerk")

    def _poses(self, t: Doubles, q: Doubles) -> Doubles:
        """Newton from the followed branch, only where Newton–Kantorovich proves that it has one root to go to."""
        model = self.model
        flat, drives = t.ravel(), q.reshape(-1, model.nq)
        x = hermite(np.clip(flat, self.times[0], self.times[-1]), self.times, *self.guide)
        rows = Configurations(model, drives, x)
        proven, _ = kantorovich(rows.A, rows.phi, rows.lipschitz_x())
        if not proven.all():
            at = float(flat[~proven][0])
            raise NoSolution(
                f"{model.name}: at {at:.6g} s the followed branch is not near enough to be sure of it; "
                f"follow it with more samples=, now {len(self.times)}, or keep away from Type 2"
            )
        for _ in range(NEWTON):
            step = np.linalg.solve(rows.A, rows.phi[..., None])[..., 0]
            x = x - step
            rows = Configurations(model, drives, x)
            if np.abs(step).max(initial=0.0) <= 1e-15 * model.scale:
                break
        return x.reshape(*t.shape, model.nx)


def joint(
    model: Model,
    trajectory: Trajectory,
    *,
    working: str | None = None,
    through: bool = False,
    samples: int | None = None,
) -> Trajectory:
    """An output motion in joint space, on a working mode ("++" unless given).

    The branch is followed once from start to end; where it ends (Type 1, out of reach) an error says when and why.
    With through=True a leg that comes to its end there goes on in its other working mode.
    A motion that is in joint space already is returned as it is; so is the joint motion of a crossing.
    """
    if trajectory.space == "joint":
        return _of_size(model, trajectory, model.nq, "drives")
    own = getattr(trajectory, "joint", None)
    if isinstance(own, Side) and own.model is model:
        return own
    check_closed(model)
    trajectory = _of_size(model, trajectory, model.nx, "output coordinates")
    if through:
        return _through(model, trajectory, working, _times(trajectory, samples or CLOSE))
    times = _times(trajectory, samples or SAMPLES)
    found = follow(model, x=trajectory(times).x, working=working)
    _check_complete(model, times, found.complete, found.ended, found.fraction)
    return JointMotion(model, trajectory, found.mode, times, found.q)


def _through(model: Model, trajectory: Trajectory, working: str | None, times: Doubles) -> JointPassage:
    """The drives of a motion that passes Type 1: the modes one after another, and where they change."""
    folds = fold_instants(model, trajectory, times)
    modes = modes_through(model, working or working_names(model)[0], [leg for _, leg in folds])
    changes = np.array([t for t, _ in folds])
    q = _on_modes(model, trajectory, modes, changes, times)
    angles = np.array([c.unit == "rad" for c in model.equations.q])
    q[:, angles] = np.unwrap(q[:, angles], axis=0)
    return JointPassage(model, trajectory, modes, changes, times, q)


def _on_modes(model: Model, trajectory: Trajectory, modes: tuple[str, ...], changes: Doubles, t: Doubles) -> Doubles:
    """q in closed form, each instant in the mode that holds then; refused where a leg does not reach."""
    signs = np.array([leg_signs(model, mode) for mode in modes])
    x = trajectory(t).x
    made = model.call("inverse", x=x, sigma=signs[np.searchsorted(changes, t, side="right")])
    _check_reach(model, t, x, made["q"], made["slack"])
    return np.array(made["q"])


def _unwound(model: Model, t: Doubles, q: Doubles, followed: JointMotion | JointPassage) -> Doubles:
    """Angles as many turns on as the branch was followed to."""
    near = np.stack([np.interp(t, followed.times, column) for column in followed.guide.T], axis=-1)
    angles = np.array([c.unit == "rad" for c in model.equations.q])
    return np.where(angles, q + 2 * np.pi * np.round((near - q) / (2 * np.pi)), q)


def output(model: Model, trajectory: Trajectory, *, assembly: str | None = None, samples: int = SAMPLES) -> Trajectory:
    """A joint motion in output space, on an assembly mode ("+" unless given); an output motion is returned as it is."""
    if trajectory.space == "output":
        return _of_size(model, trajectory, model.nx, "output coordinates")
    check_closed(model)
    times = _times(_of_size(model, trajectory, model.nq, "drives"), samples)
    given = trajectory(times)
    found = follow(model, q=given.x, assembly=assembly)
    _check_complete(model, times, found.complete, found.ended, found.fraction)
    rates, _ = direct_rates(model, found.q, found.x, given.x_dot)
    made = OutputMotion(model, trajectory, found.mode, times, np.stack([found.x, rates]))
    _check_fold(made)
    return made


def whole(
    model: Model, trajectory: Trajectory, *, working: str | None = None, assembly: str | None = None
) -> Callable[[ArrayLike], Course]:
    """Drives and output together along a motion in either space."""
    if isinstance(trajectory, Side) and trajectory.model is model:
        return trajectory.whole
    if not model.nx:
        return lambda t: drives_only(joint(model, trajectory)(t))
    convert = (
        joint(model, trajectory, working=working)
        if trajectory.space == "output"
        else output(model, trajectory, assembly=assembly)
    )
    assert isinstance(convert, Side)
    return convert.whole


def _of_size(model: Model, trajectory: Trajectory, size: int, what: str) -> Trajectory:
    if trajectory.dimension != size:
        raise BadInput(
            f"{model.name} has {size} {what}, but the {trajectory.space} motion has {trajectory.dimension} coordinates"
        )
    return trajectory


def _times(trajectory: Trajectory, samples: int) -> Doubles:
    if samples < 2:
        raise BadInput(f"samples is {samples}; at least 2 are needed to follow a branch")
    return np.unique(np.concatenate([np.linspace(trajectory.start, end_of(trajectory), samples), trajectory.breaks]))


def _check_complete(model: Model, times: Doubles, complete: bool, ended: str, fraction: float) -> None:
    if not complete:
        at = float(np.interp(fraction, np.arange(len(times)), times))
        raise NoSolution(
            f"{model.name}: the branch ends at {at:.6g} s of the motion, at {ended}; change the path, or the mode"
            + (", or pass it with through=True" if "Type 1" in ended else "")
        )


def _check_reach(model: Model, t: Doubles, x: Doubles, q: Doubles, slack: Doubles) -> None:
    """Between the samples that were followed, too, every leg must reach and every closure close."""
    out = slack < -EDGE * model.scale
    if out.any():
        first = tuple(np.argwhere(out)[0])
        at = f"x = {numbers(x[first[:-1]])} at {t[first[:-1]]:.6g} s"
        raise Unreachable(model.name, f"leg {model.legs[first[-1]].name}", -float(slack[first]), at)
    gap = open_by(model, q, x).max(initial=0.0)
    if not gap <= GAP * model.scale:
        raise NoSolution(f"{model.name}: the motion leaves what the mechanism can do by {gap:.2e} m")


def _check_fold(made: OutputMotion) -> None:
    """Raise NoSolution where a joint motion touches Type 2: there x could go on in either assembly mode.

    Samples on both sides of such an instant look regular, so the least margin of A is looked for between them.
    """
    t = made.times
    for _ in range(ROUNDS):
        at = made.whole(t)
        margin = made.model.call("direct_rates", q=at.q, x=at.x, q_dot=at.q_dot, q_ddot=at.q_ddot)["margin"]
        if margin.min() <= FOLD * margin.max():
            raise NoSolution(
                f"{made.model.name}: the motion touches a Type 2 singularity at {t[int(np.argmin(margin))]:.6g} s, "
                "where the assembly modes meet and the drives alone do not say which way the output goes on; "
                "plan it in output space"
            )
        k = int(np.argmin(margin))
        t = np.linspace(t[max(k - 1, 0)], t[min(k + 1, len(t) - 1)], 17)
