"""A measured state with the model's matrices at it: what a control law is written in.

A law uses `+ - * @` and the few functions here, so that the same lines run on NumPy numbers, one state at a time, and
on symbols, from which a whole closed loop is compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.model.state import State

Sizes = Sequence[tuple[str, int]]  # names and how many numbers each stands for


class Measured(Protocol):
    """The measured state and the model's matrices at it; numbers or symbols."""

    q: Any
    x: Any
    q_dot: Any
    x_dot: Any
    command: Any  # that has been held until now, within its limits; zero at the beginning
    memory: Any  # what the law kept, by the names it declares: measured.memory.integral
    interval: Any  # [s] between commands
    p: Any  # the model's parameters, in their order
    M: Any  # reduced mass matrix
    c: Any  # reduced velocity, gravity, spring and friction terms
    gravity: Any  # reduced gravity and springs alone
    A: Any
    B: Any
    J: Any
    b: Any

    def solve(self, A: Any, b: Any) -> Any: ...
    def where(self, condition: Any, a: Any, b: Any) -> Any: ...
    def sin(self, a: Any) -> Any: ...
    def cos(self, a: Any) -> Any: ...
    def atan2(self, y: Any, x: Any) -> Any: ...
    def tanh(self, a: Any) -> Any: ...
    def clip(self, a: Any, low: Any, high: Any) -> Any: ...
    def column(self, *values: Any) -> Any: ...


@dataclass(frozen=True, eq=False)
class Numbers:
    """`Measured` on NumPy numbers at one state."""

    model: Model
    state: State
    command: Doubles = field(default_factory=lambda: np.zeros(0))
    memory: Any = None
    interval: float = 0.0

    @property
    def p(self) -> Doubles:
        return self.model.p

    @property
    def q(self) -> Doubles:
        return self.state.q

    @property
    def x(self) -> Doubles:
        return self.state.x

    @property
    def q_dot(self) -> Doubles:
        return self.state.q_dot

    @property
    def x_dot(self) -> Doubles:
        return self.state.x_dot

    @cached_property
    def _models(self) -> dict[str, Doubles]:
        s = self.state
        return self.model.call("evaluate", q=s.q, x=s.x, q_dot=s.q_dot, q_ddot=np.zeros_like(s.q))

    def __getattr__(self, name: str) -> Doubles:
        if name in ("M", "c", "A", "B", "J", "b"):
            return self._models[name]
        if name == "gravity":
            s = self.state
            still = self.model.call("evaluate", q=s.q, x=s.x, q_dot=np.zeros_like(s.q), q_ddot=np.zeros_like(s.q))
            return still["c"]
        raise AttributeError(name)

    def solve(self, A: Doubles, b: Doubles) -> Doubles:
        return np.asarray(np.linalg.solve(A, b), dtype=np.float64)

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        return np.where(condition, a, b)

    def sin(self, a: Any) -> Any:
        return np.sin(a)

    def cos(self, a: Any) -> Any:
        return np.cos(a)

    def atan2(self, y: Any, x: Any) -> Any:
        return np.arctan2(y, x)

    def tanh(self, a: Any) -> Any:
        return np.tanh(a)

    def clip(self, a: Any, low: Any, high: Any) -> Any:
        return np.minimum(np.maximum(a, low), high)

    def column(self, *values: Any) -> Doubles:
        return np.array([np.asarray(v).reshape(()) for v in values])


class Fields:
    """Values by name: of a reference at one instant, or of a law's memory."""

    def __init__(self, fields: Sizes, values: Any) -> None:
        start = 0
        for name, size in fields:
            setattr(self, name, values[start : start + size])
            start += size


def declared(controller: Any, model: Model) -> dict[str, Doubles]:
    """What a law keeps from one command to the next, by name, as it is at the beginning."""
    memory = getattr(controller, "memory", None)
    found = memory(model) if callable(memory) else memory or {}
    first = {name: np.atleast_1d(np.asarray(value, dtype=np.float64)) for name, value in found.items()}
    for name, value in first.items():
        if value.ndim != 1 or not (value.size and np.isfinite(value).all()):
            raise BadInput(f"memory {name!r:.40} begins as finite numbers, one or a row of them, not {value!r:.60}")
    return first


def decided(answer: Any, memory: Sizes) -> tuple[Any, dict[str, Any]]:
    """A law's answer: the command and, where it declares a memory, what it keeps of each."""
    if not memory:
        return answer, {}
    names = [name for name, _ in memory]
    if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], Mapping)):
        raise BadInput(f'a law with memory returns its command and what it keeps: return u, {{"{names[0]}": …}}')
    command, kept = answer
    wrong = [name for name in (*names, *kept) if (name in names) != (name in kept)]
    if wrong:
        raise BadInput(f"the law keeps {', '.join(map(str, kept)) or 'nothing'}; declared are {', '.join(names)}")
    return command, {name: kept[name] for name in names}
