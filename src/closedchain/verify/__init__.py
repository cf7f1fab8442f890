"""Checks: the laws of physics on any robot, and independent engines quantity by quantity.

    import closedchain as cc
    print(cc.verify("biglide", engine="mujoco"))

`closedchain.verify` is this package and the name of its main function; so the package itself can be called.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class _Verify(ModuleType):
    """This package; calling it is `closedchain.verify.compare.verify`."""

    def __call__(self, robot: Any, engine: str = "all", **options: Any) -> Any:
        return importlib.import_module("closedchain.verify.compare").verify(robot, engine, **options)


def __getattr__(name: str) -> Any:
    if name != "MuJoCoStepper":
        raise AttributeError(f"module 'closedchain.verify' has no attribute {name!r}")
    return importlib.import_module("closedchain.verify.stepper_mujoco").MuJoCoStepper


sys.modules[__name__].__class__ = _Verify
