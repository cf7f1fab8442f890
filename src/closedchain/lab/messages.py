"""ROS messages as plain records: fields by name, each with its value at first, and no others."""

from __future__ import annotations

from copy import deepcopy
from typing import Any


class Message:
    """Fields by name."""

    __slots__: tuple[str, ...] = ()
    _fields: dict[str, Any]

    def __init__(self, **values: Any) -> None:
        for name, value in self._fields.items():
            setattr(self, name, value() if isinstance(value, type) else deepcopy(value))
        for name, value in values.items():
            if name not in self._fields:
                raise AssertionError(f"Invalid arguments passed to constructor: {name}; there are {list(self._fields)}")
            setattr(self, name, value)

    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]:
        """The fields, and what they are."""
        return {n: v.__name__ if isinstance(v, type) else type(v).__name__ for n, v in cls._fields.items()}

    def __eq__(self, other: object) -> bool:
        same = type(other) is type(self)
        return same and all(getattr(self, name) == getattr(other, name) for name in self._fields)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in self._fields)})"


def message(kind: str, **fields: Any) -> Any:
    """A kind of message; a field is another kind, or the value that it has at first."""
    constants = {name: value for name, value in fields.items() if name.isupper()}
    variables = {name: value for name, value in fields.items() if not name.isupper()}
    return type(kind, (Message,), {"__slots__": tuple(variables), "_fields": variables, **constants})


def service(kind: str, request: dict[str, Any], response: dict[str, Any]) -> Any:
    """A kind of service: what is asked and what is answered."""
    parts = {"Request": message(f"{kind}_Request", **request), "Response": message(f"{kind}_Response", **response)}
    return type(kind, (), parts)
