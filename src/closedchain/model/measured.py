"""A measured state with the model's matrices at it: what a control law is written in.

A law uses `+ - * @` and the few functions here, so that the same lines run on NumPy numbers, one state at a time, and
on symbols, from which a whole closed loop is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.model import Model
from closedchain.model.state import State


class Measured(Protocol):
    """The measured state and the model's matrices at it; numbers or symbols."""

    q: Any
    x: Any
    q_dot: Any
    x_dot: Any
    command: Any  # that has been held until now; zero at the beginning: a law's only memory
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
    """The reference's values by name, for one instant."""

    def __init__(self, fields: Sequence[tuple[str, int]], values: Any) -> None:
        start = 0
        for name, size in fields:
            setattr(self, name, values[start : start + size])
            start += size
