"""The forces that bars exert at their two ends: Newton's law for each bar, with the closures' multipliers along it."""

from __future__ import annotations

import casadi as ca

from closedchain.derive.mechanics import Mechanics
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe.elements import Angle, Bar
from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace


def reaction_programs(equations: Equations) -> list[Program]:
    """ends: (q, x, q̇, ẋ, z̈, λ) → the force of each bar on what its end a and its end b are joined to.

    A bar's energy is a quadratic form in its ends' velocities, so its inertia acts at its ends:
        force on b = 2 λ (B − A) − (m_ab a_a + m_bb a_b) + its share of the weight + torque n / l,   likewise on a.
    The torque is that of springs and dampers on the bar's angle, n the unit vector across it.
    """
    assert equations.mechanism is not None
    s = Symbols(equations)
    models, m = Models(s), Mechanics(equations.mechanism)
    z_ddot = ca.SX.sym("z_ddot", models.nq + models.nx)
    lam = ca.SX.sym("lam", len(equations.closures))
    n = equations.mechanism.dimension
    gravity = s.column(equations.mechanism.gravity) if equations.mechanism.gravity else ca.SX.zeros(n, 1)
    rows = []
    for i, bar in enumerate(equations.mechanism.bars):
        a, b = (s.column(m.position(end)) for end in (bar.a, bar.b))
        pulls = 2 * lam[i] * (b - a) + _twist(s, m, bar, b - a)
        inertias = _inertias(s, bar)
        accelerations = [_acceleration(s, e, z_ddot) for e in (a, b)]
        for sign, own, other, end, far in ((-1, 0, 2, 0, 1), (1, 1, 2, 1, 0)):
            inertial = inertias[own] * accelerations[end] + inertias[other] * accelerations[far]
            weight = (inertias[3] if end else s.column([bar.mass]) - inertias[3]) * gravity
            rows.append((sign * pulls - inertial + weight).T)
    if not rows:
        return []
    forces = ca.densify(ca.vertcat(*rows))
    given = {name: (value, (value.shape[0],)) for name, value in {**models.state, "z_ddot": z_ddot, "lam": lam}.items()}
    return [trace("ends", given | {"p": (s.p, (s.p.shape[0],))}, {"forces": (forces, (len(rows), n))})]


def _twist(s: Symbols, m: Mechanics, bar: Bar, along: ca.SX) -> ca.SX:
    """The pair of forces ∓T n / l at the ends by which the bar passes on the torque T of springs and dampers on it."""
    ends = {id(bar.a), id(bar.b)}

    def turns(between: object) -> bool:
        return isinstance(between, Angle) and {id(between.tail), id(between.tip)} == ends

    torques = [-spring.stiffness * m.stretch(spring) for spring in m.mechanism.springs if turns(spring.between)]
    torques += [-d.damping * m.rate(m.extent(d)) for d in m.mechanism.dampers if turns(d.between)]
    if not torques:
        return ca.SX.zeros(*along.shape)
    return ca.sum1(s.column(torques)) * ca.vertcat(-along[1], along[0]) / ca.sumsqr(along)


def _inertias(s: Symbols, bar: Bar) -> list[ca.SX]:
    """m_aa, m_bb, m_ab of the quadratic form, and the mass that rests on end b."""
    assert bar.centre is not None
    assert bar.inertia is not None
    share, spin = bar.centre / bar.length, bar.inertia / bar.length**2
    forms = [bar.mass * (1 - share) ** 2 + spin, bar.mass * share**2 + spin, bar.mass * share * (1 - share) - spin]
    return [s.column([e]) for e in (*forms, bar.mass * share)]


def _acceleration(s: Symbols, place: ca.SX, z_ddot: ca.SX) -> ca.SX:
    velocity = s.rate(place)
    return s.rate(velocity) + ca.mtimes(ca.jacobian(place, s.z), z_ddot)
