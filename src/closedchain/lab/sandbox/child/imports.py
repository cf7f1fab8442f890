"""Imports of the submission's own files: NumPy as their year knew it, where an array of one number is a number."""

from __future__ import annotations

import builtins
import os
from types import ModuleType
from typing import Any


def replace_numpy(folder: str, numpy: ModuleType) -> None:
    """`import numpy` in a file of the folder gives this one; everybody else gets the real one."""
    real = builtins.__import__

    def load(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        module = real(name, globals, locals, fromlist, level)
        place = str(globals.get("__file__", "")) if globals else ""
        if level or name.partition(".")[0] != "numpy" or not place.startswith(folder + os.sep):
            return module
        return numpy if module.__name__ == "numpy" else getattr(numpy, name.partition(".")[2], module)

    builtins.__import__ = load


def replace(folder: str, modules: dict[str, ModuleType]) -> None:
    """These modules, by their names, in a file of the folder; everybody else gets the real ones."""
    real = builtins.__import__

    def load(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        ours = globals is not None and str(globals.get("__file__", "")).startswith(folder + os.sep)
        return modules[name] if ours and not level and name in modules else real(name, globals, locals, fromlist, level)

    builtins.__import__ = load
