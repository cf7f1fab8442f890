"""Following one branch along a path: no silent jump, and a clear end where branches meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, NoSolution, numbers
from closedchain.model.configurations import Configurations
from closedchain.model.dynamics import coordinate_sizes
from closedchain.model.geometry import direct, inverse, output_vectors
from closedchain.model.known import known
from closedchain.model.model import Model
from closedchain.model.solutions import mode_name
from closedchain.model.state import State, choose, place
from closedchain.policy import GAP

SAFE = 0.25  # Newton–Kantorovich's h; below 1/2 a step has one root to go to
SINGULAR, ROUNDING = 1e-14, 1e-14
HALVINGS = 24
NEWTON = 12


@dataclass(frozen=True, eq=False)
class Path:
    """The configurations along a path on one branch, as far as the branch goes."""

    q: Doubles  # (k, nq), angles continuous (not wrapped)
    x: Doubles  # (k, nx)
    mode: str  # the working or assembly mode it started on
    complete: bool  # whether the whole path was followed
    ended: str  # "the end of the path", or what stopped it and where
    fraction: float  # of the last step that could be made, counted in samples
    halvings: int  # of the finest step that was needed


def follow(
    model: Model,
    *,
    x: ArrayLike | None = None,
    q: ArrayLike | None = None,
    working: str | None = None,
    assembly: str | None = None,
    state: State | None = None,
) -> Path:
    """The drives along a path of the output (on a working mode), or the output along one of the drives (assembly mode).

    Where no closed form gives a beginning, a known configuration does: `state`, or the other side's coordinates at the
    first sample beside the path, brought onto the loops if they are close to that.

    A step is made only where Newton–Kantorovich's test gives it one root to go to, at its middle and at its end;
    otherwise it is halved. Where 2^-24 of a sample is still too far, two branches meet and the path ends. For robots
    whose closures have no known constants, Newton's own contraction is the test.
    """
    paths = [name for name, v in (("x", x), ("q", q)) if v is not None and np.ndim(v) == 2]
    if len(paths) != 1:
        raise BadInput(
            f"{model.name}: give the path of x or of q, (samples, n), and one configuration at most beside it"
        )
    model.check_robot("path on one mode")
    if paths == ["x"]:
        given = _path(output_vectors(model, x if x is not None else ()), "x")
        unknown = [*range(model.nq), *range(model.nq + given.shape[1], model.nq + model.nx)]
    else:
        given = _path(vectors(q if q is not None else (), model.nq, "q"), "q")
        unknown = [*range(model.nq, model.nq + model.nx)]
    start, mode = _start(model, paths[0], given, q, x, working, assembly, state)
    return _Follower(model, unknown).run(given, start, mode)


def _start(
    model: Model,
    path: str,
    given: Doubles,
    q: ArrayLike | None,
    x: ArrayLike | None,
    working: str | None,
    assembly: str | None,
    state: State | None,
) -> tuple[Doubles, str]:
    """z at the first sample, and the name of its mode."""
    other = x if path == "q" else q
    if state is None and other is None:
        found = direct(model, given[0], prove=False) if path == "q" else inverse(model, given[0])
        row = found[choose(model, found, assembly if path == "q" else working)]
        return np.concatenate([row.q, row.x]), row.mode
    if state is not None and other is not None:
        raise BadInput(f"{model.name}: state= says where it begins; leave {'x' if path == 'q' else 'q'} out")
    if state is not None:
        rest = state.x if path == "q" else state.q
        x_ = np.concatenate([given[0], state.x[given.shape[1] :]]) if path == "x" else rest
        q_ = given[0] if path == "q" else rest
    else:
        q_, x_ = place(model, given[0], x, None, None) if path == "q" else place(model, q, given[0], None, None)
    q_, x_ = known(model, q_, x_)
    rows = Configurations(model, q_[None], x_[None])
    sign = "-0+"[int(np.sign(np.linalg.det(rows.A[0]))) + 1]
    return np.concatenate([q_, x_]), sign if path == "q" else mode_name(rows.working_signs()[0])


def _path(path: Doubles, what: str) -> Doubles:
    if path.ndim != 2 or len(path) < 1:
        raise BadInput(f"a path of {what} has shape (samples, {path.shape[-1]}), not {path.shape}")
    return path


class _Follower:
    """Newton steps in the unknown coordinates along given samples of the others."""

    def __init__(self, model: Model, unknown: list[int]) -> None:
        self.model, self.unknown = model, unknown
        self.given = [i for i in range(model.nq + model.nx) if i not in unknown]
        self.finest = 0
        self.outward = unknown[0] < model.nq  # the drives are sought
        self.legs = self.outward and len(unknown) == model.nq and model.has_legs
        self.bodies = not self.outward and model.has_groups

    def run(self, given: Doubles, start: Doubles, mode: str) -> Path:
        values = [np.array(start[self.unknown])]
        ended, fraction = "the end of the path", float(len(given) - 1)
        for k in range(1, len(given)):
            done, value = self._advance(given[k - 1], given[k], values[-1])
            if done < 1.0:
                fraction = k - 1 + done
                ended = self._explain(given[k - 1] + done * (given[k] - given[k - 1]), value, fraction)
                break
            values.append(value)
        found = np.array(values)
        z = np.zeros((len(found), self.model.nq + self.model.nx))
        z[:, self.unknown], z[:, self.given] = found, given[: len(found)]
        q, x = z[:, : self.model.nq], z[:, self.model.nq :]
        return Path(q, x, mode, len(found) == len(given), ended, fraction, self.finest)

    def _advance(self, start: Doubles, end: Doubles, value: Doubles) -> tuple[float, Doubles]:
        """How far along a sample the branch goes (1 when through), and the unknown there."""
        done, step, level = 0.0, 1.0, 0
        while done < 1.0:
            here = start + done * (end - start)
            there = start + min(1.0, done + step) * (end - start)
            if self._safe(0.5 * (here + there), value) and self._safe(there, value):
                value = self._newton(there, value)
                done = min(1.0, done + step)
                continue
            step, level = step / 2, level + 1
            self.finest = max(self.finest, level)
            if level > HALVINGS:
                return done, value
        return 1.0, value

    def _rows(self, given: Doubles, value: Doubles) -> Configurations:
        z = np.zeros((1, self.model.nq + self.model.nx))
        z[0, self.unknown], z[0, self.given] = value, given
        return Configurations(self.model, z[:, : self.model.nq], z[:, self.model.nq :])

    def _system(self, given: Doubles, value: Doubles) -> tuple[Doubles, Doubles, float]:
        """Jacobian, residual and Lipschitz constant in the unknown; 0 where no such constant is known."""
        rows = self._rows(given, value)
        if self.bodies:
            return rows.A[0], rows.phi[0], float(np.max(rows.lipschitz_x()))
        if self.legs:
            legs = rows.leg_rows()
            return rows.B[0][legs], rows.phi[0][legs], float(np.max(rows.leg_curvatures()))
        return np.concatenate([rows.B[0], rows.A[0]], axis=-1)[:, self.unknown], rows.phi[0], 0.0

    def _safe(self, given: Doubles, value: Doubles) -> bool:
        A, F, lipschitz = self._system(given, value)
        sigma = np.linalg.svd(A, compute_uv=False)
        if sigma[-1] <= SINGULAR * sigma[0]:
            return False
        step = np.linalg.lstsq(A, F, rcond=None)[0]
        if lipschitz:
            return bool(lipschitz * np.linalg.norm(step) / sigma[-1] <= SAFE)
        # Newton's second step with the first one's Jacobian is at most SAFE of the first: the affine covariant test
        again = np.linalg.lstsq(A, self._system(given, value - step)[1], rcond=None)[0]
        sizes = self._sizes()
        first, second = (float(np.linalg.norm(v / sizes)) for v in (step, again))
        return bool(second <= SAFE * first + ROUNDING) and first <= SAFE

    def _sizes(self) -> Doubles:
        return coordinate_sizes(self.model)[self.unknown]

    def _newton(self, given: Doubles, value: Doubles) -> Doubles:
        size = float("inf")
        for _ in range(NEWTON):
            A, F, _ = self._system(given, value)
            step = np.linalg.lstsq(A, F, rcond=None)[0] if A.shape[0] != A.shape[1] else np.linalg.solve(A, F)
            value = value - step
            size, last = float(np.abs(step).max()), size
            if size <= 1e-15 * self.model.scale or size >= last:
                break
        gap = float(self._rows(given, value).residual[0])
        if gap > GAP * self.model.scale:
            raise NoSolution(
                f"{self.model.name}: the output leaves what the mechanism can do by {gap:.2e} m along the path"
            )
        return value

    def _explain(self, given: Doubles, value: Doubles, fraction: float) -> str:
        where = f"sample {fraction:.6f}"
        if not self.outward:
            return f"a Type 2 singularity at {where}: the assembly modes meet at q = {numbers(given)}"
        if not self.legs:
            return f"a Type 1 singularity at {where}: two branches meet at x = {numbers(given)}"
        slopes = np.abs(self._rows(given, value).leg_slopes()[0])
        leg = self.model.legs[int(np.argmin(slopes))].name
        return f"a Type 1 singularity at {where}: leg {leg} is at its end at x = {numbers(given)}"
