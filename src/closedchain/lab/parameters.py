"""Parameters of ROS nodes: a name and a value, which the command line may set."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any


class NotDeclared(Exception):
    """The node has no such parameter."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the parameter {name!r} is not declared: call declare_parameter first")


class Kind(Enum):
    """What a value is."""

    NOT_SET, BOOL, INTEGER, DOUBLE, STRING, BYTE_ARRAY, BOOL_ARRAY, INTEGER_ARRAY, DOUBLE_ARRAY, STRING_ARRAY = range(
        10
    )

    @classmethod
    def from_parameter_value(cls, value: Any) -> Kind:
        """By looking at it."""
        kinds = {bool: cls.BOOL, int: cls.INTEGER, float: cls.DOUBLE, str: cls.STRING, bytes: cls.BYTE_ARRAY}
        arrays = {bool: cls.BOOL_ARRAY, int: cls.INTEGER_ARRAY, float: cls.DOUBLE_ARRAY, str: cls.STRING_ARRAY}
        if isinstance(value, list | tuple):
            return arrays.get(type(value[0]), cls.NOT_SET) if value else cls.NOT_SET
        return kinds.get(type(value), cls.NOT_SET)


class Parameter:
    """A name and a value."""

    Type = Kind

    def __init__(self, name: str, type_: Kind | None = None, value: Any = None) -> None:
        self.name, self.value = name, value
        self.type_ = type_ or Kind.from_parameter_value(value)

    def get_parameter_value(self) -> Value:
        """The value by the name of its type."""
        return Value(self.value)


@dataclass(frozen=True)
class Value:
    """A value that is asked for by the name of its type; zero for the others, as in ROS."""

    value: Any

    def _as(self, kind: Any, empty: Any) -> Any:
        return self.value if type(self.value) is kind else empty

    @property
    def bool_value(self) -> bool:
        return bool(self._as(bool, False))

    @property
    def integer_value(self) -> int:
        return int(self._as(int, 0))

    @property
    def double_value(self) -> float:
        return float(self._as(float, 0.0))

    @property
    def string_value(self) -> str:
        return str(self._as(str, ""))

    @property
    def double_array_value(self) -> list[float]:
        return list(self.value) if isinstance(self.value, list | tuple) else []

    integer_array_value = bool_array_value = string_array_value = double_array_value


@dataclass
class Result:
    """Whether a value was taken."""

    successful: bool = True
    reason: str = ""


def of_the_command_line(arguments: Sequence[str]) -> dict[str, Any]:
    """Values after --ros-args, as -p NAME:=VALUE."""
    found, ours = {}, False
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        ours = word == "--ros-args" or (ours and word != "--")
        name, sign, text = following.partition(":=")
        if ours and word in ("-p", "--param") and sign:
            found[name.rpartition(":")[2]] = _value(text)
    return found


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
