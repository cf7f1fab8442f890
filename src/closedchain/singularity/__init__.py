"""Singularities: at a pose, along a curve, as loci, and their cusps, around which a robot changes its assembly mode."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from closedchain.singularity.along import along as singular_points

__all__ = ["singular_points"]


def __getattr__(name: str) -> Any:
    if name != "singular_points":  # `along` by its own name is the module
        raise AttributeError(f"module 'closedchain.singularity' has no attribute {name!r}")
    return importlib.import_module("closedchain.singularity.along").along
