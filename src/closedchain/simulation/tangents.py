"""One step of a rollout and its derivatives, as programs: forward along a direction, and backward from weights.

The step is that of `simulate`: RK4 under a held command, then back onto φ = 0 and φ̇ = 0. Its derivatives are those of
that very map, projections included, so that gradients of a rollout are exact for the numbers that it gives.

    s⁺ = F(s, c, p)        δs⁺ = F_s δs + F_c δc + F_p δp        s̄ = F_sᵀ s̄⁺,  c̄ = F_cᵀ s̄⁺,  p̄ = F_pᵀ s̄⁺

s are q, x, q̇ and ẋ; c is the command itself or, under a law, its gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.simulation.loop import Design, Loop

STATE = ("q", "x", "q_dot", "x_dot")


class Step:
    """The symbols of one step and what follows from them."""

    def __init__(
        self,
        equations: Equations,
        output: str,
        massless: bool,
        law: Any = None,
        fields: Sequence[tuple[str, int]] = (),
        n_gains: int = 0,
    ) -> None:
        design = Design("rk4", output, massless, False, 0, ideal=True, summary=False, tracked=False, inverts="")
        loop = Loop(equations, equations, law, fields, n_gains, design)
        now = dict(loop.carried)
        p, h = loop.constant["p"], loop.constant["h"]
        self.state = {name: now[name] for name in STATE if name in now}
        self.chosen = {"u": now["u"]} if law is None else {"gains": loop.constant["gains"]}
        self.steady = {"h": h} | ({} if law is None else {"ref": loop.stepped["ref"]} if "ref" in loop.stepped else {})
        self.p = p
        if law is not None:
            x = now.get("x", ca.SX(0, 1))
            u, _ = loop.command(now["q"], now["q_dot"], x, now)
            old = ca.vertcat(loop.constant["p_model"], loop.constant["interval"])
            now["u"] = ca.substitute(u, old, ca.vertcat(p, h))
        after = loop.drive(now | {"work": ca.SX(0)})
        self.after = {name: ca.densify(after[name]) for name in self.state}
        self.command = now["u"]

    @property
    def by(self) -> dict[str, ca.SX]:
        """What derivatives are taken by."""
        return {**self.state, **self.chosen, **({"p": self.p} if self.p.numel() else {})}

    def programs(self) -> list[Program]:
        """`advance`, `push` and `pull`."""
        return [self.advance(), self.push(), self.pull()]

    def advance(self) -> Program:
        """The state after the step, and the command that held in it."""
        return self._program("advance", {}, {**_next(self.after), "command": self.command})

    def push(self) -> Program:
        """Forward: how the state after the step moves with what came before, along t_…."""
        along = {name: ca.SX.sym(f"t_{name}", e.numel()) for name, e in self.by.items()}
        before, ways = ca.vertcat(*self.by.values()), ca.vertcat(*along.values())
        moved = {f"{name}_next": ca.jtimes(e, before, ways) for name, e in self.after.items()}
        return self._program("push", {f"t_{name}": e for name, e in along.items()}, moved)

    def pull(self) -> Program:
        """Backward: the gradient of Σ w · state after the step by what came before."""
        weights = {name: ca.SX.sym(f"w_{name}", e.numel()) for name, e in self.after.items()}
        total = ca.dot(ca.vertcat(*weights.values()), ca.vertcat(*self.after.values()))
        found = ca.gradient(total, ca.vertcat(*self.by.values()))
        outputs, first = {}, 0
        for name, e in self.by.items():
            outputs[f"by_{name}"] = found[first : first + e.numel()]
            first += e.numel()
        return self._program("pull", {f"w_{name}": e for name, e in weights.items()}, outputs)

    def _program(self, name: str, further: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> Program:
        inputs = {**self.by, **self.steady, **further}
        given = {key: (e, (e.numel(),)) for key, e in inputs.items()}
        return trace(name, given, {key: (ca.densify(e), (e.numel(),)) for key, e in outputs.items()})


def _next(after: dict[str, ca.SX]) -> dict[str, ca.SX]:
    return {f"{name}_next": e for name, e in after.items()}


def step_programs(equations: Equations, output: str, massless: bool, *law: Any) -> list[Program]:
    """The programs of a rollout with derivatives."""
    return Step(equations, output, massless, *law).programs()
