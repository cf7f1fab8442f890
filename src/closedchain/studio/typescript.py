"""Dataclasses as TypeScript interfaces."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

HEAD = """\
// Generated from src/closedchain/studio/messages/ by `python -m closedchain.studio.messages`: do not edit.
"""
PLAIN: dict[Any, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    Any: "unknown",
    type(None): "null",
}


def typescript(operations: Mapping[str, Any], others: Iterable[type]) -> str:
    """One interface per message and part, and `Operations`: of each operation its request and its answer."""
    known: dict[str, type] = {}
    for operation in operations.values():
        _collect(operation.request, known)
        _collect(operation.answer, known)
    for other in others:
        _collect(other, known)
    lines = [HEAD, *(_interface(cls) for cls in known.values())]
    lines += ["/** Of each operation: its request, its answer, and whether that is a binary frame's meta. */"]
    lines += ["export interface Operations {", *_operations(operations), "}", ""]
    return "\n".join(lines)


def _operations(operations: Mapping[str, Any]) -> Iterator[str]:
    for name, o in operations.items():
        frame = "true" if o.frame else "false"
        yield f"  {name}: {{ request: {o.request.__name__}; answer: {o.answer.__name__}; frame: {frame} }};"


def _collect(cls: type, known: dict[str, type]) -> None:
    """A class and those that it is made of, parts first."""
    for hint in get_type_hints(cls).values():
        for part in _parts(hint):
            _collect(part, known)
    known.setdefault(cls.__name__, cls)


def _parts(hint: Any) -> Iterator[type]:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        yield hint
    for inner in get_args(hint):
        yield from _parts(inner)


def _interface(cls: type) -> str:
    about = " ".join(inspect.cleandoc(cls.__doc__ or "").split())
    hints = get_type_hints(cls)
    lines = [f"/** {about} */", f"export interface {cls.__name__} {{"]
    for field in dataclasses.fields(cls):
        optional = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        lines.append(f"  {field.name}{'?' * optional}: {written(hints[field.name])};")
    return "\n".join([*lines, "}", ""])


def written(hint: Any) -> str:
    """A type as TypeScript writes it."""
    if hint in PLAIN:
        return PLAIN[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(f'"{v}"' if isinstance(v, str) else str(v).lower() for v in inner)
    if origin in (Union, types.UnionType):
        return " | ".join(written(i) for i in inner)
    if origin is list:
        text = written(inner[0])
        return f"({text})[]" if "|" in text else f"{text}[]"
    if origin is dict:
        return f"Record<string, {written(inner[1])}>"
    return str(hint.__name__)
