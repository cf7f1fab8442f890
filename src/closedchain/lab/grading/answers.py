"""What came out of the sandbox, as numbers or as words; nothing else passes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.signatures import Signature

REAL = 1e-12  # of the real part: an imaginary one that small is rounding
NOTHING = "returned something that is no number"


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of one function, row by row; a row without numbers says why."""

    values: Doubles  # (n, outputs); not a number where there is none
    problems: tuple[str, ...]  # (n,) empty where there are numbers

    @property
    def finite(self) -> Any:
        """Where every number is there."""
        return np.isfinite(self.values).all(axis=1)


def read(signature: Signature, replies: Sequence[dict[str, Any]], count: int) -> Answers:
    """The numbers of each reply; a reply that is missing is a row without numbers."""
    values = np.full((count, len(signature.outputs)), np.nan)
    problems = ["not answered"] * count
    for row, reply in enumerate(replies[:count]):
        if "raised" in reply:
            problems[row] = f"raised {printable(reply['raised'])}"
            continue
        found, problems[row] = numbers(signature, reply.get("value"))
        if found is not None:
            values[row] = found
    return Answers(values, tuple(problems))


def numbers(signature: Signature, value: Any) -> tuple[list[float] | None, str]:
    """A returned value as its numbers in order, or what is wrong with it."""
    wanted = [math.prod(shape) for shape in signature.shapes]
    if not isinstance(value, list):
        return None, f"returned {_kind(value)}; {_wanted(signature)}"
    if signature.name == "dynamic_model":
        return _matrix_and_vector(signature, value)
    flat = _flat(value)
    if len(flat) != sum(wanted):
        return None, f"returned {len(flat)} values; {_wanted(signature)}"
    return _real(flat, signature)


def _matrix_and_vector(signature: Signature, value: list[Any]) -> tuple[list[float] | None, str]:
    if len(value) != 2 or not all(isinstance(part, list) for part in value):
        kinds = ", ".join(_kind(part) for part in value[:4])
        return None, f"returned {len(value)} values ({kinds}); {_wanted(signature)}"
    sizes = [len(_flat(part)) for part in value]
    if sizes != [4, 2] or len(value[0]) != 2:
        return None, f"returned parts of {sizes[0]} and {sizes[1]} numbers; {_wanted(signature)}"
    return _real(_flat(value), signature)


def _real(flat: list[Any], signature: Signature) -> tuple[list[float] | None, str]:
    made = []
    for item in flat:
        if isinstance(item, dict) and isinstance(item.get("complex"), list) and len(item["complex"]) == 2:
            real, imaginary = (part if isinstance(part, float) else math.nan for part in item["complex"])
            item = real if abs(imaginary) <= REAL * max(1.0, abs(real)) else item
        if not isinstance(item, float):
            return None, f"returned {_kind(item)} among its values; {_wanted(signature)}"
        made.append(item)
    bad = [item for item in made if not math.isfinite(item)]
    return (made, "") if not bad else (None, f"returned {bad[0]}")


def _flat(value: Any) -> list[Any]:
    if not isinstance(value, list):
        return [value]
    return [item for part in value for item in _flat(part)]


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        if "complex" in value:
            return "a complex number"
        return printable(value.get("type", "something"))
    return {float: "one number", list: "a list"}.get(type(value), "something that is no number")


def _wanted(signature: Signature) -> str:
    if signature.name == "dynamic_model":
        return "M with 2×2 numbers and c with 2 are wanted"
    return f"two numbers, {' and '.join(signature.outputs)}, are wanted"


def printable(text: Any, most: int = 200) -> str:
    """A submission's words in one line, without control characters."""
    line = " ".join(str(text)[: 4 * most].split())
    return "".join(c if c.isprintable() else "?" for c in line)[:most]
