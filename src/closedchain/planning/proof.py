"""Proof that a straight motion of the output keeps every constraint, between the samples too.

On a part of a segment the values at its middle are known, and interval arithmetic bounds what may change over the part:
how far each point moves, how much A and each leg's reach vary. From that,

    reach   g(s) ≥ g(m) − |ġ| h                     bodies   distance(s) ≥ distance(m) − the moves of both
    joints  room(s) ≥ room(m) − the moves of their points
    A       σ_min(s) ≥ σ_min(m) − ‖ΔA‖,  σ_max(s) ≤ σ_max(m) + ‖ΔA‖

A part that this does not settle is halved; a middle that breaks a constraint refutes the motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.derive.turning import Turn
from closedchain.describe.elements import Telescope
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.model.model import Model
from closedchain.planning.measure import Flags, Index, Measures, Setting
from closedchain.policy import EDGE
from closedchain.singularity.closed_form import ClosedForm
from closedchain.singularity.interval import Interval, bounds, exact
from closedchain.singularity.pose import weights

FIRST_PARTS = 4  # of a segment
FINEST = 2.0**-26  # of a segment: a part that is not settled by then is left unproven
MOST_PARTS = 1500  # of one segment at a time
ROUNDING = 1e-11  # of the robot's size: more than the rounding of every value here
UNPROVEN = -1


@dataclass(frozen=True, eq=False)
class Proofs:
    """For each segment: whether the proof was found, and else where it ended and which constraint ended it."""

    proven: Flags  # (k,)
    s: Doubles  # (k,) where it ended
    constraint: NDArray[np.intp]  # (k,) which broke there (`Setting.constraints`), −1 if none: too close to tell
    clearance: Doubles  # (k,) smallest at the middles [m]
    parallel: Doubles  # (k,)
    serial: Doubles  # (k,) of the legs that must keep their margin


@dataclass(frozen=True, eq=False)
class Segments:
    """Straight motions of the output in known modes; `changing` is a leg that comes to its end at s = 1, or −1."""

    start: Doubles  # (k, nx)
    end: Doubles  # (k, nx)
    sigma: Doubles  # (k, legs)
    changing: Index  # (k,)

    def __len__(self) -> int:
        return len(self.start)

    def x(self, row: Index, s: Doubles) -> Doubles:
        """The output at s of each row."""
        return self.start[row] + s[:, None] * (self.end[row] - self.start[row])


def segments(start: Doubles, end: Doubles, sigma: Doubles, changing: Index | None = None) -> Segments:
    """Segments from arrays that broadcast against each other."""
    start, end = np.broadcast_arrays(np.atleast_2d(start), np.atleast_2d(end))
    rows = np.broadcast_shapes(start.shape[:1], np.atleast_2d(sigma).shape[:1])
    a, b, signs = (np.broadcast_to(v, (*rows, v.shape[-1])) for v in (start, end, np.atleast_2d(sigma)))
    return Segments(a, b, signs, np.full(rows, -1, np.intp) if changing is None else changing)


@dataclass(frozen=True)
class _Parts:
    row: Index
    lo: Doubles
    hi: Doubles

    def __getitem__(self, keep: Flags) -> _Parts:
        return _Parts(self.row[keep], self.lo[keep], self.hi[keep])

    @property
    def middle(self) -> Doubles:
        return 0.5 * (self.lo + self.hi)

    def halved(self) -> _Parts:
        lo, hi = np.concatenate([self.lo, self.middle]), np.concatenate([self.middle, self.hi])
        return _Parts(np.tile(self.row, 2), lo, hi)


class Prover:
    """Proves or refutes segments under a setting, many at once."""

    proves = True
    claim = "proven from end to end"

    def __init__(self, setting: Setting) -> None:
        self.setting, self.model = setting, setting.model

    def under(self, setting: Setting) -> Prover:
        """The same with other demands; nothing is derived again."""
        other = type(self)(setting)
        other.__dict__.update({n: v for n, v in self.__dict__.items() if n == "program"})
        return other

    @cached_property
    def program(self) -> Program:
        return segment_program(self.model)

    def prove(self, given: Segments) -> Proofs:
        """Halve every segment until each part is settled, or one of its middles breaks a constraint."""
        k = len(given)
        state = Proofs(np.ones(k, bool), np.ones(k), np.full(k, UNPROVEN), np.full(k, np.inf), np.ones(k), np.ones(k))
        self._refute_overreach(given, state)
        cuts = np.linspace(0.0, 1.0, FIRST_PARTS + 1)
        parts = _Parts(np.repeat(np.arange(k), FIRST_PARTS), np.tile(cuts[:-1], k), np.tile(cuts[1:], k))
        while len(parts.row):
            m = self.setting.measure(given.x(parts.row, parts.middle), given.sigma[parts.row])
            self._refute(given, parts, m, state)
            left = state.proven[parts.row] & ~self._settled(given, parts, m)
            parts = parts[left]
            crowd = np.bincount(parts.row, minlength=k)[parts.row] > MOST_PARTS
            hopeless = (parts.hi - parts.lo < FINEST) | crowd
            state.proven[parts.row[hopeless]] = False
            state.s[parts.row[hopeless]] = parts.middle[hopeless]
            parts = parts[state.proven[parts.row]].halved()
        return state

    def _refute_overreach(self, given: Segments, state: Proofs) -> None:
        """A leg that comes to its end at s = 1 must not be beyond it there."""
        rows = np.flatnonzero(given.changing >= 0)
        leg = given.changing[rows]
        slack = self.model.call("inverse", x=given.end[rows], sigma=given.sigma[rows])["slack"]
        beyond = slack[np.arange(len(rows)), leg] < -EDGE * self.model.scale
        state.proven[rows[beyond]] = False
        state.constraint[rows[beyond]] = leg[beyond]

    def _refute(self, given: Segments, parts: _Parts, m: Measures, state: Proofs) -> None:
        """Note what was measured; the first middle of a row that breaks a constraint ends it."""
        left = self.setting.room_left(m)
        rows = np.arange(len(parts.row))
        changing = given.changing[parts.row]
        own = changing >= 0
        left[rows[own], changing[own]] = np.where(
            m.slack[rows[own], changing[own]] >= -EDGE * self.model.scale, np.inf, -1.0
        )
        legs = m.legs.copy()
        legs[rows[own], changing[own]] = 1.0
        np.minimum.at(state.clearance, parts.row, np.where(m.reached, m.clearance, np.inf))
        np.minimum.at(state.parallel, parts.row, np.where(m.reached, m.parallel, 1.0))
        np.minimum.at(state.serial, parts.row, np.where(m.reached, legs.min(axis=-1), 0.0))
        broken = (left < 0.0).any(axis=-1)
        order = np.flatnonzero(broken)[np.argsort(-parts.middle[broken], kind="stable")]  # the first s is written last
        state.proven[parts.row[order]] = False
        state.s[parts.row[order]] = parts.middle[order]
        state.constraint[parts.row[order]] = np.nanargmin(left[order], axis=-1) if len(order) else UNPROVEN

    def _settled(self, given: Segments, parts: _Parts, m: Measures) -> Flags:
        """Where every constraint is kept on the whole part."""
        inputs = [Interval(parts.lo, parts.hi), exact(given.start[parts.row])]
        inputs += [exact((given.end - given.start)[parts.row]), exact(given.sigma[parts.row]), exact(self.model.p)]
        reach, reach_slope, A, A_slope, points, velocity = bounds(self.program, *inputs)
        half = 0.5 * (parts.hi - parts.lo)
        good = self._reach_kept(given, parts, reach, reach_slope, half)
        good &= self._regular(m, A, A_slope, half)
        moved = np.linalg.norm(_variation(points, velocity, half), axis=-1)  # (k, n)
        still = np.zeros((len(moved), len(self.setting.bodies.pivots)))
        nearer = self.setting.bodies.travel(np.concatenate([moved, still], axis=-1))
        slack = ROUNDING * self.model.scale
        good &= (m.limits - self.setting.joints.travel(moved) - slack > 0.0).all(axis=-1)
        return np.asarray(good & (m.gaps - nearer - slack > self.setting.room).all(axis=-1))

    def _reach_kept(self, given: Segments, parts: _Parts, value: Interval, slope: Interval, half: Doubles) -> Flags:
        least = (np.where(self._telescopes, 1.0, self.setting.margin) * self.setting.leg_sizes) ** 2
        at = 0.5 * (value.lo + value.hi)
        lowest = np.maximum(value.lo, at - _variation(value, slope, half))
        kept = (lowest >= least) & (lowest > 0.0)
        rows = np.flatnonzero(given.changing[parts.row] >= 0)
        leg = given.changing[parts.row[rows]]
        ending = (parts.hi[rows] == 1.0) & (slope.hi[rows, leg] < 0.0)  # falls to its zero at s = 1 and not before
        kept[rows, leg] = (lowest[rows, leg] > 0.0) | ending
        return np.asarray(kept.all(axis=-1))

    def _regular(self, m: Measures, A: Interval, slope: Interval, half: Doubles) -> Flags:
        by_x, by_row = self._scales
        vary = _variation(A, slope, half) / by_row[:, None] / by_x
        change = np.sqrt((vary**2).sum(axis=(-1, -2))) + ROUNDING
        return np.asarray(m.parallel * m.largest - change > self.setting.margin * (m.largest + change))

    @cached_property
    def _telescopes(self) -> Flags:
        """Which legs are telescopes: their lines turn ever faster the shorter they get."""
        return np.array([isinstance(leg.drive, Telescope) for leg in self.model.legs])

    @cached_property
    def _scales(self) -> tuple[Doubles, Doubles]:
        """([m] per unit of x, row lengths): a telescope's row is divided by its length in the program."""
        _, by_x, by_row = weights(self.model, np.ones((1, self.model.nq)))
        telescopes = [c.name in {d.name for d in self.model.equations.q} for c in self.model.equations.closures]
        return by_x, np.where(telescopes, 2.0, by_row[0])


