"""The model of a request's robot; the last few are kept, so that a drag loads nothing."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from closedchain import robots
from closedchain.describe.files import loads
from closedchain.errors import BadInput
from closedchain.model.loading import UnknownRobot, load
from closedchain.model.model import Model

KEPT = 12
_bases: OrderedDict[tuple[str | None, str | None], Model] = OrderedDict()
_models: OrderedDict[tuple[Any, ...], Model] = OrderedDict()


def model_of(ref: dict[str, Any]) -> Model:
    """The robot that {source, toml, values} names; a source is a name, never a path."""
    source, toml, values = ref["source"], ref["toml"], ref["values"]
    key = (source, toml, tuple(sorted(values.items())))
    if key in _models:
        _models.move_to_end(key)
        return _models[key]
    base = _base(source, toml)
    model = base.with_values(**values) if values else base
    _keep(_models, key, model)
    return model


def _base(source: str | None, toml: str | None) -> Model:
    if (source is None) == (toml is None):
        raise BadInput("a robot is named by source or by toml, one of them")
    key = (source, toml)
    if key not in _bases:
        _keep(_bases, key, _loaded(source, toml))
    _bases.move_to_end(key)
    return _bases[key]


def _loaded(source: str | None, toml: str | None) -> Model:
    if toml is not None:
        return load(loads(toml, "definition"))
    assert source is not None
    if not robots.knows(source.partition(":")[0]):
        raise UnknownRobot(f"no robot {source[:60]!r}; there are {', '.join(robots.known())}")
    return load(source)


def _keep(table: OrderedDict[Any, Model], key: Any, model: Model) -> None:
    table[key] = model
    while len(table) > KEPT:
        table.popitem(last=False)
