"""Untrusted JSON → a request: every field there, of its type, finite and of reasonable size, or one clear error."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import types
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from closedchain.errors import ClosedChainError

LONGEST_LIST = 5000  # elements
LONGEST_ID = 2**31


class BadMessage(ClosedChainError, ValueError):
    """A message that is not what it should be; `where` names the field."""

    def __init__(self, where: str, problem: str) -> None:
        self.where, self.problem = where, problem
        super().__init__(f"{where}: {problem}" if where else problem)


def parse(text: str | bytes) -> dict[str, Any]:
    """The object that a text frame holds; numbers are finite, as JSON has no others, and texts are Unicode."""
    try:
        made = json.loads(text, parse_constant=_no_constant)
        json.dumps(made, ensure_ascii=False).encode()
    except RecursionError:
        raise BadMessage("", "is nested too deep; a request has a few levels") from None
    except BadMessage:
        raise
    except UnicodeEncodeError:
        raise BadMessage("", "holds half a surrogate pair, which is no character") from None
    except ValueError:
        raise BadMessage("", "is not JSON") from None
    if not isinstance(made, dict):
        raise BadMessage("", "is not an object; send {id, op, …}")
    return made


def _no_constant(word: str) -> NoReturn:
    raise BadMessage("", f"{word} is not JSON; numbers are finite")


def identify(message: dict[str, Any]) -> tuple[int, str]:
    """A message's id and operation."""
    number, op = message.get("id"), message.get("op")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < LONGEST_ID:
        raise BadMessage("id", "must be a whole number from 0 to 2147483647")
    if not isinstance(op, str):
        raise BadMessage("op", "must be the name of an operation")
    return number, op


def check(cls: type, given: dict[str, Any]) -> dict[str, Any]:
    """The fields of a request with their defaults, as plain JSON values; raises BadMessage."""
    body = {name: value for name, value in given.items() if name not in ("id", "op")}
    return dict(_object(cls, body, ""))


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _object(cls: type, given: Any, where: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise BadMessage(where, "must be an object")
    hints = _hints(cls)
    for name in given:
        if name not in hints:
            raise BadMessage(_at(where, str(name)[:40]), f"is not known; there are {', '.join(hints) or 'none'}")
    made = {}
    for field in dataclasses.fields(cls):
        place = _at(where, field.name)
        if field.name in given:
            made[field.name] = _value(hints[field.name], given[field.name], place)
        elif field.default is not dataclasses.MISSING:
            made[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            made[field.name] = field.default_factory()
        else:
            raise BadMessage(place, "is missing")
    return made


def _value(hint: Any, given: Any, where: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return _anything(given, where)
    if origin in (Union, types.UnionType):
        return _either(inner, given, where)
    if origin is Literal:
        if not any(type(given) is type(v) and given == v for v in inner):
            raise BadMessage(where, f"must be one of {', '.join(map(str, inner))}")
        return given
    if origin is list:
        return _list(inner[0], given, where)
    if origin is dict:
        if not isinstance(given, dict) or len(given) > LONGEST_LIST:
            raise BadMessage(where, "must be an object")
        return {str(k)[:80]: _value(inner[1], v, _at(where, str(k)[:40])) for k, v in given.items()}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _object(hint, given, where)
    return _plain(hint, given, where)


def _either(choices: tuple[Any, ...], given: Any, where: str) -> Any:
    """The first type that fits; null only where it may be; the error is that of the last one."""
    if given is None:
        if type(None) in choices:
            return None
        raise BadMessage(where, "is null")
    rest = [c for c in choices if c is not type(None)]
    for choice in rest[:-1]:
        try:
            return _value(choice, given, where)
        except BadMessage:
            continue
    return _value(rest[-1], given, where)


def _list(inner: Any, given: Any, where: str) -> list[Any]:
    if not isinstance(given, list):
        raise BadMessage(where, "must be a list")
    if len(given) > LONGEST_LIST:
        raise BadMessage(where, f"has {len(given)} elements; at most {LONGEST_LIST} are taken")
    return [_value(inner, v, f"{where}[{i}]") for i, v in enumerate(given)]


def _plain(hint: Any, given: Any, where: str) -> Any:
    if hint is float:
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise BadMessage(where, "must be a number")
        try:
            number = float(given)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise BadMessage(where, "is beyond the range of double precision")
        return number
    words = {int: "a whole number", str: "a text", bool: "true or false"}
    if not isinstance(given, hint) or (hint is int and isinstance(given, bool)):
        raise BadMessage(where, f"must be {words[hint]}")
    if hint is int and not -LONGEST_ID <= given < LONGEST_ID:
        raise BadMessage(where, "is too large")
    if hint is str and "\0" in given:
        raise BadMessage(where, "holds a null character")
    return given


def _anything(given: Any, where: str) -> Any:
    """JSON of any shape whose numbers are finite."""
    if isinstance(given, dict):
        return {str(k)[:80]: _anything(v, where) for k, v in given.items()}
    if isinstance(given, list):
        return [_anything(v, where) for v in given]
    if isinstance(given, int | float) and not isinstance(given, bool):
        if isinstance(given, int) and abs(given) < LONGEST_ID:
            return given
        return _plain(float, given, where)
    return given


def _at(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
