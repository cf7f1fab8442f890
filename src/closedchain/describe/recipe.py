"""A robot file: one function whose defaults are its parameters, and named sets of values for them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from closedchain.describe.equations import Equations
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.parameters import BadParameter, Parameter, values_of

Description = Mechanism | Equations
BUILT_IN = "built in"


@dataclass(frozen=True, eq=False)
class Recipe:
    """A description with its named parameter sets: what a robot's file holds."""

    description: Description
    presets: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    origin: str = BUILT_IN  # or the file it was read from

    @property
    def name(self) -> str:
        return self.description.name

    def values(self, preset: str | None = None) -> dict[str, float]:
        """The parameters' numbers, of a named set where one is asked for."""
        if preset is not None and preset not in self.presets:
            known = ", ".join(f"{self.name}:{n}" for n in self.presets) or "none"
            raise BadParameter(f"{self.name} has no parameter set {preset!r:.40}; there are: {known}")
        return values_of(self.description.parameters, self.presets[preset] if preset else None)


@dataclass(frozen=True)
class Family:
    """Mechanisms of one kind, one for each whole number: `nfourbar:40`."""

    name: str
    make: Callable[[int], Recipe]
    smallest: int
    largest: int
    usual: int

    def member(self, size: str | None = None) -> Recipe:
        """The recipe of a size, the usual one unless given; its only parameter set has that number as its name."""
        number = self.usual if size is None else int(size) if size.isascii() and size.isdigit() else -1
        if not self.smallest <= number <= self.largest:
            raise BadParameter(
                f"{self.name} has no member {size!r:.40}; write {self.name}:{self.usual}, or another whole number "
                f"from {self.smallest} to {self.largest}"
            )
        return self.make(number)


def robot(
    presets: Mapping[str, Mapping[str, float]] | None = None, more: Mapping[str, Parameter] | None = None
) -> Callable[[Callable[..., Description]], Recipe]:
    """Decorate the function that describes a robot: each default, `l=Parameter(0.36, "m", …)`, gets its name.

    `more` are parameters too many to write down one by one; the function takes them as `**more`.
    """

    def make(function: Callable[..., Description]) -> Recipe:
        named: dict[str, Parameter] = {}
        stated = inspect.signature(function).parameters.values()
        defaults = {a.name: a.default for a in stated if a.kind is not inspect.Parameter.VAR_KEYWORD}
        for name, default in (defaults | dict(more or {})).items():
            if not isinstance(default, Parameter):
                raise TypeError(f"{function.__name__}: argument {name} needs a Parameter(...) as its default")
            named[name] = Parameter(default.value, default.unit, default.source, about=default.about, name=name)
        about = inspect.cleandoc(function.__doc__ or "")
        description = replace(function(**named), parameters=tuple(named.values()), about=about)
        recipe = Recipe(description, presets or {})
        for preset in recipe.presets:
            recipe.values(preset)
        return recipe

    return make
