"""What a Type 2 singularity allows: the accelerations with bounded efforts, and those efforts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, NoSolution, numbers
from closedchain.model.course import Course
from closedchain.model.crossing import ALLOWED, passage, room
from closedchain.model.model import Model
from closedchain.model.state import State

AT = 1e-7  # |det A| over the product of its rows' lengths: the configuration is singular


@dataclass(frozen=True, eq=False)
class Criterion:
    """tᵀ(M_z z̈ + h_z)_x with A t = 0: the forces that the multipliers cannot give along the free direction."""

    value: float  # [N] (per unit t; N m where t turns a plate)
    size: float  # |(M_z z̈ + h_z)_x|, of which the value is a component
    free: Doubles  # (nx,) t, of length 1, its largest component positive

    @property
    def holds(self) -> bool:
        """Whether these accelerations need only bounded efforts."""
        return abs(self.value) <= ALLOWED * max(self.size, 1e-9)

    def __str__(self) -> str:
        verdict = "bounded efforts" if self.holds else "no bounded efforts give these accelerations"
        return f"{self.value:.3g} of {self.size:.3g} N along t = {numbers(self.free)}: {verdict}"


def criterion(model: Model, state: State, z_ddot: ArrayLike) -> Criterion:
    """The criterion at a Type 2 configuration for accelerations z̈ = (q̈, ẍ) of drives and output."""
    course = _still(model, state, vectors(z_ddot, model.nq + model.nx, "z_ddot"))
    found = passage(model, course)
    force = model.call("terms", q=state.q, x=state.x, q_dot=state.q_dot, x_dot=state.x_dot)
    w = (force["M_z"] @ course.z_ddot + force["h_z"])[model.nq :]
    return Criterion(found.push, float(np.linalg.norm(w)), found.free)


def effort_limit(model: Model, course: Course) -> tuple[Doubles, Doubles]:
    """Efforts and multipliers at a singular instant of a smooth motion: the limit of those before and after it.

    Aᵀλ = w leaves one component of λ open; Aᵀλ̇ + Ȧᵀλ = ẇ, projected on t, gives it: tᵀȦᵀλ = tᵀẇ. Hence the jerks.
    """
    _check_singular(model, course)
    found = passage(model, course)
    if found.speed == 0.0:
        raise NoSolution(
            f"{model.name}: the motion touches Type 2 without crossing it; the efforts have no limit there"
        )
    if not found.bounded:
        raise NoSolution(
            f"{model.name}: the accelerations push {found.push:.3g} of {found.size:.3g} N along the free direction "
            f"{numbers(found.free)}, so the efforts grow as {numbers(found.growth)}/(t − t_s); use `motion.cross`"
        )
    return found.tau, found.lam


def _still(model: Model, state: State, z_ddot: Doubles) -> Course:
    """One state with accelerations and no jerks."""
    if state.q.ndim != 1 or z_ddot.ndim != 1:
        raise BadInput(f"{model.name}: the criterion is for one state, not for a batch")
    n, zero = model.nq, np.zeros(model.nq + model.nx)
    course = Course(state.q, state.x, state.q_dot, state.x_dot, z_ddot[:n], z_ddot[n:], zero[:n], zero[n:])
    _check_singular(model, course)
    return course


def _check_singular(model: Model, course: Course) -> None:
    left = abs(float(room(model, course)))
    if left > AT:
        raise BadInput(
            f"{model.name}: x = {numbers(course.x)} is no Type 2 singularity, {left:.2g} of 1 is left of A where "
            f"{AT:.0e} is the most; any acceleration has bounded efforts here"
        )
