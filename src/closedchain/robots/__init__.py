"""The robots, one file each, found by its name; and in `linkages` what is no robot: chains, pendulums, benchmarks."""

from __future__ import annotations

import importlib
import pkgutil

from closedchain.describe.recipe import Family, Recipe
from closedchain.robots import linkages


def names() -> tuple[str, ...]:
    """Every robot here, by name."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg))


def linkage_names() -> tuple[str, ...]:
    """Every linkage here, by name."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(linkages.__path__)))


def known() -> tuple[str, ...]:
    """What can be loaded by its name."""
    return (*names(), *linkage_names())


def knows(name: str) -> bool:
    """Whether there is one of that name; `linear-delta` is another way to write `linear_delta`."""
    return _plain(name) in known()


def find(name: str) -> Recipe:
    """The robot or linkage of that name, of a family its usual member."""
    found = _attribute(name)
    return found.member() if isinstance(found, Family) else found


def sizes(name: str) -> tuple[int, int] | None:
    """The smallest and the largest member of a family; None for what is alone."""
    found = _attribute(name)
    return (found.smallest, found.largest) if isinstance(found, Family) else None


def variants(name: str) -> tuple[str, ...]:
    """The names that open its parameter sets, as `biglide:lab`; a family's members are too many to name."""
    found = _attribute(name)
    return () if isinstance(found, Family) else tuple(f"{name}:{preset}" for preset in found.presets)


def choose(name: str, preset: str | None) -> tuple[Recipe, str | None]:
    """A recipe and its named parameter set; of a family, `nfourbar:40`, the member of that size."""
    found = _attribute(name)
    if isinstance(found, Family):
        recipe = found.member(preset)
        return recipe, next(iter(recipe.presets))
    return found, preset


def _attribute(name: str) -> Recipe | Family:
    """The attribute of the same name in its module."""
    name = _plain(name)
    place = __name__ if name in names() else linkages.__name__
    found = getattr(importlib.import_module(f"{place}.{name}"), name)
    assert isinstance(found, Recipe | Family)
    return found


def _plain(name: str) -> str:
    """A name as its module has it."""
    return name.replace("-", "_")
