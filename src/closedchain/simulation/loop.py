"""The closed loop as one program: measure, decide, hold, integrate, project. A scan repeats it in time.

Each step is one integration step. A command is decided where `update` is 1 and held in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from closedchain.derive.linear import determinant, solve
from closedchain.derive.marching import Marching
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program
from closedchain.kernels.scan import Scan
from closedchain.kernels.trace import trace
from closedchain.model.measured import Fields
from closedchain.policy import OPEN
from closedchain.simulation.endings import ENORMOUS, FAR
from closedchain.simulation.integrators import Manifold, step
from closedchain.simulation.symbolic import SymbolicMeasured, answered

SEEN = ("q_seen", "v_seen", "x_seen")
NONE = ca.SX(0, 1)
NEWTON = 3  # steps of the model's own direct geometry from the plant's pose, which is close


@dataclass(frozen=True)
class Design:
    """What the compiled loop depends on, besides numbers."""

    method: str
    output: str  # "tau", "voltage" or "velocity"
    massless: bool
    differences: bool
    delay: int  # samples
    ideal: bool  # the law is told the plant's own state; otherwise its model finds the pose from the measured drives
    summary: bool  # keep largest errors only, no histories
    tracked: bool  # whether there is an output reference to compare with
    inverts: str  # "A" or "B" where the law inverts it: the run stops near its singularities
    filtered: bool = False  # velocities pass a low pass
    memory: tuple[tuple[str, int], ...] = ()  # what the law keeps from one command to the next


class Loop:
    """The symbols and expressions of one loop."""

    def __init__(
        self,
        plant: Equations,
        believed: Equations,
        law: Any,
        fields: Sequence[tuple[str, int]],
        n_gains: int,
        design: Design,
    ) -> None:
        self.design, self.law, self.fields = design, law, fields
        self.plant, self.model = Models(Symbols(plant)), Models(Symbols(believed))
        n, nx, nu = self.plant.nq, self.plant.nx, len(self.plant.driven)
        inductive = design.output == "voltage" and plant.inductive
        size = {"q": n, "x": nx, "q_dot": n, "x_dot": nx, "u": nu, "current": nu if inductive else 0, "work": 1}
        seen = max(design.delay, int(design.differences))
        size |= {
            "q_seen": n * seen,
            "v_seen": n * max(design.delay, int(design.filtered)),
            "x_seen": nx * max(design.delay - 1, 0),
        }
        size["memory"] = sum(k for _, k in design.memory)
        if design.summary:
            size |= {"worst": max(nx, n), "most": nu, "stopped": 1, "peak": 1}
        self.carried = {name: ca.SX.sym(name, k) for name, k in size.items() if k}
        stepped = {
            "update": 1,
            "ref": sum(k for _, k in fields),
            "noise": 2 * n,
            "x_ref": max(nx, n) if design.tracked else 0,
        }
        self.stepped = {name: ca.SX.sym(name, k) for name, k in stepped.items() if k}
        constant = {"gains": n_gains, "h": 1, "interval": 1, "limit": nu, "quantum": 1, "smoothing": 1}
        self.constant = {name: ca.SX.sym(name, k) for name, k in constant.items() if k}
        self.constant |= {name: ca.SX.sym(name, k) for name, k in {"low": n, "high": n, "near": 1, "size": 1}.items()}
        self.constant |= {"p": self.plant.s.p, "p_model": ca.SX.sym("p_model", self.model.s.p.shape[0])}

    def scan(self) -> Scan:
        """The loop as a scan: histories of q, x, q̇, ẋ and the command of one run, or the largest errors of many."""
        now = dict(self.carried)
        now |= self.decide(now)
        outputs = {f"{name}_": e for name, e in self.advance(now).items()}
        stop = ca.if_else(self.going(outputs), 0, 1)
        if self.design.summary:
            outputs["stopped_"] = stop  # the count of steps alone does not tell a stop on the very last one
        recorded = (
            {}
            if self.design.summary
            else {f"{n}_now": now[n] for n in ("q", "x", "q_dot", "x_dot", "u", "current", "work") if n in now}
        )
        given = self.carried | self.stepped | self.constant
        wanted = outputs | recorded
        shapes = {name: (value, (value.shape[0],)) for name, value in wanted.items()}
        program = trace("loop", {k: (v, (v.shape[0],)) for k, v in given.items()}, shapes | {"stop": (stop, ())})
        carry = tuple((name, f"{name}_") for name in self.carried)
        return Scan(program, carry, tuple(self.stepped), tuple(recorded), single=not self.design.summary)

    def going(self, after: dict[str, ca.SX]) -> ca.SX:
        """Whether the run goes on: numbers finite, drives within limits, no singularity that the law cannot bear."""
        q, s = after.get("q_", NONE), self.plant.s
        z = ca.vertcat(q, after.get("x_", ca.SX(0, 1)))
        lengths = [i for i, c in enumerate(s.equations.z) if c.unit != "rad"]
        far = ca.norm_inf(z[lengths]) if lengths else ca.SX(0)
        told = ca.vertcat(*(value for name, value in after.items() if name != "memory_"))
        going = ca.logic_and(ca.sumsqr(told) < ENORMOUS, far < FAR * self.constant["size"])
        if s.equations.closures:
            old, new = ca.vertcat(s.q, s.x, s.p), ca.vertcat(z, self.constant["p"])
            gap = ca.norm_inf(ca.substitute(s.gap, old, new))
            going = ca.logic_and(going, gap < OPEN * self.constant["size"])
        if self.plant.nq:
            inside = ca.logic_and(ca.mmin(q - self.constant["low"]) >= 0, ca.mmin(self.constant["high"] - q) >= 0)
            going = ca.logic_and(going, inside)
        passive = [i for i, limit in enumerate(s.equations.limits) if limit.name not in s.equations.driven]
        if passive:
            old, new = ca.vertcat(s.q, s.x, s.p), ca.vertcat(z, self.constant["p"])
            going = ca.logic_and(going, ca.mmin(ca.substitute(s.joints[1][passive], old, new)) >= 0)
        if self.plant.nx and self.design.inverts:
            det, size = self.room(q, after["x_"])
            before, _ = self.room(self.carried["q"], self.carried["x"])
            apart = det * det > self.constant["near"] ** 2 * size
            going = ca.logic_and(going, ca.logic_and(apart, det * before > 0))
        return going

    def room(self, q: ca.SX, x: ca.SX) -> tuple[ca.SX, ca.SX]:
        """det of what the law inverts, whose sign is the branch, and the product of the squared lengths of A's rows."""
        m, s = self.plant, self.plant.s
        rows = list(range(m.nx)) if self.design.inverts == "A" else m.leg_rows
        size = ca.SX(1)
        for i in rows:
            size *= ca.sumsqr(ca.densify(m.A[i, :]))
        det = determinant((m.A if self.design.inverts == "A" else m.B)[rows, :])
        old, new = ca.vertcat(s.q, s.x, s.p), ca.vertcat(q, x, self.constant["p"])
        found: list[ca.SX] = ca.substitute([det, size], [old], [new])
        return found[0], found[1]

    # Measuring and deciding ---------------------------------------------------------------------

    def decide(self, now: dict[str, ca.SX]) -> dict[str, ca.SX]:
        """The command, and what the sensors showed, kept where it is not time to look."""
        ideal = self.design.ideal or not self.plant.nq
        q, q_dot = (now.get("q", NONE), now.get("q_dot", NONE)) if ideal else self.sense(now)
        seen = {"q_seen": q, "v_seen": q_dot, "x_seen": now.get("x", ca.SX(0, 1))}
        chosen = {k: ca.vertcat(v, now[k][: -v.shape[0]]) for k, v in seen.items() if k in now}  # the newest first
        if "u" in now:  # a robot that nothing drives has none
            n, near = self.plant.nq, now.get("x_seen", seen["x_seen"])[-self.plant.nx :]  # of the sample after
            used = (now["q_seen"][-n:], now["v_seen"][-n:]) if self.design.delay else (q, q_dot)
            wanted, chosen["memory"] = self.command(*used, near, now)
            chosen["u"] = ca.fmin(ca.fmax(wanted, -self.constant["limit"]), self.constant["limit"])
        update = self.stepped["update"]
        return {name: ca.if_else(update, value, now[name]) for name, value in chosen.items() if name in now}

    def sense(self, now: dict[str, ca.SX]) -> tuple[ca.SX, ca.SX]:
        """The drives as their sensors show them: noise, resolution, velocities by differences."""
        n, quantum = self.plant.nq, self.constant["quantum"]
        q = now["q"] + self.stepped["noise"][:n]
        q = ca.if_else(quantum > 0, quantum * ca.floor(q / ca.fmax(quantum, 1e-300) + 0.5), q)
        q_dot = now["q_dot"] + self.stepped["noise"][n:]
        if self.design.differences:
            q_dot = (q - now["q_seen"][:n]) / self.constant["interval"]
        if self.design.filtered:
            q_dot = now["v_seen"][:n] + self.constant["smoothing"] * (q_dot - now["v_seen"][:n])
        return q, q_dot

    def command(self, q: ca.SX, q_dot: ca.SX, x: ca.SX, now: dict[str, ca.SX]) -> tuple[ca.SX, ca.SX]:
        """The law at the measured state, and its memory then; the model finds its own pose from the measured drives."""
        p, kept = self.constant["p_model"], self.design.memory
        x = x if self.design.ideal else self.pose(q, x)
        memory = Fields(kept, now.get("memory", ca.SX(0, 1)))
        measured = SymbolicMeasured(self.model, q, x, q_dot, p, now["u"], memory, self.constant["interval"])
        reference = Fields(self.fields, self.stepped.get("ref", ca.SX(0, 1)))
        made = self.law(measured, reference, self.constant.get("gains", ca.SX(0, 1)))
        return answered(made, len(self.plant.driven), kept)

    def pose(self, q: ca.SX, x: ca.SX) -> ca.SX:
        """Where the model has the output for drives at q, from one that is close; there, if drives do not tell."""
        p, s = self.constant["p_model"], self.model.s
        told = self.model.nx > 0 and ca.sprank(ca.sparsify(self.model.A)) == self.model.nx
        for _ in range(NEWTON if told else 0):
            old, new = ca.vertcat(s.q, s.x, s.p), ca.vertcat(q, x, p)
            A, phi = ca.substitute([self.model.A, s.phi], [old], [new])
            x = x - (solve(A, phi) if A.is_square() else solve(ca.mtimes(A.T, A), ca.mtimes(A.T, phi)))
        return x

    # Moving -------------------------------------------------------------------------------------

    def advance(self, now: dict[str, ca.SX]) -> dict[str, ca.SX]:
        """The carried state after one step, but for whether the run stopped there."""
        after = self.glide(now) if self.design.output == "velocity" else self.drive(now)
        kept: dict[str, ca.SX] = {name: now[name] for name in ("u", *SEEN, "memory") if name in now}
        if self.design.summary:
            output = now["x" if self.plant.nx else "q"]
            error = ca.fabs(output - self.stepped["x_ref"]) if self.design.tracked else 0 * output
            kept["worst"] = ca.fmax(self.carried["worst"], error)
            kept["peak"] = ca.fmax(self.carried["peak"], ca.fabs(now["work"]))
            if "u" in now:
                kept["most"] = ca.fmax(self.carried["most"], ca.fabs(now["u"]))
        moved = after | kept
        return {name: moved[name] for name in self.carried if name in moved}

    def drive(self, now: dict[str, ca.SX]) -> dict[str, ca.SX]:
        """Forward dynamics under a held command, projected back onto φ = 0 and φ̇ = 0."""
        n, nx = self.plant.nq, self.plant.nx
        flow = self.flow()
        y = ca.vertcat(*[now[name] for name in ("q", "x", "q_dot", "x_dot", "current", "work") if name in now])
        u, p, h = now.get("u", ca.SX(0, 1)), self.constant["p"], self.constant["h"]
        closed = bool(self.plant.s.equations.closures)
        y = step(self.design.method, lambda v: flow(v, u, p), y, h, self.manifold() if closed else None)
        q, x = y[:n], y[n : n + nx]
        q_dot, x_dot, work = y[n + nx : 2 * n + nx], y[2 * n + nx : 2 * (n + nx)], y[-1]
        if closed:
            place, pace = self.projections()
            z = ca.vertcat(q, x) + place(q, x, self.constant["p"])
            q, x = z[:n], z[n:]
            v = ca.vertcat(q_dot, x_dot) + pace(q, x, q_dot, x_dot, self.constant["p"])
            q_dot, x_dot = v[:n], v[n:]
        current = y[2 * (n + nx) : -1]
        if current.numel():
            most = ca.substitute(self.plant.most_currents(), self.plant.s.p, self.constant["p"])
            current = ca.fmin(ca.fmax(current, -most), most)
        return {"q": q, "x": x, "q_dot": q_dot, "x_dot": x_dot, "current": current, "work": work}

    def flow(self) -> ca.Function:
        """ẏ for y = (q, x, q̇, ẋ, currents of inductive motors, work)."""
        s, marching = self.plant.s, Marching(self.plant, self.design.massless, self.design.output == "voltage")
        y = ca.vertcat(s.z, s.z_dot, marching.current, ca.SX.sym("work"))
        z_ddot, power = marching.accelerations(s.z, s.z_dot)
        rate = ca.vertcat(s.z_dot, z_ddot, marching.current_rate if marching.current.numel() else NONE, power)
        return ca.Function("flow", [y, marching.u, s.p], [ca.densify(rate)])

    def manifold(self) -> Manifold:
        """φ = 0 and φ̇ = 0 as conditions on y = (q, x, q̇, ẋ, work), and the way back, weighed by mass."""
        m, s = self.plant, self.plant.s
        k, p = len(s.equations.closures), self.constant["p"]
        y = ca.vertcat(s.q, s.x, s.q_dot, s.x_dot, ca.SX.sym("work"))
        slip = ca.mtimes(m.B, s.q_dot) + ca.mtimes(m.A, s.x_dot)
        error = ca.Function("error", [y, s.p], [ca.densify(ca.vertcat(s.phi, slip))])
        nu = ca.SX.sym("nu", 2 * k)
        back = [m.correction(part, self.design.massless) for part in (nu[:k], nu[k:])]
        pull = ca.Function("pull", [y, nu, s.p], [ca.densify(ca.vertcat(*back, 0))])
        return Manifold(lambda v: error(v, p), lambda v, n: pull(v, n, p))

    def projections(self) -> tuple[ca.Function, ca.Function]:
        m, s = self.plant, self.plant.s
        place = m.correction(s.phi, self.design.massless)
        slip = ca.mtimes(m.B, s.q_dot) + ca.mtimes(m.A, s.x_dot)
        pace = m.correction(slip, self.design.massless)
        return (
            ca.Function("place", [s.q, s.x, s.p], [ca.densify(place)]),
            ca.Function("pace", [s.q, s.x, s.q_dot, s.x_dot, s.p], [ca.densify(pace)]),
        )

    def glide(self, now: dict[str, ca.SX]) -> dict[str, ca.SX]:
        """The kinematic plant: the drives move at the held velocity, the output follows the closures."""
        m, s, p = self.plant, self.plant.s, self.constant["p"]
        q, x, h = now["q"], now["x"], self.constant["h"]
        jacobian = ca.Function("J", [s.q, s.x, s.p], [ca.densify(m.J)])
        newton = ca.Function("newton", [s.q, s.x, s.p], [ca.densify(s.x - solve(m.A, s.phi))])
        there = q + h * now["u"]
        x = x + h * ca.mtimes(jacobian(q, x, p), now["u"])
        for _ in range(NEWTON):
            x = newton(there, x, p)
        x_dot = ca.mtimes(jacobian(there, x, p), now["u"])
        return {"q": there, "x": x, "q_dot": now["u"], "x_dot": x_dot, "work": now["work"]}


def loop_programs(
    plant: Equations, believed: Equations, law: Any, fields: Sequence[tuple[str, int]], n_gains: int, design: Design
) -> list[Program | Scan]:
    """The routines of one loop."""
    return [Loop(plant, believed, law, fields, n_gains, design).scan()]
