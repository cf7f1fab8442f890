"""From words to numbers: robots with their settings, vectors with their units."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cache

from closedchain.cli.options import LOAD_OPTIONS
from closedchain.cli.parser import Arguments, Usage
from closedchain.describe.equations import Coordinate
from closedchain.describe.files import BadFile
from closedchain.describe.parameters import BadParameter, Parameter, unknown_parameter
from closedchain.describe.recipe import BUILT_IN
from closedchain.errors import ClosedChainError
from closedchain.model.forces import Value
from closedchain.model.formulas import read_load
from closedchain.model.loading import find
from closedchain.model.model import Model
from closedchain.model.sampling import Unassemblable, assemble
from closedchain.scenarios import ENDING, recorded
from closedchain.units import BadQuantity, quantity

Named = Sequence[tuple[str, str]]  # what each number of a vector is called, and its SI unit


def robot(args: Arguments, *, assembled: bool = True) -> Model:
    """The robot that was named, with what --set changes; one from a file is assembled, to see that it can be."""
    recipe, preset = find(args.robot)
    recipe.values(preset)  # refuses an unknown one
    given = settings(args.settings, recipe.description.parameters)
    model = Model(recipe, given, preset, announce)
    if assembled and recipe.origin != BUILT_IN and not given and model.nx:
        try:
            assemble(model)
        except Unassemblable as problem:
            raise BadFile(recipe.origin, "bars", str(problem)) from None
    return model


def note(text: str) -> None:
    """Say what is going on, on stderr."""
    print(f"closedchain: {text}", file=sys.stderr, flush=True)


@cache
def announce(text: str) -> None:
    """The same, once: a robot's equations are compiled in several parts."""
    note(text)


def settings(words: Iterable[str], parameters: Iterable[Parameter]) -> dict[str, float]:
    """`l=282.8mm` → {"l": 0.2828}; of two settings of one parameter the later counts."""
    by_name = {p.name: p for p in parameters}
    values = {}
    for word in words:
        name, equals, value = word.partition("=")
        name = name.strip()
        if not equals:
            raise Usage(f"--set {word[:40]!r} has no value; write --set name=value")
        if name not in by_name:
            raise BadParameter(f"--set: {unknown_parameter(name, by_name)}", name)
        values[name] = _number(value, by_name[name].unit, f"--set {name}")
    return values


def vector(text: str | None, option: str, named: Named) -> list[float] | None:
    """`-0.1, 45deg` as numbers in SI, one for each name; None where the option was not given."""
    if text is None:
        return None
    if not named:
        raise Usage(f"{option} does not exist for this robot")
    words = text.replace("−", "-").split(",")
    wanted = ", ".join(f"{name} [{unit or '1'}]" for name, unit in named)
    if len(words) != len(named):
        found = f"{len(words)} number{'s' * (len(words) != 1)}"
        raise Usage(f"{option} {text[:60]!r} has {found}; {len(named)} wanted, with commas: {wanted}")
    return [_number(word, unit, f"{option} {name}") for word, (name, unit) in zip(words, named, strict=True)]


def output(model: Model, text: str | None, option: str, per: str = "") -> list[float] | None:
    """The output's own coordinates or, if so many are given, those of every body; or their rates."""
    own = model.equations.x[: model.outputs]
    every = text is not None and text.count(",") + 1 == model.nx
    return vector(text, option, coordinates(model.equations.x if every else own, per))


def scalar(text: str | None, option: str, unit: str) -> float | None:
    """`10deg` as a number in SI; None where the option was not given."""
    return None if text is None else _number(text.replace("−", "-"), unit, option)


def _number(text: str, unit: str, what: str) -> float:
    try:
        return quantity(text, unit)
    except BadQuantity as error:
        raise BadQuantity(f"{what}: {error}") from None


def loads(args: Arguments, model: Model) -> dict[str, dict[str, Value]]:
    """`--force C=1,2N --torque plate=0.1` by what they act on, as evaluate, simulate and with_forces take them."""
    found: dict[str, dict[str, Value]] = {"forces": {}, "torques": {}}
    for kind in ("force", "torque"):
        for word in getattr(args, kind):
            on, equals, text = word.replace("−", "-").rpartition("=")
            if not equals or not on:
                raise Usage(f"--{kind} {word[:40]!r} has no value; write --{kind} {LOAD_OPTIONS[f'--{kind}'][0]}")
            try:
                made = recorded(text) if text.endswith(ENDING) else read_load(model, text.split(","), kind)
                found[f"{kind}s"][on.strip()] = made
            except ClosedChainError as error:
                raise Usage(f"--{kind} {on[:40]}: {error}") from None
    return found


def coordinates(given: Iterable[Coordinate], per: str = "") -> Named:
    """Coordinates or, with per "/s" or "/s^2", their rates."""
    mark = {"": "", "/s": "_dot", "/s^2": "_ddot"}[per]
    return [(c.name + mark, c.unit + per) for c in given]


def efforts(model: Model) -> Named:
    """The drives' efforts."""
    units = {"m": "N", "rad": "N m"}
    return [(f"tau_{model.equations.q[i].name}", units[model.equations.q[i].unit]) for i in model.driven]


def voltages(model: Model) -> Named:
    """The motors' voltages."""
    return [(f"u_{model.equations.q[i].name}", "V") for i in model.driven]
