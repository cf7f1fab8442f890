"""NumPy as scripts of earlier years know it: an array that holds one number may stand where a number is needed.

NumPy 2.4 refuses what it had warned of since 1.25: `float(a)`, `math.cos(a)` and `b[i] = a` with a of shape (1,). Lab
scripts do this everywhere, so their own files import this in its place where NumPy refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np


class Lenient(np.ndarray[Any, Any]):
    """An array; one that holds a single number is also that number."""

    def __float__(self) -> float:
        return float(_numbers(self) if self.size == 1 else np.asarray(self))

    def __int__(self) -> int:
        return int(_numbers(self) if self.size == 1 else np.asarray(self))

    def __setitem__(self, key: Any, value: Any) -> None:
        try:
            super().__setitem__(key, value)
        except (TypeError, ValueError):
            numbers = _numbers(value)
            if numbers is value:
                raise
            super().__setitem__(key, numbers)


def _numbers(value: Any) -> Any:
    """Arrays of one number as that number, also within lists; the value itself where there are none."""
    if isinstance(value, np.ndarray):
        return value.item() if value.size == 1 else value
    if isinstance(value, list | tuple):
        found = [_numbers(item) for item in value]
        return found if any(a is not b for a, b in zip(found, value, strict=True)) else value
    return value


class Module(ModuleType):
    """A module whose functions give lenient arrays; its classes and constants are as they are."""

    def __init__(self, real: ModuleType) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__dict__["_real"] = real

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__dict__["_real"], name)
        if name in ("linalg", "fft", "random", "polynomial") and isinstance(found, ModuleType):
            found = Module(found)
        elif callable(found) and not isinstance(found, type | np.ufunc):  # which keep the kind of their arguments
            found = _lenient(found)
        self.__dict__[name] = found
        return found


def _lenient(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose arrays are lenient; one that refuses arrays of one number in a list gets the numbers."""

    @wraps(function)
    def call(*args: Any, **more: Any) -> Any:
        try:
            made = function(*args, **more)
        except (TypeError, ValueError):
            plain = [_numbers(a) if isinstance(a, list | tuple) else a for a in args]
            if all(a is b for a, b in zip(plain, args, strict=True)):
                raise
            made = function(*plain, **more)
        return made.view(Lenient) if type(made) is np.ndarray else made

    return call


def refuses() -> bool:
    """Whether the NumPy installed is one that refuses."""
    try:
        np.zeros(1)[0] = np.ones(1)
    except ValueError:
        return True
    return False
