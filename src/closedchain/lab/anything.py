"""An object that takes every call and has every attribute: what stands for a window where there are none."""

from __future__ import annotations

from typing import Any


class Anything:
    """Call it, read from it, write to it: nothing happens, and one gets the like of it back."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Anything:
        return Anything()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()
