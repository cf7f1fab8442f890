"""What several messages are made of, and those that belong to no operation: failures, progress, frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Numbers = list[float]
Rows = list[list[float]]
MaybeNumbers = list[float | None]  # null where a value is infinite
Kind = Literal["usage", "input", "unreachable", "limit", "cancelled", "internal"]


@dataclass(frozen=True)
class RobotRef:
    """Which robot: one by name ("biglide", "furuta:qube") or a mechanism file's text, and values that differ."""

    source: str | None = None
    toml: str | None = None
    values: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """A configuration."""

    q: Numbers
    x: Numbers


@dataclass(frozen=True)
class ErrorBody:
    """One sentence for people, where it is, and of which kind."""

    message: str
    where: str
    kind: Kind


@dataclass(frozen=True)
class Failure:
    """A request that has no answer, and why."""

    id: int
    ok: Literal[False]
    error: ErrorBody


@dataclass(frozen=True)
class Progress:
    """How far a job is, 0 … 1, null where that is not known."""

    id: int
    progress: float | None
    note: str


@dataclass(frozen=True)
class ArrayHeader:
    """Where an array stands in a binary frame: bytes after the header, little-endian."""

    name: str
    shape: list[int]
    dtype: Literal["f4", "f8"]
    offset: int


@dataclass(frozen=True)
class FrameHeader:
    """The JSON part of a binary frame: "CCB1", uint32 id, uint32 length of this header, the header, the data."""

    arrays: list[ArrayHeader]
    meta: dict[str, Any]
