"""Motions through Type 1 and Type 2 singularities with bounded efforts, planned in one leg's own coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.model.course import Course
from closedchain.model.crossing import Passage, efforts_along, passage, type_1_instants, type_2_instants
from closedchain.model.model import Model
from closedchain.motion.leg_chart import LegChart
from closedchain.motion.polynomials import PiecewisePolynomial
from closedchain.motion.reference import Reference, Space, instants

SAMPLES = 401
WINDOW = 0.025  # of the duration, on each side of Type 2


@dataclass(frozen=True, eq=False)
class Crossing:
    """x(t) through singularities: regular coordinates u(t) of one leg, from which drives and output follow."""

    chart: LegChart
    u: PiecewisePolynomial  # (…, 2)
    working: tuple[str, str]  # at the start and at the end

    @property
    def model(self) -> Model:
        return self.chart.model

    @property
    def start(self) -> float:
        return 0.0

    @property
    def duration(self) -> float:
        return self.u.duration

    @property
    def dimension(self) -> int:
        return self.model.nx

    @property
    def space(self) -> Space:
        return "output"

    @property
    def breaks(self) -> Doubles:
        return self.u.breaks

    def __call__(self, t: ArrayLike) -> Reference:
        made = self.whole(t)
        return Reference(made.x, made.x_dot, made.x_ddot, made.x_dddot)

    def whole(self, t: ArrayLike) -> Course:
        """Drives and output with their rates up to the jerk."""
        t = instants(t)
        near = np.stack([np.interp(t, self.times, column) for column in self._guide.T], axis=-1)
        return self.chart.course(self.u(t), near)

    @cached_property
    def joint(self) -> JointCrossing:
        """The same motion as a reference for the drives."""
        return JointCrossing(self)

    @cached_property
    def times(self) -> Doubles:
        return np.linspace(0.0, self.duration, SAMPLES)

    @cached_property
    def _guide(self) -> Doubles:
        """(SAMPLES, nq) the drives with continuous angles."""
        q = self.chart.place(self.u(self.times).x)[0].copy()
        angles = [i for i, c in enumerate(self.model.equations.q) if c.unit == "rad"]
        q[:, angles] = np.unwrap(q[:, angles], axis=0)
        return q

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
        return efforts_along(self.model, self.whole, t, instants=self.type_2, scale=self.duration)

    @cached_property
    def peaks(self) -> tuple[float, float]:
        """The largest effort within 2.5 % of the duration of a Type 2 instant, and that of the rest; sampled."""
        w = WINDOW * self.duration
        close = np.concatenate([[], *(t + w * np.linspace(-1, 1, 41) for t in self.type_2)])
        t = np.unique(np.clip(np.concatenate([self.times, close]), 0.0, self.duration))
        size = np.abs(self.efforts(t)).max(axis=-1)
        near = (
            np.any([np.abs(t - s) <= w for s in self.type_2], axis=0) if self.type_2 else np.zeros(len(t), dtype=bool)
        )
        return float(size[near].max(initial=0.0)), float(size[~near].max(initial=0.0))


@dataclass(frozen=True, eq=False)
class JointCrossing:
    """q(t) of a crossing, for laws that follow the drives."""

    source: Crossing

    @property
    def start(self) -> float:
        return 0.0

    @property
    def duration(self) -> float:
        return self.source.duration

    @property
    def dimension(self) -> int:
        return self.source.model.nq

    @property
    def space(self) -> Space:
        return "joint"

    @property
    def breaks(self) -> Doubles:
        return self.source.breaks

    def whole(self, t: ArrayLike) -> Course:
        return self.source.whole(t)

    def __call__(self, t: ArrayLike) -> Reference:
        made = self.source.whole(t)
        return Reference(made.q, made.q_dot, made.q_ddot, made.q_dddot)
