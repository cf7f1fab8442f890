"""`Measured` on symbols: at a model's own expressions, of which a loop is made, or free, which tells laws apart."""

from __future__ import annotations

from typing import Any

import casadi as ca

from closedchain.derive.linear import solve
from closedchain.derive.models import Models
from closedchain.errors import BadInput
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.model.measured import Fields, Sizes, decided
from closedchain.model.model import Model


class Functions:
    """What a law may use besides arithmetic."""

    def solve(self, A: ca.SX, b: ca.SX) -> ca.SX:
        return solve(ca.sparsify(A), b)

    def where(self, condition: Any, a: Any, b: Any) -> ca.SX:
        return ca.if_else(condition, a, b)

    def clip(self, a: Any, low: Any, high: Any) -> ca.SX:
        return ca.fmin(ca.fmax(a, low), high)

    def column(self, *values: Any) -> ca.SX:
        return ca.vertcat(*values)

    sin, cos, atan2, tanh = staticmethod(ca.sin), staticmethod(ca.cos), staticmethod(ca.atan2), staticmethod(ca.tanh)


class SymbolicMeasured(Functions):
    """The model's expressions at a measured state."""

    def __init__(
        self,
        models: Models,
        q: ca.SX,
        x: ca.SX,
        q_dot: ca.SX,
        p: ca.SX,
        command: ca.SX,
        memory: Fields | None = None,
        interval: ca.SX | None = None,
    ) -> None:
        self.models, self.q, self.x, self.q_dot, self.p, self.command = models, q, x, q_dot, p, command
        self.memory, self.interval = memory, interval
        self.x_dot = self._at(ca.mtimes(models.J, models.s.q_dot)) if models.nx else x

    def _at(self, e: ca.SX, still: bool = False) -> ca.SX:
        s = self.models.s
        rates = ca.SX.zeros(*self.q_dot.shape) if still else self.q_dot
        old = ca.vertcat(s.q, s.x, s.q_dot, self.models.q_ddot, s.p)
        new = ca.vertcat(self.q, self.x, rates, ca.SX.zeros(self.models.nq, 1), self.p)
        return ca.substitute(ca.densify(e), old, ca.densify(new))

    def __getattr__(self, name: str) -> ca.SX:
        if name in ("M", "c", "A", "B", "J", "b"):
            return self._at(self.models.everything[name])
        if name == "gravity":
            return self._at(self.models.everything["c"], still=True)
        raise AttributeError(name)


class Bare(Functions):
    """Nothing but symbols: a law's own lines, whatever the robot."""

    def __init__(self, model: Model, memory: Sizes) -> None:
        n, nx, nd = model.nq, model.nx, len(model.driven)
        sizes = {"q": (n, 1), "x": (nx, 1), "q_dot": (n, 1), "x_dot": (nx, 1), "command": (nd, 1), "interval": (1, 1)}
        sizes |= {"M": (n, n), "c": (n, 1), "gravity": (n, 1), "p": (len(model.p), 1)}
        sizes |= {"A": (nx, nx), "B": (nx, n), "J": (nx, n), "b": (nx, 1), "held": (sum(k for _, k in memory), 1)}
        self.symbols = {name: ca.SX.sym(name, *shape) for name, shape in sizes.items()}
        self.memory = Fields(memory, self.symbols["held"])

    def __getattr__(self, name: str) -> ca.SX:
        if name == "symbols" or name not in self.symbols:
            raise AttributeError(f"a law is told no {name!r}; it is told {', '.join(self.symbols)} and memory")
        return self.symbols[name]


def law_program(law: Any, model: Model, fields: Sizes, gains: int, memory: Sizes) -> Program:
    """A law as it is traced, the model's matrices and the reference among its inputs: equal ones command the same."""
    measured = Bare(model, memory)
    told = {"gains": ca.SX.sym("gains", gains), "ref": ca.SX.sym("ref", sum(k for _, k in fields))}
    made = law(measured, Fields(fields, told["ref"]), told["gains"])
    command, kept = answered(made, len(model.driven), memory)
    given = measured.symbols | told
    return trace(
        "law",
        {k: (e, _shape(e)) for k, e in given.items()},
        {"u": (command, _shape(command)), "kept": (kept, _shape(kept))},
    )


def answered(made: Any, commands: int, memory: Sizes) -> tuple[ca.SX, ca.SX]:
    """A law's command and the whole of its memory, as columns of the sizes they must have."""
    command, kept = decided(made, memory)
    column = _sized(command, commands, "the law's command")
    return column, ca.vertcat(ca.SX(0, 1), *(_sized(kept[name], k, f"memory {name}") for name, k in memory))


def _sized(value: Any, size: int, what: str) -> ca.SX:
    """A column of so many numbers; one number stands for all of them."""
    column = ca.densify(ca.SX(value))
    if column.numel() == 1:
        return ca.repmat(column, size, 1)
    if column.shape != (size, 1):
        raise BadInput(f"{what} has {column.shape[0]} × {column.shape[1]} numbers; {size} are needed")
    return column


def _shape(e: ca.SX) -> tuple[int, ...]:
    return tuple(e.shape) if e.shape[1] > 1 else (e.shape[0],)
