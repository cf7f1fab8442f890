"""The plant with set-valued friction and firm stops: smooth motions between events, which are found to rounding.

While each friction slides one way or holds, and each stop is open or closed, the motion is smooth: a friction that
holds and a stop that is closed are rows whose rates stay, with forces along them (see derive.touching). It ends where
such a force leaves its bounds, a rate that slides passes zero, or a gap closes. There the complementarity problem says
which hold from now on; a gap that closes at a speed is first an impact, by Newton's law through the constrained masses,

    p ≥ 0,   (rates⁺ + e rates⁻) ≥ 0,   one of them 0,   rates⁺ = rates⁻ + W p,   ż⁺ = ż⁻ + Y p,

which takes −½ p · (rates⁺ + rates⁻) of the energy. Friction is bounded, so that it passes no impact on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, ClosedChainError
from closedchain.model.dynamics import energy, forward_dynamics
from closedchain.model.forces import Loads
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.boxed import boxed
from closedchain.simulation.clock import Clock
from closedchain.simulation.crossing_zero import first_zero
from closedchain.simulation.staged import (
    Works,
    currents_of,
    let_through,
    no_currents,
    powered,
    projected,
    state_of,
)
from closedchain.simulation.tableaux import TABLEAUX
from closedchain.simulation.telling import Event, Told

STILL = 1e-9  # of the robot's size, or rad, in a second: slower is at rest, where an event says that it may be
SOFT = 1e-6  # likewise: a stop that is met more slowly gives nothing back, so that bounces come to an end
SHUT = 1e-13  # of the robot's size, or rad: a gap that is none
MANY = 1000  # events in one step


class Crowded(ClosedChainError, ArithmeticError):
    """Events without end."""


@dataclass(frozen=True, eq=False)
class Touch:
    """Rates along the rows at a state, and what forces there do."""

    rates: Doubles
    drift: Doubles
    G: Doubles
    Y: Doubles
    W: Doubles
    level: Doubles
    sliding: Doubles  # what the model's own friction is there, as it slides
    holding: Doubles
    gap: Doubles
    restitution: Doubles


class Events:
    """Moves over an interval, from event to event; what holds is kept from one interval to the next."""

    def __init__(self, real: Model, output: str, loads: Loads | None = None) -> None:
        if output == "velocity":
            raise BadInput("events integrates efforts and voltages; the kinematic plant moves as commanded, by rk4")
        if not real.equations.nonsmooth:
            raise BadInput(
                f"{real.name} has no set-valued friction and no firm stop, so no events; take rk6 or adaptive"
            )
        self.real, self.output, self.loads = real, output, loads
        e = real.equations
        rows = [(r.name, r.unit) for r in e.exact] + [(b.name, b.unit) for b in e.barriers]
        self.names = [name for name, _ in rows]
        self.dry, self.count = len(e.exact), len(rows)
        self.sizes = np.array([1.0 if unit == "rad" else real.scale for _, unit in rows])
        self.sense = np.zeros(self.dry)  # −1, 1: slides that way; 0: holds
        self.closed = np.zeros(self.count - self.dry, dtype=bool)
        self.told, self.begun, self.current = Told(), False, no_currents(real, output)

    def __call__(self, t: float, state: State, command: Doubles, time: Clock) -> tuple[State, Works, float]:
        """The state after an interval under a held command, the works done, and the time that passed."""
        self.command = command
        if not self.begun:
            self.check_start(state)
        y = np.concatenate([state.z, state.z_dot, self.current, np.zeros(3)])  # both works, and what friction took
        taken = self.told.impacts
        y, self.begun = self.decide(t, y), True
        for k in range(time.substeps):
            y = self.advance(t + k * time.h, y, time.h)
            if not np.isfinite(y).all():
                return state_of(self.real, y), y[-3:-1], (k + 1) * time.h
        self.told.friction += float(y[-1])
        self.current = currents_of(self.real, y[:-3])
        return state_of(self.real, y), y[-3:-1] - [self.told.impacts - taken, 0.0], time.interval

    def check_start(self, state: State) -> None:
        """Refuse a start beyond a firm stop: no motion gets there, and no impact leads back."""
        gap = self.touch(state).gap
        for i in np.flatnonzero(gap < -SOFT * self.sizes[self.dry :]):
            barrier = self.real.equations.barriers[i]
            beyond = f"{-gap[i]:.3g} {barrier.unit} beyond {barrier.name}, a stop that does not give"
            raise BadInput(f"{self.real.name}: the start is {beyond}; begin before it, or give the stop a stiffness")

    # One step, in as many parts as events cut it into --------------------------------------------

    def advance(self, t: float, y: Doubles, h: float) -> Doubles:
        left = h
        for _ in range(MANY):
            after = self.stepped(t, y, left)
            if not np.isfinite(after).all():
                return after
            if not (self.room(t + left, after) < 0.0).any():
                return self.back(after)
            s, row = first_zero(lambda s: self.room(t + s, self.stepped(t, y, s)), left)  # noqa: B023 - used at once
            t, left = t + s, left - s
            y = self.happened(t, self.stepped(t - s, y, s), row)
        raise Crowded(
            f"{self.real.name}: more than {MANY} events of friction and stops within {h:g} s at t = {t:.6g} s; "
            "a restitution near 1 may need fewer bounces: give it less, or a stop with a stiffness"
        )

    def stepped(self, t: float, y: Doubles, s: float) -> Doubles:
        """y after a smooth motion of s seconds, by the method of order 6."""
        rows, weights = TABLEAUX["rk6"]
        slopes: list[Doubles] = []
        for row in rows:
            at = y + s * sum((a * k for a, k in zip(row, slopes, strict=False)), np.zeros_like(y))
            slopes.append(self.slope(t + s * sum(row), at)[0])
        return y + s * sum((w * k for w, k in zip(weights, slopes, strict=True)), np.zeros_like(y))

    def slope(self, t: float, y: Doubles) -> tuple[Doubles, Doubles]:
        """d/dt of (z, ż, currents, works, friction), and the forces of friction and stops along their rows."""
        now = state_of(self.real, y)
        robot, tau, rate, free = self.freely(t, y)
        flows, touch = energy(robot, now), self.touch(now)
        own = np.concatenate([touch.sliding, np.zeros(self.count - self.dry)])  # the model's own, which is taken off
        forces = self.sliding(touch)
        held = self.held
        if held.any():
            a = touch.G @ free + touch.drift + touch.W @ (forces + own)
            forces[held] = np.linalg.lstsq(touch.W[np.ix_(held, held)], -a[held], rcond=1e-13)[0]
        z_ddot = free + touch.Y @ (forces + own)
        taken = float(-forces[: self.dry] @ touch.rates[: self.dry])
        dissipated = float(flows.dissipated) - float(touch.sliding @ touch.rates[: self.dry]) + taken
        power = float(tau @ now.q_dot[list(self.real.driven)]) - dissipated + float(flows.applied)
        return np.concatenate([now.z_dot, z_ddot, rate, [power, float(flows.applied), taken]]), forces

    def sliding(self, touch: Touch) -> Doubles:
        """The forces of what slides; zero along the other rows."""
        return np.concatenate([-self.sense * touch.level, np.zeros(self.count - self.dry)])

    @property
    def held(self) -> np.ndarray:
        """The rows whose rates stay."""
        return np.concatenate([self.sense == 0.0, self.closed])

    def room(self, t: float, y: Doubles) -> Doubles:
        """How far each row is from its next event; negative beyond."""
        touch, forces = self.touch(state_of(self.real, y)), self.slope(t, y)[1]
        dry, n = forces[: self.dry], self.dry
        friction = np.where(self.sense == 0.0, touch.holding - np.abs(dry), self.sense * touch.rates[:n])
        friction[touch.holding == 0.0] = np.inf  # of no friction there is nothing to tell
        return np.concatenate([friction, np.where(self.closed, forces[n:], touch.gap)])

    # Events --------------------------------------------------------------------------------------

    def happened(self, t: float, y: Doubles, row: int) -> Doubles:
        """What follows from an event on one row."""
        if row >= self.dry and not self.closed[row - self.dry]:
            return self.decide(t, self.impact(t, y, row))
        if row >= self.dry:
            self.closed[row - self.dry] = False
            self.tell(t, "opens", row)
            return y
        if self.sense[row] == 0.0:  # it no longer holds: it slides against its force
            self.sense[row] = -np.sign(self.slope(t, y)[1][row])
            self.tell(t, "slides", row)
            return y
        return self.decide(t, y, resting=row)

    def impact(self, t: float, y: Doubles, row: int) -> Doubles:
        """ż behind an impact on this row and on all that are closed."""
        n, nz, touch = self.dry, self.real.nq + self.real.nx, self.touch(state_of(self.real, y))
        met = np.flatnonzero(np.concatenate([np.zeros(n, bool), touch.gap <= SHUT * self.sizes[n:]]))
        met = np.union1d(met, [row])
        before, W = touch.rates[met], touch.W[np.ix_(met, met)]
        firm = np.where(before < -SOFT * self.sizes[met], touch.restitution[met - n], 0.0)
        p, _ = boxed(W, (1.0 + firm) * before, np.zeros(len(met)), np.full(len(met), np.inf))
        y = y.copy()
        y[nz : 2 * nz] += touch.Y[:, met] @ p
        self.told.impacts += float(-0.5 * p @ (2.0 * before + W @ p))
        self.tell(t, "hits", row, -float(touch.rates[row]))
        return y

    def decide(self, t: float, y: Doubles, resting: int | None = None) -> Doubles:
        """Which frictions hold and which stops are closed from now on; what holds is brought to rest exactly."""
        n, touch = self.dry, self.touch(state_of(self.real, y))
        slow = np.abs(touch.rates) <= STILL * self.sizes
        if resting is not None:
            slow[resting] = True
        at = slow & np.concatenate([touch.holding > 0.0, touch.gap <= SHUT * self.sizes[n:]])
        sense, closed = (
            np.where(at[:n], 0.0, np.where(touch.rates[:n] < 0.0, -1.0, 1.0)),
            np.zeros(self.count - n, bool),
        )
        before, self.sense, self.closed = (self.sense, self.closed), sense, closed
        rows = np.flatnonzero(at)
        if rows.size:
            free = self.freely(t, y)[-1]
            own = np.concatenate([touch.sliding, np.zeros(self.count - n)])
            a = touch.G @ free + touch.drift + touch.W @ (self.sliding(touch) + own)
            low = np.concatenate([-touch.holding, np.zeros(self.count - n)])
            high = np.concatenate([touch.holding, np.full(self.count - n, np.inf)])
            f, w = boxed(touch.W[np.ix_(rows, rows)], a[rows], low[rows], high[rows])
            for i, force, rate in zip(rows, f, w, strict=True):
                if i >= n:
                    closed[i - n] = force > 0.0 or rate == 0.0
                elif not low[i] < force < high[i]:
                    sense[i] = np.sign(rate) or -np.sign(force)
        self.tell_changes(t, touch.holding, *before)
        return self.back(y)

    def freely(self, t: float, y: Doubles) -> tuple[Model, Doubles, Doubles, Doubles]:
        """The robot under its loads, its efforts, the currents' rates, and z̈ with friction as if it slid, no stops."""
        now = state_of(self.real, y)
        robot = self.loads.at(t, now) if self.loads is not None else self.real
        tau, rate = powered(self.real, self.output, self.command, now, currents_of(self.real, y[:-3]))
        motion = forward_dynamics(robot, now, tau)
        return robot, tau, rate, np.concatenate([motion.q_ddot, motion.x_ddot])

    def back(self, y: Doubles) -> Doubles:
        """Onto the closures; closed gaps shut, rates that are held zero, currents within their limits."""
        real, nz = self.real, self.real.nq + self.real.nx
        now = projected(real, state_of(real, y))
        y = np.concatenate([now.z, now.z_dot, let_through(real, currents_of(real, y[:-3])), y[-3:]])
        held, shut = self.held, np.concatenate([np.zeros(self.dry, bool), self.closed])
        if shut.any():
            touch = self.touch(now)
            gap = touch.gap[self.closed]
            y[:nz] -= touch.Y[:, shut] @ np.linalg.lstsq(touch.W[np.ix_(shut, shut)], gap, rcond=1e-13)[0]
        if held.any():
            touch = self.touch(state_of(real, y))
            rates = touch.rates[held]
            y[nz : 2 * nz] -= touch.Y[:, held] @ np.linalg.lstsq(touch.W[np.ix_(held, held)], rates, rcond=1e-13)[0]
        return y

    def touch(self, now: State) -> Touch:
        given = {"q": now.q, "x": now.x, "q_dot": now.q_dot, "x_dot": now.x_dot, "p": self.real.p}
        made = self.real.touching.run("touching", given)
        return Touch(**{name: made.get(name, np.zeros(0)) for name in Touch.__dataclass_fields__})

    # What is told --------------------------------------------------------------------------------

    def tell(self, t: float, what: str, row: int, speed: float = 0.0) -> None:
        if self.begun:  # what holds at the start is no event
            self.told.events.append(Event(t, what, self.names[row], speed))

    def tell_changes(self, t: float, holding: Doubles, sense: Doubles, closed: np.ndarray) -> None:
        for i in np.flatnonzero((self.sense != sense) & (holding > 0.0)):
            self.tell(t, "slides" if self.sense[i] else "holds", int(i))
        for i in np.flatnonzero(self.closed != closed):
            self.tell(t, "closes" if self.closed[i] else "opens", self.dry + int(i))
