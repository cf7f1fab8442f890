"""The laws of physics, tried on random states of every branch. Users run this on their own mechanism.

Each law compares two things that were computed in different ways: a Jacobian with differences of solved positions, a
motor's power with the rate of energy by the chain rule, a closed-form solution with a configuration found by iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import numbers
from closedchain.model.dynamics import energy, forward_dynamics, inverse_dynamics, terms
from closedchain.model.geometry import direct, inverse
from closedchain.model.model import Model, NoClosedForm
from closedchain.model.sampling import regularity, sample
from closedchain.model.state import State
from closedchain.verify.linkage_laws import linkage_misfits

STEP = 2e-3  # six-point differences are then good to about 1e-10
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60  # f' from f(±1), f(±2), f(±3) steps
NODES = np.array([-3, -2, -1, 1, 2, 3])


@dataclass(frozen=True)
class Row:
    """One law: the worst relative misfit over all states, and where."""

    law: str
    worst: float
    limit: float
    where: str
    states: int

    @property
    def ok(self) -> bool:
        return bool(self.worst <= self.limit)


@dataclass(frozen=True)
class Report:
    """What `check` found."""

    robot: str
    rows: tuple[Row, ...]

    @property
    def ok(self) -> bool:
        return all(row.ok for row in self.rows)

    def __str__(self) -> str:
        lines = [f"{self.robot}: {'every law holds' if self.ok else 'a law is broken'}"]
        for row in self.rows:
            mark = "ok  " if row.ok else "FAIL"
            lines.append(f"  {mark} {row.law:<58} worst {row.worst:.1e}  limit {row.limit:.0e}  {row.states} states")
            if not row.ok:
                lines.append(f"       at {row.where}")
        return "\n".join(lines)


def check(model: Model, *, states: int = 2000, seed: int = 0) -> Report:
    """Try every law on random states of all branches; on a linkage those that hold without drives."""
    if model.linkage:
        return _check_linkage(model, sample(model, states, seed), np.random.default_rng(seed + 1))
    lab = Laboratory(model, sample(model, states, seed), np.random.default_rng(seed + 1))
    return Report(model.name, tuple(lab.rows()))


def _check_linkage(model: Model, state: State, rng: np.random.Generator) -> Report:
    lab = Laboratory(model, state, rng)
    return Report(model.name, tuple(lab.row(*law) for law in linkage_misfits(model, state, rng)))


class Laboratory:
    """A model with random states, efforts and accelerations, on which the laws are tried."""

    def __init__(self, model: Model, state: State, rng: np.random.Generator) -> None:
        self.model, self.state = model, state
        count = len(state.q)
        self.tau = rng.standard_normal((count, len(model.driven)))
        self.q_ddot = rng.standard_normal((count, model.nq))
        self.sizes = np.array([1.0 if c.unit == "rad" else model.scale for c in model.equations.z])

    def rows(self) -> Iterator[Row]:
        laws: list[Callable[[], Iterator[Row]]] = [self.geometry, self.kinematics, self.dynamics, self.batches]
        for law in laws:
            yield from law()

    def row(self, law: str, misfit: Doubles, limit: float) -> Row:
        misfit = np.where(np.isfinite(misfit), misfit, np.inf).reshape(len(misfit), -1).max(axis=-1, initial=0.0)
        worst = int(np.argmax(misfit)) if len(misfit) else 0
        where = f"q = {numbers(self.state.q[worst])}, x = {numbers(self.state.x[worst])}" if len(misfit) else ""
        return Row(law, float(misfit.max(initial=0.0)), limit, where, len(misfit))

    # Geometry -----------------------------------------------------------------------------------

    def geometry(self) -> Iterator[Row]:
        if not self.model.nx:
            return
        gap = self.model.call("closures", q=self.state.q, x=self.state.x)["gap"]
        yield self.row("closures: φ(q, x) = 0 [of the robot's size]", np.abs(gap) / self.model.scale, 1e-12)
        try:
            yield self.row("direct geometry finds the configuration", self._distance_direct(), 1e-7)
            yield self.row("inverse geometry finds the configuration", self._distance_inverse(), 1e-7)
        except NoClosedForm:
            return

    def _distance_direct(self) -> Doubles:
        found = direct(self.model, self.state.q)
        return self._nearest(found.index, found.x, self.state.x, self.sizes[self.model.nq :])

    def _distance_inverse(self) -> Doubles:
        found = inverse(self.model, self.state.x)
        return self._nearest(found.index, found.q, self.state.q, self.sizes[: self.model.nq])

    def _nearest(self, index: np.ndarray, rows: Doubles, wanted: Doubles, sizes: Doubles) -> Doubles:
        """The distance from each wanted row to the nearest found one; angles modulo a turn."""
        away = rows - wanted[index]
        away = np.where(sizes == 1.0, (away + np.pi) % (2 * np.pi) - np.pi, away) / sizes
        nearest = np.full(len(wanted), np.inf)
        np.minimum.at(nearest, index, np.abs(away).max(axis=-1))
        return nearest

    # Kinematics ---------------------------------------------------------------------------------

    def kinematics(self) -> Iterator[Row]:
        if not self.model.nx:
            return
        model, s = self.model, self.state
        made = model.call("evaluate", q=s.q, x=s.x, q_dot=s.q_dot, q_ddot=self.q_ddot)
        h = self._step(made["x_dot"])
        x = self._solved_along(h)  # (6, states, nx) at q + k h q_dot + ½ (k h)² q_ddot
        first = np.einsum("k,kij->ij", WEIGHTS, x) / h
        scale = 1.0 + np.abs(first / self.sizes[model.nq :]).max(axis=-1, keepdims=True)
        limit = 1e-7
        yield self.row(
            "J: ẋ = J q̇ is the derivative of x(q)",
            np.abs(first - made["x_dot"]) / self.sizes[model.nq :] / scale,
            limit,
        )
        rates, angles = self._rates_along(x, h)
        second = np.einsum("k,kij->ij", WEIGHTS, rates) / h
        size = 1.0 + np.abs(second / self.sizes[model.nq :]).max(axis=-1, keepdims=True)
        yield self.row(
            "b: ẍ = J q̈ + b is the derivative of ẋ",
            np.abs(second - made["x_ddot"]) / self.sizes[model.nq :] / size,
            limit,
        )
        if angles is not None:
            turned = np.unwrap(angles, axis=0)
            slope = np.einsum("k,kij->ij", WEIGHTS, turned) / h
            big = 1.0 + np.abs(slope).max(axis=-1, keepdims=True)
            yield self.row(
                "passive joints: their rates are derivatives", np.abs(slope - made["passive_dot"]) / big, limit
            )

    def _step(self, x_dot: Doubles) -> Doubles:
        """A time in which the configuration moves by STEP of the distance over which its closures bend."""
        bend = 1.0 / (regularity(self.model, self.state.z) * self._shortest())
        speed = np.abs(np.concatenate([self.state.q_dot, x_dot, self.q_ddot], axis=-1) / self._all_sizes()).max(axis=-1)
        return np.asarray(STEP / (bend * (1.0 + speed)))[:, None]

    def _shortest(self) -> Doubles:
        """The shortest leg of each state, of the robot's size."""
        names = [c.name for c in self.model.equations.q]
        lengths = [self.state.q[:, names.index(c.name)] for c in self.model.equations.closures if c.name in names]
        bars = [self.model.number(b.length) for b in self.model.mechanism.bars] if self.model.mechanism else []
        shortest = np.min(
            [np.full(len(self.state.q), self.model.scale), *lengths, *np.outer(bars, np.ones(len(self.state.q)))],
            axis=0,
        )
        return np.asarray(shortest / self.model.scale)

    def _all_sizes(self) -> Doubles:
        return np.concatenate([self.sizes, self.sizes[: self.model.nq]])

    def _q_along(self, k: int, h: Doubles) -> Doubles:
        return self.state.q + k * h * self.state.q_dot + (k * h) ** 2 / 2 * self.q_ddot

    def _solved_along(self, h: Doubles) -> Doubles:
        """x at neighbouring q, by Newton's method on the closures alone."""
        rows = []
        for k in NODES:
            x = self.state.x + k * h * self.state.x_dot
            for _ in range(12):
                made = self.model.call("closures", q=self._q_along(k, h), x=x)
                x = x - np.linalg.solve(made["A"], made["phi"][..., None])[..., 0]
            rows.append(x)
        return np.array(rows)

    def _rates_along(self, x: Doubles, h: Doubles) -> tuple[Doubles, Doubles | None]:
        rates, angles = [], []
        for k, x_k in zip(NODES, x, strict=True):
            q_dot = self.state.q_dot + k * h * self.q_ddot
            made = self.model.call("evaluate", q=self._q_along(k, h), x=x_k, q_dot=q_dot, q_ddot=self.q_ddot)
            rates.append(made["x_dot"])
            if "passive" in made:
                angles.append(made["passive"])
        return np.array(rates), np.array(angles) if angles else None

    # Dynamics -----------------------------------------------------------------------------------

    def dynamics(self) -> Iterator[Row]:
        model, s = self.model, self.state
        made = model.call("evaluate", q=s.q, x=s.x, q_dot=s.q_dot, q_ddot=self.q_ddot)
        M = made["M"]
        size = np.abs(M).max(axis=(-2, -1), keepdims=True)
        yield self.row("M is symmetric", np.abs(M - np.swapaxes(M, -1, -2)) / np.where(size > 0, size, 1.0), 1e-11)
        if (size == 0).any():
            yield Row("M is positive on the motions that exist", np.inf, 0.0, "every body is massless", len(s.q))
            return
        lowest = np.linalg.eigvalsh((M + np.swapaxes(M, -1, -2)) / 2 / size)[:, 0]
        positive = self.row(
            "M is positive on the motions that exist", np.maximum(-lowest, 0.0) + (lowest <= 0.0), 1e-14
        )
        yield positive
        if not positive.ok:  # efforts then do not decide the motion
            return
        yield from self._power()
        yield self.row("gravity and springs are the gradient of V", self._gradient(), 1e-8)
        yield self.row("efforts → motion → efforts", self._reciprocal(), 1e-9)

    def _power(self) -> Iterator[Row]:
        """Motor power = rate of energy + dissipation; closures do no work."""
        model, s = self.model, self.state
        motion = forward_dynamics(model, s, self.tau)
        z_ddot = np.concatenate([motion.q_ddot, motion.x_ddot], axis=-1)
        made = model.call("power", q=s.q, x=s.x, q_dot=s.q_dot, x_dot=s.x_dot, z_ddot=z_ddot)
        driven = self.tau * s.q_dot[:, list(model.driven)]
        M_z = terms(model, s)
        flow = np.abs(np.einsum("kij,kj->ki", M_z.M_z, z_ddot) * s.z_dot).sum(axis=-1)
        flow += np.abs(M_z.h_z * s.z_dot).sum(axis=-1) + np.abs(driven).sum(axis=-1) + np.abs(made["power"])
        misfit = made["energy_rate"] + made["power"] - made.get("applied_power", 0.0) - driven.sum(axis=-1)
        yield self.row("power balance: τ·q̇ = d(T+V)/dt + dissipation", np.abs(misfit) / flow, 1e-11)
        if model.nx:
            closures = model.call("closures", q=s.q, x=s.x)
            Phi = np.concatenate([closures["B"], closures["A"]], axis=-1)
            force = np.einsum("kij,ki->kj", Phi, motion.lam) * s.z_dot
            total = np.abs(force).sum(axis=-1)
            yield self.row(
                "closures do no work: λᵀΦ ż = 0", np.abs(force.sum(axis=-1)) / np.where(total > 0, total, 1.0), 1e-11
            )

    def _gradient(self) -> Doubles:
        model, s = self.model, self.state
        h = STEP * self.sizes
        slope = np.zeros((len(s.q), len(h)))
        for i, step in enumerate(h):
            for weight, k in zip(WEIGHTS, NODES, strict=True):
                z = s.z.copy()
                z[:, i] += k * step
                slope[:, i] += weight / step * energy(model, self._at(z)).potential
        exact = terms(model, s).gravity
        return np.abs(slope - exact) / (1e-9 + np.abs(exact).max(axis=-1, keepdims=True))

    def _at(self, z: Doubles) -> State:
        nq = self.model.nq
        return State(z[:, :nq], z[:, nq:], self.state.q_dot, self.state.x_dot)

    def _reciprocal(self) -> Doubles:
        motion = forward_dynamics(self.model, self.state, self.tau)
        tau = inverse_dynamics(self.model, self.state, motion.q_ddot)
        size = np.abs(self.tau).max(axis=-1, keepdims=True)
        if self.model.nx:
            B = self.model.call("closures", q=self.state.q, x=self.state.x)["B"]
            size = size + np.einsum("kij,ki->kj", np.abs(B), np.abs(motion.lam)).max(axis=-1, keepdims=True)
        return np.abs(tau - self.tau) / size

    # Batches ------------------------------------------------------------------------------------

    def batches(self) -> Iterator[Row]:
        s = self.state
        whole = self._everything(slice(None))
        some = list(range(0, len(s.q), max(1, len(s.q) // 50)))
        one = np.array([self._everything(i) for i in some])
        yield self.row("one state and a batch: the same bits", np.abs(one - whole[some]), 0.0)

    def _everything(self, which: slice | int) -> Doubles:
        """Every output of `evaluate` at one state or a batch, in one long row each."""
        s = self.state
        made = self.model.call("evaluate", q=s.q[which], x=s.x[which], q_dot=s.q_dot[which], q_ddot=self.q_ddot[which])
        batch = s.q[which].ndim - 1
        return np.concatenate([v.reshape(*v.shape[:batch], -1) for v in made.values()], axis=-1)