def _variation(value: Interval, slope: Interval, half: Doubles) -> Doubles:
    """How far a function may be on a part from its value at the middle: by its slope, or by its own bounds."""
    steep = np.maximum(np.abs(slope.lo), np.abs(slope.hi))
    with np.errstate(invalid="ignore"):
        wide = value.hi - value.lo
        by_slope = steep * half.reshape(-1, *([1] * (wide.ndim - 1)))
    return np.where(by_slope < wide, by_slope, np.where(np.isnan(wide), np.inf, wide))


def segment_program(model: Model) -> Program:
    """(s, start, step, sigma) → reach, A (a telescope's row divided by its length), points, and the slopes of all."""
    form = ClosedForm(model)
    s, start, step = ca.SX.sym("s"), ca.SX.sym("start", model.nx), ca.SX.sym("step", model.nx)
    symbols = ca.vertcat(*[v for j in form.joints.values() for v in ((j.c, j.s) if isinstance(j, Turn) else (j,))])
    lengths = ca.vertcat(*[_telescope(form, c.name) for c in model.equations.closures])
    A = ca.densify(form.A / ca.repmat(lengths, 1, model.nx))
    points = ca.densify(form.column([e for _, at in model.equations.points for e in at]))
    closed = ca.substitute([ca.vec(A.T), points], [symbols], [form.values])
    found = ca.substitute([ca.densify(form.reach), *closed], [form.x], [start + s * step])
    shapes = [(len(form.legs),), (model.nx, model.nx), (len(model.equations.points), 2)]
    outputs: dict[str, tuple[ca.SX, tuple[int, ...]]] = {}
    for name, column, shape in zip(("reach", "A", "points"), found, shapes, strict=True):
        slope = ca.densify(ca.jacobian(column, s))
        for key, value in ((name, column), (f"{name}_slope", slope)):
            outputs[key] = (ca.reshape(value, *shape[::-1]).T if len(shape) > 1 else value, shape)
    given = {"s": (s, ()), "start": (start, (model.nx,)), "step": (step, (model.nx,))}
    given |= {"sigma": (form.sigma, (len(form.legs),)), "p": (form.p, (form.p.numel(),))}
    return trace("segment", given, outputs)


def _telescope(form: ClosedForm, closure: str) -> ca.SX:
    """The length of the telescope that a closure is about; 1 for a bar's."""
    joint = form.joints.get(closure, 1.0)
    return ca.SX(1.0) if isinstance(joint, Turn) else ca.SX(joint)
