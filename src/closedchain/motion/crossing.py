"""Motions through Type 1 and Type 2 singularities with bounded efforts, planned in one leg's own coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.model.course import Course
from closedchain.model.crossing import Passage, efforts_along, passage, type_1_instants, type_2_instants
from closedchain.model.model import Model
from closedchain.motion.composition import Chain
from closedchain.motion.leg_chart import LegChart
from closedchain.motion.moving import Side
from closedchain.motion.polynomials import PiecewisePolynomial
from closedchain.motion.reference import Space, Trajectory, instants

SAMPLES = 401
WINDOW = 0.025  # of the duration, on each side of Type 2
TURN = 2 * np.pi


@dataclass(frozen=True, eq=False)
class Stretch:
    """A part of a crossing: regular coordinates u(t) of one leg, from which drives and output follow."""

    chart: LegChart
    u: PiecewisePolynomial  # (…, 2) from t = 0
    working: tuple[str, str]  # at its start and at its end
    turns: Doubles | float = 0.0  # [rad] whole turns by which the drives are on already

    @cached_property
    def times(self) -> Doubles:
        return np.linspace(0.0, self.u.duration, SAMPLES)

    @cached_property
    def _guide(self) -> Doubles:
        """(SAMPLES, nq) the drives with continuous angles."""
        q = self.chart.place(self.u(self.times).x)[0].copy()
        angles = turning(self.chart.model)
        q[:, angles] = np.unwrap(q[:, angles], axis=0)
        return q

    def whole(self, t: Doubles) -> Course:
        """Drives and output with their rates up to the jerk."""
        near = np.stack([np.interp(t, self.times, column) for column in self._guide.T], axis=-1)
        made = self.chart.course(self.u(t), near)
        return replace(made, q=made.q + self.turns)


@dataclass(frozen=True, eq=False)
class Crossing(Side):
    """x(t) through singularities: stretches one after another, at rest where they meet."""

    parts: tuple[Stretch, ...]

    @property
    def space(self) -> Space:
        return "output"

    @property
    def working(self) -> tuple[str, ...]:
        """The working modes at the start, where stretches meet, and at the end."""
        return (self.parts[0].working[0], *(part.working[1] for part in self.parts))

    @property
    def u(self) -> Trajectory:
        """The legs' coordinates over time, in each stretch those of its own leg."""
        return self.source

    @cached_property
    def starts(self) -> Doubles:
        """(k + 1,) when each stretch begins, and the end."""
        return np.cumsum([0.0, *(part.u.duration for part in self.parts)])

    def whole(self, t: ArrayLike) -> Course:
        """Drives and output with their rates up to the jerk."""
        t = instants(t)
        index = np.clip(np.searchsorted(self.starts, t, side="right") - 1, 0, len(self.parts) - 1)
        if not index.any():
            return self.parts[0].whole(t)
        sizes = {f.name: self.model.nq if f.name.startswith("q") else self.model.nx for f in fields(Course)}
        made = {name: np.empty((*t.shape, size)) for name, size in sizes.items()}
        for i in np.unique(index):
            rows = index == i
            part = self.parts[i].whole(t[rows] - self.starts[i])
            for name, values in made.items():
                values[rows] = getattr(part, name)
        return Course(**made)

    @cached_property
    def joint(self) -> JointCrossing:
        """The same motion as a reference for the drives."""
        return JointCrossing(self.model, self)

    @cached_property
    def times(self) -> Doubles:
        """Instants at which it is looked at; as many in each stretch."""
        return np.unique(np.concatenate([s + p.times for s, p in zip(self.starts, self.parts, strict=False)]))

    @cached_property
    def type_1(self) -> tuple[tuple[float, str], ...]:
        """When a leg is at its end and changes its working mode [s], and which."""
        found = type_1_instants(self.model, self.whole, self.times)
        return tuple((t, self.model.legs[i].name) for t, i in found)

    @cached_property
    def type_2(self) -> tuple[float, ...]:
        """When the assembly modes meet and change [s]."""
        return tuple(type_2_instants(self.model, self.whole, self.times).tolist())

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Criterion and limit of the efforts at each Type 2 instant."""
        return tuple(passage(self.model, self.whole(np.array([t]))[0]) for t in self.type_2)

    def efforts(self, t: ArrayLike) -> Doubles:
        """The efforts at instants (k,), by their limit beside Type 2."""
        scale = float(np.diff(self.starts).min())
        return efforts_along(self.model, self.whole, t, instants=self.type_2, scale=scale)

    @cached_property
    def peaks(self) -> tuple[float, float]:
        """The largest effort within 2.5 % of the duration of a Type 2 instant, and that of the rest; sampled."""
        w = WINDOW * self.duration
        close = np.concatenate([[], *(t + w * np.linspace(-1, 1, 41) for t in self.type_2)])
        t = np.unique(np.clip(np.concatenate([self.times, close]), 0.0, self.duration))
        size = np.abs(self.efforts(t)).max(axis=-1)
        near = np.abs(t[:, None] - np.array([*self.type_2, np.inf])).min(axis=1) <= w
        return float(size[near].max(initial=0.0)), float(size[~near].max(initial=0.0))


@dataclass(frozen=True, eq=False)
class JointCrossing(Side):
    """q(t) of a crossing, for laws that follow the drives."""

    source: Crossing

    @property
    def space(self) -> Space:
        return "joint"

    def whole(self, t: ArrayLike) -> Course:
        """Drives and output with their rates up to the jerk."""
        return self.source.whole(t)


def joined(parts: Sequence[Stretch]) -> Crossing:
    """Stretches that meet, as one motion: each drive's angle goes on from where the stretch before left it."""
    model = parts[0].chart.model
    angles, linked = turning(model), list(parts[:1])
    for part in parts[1:]:
        left, begins = linked[-1].whole(instants(linked[-1].u.duration)).q, part.whole(instants(0.0)).q
        linked.append(replace(part, turns=np.where(angles, TURN * np.round((left - begins) / TURN), 0.0)))
    u = parts[0].u if len(parts) == 1 else Chain(tuple(part.u for part in linked), -1)
    return Crossing(model, u, tuple(linked))


def turning(model: Model) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which drives turn."""
    return np.array([c.unit == "rad" for c in model.equations.q])
