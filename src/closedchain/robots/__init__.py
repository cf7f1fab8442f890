"""The robots: one file each, found by its name."""

from __future__ import annotations

import importlib
import pkgutil

from closedchain.describe.recipe import Recipe


def names() -> tuple[str, ...]:
    """Every robot here, by name."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def find(name: str) -> Recipe:
    """The robot of that name: the attribute of the same name in its module."""
    recipe = getattr(importlib.import_module(f"{__name__}.{name}"), name)
    assert isinstance(recipe, Recipe)
    return recipe
